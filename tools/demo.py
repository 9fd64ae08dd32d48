"""Makes the sixteen boards of the demo: dealt at random, bid by two systems, played with a mistake now and then, and solved.

    python -m tools.demo

writes ``bridgespec/webpage/static/demo.json``; the same program makes the same boards.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import bridgespec
from bridgespec.bidding.bidder import Bidder
from bridgespec.export.json import dump
from bridgespec.model.board import Board, standard_dealer, standard_vulnerability
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.playing import analyse, play_of_cards
from bridgespec.solver import Position, Solver, solve_document

TARGET = Path(__file__).parent.parent / "bridgespec" / "webpage" / "static" / "demo.json"
BOARDS = 16
MISTAKES = 0.03
"""The share of cards that are played at random."""
TABLES = (
    ("Open", "sayc", ("Wanda", "Noor", "Emil", "Sophie")),
    ("Closed", "two-over-one", ("Walter", "Nadia", "Elena", "Stefan")),
)


def played(solver: Solver, deal: Deal, board: Board, luck: random.Random) -> tuple[Card, ...]:
    """Return the cards of a whole play, the opening lead first; most give nothing away."""
    assert board.contract is not None
    assert board.declarer is not None
    position = Position.opening(deal, board.contract.strain, board.declarer)
    cards: list[Card] = []
    while position.tricks_left:
        best = solver.cards(position)[0].cards[-1]
        card = luck.choice(position.playable) if luck.random() < MISTAKES else best
        cards.append(card)
        position = position.after(card, len(cards) - 1)
    return tuple(cards)


Names = tuple[str, str, str, str]
"""The players, West, North, East and South."""


def table(solver: Solver, number: int, deal: Deal, room: str, system: str, names: Names, luck: random.Random) -> Board:
    """Return a board as it was bid and played at one table."""
    dealer, danger = standard_dealer(number), standard_vulnerability(number)
    auction = Bidder(system).auction(deal, None, dealer, danger)
    board = Board(
        number=number, deal=deal, dealer=dealer, vulnerability=danger, room=room, players=names, auction=auction,
        contract=auction.contract, declarer=auction.declarer, event="A match of two rooms",
    )  # fmt: skip
    if board.contract is None or board.contract.is_passed_out or board.declarer is None:
        return board
    play = play_of_cards(played(solver, deal, board, luck), Seat((board.declarer + 1) % 4), board.contract.strain)
    return replace(board, play=play, result=analyse(play, board.contract.strain).won(board.declarer.side))


def main() -> None:
    """Write the boards."""
    luck = random.Random(2)
    boards = []
    with Solver(memory_mb=64) as solver:
        for number, deal in enumerate(bridgespec.deals("north: hcp 0+", BOARDS, seed=24), 1):
            boards += [table(solver, number, deal, room, system, names, luck) for room, system, names in TABLES]
    TARGET.write_bytes(dump(solve_document(Document(tuple(boards)))))


if __name__ == "__main__":
    main()
