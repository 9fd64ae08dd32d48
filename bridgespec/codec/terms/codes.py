"""Dealer, vulnerability and declarer: terms that are a code each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bridgespec.codec.terms._base import Asked, Offer, Said, Term
from bridgespec.codec.terms._values import NOTHING, SEATS, VULNERABILITIES, bought, names, unknown
from bridgespec.codec.view import Group, View


class Coded(Term):
    """A term whose value is named by a code."""

    def __init__(self, name: str, doc: str, part: str, table: Mapping[str, Any], roles: Mapping[str, str]) -> None:
        self.NAME = name  # type: ignore[misc]
        self.DOC = doc  # type: ignore[misc]
        self.part = part
        self.table = table
        self.names = names(table)
        self.ROLES = {part: "the code", NOTHING: "that it is not known", **roles}  # type: ignore[misc]

    def read(self, group: Group, said: Said) -> Any:
        """The first that is said."""
        return next((value for view in group.wholes if (value := self._of(view)) is not None), None)

    def _of(self, view: View) -> Any:
        part = view if view.decl.kind != "record" else view.role(self.part)
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

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """One that became another."""
        if before is not None and before != after:
            yield f"the {self.NAME}"


class Declarer(Coded):
    """The seat that plays the hand; the contract's record may name it."""

    NEEDED = True

    def _value(self, board: Any) -> Any:
        return bought(board)[1]

    def write(self, asked: Asked) -> Offer:
        """The seat, stated or as the auction gives it."""
        offer = super().write(asked)
        return {**offer, "irregular": True} if "declarer" in asked.board.irregular else offer


dealer = Coded("dealer", "the seat that calls first", "seat", SEATS, {})
vulnerability = Coded("vulnerability", "which sides are vulnerable", "vulnerability", VULNERABILITIES, {})
declarer = Declarer(
    "declarer", "the seat that plays the hand", "seat", SEATS, {"irregular": "that the source calls it contrary to the game"}
)
