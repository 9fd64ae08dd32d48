"""No bytes make the reference codec raise or run away, whatever the schema."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import Reading, plain
from bridgespec.diagnostic import Severity
from bridgespec.spec.kaitai.schema import loads
from tests.steps import steps

KITCHEN = BinaryCodec(
    loads(
        """
meta: {id: t, endian: le, bit-endian: be, encoding: UTF-8}
seq:
  - {id: head, type: head}
  - {id: bits, type: b3, repeat: expr, repeat-expr: head.n % 8}
  - {id: name, type: strz, if: head.n > 3}
  - {id: body, size: head.len_body % 16, type: {switch-on: head.n, cases: {1: leaf, 2: strings, _: 'node(2)'}}}
  - {id: packed, size: 'head.n % 3', process: 'xor([1, 2])'}
  - {id: wide, type: str, encoding: UTF-16LE, size: 4, terminator: 0}
  - {id: rest, type: leaf, repeat: eos, -bridge-end: {bits: 8, short: 1}}
instances:
  far: {pos: head.n * 3, type: leaf}
  ratio: {value: 10 / (head.n - 2), valid: {max: 5}}
  looked: {io: body._io, pos: 0, size: 1}
types:
  head: {seq: [{id: n, type: u1, valid: {max: 9}}, {id: len_body, type: u1}]}
  leaf: {seq: [{id: a, type: u1}, {id: b, type: s2, valid: {min: -3}}]}
  strings: {seq: [{id: s, type: strz, repeat: until, repeat-until: _ == ""}]}
  node:
    params: [{id: depth, type: s4}]
    seq:
      - {id: n, type: u1}
      - {id: next, type: 'node(depth + 1)', if: n != 0}
    instances: {loop: {pos: 0, type: 'node(depth)', if: n == 7}}
"""
    )
)


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_and_come_back(data: bytes) -> None:
    """Reading never raises; what was read writes the same bytes."""
    reading = KITCHEN.read(data)
    assert all(d.span is None or 0 <= d.span.start <= d.span.stop <= 8 * len(data) for d in reading.diagnostics)
    assert KITCHEN.write(plain(reading.root)) == data


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=40), st.integers(0, 40))
def test_a_cut_file_is_an_error_or_shorter(data: bytes, length: int) -> None:
    """Every prefix of a file is read without an exception and comes back."""
    reading = KITCHEN.read(data[:length])
    assert KITCHEN.write(plain(reading.root)) == data[:length]


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ("seq: [{id: a, type: t}]\ntypes: {t: {seq: [{id: a, type: t}]}}", b""),
        ("seq: [{id: a, type: t}]\ntypes: {t: {seq: [{id: n, type: u1}, {id: a, type: t}]}}", bytes(5000)),
        ("instances: {a: {pos: 0, type: t}, b: {pos: 0, type: t}}", b"x"),
        ("seq: [{id: a, type: e, repeat: eos}]\ntypes: {e: {seq: []}}", b"x"),
        ("seq: [{id: a, type: e, repeat: expr, repeat-expr: 4294967295}]\ntypes: {e: {seq: []}}", b"x" * 100),
        ("seq: [{id: a, size: 1 << 60}]", b"x"),
        ("instances: {a: {value: b}, b: {value: a}}", b""),
        (
            "seq: [{id: a, type: u1, repeat: until, repeat-until: b == 0}]\ninstances: {b: {value: 'a[0] / (a.size - 3)'}}",
            b"\1" * 9,
        ),
        ("seq: [{id: a, process: zlib, size-eos: true}]", zlib.compress(bytes(1 << 29), 9)),
    ],
)
def test_no_schema_runs_away(schema: str, data: bytes) -> None:
    """Recursion, repetition, sizes and inflation end, after a bounded number of steps, with a finding."""
    more = "" if "types" in schema else "\ntypes: {t: {instances: {x: {pos: 0, type: t}, y: {pos: 0, type: t}}}}"
    codec = BinaryCodec(loads(f"meta: {{id: t, endian: le}}\n{schema}{more}"))
    readings: list[Reading] = []
    steps(lambda: readings.append(codec.read(data)), 5_000_000)
    assert any(d.severity is not Severity.WARNING for d in readings[0].diagnostics)


def test_deep_nesting_is_read_up_to_a_limit() -> None:
    """A hundred levels are read; more are a finding, and their bytes are kept."""
    codec = BinaryCodec(
        loads("meta: {id: t}\nseq: [{id: n, type: n}]\ntypes: {n: {seq: [{id: v, type: u1}, {id: m, type: n, if: v > 0}]}}")
    )
    for depth, codes in ((98, []), (300, ["too-deep"])):
        data = b"\1" * depth + b"\0"
        reading = codec.read(data)
        assert [d.code for d in reading.diagnostics] == codes
        assert codec.write(plain(reading.root)) == data
