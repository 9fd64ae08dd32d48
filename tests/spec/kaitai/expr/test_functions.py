"""The functions that stand under ``-bridge-`` keys: every example is run, and Kaitai's own keys refuse them."""

from __future__ import annotations

import binascii
import hashlib

import pytest

from bridgespec import engine
from bridgespec.codec.binary.codec import BinaryCodec, plain
from bridgespec.codec.checksum import Checksum
from bridgespec.errors import SpecError
from bridgespec.spec.kaitai.expr.checksums import MODELS, crc
from bridgespec.spec.kaitai.expr.functions import EXAMPLE, WORDS
from bridgespec.spec.kaitai.schema import loads


@pytest.mark.parametrize("name", WORDS)
def test_every_example_has_its_value(name: str) -> None:
    """What the table says that a function gives is what a schema finds."""
    source, value = WORDS[name].example
    schema, data = EXAMPLE
    check = f"{{that: '({source}) == {value}', code: wrong, message: wrong}}"
    spec = loads(schema.replace("}]}", f"}}], -bridge-checks: [{check}]}}"))
    assert BinaryCodec(spec).read(data).diagnostics == []
    other = loads(schema.replace("}]}", f"}}], -bridge-checks: [{check.replace(f'== {value}', f'== {value + 1}')}]}}"))
    assert [found.code for found in BinaryCodec(other).read(data).diagnostics] == ["wrong"]


@pytest.mark.parametrize("name", WORDS)
def test_kaitais_keys_refuse_them(name: str) -> None:
    """An expression that Kaitai's compiler reads says nothing that it does not know."""
    source = WORDS[name].example[0]
    schema = EXAMPLE[0].replace("}]}", f"}}], instances: {{v: {{value: '{source}'}}}}}}")
    with pytest.raises(SpecError) as caught:
        loads(schema)
    (found,) = caught.value.diagnostics
    assert (found.code, "-bridge- keys" in str(found.help)) == ("schema-expression", True)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("sum(span(_io))", 1 + 2 + 3 + 255 + 4),
        ("sum(words_le(span(_io), 4))", 0xFF030201 + 4),
        ("sum(words_be(span(_io), 2)) % 0x1_0000", (0x0102 + 0x03FF + 0x0400) % 0x10000),
        ("sum(words_le(span(_io), 3))", 0x030201 + 0x04FF),
        ("sum(words_le(span(_io), 8))", 0x04FF030201),
        ("xor(words_le(span(_io), 2)) & 0xff", 1 ^ 3 ^ 4),
        ("crc32(span(_io))", 0xA08A0EC2),
        ("adler32(span(_io))", 0x02220106 + 4 * 0),
    ],
)
def test_a_files_checksum_is_worked_out_a_piece_at_a_time(source: str, value: int) -> None:
    """However the bytes come, the checksum is that of them all; and it is the one that a check of the schema finds."""
    data = bytes([1, 2, 3, 255, 4])
    spec = loads(f"meta: {{id: x}}\nseq: [{{id: a, size-eos: true}}]\n-bridge-checksum: '{source}'")
    assert spec.checksum is not None
    found = []
    for size in (1, 2, 3, 5):
        checksum = Checksum(spec.checksum)
        for at in range(0, 5, size):
            checksum.update(data[at : at + size])
        found.append(checksum.finish())
    whole = loads(
        f"meta: {{id: x}}\nseq: [{{size-eos: true}}]\n-bridge-checks: [{{that: '({source}) == {found[0]}', code: c, message: m}}]"
    )
    assert set(found) == {found[0]}
    assert BinaryCodec(whole).read(data).diagnostics == []
    if "32(" not in source:
        assert found[0] == value


