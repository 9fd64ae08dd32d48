"""Fuzzes the formats until a time is up, or until the first file that breaks a claim.

    python -m tests.fuzz [--format ID]... [--seconds N] [--seed N] [--save DIR]

Each round draws damaged samples, valid files, files of allowed values and random bytes for one format after the other,
and checks the claims of ``tests.generate.claims`` on each. A file that breaks one is made as small as it can be, saved,
and its trace printed; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

from tests.fuzz.target import Broken, fuzz
from tests.generate.strategies import formats


def main(arguments: list[str] | None = None) -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz the formats.")
    parser.add_argument("--format", action="append", metavar="ID", help="a format (default: all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="where the random numbers begin")
    parser.add_argument("--save", type=Path, default=Path("."), metavar="DIR", help="where a broken file is saved (default: here)")
    options = parser.parse_args(arguments)
    return run(options.format or list(formats()), options.seconds, options.seed, options.save)


def run(chosen: list[str], seconds: float, seed: int, save: Path) -> int:
    """Round after round until the time is up; the exit status."""
    stop = time.monotonic() + seconds
    tried, rounds = 0, 0
    while time.monotonic() < stop:
        for format in chosen:
            try:
                tried += fuzz(format, seed + rounds)
            except Broken as broken:
                path = save / f"broken-{seed + rounds}.{format}"
                path.write_bytes(broken.data)
                traceback.print_exception(broken.__cause__)
                print(f"{format}: {len(broken.data)} bytes break a claim; saved as {path} (seed {seed + rounds})")
                return 1
            if time.monotonic() >= stop:
                break
        rounds += 1
    print(f"{tried} files of {len(chosen)} formats, every claim held (seeds {seed} to {seed + rounds - 1})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
