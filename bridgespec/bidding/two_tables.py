"""Bid deals at two tables: at the first table the first system is North-South, at the second East-West.

`TwoTables.bid` takes a `DealBatch`, for instance from `sequence`, and returns the finished auctions of each deal at both tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.engine import LONGEST_AUCTION, BiddingEngine
from bridgespec.bidding.program_client import Program
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, P, Turn
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability, standard_dealer, standard_vulnerability
from bridgespec.model.cards import Seat, Side
from bridgespec.model.evaluate import HandBits, holdings_of
from bridgespec.model.generator import chunks

PIECE = 32
"""The number of deals that are bid and solved together."""


@dataclass(frozen=True, slots=True)
class DealBatch:
    """Deals that are bid and solved together. Created by `sequence`, or by a caller with deals of its own.

    ``first`` is the number of the first board, ``deals`` the holders of the cards as (N, 52). ``tables`` are the tricks if they
    were solved before, as (N, 20): by strain (notrump, S, H, D, C) and then by declarer (W N E S).
    """

    first: int
    deals: NDArray[np.uint8]
    tables: NDArray[np.uint8] | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished auction at one table, as its last turn. Created by `TwoTables`.

    ``explanations`` are those that a program gave for its calls, by the index of the call.
    """

    turn: Turn
    explanations: dict[int, str]

    def describe(self, index: int) -> str:
        """Return the call at ``index`` with its explanation and the file of its rule."""
        name = CALL_NAMES[self.turn.calls[index]]
        if index in self.explanations:
            return f"{name} {self.explanations[index]}".rstrip()
        meaning = self.turn.meanings[index]
        module = Path(meaning.place.rpartition(":")[0]).stem
        return f"{name} {meaning.text or 'without a rule'}{f' ({module})' if module else ''}"

    @property
    def text(self) -> str:
        """The calls, separated by spaces."""
        return " ".join(CALL_NAMES[call] for call in self.turn.calls)


Ends = list[tuple[Ended, Ended]]
"""The finished auctions at the first and the second table, by deal."""


def sequence(start: int, count: int) -> Iterator[DealBatch]:
    """Yield the deals ``start`` to ``start + count - 1`` of the published sequence; a board's number is its deal's index + 1."""
    at = start
    for chunk in chunks(start, start + count):
        for low in range(0, len(chunk), PIECE):
            part = chunk[low : low + PIECE]
            yield DealBatch(at + 1, part)
            at += len(part)


class TwoTables:
    """Bids deals at two tables. Created for one match, so that its engines keep their turns from board to board.

    With a ``program``, the program makes the calls of the second side, and ``second`` only interprets them.
    """

    def __init__(self, first: BiddingSystem, second: BiddingSystem, program: Program | None = None) -> None:
        systems = (first, second)
        self._engines = {(a, b): BiddingEngine(one, two) for a, one in enumerate(systems) for b, two in enumerate(systems)}
        self._program = program

    def bid(self, batch: DealBatch) -> Ends:
        """Return the finished auctions at both tables, by deal. Dealer and vulnerability follow from the board numbers."""
        holdings = [holdings_of(batch.deals, seat) for seat in range(4)]
        ends: Ends = []
        for row in range(len(batch.deals)):
            dealer, vulnerability = standard_dealer(batch.first + row), standard_vulnerability(batch.first + row)
            dealt, left, across, right = (_hand(holdings[(dealer + place) % 4], row) for place in range(4))
            hands = dealt, left, across, right
            ours = 0 if dealer.side is Side.NS else 1
            ends.append((self._auction(ours, hands, dealer, vulnerability), self._auction(1 - ours, hands, dealer, vulnerability)))
        return ends

    def _auction(
        self, dealing: int, hands: tuple[HandBits, HandBits, HandBits, HandBits], dealer: Seat, vulnerability: Vulnerability
    ) -> Ended:
        """Bid one deal at one table. ``dealing`` is the system of the dealer's side, 0 or 1; the dealer's hand is the first of
        ``hands``.
        """
        engine = self._engines[dealing, 1 - dealing]
        sides = (vulnerability.covers(dealer.side), vulnerability.covers(dealer.side.opponents))
        if self._program is None:
            return Ended(engine.auction(hands, sides), {})
        turn, explanations = engine.start(sides), dict[int, str]()
        while not turn.is_over:
            if turn.me % 2 == dealing:
                call = P if len(turn.calls) >= LONGEST_AUCTION and not turn.must_bid else engine.choose(turn, hands[turn.me]).call
            else:
                call, explanations[len(turn.calls)] = self._program.call(hands[turn.me], turn.calls, dealer, vulnerability)
                if not turn.legal(call):
                    made = " ".join(CALL_NAMES[earlier] for earlier in turn.calls)
                    raise UsageError(f"{self._program.name} calls {CALL_NAMES[call]} after {made}, which is not allowed")
            turn = engine.after(turn, call)
        return Ended(turn, explanations)


def _hand(holdings: NDArray[np.integer], row: int) -> HandBits:
    """Return the hand in column ``row`` of ``holdings``, which has a row for each suit."""
    spades, hearts, diamonds, clubs = (int(value) for value in holdings[:, row])
    return spades, hearts, diamonds, clubs
