"""Errors of a binary file that follow from one wrong value: it alone is named, and none where several could be it."""

from __future__ import annotations

from random import Random

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.causes import explained, out_of_step
from bridgespec.codec.format import Format
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.examined import report
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from tests.told import numbers

RESULTS = loads("""
meta: {id: club, endian: be, encoding: UTF-8}
seq:
  - {id: magic, contents: CLUB}
  - {id: event, type: text}
  - {id: num_boards, type: u1, -bridge-value: boards.size}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_boards}
  - {id: check, type: u2, -bridge-value: 'crc(span(magic, entries), "crc-16/xmodem")'}
  - {id: boards, type: board, repeat: expr, repeat-expr: num_boards}
types:
  text:
    seq:
      - {id: len_text, type: u1, -bridge-value: text._sizeof}
      - {id: text, type: str, size: len_text}
  entry:
    seq:
      - {id: ofs_board, type: u2, -bridge-value: '_root.boards[_index]._offset'}
      - {id: sum_board, type: u4, -bridge-value: 'adler32(span(_root.boards[_index]))'}
  board:
    seq:
      - {id: number, type: u1, valid: {min: 1}}
      - {id: num_rows, type: u1, -bridge-value: rows.size}
      - {id: rows, type: row, repeat: expr, repeat-expr: num_rows}
  row:
    seq:
      - {id: pair, type: u1, valid: {min: 1, max: 40}}
      - {id: tricks, type: u1, valid: {max: 13}}
""")
VALUES = {
    "event": {"text": "Tuesday"},
    "boards": [
        {"number": 1, "rows": [{"pair": 2, "tricks": 10}, {"pair": 4, "tricks": 9}]},
        {"number": 2, "rows": [{"pair": 3, "tricks": 0}]},
        {"number": 17, "rows": []},
    ],
    "entries": [{}, {}, {}],
}


def findings(spec: Spec, data: bytes) -> list[Diagnostic]:
    """Return the findings of a file as a report has them."""
    known = Format(spec)
    reading, document = known.read(data)
    return list(report(spec, known.binder.places, reading, document, None, True, known.codec).diagnostics)


def club() -> bytes:
    """Return a valid file."""
    data = BinaryCodec(RESULTS).write(VALUES)
    assert not findings(RESULTS, data)
    return data


