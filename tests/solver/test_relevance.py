"""Which cards a result depends on: the others can be exchanged between seats, and nothing changes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import Position, Relevance, Solver
from tests.solver.minimax import Minimax
from tests.solver.sampling import random_deal, random_ending, skewed_deal


def exchanged(rng: random.Random, position: Position, found: Relevance) -> Position:
    """The position with the cards that did not matter dealt anew to seats of the same suit lengths."""
    holders = bytearray(position.deal.holders)
    fixed = {int(card) for card in found.cards}
    for first in range(0, 52, 13):
        free = [slot for slot in range(first, first + 13) if holders[slot] < 4 and slot not in fixed]
        seats = [holders[slot] for slot in free]
        rng.shuffle(seats)
        for slot, seat in zip(free, seats, strict=True):
            holders[slot] = seat
    return replace(position, deal=Deal(bytes(holders)))


@pytest.mark.parametrize("seed", range(40))
def test_other_cards_can_be_exchanged_in_endings(seed: int) -> None:
    """Minimax gives each exchanged ending the same value, in the middle of a trick too, and with a solver that has learnt."""
    rng = random.Random(seed)
    plain = Minimax()
    with Solver() as solver:
        for _ in range(3):
            position = random_ending(rng, rng.choice([2, 3, 4]))
            found = solver.relevance(position)
            for one in (position, *(exchanged(rng, position, found) for _ in range(4))):
                assert plain.own(one, plain.north_south(one)) == found.tricks, (position, one)


@pytest.mark.parametrize("seed", range(6))
def test_other_cards_can_be_exchanged_in_deals(seed: int) -> None:
    """Another solver gives each exchanged deal the same value."""
    rng = random.Random(seed)
    with Solver() as solver, Solver() as other:
        for deal in (random_deal(rng), skewed_deal(rng)):
            position = Position(deal, rng.choice(list(Strain)), rng.choice(list(Seat)))
            found = solver.relevance(position)
            assert found.tricks == other.solve(position)
            assert found.ways >= 1
            for _ in range(3):
                assert other.solve(exchanged(rng, position, found)) == found.tricks


def test_ways_count_the_deals() -> None:
    """Ace and king take both tricks wherever the other six cards are: ninety ways to give them to three seats."""
    position = Position(Deal.parse("N:AK... QJ... T9... 87..."), Strain.NOTRUMP, Seat.NORTH)
    with Solver() as solver:
        found = solver.relevance(position)
    assert (found.tricks, [str(card) for card in found.cards], found.ways) == (2, ["SA", "SK"], 90)
