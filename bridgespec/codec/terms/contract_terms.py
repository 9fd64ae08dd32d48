"""The contract, the result in tricks and the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms._term import EncodeRequest, Offer, SharedOffer, Term, TermContent
from bridgespec.codec.terms._values import (
    DOUBLINGS,
    NOTHING,
    SIDES,
    STRAINS,
    TRICKS_OVER,
    UNKNOWN_CODE,
    bought,
    bought_by,
    contract_of,
    contract_offer,
    number_of,
    over_offer,
    possible_tricks,
    tricks_of,
    tricks_over,
)
from bridgespec.codec.terms.play_terms import claim_of, counted
from bridgespec.codec.terms.results import outcome_of
from bridgespec.model.cards import Seat, Side
from bridgespec.model.contract import Contract


class ContractTerm(Term):
    """The final contract, as one text or in parts. The part ``declarer`` is also a term of its own."""

    NAME = "contract"
    DOC = "the final contract"
    ROLES: Mapping[str, str] = {
        "contract": "the contract as a text: 4SX, 1NT, Pass",
        "level": "its level",
        "strain": "its strain",
        "doubling": "whether it was doubled or redoubled",
        "passed_out": "that all four passed; also the name of a code of a contract",
        NOTHING: "that it is not known",
    }

    CODES: Mapping[str, frozenset[str]] = {"strain": frozenset(STRAINS), "doubling": frozenset(DOUBLINGS)}
    CODED = frozenset(CODES)
    MARKS = frozenset({"passed_out"})
    FOLLOWS = frozenset({"results"})

    def of(self, view: RecordView, content: TermContent) -> Contract | None:
        """Return the contract that one view states, as a text or in parts; None where it states none."""
        if view.code == "passed_out":
            return Contract.passed_out()
        found = contract_of(dict(view.parts())) if view.decl.kind == "record" else None
        part = view.own("contract")
        if found is not None or part is None:
            return found
        try:
            found = Contract.parse(part.text)
        except ValueError:
            found = None
        # A text with a declarer is no contract: the declarer is a term by itself.
        if found is not None and found.declarer is None:
            return found
        if part.text.strip() and not part.broken:
            part.report(UNKNOWN_CODE, f"{part.text!r} is not a contract")
        return None

    def of_members(self, members: Sequence[tuple[str, RecordView]], content: TermContent) -> Contract | None:
        """Return the contract of parts that are each bound by a word of their own."""
        return contract_of(dict(members))

    def without(self, content: TermContent) -> Contract | None:
        """Return the contract that the file's list of results has for the board, where no auction determines it."""
        outcome = outcome_of(content, without_auction=True)
        return None if outcome is None else outcome.contract

    def compared(self, board: Any) -> Any:
        """Return the contract: the stated one, else that of the auction."""
        return bought(board)[0]

    def stated(self, board: Any) -> Any:
        """Return the stated contract; None without one."""
        return board.contract

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the contract: the stated one, else that of the auction."""
        return _contract_offer(bought(request.board)[0])


class ResultTerm(Term):
    """The tricks that the declarer won."""

    NAME = "result"
    DOC = "the tricks that the declarer won"
    ROLES: Mapping[str, str] = {
        "tricks_won": "the tricks, of the side that is named, or the declarer's",
        "side": "the side that won them",
        **TRICKS_OVER,
        "irregular": "that the source calls it contrary to the game",
        NOTHING: "that it is not known",
    }

    CODES: Mapping[str, frozenset[str]] = {"side": frozenset(SIDES)}
    CODED = frozenset(CODES)
    FOLLOWS = frozenset({"play", "results"})

    def read(self, group: TermGroup, content: TermContent) -> int | None:
        """Return the tricks that the play claims, else the first result stated."""
        claim = claim_of(content)
        return super().read(group, content) if claim is None else claim

    def without(self, content: TermContent) -> int | None:
        """Return the tricks claimed; in a format that has claims, those of a play to the last card; else those in the file's list
        of results.
        """
        found = claim_of(content)
        # A format that has claims states the result of an unfinished play by them: a complete play needs none.
        if found is None and content.has_word("play", "claim"):
            found = counted(content["play"], *bought_by(content["contract"], content["declarer"], content["auction"]))
        outcome = outcome_of(content) if found is None else None
        return found if outcome is None else outcome.tricks

    def of(self, view: RecordView, content: TermContent) -> int | None:
        """Return the declarer's tricks that a view states, computed where it states those of the other side; None without any."""
        parts = dict(view.parts()) if view.decl.kind == "record" else {}
        over = tricks_over(parts)
        if over is not None:
            contract, _ = bought_by(content["contract"], None, content["auction"])
            return tricks_of(contract, over, parts)
        number, side = _by_side(view, "tricks_won")
        number = possible_tricks(view, number)
        if number is None:
            return None
        declarer: Seat | None = content["declarer"] if side is not None else None
        # The model has the declarer's tricks.
        return number if declarer is None or side is declarer.side else 13 - number

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the declarer's tricks, won or claimed."""
        board = request.board
        won = self.compared(board)
        if won is None:
            return _NOT_KNOWN
        return _result_offer(won, bought(board)[0], self.NAME in board.irregular)

    def compared(self, board: Any) -> int | None:
        """Return the tricks won, or claimed."""
        result: int | None = board.result
        return board.play.claim if result is None and board.play is not None else result


