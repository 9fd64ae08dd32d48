"""Sources of deals that satisfy a condition: random deals (`DealStream`), or deals of a file (`StoredDeals`).

``accepted`` yields batches of deals. Random deals are equally likely, and the same seed gives the same deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, reduce
from math import comb

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.algebra import ALWAYS, Box
from bridgespec.dealing.bounds import MOST, DealBox, QuantityKey, boxes
from bridgespec.dealing.boxes import BoxSampler, inside
from bridgespec.dealing.expression import ByteArray, DealCondition, Deals

BATCH = 1 << 14
"""The maximum number of deals that are tested at a time; the first batches are smaller."""
FIRST = 1 << 9
"""The number of deals of the first batch."""
RARE = 1 / 64
"""Deals are drawn from boxes if a smaller share of the shuffled deals satisfies the condition, and a smaller share of all deals is
in the boxes: shuffling and testing a deal takes a microsecond, drawing one from a box 15 to 80.
"""
WORTH = 1 / 4
"""For a ``costly`` condition, whose test takes longer than drawing a deal from a box, boxes are used if a smaller share of all
deals is in them.
"""


class DealStream:
    """Random deals that satisfy a condition and have the known cards (the seat by the index of the card). Created for one set of
    deals.

    Deals are shuffled and tested. If hardly any satisfies the condition, deals are drawn from its boxes and tested; if it has more
    than ``most`` boxes, from one box that contains them, because preparing a box takes as long as testing thousands of deals. For a
    ``costly`` condition, whose test takes longer than drawing a deal, boxes are used from the start if they are narrow. ``tried``
    is the number of deals that were made, accepted or not; ``equivalent`` the number that had been made if all were shuffled.

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
        known_counts = [sum(seat == place for seat in self._cards.values()) for place in range(4)]
        if max(known_counts) > 13:
            raise ValueError("a hand has more than thirteen known cards")
        # The seats of the unknown cards: each seat once for each card that it lacks.
        self._seats = np.repeat(np.arange(4, dtype=np.uint64), [13 - count for count in known_counts])
        self._free = np.array([slot for slot in range(52) if slot not in self._cards], np.intp)

    @cached_property
    def boxes(self) -> list[BoxSampler]:
        """The boxes of the condition that contain deals with the known cards; empty if no deal can satisfy the condition."""
        found: list[Box[QuantityKey]] = [*boxes(self.condition)]
        if len(found) > self.most:
            found = [reduce(Box.join, found)]
        return [sampler for box in found if (sampler := BoxSampler(DealBox(box), self._cards)).weight]

    @property
    def impossible(self) -> bool:
        """Whether it is certain that no deal satisfies the condition."""
        return not self.boxes

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """The number of deals of each box."""
        return np.array([sampler.weight for sampler in self.boxes])

    @property
    def share(self) -> float:
        """The deals in the boxes divided by all deals with the known cards. A deal in several boxes is counted once for each."""
        cards, ways = len(self._seats), 1
        for count in np.bincount(self._seats.astype(np.intp), minlength=4).tolist():
            ways *= comb(cards, count)
            cards -= count
        return float(self._weights.sum()) / ways

    def take(self, count: int, tries: int | None = None) -> ByteArray:
        """Return ``count`` deals as (count, 52) holders; fewer if so many are not found among ``tries`` deals."""
        found: list[ByteArray] = []
        missing = count
        for deals in self.accepted(tries):
            found.append(deals.holders[:missing])
            missing -= len(found[-1])
            if missing <= 0:
                break
        return np.concatenate(found) if found else np.empty((0, 52), np.uint8)

    def accepted(self, tries: int | None = None) -> Iterator[Deals]:
        """Yield the deals of each batch that satisfy the condition, until ``tries`` deals were made (None: without an end).

        Ends early if the boxes prove that no deal satisfies the condition.
        """
        size, found = FIRST, 0
        narrow: bool | None = None
        while tries is None or self.tried < tries:
            # Preparing boxes takes longer than testing thousands of deals, so it waits until few shuffled deals were accepted.
            if narrow is None and (self.costly or found < RARE * self.tried):
                if not self.boxes:
                    return
                # A condition can be rare although its boxes are wide, if boxes cannot express it: shuffling goes on then.
                narrow = self.share < (WORTH if self.costly else RARE)
            if tries is not None:
                size = min(size, tries - self.tried)
            deals = Deals(self._from_boxes(size) if narrow else self._shuffled(size), self.rng, self.threads)
            self.tried += size
            self.equivalent += size / self.share if narrow else size
            kept = deals if self.condition is ALWAYS else deals.where(self.condition.holds(deals))
            found += len(kept)
            yield kept
            # Batches grow, so that a request for ten deals does not make 16,384.
            size = min(2 * size, BATCH)

    def _shuffled(self, size: int) -> ByteArray:
        """Return shuffled deals, without regard to the condition."""
        # Each key is a random number of 62 bits and, in the lowest two bits, a seat: sorting the keys shuffles the seats. Two
        # random numbers of a deal are equal with a probability below 10^-14.
        keys = self.rng.integers(0, 1 << 62, (size, len(self._seats)), np.uint64) << np.uint64(2)
        keys |= self._seats
        keys.sort(axis=1)
        holders = np.empty((size, 52), np.uint8)
        for slot, seat in self._cards.items():
            holders[:, slot] = seat
        holders[:, self._free] = keys.astype(np.uint8) & np.uint8(3)
        return holders

    def _from_boxes(self, size: int) -> ByteArray:
        """Return at most ``size`` deals that are drawn from the boxes, each equally likely."""
        # Boxes may overlap: a deal is kept only if it was drawn from the first box that contains it.
        shares = self.rng.multinomial(size, self._weights / self._weights.sum())
        parts = []
        for index, (sampler, count) in enumerate(zip(self.boxes, shares, strict=True)):
            if not count:
                continue
            made = sampler.draw(int(count), self.rng)
            if len(self.boxes) > 1:
                good = inside(sampler.box, made)
                for earlier in self.boxes[:index]:
                    good &= ~inside(earlier.box, made)
                made = made[good]
            parts.append(made)
        mixed = np.concatenate(parts)
        # Mixed, so that a caller that takes the first few deals does not get them all from the first box.
        return mixed[self.rng.permutation(len(mixed))] if len(self.boxes) > 1 else mixed


class StoredDeals:
    """The deals of a file that satisfy a condition and have the known cards, in the order of the file. Interface as `DealStream`.

    ``batches`` yields (N, 52) holders with (N, 20) trick tables, or with None if the file has no tables. Incomplete deals are
    skipped.
    """

    impossible = False
    tried_as = "read"

    def __init__(
        self,
        batches: Iterable[tuple[ByteArray, ByteArray | None]],
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
        """The number of deals that were tested, as `tried`."""
        return self.tried

    def accepted(self, tries: int | None = None) -> Iterator[Deals]:
        """Yield the deals of each batch that satisfy the condition, until ``tries`` were tested or the file ends."""
        for holders, tables in self.batches:
            rest = len(holders) if tries is None else max(0, tries - self.tried)
            deals = Deals(holders[:rest], self.rng, self.threads, None if tables is None else tables[:rest])
            self.tried += len(deals)
            fits = np.asarray((deals.holders < 4).all(axis=1))
            for slot, seat in self.known.items():
                fits = fits & (deals.holders[:, slot] == seat)
            deals = deals.where(fits)
            yield deals if self.condition is ALWAYS else deals.where(self.condition.holds(deals))
            if tries is not None and self.tried >= tries:
                return
