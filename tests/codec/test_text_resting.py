"""Records that rest on earlier ones: what is changed or missing in one board never changes another on reading back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bridgespec import api
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document

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
