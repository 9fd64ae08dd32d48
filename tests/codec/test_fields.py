"""The fields of a file as JSON: back to the same bytes, edited, and refused with the place of each mistake."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from bridgespec.codec.fields import JsonLoad, dump, is_fields, load
from bridgespec.codec.format import Format
from bridgespec.engines import Engine, engine
from bridgespec.errors import ReadError
from bridgespec.spec.kaitai import schema as ksy
from tests.told import quoted

TESTS = Path(__file__).parent.parent
GIF = bytes.fromhex("4749463839610100010080000000 0000ffffff21f90401000000002c0000000001000100000202440a003b".replace(" ", ""))
SAMPLES = sorted(
    path
    for folder in (TESTS / "samples").iterdir()
    if folder.is_dir()
    for path in (*folder.iterdir(), *folder.glob("bad/*"))
    if path.suffix == f".{folder.name}" and path.stat().st_size < 20_000
)


def fields_of(known: Format, data: bytes) -> Any:
    return json.loads(dump(known, known.codec.read(data)))


def made(schema: str, data: bytes) -> tuple[Format, Any]:
    known = Format(ksy.loads(schema))
    return known, fields_of(known, data)


@pytest.fixture(scope="module")
def gif() -> Format:
    return Format(ksy.load(TESTS / "docs/gallery/gif.ksy", []))


@pytest.mark.slice(None, quick=30)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_file_comes_back_from_its_fields(path: Path) -> None:
    """Every sample of every format, valid or broken, has the same bytes after JSON, and nothing to report."""
    name = path.parent.name if path.parent.name != "bad" else path.parent.parent.name
    known = engine().of(engine().spec(name))
    data = path.read_bytes()
    again = load(known, fields_of(known, data))
    assert again.data == data
    assert not again.differs


def test_a_file_comes_back_wherever_it_breaks_off(gif: Format) -> None:
    """A file of a schema without any key of ours, cut off at each byte, comes back from its fields."""
    for stop in range(len(GIF) + 1):
        assert load(gif, fields_of(gif, GIF[:stop])).data == GIF[:stop], stop


def test_lengths_counts_and_offsets_follow_from_what_is_edited() -> None:
    """What a schema uses as a size, a count or a position is left out, and follows from the rest, also in a header of its own."""
    known, value = made(
        """
meta: {id: e, endian: le}
seq:
  - {id: head, type: head}
  - {id: name, type: str, encoding: ASCII, size: head.len_name}
  - {id: items, type: u2, repeat: expr, repeat-expr: head.num - 1}
types:
  head:
    seq: [{id: len_name, type: u1}, {id: num, type: u1}, {id: ofs, type: u2}]
    instances: {tail: {pos: ofs, io: _root._io, type: u1}}
""",
        bytes([2, 3, 10, 0]) + b"ab" + bytes([1, 0, 2, 0, 9]),
    )
    assert value["fields"] == {"head": {"tail": 9}, "name": "ab", "items": [1, 2]}
    value["fields"] |= {"name": "longer", "items": [7, 8, 9]}
    assert load(known, value).data == bytes([6, 4, 16, 0]) + b"longer" + bytes([7, 0, 8, 0, 9, 0, 9])


def test_checksums_follow_and_wrong_ones_stay() -> None:
    """A derived value is computed anew where it is left out; one that is wrong in the file is given, and written as it is."""
    schema = "{meta: {id: e, endian: be}, seq: [{id: body, size: 3}, {id: sum, type: u4, -bridge-value: crc32(span(body))}]}"
    known, value = made(schema, b"abc" + zlib.crc32(b"abc").to_bytes(4, "big"))
    assert value["fields"] == {"body": "61 62 63"}
    value["fields"]["body"] = "61 62 64"
    assert load(known, value).data == b"abd" + zlib.crc32(b"abd").to_bytes(4, "big")
    assert fields_of(known, b"abc\0\0\0\1")["fields"] == {"body": "61 62 63", "sum": 1}


def test_own_spellings_stay_until_the_value_is_edited() -> None:
    """Padding, compression and lenient codes of a file stay with an unchanged value, and go with a changed one."""
    schema = """
meta: {id: e}
seq:
  - {id: name, type: strz, encoding: ASCII, size: 6}
  - {id: len, type: u1}
  - {id: body, size: len, process: zlib}
