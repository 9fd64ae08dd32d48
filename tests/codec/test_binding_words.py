"""Records of several kinds in a text: those of one are boards, wherever they stand; the others are kept, and are no boards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.diagnostic import Severity
from bridgespec.engines import Engine
from bridgespec.errors import SpecError
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from bridgespec.schema_checks import findings

RULES = """//- {default: '"Cup"'}
event: /[A-Za-z]++/
//- as: boards
hand: "board " number " " dealer _NL
//- {number: {}}
number: /[0-9]++/
dealer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- opaque: true
remark: "# " text _NL
text: /[^\\n]++/
//- opaque: true
pause: "pause " minutes _NL
//- {number: {}}
minutes: /[0-9]++/
_NL: /\\n/
"""
HEAD = "//- id: club\n//- extensions: [club]\n//- model: boards\nstart: evening*\n"
BESIDE = HEAD + 'evening: "evening " event _NL (hand | remark | pause)* "end" _NL\n' + RULES
WITHIN = HEAD + 'evening: "evening " event _NL entry* "end" _NL\nentry: hand | remark | pause\n' + RULES
TEXT = """evening Tuesday
# hello there
board 1 N
pause 10
board 2 E
# bye
end
evening Friday
board 3 S
# last
end
"""
both = pytest.mark.parametrize("grammar", [BESIDE, WITHIN], ids=["beside", "within"])


def engine_of(folder: Path, grammar: str) -> Engine:
    """An engine with the format, in which `check-spec` finds no mistake."""
    (folder / "club.lark").write_text(grammar, "utf-8")
    assert [one.message for one in findings(folder / "club.lark", ())[1] if one.severity is Severity.ERROR] == []
    return Engine([folder])


@both
def test_other_records_are_no_boards(tmp_path: Path, grammar: str) -> None:
    """They are shown where they stand, and an unchanged file is its own bytes."""
    engine = engine_of(tmp_path, grammar)
    read = engine.read(TEXT.encode(), "club").document
    assert [board.number for board in read.boards] == [1, 2, 3]
    assert engine.spell(read, "club").data.decode() == TEXT
    paths = [path for path, _ in engine.of(engine.spec("club")).codec.read(TEXT.encode()).root.walk()]
    assert any("remark" in path and path.endswith(".text") for path in paths)


@both
def test_other_records_stay_where_they_were(tmp_path: Path, grammar: str) -> None:
    """Of a board that changes its line is written anew, of one that goes its line is taken out; nothing else moves."""
    engine = engine_of(tmp_path, grammar)
    read = engine.read(TEXT.encode(), "club").document
    one, two, three = read.boards
    changed = replace(read, boards=(one, replace(two, dealer=Seat.WEST), three))
    assert engine.spell(changed, "club").data.decode() == TEXT.replace("board 2 E", "board 2 W")
    assert engine.spell(replace(read, boards=(two, three)), "club").data.decode() == TEXT.replace("board 1 N\n", "")
    added = engine.spell(replace(read, boards=(one, two, Board(number=9, dealer=Seat.NORTH), three)), "club").data
    assert [board.number for board in engine.read(added, "club").document.boards] == [1, 2, 9, 3]
    assert sorted(added.decode().splitlines()) == sorted([*TEXT.splitlines(), "board 9 N"])


@both
def test_the_clean_form_has_them_too(tmp_path: Path, grammar: str) -> None:
    """With `--canonical` every record is spelled anew, each in its evening."""
    engine = engine_of(tmp_path, grammar)
    clean = engine.spell(engine.read(TEXT.encode(), "club").document, "club", canonical=True).data.decode()
    evenings, before = ([sorted(part.splitlines()) for part in text.split("end\n")] for text in (clean, TEXT))
    assert evenings == before


def test_the_clean_form_has_those_of_a_flat_file(tmp_path: Path) -> None:
    """Beside boards that stand in the file itself, too."""
    flat = HEAD.replace("start: evening*", "start: (hand | remark | pause)*") + RULES[RULES.index("//- as: boards") :]
    engine = engine_of(tmp_path, flat)
    text = "# one\nboard 1 N\npause 5\nboard 2 E\n"
    clean = engine.spell(engine.read(text.encode(), "club").document, "club", canonical=True).data.decode()
    assert sorted(clean.splitlines()) == sorted(text.splitlines())


@both
def test_boards_of_another_format_are_written(tmp_path: Path, grammar: str) -> None:
    """Each as a record of the kind of boards."""
    engine = engine_of(tmp_path, grammar)
    fresh = Document((Board(number=1, dealer=Seat.NORTH), Board(number=2, dealer=Seat.EAST)))
    assert engine.spell(fresh, "club").data.decode() == "evening Cup\nboard 1 N\nboard 2 E\nend\n"


KINDS = """//- {id: club, extensions: [club]}
start: boards*
boards: FORM
hand: "board " number " " dealer _NL
""" + RULES[RULES.index("//- {number: {}}") :]


@pytest.mark.parametrize(
    ("form", "rewrite"),
    [
        ("hand | pause", "repeat '(hand | pause)' instead, with 'as: boards' at the rule hand"),
        ("line\nline: hand | pause", "repeat '(hand | pause)' instead, with 'as: boards' at the rule hand"),
        ("number _NL | pause", "make each kind of record a rule, and repeat '(boards | remark)' with their names"),
        ("_one\n_one: hand | pause", "repeat '(hand | pause)' instead, with 'as: boards' at the rule hand"),
    ],
)
def test_an_alternative_that_is_no_board_is_a_finding(tmp_path: Path, form: str, rewrite: str) -> None:
    """A list of boards whose rule has an alternative without a word of a board, in one finding at the rule; none is read."""
    path = tmp_path / "club.lark"
    path.write_text(KINDS.replace("FORM", form), "utf-8")
    (error,) = (one for one in findings(path, [])[1] if one.severity is Severity.ERROR)
    assert (error.code, error.span and error.span.line) == ("schema-kinds", 3)
    assert error.message == f"boards: its records may also be pause, which states nothing of a board: {rewrite}"
    with pytest.raises(SpecError, match="pause"):
        Engine([tmp_path]).read(b"board 1 N\n", "club")


def test_an_empty_board_is_a_board(tmp_path: Path) -> None:
    """An alternative without fields stands for a board of which nothing is known."""
    engine = engine_of(tmp_path, KINDS.replace("FORM", 'hand | "-" _NL'))
    assert [board.dealer for board in engine.read(b"board 1 N\n-\n", "club").document.boards] == [Seat.NORTH, None]


def test_boards_are_a_list_where_the_record_around_them_is_one(tmp_path: Path) -> None:
    """The rewrite that a finding names needs no word in the head: one of the records that are repeated is a board."""
    engine = engine_of(
        tmp_path, KINDS.replace("start: boards*\nboards: FORM", "start: entry*\nentry: boards | pause").replace("hand:", "boards:")
    )
    read = engine.read(b"board 1 N\npause 5\nboard 2 E\n", "club")
    assert [board.number for board in read.document.boards] == [1, 2]
    assert read.diagnostics == ()
