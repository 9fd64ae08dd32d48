"""The reference codec reads: values, places, and every problem with its place."""

from __future__ import annotations

from typing import Any

import pytest

from bridgespec.codec.binary.codec import BinaryCodec, find
from bridgespec.codec.node import Raw, Reading, plain
from bridgespec.diagnostic import Severity
from bridgespec.spec.kaitai.schema import loads
from tests.told import numbers

LIST = """\
meta: {id: t, endian: le, bit-endian: le, encoding: ASCII}
seq: [{id: boards, type: board, repeat: eos}]
types: {board: {seq: [%s]}}
enums: {e: {0: a, 1: b}}
"""


def codec(schema: str) -> BinaryCodec:
    return BinaryCodec(loads(schema))


def of(seq: str, more: str = "", endian: str = "le") -> BinaryCodec:
    """A codec of a flat list of fields."""
    return codec(f"meta: {{id: t, endian: {endian}, bit-endian: {endian}, encoding: ASCII}}\nseq: [{seq}]\n{more}")


def values(reading: Reading) -> Any:
    return plain(reading.root)


def codes(reading: Reading) -> list[tuple[str, str | None]]:
    return [(d.code, d.field) for d in reading.diagnostics]


@pytest.mark.parametrize(
    ("seq", "data", "expected"),
    [
        ("{id: a, type: u2}, {id: b, type: s1}, {id: c, type: u2be}", "0102ff0102", {"a": 513, "b": -1, "c": 258}),
        ("{id: a, type: f4}, {id: b, type: u8}", "0000803f0100000000000000", {"a": 1.0, "b": 1}),
        ("{id: a, type: b3}, {id: b, type: b5}, {id: c, type: b1}", "e901", {"a": 1, "b": 29, "c": True}),
        ("{id: a, type: b3be}, {id: b, type: b13be}", "e901", {"a": 7, "b": 0x901}),
        ("{id: a, type: strz}, {id: b, type: str, size: 3}", "6100626364", {"a": "a", "b": "bcd"}),
        ("{id: a, type: str, size: 4, pad-right: 0x20}", "61622020", {"a": "ab"}),
        ("{id: a, type: str, size: 4, terminator: 0}", "61006363", {"a": "a"}),
        ("{id: a, terminator: 13, include: true}, {id: b, size-eos: true}", "610d0a", {"a": b"a\r", "b": b"\n"}),
        ("{id: a, terminator: 13, consume: false}, {id: b, size-eos: true}", "610d", {"a": b"a", "b": b"\r"}),
        ("{id: n, type: u1}, {id: a, type: u1, repeat: expr, repeat-expr: n}", "020304", {"n": 2, "a": [3, 4]}),
        ("{id: a, type: u1, repeat: until, repeat-until: _ == 0}", "0100", {"a": [1, 0]}),
        ("{id: a, type: u1}, {id: b, type: u1, if: a == 2}", "01", {"a": 1, "b": None}),
        ("{id: a, type: u1}, {id: b, type: {switch-on: a, cases: {1: u1, _: u2}}}", "010900", {"a": 1, "b": 9, "trailing": b"\0"}),
        ("{id: a, size: 3, process: xor(0xff)}", "fefdfc", {"a": b"\1\2\3"}),
        ("{id: a, size: 2, process: rol(4)}", "1234", {"a": b"\x21\x43"}),
        ("{id: a, type: u1, enum: e}", "05", {"a": 5}),
    ],
)
def test_values(seq: str, data: str, expected: object) -> None:
    """Each kind of field reads as Kaitai reads it."""
    assert values(of(seq, "enums: {e: {0: x}}").read(bytes.fromhex(data))) == expected


def test_every_field_has_its_place() -> None:
    """Spans are bits of the file, arrays' elements and substreams included."""
    reading = codec(
        """
meta: {id: t, endian: be, bit-endian: be}
seq:
  - {id: head, size: 2}
  - {id: body, type: body, size: 4}
instances: {last: {pos: 5, type: u1}}
types: {body: {seq: [{id: n, type: b4, repeat: expr, repeat-expr: 4}, {id: x, type: u1}]}}
"""
    ).read(bytes(range(1, 7)))
    where = {path: (node.start, node.stop) for path, node in reading.root.walk()}
    assert where["head"] == (0, 16)
    assert where["body"] == (16, 48)
    assert where["body.n"] == (16, 32)
    assert where["body.n[3]"] == (28, 32)
    assert where["body.x"] == (32, 40)
    assert where["body.trailing"] == (40, 48)
    assert where["last"] == (40, 48)
    assert find(reading.root, "body.n[1]").value == 3


