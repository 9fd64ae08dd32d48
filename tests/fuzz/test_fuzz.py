"""A short slice of the fuzzing that ``python -m tests.fuzz`` does for as long as one likes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bridgespec.api import engine
from bridgespec.spec.ir import Spec
from tests.fuzz import target
from tests.fuzz.__main__ import run
from tests.generate.strategies import specs

SPECS = [pytest.param(spec, id=spec.id) for spec in specs()]


@pytest.mark.parametrize("spec", SPECS)
def test_a_short_round(spec: Spec) -> None:
    """Every claim holds for forty files of each format."""
    assert target.fuzz(spec, start=1, files=40) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_many_rounds(spec: Spec) -> None:
    """Every claim holds for ten thousand files of each format."""
    for start in range(50):
        target.fuzz(spec, start)


def test_a_broken_claim_is_made_small_and_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A reader that falls over one byte is found, and the file that shows it is that byte alone."""

    def falls(data: bytes, format: str) -> Any:
        if b"\xff" in data:
            raise RuntimeError("this reader falls over 0xff")

    monkeypatch.setattr(target, "examine", falls)
    assert run([engine().spec("zdd")], seconds=20, seed=7, save=tmp_path) == 1
    (saved,) = tmp_path.iterdir()
    assert saved.read_bytes() == b"\xff"
