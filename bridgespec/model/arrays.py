"""Judgements on many deals and trick tables at once, as arrays in the model's own order.

Each is the array form of a rule: it marks every record of which the rule says anything, so that the rule itself need only look
at those.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.clipping import Clipping
from bridgespec.model.tricks import UNSOLVED

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
    Tables of nothing but zeros are not results, and are not marked; records without a deal or a table neither.

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


def unsolved_results(deals: Cells | None, tricks: Cells | None) -> NDArray[np.bool_]:
    """Whether a table of results (records, 20) is nothing but zeros.

    >>> unsolved_results(None, np.zeros((1, 20), np.uint8)).tolist()
    [True]
    """
    if tricks is None:
        return np.zeros(0 if deals is None else len(deals), np.bool_)
    unsolved: NDArray[np.bool_] = np.asarray(tricks.any(axis=1) == np.False_, np.bool_)
    return unsolved


class ClippingWatch:
    """Looks through the tables of a file, some at a time, for the habits of `Clipping`, as `suspected` does; it marks no record.

    ``found`` holds the tables of each habit, as the index of the first and how many there are: all of the file where together they
    show one, else those that show one alone.
    """

    def __init__(self) -> None:
        self._seen = 0
        self._full = 0
        self._first = -1
        self._values: set[int] = set()
        self._strange = dict.fromkeys(Clipping, 0)
        self._alone: dict[Clipping, tuple[int, int]] = {}

    def __call__(self, deals: Cells | None, tricks: Cells | None) -> NDArray[np.bool_]:
        count = len(deals) if deals is not None else len(tricks) if tricks is not None else 0
        if tricks is not None:
            self._look(tricks)
        self._seen += count
        return np.zeros(count, np.bool_)

    def _look(self, tricks: Cells) -> None:
        full = np.flatnonzero((tricks != UNSOLVED).all(axis=1) & tricks.any(axis=1))
        if not len(full):
            return
        tables = tricks[full].reshape(-1, 5, 4).astype(np.int16)
        self._first = self._seen + int(full[0]) if self._first < 0 else self._first
        self._full += len(full)
        self._values.update(np.unique(tables).tolist())
        others = np.minimum(abs(tables - 13 + np.roll(tables, 1, axis=2)), abs(tables - 13 + np.roll(tables, 3, axis=2)))
        claimed = np.zeros(len(full), np.bool_)
        for habit in Clipping:
            strange = ((tables == habit.floor) & (others > 2)).sum(axis=(1, 2))
            self._strange[habit] += int(strange.sum())
            low = tables <= max(habit.top, habit.floor)
            alone = (strange >= 4) & ((tables == habit.floor) == low).all(axis=(1, 2)) & ~claimed
            claimed |= alone
            if alone.any():
                first, count = self._alone.get(habit, (self._seen + int(full[np.argmax(alone)]), 0))
                self._alone[habit] = first, count + int(alone.sum())

    @property
    def together(self) -> Clipping | None:
        """The habit that all the tables show together."""
        for habit in Clipping:
            low = {value for value in self._values if value <= max(habit.top, habit.floor)}
            if low == {habit.floor} and self._strange[habit] >= 4:
                return habit
        return None

    @property
    def found(self) -> dict[Clipping, tuple[int, int]]:
        """The tables of each habit: the index of the first, and how many."""
        habit = self.together
        return self._alone if habit is None else {habit: (self._first, self._full)}
