"""Boards in repeated records that state something of them, such as the match that they are of: in texts and in bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.engines import Engine
from bridgespec.model.document import Document
from tests.targets.javascript import Reader, difference, expected_model, needs_node, write_module

TEXT = r"""//- id: rounds
//- title: Matches with their boards
//- extensions: [rounds]
//- model: boards
start: match*
match: "= " event (" " date)? _NL boards*
//- {says: a name, default: '"none"'}
event: /[a-z]++/
date: month_day " " month " " year
boards: number " " dealer _NL
//- {says: a number, number: {}}
number: /[0-9]++/
//- {says: a day, number: {}}
month_day: /[0-9]{1,2}/
//- {says: a month}
month: "Jan" -> january | "Dec" -> december
//- {says: a year}
year: /[0-9]{2}/
dealer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {write: "\n"}
_NL: /;?\n/
"""
BYTES = """
meta: {id: rounds, endian: be, file-extension: rounds, -bridge-model: boards}
seq: [{id: matches, type: match, repeat: eos}]
types:
  match:
    seq:
      - {id: event, type: strz, encoding: ASCII}
      - {id: place, type: u1, -bridge-opaque: true, -bridge-default: 0}
      - {id: num_boards, type: u1, -bridge-value: boards.size}
      - {id: boards, type: board, repeat: expr, repeat-expr: num_boards}
  board:
    seq:
      - {id: number, type: u1}
      - {id: dealer, type: u1, enum: seat}
