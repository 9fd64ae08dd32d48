"""Draw random deals of a box, each equally likely: `BoxSampler` takes a `DealBox` and known cards, and returns deals.

The lengths and points of two hands, those that the box restricts most, are drawn without rejection. They depend on the honours A K
Q J and the number of small cards that each of the two hands has in each suit. The ways to give the cards to the two hands are
counted for each suit, then for spades with hearts and diamonds with clubs (the two halves), then for all four suits. A deal is
drawn in the reverse order: first the totals of the first half, then those of each suit, then the cards. Counts are doubles, so a
probability may be off by some parts in 10^15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.bounds import BOUNDED, DealBox

ByteArray = NDArray[np.uint8]
Integers = NDArray[np.int64]
Weights = NDArray[np.float64]
FREE = 255
"""The holder of a card that is not dealt yet."""
_LENGTHS, _POINTS = 14, 21
"""The number of possible lengths of a hand in two suits (0 to 13), and of its points in them (0 to 20)."""
_DIGIT = 5
"""The bits of one digit of a key. A key has four digits: length and points of the first hand, then of the second. The sum of the
keys of two suits has no carry. If a digit of a difference is negative, it borrows and is then larger than any digit of a suit, so
the difference is not found among the keys.
"""
_CELLS = 1 << 4 * _DIGIT
_MANY = 1 << 21
"""The most elements of an intermediate array; more deals are drawn in several steps."""
NOBODY = 4
"""The second hand of `BoxSampler.pair` if the box restricts only one hand."""
HONOURS = (4, 3, 2, 1)
"""The points of ace, king, queen and jack."""


class _Suit:
    """The ways to give a suit's unknown cards to two hands, as far as the box allows. Created by `BoxSampler` for each suit.

    A row has the key (see `_DIGIT`), the number of ways that differ only in which small cards are given, the honours of both hands
    as masks, and the numbers of small cards of both hands. ``keys`` are the different keys, ``weights`` the number of ways of each
    key, and ``dense`` the same numbers indexed by key.
    """

    def __init__(self, rows: Integers) -> None:
        # Rows with the same key must be adjacent: `ways` draws one of them by binary search in the running total of the weights.
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        self.rows = rows
        self.keys, starts = np.unique(rows[:, 0], return_index=True)
        self._running = np.concatenate([[0.0], rows[:, 1].cumsum(dtype=np.float64)])
        self._starts = np.append(starts, len(rows))
        self.weights = np.diff(self._running[self._starts]) if len(rows) else np.zeros(0)
        self.dense = np.zeros(_CELLS)
        self.dense[self.keys] = self.weights

    def ways(self, keys: Integers, rng: np.random.Generator) -> Integers:
        """Return for each key the index of one of its rows, with a probability proportional to the row's number of ways."""
        index = np.searchsorted(self.keys, keys)
        low, high = self._running[self._starts[index]], self._running[self._starts[index + 1]]
        found = np.searchsorted(self._running, low + rng.random(len(keys)) * (high - low), side="right") - 1
        # By rounding in the running total, the row may be one beyond those of the key.
        rows: Integers = np.clip(found, self._starts[index], self._starts[index + 1] - 1)
        return rows


