"""Small schemas, each with every file of up to three bytes out of a few: generated JavaScript reads them as the reference does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.spec.kaitai.schema import loads
from tests.targets.javascript import Reader, difference, expected, expected_plain, needs_node, without_instances, write_module

BYTES = (0x00, 0x01, 0x41, 0xFF)
LONGEST = 3

SCHEMAS = {
    "terminator": "seq: [{id: a, type: strz, encoding: ASCII}, {id: b, size-eos: true}]",
    "terminator kept": "seq: [{id: a, type: strz, encoding: ASCII, terminator: 0x41, include: true, repeat: eos}]",
    "terminator left": "seq: [{id: a, terminator: 1, consume: false}, {id: b, type: u1}]",
    "terminator not needed": "seq: [{id: a, terminator: 1, eos-error: false}, {id: b, type: u1, if: not _io.eof}]",
    "terminator within": "seq: [{id: a, size: 2, type: str, encoding: UTF-8, terminator: 0}, {id: b, type: u1}]",
    "terminator within, kept": "seq: [{id: a, size: 2, type: str, encoding: ASCII, terminator: 0, include: true}]",
    "padding": "seq: [{id: a, size: 3, type: str, encoding: ASCII, pad-right: 0x41}]",
    "padding before a terminator": "seq: [{id: a, size: 3, type: str, encoding: ASCII, pad-right: 0x41, terminator: 0}]",
    "terminator and padding alike": "seq: [{id: a, size: 3, pad-right: 0, terminator: 0}]",
    "UTF-16": "seq: [{id: a, size-eos: true, type: str, encoding: UTF-16LE}]",
    "UTF-16 until": "seq: [{id: a, type: strz, encoding: UTF-16BE}, {id: b, type: u1, repeat: eos}]",
    "repeated until": "seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0x41 or _index == 1}, {id: b, type: u1}]",
    "repeated by a field": "seq: [{id: n, type: s1}, {id: a, type: u1, repeat: expr, repeat-expr: n}, {id: b, size-eos: true}]",
    "two of records": "seq: [{id: a, type: t, repeat: expr, repeat-expr: 2}]\ntypes: {t: {seq: [{id: x, type: u1}]}}",
    "conditions": "seq: [{id: n, type: u1}, {id: a, type: u1, if: n == 1}, {id: b, type: u1, if: n > 1}, {id: c, type: u1}]",
    "bits": "meta: {bit-endian: be}\nseq: [{id: a, type: b3}, {id: b, type: b7}, {id: c, type: b1}, {id: d, type: b12}]",
    "low bits": "meta: {bit-endian: le}\nseq: [{id: a, type: b3}, {id: b, type: b7}, {id: c, type: u1}, {id: d, type: b1}]",
    "lists of bits": "meta: {bit-endian: be}\nseq: [{id: a, type: b2, repeat: expr, repeat-expr: 5}, {id: b, type: u1}]",
    "verified": """
seq:
  - {id: a, type: u1, valid: {min: 1, max: 0x41}}
  - {id: b, type: u1, valid: {any-of: [1, 0x41]}}
  - {id: c, type: u1, valid: {expr: _ > a}, -bridge-severity: warning}
""",
    "verified lists": "seq: [{id: a, type: u1, repeat: eos, valid: {expr: _ != 1 or _index > 0}}]",
    "contents": "seq: [{id: a, contents: [0x41, 1]}, {id: b, type: u1}]",
    "codes": "seq: [{id: a, type: u1, enum: e}, {id: b, type: u1, enum: e, valid: {in-enum: true}}]\nenums: {e: {0: zero, 1: one}}",
    "places": """
seq: [{id: a, type: u1}]
instances:
  there: {pos: a, type: u1}
  sum: {value: a + there}
  far: {pos: 1, size: 1, if: a > 0}
""",
    "places that lead on": """
seq: [{id: a, type: u1}]
instances:
  there: {pos: a, type: u2be}
  twice: {value: there * 2, valid: {max: 600}}
  beyond: {pos: there, type: u1, valid: {expr: _ > twice}}
""",
    "switch": """
seq: [{id: a, type: u1}, {id: b, type: {switch-on: a, cases: {0: u1, 1: t}}}]
types: {t: {seq: [{id: x, type: u2be}]}}
""",
    "switch with the rest": """
seq: [{id: a, type: u1}, {id: b, size: 1, type: {switch-on: a, cases: {0: t, _: w}}}]
types: {t: {seq: [{id: x, type: u1}, {id: y, type: u1}]}, w: {seq: []}}
""",
    "order": """
seq: [{id: a, type: u1}, {id: b, type: t}]
types: {t: {meta: {endian: {switch-on: _root.a, cases: {0: le, 1: be}}}, seq: [{id: x, type: s2}]}}
""",
    "parts of a size": """
seq: [{id: a, size: 2, type: t}, {id: b, type: t}]
types: {t: {seq: [{id: x, type: u1}, {id: y, size-eos: true}], instances: {z: {value: y.length + x}}}}
""",
    "parameters": """
seq: [{id: n, type: u1}, {id: a, type: "t(n, 2)"}]
types: {t: {params: [{id: p, type: u1}, {id: q, type: u1}], seq: [{id: x, size: "p == 1 ? q : 1"}], instances: {s: {value: p + q}}}}
""",
    "parents": """
