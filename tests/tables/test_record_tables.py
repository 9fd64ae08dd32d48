"""Records of formats that state nothing of boards, as tables: tables of patterns by arithmetic, columns of every kind, refusals."""

from __future__ import annotations

import shlex
from math import comb
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run
from tests.told import numbers

SPECS = ("--specs", str(ROOT / "examples" / "formats"))
SCHEMA = """\
meta: {id: mixed, file-extension: mixed, endian: le}
seq:
  - id: records
    type: entry
    repeat: eos
types:
  entry:
    seq:
      - {id: kind, type: u1, enum: kinds}
      - {id: name, type: str, size: 4, encoding: ASCII, pad-right: 0x20}
      - {id: raw, size: 2}
      - {id: place, type: point}
      - {id: flags, type: u1, repeat: expr, repeat-expr: 3}
      - {id: total, type: s4}
  point:
    seq:
      - {id: x, type: u2}
      - {id: y, type: u2}
enums:
  kinds: {1: first, 2: second}
"""
RECORDS = bytes.fromhex("01 41422020 0001 0500 0600 010203 ffffffff") + bytes.fromhex("07 41424344 beef 0100 0200 090807 40420f00")


def asked(question: str, *words: str) -> list[list[str]]:
    """The rows of an answer."""
    done = run(*words, "query", question, "--output-format", "csv")
    assert done.exit_code == 0, done.stderr
    return [line.split(",") for line in done.stdout.splitlines()[1:]]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A schema with fields of every kind, and a file of two records."""
    (tmp_path / "mixed.ksy").write_text(SCHEMA)
    (tmp_path / "two.mixed").write_bytes(RECORDS)
    return tmp_path


@pytest.mark.parametrize(("table", "rows", "total"), [("shp", 560, comb(52, 13)), ("esh", 8192, None)])
def test_tables_of_patterns_add_up(table: str, rows: int, total: int | None, tmp_path: Path) -> None:
    """Every row is counted, and the hands of all shapes are all hands."""
    path = tmp_path / f"all.{table}"
    assert run(*SPECS, "generate", "patterns", "--table", table, "-o", path).exit_code == 0
    ((count, found),) = asked(f"SELECT count(*), sum(num_hands) FROM '{path}'", *SPECS)
    assert int(count) == rows
    assert total is None or int(found) == total


def test_a_question_over_shapes(tmp_path: Path) -> None:
    """Lists are columns too: the share of balanced hands is the one of the books, 47.6%."""
    path = tmp_path / "all.shp"
    run(*SPECS, "generate", "patterns", "--table", "shp", "-o", path)
    balanced = "list_max(lengths) <= 5 AND list_min(lengths) >= 2 AND list_sort(lengths)[2] > 2"
    ((share,),) = asked(f"SELECT sum(num_hands) FILTER (WHERE {balanced}) / sum(num_hands) FROM '{path}'", *SPECS)
    assert round(float(share), 4) == 0.476


def test_fields_of_every_kind_are_columns(mixed: Path) -> None:
    """Codes by their names, texts without padding, bytes, fields of a type inside, lists and signed numbers."""
    question = """SELECT kind, name, hex(raw), "place.x" + "place.y", list_sum(flags), total FROM 'two.mixed'"""
    rows = asked(question.replace("two.mixed", str(mixed / "two.mixed")), "--specs", str(mixed))
    assert rows == [["first", "AB", "0001", "11", "6", "-1"], ["", "ABCD", "BEEF", "3", "24", "1000000"]]


def test_a_record_that_is_cut_off_is_an_error(mixed: Path) -> None:
    """No answer leaves out the beginning of a record in silence."""
    (mixed / "cut.mixed").write_bytes(RECORDS[:-1])
    done = run("--specs", mixed, "query", f"SELECT count(*) FROM '{mixed / 'cut.mixed'}'")
    assert done.exit_code == 2
    head = f"error: {mixed / 'cut.mixed'}: "
    assert (done.stderr.startswith(head), numbers(done.stderr.removeprefix(head))) == (True, [17, 18])


def test_other_formats_say_why_not(tmp_path: Path) -> None:
    """A format whose records vary in size has no table, and the message says what there is instead."""
    field = "{id: rest, type: strz, encoding: ASCII, repeat: eos}"
    (tmp_path / "vary.ksy").write_text(f"meta: {{id: vary, file-extension: vary}}\nseq: [{field}]\n")
    (tmp_path / "x.vary").write_bytes(b"a\0")
    done = run("--specs", tmp_path, "query", f"SELECT * FROM '{tmp_path / 'x.vary'}'")
    assert done.exit_code == 2
    assert "`bridgespec convert`" in done.stderr


@pytest.mark.long
def test_the_examples_of_the_page_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command of the page on combinations that makes or asks a table of patterns, one after the other in a folder."""
    page = (ROOT / "docs" / "combinations.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = [block.split("```")[0].rstrip("\n") for block in page.split("```console\n$ ")[1:]]
    assert len(blocks) == 3
    for block in blocks:
        command, _, shown = block.partition("\n")
        words = [str(ROOT / word) if word == "examples/formats" else word for word in shlex.split(command)[1:]]
        done = run(*words)
        assert "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines()) == shown
