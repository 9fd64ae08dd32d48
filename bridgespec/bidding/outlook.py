"""What a caller expects of partner's hand, and of the tricks of a contract.

`expectation` maps a `KnownHand` to the means and variances of high-card points and of the four lengths, over a pool of random
hands. `partner_mean` corrects partner's mean by the caller's own hand: a deal has forty points and thirteen cards of each suit, so
the more the caller has, the less the other three have, each in proportion to its variance. The result is a linear function of the
caller's hand. So are `tricks` and `undertricks`, the entries of the module; `condition.Expected` evaluates them for a hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.knowledge import BUMRAP, HCP, LENGTH, LONGEST, POINTS, SUPPORT, KnownHand
from bridgespec.bidding.turn import Turn, X, level_of, suit_of
from bridgespec.model.evaluate import TERMS, Evaluated, holdings_of

POOL, SEED = 4000, 7
"""The number of hands of the pool, and its seed."""
ENOUGH = 4
"""The fewest hands of the pool within the ranges shown for which means are taken; with fewer the middle of each range is taken."""
SHARED = (HCP, *LENGTH)
"""The terms whose sum over the four hands is the same for every deal."""
TOTALS = (40.0, 13.0, 13.0, 13.0, 13.0)
"""The sum of each term of `SHARED` over the four hands."""
# Variances are divisors in `partner_mean`: a hand that is known exactly must not make them zero.
LEAST_VARIANCE = 0.05
OPEN = {HCP: 37, POINTS: 46} | dict.fromkeys(LENGTH, 13)
"""The highest possible value of some terms: a range with this upper end is open. Of other terms it is 40."""

Weight = tuple[int, float, float]
"""A term of a hand, the weight of each unit of it, and the threshold above which units count."""

# Coefficients of the number of tricks that a declarer takes beyond the contract, as a defender expects it: least squares over the
# last turns of both defenders against 7,000 undoubled contracts at two or higher, double dummy. The residuals have a standard
# deviation of 1.2 tricks in a suit and 1.4 in notrump. The defender's trumps have a coefficient of their own from the fourth on.
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
    """Return the pool of random hands, all four of each deal."""
    rng = np.random.default_rng(SEED)
    deck = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (POOL // 4, 52))
    deals = rng.permuted(deck, axis=1)
    return Evaluated(np.ascontiguousarray(np.concatenate([holdings_of(deals, seat) for seat in range(4)], axis=1)))


def _agreeing(known: KnownHand) -> NDArray[np.bool_]:
    """Return for each hand of the pool whether it is in a box of ``known``."""
    hands = _pool()
    inside = np.zeros(len(hands), np.bool_)
    for box in known.boxes:
        found = np.ones(len(hands), np.bool_)
        ranges = {HCP: box.hcp, POINTS: box.points, **dict(zip(LENGTH, box.lengths, strict=True)), **box.other}
        for term, (low, high) in ranges.items():
            column = hands.place(term)
            # Skips the comparison for open ends, which most ranges have: no term is negative, and none but points exceeds 40.
            if low > 0:
                found &= column >= low
            if high < OPEN.get(term, 40):
                # Counts in quarters belong to the whole number below: a range that ends with 14 includes 14.75.
                found &= column <= (high + 0.99 if term == BUMRAP or term in SUPPORT else high)
        inside |= found
    return inside


@dataclass(frozen=True, slots=True)
class Expectation:
    """The means and variances of the terms of `SHARED` in one hand. Created and cached by `expectation`."""

    means: tuple[float, ...]
    variances: tuple[float, ...]


# Cached, because a call changes the `KnownHand` of one caller only: the other three are those of the turn before.
@lru_cache(maxsize=1 << 14)
def expectation(known: KnownHand) -> Expectation:
    """Return the means and variances of a hand, given what its calls have shown."""
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
    """Return the mean of the term ``SHARED[place]`` in partner's hand, as a linear function of the term in the caller's hand: a
    constant, and the number by which the mean falls for each unit in the caller's hand.
    """
    left, partner, right = (expectation(turn.known[(turn.me + offset) % 4]) for offset in (1, 2, 3))
    share = partner.variances[place] / (left.variances[place] + partner.variances[place] + right.variances[place])
    missing = TOTALS[place] - left.means[place] - partner.means[place] - right.means[place]
    return partner.means[place] + share * missing, share


def undertricks(turn: Turn) -> tuple[float, tuple[Weight, ...]]:
    """Return the expected undertricks of the last bid, as a linear function of the hand of the caller, who defends."""
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


# Coefficients of the number of tricks that the caller's side takes double dummy (the mean of both declarers): least squares over
# the turns of both sides after the opening, in suits in which seven and a half trumps or more are expected, and in notrump. Printed
# by `benchmarks/bidding_outlook.py`. The residuals have a standard deviation of 1.2 tricks in a suit with a fit and 1.6 in notrump;
# those of the sum of both hands' points, which was used before, had 1.5 and 1.8.
TRICKS_IN_SUIT = {
    "one": -3.570,
    "partner's points": 0.345,
    "partner's trumps": 0.785,
    "own points": 0.237,
    "own quick tricks": 0.359,
    "own trumps": 0.477,
    "own trumps above five": 0.212,
    "own ruffs": 0.235,
    "own honours opposite length": -0.001,
    "contested": -0.252,
}
TRICKS_IN_NOTRUMP = {
    "one": -3.592,
    "partner's points": 0.496,
    "own points": 0.214,
    "own plain points": 0.303,
    "own quick tricks": -0.014,
    "own longest suit": -0.030,
    "own length opposite length": 0.031,
    "own honours opposite length": -0.041,
    "contested": -0.443,
}
EVEN = 3.25
"""The mean length of a suit."""

Linear = tuple[float, tuple[Weight, ...]]
"""A quantity that is linear in the caller's own hand: a constant, and the weights of the terms of the hand."""


