"""Boards and documents: values of another type are refused where they are given."""

from __future__ import annotations

from typing import Any

import pytest

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
    """A deal alone is no board."""
    with pytest.raises(TypeError, match=r"Document\(\(board,\)\)"):
        Document(boards)
