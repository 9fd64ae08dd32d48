"""One question, one answer: the same as a solver's of one's own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from threading import Thread

import pytest

from bridgespec import (
    Board,
    CardPlay,
    Contract,
    Deal,
    Seat,
    Solver,
    Strain,
    Vulnerability,
    analyse_play,
    card_worths,
    par,
    solve_deal,
    solve_many,
)
from bridgespec.model import par as pars
from bridgespec.model.play import Play
from bridgespec.solver import Position, PositionError
from tests.model.test_playing import DEAL


def small(seed: int, cards: int = 5) -> Deal:
    """An ending."""
    rng = random.Random(seed)
    deal = Deal.random(rng)
    return Deal.of_hands({seat: rng.sample(hand.cards, cards) for seat, hand in deal}, 4)


def test_endless_deals_are_solved_as_they_are_asked_for() -> None:
    """Deals without end give tables without end, in order; only some are taken ahead."""
    taken = []

    def endless() -> Iterator[Deal]:
        for seed in count():
            taken.append(seed)
            yield small(seed, 3)

    tables = list(islice(solve_many(endless(), threads=2, memory_mb=8), 300))
    assert tables == [solve_deal(small(seed, 3)) for seed in range(300)]
    assert len(taken) < 1500


def test_the_deal_that_cannot_be_is_named_by_its_place() -> None:
    """Counted from the first deal, however they were taken."""
    deals = [*(small(seed, 1) for seed in range(400)), Deal.parse("N:A.2.. K... Q... J..."), small(1, 1)]
    with pytest.raises(PositionError, match="deal 400: ") as caught:
        list(solve_many(deals, threads=1, memory_mb=8))
    assert caught.value.index == 400
    assert list(solve_many([])) == []


def test_par_of_a_board_a_deal_and_a_table_agree() -> None:
    """A board's own table is taken where it is whole; what the caller says goes before what the board says."""
    table = solve_deal(DEAL)
    wanted = pars.par(table, Seat.SOUTH, Vulnerability.EW)
    assert par(DEAL, Seat.SOUTH, Vulnerability.EW) == par(table, Seat.SOUTH, Vulnerability.EW) == wanted
    board = Board(number=3, deal=DEAL)
    assert par(board) == wanted
    assert par(board, vulnerability=Vulnerability.NONE) == pars.par(table, Seat.SOUTH, Vulnerability.NONE)
    other = solve_deal(DEAL.rotated())
    assert par(replace(board, tricks=other)) == pars.par(other, Seat.SOUTH, Vulnerability.EW)
    with pytest.raises(ValueError, match="say both"):
        par(DEAL, Seat.SOUTH)
    with pytest.raises(ValueError, match="no deal"):
        par(Board(number=3))


@pytest.mark.parametrize("seed", range(6))
def test_each_card_is_worth_what_follows_it(seed: int) -> None:
    """Along a random play, the worth of each legal card is what its side has won and still wins after it."""
    rng = random.Random(seed)
    table = CardPlay(small(seed), Strain(seed % 5), Seat(seed % 4))
    while not table.is_over:
        worths = card_worths(table)
        assert set(worths) == set(table.legal)
        assert list(worths.values()) == sorted(worths.values(), reverse=True)
        side = table.turn.side
        for card, tricks in worths.items():
            after = table.copy()
            after.play(card)
            assert analyse_play(after).of(side, 5)[-1] == table.won(side) + tricks
        table.play(rng.choice(table.legal))
    assert card_worths(table) == {}
    with Solver(8) as solver:
        assert analyse_play(table) == solver.trace(Position(table.start, table.strain, table.first), table.cards)


def test_a_recorded_play_is_traced() -> None:
    """A board's own cards, from its lead; a board that records none is refused."""
    board = Board(deal=DEAL, contract=Contract.parse("4S"), declarer=Seat.EAST)
    table = CardPlay.of(board)
    cards = ["DA", "D6", "D2", "D8", "DK"]
    for card in cards:
        table.play(card)
    traced = analyse_play(replace(board, play=table.record))
    assert traced == analyse_play(table)
    assert [str(played.card) for played in traced.cards] == cards
    with pytest.raises(ValueError, match="records no play"):
        analyse_play(board)
    assert analyse_play(replace(board, play=Play(()))).cards == ()


def test_threads_ask_without_meeting() -> None:
    """Each thread has a solver of its own."""
    found: dict[int, object] = {}
    threads = [Thread(target=lambda seed=seed: found.update({seed: solve_deal(small(seed))})) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: solve_deal(small(seed)) for seed in range(4)}
