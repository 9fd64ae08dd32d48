"""Compares double-dummy solvers side by side: the same deals, in turn, one core, every answer checked against the others.

``python benchmarks/solver/run.py [--sets list100,random,skewed] [--what table|solve|strains] [--peer NAME=COMMAND]...``

Ours and (where endplay is installed) DDS take part; a peer is any command that takes the line protocol of ``driver.py``:
``COMMAND table|solve DEALS [FIRST] [COUNT]``. ``strains`` solves each deal once in every strain and prints the strains of each
deal apart: the sum of a hard deal hides that one strain takes most of it. Solvers take turns every few deals, so that a machine
that slows down slows all of them; compare ratios, and for a change of the search compare nodes.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deals import SETS

DRIVER = Path(__file__).with_name("driver.py")
ROOT = DRIVER.parent.parent.parent
STRAINS = ("S", "H", "D", "C", "NT")
"""In the order of the line protocol."""


@dataclass
class Contender:
    """A solver, and what came of it: milliseconds and answers by deal, peak memory, counts by name."""

    name: str
    command: Sequence[str]
    times: dict[int, float] = field(default_factory=dict)
    answers: dict[int, tuple[int, ...]] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)
    peak_mb: float = 0.0
    late: int = 0

    def run(self, what: str, path: str, first: int, count: int, timeout: float) -> None:
        """Solve some deals; those that take too long have no answer."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        words = [*self.command, what, path, str(first), str(count)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
            timer = threading.Timer(timeout, process.kill)
            timer.start()
            assert process.stdout is not None
            lines = process.stdout.read().splitlines()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        self.peak_mb = max(self.peak_mb, usage.ru_maxrss / 1024)
        before = len(self.times)
        for line in lines:
            self._take(line)
        if process.returncode and process.returncode != -9:
            raise SystemExit(f"{self.name}: {shlex.join(words)} ended with status {process.returncode}")
        self.late += count - (len(self.times) - before)

    def _take(self, line: str) -> None:
        words = line.split()
        if line.startswith("#SUMMARY"):
            for name, value in zip(words[1::2], words[2::2], strict=False):
                total = float(value.rstrip("%"))
                self.counts[name] = (
                    max(self.counts.get(name, 0), total) if name.endswith("_mb") else self.counts.get(name, 0) + total
                )
        elif words:
            self.times[int(words[0])] = float(words[1])
            self.answers[int(words[0])] = tuple(map(int, words[2:]))


def contenders(peers: Sequence[str], only: Sequence[str]) -> list[Contender]:
    """Ours first, then DDS if it is there, then the peers."""
    found = [Contender("ours", [sys.executable, str(DRIVER), "ours"])]
    if importlib.util.find_spec("endplay"):
        found.append(Contender("dds", [sys.executable, str(DRIVER), "dds"]))
    for peer in peers:
        name, _, command = peer.partition("=")
        found.append(Contender(name, shlex.split(command)))
    return [one for one in found if not only or one.name in only]


def compare(name: str, deals: Sequence[str], what: str, takers: Sequence[Contender], turn: int, timeout: float) -> int:
    """Run one set and print its table; the number of deals about which they disagree."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(deals) + "\n")
        file.flush()
        for first in range(0, len(deals), turn):
            count = min(turn, len(deals) - first)
            # Whoever went first goes last the next time.
            shift = first // turn % len(takers)
            for taker in (*takers[shift:], *takers[:shift]):
                taker.run(what, file.name, first, count, timeout)
    print(f"\n{name}: {len(deals)} deals, {what}; milliseconds a deal")
    head = ("solver", "mean", "median", "p95", "max", "peak MB", "nodes", "ratio", "late")
    print(" ".join(f"{word:>9}" for word in head))
    shared = set.intersection(*(set(taker.times) for taker in takers))
    base = statistics.fmean(takers[0].times[index] for index in shared) if shared else 0
    for taker in takers:
        print(" ".join(f"{cell:>9}" for cell in row(taker, len(deals), shared, base)))
    wrong = [i for i in sorted(shared) if len({taker.answers[i] for taker in takers}) > 1]
    for index in wrong[:5]:
        print(f"disagreement about deal {index}: {deals[index]}")
        for taker in takers:
            print(f"  {taker.name}: {taker.answers[index]}")
    print(f"{len(shared)} deals solved by all, {len(wrong)} disagreements")
    return len(wrong)


def by_strain(name: str, deals: Sequence[str], takers: Sequence[Contender], timeout: float) -> int:
    """Solve each deal in every strain, in turn, and print a line for each: the protocol's deal i is solved in strain i mod 5."""
    wrong = compare(name, [deal for deal in deals for _ in STRAINS], "solve", takers, 1, timeout)
    for number, deal in enumerate(deals):
        print(f"\n{deal}: milliseconds, and the ratio of the first solver to each")
        for place, strain in enumerate(STRAINS):
            times = [taker.times.get(number * len(STRAINS) + place) for taker in takers]
            cells = [f"{'late':>10}" if one is None else f"{one:>10,.0f}" for one in times]
            ratios = [f"{times[0] / one:>6.2f}" for one in times[1:] if one and times[0]]
            print(f"{strain:>3}", *cells, *ratios)
    return wrong


def row(taker: Contender, count: int, shared: set[int], base: float) -> list[str]:
    """A solver's figures; the ratio is its time over that of the first one, on the deals that all have solved."""
    times = sorted(taker.times.values())
    if not times:
        return [taker.name, *["-"] * 7, str(taker.late)]
    nodes = taker.counts.get("nodes", 0) / count
    ratio = statistics.fmean(taker.times[index] for index in shared) / base if shared and base else 0
    p95 = times[min(len(times) - 1, round(0.95 * len(times)))]
    figures = [f"{statistics.fmean(times):.1f}", f"{statistics.median(times):.1f}", f"{p95:.1f}", f"{times[-1]:.1f}"]
    return [taker.name, *figures, f"{taker.peak_mb:.0f}", f"{nodes:,.0f}" if nodes else "-", f"{ratio:.2f}", str(taker.late)]


def main() -> int:
    """Read the command line, compare, and return 1 where solvers disagree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="list100,random,skewed", help=f"of {', '.join(SETS)}; hard takes long")
    parser.add_argument("--what", choices=["table", "solve", "strains"], default="table")
    parser.add_argument("--count", type=int, help="at most so many deals of each set")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND", help="another solver")
    parser.add_argument("--only", default="", help="these solvers alone, by name")
    parser.add_argument("--turn", type=int, default=10, help="deals in a turn")
    parser.add_argument("--timeout", type=float, default=600, help="seconds that a turn may take")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    wrong = 0
    for name in options.sets.split(","):
        deals = SETS[name]()[: options.count]
        turn = 1 if name == "hard" else options.turn
        if options.what == "strains":
            wrong += by_strain(name, deals, contenders(options.peer, only), options.timeout)
            continue
        wrong += compare(name, deals, options.what, contenders(options.peer, only), turn, options.timeout)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
