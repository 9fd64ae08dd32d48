"""Double-dummy tables: the tricks that each declarer can take in each strain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Annotated, Any

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms import _tables
from bridgespec.codec.terms._cells import CELL, CellCodes, level_in, level_of, runs
from bridgespec.codec.terms._term import Byte, EncodeRequest, Offer, Place, SharedOffer, Term, TermColumn, TermContent
from bridgespec.codec.terms._values import NOTHING, SEATS, STRAINS, CannotRepresent, seat_of
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.number_texts import whole_number
from bridgespec.model.tricks import UNSOLVED, Tricks


def _value(_: str | None, number: Any) -> int | None:
    """Return a number of tricks; None where it is not 0 to 13."""
    return number if isinstance(number, int) and 0 <= number <= 13 else None


CODES = CellCodes(_value, UNSOLVED, {})
_CELLS, _ROOM = 20, 24
"""The number of cells, and of those with the cells beyond the end to which `at` leads beside an axis of seats in a nested array."""


class TricksTerm(Term):
    """The trick table: twenty cells by strain and declarer; or by strain and leader, as tricks of North and South; or the rows of
    a table of results.
    """

    NAME = "tricks"
    DOC = "double-dummy results: the tricks that each declarer takes in each strain"
    ROLES: Mapping[str, str] = {
        CELL: "a number of tricks, its strain and seat given by its axes",
        "seat": "the declarer of the cells that follow, or of a table's row",
        "strain": "the strain of a table's row",
        "tricks_won": "the tricks of a table's row",
        NOTHING: "that they are not known",
        **_tables.ROLES,
    }
    CODES: Mapping[str, frozenset[str]] = {"seat": frozenset({*SEATS, NOTHING}), "strain": frozenset(STRAINS)}
    ARRAYS = frozenset({"tricks"})
    AXES = AT = frozenset({"", CELL})
    NEEDED = True
    KINDS = "the double-dummy results"
    PARTS: Mapping[str, frozenset[str]] = {"the tricks of other hands": frozenset()}

    def of(self, view: RecordView, content: TermContent) -> Tricks | None:
        """Return the trick table that one view states; None where it states none."""
        table = _tables.table_of(view)
        if table is not None and (rows := _of_rows(view, table)) is not None:
            return rows
        level = level_in(view, CODES)
        if level is None:
            return None
        cells = bytearray([UNSOLVED]) * _ROOM
        at = level.decl.binding.at.get("seat")
        if at is None or view.decl is level.decl:
            level.read(view, 0 if at is None else int(content[at] or 0), cells)
        else:
            for part, run in runs(view):
                seat = seat_of(part)
                if seat is not None:
                    level.read_items(run, int(seat), cells)
        return Tricks(bytes(cells[:_CELLS]))

    def places(self, group: TermGroup, place: Place, content: TermContent) -> Iterator[RecordView]:
        """Yield the view of the cell at ``("tricks", strain, seat)``."""
        for view in group.wholes:
            level = level_in(view, CODES) if len(place) == 3 else None
            kept: dict[int, RecordView] = {}
            if level is not None and _tables.table_of(view) is None:
                at = level.decl.binding.at.get("seat")
                if at is None or view.decl is level.decl:
                    level.read(view, 0 if at is None else int(content[at] or 0), bytearray(_ROOM), kept.setdefault)
            yield kept.get(4 * int(place[1]) + int(place[2]), view) if kept else view

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the table: cells for any axes, or the rows of a table of results."""
        board = request.board
        if board.tricks is None:
            return _UNSOLVED
        tricks, declarer = board.tricks, board.declarer
        return {
            "": lambda decl: _cells(decl, tricks, declarer),
            CELL: lambda decl: _cells(decl, tricks, declarer),
            "rows": _rows(tricks),
        }

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield the loss where known cells are not written."""
        if after is None:
            yield self.kind
        elif any(one <= 13 and one != two for one, two in zip(before.cells, after.cells, strict=True)):
            yield "the tricks of other hands" if after.known else self.KINDS

    def columns(self) -> Sequence[TermColumn]:
        """Return one column: the declarer's tricks of the twenty cells, NT S H D C by W N E S, 15 for unknown."""
        doc = "20 cells, NT S H D C by declarer W N E S: the declarer's tricks, 15 not known"
        return (
            TermColumn("tricks", Annotated[tuple[Byte, ...], 20], doc, lambda board: board.tricks and tuple(board.tricks.cells)),
        )

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the table of a row."""
        cells = row.get("tricks")
        return {} if cells is None else {"tricks": Tricks(bytes(cells))}


def _cells(decl: Declaration, tricks: Tricks, declarer: Seat | None) -> Any:
    """Return the plain values of an array of cells; with `at`, of the cells of the declarer only."""
    level = level_of(decl, CODES)
    at = decl.binding.at.get("seat")
    base = int(declarer) if at is not None and declarer is not None and not decl.of_text else 0
    return level.write(tricks.cells + bytes(_ROOM - _CELLS), base, _spelled)


def _unsolved(decl: Declaration) -> Any:
    """Return the plain values of an array for a board without a table; None for a text. Raises `CannotRepresent` for a binary
    field without a value for unknown cells.
    """
    if decl.of_text:
        return None
    if decl.binding.unknown is None:
        raise CannotRepresent("there is none")
    return level_of(decl, CODES).write(bytes([UNSOLVED]) * _CELLS, 0, _spelled)


def _spelled(decl: Declaration, number: int) -> Any:
    """Return the plain value of a cell. Raises `CannotRepresent` for an unknown cell where the field has no value for it."""
    if number <= 13:
        return number
    unknown = min(decl.unknown) if decl.unknown else decl.binding.unknown
    if unknown is None:
        raise CannotRepresent("a cell is not known")
    return unknown


def _of_rows(view: RecordView, table: Any) -> Tricks | None:
    """Return the trick table of a table whose rows have seat, strain and tricks; None where it has other columns."""
    roles = _tables.roles_of(view, table)
    if not {"seat", "strain", "tricks_won"} <= set(roles):
        return None
    columns = [roles[role] for role in ("seat", "strain", "tricks_won")]
    cells = bytearray([UNSOLVED]) * _CELLS
    for row in table.rows:
        if len(row) < len(table.columns):
            continue
        found = _cell_of(tuple([(decl, row[place]) for place, decl in columns]))
        if found is not None:
            cells[found[0]] = found[1]
    return Tricks(bytes(cells))


@lru_cache(1 << 10)
def _cell_of(row: tuple[tuple[Declaration, str], ...]) -> tuple[int, int] | None:
    """Return the index of the cell that a row states, and its tricks. Cached: there are 280 different valid rows."""
    seat, strain, won = (_tables.cell_value(decl, text) for decl, text in row)
    number = whole_number(won, 2)
    if seat not in SEATS or strain not in STRAINS or number is None or number > 13:
        return None
    return 4 * STRAINS[strain] + SEATS[seat], number


_UNSOLVED = SharedOffer({"": _unsolved})


def _rows(tricks: Tricks) -> list[Mapping[str, Any]]:
    """Return the cells of a trick table as rows of seat, strain and tricks, North first and clubs first."""
    numbers = ((seat, strain, tricks.get(strain, seat)) for seat, strain in _ROWS)
    return [_row(seat, strain, number) for seat, strain, number in numbers if number is not None]


_ROWS = [(seat, strain) for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST) for strain in reversed(Strain)]


@cache
def _row(seat: Seat, strain: Strain, number: int) -> Mapping[str, Any]:
    """Return one row of a table of results, as values by role."""
    return {"seat": seat.letter, "strain": strain.label, "tricks_won": str(number)}


tricks = TricksTerm()