@pytest.mark.parametrize(
    ("seq", "data", "expected"),
    [
        ("{id: a, type: u4}", "0102", [("truncated", "a")]),
        ("{id: a, contents: [1, 2]}, {id: b, type: u1}", "010304", [("bad-contents", "a")]),
        (
            "{id: a, type: u1, valid: {max: 3}}, {id: b, type: u1, valid: 1}",
            "0402",
            [("invalid-value", "a"), ("invalid-value", "b")],
        ),
        ("{id: a, type: u1, valid: {any-of: [1, 2]}}", "03", [("invalid-value", "a")]),
        ("{id: a, type: u1, enum: e, valid: {in-enum: true}}", "03", [("invalid-value", "a")]),
        ("{id: a, type: u1, valid: {expr: _ % 2 == 0}}", "03", [("invalid-value", "a")]),
        ("{id: a, type: s1}, {id: b, size: a}", "ff00", [("bad-size", "b")]),
        ("{id: a, type: str, size: 1}, {id: b, type: u1}", "ff01", [("bad-encoding", "a")]),
        ("{id: a, type: strz}, {id: b, type: u1}", "6161", [("missing-terminator", "a")]),
        ("{id: a, type: u1}, {id: b, type: {switch-on: a, cases: {1: u1}}}", "02", [("switch-without-case", "a")]),
        ("{id: a, type: u1, enum: e}, {id: b, type: {switch-on: a, cases: {'e::x': u1}}}", "02", [("switch-without-case", "a")]),
        ("{id: a, type: u1, enum: f}, {id: b, type: {switch-on: a, cases: {'f::x': u1}}}", "01", []),
        ("{id: a, type: u1, enum: f}, {id: b, size: 1, type: {switch-on: a, cases: {'f::x': z}}}", "0109", []),
        (
            "{id: a, type: u1, enum: f}, {id: b, size: 1, type: {switch-on: a, cases: {'f::x': z}}}",
            "0209",
            [("switch-without-case", "a")],
        ),
        ("{id: a, type: u1, enum: f}, {id: b, size: 1, type: {switch-on: a, cases: {'f::x': z, _: z}}}", "0209", []),
        ("{id: a, type: u1}, {id: b, size: 1 / a}", "00", [("expression-error", "b")]),
        ("{id: a, size: 4, type: z, process: zlib}", "01020304", [("bad-data", "a")]),
        ("{id: a, type: u1}", "0102", [("trailing-bytes", None)]),
        ("{id: a, type: u1}, {id: b, type: u1, -bridge-value: a + 1}", "0101", [("derived-mismatch", "b")]),
        ("{id: a, type: u1, valid: 1, -bridge-code: odd, -bridge-severity: note}", "00", [("odd", "a")]),
        ("{id: a, type: u1, repeat: expr, repeat-expr: 4}", "0000", [("truncated", "a")]),
        ("{id: a, type: u4}, {id: b, type: u1, repeat: expr, repeat-expr: a}", "ffffffff", [("truncated", "b")]),
        ("{id: a, type: t2, repeat: expr, repeat-expr: 4000000000}", "00", [("truncated", "a")]),
        ("{id: a, type: t2, repeat: until, repeat-until: false}", "00", [("too-deep", "a")]),
    ],
)
def test_problems(seq: str, data: str, expected: list[tuple[str, str]]) -> None:
    """Each kind of problem has its code and its field."""
    reading = of(seq, "types: {z: {seq: []}, t2: {seq: []}}\nenums: {e: {0: x}, f: {0: x, 1: y}}").read(bytes.fromhex(data))
    found = [pair for pair in codes(reading) if pair[0] != "trailing-bytes" or pair in expected]
    assert found == expected


def test_all_problems_are_reported_with_record_path_and_bits() -> None:
    """Reading goes on after a problem; a finding names record, path and bits."""
    reading = codec(LIST % "{id: a, type: b2, valid: 1}, {id: b, type: b6}, {id: c, type: str, size: 1}").read(
        bytes.fromhex("0161 02ff 0361")
    )
    found = [(d.code, d.record, d.field, d.span.start, d.span.stop, d.span.lsb) for d in reading.diagnostics if d.span]
    assert found == [
        ("invalid-value", 1, "boards[1].a", 16, 18, True),
        ("bad-encoding", 1, "boards[1].c", 24, 32, False),
        ("invalid-value", 2, "boards[2].a", 32, 34, True),
    ]
    assert values(reading)["boards"][1] == {"a": 2, "b": 0, "c": Raw(b"\xff")}


