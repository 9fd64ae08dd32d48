"""Kaitai's language at work: parameters, parents, switches, endianness, instances and streams, each in a small schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bridgespec.codec.binary.codec import BinaryCodec, find
from bridgespec.codec.node import plain
from bridgespec.errors import SpecError
from bridgespec.spec.kaitai.schema import load, loads

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "parameters are passed to types, arrays and records too": (
        """
seq:
  - {id: n, type: u1}
  - {id: list, type: u1, repeat: expr, repeat-expr: 2}
  - {id: a, type: 'sized(n, list)'}
types:
  sized:
    params: [{id: len, type: u1}, {id: other, type: 'u1[]'}]
    seq: [{id: data, size: 'len + other[1]'}]
""",
        "01 0501 aabb",
        {"a.data": b"\xaa\xbb"},
    ),
    "_parent, _root and navigation reach other records": (
        """
seq: [{id: head, type: head}, {id: body, type: body}]
types:
  head: {seq: [{id: len_item, type: u1}]}
  body: {seq: [{id: item, type: item}], instances: {twice: {value: _root.head.len_item * 2}}}
  item: {seq: [{id: v, size: _parent._parent.head.len_item}]}
""",
        "02 0102",
        {"body.item.v": b"\1\2", "body.twice": 4},
    ),
    "a value may be taken for one of a named type, and has the size that its type gives it": (
        """
seq: [{id: t, type: t}]
types: {t: {seq: [{id: a, type: u1}, {id: b, type: u2}]}}
instances:
  n: {value: 't.a.as<u2> + 1'}
  same: {value: 't.as<t>.b'}
  size: {value: 't.b._sizeof'}
""",
        "07 0201",
        {"n": 8, "same": 0x0102, "size": 2},
    ),
    "an overridden parent is seen by the type": (
        """
seq: [{id: n, type: u1}, {id: a, type: outer}]
types:
  outer: {seq: [{id: b, type: inner, parent: _root}]}
  inner: {seq: [{id: v, size: _parent.n}]}
""",
        "01 07",
        {"a.b.v": b"\7"},
    ),
    "a switch looks at enums, texts and bytes, and falls back": (
        """
seq:
  - {id: k, type: u1, enum: kind}
  - {id: t, type: str, size: 1}
  - {id: by_enum, type: {switch-on: k, cases: {'kind::one': u1, 'kind::two': u2}}}
  - {id: by_text, type: {switch-on: t, cases: {'"x"': u1, _: u2}}}
  - {id: by_size, size: 2, type: {switch-on: 5, cases: {1: small}}}
types: {small: {seq: [{id: v, type: u1}]}}
enums: {kind: {1: one, 2: two}}
""",
        "02 78 0100 09 aabb",
        {"by_enum": 1, "by_text": 9, "by_size": b"\xaa\xbb"},
    ),
    "the byte order can depend on the data, and inner types inherit it": (
        """
seq: [{id: docs, type: doc, repeat: eos}]
types:
  doc:
    seq: [{id: mark, size: 2}, {id: main, type: main}]
  main:
    meta: {endian: {switch-on: _parent.mark, cases: {'[0x49, 0x49]': le, _: be}}}
    seq: [{id: n, type: u2}, {id: deep, type: deep}]
    types: {deep: {seq: [{id: m, type: u2}]}}
""",
        "4949 0100 0200 4d4d 0001 0002",
        {"docs.0.main.n": 1, "docs.0.main.deep.m": 2, "docs.1.main.n": 1, "docs.1.main.deep.m": 2},
    ),
    "positions, other streams and the size of a stream": (
        """
seq: [{id: at, type: u1}, {id: part, size: 3, type: part}]
types: {part: {seq: [{id: first, type: u1}]}}
instances:
  there: {pos: at, type: u1}
  inside: {io: part._io, pos: _io.size - 5, size-eos: true}
  all: {value: _io.size}
  left: {value: part._io.eof}
""",
        "04 010203 09 0a",
        {"there": 9, "inside": b"\2\3", "all": 6, "left": False},
    ),
    "lists know their index, and a condition may look at the element": (
        """
seq:
  - {id: blocks, type: block(_index), repeat: until, repeat-until: _.v == 0 or _index == 2}
types: {block: {params: [{id: at, type: s4}], seq: [{id: v, type: u1}], instances: {sum: {value: v + at}}}}
""",
        "05 06 00",
        {"blocks.1.sum": 7, "blocks.2.v": 0},
    ),
    "texts are computed, sizes are known": (
        """
