"""The JSON Schema of the dialect says what the loader says."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from bridgespec.spec.kaitai.dialect import BRIDGE, json_schema
from bridgespec.spec.kaitai.keys import FIELD_KEYS, TOP_KEYS, TYPE_KEYS

SPECS = sorted((Path(__file__).parent.parent.parent / "specs").glob("*.ksy"))


def problems(schema: object) -> list[str]:
    """What the JSON Schema finds."""
    return [error.message for error in jsonschema.Draft202012Validator(json_schema()).iter_errors(schema)]


def test_every_key_of_ours_is_explained() -> None:
    """The keys that the loader takes are those that have a shape and words."""
    assert set(BRIDGE) == FIELD_KEYS | TYPE_KEYS | TOP_KEYS


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_our_schemas_fit(path: Path) -> None:
    """No schema that loads is called wrong."""
    assert problems(YAML(typ="safe").load(path.read_text("utf-8"))) == []


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
