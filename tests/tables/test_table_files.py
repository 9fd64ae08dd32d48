"""Tables as sources and targets of conversions, with their losses, and what is reported without the extra."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pyarrow import array, concat_tables, ipc, parquet, uint64

import bridgespec
from bridgespec.api import Engine
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.errors import ReadError, UsageError, WriteError
from bridgespec.extras import EXTRAS
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from bridgespec.spec.kaitai.schema import loads
from bridgespec.tables.bulk import why_not_write
from tests.cli.running import ROOT, SAMPLES, run

SOLVED = Path(__file__).parent / "data" / "rpdd-2000.zrd"
MANY = 46_000
"""Records of a file that is worked as arrays by every command."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a megabyte, made of the sample again and again."""
    path = tmp_path_factory.mktemp("large") / "deals.zrd"
    path.write_bytes(SOLVED.read_bytes() * (MANY // 2000))
    return path


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_records_come_back_byte_for_byte(large: Path, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large file of records goes into each kind of table and comes out as it was, without a document however small the table."""
    monkeypatch.setattr(Engine, "spell", None)
    table, back = tmp_path / f"deals.{suffix}", tmp_path / "back.zrd"
    done = run("convert", large, table)
    assert done.exit_code == 0
    assert "46,000 boards" in done.output
    done = run("convert", table, back)
    assert done.exit_code == 0
    assert "lost" not in done.output
    assert back.read_bytes() == large.read_bytes()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", b"a,b\n1,2\n"),
        ("x.pbn", b"hello\n"),
        ("x.lin", b"md|md|md|md|"),
        ("x.zrd", b""),
        ("x.bss", b"*00{}=NYYYYYY\r\n"),
    ],
)
def test_a_file_without_a_board_is_no_table(name: str, content: bytes, tmp_path: Path) -> None:
    """A question about it was answered as about an empty table, though the extension had forced the format."""
    path = tmp_path / name
    path.write_bytes(content)
    done = run("query", f"SELECT count(*) FROM '{path}'")
    assert done.exit_code == 2
    assert name in done.stderr
    assert not done.stdout


def test_boards_of_a_text_come_back(tmp_path: Path) -> None:
    """A match with auctions, plays and comments says in its table what it said."""
    source = SAMPLES / "pbn" / "jfr.pbn"
    run("convert", source, tmp_path / "x.parquet")
    run("convert", tmp_path / "x.parquet", tmp_path / "back.pbn")
    assert bridgespec.load(tmp_path / "back.pbn").boards == bridgespec.load(source).boards


def test_a_large_table_is_converted_to_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However large, it is not taken for a file of records whose format is to be recognised."""
    monkeypatch.setattr("bridgespec.cli.array_sources.LARGE", 64)
    run("convert", SAMPLES / "pbn" / "sixteen.pbn", tmp_path / "x.parquet")
    done = run("convert", tmp_path / "x.parquet", tmp_path / "x.csv")
    assert (done.exit_code, (tmp_path / "x.csv").read_text().count("\n")) == (0, 16), done.output


@pytest.mark.parametrize("command", ["validate", "show", "dump"])
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_table_is_not_taken_for_a_format(command: str, suffix: str, tmp_path: Path) -> None:
    """Its bytes would do as double-dummy results: the user is told what asks a table instead."""
    path = tmp_path / f"x.{suffix}"
    run("convert", SAMPLES / "pbn" / "sixteen.pbn", path)
    done = run(command, path)
    assert done.exit_code == 2
    assert "bridgespec query" in done.output


@pytest.mark.long
def test_derived_columns_are_asked_for(tmp_path: Path) -> None:
    """They are there with --derived and not without; asked for where they cannot be, that is said."""
    run("convert", SOLVED, tmp_path / "plain.parquet")
    run("convert", SOLVED, tmp_path / "derived.parquet", "--derived")
    names = [set(bridgespec.table(tmp_path / f"{name}.parquet").schema.names) for name in ("plain", "derived")]
    assert "north_hcp" not in names[0]
    assert {"north_hcp", "par_score", *names[0]} <= names[1]
    done = run("convert", SOLVED, tmp_path / "x.zbd", "--derived")
    assert done.exit_code == 2
    assert ".parquet" in done.output


@pytest.mark.long
def test_losses_are_told_as_ever(large: Path, tmp_path: Path) -> None:
    """A large table tells what its target cannot hold, with its counts, in the words of a conversion of boards."""
    boards = [
        Board(board.number, deal=board.deal, tricks=board.tricks, result=7 if at < 3 else None, event="Final" if at else None)
        for at, board in enumerate(bridgespec.load(SOLVED).boards)
    ]
    boards[5] = Board(77, Seat.WEST, Vulnerability.BOTH, boards[5].deal, boards[5].tricks)
    small = tmp_path / "small.parquet"
    bridgespec.table(Document(tuple(boards))).write(small)
    big = tmp_path / "big.arrow"
    bridgespec.table(Document(tuple(boards) * 6)).write(big)
    assert big.stat().st_size > 1 << 20
    told = {}
    for path, times in ((small, 1), (big, 6)):
        done = run("convert", path, tmp_path / "x.zrd")
        assert done.exit_code == 0
        told[times] = {line for line in done.output.splitlines() if "lost" in line}
    assert {line.partition(" (")[0] for line in told[1]} == {line.partition(" (")[0] for line in told[6]}
    assert any("result (18 times)" in line for line in told[6])
    done = run("convert", big, tmp_path / "strict.zrd", "--strict")
    assert done.exit_code == 1
    assert not (tmp_path / "strict.zrd").exists()


def test_unread_places_are_told(tmp_path: Path) -> None:
    """What could not be read of a source is shown, and counted in the table; with --strict nothing is written."""
    source = SAMPLES / "zrd" / "bad" / "fourteen.zrd"
    done = run("convert", source, tmp_path / "x.parquet")
    assert done.exit_code == 0
    assert "bad-tricks" in done.output
    assert max(bridgespec.table(tmp_path / "x.parquet").read()["findings"].to_pylist()) > 0
    assert run("convert", source, tmp_path / "y.parquet", "--strict").exit_code == 1
    assert not (tmp_path / "y.parquet").exists()


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first two hundred boards of the sample."""
    path = tmp_path_factory.mktemp("few") / "deals.zrd"
    path.write_bytes(SOLVED.read_bytes()[: 23 * 200])
    return path


def test_tables_are_joined_and_split(few: Path, tmp_path: Path) -> None:
    """Commands that take boards take those of tables."""
    run("convert", few, tmp_path / "deals.zbd", "-q")
    run("convert", few, tmp_path / "tricks.zdd", "-q")
    run("convert", tmp_path / "deals.zbd", tmp_path / "deals.parquet")
    assert run("join", tmp_path / "deals.parquet", tmp_path / "tricks.zdd", tmp_path / "both.zrd").exit_code == 0
    assert (tmp_path / "both.zrd").read_bytes() == few.read_bytes()


def test_pipes_carry_tables(few: Path) -> None:
    """Tables go to standard output and come from standard input."""
    table = run("convert", "-", "-", "--from", "zrd", "--to", "parquet", "-q", data=few.read_bytes()).stdout_bytes
    assert table.startswith(b"PAR1")
    assert run("convert", "-", "-", "--from", "parquet", "--to", "zrd", "-q", data=table).stdout_bytes == few.read_bytes()


def test_a_row_that_is_no_board_is_named(tmp_path: Path) -> None:
    """A table whose hands share a card, or that has no hands at all, is refused with the row or the columns."""
    table = bridgespec.table(SOLVED).read()
    at = table.schema.get_field_index("north")
    shared = table.set_column(at, "north", table["west"])
    for wrong, kind, told in ((shared, WriteError, "share a card"), (table.select(["findings"]), UsageError, "make no board")):
        parquet.write_table(wrong, tmp_path / "x.parquet")
        with pytest.raises(kind, match=told):
            list(bridgespec.table(tmp_path / "x.parquet").boards())
        assert run("convert", tmp_path / "x.parquet", tmp_path / "x.zbd").exit_code == 2


@pytest.mark.long
@pytest.mark.parametrize("row", ["shared", "beyond"])
def test_one_wrong_row_of_a_large_table_is_refused(row: str, tmp_path: Path) -> None:
    """A row whose hands share a card, or have one that is none of the 52, after thousands that are right."""
    table = bridgespec.table(SOLVED).read()
    at = table.schema.get_field_index("north")
    first = table.slice(0, 1)
    wrong = first["west"] if row == "shared" else array([1 << 52], uint64())
    last = first.set_column(at, table.schema.field(at), wrong)
    parquet.write_table(concat_tables([*[table] * 14, last]), tmp_path / "x.parquet", compression="none", use_dictionary=False)
    assert (tmp_path / "x.parquet").stat().st_size > 1 << 20
    done = run("convert", tmp_path / "x.parquet", tmp_path / "x.zbd")
    assert done.exit_code == 2
    assert "share a card" in done.stderr
    assert not (tmp_path / "x.zbd").exists()


@pytest.mark.long
def test_a_stopped_conversion_leaves_the_old_file(large: Path, tmp_path: Path) -> None:
    """A conversion that is interrupted while it writes leaves the table that was there, and nothing beside it."""
    target = tmp_path / "deals.parquet"
    target.write_bytes(b"old")
    script = (
        "import os, signal\n"
        "from bridgespec.tables import table_files\n"
        "from bridgespec.cli import main\n"
        "groups = table_files._groups\n"
        "def stopped(batches):\n"
        "    for group in groups(batches):\n"
        "        yield group[:1]\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "table_files._groups = stopped\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "convert", str(large), str(target)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 128 + signal.SIGINT
    assert "stopped" in done.stderr
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["deals.parquet"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("call", "library", "extra"),
    [
        (["convert", "nowhere.pbn", "x.parquet"], "pyarrow", "tables"),
        (["convert", "nowhere.parquet", "x.zrd"], "pyarrow", "tables"),
        (["convert", "nowhere.pbn", "nowhere.arrow", "x.zrd"], "pyarrow", "tables"),
        (["convert", "nowhere.pbn", "-", "--to", "feather"], "pyarrow", "tables"),
        (["join", "nowhere.pbn", "nowhere.arrow", "x.zrd"], "pyarrow", "tables"),
        (["solve", "nowhere.parquet"], "pyarrow", "tables"),
        (["query", "nowhere.sql"], "duckdb", "tables"),
        (["query", "SELECT 1"], "pyarrow", "tables"),
        (["query", "FROM 'nowhere.zrd'", "--plot", "x.svg"], "matplotlib", "tables"),
        (["solve", "nowhere.zbd", "-o", "x.zrd", "--cluster", "local"], "fsspec", "cluster"),
        (["solve", "nowhere.zbd", "-o", "x.zrd", "--cluster", "local"], "distributed", "cluster"),
        (["convert", "nowhere.zbd", "x.zrd", "--cluster", "local"], "fsspec", "cluster"),
        (["docs", "site"], "jinja2", "docs"),
        (["docs", "site"], "railroad", "docs"),
        (["docs", "site", "--system", "nowhere.bid"], "jinja2", "docs"),
        (["dump", "nowhere.pbn", "--html", "x.html"], "jinja2", "docs"),
    ],
)
def test_a_missing_extra_is_named(call: list[str], library: str, extra: str, tmp_path: Path) -> None:
    """The extra and the line that installs it are reported with status 2 before a file is looked at, and nothing is written."""
    done = without(library, call, tmp_path)
    assert done.returncode == 2
    assert f"{library}, which is not installed: pip install 'bridgespec[{extra}]'" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.long
@pytest.mark.parametrize("library", sorted(EXTRAS))
def test_help_needs_no_extra(library: str, tmp_path: Path) -> None:
    """Every command has its help without the library, and the extra that brings the library lists it."""
    script = "from bridgespec.cli.app import app, short_helps\nfor name in short_helps(): app.get_command(None, name).get_help"
    done = without(library, [], tmp_path, script)
    assert (done.returncode, done.stderr) == (0, "")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][EXTRAS[library]]
    known = {"access_parser": "access-parser", "dask": "distributed", "griffe": "griffelib", "railroad": "railroad-diagrams"}
    known["resvg_py"] = "resvg-py"
    assert any(line.startswith(f"{known.get(library, library)}>=") for line in declared)


def without(library: str, call: list[str], folder: Path, script: str = "from bridgespec.cli import main; main()") -> Any:
    """A command in a process of its own in which a library cannot be imported."""
    command = [sys.executable, "-c", f"import sys\nsys.modules[{library!r}] = None\n{script}\n", *call]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, check=False)


@pytest.mark.long
def test_arrays_need_no_extra() -> None:
    """Files of records are arrays of NumPy without Arrow, and ask for none of the libraries."""
    script = (
        "import json, sys\n"
        "for name in ('pyarrow', 'duckdb', 'matplotlib'): sys.modules[name] = None\n"
        "import bridgespec\n"
        f"first, = bridgespec.table({str(SOLVED)!r}).arrays()\n"
        "print(json.dumps([len(first['number']), first['tricks'].shape, sorted(first)]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    columns = ["east", "findings", "north", "number", "out", "south", "tricks", "west"]
    assert json.loads(done.stdout.splitlines()[0]) == [2000, [2000, 20], columns]


def test_arrays_are_the_columns() -> None:
    """Without Arrow and with it, the columns have the same values; a text has no arrays, which is said."""
    (arrays,) = bridgespec.table(SOLVED).arrays()
    table = bridgespec.table(SOLVED).read()
    assert all(arrays[name].tolist() == table[name].to_pylist() for name in arrays)
    assert int(arrays["north"][0]) == bridgespec.load(SOLVED).boards[0].deal.north.bits  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="pyarrow"):
        next(bridgespec.table(SAMPLES / "pbn" / "jfr.pbn").arrays())


def test_a_broken_table_is_said(tmp_path: Path) -> None:
    """A file that is cut short is not a table, whichever command reads it."""
    whole = tmp_path / "x.parquet"
    bridgespec.table(SOLVED).write(whole)
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(ReadError, match="not a file of Parquet"):
        bridgespec.table(whole)
    for call in (["convert", whole, tmp_path / "x.zrd"], ["query", f"FROM '{whole}'"]):
        done = run(*call)
        assert (done.exit_code, str(whole) in done.output) == (2, True)


def test_the_codec_knows_the_sample() -> None:
    """The sample is what it is said to be: 2,000 records, all of them solved."""
    codec = BulkCodec(bridgespec.engine().spec("zrd"))
    arrays = codec.read(SOLVED.read_bytes())
    assert codec.tricks(arrays).shape == (2000, 20)
    assert codec.tricks(arrays).max() <= 13


@pytest.mark.long
@pytest.mark.parametrize("beside", ["number", "out"])
def test_a_row_without_a_deal_of_a_large_table_is_left_out(beside: str, tmp_path: Path) -> None:
    """As of a small one, whatever else the row has: its number, or the column of cards that nobody holds."""
    table = bridgespec.table(SOLVED).read()
    if beside == "out":
        at = table.schema.get_field_index("out")
        table = table.set_column(at, table.schema.field(at), array([0] * len(table), uint64()))
    last = table.slice(0, 1)
    for name in ("west", "north", "east", "south"):
        at = table.schema.get_field_index(name)
        last = last.set_column(at, table.schema.field(at), array([None], uint64()))
    parquet.write_table(concat_tables([*[table] * 14, last]), tmp_path / "x.parquet", compression="none", use_dictionary=False)
    done = run("convert", tmp_path / "x.parquet", tmp_path / "x.zbd")
    assert done.exit_code == 1
    (left_out,) = (line for line in done.stderr.splitlines() if line.startswith("error[cannot-hold]: zbd "))
    assert left_out.rpartition(": ")[2].startswith("board 1 ")
    deals = b"".join(SOLVED.read_bytes()[at : at + 13] for at in range(0, 23 * 2000, 23))
    assert (tmp_path / "x.zbd").read_bytes() == 14 * deals
    # Results need no deal.
    assert run("convert", tmp_path / "x.parquet", tmp_path / "x.zdd", "-q").exit_code == 0
    results = b"".join(SOLVED.read_bytes()[at + 13 : at + 23] for at in range(0, 23 * 2000, 23))
    assert (tmp_path / "x.zdd").read_bytes() == 14 * results + results[:10]


def test_results_alone_come_back(large: Path, tmp_path: Path) -> None:
    """A large table of results without deals is written as the records that it was made of."""
    assert run("convert", large, tmp_path / "a.zdd", "-q").exit_code == 0
    assert run("convert", tmp_path / "a.zdd", tmp_path / "a.parquet").exit_code == 0
    assert run("convert", tmp_path / "a.parquet", tmp_path / "b.zdd").exit_code == 0
    assert (tmp_path / "a.zdd").read_bytes() == (tmp_path / "b.zdd").read_bytes()


def test_why_records_cannot_be_written_is_said() -> None:
    """A format that has neither deals nor results, and a table that lacks what the format has."""
    bare = BulkCodec(loads("meta: {id: bare}\nseq: [{id: a, type: pair, repeat: eos}]\ntypes: {pair: {seq: [{id: b, type: u1}]}}"))
    reason = why_not_write(bare, ["deal", "tricks"])
    assert (reason.split()[0], "neither deals nor" in reason) == ("bare", True)
    solved = BulkCodec(bridgespec.engines.engine().spec("zrd"))
    assert why_not_write(solved, ["deal"]).endswith(" no tricks")
    assert why_not_write(solved, ["deal", "tricks"]) == ""


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_column_that_is_there_twice_is_an_error(suffix: str, tmp_path: Path) -> None:
    """Which of the two a question or a conversion means cannot be known."""
    table = bridgespec.table(SOLVED).read()
    twice = table.append_column("number", table["number"])
    path = tmp_path / f"x.{suffix}"
    if suffix == "parquet":
        parquet.write_table(twice, path)
    else:
        with ipc.new_file(path, twice.schema) as file:
            file.write_table(twice)
    for call in (("convert", path, tmp_path / "x.zrd"), ("query", f"SELECT count(*) FROM '{path}'")):
        done = run(*call)
        assert done.exit_code == 2
        assert "one column number" in done.stderr
