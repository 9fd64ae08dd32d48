"""Compute par of many boards at once: `pars` is the array form of `model.par`, with the same results.

For each board the score of every bid is looked up for both sides, each with its better declarer. Then the best auction is computed
from the highest bid down, for all boards together.
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
"""Every contract that may be a par contract: ``Pass`` at index 0, the undoubled contract of ``BIDS[i]`` at 1 + 2 * i, and the
doubled one behind it.
"""

Scores = NDArray[np.int16]
_BLOCK = 1 << 13
"""The number of boards that are computed at a time."""


@dataclass(frozen=True, slots=True)
class Pars:
    """Par of many boards, each an array (N,). Created by `pars`.

    ``score`` is points of North-South, ``contract`` the lowest contract with this score as an index of `CONTRACTS`, ``by_ew``
    whether East or West declares it.
    """

    score: Scores
    contract: NDArray[np.uint8]
    by_ew: NDArray[np.bool_]


def pars(tricks: NDArray[np.uint8], ew_first: NDArray[np.bool_], vulnerability: NDArray[np.uint8]) -> Pars:
    """Return par of (N, 20) tables without unknown cells; ``ew_first`` is whether East or West deals, ``vulnerability`` the number
    of `Vulnerability` (1 North-South, 2 East-West, 3 both).

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
    """Return the points of declarer's side by bid, and by ``14 * vulnerable + tricks``. A contract that fails is doubled."""
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
    """Return the score, the contract and whether East-West declare it, for one block of boards."""
    columns = np.ascontiguousarray(tricks.T)
    vulnerable = vulnerability & 1, vulnerability >> 1
    # Tricks of the better declarer by side and strain. Seats are W N E S; North-South (1 and 3) come first as in `Side`.
    best = [[np.maximum(columns[4 * strain + seat], columns[4 * strain + seat + 2]) for strain in Strain] for seat in (1, 0)]
    at = [[(won + 14 * vulnerable[side]).astype(np.intp) for won in best[side]] for side in (0, 1)]
    table = _scores()
    # The points of a side if a bid of it is the contract, by bid and side.
    scores = np.empty((35, 2, len(tricks)), np.int16)
    for bid, (_, strain) in enumerate(BIDS):
        for side in (0, 1):
            # Every index is in range; "clip" is NumPy's fastest mode.
            table[bid].take(at[side][strain], out=scores[bid, side], mode="clip")
    first = _value(scores, ew_first)
    score = np.where(ew_first, -first, first).astype(np.int16)
    return score, *_lowest(scores, score)


def _value(scores: Scores, ew_first: NDArray[np.bool_]) -> Scores:
    """Return par as points of the side that bids first; the array form of ``model.par._value``."""
    # From 7NT down, because the value of a bid depends on the bids above it: ``overcall`` is the best that a side reaches by bids
    # from the present one on.
    overcall = scores[-1].copy()
    for bid in range(len(BIDS) - 2, -1, -1):
        # Reversed, the two rows are those of the opponents; the right side is computed for both sides before either is replaced.
        np.maximum(overcall, np.minimum(scores[bid], -overcall[::-1]), out=overcall)
    own = np.where(ew_first, overcall[1], overcall[0])
    other = np.where(ew_first, overcall[0], overcall[1])
    value: Scores = np.maximum(own, -np.maximum(other, 0))
    return value


def _lowest(scores: Scores, score: Scores) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the lowest contract with the score of par over which the other side has no better bid, and whether East-West declare
    it.
    """
    value = np.stack([score, -score])
    # The best score of a side by higher bids; above 7NT there is none, so it begins below every score.
    highest = np.full_like(value, -32000)
    contract = np.zeros(len(score), np.uint8)
    by_ew = np.zeros(len(score), np.bool_)
    for bid in range(len(BIDS) - 1, -1, -1):
        fits = (scores[bid] == value) & (highest <= -value)
        found = fits[0] | fits[1]
        if found.any():
            failed = np.where(fits[0], scores[bid, 0], scores[bid, 1]) < 0
            contract[found] = (1 + 2 * bid + failed)[found]
            # If both sides can declare it, `model.par` names North-South first.
            by_ew[found] = ~fits[0][found]
        np.maximum(highest, scores[bid][::-1], out=highest)
    return contract, by_ew
