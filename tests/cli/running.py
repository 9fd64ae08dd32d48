"""Running commands in tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from bridgespec.cli import app

from .. import warm

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "tests" / "samples"
SIXTEEN = SAMPLES / "dup" / "sixteen.dup"
SOLVED = SAMPLES / "zrd" / "record0.zrd"
HALVES = SAMPLES / "dup" / "bad" / "halves.dup"
CUT = SAMPLES / "zbd" / "bad" / "truncated.zbd"
UNSOLVED = SAMPLES / "zrd" / "unsolved.zrd"

BINARY = sorted(
    path
    for folder in SAMPLES.iterdir()
    if (ROOT / "specs" / f"{folder.name}.ksy").exists()
    for path in folder.rglob(f"*.{folder.name}")
)


def run(*args: str | Path, data: bytes | None = None) -> Result:
    """A command within this process; an exception that leaves it is raised here."""
    return CliRunner().invoke(app, [str(arg) for arg in args], input=data, prog_name="bridgespec", catch_exceptions=False)


def process(*args: str | Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "bridgespec", *map(str, args)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **extra}
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT, check=False)


def forked(*args: str | Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own that needs no start."""
    return warm.call([*map(str, args)], ROOT, {**os.environ, **extra})
