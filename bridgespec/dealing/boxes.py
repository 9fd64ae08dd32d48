"""Draw random deals of a box, each equally likely, without rejection: lengths and points of two hands are drawn by counting.

Lengths and points depend only on the honours A K Q J and the number of small cards that two hands have of each suit. Ways are
counted for one suit, then for two, and the halves are joined where the sums match; a deal is drawn by going back through the
counts. Counts are doubles, so a probability may be off by some parts in 10^15.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.bounds import BOUNDED, DealBox

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
Weights = NDArray[np.float64]
FREE = 255
_LENGTHS, _POINTS = 14, 21
"""Lengths 0 to 13, and the points of two suits, 0 to 20: the coordinates of a half of a hand."""
_DIGIT = 5
"""Bits of a digit: lengths and points of two hands are one number of four digits. A sum of two suits never carries, and where a
difference borrows, a digit is greater than any of one suit, so that a look-up finds nothing."""
_CELLS = 1 << 4 * _DIGIT
_MANY = 1 << 21
"""The maximum number of elements of an array in one step of a look-up."""
NOBODY = 4
HONOURS = (4, 3, 2, 1)


class _Suit:
    """The ways to give a suit's unknown cards to two hands: for each a key, its number of equal ways, both hands' honours and small
    cards. Made for each suit of a box.

    ``keys`` are the different keys and ``weights`` their numbers of ways, ``dense`` the same indexed by key.
    """

    def __init__(self, rows: Whole) -> None:
        # Rows of one key must be adjacent: `ways` draws among them by binary search in the running total.
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        self.rows = rows
        self.keys, starts = np.unique(rows[:, 0], return_index=True)
        self._running = np.concatenate([[0.0], rows[:, 1].cumsum(dtype=np.float64)])
        self._starts = np.append(starts, len(rows))
        self.weights = np.diff(self._running[self._starts]) if len(rows) else np.zeros(0)
        self.dense = np.zeros(_CELLS)
        self.dense[self.keys] = self.weights

    def ways(self, keys: Whole, rng: np.random.Generator) -> Whole:
        """Return for each key the row of one of its ways, chosen at random."""
        place = np.searchsorted(self.keys, keys)
        low, high = self._running[self._starts[place]], self._running[self._starts[place + 1]]
        found = np.searchsorted(self._running, low + rng.random(len(keys)) * (high - low), side="right") - 1
        # Rounding in the running total may lead one row past those of the key.
        rows: Whole = np.clip(found, self._starts[place], self._starts[place + 1] - 1)
        return rows


class Boxed:
    """A box with the known cards: `weight` is its number of deals, and `draw` draws among them."""

    def __init__(self, box: DealBox, known: Mapping[int, int]) -> None:
        self.box = box
        cards = dict(known)
        self.possible = all(cards.setdefault(slot, seat) == seat for slot, seat in box.cards.items())
        self.known = cards
        held = [sum(seat == place for seat in cards.values()) for place in range(4)]
        self.room = [13 - count for count in held]
        self.possible = self.possible and min(self.room) >= 0
        # Counting for four hands would need eight digits; two are counted exactly,
        # and `inside` tests what the box requires of the others.
        self.pair = _tightest(box, self.room)
        self.weight = 0.0
        if self.possible:
            self._count()

    @cached_property
    def _free(self) -> list[list[int]]:
        """The slots of the unknown cards of each suit, highest first."""
        return [[13 * s + rank for rank in range(13) if 13 * s + rank not in self.known] for s in range(4)]

    def _count(self) -> None:
        self.suits = [self._suit(suit) for suit in range(4)]
        a, b = self.pair
        lows = [self.box.range("hcp", a), self.box.range("hcp", b), self.box.range("hcp", a, b)]
        sums = np.add.outer(np.arange(_POINTS), np.arange(_POINTS))
        one = (sums >= lows[0][0]) & (sums <= lows[0][1])
        two = (sums >= lows[1][0]) & (sums <= lows[1][1])
        # Axes: points of hand a and b in spades and hearts, then of a and b in diamonds and clubs.
        both = sums[:, None, :, None] + sums[None, :, None, :]
        fits: NDArray[np.bool_] = one[:, None, :, None] & two[None, :, None, :] & (both >= lows[2][0]) & (both <= lows[2][1])
        self._fits = fits.reshape(_POINTS**2, _POINTS**2).astype(np.float64)
        first, second = (_by_lengths(_joined(*self.suits[at : at + 2])) for at in (0, 2))
        wanted = np.arange(_LENGTHS**2)
        left_a, left_b = self._total(a) - wanted // _LENGTHS, self._total(b) - wanted % _LENGTHS
        fitting = ((left_a >= 0) & (left_b >= 0))[:, None]
        self._second = np.where(fitting, second[np.maximum(left_a, 0) * _LENGTHS + np.maximum(left_b, 0)], 0.0)
        """The ways of the second half, indexed by the lengths of the first: the second must complete each hand."""
        # One matrix product sums, for each first half, the second halves whose
        # points fit: 196 x 441 cells in place of their square.
        self._chances = first * (self._second @ self._fits.T)
        self._running = self._chances.ravel().cumsum()
        self.weight = float(self._running[-1])
        left = sum(self.room[place] for place in self._others)
        for place in self._others:
            # The other two hands get any of the remaining cards, so their ways are a binomial coefficient.
            self.weight *= comb(left, self.room[place])
            left -= self.room[place]

    @property
    def _others(self) -> list[int]:
        return [place for place in range(4) if place not in self.pair]

    @staticmethod
    def _total(seat: int) -> int:
        return 0 if seat == NOBODY else 13

    def _suit(self, suit: int) -> _Suit:
        a, b = self.pair
        free = self._free[suit]
        honours = [slot % 13 for slot in free if slot % 13 < 4]
        small = len(free) - len(honours)
        base = [[0, 0], [0, 0]]
        for slot, seat in self.known.items():
            if slot // 13 == suit and seat in (a, b):
                hand = base[0] if seat == a else base[1]
                hand[0] += 1
                hand[1] += HONOURS[slot % 13] if slot % 13 < 4 else 0
        name = f"length.{suit}"
        spans = [self.box.range(name, a), self.box.range(name, b), self.box.range(name, a, b)]
        others = [self.box.range(name, place) for place in self._others]
        # Known cards of the other hands count towards the lengths that the box requires of those hands.
        beside = sum(slot // 13 == suit and seat not in (a, b) for slot, seat in self.known.items())
        rows = []
        # Honours are enumerated by owner, because points depend on which ones a hand has; small cards only by their number.
        for owners in product((0, 2) if b == NOBODY else (0, 1, 2), repeat=len(honours)):
            masks, points, counts = [0, 0], [base[0][1], base[1][1]], [base[0][0], base[1][0]]
            for rank, owner in zip(honours, owners, strict=True):
                if owner < 2:
                    masks[owner] |= 1 << (3 - rank)
                    points[owner] += HONOURS[rank]
                    counts[owner] += 1
            for one in range(small + 1):
                held = counts[0] + one
                if not spans[0][0] <= held <= spans[0][1]:
                    continue
                for two in range(small - one + 1 if b != NOBODY else 1):
                    there = counts[1] + two
                    if not (spans[1][0] <= there <= spans[1][1] and spans[2][0] <= held + there <= spans[2][1]):
                        continue
                    rest = len(free) - (held - base[0][0]) - (there - base[1][0]) + beside
                    if not sum(low for low, _ in others) <= rest <= sum(high for _, high in others):
                        continue
                    key = ((held << _DIGIT | points[0]) << _DIGIT | there) << _DIGIT | points[1]
                    rows.append((key, comb(small, one) * comb(small - one, two), masks[0], masks[1], one, two))
        return _Suit(np.array(rows, np.int64).reshape(-1, 6))

    def draw(self, count: int, rng: np.random.Generator) -> Bytes:
        """Return deals as (count, 52) holders. Only where `weight` is not 0."""
        size = _POINTS**2
        # side="right" skips cells without weight, also where the random number is exactly 0.
        place = np.searchsorted(self._running, rng.random(count) * self._running[-1], side="right")
        lengths, points = np.divmod(place, size)
        rest = np.concatenate([
            _choose(self._second[lengths[at]] * self._fits[points[at]], rng) for at in _pieces(count, size)
        ])  # fmt: skip
        a, b = self.pair
        one, two = np.divmod(lengths, _LENGTHS)
        halves = _key(one, two, points), _key(self._total(a) - one, self._total(b) - two, rest)
        holders = np.full((count, 52), FREE, np.uint8)
        for slot, seat in self.known.items():
            holders[:, slot] = seat
        for half, keys in enumerate(halves):
            left, right = self.suits[2 * half : 2 * half + 2]
            chosen = np.concatenate([
                # A difference may be negative; wrapped, it is a key with a borrowed digit, which no suit has, so its weight is 0.
                _choose(right.dense.take(keys[at, None] - left.keys, mode="wrap") * left.weights, rng)
                for at in _pieces(count, len(left.keys))
            ])  # fmt: skip
            self._hand_out(holders, 2 * half, left.rows[left.ways(left.keys[chosen], rng)], rng)
            self._hand_out(holders, 2 * half + 1, right.rows[right.ways(keys - left.keys[chosen], rng)], rng)
        return self._rest(holders, rng)

    def _hand_out(self, holders: Bytes, suit: int, ways: Whole, rng: np.random.Generator) -> None:
        """Give a suit's cards to the two hands: the chosen honours, and the chosen number of small cards at random."""
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

    def _rest(self, holders: Bytes, rng: np.random.Generator) -> Bytes:
        """Deal the remaining cards to the other hands."""
        # 2 is above every random number, so cards that are dealt sort behind the free ones.
        mixed = np.where(holders == FREE, rng.random(holders.shape, np.float32), np.float32(2))
        order = mixed.argsort(axis=1)
        rows = np.arange(len(holders))[:, None]
        at = 0
        for place in self._others:
            holders[rows, order[:, at : at + self.room[place]]] = place
            at += self.room[place]
        return holders


