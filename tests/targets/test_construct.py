"""Exported construct declarations stand alone and agree with the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bridgespec.api import engine
from bridgespec.codec.node import plain
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from bridgespec.targets.construct import NotExpressible, to_construct

SAMPLES = Path(__file__).parent.parent / "samples"


def exported(spec: Spec) -> Any:
    """The top declaration of the exported module."""
    namespace: dict[str, Any] = {}
    exec(compile(to_construct(spec), spec.id, "exec"), namespace)
    return namespace[spec.root.replace("::", "_")]


def bare(value: Any) -> Any:
    """A construct result as plain values, enum members as their numbers."""
    if isinstance(value, dict):
        return {name: bare(part) for name, part in value.items() if not name.startswith("_")}
    if isinstance(value, list):
        return [bare(part) for part in value]
    return int(value) if isinstance(value, int) or hasattr(value, "intvalue") else value


@pytest.mark.parametrize("id", ["zbd", "zrd", "zrj", "zdd", "rzd", "cds", "bri", "dge", "bre", "dup"])
def test_the_export_reads_and_writes_what_the_engine_does(id: str) -> None:
    """For every sample without an end record: the same values, and the same bytes back."""
    spec = engine().spec(id)
    declared = exported(spec)
    tried = 0
    for path in sorted((SAMPLES / id).glob(f"*.{id}")):
        data = path.read_bytes()
        reading = engine().codec(spec).read(data)
        if "end" in reading.root:
            continue
        tried += 1
        ours = plain(reading.root)
        theirs = bare(declared.parse(data))
        assert {name: theirs[name] for name in ours} == _blank_padding(ours, theirs)
        assert declared.build(declared.parse(data)) == data
    assert tried


def _blank_padding(ours: Any, theirs: Any) -> Any:
    """Our values with text as construct has it: it knows no padding."""
    if isinstance(ours, dict):
        return {name: _blank_padding(value, theirs[name]) for name, value in ours.items()}
    if isinstance(ours, list):
        return [_blank_padding(value, other) for value, other in zip(ours, theirs, strict=True)]
    if isinstance(ours, str) and isinstance(theirs, str) and theirs.rstrip(" \0") == ours:
        return theirs
    return int(ours) if isinstance(ours, bool) else ours


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("seq: [{id: a, type: u1, if: 1 == 1}]", "a condition"),
        ("seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]", "an array whose length is computed"),
        ("seq: [{id: a, type: b3}]", "a run of 3 bits"),
        ("seq: [{id: a, type: u1}]\ninstances: {b: {value: a}}", "the instance b"),
    ],
)
def test_what_construct_cannot_say_is_refused_by_name(schema: str, words: str) -> None:
    """The message names the construct of the schema and its place."""
    with pytest.raises(NotExpressible, match=words):
        to_construct(loads(f"meta: {{id: x, endian: le, bit-endian: be}}\n{schema}"))