def changed(data: bytes, at: int, new: bytes) -> bytes:
    """Return the file with other bytes at an offset."""
    return data[:at] + new + data[at + len(new) :]


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("num_boards", 4, "wrong-extent"),
        ("num_boards", 200, "wrong-extent"),
        ("event.len_text", 9, "wrong-extent"),
        ("event.len_text", 5, "wrong-extent"),
        ("boards[0].num_rows", 3, "wrong-extent"),
        ("boards[0].num_rows", 1, "wrong-extent"),
        ("boards[1].num_rows", 255, "wrong-extent"),
        ("entries[1].ofs_board", 40, "derived-mismatch"),
        ("boards[0].rows[1].tricks", 14, "invalid-value"),
        ("check", 1, "derived-mismatch"),
        ("magic", 0x434C5543, "bad-contents"),
    ],
)
def test_one_wrong_value_is_one_finding(field: str, value: int, code: str) -> None:
    """The finding is at the field that was changed, whatever else does not agree because of it: later records, checksums."""
    data = club()
    node = Format(RESULTS).read(data)[0].root
    for part in field.replace("[", ".").replace("]", "").split("."):
        node = node[part]
    wrong = changed(data, node.start // 8, value.to_bytes((node.stop - node.start) // 8, "big"))
    assert [(one.code, one.field) for one in findings(RESULTS, wrong)] == [(code, field)]


def test_the_repair_is_that_of_the_file() -> None:
    """The fix of a wrong count gives the file back."""
    data = club()
    (found,) = findings(RESULTS, changed(data, 12, b"\x05"))
    assert (found.code, numbers(found.message), found.message.endswith(" wrong then")) == ("wrong-extent", [3, 5], True)
    assert found.fix is not None
    assert not found.fix.safe
    (edit,) = found.fix.edits
    assert changed(data, 12, b"\x05")[: edit.start] + edit.replacement + data[edit.stop :] == data


def test_what_depends_on_a_wrong_value_is_a_label_of_it() -> None:
    """A checksum mismatch caused by an erroneous value is a label of that error, not a finding."""
    data = club()
    found = findings(RESULTS, changed(data, len(data) - 4, b"\x29"))
    assert [(one.code, one.field) for one in found] == [("invalid-value", "boards[1].rows[0].pair")]
    assert [label.text.split()[0] for label in found[0].labels] == ["entries[1].sum_board"]


def test_of_two_independent_mistakes_neither_is_lost() -> None:
    """Two values that do not depend on each other have a finding each."""
    data = club()
    both = changed(changed(data, data.index(b"\x02\x0a"), b"\x29"), len(data) - 2, b"\x00")
    fields = {one.field for one in findings(RESULTS, both) if one.severity is Severity.ERROR}
    assert {"boards[0].rows[0].pair", "boards[2].number"} <= fields


def test_a_file_that_is_cut_off_has_no_other_count() -> None:
    """Where bytes are missing the finding is at the end of the file; a label names the count that asks for them."""
    for end in range(60, len(club())):
        assert all(one.code != "wrong-extent" for one in findings(RESULTS, club()[:end]))
    (found,) = findings(RESULTS, club()[: club().index(b"\x02\x0a") + 2])
    assert (found.code, found.labels[0].text) == ("truncated", "boards[0].num_rows is 2")


PLAIN = loads("""
meta: {id: plain, endian: le, encoding: ASCII}
seq: [{id: parts, type: part, repeat: eos}]
types:
  part:
    seq:
      - {id: magic, contents: P}
      - {id: len_name, type: u1}
      - {id: len_body, type: u1}
      - {id: name, type: str, size: len_name}
      - {id: body, size: len_body}
""")


def test_none_of_several_values_is_blamed() -> None:
    """If either of two lengths may be wrong, the first error is kept, with both lengths as labels."""
    good = b"P\x03\x05abc12345P\x02\x04de6789P\x03\x03abc123"
    assert not findings(PLAIN, good)
    (found,) = findings(PLAIN, changed(good, 2, b"\x07"))
    assert found.code == "bad-contents"
    assert [label.text for label in found.labels] == [
        "or parts[0].len_body: this should be 5 or 14 or 23, it is 7",
        "or parts[0].len_name: this should be 1 or 10 or 19, it is 3",
    ]


@pytest.mark.slice(None, quick=20)
@pytest.mark.parametrize("seed", range(40))
def test_no_value_is_blamed_falsely(seed: int) -> None:
    """Whatever single byte is changed: a length or count that is named as wrong is that byte, and the change is never without a
    finding where the reader has one.
    """
    random, data = Random(seed), club()
    at = random.randrange(len(data))
    wrong = changed(data, at, bytes([random.choice([value for value in range(256) if value != data[at]])]))
    reading = Format(RESULTS).read(wrong)[0]
    found = findings(RESULTS, wrong)
    assert bool(found) == bool(reading.diagnostics)
    assert all(
        one.span is not None and one.span.byte_start <= at < one.span.stop // 8 for one in found if one.code == "wrong-extent"
    )


@pytest.mark.long
def test_a_single_error_and_a_large_file_are_left_alone() -> None:
    """What has one error is explained by it; of a large file no other readings are made."""
    known = Format(PLAIN)
    assert explained(known.codec, known.read(b"Q\x00\x00")[0]) is None
    large = known.read(b"Q\x00\x00R\x00\x00" + b"P\x00\x00" * 20_000)[0]
    assert explained(known.codec, large) is None


CHUNKS = loads("""
meta: {id: chunks, endian: be}
seq: [{id: chunks, type: chunk, repeat: eos}]
types:
  chunk:
    seq:
      - {id: magic, contents: PK}
      - {id: len, type: u1}
      - {id: body, size: len}
""")
PAIRS = loads("""
meta: {id: pairs, endian: be}
seq: [{id: pairs, type: pair, repeat: eos}]
types: {pair: {seq: [{id: magic, contents: PK}, {id: value, type: u1}]}}
""")


def test_a_list_that_is_out_of_step_is_one_finding() -> None:
    """Of elements whose size is in them the first that is none is named, with the number of the others; of equal ones each."""
    lost = b"PK\1aPK\2ab" + bytes(40) + b"XY\1aPK\0"
    (found,) = [one for one in findings(CHUNKS, lost) if one.code == "bad-contents"]
    assert (found.field, found.span and found.span.byte_start) == ("chunks[2].magic", 9)
    assert found.help is not None
    assert numbers(found.help) == [14]
    apart = list(Format(CHUNKS).read(b"PK\1aXY\1bPK\1cXY\0")[0].diagnostics)
    assert [one.field for one in apart] == ["chunks[1].magic", "chunks[3].magic"]
    assert out_of_step(CHUNKS, apart) == apart
    assert len(findings(PAIRS, b"XY\1XY\2XY\3")) == 3