class BoxSampler:
    """Draws deals of a box that have the known cards. Created by `DealStream` for each box of a condition.

    ``weight`` is the number of deals, as far as ranges of the two hands ``pair`` restrict it; `draw` may return deals in which the
    ranges of the other two hands are not met. ``weight`` is 0 if there is no deal. ``unknown`` is the number of cards that each
    hand lacks.
    """

    def __init__(self, box: DealBox, known: Mapping[int, int]) -> None:
        self.box = box
        cards = dict(known)
        self.possible = all(cards.setdefault(slot, seat) == seat for slot, seat in box.cards.items())
        self.known = cards
        self.unknown = [13 - sum(seat == place for seat in cards.values()) for place in range(4)]
        self.possible = self.possible and min(self.unknown) >= 0
        # Counting for four hands would need eight digits, so two are counted; `inside` tests the ranges of the others.
        self.pair = _tightest(box, self.unknown)
        self.weight = 0.0
        if self.possible:
            self._count()

    @cached_property
    def _free(self) -> list[list[int]]:
        """The slots of the unknown cards of each suit, highest first."""
        return [[13 * s + rank for rank in range(13) if 13 * s + rank not in self.known] for s in range(4)]

    def _count(self) -> None:
        """Count the ways of each suit, of both halves and of all four suits, and set `weight`."""
        self.suits = [self._suit(suit) for suit in range(4)]
        a, b = self.pair
        spans = [self.box.range("hcp", a), self.box.range("hcp", b), self.box.range("hcp", a, b)]
        sums = np.add.outer(np.arange(_POINTS), np.arange(_POINTS))
        one = (sums >= spans[0][0]) & (sums <= spans[0][1])
        two = (sums >= spans[1][0]) & (sums <= spans[1][1])
        # Axes: points of hand a and b in spades and hearts, then of a and b in diamonds and clubs.
        both = sums[:, None, :, None] + sums[None, :, None, :]
        fits: NDArray[np.bool_] = one[:, None, :, None] & two[None, :, None, :] & (both >= spans[2][0]) & (both <= spans[2][1])
        self._fits = fits.reshape(_POINTS**2, _POINTS**2).astype(np.float64)
        first, second = (_by_lengths(_pair_ways(*self.suits[at : at + 2])) for at in (0, 2))
        lengths = np.arange(_LENGTHS**2)
        rest_a, rest_b = self._total(a) - lengths // _LENGTHS, self._total(b) - lengths % _LENGTHS
        fitting = ((rest_a >= 0) & (rest_b >= 0))[:, None]
        self._second = np.where(fitting, second[np.maximum(rest_a, 0) * _LENGTHS + np.maximum(rest_b, 0)], 0.0)
        """The ways of the second half by the lengths of the first half: the second half has the rest of each hand's cards."""
        # One matrix product adds up, for each first half, the ways of the second halves whose points fit.
        self._chances = first * (self._second @ self._fits.T)
        self._running = self._chances.ravel().cumsum()
        self.weight = float(self._running[-1])
        cards = sum(self.unknown[place] for place in self._others)
        for place in self._others:
            # The other hands get any of the remaining cards, so their ways are binomial coefficients.
            self.weight *= comb(cards, self.unknown[place])
            cards -= self.unknown[place]

    @property
    def _others(self) -> list[int]:
        return [place for place in range(4) if place not in self.pair]

    @staticmethod
    def _total(seat: int) -> int:
        """Return the number of cards of a hand of `pair`."""
        return 0 if seat == NOBODY else 13

    def _suit(self, suit: int) -> _Suit:
        """Return the ways of a suit in which the lengths of both hands, and of the others together, are within the box."""
        honours = [slot % 13 for slot in self._free[suit] if slot % 13 < 4]
        small = len(self._free[suit]) - len(honours)
        fits = self._length_test(suit)
        rows = []
        for ranks, masks in self._honour_ways(suit, honours):
            points = [sum(HONOURS[rank] for rank in own if rank < 4) for own in ranks]
            for one in range(small + 1):
                for two in range(small - one + 1 if self.pair[1] != NOBODY else 1):
                    lengths = len(ranks[0]) + one, len(ranks[1]) + two
                    if fits(*lengths):
                        key = ((lengths[0] << _DIGIT | points[0]) << _DIGIT | lengths[1]) << _DIGIT | points[1]
                        rows.append((key, comb(small, one) * comb(small - one, two), *masks, one, two))
        return _Suit(np.array(rows, np.int64).reshape(-1, 6))

    def _honour_ways(self, suit: int, honours: Sequence[int]) -> Iterator[tuple[list[list[int]], list[int]]]:
        """Yield each way to give the unknown honours of a suit to the two hands: all known ranks of each, 0 for the ace, and the
        honours that it gets as bits.

        Honours are enumerated one by one, because points depend on them; small cards are only counted.
        """
        known = [[slot % 13 for slot, seat in self.known.items() if slot // 13 == suit and seat == one] for one in self.pair]
        for owners in product((0, 2) if self.pair[1] == NOBODY else (0, 1, 2), repeat=len(honours)):
            given = [[rank for rank, owner in zip(honours, owners, strict=True) if owner == hand] for hand in (0, 1)]
            ranks = [own + more for own, more in zip(known, given, strict=True)]
            yield ranks, [sum(1 << (3 - rank) for rank in own) for own in given]

    def _length_test(self, suit: int) -> Callable[[int, int], bool]:
        """Return whether two lengths of the hands of the pair in a suit are within the box, and what they leave to the others."""
        name, (a, b) = f"length.{suit}", self.pair
        one, two, both = self.box.range(name, a), self.box.range(name, b), self.box.range(name, a, b)
        others = [self.box.range(name, place) for place in self._others]
        least, most = sum(low for low, _ in others), sum(high for _, high in others)
        return lambda held, there: (
            one[0] <= held <= one[1]
            and two[0] <= there <= two[1]
            and both[0] <= held + there <= both[1]
            and least <= 13 - held - there <= most
        )

    def draw(self, count: int, rng: np.random.Generator) -> ByteArray:
        """Return ``count`` deals as (count, 52) holders. `weight` must not be 0."""
        size = _POINTS**2
        # side="right" skips cells without weight, also if the random number is exactly 0.
        cell = np.searchsorted(self._running, rng.random(count) * self._running[-1], side="right")
        # Totals of the first half: lengths of both hands, and points of both hands.
        lengths, points = np.divmod(cell, size)
        rest = np.concatenate([
            _choose(self._second[lengths[at]] * self._fits[points[at]], rng) for at in _row_slices(count, size)
        ])  # fmt: skip
        a, b = self.pair
        one, two = np.divmod(lengths, _LENGTHS)
        halves = _combined_key(one, two, points), _combined_key(self._total(a) - one, self._total(b) - two, rest)
        holders = np.full((count, 52), FREE, np.uint8)
        for slot, seat in self.known.items():
            holders[:, slot] = seat
        for half, keys in enumerate(halves):
            left, right = self.suits[2 * half : 2 * half + 2]
            chosen = np.concatenate([
                # A negative difference is wrapped to a key with a borrowed digit, whose weight is 0.
                _choose(right.dense.take(keys[at, None] - left.keys, mode="wrap") * left.weights, rng)
                for at in _row_slices(count, len(left.keys))
            ])  # fmt: skip
            self._hand_out(holders, 2 * half, left.rows[left.ways(left.keys[chosen], rng)], rng)
            self._hand_out(holders, 2 * half + 1, right.rows[right.ways(keys - left.keys[chosen], rng)], rng)
        return self._rest(holders, rng)

    def _hand_out(self, holders: ByteArray, suit: int, ways: Integers, rng: np.random.Generator) -> None:
        """Give a suit's cards to the two hands: the honours of the rows ``ways``, and their numbers of small cards, chosen at
        random.
        """
        a, b = self.pair
        small = []
        for slot in self._free[suit]:
            rank = slot % 13
            if rank > 3:
                small.append(slot)
                continue
            bit = 1 << (3 - rank)
            holders[ways[:, 2] & bit != 0, slot] = a
            holders[ways[:, 3] & bit != 0, slot] = b
        # Sorting random numbers gives each row a random permutation without a loop over deals.
        order = rng.random((len(ways), len(small))).argsort(axis=1)
        places = np.array(small, np.int64)[order]
        rows = np.arange(len(ways))[:, None]
        rank_of = np.arange(len(small))
        one, two = ways[:, 4:5], ways[:, 4:5] + ways[:, 5:6]
        holders[rows, places] = np.where(rank_of < one, a, np.where(rank_of < two, b, FREE))

    def _rest(self, holders: ByteArray, rng: np.random.Generator) -> ByteArray:
        """Deal the remaining cards to the other hands."""
        # 2 is above all random numbers, so that cards that are dealt already sort to the end.
        mixed = np.where(holders == FREE, rng.random(holders.shape, np.float32), np.float32(2))
        order = mixed.argsort(axis=1)
        rows = np.arange(len(holders))[:, None]
        at = 0
        for place in self._others:
            holders[rows, order[:, at : at + self.unknown[place]]] = place
            at += self.unknown[place]
        return holders


def _tightest(box: DealBox, unknown: Sequence[int]) -> tuple[int, int]:
    """Return the two hands that the box restricts most; one hand and `NOBODY` if a second one is not restricted."""

    def chance(seats: tuple[int, ...]) -> float:
        """Return a rough estimate of the share of deals that meet the ranges of these hands."""
        found = 1.0
        for (name, of), (low, high) in box.ranges.items():
            if set(of) <= set(seats):
                most = (40.0 if name == "hcp" else 13.0) * len(of)
                found *= min(1.0, (min(high, most) - max(low, 0) + 1) / most)
        return found

    one = min(range(4), key=lambda seat: chance((seat,)))
    two = min(combinations(range(4), 2), key=chance)
    return two if chance(two) < chance((one,)) else (one, NOBODY)


def _pair_ways(one: _Suit, two: _Suit) -> Weights:
    """Return the number of ways of two suits together, indexed by the sum of their keys."""
    sums = np.add.outer(one.keys, two.keys).ravel()
    return np.asarray(np.bincount(sums, np.multiply.outer(one.weights, two.weights).ravel(), minlength=_CELLS), np.float64)


def _by_lengths(half: Weights) -> Weights:
    """Return the ways of a half, indexed by key, as (196, 441): by the lengths of both hands, and by the points of both hands."""
    digits = half.reshape((1 << _DIGIT,) * 4)[:_LENGTHS, :_POINTS, :_LENGTHS, :_POINTS]
    return digits.transpose(0, 2, 1, 3).reshape(_LENGTHS**2, _POINTS**2)


def _combined_key(one: Integers, two: Integers, points: Integers) -> Integers:
    """Return the keys of the lengths of both hands and their points, which are combined as in the columns of `_by_lengths`."""
    first, second = np.divmod(points, _POINTS)
    found: Integers = ((one << _DIGIT | first) << _DIGIT | two) << _DIGIT | second
    return found


def _choose(weights: Weights, rng: np.random.Generator) -> Integers:
    """Return for each row of weights the index of a column, chosen with a probability proportional to the weight."""
    running = weights.cumsum(axis=1)
    target = rng.random(len(weights)) * running[:, -1]
    # searchsorted takes one sorted array; here each row has its own.
    found: Integers = (running <= target[:, None]).sum(axis=1)
    return found


def _row_slices(count: int, width: int) -> Iterator[slice]:
    """Yield slices of ``count`` rows of ``width`` elements, each of at most `_MANY` elements."""
    step = max(1, _MANY // max(1, width))
    return (slice(at, at + step) for at in range(0, count, step))


def inside(box: DealBox, holders: ByteArray) -> NDArray[np.bool_]:
    """Return for each deal whether it is in the box."""
    good = np.ones(len(holders), np.bool_)
    for slot, seat in box.cards.items():
        good &= holders[:, slot] == seat
    weights = np.zeros((5, 52))
    weights[0] = np.tile([*HONOURS, *[0] * 9], 4)
    for suit in range(4):
        weights[suit + 1, 13 * suit : 13 * suit + 13] = 1
    for (name, seats), (low, high) in box.ranges.items():
        mine = np.isin(holders, seats)
        value = mine @ weights[BOUNDED.index(name)]
        good &= (value >= low) & (value <= high)
    return good
