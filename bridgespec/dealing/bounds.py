"""Bound conditions on deals: by ranges of lengths and points of one hand, or of the sum of two hands, and by single cards.

`boxes` returns the boxes of a condition, which together contain every deal that satisfies it. `bridgespec.dealing.boxes` draws
deals from a box; since the box may be too wide, the condition is tested on each deal. The leaves of `expression` call the other
functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

from bridgespec.dealing.algebra import Box, Condition, Range

QuantityKey = tuple[str, tuple[int, ...]]
"""A bounded quantity: ``hcp`` or ``length.0`` to ``length.3``, of one seat or of the sum of two; or the seat of a ``card.SLOT``."""

# A box costs as much as testing thousands of deals (`DealStream`), so a condition of many alternatives must not become many boxes.
MOST = 16
"""The most boxes of one condition; a part that would need more is left unbounded."""
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
"""The comparison with its operands exchanged."""
DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
"""The comparison that is true where another is false."""
BOUNDED = ("hcp", "length.0", "length.1", "length.2", "length.3")
"""The terms that a box can bound, in the order of the rows of weights in `boxes.inside`."""
_CARD = "card."


class DealBox(Box[QuantityKey]):
    """A set of deals: a range for some quantities, and the seat for some cards, by the index of the card. Created by `boxes`."""

    __slots__ = ()

    def __init__(self, ranges: Mapping[QuantityKey, Range] | None = None, cards: Mapping[int, int] | None = None) -> None:
        super().__init__(ranges or {})
        for slot, seat in (cards or {}).items():
            self.update(with_card(slot, seat))

    @property
    def ranges(self) -> dict[QuantityKey, Range]:
        """The ranges of points and lengths."""
        return {key: span for key, span in self.items() if not key[0].startswith(_CARD)}

    @property
    def cards(self) -> dict[int, int]:
        """The seat of each bounded card, by the index of the card. After `join` a card with several seats is unbounded."""
        spans = {int(name.removeprefix(_CARD)): span for (name, _), span in self.items() if name.startswith(_CARD)}
        return {slot: int(low) for slot, (low, high) in spans.items() if low == high}

    def range(self, name: str, *seats: int) -> Range:
        """Return the range of a quantity of one seat, or of the sum over two; (0, 40) if it is unbounded."""
        return self.get((name, tuple(sorted(seats))), (0, 40))


def boxes(condition: Condition[Any], holds: bool = True) -> list[DealBox]:
    """Return boxes that together contain every deal that satisfies a condition, or with ``holds`` False every deal that does not.

    They may contain other deals. Empty if it is certain that there is no such deal.

    >>> from bridgespec.dealing.deal_condition import read_condition
    >>> strong = read_condition("north: hcp 20+")
    >>> boxes(strong)[0].range("hcp", 1), boxes(strong, holds=False)[0].range("hcp", 1)
    ((20.0, 40), (0, 19.0))
    """
    return [DealBox(box) for box in condition.boxes(holds, MOST)]


def with_card(slot: int, seat: int) -> Box[QuantityKey]:
    """Return the box of the deals in which a seat has the card with the index ``slot``."""
    return Box({(f"{_CARD}{slot}", ()): (seat, seat)})


def with_shape(
    seat: int, lengths: frozenset[tuple[int, int, int, int]], patterns: frozenset[str], most: int
) -> list[Box[QuantityKey]]:
    """Return boxes that contain the deals in which the lengths of a hand, spades first, are in a set; at most ``most``.

    ``patterns`` is the same set as patterns like ``54xx``, perhaps empty.
    """
    listed = sorted(lengths)
    if not listed:
        return []
    # Patterns make fewer boxes than lengths: any 54xx is 12 patterns, in each of which two suits are open, but 48 lists of lengths.
    if 0 < len(patterns) <= most:
        return [
            Box({(f"length.{suit}", (seat,)): (int(one[suit]),) * 2 for suit in range(4) if one[suit] != "x"})
            for one in sorted(patterns)
        ]
    if len(listed) <= most:
        return [with_lengths(seat, [(one[suit], one[suit]) for suit in range(4)]) for one in listed]
    return [with_lengths(seat, [(min(one[suit] for one in listed), max(one[suit] for one in listed)) for suit in range(4)])]


def with_lengths(seat: int, spans: Iterable[Range]) -> Box[QuantityKey]:
    """Return the box of the deals in which the lengths of a hand are within ``spans``, spades first."""
    return Box({(f"length.{suit}", (seat,)): span for suit, span in enumerate(spans)})


def compared(operator: str, key: QuantityKey | None, number: float) -> list[Box[Any]]:
    """Return boxes of the deals in which the comparison of a quantity with a number is true; the box of all deals if boxes cannot
    bound the quantity (None, or a name that is not in `BOUNDED`).
    """
    span = None if key is None else _range_of(operator, number)
    if key is None or span is None:
        return [Box()]
    if key[0] in ("longest", "shortest"):
        return _extreme_suit_boxes(operator, key, span)
    if key[0] not in BOUNDED:
        return [Box()]
    return [] if span[0] > span[1] else [Box({key: span})]


def _range_of(operator: str, number: float) -> Range | None:
    """Return the range of the whole numbers for which a comparison with ``number`` is true; None for ``!=``, which is no range."""
    # Scripts compare with decimals: < 12.5 and <= 12.5 both end at 12, which is why both floor and ceiling are needed.
    floor, ceiling = number // 1, -(-number // 1)
    spans = {"<": (0, ceiling - 1), "<=": (0, floor), ">": (floor + 1, 40), ">=": (ceiling, 40), "==": (number, number)}
    return spans.get(operator)


def _extreme_suit_boxes(operator: str, key: QuantityKey, span: Range) -> list[Box[Any]]:
    """Return the boxes for a comparison of the longest or shortest suit of a hand with a number: one box that bounds all four
    suits, or one box for each suit.
    """
    name, seats = key
    if len(seats) > 1:
        return [Box()]
    # An upper bound on the longest suit bounds all suits; a lower bound is met by one suit, whichever it is. For the shortest suit
    # the reverse.
    if (name == "longest" and operator in ("<", "<=")) or (name == "shortest" and operator in (">", ">=")):
        return [with_lengths(seats[0], [span] * 4)]
    return [Box({(f"length.{suit}", seats): span}) for suit in range(4)]


def shapes(pattern: str, any_order: bool) -> frozenset[tuple[int, int, int, int]]:
    """Return the lengths S H D C that match a pattern such as ``4333`` or ``54xx`` (``x``: any length) and add up to thirteen
    cards.

    With ``any_order`` the pattern may be for the suits in any order.

    >>> len(shapes("4333", True)), sorted(shapes("55xx", False))
    (4, [(5, 5, 0, 3), (5, 5, 1, 2), (5, 5, 2, 1), (5, 5, 3, 0)])
    """
    found = set()
    for letters in orders(pattern, any_order):
        found.update(_completed([None if letter == "x" else int(letter) for letter in letters]))
    return frozenset(found)


def orders(pattern: str, any_order: bool) -> frozenset[str]:
    """Return the pattern in lower case, or with ``any_order`` every permutation of its letters."""
    small = pattern.lower()
    return frozenset("".join(letters) for letters in permutations(small)) if any_order else frozenset({small})


def _completed(lengths: list[int | None]) -> list[tuple[int, int, int, int]]:
    """Return all lengths of thirteen cards in which each None is replaced by a number."""
    missing = 13 - sum(length for length in lengths if length is not None)
    if None not in lengths:
        a, b, c, d = (length or 0 for length in lengths)
        return [(a, b, c, d)] if missing == 0 else []
    index = lengths.index(None)
    return [one for length in range(missing + 1) for one in _completed([*lengths[:index], length, *lengths[index + 1 :]])]
