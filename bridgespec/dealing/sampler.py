"""Deals unseen cards at random to hands of which ranges are known, by constraint and not by rejection alone.

First the lengths: suit by suit the cards are split among the hidden hands, each split as likely as there are ways to deal it,
among those
that the ranges of length still allow. Then the cards themselves, and a layout whose strength is out of range is mended by
exchanging cards of
one suit between two hands, which keeps the lengths. What cannot be mended is dealt anew; how often that was is told.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb
from typing import Protocol

from bridgespec.model.evaluate import Hand, evaluate

Span = tuple[float, float]
MENDS = 60
"""Exchanges that are tried before a layout is dealt anew."""
TRIES = 400
"""Layouts that are tried for each one asked for before the sampler gives up."""


class Constraint(Protocol):
    """What a hand must satisfy: lengths to deal by, and a test of the whole hand."""

    @property
    def lengths(self) -> Sequence[Span]:
        """Ranges of the lengths, spades first."""
        ...

    @property
    def hcp(self) -> Span:
        """The range of high-card points."""
        ...

    def fits(self, values: list[float]) -> bool:
        """Whether a hand with these values (`bridgespec.model.evaluate.evaluate`) satisfies all of it."""
        ...


@dataclass(frozen=True, slots=True)
class Layouts:
    """Layouts as hands by place, and how many were tried for them."""

    hands: tuple[tuple[Hand, ...], ...]
    tried: int

    @property
    def tries_each(self) -> float:
        """Layouts tried for each one found; 0 where none was."""
        return self.tried / len(self.hands) if self.hands else 0.0


@lru_cache(maxsize=4096)
def _splits(cards: int, hidden: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """All ways to split the cards of a suit among hidden hands, with how many deals each is."""
    if hidden == 1:
        return (((cards,), 1),)
    found = []
    for first in range(min(13, cards) + 1):
        for rest, ways in _splits(cards - first, hidden - 1):
            found.append(((first, *rest), ways * comb(cards, first)))
    return tuple(found)


def sample(known: Mapping[int, Hand], constraints: Mapping[int, Constraint], count: int, seed: int = 0) -> Layouts:
    """``count`` layouts of four hands in which the ``known`` places hold their cards and the others satisfy their constraints.

    Deterministic for a seed. Fewer layouts than asked for, perhaps none, where the constraints are nearly or wholly contradictory.

    >>> from bridgespec.model.evaluate import hand_of
    >>> found = sample({0: hand_of("AKQ95.AT3.KJ2.97")}, {}, 3, seed=1)
    >>> len(found.hands), found.tries_each
    (3, 1.0)
    """
    rng = random.Random(seed)
    hidden = [place for place in range(4) if place not in known]
    unseen = [[13 - 1 - rank for rank in range(13)] for _ in range(4)]
    for suit in range(4):
        held = 0
        for hand in known.values():
            held |= hand[suit]
        unseen[suit] = [bit for bit in range(13) if not held >> bit & 1]
    found: list[tuple[Hand, ...]] = []
    tried = 0
    if not hidden:
        return Layouts((tuple(known[place] for place in range(4)),) * count, count)
    while len(found) < count and tried < TRIES * max(count, 1):
        tried += 1
        lengths = _lengths(rng, [len(cards) for cards in unseen], hidden, constraints)
        if lengths is None:
            continue
        hands = _deal(rng, unseen, lengths)
        if _mend(rng, hands, hidden, constraints):
            whole = dict(known) | {place: (h[0], h[1], h[2], h[3]) for place, h in zip(hidden, hands, strict=True)}
            found.append(tuple(whole[place] for place in range(4)))
        elif tried > 40 * count and not found:
            break
    return Layouts(tuple(found), tried)


def _lengths(
    rng: random.Random, sizes: Sequence[int], hidden: Sequence[int], constraints: Mapping[int, Constraint]
) -> list[tuple[int, ...]] | None:
    """For each suit how many cards go to each hidden hand; None where the last suits left no way."""
    room = [13] * len(hidden)
    chosen: list[tuple[int, ...]] = [()] * 4
    ranges = [[constraints[place].lengths[suit] if place in constraints else (0, 13) for place in hidden] for suit in range(4)]
    order = sorted(range(4), key=lambda suit: sum(high - low for low, high in ranges[suit]))
    for position, suit in enumerate(order):
        later = order[position + 1 :]
        options, weights = [], []
        for split, ways in _splits(sizes[suit], len(hidden)):
            for place, held in enumerate(split):
                low, high = ranges[suit][place]
                left = room[place] - held
                if not low <= held <= high or left < sum(ranges[other][place][0] for other in later):
                    break
                if left > sum(min(ranges[other][place][1], sizes[other]) for other in later):
                    break
            else:
                rest = [room[place] - held for place, held in enumerate(split)]
                options.append(split)
                weights.append(ways * _ways(rest))
        if not options:
            return None
        split = rng.choices(options, weights)[0]
        chosen[suit] = split
        room = [left - held for left, held in zip(room, split, strict=True)]
    return chosen


def _ways(room: Sequence[int]) -> int:
    """How many ways the remaining cards can be dealt to hands with so much room."""
    total, ways = sum(room), 1
    for left in room:
        ways *= comb(total, left)
        total -= left
    return ways


def _deal(rng: random.Random, unseen: Sequence[Sequence[int]], lengths: Sequence[tuple[int, ...]]) -> list[list[int]]:
    hands = [[0, 0, 0, 0] for _ in lengths[0]]
    for suit, cards in enumerate(unseen):
        mixed = list(cards)
        rng.shuffle(mixed)
        at = 0
        for hand, held in zip(hands, lengths[suit], strict=True):
            for bit in mixed[at : at + held]:
                hand[suit] |= 1 << bit
            at += held
    return hands


def _mend(rng: random.Random, hands: list[list[int]], hidden: Sequence[int], constraints: Mapping[int, Constraint]) -> bool:
    """Exchange cards between hands until all fit; whether they do."""
    bound = [(place, constraints[seat]) for place, seat in enumerate(hidden) if seat in constraints]
    if not bound:
        return True
    pairs = [pair for pair in product(range(len(hands)), repeat=2) if pair[0] != pair[1]]
    for _ in range(MENDS):
        values = {place: evaluate((hands[place][0], hands[place][1], hands[place][2], hands[place][3])) for place, _ in bound}
        if all(rule.fits(values[place]) for place, rule in bound):
            return True
        if not pairs:
            return False
        strengths = {place: _excess(values[place][0], rule.hcp) for place, rule in bound}
        strong = max(range(len(hands)), key=lambda place: (strengths.get(place, 0), rng.random()))
        weak = min((p for p in range(len(hands)) if p != strong), key=lambda place: (strengths.get(place, 0), rng.random()))
        if not strengths.get(strong) and not strengths.get(weak):
            strong, weak = rng.choice(pairs)
        suits = [suit for suit in range(4) if hands[strong][suit] and hands[weak][suit]]
        if not suits:
            return False
        suit = rng.choice(suits)
        one = rng.choice(_bits(hands[strong][suit]))
        two = rng.choice(_bits(hands[weak][suit]))
        exchange = 1 << one | 1 << two
        hands[strong][suit] ^= exchange
        hands[weak][suit] ^= exchange
    return False


def _excess(value: float, span: Span) -> float:
    return value - span[1] if value > span[1] else value - span[0] if value < span[0] else 0.0


def _bits(holding: int) -> list[int]:
    return [bit for bit in range(13) if holding >> bit & 1]
