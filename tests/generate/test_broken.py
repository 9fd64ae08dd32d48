"""No damage makes the reader fall: every cut and every flipped bit of every sample is judged, with places in the file."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bridgespec.spec.ir import Repeat
from tests.generate.broken import flip
from tests.generate.claims import examine
from tests.generate.house import engine
from tests.generate.strategies import broken_files, corpus, drawn, formats, raw_files
from tests.listed import listed

FORMATS = formats()
FEW = 40
"""How many cuts and bits of a format's samples are tried in the quick run, spread over all of them."""


def cuts(format: str) -> list[tuple[int, int]]:
    """Every sample by index with every length that it can be cut to."""
    return [(index, length) for index, data in enumerate(corpus(format)) for length in range(len(data))]


def bits(format: str) -> list[tuple[int, int]]:
    """Every sample by index with every bit of it."""
    return [(index, position) for index, data in enumerate(corpus(format)) for position in range(8 * len(data))]


def spread(places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A few of many, with a step that is not a multiple of a record or a byte."""
    step = max(1, len(places) // FEW) | 1
    return iter(places[::step])


@pytest.mark.slice(10, quick=3)
@pytest.mark.parametrize("format", FORMATS)
def test_cut_samples_are_judged(format: str) -> None:
    """A file cut off anywhere gets findings that lie inside it, or is itself a whole file."""
    for index, length in spread(cuts(format)):
        examine(corpus(format)[index][:length], format)


@pytest.mark.slice(6, quick=2)
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


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
def test_damaged_files_are_judged(format: str, data: st.DataObject) -> None:
    """Bytes cut, changed, put in, taken out, repeated and exchanged."""
    examine(data.draw(broken_files(format)), format)


def records(format: str) -> list[bytes]:
    """The records of the format's sound samples, where a file is nothing but a list of records of one size; else none."""
    spec = engine().spec(format)
    if [field.repeat for field in spec.top.fields] != [Repeat.EOS]:
        return []
    codec = engine().of(spec).codec
    found = []
    for data in corpus(format):
        reading = codec.read(data)
        nodes = [] if reading.diagnostics else reading.root[spec.top.fields[0].name].children or ()
        found += [data[node.start // 8 : node.stop // 8] for node in nodes]
    return found if len({len(record) for record in found}) == 1 else []


@listed
def with_records() -> Iterator[str]:
    """The formats whose files are lists of records."""
    return filter(records, formats("ksy"))


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize("format", with_records())
@given(data=st.data())
def test_a_fault_costs_its_record_alone(format: str, data: st.DataObject) -> None:
    """In a list of damaged records each gives the findings that it gives alone, in its own place: none hides another.

    Values are judged before the rules between them, in a list as in one record, so records are compared one by one.
    """
    codec = engine().of(engine().spec(format)).codec
    sound = records(format)
    parts = []
    for _ in range(data.draw(st.integers(2, 4))):
        record = data.draw(st.sampled_from(sound))
        parts.append(flip(record, data.draw(st.integers(0, 8 * len(record) - 1))))
    alone = [codec.read(part) for part in parts]
    assume(not any("end" in reading.root for reading in alone))
    expected = [
        (d.code, (d.record or 0) + index, d.span.start + 8 * len(parts[0]) * index)
        for index, reading in enumerate(alone)
        for d in reading.diagnostics
        if d.span is not None
    ]
    found = codec.read(b"".join(parts)).diagnostics
    places = [(d.code, d.record or 0, d.span.start) for d in found if d.span is not None]
    assert sorted(places, key=itemgetter(1)) == expected


@pytest.mark.slice(None, quick=15)
@pytest.mark.parametrize("format", FORMATS)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_judged(format: str, data: bytes) -> None:
    """Bytes that are not a file at all."""
    examine(data, format)


@pytest.mark.slice(None, quick=1)
@pytest.mark.parametrize("format", drawn())
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
