"""Boards and documents: values of another type are refused where they are given."""

from __future__ import annotations

from typing import Any

import pytest

from bridgespec import CardPlay, Contract, Seat, Strain, UsageError, board_points, card_worths, dumps, join, par, split
from bridgespec.model.board import Board
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document


@pytest.mark.parametrize(
    ("field", "value"),
    [("deal", "N:A... - - -"), ("contract", "4S"), ("dealer", "N"), ("declarer", 1), ("vulnerability", "both"), ("number", "3")],
)
def test_a_field_of_another_type_is_refused(field: str, value: Any) -> None:
    """The message names the field, so that the error does not come when the board is written."""
    with pytest.raises(TypeError, match=f"Board: {field} is of type"):
        Board(**{field: value})


@pytest.mark.parametrize("boards", ["abc", (Deal.random(1),), (Board(), None)])
def test_a_document_has_boards(boards: Any) -> None:
    """A deal alone is no board, which whatever writes the document reports."""
    for write in (dumps, split):
        with pytest.raises(TypeError, match=r"Document\(\(board, \.\.\.\)\)"):
            write(Document(boards), "pbn")


def test_names_of_seats_and_texts_of_deals_will_do() -> None:
    """Wherever a seat, a vulnerability or a deal is taken from a person's script."""
    text = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
    assert Deal.parse(text).hand("east") == Deal.parse(text).east
    assert board_points(Contract.parse("4S"), "E", 10, "ew") == -620
    assert CardPlay(text, Strain.SPADES, Seat.SOUTH).turn is Seat.SOUTH
    assert par(text, "N", "ew").score == -630
    with pytest.raises(ValueError, match="not a seat"):
        Deal.parse(text).hand("middle")


def test_what_is_no_play_and_no_documents() -> None:
    """The message names the call that makes what is wanted."""
    with pytest.raises(TypeError, match="CardPlay"):
        card_worths(Deal.random(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Contract\.parse"):
        Contract("4S")  # type: ignore[arg-type]
    for documents in ([], ["a.pbn", "b.zdd"]):
        with pytest.raises(UsageError, match="load"):
            join(documents)  # type: ignore[arg-type]
