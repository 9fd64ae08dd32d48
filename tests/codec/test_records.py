"""A changed board of text: what the change does not touch stays as it stood, line by line.

Records that rest on earlier ones: what is changed or missing in one board never changes another on reading back.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgespec import api
from bridgespec.api import dumps, engine, loads
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document

SAMPLES = Path(__file__).parents[1] / "samples"
PBN = (
    b'[Event "x"]\r\n[Board "4"]\r\n[Dealer "W"]\r\n[Vulnerable "Both"]\r\n'
    b'[Deal "N:Q9.QT986.AT6.A82 83.K42.854.T9754 AKJ6542.J753.K9. T7.A.QJ732.KQJ63"]\r\n[Declarer "S"]\r\n[Contract "4S"]\r\n'
    b'[Auction "W"]\r\nPass Pass Pass 4S \r\nP Pass AP\r\n[Result "10"] ;old\r\n\r\n[Event "#"]\r\n[Board "5"]\r\n'
)
LIN = (
    b"pn|a,b,c,d|\nst||\nmd|1SAKJ6542HJ753DK9C,ST7HADQJ732CKQJ63,SQ9HQT986DAT6CA82,S83HK42D854CT9754|\nsv|o|\nmb|1s|\nmb|p|\n"
    b"nt|old|\npg||\nmb|4S|\nmb|p|\nmb|p|\nmb|p|\npg||\npc|hA|\npc|H9|\npc|H2|\npc|h3|\npg||\nmc|10|\npg||\n"
)
Places = tuple[tuple[str | int, ...], ...]
IN_PBN: Places = ((), ("event",), ("auction",), ("auction", 0), ("auction", 3), ("result",))
IN_LIN: Places = ((), ("auction",), ("auction", 0), ("auction", 3), ("play", 1), ("play", 3))
CASES = [("pbn", PBN, place) for place in IN_PBN] + [("lin", LIN, place) for place in IN_LIN]


def _with(format: str, text: bytes, comments: tuple[Comment, ...]) -> bytes:
    document = loads(text, format)
    return dumps(replace(document, boards=(replace(document.boards[0], comments=comments), *document.boards[1:])), format)


def _words(text: bytes) -> Counter[bytes]:
    return Counter(text.replace(b"|\n", b"|").replace(b"|", b"|\n").split())


@pytest.mark.parametrize(("format", "text", "place"), CASES, ids=str)
def test_an_added_comment_is_all_that_is_added(format: str, text: bytes, place: tuple[str | int, ...]) -> None:
    """No word, blank or line end of the file changes but those of the comment; it is read at its place."""
    before = loads(text, format).boards[0].comments
    data = _with(format, text, (*before, Comment("added", place)))
    added = {"pbn": b"{added}", "lin": b"nt|added|"}[format]
    assert data.count(added) == 1
    at = data.index(added)
    rest = data[:at] + data[at + len(added) :]
    # What is left is the old file but for the blank or the line end that parts the comment from what is beside it.
    assert rest.split() == text.split() or rest.replace(b"\n", b"") == text.replace(b"\n", b"")
    assert _words(data) - _words(text) == _words(added) - Counter()
    assert Counter(loads(data, format).boards[0].comments) == Counter((*before, Comment("added", place)))
    assert [replace(board, comments=()) for board in loads(data, format).boards] == [
        replace(board, comments=()) for board in loads(text, format).boards
    ]


@pytest.mark.parametrize(("format", "text", "place"), CASES, ids=str)
def test_a_comment_that_is_taken_out_again_leaves_what_stood(format: str, text: bytes, place: tuple[str | int, ...]) -> None:
    """But for blanks, the file is what it was."""
    before = loads(text, format).boards[0].comments
    data = _with(format, text, (*before, Comment("added", place)))
    assert _with(format, data, before).split() == text.split()


def test_a_removed_comment_takes_nothing_with_it() -> None:
    """Without its comment, a file keeps every other byte."""
    assert _with("lin", LIN, ()) == LIN.replace(b"nt|old|\n", b"")
    assert _with("pbn", PBN, ()) == PBN.replace(b" ;old", b"")


def test_a_comment_that_cannot_be_spelled_changes_nothing() -> None:
    """It is reported as lost."""
    document = loads(LIN, "lin")
    board = document.boards[0]
    changed = replace(document, boards=(replace(board, comments=(*board.comments, Comment("x|mb|3S", ("play", 0)))),))
    output = engine().spell(changed, "lin")
    assert output.data == LIN
    assert [found.message for found in output.findings] == ["lin cannot hold comments"]


@pytest.mark.parametrize("path", [*(SAMPLES / "pbn").glob("*.pbn"), *(SAMPLES / "lin").glob("*.lin")], ids=lambda path: path.name)
def test_a_comment_on_each_board_of_a_sample(path: Path) -> None:
    """On the board, and on a call where there is one: everything else of every file stands as it stood."""
    text, format = path.read_bytes(), path.suffix[1:]
    document = loads(text, format)

    def more(board: Board) -> tuple[Comment, ...]:
        calls = 0 if board.auction is None else len(board.auction.calls)
        # A command of LIN may have several calls, and a comment can only follow the last.
        turn = calls - 1 if format == "lin" else 0
        return (Comment("on it"), Comment("on a call", ("auction", turn))) if calls else (Comment("on it"),)

    boards = tuple(replace(board, comments=(*board.comments, *more(board))) for board in document.boards)
    data = dumps(replace(document, boards=boards), format)
    new = [comment.text.encode() for board in document.boards for comment in more(board)]
    kept = data
    for one in new:
        for form in (b"{%s}", b"nt|%s|"):
            kept = kept.replace(form % one, b"", 1)
    # A comment that would belong to the record before has a command in front of it that begins its own.
    assert b"".join(kept.replace(b"mn||md", b"md").split()) == b"".join(text.split())
    for before, after in zip(boards, loads(data, format).boards, strict=True):
        assert Counter(after.comments) == Counter(before.comments)


def test_a_repeated_value_is_spelled_out_in_the_next_record_alone() -> None:
    """What follows repeats that record; a value that holds until further notice is spelled out in each."""
    text = "".join(f'[Event "{name}"]\n[Site "#"]\n[Board "{number}"]\n\n' for number, name in enumerate("A###", 1)).encode()
    document = loads(text, "pbn")
    changed = replace(document, boards=(replace(document.boards[0], event="B"), *document.boards[1:]))
    data = dumps(changed, "pbn")
    assert data == text.replace(b'"A"', b'"B"').replace(b'[Event "#"]', b'[Event "A"]', 1)
    assert [board.event for board in loads(data, "pbn").boards] == ["B", "A", "A", "A"]


DEAL = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
MARKED = f"""[Event "A"]
[Site "S"]
[Board "1"]
[West "w"]
[Deal "{DEAL}"]

