"""Files that are grown with the reader: for layouts whose sizes and offsets follow from drawn values, and from the file itself."""

from __future__ import annotations

from random import Random

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.samples.growth import Growth
from bridgespec.codec.samples.random_values import Drawing, Undrawn
from bridgespec.spec.kaitai.schema import loads

HEAD = "meta: {id: x, endian: be}\n"
LAYOUTS = {
    "a part at a constant offset behind the header": """
seq: [{id: magic, contents: AB}]
instances: {part: {pos: 64, type: u2, valid: 513}}
""",
    "offsets of parts in a table": """
seq:
  - {id: magic, contents: AB}
  - {id: count, type: u1, valid: {min: 2, max: 4}}
  - {id: rows, type: row, repeat: expr, repeat-expr: count}
types:
  row:
    seq: [{id: start, type: u2}]
    instances: {body: {io: _root._io, pos: start * 4, type: body}}
  body: {seq: [{id: mark, contents: part}]}
""",
    "a window whose size must be found": """
seq: [{id: units, type: u1}, {id: body, size: units * 4 - 4, type: body}]
types: {body: {seq: [{id: whole, type: u8}, {id: rest, type: u4}]}}
""",
    "a size that depends on the position": """
seq: [{id: text, type: strz, encoding: ASCII}, {id: padding, size: (4 - _io.pos) % 4}, {id: value, type: u4, valid: 7}]
""",
    "a list that ends ahead of the last bytes": """
seq: [{id: rows, type: u2, repeat: until, repeat-until: _io.pos == _io.size - 3}, {id: rest, contents: end}]
""",
    "a list that a value ends": """
seq: [{id: rows, type: row, repeat: until, repeat-until: _.is_last}]
types: {row: {seq: [{id: flags, type: u1}, {id: body, size: 2}], instances: {is_last: {value: flags & 0x80 != 0}}}}
""",
    "a footer with the offset of a list": """
seq: [{id: magic, contents: AB}]
instances:
  footer: {pos: _io.size - 4, type: footer}
types:
  footer:
    seq: [{id: start, type: u4}]
    instances: {part: {io: _root._io, pos: start, type: part}}
  part: {seq: [{id: mark, contents: part}]}
""",
    "an element of a list by its number": """
seq: [{id: count, type: u1}, {id: names, type: name, repeat: expr, repeat-expr: count}, {id: chosen, type: u1}]
types: {name: {seq: [{id: size, type: u1}, {id: text, size: size}]}}
instances: {text: {value: 'names[chosen + 1].text'}}
""",
    "a layout that a magic value of another record selects": """
seq: [{id: kind, type: kind}, {id: body, type: body}]
types:
  kind: {seq: [{id: code, type: u4}]}
  body:
    seq: [{id: value, type: {switch-on: _root.kind.code, cases: {0x52494646: riff}}}]
    instances: {first: {value: value.as<riff>.first}}
  riff: {seq: [{id: first, type: u1}]}
""",
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_files_of_every_layout_are_grown(name: str) -> None:
    """Files of several seeds are without findings, are written back byte for byte, and the same seed gives the same file."""
    codec = BinaryCodec(loads(HEAD + LAYOUTS[name]))
    made = [_file(codec, seed) for seed in range(6)]
    files = [one for one in made if one is not None]
    assert len(files) >= 4
    assert made == [_file(codec, seed) for seed in range(6)]
    for data in files:
        reading = codec.read(data)
        assert reading.diagnostics == []
        assert codec.rewrite(reading) == data


def _file(codec: BinaryCodec, seed: int) -> bytes | None:
    try:
        return Growth(codec, Drawing(codec.spec, Random(seed))).file()
    except Undrawn:
        return None


def test_a_schema_without_files_is_given_up_with_the_reason() -> None:
    """A record that contains itself without end has no file; the field is named."""
    codec = BinaryCodec(loads(HEAD + "seq: [{id: a, type: b}]\ntypes: {b: {seq: [{id: c, type: b}]}}"))
    with pytest.raises(Undrawn, match=r"^a\.c"):
        Growth(codec, Drawing(codec.spec, Random(1))).file()


@pytest.mark.parametrize("key", ["size: '1 << n * 100'", "type: u1, repeat: expr, repeat-expr: '1 << n * 100'"])
def test_numbers_of_thousands_of_digits_are_a_finding(key: str) -> None:
    """A size, count or offset that is computed from a file can be greater than Python spells; it is reported as any other."""
    codec = BinaryCodec(
        loads(f"{HEAD}seq: [{{id: n, type: u1}}, {{id: body, {key}}}]\ninstances: {{part: {{pos: '1 << n * 100', size: 1}}}}")
    )
    assert {one.code for one in codec.read(bytes([160])).diagnostics} == {"bad-size"}
