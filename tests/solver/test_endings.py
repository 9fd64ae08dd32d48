"""Every answer about small endings against a plain minimax."""

from __future__ import annotations

import random

import pytest

from bridgespec.model.cards import Side
from bridgespec.solver import Mode, Position, Solver
from tests.solver.minimax import Minimax
from tests.solver.sampling import random_ending


@pytest.fixture(scope="module")
def solver():
    with Solver(memory_mb=16) as made:
        yield made


def check(solver: Solver, position: Position) -> None:
    """Tricks, every card, both cheaper modes, targets, the best line."""
    oracle = Minimax()
    value = oracle.own(position, oracle.north_south(position))
    assert solver.solve(position) == value, position
    by_card = {card: oracle.own(position, oracle.after(position, card)) for card in position.playable}
    groups = solver.cards(position)
    assert {card: group.tricks for group in groups for card in group.cards} == by_card, position
    assert [group.tricks for group in groups] == sorted((group.tricks for group in groups), reverse=True)
    best = {card for group in solver.cards(position, Mode.BEST) for card in group.cards}
    assert best == {card for card, tricks in by_card.items() if tricks == value}, position
    for target in range(position.tricks_left + 2):
        assert solver.at_least(position, target) == (value >= target), (position, target)
        reaching = {card for group in solver.cards(position, Mode.TARGET, target) for card in group.cards}
        assert reaching == {card for card, tricks in by_card.items() if tricks >= target}, (position, target)


def check_line(solver: Solver, position: Position) -> None:
    """The best line is legal, complete, and nobody errs in it; a random play costs what minimax says."""
    oracle = Minimax()
    line = solver.best_line(position)
    total = oracle.north_south(position)
    assert line.tricks == oracle.own(position, total)
    trace = solver.trace(position, line.cards)
    assert trace.tricks == total
    assert [(card.tricks, card.cost) for card in trace.cards] == [(total, 0)] * len(line.cards)
    assert len(line.cards) == sum(position.deal.sizes)


def check_trace(solver: Solver, rng: random.Random, position: Position) -> None:
    oracle = Minimax()
    start, cards, values, won = position, [], [oracle.north_south(position)], 0
    while position.tricks_left:
        cards.append(rng.choice(position.playable))
        position = position.after(cards[-1])
        won += not position.trick and position.leader.side is Side.NS
        values.append(won + oracle.north_south(position))
    trace = solver.trace(start, cards)
    assert [trace.tricks, *(card.tricks for card in trace.cards)] == values
    for before, card in zip(values, trace.cards, strict=False):
        lost = before - card.tricks if card.seat.side is Side.NS else card.tricks - before
        assert card.cost == lost >= 0
    assert trace.of(Side.EW, start.tricks_left)[0] == start.tricks_left - values[0]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_small_endings(solver, size):
    """Small endings, best lines and traces equal exhaustive play."""
    rng = random.Random(size)
    for _ in range((0, 150, 150, 80, 12)[size]):
        position = random_ending(rng, size)
        check(solver, position)
        check_line(solver, position)
        check_trace(solver, rng, position)


def test_other_memory_and_reuse_change_nothing():
    """A context that has solved other things, a fresh one and a tiny one give the same results."""
    rng = random.Random(9)
    positions = [random_ending(rng, 7) for _ in range(40)]
    with Solver(memory_mb=4) as tiny, Solver() as used:
        first = [used.solve(position) for position in positions]
        assert [tiny.solve(position) for position in positions] == first
        used.forget()
        assert [used.solve(position) for position in reversed(positions)] == first[::-1]


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4, 5])
def test_many_endings(solver, size):
    """Thousands of small endings and traces equal exhaustive play."""
    rng = random.Random(100 + size)
    for _ in range((0, 0, 0, 1500, 300, 30)[size]):
        position = random_ending(rng, size)
        check(solver, position)
        check_trace(solver, rng, position)
