"""Drawings for notebooks: everything that is known, nothing as markup that came from a file."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

from hypothesis import given, settings

from bridgespec.export import _notebook
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat, Suit
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks
from tests.export.test_view import BOARD
from tests.generate import deals
from tests.test_rules import BOARDS


def words(value: object) -> list[str]:
    """The texts of a drawing, which is well-formed."""
    drawn = _notebook.draw(value)
    assert drawn is not None
    root = ET.fromstring(f"<div>{drawn}</div>")
    return [text.strip() for text in root.itertext() if text.strip()]


@given(deals.complete())
def test_every_holding_is_shown_once_beside_its_seat(deal: Deal) -> None:
    """North, West, East, South, each with four suits in order."""
    shown = "".join(words(deal))
    expected = ""
    for seat in (Seat.NORTH, Seat.WEST, Seat.EAST, Seat.SOUTH):
        expected += f"{seat}" + "".join(f"{suit.symbol}{deal.holding(seat, suit).ranks or '–'}" for suit in Suit)
    assert re.sub(r"\s", "", shown) == expected


@settings(max_examples=30)
@given(BOARDS)
def test_any_board_is_drawn(board: Board) -> None:
    """Whatever is known of it or not."""
    assert words(board)


def test_texts_of_files_are_no_markup() -> None:
    """An event, an explanation, a par: all as text."""
    board = replace(BOARD, event="<script>alert(1)</script>", par="<b>")
    drawn = _notebook.draw(Document((board,)))
    assert drawn is not None
    assert "<script" not in drawn
    assert {"Par: <b>", "Board 1"} <= set(words(board))
    assert any("5+" in word for word in words(board))


def test_a_long_document_is_cut_and_says_so() -> None:
    """A notebook is not a file of a thousand boards."""
    document = Document(tuple(Board(number=number) for number in range(1, 1001)))
    assert words(document)[-1] == f"and {1000 - _notebook.SHOWN} more boards"
    assert words(Document()) == ["no boards"]
    assert words(Tricks.unknown()) == ["NT", "♠", "♥", "♦", "♣"]


def test_values_are_drawn_however_they_were_come_by() -> None:
    """The package tells the model who draws; what draws is imported with the first drawing."""
    program = (
        "import sys; from bridgespec.model.hand import Hand; before = 'bridgespec.export' in sys.modules;"
        "print(before, Hand.parse('AK...')._repr_html_()[:4])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False <div\n"
