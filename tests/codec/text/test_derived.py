"""Fields of a text that follow from others: computed when writing, verified when reading, in Python and in generated JavaScript."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from bridgespec.codec.samples.faults import faults
from bridgespec.codec.text.codec import TextCodec
from bridgespec.engines import Engine
from bridgespec.errors import WriteError
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from bridgespec.schema_checks import findings
from bridgespec.spec.kaitai.expr.checksums import crc
from tests.targets.javascript import Reader, expected, needs_node, write_module

GRAMMAR = """//- id: sums
//- extensions: [sums]
start: head boards* tail
head: "BOARDS " count _NL "SIZE " size _NL
//- {number: {}, value: _parent.boards.size}
count: /[0-9]++/
//- {number: {}, value: _root._sizeof}
size: /[0-9]++/
boards: number " " dealer " " digit _NL
//- {number: {}}
number: /[0-9]++/
dealer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {number: {}, value: '(number * 3 + dealer.to_i + (dealer == dealer::south ? 5 : 0)) % 10'}
digit: /[0-9]/
tail: "CRC " check " " md _NL
//- {number: {base: 16, width: 4, pad-left: "0"}, value: 'crc(span(_parent.head, _parent.boards), "crc-16/ccitt")'}
check: /[0-9A-F]{4}/
//- {value: 'md5(span(_parent.boards))'}
md: /[0-9a-f]{32}/
_NL: /\\n/
"""


def engine_of(folder: Path, grammar: str = GRAMMAR) -> Engine:
    """An engine with the format, without a finding of `check-spec`."""
    path = folder / "sums.lark"
    path.write_text(grammar, "utf-8")
    assert [one.message for one in findings(path, ())[1]] == []
    return Engine([folder])


def file_of(*lines: str, count: int | None = None) -> bytes:
    """A file of boards, all that follows from them worked out here."""
    boards = "".join(f"{line}\n" for line in lines).encode()
    total = 59 + len(boards)
    head = f"BOARDS {len(lines) if count is None else count}\nSIZE {total if total < 100 else total + 1}\n".encode()
    return head + boards + f"CRC {crc(head + boards, 'crc-16/ccitt'):04X} {hashlib.md5(boards).hexdigest()}\n".encode()


DOCUMENT = Document((Board(number=1, dealer=Seat.NORTH), Board(number=2, dealer=Seat.SOUTH)))


def test_a_fresh_file_has_counts_lengths_and_checksums(tmp_path: Path) -> None:
    """Of other fields, of the whole file, and of the text of other lines; the file is read without a finding."""
    engine = engine_of(tmp_path)
    written = engine.spell(DOCUMENT, "sums").data
    assert written == file_of("1 N 3", "2 S 3")
    assert engine.of(engine.spec("sums")).codec.read(written).diagnostics == []
    assert engine.spell(Document(), "sums").data == file_of()


@pytest.mark.parametrize(
    ("wrong", "field", "place"),
    [
        (file_of("1 N 3", "2 S 3", count=3), "head.count", (1, 8)),
        (file_of("1 N 3", "2 S 3").replace(b"SIZE 71", b"SIZE 17"), "head.size", (2, 6)),
        (file_of("1 N 3", "2 S 4"), "boards[1].digit", (4, 5)),
        (file_of("1 N 3", "2 S 3").replace(b"CRC 6", b"CRC 7"), "tail.check", (5, 5)),
        (file_of("1 N 3", "2 S 3")[:-2] + b"0\n", "tail.md", (5, 10)),
    ],
)
def test_a_wrong_value_is_a_finding_at_its_place(tmp_path: Path, wrong: bytes, field: str, place: tuple[int, int]) -> None:
    """With the value that it should have as its repair."""
    engine = engine_of(tmp_path)
    found = engine.of(engine.spec("sums")).codec.read(wrong).diagnostics
    (one,) = [one for one in found if one.field == field]
    assert one.code == "derived-mismatch"
    assert one.span is not None
    assert (one.span.line, one.span.column) == place


def test_what_follows_from_an_unreadable_line_is_not_told(tmp_path: Path) -> None:
    """One fault is one finding: of a line that cannot be read, neither the count nor the checksum is verified."""
    engine = engine_of(tmp_path)
    wrong = file_of("1 N 3", "2 S 3").replace(b"2 S 3", b"2 X 3")
    assert [one.code for one in engine.of(engine.spec("sums")).codec.read(wrong).diagnostics] == ["unreadable-line"]


def test_a_changed_file_is_right_and_an_unchanged_one_stays(tmp_path: Path) -> None:
    """What was wrong before and does not depend on the change is kept."""
    engine = engine_of(tmp_path)
    right = file_of("1 N 3", "2 S 3")
    read = engine.read(right, "sums").document
    changed = replace(read, boards=(read.boards[0], replace(read.boards[1], dealer=Seat.EAST)))
    assert engine.spell(changed, "sums").data == file_of("1 N 3", "2 E 7")
    assert engine.spell(replace(read, boards=read.boards[:1]), "sums").data == file_of("1 N 3")
    wrong = right.replace(b"1 N 3", b"1 N 4")
    read = engine.read(wrong, "sums").document
    assert engine.spell(read, "sums").data == wrong
    kept = engine.spell(replace(read, boards=(read.boards[0], replace(read.boards[1], dealer=Seat.EAST))), "sums").data
    assert kept == file_of("1 N 4", "2 E 7")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("_parent.tail.check", "'digit' follows from itself: boards.digit -> tail.check -> boards.digit"),
        ("digit + 1", "'digit' follows from itself: boards.digit -> boards.digit"),
        ("sum(_parent.boards, _.digit)", "'digit' follows from itself: boards.digit -> boards.digit"),
        ("nothing", "value: 'nothing' is not declared here"),
        ("_root.boards", "value: a number, a text or bytes are wanted, not a list of type sums::boards"),
        ("dealer::nort", "value: 'dealer' has no code 'nort'"),
        ("seats::north", "value: there are no codes 'seats'"),
    ],
)
def test_a_wrong_expression_is_refused(tmp_path: Path, value: str, message: str) -> None:
    """By `check-spec`, a cycle with the way back."""
    grammar = GRAMMAR.replace("(number * 3 + dealer.to_i + (dealer == dealer::south ? 5 : 0)) % 10", value)
    (tmp_path / "sums.lark").write_text(grammar, "utf-8")
    assert [one.message for one in findings(tmp_path / "sums.lark", ())[1]] == [message]


MANY = """start: row*
row: one* _NL
//- value: 3
one: /[0-9]/
"""
CODE = """start: row*
row: one _NL
//- value: 3
one: "a" -> a | "b" -> b
"""
LAYOUT = """start: row*
row: _one _NL
//- value: 3
_one: /[0-9]/
"""


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (MANY, "one: 'value' needs a field that occurs once, and this one may occur many times"),
        (CODE, "one: 'value' needs a text or a number, and this field has parts or codes"),
        (LAYOUT, "_one: 'value' has no effect: no record has it as a field"),
    ],
)
def test_what_cannot_be_derived_is_refused(tmp_path: Path, rules: str, message: str) -> None:
    """A list, a code, and what is no field."""
    (tmp_path / "sums.lark").write_text(f"//- id: sums\n//- extensions: [sums]\n{rules}_NL: /\\n/\n", "utf-8")
    assert message in [one.message for one in findings(tmp_path / "sums.lark", ())[1]]


def test_a_length_is_settled_or_refused(tmp_path: Path) -> None:
    """One that counts itself is written as it comes out; one that never agrees with itself is an error with its field."""
    for value, written in (("size._sizeof * 10", b"20\n"), ("size._sizeof == 1 ? 10 : 1", None)):
        rules = f"start: row*\nrow: size _NL\n//- {{number: {{}}, value: '{value}'}}\nsize: /[0-9]++/\n_NL: /\\n/\n"
        (tmp_path / "sums.lark").write_text("//- id: sums\n//- extensions: [sums]\n" + rules, "utf-8")
        codec = TextCodec(Engine([tmp_path]).spec("sums"))
        if written is not None:
            assert codec.write({"row": [{}]}) == written
        else:
            with pytest.raises(WriteError, match="size: what it is derived from changes with each time it is written"):
                codec.write({"row": [{}]})


@needs_node
def test_javascript_verifies_the_same(tmp_path: Path) -> None:
    """Every finding of the right file and of each broken one, with its place and its repair."""
    engine = engine_of(tmp_path)
    spec = engine.spec("sums")
    codec = engine.of(spec).codec
    module, reader = write_module(spec, tmp_path), Reader()
    right = file_of("1 N 3", "2 S 3", "15 W 8")
    broken = [one.data for one in faults(codec, right, Random(1))]
    files = [right, file_of(), right.replace(b"2 S", b"2 X"), *broken]
    assert len(files) > 5
    for data in files:
        (answer,) = reader.ask(module, data)
        assert answer["findings"] == expected(codec.read(data))["findings"]
    reader.close()
