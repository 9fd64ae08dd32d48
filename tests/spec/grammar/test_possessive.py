"""Possessive repetitions match alike in every version of Python, those included whose own matching is wrong."""

from __future__ import annotations

import re

import pytest

from bridgespec.spec.grammar.possessive import CORRECT, atomic, compile_regex

# The ends follow from the definition: the repetition takes what its greedy form takes first, and gives nothing back.
MATCHED = [
    ("(?:ab|a(?!a)a)++", "aba", 2),
    ("(?:(?!a))*+", "aa", 0),
    ("(?:ab(?:b)*[ab])*+", "abaab", 3),
    ("(?:(?!a|b))?+", "b", 0),
    ("(?:a|ab)(?:c|bcd)(?:d*+)", "abcd", 4),
    ("(?:ab?)*+b", "abab", None),
    (r"(?:[^%|]++|%(?!7C)|(?:\||%7C)(?!x\|))++", "a|b%7Cx|c", 3),
]


@pytest.mark.parametrize("build", [compile_regex, atomic])
@pytest.mark.parametrize(("pattern", "text", "end"), MATCHED)
def test_a_possessive_repetition_matches_as_defined(build: object, pattern: str, text: str, end: int | None) -> None:
    """Neither backtracking into it nor a lookahead within it changes the end of the match."""
    assert callable(build)
    found = build(pattern).match(text)
    assert (found.end() if found else None) == end


def test_groups_and_flags_are_kept() -> None:
    """The compiled expression has the pattern, flags, and named groups that ``re.compile`` gives it."""
    pattern = "(?i:A(?P<tail>b)*+)(c)?."
    one, other = atomic(pattern, re.DOTALL), re.compile(pattern, re.DOTALL)
    assert (one.pattern, one.flags, one.groups, one.groupindex) == (other.pattern, other.flags, other.groups, other.groupindex)
    assert one.match("aBb\n").groupdict() == {"tail": "b"}  # type: ignore[union-attr]


@pytest.mark.skipif(CORRECT, reason="this version of Python matches possessive repetitions correctly")
def test_the_workaround_is_needed() -> None:
    """``re.compile`` itself matches wrongly here."""
    assert any((found.end() if (found := re.compile(pattern).match(text)) else None) != end for pattern, text, end in MATCHED)
