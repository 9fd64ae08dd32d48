"""The command ``check-spec``: each mistake at its line, and what a schema is compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .running import run as call


@pytest.mark.parametrize(
    ("old", "new", "code", "marked"),
    [
        ("enum: seat", "enum: seet", "schema-name", "enum: seet"),
        ("repeat-expr: 52", "repeat-expr: 51", "schema-count", "- id: deal"),
        ("type: u1\n", "type: u3\n", "schema-name", "type: u3"),
        ("        valid: {min: 1}\n", "        -bridge-foo: 1\n", "schema-key", "-bridge-foo"),
        ("id: number ", "id: colour ", "schema-unbound", "id: colour"),
        ("        enum: seat\n", "        enum: seat\n        -bridge-number: {}\n", "schema-cannot-apply", "-bridge-number"),
        ("valid: {min: 1}", "valid: {min: numbr}", "schema-expression", "numbr"),
        ("codes: [truncated]", "codes: [hand-size]", "schema-sample", "name: cut short"),
        ("bit-endian: be", "bit-endian: be: le", "schema-syntax", "be: le"),
    ],
)
def test_every_mistake_has_its_line(tmp_path: Path, old: str, new: str, code: str, marked: str) -> None:
    """The finding stands where the mistake was made."""
    call("new", "fresh", "--dir", tmp_path)
    schema = tmp_path / "fresh.ksy"
    source = schema.read_text()
    assert old in source
    schema.write_text(source.replace(old, new, 1))
    line = schema.read_text()[: schema.read_text().index(marked)].count("\n") + 1
    checked = call("check-spec", schema, "--output-format", "json")
    found = [json.loads(row) for row in checked.stdout.splitlines() if row.startswith("{")]
    assert (code, line) in [(finding["code"], finding["line"]) for finding in found], found


def test_sample_files_are_held_to_their_twins(tmp_path: Path) -> None:
    """A twin that claims something else is a finding."""
    call("new", "fresh", "--dir", tmp_path)
    twin = tmp_path / "samples" / "fresh" / "example.fresh.json"
    twin.write_text(twin.read_text().replace('"number": 1', '"number": 2'))
    checked = call("check-spec", tmp_path / "fresh.ksy")
    assert checked.exit_code == 1
    assert "schema-sample" in checked.output


def test_the_dialect_is_printed_for_editors() -> None:
    """`--json-schema` needs no file."""
    assert json.loads(call("check-spec", "--json-schema").output)["$defs"]


@pytest.mark.parametrize(
    ("grammar", "status", "told"),
    [("", 1, "error[schema-key]: the grammar has no rule 'start'"), ('WORD: "x"\n', 0, "note[schema-no-extension]")],
)
def test_a_grammar_that_begins_nowhere(tmp_path: Path, grammar: str, status: int, told: str) -> None:
    """An empty one is a mistake; one with rules for others to import is not."""
    (tmp_path / "piece.lark").write_text(grammar)
    result = call("check-spec", tmp_path / "piece.lark")
    assert result.exit_code == status
    assert told in result.stdout


@pytest.mark.parametrize("text", ["type:\n    size: 3", "type: !\n    size: 3", "type: ''\n    size: 3"])
def test_a_finding_about_an_empty_value_has_a_place_to_mark(text: str, tmp_path: Path) -> None:
    """A value without characters is marked by at least one, so that every reader of the report shows something."""
    path = tmp_path / "x.ksy"
    path.write_text(f"meta: {{id: x}}\nseq:\n  - id: a\n    {text}\n")
    done = call("check-spec", path, "--output-format", "json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found
    assert all(one["span"]["stop"] > one["span"]["start"] for one in found)
    assert {one["line"] for one in found} == {4}
