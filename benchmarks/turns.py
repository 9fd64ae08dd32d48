"""Work measured in processes of their own that take turns, so that a busy machine disturbs all of them alike.

A benchmark calls `run` with its work by name. As a command it starts itself once for each name and round, with ``--only NAME`` and
the paths on standard input; such a process prints the figure of one pass.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

Measured = Callable[[list[Path]], float]
"""One pass over some files; returns its processor time."""


def run(
    module: str, doc: str | None, work: Mapping[str, Measured], readable: Callable[[Path], list[Path]]
) -> dict[str, float] | None:
    """Return the least figure of each work over the readable files of the folder that the command names; None in a process that
    was started for one work, which prints its figure.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=work, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        print(work[given.only]([Path(line) for line in sys.stdin.read().splitlines()]))
        return None
    paths = "\n".join(map(str, readable(given.folder)))
    least: dict[str, float] = {}
    for _ in range(given.rounds):
        for name in work:
            command = [sys.executable, "-m", module, str(given.folder), "--only", name]
            done = subprocess.run(command, input=paths, check=True, stdout=subprocess.PIPE, text=True)
            least[name] = min(float(done.stdout), least.get(name, float("inf")))
    return least
