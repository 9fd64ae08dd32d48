"""Bounds of conditions on deals: on lengths and points of one hand or of the sum of two, and on single cards.

Deals of a box are drawn directly (`bridgespec.dealing.boxes`); only the parts of a condition that a box cannot express are tested.
`boxes` returns the boxes of a condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

from bridgespec.dealing.algebra import Box, Condition, Range

Key = tuple[str, tuple[int, ...]]
"""A bounded quantity: ``hcp`` or ``length.0`` to ``length.3``, of one seat or of the sum of two; or the seat of a ``card.SLOT``."""

# A box costs as much as testing thousands of deals (`DealStream`), so a condition of many alternatives must not become many boxes.
MOST = 16
"""The maximum number of boxes of one condition; a part that would make more is not bounded, only tested."""
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
"""The comparison with its operands exchanged."""
DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
"""The comparison that is true where another is false."""
BOUNDED = ("hcp", "length.0", "length.1", "length.2", "length.3")
_CARD = "card."


class DealBox(Box[Key]):
    """A set of deals: ranges by key, and cards (by slot) with the seats that must have them. Made by `boxes`."""

    __slots__ = ()

    def __init__(self, ranges: Mapping[Key, Range] | None = None, cards: Mapping[int, int] | None = None) -> None:
        super().__init__(ranges or {})
        for slot, seat in (cards or {}).items():
            self.update(with_card(slot, seat))

    @property
    def ranges(self) -> dict[Key, Range]:
        """The ranges of points and lengths."""
        return {key: span for key, span in self.items() if not key[0].startswith(_CARD)}

    @property
    def cards(self) -> dict[int, int]:
        """The seats of cards, by slot. A card that may be with several seats, after `join`, is not bounded."""
        spans = {int(name.removeprefix(_CARD)): span for (name, _), span in self.items() if name.startswith(_CARD)}
        return {slot: int(low) for slot, (low, high) in spans.items() if low == high}

    def range(self, name: str, *seats: int) -> Range:
        """Return the range of a seat, or of the sum of two."""
        return self.get((name, tuple(sorted(seats))), (0, 40))


def boxes(condition: Condition[Any], holds: bool = True) -> list[DealBox]:
    """Return boxes that contain every deal that satisfies the condition (or does not, where ``holds`` is false); empty if there is
    no such deal.

    >>> from bridgespec.dealing.deal_condition import read_condition
    >>> strong = read_condition("north: hcp 20+")
    >>> boxes(strong)[0].range("hcp", 1), boxes(strong, holds=False)[0].range("hcp", 1)
    ((20.0, 40), (0, 19.0))
    """
    return [DealBox(box) for box in condition.boxes(holds, MOST)]


def with_card(slot: int, seat: int) -> Box[Key]:
    """Return the box of the deals in which a seat has a card."""
    return Box({(f"{_CARD}{slot}", ()): (seat, seat)})


def with_shape(seat: int, lengths: frozenset[tuple[int, int, int, int]], patterns: frozenset[str], most: int) -> list[Box[Key]]:
    """Return boxes of the deals in which the lengths of a hand, spades first, are among the given ones."""
    listed = sorted(lengths)
    if not listed:
        return []
    # 54xx is 12 patterns with two free suits, but 48 lists of lengths: patterns give fewer boxes for the same deals.
    if 0 < len(patterns) <= most:
        return [
            Box({(f"length.{suit}", (seat,)): (int(one[suit]),) * 2 for suit in range(4) if one[suit] != "x"})
            for one in sorted(patterns)
        ]
    if len(listed) <= most:
        return [with_lengths(seat, [(one[suit], one[suit]) for suit in range(4)]) for one in listed]
    return [with_lengths(seat, [(min(one[suit] for one in listed), max(one[suit] for one in listed)) for suit in range(4)])]


def with_lengths(seat: int, spans: Iterable[Range]) -> Box[Key]:
    """Return the box of the deals in which the lengths of a hand are within ranges, spades first."""
    return Box({(f"length.{suit}", (seat,)): span for suit, span in enumerate(spans)})


def compared(operator: str, key: Key | None, number: float) -> list[Box[Any]]:
    """Return boxes of the deals in which a quantity compares with a number as the operator demands; a quantity that boxes do not
    bound (None, or another name) gives a box of all deals.
    """
    span = None if key is None else _span(operator, number)
    if key is None or span is None:
        return [Box()]
    if key[0] in ("longest", "shortest"):
        return _of_any(operator, key, span)
    if key[0] not in BOUNDED:
        return [Box()]
    return [] if span[0] > span[1] else [Box({key: span})]


def _span(operator: str, number: float) -> Range | None:
    # Scripts compare with decimals: < 12.5 and <= 12.5 both end at 12, which is why both floor and ceiling are needed.
    whole = number // 1
    spans = {
        "<": (0, -(-number // 1) - 1), "<=": (0, whole), ">": (whole + 1, 40), ">=": (-(-number // 1), 40), "==": (number, number),
    }  # fmt: skip
    return spans.get(operator)


def _of_any(operator: str, key: Key, span: Range) -> list[Box[Any]]:
    """Return the boxes for a bound on the longest or shortest suit: one box that bounds all suits, or one for each suit that may be
    the one.
    """
    name, seats = key
    if len(seats) > 1:
        return [Box()]
    # An upper bound on the longest suit restricts all four suits at once; a lower bound only requires one of them.
    if (name == "longest" and operator in ("<", "<=")) or (name == "shortest" and operator in (">", ">=")):
        return [with_lengths(seats[0], [span] * 4)]
    return [Box({(f"length.{suit}", seats): span}) for suit in range(4)]


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
