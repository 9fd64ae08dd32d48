"""A large file is judged as a small one: the same findings, whichever way it is checked, or a word about what was left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.api import dumps, engine
from bridgespec.cli import large as bulk
from bridgespec.cli.settings import Settings
from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board
from bridgespec.model.clipping import Clipping
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks
from tests.model.test_deck import random_deal

from .running import run

DEALS = [random_deal(seed) for seed in range(4)]


def codes(found: list[Diagnostic]) -> Counter[tuple[str, int | None]]:
    """The codes by record."""
    return Counter((one.code, one.record) for one in found)


def both_ways(data: bytes, format: str, path: Path) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """The findings of a file read whole, and of the same file checked as arrays."""
    path.write_bytes(data)
    settings = Settings()
    large = bulk.large_file(settings, str(path), format)
    assert large is not None
    checked = bulk.check_large(settings, large)
    assert checked is not None
    return list(engine().examine(data, format).diagnostics), checked.findings


@st.composite
def tables(draw: st.DrawFn) -> Tricks:
    """Results of all kinds: possible and not, unsolved, clipped by one habit or another."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return Tricks(bytes(20))
    rows = [draw(st.integers(0, 13)) for _ in range(5)]
    cells = [value for row in rows for value in (row, 13 - row) * 2]
    habit = draw(st.sampled_from([None, None, *Clipping]))
    return Tricks(bytes(cells if habit is None else [habit.clip(value) for value in cells]))


@given(st.lists(st.tuples(st.sampled_from(DEALS), tables()), min_size=1, max_size=12), st.sampled_from([None, *Clipping]))
def test_arrays_judge_as_documents_do(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[Deal, Tricks]], habit: Clipping | None
) -> None:
    """Every rule says of every record the same, notes and warnings too."""
    if habit is not None:
        made = [(deal, Tricks(bytes(map(habit.clip, table.cells)))) for deal, table in made]
    boards = tuple(Board(deal=deal, tricks=table) for deal, table in made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "LARGE", 0)
        small, large = both_ways(dumps(Document(boards), "zrd"), "zrd", tmp_path_factory.getbasetemp() / "x.zrd")
    assert codes(large) == codes(small)
    assert sorted(one.message for one in large if one.code == "clipped-table") == sorted(
        one.message for one in small if one.code == "clipped-table"
    )


def test_rules_about_all_boards_are_applied_at_every_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where records have numbers of their own, two boards of one number are found in a large file too."""
    monkeypatch.setattr(bulk, "LARGE", 0)
    path = tmp_path / "x.cds"
    path.write_bytes(dumps(Document(tuple(Board(number=1, deal=deal) for deal in DEALS)), "cds"))
    assert run("validate", path).stdout.count("board-twice") == run("validate", path, "--thorough").stdout.count("board-twice") > 0


def test_records_beyond_those_explained_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says how many more records have findings."""
    monkeypatch.setattr(bulk, "LARGE", 0)
    monkeypatch.setattr(bulk, "EXPLAINED", 3)
    path = tmp_path / "x.zdd"
    path.write_bytes(b"\xee" * 80)
    assert "5 further records have findings" in run("validate", path).stdout
