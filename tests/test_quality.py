"""The type checker and the linter find nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("tool", [["mypy"], ["ruff", "check", "--no-cache", "."]], ids=["mypy", "ruff"])
def test_static_checks_are_clean(tool: list[str]) -> None:
    """``mypy --strict`` over the package and ``ruff`` over everything, as pyproject configures them."""
    done = subprocess.run([sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
