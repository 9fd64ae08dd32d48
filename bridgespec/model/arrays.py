"""Checks of many deals and trick tables at once: `impossible_results`, `ResultsJudge` and `NumbersJudge` mark the records about
which a rule of `bridgespec.rules` may have a finding, so that the rule itself is applied to these only.

Deals are (N, 52) holders and tables (N, 20) cells, in the orders of `Deal` and `Tricks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.clipping import Clipping
from bridgespec.model.tricks import UNSOLVED

CellArray = NDArray[np.uint8]
"""One number for each card of each deal, or for each cell of each trick table."""
# Records are checked in blocks, to bound the memory. 100,000 tables take 22 ms so, 98 ms in blocks of 1,024, 15 ms all at once.
_BLOCK = 1 << 13
_ONES = np.uint64(0x0101010101010101)


def sure_tricks(deals: CellArray) -> NDArray[np.uint8]:
    """Return for each suit the number of its highest cards, from the ace down, that are in one hand: (N, 4) for deals (N, 52).

    With the suit as trumps, this hand wins at least so many tricks.

    >>> from bridgespec.model.deal import Deal
    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> sure_tricks(np.frombuffer(deal.holders, np.uint8)[None]).tolist()
    [[3, 1, 2, 1]]
    """
    sure = np.empty((len(deals), 4), np.uint8)
    # `view` with a wider type demands that the last axis is contiguous.
    deals = np.ascontiguousarray(deals)
    for suit in range(4):
        first = deals[:, 13 * suit]
        # The holders of the eight highest cards are read as one number, the ace's in the lowest byte: the number of sure tricks is
        # the index of the lowest byte that differs from it.
        top = deals[:, 13 * suit : 13 * suit + 8].view("<u8")[:, 0]
        differs = top ^ (first * _ONES)
        # The lowest set bit is a power of two, which a float represents exactly; its exponent is the number of the bit.
        lowest = (differs & -differs).astype(np.float64)
        sure[:, suit] = ((lowest.view(np.uint64) >> np.uint64(52)) - np.uint64(1023)) >> np.uint64(3)
        # All eight cards are in one hand: rare enough to be compared card by card.
        long = np.flatnonzero(differs == 0)
        if len(long):
            other = deals[long, 13 * suit : 13 * suit + 13] != first[long, None]
            sure[long, suit] = np.where(other.any(axis=1), other.argmax(axis=1), 13)
    return sure


def impossible_results(deals: CellArray | None, tricks: CellArray | None) -> NDArray[np.bool_]:
    """Return for each record whether its table (N, 20) has a number of tricks that is impossible with its deal.

    The side of the hand that has the highest trumps wins at least `sure_tricks`, and the other side at most the rest. A table of
    zeros is unsolved, and is not marked. Without deals or without tables (None) no record is marked.

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


def _impossible(deals: CellArray, columns: CellArray) -> NDArray[np.bool_]:
    """Return `impossible_results` of one block; ``columns`` are the tables transposed, (20, N)."""
    bad = np.zeros(len(deals), np.bool_)
    sure = sure_tricks(deals)
    for suit in range(4):
        least = np.ascontiguousarray(sure[:, suit])
        most = np.uint8(13) - least
        # Seats alternate between the sides, so the lowest bit of a seat is its side.
        odd = (deals[:, 13 * suit] & 1).astype(np.bool_)
        for seat in range(4):
            value = columns[4 * suit + 4 + seat]
            mine = odd if seat % 2 else ~odd
            # A cell above 13 is unknown and contradicts nothing; since it is never below `least`, only the upper bound needs the
            # test.
            bad |= (mine & (value < least)) | (~mine & (value > most) & (value <= 13))
    # Not tables of zeros: these are unsolved, which is another finding.
    return bad & columns.any(axis=0)


@dataclass(frozen=True)
class _StrainCounters:
    """A table of packed counters for the four cells of one strain, by the 65,536 values of the cells; the counters of the five
    strains of a table are added. `made` returns the only instance.

    A packed number has several counters, each with a mask. For each habit of `Clipping`: five bits that count strange cells, those
    that differ by more than two tricks from what the opponents' cells imply (``strange``), and three bits that count strains with a
    low cell that the habit would have changed (``unclean``). Three bits count strains with an unknown cell (``unknown``), and three
    strains with a cell that is not zero (``given``).
    """

    table: NDArray[np.uint32]
    strange: int
    unclean: tuple[int, ...]
    unknown: int
    given: int

    @classmethod
    @lru_cache(maxsize=1)
    def made(cls) -> _StrainCounters:
        """Return the counters of all values of four cells, which have four bits each, West's the lowest."""
        cells = _STRAIN_RESULTS
        # A row is W N E S: both neighbours of a declarer are opponents, as in `clipping._strange`.
        sums = cells + np.roll(cells, 1, axis=1) - 13, cells + np.roll(cells, 3, axis=1) - 13
        others = np.minimum(abs(sums[0]), abs(sums[1]))
        counts = [((cells == habit.floor) & (others > 2)).sum(axis=1) for habit in Clipping]
        low = [(cells <= max(habit.top, habit.floor)) & (cells != habit.floor) for habit in Clipping]
        flags = [one.any(axis=1) for one in (*low, cells == UNSOLVED, cells != 0)]
        table, at = np.zeros(1 << 16, np.uint32), 0
        places = []
        # Five strains with up to four strange cells are at most 20, below 2^5; a flag of five strains is at most 5, below 2^3.
        for width, counters in (*((5, one) for one in counts), *((3, one) for one in flags)):
            table |= counters.astype(np.uint32) << np.uint32(at)
            places.append(((1 << width) - 1) << at)
            at += width
        *unclean, unknown, given = places[len(counts) :]
        return cls(table, sum(places[: len(counts)]), tuple(unclean), unknown, given)


