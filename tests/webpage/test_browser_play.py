"""Boards played through in a real browser, with the worth of each card beside what the native solver says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bridgespec.engines import engine
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import Position, Solver
from tests.browsing import NEEDED, Visit
from tests.webpage.running import MATCH, SAMPLES, TILE, made, needs_match, shown

pytestmark = NEEDED


def expected(solver: Solver, position: Position, won: int, side: Side) -> dict[str, int]:
    """The same from the native solver: what the declaring side has won, and what it wins from here."""
    found = {}
    for group in solver.cards(position):
        own = group.tricks if position.on_turn.side == side else position.tricks_left - group.tricks
        found.update({card.name: won + own for card in group.cards})
    return found


def play_through(open_page: Any, deal: Deal, strain: Strain, declarer: Seat, cards: Sequence[Card] | None) -> int:
    """Play the cards, or else the first that may be played each time, and compare every worth; the number of cards played."""
    solver = Solver(memory_mb=64)
    position = Position.opening(deal, strain, declarer)
    won = played = 0
    for index in range(52):
        if not position.tricks_left or (cards is not None and index >= len(cards)):
            break
        assert shown(open_page) == expected(solver, position, won, declarer.side), (index, position)
        card = position.playable[0] if cards is None else cards[index]
        open_page.click(f'{TILE}[data-card="{int(card)}"]')
        after = position.after(card, index)
        won += not after.trick and after.leader.side == declarer.side
        position, played = after, played + 1
    return played


def test_a_whole_board_is_played_with_the_worth_of_each_card(browser: Any, sixteen: Path) -> None:
    """Over all 52 cards of a board the page says of every legal card what the native solver says."""
    visit = Visit(browser)
    open_page = visit.open(sixteen, "#board=7&card=0")
    deal = engine().examine((SAMPLES / "pbn" / "sixteen.pbn").read_bytes(), "pbn").document.boards[6].deal
    assert deal is not None
    open_page.select_option(".choices select >> nth=0", "2")
    open_page.select_option(".choices select >> nth=1", str(int(Seat.SOUTH)))
    assert play_through(open_page, deal, Strain.HEARTS, Seat.SOUTH, None) == 52
    assert "The play is over" in open_page.inner_text(".status")
    assert not visit.problems
    visit.context.close()


def test_a_lin_file_is_played_to_the_end(browser: Any, bid: Path) -> None:
    """Against the contract that its auction came to, every legal card has the native solver's worth, over all 52 cards."""
    visit = Visit(browser)
    deal = engine().examine((SAMPLES / "lin" / "read-plus-alerts-claim.lin").read_bytes(), "lin").document.boards[0].deal
    assert deal is not None
    open_page = visit.open(bid, "#card=0")
    assert play_through(open_page, deal, Strain.NOTRUMP, Seat.EAST, None) == 52
    assert not visit.problems
    visit.context.close()


@needs_match
def test_a_real_match_is_played_through(browser: Any, tmp_path: Path) -> None:
    """Both rooms of a match's boards are played as recorded, and every card's worth is the native solver's."""
    visit = Visit(browser)
    source = made(tmp_path, MATCH)
    boards = engine().examine(MATCH.read_bytes(), "pbn").document.boards
    for board in [board for board in boards if board.number in (2, 5)]:
        assert board.deal is not None
        assert board.contract is not None
        assert board.play is not None
        assert board.declarer is not None
        table = 1 if board.room == "Open" else 2
        open_page = visit.open(source, f"#board={board.number}&table={table}&card=0")
        open_page.reload()
        cards = board.play.cards
        assert play_through(open_page, board.deal, board.contract.strain, board.declarer, cards) == len(cards) > 20
    assert not visit.problems
    visit.context.close()


def test_what_a_play_cost_is_what_the_solver_says(browser: Any, bid: Path) -> None:
    """The recorded play names the same cards that the native solver finds to have given a trick away."""
    board = engine().examine((SAMPLES / "lin" / "read-plus-alerts-claim.lin").read_bytes(), "lin").document.boards[0]
    assert board.deal is not None
    assert board.play is not None
    trace = Solver(memory_mb=16).trace(Position.opening(board.deal, Strain.NOTRUMP, Seat.EAST), board.play.cards)
    wrong = [(one.seat.name.title(), f"{one.card.suit.symbol}{one.card.rank}") for one in trace.cards if one.cost]
    assert wrong
    visit = Visit(browser)
    open_page = visit.open(bid)
    open_page.wait_for_selector(".lost li")
    told = open_page.locator(".lost li").all_inner_texts()
    assert len(told) == len(wrong)
    assert all(f"{seat}’s {card} gave 1 trick away" in text for (seat, card), text in zip(wrong, told, strict=True))
    assert open_page.locator(".go sup").count() == len(wrong)
    assert "5+ clubs" in open_page.locator(".notes").inner_text()
    assert not visit.problems
    visit.context.close()
