"""A match between two systems: the same deals at two tables, scored double dummy.

The input is batches of deals (`DealBatch`, from `sequence` or with tables that were solved before), the output one `Swing` for each
board (`Contest.play`), and their mean (`outcome`). The second side may be another program, behind the line protocol (`Program`).
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.auction_result import score_in
from bridgespec.bidding.blame import ParLoss, fault
from bridgespec.bidding.program_client import Program
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.two_tables import DealBatch, Ended, Ends, TwoTables, sequence
from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.model.cards import Seat, Side
from bridgespec.model.par import par
from bridgespec.model.score import imps
from bridgespec.model.tricks import Tricks
from bridgespec.solver import solve_tables


@dataclass(frozen=True, slots=True)
class Swing:
    """A board of a match: IMPs to the first system, both auctions, and the index of the call at which they parted (-1: they did
    not).

    ``ways`` contains for each system, the first one first, its call there and the rule of the call.
    """

    board: int
    imps: int
    auctions: tuple[str, str]
    parted: int
    ways: tuple[str, str] = ("", "")
    faults: tuple[ParLoss | None, ...] = ()
    """With blame: what was lost from par at the first table and at the second, by whichever side; None where par was reached."""

    @property
    def own_faults(self) -> list[ParLoss]:
        """The losses of the first system, which is North-South at the first table and East-West at the second."""
        return [one for table, one in enumerate(self.faults) if one is not None and one.north_south == (table == 0)]


@dataclass(frozen=True, slots=True)
class SwingSource:
    """Where swings come from: the call of each system where the auctions parted, on how many boards,
    and the IMPs of these boards.
    """

    ways: tuple[str, str]
    boards: int
    imps: int


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The mean of IMPs a board to the first system and its standard error; the number of boards, and of those bid differently; the
    sources.
    """

    mean: float
    error: float
    boards: int
    apart: int
    sources: tuple[SwingSource, ...]


def outcome(swings: Sequence[Swing]) -> MatchOutcome:
    """Return the summary of swings; the sources with the most IMPs, either way, first.

    >>> ways = ("1NT", "1C")
    >>> found = outcome([Swing(1, 6, ("", ""), 0, ways), Swing(2, 0, ("", ""), -1), Swing(3, -3, ("", ""), 0, ways)])
    >>> found.mean, round(found.error, 3), found.apart, found.sources[0].imps
    (1.0, 2.646, 2, 3)
    """
    values = [swing.imps for swing in swings]
    mean = sum(values) / max(len(values), 1)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1) / max(len(values), 1))
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for swing in swings:
        if swing.parted >= 0:
            groups[swing.ways].append(swing.imps)
    sources = [SwingSource(ways, len(found), sum(found)) for ways, found in groups.items()]
    sources.sort(key=lambda one: (-abs(one.imps), one.ways))
    return MatchOutcome(mean, error, len(values), sum(map(len, groups.values())), tuple(sources))


Tables = dict[int, NDArray[np.uint8]]


def play(first: BiddingSystem, second: BiddingSystem, start: int, count: int) -> Iterator[Swing]:
    """Yield the boards of `sequence` between two systems."""
    return Contest(first, second).play(sequence(start, count))


class Contest:
    """Two systems that bid the same deals at two tables: the first is North-South, then East-West. Created for one match.

    With a ``program``, that makes the calls of the second side (`TwoTables`). With ``blame`` every board has the faults of both
    sides, for which every board is solved.
    """

    def __init__(self, first: BiddingSystem, second: BiddingSystem, program: Program | None = None, blame: bool = False) -> None:
        self._tables = TwoTables(first, second, program)
        self._blame = blame

    def play(self, batches: Iterable[DealBatch]) -> Iterator[Swing]:
        """Yield the boards in order. Boards that are bid alike are not solved. A second thread solves a batch while the next is
        bid.
        """
        waiting: deque[tuple[DealBatch, Ends, Future[Tables]]] = deque()
        with ThreadPoolExecutor(1) as solver:
            for batch in batches:
                ends = self._tables.bid(batch)
                waiting.append((batch, ends, solver.submit(_solve, batch, ends, self._blame)))
                if len(waiting) > 1:
                    yield from self._swings(*waiting.popleft())
            while waiting:
                yield from self._swings(*waiting.popleft())

    def _swings(self, batch: DealBatch, ends: Ends, solved: Future[Tables]) -> Iterator[Swing]:
        tables = solved.result()
        for row, (one, two) in enumerate(ends):
            number = batch.first + row
            apart = one.turn.calls != two.turn.calls
            swing = imps(_score(one, number, tables[row]) - _score(two, number, tables[row])) if apart else 0
            pairs = zip(one.turn.calls, two.turn.calls, strict=False)
            parted = next((place for place, (a, b) in enumerate(pairs) if a != b), -1)
            ways = ("", "")
            if parted >= 0:
                # At the open table the first system sits North-South.
                ours = (standard_dealer(number) + parted) % 4 % 2 == Seat.NORTH % 2
                ways = (one.way(parted), two.way(parted)) if ours else (two.way(parted), one.way(parted))
            faults = _faults(number, (one, two), tables[row]) if self._blame else ()
            yield Swing(number, swing, (one.text, two.text), parted, ways, faults)


def _solve(batch: DealBatch, ends: Ends, everything: bool) -> Tables:
    """Return the tables of the deals that were bid differently, or of all."""
    rows = [row for row, (one, two) in enumerate(ends) if everything or one.turn.calls != two.turn.calls]
    if not rows:
        return {}
    return dict(zip(rows, solve_tables(batch.deals[rows], threads=1) if batch.tables is None else batch.tables[rows], strict=True))


def _faults(number: int, ends: tuple[Ended, Ended], table: NDArray[np.uint8]) -> tuple[ParLoss | None, ...]:
    """Return what was lost from par at each table, by whichever side."""
    dealer, vulnerability = standard_dealer(number), standard_vulnerability(number)
    best = par(Tricks(table.tobytes()), dealer, vulnerability).score
    return tuple(fault(end.turn, table.tolist(), dealer, number, best) for end in ends)


def _score(end: Ended, number: int, table: NDArray[np.uint8]) -> int:
    """Return the points of North-South."""
    dealer = standard_dealer(number)
    made = score_in(end.turn, table.tolist(), dealer)
    return made if dealer.side is Side.NS else -made