DECK = """
meta: {id: deck, endian: le, encoding: UTF-8}
seq:
  - {id: magic, contents: DECK}
  - {id: num_entries, type: u2, -bridge-value: entries.size}
  - {id: ofs_entries, type: u4, -bridge-value: entries._offset}
  - {id: len_names, type: u2, -bridge-value: names._sizeof}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_entries}
  - {id: names, type: strz, repeat: expr, repeat-expr: num_entries}
  - {id: crc, type: u4, -bridge-value: 'crc32(span(magic, names))', -bridge-code: bad-crc}
types:
  entry:
    seq:
      - {id: ofs_name, type: u4, -bridge-value: '_parent.names[_index]._offset'}
      - {id: deal, type: b2, repeat: expr, repeat-expr: 52}
    instances:
      name: {io: _root._io, pos: ofs_name, type: strz}
"""
NESTED = """
meta: {id: tlv, endian: be}
seq: [{id: items, type: item, repeat: eos}]
types:
  item:
    seq:
      - {id: tag, type: u1}
      - {id: length, type: u2, -bridge-value: body._sizeof}
      - id: body
        size: length
        type: {switch-on: tag, cases: {1: text, 2: group}}
  text: {seq: [{id: value, type: str, size-eos: true, encoding: ASCII}]}
  group: {seq: [{id: items, type: item, repeat: eos}]}
"""
MIXED = """
meta: {id: mixed, endian: be, bit-endian: be, encoding: ASCII}
seq:
  - {id: n, type: u1, -bridge-value: rows.size}
  - {id: flags, type: b3}
  - {id: rest, type: b13}
  - {id: rows, type: row, repeat: expr, repeat-expr: n}
  - {id: big, type: u8, -bridge-value: 'sum(words_le(span(rows), 8)) & 0xffffffffffffffff'}
  - {id: x, type: u1, -bridge-value: 'xor(span(n, big))'}
  - {id: a, type: u4, -bridge-value: 'adler32(span(n) + span(rows[1]) + span(rest))'}
-bridge-checks:
  - {that: 'popcount(rest) + popcount(flags) == count(rows, _.v > 100 or _index == 0)', code: bits, message: bits}
  - {that: 'popcount(span(_io)) % 2 == 0', code: even, message: even}
  - {that: 'sum(rows, _.v * 1000000007 * 3) < 9007199254740993', code: large, message: large}
types:
  row:
    seq:
      - {id: v, type: u4}
      - {id: t, type: strz}
      - {id: o, type: u1, -bridge-value: '_offset & 0xff'}
      - {id: s, type: u1, -bridge-value: '_sizeof + t._offset'}
      - {id: p, type: u1, -bridge-value: 'popcount(v) + words_be(span(v), 3).size'}
"""
FILES: dict[str, tuple[str, dict[str, object], str]] = {
    "deck": (
        DECK,
        {"entries": [{"deal": [0, 1, 2, 3] * 13}, {"deal": [3, 1, 2, 0] * 13}], "names": ["one", "zwei"]},
        f"4445434b 0200 0c000000 0900 2e000000 {'1b' * 13} 32000000 {'d8' * 13} 6f6e6500 7a77656900 80a164ac",
    ),
    "nested": (
        NESTED,
        {
            "items": [
                {"tag": 1, "body": {"value": "hello"}},
                {"tag": 2, "body": {"items": [{"tag": 1, "body": {"value": "x"}}, {"tag": 9, "body": b"abc"}]}},
            ]
        },
        "01 0005 68656c6c6f 02 000a 01 0001 78 09 0003 616263",
    ),
    "mixed": (
        MIXED,
        {"flags": 5, "rest": 77, "rows": [{"v": 1, "t": "ab"}, {"v": 2**32 - 1, "t": ""}, {"v": 500, "t": "hello"}]},
        "03 a04d 00000001 616200 03 11 03 ffffffff 00 0d 19 22 000001f4 68656c6c6f00 15 26 08 75727c77016e9196 03 24a20535",
    ),
}
"""Schemas whose counts, places, sizes and checksums follow from the rest; what is given; what is written."""


@pytest.mark.parametrize("name", FILES)
def test_what_follows_is_written_and_verified(name: str) -> None:
    """Counts, sizes, places and checksums are written as they follow, read without a derived value that differs, and kept."""
    schema, values, written = FILES[name]
    codec = BinaryCodec(loads(schema))
    data = codec.write(values)
    assert data == bytes.fromhex(written)
    reading = codec.read(data)
    assert not [found for found in reading.diagnostics if found.code in ("derived-mismatch", "bad-crc", "expression-error")]
    assert codec.rewrite(reading) == data


