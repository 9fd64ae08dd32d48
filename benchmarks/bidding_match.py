"""The deciding measure of the bidder: a match against an earlier version, each side bidding with its own program.

Run ``python benchmarks/bidding_match.py --old PYTHON [--deals N] [--set match|train] [--cache DIR] [--keep FILE] [--blame]``.
PYTHON is that of an environment in which the wheel of the earlier version is installed; it runs
`bridgespec/bidding/program_server.py`,
which imports the bidder alone, so that any version since the first bidder can play. Without ``--old`` the absence is reported
and the status is 2. The deals are the first of a set of `bidding.indexes`, as boards 1, 2, ...; tables are solved once and
kept. Printed are IMPs a board to the working tree with the standard error and the interval of 95%, and where the swings came
from. ``--keep`` writes a line for each board, and ``--against`` compares with such a file of an earlier run on the same boards,
paired. Exit status 1 where the goal is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from bidding import CACHE, QUARTERS, solved

from bridgespec.bidding import program_server
from bridgespec.bidding.blame import ParLosses, Sum
from bridgespec.bidding.match import Contest, Swing, outcome
from bridgespec.bidding.program_client import Program
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.two_tables import PIECE, DealBatch

GOAL, GOAL_LOW = 0.25, 0.10
SHOWN = 25


def batches(holders: np.ndarray, tables: np.ndarray) -> Iterator[DealBatch]:
    """Deals with their tables, some at a time."""
    for low in range(0, len(holders), PIECE):
        yield DealBatch(low + 1, holders[low : low + PIECE], tables[low : low + PIECE])


def show(title: str, sums: list[Sum], boards: int) -> None:
    """Print the greatest sums."""
    print(title)
    for one in sums[:SHOWN]:
        witnesses = ", ".join(map(str, one.witnesses))
        print(f"  {one.imps / boards:6.3f} IMPs a board, {one.boards:5} boards: {one.name}; e.g. {witnesses}")


def paired(swings: list[Swing], path: Path) -> None:
    """Print the difference from an earlier run on the same boards."""
    before = dict(map(json.loads, path.read_text("utf-8").splitlines()))
    gained = np.array([swing.imps - before[swing.board] for swing in swings if swing.board in before], float)
    error = gained.std(ddof=1) / len(gained) ** 0.5
    print(f"against {path.name}: {gained.mean():+.3f} (standard error {error:.3f}), {int((gained != 0).sum())} boards differ")


def main() -> int:
    """Play the match."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", help="the Python of an environment with the earlier version")
    parser.add_argument("--system", default="sayc")
    parser.add_argument("--deals", type=int, default=5000)
    parser.add_argument("--set", choices=list(QUARTERS), default="match")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--keep", type=Path, help="write the swing of each board there")
    parser.add_argument("--against", type=Path, help="compare with the swings kept by an earlier run")
    parser.add_argument("--blame", action="store_true", help="what the working tree lost from par, by class, rule and call")
    args = parser.parse_args()
    if args.old is None:
        print("no earlier version was named (--old): the match was not played", file=sys.stderr)
        return 2
    holders, tables, _ = solved(args.cache, args.set, args.deals)
    system = BiddingSystem.load(args.system)
    start = time.perf_counter()
    with Program([args.old, "-I", program_server.__file__, "--system", args.system]) as program:
        swings = list(Contest(system, system, program, args.blame).play(batches(holders, tables)))
    found = outcome(swings)
    low, high = found.mean - 1.96 * found.error, found.mean + 1.96 * found.error
    print(
        f"working tree against {args.old}: {found.mean:+.3f} IMPs a board (standard error {found.error:.3f}, 95% {low:+.3f} to "
        f"{high:+.3f}), {found.boards:,} boards, {found.apart:,} bid differently, {time.perf_counter() - start:.0f} s"
    )
    if args.against:
        paired(swings, args.against)
    if args.keep:
        args.keep.write_text("".join(f"{json.dumps([swing.board, swing.imps])}\n" for swing in swings), "utf-8")
    for source in found.sources[:SHOWN]:
        print(f"  {source.imps:+5d} IMPs on {source.boards:4} boards: {source.ways[0]}; against {source.ways[1]}")
    if args.blame:
        losses = ParLosses((one for swing in swings for one in swing.own_faults), 2 * len(swings))
        print(f"lost from par by the working tree: {losses.mean:.3f} IMPs a board and table")
        show("by class:", losses.by_class(), losses.boards)
        show("by rule:", losses.by_rule(), losses.boards)
        show("by call:", losses.by_call(), losses.boards)
    return 0 if found.mean >= GOAL and low >= GOAL_LOW else 1


if __name__ == "__main__":
    sys.exit(main())
