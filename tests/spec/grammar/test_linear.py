"""No input makes reading a text format slower than linear: every format, hostile inputs of one size and of four times that."""

from __future__ import annotations

import pytest

from bridgespec.codec.text import compiled_expressions
from bridgespec.codec.text.codec import TextCodec
from bridgespec.engines import engine
from bridgespec.errors import SpecError
from bridgespec.spec.grammar.regex import backtracking
from tests.codec.terms.support import text_formats
from tests.codec.text.support import load_text
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


def entered(codec: TextCodec, data: str) -> int:
    """How many functions a second reading enters: the first makes the expressions that such a text needs, once for all files.

    What expressions do within one match is not seen here: that they never go back is held by `backtracking` below.
    """
    codec.read(data.encode("latin-1"), 100)
    return steps(lambda: codec.read(data.encode("latin-1"), 100))


def cut(seed: str, size: int) -> str:
    """The seed over and over, cut off at so many characters."""
    return (seed * (size // len(seed) + 1))[:size]


@pytest.mark.long
@pytest.mark.slice(3)
@pytest.mark.parametrize("format", text_formats())
def test_reading_is_linear(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the input takes at most about four times as many steps: a quadratic reader would take sixteen times.

    Piece by piece, a seed that is cut off anywhere; and by expressions, which read in one step what is without a finding, four
    times as many whole seeds. Where a cut makes them look piece by piece, that takes little more than without them.
    """
    spec = engine().spec(format)
    plain, fast = TextCodec(spec, accelerated=False), engine().of(spec).codec
    assert isinstance(fast, TextCodec)
    # Choices are compiled by the first reading of a text, not in the middle of a later one.
    monkeypatch.setattr(compiled_expressions, "OFTEN", 0)
    plain.read(b"x")
    fast.read(b"x")
    seeds = [*SEEDS, *(sample.data.decode("latin-1") for sample in spec.samples)]
    for seed in dict.fromkeys(seeds):
        # What stands in a sample differs from place to place, so its beginning says nothing of the rest.
        texts = [cut(seed, size) for size in SIZES] if len(seed) < SIZES[0] else [2 * seed, 8 * seed]
        one, four = (entered(plain, text) for text in texts)
        assert four <= 6 * max(one, ONCE), f"{format}: {seed!r}: {one:,} and {four:,} steps"
        assert entered(fast, texts[1]) <= 6 * max(four, ONCE), f"{format}: {seed!r}: {four:,} steps without expressions"
        copies = max(4, SIZES[0] // len(seed))
        one, four = (entered(fast, seed * count) for count in (copies, 4 * copies))
        assert four <= 6 * max(one, ONCE), f"{format}: {seed!r}: {one:,} and {four:,} steps for whole seeds"


@pytest.mark.parametrize("pattern", [r"(?:a+)+b", r"[a-z]*x", r"(?:a|b)*?c", r"(?:a*b)*", r"(?=a+b)", r"(?:a++b)*"])
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
