"""The JSON Schemas of the languages say what the loaders say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from bridgespec.spec.dialect import TABLES, json_schema
from bridgespec.spec.grammar.load import read_blocks
from bridgespec.spec.grammar.syntax import Lines, parse_rules
from bridgespec.spec.grammar.words import plain
from bridgespec.spec.problems import Problems
from tests.spec.test_mistakes import MISTAKES, Mistake

ROOT = Path(__file__).parent.parent.parent
SPECS = [*sorted((ROOT / "specs").glob("*.ksy")), *sorted((ROOT / "examples/formats").glob("*.ksy"))]
GRAMMARS = [*sorted((ROOT / "specs").glob("*.lark")), *sorted((ROOT / "examples/formats").glob("*.lark"))]


def problems(schema: object, language: str = "ksy", of: str | None = None) -> list[str]:
    """What the JSON Schema finds, or that of a part of it."""
    said = json_schema(language)
    said = said if of is None else {"$ref": f"#/$defs/{of}", "$defs": said["$defs"]}
    return [error.message for error in jsonschema.Draft202012Validator(said).iter_errors(schema)]


def blocks(source: str, path: Path) -> dict[str, Any]:
    """The head of a grammar and the blocks of its rules, as plain values."""
    lines: Lines = {}
    parse_rules(source, path, (), [ROOT / "specs"], lines)
    found = read_blocks(source, path.name, lines.get(path.name, {}), Problems())
    return {"head": plain(found.head), **{name: plain(block) for name, block in found.rules.items()}}


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_our_schemas_fit(path: Path) -> None:
    """No schema that loads is called wrong."""
    assert problems(YAML(typ="safe").load(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.name)
def test_our_grammars_fit(path: Path) -> None:
    """Nor is the YAML of a grammar."""
    for name, block in blocks(path.read_text("utf-8"), path).items():
        assert problems(block, "lark", "head" if name == "head" else "rule") == [], name


UNKNOWN = [one for one in MISTAKES if one.code == "schema-key" and one.message.startswith("unknown key")]


@pytest.mark.parametrize("mistake", UNKNOWN, ids=lambda one: f"{one.language}-{one.message}".replace(" ", "_"))
def test_a_key_that_is_not_known_is_called_wrong(mistake: Mistake, tmp_path: Path) -> None:
    """What the loaders call unknown, an editor does."""
    if mistake.language == "ksy":
        assert problems(YAML(typ="safe").load(mistake.schema))
    else:
        found = blocks(mistake.schema, tmp_path / "x.lark")
        assert any(problems(block, "lark", "head" if name == "head" else "rule") for name, block in found.items())


@pytest.mark.parametrize("language", TABLES)
def test_every_part_has_its_shape(language: str) -> None:
    """No reference leads nowhere: the schema is one, and its parts are those of the tables."""
    said = json_schema(language)
    jsonschema.Draft202012Validator.check_schema(said)
    assert len(said["$defs"]) == len(TABLES[language])
    meant = {ref for ref in said["$defs"] if f"'#/$defs/{ref}'" in str(said)}
    assert meant >= said["$defs"].keys() - {"schema", "head", "rule", "switch"}


@pytest.mark.parametrize(
    "schema",
    [
        "seq: []",
        "{meta: {id: a}, sequence: []}",
        "{meta: {id: a}, seq: [{id: b, tipe: u1}]}",
        "{meta: {id: a}, seq: [{id: b, type: u1, repeat: often}]}",
        "{meta: {id: a}, seq: [{id: b, type: u1, -bridge-axis: []}]}",
        "{meta: {id: a}, seq: [{id: b, type: u1, -bridge-end: {short: 2}}]}",
    ],
)
def test_mistakes_are_found(schema: str) -> None:
    """A missing, unknown or misspelled key is called wrong."""
    assert problems(YAML(typ="safe").load(schema))
