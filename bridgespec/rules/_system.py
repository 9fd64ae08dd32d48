"""Helpers of the rules about bidding systems."""

from __future__ import annotations

from collections.abc import Iterator

from bridgespec.model.auction import Illegal
from bridgespec.model.carding import Carding
from bridgespec.model.convention_card import Header, Include, Meaning, StockCard, System
from bridgespec.rules._facts import Facts

WHY = {
    Illegal.INSUFFICIENT: "is not above the bid before it",
    Illegal.DOUBLE_OF_NOTHING: "comes before any bid",
    Illegal.DOUBLE_OF_OWN_SIDE: "doubles the own side's bid",
    Illegal.DOUBLE_TWICE: "comes when the bid is doubled already",
    Illegal.REDOUBLE_OF_UNDOUBLED: "comes when nothing is doubled",
    Illegal.REDOUBLE_OF_OWN_DOUBLE: "redoubles the own side's double",
    Illegal.REDOUBLE_TWICE: "comes when the bid is redoubled already",
    Illegal.AUCTION_OVER: "comes after the auction has ended",
}
"""Why a call is illegal, as the end of a sentence that begins with the call."""


def meanings(facts: Facts) -> Iterator[tuple[int, Meaning]]:
    """The bidding records of the document's system, each with its index among all records."""
    return iter(facts.system.meanings if facts.system else ())


def others(facts: Facts) -> Iterator[tuple[int, Header | StockCard | Include | Carding]]:
    """The other records of the document's system, each with its index among all records."""
    return iter(facts.system.others if facts.system else ())


def texts(facts: Facts) -> dict[int, str]:
    """The sequences of the bidding records as they are written, by index."""
    return facts.system.texts if facts.system else {}


def illegal(facts: Facts) -> dict[int, tuple[int, Illegal]]:
    """The bidding records with an illegal call, by index: which call of the sequence, and why."""
    return facts.system.illegal if facts.system else {}


def systems(facts: Facts) -> Iterator[System]:
    """The document's system, if it has one."""
    return iter((facts.system,) if facts.system else ())


def named(meaning: Meaning, text: str) -> str:
    """Return the name of a record in messages: its sequence as written, with the mark of the opponents' opening."""
    return f"*{text}" if meaning.opponents_opened else text
