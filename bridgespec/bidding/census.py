"""Count which hands make which call at a turn: `census` evaluates the conditions of the rules as arrays over a pool of hands."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.engine import BiddingEngine, Candidate
from bridgespec.bidding.knowledge import BUMRAP, HCP, LENGTH, POINTS, KnownHand, TermRanges
from bridgespec.bidding.turn import FIRST_BID, Turn, suit_of
from bridgespec.dealing.algebra import ALWAYS, NEVER, BooleanColumn
from bridgespec.model.evaluate import Chosen, Evaluated, HandBits, holdings_of

HandIndices = NDArray[np.int64]
"""Indices of hands in a pool."""


@dataclass(frozen=True, slots=True)
class Share:
    """The hands of one candidate: ``fitting`` are those that meet its conditions, ``taken`` those of them that fit no earlier rule.

    Where one rule has several suits, a hand is taken by the candidate of its longest suit.
    """

    candidate: Candidate
    fitting: HandIndices
    taken: HandIndices


@dataclass(frozen=True, slots=True)
class Census:
    """The candidates of a turn with their hands, in the order of the rules. Created by `census`.

    ``rows`` are all hands that were tried, ``left`` those of them that no rule fits.
    """

    shares: tuple[Share, ...]
    rows: HandIndices
    left: HandIndices


def pool(count: int, seed: int) -> Evaluated:
    """Return ``count`` random hands: the four hands of each of ``count`` / 4 deals, seat by seat."""
    rng = np.random.default_rng(seed)
    deck = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (-(-count // 4), 52))
    deals = rng.permuted(deck, axis=1)
    return Evaluated(np.ascontiguousarray(np.concatenate([holdings_of(deals, seat) for seat in range(4)], axis=1)[:, :count]))


def hand_at(hands: Evaluated, row: int) -> HandBits:
    """Return the hand in a row of a pool."""
    spades, hearts, diamonds, clubs = (int(value) for value in hands.holdings[:, row])
    return spades, hearts, diamonds, clubs


def known_rows(hands: Evaluated, known: KnownHand) -> HandIndices:
    """Return the rows of the hands that are in a box of ``known``."""
    inside = np.zeros(len(hands), np.bool_)
    for box in known.boxes:
        ranges = {HCP: box.hcp, POINTS: box.points, **dict(zip(LENGTH, box.lengths, strict=True)), **box.other}
        inside |= _within(hands, ranges)
    return np.flatnonzero(inside)


def _within(hands: Evaluated, ranges: TermRanges) -> BooleanColumn:
    """Return for each hand whether it is within all ranges."""
    found = np.ones(len(hands), np.bool_)
    for term, (low, high) in ranges.items():
        column = hands.place(term)
        # BUM-RAP points come in quarters; a range that ends with 14 includes 14.75.
        found &= (column >= low) & (column <= (high + 0.99 if term == BUMRAP else high))
    return found


def census(engine: BiddingEngine, turn: Turn, hands: Evaluated, rows: HandIndices | None = None) -> Census:
    """Return which hands make which call at a turn, among the hands in ``rows``; None: those within what the caller has shown."""
    tried = known_rows(hands, turn.own) if rows is None else rows
    some = hands if len(tried) == len(hands) else Chosen(hands, tried)
    left = np.ones(len(tried), np.bool_)
    shares: list[Share] = []
    for _, group in groupby(engine.candidates(turn), lambda candidate: id(candidate.rule.written)):
        found = []
        for candidate in group:
            if candidate.shows is NEVER or candidate.wants is NEVER:
                continue
            fits = candidate.shows.holds(some)
            if candidate.wants is not ALWAYS:
                fits = fits & candidate.wants.holds(some)
            found.append((candidate, fits))
        taken = _longest(found, some) if len(found) > 1 and found[0][0].rule.several else None
        for place, (candidate, fits) in enumerate(found):
            own = fits & left if taken is None else (taken == place) & left
            shares.append(Share(candidate, tried[fits], tried[own]))
            if taken is None:
                left = left & ~fits
        if taken is not None:
            left = left & (taken < 0)
    return Census(tuple(shares), tried, tried[left])


def _longest(found: list[tuple[Candidate, BooleanColumn]], hands: Evaluated) -> NDArray[np.int64]:
    """Return for each hand the index of the candidate that takes it, among the candidates of one rule: the one whose suit is
    longest in the hand, the first of equals; -1 if the hand fits none.
    """
    lengths = []
    for candidate, fits in found:
        suit = suit_of(candidate.call) if candidate.call >= FIRST_BID else None
        lengths.append(np.where(fits, 0 if suit is None else hands.column(f"length.{suit}") + 1, 0))
    stacked = np.stack(lengths)
    return np.where(stacked.max(axis=0) > 0, stacked.argmax(axis=0), -1)
