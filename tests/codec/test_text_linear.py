"""No input makes reading a text format slower than linear: every format, hostile inputs of 1x, 2x and 4x."""

from __future__ import annotations

import gc
import time

import pytest

from bridgespec.api import engine
from bridgespec.codec.text.codec import TextCodec
from bridgespec.errors import SpecError
from bridgespec.spec.grammar.regex import backtracking
from tests.codec.text_support import load_text

SEEDS = (
    "{", "}", '"', "[", '[A "', '[A "x"', "(", ";", "%", "|", "a|", "md|", "mb|", "=", "*",
    "$", "+", "-", "^", "\\", "\n", "\r", "\r\n", " ", "\t",
    "\n\n", "{\n", '"\n', "[\n", "A", "1", "1C", "S", "001C", "*00{",
    "%{", "H W:", ".", ",", "=1=", "H{", "?n=", "&", "\x1a", "\xff", "{}",
    '[A "b"]\n{', '[Auction "N"]\n1C {', '[Play "N"]\nSA ', "Board 01=", "12", "a", "n=s", "1C!(", "001C{", "pc|", "\x00",
)  # fmt: skip
SIZES = (10_000, 20_000, 40_000)
FLOOR = 0.15
"""Seconds below which a reading proves nothing about growth."""
TRIES = 5
"""A reader that is not linear is slow every time; a busy machine is not."""
FORMATS = [spec.id for spec in engine().catalog.all() if spec.language == "lark"]


def seconds(codec: TextCodec, seed: str, size: int) -> float:
    """The best of two readings of ``size`` characters of the seed, over and over."""
    data = (seed * (size // len(seed) + 1))[:size].encode("latin-1")
    best = float("inf")
    gc.collect()
    for _ in range(2):
        before = time.process_time()
        codec.read(data, 100)
        best = min(best, time.process_time() - before)
    return best


@pytest.mark.parametrize("format", FORMATS)
def test_reading_is_linear(format: str) -> None:
    """Four times the input takes at most about four times as long: a quadratic reader would take sixteen times."""
    spec = engine().spec(format)
    codec = engine().codec(spec)
    assert isinstance(codec, TextCodec)
    seeds = [*SEEDS, *(sample.data.decode("latin-1") for sample in spec.samples)]
    for seed in dict.fromkeys(seeds):
        if seconds(codec, seed, SIZES[2]) < FLOOR:
            continue
        tries = []
        for _ in range(TRIES):
            one, two, four = (seconds(codec, seed, size) for size in SIZES)
            tries.append(f"{one:.3f} {two:.3f} {four:.3f} s")
            if four < 9 * max(one, FLOOR / 8):
                break
        else:
            pytest.fail(f"{format}: {seed!r}: {'; '.join(tries)}")


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
