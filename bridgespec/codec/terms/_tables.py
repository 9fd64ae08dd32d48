"""Tables of a board: pairs whose value names the columns and whose section has the rows, and score tables that are lists of
records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import lru_cache
from typing import Any

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms._values import (
    DOUBLINGS,
    SEATS,
    STRAINS,
    TRICKS_OVER,
    code_name,
    contract_of,
    contract_offer,
    over_offer,
    tricks_of,
    tricks_over,
)
from bridgespec.model.contract import Contract
from bridgespec.model.number_texts import whole_number
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
    """Return the table that each pair of a group states, None for a pair that is no table; cached in the group."""
    if group.kept is None:
        group.kept = [table_of(view) for view in group.wholes]
    return group.kept


def table_of(view: RecordView) -> Table | None:
    """Return the table that a pair states in its value and section; None without cells, unless it has columns and a section."""
    parts = view.each(_part)
    if not parts:
        return None
    columns = tuple(part for part in parts if part.__class__ is Column)
    cells = [part for part in parts if part.__class__ is str]
    # Columns without rows are a table only where a section stands below them.
    if not cells and (not columns or not view.section):
        return None
    # Without a rule for columns, the value of the pair names them.
    if not columns:
        columns = tuple(Column(name) for name in view.text.split(";"))
    size = len(columns)
    return Table(view.key, columns, tuple(tuple(cells[i : i + size]) for i in range(0, len(cells), size)))


def _part(role: str, view: RecordView) -> Column | str | None:
    """Return a column or, for a cell, its text; None for any other part."""
    if role == ENTRY:
        return _unquoted(view.text)
    return _column(view) if role == "column" else None


def _column(view: RecordView) -> Column:
    """Return the column that a part with the role ``column`` declares."""
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
    """Return the text of a cell without quotation marks around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def roles_of(view: RecordView, table: Table) -> Mapping[str, tuple[int, Declaration]]:
    """Return the columns of a table for which the schema has a rule, by role: the index and the declaration of each."""
    found: dict[str, tuple[int, Declaration]] = {}
    for place, column in enumerate(table.columns):
        decl = view.columns.get(column.name)
        if decl is not None:
            found.setdefault(decl.binding.role or decl.word_name, (place, decl))
    return found


def cell_value(decl: Declaration, text: str) -> str:
    """Return the value of a cell: the name of its code, else its text."""
    return decl.code_of(text) or text


def spelled(table: Table) -> tuple[str, str]:
    """Return a table as the texts of a pair: the value that names the columns, and the section with one line for each row."""
    return _head(table.columns), "".join(_row(row, table.columns) for row in table.rows)


def _head(columns: Sequence[Column]) -> str:
    """Return the value of a pair that names the columns of its table."""
    return ";".join(column.order + column.name + _width(column) for column in columns)


def _row(row: Sequence[str], columns: Sequence[Column]) -> str:
    """Return the line of a table's row, each cell padded to the width of its column."""
    return " ".join(_padded(cell, index, columns) for index, cell in enumerate(row)) + "\r\n"


@lru_cache(1 << 10)
def _line(head: str, row: tuple[str, ...]) -> str:
    """Return the line of a table's row with the columns that ``head`` names. Cached, since rows repeat: double-dummy tables have
    280 different ones.
    """
    return _row(row, columns_of(head))


def _width(column: Column) -> str:
    """Return the width and the alignment of a column in the form of a pair's value, such as ``\\2R``; empty without a width."""
    return "" if column.width is None else f"\\{column.width}{column.align}"


def _padded(cell: str, index: int, columns: Sequence[Column]) -> str:
    """Return a cell as it is written in the column ``index``: in quotation marks if it needs them, padded to the width."""
    text = f'"{cell}"' if not cell or any(mark in cell for mark in ' [];{}"') else cell
    column = columns[index] if index < len(columns) else None
    if column is None or column.width is None:
        return text
    return text.ljust(column.width) if column.align == "L" else text.rjust(column.width)


@lru_cache(64)
def columns_of(head: str) -> tuple[Column, ...]:
    """Return the columns that the value of a pair (``head``) names.

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


def rows_of(head: str, columns: Mapping[str, Declaration], rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return rows, as values by role, as the texts of a pair with the columns that ``head`` names: its value and its section."""
    roles = [columns[column.name].binding.role or columns[column.name].word_name for column in columns_of(head)]
    return _head(columns_of(head)), "".join([_line(head, tuple([str(row.get(role, "")) for role in roles])) for row in rows])


