"""No bytes make the reference codec raise or run away, whatever the schema."""

from __future__ import annotations

import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.binary.scope import FINE
from bridgespec.codec.node import FieldNode, Reading, plain
from bridgespec.depth import LEVELS
from bridgespec.diagnostic import Severity
from bridgespec.errors import SpecError
from bridgespec.spec.kaitai.schema import loads
from tests.told import numbers

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


@pytest.mark.long
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


PEAK = 64 << 20


def measured(codec: BinaryCodec, data: bytes) -> tuple[Reading, int]:
    """What a reading gives, and how many bytes were held at most while it ran."""
    tracemalloc.start()
    try:
        return codec.read(data), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


WEB = "seq: [{id: a, type: u1}]\ninstances:\n" + "".join(f"  i{n}: {{pos: 0, type: t{n}}}\n" for n in range(10)) + "types:\n"
for _one in range(10):
    WEB += f"  t{_one}:\n    seq: [{{id: a, type: u1}}]\n    instances:\n"
    WEB += "".join(f"      i{n}: {{pos: 0, type: t{n}}}\n" for n in range(10))
EACH = "seq: [{{id: rows, type: t, repeat: eos}}]\ntypes: {{t: {{seq: [{{id: a, type: u1}}], instances: {{i: {{pos: 0, {}}}}}}}}}"


@pytest.mark.slice(None, quick=1)
@pytest.mark.parametrize(
    ("schema", "size"),
    [
        (WEB, 3000),
        (EACH.format("type: t"), 3000),
        (EACH.format("type: u1, repeat: eos"), 3000),
        (EACH.format("size-eos: true, process: xor(3)"), 3000),
        (EACH.format("size-eos: true"), 6000),
        (EACH.format("type: str, size-eos: true, encoding: ASCII"), 6000),
        (EACH.format("type: strz, eos-error: false, encoding: ASCII"), 6000),
        (EACH.format("type: u1, repeat: expr, repeat-expr: _io.size"), 1000),
    ],
)
def test_what_is_read_out_of_turn_is_bounded(schema: str, size: int) -> None:
    """Instances that point at one another, or read the whole stream again for every byte, end with one finding; nodes and bytes
    of what is read again are bounded by the size of the file, and the file is still written back."""
    data = b"\1" * size
    codec = BinaryCodec(loads(f"meta: {{id: t, endian: le}}\n{schema}"))
    reading, peak = measured(codec, data)
    assert [d.code for d in reading.diagnostics] == ["too-deep"]
    turn = sum(1 for _ in FieldNode.walk(reading.root))
    again = sum(1 for _ in reading.root.walk()) - turn
    assert again <= 2 * (40_000 + 16 * size) // FINE + size
    assert peak < PEAK + 1500 * size
    assert codec.rewrite(reading) == data


@pytest.mark.long
def test_each_byte_may_be_pointed_at() -> None:
    """An index that points at everything once, or a few times at something, is not an attack: nothing is found."""
    codec = BinaryCodec(
        loads(
            "meta: {id: t, endian: le}\nseq: [{id: n, type: u2}, {id: index, type: entry, repeat: expr, repeat-expr: n}]\n"
            "types:\n  entry: {seq: [{id: at, type: u2}], instances: {one: {pos: at, type: one}, two: {pos: at, type: one}}}\n"
            "  one: {seq: [{id: bits, type: b1, repeat: expr, repeat-expr: 8}, {id: rest, type: b1}, {id: more, type: b7}]}\n"
        )
    )
    count = 3000
    places = [2 + 2 * count + 2 * at for at in range(count)]
    data = b"".join(value.to_bytes(2, "little") for value in (count, *places)) + b"\xa5" * 2 * count
    assert codec.read(data).diagnostics == []


