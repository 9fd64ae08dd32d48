"""Helpers of the rules about bidding systems: access to the records of a document's system, which may have none."""

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
"""The predicate of a message about an illegal call: the call is the subject."""


def meanings(facts: Facts) -> Iterator[tuple[int, Meaning]]:
    """Return the bidding records of the document's system, each with its index among all records."""
    return iter(facts.system.meanings if facts.system else ())


def others(facts: Facts) -> Iterator[tuple[int, Header | StockCard | Include | Carding]]:
    """Return the records of the document's system that are no bidding records, each with its index among all records."""
    return iter(facts.system.others if facts.system else ())


def texts(facts: Facts) -> dict[int, str]:
    """Return the sequences of the bidding records as they are written, by the index among all records."""
    return facts.system.texts if facts.system else {}


def illegal(facts: Facts) -> dict[int, tuple[int, Illegal]]:
    """Return, for each bidding record with an illegal call, the index of the first such call in its sequence, and the reason."""
    return facts.system.illegal if facts.system else {}


def systems(facts: Facts) -> Iterator[System]:
    """Return an iterator of the document's system, empty where it has none."""
    return iter((facts.system,) if facts.system else ())


def named(meaning: Meaning, text: str) -> str:
    """Return the name of a bidding record in messages: its sequence ``text``, after ``*`` where the opponents opened."""
    return f"*{text}" if meaning.opponents_opened else text