def _tightest(box: DealBox, room: Sequence[int]) -> tuple[int, int]:
    """Return the two hands that the box restricts most, by how rare each would be alone; one hand, where no other is restricted."""

    def chance(seats: tuple[int, ...]) -> float:
        found = 1.0
        for (name, of), (low, high) in box.ranges.items():
            if set(of) <= set(seats):
                most = (40.0 if name == "hcp" else 13.0) * len(of)
                # A rough estimate is enough: it decides which hands are counted, and every choice gives the same distribution.
                found *= min(1.0, (min(high, most) - max(low, 0) + 1) / most)
        return found

    one = min(range(4), key=lambda seat: chance((seat,)))
    two = min(combinations(range(4), 2), key=chance)
    return two if chance(two) < chance((one,)) else (one, NOBODY)


def _joined(one: _Suit, two: _Suit) -> Weights:
    """Return how many ways two suits have for each sum of keys."""
    sums = np.add.outer(one.keys, two.keys).ravel()
    return np.asarray(np.bincount(sums, np.multiply.outer(one.weights, two.weights).ravel(), minlength=_CELLS), np.float64)


def _by_lengths(half: Weights) -> Weights:
    """Return a half as (196, 441): by the lengths of both hands, and by their points."""
    digits = half.reshape((1 << _DIGIT,) * 4)[:_LENGTHS, :_POINTS, :_LENGTHS, :_POINTS]
    return digits.transpose(0, 2, 1, 3).reshape(_LENGTHS**2, _POINTS**2)


def _key(one: Whole, two: Whole, points: Whole) -> Whole:
    first, second = np.divmod(points, _POINTS)
    found: Whole = ((one << _DIGIT | first) << _DIGIT | two) << _DIGIT | second
    return found


def _choose(weights: Weights, rng: np.random.Generator) -> Whole:
    """Return for each row of weights a column, chosen with a probability proportional to its weight."""
    running = weights.cumsum(axis=1)
    target = rng.random(len(weights)) * running[:, -1]
    # searchsorted takes one sorted array; here each row has its own.
    found: Whole = (running <= target[:, None]).sum(axis=1)
    return found


def _pieces(count: int, width: int) -> Iterator[slice]:
    """Yield slices of rows, so that no slice of this width is too large."""
    step = max(1, _MANY // max(1, width))
    return (slice(at, at + step) for at in range(0, count, step))


def inside(box: DealBox, holders: Bytes) -> NDArray[np.bool_]:
    """Return which deals are in the box."""
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
