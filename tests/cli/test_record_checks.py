"""A large file is judged as a small one: the same findings, whichever way it is checked, or a word about what was left out."""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.api import dumps, engine
from bridgespec.cli import array_sources, record_checks
from bridgespec.cli.settings import Settings
from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board
from bridgespec.model.clipping import Clipping
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks
from tests.model.test_deck import random_deal

from .running import HALVES, run

DEALS = [random_deal(seed) for seed in range(4)]


def codes(found: list[Diagnostic]) -> Counter[tuple[str, int | None]]:
    """The codes by record."""
    return Counter((one.code, one.record) for one in found)


def both_ways(data: bytes, format: str, path: Path) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """The findings of a file read whole, and of the same file checked as arrays."""
    path.write_bytes(data)
    settings = Settings()
    large = array_sources.large_file(settings, str(path), format)
    assert large is not None
    checked = record_checks.check_large(settings, large)
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
        patch.setattr(array_sources, "LARGE", 0)
        small, large = both_ways(dumps(Document(boards), "zrd"), "zrd", tmp_path_factory.getbasetemp() / "x.zrd")
    assert codes(large) == codes(small)
    assert sorted(one.message for one in large if one.code == "clipped-table") == sorted(
        one.message for one in small if one.code == "clipped-table"
    )


def test_rules_about_all_boards_are_applied_at_every_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where records have numbers of their own, two boards of one number are found in a large file too."""
    monkeypatch.setattr(array_sources, "LARGE", 0)
    path = tmp_path / "x.cds"
    path.write_bytes(dumps(Document(tuple(Board(number=1, deal=deal) for deal in DEALS)), "cds"))
    assert run("validate", path).stdout.count("board-twice") == run("validate", path, "--thorough").stdout.count("board-twice") > 0


def test_records_beyond_those_explained_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says how many more records have findings."""
    monkeypatch.setattr(array_sources, "LARGE", 0)
    monkeypatch.setattr(record_checks, "EXPLAINED", 3)
    path = tmp_path / "x.zdd"
    path.write_bytes(b"\xee" * 80)
    assert "5 further records" in run("validate", path).stdout


WIDE = """
meta: {id: wide, title: Wide records, file-extension: wide, endian: le, bit-endian: le}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - id: deal
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - {id: number, type: u2}
      - {id: filler, size: 4000, -bridge-opaque: true}
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
"""
"""Records of four kilobytes: a file of few boards is large."""
FEW, MANY = 3, 300


def wide(folder: Path, boards: int, schema: str = WIDE) -> Path:
    """A file of wide records, each with its number."""
    (folder / "wide.ksy").write_text(schema)
    deals = [dumps(Document((Board(deal=deal),)), "zbd") for deal in DEALS]
    path = folder / f"{boards}.wide"
    path.write_bytes(b"".join(deals[at % len(deals)] + struct.pack("<H", at + 1) + b"x" * 4000 for at in range(boards)))
    return path


def test_boards_of_a_large_file_are_chosen_by_their_own_numbers(tmp_path: Path) -> None:
    """One board far from the start, a range across pieces, and none that is not there."""
    path = wide(tmp_path, MANY)
    told = run("--specs", tmp_path, "show", path, "--boards", "250").stdout
    assert [line.split()[1] for line in told.splitlines() if line.startswith("Board ")] == ["250"]
    told = run("--specs", tmp_path, "show", path, "--boards", "298-299").stdout
    assert [line.split()[1] for line in told.splitlines() if line.startswith("Board ")] == ["298", "299"]
    refused = run("--specs", tmp_path, "show", path, "--boards", "301")
    assert refused.exit_code == 2
    assert "no board 301" in refused.output


@pytest.mark.parametrize("boards", [FEW, MANY])
def test_a_truncated_last_record_is_reported_at_every_size(boards: int, tmp_path: Path) -> None:
    """Where the file ends is an error, whatever the size of the file."""
    path = wide(tmp_path, boards)
    data = path.read_bytes()
    path.write_bytes(data[:-3900])
    done = run("--specs", tmp_path, "validate", path, "--output-format", "json")
    assert done.exit_code == 1
    (cut,) = (one for one in map(json.loads, done.stdout.splitlines()) if one.get("code") == "truncated")
    assert (cut["record"], cut["span"]["start"]) == (boards - 1, len(data) - 3900)


@pytest.mark.parametrize("boards", [FEW, MANY])
@pytest.mark.parametrize("schema", [WIDE, WIDE.replace("{id: number, type: u2}", "{id: unknown, type: u2, -bridge-opaque: true}")])
def test_what_the_target_lacks_is_reported_at_every_size(boards: int, schema: str, tmp_path: Path) -> None:
    """A field that only the source's format has is a loss with its count, whichever way the file is converted."""
    done = run("--specs", tmp_path, "convert", wide(tmp_path, boards, schema), tmp_path / "x.zbd")
    assert done.exit_code == 0
    assert f"warning[lost]: zbd cannot hold the field filler of wide ({boards} times)" in done.stderr
    assert (tmp_path / "x.zbd").stat().st_size == 13 * boards


@pytest.mark.long
@pytest.mark.parametrize("boards", [3, 7000])
def test_a_message_names_the_board_of_the_whole_file(boards: int, tmp_path: Path) -> None:
    """What is reported of a record's two halves has the number of the board, however many records are before it."""
    halves = HALVES.read_bytes()
    clean, wrong = halves[:156], halves[156:312]
    path = tmp_path / "x.dup"
    path.write_bytes(clean * (boards - 2) + wrong + clean)
    told = run("validate", path, "--output-format", "json").stdout
    messages = [one["message"] for one in map(json.loads, told.splitlines()) if one.get("code") == "deal-mismatch"]
    assert [re.search(r"board (\d+)", message)[1] for message in messages] == [str(boards - 1)]  # type: ignore[index]