"""
    stored = zlib.compress(b"hello" * 9, 1)
    data = b"ab\0xyz" + bytes([len(stored)]) + stored
    known, value = made(schema, data)
    assert value["fields"]["name"] == {"$value": "ab", "$stored": "61 62 00 78 79 7a"}
    assert load(known, value).data == data
    value["fields"]["name"]["$value"] = "abc"
    value["fields"]["body"] = b"bye".hex()
    again = load(known, value)
    assert again.data[:6] == b"abc\0\0\0"
    assert zlib.decompress(again.data[7:]) == b"bye"
    assert again.data[6] == len(again.data) - 7


def test_numbers_that_json_lacks() -> None:
    """Infinities are words, and a not-a-number keeps its bits."""
    known, value = made(
        "{meta: {id: e, endian: le}, seq: [{id: x, type: f4, repeat: eos}]}", bytes.fromhex("0000807f 0100c07f 0000803f")
    )
    assert value["fields"]["x"] == ["inf", {"$value": "nan", "$stored": "01 00 c0 7f"}, 1.0]
    assert load(known, value).data == bytes.fromhex("0000807f 0100c07f 0000803f")


def refused(known: Format, value: Any) -> list[tuple[str | None, str]]:
    with pytest.raises(ReadError) as caught:
        load(known, value)
    return [(one.field, one.message) for one in caught.value.diagnostics]  # type: ignore[attr-defined]


def test_every_mistake_has_its_place(gif: Format) -> None:
    """Wrong types, unknown names and codes are all reported, as JSON pointers, also where a switch selects what a value is."""
    value = fields_of(gif, GIF)
    value["note"] = 1
    value["fields"]["logical_screen_descriptor"]["screen_width"] = "1"
    blocks = value["fields"]["blocks"]
    blocks[0]["body"]["label"] = "graphics"
    blocks[1]["body"] = {name.replace("width", "with"): one for name, one in blocks[1]["body"].items()}
    blocks[1]["body"]["image_data"]["subblocks"]["entries"][0]["bytes"] = "4x"
    found = refused(gif, value)
    assert [place for place, _ in found] == [
        "/note",
        "/fields/logical_screen_descriptor/screen_width",
        "/fields/blocks/0/body/label",
        "/fields/blocks/1/body/with",
        "/fields/blocks/1/body/image_data/subblocks/entries/0/bytes",
    ]
    assert ("gif::extension_label;" in found[2][1], quoted(found[2][1])) == (True, ["graphics", "graphic_control"])
    assert (found[3][1].split()[0], quoted(found[3][1])) == ("local_image_descriptor", ["width"])


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        (3, "/fields", "an object with the fields of e is wanted, not 3"),
        ({"n": 256}, "/fields/n", "a whole number from 0 to 255 is wanted, not 256"),
        ({"n": True}, "/fields/n", "a whole number from 0 to 255 is wanted, not true"),
        ({"n": 1, "list": {}}, "/fields/list", "a list is wanted, not an object"),
        ({"n": 1, "list": [1, [2]]}, "/fields/list/1", "a whole number from 0 to 255 is wanted, not a list"),
        ({"n": 1, "twice": 2}, "/fields/twice", "twice follows from other fields: leave it out"),
        ({}, "/fields/n", "a value is missing, and there is no default"),
        ({"n": 1, "text": 5}, "/fields/text", "text in quotation marks is wanted, not 5"),
        ({"n": 1, "text": "é"}, "/fields/text", "'é' cannot be spelled in ASCII"),
        ({"n": 1, "flag": 1}, "/fields/flag", "true or false is wanted, not 1"),
        ({"n": 1, "x": "one"}, "/fields/x", 'a number is wanted, not "one"'),
    ],
)
def test_one_mistake(fields: Any, place: str, message: str) -> None:
    """Each kind of mistake has words that say what is wanted, and none of Python's."""
    schema = """
meta: {id: e, endian: le}
seq:
  - {id: n, type: u1}
  - {id: flag, type: b1, if: n == 0}
  - {id: x, type: f4, if: n == 0}
  - {id: list, type: u1, repeat: expr, repeat-expr: 0, if: n == 2}
  - {id: text, type: str, encoding: ASCII, size-eos: true, if: n == 1}
instances: {twice: {value: 2 * n}}
"""
    known = Format(ksy.loads(schema))
    assert refused(known, {"format": "e", "fields": fields})[0] == (place, message)


