"""What is read from a regular expression: groups, repetitions that could be taken back, how far it looks behind."""

from __future__ import annotations

import re

import pytest

from bridgespec.spec.grammar.regex import MANY, backtracking, behind, captures, settled, ways


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


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("a{0,1000}b", 1001),
        ("a{100,200}b", 101),
        ("x{100,101}[ab]{0,60}[ab]{0,60}c", 2 * 61 * 61),
        ("(?:a|b){0,2}c", 1 + 2 + 4),
        ("(?:a|b){70}c", MANY),
        ("a{100}b", 1),
    ],
)
def test_ways_of_repetitions_beyond_sixty_four_rounds(pattern: str, count: int) -> None:
    """A limit above 64 is counted as it is, and a least number above 64 does not hide the ways of what follows."""
    assert ways(pattern) == count