def trick_features(turn: Turn, suit: int | None) -> dict[str, Linear]:
    """Return the quantity that each coefficient of `TRICKS_IN_SUIT` multiplies; if ``suit`` is None, of `TRICKS_IN_NOTRUMP`."""
    points, less_points = partner_mean(turn, 0)
    lengths = [partner_mean(turn, 1 + other) for other in range(4)]
    opposite = [(other, mean - EVEN) for other, (mean, _) in enumerate(lengths) if other != suit]
    contested = any(call >= X for call in turn.calls[1 - turn.me % 2 :: 2])
    found: dict[str, Linear] = {
        "one": (1.0, ()),
        "partner's points": (points, ((HCP, -less_points, 0.0),)),
        "own points": (0.0, ((HCP, 1.0, 0.0),)),
        "own quick tricks": (0.0, ((QUICK, 1.0, 0.0),)),
        "own honours opposite length": (0.0, tuple((HIGH[other], extra, 0.0) for other, extra in opposite)),
        "contested": (float(contested), ()),
    }
    if suit is None:
        return found | {
            "own plain points": (0.0, ((BUMRAP, 1.0, 0.0),)),
            "own longest suit": (0.0, ((LONGEST, 1.0, 0.0),)),
            "own length opposite length": (0.0, tuple((LENGTH[other], extra, 0.0) for other, extra in opposite)),
        }
    trumps, less_trumps = lengths[suit]
    own = LENGTH[suit]
    return found | {
        "partner's trumps": (trumps, ((own, -less_trumps, 0.0),)),
        "own trumps": (0.0, ((own, 1.0, 0.0),)),
        "own trumps above five": (0.0, ((own, 1.0, 5.0),)),
        # Support points are plain points, ruffs, and trumps beyond four.
        "own ruffs": (4.0, ((SUPPORT[suit], 1.0, 0.0), (BUMRAP, -1.0, 0.0), (own, -1.0, 0.0))),
    }


def tricks(turn: Turn, suit: int | None) -> Linear:
    """Return the expected tricks of the caller's side in a strain (None for notrump); cached in the turn."""
    if suit in turn.outlooks:
        return turn.outlooks[suit]
    table = TRICKS_IN_NOTRUMP if suit is None else TRICKS_IN_SUIT
    number, weights = 0.0, dict[tuple[int, float], float]()
    for name, (constant, terms) in trick_features(turn, suit).items():
        number += table[name] * constant
        for term, weight, above in terms:
            weights[term, above] = weights.get((term, above), 0.0) + table[name] * weight
    found = turn.outlooks[suit] = number, tuple((term, weight, above) for (term, above), weight in weights.items())
    return found
