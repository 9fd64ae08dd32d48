"""Faults in nested blocks with tables: fifteen mistakes that people make, each told once at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.engines import Engine
from tests.targets.javascript import Reader, expected, needs_node, write_module

GRAMMAR = r"""//- id: cup
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
GOOD = """session "Tuesday" {
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
LINES = GOOD.split("\n")


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
    (tmp_path / "cup.lark").write_text(GRAMMAR, "utf-8")
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
