"""The example formats do what they are examples of: derived values, checks, offsets, sections, and the tools for any schema."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.codec.anatomy import Anatomist, groups_of
from bridgespec.codec.bulk.codec import BulkCodec, why_not
from bridgespec.docs.field_tables import record_table
from bridgespec.docs.geometry import reachable
from bridgespec.export.json import tree
from bridgespec.twins import claim, dump, is_sample, twin_of
from tests.generate.house import EXAMPLES, engine

TABLES = ("esh", "gdx", "ghc", "gsp", "gsx", "shc", "shp", "ssp", "ssx")
IDS = (*TABLES, "combos", "mapped", "patterns", "sections", "tlv", "vault")
NUMBERED = ("combos", "mapped")
BOUND = (*NUMBERED, "sections", "tlv", "vault")
BINARY = (*TABLES, "combos", "mapped", "patterns", "tlv", "vault")
FILES = sorted(path for path in (EXAMPLES / "samples").glob("**/*") if is_sample(path))
GOOD = [path for path in FILES if path.parent.name != "bad"]


def format_of(path: Path) -> str:
    return path.relative_to(EXAMPLES / "samples").parts[0]


def name_of(path: Path) -> str:
    return path.relative_to(EXAMPLES / "samples").as_posix()


def run(*args: str) -> str:
    result = CliRunner().invoke(app, ["--specs", str(EXAMPLES), *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_there_are_samples_of_each() -> None:
    """Each schema has a whole file and a broken one beside it."""
    assert {path.stem for path in EXAMPLES.glob("*.*")} == set(IDS)
    assert {format_of(path) for path in GOOD} == {format_of(path) for path in set(FILES) - set(GOOD)} == set(IDS)


@pytest.mark.parametrize("id_", IDS)
def test_the_schema_is_clean(id_: str) -> None:
    """`check-spec` finds nothing in it or in its samples, not even a warning."""
    (path,) = EXAMPLES.glob(f"{id_}.*")
    assert "error" not in run("check-spec", "--strict", str(path))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_sample_is_what_its_twin_says(path: Path) -> None:
    """A whole file holds what stands beside it, a broken one gives the findings that stand beside it."""
    assert json.loads(dump(claim(engine(), path, format_of(path)))) == json.loads(twin_of(path).read_text("utf-8"))


@pytest.mark.parametrize("path", GOOD, ids=name_of)
def test_a_sample_is_written_back(path: Path) -> None:
    """Byte for byte where nothing is changed; spelled anew it says the same, and spelling it once more changes nothing."""
    data, format_ = path.read_bytes(), format_of(path)
    report = engine().examine(data, format_)
    assert not report.diagnostics
    assert engine().spell(report.document, format_).data == data
    if format_ not in BOUND:
        return
    clean = engine().spell(report.document, format_, canonical=True).data
    again = engine().examine(clean, format_)
    assert not again.diagnostics
    assert tree(again.document) == tree(report.document)
    assert engine().spell(again.document, format_, canonical=True).data == clean


@pytest.mark.parametrize("target", BOUND)
def test_boards_go_from_one_to_another(target: str) -> None:
    """The boards of the vault are written in each other format, with all that it has room for."""
    boards = engine().examine((EXAMPLES / "samples/vault/three.vault").read_bytes(), "vault").document
    written = engine().spell(boards, target)
    found = engine().examine(written.data, target)
    assert not found.diagnostics
    assert [board.deal for board in found.document.boards] == [board.deal for board in boards.boards]
    if target in NUMBERED:
        return
    assert [(b.number, b.dealer) for b in found.document.boards] == [(b.number, b.dealer) for b in boards.boards]
    events = [board.event for board in found.document.boards]
    assert events == (["Café", None, "Final"] if target != "tlv" else [None] * 3)


@pytest.mark.parametrize("event", ["A longer name than it was", "X", None])
def test_a_name_behind_an_offset_can_be_changed(event: str | None) -> None:
    """Lengths, offsets and the CRC of the whole file follow from the name that has changed; the others stay."""
    document = engine().examine((EXAMPLES / "samples/vault/three.vault").read_bytes(), "vault").document
    first, *others = document.boards
    written = engine().spell(replace(document, boards=(replace(first, event=event), *others)), "vault")
    found = engine().examine(written.data, "vault")
    assert not written.findings
    assert not found.diagnostics
    assert [board.event for board in found.document.boards] == [event, None, "Final"]
    left_out = engine().spell(replace(document, boards=tuple(others)), "vault")
    found = engine().examine(left_out.data, "vault")
    assert not found.diagnostics
    assert [board.event for board in found.document.boards] == [None, "Final"]


@pytest.mark.long
def test_a_flipped_bit_of_the_vault_is_found() -> None:
    """Whichever bit it is, something is said of it; below the CRC the finding is the format's own, at the CRC."""
    data = (EXAMPLES / "samples/vault/three.vault").read_bytes()
    for bit in range(8 * len(data)):
        wrong = bytearray(data)
        wrong[bit // 8] ^= 1 << bit % 8
        found = engine().of(engine().spec("vault")).codec.read(bytes(wrong)).diagnostics
        assert found, bit
        if bit >= 8 * 24:
            at = [one.span for one in found if one.code == "vault-crc"]
            assert not at or (at[0] is not None and at[0].byte_start == 20)


def test_a_length_follows_from_what_it_tells_of() -> None:
    """A longer remark makes its item and the board's item longer; the other items stay as they are."""
    codec = engine().of(engine().spec("tlv")).codec
    part = {"tag": 1, "body": {"text": "more than it was"}}
    nested = {"tag": 2, "body": {"items": [part, {"tag": 9, "body": b"\1"}]}}
    board = {"number": 1, "dealer": 0, "deal": [0, 1, 2, 3] * 13, "more": [nested, part]}
    data = codec.write({"boards": [{"body": board}]})
    assert len(data) == 3 + 3 + 13 + (3 + (3 + 16) + (3 + 1)) + (3 + 16)
    assert (data[1:3], data[20:22], data[23:25]) == (b"\0\x3d", b"\0\x17", b"\0\x10")
    assert not codec.read(data).diagnostics


@pytest.mark.parametrize("id_", BINARY)
def test_dump_shows_every_byte_once(id_: str) -> None:
    """The parts of each sample follow one another from the first byte to the last, each under a field."""
    spec = engine().spec(id_)
    for path in GOOD:
        if format_of(path) != id_:
            continue
        data = path.read_bytes()
        anatomist, at = Anatomist(spec), 0
        for group in groups_of(engine().of(spec).codec.read(data).root):
            for part in anatomist.parts(group.node, group.path, group.number is not None, group.inside):
                assert part.start == at
                assert part.field is not None
                at = part.stop
        assert at == 8 * len(data)


@pytest.mark.parametrize("id_", BINARY)
def test_tables_have_a_row_for_every_field(id_: str) -> None:
    """The page's tables name the fields of every record that a file can hold, instances and switch cases included."""
    spec = engine().spec(id_)
    rows = {record.name: [row.name for row in record_table(spec, record, {}).rows] for record in reachable(spec)}
    assert set(rows) == set(spec.records)
    assert id_ != "vault" or "event" in rows["vault::board"]
    assert id_ != "tlv" or {"tlv::remark", "tlv::parts"} <= set(rows)


def test_the_table_of_patterns_is_worked_as_arrays() -> None:
    """Its checks of a list, of bits and of a computed value mark the records that the reference path reports, and no other."""
    spec = engine().spec("patterns")
    assert why_not(spec) == ""
    data = bytearray((EXAMPLES / "samples/patterns/all.patterns").read_bytes())
    for at in (0, 27, 13 * 20 + 3, 13 * 38 + 1):
        data[at] ^= 0x04
    reference = {one.record for one in engine().of(spec).codec.read(bytes(data)).diagnostics}
    assert BulkCodec(spec).check(bytes(data)).bad.tolist() == sorted(r for r in reference if r is not None)
    assert len(reference) == 4


def test_what_keeps_a_format_from_arrays_is_reported() -> None:
    """The reason names the field, with its place in the schema."""
    reasons = {"boards": why_not(engine().spec("vault")), "more": run("check-spec", str(EXAMPLES / "tlv.ksy"))}
    for (word, reason), name in zip(reasons.items(), ("vault", "tlv"), strict=True):
        lines = (EXAMPLES / f"{name}.ksy").read_text("utf-8").splitlines()
        place = re.search(rf"{name}\.ksy:(\d+):(\d+): {word} ", reason)
        assert place, reason
        assert lines[int(place[1]) - 1][int(place[2]) - 1 :] == f"id: {word}"


@pytest.mark.parametrize("id_", BINARY)
def test_what_construct_cannot_say_is_refused_by_name(id_: str) -> None:
    """The declaration is whole, or the export names what it cannot say."""
    result = CliRunner().invoke(app, ["--specs", str(EXAMPLES), "export", id_, "--to", "construct"])
    assert result.exit_code == 0 or " construct declaration" in result.output
