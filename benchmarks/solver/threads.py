"""How much more a batch gets done with more threads: ``python benchmarks/solver/threads.py [DEALS] [ROUNDS]``.

The same deals with 1 thread and with as many as there are cores, in turn; prints deals a second and the best round's ratio.
A machine that does other work at the same time shows less than it has.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from deals import at_random

from bridgespec.model.deal import Deal
from bridgespec.solver import solve_tables, usable_cores


def rate(deals: np.ndarray, threads: int) -> float:
    """Deals a second."""
    start = time.perf_counter()
    solve_tables(deals, threads=threads)
    return len(deals) / (time.perf_counter() - start)


def main(count: int = 200, rounds: int = 3) -> None:
    """Measure and print."""
    holders = b"".join(Deal.parse(text).holders for text in at_random(count))
    deals = np.frombuffer(holders, np.uint8).reshape(-1, 52)
    cores = usable_cores()
    ratios = []
    for number in range(rounds):
        one, many = rate(deals, 1), rate(deals, cores)
        ratios.append(many / one)
        print(f"round {number + 1}: 1 thread {one:.2f} deals/s, {cores} threads {many:.2f} deals/s, ratio {many / one:.2f}")
    print(f"best ratio {max(ratios):.2f} with {cores} threads")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
