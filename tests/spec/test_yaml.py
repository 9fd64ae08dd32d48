"""Schemas' YAML is read by a parser in C where it is installed; the one in Python must say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from bridgespec.spec.problems import Problems
from bridgespec.spec.yaml import Items, Map, Scalar, load_yaml

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.ksy"))
TEXTS = [
    "a: é\nb: [\U0001f0a1, 0x10, yes, ~]\n",
    "a: |\n  x\n  y\nb: 'q'\n",
    "- 1\n- {b: [c, d]}\n",
    "",
    "a: 1\n---\nb: 2\n",
    "a: [1,\nb: }",
]


@pytest.mark.parametrize("text", [*(path.read_text() for path in SPECS), *TEXTS])
def test_both_parsers_agree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same values, kinds and places, or the same findings."""
    fast, slow = Problems(), Problems()
    found = load_yaml(text, "f", fast)
    monkeypatch.setattr("bridgespec.spec.yaml._DEEP", 0)
    assert load_yaml(text, "f", slow) == found
    assert fast.found == slow.found


def test_the_parser_in_c_is_there() -> None:
    """It is a dependency of CPython's: without it every command would start more slowly."""
    assert YAML(typ="safe").Parser is not YAML(typ="safe", pure=True).Parser


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 50_000, "{a: " * 20_000, "[\n" * 20_000])
def test_nesting_without_end_is_a_finding(text: str) -> None:
    """Neither parser runs out of stack."""
    problems = Problems()
    assert not isinstance(load_yaml(text, "f", problems), Scalar | Items | Map)
    assert problems.found
