"""A match between two systems: the same deals at two tables, scored double dummy.

`Contest.play` takes batches of deals (`DealBatch`, from `sequence` or with tables that were solved before) and yields a `Swing` for
each board; `outcome` sums swings up. The second side may be another program, which speaks the line protocol (`Program`).
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
    """The result of one board of a match. Created by `Contest.play`.

    ``imps`` are IMPs to the first system, ``auctions`` the texts of both auctions, ``parted`` the index of the first call in which
    they differ (-1: none). ``ways`` describes that call with its rule, first for the first system, then for the second.
    """

    board: int
    imps: int
    auctions: tuple[str, str]
    parted: int
    ways: tuple[str, str] = ("", "")
    faults: tuple[ParLoss | None, ...] = ()
    """The loss from par at each table, with ``blame``; None where no side lost an IMP, empty without ``blame``."""

    @property
    def own_faults(self) -> list[ParLoss]:
        """The losses of the first system, which is North-South at the first table and East-West at the second."""
        return [one for table, one in enumerate(self.faults) if one is not None and one.north_south == (table == 0)]


@dataclass(frozen=True, slots=True)
class SwingSource:
    """The boards whose auctions part with the same two calls: these calls (as in `Swing.ways`), the number and the IMPs of the
    boards.
    """

    ways: tuple[str, str]
    boards: int
    imps: int


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The summary of a match. Created by `outcome`.

    ``mean`` is the mean number of IMPs a board to the first system, ``error`` its standard error, ``apart`` the number of boards
    that were bid differently, ``sources`` the boards grouped by the calls at which the auctions parted.
    """

    mean: float
    error: float
    boards: int
    apart: int
    sources: tuple[SwingSource, ...]


def outcome(swings: Sequence[Swing]) -> MatchOutcome:
    """Return the summary of swings; of its sources those with the most IMPs for either side come first.

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
"""The tables of tricks of the deals that were solved, by row of the batch."""


def play(first: BiddingSystem, second: BiddingSystem, start: int, count: int) -> Iterator[Swing]:
    """Play ``count`` deals of `sequence` between two systems, and yield the result of each board."""
    return Contest(first, second).play(sequence(start, count))


class Contest:
    """A match between two systems, the first of which is North-South at the first table and East-West at the second.

    With a ``program``, the program makes the calls of the second side (`TwoTables`). With ``blame``, every board is solved, and its
    `Swing` has the losses from par.
    """

    def __init__(self, first: BiddingSystem, second: BiddingSystem, program: Program | None = None, blame: bool = False) -> None:
        self._tables = TwoTables(first, second, program)
        self._blame = blame

    def play(self, batches: Iterable[DealBatch]) -> Iterator[Swing]:
        """Yield the results of the boards in order. Boards with the same auction at both tables are solved only with ``blame``.

        A second thread solves a batch while the next one is bid.
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
        """Yield the results of a batch, once its tables are solved."""
        tables = solved.result()
        for row, (one, two) in enumerate(ends):
            number = batch.first + row
            apart = one.turn.calls != two.turn.calls
            swing = imps(_score(one, number, tables[row]) - _score(two, number, tables[row])) if apart else 0
            pairs = zip(one.turn.calls, two.turn.calls, strict=False)
            parted = next((place for place, (a, b) in enumerate(pairs) if a != b), -1)
            ways = ("", "")
            if parted >= 0:
                # At the first table the first system is North-South.
                ours = (standard_dealer(number) + parted) % 4 % 2 == Seat.NORTH % 2
                calls = one.describe(parted), two.describe(parted)
                ways = calls if ours else (calls[1], calls[0])
            faults = _faults(number, (one, two), tables[row]) if self._blame else ()
            yield Swing(number, swing, (one.text, two.text), parted, ways, faults)


def _solve(batch: DealBatch, ends: Ends, everything: bool) -> Tables:
    """Return the tables of tricks of the deals that were bid differently, or with ``everything`` of all deals."""
    rows = [row for row, (one, two) in enumerate(ends) if everything or one.turn.calls != two.turn.calls]
    if not rows:
        return {}
    return dict(zip(rows, solve_tables(batch.deals[rows], threads=1) if batch.tables is None else batch.tables[rows], strict=True))


def _faults(number: int, ends: tuple[Ended, Ended], table: NDArray[np.uint8]) -> tuple[ParLoss | None, ...]:
    """Return the loss from par at each of the two tables; ``number`` is the board's, ``table`` its tricks."""
    dealer, vulnerability = standard_dealer(number), standard_vulnerability(number)
    best = par(Tricks(table.tobytes()), dealer, vulnerability).score
    return tuple(fault(end.turn, table.tolist(), dealer, number, best) for end in ends)


def _score(end: Ended, number: int, table: NDArray[np.uint8]) -> int:
    """Return the points of North-South for the end of an auction; ``number`` is the board's, ``table`` its tricks."""
    dealer = standard_dealer(number)
    made = score_in(end.turn, table.tolist(), dealer)
    return made if dealer.side is Side.NS else -made
