"""Streams of random deals that satisfy a condition, each equally likely; the same seed gives the same deals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, reduce
from math import comb

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.algebra import ALWAYS, Box
from bridgespec.dealing.bounds import MOST, DealBox, Key, boxes
from bridgespec.dealing.boxes import Boxed, inside
from bridgespec.dealing.expression import DealCondition, Deals

Bytes = NDArray[np.uint8]
BATCH = 1 << 14
"""The maximum number of deals that are tested at a time; the first batches are smaller."""
FIRST = 1 << 9
RARE = 1 / 64
"""The share of deals below which boxes are used, both of those that satisfy the condition and of those in the boxes: shuffling a
deal and testing the condition takes a microsecond, drawing one from a box 15 to 80."""
WORTH = 1 / 4
"""The same share for a ``costly`` condition: its test takes longer than drawing a deal from a box, so boxes pay off earlier."""


class DealStream:
    """Random deals that satisfy a condition and contain known cards (holders by slot).

    Deals are shuffled and tested. Where hardly any satisfies the condition, they are drawn from its boxes instead; more boxes than
    ``most`` are replaced by one that contains them, because counting a box costs as much as testing thousands of deals. For a
    ``costly`` condition, whose test takes longer than drawing a deal, few deals are shuffled. ``tried`` counts the deals that were
    made, accepted or not, ``equivalent`` those that shuffling alone would have made.

    >>> from bridgespec.dealing.deal_condition import read_condition
    >>> stream = DealStream(read_condition("north: hcp 20-22 and balanced; south: hearts 6+"), seed=1)
    >>> found = stream.take(200)
    >>> found.shape, stream.tried < 3000, stream.share < 0.001, stream.equivalent > 500_000
    ((200, 52), True, True, True)
    """

    tried_as = "made"

    def __init__(
        self,
        condition: DealCondition = ALWAYS,
        known: Mapping[int, int] | None = None,
        seed: int = 0,
        threads: int | None = None,
        most: int = MOST,
        costly: bool = False,
    ) -> None:
        self.condition = condition
        self.rng = np.random.default_rng(seed)
        self.threads = threads
        self.most = most
        self.costly = costly or condition.solves
        self.tried = 0
        self.equivalent = 0.0
        self._cards = dict(known or {})
        held = [sum(seat == place for seat in self._cards.values()) for place in range(4)]
        if max(held) > 13:
            raise ValueError("a hand has more than thirteen known cards")
        self._seats = np.repeat(np.arange(4, dtype=np.uint64), [13 - count for count in held])
        self._free = np.array([slot for slot in range(52) if slot not in self._cards], np.intp)

    @cached_property
    def boxes(self) -> list[Boxed]:
        """The boxes of the condition that contain deals; none where no deal can satisfy it."""
        found: list[Box[Key]] = [*boxes(self.condition)]
        if len(found) > self.most:
            found = [reduce(Box.join, found)]
        return [boxed for box in found if (boxed := Boxed(DealBox(box), self._cards)).weight]

    @property
    def impossible(self) -> bool:
        """Whether it is certain that no deal satisfies the condition."""
        return not self.boxes

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        return np.array([boxed.weight for boxed in self.boxes])

    @property
    def share(self) -> float:
        """The share of the boxes in all deals with the known cards; deals in several boxes are counted in each."""
        left, ways = len(self._seats), 1
        for count in np.bincount(self._seats.astype(np.intp), minlength=4).tolist():
            ways *= comb(left, count)
            left -= count
        return float(self._weights.sum()) / ways

    def take(self, count: int, tries: int | None = None) -> Bytes:
        """Return ``count`` deals as (count, 52) holders; fewer if ``tries`` attempts do not find that many."""
        found: list[Bytes] = []
        left = count
        for deals in self.accepted(tries):
            found.append(deals.holders[:left])
            left -= len(found[-1])
            if left <= 0:
                break
        return np.concatenate(found) if found else np.empty((0, 52), np.uint8)

    def accepted(self, tries: int | None = None) -> Iterator[Deals]:
        """Yield the deals of each batch that satisfy the condition, until ``tries`` were made; nothing where no deal can."""
        size, found = FIRST, 0
        narrow: bool | None = None
        while tries is None or self.tried < tries:
            # Boxes are counted only when shuffling has proved rare; that takes longer than testing thousands of deals.
            if narrow is None and (self.costly or found < RARE * self.tried):
                if not self.boxes:
                    return
                # A condition can be rare although its boxes are wide (what they cannot express is rare): then boxes gain nothing.
                narrow = self.share < (WORTH if self.costly else RARE)
            if tries is not None:
                size = min(size, tries - self.tried)
            deals = Deals(self._batch(size) if narrow else self._shuffled(size), self.rng, self.threads)
            self.tried += size
            self.equivalent += size / self.share if narrow else size
            kept = deals if self.condition is ALWAYS else deals.where(self.condition.holds(deals))
            found += len(kept)
            yield kept
            # Batches grow, so that a request for ten deals does not make 16,384.
            size = min(2 * size, BATCH)

    def _shuffled(self, size: int) -> Bytes:
        """Return shuffled deals, without regard to the condition."""
        # The seats go with random numbers of 62 bits, which are sorted: two that are equal are less likely than 10^-14 in a deal.
        keys = self.rng.integers(0, 1 << 62, (size, len(self._seats)), np.uint64) << np.uint64(2)
        keys |= self._seats
        keys.sort(axis=1)
        holders = np.empty((size, 52), np.uint8)
        for slot, seat in self._cards.items():
            holders[:, slot] = seat
        # The seat is in the two lowest bits of each sorted key: the low byte is enough.
        holders[:, self._free] = keys.astype(np.uint8) & np.uint8(3)
        return holders

    def _batch(self, size: int) -> Bytes:
        """Return deals from the boxes: one that is in several boxes is accepted only from the first of them."""
        # Boxes may overlap. Drawing by weight and rejecting all but the first box that contains a deal keeps deals equally likely.
        shares = self.rng.multinomial(size, self._weights / self._weights.sum())
        parts = []
        for place, (boxed, count) in enumerate(zip(self.boxes, shares, strict=True)):
            if not count:
                continue
            made = boxed.draw(int(count), self.rng)
            if len(self.boxes) > 1:
                good = inside(boxed.box, made)
                for earlier in self.boxes[:place]:
                    good &= ~inside(earlier.box, made)
                made = made[good]
            parts.append(made)
        mixed = np.concatenate(parts)
        # Deals of one box follow each other; a caller that takes the first few must not get them all from it.
        return mixed[self.rng.permutation(len(mixed))] if len(self.boxes) > 1 else mixed


class StoredDeals:
    """Deals of a file, in their order, that satisfy a condition and contain the known cards; the interface is that of `DealStream`.

    ``batches`` gives (N, 52) holders with their (N, 20) trick tables, None where the file has none; deals that are not whole are
    skipped.
    """

    impossible = False
    tried_as = "read"

    def __init__(
        self,
        batches: Iterable[tuple[Bytes, Bytes | None]],
        condition: DealCondition = ALWAYS,
        known: Mapping[int, int] | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.batches, self.condition, self.known = batches, condition, dict(known or {})
        self.rng, self.threads = np.random.default_rng(seed), threads
        self.tried = 0

    @property
    def equivalent(self) -> float:
        """The number of deals that were tested."""
        return self.tried

    def accepted(self, tries: int | None = None) -> Iterator[Deals]:
        """Yield the deals of each batch that satisfy the condition, until ``tries`` were tested or the file ends."""
        for holders, tables in self.batches:
            room = len(holders) if tries is None else max(0, tries - self.tried)
            deals = Deals(holders[:room], self.rng, self.threads, None if tables is None else tables[:room])
            self.tried += len(deals)
            fits = np.asarray((deals.holders < 4).all(axis=1))
            for slot, seat in self.known.items():
                fits = fits & (deals.holders[:, slot] == seat)
            deals = deals.where(fits)
            yield deals if self.condition is ALWAYS else deals.where(self.condition.holds(deals))
            if tries is not None and self.tried >= tries:
                return
