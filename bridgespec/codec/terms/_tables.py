"""Tables in a text: a pair whose value names columns and whose section holds the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from bridgespec.codec.decl import Decl
from bridgespec.codec.record import RecordView, TermGroup
from bridgespec.model.table import Column, Table

ENTRY = "table_cell"
ROLES = {
    "column": "a column",
    "column_name": "its name",
    "order": "how the rows are ordered by it: the code ascending or descending",
    "least": "the least width of its cells",
    "alignment": "where they stand in it: the code left or right",
    ENTRY: "a cell, row by row",
}
_ORDERS = {"descending": "+", "ascending": "-"}
_SIDES = {"left": "L", "right": "R"}


def tables_of(group: TermGroup) -> Sequence[Table | None]:
    """The table that each pair of a group is, found once."""
    if group.kept is None:
        group.kept = [table_of(view) for view in group.wholes]
    return group.kept


def table_of(view: RecordView) -> Table | None:
    """The table that a pair with its section is; None where it has no cells."""
    parts = view.each(_part)
    if not parts:
        return None
    columns = tuple(part for part in parts if part.__class__ is Column)
    cells = [part for part in parts if part.__class__ is str]
    if not cells and (not columns or not view.section):
        return None
    if not columns:
        columns = tuple(Column(name) for name in view.text.split(";"))
    size = len(columns)
    return Table(view.key, columns, tuple(tuple(cells[i : i + size]) for i in range(0, len(cells), size)))


def _part(role: str, view: RecordView) -> Column | str | None:
    """A column, the text of a cell, or None for any other part."""
    if role == ENTRY:
        return _unquoted(view.text)
    return _column(view) if role == "column" else None


def _column(view: RecordView) -> Column:
    parts = dict(view.parts())
    name, order, least, side = (parts.get(role) for role in ("column_name", "order", "least", "alignment"))
    width = least.number if least is not None else None
    return Column(
        name.text if name is not None else "",
        _ORDERS.get(order.code or "", "") if order is not None else "",
        width,
        _SIDES.get(side.code or "", "") if side is not None else "",
    )


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def roles_of(view: RecordView, table: Table) -> Mapping[str, tuple[int, Decl]]:
    """The columns whose rules, as the schema's words have it, are roles: the place and the declaration of each."""
    found: dict[str, tuple[int, Decl]] = {}
    for place, column in enumerate(table.columns):
        decl = view.columns.get(column.name)
        if decl is not None:
            found.setdefault(decl.binding.role or decl.word_name, (place, decl))
    return found


def cell_value(decl: Decl, text: str) -> str:
    """What a cell says: the name of a code, else its text."""
    return decl.code_of(text) or text


def spelled(table: Table) -> tuple[str, str]:
    """The value that names a table's columns, and the section of its rows, a line each."""
    return _head(table.columns), "".join(_row(row, table.columns) for row in table.rows)


def _head(columns: Sequence[Column]) -> str:
    return ";".join(column.order + column.name + _width(column) for column in columns)


def _row(row: Sequence[str], columns: Sequence[Column]) -> str:
    return " ".join(_padded(cell, index, columns) for index, cell in enumerate(row)) + "\r\n"


@lru_cache(1 << 10)
def _line(head: str, row: tuple[str, ...]) -> str:
    """A row of a table with the columns of a head: of results there are no more than 280."""
    return _row(row, columns_of(head))


def _width(column: Column) -> str:
    return "" if column.width is None else f"\\{column.width}{column.align}"


def _padded(cell: str, index: int, columns: Sequence[Column]) -> str:
    text = f'"{cell}"' if not cell or any(mark in cell for mark in ' [];{}"') else cell
    column = columns[index] if index < len(columns) else None
    if column is None or column.width is None:
        return text
    return text.ljust(column.width) if column.align == "L" else text.rjust(column.width)


@lru_cache(64)
def columns_of(head: str) -> tuple[Column, ...]:
    """The columns that a head names.

    >>> columns_of("+Rank;Result\\\\2R")
    (Column(name='Rank', order='+', width=None, align=''), Column(name='Result', order='', width=2, align='R'))
    """
    found = []
    for text in head.split(";"):
        name, _, width = text.partition("\\")
        order = name[:1] if name[:1] in ("+", "-") else ""
        side = width[-1:] if width[-1:] in ("L", "R") else ""
        digits = width.removesuffix(side)
        found.append(Column(name.removeprefix(order), order, int(digits) if digits else None, side))
    return tuple(found)


def rows_of(head: str, columns: Mapping[str, Decl], rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Rows by role as a table with the columns of a head."""
    roles = [columns[column.name].binding.role or columns[column.name].word_name for column in columns_of(head)]
    return _head(columns_of(head)), "".join([_line(head, tuple([str(row.get(role, "")) for role in roles])) for row in rows])
