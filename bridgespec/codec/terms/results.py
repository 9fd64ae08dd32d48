"""The list of a match's results, stated once for the whole file: contract, declarer and tricks of each board in each room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms._term import EncodeRequest, Offer, Term, TermContent
from bridgespec.codec.terms._values import (
    DOUBLINGS,
    SEATS,
    STRAINS,
    TRICKS_OVER,
    bought,
    contract_of,
    contract_offer,
    number_of,
    over_offer,
    tricks_of,
    tricks_over,
)
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract
from bridgespec.model.number_texts import whole_number

_BOARDS = "board_numbers"


@dataclass(frozen=True, slots=True)
class ListedResult:
    """The contract, declarer and tricks of a board in one room, as the file lists them."""

    contract: Contract
    declarer: Seat | None = None
    tricks: int | None = None


class ResultsTerm(Term):
    """A list of results by board, for each room in turn where the axes have rooms."""

    NAME = "results"
    ON = "file"
    DOC = "the results of all boards, listed once for the whole file"
    ROLES: Mapping[str, str] = {
        "outcome": "the result of a board, its room given by the axes; empty where it is not known",
        _BOARDS: "the numbers of the boards, in the order of the outcomes; where there are none they count on from the first",
        "number": "one of these numbers",
        "level": "the level of the contract",
        "strain": "its strain",
        "doubling": "whether it was doubled or redoubled",
        "seat": "the declarer",
        "passed_out": "that all four passed",
        **TRICKS_OVER,
    }
    AXES = frozenset({"outcome"})
    CODES: Mapping[str, frozenset[str]] = {
        "strain": frozenset(STRAINS),
        "doubling": frozenset(DOUBLINGS),
        "seat": frozenset(SEATS),
    }
    CODED = frozenset(CODES)
    WITHIN: Mapping[str, frozenset[str]] = {
        **dict.fromkeys(tuple(ROLES)[3:], frozenset({"outcome"})),
        "number": frozenset({_BOARDS}),
    }

    def read(self, group: TermGroup, content: TermContent) -> dict[tuple[int, bool], ListedResult]:
        """Return the results by (board number, whether the room is the closed one)."""
        numbers = self._numbers(group)
        found: dict[tuple[int, bool], ListedResult] = {}
        for view in group.wholes:
            listed = [part for role, part in view.parts() if role == "outcome"]
            rooms = _rooms(listed[0].decl) if listed else ""
            for place, part in enumerate(listed):
                board, room = divmod(place, len(rooms))
                number = numbers[board] if board < len(numbers) else None if numbers else self._first(content) + board
                outcome = _outcome(part)
                if outcome is not None and number is not None:
                    found[number, rooms[room] == "C"] = outcome
        return found

    @staticmethod
    def _numbers(group: TermGroup) -> list[int | None]:
        """Return the listed numbers, None for one that cannot be read: the outcomes behind it keep their boards."""
        views = [view for role, view in group.members if role == _BOARDS]
        return [number_of(part) for view in views[:1] for role, part in view.parts() if role == "number"]

    @staticmethod
    def _first(content: TermContent) -> int:
        """Return the number of the first board in the list: that in the record of the teams, else the number of the file's first
        board.
        """
        teams = content.group("teams")
        part = None if teams is None else teams.role("first")
        number = None if part is None else whole_number(part.text)
        return content.counted() if number is None else number

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the results of all boards, if the auction of some board does not determine its contract. None
        otherwise, and where two boards have the same number and room.
        """
        boards = request.document.boards
        by_key = dict(_keyed_result(board, at) for at, board in enumerate(boards))
        # A list has one entry for each number and room; two boards with the same number and room need two.
        if len(by_key) < len(boards) or not any(_is_needed(board) for board in boards):
            return None
        numbers = list(dict.fromkeys(number for number, _ in by_key))
        counted = numbers == list(range(numbers[0], numbers[0] + len(numbers)))

        def listed(decl: Declaration) -> list[Any]:
            return [_offer(by_key.get((number, room == "C"))) for number in numbers for room in _rooms(decl)]

        return {"outcome": listed, _BOARDS: None if counted else {"number": numbers}}


def outcome_of(content: TermContent, without_auction: bool = False) -> ListedResult | None:
    """Return the listed result of a board, or None. With ``without_auction`` also None if an auction determines the contract."""
    if content.of_file(ResultsTerm.NAME) is None:
        return None
    listed: Mapping[tuple[int, bool], ListedResult] = content.value_of_file(ResultsTerm.NAME) or {}
    number = content["number"]
    outcome = None if number is None else listed.get((number, is_closed(content["room"])))
    auction = content["auction"] if without_auction and outcome is not None else None
    return outcome if auction is None or auction.contract is None else None


def is_closed(room: str | None) -> bool:
    """Whether a room, as a board names it, is the closed room."""
    return room is not None and room.lower() == "closed"


def _rooms(decl: Declaration) -> str:
    """Return the rooms in the order of a declaration's axis, O for open and C for closed; without an axis the open room."""
    return next((axis.labels for axis in decl.binding.axes if axis.name == "room"), "O")


def _outcome(view: RecordView) -> ListedResult | None:
    """Return the result that an entry of the list states; None for an empty one."""
    parts: dict[str, RecordView] = dict(view.parts())
    contract = contract_of(parts)
    if contract is None or contract.is_passed_out:
        return None if contract is None else ListedResult(contract)
    declarer = SEATS.get(parts["seat"].code or "") if "seat" in parts else None
    return ListedResult(contract, declarer, tricks_of(contract, tricks_over(parts), parts))


def _keyed_result(board: Board, at: int) -> tuple[tuple[int, bool], ListedResult | None]:
    """Return the key of a board in the list (number, closed), and its result."""
    number = at + 1 if board.number is None else board.number
    contract, declarer = bought(board)
    known = contract is not None and (contract.is_passed_out or declarer is not None)
    result = board.result if board.result is not None or board.play is None else board.play.claim
    return (number, is_closed(board.room)), ListedResult(contract, declarer, result) if known and contract else None


def _is_needed(board: Board) -> bool:
    """Whether a board has a contract that its auction does not determine."""
    return board.contract is not None and (board.auction is None or board.auction.contract != board.contract)


def _offer(outcome: ListedResult | None) -> Offer:
    """Return the parts of a board's result by role, for writing; none without a result."""
    if outcome is None:
        return {}
    if outcome.contract.is_passed_out:
        return {"passed_out": True}
    return {
        **contract_offer(outcome.contract),
        "seat": None if outcome.declarer is None else outcome.declarer.name.lower(),
        **over_offer(outcome.contract, outcome.tricks),
    }


results = ResultsTerm()
