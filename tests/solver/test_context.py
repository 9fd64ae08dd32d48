"""The solver's face: what it refuses and in which words, what it counts, how it is shared and stopped.

Which cards a result depends on: the others can be exchanged between seats, and nothing changes.

Every answer about small endings against a plain minimax.
"""

from __future__ import annotations

import _thread
import random
import signal
import threading
import time
from dataclasses import replace
from itertools import product

import pytest

from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import Cancelled, Mode, Position, PositionError, Relevance, Solver, SolverError
from bridgespec.solver.library import lib
from tests.solver.list100 import cases
from tests.solver.minimax import Minimax
from tests.solver.sampling import HARD, random_deal, random_ending, skewed_deal

FULL = Deal.parse("N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3")


def ending(text: str, strain: Strain = Strain.NOTRUMP, leader: Seat = Seat.NORTH, *trick: str) -> Position:
    return Position(Deal.parse(text), strain, leader, tuple(Card.parse(card) for card in trick))


@pytest.fixture
def solver():
    with Solver(memory_mb=8) as made:
        yield made


@pytest.mark.parametrize(
    ("position", "message", "seat", "card"),
    [
        (ending("N:AK.2.. K.3.. Q.4.. J.5..".replace("AK", "A")), None, None, None),
        (ending("N:A.23.. K.3.. Q.4.. J.5..".replace("23", "26")), "East holds too many or too few", Seat.EAST, None),
        (ending("N:A.2.. K.3.. Q.4.. J.5..", Strain.HEARTS, Seat.NORTH, "SA"), "SA was played", Seat.NORTH, Card(0)),
        (ending("N:.2.. K.3.. Q.4.. J.5..", Strain.NOTRUMP, Seat.NORTH, "SA", "SA"), "SA stands twice", Seat.EAST, Card(0)),
        (ending("N:.2.. K... Q.4.. J.5..", Strain.SPADES, Seat.NORTH, "SA", "H3"), "East played H3", Seat.EAST, Card.parse("H3")),
        (ending("N:.2.. ... 4... 5...", Strain.SPADES, Seat.NORTH, "SA", "H3"), "too many or too few", None, None),
        (ending("N:A... ... ... ...", Strain.SPADES), "too many or too few", Seat.EAST, None),
        (ending("N:A... K... - -", Strain.SPADES), "nobody says who holds SQ", None, Card.parse("SQ")),
        (
            ending("N:2... 3... 4... 5...", Strain.SPADES, Seat.NORTH, "SA", "SK", "SQ", "SJ"),
            "more than three cards",
            None,
            None,
        ),
    ],
)
def test_an_impossible_position_is_refused_with_its_reason(solver, position, message, seat, card):
    """Every function gives the same refusal, and the solver works on afterwards."""
    functions = [solver.solve, solver.cards, solver.best_line]
    functions += [lambda p: solver.at_least(p, 1), lambda p: solver.trace(p, [])]
    for function in functions:
        if message is None:
            function(position)
            continue
        with pytest.raises(PositionError, match=message) as caught:
            function(position)
        assert card is None or caught.value.card == card
        assert seat is None or caught.value.seat == seat
    assert solver.solve(ending("N:A.2.. K.3.. Q.4.. J.5..")) == 1


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (Position(FULL, 1000, Seat.NORTH), "none of the five"),
        (Position(FULL, -1, Seat.NORTH), "none of the five"),
        (Position(FULL, 1 << 40, Seat.NORTH), "none of the five"),
        (Position(FULL, Strain.SPADES, 1000), "none of the four"),
        (Position(FULL, Strain.SPADES, Seat.NORTH, (1000,)), "does not exist"),
        (Position(FULL, Strain.SPADES, Seat.NORTH, (-1,)), "does not exist"),
    ],
)
def test_numbers_that_are_nothing_are_refused_in_the_solvers_words(solver, position, message):
    """However far out of range: a number that the C library has no room for is not an OverflowError."""
    functions = [solver.solve, solver.cards, solver.best_line, lambda p: solver.trace(p, []), lambda p: p.check()]
    for function in functions:
        with pytest.raises(PositionError, match=message):
            function(position)


def test_strains_seats_modes_and_cards_that_do_not_exist_are_refused(solver):
    """Numbers out of range raise an error for strains, declarers, modes and cards."""
    for strains, declarers in product(([5], [-1], [1000], [1 << 40], None), ([4], [-1], [1 << 40], None)):
        if strains is declarers is None:
            continue
        with pytest.raises(SolverError, match=r"is not a (strain|declarer)"):
            solver.table(FULL, strains, declarers)
    for mode in (3, -1, 1 << 40):
        with pytest.raises(SolverError, match="not a mode"):
            solver.cards(ending("N:A... K... Q... J..."), mode)
    for card in (52, 1000, -1):
        with pytest.raises(PositionError, match=r"card 1 of the play: .* does not exist"):
            solver.trace(ending("N:A... K... Q... J..."), [card])


