"""No rule of a schema has a meaning that is not written in the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.api import engine
from bridgespec.export.json import tree
from tests.terms.support import SPECS, engine_of, renamed, rules_of, samples_of, text_formats, write

_NAMED_BY_THE_READER = pytest.mark.xfail(reason="the strict form asks for the field called value", strict=False)
CASES = [
    pytest.param(format, rule, marks=_NAMED_BY_THE_READER if (format, rule) == ("pbn", "value") else ())
    for format in text_formats()
    for rule in rules_of((SPECS / f"{format}.lark").read_text("utf-8"))
    if rule != "start" and not rule.startswith("export_")
]


@pytest.mark.parametrize(("format", "rule"), CASES)
def test_a_renamed_rule_means_the_same_or_is_refused(format: str, rule: str, tmp_path: Path) -> None:
    """With any rule renamed, check-spec has an error, or every sample gives the same document and is written the same."""
    source = (SPECS / f"{format}.lark").read_text("utf-8")
    other = engine_of(write(tmp_path, f"{format}.lark", renamed(source, rule, f"other_{rule}")))
    if other is None:
        return
    for path in list(samples_of(format))[:2]:
        data = path.read_bytes()
        before, after = engine().examine(data, format).document, other.examine(data, format).document
        assert tree(after) == tree(before)
        assert other.spell(after, format, canonical=True).data == engine().spell(before, format, canonical=True).data