@cache
def _contract_offer(contract: Contract | None) -> SharedOffer:
    if contract is None:
        return _NOT_KNOWN
    text = "Pass" if contract.is_passed_out else str(contract)
    whole = (text, "passed_out") if contract.is_passed_out else text
    return SharedOffer({"contract": text, "": whole, **contract_offer(contract)})


_NOT_KNOWN = SharedOffer({NOTHING: ""})


@cache
def _result_offer(tricks: int, contract: Contract | None, irregular: bool) -> SharedOffer:
    offer = {"tricks_won": tricks, "": tricks, **({} if contract is None else over_offer(contract, tricks))}
    return SharedOffer({**offer, "irregular": True} if irregular else offer)


class ScoreTerm(Term):
    """The score in points, from the side of North and South."""

    NAME = "score"
    DOC = "the points of North and South, negative where East and West won them"
    ROLES: Mapping[str, str] = {
        "points": "the points, of the side that is named, or the declarer's",
        "side": "the side that won them",
        NOTHING: "that they are not known",
    }

    CODES: Mapping[str, frozenset[str]] = {"side": frozenset(SIDES)}
    CODED = frozenset(CODES)

    def of(self, view: RecordView, content: TermContent) -> int | None:
        """Return the score for North and South, converted from that of the side that the view names, or of the declarer."""
        number, side = _by_side(view, "points")
        if number is None:
            return None
        declarer: Seat | None = content["declarer"] if side is None else None
        side = declarer.side if declarer is not None else side
        # In a text, points without a side are the declarer's, who is not known here.
        if side is None and view.decl.of_text:
            return None
        return number if side is not Side.EW else -number

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the score for North and South."""
        score = request.board.score
        return None if score is None else {"side": ["ns"], "points": [str(score)], "": str(score) if score < 0 else score}


def _by_side(view: RecordView, role: str) -> tuple[int | None, Side | None]:
    """Return the first number in a view and the side that it belongs to, None where no side is named."""
    part, side = view.own(role), None if view.decl.kind != "record" else view.role("side")
    number = None if part is None else _signed(part)
    return number, None if side is None else SIDES.get(side.code or "")


def _signed(view: RecordView) -> int | None:
    """Return the number of a part, with its sign; None for a sign alone. Any other text is reported."""
    sign, digits, numeral = view.text[:1], view.text[1:], view.decl.numeral
    if not view.decl.of_text or sign not in ("+", "-"):
        return number_of(view)
    # The numeral itself may read a sign: a second one makes no number.
    number = numeral.read(digits) if numeral is not None and digits[:1] not in ("+", "-") else None
    if number is not None:
        return -number if sign == "-" else number
    return number_of(view) if digits else None


contract = ContractTerm()
result = ResultTerm()
score = ScoreTerm()
