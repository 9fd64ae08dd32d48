"""Deals that satisfy a condition, each as likely as any other, as many as are asked for; the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from math import comb

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.bounds import ANY, MOST, Box, boxes
from bridgespec.dealing.boxes import Boxed, inside
from bridgespec.dealing.expression import ALWAYS, Deals, Value

Bytes = NDArray[np.uint8]
BATCH = 1 << 14
"""Deals that are tried at a time, at most; the first batches are smaller."""
FIRST = 1 << 9
WORTH = 0.25
"""Boxes that hold more than this share of all deals are not worth their counting: shuffling is so much cheaper."""


class Stream:
    """Deals at random beside known cards (holders by slot) that satisfy a condition.

    ``tried`` counts the deals that were made, accepted or not; ``share`` says how rare the boxes of the condition are among all
    deals with these cards, so that ``tried / share`` deals would have been made without them. More boxes than ``most`` are dealt
    into as one around them: counting a box costs as much as trying some thousand deals.

    >>> from bridgespec.dealing.condition import read_condition
    >>> stream = Stream(read_condition("north: hcp 20-22 and balanced; south: hearts 6+"), seed=1)
    >>> found = stream.take(200)
    >>> found.shape, stream.tried < 2000, stream.share < 0.001
    ((200, 52), True, True)
    """

    def __init__(
        self,
        condition: Value = ALWAYS,
        known: Mapping[int, int] | None = None,
        seed: int = 0,
        threads: int | None = None,
        most: int = MOST,
    ) -> None:
        self.condition = condition
        self.rng = np.random.default_rng(seed)
        self.threads = threads
        self.tried = 0
        cards = known or {}
        everything = _ways(cards)
        found = boxes(condition)
        if len(found) > most:
            found = [reduce(Box.join, found)]
        self.boxes = [boxed for box in found if (boxed := Boxed(box, cards)).weight]
        self._weights = np.array([boxed.weight for boxed in self.boxes])
        self.share = float(self._weights.sum() / everything) if self.boxes else 0.0
        if self.share > WORTH:
            self.boxes, self._weights, self.share = [Boxed(ANY[0], cards)], np.ones(1), 1.0

    def take(self, count: int, tries: int | None = None) -> Bytes:
        """So many deals as (count, 52) holders; fewer where they are not found among ``tries``."""
        found: list[Bytes] = []
        left = count
        for deals in self.accepted(tries):
            found.append(deals.holders[:left])
            left -= len(found[-1])
            if left <= 0:
                break
        return np.concatenate(found) if found else np.empty((0, 52), np.uint8)

    def accepted(self, tries: int | None = None) -> Iterator[Deals]:
        """Those of each batch that satisfy the condition, until ``tries`` were made; nothing where no deal can."""
        size = FIRST
        while self.boxes and (tries is None or self.tried < tries):
            if tries is not None:
                size = min(size, tries - self.tried)
            self.tried += size
            deals = Deals(self._batch(size), self.rng, self.threads)
            yield deals if self.condition is ALWAYS else deals.where(self.condition.holds(deals))
            size = min(2 * size, BATCH)

    def _batch(self, size: int) -> Bytes:
        """Deals out of the boxes: one that lies in several counts for the first of them alone."""
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
        return mixed[self.rng.permutation(len(mixed))] if len(self.boxes) > 1 else mixed


def _ways(known: Mapping[int, int]) -> float:
    """How many deals there are beside known cards."""
    held = [sum(seat == place for seat in known.values()) for place in range(4)]
    if max(held) > 13:
        raise ValueError("a hand has more than thirteen known cards")
    left, ways = 52 - len(known), 1
    for count in held:
        ways *= comb(left, 13 - count)
        left -= 13 - count
    return float(ways)
