"""Whether a sampler gains by the cards that did not matter: ``python benchmarks/solver/layouts.py [LAYOUTS]``.

A sampler deals the unseen cards again and again and solves each layout. `Solver.relevance` gives the set of layouts that share a
solved one's result, so a later layout of that set needs no search. The same layouts are solved one by one and by such sets, for
some numbers of cards a hand and of hands that are seen. Printed are the share of layouts that an earlier one answers, and
processor milliseconds a layout.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator

from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import Position, Solver

SEEN = (Seat.WEST, Seat.EAST)
CASES = ((13, 1, 3), (13, 2, 3), (10, 2, 6), (8, 2, 20), (6, 2, 40), (5, 2, 40))
"""Cards a hand, hands seen, and how many times layouts are dealt."""


def layouts(rng: random.Random, cards: int, seen: int, count: int) -> Iterator[Deal]:
    """Deals with the same cards in the hands that are seen."""
    hands = rng.sample(range(52), 4 * cards)
    order = [*SEEN[:seen], *(seat for seat in Seat if seat not in SEEN[:seen])]
    hidden = hands[seen * cards :]
    for _ in range(count):
        rng.shuffle(hidden)
        holders = bytearray([4] * 52)
        for index, slot in enumerate([*hands[: seen * cards], *hidden]):
            holders[slot] = order[index // cards]
        yield Deal(bytes(holders))


def lengths(deal: Deal) -> bytes:
    """The suit lengths of every seat, which a set of layouts has in common."""
    return bytes(deal.holders[13 * suit : 13 * suit + 13].count(seat) for suit in range(4) for seat in range(4))


def one_by_one(solver: Solver, strain: Strain, deals: list[Deal]) -> tuple[int, list[int]]:
    """Solve every layout. Return how many were answered without a search, and the results."""
    return 0, [solver.solve(Position(deal, strain, Seat.WEST)) for deal in deals]


def by_sets(solver: Solver, strain: Strain, deals: list[Deal]) -> tuple[int, list[int]]:
    """Solve the layouts that are in no set of an earlier one."""
    sets: dict[bytes, list[tuple[tuple[tuple[Card, int], ...], int]]] = {}
    known, results = 0, []
    for deal in deals:
        like = sets.setdefault(lengths(deal), [])
        shared = next((tricks for cards, tricks in like if all(deal.holders[card] == seat for card, seat in cards)), None)
        if shared is None:
            found = solver.relevance(Position(deal, strain, Seat.WEST))
            like.append((tuple((card, deal.holders[card]) for card in found.cards), found.tricks))
        known += shared is not None
        results.append(found.tricks if shared is None else shared)
    return known, results


def main(count: int = 100) -> None:
    """Measure and print."""
    ways: tuple[Callable[[Solver, Strain, list[Deal]], tuple[int, list[int]]], ...] = (one_by_one, by_sets)
    for cards, seen, times in CASES:
        rng, seconds, known = random.Random(7), [0.0, 0.0], 0
        for _ in range(times):
            strain, deals, results = rng.choice(list(Strain)), list(layouts(rng, cards, seen, count)), []
            for index, way in enumerate(ways):
                with Solver(64) as solver:
                    start = time.process_time()
                    answered, tricks = way(solver, strain, deals)
                    seconds[index] += time.process_time() - start
                known += answered
                results.append(tricks)
            assert results[0] == results[1]
        each = [1000 * second / times / count for second in seconds]
        share = known / times / count
        print(
            f"{cards:2} cards, {seen} seen: {share:6.1%} known, {each[0]:.3f} ms one by one, {each[1]:.3f} ms by sets", flush=True
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
