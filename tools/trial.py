"""Tries wheels in environments that hold nothing else: ``python -m tools.trial WHEEL...``.

Each wheel is installed into a new environment. There the README's commands run, with their outputs compared, and the solver gives
answers that are known. Nothing is needed but the wheel, what it and its tables depend on, and the repository's samples.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DEAL = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
KNOWN = "NT  S  H  D  C\nN   3  3  4  5  4\nS   3  3  4  5  4\nE  10 10  9  7  9\nW  10 10  8  7  9"
ASK = f"""
import bridgespec, bridgespec.solver.library as library
print(bridgespec.__file__, library.ffi.__class__.__module__, getattr(library.lib, "__name__", library.lib))
table = bridgespec.solve_deal(bridgespec.Deal.parse({DEAL!r}))
assert str(table).strip() == {KNOWN!r}, table
deals = [bridgespec.Deal.random(seed) for seed in range(8)]
assert list(bridgespec.solve_many(deals)) == [bridgespec.solve_deal(deal) for deal in deals]
"""


def trial(wheel: Path, interpreter: str, solver: bool) -> None:
    """Try a wheel in an empty environment; SystemExit says what went wrong."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _run([interpreter, "-m", "venv", "venv"], folder)
        python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        _run([str(python), "-m", "pip", "install", "-q", str(wheel), "pytest"], folder)
        print(_run([str(python), "-c", ASK if solver else "import bridgespec; print(bridgespec.__file__)"], folder).strip())
        # What the README says needs an extra gets it now, when it is known that all else needs none.
        _run([str(python), "-m", "pip", "install", "-q", f"{wheel}[tables]"], folder)
        # The tests' own environment is not there, and the commands that they run take the package that is.
        words = ["-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", f"{ROOT / 'tests' / 'test_prose.py'}"]
        print(_run([str(python), *words, "-k", "readme", f"--rootdir={folder}"], folder).strip())


def _run(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words[:4])} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tools.trial", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", nargs="+", type=Path)
    parser.add_argument("--python", default=sys.executable, help="what makes the environments; else the Python that runs this")
    parser.add_argument("--no-solver", action="store_true", help="it was made without one")
    given = parser.parse_args()
    for wheel in given.wheel:
        print(wheel.name)
        trial(wheel.resolve(), given.python, not given.no_solver)


if __name__ == "__main__":
    main()
