"""What is known of hands, as a condition for dealing."""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.bidding.knowledge import ANY, BUMRAP, HCP, LENGTH, POINTS, HandBox, KnownHand
from bridgespec.dealing.expression import ALWAYS, DealValue, Number, OperatorValue, TermValue, every, some
from bridgespec.model.cards import Seat
from bridgespec.model.evaluate import TERMS

_NAMES = tuple(TERMS)
_WIDEST = {HCP: (0, 37), POINTS: (0, 46), BUMRAP: ANY} | dict.fromkeys(LENGTH, (0, 13))


def shown(hands: Iterable[tuple[Seat, KnownHand]]) -> DealValue:
    """Return the condition that each hand of a deal is within the ranges that its calls have shown."""
    parts = []
    for seat, known in hands:
        ways = [_inside(box, seat) for box in known.boxes]
        if all(way is not ALWAYS for way in ways):
            parts.append(some(ways))
    return every(parts)


def _inside(box: HandBox, seat: Seat) -> DealValue:
    ranges = {HCP: box.hcp, POINTS: box.points} | dict(zip(LENGTH, box.lengths, strict=True)) | box.other
    parts: list[DealValue] = []
    for place, (low, high) in ranges.items():
        widest = _WIDEST.get(place, ANY)
        term = TermValue(_NAMES[place], (seat,))
        if low > widest[0]:
            parts.append(OperatorValue(">=", term, Number(float(low))))
        if high < widest[1]:
            parts.append(OperatorValue("<=", term, Number(float(high))))
    return every(parts)