enums: {seat: {0: north, 1: east, 2: south, 3: west}}
"""
GOOD = {
    "lark": b"= abc 7 Dec 20\n1 N;\n2 E\n= de;\n= abc 7 Dec 20\n3 S\n",
    "ksy": b"abc\0\7\2\1\0\2\1de\0\x08\0abc\0\x09\1\3\2",
}
Mine = tuple[Engine, str, Path]


@pytest.fixture(params=["lark", "ksy"])
def mine(request: pytest.FixtureRequest, tmp_path: Path) -> Mine:
    """The engine of an author, the kind of his schema, and his folder."""
    kind: str = request.param
    (tmp_path / f"rounds.{kind}").write_text(TEXT if kind == "lark" else BYTES, "utf-8")
    (tmp_path / "good.rounds").write_bytes(GOOD[kind])
    return Engine([tmp_path]), kind, tmp_path


def read(engine: Engine, data: bytes) -> Document:
    return engine.read(data, "rounds").document


def said(document: Document) -> list[tuple[object, ...]]:
    return [(one.event or document.event, one.number) for one in document.boards]


def test_each_board_has_what_its_block_states(mine: Mine) -> None:
    """The file itself states nothing of them, and comes back byte for byte."""
    engine, kind, _ = mine
    document = read(engine, GOOD[kind])
    assert document.event is None
    assert said(document) == [("abc", 1), ("abc", 2), ("abc", 3)]
    assert engine.spell(document, "rounds").data == GOOD[kind]


@pytest.mark.long
def test_boards_of_another_file_are_in_a_block_for_each_run(mine: Mine) -> None:
    """Boards one after the other of which the same is stated share a block, and nothing is lost, there and back."""
    engine, kind, folder = mine
    document = read(engine, GOOD[kind])
    boards = tuple(replace(one, event=event) for one, event in zip(document.boards, ("abc", "abc", "fg"), strict=True))
    pbn = engine.spell(replace(document, boards=boards), "pbn")
    (folder / "all.pbn").write_bytes(pbn.data)
    result = CliRunner().invoke(
        app, ["--specs", str(folder), "convert", "--strict", str(folder / "all.pbn"), str(folder / "back.rounds")]
    )
    assert result.exit_code == 0, result.output
    back = (folder / "back.rounds").read_bytes()
    assert said(read(engine, back)) == [("abc", 1), ("abc", 2), ("fg", 3)]
    assert back.count(b"abc") == 1


def test_a_board_of_another_match_has_a_block_of_its_own(mine: Mine) -> None:
    """The event of one board is changed, one board is removed, and one added: each block has the event of its boards."""
    engine, kind, _ = mine
    document = read(engine, GOOD[kind])
    one, two, three = document.boards
    for boards, events in (
        ((replace(one, event="hi"), two, three), ["hi", "abc", "abc"]),
        ((one, three), ["abc", "abc"]),
        ((one, two, three, replace(one, number=9, event="hi", origin=None)), ["abc", "abc", "abc", "hi"]),
    ):
        made = engine.spell(replace(document, boards=boards), "rounds")
        assert [event for event, _ in said(read(engine, made.data))] == events
        assert not made.findings


def test_an_edited_board_leaves_its_block_as_it_was(mine: Mine) -> None:
    """What a block states beside its boards, and how it is laid out, stays."""
    engine, kind, _ = mine
    document = read(engine, GOOD[kind])
    boards = (replace(document.boards[0], number=8), *document.boards[1:])
    data = engine.spell(replace(document, boards=boards), "rounds").data
    assert data == GOOD[kind].replace(b"1 N" if kind == "lark" else b"\2\1\0", b"8 N" if kind == "lark" else b"\2\x08\0")


def test_an_event_that_does_not_fit_is_reported(mine: Mine) -> None:
    """A block of a text without room for the event has its default, and the event is lost."""
    engine, kind, _ = mine
    document = read(engine, GOOD[kind])
    boards = tuple(replace(one, event="Not One Word") for one in document.boards)
    made = engine.spell(replace(document, boards=boards), "rounds")
    assert [one.message for one in made.findings] == (["rounds cannot hold the event (3 times)"] if kind == "lark" else [])


@needs_node
def test_generated_javascript_has_the_same_boards(mine: Mine) -> None:
    """Each board of the good file, and of those that lack some bytes at its end, has what its block states."""
    engine, kind, folder = mine
    spec = engine.spec("rounds")
    module, reader = write_module(spec, folder), Reader()
    for stop in range(len(GOOD[kind]) + 1):
        data = GOOD[kind][:stop]
        assert not difference(reader.ask(module, data, model=1)[0], expected_model(engine.of(spec).codec.read(data), spec)), data
    reader.close()


@needs_node
@pytest.mark.parametrize(
    ("month", "figures", "date"),
    [("/[0-9]+/", "2.1.2021", "2021.01.02"), ("/[0-9]+/", "31.12.68", "2068.12.31"), ("/[0-9?]+/", "??.7.69", "1969.07.??"),
     ('"Mai" -> may | "Juni" -> june', "1.Juni.1999", "1999.06.01")],
)  # fmt: skip
def test_a_date_has_parts(tmp_path: Path, month: str, figures: str, date: str) -> None:
    """Day, month and year stand in any order and form, in both languages, and are written as they stood."""
    rules = f"""//- id: dated
//- extensions: [dated]
//- model: boards
start: boards*
boards: number " " date "\\n"
//- {{number: {{}}}}
number: /[0-9]+/
date: month_day "." month "." year
month_day: /[0-9?]{{1,2}}/
month: {month}
year: /[0-9]{{4}}|[0-9]{{2}}/
"""
    (tmp_path / "dated.lark").write_text(rules, "utf-8")
    engine = Engine([tmp_path])
    spec, data = engine.spec("dated"), f"1 {figures}\n".encode()
    document = engine.read(data, "dated").document
    assert [one.date for one in document.boards] == [date]
    boards = tuple(replace(one, origin=None) for one in document.boards)
    written = engine.spell(replace(document, boards=boards, origin=None), "dated")
    assert [one.date for one in engine.read(written.data, "dated").document.boards] == [date]
    reader = Reader()
    model = reader.ask(write_module(spec, tmp_path), data, model=1)[0]
    reader.close()
    assert not difference(model, expected_model(engine.of(spec).codec.read(data), spec))