def test_what_is_not_in_the_file_is_reported() -> None:
    """A value that other values contradict is reported with both: a count that was changed, with a list that was not."""
    known = Format(ksy.loads("{meta: {id: e}, seq: [{id: n, type: u1}, {id: a, size: 2}, {id: rest, size: n}]}"))
    value = {"format": "e", "fields": {"n": 1, "a": "01 02", "rest": "05", "trailing": "06"}}
    assert load(known, value).differs == ()
    value["fields"] = {"n": 1, "a": {"$raw": "01"}, "rest": "05"}
    found: JsonLoad = load(known, value)
    assert [(one.field, one.message) for one in found.differs] == [("/fields/rest", "this is 05, the file has no bytes")]


TEXT = b'[Event "a"]\n[Site ""]\n[Board "1"]\n[Dealer "N"]  ; odd spacing\n'


def test_a_text_keeps_what_was_not_edited() -> None:
    """A text whose fields do not give its layout keeps it in `source`; an edited field changes nothing else."""
    known = engine().of(engine().spec("pbn"))
    value = fields_of(known, TEXT)
    assert value["source"] == TEXT.decode()
    tags = value["fields"]["boards"][0]["tag"]
    next(one for one in tags if one["name"] == "Event")["value"] = "b"
    assert load(known, value).data == TEXT.replace(b'"a"', b'"b"')


def test_mistakes_in_a_text() -> None:
    """Unknown names and values that are no text have their places in a text format too."""
    known = engine().of(engine().spec("pbn"))
    value = fields_of(known, TEXT)
    value["fields"]["boards"][0]["tag"][0]["nam"] = "x"
    value["fields"]["boards"][0]["tag"][1]["value"] = 5
    found = refused(known, value)
    assert [place for place, _ in found] == ["/fields/boards/0/tag/0/nam", "/fields/boards/0/tag/1/value"]
    assert found[0][1].endswith("did you mean 'name'?")


def test_what_is_the_json_of_fields() -> None:
    """JSON of boards is none, and neither is any other value."""
    assert not any(map(is_fields, ({"version": 1, "boards": []}, [], None, {"format": 1, "fields": {}}, {"format": "gif"})))


SUMS = """//- id: sums
//- title: Words with a check line
//- extensions: [sums]
start: words* "=" total "\\n"
words: word ":" _GAP size "\\n"
word: /[a-z]+/
//- {number: {}, value: word.length}
size: /[0-9]++/
//- {number: {}, value: 'sum(words, _.size)'}
total: /[0-9]++/
//- {write: ""}
_GAP: / ?+/
"""


def test_check_lines_of_a_text_follow_from_what_is_edited(tmp_path: Path) -> None:
    """They are left out where all of their kind are right, with and without a `source`; a wrong one is given, and stays."""
    (tmp_path / "sums.lark").write_text(SUMS)
    mine = Engine([tmp_path])
    known = mine.of(mine.spec("sums"))
    for good in (b"ab:2\nc:1\n=3\n", b"ab: 2\nc:1\n=3\n"):
        value = fields_of(known, good)
        assert value["fields"] == {"words": [{"word": "ab"}, {"word": "c"}]}
        assert ("source" in value) == (b": " in good)
        assert load(known, value).data == good
        value["fields"]["words"] = [{"word": "ab"}, {"word": "new"}, {"word": "c"}]
        again = load(known, value)
        assert again.data == good.replace(b"c:", b"new:3\nc:").replace(b"=3", b"=6")
        assert not again.differs
    value = fields_of(known, b"ab:2\nc:1\n=9\n")
    assert value["fields"] == {"words": [{"word": "ab"}, {"word": "c"}], "total": "9"}
    assert load(known, value).data == b"ab:2\nc:1\n=9\n"


SHUT = """
meta: {id: shut, endian: le}
seq: [{id: kind, type: u1}, {id: box, size: 2, type: box}]
types:
  box: {seq: []}
  pair: {seq: [{id: left, type: u1}, {id: right, type: u1}]}
  word: {seq: [{id: both, type: u2}]}
instances:
  body: {io: box._io, pos: 0, type: {switch-on: kind, cases: {1: pair, _: word}}}
"""


def test_a_part_of_another_field_that_is_edited_is_told() -> None:
    """Of bytes that stand in two fields the one read in sequence is written; an edit of the other, of a switch too, is reported."""
    known = Format(ksy.loads(SHUT))
    value = fields_of(known, b"\1\5\6")
    assert value["fields"]["body"] == {"left": 5, "right": 6}
    assert not load(known, value).differs
    value["fields"]["body"]["left"] = 9
    loaded = load(known, value)
    assert loaded.data == b"\1\5\6"
    assert [(one.code, one.field) for one in loaded.differs] == [("not-written", "/fields/body/left")]
