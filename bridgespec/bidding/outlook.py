"""What a caller may expect of the hands that it does not see, and of a contract.

`expectation` takes what is known of a hand (`Known`) to the means and variances of its high-card points and its four lengths, over
a pool of random hands. `unseen` then adds what the caller's own hand says: forty points and thirteen cards of each suit are shared
out, so the more the caller has of something the less the others have, each in proportion to what is uncertain of it. The result is
linear in the caller's own hand, and so is `undertricks`, which a condition can therefore ask of a hand (`Expected`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.knowledge import BUMRAP, HCP, LENGTH, POINTS, SUPPORT, Known
from bridgespec.bidding.turn import Turn, level_of, suit_of
from bridgespec.model.evaluate import TERMS, Evaluated, holdings_of

POOL, SEED = 4000, 7
ENOUGH = 4
"""Hands of the pool that must agree with what is known; with fewer the middle of the ranges is taken."""
SHARED = (HCP, *LENGTH)
TOTALS = (40.0, 13.0, 13.0, 13.0, 13.0)
LEAST_VARIANCE = 0.05
OPEN = {HCP: 37, POINTS: 46} | dict.fromkeys(LENGTH, 13)
"""Upper ends that no hand exceeds."""

Weight = tuple[int, float, float]
"""A term of a hand, what each unit of it counts, and above how many it counts."""

# How many tricks more than needed a declarer takes, seen by a defender: least squares over the last turns of both defenders against
# 7,000 undoubled contracts at two or higher, double dummy. What remains has a standard deviation of 1.2 tricks in a suit and 1.4 in
# notrump. Partner's terms are means, so they count fully; one's own trumps count for more from the fourth on.
TO_SPARE_IN_SUIT = 7.56
LEVEL_IN_SUIT, PARTNER_POINTS_IN_SUIT, PARTNER_TRUMPS = -0.546, -0.248, -0.463
OWN_POINTS_IN_SUIT, QUICK_IN_SUIT, TRUMP_HONOURS = -0.152, -0.321, -0.069
FIRST_TRUMPS, LONG_TRUMPS = -0.247, -0.662
TO_SPARE_IN_NOTRUMP = 8.60
LEVEL_IN_NOTRUMP, PARTNER_POINTS_IN_NOTRUMP = -0.711, -0.453
OWN_POINTS_IN_NOTRUMP, QUICK_IN_NOTRUMP, PLAIN_IN_NOTRUMP = -0.278, -0.395, -0.098
QUICK, HIGH = TERMS["quicktricks"], tuple(TERMS[f"high.{suit}"] for suit in range(4))


@cache
def _pool() -> Evaluated:
    rng = np.random.default_rng(SEED)
    deck = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (POOL // 4, 52))
    deals = rng.permuted(deck, axis=1)
    return Evaluated(np.ascontiguousarray(np.concatenate([holdings_of(deals, seat) for seat in range(4)], axis=1)))


def _agreeing(known: Known) -> NDArray[np.bool_]:
    """The hands of the pool that are as is known."""
    hands = _pool()
    inside = np.zeros(len(hands), np.bool_)
    for box in known.boxes:
        found = np.ones(len(hands), np.bool_)
        ranges = {HCP: box.hcp, POINTS: box.points, **dict(zip(LENGTH, box.lengths, strict=True)), **box.other}
        for term, (low, high) in ranges.items():
            column = hands.place(term)
            # Most ranges are open at one end, or at both; no term is negative, and none but points goes beyond 40.
            if low > 0:
                found &= column >= low
            if high < OPEN.get(term, 40):
                # Counts in quarters belong to the whole number below them.
                found &= column <= (high + 0.99 if term == BUMRAP or term in SUPPORT else high)
        inside |= found
    return inside


@dataclass(frozen=True, slots=True)
class Expectation:
    """Means and variances of one hand, in the order of `SHARED`."""

    means: tuple[float, ...]
    variances: tuple[float, ...]


# A call changes what is known of one hand: the other three are those of the turn before.
@lru_cache(maxsize=1 << 14)
def expectation(known: Known) -> Expectation:
    """Means and variances of a hand of which so much is known."""
    inside = _agreeing(known)
    if np.count_nonzero(inside) < ENOUGH:
        ranges = [known.range(term) for term in SHARED]
        return Expectation(
            tuple((low + high) / 2 for low, high in ranges),
            tuple(max(LEAST_VARIANCE, (high - low) ** 2 / 12) for low, high in ranges),
        )
    columns = np.stack([_pool().place(term)[inside] for term in SHARED])
    return Expectation(tuple(columns.mean(axis=1).tolist()), tuple(np.maximum(columns.var(axis=1), LEAST_VARIANCE).tolist()))


def partner_mean(turn: Turn, place: int) -> tuple[float, float]:
    """The mean of a term of `SHARED` in partner's hand, as a number and what each unit of the caller's own takes from it."""
    left, partner, right = (expectation(turn.known[(turn.me + offset) % 4]) for offset in (1, 2, 3))
    share = partner.variances[place] / (left.variances[place] + partner.variances[place] + right.variances[place])
    missing = TOTALS[place] - left.means[place] - partner.means[place] - right.means[place]
    return partner.means[place] + share * missing, share


def undertricks(turn: Turn) -> tuple[float, tuple[Weight, ...]]:
    """How many tricks short the last bid is expected to be, for its opponents: a number, and what the caller's hand adds."""
    suit, level = suit_of(turn.last), level_of(turn.last)
    points, less_points = partner_mean(turn, 0)
    if suit is None:
        spare = TO_SPARE_IN_NOTRUMP + LEVEL_IN_NOTRUMP * level + PARTNER_POINTS_IN_NOTRUMP * points
        own = OWN_POINTS_IN_NOTRUMP - PARTNER_POINTS_IN_NOTRUMP * less_points
        return -spare, ((HCP, -own, 0.0), (QUICK, -QUICK_IN_NOTRUMP, 0.0), (BUMRAP, -PLAIN_IN_NOTRUMP, 0.0))
    trumps, less_trumps = partner_mean(turn, 1 + suit)
    spare = TO_SPARE_IN_SUIT + LEVEL_IN_SUIT * level + PARTNER_POINTS_IN_SUIT * points + PARTNER_TRUMPS * trumps
    own = OWN_POINTS_IN_SUIT - PARTNER_POINTS_IN_SUIT * less_points
    return -spare, (
        (HCP, -own, 0.0),
        (QUICK, -QUICK_IN_SUIT, 0.0),
        (HIGH[suit], -TRUMP_HONOURS, 0.0),
        (LENGTH[suit], -(FIRST_TRUMPS - PARTNER_TRUMPS * less_trumps), 0.0),
        (LENGTH[suit], -LONG_TRUMPS, 3.0),
    )
