"""Diagnostics as SARIF, for other programs."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bridgespec.cli.render_sarif import sarif_log
from bridgespec.diagnostic import CODES, Code, Severity

from .findings import BINARY, LETTER, NIBBLE, PADDING, TEXT

FINDINGS = [(NIBBLE, BINARY), (PADDING, BINARY), (LETTER, TEXT)]
CODE = Code("no-such-count", Severity.ERROR, "A result is not a count.\n\nMore of it.")


def log(*findings: Any) -> Any:
    return json.loads(sarif_log(findings or FINDINGS, {CODE.name: CODE}, "1.2.3"))


def test_sarif_results_point_into_the_rules() -> None:
    """Each result names its rule, by id and by index; a rule with a page carries it."""
    run = log()["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [result["ruleId"] for result in run["results"]]
    (page,) = [rule for rule in rules if rule["id"] == CODE.name]
    assert page["shortDescription"]["text"] == CODE.summary
    assert page["defaultConfiguration"] == {"level": "error"}


def test_sarif_places() -> None:
    """Binary places are byte regions with the bits beside them, text places lines and columns too."""
    nibble, padding, letter = log()["runs"][0]["results"]
    region = nibble["locations"][0]["physicalLocation"]["region"]
    assert region == {"byteOffset": 16, "byteLength": 1}
    assert nibble["properties"] == {"record": 1, "bits": [4, 8], "bitOrder": "low"}
    assert nibble["relatedLocations"][1]["message"] == {"text": "the hand"}
    place = letter["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "n%C3%A4me.txt"
    assert place["region"] == {
        "byteOffset": 17,
        "byteLength": 1,
        "startLine": 2,
        "startColumn": 10,
        "endLine": 2,
        "endColumn": 11,
    }
    (change,) = padding["fixes"][0]["artifactChanges"]
    assert base64.b64decode(change["replacements"][0]["insertedContent"]["binary"]) == b" "


def test_sarif_of_nothing_is_a_clean_run() -> None:
    """No finding gives a run with an empty list of results, which is how SARIF says clean."""
    run = json.loads(sarif_log([], CODES, "1.2.3"))["runs"][0]
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []


def test_sarif_obeys_the_official_schema() -> None:
    """The log is valid by OASIS's own JSON Schema, which SARIF_SCHEMA names the file of."""
    path = os.environ.get("SARIF_SCHEMA")
    if not path:
        pytest.skip("SARIF_SCHEMA does not name a copy of sarif-schema-2.1.0.json")
    schema = json.loads(Path(path).read_text(encoding="utf-8"))
    jsonschema.validate(log(), schema)
    jsonschema.validate(json.loads(sarif_log([], CODES, "(not installed)")), schema)
