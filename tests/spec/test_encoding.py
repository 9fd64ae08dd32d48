"""Small tables of the schema languages, entry by entry: ranges of integers, names of encodings, what makes an array."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest

from bridgespec.spec.encoding import ENCODINGS, canonical_encoding
from bridgespec.spec.grammar.load import load_grammar
from bridgespec.spec.grammar.rules import Grammar
from bridgespec.spec.primitive import BitsType, IntType


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_the_range_of_an_integer(size: int) -> None:
    """The numbers that so many bytes hold, as Python packs them, and no more."""
    for signed in (False, True):
        low, high = IntType(size, signed, "le").range
        for value in (low, high):
            assert int.from_bytes(value.to_bytes(size, "little", signed=signed), "little", signed=signed) == value
        for value in (low - 1, high + 1):
            with pytest.raises(OverflowError):
                value.to_bytes(size, "little", signed=signed)
    assert BitsType(8 * size, "le", False).range == (0, 256**size - 1)


def test_every_encoding_has_one_of_python() -> None:
    """Its own name is known, and no two names that end in other numbers are one encoding."""
    for name, python in ENCODINGS.items():
        assert canonical_encoding(name) == name
        assert codecs.lookup(python).name
        if name.startswith(("IBM", "ISO", "windows-12")):
            assert re.findall(r"\d+", name)[-1] == re.findall(r"\d+", python)[-1]
    assert {"IBM862", "IBM866", "ISO-8859-11", "ISO-8859-16", "windows-1258"} <= ENCODINGS.keys()
    assert not {"ISO-8859-0", "ISO-8859-12", "windows-1249", "windows-1259"} & ENCODINGS.keys()


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
