"""A large file is judged as a small one: the same findings, whichever way it is checked, or a word about what was left out.

Records that state numbers, of boards or of the file's first and last, fare alike at every size and by every path.
"""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.api import dumps, engine
from bridgespec.cli import array_sources, record_checks
from bridgespec.cli.settings import Settings
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.diagnostic import CODES, Diagnostic
from bridgespec.model.arrays import NumbersJudge
from bridgespec.model.board import Board
from bridgespec.model.clipping import Clipping
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks
from bridgespec.rules import RULES, CheckRule, Finding
from tests.codec.bulk.support import deals
from tests.model.test_deck import random_deal
from tests.told import numbers

from .paths import batches, small
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


def test_a_rule_that_arrays_do_not_decide_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule on deals that is not known to arrays has its findings in a large file, and one that needs an auction costs nothing."""
    path = tmp_path / "x.zrd"
    path.write_bytes(dumps(Document(tuple(Board(deal=deal, tricks=Tricks(bytes(20))) for deal in DEALS)), "zrd"))
    monkeypatch.setattr(array_sources, "LARGE", 0)
    trial = CheckRule(CODES["hand-size"], lambda facts: [Finding.of(CODES["hand-size"], "trial", 0, ("deal",))])
    renamed = replace(trial, code=replace(trial.code, name="trial"))
    for rule, asked in ((renamed, True), (replace(renamed, needs=frozenset({"auction"})), False)):
        monkeypatch.setattr(record_checks, "RULES", (*RULES, rule))
        large = array_sources.large_file(Settings(), str(path), None)
        assert large is not None
        assert (record_checks.check_large(Settings(), large) is None) == asked


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
    (lost,) = (line for line in done.stderr.splitlines() if "warning[lost]" in line and " filler of wide " in line)
    assert numbers(lost) == [boards]
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


THREE_DEALS = deals(3)
SHOWN = ("first_number", "last", "copies")
TEXT = """
meta: {id: numt, title: Numbered by texts, file-extension: numt, endian: le, bit-endian: le, encoding: ASCII}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - {id: number, type: str, size: 2, pad-right: 0x20, -bridge-number: {}}
      - id: deal
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - {id: sets, type: u1, -bridge-opaque: true}
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
"""
AHEAD = """
meta: {id: ahead, title: First number ahead, file-extension: ahead, endian: le, bit-endian: le}
seq: [{id: first_number, type: u2}, {id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - id: deal
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
"""


DEALT = TEXT.replace("numt", "dealt").replace("{id: sets, type: u1, -bridge-opaque: true}", "{id: dealer, type: u1, enum: seat}")
"""Of a dealer beside a number a rule says something that arrays do not know."""


def dup(random: Random, count: int) -> bytes:
    """Boards whose control bytes are blank, right, wrong or no numbers."""
    codec = BulkCodec(engine().spec("dup"))
    right = [b"   ", b"   ", b"5  ", f"{4 + count:<3}".encode(), f"{count:<3}".encode()]
    given = {
        name: np.array([list(random.choice([*right, b"x  ", b"\0\0\0", b"0  ", b"  7"])[:size]) for _ in range(count)], np.uint8)
        for name, size in zip(SHOWN, (3, 3, 2), strict=True)
    }
    return codec.write(codec.arrays(THREE_DEALS[[random.randrange(3) for _ in range(count)]]) | given).tobytes()


def cds(random: Random, count: int) -> bytes:
    """Boards of few numbers and few deals, one number in ten being none."""
    codec = BulkCodec(engine().spec("cds"))
    numbers = np.array([random.choice([*range(10), 17, count]) for _ in range(count)], np.uint8)
    rows = THREE_DEALS[[random.choice((0, 0, 0, 1, 2)) for _ in range(count)]]
    return codec.write(codec.arrays(rows, None, {"number": numbers})).tobytes()


def texts(random: Random, count: int) -> bytes:
    """The same with numbers spelled in digits, not always as they should be."""
    packed = BulkCodec(engine().spec("zbd")).write({"deal": THREE_DEALS}).reshape(3, 13)
    spelled = [b"1 ", b"2 ", b"3 ", b"17", b"  ", b"x1", b"-1", b" 4"]
    return b"".join(
        random.choice(spelled) + bytes(packed[random.choice((0, 0, 1))]) + bytes([random.choice((0, 0, 9))]) for _ in range(count)
    )


def ahead(random: Random, count: int) -> bytes:
    """Deals behind the number of the first board."""
    return (
        bytes([random.choice((0, 1, 9)), 0]) + BulkCodec(engine().spec("zbd")).write({"deal": THREE_DEALS[[0] * count]}).tobytes()
    )


def dealt(random: Random, count: int) -> bytes:
    """Boards whose dealer is that of their number, or another."""
    packed = BulkCodec(engine().spec("zbd")).write({"deal": THREE_DEALS}).reshape(3, 13)
    return b"".join(f"{at + 1:<2}".encode() + bytes(packed[0]) + bytes([random.choice((at + 1, at)) % 4]) for at in range(count))


def outcomes(folder: Path, path: Path) -> list[tuple[int, str, str, bytes]]:
    """What the check and two conversions of a file say and write."""
    found = []
    for command in ("validate", "zbd", "pbn"):
        dest = folder / f"out.{command}"
        dest.write_bytes(b"")
        call = ("validate", path, "--output-format", "json", "--all") if command == "validate" else ("convert", path, dest)
        done = run("--specs", folder, *call)
        found.append((done.exit_code, done.stdout, done.stderr if command != "validate" else "", dest.read_bytes()))
    return found


@pytest.mark.long
@pytest.mark.slice(3)
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("made", [dup, cds, texts, ahead, dealt])
def test_numbers_are_judged_alike_by_every_path(made: Callable[[Random, int], bytes], size: int, tmp_path: Path) -> None:
    """Findings, losses and bytes are those of the whole file, wherever its numbers begin and whatever they contradict."""
    (tmp_path / "numt.ksy").write_text(TEXT)
    (tmp_path / "ahead.ksy").write_text(AHEAD)
    (tmp_path / "dealt.ksy").write_text(DEALT)
    name = {"texts": "numt"}.get(made.__name__, made.__name__)
    for seed in range(6):
        random = Random(f"{name} {seed} {size}")
        path = tmp_path / f"x.{name}"
        data = made(random, random.randint(1, 12))
        path.write_bytes(data + random.choice((b"", b"", data[1:9])))
        with small():
            expected = outcomes(tmp_path, path)
        with batches(size):
            assert outcomes(tmp_path, path) == expected


def test_boards_of_one_number_are_found_in_every_cut() -> None:
    """Whatever records are looked at together, and in whatever order numbers come."""
    random = Random(1)
    for _ in range(50):
        count = random.randint(1, 30)
        numbers = np.array([random.randint(1, 6) for _ in range(count)])
        rows = THREE_DEALS[[random.choice((0, 0, 1)) for _ in range(count)]]
        given = np.array([random.random() < 0.9 for _ in range(count)])
        judge, at = NumbersJudge(), 0
        while at < count:
            stop = at + random.randint(1, 9)
            judge(at, numbers[at:stop], rows[at:stop], given[at:stop])
            at = stop
        first: dict[int, int] = {}
        expected = set()
        for index in np.flatnonzero(given).tolist():
            earlier = first.setdefault(int(numbers[index]), index)
            if (rows[earlier] != rows[index]).any():
                expected |= {earlier, index}
        assert judge.found == expected
