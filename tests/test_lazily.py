"""What starts fast imports little: a command imports what it needs, and what it does not need it leaves alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import SOLVED

HEAVY = {"numpy", "lark", "ruamel.yaml", "rich", "construct", "click", "jinja2", "cffi", "importlib.metadata"}


def imported(program: str) -> set[str]:
    """The heavy modules that a program has imported when it is done."""
    ask = f"import sys; {program}; print(*sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def commanded(*args: str | Path) -> str:
    """A program that runs a command."""
    words = ["bridgespec", *map(str, args)]
    return f"from bridgespec.cli import app; sys.argv = {words!r}\ntry: app()\nexcept SystemExit: pass\n0"


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "needed"),
    [
        ("import bridgespec", set()),
        ("import bridgespec; bridgespec.Board", set()),
        (commanded("--version"), {"click"}),
        (commanded("validate", SOLVED), {"click", "rich"}),
    ],
    ids=["import", "a value", "--version", "validate"],
)
def test_only_what_is_needed_is_imported(program: str, needed: set[str], tmp_path: Path) -> None:
    """Neither NumPy nor a schema language, with the schemas kept compiled."""
    imported(commanded("validate", SOLVED))
    assert imported(program) <= needed