_STRAIN_RESULTS = (np.arange(1 << 16)[:, None] >> np.array([0, 4, 8, 12]) & 15).astype(np.int16)
"""The four cells of a strain, W N E S, by the number that has four bits for each, West's the lowest."""


@lru_cache(maxsize=1)
def _contradicting_tricks() -> NDArray[np.uint16]:
    """Return by the four cells of a strain the fewest sure tricks of each side that contradict a cell, plus 127: of East-West in
    the low byte, of North-South in the high byte.
    """
    # An unknown cell contradicts nothing: as 15 it does not lower the minimum, as 0 it does not raise the maximum.
    known = np.where(_STRAIN_RESULTS <= 13, _STRAIN_RESULTS, 0)
    sides = [
        np.minimum(_STRAIN_RESULTS[:, side::2].min(axis=1) + 1, 14 - known[:, 1 - side :: 2].max(axis=1)) + 127 for side in (0, 1)
    ]
    least: NDArray[np.uint16] = (sides[0] | sides[1] << 8).astype(np.uint16)
    return least


_SUITS = tuple((26 * suit // 8, 26 * suit % 8) for suit in range(4))
"""The byte and the bit of a packed deal at which each suit begins."""


@lru_cache(maxsize=1)
def _packed_sure_tricks() -> NDArray[np.uint16]:
    """Return the sure tricks by the holders of the eight highest cards of a suit, which have two bits each: in the low byte if
    East-West win them, in the high byte if North-South do.

    They are 13 if one hand has all eight cards, so that the deal is doubtful and computed card by card.
    """
    seats = np.arange(1 << 16)[:, None] >> np.arange(0, 16, 2) & 3
    other = seats != seats[:, :1]
    sure = np.where(other.any(axis=1), other.argmax(axis=1), 13)
    of_side: NDArray[np.uint16] = (sure << 8 * (seats[:, 0] & 1)).astype(np.uint16)
    return of_side


def _unpacked(packed: NDArray[np.uint8], bits: int) -> CellArray:
    """Return packed elements of ``bits`` bits, from the lowest bit on, as bytes, one for each element."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return (packed[:, :, None] >> shifts & np.uint8((1 << bits) - 1)).reshape(len(packed), -1)


class ResultsJudge:
    """Marks the records whose tables may have a finding, and finds the habits of `Clipping` as `suspected` does. Created for one
    file that is checked, and called with its records in order, chunk by chunk.

    ``found`` has the tables of each habit, as the index of the first table and the number of tables.

    >>> ResultsJudge()(None, np.zeros((1, 20), np.uint8)).tolist()
    [True]
    """

    def __init__(self) -> None:
        self._seen = 0
        self._full = 0
        self._first = -1
        self._unclean = 0
        self._strange = dict.fromkeys(Clipping, 0)
        self._by_table: dict[Clipping, tuple[int, int]] = {}

    def __call__(self, deals: CellArray | None, tricks: CellArray | None) -> NDArray[np.bool_]:
        """Return which of the next records are marked; the arguments are those of `impossible_results`."""
        bad = impossible_results(deals, tricks)
        if tricks is not None:
            # A cell above 15 has a finding by another rule, and is unknown here.
            cells = np.minimum(tricks, UNSOLVED)
            # The form of packed tables: four cells in a word of 16 bits, West's the lowest.
            bad |= self._count_tables((cells[:, ::2] | cells[:, 1::2] << 4).view("<u2"))
        return bad

    def packed(self, deals: NDArray[np.uint8] | None, tricks: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which of the next records are marked, as `__call__`, for packed deals (N, 13), with two bits a card, and packed
        tables (N, 10), with four bits a cell.

        Elements are packed from the lowest bit on, in the orders of `Deal` and `Tricks`.
        """
        words = tricks.view("<u2")
        bad = self._count_tables(words)
        if deals is None:
            return bad
        margins = np.full(len(words), 0xFFFF, np.uint16)
        for suit, (at, shift) in enumerate(_SUITS):
            cards = (deals[:, at : at + 4].view("<u4")[:, 0] >> np.uint32(shift)).astype(np.uint16)
            # A byte of the difference keeps its highest bit unless the sure tricks of the side contradict a cell; bytes never
            # borrow.
            margins &= _contradicting_tricks().take(words[:, suit + 1], mode="wrap") - _packed_sure_tricks().take(
                cards, mode="wrap"
            )
        doubtful = np.flatnonzero((margins & 0x8080) != 0x8080)
        if len(doubtful):
            bad[doubtful] |= impossible_results(_unpacked(deals[doubtful], 2), _unpacked(tricks[doubtful], 4))
        return bad

    def _count_tables(self, words: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """Add tables, given as (N, 5) numbers of a strain's cells, to the counts. Return for each whether it consists of zeros."""
        counters = _StrainCounters.made()
        counts = np.zeros(len(words), np.uint32)
        for strain in range(5):
            # Every value of 16 bits is a valid index; the default mode checks each, which takes 1.5 times as long.
            counts += counters.table.take(words[:, strain], mode="wrap")
        unsolved: NDArray[np.bool_] = (counts & counters.given) == 0
        full = ((counts & counters.unknown) == 0) & ~unsolved
        number = int(np.count_nonzero(full))
        # Only full tables, as in `Facts.clipped`: an unknown cell may be the low number of tricks that disproves the habit.
        if number:
            self._first = self._seen + int(full.argmax()) if self._first < 0 else self._first
            self._full += number
            self._unclean |= int(np.bitwise_or.reduce(counts if number == len(counts) else counts[full]))
            self._clipped(np.flatnonzero(full & ((counts & counters.strange) != 0)), counts)
        self._seen += len(words)
        return unsolved

    def _clipped(self, odd: NDArray[np.intp], counts: NDArray[np.uint32]) -> None:
        """Add full tables with a strange cell, at the indices ``odd``, to the counts of each habit."""
        claimed = np.zeros(len(odd), np.bool_)
        for at, (habit, unclean) in enumerate(zip(Clipping, _StrainCounters.made().unclean, strict=True)):
            strange = counts[odd] >> 5 * at & 31
            self._strange[habit] += int(strange.sum())
            alone = (strange >= 4) & ((counts[odd] & unclean) == 0) & ~claimed
            claimed |= alone
            if alone.any():
                first, count = self._by_table.get(habit, (self._seen + int(odd[alone.argmax()]), 0))
                self._by_table[habit] = first, count + int(alone.sum())

    @property
    def together(self) -> Clipping | None:
        """The habit that all full tables so far show together; None if there is none."""
        habits = zip(Clipping, _StrainCounters.made().unclean, strict=True)
        return next((habit for habit, unclean in habits if not self._unclean & unclean and self._strange[habit] >= 4), None)

    @property
    def found(self) -> dict[Clipping, tuple[int, int]]:
        """For each habit the index of the first table and the number of tables: all full tables if they show a habit together, else
        those that show it by themselves.
        """
        habit = self.together
        return self._by_table if habit is None else {habit: (self._first, self._full)}


class NumbersJudge:
    """Finds boards that have the number of an earlier board, and other cards. Created for one file that is checked, and called with
    its records in order, chunk by chunk.

    ``found`` has the indices of these boards and of the first board with the number. After `MOST` boards further ones are only
    counted, in ``dropped``.

    >>> judge, deals = NumbersJudge(), np.zeros((3, 52), np.uint8)
    >>> deals[2, 0] = 1
    >>> judge(0, np.array([4, 4, 4]), deals, np.array([True, True, True]))
    >>> sorted(judge.found)
    [0, 2]
    """

    MOST = 1000

    def __init__(self) -> None:
        self.found: set[int] = set()
        self.dropped = self._reported = 0
        self._numbers = np.empty(0, np.int64)
        self._deals = np.empty((0, 52), np.uint8)
        self._first = np.empty(0, np.int64)

    def __call__(self, first: int, numbers: NDArray[np.int64], deals: CellArray, given: NDArray[np.bool_]) -> None:
        """Check the records from index ``first`` on; ``given`` marks those that have a number and a deal."""
        rows = np.flatnonzero(given)
        numbers = numbers[rows]
        fresh, at = np.unique(numbers, return_index=True)
        # Only the first deal of each number is kept: the memory grows with the numbers, not with the records.
        isnew = ~np.isin(fresh, self._numbers)
        fresh, at = fresh[isnew], rows[at[isnew]]
        if len(fresh):
            self._numbers = np.concatenate((self._numbers, fresh))
            # `searchsorted` below demands ascending numbers.
            order = np.argsort(self._numbers)
            self._numbers = self._numbers[order]
            self._deals = np.concatenate((self._deals, deals[at]))[order]
            self._first = np.concatenate((self._first, first + at))[order]
        places = np.searchsorted(self._numbers, numbers)
        other = np.flatnonzero((deals[rows] != self._deals[places]).any(axis=1))
        kept = other[: self.MOST - self._reported]
        self.found.update((rows[kept] + first).tolist(), self._first[places[kept]].tolist())
        self._reported += len(kept)
        self.dropped += len(other) - len(kept)
