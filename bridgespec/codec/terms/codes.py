"""Dealer, vulnerability and declarer: terms that are a code each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridgespec.codec.record import RecordView
from bridgespec.codec.terms._base import Asked, Offer, Said, Term
from bridgespec.codec.terms._values import NOTHING, SEATS, VULNERABILITIES, bought, names, unknown
from bridgespec.codec.terms.results import outcome_of


class Coded(Term):
    """A term whose value is named by a code."""

    def __init__(self, name: str, doc: str, part: str, table: Mapping[str, Any], roles: Mapping[str, str]) -> None:
        self.NAME = name
        self.DOC = doc
        self.UNHELD = f"a {name} other than the board number's"
        self.part = part
        self.table = table
        self.names = names(table)
        self.CODES = {role: frozenset({*table, NOTHING}) for role in ("", part)}
        self.ROLES = {part: "the code", NOTHING: "that it is not known", **roles}

    def of(self, view: RecordView, said: Said) -> Any:
        """What the code stands for."""
        part = view.own(self.part)
        if part is None or part.decl.kind != "code":
            return None
        name = part.code
        unknown(part, name)
        return self.table.get(name or "")

    def write(self, asked: Asked) -> Offer:
        """The code's name, or that it is not known."""
        value = self._value(asked.board)
        return {NOTHING: ""} if value is None else {self.part: self.names[value], "": self.names[value]}

    def _value(self, board: Any) -> Any:
        return getattr(board, f"effective_{self.NAME}")

    def kind_of(self, board: Any, place: int) -> object:
        """Each code by itself."""
        value = self.stated(board)
        return () if value is None else value

    def compared(self, board: Any) -> Any:
        """The code, stated or as the board's number has it."""
        return self._value(board)


class Declarer(Coded):
    """The seat that plays the hand; the contract's record may name it."""

    NEEDED = True
    FOLLOWS = frozenset({"results"})

    def without(self, said: Said) -> Any:
        """The one that the file lists, where no auction tells it."""
        outcome = outcome_of(said, untold=True)
        return None if outcome is None else outcome.declarer

    def compared(self, board: Any) -> Any:
        """Declarer and contract, stated or as the auction gives them."""
        return bought(board)

    def losses(self, one: Any, two: Any, held: bool = True) -> list[str]:
        """A declarer that is not named, or whose contract the format wants too."""
        contract, declarer = bought(one) if held else (one.contract, one.declarer)
        if declarer is None or declarer == bought(two)[1]:
            return []
        return ["a declarer without a contract" if held and contract is None else "the declarer"]

    def _value(self, board: Any) -> Any:
        return bought(board)[1]

    def write(self, asked: Asked) -> Offer:
        """The seat, stated or as the auction gives it."""
        offer = super().write(asked)
        if asked.board.declarer is None and "" in offer:
            # Bytes that hang on the declarer (the tricks of one hand) want one that is stated.
            name = offer[""]
            offer = {**offer, "": lambda decl: name if decl.of_text else None}
        return {**offer, "irregular": True} if "declarer" in asked.board.irregular else offer


dealer = Coded("dealer", "the seat that calls first", "seat", SEATS, {})
vulnerability = Coded("vulnerability", "which sides are vulnerable", "vulnerability", VULNERABILITIES, {})
declarer = Declarer(
    "declarer", "the seat that plays the hand", "seat", SEATS, {"irregular": "that the source calls it contrary to the game"}
)