@pytest.mark.parametrize(
    ("cards", "message", "index"),
    [
        (["SA", "S8", "SK", "SQ"], "card 1 of the play: North does not hold SA", 0),
        (["SQ", "S8", "SK", "H4"], "card 4 of the play: West plays H4, but holds the suit led", 3),
        (["SQ", "S8", "SK", "SA", "S2", "S2"], "card 6 of the play: North does not hold S2", 5),
    ],
)
def test_a_play_that_cannot_be_is_refused_at_its_card(solver, cards, message, index):
    """An impossible play raises an error with the index of the first wrong card."""
    position = Position(FULL, Strain.CLUBS, Seat.NORTH)
    played = [Card.parse(card) for card in cards]
    for function in (lambda: solver.trace(position, played), lambda: Position.of(FULL, Strain.CLUBS, Seat.NORTH, played)):
        with pytest.raises(PositionError, match=message) as caught:
            function()
        assert caught.value.index == index


def test_a_play_longer_than_the_position_is_refused(solver):
    """A play with more cards than the position has is refused at the first of them."""
    position = ending("N:A... K... Q... J...")
    with pytest.raises(PositionError, match="card 5 of the play: no cards are left"):
        solver.trace(position, [Card(0), Card(1), Card(2), Card(3), Card(4)])


def test_a_position_without_cards_is_worth_nothing(solver):
    """A position without cards has no tricks, no cards and an empty line."""
    empty = ending("N:... ... ... ...")
    assert solver.solve(empty) == 0
    assert solver.cards(empty) == []
    assert solver.best_line(empty).cards == ()
    assert solver.at_least(empty, 0)
    assert not solver.at_least(empty, 1)


def test_the_table_of_some_cells(solver):
    """A format for one declarer wants five cells; the others stay unknown."""
    whole = solver.table(FULL)
    part = solver.table(FULL, declarers=[Seat.EAST])
    assert part.known == 5
    assert all(part.get(strain, Seat.EAST) == whole.get(strain, Seat.EAST) for strain in Strain)
    assert solver.table(FULL, [Strain.CLUBS], [Seat.NORTH, Seat.SOUTH]).known == 2
    with pytest.raises(PositionError, match="too many or too few"):
        solver.table(Deal.parse("N:A... K... Q... .J5.."))


def test_statistics_count_and_stay_in_bounds(solver):
    """Statistics count nodes, searches and look-ups, and the memory stays below its limit."""
    solver.clear_statistics()
    assert solver.statistics.nodes == 0
    solver.table(FULL, [Strain.SPADES])
    counts = solver.statistics
    assert counts.nodes > 1000
    assert counts.searches >= 4
    assert 0 < counts.hits <= counts.lookups
    assert counts.memory <= counts.memory_limit == 8 << 20


def test_targets_and_memory_out_of_range_are_refused(solver):
    """Impossible targets and memory limits raise errors; a bound beyond all tricks is simply false or true."""
    with pytest.raises(SolverError, match="0 to 13"):
        solver.cards(ending("N:A... K... Q... J..."), Mode.TARGET, 14)
    with pytest.raises(SolverError, match="some memory"):
        Solver(memory_mb=0)
    with pytest.raises(SolverError, match="1048576 MB at most"):
        Solver(memory_mb=1 << 43)
    assert not solver.at_least(ending("N:A... K... Q... J..."), 1000)
    assert solver.at_least(ending("N:A... K... Q... J..."), -1000)


def test_a_closed_solver_says_so():
    """A closed solver raises an error, and may be closed twice."""
    solver = Solver(memory_mb=8)
    solver.close()
    solver.close()
    with pytest.raises(SolverError, match="closed"):
        solver.solve(ending("N:A... K... Q... J..."))


def test_two_threads_cannot_use_one_solver_and_one_can_stop_it():
    """The lock of the interpreter is free while it works: this thread goes on, is refused, and cancels."""
    solver = Solver()
    outcome: list[BaseException] = []

    def work() -> None:
        try:
            solver.table(Deal.parse(HARD[0]))
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.2)
    assert thread.is_alive()
    with pytest.raises(SolverError, match="another thread"):
        solver.solve(ending("N:A... K... Q... J..."))
    solver.cancel()
    thread.join(10)
    assert not thread.is_alive()
    assert len(outcome) == 1
    assert solver.solve(ending("N:A... K... Q... J...")) == 1


LONG = Deal.parse(HARD[1])
"""Its table takes hundreds of millions of cards."""


