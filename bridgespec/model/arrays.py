"""Array forms of rules: they judge many deals and trick tables at once, in the model's own order.

Each function or judge marks every record for which its rule may report something, so that the rule itself need only check those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.clipping import Clipping
from bridgespec.model.tricks import UNSOLVED

Cells = NDArray[np.uint8]
# Blocks bound the memory. 100,000 tables take 22 ms in these, 98 ms in blocks of 1,024, 15 ms all at once.
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
    # `view` with a wider type demands that the last axis is contiguous.
    deals = np.ascontiguousarray(deals)
    for suit in range(4):
        first = deals[:, 13 * suit]
        # Eight holders are read as one number: the lowest byte that differs from the ace's holder ends the run of sure tricks.
        top = deals[:, 13 * suit : 13 * suit + 8].view("<u8")[:, 0]
        differs = top ^ (first * _ONES)
        # The lowest set bit is a power of two, which a float holds exactly; its exponent is the bit's position.
        lowest = (differs & -differs).astype(np.float64)
        sure[:, suit] = ((lowest.view(np.uint64) >> np.uint64(52)) - np.uint64(1023)) >> np.uint64(3)
        # All eight cards are in one hand: rare enough to be compared card by card.
        long = np.flatnonzero(differs == 0)
        if len(long):
            other = deals[long, 13 * suit : 13 * suit + 13] != first[long, None]
            sure[long, suit] = np.where(other.any(axis=1), other.argmax(axis=1), 13)
    return sure


def impossible_results(deals: Cells | None, tricks: Cells | None) -> NDArray[np.bool_]:
    """Return whether each table of results (records, 20) has a cell that no play of its deal can give.

    The side of the hand with the highest trumps makes at least as many tricks as these, and the other side at most the rest.
    Tables of zeros are unsolved, and are not marked; nor are records without a deal or a table.

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
        # Seats alternate between the sides, so the lowest bit of a seat is its side.
        odd = (deals[:, 13 * suit] & 1).astype(np.bool_)
        for seat in range(4):
            value = columns[4 * suit + 4 + seat]
            mine = odd if seat % 2 else ~odd
            # A cell above 13 is unknown and contradicts nothing; it is never below `least`, so only the upper bound needs the test.
            bad |= (mine & (value < least)) | (~mine & (value > most) & (value <= 13))
    # A table of zeros is unsolved, which is a finding of its own.
    return bad & columns.any(axis=0)


@dataclass(frozen=True)
class _Counted:
    """Packed counters over the four cells of one strain, for each of their 65,536 values; the counters of five strains are added.

    Bits of a counter: for each habit five for its strange cells and three (``unclean``) for strains with a low cell that is not the
    habit's own value; three for strains with an unknown cell; three for strains with a cell that is not zero.
    """

    table: NDArray[np.uint32]
    strange: int
    unclean: tuple[int, ...]
    unknown: int
    given: int

    @classmethod
    @lru_cache(maxsize=1)
    def made(cls) -> _Counted:
        """Return the counters of all 65,536 values: a result in four bits, West's the lowest."""
        cells = _WAYS
        # A row is W N E S: both neighbours of a declarer are opponents, as in `clipping._strange`.
        sums = cells + np.roll(cells, 1, axis=1) - 13, cells + np.roll(cells, 3, axis=1) - 13
        others = np.minimum(abs(sums[0]), abs(sums[1]))
        counts = [((cells == habit.floor) & (others > 2)).sum(axis=1) for habit in Clipping]
        low = [(cells <= max(habit.top, habit.floor)) & (cells != habit.floor) for habit in Clipping]
        flags = [one.any(axis=1) for one in (*low, cells == UNSOLVED, cells != 0)]
        table, at = np.zeros(1 << 16, np.uint32), 0
        places = []
        # Five strains of up to four strange cells are 20, which five bits hold; a flag of five strains needs three.
        for width, counted in (*((5, one) for one in counts), *((3, one) for one in flags)):
            table |= counted.astype(np.uint32) << np.uint32(at)
            places.append(((1 << width) - 1) << at)
            at += width
        *unclean, unknown, given = places[len(counts) :]
        return cls(table, sum(places[: len(counts)]), tuple(unclean), unknown, given)


