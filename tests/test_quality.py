"""Types, style and C warnings are part of the tests, so that one command says whether the tree is clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "command",
    [
        ["mypy", "--strict", "bridgespec", "tools"],
        ["ruff", "check", "bridgespec", "tests", "tools", "benchmarks", "setup.py"],
    ],
    ids=["mypy --strict", "ruff"],
)
def test_clean(command: list[str]) -> None:
    """The tool finds nothing."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
