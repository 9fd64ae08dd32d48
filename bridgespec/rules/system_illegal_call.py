"""a bidding record describes an auction that the laws do not allow

A bid must be above the last bid; only the opponents' bid can be doubled, and only their double redoubled. A record whose sequence
breaks that can never pop up at a table. Often a pass of the opponents was left out, or the mark of their opening (`*`) is
misplaced.

Records that go on after the auction has ended have their own code, `unreachable-sequence`.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.auction import Illegal
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import WHY, illegal, meanings, named, texts

CODE = define("system-illegal-call", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each bidding record with an illegal call, at the first one; not for calls after the auction's end."""
    faults, written = illegal(facts), texts(facts)
    for index, meaning in meanings(facts):
        if index in faults and (fault := faults[index])[1] is not Illegal.AUCTION_OVER:
            place, why = fault
            message = f"{named(meaning, written[index])}: call {place + 1}, {meaning.sequence[place].call}, {WHY[why]}"
            at = (("system", index, "sequence", place), ("system", index, "sequence"), ("system", index))
            yield Finding.of(CODE, message, None, *at, help=_help(place, why))


def _help(place: int, why: Illegal) -> str | None:
    if why in (Illegal.DOUBLE_OF_OWN_SIDE, Illegal.REDOUBLE_OF_OWN_DOUBLE) and place:
        return "the opponents' calls stand in the sequence too: is a P missing before this call?"
    return None