[Event "#"]
[Site "#"]
[Board "2"]
[West "#"]
[Deal "#"]

[Event "#"]
[Board "3"]
"""
HEADED = '[Event "##A"]\n[Board "1"]\n[West "##w"]\n\n[Board "2"]\n\n[Board "3"]\n'
LETTERS = f"B 1\nE x\nN a+b:c+d\nH {DEAL.replace(' ', ':')}\n\nB 2\n\nB 3\nA NN:PPPP\n"
NAMES = ("event", "site", "players", "deal", "number", "auction")


def _said(document: Document) -> list[list[Any]]:
    return [[getattr(board, name) for name in NAMES] for board in document.boards]


@pytest.mark.parametrize(("format", "text"), [("pbn", MARKED), ("pbn", HEADED), ("rbn", LETTERS)])
@pytest.mark.parametrize("change", [{"event": "new"}, {"event": None}, {"deal": None}, {"players": ("x", "y", "z", "q")}])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_changed_board_changes_no_other(format: str, text: str, change: dict[str, Any], index: int) -> None:
    """A change in one board leaves the model of all others as it was, and the unchanged document its bytes."""
    document = api.loads(text.encode(), format)
    boards = list(document.boards)
    boards[index] = replace(boards[index], **change)
    changed = replace(document, boards=tuple(boards))
    assert _said(api.loads(api.dumps(changed, format), format)) == _said(changed)
    assert api.dumps(document, format) == text.encode()


@pytest.mark.parametrize("format", ["rbn", "rbx"])
def test_what_a_board_has_not_is_not_taken_from_the_one_before(format: str) -> None:
    """A board without a deal, an event or players does not inherit those of the board before it."""
    whole = api.loads(MARKED.encode(), "pbn").boards[0]
    document = Document((replace(whole, origin=None), Board(2), replace(whole, number=3, deal=None, origin=None)))
    back = api.loads(api.dumps(document, format), format)
    for board, again in zip(document.boards, back.boards, strict=True):
        assert (again.deal, again.event, any(again.players)) == (board.deal, board.event, any(board.players))


@pytest.mark.parametrize("format", ["lin", "handviewer"])
def test_a_board_without_a_deal_stays_a_board(format: str) -> None:
    """A deal that names the dealer is written without cards, so that the board does not run into the next."""
    auction = '[Auction "{}"]\n1C Pass Pass Pass\n\n'
    text = f'[Board "1"]\n[Deal "{DEAL}"]\n\n[Board "2"]\n[Dealer "E"]\n{auction.format("E")}[Board "3"]\n[Deal "{DEAL}"]\n'
    output = api.engine().spell(api.loads(text.encode(), "pbn"), format)
    boards = api.loads(output.data, format).boards
    assert [board.deal is not None for board in boards] == [True, False, True]
    assert boards[1].auction is not None
    assert len(boards[1].auction.calls) == 4
    assert boards[1].effective_dealer is Seat.EAST