seq: [{id: n, type: u1}, {id: a, type: t}]
types: {t: {seq: [{id: x, type: u1, if: _parent.n > 0}, {id: u, type: w}]}, w: {seq: [{id: y, size: _root.n & 1}]}}
""",
    "texts": """
seq: [{id: a, type: u1}]
instances:
  t: {value: a.to_s + '!'}
  r: {value: t.reverse}
  l: {value: t.length}
  less: {value: t < '1'}
  more: {value: "'65' < t"}
  bytes: {value: "[a, 1] > [a]"}
  fewer: {value: "[a] >= [a, 1]"}
  low: {value: "[1, a] < [1, 65]"}
""",
    "texts of any kind": """
seq:
  - {id: a, type: u1}
  - {id: w, type: {switch-on: a, cases: {0: u1, 1: text}}}
types: {text: {seq: [{id: t, type: str, size-eos: true, encoding: ASCII, if: _root.a == 1}], instances: {f: {value: 'f"<{t}>"'}}}}
""",
    "words": """
seq: [{id: a, type: s1}, {id: b, size-eos: true}]
-bridge-checks:
  - {that: 'sum(words_le(b, a)) > 0x4000', code: small, message: the sum is small}
  - {that: 'xor(words_be(b, 2)) != 0x41', code: odd, message: the words are odd}
  - {that: 'adler32(b) % 2 == 0', code: even, message: the checksum is odd}
  - {that: 'crc32(b) % 2 == 0', code: crc, message: the other checksum is odd}
""",
    "texts of values": """
seq: [{id: a, type: u1}, {id: b, type: {switch-on: a, cases: {0: u1, 1: t, 0x41: s}}}]
instances:
  told: {value: 'f"{a}: {b}"'}
types: {t: {seq: [{id: x, type: u1}]}, s: {seq: []}}
""",
    "checksums": """
seq: [{id: a, type: u1}, {id: b, size-eos: true}]
-bridge-checks:
  - {that: 'crc(b, "crc-16/ccitt") % 2 == 0', code: ccitt, message: the checksum is odd}
  - {that: 'crc(b, "crc-64/xz") % 3 == 0', code: wide, message: the checksum is no multiple of three}
  - {that: 'crc(b, a % 40 + 1, 0x15, a, a % 2, a % 3, 1) % 2 == 0', code: model, message: the checksum is odd}
  - {that: 'fletcher(b, 16) % 2 == 0 and fletcher(b, 64) % 2 == 0', code: fletcher, message: a sum is odd}
  - {that: 'md5(b)[0] < 128', code: md5, message: the digest is large}
  - {that: 'sha1(b)[19] < 128', code: sha1, message: the digest is large}
  - {that: 'sha256(b)[31] < sha256(b + b)[a % 32]', code: sha256, message: the digest is large}
  - {that: 'sum(map(b, _ * _index)) % 2 == 0', code: map, message: the sum is odd}
""",
    "operators": """
seq: [{id: a, type: s1}, {id: b, type: u1}]
instances:
  x: {value: a ^ b}
  n: {value: a & b}
  o: {value: a | 3}
  far: {value: (a << 40) ^ b}
  near: {value: (a << 40) >> 38}
  most: {value: "[a, b, 7].max"}
  least: {value: "[a, b, 7].min"}
  rest: {value: a % 3}
  part: {value: a / 2}
""",
}


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    node = Reader()
    yield node
    node.close()


@pytest.mark.slice(None, quick=5)
@needs_node
@pytest.mark.parametrize("name", SCHEMAS)
def test_every_short_file_is_read_alike(reader: Reader, tmp_path: Path, name: str) -> None:
    """The same nodes to the last bit, the same findings, and the same plain values."""
    schema = SCHEMAS[name].strip()
    head = "meta: {id: small}\n"
    if schema.startswith("meta: {"):
        head, schema = f"meta: {{id: small, {schema.removeprefix('meta: {').partition(chr(10))[0]}\n", schema.partition("\n")[2]
    spec = loads(head + schema)
    module, codec = write_module(spec, tmp_path), BinaryCodec(spec)
    ask: Callable[..., list[dict[str, object]]] = reader.ask
    for size in range(LONGEST + 1):
        for some in product(BYTES, repeat=size):
            reading = codec.read(data := bytes(some))
            assert not difference(ask(module, data)[0], expected(reading)), data.hex()
    plain = expected_plain(codec.read(data := bytes(BYTES[1:])).root.as_plain())
    assert not difference(*(without_instances(each, spec) for each in (ask(module, data, plain=1)[0], plain)))


@pytest.mark.long
@needs_node
def test_plain_values_have_what_is_computed(reader: Reader, tmp_path: Path) -> None:
    """Behind the fields, in records within records too; what is not there is null."""
    spec = loads("meta: {id: small}\n" + SCHEMAS["parts of a size"].strip())
    module = write_module(spec, tmp_path)
    assert reader.ask(module, b"\1A\1A", plain=1) == [
        {"a": {"x": 1, "y": {"bytes": "41"}, "z": 2}, "b": {"x": 1, "y": {"bytes": "41"}, "z": 2}}
    ]
    spec = loads("meta: {id: other}\n" + SCHEMAS["places"].strip())
    module = write_module(spec, tmp_path)
    assert reader.ask(module, b"\1A", plain=1) == [
        {"a": 1, "trailing": {"bytes": "41"}, "there": 65, "sum": 66, "far": {"bytes": "41"}}
    ]
