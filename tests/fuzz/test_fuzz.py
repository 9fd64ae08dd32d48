"""A short slice of the fuzzing that ``python -m tests.fuzz`` does for as long as one likes."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.fuzz import target
from tests.fuzz.__main__ import run
from tests.fuzz.claims import examined, kinds, seeds
from tests.fuzz.pieces import damaged, damaged_json
from tests.generate.strategies import formats

FORMATS = formats()


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
def test_a_short_round(format: str) -> None:
    """Every claim holds for fifteen files of each format."""
    assert target.fuzz(format, start=1, files=15) >= 15


@pytest.mark.slice(None, quick=6)
@pytest.mark.parametrize("kind", kinds([]))
def test_pieces_out_of_place(kind: str) -> None:
    """Every claim holds for a dozen files of each format, and of JSON, whose pieces were moved, exchanged or stretched."""
    chance = Random(kind)
    for sample in chance.choices(seeds(kind) or (b"",), k=12):
        examined(moved(kind, sample, chance), kind)


def moved(kind: str, sample: bytes, chance: Random) -> bytes:
    """A sample damaged in the way of its kind."""
    return damaged_json(sample, chance) if kind == "json" else damaged(sample, kind in formats("lark"), chance, seeds(kind))


def test_damage_keeps_to_the_pieces() -> None:
    """Most of the lines of a damaged text are lines of samples, and damaged JSON is JSON."""
    chance, known = Random(1), seeds("pbn")
    lines = {line for sample in known for line in sample.splitlines()}
    made = [line for sample in known for line in damaged(sample, True, chance, known).splitlines()]
    assert len(lines & set(made)) > len(set(made)) / 2
    for sample in seeds("json"):
        json.loads(damaged_json(sample, chance))


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
