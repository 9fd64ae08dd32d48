"""Deals of a condition as arrays, beside plain rejection: shuffle with NumPy, try the condition.

Run it as ``python benchmarks/dealing.py [--count N] [CONDITION...]``. Times are CPU microseconds for a deal that satisfies the
condition, both in turn in one process; the ratio is of the package's time to that of rejection.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from bridgespec import deals
from bridgespec.dealing.deal_condition import read_condition
from bridgespec.dealing.expression import Deals

CONDITIONS = (
    "north: hcp 10+",
    "north: balanced",
    "ns: hcp 20+",
    "north: any 4432",
    "south: hearts 5+",
    "north: hcp 15-17",
    "north: hcp 15-17; south: hearts 5+",
    "north: hcp 20-22 and balanced; south: hearts 6+",
)
BATCH = 1 << 14
ROUNDS = 3
DEAL = np.repeat(np.arange(4, dtype=np.uint8), 13)


def rejected(condition: str, count: int) -> int:
    """Shuffle and try until so many deals are found; return how many were tried."""
    value, rng = read_condition(condition), np.random.default_rng(1)
    found = tried = 0
    while found < count:
        shuffled = rng.permuted(np.broadcast_to(DEAL, (BATCH, 52)), axis=1)
        found += int(value.holds(Deals(shuffled, rng)).sum())
        tried += BATCH
    return tried


def timed(work: Callable[[], object]) -> float:
    """The CPU seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """Print a line for each condition."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conditions", nargs="*", default=CONDITIONS)
    parser.add_argument("--count", type=int, default=20_000)
    arguments = parser.parse_args()
    print(f"{'condition':50} {'deals()':>9} {'rejection':>9} {'ratio':>7}")
    for condition in arguments.conditions:
        pairs = [
            (
                timed(lambda condition=condition: deals(condition, arguments.count, seed=1).masks),
                timed(lambda condition=condition: rejected(condition, arguments.count)),
            )
            for _ in range(ROUNDS)
        ]
        ours, theirs = (min(times) / arguments.count * 1e6 for times in zip(*pairs, strict=True))
        print(f"{condition:50} {ours:9.2f} {theirs:9.2f} {ours / theirs:7.2f}")


if __name__ == "__main__":
    main()
