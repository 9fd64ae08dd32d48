"""No input makes reading a text format slower than linear: every format, hostile inputs of one size and of four times that."""

from __future__ import annotations

import pytest

from bridgespec.api import engine
from bridgespec.codec.text.codec import TextCodec
from bridgespec.errors import SpecError
from bridgespec.spec.grammar.regex import backtracking
from tests.codec.text_support import load_text
from tests.steps import steps

SEEDS = (
    "{", "}", '"', "[", '[A "', '[A "x"', "(", ";", "%", "|", "a|", "md|", "mb|", "=", "*",
    "$", "+", "-", "^", "\\", "\n", "\r", "\r\n", " ", "\t",
    "\n\n", "{\n", '"\n', "[\n", "A", "1", "1C", "S", "001C", "*00{",
    "%{", "H W:", ".", ",", "=1=", "H{", "?n=", "&", "\x1a", "\xff", "{}",
    '[A "b"]\n{', '[Auction "N"]\n1C {', '[Play "N"]\nSA ', "Board 01=", "12", "a", "n=s", "1C!(", "001C{", "pc|", "\x00",
)  # fmt: skip
SIZES = (300, 1200)
ONCE = 400
"""Functions that a reading enters however short its input is, at most."""
FORMATS = [spec.id for spec in engine().catalog.all() if spec.language == "lark"]


def entered(codec: TextCodec, seed: str, size: int) -> int:
    """How many functions a reading of ``size`` characters of the seed enters, over and over.

    What expressions do within one match is not seen here: that they never go back is held by `backtracking` below.
    """
    data = (seed * (size // len(seed) + 1))[:size].encode("latin-1")
    return steps(lambda: codec.read(data, 100))


@pytest.mark.parametrize("format", FORMATS)
def test_reading_is_linear(format: str) -> None:
    """Four times the input takes at most about four times as many steps: a quadratic reader would take sixteen times."""
    spec = engine().spec(format)
    codec = engine().codec(spec)
    assert isinstance(codec, TextCodec)
    codec.read(b"x")
    seeds = [*SEEDS, *(sample.data.decode("latin-1") for sample in spec.samples)]
    for seed in dict.fromkeys(seeds):
        one, four = (entered(codec, seed, size) for size in SIZES)
        assert four <= 6 * max(one, ONCE), f"{format}: {seed!r}: {one:,} and {four:,} steps"


@pytest.mark.parametrize("pattern", [r"(?:a+)+b", r"[a-z]*x", r"(?:a|b)*?c", r"(?:a*b)*", r"(?=a+b)"])
def test_a_pattern_that_goes_back_is_found(pattern: str) -> None:
    """Unbounded repetitions that could be taken back are named, wherever they stand."""
    assert backtracking(pattern)


@pytest.mark.parametrize("pattern", [r"(?:a++)++b", r"[a-z]*+x", r"a{1,9}b", r"[^\n]*", r"(?>a+)b"])
def test_a_pattern_that_does_not_is_let_pass(pattern: str) -> None:
    """Possessive, bounded and final repetitions are fine."""
    assert backtracking(pattern) == []


def test_a_slow_grammar_is_refused() -> None:
    """With the place of the terminal, before any input is read."""
    with pytest.raises(SpecError) as caught:
        load_text("//- {id: slow, extensions: [slow]}\n\nstart: word*\nword: /(?:a+)+b/\n")
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.span.line) == ("slow-grammar", 4)  # type: ignore[attr-defined]


def test_a_repetition_of_nothing_is_refused() -> None:
    """A loop over something that may be empty."""
    with pytest.raises(SpecError) as caught:
        load_text('//- {id: slow, extensions: [slow]}\n\nstart: word*\nword: "a"?\n')
    assert "may be empty" in str(caught.value)