seq: [{id: a, type: u1}, {id: s, type: str, size: 3}, {id: r, type: rec}]
types: {rec: {seq: [{id: x, type: u4}, {id: y, type: b4}]}}
instances:
  told: {value: 'f"{a}:{s.reverse}"'}
  number: {value: 's.substring(0, 2).to_i(16)'}
  sizes: {value: 'sizeof<rec> * 100 + r._sizeof * 10 + bitsizeof<b3>'}
  list: {value: '[3, 300, 4].max'}
  raw: {value: '[0x61, 0x62].to_s("ASCII")'}
  pick: {value: 'a == 2 ? enm::y : enm::z', enum: enm}
enums: {enm: {7: y, 8: z}}
""",
        "02 323161 01000000 10",
        {"told": "2:a12", "number": 0x21, "sizes": 553, "list": 300, "raw": "ab", "pick": 7},
    ),
    "processes undo what the file did": (
        """
seq:
  - {id: key, type: u1}
  - {id: a, size: 2, process: xor(key)}
  - {id: b, size: 1, process: ror(4)}
  - {id: c, size: 2, type: rec, process: 'xor([1, 2])'}
types: {rec: {seq: [{id: x, type: u1}, {id: y, type: u1}]}}
""",
        "0f 0e0d 12 0301",
        {"a": b"\1\2", "b": b"\x21", "c.x": 2, "c.y": 3},
    ),
    "bits of either order, and bytes after them on a byte boundary": (
        """
seq:
  - {id: a, type: b4}
  - {id: b, type: b4le}
  - {id: c, type: b1}
  - {id: d, type: u1}
  - {id: e, type: b12le}
""",
        "21 80 07 3412",
        {"a": 2, "b": 1, "c": True, "d": 7, "e": 0x234},
    ),
    "a size beside contents means nothing": (
        "seq: [{id: a, size: sizeof<t::m>, contents: [1, 2]}, {id: b, type: u1}, {id: c, size: sizeof<t::m> - 1}]\n"
        "types: {m: {seq: [{id: k, contents: [1, 2], size: 5}]}}\n",
        "0102 03 09",
        {"b": 3, "c": b"\x09"},
    ),
    "windows-31j is more than Shift_JIS": (
        "seq: [{id: a, type: str, size: 2, encoding: windows-31j}, {id: b, type: str, size: 2, encoding: MS932}]\n",
        "8740 8254",
        {"a": "\u2460", "b": "\uff15"},
    ),
    "wide texts end at a wide terminator": (
        "seq: [{id: a, type: strz, encoding: UTF-16LE}, {id: b, type: u1}]\n",
        "6100 0001 0000 07",
        {"a": "aĀ", "b": 7},
    ),
}


@pytest.mark.parametrize("claim", CASES)
def test_the_language(claim: str) -> None:
    """What the case's name says; and the file is written back byte for byte."""
    schema, text, expected = CASES[claim]
    codec = BinaryCodec(loads(f"meta: {{id: t, endian: le, bit-endian: be, encoding: ASCII}}\n{schema}"))
    data = bytes.fromhex(text)
    reading = codec.read(data)
    assert [d.message for d in reading.diagnostics if d.severity == "error"] == []
    assert {path: find(reading.root, path).value for path in expected} == expected
    assert codec.write(plain(reading.root)) == data


def test_an_imported_type_knows_nothing_of_its_user(tmp_path: Path) -> None:
    """Inside an imported schema ``_root`` is that schema's own type, and ``_parent`` is nobody."""
    (tmp_path / "lib.ksy").write_text("meta: {id: lib}\nseq: [{id: n, type: u1}]\ninstances: {me: {value: _root.n}}")
    (tmp_path / "app.ksy").write_text("meta: {id: app, imports: [lib]}\nseq: [{id: a, type: u1}, {id: l, type: lib}]")
    reading = BinaryCodec(load(tmp_path / "app.ksy")).read(b"\1\2")
    assert find(reading.root, "l.me").value == 2
    (tmp_path / "lib.ksy").write_text("meta: {id: lib}\nseq: [{id: n, size: _parent.a}]")
    with pytest.raises(SpecError, match="no 'a'"):
        load(tmp_path / "app.ksy")


def test_a_process_of_ones_own() -> None:
    """A caller can provide a routine for a ``process`` name; without it the schema is refused by that name."""

    class Flip:
        @staticmethod
        def decode(data: bytes, *args: object) -> bytes:
            return data[::-1]

        encode = decode

    text = "meta: {id: t}\nseq: [{id: a, size: 2, process: my.flip}]"
    with pytest.raises(SpecError, match=r"process 'my\.flip' is not supported"):
        loads(text)
    codec = BinaryCodec(loads(text, processors=frozenset({"my.flip"})), {"my.flip": Flip})
    reading = codec.read(b"\1\2")
    assert plain(reading.root) == {"a": b"\2\1"}
    assert codec.write({"a": b"\2\1"}) == b"\1\2"
