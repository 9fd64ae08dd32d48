"""two boards of one session have the same number and different cards

A file may contain the same board many times: both rooms of a match, or every table that played it. But one number with two
deals, in the same event, round and date, means that two sets were put together, or that a number is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bridgespec.diagnostic import Severity, define
from bridgespec.model.board import Board
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("board-twice", Severity.NOTE, __doc__)
_SESSION_TAGS = ("Section", "Session", "Stage", "Table")


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board with the number of an earlier board of the same session and other cards."""
    return among(enumerate(facts.boards))


def among(indexed: Iterable[tuple[int, Board]]) -> Iterator[Finding]:
    """Yield the findings of `check` for a part of a file: pairs of a board's index in the file and the board."""
    numbered: dict[int, list[tuple[int, Board]]] = {}
    for index, board in indexed:
        if board.number is not None and board.deal is not None:
            numbered.setdefault(board.number, []).append((index, board))
    # Few numbers have several deals, so sessions are compared for those alone.
    for boards in numbered.values():
        if len({board.deal for _, board in boards}) > 1:
            yield from _of_number(boards)


def _of_number(boards: Sequence[tuple[int, Board]]) -> Iterator[Finding]:
    """Yield the findings for boards with one number."""
    first: dict[object, tuple[int, Board]] = {}
    for index, board in boards:
        # All are compared with the first board of their session: a third one with its cards is no finding.
        earlier, reference = first.setdefault(_key(board), (index, board))
        if reference.deal != board.deal:
            message = f"board {board.number} was already given, with other cards, {_ordinal(earlier)} in the file"
            yield Finding.of(CODE, message, index, ("number",), ("deal",))


def _key(board: Board) -> object:
    """Return the fields that are equal for boards of one number and session."""
    session = tuple(pair for pair in board.tags if pair[0] in _SESSION_TAGS)
    return board.number, board.event, board.site, board.date, board.round, board.teams, session


def _ordinal(index: int) -> str:
    number = index + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
