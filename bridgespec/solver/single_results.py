"""Functions for single results, without a `Solver` of the caller's own: each thread keeps one context.

For many positions of one deal, for bounds, or with little memory, make a `Solver`.
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
from bridgespec.solver.packing import Bytes
from bridgespec.solver.position import Position

CHUNK = 256
"""The number of deals that are taken at a time, so that few are dealt and solved ahead of what is requested."""


# A context must not be used by two threads, and making one for each question would cost more than most answers.
class _Own(threading.local):
    solver: Solver | None = None


_own = _Own()


def _solver() -> Solver:
    if _own.solver is None:
        _own.solver = Solver()
    return _own.solver


def solve_deal(deal: Deal | str) -> Tricks:
    """The double-dummy table of a deal or its text, or of an ending with equal hands; PositionError for an impossible one.

    >>> print(solve_deal(Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")))
       NT  S  H  D  C
    N   3  3  4  5  4
    S   3  3  4  5  4
    E  10 10  9  7  9
    W  10 10  8  7  9
    """
    return _solver().table(as_deal(deal))


def solve_many(deals: Iterable[Deal | str], *, threads: int | None = None, memory_mb: int = MEMORY_MB) -> Iterator[Tricks]:
    """The tables of any number of deals, in order, on ``threads`` threads, by default one for each core.

    Deals are taken as they are needed, so the iterable may be endless. PositionError for the first impossible deal, when its turn
    comes.

    >>> from bridgespec import Strain
    >>> deals = (Deal.random(seed) for seed in range(3))
    >>> [table.get(Strain.NOTRUMP, Seat.SOUTH) for table in solve_many(deals)]
    [8, 6, 5]
    """
    for tables in stream_tables(_holders(deals), threads=threads, memory_mb=memory_mb):
        yield from (Tricks(row.tobytes()) for row in tables)


def _holders(deals: Iterable[Deal | str]) -> Iterator[Bytes]:
    taken, rest = 0, iter(deals)
    while part := b"".join(as_deal(deal).holders for deal in islice(rest, CHUNK)):
        holders = np.frombuffer(part, np.uint8).reshape(-1, 52)
        # Here the check knows how many deals came before, so that the error names the number of the deal in the whole stream.
        check_deals(holders, taken)
        taken += len(holders)
        yield holders


def par(of: Board | Deal | Tricks | str, dealer: Seat | str | None = None, vulnerability: Vulnerability | str | None = None) -> Par:
    """The par score and its contracts: of a board, or of a deal (or its text) or its table with the dealer and the vulnerability.

    A board has its own dealer and vulnerability, which the arguments override; its table is solved where it is not complete. Raises
    ValueError where something needed is not known.

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
    """How many tricks the side on turn takes with each card that may be played, the current trick included; best first.

    >>> from bridgespec import Strain
    >>> table = CardPlay(Deal.parse("N:A2... K3... Q4... J5..."), Strain.NOTRUMP, Seat.NORTH)
    >>> {str(card): tricks for card, tricks in card_worths(table).items()}
    {'SA': 1, 'S2': 1}
    """
    if not isinstance(play, CardPlay):
        raise TypeError(f"a play is a CardPlay, as CardPlay(deal, Strain.NOTRUMP, Seat.WEST) makes, not {play!r}")
    return {card: group.tricks for group in _solver().cards(_position(play)) for card in group.cards}


def analyse_play(play: CardPlay | Board) -> PlayTrace:
    """The value and the cost of each card played: of a play, or of a board's recorded play.

    ValueError where the board records no play; PositionError for a card that could not be played.

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
    return Position(play.deal, play.strain, play.leader, play.trick)
