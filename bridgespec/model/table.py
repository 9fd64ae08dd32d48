"""Tables: rows of text under named columns, as result sheets have them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, how its rows are ordered (``+`` highest first, ``-`` lowest first), least width and alignment
    (``L``, ``R``).
    """

    name: str
    order: str = ""
    width: int | None = None
    align: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A named table; every row has as many cells as there are columns, unless the source broke off.

    >>> table = Table("ScoreTable", (Column("Rank", "+"), Column("Contract")), (("1", "4S"), ("2", "3NT")))
    >>> table.column("Contract")
    ('4S', '3NT')
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    def column(self, name: str) -> tuple[str, ...]:
        """The cells of a column, top down; KeyError where the table lacks it."""
        for index, column in enumerate(self.columns):
            if column.name == name:
                # A row that breaks off has no cell here; the others keep their order.
                return tuple(row[index] for row in self.rows if index < len(row))
        raise KeyError(name)
