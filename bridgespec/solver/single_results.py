"""Functions for single results, for which the caller needs no `Solver`: each thread has one, which is created on first use.

For many positions of one deal, for bounds, or with little memory, create a `Solver`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from bridgespec.model import par as pars
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cardplay import CardPlay
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import Deal, as_deal
from bridgespec.model.par import Par
from bridgespec.model.tricks import Tricks
from bridgespec.solver.batch import check_deals, stream_tables
from bridgespec.solver.context import MEMORY_MB, PlayTrace, Solver
from bridgespec.solver.packing import ByteArray
from bridgespec.solver.position import Position

CHUNK = 256
"""The number of deals that `solve_many` takes from the iterable at a time."""


class _ThreadSolver(threading.local):
    """The solver of the current thread: a `Solver` is for one thread, and creating one takes longer than most results."""

    solver: Solver | None = None


_this_thread = _ThreadSolver()


def _solver() -> Solver:
    """Return the solver of the current thread."""
    if _this_thread.solver is None:
        _this_thread.solver = Solver()
    return _this_thread.solver


def solve_deal(deal: Deal | str) -> Tricks:
    """Return the double-dummy table of a deal or its text, or of an ending with equal hands. Raises PositionError if it is
    impossible.

    >>> print(solve_deal(Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")))
       NT  S  H  D  C
    N   3  3  4  5  4
    S   3  3  4  5  4
    E  10 10  9  7  9
    W  10 10  8  7  9
    """
    return _solver().table(as_deal(deal))


def solve_many(deals: Iterable[Deal | str], *, threads: int | None = None, memory_mb: int = MEMORY_MB) -> Iterator[Tricks]:
    """Yield the tables of deals in order, solved on ``threads`` threads, by default one for each core.

    Deals are taken as needed, so the iterable may be endless. Raises PositionError at the first impossible deal.

    >>> from bridgespec import Strain
    >>> deals = (Deal.random(seed) for seed in range(3))
    >>> [table.get(Strain.NOTRUMP, Seat.SOUTH) for table in solve_many(deals)]
    [8, 6, 5]
    """
    for tables in stream_tables(_holders(deals), threads=threads, memory_mb=memory_mb):
        yield from (Tricks(row.tobytes()) for row in tables)


def _holders(deals: Iterable[Deal | str]) -> Iterator[ByteArray]:
    """Yield the holders of `CHUNK` deals at a time, after a check of the deals."""
    taken, rest = 0, iter(deals)
    while part := b"".join(as_deal(deal).holders for deal in islice(rest, CHUNK)):
        holders = np.frombuffer(part, np.uint8).reshape(-1, 52)
        # `stream_tables` would number the deals of each chunk from 0; here the error has the number among all deals.
        check_deals(holders, taken)
        taken += len(holders)
        yield holders


def par(of: Board | Deal | Tricks | str, dealer: Seat | str | None = None, vulnerability: Vulnerability | str | None = None) -> Par:
    """Return the par score and its contracts: of a board, or of a deal, its text or its table with the dealer and the
    vulnerability.

    A board has a dealer and a vulnerability, which the arguments override. The table is solved unless it is complete. Raises
    ValueError if the deal, the dealer or the vulnerability is unknown.

    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> result = par(deal, Seat.NORTH, Vulnerability.EW)
    >>> print(result, result.score, sep="; ")
    -630: 3NT EW +1, 4NT EW =; -630
    """
    if isinstance(of, Board):
        dealer = of.effective_dealer if dealer is None else dealer
        vulnerability = of.effective_vulnerability if vulnerability is None else vulnerability
        if of.tricks is not None and of.tricks.known == 20:
            of = of.tricks
        elif of.deal is not None:
            of = of.deal
        else:
            raise ValueError("the board has no deal")
    if dealer is None or vulnerability is None:
        raise ValueError("par depends on who deals and who is vulnerable: say both")
    dealer = Seat.parse(dealer) if isinstance(dealer, str) else dealer
    vulnerability = Vulnerability.parse(vulnerability) if isinstance(vulnerability, str) else vulnerability
    return pars.par(of if isinstance(of, Tricks) else solve_deal(of), dealer, vulnerability)


def card_worths(play: CardPlay) -> dict[Card, int]:
    """Return for each card that may be played the number of tricks of the side on turn, with the current trick; best card first.

    >>> from bridgespec import Strain
    >>> table = CardPlay(Deal.parse("N:A2... K3... Q4... J5..."), Strain.NOTRUMP, Seat.NORTH)
    >>> {str(card): tricks for card, tricks in card_worths(table).items()}
    {'SA': 1, 'S2': 1}
    """
    if not isinstance(play, CardPlay):
        raise TypeError(f"a play is a CardPlay, as CardPlay(deal, Strain.NOTRUMP, Seat.WEST) makes, not {play!r}")
    return {card: group.tricks for group in _solver().cards(_position(play)) for card in group.cards}


def analyse_play(play: CardPlay | Board) -> PlayTrace:
    """Return the value and the cost of each card of a play, or of the play that a board records.

    Raises ValueError if the board records no play, and PositionError for a card that could not be played.

    >>> from bridgespec import Strain
    >>> table = CardPlay(Deal.parse("N:A2... K3... Q4... J5..."), Strain.NOTRUMP, Seat.NORTH, ["S2", "S3"])
    >>> [(str(played.seat), str(played.card), played.cost) for played in analyse_play(table).cards]
    [('North', 'S2', 0), ('East', 'S3', 1)]
    """
    if isinstance(play, Board):
        recorded = play.play
        if recorded is None:
            raise ValueError("the board records no play")
        start, cards = CardPlay.of(play), recorded.cards
    else:
        start, cards = play, play.cards
    return _solver().trace(Position(start.start, start.strain, start.first), cards)


def _position(play: CardPlay) -> Position:
    """Return the present position of a play."""
    return Position(play.deal, play.strain, play.leader, play.trick)
