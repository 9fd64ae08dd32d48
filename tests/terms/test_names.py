"""No rule of a schema has a meaning that is not written in the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.spec.grammar import comment_blocks
from bridgespec.spec.problems import Problems
from bridgespec.spec.yaml import Yaml, load_yaml
from tests.terms.support import SPECS, renamed, rules_of, said, text_formats, tried, write

CASES = [
    (format, rule)
    for format in text_formats()
    for rule in rules_of((SPECS / f"{format}.lark").read_text("utf-8"))
    if rule != "start"
]


READ: dict[tuple[str, str], Yaml | None] = {}
"""The blocks of words that have been read, by their text and file."""


def read_once(text: str, file: str, problems: Problems) -> Yaml | None:
    """As `load_yaml`: of the blocks of a schema, a renaming changes a few."""
    if (text, file) not in READ:
        before = len(problems.found)
        found = load_yaml(text, file, problems)
        if len(problems.found) != before:
            return found
        READ[text, file] = found
    return READ[text, file]


@pytest.fixture(autouse=True)
def _blocks_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comment_blocks, "load_yaml", read_once)


@pytest.mark.slice(50)
@pytest.mark.parametrize(("format", "rule"), CASES)
def test_a_renamed_rule_means_the_same_or_is_refused(format: str, rule: str, tmp_path: Path) -> None:
    """With any rule renamed, check-spec has an error, or every sample gives the same document and is written the same."""
    source = (SPECS / f"{format}.lark").read_text("utf-8")
    other = tried(write(tmp_path, f"{format}.lark", renamed(source, rule, f"other_{rule}")))
    if other is None:
        return
    for data, written, ours in said(format):
        assert other.said(data, written) == ours