def test_a_cut_record_says_what_is_missing_and_keeps_its_bytes() -> None:
    """The last record's missing bytes are counted against the whole record; what is there stays."""
    reading = codec(LIST % "{id: a, type: u1}, {id: b, type: u4}").read(bytes.fromhex("0102000000 0203"))
    (finding,) = reading.diagnostics
    assert (finding.code, finding.field, finding.record) == ("truncated", "boards[1]", 1)
    assert numbers(finding.message) == [3, 5, 2]
    assert finding.span is not None
    assert (finding.span.start, finding.span.stop) == (56, 56)
    assert reading.root["boards"].children is not None
    assert reading.root["boards"].children[1].broken
    assert values(reading)["boards"][1] == {"a": 2, "b": Raw(b"\3")}


def test_a_cut_inner_record_is_told_of_the_outer() -> None:
    """What is missing is counted against the largest record of fixed size."""
    more = "  inner: {seq: [{id: v, type: u4}]}"
    schema = (
        (LIST % "{id: a, type: inner}, {id: b, type: inner}").replace("types: {board", "types:\n  board").replace("]}}", "]}", 1)
    )
    engine = codec(schema.replace("\nenums", f"\n{more}\nenums"))
    (finding,) = engine.read(bytes(13)).diagnostics
    assert (finding.field, finding.message) == ("boards[1]", "3 bytes are missing: board takes 8 bytes, and there are 5")


def test_a_broken_record_of_fixed_size_costs_itself_only() -> None:
    """Where records have a fixed size, reading goes on at the next one."""
    reading = codec(LIST % "{id: a, type: u1}, {id: b, type: u1, valid: {expr: 6 / a == 2}}, {id: c, size: 1}").read(
        bytes.fromhex("030000 000101 060000")
    )
    assert [d.field for d in reading.diagnostics] == ["boards[1].b", "boards[2].b"]
    assert len(values(reading)["boards"]) == 3


@pytest.mark.parametrize(
    ("data", "boards", "rest", "found"),
    [
        ("01020304", 1, {}, []),
        ("01020304 00000000", 1, {"end": b"\0\0\0\0"}, []),
        ("01020304 0000", 1, {"end": b"\0\0"}, []),
        ("01020304 00000009", 1, {"end": b"\0\0\0\x09"}, []),
        ("00000000 01020304", 0, {"end": b"\0\0\0\0", "after_end": b"\1\2\3\4"}, ["4 bytes are left"]),
        ("01020304 000005", 1, {"end": b"\0\0", "after_end": b"\5"}, ["1 byte is left"]),
        ("01020304 00", 2, {}, ["3 bytes are missing"]),
    ],
)
def test_end_records(data: str, boards: int, rest: dict[str, bytes], found: list[str]) -> None:
    """A null record ends the list, in full or abbreviated; what follows it is reported; all of it is written back."""
    schema = (LIST % "{id: a, type: u4}").replace("repeat: eos}", "repeat: eos, -bridge-end: {bits: 16, short: 2}}")
    engine = codec(schema)
    raw = bytes.fromhex(data)
    reading = engine.read(raw)
    tree = values(reading)
    assert len(tree["boards"]) == boards
    assert {name: value for name, value in tree.items() if name != "boards"} == rest
    codes = ["data-after-end" if "after_end" in rest else "truncated"] * len(found)
    assert [d.code for d in reading.diagnostics] == codes
    assert all(d.message.startswith(words) for d, words in zip(reading.diagnostics, found, strict=True))
    assert engine.write(tree) == raw


def test_checks_hold_for_whole_records() -> None:
    """A record's own checks are reported with their code, severity and message, at the record."""
    engine = codec(
        """
meta: {id: t}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq: [{id: n, type: u1, repeat: expr, repeat-expr: 3}]
    -bridge-checks: [{that: 'n.max < 9', code: too-big, severity: warning, message: nine and more is too big}]
"""
    )
    (finding,) = engine.read(bytes([1, 2, 3, 4, 9, 1])).diagnostics
    assert (finding.code, finding.severity, finding.record, finding.field) == ("too-big", Severity.WARNING, 1, "boards[1]")


