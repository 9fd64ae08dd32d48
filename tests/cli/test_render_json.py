"""Diagnostics as lines of JSON, for other programs."""

from __future__ import annotations

import json

from bridgespec.cli.render_json import json_line
from tests.cli.test_render_sarif import FINDINGS

from .findings import BINARY, LETTER, NIBBLE, TEXT


def test_a_line_of_json_has_every_place() -> None:
    """Code, byte span, bit range, record and field are there, and labels have places of their own."""
    value = json.loads(json_line(NIBBLE, BINARY))
    assert (value["code"], value["severity"], value["record"]) == ("no-such-count", "error", 1)
    assert value["span"] == {"start": 16, "stop": 17, "bits": [4, 8], "bit_order": "low"}
    assert value["field"] == "boards[1].tricks[0]"
    assert value["labels"][1]["span"] == {"start": 2, "stop": 4, "bits": None, "bit_order": None}


def test_json_places_in_text_have_lines() -> None:
    """A text file's places come with line and column, and a fix with the bytes to write."""
    value = json.loads(json_line(LETTER, TEXT))
    assert (value["line"], value["column"], value["span"]["start"]) == (2, 10, 17)
    assert value["fix"] == {
        "description": "take it out",
        "safe": False,
        "edits": [{"start": 17, "stop": 18, "replacement": ""}],
    }


def test_json_keys_are_always_the_same() -> None:
    """A script can rely on every key, and on one line a finding."""
    lines = [json_line(*pair) for pair in FINDINGS]
    assert len({tuple(json.loads(line)) for line in lines}) == 1
    assert not any("\n" in line for line in lines)