# --- results of a board, row by row

ROW = "score_row"
SCORE_TABLE = "ScoreTable"
SCORE_COLUMNS = {
    "table_number": "Table",
    "round": "Round",
    "rank": "Rank",
    "pair_ns": "PairId_NS",
    "pair_ew": "PairId_EW",
    "contract": "Contract",
    "declarer": "Declarer",
    "result": "Result",
    "lead": "Lead",
    "score_ns": "Score_NS",
    "score_ew": "Score_EW",
    "mp_ns": "MP_NS",
    "mp_ew": "MP_EW",
    "imp_ns": "IMP_NS",
    "imp_ew": "IMP_EW",
    "percent_ns": "Percentage_NS",
    "percent_ew": "Percentage_EW",
    "multiplicity": "Multiplicity",
}
"""The columns of a score table by the roles of a row's parts, as PBN names them."""
_OF_CONTRACT = {
    "level": "the level of the contract",
    "strain": "its strain",
    "doubling": "whether it was doubled or redoubled",
    "passed_out": "that all four passed",
}
_OF_RESULT = {"tricks_won": "the tricks that the declarer won", **TRICKS_OVER}
ROW_ROLES: Mapping[str, str] = {
    ROW: "a result of the board, as a row of its score table; a list of records that each have a contract is one by itself",
    **{role: f"the column {column} of the score table" for role, column in SCORE_COLUMNS.items()},
    **_OF_CONTRACT,
    **_OF_RESULT,
}
ROW_WITHIN: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(SCORE_COLUMNS, frozenset({ROW})),
    **dict.fromkeys(_OF_CONTRACT, frozenset({ROW, "contract"})),
    **dict.fromkeys(_OF_RESULT, frozenset({ROW, "result"})),
}
ROW_CODES: Mapping[str, frozenset[str]] = {
    "strain": frozenset(STRAINS),
    "doubling": frozenset(DOUBLINGS),
    "declarer": frozenset(SEATS),
}


def score_table(rows: Sequence[RecordView]) -> Table:
    """Return a score table made of records of results; it has a column for each role that occurs in a record."""
    # Reversed: of several parts with one role the first remains.
    cells = [_cells(dict(reversed(list(row.parts())))) for row in rows]
    roles = [role for role in SCORE_COLUMNS if any(role in row for row in cells)]
    columns = tuple(Column(SCORE_COLUMNS[role]) for role in roles)
    return Table(SCORE_TABLE, columns, tuple(tuple(row.get(role, "-") for role in roles) for row in cells))


def _cells(parts: Mapping[str, RecordView]) -> Mapping[str, str]:
    """Return the texts of a row's cells by role."""
    found = {role: text for role, view in parts.items() if role in SCORE_COLUMNS and (text := _cell(view))}
    own = parts.get("contract")
    # A contract may be a record of its own, or its parts may be those of the row.
    contract = contract_of(parts if own is None or own.decl.kind != "record" else dict(own.parts()))
    if contract is not None:
        found["contract"] = "Pass" if contract.is_passed_out else str(contract)
    elif "contract" in found:
        with suppress(ValueError):
            contract = Contract.parse(found["contract"])
    declarer = parts.get("declarer")
    seat = SEATS.get(code_name(declarer.role("seat") if declarer is not None and declarer.decl.kind == "record" else declarer))
    if seat is not None:
        found["declarer"] = seat.letter
    result = parts.get("result")
    inside = dict(result.parts()) if result is not None and result.decl.kind == "record" else parts
    over = tricks_over(inside)
    tricks = inside["tricks_won"].number if "tricks_won" in inside else None
    if over is not None:
        tricks = tricks_of(contract, over, inside)
    if tricks is not None:
        found["result"] = str(tricks)
    return found


def _cell(view: RecordView) -> str:
    """Return the text of a cell: a text as written, the digits of a number, empty for a record."""
    if view.decl.kind == "record":
        return ""
    if view.code is not None:
        return view.code
    return view.text.strip() if isinstance(view.raw_value, str) else str(view.raw_value)


