"""Runs the solver's C tests for other platforms where something here runs their programs: ``python -m tools.foreign``.

Programs for ARM run under QEMU (``qemu-user-static``), those for Windows under Wine (``wine64``), those for musl as they are.
What is not installed is said and left out; for macOS there is nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import zig

RUNNERS = {
    "musllinux-x86_64": [],
    "musllinux-aarch64": ["qemu-aarch64-static"],
    "windows-x86_64": ["wine"],
}
SHORT = ["200", "5", "8"]
"""Random endings, published deals and freak deals: some minutes where every instruction is translated."""


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tools.foreign", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("platform", nargs="*", help=f"of {', '.join(RUNNERS)}; all unless given")
    given = parser.parse_args()
    failed = False
    for name in given.platform or RUNNERS:
        runner = RUNNERS[name]
        if runner and shutil.which(runner[0]) is None:
            print(f"{name}: {runner[0]} is not installed, so nothing was run")
            continue
        failed = not _tested(zig.TARGETS[name], runner) or failed
    sys.exit(failed)


def _tested(target: zig.Target, runner: list[str]) -> bool:
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        for test, words in (("test_table", []), ("test_solver", SHORT)):
            built = Path(scratch) / (test + ".exe")
            zig.program(target, zig.NATIVE, zig.NATIVE / "tests" / f"{test}.c", built)
            quiet = {**os.environ, "WINEDEBUG": "-all"}
            command = [*runner, str(built), *words]
            done = subprocess.run(command, cwd=zig.NATIVE, env=quiet, capture_output=True, text=True, check=False)
            last = (done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]])[-1]
            print(f"{target.name}: {test}: exit {done.returncode}: {last}", flush=True)
            good = good and done.returncode == 0
    return good


if __name__ == "__main__":
    main()