@pytest.mark.parametrize(
    "work",
    [
        lambda solver, position: solver.table(position.deal),
        lambda solver, position: solver.solve(position),
        lambda solver, position: solver.at_least(position, 7),
        lambda solver, position: solver.cards(position),
        lambda solver, position: solver.trace(position, []),
        lambda solver, position: solver.best_line(position),
    ],
    ids=["table", "solve", "at_least", "cards", "trace", "best_line"],
)
def test_ctrl_c_stops_what_is_under_way(work):
    """Soon: at a small part of the work; and the solver can be used again. (The C tests hold how many cards lie between looks.)"""
    solver = Solver()

    def interrupt() -> None:
        while not solver._busy.locked():
            time.sleep(0.001)
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        work(solver, Position(LONG, Strain.NOTRUMP, Seat.EAST))
    thread.join()
    assert solver.statistics.nodes < 60_000_000
    assert solver.solve(ending("N:A... K... Q... J...")) == 1


def test_a_signal_whose_handler_raises_nothing_does_not_stop_the_work(solver):
    """A signal that its handler swallows leaves the result complete."""
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        thread = threading.Timer(0.01, _thread.interrupt_main)
        thread.start()
        whole = solver.table(FULL)
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(seen) == 1
    assert whole == Solver().table(FULL)


def test_the_search_for_any_processor_gives_the_same(solver):
    """Whatever this machine has: the search without its special instructions, and with them."""
    plain = Solver(memory_mb=8)
    lib.bsdd_set_features(plain._context, 0)
    for case in cases()[1::20]:
        assert plain.table(case.deal) == case.table
        position = Position(case.deal, case.strain, case.leader)
        assert {card: group.tricks for group in plain.cards(position) for card in group.cards} == case.leads
    rng = random.Random(19)
    for _ in range(300):
        position = random_ending(rng, rng.randrange(1, 8))
        assert plain.cards(position) == solver.cards(position), position


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


@pytest.mark.long
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


@pytest.fixture(scope="module")
def shared_solver():
    with Solver(memory_mb=16) as made:
        yield made


def check(shared_solver: Solver, position: Position) -> None:
    """Tricks, every card, both cheaper modes, targets, the best line."""
    oracle = Minimax()
    value = oracle.own(position, oracle.north_south(position))
    assert shared_solver.solve(position) == value, position
    by_card = {card: oracle.own(position, oracle.after(position, card)) for card in position.playable}
    groups = shared_solver.cards(position)
    assert {card: group.tricks for group in groups for card in group.cards} == by_card, position
    assert [group.tricks for group in groups] == sorted((group.tricks for group in groups), reverse=True)
    best = {card for group in shared_solver.cards(position, Mode.BEST) for card in group.cards}
    assert best == {card for card, tricks in by_card.items() if tricks == value}, position
    for target in range(position.tricks_left + 2):
        assert shared_solver.at_least(position, target) == (value >= target), (position, target)
        reaching = {card for group in shared_solver.cards(position, Mode.TARGET, target) for card in group.cards}
        assert reaching == {card for card, tricks in by_card.items() if tricks >= target}, (position, target)


def check_line(shared_solver: Solver, position: Position) -> None:
    """The best line is legal, complete, and nobody errs in it; a random play costs what minimax says."""
    oracle = Minimax()
    line = shared_solver.best_line(position)
    total = oracle.north_south(position)
    assert line.tricks == oracle.own(position, total)
    trace = shared_solver.trace(position, line.cards)
    assert trace.tricks == total
    assert [(card.tricks, card.cost) for card in trace.cards] == [(total, 0)] * len(line.cards)
    assert len(line.cards) == sum(position.deal.sizes)


def check_trace(shared_solver: Solver, rng: random.Random, position: Position) -> None:
    oracle = Minimax()
    start, cards, values, won = position, [], [oracle.north_south(position)], 0
    while position.tricks_left:
        cards.append(rng.choice(position.playable))
        position = position.after(cards[-1])
        won += not position.trick and position.leader.side is Side.NS
        values.append(won + oracle.north_south(position))
    trace = shared_solver.trace(start, cards)
    assert [trace.tricks, *(card.tricks for card in trace.cards)] == values
    for before, card in zip(values, trace.cards, strict=False):
        lost = before - card.tricks if card.seat.side is Side.NS else card.tricks - before
        assert card.cost == lost >= 0
    assert trace.of(Side.EW, start.tricks_left)[0] == start.tricks_left - values[0]


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_small_endings(shared_solver, size):
    """Small endings, best lines and traces equal exhaustive play."""
    rng = random.Random(size)
    for _ in range((0, 150, 150, 80, 12)[size]):
        position = random_ending(rng, size)
        check(shared_solver, position)
        check_line(shared_solver, position)
        check_trace(shared_solver, rng, position)


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
def test_many_endings(shared_solver, size):
    """Thousands of small endings and traces equal exhaustive play."""
    rng = random.Random(100 + size)
    for _ in range((0, 0, 0, 1500, 300, 30)[size]):
        position = random_ending(rng, size)
        check(shared_solver, position)
        check_trace(shared_solver, rng, position)
