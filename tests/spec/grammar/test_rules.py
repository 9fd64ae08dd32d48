"""What makes a rule of a grammar an array."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.spec.grammar.load import load_grammar
from bridgespec.spec.grammar.rules import Grammar


@pytest.mark.parametrize(
    ("rule", "array"),
    [
        ("word", False),
        ("word word", True),
        ("word*", True),
        ("word?", False),
        ('word "-" | word "+"', False),
        ("(word word) | word", True),
    ],
)
def test_a_rule_that_may_stand_twice_is_an_array(tmp_path: Path, rule: str, array: bool) -> None:
    """In a sequence, or by repetition; in two alternatives it still stands once."""
    path = tmp_path / "x.lark"
    path.write_text(f"//- {{id: x, extensions: [x]}}\n\nstart: {rule}\nword: /[a-z]/\n", "utf-8")
    grammar = load_grammar(path).text
    assert isinstance(grammar, Grammar)
    assert {name: many for name, (_, many) in grammar.occurrences(grammar.rules["start"].expr).items()} == {"word": array}
