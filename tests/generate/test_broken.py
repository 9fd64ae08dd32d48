"""No damage makes the reader fall: every cut and every flipped bit of every sample is judged, with places in the file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.generate.broken import flip
from tests.generate.claims import examine
from tests.generate.strategies import broken_files, corpus, drawable, formats, raw_files

FORMATS = formats()
FEW = 60
"""How many cuts and bits of a format's samples are tried in the quick run, spread over all of them."""


def cuts(format: str) -> list[tuple[int, int]]:
    """Every sample by index with every length that it can be cut to."""
    return [(index, length) for index, data in enumerate(corpus(format)) for length in range(len(data))]


def bits(format: str) -> list[tuple[int, int]]:
    """Every sample by index with every bit of it."""
    return [(index, position) for index, data in enumerate(corpus(format)) for position in range(8 * len(data))]


def spread(places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A few of many, with a step that is no multiple of a record or a byte."""
    step = max(1, len(places) // FEW) | 1
    return iter(places[::step])


@pytest.mark.parametrize("format", FORMATS)
def test_cut_samples_are_judged(format: str) -> None:
    """A file cut off anywhere gets findings that lie inside it, or is itself a whole file."""
    for index, length in spread(cuts(format)):
        examine(corpus(format)[index][:length], format)


@pytest.mark.parametrize("format", FORMATS)
def test_samples_with_a_flipped_bit_are_judged(format: str) -> None:
    """A file with any one bit flipped gets findings that lie inside it, or holds no error and is written back."""
    for index, position in spread(bits(format)):
        examine(flip(corpus(format)[index], position), format)


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_every_cut_of_every_sample(format: str) -> None:
    """The same at every byte."""
    for index, length in cuts(format):
        examine(corpus(format)[index][:length], format)


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_every_bit_of_every_sample(format: str) -> None:
    """The same for every bit."""
    for index, position in bits(format):
        examine(flip(corpus(format)[index], position), format)


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
def test_damaged_files_are_judged(format: str, data: st.DataObject) -> None:
    """Bytes cut, changed, put in, taken out, repeated and exchanged."""
    examine(data.draw(broken_files(format)), format)


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_judged(format: str, data: bytes) -> None:
    """Bytes that are no file at all."""
    examine(data, format)


@pytest.mark.parametrize("format", [format for format in FORMATS if drawable(format)])
@given(data=st.data())
def test_meaningless_values_are_judged(format: str, data: st.DataObject) -> None:
    """Values that the schema allows and no deal has: only the model's rules may object."""
    examine(data.draw(raw_files(format)), format)


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=5000)
def test_much_damage_is_judged(format: str, data: st.DataObject) -> None:
    """Thousands of damaged files."""
    examine(data.draw(broken_files(format)), format)
