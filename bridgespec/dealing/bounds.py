"""Bounds of a condition on lengths, points and single cards: boxes that contain every deal that satisfies it.

Deals of a box are drawn directly (`bridgespec.dealing.boxes`); only the parts of a condition that a box cannot express are tested.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations

from bridgespec.dealing.expression import DealValue, Holds, NotValue, Number, OperatorValue, ShapeValue, TermValue

Range = tuple[float, float]
Key = tuple[str, tuple[int, ...]]
"""A bounded quantity: ``hcp`` or ``length.0`` to ``length.3``, of one seat or of the sum of two."""

# A box costs as much as testing thousands of deals (`DealStream`), so a condition of many alternatives must not become many boxes.
MOST = 16
"""The maximum number of boxes of one condition; a part that would make more is not bounded, only tested."""
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
BOUNDED = ("hcp", "length.0", "length.1", "length.2", "length.3")


@dataclass(frozen=True)
class DealBox:
    """A set of deals: ranges by key, and cards with the seats that must have them. Made by `boxes`."""

    ranges: dict[Key, Range] = field(default_factory=dict)
    cards: dict[int, int] = field(default_factory=dict)

    def meet(self, other: DealBox) -> DealBox | None:
        """Return the intersection of two boxes; None where it is empty."""
        ranges = dict(self.ranges)
        for key, (low, high) in other.ranges.items():
            old = ranges.get(key, (low, high))
            low, high = max(low, old[0]), min(high, old[1])
            if low > high:
                return None
            ranges[key] = (low, high)
        cards = dict(self.cards)
        for slot, seat in other.cards.items():
            if cards.setdefault(slot, seat) != seat:
                return None
        return DealBox(ranges, cards)

    def join(self, other: DealBox) -> DealBox:
        """Return the smallest box that contains both."""
        # A quantity that one box does not bound is free in the union: only keys of both survive.
        ranges = {
            key: (min(low, other.ranges[key][0]), max(high, other.ranges[key][1]))
            for key, (low, high) in self.ranges.items()
            if key in other.ranges
        }
        return DealBox(ranges, {slot: seat for slot, seat in self.cards.items() if other.cards.get(slot) == seat})

    def range(self, name: str, *seats: int) -> Range:
        """The range of a seat, or of two together."""
        return self.ranges.get((name, tuple(sorted(seats))), (0, 40))


ANY = [DealBox()]


def boxes(value: DealValue, holds: bool = True) -> list[DealBox]:
    """Return boxes that contain every deal for which the value is not 0 (or is 0, where ``holds`` is false); no box where there is
    no such deal.

    >>> from bridgespec.model.cards import Seat
    >>> strong = OperatorValue(">=", TermValue("hcp", (Seat.NORTH,)), Number(20))
    >>> boxes(strong)[0].range("hcp", Seat.NORTH), boxes(strong, holds=False)[0].range("hcp", Seat.NORTH)
    ((20, 40), (0, 19))
    """
    if isinstance(value, NotValue):
        return boxes(value.value, not holds)
    if isinstance(value, Number):
        return ANY if bool(value.number) == holds else []
    # A card that a seat does not have, a shape that is excluded: their complements are no boxes, so ANY is returned further down.
    if isinstance(value, Holds) and holds:
        return [DealBox(cards={value.slot: int(value.seat)})]
    if isinstance(value, ShapeValue) and holds:
        return _of_shape(value)
    if isinstance(value, TermValue) and value.name in ("balanced", "semibalanced") and holds and len(value.seats) == 1:
        # Only an outer bound is needed: the stream tests the condition itself on every deal of the box.
        span = (2, 5) if value.name == "balanced" else (2, 6)
        return [DealBox({(f"length.{suit}", (int(value.seats[0]),)): span for suit in range(4)})]
    if not isinstance(value, OperatorValue):
        return ANY
    if value.operator in ("and", "or"):
        left, right = boxes(value.left, holds), boxes(value.right, holds)
        # De Morgan: a false conjunction is the union of its false parts, a false disjunction their intersection.
        if (value.operator == "and") == holds:
            return _both(left, right)
        return left + right if len(left) + len(right) <= MOST else ANY
    if value.operator in _TURNED:
        return _compared(value.operator if holds else _DENIED[value.operator], value.left, value.right)
    return ANY


def _both(left: list[DealBox], right: list[DealBox]) -> list[DealBox]:
    # Either list alone contains every deal of the conjunction, so one may be dropped without losing a deal.
    if len(left) * len(right) > MOST:
        return left if len(left) >= len(right) else right
    return [met for a in left for b in right if (met := a.meet(b)) is not None]


def _of_shape(value: ShapeValue) -> list[DealBox]:
    seat = int(value.seat)
    listed = sorted(value.lengths)
    if not listed:
        return []
    # 54xx is 12 patterns with two free suits, but 48 lists of lengths: patterns give fewer boxes for the same deals.
    if 0 < len(value.patterns) <= MOST:
        return [
            DealBox({(f"length.{s}", (seat,)): (int(one[s]),) * 2 for s in range(4) if one[s] != "x"})
            for one in sorted(value.patterns)
        ]
    if len(listed) <= MOST:
        return [DealBox({(f"length.{suit}", (seat,)): (float(one[suit]),) * 2 for suit in range(4)}) for one in listed]
    return [DealBox({(f"length.{s}", (seat,)): (min(one[s] for one in listed), max(one[s] for one in listed)) for s in range(4)})]


def _compared(operator: str, left: DealValue, right: DealValue) -> list[DealBox]:
    if isinstance(left, Number) and not isinstance(right, Number):
        # 15 <= hcp(north) is hcp(north) >= 15; only the second form is matched below.
        return _compared(_TURNED[operator], right, left)
    key = _key(left)
    if key is None or not isinstance(right, Number):
        return ANY
    number = right.number
    if key[0] in ("longest", "shortest"):
        return _of_any(operator, key, number)
    if key[0] not in BOUNDED:
        return ANY
    span = _span(operator, number)
    return ANY if span is None else [] if span[0] > span[1] else [DealBox({key: span})]


def _span(operator: str, number: float) -> Range | None:
    # Scripts compare with decimals: < 12.5 and <= 12.5 both end at 12, which is why both floor and ceiling are needed.
    whole = number // 1
    spans = {
        "<": (0, -(-number // 1) - 1), "<=": (0, whole), ">": (whole + 1, 40), ">=": (-(-number // 1), 40), "==": (number, number),
    }  # fmt: skip
    return spans.get(operator)


def _of_any(operator: str, key: Key, number: float) -> list[DealBox]:
    """Return the boxes for a bound on the longest or shortest suit: one box that bounds all suits, or one for each suit that may be
    the one.
    """
    span = _span(operator, number)
    if span is None or len(key[1]) > 1:
        return ANY
    # An upper bound on the longest suit restricts all four suits at once; a lower bound only requires one of them.
    free = (key[0] == "longest" and operator in ("<", "<=")) or (key[0] == "shortest" and operator in (">", ">="))
    if free:
        return [DealBox({(f"length.{suit}", key[1]): span for suit in range(4)})]
    return [DealBox({(f"length.{suit}", key[1]): span}) for suit in range(4)]


def _key(value: DealValue) -> Key | None:
    if isinstance(value, TermValue) and len(value.seats) <= 2:
        return value.name, tuple(sorted(map(int, value.seats)))
    if isinstance(value, OperatorValue) and value.operator == "+":
        left, right = _key(value.left), _key(value.right)
        # Only sums of one term over two hands have a counterpart in `Boxed`, which
        # counts for two hands; hcp(n) + hcp(n) is no such sum.
        if left and right and left[0] == right[0] and len(left[1]) == len(right[1]) == 1 and left[1] != right[1]:
            return left[0], tuple(sorted(left[1] + right[1]))
    return None


def shapes(pattern: str, any_order: bool) -> frozenset[tuple[int, int, int, int]]:
    """Return the lengths of thirteen cards that ``4333`` or ``54xx`` names, in any order or in this one.

    >>> len(shapes("4333", True)), sorted(shapes("55xx", False))
    (4, [(5, 5, 0, 3), (5, 5, 1, 2), (5, 5, 2, 1), (5, 5, 3, 0)])
    """
    found = set()
    for letters in orders(pattern, any_order):
        found.update(_filled([None if letter == "x" else int(letter) for letter in letters]))
    return frozenset(found)


def orders(pattern: str, any_order: bool) -> frozenset[str]:
    """Return the pattern, or with ``any_order`` every permutation of its letters."""
    small = pattern.lower()
    return frozenset("".join(letters) for letters in permutations(small)) if any_order else frozenset({small})


def _filled(lengths: list[int | None]) -> list[tuple[int, int, int, int]]:
    left = 13 - sum(length for length in lengths if length is not None)
    if None not in lengths:
        a, b, c, d = (length or 0 for length in lengths)
        return [(a, b, c, d)] if left == 0 else []
    place = lengths.index(None)
    return [one for held in range(left + 1) for one in _filled([*lengths[:place], held, *lengths[place + 1 :]])]
