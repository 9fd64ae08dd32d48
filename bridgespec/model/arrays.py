"""Judgements on many deals and trick tables at once, as arrays in the model's own order.

Each is the array form of a rule: it marks every record of which the rule says anything, so that the rule itself need only look
at those.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.uint8]
_BLOCK = 1 << 13
_ONES = np.uint64(0x0101010101010101)


def sure_tricks(deals: Cells) -> NDArray[np.uint8]:
    """How many of the highest cards of each suit, from the ace down, are in one hand: shape (records, 4) for deals (records, 52).

    With that suit as trumps, the hand wins at least so many tricks.

    >>> from bridgespec.model.deal import Deal
    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> sure_tricks(np.frombuffer(deal.holders, np.uint8)[None]).tolist()
    [[3, 1, 2, 1]]
    """
    sure = np.empty((len(deals), 4), np.uint8)
    deals = np.ascontiguousarray(deals)
    for suit in range(4):
        first = deals[:, 13 * suit]
        top = deals[:, 13 * suit : 13 * suit + 8].view("<u8")[:, 0]
        differs = top ^ (first * _ONES)
        lowest = (differs & -differs).astype(np.float64)
        sure[:, suit] = ((lowest.view(np.uint64) >> np.uint64(52)) - np.uint64(1023)) >> np.uint64(3)
        long = np.flatnonzero(differs == 0)
        if len(long):
            other = deals[long, 13 * suit : 13 * suit + 13] != first[long, None]
            sure[long, suit] = np.where(other.any(axis=1), other.argmax(axis=1), 13)
    return sure


def impossible_results(deals: Cells | None, tricks: Cells | None) -> NDArray[np.bool_]:
    """Whether a table of results (records, 20) holds a cell that no play of its deal can give.

    The side of the hand with the highest trumps makes at least as many tricks as these, and the other side at most the rest.
    Tables of nothing but zeros are no results, and are not marked; records without a deal or a table neither.

    >>> impossible_results(None, np.zeros((1, 20), np.uint8)).tolist()
    [False]
    """
    count = len(deals) if deals is not None else len(tricks) if tricks is not None else 0
    bad = np.zeros(count, np.bool_)
    if deals is None or tricks is None:
        return bad
    for low in range(0, count, _BLOCK):
        bad[low : low + _BLOCK] = _impossible(deals[low : low + _BLOCK], np.ascontiguousarray(tricks[low : low + _BLOCK].T))
    return bad


def _impossible(deals: Cells, columns: Cells) -> NDArray[np.bool_]:
    """`impossible_results` of one block; ``columns`` has a row a cell."""
    bad = np.zeros(len(deals), np.bool_)
    sure = sure_tricks(deals)
    for suit in range(4):
        least = np.ascontiguousarray(sure[:, suit])
        most = np.uint8(13) - least
        odd = (deals[:, 13 * suit] & 1).astype(np.bool_)
        for seat in range(4):
            value = columns[4 * suit + 4 + seat]
            mine = odd if seat % 2 else ~odd
            bad |= (mine & (value < least)) | (~mine & (value > most) & (value <= 13))
    return bad & columns.any(axis=0)
