"""Two systems against each other: the same deals at two tables, scored double dummy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.ending import score_in
from bridgespec.bidding.engine import Engine
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, Turn
from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.model.cards import Side
from bridgespec.model.evaluate import Hand, holdings_of
from bridgespec.model.generator import chunks
from bridgespec.model.score import imps
from bridgespec.solver import solve_tables

PIECE = 32
"""Deals that are bid and solved together."""


@dataclass(frozen=True, slots=True)
class Swing:
    """A board of a match: IMPs to the first system, both auctions, and the call at which they parted."""

    board: int
    imps: int
    auctions: tuple[str, str]
    parted: int


def _hand(holdings: NDArray[np.integer], row: int) -> Hand:
    """One hand of many, whose holdings stand in rows by suit."""
    spades, hearts, diamonds, clubs = (int(value) for value in holdings[:, row])
    return spades, hearts, diamonds, clubs


def play(first: BiddingSystem, second: BiddingSystem, start: int, count: int) -> Iterator[Swing]:
    """Deals ``start`` to ``start + count - 1`` of the sequence at two tables: the first system sits North-South, then East-West.

    A board that is bid alike is not solved.
    """
    engines = {(a, b): Engine(one, two) for a, one in enumerate((first, second)) for b, two in enumerate((first, second))}
    at = start
    for chunk in chunks(start, start + count):
        for low in range(0, len(chunk), PIECE):
            part = chunk[low : low + PIECE]
            yield from _piece(engines, part, at)
            at += len(part)


def _piece(engines: dict[tuple[int, int], Engine], deals: NDArray[np.uint8], at: int) -> Iterator[Swing]:
    holdings = [holdings_of(deals, seat) for seat in range(4)]
    ends: list[tuple[Turn, Turn]] = []
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
    apart = [row for row, (one, two) in enumerate(ends) if one.calls != two.calls]
    tables = dict(zip(apart, solve_tables(deals[apart], threads=1), strict=True)) if apart else {}
    for row, (one, two) in enumerate(ends):
        number = at + row + 1
        swing = 0
        if row in tables:
            swing = imps(_score(one, number, tables[row]) - _score(two, number, tables[row]))
        parted = next((turn for turn, (a, b) in enumerate(zip(one.calls, two.calls, strict=False)) if a != b), -1)
        yield Swing(number, swing, (_text(one), _text(two)), parted)


def _score(end: Turn, number: int, table: NDArray[np.uint8]) -> int:
    """Points of North-South."""
    dealer = standard_dealer(number)
    made = score_in(end, table.tolist(), dealer)
    return made if dealer.side is Side.NS else -made


def _text(end: Turn) -> str:
    return " ".join(CALL_NAMES[call] for call in end.calls)