@pytest.mark.long
@pytest.mark.parametrize("size", [1 << 26, 1 << 28])
@pytest.mark.parametrize("many", [False, True])
def test_inflated_bytes_are_bounded(size: int, many: bool) -> None:
    """A bomb, or sixty that are smaller, is told, and no more is made of it than sixteen megabytes and eight times the file."""
    if many:
        packed = zlib.compress(bytes(size // 60), 9)
        data = (len(packed).to_bytes(4, "little") + packed) * 60
        text = "seq: [{id: a, type: t, repeat: eos}]\ntypes: {t: {seq: [{id: n, type: u4}, {id: b, size: n, process: zlib}]}}"
    else:
        data = zlib.compress(bytes(size), 9)
        text = "seq: [{id: a, size-eos: true, process: zlib}]"
    codec = BinaryCodec(loads(f"meta: {{id: t, endian: le}}\n{text}"))
    reading, peak = measured(codec, data)
    assert [d.code for d in reading.diagnostics] == ["bad-data"]
    assert "inflate to more" in reading.diagnostics[0].message
    (most,) = numbers(reading.diagnostics[0].message)
    assert most <= (16 << 20) + 8 * len(data)
    assert peak < PEAK
    assert codec.rewrite(reading) == data


def test_what_inflates_as_usual_is_read() -> None:
    """Data that shrink well are not a bomb: fifteen megabytes of a small file, and text of a larger one."""
    codec = BinaryCodec(loads("meta: {id: t, endian: le}\nseq: [{id: a, size-eos: true, process: zlib}]"))
    plain_bytes = bytes(15 << 20)
    reading = codec.read(zlib.compress(plain_bytes, 9))
    assert not reading.diagnostics
    assert reading.root["a"].value == plain_bytes


@pytest.mark.long
@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ("seq: [{id: a, type: t}]\ntypes: {t: {seq: [{id: a, type: t}]}}", b""),
        ("seq: [{id: a, type: t}]\ntypes: {t: {seq: [{id: n, type: u1}, {id: a, type: t}]}}", bytes(5000)),
        ("instances: {a: {pos: 0, type: t}, b: {pos: 0, type: t}}", b"x"),
        ("seq: [{id: a, type: e, repeat: eos}]\ntypes: {e: {seq: []}}", b"x"),
        ("seq: [{id: a, type: e, repeat: expr, repeat-expr: 4294967295}]\ntypes: {e: {seq: []}}", b"x" * 100),
        ("seq: [{id: a, size: 1 << 60}]", b"x"),
        (
            "seq: [{id: a, type: u1, repeat: until, repeat-until: b == 0}]\ninstances: {b: {value: 'a[0] / (a.size - 3)'}}",
            b"\1" * 9,
        ),
    ],
)
def test_no_schema_runs_away(schema: str, data: bytes) -> None:
    """Recursion, repetition, sizes and inflation end with a finding, within what the size of the file allows."""
    more = "" if "types" in schema else "\ntypes: {t: {instances: {x: {pos: 0, type: t}, y: {pos: 0, type: t}}}}"
    codec = BinaryCodec(loads(f"meta: {{id: t, endian: le}}\n{schema}{more}"))
    reading, peak = measured(codec, data)
    assert any(d.severity is not Severity.WARNING for d in reading.diagnostics)
    assert sum(1 for _ in reading.root.walk()) <= 40_000 + 16 * len(data)
    assert peak < PEAK + 200 * len(data)


def test_values_that_follow_from_each_other_are_refused() -> None:
    """No file need be read to know that such a schema has no answer."""
    with pytest.raises(SpecError, match="follows from itself"):
        loads("meta: {id: t, endian: le}\ninstances: {a: {value: b}, b: {value: a}}")


def test_deep_nesting_is_read_up_to_a_limit() -> None:
    """A thousand levels are read; more are a finding, and their bytes are kept."""
    codec = BinaryCodec(
        loads("meta: {id: t}\nseq: [{id: n, type: n}]\ntypes: {n: {seq: [{id: v, type: u1}, {id: m, type: n, if: v > 0}]}}")
    )
    for depth, codes in ((LEVELS - 2, []), (LEVELS + 200, ["too-deep"])):
        data = b"\1" * depth + b"\0"
        reading = codec.read(data)
        assert [d.code for d in reading.diagnostics] == codes
        assert codec.write(plain(reading.root)) == data


def test_what_is_found_twice_is_reported_once() -> None:
    """A constant that is also derived has one finding in each record, however many other findings come between."""
    field = "{id: a, type: u1, valid: 0, -bridge-value: '0', -bridge-code: c}"
    codec = BinaryCodec(loads(f"meta: {{id: t}}\nseq: [{{id: r, type: r, repeat: eos}}]\ntypes: {{r: {{seq: [{field}]}}}}"))
    for count in (1, 9):
        assert [d.record for d in codec.read(b"\1" * count).diagnostics] == list(range(count))


@pytest.mark.parametrize(("data", "found"), [("0100", ["there"]), ("09", ["there"]), ("010001", []), ("0100ff", ["beyond"])])
def test_what_follows_from_a_field_that_cannot_be_read_is_no_finding(data: str, found: list[str]) -> None:
    """The field is; values, positions and conditions that need it are unknown with it."""
    codec = BinaryCodec(
        loads(
            "meta: {id: t}\nseq: [{id: a, type: u1}]\ninstances:\n  there: {pos: a, type: u2be}\n"
            "  twice: {value: there * 2, valid: {max: 600}}\n  beyond: {pos: there, type: u1, valid: {expr: _ <= twice}}\n"
        )
    )
    reading = codec.read(bytes.fromhex(data))
    assert [one.field for one in reading.diagnostics] == found