_WAYS = (np.arange(1 << 16)[:, None] >> np.array([0, 4, 8, 12]) & 15).astype(np.int16)
"""The four results of a strain, by the number that contains them in four bits each."""


@lru_cache(maxsize=1)
def _least() -> NDArray[np.uint16]:
    """Return, for the results of a strain, how many sure tricks of each side contradict one, West's in the low byte; 127 is added
    to each.
    """
    # An unknown result bounds nothing: 15 is no minimum, and 0 no maximum.
    known = np.where(_WAYS <= 13, _WAYS, 0)
    sides = [np.minimum(_WAYS[:, side::2].min(axis=1) + 1, 14 - known[:, 1 - side :: 2].max(axis=1)) + 127 for side in (0, 1)]
    least: NDArray[np.uint16] = (sides[0] | sides[1] << 8).astype(np.uint16)
    return least


_SUITS = tuple((26 * suit // 8, 26 * suit % 8) for suit in range(4))
"""Byte and bit in which a suit of a packed deal begins."""


@lru_cache(maxsize=1)
def _surely() -> NDArray[np.uint16]:
    """Return, for the first eight cards of a suit in two bits each, the sure tricks in the byte of their side.

    Thirteen where one hand has all eight: such a deal is computed card by card.
    """
    seats = np.arange(1 << 16)[:, None] >> np.arange(0, 16, 2) & 3
    other = seats != seats[:, :1]
    sure = np.where(other.any(axis=1), other.argmax(axis=1), 13)
    of_side: NDArray[np.uint16] = (sure << 8 * (seats[:, 0] & 1)).astype(np.uint16)
    return of_side


def _spread(packed: NDArray[np.uint8], bits: int) -> Cells:
    """Return rows of packed elements of ``bits`` bits, from the lowest bit on, with a byte for each element."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return (packed[:, :, None] >> shifts & np.uint8((1 << bits) - 1)).reshape(len(packed), -1)


class ResultsJudge:
    """Marks the records whose results a rule may report, and looks for the habits of `Clipping`, as `suspected` does. One for each
    file that is checked; it is called with its records, chunk by chunk.

    ``found`` gives the tables of each habit, as the index of the first and their number: all tables of the file where they show one
    habit together, else those that show one by themselves.

    >>> ResultsJudge()(None, np.zeros((1, 20), np.uint8)).tolist()
    [True]
    """

    def __init__(self) -> None:
        self._seen = 0
        self._full = 0
        self._first = -1
        self._unclean = 0
        self._strange = dict.fromkeys(Clipping, 0)
        self._alone: dict[Clipping, tuple[int, int]] = {}

    def __call__(self, deals: Cells | None, tricks: Cells | None) -> NDArray[np.bool_]:
        """Check further records, in the form that `impossible_results` takes."""
        bad = impossible_results(deals, tricks)
        if tricks is not None:
            # what is no number of tricks is a finding of its own, and unknown to the rules
            cells = np.minimum(tricks, UNSOLVED)
            # Four results a word, West's the lowest: the form of packed tables, so that both paths look up the same counters.
            bad |= self._look((cells[:, ::2] | cells[:, 1::2] << 4).view("<u2"))
        return bad

    def packed(self, deals: NDArray[np.uint8] | None, tricks: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Check records as `__call__` does, for packed deals (two bits a card, (records, 13)) and packed tables (four bits a
        result, (records, 10)).

        Cards, results and holders are in the model's own order and numbers, from the lowest bit on.
        """
        words = tricks.view("<u2")
        bad = self._look(words)
        if deals is None:
            return bad
        room = np.full(len(words), 0xFFFF, np.uint16)
        for suit, (at, shift) in enumerate(_SUITS):
            cards = (deals[:, at : at + 4].view("<u4")[:, 0] >> np.uint32(shift)).astype(np.uint16)
            # bytes do not borrow: what is left of each keeps its highest bit unless the sure tricks contradict a result
            room &= _least().take(words[:, suit + 1], mode="wrap") - _surely().take(cards, mode="wrap")
        doubtful = np.flatnonzero((room & 0x8080) != 0x8080)
        if len(doubtful):
            bad[doubtful] |= impossible_results(_spread(deals[doubtful], 2), _spread(tricks[doubtful], 4))
        return bad

    def _look(self, words: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """Count tables whose strains are numbers as in `_Counted`. Return whether each is all zeros."""
        counted = _Counted.made()
        counts = np.zeros(len(words), np.uint32)
        for strain in range(5):
            # Every value of 16 bits is an index; the default mode checks each of them, which takes half again as long.
            counts += counted.table.take(words[:, strain], mode="wrap")
        unsolved: NDArray[np.bool_] = (counts & counted.given) == 0
        full = ((counts & counted.unknown) == 0) & ~unsolved
        number = int(np.count_nonzero(full))
        # Full tables only: as in `Facts.clipped`, an unknown cell could hide the low result that disproves the habit.
        if number:
            self._first = self._seen + int(full.argmax()) if self._first < 0 else self._first
            self._full += number
            # No copy where all tables are full.
            self._unclean |= int(np.bitwise_or.reduce(counts if number == len(counts) else counts[full]))
            self._clipped(np.flatnonzero(full & ((counts & counted.strange) != 0)), counts)
        self._seen += len(words)
        return unsolved

    def _clipped(self, odd: NDArray[np.intp], counts: NDArray[np.uint32]) -> None:
        """Count the full tables with a strange cell, which are few."""
        claimed = np.zeros(len(odd), np.bool_)
        for at, (habit, unclean) in enumerate(zip(Clipping, _Counted.made().unclean, strict=True)):
            strange = counts[odd] >> 5 * at & 31
            self._strange[habit] += int(strange.sum())
            alone = (strange >= 4) & ((counts[odd] & unclean) == 0) & ~claimed
            claimed |= alone
            if alone.any():
                first, count = self._alone.get(habit, (self._seen + int(odd[alone.argmax()]), 0))
                self._alone[habit] = first, count + int(alone.sum())

    @property
    def together(self) -> Clipping | None:
        """The habit that all the tables show together."""
        habits = zip(Clipping, _Counted.made().unclean, strict=True)
        return next((habit for habit, unclean in habits if not self._unclean & unclean and self._strange[habit] >= 4), None)

    @property
    def found(self) -> dict[Clipping, tuple[int, int]]:
        """The tables of each habit: the index of the first, and how many."""
        habit = self.together
        return self._alone if habit is None else {habit: (self._first, self._full)}


class NumbersJudge:
    """Finds the boards whose number an earlier board has with other cards. One for each file that is checked.

    ``found`` maps their indexes to that of the first board with the number; boards beyond the first `MOST` are only counted, in
    ``dropped``.

    >>> judge, deals = NumbersJudge(), np.zeros((3, 52), np.uint8)
    >>> deals[2, 0] = 1
    >>> judge(0, np.array([4, 4, 4]), deals, np.array([True, True, True]))
    >>> sorted(judge.found)
    [0, 2]
    """

    MOST = 1000

    def __init__(self) -> None:
        self.found: set[int] = set()
        self.dropped = self._told = 0
        self._numbers = np.empty(0, np.int64)
        self._deals = np.empty((0, 52), np.uint8)
        self._first = np.empty(0, np.int64)

    def __call__(self, first: int, numbers: NDArray[np.int64], deals: Cells, given: NDArray[np.bool_]) -> None:
        """Check the records from index ``first`` on; ``given`` is true for those that have a number and a deal."""
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
        kept = other[: self.MOST - self._told]
        self.found.update((rows[kept] + first).tolist(), self._first[places[kept]].tolist())
        self._told += len(kept)
        self.dropped += len(other) - len(kept)
