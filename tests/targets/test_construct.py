"""Exported construct declarations stand alone and agree with the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import construct
import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import plain
from bridgespec.engines import engine
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from bridgespec.targets.construct import to_construct
from bridgespec.targets.refused import NotExpressible
from tests.conformance.roundtrip import everything

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
        reading = engine().of(spec).codec.read(data)
        if "end" in reading.root:
            continue
        tried += 1
        ours = plain(reading.root)
        theirs = bare(declared.parse(data))
        assert {name: theirs[name] for name in ours} == blank_padding(ours, theirs)
        assert declared.build(declared.parse(data)) == data
    assert tried


def blank_padding(ours: Any, theirs: Any) -> Any:
    """Our values with text as construct has it: it knows no padding."""
    if isinstance(ours, dict):
        return {name: blank_padding(value, theirs[name]) for name, value in ours.items()}
    if isinstance(ours, list):
        return [blank_padding(value, other) for value, other in zip(ours, theirs, strict=True)]
    if isinstance(ours, str) and isinstance(theirs, str) and theirs.rstrip(" \0") == ours:
        return theirs
    return int(ours) if isinstance(ours, bool) else ours


BRANCHED = """
meta: {id: parts, endian: le}
seq:
  - {id: tag, type: u1, enum: kind}
  - {id: at, type: u2}
  - {id: keys, type: u1, if: tag != kind::none}
  - {id: body, type: {switch-on: tag, cases: {kind::number: u4, kind::pair: pair, _: u1}}}
  - {id: list, type: pair, repeat: expr, repeat-expr: keys % 4 + 1}
  - {id: names, type: strz, encoding: ASCII, repeat: until, repeat-until: _ == "x" or _index == 3}
types:
  pair:
    seq: [{id: a, type: u1}, {id: b, type: u1, if: _parent.tag == kind::pair}]
    instances: {twice: {value: a * 2 / 3}}
instances:
  far: {pos: at, type: pair}
  text: {pos: at + 1, size: at - 20, if: at > 20}
  more: {pos: far.a, type: u1, repeat: expr, repeat-expr: 2}
  odd: {value: at % 2 == 1}
enums: {kind: {0: none, 1: number, 2: pair}}
"""


@pytest.mark.parametrize("tag", [1, 2])
def test_switches_and_instances_are_said(tag: int) -> None:
    """The values of a record with conditions, a switch, computed counts and parts behind offsets are the engine's."""
    spec = loads(BRANCHED)
    body = b"\1\2\3\4" if tag == 1 else b"\7\x08"
    pairs = b"\x09\x0a\x0b\x0c" if tag == 2 else b"\x09\x0a"
    data = (bytes([tag, 22, 0, 5]) + body + pairs + b"ab\0x\0").ljust(22, b"\xee") + b"\3\4\5\6"
    ours = everything(BinaryCodec(spec).read(data).root)
    ours.pop("trailing")
    source = to_construct(spec)
    assert "Switch(" in source
    assert "Pointer(" in source
    declared = exported(spec)
    theirs = bare(declared.parse(data))
    assert theirs == ours
    assert theirs["far"]["a"] == 3
    assert declared.build(declared.parse(data))[:8] == data[:8]


@pytest.mark.parametrize("id", ["zbd", "zdd", "bri", "dup"])
def test_a_truncated_end_is_not_swallowed(id: str) -> None:
    """A file that is cut off in a record is an error, wherever the cut; one that ends between records is whole."""
    spec = engine().spec(id)
    declared = exported(spec)
    data = max((path.read_bytes() for path in (SAMPLES / id).glob(f"*.{id}")), key=len)
    node = engine().of(spec).codec.read(data).root["boards"]["0"]
    size = (node.stop - node.start) // 8
    assert len(declared.parse(data[: 2 * size]).boards) == 2
    for cut in (2 * size - 1, size + 5):
        with pytest.raises(construct.ConstructError):
            declared.parse(data[:cut])


def test_an_end_record_ends_the_list() -> None:
    """A null record, or the bare null word that stands for it, is not taken for one that is cut off."""
    declared = exported(engine().spec("zbd"))
    deal = next((SAMPLES / "zbd").glob("*.zbd")).read_bytes()[:13]
    for end in (bytes(4), bytes(13)):
        assert len(declared.parse(deal + end).boards) == 1


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("seq: [{id: a, type: u1, if: _io.eof}]", "an expression that looks at eof"),
        ("seq: [{id: a, size: b}]\ninstances: {b: {value: 1 + 1}}", "an expression that looks at b, which stands later"),
        ("seq: [{id: a, type: b3}]", "a run of 3 bits"),
        (
            "seq: [{id: a, type: u1, repeat: until, repeat-until: \"_.to_s.substring(0, 1) == '1'\"}]",
            "an expression of the kind Call",
        ),
        ("seq: [{id: a, type: t, size: 2}]\ntypes: {t: {instances: {b: {pos: 0, type: u1}}}}", "the type of a"),
        (
            "seq: [{id: a, type: t}]\ntypes: {t: {seq: [{id: b, type: u1}], instances: {c: {io: _parent._io, pos: 0, size: 1}}}}",
            "c, which",
        ),
        ("seq: [{id: a, type: {switch-on: b, cases: {b: u1}}}]\ninstances: {b: {value: 1}}", "a case that is computed"),
    ],
)
def test_what_construct_cannot_say_is_refused_by_name(schema: str, words: str) -> None:
    """The message names the construct of the schema and its place."""
    with pytest.raises(NotExpressible, match=words):
        to_construct(loads(f"meta: {{id: x, endian: le, bit-endian: be}}\n{schema}"))


def test_what_is_computed_of_bits_alone_is_exported() -> None:
    """A record that has nothing but bits keeps its instances."""
    spec = loads("""
meta: {id: x, bit-endian: be}
seq: [{id: bits, type: b8}]
instances: {twice: {value: bits * 2}}
""")
    found = bare(exported(spec).parse(b"\x39"))
    assert found == {"bits": 0x39, "twice": 0x72}
