"""Derived columns are what the model says of each hand and table, one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.model import evaluate
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat, Side
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.masks import holders_of, masks_of
from bridgespec.model.par import par
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.tables.columns import DERIVED, HANDS
from bridgespec.tables.par_arrays import CONTRACTS, pars
from bridgespec.tabular import of_document
from tests.generate import deals

CELLS = st.lists(st.integers(0, 13), min_size=20, max_size=20).map(bytes)
HOLDERS = st.lists(st.integers(0, 5), min_size=52, max_size=52).map(bytes)


@given(st.lists(HOLDERS, min_size=1, max_size=4))
def test_masks_are_those_of_the_model(some: list[bytes]) -> None:
    """Masks made by arrays are those of each deal, and give its holders back."""
    holders = np.frombuffer(b"".join(some), np.uint8).reshape(-1, 52)
    masks = masks_of(holders)
    assert [[int(mask[row]) for mask in masks] for row in range(len(some))] == [
        [Deal(one).mask(holder) for holder in range(5)] for one in some
    ]
    assert holders_of(masks).tolist() == holders.tolist()
    assert [Deal.of_masks([int(mask[row]) for mask in masks]).holders for row in range(len(some))] == some


@given(CELLS, st.sampled_from(Seat), st.sampled_from(Vulnerability))
def test_par_is_that_of_the_model(cells: bytes, dealer: Seat, vulnerability: Vulnerability) -> None:
    """Score, lowest contract and side are those that par has by itself, for any table, dealer and vulnerability."""
    alone = par(Tricks(cells), dealer, vulnerability)
    row = np.frombuffer(cells, np.uint8)[None]
    found = pars(row, np.array([dealer.side is Side.EW]), np.array([vulnerability], np.uint8))
    lowest = alone.contracts[0] if alone.contracts else None
    assert int(found.score[0]) == alone.score
    assert CONTRACTS[found.contract[0]] == ("Pass" if lowest is None else str(lowest.contract))
    assert lowest is None or bool(found.by_ew[0]) == (lowest.side is Side.EW)


@given(deals.complete(), st.one_of(st.none(), st.sampled_from(Seat)), st.one_of(st.none(), st.sampled_from(Vulnerability)), CELLS)
def test_columns_are_those_of_the_model(deal: Deal, dealer: Seat | None, vulnerability: Vulnerability | None, cells: bytes) -> None:
    """Each derived column has the value that the model gives, for the dealer and vulnerability of the board or its number."""
    board = Board(5, dealer, vulnerability, deal, Tricks(cells))
    (row,) = of_document(Document((board,)), derived=True).read().to_pylist()
    for name, hand in zip(HANDS, evaluate.hands_of_deal(deal.holders), strict=True):
        values = evaluate.evaluate(hand)
        assert [row[f"{name}_{term}"] for term in ("hcp", "controls", "losers")] == [
            values[evaluate.TERMS[term]] for term in ("hcp", "controls", "losers")
        ]
        assert [row[f"{name}_{suit}"] for suit in ("spades", "hearts", "diamonds", "clubs")] == [one.bit_count() for one in hand]
        assert row[f"{name}_shape"] == evaluate.shape(hand)
    assert board.effective_dealer is not None
    assert board.effective_vulnerability is not None
    expected = par(Tricks(cells), board.effective_dealer, board.effective_vulnerability)
    if any(cells):
        assert row["par_score"] == expected.score
    assert {column.name for column in DERIVED} <= row.keys()


def test_what_is_not_known_is_null() -> None:
    """A hand that is not whole has no points, a table with an unknown cell no par, and no board without either is refused."""
    part = Deal.parse("N:AKQJT98765432... - - -")
    boards = (Board(1, deal=part, tricks=Tricks.unknown()), Board(2), Board(3, tricks=Tricks(bytes(20))))
    rows = of_document(Document(boards), derived=True).read().to_pylist()
    assert [row["north_hcp"] for row in rows] == [10, None, None]
    assert rows[0]["north_shape"] == "13000"
    assert [row["south_hcp"] for row in rows] == [None, None, None]
    assert [row["par_score"] for row in rows] == [None, None, None]
    assert Tricks.unknown().cells == bytes([UNSOLVED]) * 20


def test_a_board_passed_out_has_no_side() -> None:
    """Where nobody makes anything par is nothing; else it has the side that scores or saves."""
    nothing, south, west = (Tricks(bytes([*cells] * 5)) for cells in ((6, 6, 6, 6), (5, 8, 5, 8), (9, 4, 9, 4)))
    boards = tuple(Board(1, tricks=tricks) for tricks in (nothing, south, west))
    rows = of_document(Document(boards), derived=True).read().to_pylist()
    assert [row["par_side"] for row in rows] == [None, "NS", "EW"]
    assert [row["par_contract"] for row in rows] == ["Pass", "1NT", "3NT"]
    assert [row["par_score"] for row in rows] == [0, 120, -400]
