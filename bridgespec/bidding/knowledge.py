"""What an auction shows of a hand: the hand is in at least one of several boxes, and a box has a range for each term.

`KnownHand` is the boxes of one hand; a `Turn` has four. `HandBox.meet` narrows a box by ranges, and tightens the result: lengths
add up to thirteen cards, and points follow from high-card points and lengths.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

from bridgespec.model.evaluate import TERMS

Range = tuple[float, float]
TermRanges = Mapping[int, Range]
"""Ranges by the index of their term in `TERMS`; a term without a range is unlimited."""

HCP, POINTS = TERMS["hcp"], TERMS["points"]
BALANCED, SEMIBALANCED = TERMS["balanced"], TERMS["semibalanced"]
RULE20, BUMRAP = TERMS["rule20"], TERMS["bumrap"]
LONGEST = TERMS["longest"]
LENGTH = tuple(TERMS[f"length.{suit}"] for suit in range(4))
SUPPORT = tuple(TERMS[f"support.{suit}"] for suit in range(4))
# Boxes multiply with every call (each alternative with each box), so their number is bounded.
ALTERNATIVES = 6
"""The most boxes of one hand; `few` joins the rest."""
ANY: Range = (0, 40)
"""The range of a term without a limit."""
# The full ranges of terms for which 40 would be far too high.
MOST: dict[int, Range] = {TERMS["aces"]: (0, 4), TERMS["kings"]: (0, 4)}
MOST |= {TERMS[f"keycards.{suit}"]: (0, 5) for suit in range(4)}

TRUMP_WORTH = (-1.5, -1.5, -1.5, -0.6, 1.5, 2.4, 3.4, 4.5, 6.0)
"""The mean of support points minus points over hands with ten high-card points or more, by the number of trumps, from 60,000 deals.
For zero to two trumps one common mean.
"""
BALANCED_WORTH = (-1.5, -1.5, -1.5, -0.6, 0.9, 1.1)
"""The means of `TRUMP_WORTH` over balanced hands alone, which have at most five trumps."""


SUPPORT_ABOVE_HCP = (3, 3, 3, 3, 6, 8, 9, 10, 12)
SUPPORT_ABOVE_POINTS = (1, 1, 1, 1, 4, 5, 6, 7, 8)
HCP_ABOVE_SUPPORT = (4, 3, 2, 2, 1, 0, -1, -3, -5)
POINTS_ABOVE_SUPPORT = (5, 4, 3, 2, 1, 1, 0, 0, 0)
"""Bounds of the differences between support points, high-card points and points, by the number of trumps: `SUPPORT_ABOVE_HCP` is
the most by which support points exceed high-card points, and so on. They hold for 99.5% of 240,000 random hands.
"""


class HandBox:
    """One alternative for a hand: a range for high-card points, for points, for each of the four lengths, and for any other terms.

    Immutable; created by `meet`, `join` and `less` from another box, and shared by turns.
    """

    __slots__ = ("hcp", "lengths", "other", "points")

    def __init__(self, hcp: Range = (0, 37), points: Range = (0, 46), lengths: tuple[Range, ...] = ((0, 13),) * 4,
                 other: dict[int, Range] | None = None) -> None:  # fmt: skip
        self.hcp = hcp
        self.points = points
        self.lengths = lengths
        self.other = other or {}

    def range(self, term: int) -> Range:
        """Return the range of a term, which is an index in `TERMS`."""
        if term == HCP:
            return self.hcp
        if term == POINTS:
            return self.points
        place = term - LENGTH[0]
        if 0 <= place < 4:
            return self.lengths[place]
        return self.other.get(term, MOST.get(term, ANY))

    def meet(self, ranges: TermRanges) -> HandBox | None:
        """Return the box narrowed by ``ranges``; None if the ranges exclude each other."""
        hcp, points = self.hcp, self.points
        lengths = list(self.lengths)
        other = self.other
        for term, (low, high) in ranges.items():
            if term == HCP:
                hcp = (max(hcp[0], low), min(hcp[1], high))
            elif term == POINTS:
                points = (max(points[0], low), min(points[1], high))
            elif 0 <= (place := term - LENGTH[0]) < 4:
                old = lengths[place]
                lengths[place] = (max(old[0], low), min(old[1], high))
            else:
                if other is self.other:
                    # Copied at the first change: boxes are shared by all turns that continue an auction.
                    other = dict(other)
                old = other.get(term, MOST.get(term, ANY))
                other[term] = now = (max(old[0], low), min(old[1], high))
                # Points and lengths are checked by `_tightened`.
                if now[0] > now[1]:
                    return None
                if term == BALANCED and low >= 1:
                    lengths = [(max(a, 2), min(b, 5)) for a, b in lengths]
                elif term == SEMIBALANCED and low >= 1:
                    lengths = [(max(a, 2), min(b, 6)) for a, b in lengths]
                # An estimate: bumrap is within one point of high-card points in nine of ten random hands.
                elif term == BUMRAP:
                    hcp = (max(hcp[0], math.floor(low) - 1), min(hcp[1], math.ceil(high) + 1))
                elif term == LONGEST:
                    lengths = [(a, min(b, high)) for a, b in lengths]
                # High-card points plus the two longest suits: these have 7 to 13 cards together.
                elif term == RULE20:
                    hcp = (max(hcp[0], low - 13), min(hcp[1], high - 7))
        # Support points are converted to points last, because the conversion depends on the length of trumps after all other
        # ranges.
        for suit, term in enumerate(SUPPORT):
            if term in ranges:
                low, high = ranges[term]
                hcp, points = _from_support(math.floor(low), math.ceil(high), lengths[suit], hcp, points)
        return _tightened(hcp, points, lengths, other)

    def join(self, box: HandBox) -> HandBox:
        """Return the smallest box that contains this one and ``box``."""
        other = {}
        for term, (low, high) in self.other.items():
            if term in box.other:
                there = box.other[term]
                other[term] = (min(low, there[0]), max(high, there[1]))
        lengths = tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(self.lengths, box.lengths, strict=True))
        return HandBox(_hull(self.hcp, box.hcp), _hull(self.points, box.points), lengths, other)

    def less(self, ranges: TermRanges) -> HandBox | None:
        """Return the box without the hands that are in all of ``ranges``; None if no hand remains.

        Where the difference is not a box, the whole box is returned.
        """
        partial: tuple[int, Range, Range] | None = None
        for term, (low, high) in ranges.items():
            mine = self.range(term)
            if mine[0] >= low and mine[1] <= high:
                continue
            # A box minus a box is a box only if they differ in one term, and the cut must not split that term's range in two.
            if partial is not None or mine[0] > high or mine[1] < low:
                return self
            partial = (term, mine, (low, high))
        if partial is None:
            return None
        term, mine, (low, high) = partial
        if low <= mine[0]:
            return self.meet({term: (int(high) + 1, mine[1])}) or self
        if high >= mine[1]:
            return self.meet({term: (mine[0], -(-low // 1) - 1)}) or self
        return self


def _from_support(low: int, high: int, trumps: Range, hcp: Range, points: Range) -> tuple[Range, Range]:
    """Return the ranges of high-card points and of points, narrowed by a range of support points."""
    # Of the number of trumps only the shown minimum and one more are considered: an open upper end would allow each hand the
    # support points of an eight-card suit.
    least, most = int(trumps[0]), int(min(trumps[1], trumps[0] + 1))
    hcp = (max(hcp[0], low - SUPPORT_ABOVE_HCP[min(most, 8)]), min(hcp[1], high + HCP_ABOVE_SUPPORT[min(least, 8)]))
    points = (max(points[0], low - SUPPORT_ABOVE_POINTS[min(most, 8)]), min(points[1], high + POINTS_ABOVE_SUPPORT[min(least, 8)]))
    return hcp, points


def _hull(a: Range, b: Range) -> Range:
    """Return the smallest range that contains both."""
    return (min(a[0], b[0]), max(a[1], b[1]))


def _tightened(hcp: Range, points: Range, lengths: list[Range], other: dict[int, Range]) -> HandBox | None:
    """Return the box of these ranges, with points and lengths narrowed by each other; None if no hand is in it."""
    low_sum = sum(a for a, _ in lengths)
    high_sum = sum(b for _, b in lengths)
    for suit, (low, high) in enumerate(lengths):
        # A suit has at most thirteen cards minus the minima of the other suits, and at least thirteen minus their maxima.
        most = 13 - (low_sum - low)
        least = 13 - (high_sum - high)
        if high > most or low < least:
            lengths[suit] = (max(low, least), min(high, most))
        if lengths[suit][0] > lengths[suit][1]:
            return None
    # Points are high-card points plus one for each card above four in a suit, so each of the two ranges bounds the other.
    long = sum(max(0, a - 4) for a, _ in lengths)
    longest = max(b for _, b in lengths)
    most_long = max(0, longest - 4) + (1 if longest < 8 and sorted(b for _, b in lengths)[-2] > 4 else 0)
    points = (max(points[0], hcp[0] + long), min(points[1], hcp[1] + most_long))
    hcp = (max(hcp[0], points[0] - most_long), min(hcp[1], points[1] - long))
    if hcp[0] > hcp[1] or points[0] > points[1]:
        return None
    return HandBox(hcp, points, tuple(lengths), other)


@dataclass(frozen=True)
class KnownHand:
    """What the calls have shown of one hand: the hand is in at least one of the boxes. Immutable; four are part of each `Turn`."""

    boxes: tuple[HandBox, ...] = (HandBox(),)

    def meet(self, alternatives: Iterable[TermRanges]) -> KnownHand | None:
        """Return the boxes narrowed by a condition, whose own boxes are ``alternatives``; None if no hand is in both."""
        found = [met for ranges in alternatives for box in self.boxes if (met := box.meet(ranges)) is not None]
        return KnownHand(few(found)) if found else None

    def range(self, term: int) -> Range:
        """Return the smallest range of a term that contains its range in each box."""
        if len(self.boxes) == 1:
            return self.boxes[0].range(term)
        ranges = [box.range(term) for box in self.boxes]
        return (min(low for low, _ in ranges), max(high for _, high in ranges))

    @cached_property
    def hcp(self) -> Range:
        """The range of high-card points."""
        return self.range(HCP)

    @cached_property
    def points(self) -> Range:
        """The range of high-card and length points."""
        return self.range(POINTS)

    @cached_property
    def lengths(self) -> tuple[Range, Range, Range, Range]:
        """The ranges of the lengths of spades, hearts, diamonds, clubs."""
        a, b, c, d = (self.range(term) for term in LENGTH)
        return a, b, c, d

    def strength(self, trump: int | None) -> Range:
        """Return the range of points for play in a suit, or of high-card points for notrump (None)."""
        if trump is None:
            return self.hcp
        low, high = self.points
        worth = self._worth(trump)
        low, high = low + worth, high + worth
        shown = self.range(SUPPORT[trump])
        if shown[0] > ANY[0]:
            # A range of support points that a call has shown is more exact than the mean for the number of trumps.
            low = shown[0]
        if shown[1] < ANY[1]:
            high = min(high, shown[1]) if shown[0] <= ANY[0] else shown[1]
        # The mean difference of `_worth` can raise the lower end above an upper end that was shown.
        return (min(low, high), high)

    def _worth(self, trump: int) -> float:
        """Return the mean difference between support points and points, for the number of trumps shown."""
        least, most = (int(length) for length in self.lengths[trump])
        if self.range(BALANCED)[0] >= 1:
            return BALANCED_WORTH[min(least, 5)]
        # Hands often have one trump more than the fewest shown.
        return 0.65 * TRUMP_WORTH[min(least, 8)] + 0.35 * TRUMP_WORTH[min(most, least + 1, 8)]

    def likely(self, trump: int | None) -> float:
        """Return the mean of the points for play in a suit, or in notrump (None), over the hands within the range of `strength`."""
        # Where points are limited more narrowly than high-card points, points minus those for length are the better estimate.
        if trump is None and self.points[1] - self.points[0] < self.hcp[1] - self.hcp[0]:
            long = sum(max(0.0, low - 4) for low, _ in self.lengths)
            return max(self.hcp[0], mean(*self.points) - max(0.7, long))
        return mean(*self.strength(trump))


def few(boxes: list[HandBox]) -> tuple[HandBox, ...]:
    """Return at most `ALTERNATIVES` boxes: the first ones, and the last ones joined to one box."""
    boxes = list(boxes)
    # Boxes are in the order of the rules: the first belong to the rules that take most hands, so these stay exact.
    while len(boxes) > ALTERNATIVES:
        last = boxes.pop()
        boxes[-1] = boxes[-1].join(last)
    return tuple(boxes)


UNKNOWN = KnownHand()


@lru_cache(maxsize=1)
def _chances() -> tuple[float, ...]:
    """Return the probability of each number of high-card points in thirteen cards."""
    ways = {(0, 0): 1}
    # Counted over the numbers of jacks, queens, kings and aces (5^4 combinations) and not over all C(52, 13) hands.
    for value in (1, 2, 3, 4):
        after: dict[tuple[int, int], int] = {}
        for (cards, total), count in ways.items():
            for held in range(5):
                key = (cards + held, total + held * value)
                after[key] = after.get(key, 0) + count * comb(4, held)
        ways = after
    chances = [0.0] * 47
    for (cards, total), count in ways.items():
        if cards <= 13:
            chances[total] += count * comb(36, 13 - cards)
    return tuple(chance / comb(52, 13) for chance in chances)


@lru_cache(maxsize=4096)
def expected(low: int, high: int) -> float:
    """Return the mean of high-card points over the random hands that have ``low`` to ``high`` of them.

    >>> round(expected(12, 21), 1), round(expected(15, 17), 1)
    (14.4, 15.8)
    """
    chances = _chances()
    low, high = max(0, low), min(46, high)
    weight = sum(chances[low : high + 1])
    return sum(value * chances[value] for value in range(low, high + 1)) / weight if weight else (low + high) / 2


def mean(low: float, high: float) -> float:
    """Return `expected` for a range whose ends need not be whole numbers."""
    part = low - math.floor(low)
    return expected(int(low - part), int(high - part)) + part if low >= 0 else expected(0, int(max(high, 0)))
