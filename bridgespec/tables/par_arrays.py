"""Par of many boards at once: the array form of `model.par`, with the same conventions and results. `pars` is the entry.

A table gives the score of every bid for each side, by its best declarer; the auction is then evaluated from the highest bid down,
for all boards together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.cards import Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.score import points

BIDS = tuple((level, strain) for level in range(1, 8) for strain in reversed(Strain))
"""The bids, lowest first: 1C to 7NT."""
CONTRACTS = ("Pass", *(f"{level}{strain.label}{mark}" for level, strain in BIDS for mark in ("", "X")))
"""Every contract that may be a par contract: index 0 is a board passed out, 1 + 2 * bid an undoubled one, the next the same
doubled.
"""

Scores = NDArray[np.int16]
_BLOCK = 1 << 13


@dataclass(frozen=True, slots=True)
class Pars:
    """Par of many boards: the points of North and South, the lowest contract that gives them as an index of `CONTRACTS`, and
    whether East or West plays it.
    """

    score: Scores
    contract: NDArray[np.uint8]
    by_ew: NDArray[np.bool_]


def pars(tricks: NDArray[np.uint8], ew_first: NDArray[np.bool_], vulnerability: NDArray[np.uint8]) -> Pars:
    """Return par of (N, 20) tables whose cells are all known; ``ew_first`` is true where East or West deals, ``vulnerability`` is
    the model's number (1 North-South, 2 East-West, 3 both).

    >>> row = [4, 9, 4, 9] + [8, 5, 8, 5] + [5, 8, 5, 8] * 3
    >>> found = pars(np.array([row], np.uint8), np.array([False]), np.array([0], np.uint8))
    >>> int(found.score[0]), CONTRACTS[found.contract[0]], bool(found.by_ew[0])
    (300, '4SX', True)
    """
    count = len(tricks)
    score, contract = np.empty(count, np.int16), np.empty(count, np.uint8)
    by_ew = np.empty(count, np.bool_)
    for low in range(0, count, _BLOCK):
        part = slice(low, low + _BLOCK)
        score[part], contract[part], by_ew[part] = _block(tricks[part], ew_first[part], vulnerability[part])
    return Pars(score, contract, by_ew)


@cache
def _scores() -> Scores:
    """Points by bid, then by vulnerability and tricks: ``14 * vulnerable + tricks``. A contract that fails is doubled."""
    table = np.empty((35, 28), np.int16)
    for bid, (level, strain) in enumerate(BIDS):
        for vulnerable in (False, True):
            for won in range(14):
                doubling = Doubling.DOUBLED if won < level + 6 else Doubling.UNDOUBLED
                table[bid, 14 * vulnerable + won] = points(Contract(level, strain, doubling), won, vulnerable)
    return table


def _block(
    tricks: NDArray[np.uint8], ew_first: NDArray[np.bool_], vulnerability: NDArray[np.uint8]
) -> tuple[Scores, NDArray[np.uint8], NDArray[np.bool_]]:
    columns = np.ascontiguousarray(tricks.T)
    vulnerable = vulnerability & 1, vulnerability >> 1
    # Seats are W N E S: 1 and 3 are North-South, who come first as in `Side`.
    best = [[np.maximum(columns[4 * strain + seat], columns[4 * strain + seat + 2]) for strain in Strain] for seat in (1, 0)]
    at = [[(won + 14 * vulnerable[side]).astype(np.intp) for won in best[side]] for side in (0, 1)]
    table = _scores()
    left = np.empty((35, 2, len(tricks)), np.int16)
    for bid, (_, strain) in enumerate(BIDS):
        for side in (0, 1):
            # an index is in range by its making, and clipping is the quick way of NumPy
            table[bid].take(at[side][strain], out=left[bid, side], mode="clip")
    first = _value(left, ew_first)
    score = np.where(ew_first, -first, first).astype(np.int16)
    return score, *_lowest(left, score)


def _value(left: Scores, ew_first: NDArray[np.bool_]) -> Scores:
    """Return the score of the side that may bid first; the array form of ``model.par._value``."""
    # From 7NT down, because the value of a bid depends on the bids above it.
    overcall = left[-1].copy()
    for bid in range(len(BIDS) - 2, -1, -1):
        # Reversed, the two rows are those of the opponents; both sides are computed from the values above this bid.
        np.maximum(overcall, np.minimum(left[bid], -overcall[::-1]), out=overcall)
    own = np.where(ew_first, overcall[1], overcall[0])
    other = np.where(ew_first, overcall[0], overcall[1])
    value: Scores = np.maximum(own, -np.maximum(other, 0))
    return value


def _lowest(left: Scores, score: Scores) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the lowest contract that scores par and leaves the other side nothing better above it,
    and whether it is East-West's.
    """
    value = np.stack([score, -score])
    # Below every score, so that nothing above 7NT is better.
    highest = np.full_like(value, -32000)
    contract = np.zeros(len(score), np.uint8)
    by_ew = np.zeros(len(score), np.bool_)
    for bid in range(len(BIDS) - 1, -1, -1):
        fits = (left[bid] == value) & (highest <= -value)
        found = fits[0] | fits[1]
        if found.any():
            failed = np.where(fits[0], left[bid, 0], left[bid, 1]) < 0
            contract[found] = (1 + 2 * bid + failed)[found]
            # where both sides can, the model names North-South first
            by_ew[found] = ~fits[0][found]
        np.maximum(highest, left[bid][::-1], out=highest)
    return contract, by_ew
