"""Two systems against each other: the same deals at two tables, scored double dummy."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.ending import score_in
from bridgespec.bidding.engine import Engine
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, Turn
from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.model.cards import Seat, Side
from bridgespec.model.evaluate import Hand, holdings_of
from bridgespec.model.generator import chunks
from bridgespec.model.score import imps
from bridgespec.solver import solve_tables

PIECE = 32
"""Deals that are bid and solved together."""


@dataclass(frozen=True, slots=True)
class Swing:
    """A board of a match: IMPs to the first system, both auctions, and the call at which they parted (-1: they did not).

    ``ways`` says for each system, the first one first, what it called there and by which rule.
    """

    board: int
    imps: int
    auctions: tuple[str, str]
    parted: int
    ways: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Source:
    """Where swings came from: what each system called when the auctions parted, on how many boards, and the IMPs they brought."""

    ways: tuple[str, str]
    boards: int
    imps: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The mean of IMPs a board to the first system and its standard error; boards in all, and bid differently; where from."""

    mean: float
    error: float
    boards: int
    apart: int
    sources: tuple[Source, ...]


def outcome(swings: Sequence[Swing]) -> Outcome:
    """What swings come to; the sources with the most IMPs, either way, first.

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
    sources = [Source(ways, len(found), sum(found)) for ways, found in groups.items()]
    sources.sort(key=lambda one: (-abs(one.imps), one.ways))
    return Outcome(mean, error, len(values), sum(map(len, groups.values())), tuple(sources))


def _hand(holdings: NDArray[np.integer], row: int) -> Hand:
    """One hand of many, whose holdings stand in rows by suit."""
    spades, hearts, diamonds, clubs = (int(value) for value in holdings[:, row])
    return spades, hearts, diamonds, clubs


Ends = list[tuple[Turn, Turn]]


def play(first: BiddingSystem, second: BiddingSystem, start: int, count: int) -> Iterator[Swing]:
    """Deals ``start`` to ``start + count - 1`` of the sequence at two tables: the first system sits North-South, then East-West.

    A board that is bid alike is not solved. While some deals are solved, the next are bid, on a second thread.
    """
    engines = {(a, b): Engine(one, two) for a, one in enumerate((first, second)) for b, two in enumerate((first, second))}
    waiting: deque[tuple[int, Ends, Future[dict[int, NDArray[np.uint8]]]]] = deque()
    at = start
    with ThreadPoolExecutor(1) as solver:
        for chunk in chunks(start, start + count):
            for low in range(0, len(chunk), PIECE):
                part = chunk[low : low + PIECE]
                ends = _bid(engines, part, at)
                waiting.append((at, ends, solver.submit(_solve, part, ends)))
                at += len(part)
                if len(waiting) > 1:
                    yield from _swings(*waiting.popleft())
        while waiting:
            yield from _swings(*waiting.popleft())


def _bid(engines: dict[tuple[int, int], Engine], deals: NDArray[np.uint8], at: int) -> Ends:
    """The last turns of each deal at both tables."""
    holdings = [holdings_of(deals, seat) for seat in range(4)]
    ends: Ends = []
    for row in range(len(deals)):
        number = at + row + 1
        dealer, vulnerability = standard_dealer(number), standard_vulnerability(number)
        dealt, left, across, right = (_hand(holdings[(dealer + place) % 4], row) for place in range(4))
        whole = dealt, left, across, right
        sides = (vulnerability.covers(dealer.side), vulnerability.covers(dealer.side.opponents))
        ours = 0 if dealer.side is Side.NS else 1
        open_room = engines[ours, 1 - ours].auction(whole, sides)
        closed_room = engines[1 - ours, ours].auction(whole, sides)
        ends.append((open_room, closed_room))
    return ends


def _solve(deals: NDArray[np.uint8], ends: Ends) -> dict[int, NDArray[np.uint8]]:
    """The tables of the deals that were bid differently."""
    apart = [row for row, (one, two) in enumerate(ends) if one.calls != two.calls]
    return dict(zip(apart, solve_tables(deals[apart], threads=1), strict=True)) if apart else {}


def _swings(at: int, ends: Ends, solved: Future[dict[int, NDArray[np.uint8]]]) -> Iterator[Swing]:
    tables = solved.result()
    for row, (one, two) in enumerate(ends):
        number = at + row + 1
        swing = 0
        if row in tables:
            swing = imps(_score(one, number, tables[row]) - _score(two, number, tables[row]))
        parted = next((turn for turn, (a, b) in enumerate(zip(one.calls, two.calls, strict=False)) if a != b), -1)
        ways = ("", "")
        if parted >= 0:
            # At the open table the first system sits North-South.
            ours = (standard_dealer(number) + parted) % 4 % 2 == Seat.NORTH % 2
            ways = (_way(one, parted), _way(two, parted)) if ours else (_way(two, parted), _way(one, parted))
        yield Swing(number, swing, (_text(one), _text(two)), parted, ways)


def _way(end: Turn, turn: int) -> str:
    """A call with what it means and the file of its rule."""
    meaning = end.meanings[turn]
    name = Path(meaning.place.rpartition(":")[0]).stem
    return f"{CALL_NAMES[end.calls[turn]]} {meaning.text or 'without a rule'}{f' ({name})' if name else ''}"


def _score(end: Turn, number: int, table: NDArray[np.uint8]) -> int:
    """Points of North-South."""
    dealer = standard_dealer(number)
    made = score_in(end, table.tolist(), dealer)
    return made if dealer.side is Side.NS else -made


def _text(end: Turn) -> str:
    return " ".join(CALL_NAMES[call] for call in end.calls)
