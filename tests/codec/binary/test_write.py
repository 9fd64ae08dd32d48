"""The reference codec writes: what was read comes back byte for byte, what is missing is computed, what is wrong is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.binary.stream import ByteSource, Sink
from bridgespec.codec.node import plain
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import WriteError
from bridgespec.spec.kaitai.schema import loads


def of(seq: str, more: str = "") -> BinaryCodec:
    return BinaryCodec(loads(f"meta: {{id: t, endian: le, bit-endian: le, encoding: ASCII}}\nseq: [{seq}]\n{more}"))


@pytest.mark.parametrize(
    ("seq", "data"),
    [
        ("{id: a, type: str, size: 4, pad-right: 0x20}", "61620020"),
        ("{id: a, type: str, size: 4, terminator: 0}", "61006263"),
        ("{id: a, type: strz, eos-error: false}", "6162"),
        ("{id: a, size: 4, terminator: 13, pad-right: 32}", "610d2021"),
        ("{id: a, size-eos: true, terminator: 0}", "61006161"),
        ("{id: a, type: b3}, {id: b, type: u1}, {id: c, type: b1}", "ff01ff"),
        ("{id: a, type: b3be}, {id: b, type: b3}, {id: c, type: u1}", "9c55"),
        ("{id: a, type: t, size: 4}, {id: b, type: u1}", "0102030405"),
        ("{id: a, type: t, size: 4, pad-right: 9}, {id: b, type: u1}", "0107090905"),
        ("{id: a, type: t, terminator: 0}, {id: b, type: u1}", "01070005"),
        ("{id: a, type: t, size: 3, process: xor(7)}", "060700"),
        ("{id: a, type: u1}, {id: b, type: u1, if: a == 2}", "01"),
        ("{id: a, type: {switch-on: 1, cases: {2: u1}}}, {id: b, type: u1}", "07"),
        ("{id: a, type: f8}", "182d4454fb210940"),
        ("{id: a, type: f4}", "0100807f"),
        ("{id: a, type: u1}", "0102030405"),
        ("{id: a, type: u4}", "0102"),
        ("{id: a, type: b4, repeat: expr, repeat-expr: 5}", "1234"),
        ("{id: a, type: t, repeat: expr, repeat-expr: 3}", "0102"),
    ],
)
def test_what_was_read_comes_back(seq: str, data: str) -> None:
    """Padding, spare bits, cut fields and trailing bytes are written as they stood."""
    engine = of(seq, "types: {t: {seq: [{id: v, type: u1}]}}")
    raw = bytes.fromhex(data)
    assert engine.write(plain(engine.read(raw).root)) == raw


def test_zlib_comes_back_as_it_was_compressed() -> None:
    """Compressed data are kept until their content changes."""
    engine = of("{id: a, type: t, size-eos: true, process: zlib}", "types: {t: {seq: [{id: v, type: u1, repeat: eos}]}}")
    import_level_nine = bytes.fromhex("78da4b4c4a06000 24d0127".replace(" ", ""))
    tree = plain(engine.read(import_level_nine).root)
    assert tree["a"]["v"] == list(b"abc")
    assert engine.write(tree) == import_level_nine
    tree["a"]["v"] = list(b"abd")
    again = engine.write(tree)
    assert plain(engine.read(again).root)["a"]["v"] == list(b"abd")


def test_a_changed_value_loses_its_old_spelling() -> None:
    """Only the field that changed is spelled anew."""
    engine = of("{id: a, type: str, size: 3, terminator: 0}, {id: b, type: str, size: 3, terminator: 0}")
    tree = plain(engine.read(b"a\0xb\0y").root)
    tree["b"] = "c"
    assert engine.write(tree) == b"a\0xc\0\0"


def test_what_is_missing_is_computed() -> None:
    """Constants, derived values, defaults and demanded values need not be given; derived ones may look ahead."""
    engine = of(
        "{id: magic, contents: BR}, {id: n, type: u1, -bridge-value: items.size}, {id: sum, type: u1, "
        "-bridge-value: 'items[0].v + items[1].v'}, {id: items, type: t, repeat: expr, repeat-expr: n}, "
        "{id: pad, size: 2, -bridge-default: '[32, 32]'}, {id: one, type: u1, valid: 1}",
        "types: {t: {seq: [{id: v, type: u1}, {id: more, type: b1, -bridge-value: _index < _parent.items.size - 1}]}}",
    )
    data = engine.write({"items": [{"v": 7}, {"v": 8}]})
    assert data == b"BR\x02\x0f\x07\x01\x08\x00  \x01"
    assert engine.read(data).diagnostics == []


@pytest.mark.parametrize("kind", ["size: n", "type: str, size: n", "type: strz", "size-eos: true"])
def test_a_text_without_a_value_is_empty(kind: str) -> None:
    """A text or bytes whose size the file tells needs no default, neither alone nor in a type that others use."""
    first = "{id: n, type: u1, -bridge-value: a._sizeof}"
    types = f"types: {{pascal: {{seq: [{first}, {{id: a, {kind}}}]}}}}"
    assert of(f"{first}, {{id: a, {kind}}}").write({}) in (b"\0", b"\x01\0")
    engine = of("{id: name, type: pascal}", types)
    assert engine.read(engine.write({})).diagnostics == []


@pytest.mark.parametrize(
    ("seq", "given", "words"),
    [
        ("{id: a, type: u1}", {}, "a: a value is missing, and there is no default"),
        ("{id: a, size: 1}", {"a": [7]}, r"bytes are wanted, not \[7\]; bytes are spelled \[7\].as<bytes>"),
        ("{id: a, type: u1}", {"a": 256}, "a: 256 is not an integer from 0 to 255"),
        ("{id: a, type: b2}", {"a": 4}, "4 does not fit into 2 bits"),
        ("{id: a, type: b2, repeat: expr, repeat-expr: 2}", {"a": [1, 5]}, r"a\[1\]: 5 does not fit into 2 bits"),
        ("{id: a, type: u1, repeat: expr, repeat-expr: 2}", {"a": [1]}, "2 elements are wanted, 1 are given"),
        ("{id: a, type: str, size: 2}", {"a": "abc"}, "3 bytes do not fit into 2"),
        ("{id: a, type: str, size: 2}", {"a": "a"}, "2 bytes are wanted, 1 are given"),
        ("{id: a, type: str, size: 2}", {"a": "ü"}, "cannot be spelled in ASCII"),
        ("{id: a, type: t}", {"a": 3}, "a: 3 is one value, and the type t is a record: a field in it can hold it"),
        ("{id: a, type: t, repeat: eos}", {"a": [{"v": 1}, {"v": -1}]}, r"a\[1\].v: -1 is not an integer"),
        ("{id: a, type: u1}", {"a": "x"}, "'x' is not an integer"),
        ("{id: a, type: f4}", {"a": 1e300}, "does not fit"),
        ("{id: n, type: u1, -bridge-value: a.size}, {id: a, type: u1, repeat: eos}", {"a": 0}, "a: a list is wanted, not 0"),
        ("{id: a, size: 1 / 0}", {"a": b""}, "division"),
    ],
)
def test_what_cannot_be_written_is_refused(seq: str, given: dict[str, Any], words: str) -> None:
    """WriteError names the field and says why."""
    with pytest.raises(WriteError, match=words):
        of(seq, "types: {t: {seq: [{id: v, type: u1}]}}").write(given)


def test_instances_are_written_where_they_stand() -> None:
    """A value that an instance reads elsewhere is written there, over whatever fills the space."""
    engine = of("{id: at, type: u1}", "instances: {there: {pos: at, type: u2}}")
    tree = plain(engine.read(bytes([3, 9, 9, 1, 2, 9])).root)
    tree["there"] = 0x0403
    assert engine.write(tree) == bytes([3, 9, 9, 3, 4, 9])


@pytest.mark.parametrize(
    ("offsets", "one", "two", "clash"),
    [
        ([3, 5], b"ab", b"cd", None),
        ([3, 3], b"ab", b"ab", None),
        ([3, 4], b"ab", b"bc", None),
        ([3, 4], b"ab", b"xc", r"item\[\d\].text: it would overwrite item\[\d\].text at 0x4, which differs"),
        ([3, 3], b"ab", b"cd", r"item\[\d\].text: it would overwrite item\[\d\].text at 0x\d, which differs"),
        ([3, 1], b"ab", b"cd", r"item\[1\].text: it would overwrite what precedes at 0x1, which differs"),
    ],
)
@pytest.mark.parametrize("window", ["", "size: 1, "])
def test_no_part_is_written_over_another(offsets: list[int], one: bytes, two: bytes, clash: str | None, window: str) -> None:
    """Parts at offsets may share bytes that are the same to both; else the writer says which part would fall on which."""
    engine = of(
        "{id: head, type: u1}, {id: item, type: t, " + window + "repeat: expr, repeat-expr: 2}, "
        "{id: pool, size-eos: true, -bridge-opaque: true}",
        "types: {t: {seq: [{id: at, type: u1}], instances: {text: {io: _root._io, pos: at, size: 2}}}}",
    )
    items = [{"at": at, "text": text} for at, text in zip(offsets, (one, two), strict=True)]
    given = {"head": 9, "item": items, "pool": b"...."}
    if clash is None:
        data = engine.write(given)
        assert [item["text"] for item in plain(engine.read(data).root)["item"]] == [one, two]
        assert len(data) == 7
        return
    with pytest.raises(WriteError, match=clash) as refusal:
        engine.write(given)
    fields = [one.field for one in refusal.value.diagnostics if isinstance(one, Diagnostic)]
    assert fields in (["item[0].text"], ["item[1].text"])


def test_an_instance_may_stand_so_far_from_the_end() -> None:
    """When it is written the file has its length."""
    engine = of("{id: head, size: 4, -bridge-opaque: true}", "instances: {there: {pos: _io.size - 2, type: u2}}")
    tree = plain(engine.read(bytes([1, 2, 3, 4])).root)
    tree["there"] = 0x0605
    assert engine.write(tree) == bytes([1, 2, 5, 6])


def test_bits_of_either_order_survive_each_other() -> None:
    """Any mixture of bit widths and bit orders that is read from a stream is written back to the same bytes."""
    numbers = random.Random(3)
    for _ in range(300):
        data = numbers.randbytes(12)
        source, sink = ByteSource(data), Sink()
        while (left := source.left_bits) > 0:
            count, little = numbers.randint(1, min(left, 20)), numbers.random() < 0.5
            sink.write_bits(source.read_bits(count, little), count, little)
        assert sink.finish() == data


LOG = """
  ends: {pos: _io.size - 3, type: ends}
types:
  block: {seq: [{id: before, type: u1, -bridge-value: "_index == 0 ? 0 : _parent.blocks[_index - 1]._offset"}, {id: v, type: u2}]}
  ends:
    seq:
      - {id: num, type: u1, -bridge-value: _root.blocks.size}
      - {id: ofs_last, type: u2, -bridge-value: _root.blocks.last._offset}
"""


def test_a_part_at_the_end_makes_a_new_file_longer() -> None:
    """A position that is counted from the end is behind all else in a file made of values; what was read comes back."""
    engine = of("{id: blocks, type: block, repeat: expr, repeat-expr: ends.num}", "instances:" + LOG)
    data = engine.write({"blocks": [{"v": 1}, {"v": 2}], "ends": {}})
    assert data == bytes.fromhex("00 0100  00 0200  02 0300")
    reading = engine.read(data)
    assert not reading.diagnostics
    assert engine.write(plain(reading.root)) == data
    assert engine.write({"blocks": [{"v": 7}], "ends": {}}) == bytes.fromhex("00 0700  01 0000")
