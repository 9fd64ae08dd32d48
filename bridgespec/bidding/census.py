"""Which hands make which call at a turn, by many hands at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.condition import ALWAYS, NEVER, Mask
from bridgespec.bidding.engine import Candidate, Engine
from bridgespec.bidding.knowledge import BUMRAP, HCP, LENGTH, POINTS, Known, Ranges
from bridgespec.bidding.turn import Turn
from bridgespec.model.evaluate import Chosen, Evaluated, Hand, holdings_of

Rows = NDArray[np.int64]
"""Places of hands among all of a pool."""


@dataclass(frozen=True, slots=True)
class Share:
    """A rule at a turn, the hands of the pool that fit it, and those of them that no earlier rule takes."""

    candidate: Candidate
    fitting: Rows
    taken: Rows


@dataclass(frozen=True, slots=True)
class Census:
    """The rules of a turn, best first, with their hands; ``rows`` are all hands that were asked, ``left`` those without a rule."""

    shares: tuple[Share, ...]
    rows: Rows
    left: Rows


def pool(count: int, seed: int) -> Evaluated:
    """Random hands, those of ``count`` / 4 deals."""
    rng = np.random.default_rng(seed)
    deck = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (-(-count // 4), 52))
    deals = rng.permuted(deck, axis=1)
    return Evaluated(np.ascontiguousarray(np.concatenate([holdings_of(deals, seat) for seat in range(4)], axis=1)[:, :count]))


def hand_at(hands: Evaluated, row: int) -> Hand:
    """One hand of a pool."""
    spades, hearts, diamonds, clubs = (int(value) for value in hands.holdings[:, row])
    return spades, hearts, diamonds, clubs


def known_rows(hands: Evaluated, known: Known) -> Rows:
    """The hands of a pool that may be one of which so much is known."""
    inside = np.zeros(len(hands), np.bool_)
    for box in known.boxes:
        ranges = {HCP: box.hcp, POINTS: box.points, **dict(zip(LENGTH, box.lengths, strict=True)), **box.other}
        inside |= _within(hands, ranges)
    return np.flatnonzero(inside)


def _within(hands: Evaluated, ranges: Ranges) -> Mask:
    found = np.ones(len(hands), np.bool_)
    for term, (low, high) in ranges.items():
        column = hands.place(term)
        # Such counts have quarters, and a range of theirs ends with the whole number.
        found &= (column >= low) & (column <= (high + 0.99 if term == BUMRAP else high))
    return found


def census(engine: Engine, turn: Turn, hands: Evaluated, rows: Rows | None = None) -> Census:
    """Which of the hands make which call; all hands that may be at this turn, or those in ``rows``."""
    asked = known_rows(hands, turn.own) if rows is None else rows
    some = hands if len(asked) == len(hands) else Chosen(hands, asked)
    left = np.ones(len(asked), np.bool_)
    shares = []
    for candidate in engine.candidates(turn):
        if candidate.shows is NEVER or candidate.wants is NEVER:
            continue
        fits = candidate.shows.mask(some)
        if candidate.wants is not ALWAYS:
            fits = fits & candidate.wants.mask(some)
        shares.append(Share(candidate, asked[fits], asked[fits & left]))
        left &= ~fits
    return Census(tuple(shares), asked, asked[left])
