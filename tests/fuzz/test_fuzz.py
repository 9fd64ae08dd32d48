"""A short slice of the fuzzing that ``python -m tests.fuzz`` does for as long as one likes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fuzz import target
from tests.fuzz.__main__ import run
from tests.generate.strategies import formats

FORMATS = formats()


@pytest.mark.parametrize("format", FORMATS)
def test_a_short_round(format: str) -> None:
    """Every claim holds for fifteen files of each format."""
    assert target.fuzz(format, start=1, files=15) >= 15


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_many_rounds(format: str) -> None:
    """Every claim holds for ten thousand files of each format."""
    for start in range(50):
        target.fuzz(format, start)


def test_a_broken_claim_is_made_small_and_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A reader that falls over one byte is found, and the file that shows it is that byte alone."""

    def falls(data: bytes, format: str) -> Any:
        if b"\xff" in data:
            raise RuntimeError("this reader falls over 0xff")

    monkeypatch.setattr(target, "examine", falls)
    assert run(["zdd"], seconds=20, seed=7, save=tmp_path) == 1
    (saved,) = tmp_path.iterdir()
    assert saved.read_bytes() == b"\xff"
