"""What is read from a regular expression: groups, repetitions that could be taken back, how far it looks behind."""

from __future__ import annotations

import re

import pytest

from bridgespec.spec.grammar.regex import backtracking, behind, captures, settled


@pytest.mark.parametrize(
    ("pattern", "capturing"),
    [(r"(a)", True), (r"(?P<x>a)", True), (r"\(a\)", False), (r"[(]a", False), (r"(?:a)", False), (r"a{2}(?=b)", False)],
)
def test_groups_that_capture(pattern: str, capturing: bool) -> None:
    """Brackets that are characters are not groups."""
    assert captures(pattern) is capturing is bool(re.compile(pattern).groups)


@pytest.mark.parametrize("pattern", [r"(?#note)a", r"(?(1)a|b)", r"(?P=x)"])
def test_what_grammars_do_not_use_is_refused(pattern: str) -> None:
    """Comments, conditions and references."""
    with pytest.raises(re.error):
        captures(pattern)


@pytest.mark.parametrize(
    ("pattern", "sure"),
    [
        ("[a-z]++", True),
        ("a{3}", True),
        ("a{1,3}", False),
        ("(?:ab)?+", True),
        ("(?>a|b)", True),
        ("(?:a|b)", False),
        ("ab?", False),
    ],
)
def test_expressions_that_match_in_one_way(pattern: str, sure: bool) -> None:
    """Those that nothing behind them can shorten."""
    assert settled(pattern) is sure


@pytest.mark.parametrize(
    ("pattern", "width"), [("a", 0), ("(?<=[^a])b", 1), (r"(?<!\n)b", 1), ("(?<=ab)c", 2), (r"\bb", 2), ("a$", 0)]
)
def test_how_far_it_looks_behind(pattern: str, width: int) -> None:
    """No character, one, or more."""
    assert behind(pattern) == width


@pytest.mark.parametrize("pattern", [r"a{,3}b", r"x{}", r"[]a]++b", r"\x41++\\++b", "(?i:a++)b"])
def test_odd_spellings_are_parsed(pattern: str) -> None:
    """As Python parses them."""
    re.compile(pattern)
    assert backtracking(pattern) == []