def test_a_flipped_bit_under_a_checksum_is_found_at_its_place() -> None:
    """Every bit of the file is under the CRC or under another check; where only the CRC tells, the finding is at the CRC."""
    schema, values, _ = FILES["deck"]
    codec = BinaryCodec(loads(schema))
    data = codec.write(values)
    for bit in range(8 * len(data)):
        wrong = bytearray(data)
        wrong[bit // 8] ^= 1 << bit % 8
        assert codec.read(bytes(wrong)).diagnostics, bit
    wrong = bytearray(data)
    wrong[20] ^= 1
    (found,) = codec.read(bytes(wrong)).diagnostics
    assert found.span is not None
    assert (found.code, found.field, found.span.byte_start, found.span.byte_stop) == ("bad-crc", "crc", 55, 59)


def test_what_is_given_is_kept_though_it_is_wrong() -> None:
    """A file is written back byte for byte, wrong sizes and checksums included."""
    schema, values, _ = FILES["deck"]
    codec = BinaryCodec(loads(schema))
    data = bytearray(codec.write(values))
    data[-1] ^= 0xFF
    reading = codec.read(bytes(data))
    assert codec.rewrite(reading) == bytes(data)
    given = plain(reading.root)
    del given["crc"]
    assert codec.write(given)[-4:] == codec.write(values)[-4:]


def test_tables_of_offsets_stand_before_and_behind_what_they_lead_to() -> None:
    """A list follows from another, item by item; a checksum of both tables settles with them."""
    spec = loads(
        "meta: {id: x, endian: le}\n"
        "seq: [{id: n, type: u1, -bridge-value: names.size},"
        " {id: tab, type: u2, repeat: expr, repeat-expr: n, -bridge-value: 'map(names, _._offset)'},"
        " {id: names, type: name, repeat: expr, repeat-expr: n},"
        " {id: rank, type: u2, repeat: expr, repeat-expr: n, -bridge-value: 'map(names, _.text._sizeof * 256 + _index)'},"
        " {id: sum, type: u2, -bridge-value: 'crc(span(n, rank), \"crc-16/xmodem\")'}]\n"
        "types: {name: {seq: [{id: text, type: strz, encoding: ASCII}]}}"
    )
    codec = BinaryCodec(spec)
    data = codec.write({"names": [{"text": "ab"}, {"text": ""}, {"text": "c"}]})
    body = bytes.fromhex("03 0700 0a00 0b00 616200 00 6300 0003 0101 0202")
    assert data == body + binascii.crc_hqx(body, 0).to_bytes(2, "little")
    assert codec.read(data).diagnostics == []
    wrong = codec.read(data[:3] + b"\x0b" + data[4:]).diagnostics
    assert [found.code for found in wrong] == ["derived-mismatch"] * 2


@pytest.mark.parametrize("bytes_", ["span(a, c)", "span(c)", "span(_io)", "span(a) + span(c)"])
def test_a_checksum_cannot_be_of_itself(bytes_: str) -> None:
    """A value that stands among the bytes that it follows from is refused in the schema."""
    with pytest.raises(SpecError, match="stands among the bytes that it is computed from"):
        loads(f"meta: {{id: x, endian: le}}\nseq: [{{id: a, type: u1}}, {{id: c, type: u4, -bridge-value: 'crc32({bytes_})'}}]")


def test_checksums_of_each_other_are_refused_with_their_circle() -> None:
    """Of siblings the schema alone says that no file can have the values."""
    with pytest.raises(SpecError, match="'a' follows from itself: a -> b -> c -> a"):
        loads(
            "meta: {id: x, endian: le}\n"
            "seq: [{id: a, type: u4, -bridge-value: 'crc32(span(b))'}, {id: b, type: u4, -bridge-value: 'c + 1'},"
            " {id: n, type: u1}, {id: c, type: u2, -bridge-value: 'fletcher(span(a) + span(n), 16)'}]"
        )


def test_values_that_chase_each_other_are_refused_when_written() -> None:
    """Two checksums of each other in different records never settle: the writer says where, and does not go on for ever."""
    spec = loads(
        "meta: {id: x, endian: le}\n"
        "seq: [{id: a, type: u4, -bridge-value: 'crc32(span(p)) + 1 & 0xffffffff'}, {id: p, type: part}]\n"
        "types: {part: {seq: [{id: b, type: u4, -bridge-value: '_parent.a + 1 & 0xffffffff'}]}}"
    )
    with pytest.raises(Exception, match="change each time they are written"):
        BinaryCodec(spec).write({"p": {}})


def test_reading_the_whole_file_for_every_record_is_bounded() -> None:
    """A check that looks at all bytes in each of many records is given up, and said so, before it takes quadratic time."""
    spec = loads(
        "meta: {id: x}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: v, type: u1}], -bridge-checks: [{that: 'sum(span(_io)) >= 0', code: c, message: m}]}}"
    )
    found = BinaryCodec(spec).read(bytes(20_000)).diagnostics
    assert "too-deep" in {one.code for one in found}


@pytest.mark.parametrize(
    ("name", "check"),
    [("crc-5/usb", 0x19), ("crc-7/mmc", 0x75), ("crc-12/umts", 0xDAF), ("crc-16/ccitt", 0x2189), ("crc-16/x-25", 0x906E),
     ("crc-24/openpgp", 0x21CF02), ("crc-32", 0xCBF43926), ("crc-32/iscsi", 0xE3069283), ("crc-64/xz", 0x995DC9BBDF1939FA)],
)  # fmt: skip
def test_crcs_have_the_catalogues_check_values(name: str, check: int) -> None:
    """Of each model the catalogue gives what the nine digits come to; so do its parameters."""
    assert crc(b"123456789", name) == crc(b"123456789", *MODELS[name]) == check


def test_digests_are_those_of_the_standards() -> None:
    """MD5, SHA-1 and SHA-256 are bytes; a field of bytes follows from one."""
    for name, size in (("md5", 16), ("sha1", 20), ("sha256", 32)):
        spec = loads(f"meta: {{id: x}}\nseq: [{{id: a, size: 3}}, {{id: d, size: {size}, -bridge-value: {name}(span(a))}}]")
        assert BinaryCodec(spec).write({"a": b"abc"}) == b"abc" + hashlib.new(name, b"abc").digest()


@pytest.mark.parametrize("id_", ["zbs", "zbd", "zdd", "zrd", "zrj"])
def test_the_formats_of_one_family_share_its_checksum(id_: str) -> None:
    """Their source publishes one sum for all of them: the 32-bit words, the last one filled with zeros, in 64 bits."""
    spec = engine().spec(id_)
    assert spec.checksum is not None
    checksum = Checksum(spec.checksum)
    checksum.update(b"\xff\xff\xff\xff" * 3 + b"\x02")
    assert checksum.finish() == 3 * 0xFFFF_FFFF + 2
