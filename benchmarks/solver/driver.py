"""This package or DDS behind the line protocol by which solvers are compared.

``driver.py ours|dds table|solve DEALS [FIRST] [COUNT]`` reads one ``N:hand hand hand hand`` a line and prints a line for each:
its index, milliseconds, then 20 numbers (S H D C NT by declarer N E S W) or one (deal i: strain i mod 5 in that order, led by
seat i/5 mod 4; the tricks of the leader's side); at the end ``#SUMMARY`` with names and values. DDS is the one inside endplay.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from itertools import islice

from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import Position, Solver

SEATS = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
STRAINS = (Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS, Strain.NOTRUMP)

Answer = list[int]
Solve = Callable[[int, Deal], Answer]


def timed(action: Callable[[], Answer]) -> tuple[float, Answer]:
    """Milliseconds, and what came out."""
    start = time.perf_counter()
    answer = action()
    return (time.perf_counter() - start) * 1000, answer


def ours(what: str) -> tuple[Callable[[int, Deal], tuple[float, Answer]], Callable[[], dict[str, float]]]:
    """This package: one context for all deals, as a user has it."""
    solver = Solver()

    def run(index: int, deal: Deal) -> tuple[float, Answer]:
        if what == "table":
            milliseconds, cells = timed(lambda: list(solver.table(deal).cells))
            return milliseconds, [cells[4 * strain + seat] for strain in STRAINS for seat in SEATS]
        position = Position(deal, STRAINS[index % 5], SEATS[index // 5 % 4])
        return timed(lambda: [solver.solve(position)])

    def summary() -> dict[str, float]:
        counts = solver.statistics
        return {
            "nodes": counts.nodes,
            "lookups": counts.lookups,
            "hits": counts.hits,
            "adds": counts.adds,
            "searches": counts.searches,
            "context_mb": counts.memory / (1 << 20),
        }

    return run, summary


def dds(what: str) -> tuple[Callable[[int, Deal], tuple[float, Answer]], Callable[[], dict[str, float]]]:
    """DDS on one thread, nothing but its own function timed."""
    _dds = importlib.import_module("endplay._dds")
    _dds.SetMaxThreads(1)

    def run(index: int, deal: Deal) -> tuple[float, Answer]:
        if what == "table":
            asked, result = _dds.ddTableDeal(), _dds.ddTableResults()
            fill(asked.cards, deal)
            milliseconds, _ = timed(lambda: _dds.CalcDDtable(asked, result) or [])
            return milliseconds, [result.resTable[strain][seat] for strain in range(5) for seat in range(4)]
        board, found = _dds.deal(), _dds.futureTricks()
        board.trump, board.first = index % 5, index // 5 % 4
        fill(board.remainCards, deal)
        milliseconds, _ = timed(lambda: _dds.SolveBoard(board, -1, 1, 1, found, 0) or [])
        return milliseconds, [found.score[0]]

    return run, dict


def fill(target: object, deal: Deal) -> None:
    """The hands as DDS's masks: rank r (2 to 14) is bit r."""
    for slot, holder in enumerate(deal.holders):
        target[SEATS.index(Seat(holder))][slot // 13] |= 1 << (14 - slot % 13)  # type: ignore[index]


def main(contender: str, what: str, path: str, first: str = "0", count: str = "1000000") -> None:
    """Solve and print."""
    run, summary = {"ours": ours, "dds": dds}[contender](what)
    with open(path, encoding="ascii") as file:
        for index, line in islice(enumerate(file), int(first), int(first) + int(count)):
            milliseconds, answer = run(index, Deal.parse(line))
            print(index, f"{milliseconds:.3f}", *answer, flush=True)
    print("#SUMMARY", *(f"{name} {value}" for name, value in summary().items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
