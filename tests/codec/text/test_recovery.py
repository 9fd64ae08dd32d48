"""Faults inside the blocks of a text: each is found at its place, and reading goes on inside its block.

Faults in nested blocks with tables: fifteen mistakes that people make, each told once at its place.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.engines import Engine
from tests.targets.javascript import Reader, difference, expected, needs_node, write_module

GRAMMAR = """//- id: nest
//- title: Nested blocks
//- extensions: [nest]
start: block*
block: "b {" _NL (block | line)* "}" _NL
line: "x=" value _NL
value: /[0-9]++/
_NL: /\\n/
"""
GOOD = "b {\nx=1\nb {\nx=2\nx=3\n}\nx=4\n}\nb {\nx=5\n}\n"


def faults(folder: Path, text: str) -> list[tuple[int, int]]:
    """Return the line and the column of each finding in a text of nested blocks."""
    (folder / "nest.lark").write_text(GRAMMAR)
    report = Engine([folder]).examine(text.encode(), "nest")
    spans = [found.span for found in report.diagnostics]
    return [(span.line or 0, span.column or 0) for span in spans if span is not None]


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("x=1", "x=Q", [(2, 3)]),
        ("x=2", "x=", [(4, 3)]),
        ("x=2", "y=2", [(4, 1)]),
        ("x=3", "x=3z", [(5, 4)]),
        ("x=3", "", [(5, 1)]),
        ("x=4", "x 4", [(7, 1)]),
        ("x=4", "?", [(7, 1)]),
        ("x=5", "X=5", [(10, 1)]),
        ("x=2\nx=3", "x=Q\nx=R", [(4, 3), (5, 3)]),
        ("x=2", "x=Q\nx=9\nx=W", [(4, 3), (6, 3)]),
    ],
)
def test_each_mistake_has_one_finding_at_its_place(tmp_path: Path, before: str, after: str, places: list[tuple[int, int]]) -> None:
    """A line that does not fit costs that line; the lines behind it are read as parts of the same block."""
    assert faults(tmp_path, GOOD.replace(before, after, 1)) == places


def test_a_file_without_mistakes_has_no_finding(tmp_path: Path) -> None:
    """The good file, from which the faulty ones are made, has no finding."""
    assert faults(tmp_path, GOOD) == []


def test_a_broken_block_ends_where_it_closes(tmp_path: Path) -> None:
    """The text of the whole block stays as it is, and the block behind it is read."""
    (tmp_path / "nest.lark").write_text(GRAMMAR)
    text = GOOD.replace("x=2", "x=Q", 1)
    engine = Engine([tmp_path])
    reading = engine.of(engine.spec("nest")).codec.read(text.encode())
    ends = [(node.start // 8, node.stop // 8, node.broken) for node in reading.root.children[0].children]
    second = text.rindex("b {")
    assert ends == [(0, second, True), (second, len(text), False)]


def test_a_record_that_needs_the_line_leaves_the_next_record_alone(tmp_path: Path) -> None:
    """Where a record of two lines has a fault on its second, the record behind it is read."""
    grammar = GRAMMAR.replace("id: nest", "id: pair").replace("[nest]", "[pair]")
    grammar = grammar.replace('"b {" _NL (block | line)* "}" _NL', '"n=" value _NL line')
    (tmp_path / "pair.lark").write_text(grammar)
    engine = Engine([tmp_path])
    reading = engine.of(engine.spec("pair")).codec.read(b"n=1\nx=Q\nn=2\nx=2\nn=3\nx=3\n")
    assert [(one.span.line, one.span.column) for one in reading.diagnostics if one.span is not None] == [(2, 3)]
    nodes = [(node.start // 8, node.stop // 8, node.broken) for node in reading.root.children[0].children]
    assert nodes == [(0, 8, True), (8, 16, False), (16, 24, False)]


OPTIONAL = """//- id: spoken
//- title: Records that may end early
//- extensions: [spoken]
start: boards*
boards: "Nr. " number _NL (played _NL)? hands? remark*
hands: hand~3
//- {number: {}}
number: /[0-9]++/
played: contract " by " seat
contract: /[1-7][CDHSN]/
hand: seat " holds " ranks _NL
ranks: /[AKQJT2-9]++/
seat: /[NESW]/
remark: "# " said _NL
said: /[^\\n]++/
_NL: /\\n/
"""
SPOKEN = "Nr. 1\n4S by N\nN holds AK\nE holds QJ\nS holds T9\nNr. 2\nNr. 3\n3N by E\n# one\n# two\nNr. 4\n1C by W\n"


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("4S by N", "4S bi N", [(2, 3)]),
        ("4S by N", "8S by N", [(2, 1)]),
        ("N holds AK", "N holsd AK", [(3, 2)]),
        ("E holds QJ", "E holds 1J", [(4, 9)]),
        ("E holds QJ", "X holds QJ", [(4, 1)]),
        ("E holds QJ\nS holds T9", "E has QJ\nS has T9", [(4, 2), (5, 2)]),
        ("S holds T9", "S holds", [(5, 2)]),
        ("Nr. 3", "Nr 3", [(7, 2)]),
        ("# one", "#one", [(9, 1)]),
        ("3N by E", "3N to E", [(8, 3)]),
        ("1C by W", "1C by", [(12, 3)]),
        ("Nr. 1", "Mr. 1", [(1, 1)]),
    ],
)
def test_a_record_that_could_end_early_has_one_finding_for_a_mistake(
    tmp_path: Path, before: str, after: str, places: list[tuple[int, int]]
) -> None:
    """After a line that does not match, the rest of the interrupted record is read on and causes no further finding."""
    (tmp_path / "spoken.lark").write_text(OPTIONAL)
    text = SPOKEN.replace(before, after, 1)
    assert text != SPOKEN
    spans = [found.span for found in Engine([tmp_path]).examine(text.encode(), "spoken").diagnostics]
    assert [(span.line, span.column) for span in spans if span is not None] == places


TABLES = """//- id: tables
//- title: Sheets with a table of rows
//- extensions: [tables]
start: sheet*
sheet: "SHEET " number _NL (dealer | table)* "END" _NL
number: /[0-9]++/
dealer: " DEALER " seat _NL
seat: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {says: a table of results}
table: " PAIR TRICKS" _NL row*
//- {says: a row of results}
row: " "? pair " " tricks _NL
//- {says: a pair}
pair: /[1-9]/
//- {says: a number of tricks}
tricks: /1[0-3]|[0-9]/
_NL: /[ ]*+\\n/
"""
SHEETS = "SHEET 1\n DEALER N\n PAIR TRICKS\n 1 10\n 2 9\n 3 8\nEND\nSHEET 2\n PAIR TRICKS\n 4 7\nEND\n"


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        (" 3 8\nEND\n", " 3 8\n", [(7, 1)]),
        (" 2 9", " 2 14", [(5, 5)]),
        (" 2 9", " 2", [(5, 3)]),
        (" 1 10", " A 10", [(4, 2)]),
        ("DEALER N", "DEALER Q", [(2, 9)]),
    ],
)
def test_a_rule_that_was_tried_earlier_is_not_wanted_where_another_failed(
    tmp_path: Path, before: str, after: str, places: list[tuple[int, int]]
) -> None:
    """A block that does not end has one finding, where its end is missing, and none in the rows before; inside a line no
    message names the table that could have begun at the start of the line.
    """
    (tmp_path / "tables.lark").write_text(TABLES)
    text = SHEETS.replace(before, after, 1)
    assert text != SHEETS
    found = Engine([tmp_path]).examine(text.encode(), "tables").diagnostics
    assert [(one.span.line, one.span.column) for one in found if one.span is not None] == places
    assert all(one.span is not None and one.span.column == 1 for one in found if "a table" in one.message)


@pytest.mark.long
@needs_node
@pytest.mark.parametrize(
    ("name", "grammar", "good"), [("nest", GRAMMAR, GOOD), ("spoken", OPTIONAL, SPOKEN), ("tables", TABLES, SHEETS)]
)
def test_the_javascript_reader_has_the_same_findings(tmp_path: Path, name: str, grammar: str, good: str) -> None:
    """Every text that lacks one character, or has another one in its place, gives the same tree and the same findings."""
    (tmp_path / f"{name}.lark").write_text(grammar)
    engine = Engine([tmp_path])
    spec = engine.spec(name)
    module, codec, node = write_module(spec, tmp_path), engine.of(spec).codec, Reader()
    try:
        for at in range(len(good)):
            for other in ("", "?", "\n"):
                data = (good[:at] + other + good[at + 1 :]).encode()
                assert not difference(node.ask(module, data)[0], expected(codec.read(data))), data
    finally:
        node.close()


CUP = r"""//- id: cup
//- extensions: [cup]
//- model: boards
start: session*
//- {says: a session}
session: "session" _IN event _OPEN boards* "}" _NL
//- {says: a title in quotes, between: ['"', '"']}
event: /"[^"\n]*+"/
//- {says: a board}
boards: _IN "board" _IN number _OPEN (known | sheet)* _IN "}" _NL
//- {says: a board number, number: {}}
number: /[1-9][0-9]{0,3}/
known: _IN "dealer" _IN dealer _NL
sheet: _IN "results" _OPEN row* _IN "}" _NL
//- {says: a row of results, as: score_row}
row: _IN pair_ns _IN pair_ew _IN contract _IN declarer _IN result _IN score_ns _NL
pair_ns: /[1-9][0-9]*+/
pair_ew: /[1-9][0-9]*+/
contract: /[1-7](?:NT|[CDHS])X{0,2}/
dealer: seat
declarer: seat
//- {number: {}}
result: /1[0-3]|[0-9]/
score_ns: /-?[0-9]++/
//- {says: a blank, write: " "}
_IN: /[ \t]++/
//- {write: " {\n"}
_OPEN: /[ \t]*+\{[ \t]*+\r?\n/
_NL: /[ \t]*+\r?\n/
seat: "N" -> north | "E" -> east | "S" -> south | "W" -> west
"""
CUP_FILE = """session "Tuesday" {
  board 1 {
    dealer N
    results {
      1 2 4S N 10 420
      3 4 3NT E 8 50
    }
  }
  board 2 {
    dealer E
    results {
      1 3 2C W 9 -110
    }
  }
}
session "Friday" {
  board 3 {
    dealer S
  }
}
"""
LINES = CUP_FILE.split("\n")


def with_line(number: int, text: str | None, instead: bool = True) -> str:
    """The text with a line changed, without it, or with one more before it."""
    return "\n".join([*LINES[: number - 1], *([] if text is None else [text]), *LINES[number if instead else number - 1 :]])


MISTAKES = {
    "a contract of eight": (with_line(5, "      1 2 8S N 10 420"), (5, 11)),
    "a seat that is none": (with_line(3, "    dealer X"), (3, 12)),
    "a cell that is missing": (with_line(6, "      3 4 3NT E 8"), (6, 18)),
    "a cell without its blank": (with_line(5, "      1 24S N 10 420"), (5, 11)),
    "a letter in a score": (with_line(12, "      1 3 2C W 9 -1I0"), (12, 20)),
    "a misspelt key": (with_line(10, "    deeler E"), (10, 5)),
    "a board number of nought": (with_line(9, "  board 0 {"), (9, 9)),
    "a line that is none": (with_line(6, "      what is this", False), (6, 7)),
    "a misspelt block": (with_line(9, "  bord 9 {", False), (9, 3)),
    "a title without its end": (with_line(16, 'session "Friday {'), (16, 9)),
    "a table that does not end": (with_line(7, None), (8, 3)),
    "a board that does not end": (with_line(8, None), (8, 3)),
    "the last board does not end": (with_line(19, None), (19, 1)),
    "a brace too many": (with_line(14, "  }", False), (15, 3)),
    "a table without its brace": (with_line(4, "    results"), (4, 12)),
}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """An engine with the format."""
    (tmp_path / "cup.lark").write_text(CUP, "utf-8")
    return Engine([tmp_path])


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_once_at_its_place(engine: Engine, name: str) -> None:
    """At the mistake, or at the first token that can no longer be right."""
    text, place = MISTAKES[name]
    found = engine.of(engine.spec("cup")).codec.read(text.encode()).diagnostics
    assert [(one.span.line, one.span.column) for one in found if one.span] == [place]


def test_what_is_read_beside_a_mistake_is_kept(engine: Engine) -> None:
    """The session behind a broken one is read."""
    text, _ = MISTAKES["a board number of nought"]
    assert [board.number for board in engine.read(text.encode(), "cup").document.boards] == [3]


@needs_node
def test_javascript_tells_the_same(engine: Engine, tmp_path: Path) -> None:
    """Every finding with its place and its words."""
    spec = engine.spec("cup")
    module, reader = write_module(spec, tmp_path), Reader()
    for text, _ in MISTAKES.values():
        (answer,) = reader.ask(module, text.encode())
        assert answer["findings"] == expected(engine.of(spec).codec.read(text.encode()))["findings"]
    reader.close()
