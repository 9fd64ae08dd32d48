"""The real Kaitai compiler compiles every binary schema, and its parsers read every file as ours do."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaitaistruct import BytesIO, KaitaiStream

from bridgespec.api import engine
from bridgespec.spec.ir import Spec
from tests.generate.documents import has_meaning
from tests.generate.strategies import broken_files, corpus, raw_files, specs, valid_files
from tests.generate.values import can_draw
from tests.oracle.compare import differences, disagreement
from tests.oracle.compiler import Compiled

BINARY = [pytest.param(spec, id=spec.id) for spec in specs() if spec.language == "ksy"]


def test_the_real_compiler_takes_every_schema(compiled: Compiled) -> None:
    """Each ``.ksy`` file of ours, shared pieces included, is plain Kaitai to the stock compiler."""
    assert compiled.errors == {}
    assert {param.values[0].id for param in BINARY} <= set(compiled.ids)


@pytest.mark.parametrize("spec", BINARY)
def test_samples_are_read_alike(spec: Spec, compiled: Compiled) -> None:
    """Every sample, broken ones and those inside the schemas included."""
    parser = compiled.parser(spec.id)
    assert corpus(spec.id)
    wrong = [reason for data in corpus(spec.id) if (reason := disagreement(spec, parser, data))]
    assert not wrong


@cache
def _sources(spec_id: str) -> st.SearchStrategy[bytes]:
    """Valid files, files of allowed values, and broken ones."""
    spec = engine().spec(spec_id)
    sources = [broken_files(spec), st.binary(max_size=200)]
    if has_meaning(spec):
        sources.append(valid_files(spec))
    if can_draw(spec) is None:
        sources.append(raw_files(spec))
    return st.one_of(*sources)


@pytest.mark.parametrize("spec", BINARY)
@given(data=st.data())
@settings(max_examples=300)
def test_generated_files_are_read_alike(spec: Spec, compiled: Compiled, data: st.DataObject) -> None:
    """Three hundred generated files of each format, sound and broken."""
    assert disagreement(spec, compiled.parser(spec.id), data.draw(_sources(spec.id))) is None


@pytest.mark.slow
@pytest.mark.parametrize("spec", BINARY)
@given(data=st.data())
@settings(max_examples=5000)
def test_thousands_of_generated_files_are_read_alike(spec: Spec, compiled: Compiled, data: st.DataObject) -> None:
    """Thousands of each format."""
    assert disagreement(spec, compiled.parser(spec.id), data.draw(_sources(spec.id))) is None


@pytest.mark.parametrize("spec", BINARY)
def test_the_comparison_sees_a_difference(spec: Spec, compiled: Compiled) -> None:
    """A single value that is changed behind the reader's back is reported, so that agreement means something."""
    parser = compiled.parser(spec.id)
    codec = engine().codec(spec)
    data = next(data for data in corpus(spec.id) if data and not codec.read(data).diagnostics)
    reading = codec.read(data)
    theirs: Any = parser(KaitaiStream(BytesIO(data)))
    assert not list(differences(spec, reading.root, theirs, spec.id))
    leaf = next(node for _, node in reading.root.walk() if node.children is None and isinstance(node.value, int | str))
    leaf.value = leaf.value + 1 if isinstance(leaf.value, int) else f"{leaf.value}x"
    assert len(list(differences(spec, reading.root, theirs, spec.id))) == 1
