"""What stands behind offsets is shown at its place, once, under its field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgespec.api import engine
from bridgespec.cli.app import app
from bridgespec.codec.anatomy import Anatomist, Group, groups_of
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.docs.field_tables import record_table
from bridgespec.spec.kaitai.schema import loads
from tests.steps import steps

CHEST = """
meta: {id: chest, title: A chest, file-extension: chest, endian: le, encoding: UTF-8}
seq:
  - {id: magic, contents: CHST}
  - {id: num_cases, type: u1}
  - {id: cases, type: case_entry, repeat: expr, repeat-expr: num_cases}
types:
  case_entry:
    seq:
      - {id: ofs_body, type: u4}
      - {id: kind, type: u1}
    instances:
      body:
        io: _root._io
        pos: ofs_body
        type: {switch-on: kind, cases: {1: text, 2: pair}}
  text: {seq: [{id: value, type: str, size: 3}]}
  pair: {seq: [{id: a, type: u1}, {id: b, type: u1}]}
instances:
  label: {pos: 15, type: str, size: 5}
  again: {pos: 0, type: u4}
"""
DATA = b"CHST\x02" + b"\x14\0\0\0\x01" + b"\x17\0\0\0\x02" + b"hello" + b"abc" + b"\x07\x09" + b"zz"
PARTS = [
    (0, 4, "magic"),
    (4, 5, "num_cases"),
    (5, 9, "cases[0].ofs_body"),
    (9, 10, "cases[0].kind"),
    (10, 14, "cases[1].ofs_body"),
    (14, 15, "cases[1].kind"),
    (15, 20, "label"),
    (20, 23, "cases[0].body.value"),
    (23, 24, "cases[1].body.a"),
    (24, 25, "cases[1].body.b"),
    (25, 27, "trailing"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "chest.ksy").write_text(CHEST)
    (tmp_path / "a.chest").write_bytes(DATA)
    return tmp_path


def run(folder: Path, *args: str) -> str:
    result = CliRunner().invoke(app, ["--specs", str(folder), *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_byte_is_shown_once() -> None:
    """Fields, instances and switch cases come in file order, each byte under one of them; an alias is not shown again."""
    spec = loads(CHEST)
    anatomist = Anatomist(spec)
    found = [
        (part.byte_start, part.byte_stop, part.field)
        for group in groups_of(BinaryCodec(spec).read(DATA).root)
        for part in anatomist.parts(group.node, group.path, group.number is not None, group.inside)
    ]
    assert found == PARTS


@pytest.mark.parametrize(("kind", "rows"), [("b4", ["[0..7]", "[8..15]", "[16..19]"]), ("b1", ["[0..7]", "[8..15]", "[16..19]"])])
def test_an_array_is_shown_eight_elements_a_row(kind: str, rows: list[str]) -> None:
    """However small they are, where eight of them end with a byte."""
    spec = loads(f"meta: {{id: x, endian: le}}\nseq: [{{id: a, type: {kind}, repeat: expr, repeat-expr: 20}}]")
    root = BinaryCodec(spec).read(bytes(10)).root
    found = [part.field for group in groups_of(root) for part in Anatomist(spec).parts(group.node, group.path)]
    assert [field for field in found if field != "trailing"] == [f"a{row}" for row in rows]


def test_a_stretch_of_a_file_is_shown_at_its_place() -> None:
    """The same parts, so many bytes further on, and none before them."""
    spec = loads("meta: {id: x}\nseq: [{id: a, type: u1}, {id: b, type: b4}]")
    node = BinaryCodec(spec).read(bytes(2)).root
    here, there = (
        [(part.start, part.stop, part.field) for part in Anatomist(spec, shift).parts(node, "", True)] for shift in (0, 3)
    )
    assert here == [(0, 8, "a"), (8, 12, "b")]
    assert there == [(start + 24, stop + 24, field) for start, stop, field in here]


def test_the_first_list_is_numbered() -> None:
    """From a number that is given: the list may be a stretch of a longer one. Others stand beside it, from their own first on."""
    spec = loads(
        "meta: {id: x}\nseq: [{id: n, type: u1}, {id: a, type: t, repeat: expr, repeat-expr: 2}, {id: b, type: t, repeat: eos}]\n"
        "types: {t: {seq: [{id: v, type: u1}]}}"
    )
    found = [(group.number, group.path) for group in groups_of(BinaryCodec(spec).read(bytes(4)).root, 5)]
    assert found == [(None, "n"), (5, "a[5]"), (6, "a[6]"), (None, "b[0]")]


def test_the_list_of_boards_is_numbered_before_others() -> None:
    """A table of offsets before it has no numbers."""
    spec = loads(
        "meta: {id: x}\nseq: [{id: a, type: t, repeat: expr, repeat-expr: 1}, {id: boards, type: t, repeat: eos}]\n"
        "types: {t: {seq: [{id: v, type: u1}]}}"
    )
    found = [(group.number, group.path) for group in groups_of(BinaryCodec(spec).read(bytes(3)).root, 5)]
    assert found == [(None, "a[0]"), (5, "boards[5]"), (6, "boards[6]")]


def test_dump_shows_what_offsets_lead_to(folder: Path) -> None:
    """The text form has a line for each, and calls nothing of it trailing; a chosen record brings what it leads to."""
    lines = run(folder, "dump", str(folder / "a.chest")).splitlines()
    assert [line.split("  ")[-1] for line in lines if "body" in line or "label" in line][-4:] == ['"hello"', '"abc"', "7", "9"]
    assert [line for line in lines if "trailing" in line and "7a 7a" in line]
    second = run(folder, "dump", str(folder / "a.chest"), "--record", "2")
    assert "body.a" in second
    assert "body.value" not in second


def test_dump_as_json_has_every_element(folder: Path) -> None:
    """For programs an alias is there too; what a record leads to has the number of the record."""
    found = [json.loads(line) for line in run(folder, "dump", "--json", str(folder / "a.chest")).splitlines()]
    told = [(one["start"], one["stop"], one["field"]) for one in found]
    assert [one for one in told if one[2] != "again"] == PARTS
    assert (0, 4, "again") in told
    assert {one["field"]: one["record"] for one in found}["cases[1].body.a"] == 1


def test_the_page_of_a_dump_has_them_as_parts(folder: Path) -> None:
    """The fields of the page are those of the text form, each with its range of bits."""
    page = run(folder, "dump", str(folder / "a.chest"), "--html", "-")
    for start, stop, _ in PARTS:
        assert f'data-r="{8 * start}-{8 * stop}"' in page


def test_tables_name_instances_and_link_offsets() -> None:
    """A record's table has a row for what is read elsewhere; the field that tells where links to it, and it to the field."""
    spec = loads(CHEST)
    rows = {row.name: row for row in record_table(spec, spec.records["chest::case_entry"], {}).rows}
    assert list(rows) == ["ofs_body", "kind", "body"]
    assert f'<a href="#{rows["body"].anchor}">' in rows["ofs_body"].meaning
    assert f'<a href="#{rows["ofs_body"].anchor}">' in rows["body"].offset
    top = {row.name: row for row in record_table(spec, spec.top, {}).rows}
    assert top["label"].offset == "at <code>15</code>"


def test_the_groups_of_a_text_are_found_without_its_fields() -> None:
    """A few functions a record: what is in a record is not read, since nothing there leads to another place."""
    board = b'[Event "Cup"]\n[Board "%d"]\n[Auction "N"]\n1C Pass 1H Pass\n2H Pass Pass Pass\n\n'
    reading = engine().of(engine().spec("pbn")).codec.read(b"".join(board % number for number in range(1, 101)))
    found: list[Group] = []
    assert steps(lambda: found.extend(groups_of(reading.root))) < 100 * 20
    assert len(found) == 100
