"""Conditions as text: what is refused, at which place and with which way out."""

from __future__ import annotations

import re

import pytest

from bridgespec.dealing.deal_condition import read_condition
from bridgespec.errors import UsageError


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("nort: hcp 3", 0, "did you mean 'north'"),
        ("hcp 15-17", 0, "begins with its seats"),
        ("north hcp 15", 6, "colon"),
        ("north south: hcp 25", 6, "between them"),
        ("north: hcp ten", 11, "a number belongs here"),
        ("north: hcp 15-", 14, "a number belongs here"),
        ("north: hcp ≥ 15", 11, "a number belongs here"),
        ("north: balanced or", 18, "a term belongs here"),
        ("north: hcp 15-17 balanced", 17, "'and', 'or'"),
        ("north: (hcp 3", 13, "bracket"),
        ("north: majors 3+", 7, "there is no majors"),
    ],
)
def test_what_cannot_be_read_is_named_at_its_place(text: str, column: int, words: str) -> None:
    """The message states what belongs there, and the mark stands below the place."""
    with pytest.raises(UsageError, match=re.escape(words)) as refused:
        read_condition(text)
    assert str(refused.value).splitlines()[1:] == [f"  {text}", f"  {' ' * column}^"]


def test_a_dash_of_any_kind_makes_a_range() -> None:
    """Texts that are pasted have an en dash or a minus sign."""
    plain = read_condition("north: hcp 15-17")
    assert read_condition("north: hcp 15–17") == read_condition("north: hcp 15\N{MINUS SIGN}17") == plain
