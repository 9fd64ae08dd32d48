"""The real Kaitai compiler compiles every binary schema, and its parsers read every file as ours do."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaitaistruct import BytesIO, KaitaiStream

from tests.generate.broken import flip, variants
from tests.generate.documents import has_meaning
from tests.generate.house import engine
from tests.generate.strategies import broken_files, corpus, drawable, formats, raw_files, valid_files
from tests.oracle.compare import alone, differences, disagreement, end_of_list
from tests.oracle.compiler import Compiled

pytestmark = pytest.mark.oracle
BINARY = formats("ksy")


@pytest.mark.long
def test_the_real_compiler_takes_every_schema(compiled: Compiled) -> None:
    """Each ``.ksy`` file of ours, shared pieces included, is plain Kaitai to the stock compiler."""
    assert compiled.errors == {}
    assert set(BINARY) <= set(compiled.ids)


@pytest.mark.parametrize("format", BINARY)
def test_samples_are_read_alike(format: str, compiled: Compiled) -> None:
    """Every sample, broken ones and those inside the schemas included."""
    parser = compiled.parser(format)
    assert corpus(format)
    wrong = [reason for data in corpus(format) if (reason := disagreement(engine().spec(format), parser, data))]
    assert not wrong


@cache
def _sources(format: str) -> st.SearchStrategy[bytes]:
    """Valid files, files of allowed values, and broken ones."""
    sources = [broken_files(format), st.binary(max_size=200)]
    if has_meaning(format):
        sources.append(valid_files(format))
    if drawable(format):
        sources.append(raw_files(format))
    return st.one_of(*sources)


def compare(format: str, parser: Any, data: st.DataObject, count: int) -> None:
    """One drawn file, and others made from it by one fault each."""
    random = Random(data.draw(st.integers(0, 1 << 32)))
    for each in variants(data.draw(_sources(format)), random, count):
        assert disagreement(engine().spec(format), parser, each) is None, each.hex(" ")


@pytest.mark.long
@pytest.mark.parametrize("format", BINARY)
@given(data=st.data())
@settings(max_examples=30)
def test_generated_files_are_read_alike(format: str, compiled: Compiled, data: st.DataObject) -> None:
    """Three hundred generated files of each format, sound and broken."""
    compare(format, compiled.parser(format), data, 10)


@pytest.mark.slow
@pytest.mark.parametrize("format", BINARY)
@given(data=st.data())
@settings(max_examples=1000)
def test_thousands_of_generated_files_are_read_alike(format: str, compiled: Compiled, data: st.DataObject) -> None:
    """Ten thousand of each format."""
    compare(format, compiled.parser(format), data, 10)


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize("format", BINARY)
def test_the_comparison_sees_a_difference(format: str, compiled: Compiled) -> None:
    """Our reading of a file with a bit flipped is not Kaitai's of the file as it was, so that agreement means something."""
    parser = compiled.parser(format)
    spec = engine().spec(format)
    codec = engine().of(spec).codec
    data = next(data for data in corpus(format) if data and not codec.read(data).diagnostics)
    reading = codec.read(data)
    theirs: Any = parser(KaitaiStream(BytesIO(data[: end_of_list(spec, reading)])))
    assert not list(differences(spec, reading.root, theirs, format))
    others = (codec.read(flip(data, position)) for position in range(8 * len(data)))
    known = alone(spec)  # below a checksum every flip gives a finding, which is ours alone
    other = next(other for other in others if {found.code for found in other.diagnostics} <= known)
    assert list(differences(spec, other.root, theirs, format))