def test_lenient_codes_read_as_others() -> None:
    """A lenient code raises no problem, reads as what it stands for, and is written back as it stood."""
    engine = of(
        "{id: a, type: str, size: 2, valid: '\"  \"', -bridge-lenient: {0x00: 0x20}}, "
        "{id: b, type: u1, valid: 1, -bridge-lenient: {7: 1}}, {id: c, contents: ' ', -bridge-lenient: {0: 32}}"
    )
    raw = bytes.fromhex("0020 07 00")
    reading = engine.read(raw)
    assert reading.diagnostics == []
    assert values(reading) == {"a": "  ", "b": 1, "c": b" "}
    assert engine.write(values(reading)) == raw
    assert engine.write({"a": "  ", "b": 1}) == b"  \1 "


def test_instances_are_read_and_their_problems_reported() -> None:
    """What instances compute and read is in the tree; a problem in one is a finding."""
    reading = codec(
        """
meta: {id: t, endian: le}
seq: [{id: pos, type: u1}]
instances:
  twice: {value: pos * 2, valid: {max: 4}}
  there: {pos: pos, type: u1, valid: 9}
  far: {pos: 99, type: u1}
"""
    ).read(bytes([3, 0, 0, 8]))
    assert reading.root["twice"].value == 6
    assert reading.root["there"].value == 8
    assert reading.root["there"].start == 24
    assert codes(reading) == [("invalid-value", "twice"), ("invalid-value", "there"), ("bad-size", "far")]


def test_one_record_can_be_read_alone() -> None:
    """Random access to a record of fixed size gives what reading the whole file gives."""
    engine = codec(LIST % "{id: a, type: u1, valid: {max: 3}}, {id: b, type: b4, repeat: expr, repeat-expr: 2}")
    data = bytes([1, 0x21, 9, 0x43])
    alone, whole = engine.read_record(data, 2, 1), engine.read(data)
    assert plain(alone.root) == values(whole)["boards"][1]
    assert alone.diagnostics == whole.diagnostics
    assert [plain(r.root) for r in engine.read_records(data)] == values(whole)["boards"]
    cut = engine.read_record(data[:3], 2, 1)
    assert [d.code for d in cut.diagnostics] == ["invalid-value", "truncated"]


def test_records_can_be_told_in_a_line() -> None:
    """``to-string`` gives a record's text; a record without it has none."""
    engine = codec(
        "meta: {id: t}\nto-string: 'f\"{a} of {b.c}\"'\nseq: [{id: a, type: u1}, {id: b, type: x}]\n"
        "types: {x: {seq: [{id: c, type: u1}]}}"
    )
    root = engine.read(bytes([1, 2])).root
    assert engine.text_of(root) == "1 of 2"
    assert engine.text_of(root["b"]) is None


def test_a_reading_stops_collecting_at_its_limit() -> None:
    """``limit`` caps the findings, not the reading; a note at the end says how many more there are."""
    reading = codec(LIST % "{id: a, type: u1, valid: 0}").read(b"\1" * 50, limit=7)
    assert [d.code for d in reading.diagnostics] == ["invalid-value"] * 7 + ["too-many-findings"]
    assert numbers(reading.diagnostics[-1].message) == [43]
    assert reading.dropped == 43
    assert len(values(reading)["boards"]) == 50


def test_a_derived_array_may_be_bytes() -> None:
    """It has the bytes' values; where one differs all are told."""
    codec = of("{id: b, size: 2}, {id: a, type: u1, repeat: expr, repeat-expr: 2, -bridge-value: span(b)}")
    assert codec.read(b"abab").diagnostics == []
    assert [d.message for d in codec.read(b"abac").diagnostics] == ["this should be [97, 98], it is [97, 99]"]


@pytest.mark.parametrize(("count", "words"), [(1, "1 byte follows the last field"), (2, "2 bytes follow the last field")])
def test_what_follows_the_last_field_is_counted(count: int, words: str) -> None:
    """One byte is one."""
    codec = BinaryCodec(loads("meta: {id: x, file-extension: x}\nseq: [{id: a, type: u1}]"))
    assert [found.message for found in codec.read(b"a" + b"b" * count).diagnostics] == [words]
