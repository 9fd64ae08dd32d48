"""`Table`: rows of texts under named columns, such as a result sheet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a `Table`: its name, how the rows are sorted by it (``+`` highest first, ``-`` lowest first, ``""`` not), its
    least width, and its alignment (``L``, ``R``).
    """

    name: str
    order: str = ""
    width: int | None = None
    align: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A named table. A row has a cell for each column, but may be shorter if the source is incomplete.

    >>> table = Table("ScoreTable", (Column("Rank", "+"), Column("Contract")), (("1", "4S"), ("2", "3NT")))
    >>> table.column("Contract")
    ('4S', '3NT')
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    def column(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column from the first row to the last. Raises KeyError if the table has no such column."""
        for index, column in enumerate(self.columns):
            if column.name == name:
                # A short row may have no cell of the column.
                return tuple(row[index] for row in self.rows if index < len(row))
        raise KeyError(name)
