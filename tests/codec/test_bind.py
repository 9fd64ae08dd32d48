"""How many functions run between a real board and the model, and back, in a new process; what a value given twice becomes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bridgespec import Board, Document, dumps, loads
from bridgespec.engines import Engine
from tests.steps import extent, functions

ROOT = Path(__file__).parent.parent.parent
GAME = b"""\
{A game with comments, notes and tables.}
[Event "Cup"]
[Board "1"]
[West "Podgor"]
[North "Westra"]
[East "Kalish"]
[South "Leufkens"]
[Dealer "N"] ;after a tag
[Vulnerable "None"]
[Deal "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"]
[Declarer "S"]
[Contract "5HX"]
[Result "9"]
[Annotator "Veugen"]
[Auction "N"]
1D 1S 3H =1= 4S
4NT X {to play} Pass Pass
5C X 5H X
Pass Pass Pass
[Note "1:non-forcing 6-9 points, 6-card"]
[Play "W"]
SK H3 S4 S3
C5 C2 C6 CK
*
[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]
N NT  7
S  H 10
[ScoreTable "Rank;Contract;Score_NS"]
1 5HX -500
"""
GRAMMAR = """\
//- id: twice
//- extensions: [twice]
start: boards*
contract: /[1-7](?:NT|[SHDC])/
declarer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {number: {}}
number: /[0-9]++/
_NL: /\\n/
"""
ROWS = GRAMMAR + 'boards: "b" number (" " res)* _NL\nres: contract "/" declarer\n'
VALUES = GRAMMAR + 'boards: "b" number " " (declarer " ")* contract _NL\n'
FIELDS = [one.name for one in fields(Board) if one.name != "origin"]


def bound(data: bytes) -> Document:
    """Load a document and access all fields of its boards."""
    document = loads(data, "pbn")
    assert all(getattr(board, name) is not board for board in document.boards for name in FIELDS)
    return document


def reading() -> tuple[int, int, int]:
    """The extent of what leads from the text of a second game to all fields of its board."""
    bound(GAME)
    return extent(functions(lambda: bound(GAME.replace(b"Cup", b"League"))))


def changed(event: str) -> bytes:
    """Read the game, access all fields, change a tag, write."""
    document = bound(GAME)
    return dumps(replace(document, boards=(replace(document.boards[0], event=event),)), "pbn")


def round_trip() -> tuple[int, int, int]:
    """The extent of a second change."""
    assert changed("Final") == GAME.replace(b"Cup", b"Final")
    return extent(functions(lambda: changed("League")))


@pytest.mark.long
@pytest.mark.parametrize(("call", "most"), [("reading", (137, 36, 53)), ("round_trip", (237, 44, 103))])
def test_few_functions_lie_between_a_board_and_the_model(call: str, most: tuple[int, int, int], tmp_path: Path) -> None:
    """Beyond the first call of a process there are few functions, modules and returns to a module, and as many with an empty cache
    of schemas as with a filled one.
    """
    # In this process, other tests have filled memo tables, which makes the count smaller.
    command = f"from {__name__} import *; print(*{call}())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "BRIDGESPEC_CACHE": str(tmp_path)}
    counts = [subprocess.check_output([sys.executable, "-c", command], env=environment, cwd=ROOT).split() for _ in range(2)]
    assert counts[0] == counts[1]
    assert all(int(count) <= limit for count, limit in zip(counts[0], most, strict=True)), counts[0]


def test_a_board_is_bound_only_as_far_as_it_is_accessed() -> None:
    """`load` binds no field of any board, and neither comments nor tables are read for a deal, a contract and the calls."""
    data = GAME.replace(b"Cup", b"Trophy")
    names = {name for _, name in functions(lambda: loads(data, "pbn"))}
    assert "RecordContent.states_a_field" in names
    assert not names & {"Board.__getattr__", "Origin.bind"}
    board = loads(data, "pbn").boards[0]
    names = {name for _, name in functions(lambda: (board.number, board.deal, board.contract, board.auction, board.dealer))}
    assert "AuctionTerm.read" in names
    assert not names & {"CommentsTerm.read", "TablesTerm.read", "table_of"}
    assert len(board.comments) == 3
    assert board.tables[0].name == "ScoreTable"


@pytest.fixture
def engine_of(tmp_path: Path) -> Callable[[str], Engine]:
    """Make an engine that knows one grammar."""

    def made(grammar: str) -> Engine:
        (tmp_path / "twice.lark").write_text(grammar)
        return Engine([tmp_path])

    return made


def test_several_values_that_differ_are_reported(engine_of: Callable[[str], Engine]) -> None:
    """A later declarer that differs from the first is an error beside it; an equal one is none."""
    report = engine_of(VALUES).examine(b"b1 N E 4S\nb2 W W 2C\nb3 S 1D\n", "twice")
    found = [(one.code, one.record, one.span.byte_start, [label.span.byte_start for label in one.labels]) for one in report.errors]
    assert found == [("mismatch", 0, 3, [3, 5])]
    assert [str(board.declarer) for board in report.document.boards] == ["North", "West", "South"]


def test_rows_of_results_are_a_table(engine_of: Callable[[str], Engine]) -> None:
    """Records that each have a contract are what different tables did: none of them is the board's own, and none is lost."""
    report = engine_of(ROWS).examine(b"b1 4S/N 3NT/E\nb2 2C/W 2C/W\n", "twice")
    assert not report.errors
    assert [board.contract for board in report.document.boards] == [None, None]
    tables = [board.tables[0] for board in report.document.boards]
    assert [table.name for table in tables] == ["ScoreTable", "ScoreTable"]
    assert [table.rows for table in tables] == [(("4S", "N"), ("3NT", "E")), (("2C", "W"), ("2C", "W"))]
