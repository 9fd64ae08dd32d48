"""Turn what calls have shown of hands into a dealing condition: `shown` takes `KnownHand` values and returns a `DealCondition`."""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.bidding.knowledge import ANY, BUMRAP, HCP, LENGTH, POINTS, HandBox, KnownHand
from bridgespec.dealing.algebra import ALWAYS, every, some
from bridgespec.dealing.expression import DealCondition, Number, OperatorValue, TermValue
from bridgespec.model.cards import Seat
from bridgespec.model.evaluate import TERMS

_NAMES = tuple(TERMS)
# The ranges that every hand meets; other terms have `ANY`.
_WIDEST = {HCP: (0, 37), POINTS: (0, 46), BUMRAP: ANY} | dict.fromkeys(LENGTH, (0, 13))


def shown(hands: Iterable[tuple[Seat, KnownHand]]) -> DealCondition:
    """Return the condition that the hand of each seat is in one of its boxes."""
    parts = []
    for seat, known in hands:
        conditions = [_in_box(box, seat) for box in known.boxes]
        # A box that every hand meets makes the whole disjunction true.
        if all(condition is not ALWAYS for condition in conditions):
            parts.append(some(conditions))
    return every(parts)


def _in_box(box: HandBox, seat: Seat) -> DealCondition:
    """Return the condition that the hand of a seat is in a box."""
    ranges = {HCP: box.hcp, POINTS: box.points} | dict(zip(LENGTH, box.lengths, strict=True)) | box.other
    parts: list[DealCondition] = []
    for place, (low, high) in ranges.items():
        widest = _WIDEST.get(place, ANY)
        term = TermValue(_NAMES[place], (seat,))
        if low > widest[0]:
            parts.append(OperatorValue(">=", term, Number(float(low))))
        if high < widest[1]:
            parts.append(OperatorValue("<=", term, Number(float(high))))
    return every(parts)
