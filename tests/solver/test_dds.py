"""Against DDS on random and skewed deals: tables, all cards, par, plays."""

from __future__ import annotations

import random

import pytest

from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.par import par
from bridgespec.solver import Position, Solver
from tests.solver import dds_oracle
from tests.solver.sampling import ending_of, random_deal, skewed_deal


@pytest.fixture(scope="module")
def solver():
    with Solver(memory_mb=64) as made:
        yield made


def check_table(solver, rng, deal):
    """The 20 cells and the par that follows from them."""
    tricks = solver.table(deal)
    assert tricks.cells == dds_oracle.table(deal.holders), str(deal)
    dealer, vulnerability = rng.choice(list(Seat)), rng.choice(list(Vulnerability))
    assert par(tricks, dealer, vulnerability).score == dds_oracle.par(tricks, dealer, vulnerability)[0], str(deal)


def check_cards(solver, position):
    """Every legal card at any point of a trick."""
    groups = solver.cards(position)
    ours = {card: group.tricks for group in groups for card in group.cards}
    holders = position.deal.holders
    assert ours == dds_oracle.card_results(holders, position.strain, position.leader, position.trick), position


def check_trace(solver, rng, position):
    start, cards = position, []
    while position.tricks_left:
        cards.append(rng.choice(position.playable))
        position = position.after(cards[-1])
    declarer = Seat((start.leader + 3) % 4)
    expected = dds_oracle.trace(start.deal.holders, start.strain, start.leader, cards)
    own = solver.trace(start, cards).of(declarer.side, start.tricks_left)
    assert list(own)[: len(expected)] == expected, start


@pytest.mark.long
@pytest.mark.parametrize("make", [random_deal, skewed_deal])
def test_tables_and_par(solver, make):
    """Tables and pars of random deals equal those of DDS."""
    rng = random.Random(41)
    for _ in range(5):
        check_table(solver, rng, make(rng))


@pytest.mark.parametrize("make", [random_deal, skewed_deal])
def test_all_cards_at_any_point_of_the_play(solver, make):
    """The tricks of every card equal those of DDS after any number of cards."""
    rng = random.Random(42)
    for played in (1, 2, 3, 9, 14, 15, 16, 21, 22, 23, 24, 30, 35, 41, 42, 43, 44, 47, 50, 51):
        check_cards(solver, ending_of(rng, make(rng), played))


def test_plays_from_the_first_card_and_later(solver):
    """The trace of a play from several points equals that of DDS."""
    rng = random.Random(43)
    for played in (0, 4, 12):
        position = ending_of(rng, random_deal(rng), played)
        if not position.trick:
            check_trace(solver, rng, position)


def test_tables_and_single_solves_agree(solver):
    """The leader's tricks and the declarer's make thirteen; a target is reached up to the result and no further."""
    deal = random_deal(random.Random(44))
    tricks = solver.table(deal)
    for strain in (Strain.NOTRUMP, Strain.HEARTS):
        for declarer in Seat:
            position = Position.opening(deal, strain, declarer)
            defence = solver.solve(position)
            assert tricks.get(strain, declarer) == 13 - defence
            assert solver.at_least(position, defence)
            assert not solver.at_least(position, defence + 1)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "count"), [(random_deal, 1000), (skewed_deal, 200)])
def test_many_tables(solver, make, count):
    """Not one wrong cell in 1,200 deals times 20."""
    rng = random.Random(45)
    for _ in range(count):
        check_table(solver, rng, make(rng))


@pytest.mark.slow
@pytest.mark.parametrize("make", [random_deal, skewed_deal])
def test_many_positions(solver, make):
    """Cards and traces of hundreds of random positions equal those of DDS."""
    rng = random.Random(46)
    for _ in range(300):
        check_cards(solver, ending_of(rng, make(rng), rng.randrange(52)))
    for _ in range(50):
        check_trace(solver, rng, Position(make(rng), rng.choice(list(Strain)), rng.choice(list(Seat))))