def score_rows(table: Table) -> list[dict[str, Any]]:
    """Return the offer of each row of a score table, by role; empty for a table of another name."""
    if table.name != SCORE_TABLE:
        return []
    roles = {column: role for role, column in SCORE_COLUMNS.items()}
    # Not strict below: the last row of a table in a file may have fewer cells than there are columns.
    names = [roles.get(column.name, "") for column in table.columns]
    return [
        _row_offer({role: cell for role, cell in zip(names, row, strict=False) if role and has_value(cell)}) for row in table.rows
    ]


def has_value(cell: str) -> bool:
    """Whether a cell of a score table has a value: it is not empty, ``-``, ``?`` or ``*``."""
    return cell not in ("", "-", "?", "*")


def _row_offer(cells: Mapping[str, str]) -> dict[str, Any]:
    """Return the offer of one row of a score table from its cells by role; contract and result also by their parts."""
    offer: dict[str, Any] = {role: _spellings(cell) for role, cell in cells.items()}
    contract: Contract | None = None
    with suppress(ValueError):
        contract = Contract.parse(cells.get("contract", ""))
    if contract is not None:
        parts = contract_offer(contract)
        offer |= {**parts, "contract": {"": cells["contract"], **parts}}
    if (letter := cells.get("declarer", "").upper()) in _LETTERS:
        offer["declarer"] = {"": (_LETTERS[letter], letter), "seat": _LETTERS[letter]}
    if (tricks := whole_number(cells.get("result", ""))) is not None:
        parts = {"tricks_won": tricks, **({} if contract is None else over_offer(contract, tricks))}
        offer |= {**parts, "result": {"": tricks, **parts}}
    return offer


_LETTERS = {seat.letter: name for name, seat in SEATS.items()}


def _spellings(cell: str) -> Any:
    """Return the offer of a cell: its text, or the number that it spells."""
    number = int(cell) if _NUMBER.fullmatch(cell) else None

    def offer(decl: Declaration) -> Any:
        if decl.of_text:
            return cell if number is None else (cell, number)
        return cell if number is None or decl.numeral is not None else number

    return offer


_NUMBER = re.compile(r"-?[0-9]{1,9}")


def made_up(board: Any, roles: Set[str], decimals: int) -> tuple[Table, ...]:
    """Return a generated score table with one row, the board's own result, and a column for each of ``roles``; none without
    roles.

    Match points, IMPs and percentages have ``decimals`` decimals.
    """
    contract, declarer, points = board.contract, board.declarer, board.score or 0
    cells = {
        **dict.fromkeys(("table_number", "round", "rank", "pair_ns", "multiplicity"), "1"),
        "pair_ew": "2",
        "contract": "Pass" if declarer is None else str(contract),
        "declarer": "-" if declarer is None else declarer.letter,
        "result": "-" if board.result is None else str(board.result),
        "lead": "-" if declarer is None else "S2",
        "score_ns": str(points),
        "score_ew": str(-points),
        **{f"{kind}_{side}": f"{value:.{decimals}f}" for kind, value in _AWARDS.items() for side in ("ns", "ew")},
    }
    stated = {*roles, *(("contract",) if roles & _OF_CONTRACT.keys() else ()), *(("result",) if roles & _OF_RESULT.keys() else ())}
    named = [role for role in SCORE_COLUMNS if role in stated]
    columns = tuple(Column(SCORE_COLUMNS[role]) for role in named)
    return (Table(SCORE_TABLE, columns, (tuple(cells[role] for role in named),)),) if named else ()


_AWARDS = {"mp": 1, "imp": 0, "percent": 50}


def lost(before: Table, after: Table) -> Iterator[str]:
    """Yield the losses between a table and a later one of the same name: columns, then rows. Layout and order are not compared."""
    names = [column.name for column in after.columns]
    kept = [column.name for column in before.columns if column.name in names]
    missing = [
        column.name for column in before.columns if column.name not in names and any(map(has_value, before.column(column.name)))
    ]
    yield from (f"the column {name} of {before.name}" for name in missing)
    rows = [list(zip(*(table.column(name) for name in kept), strict=False)) for table in (before, after)]
    if len(before.rows) != len(after.rows) or any(one not in rows[1] for one in rows[0]):
        yield f"rows of {before.name}"
