"""Documents filled with tables: what is solved, what is kept, what is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import OUT, UNKNOWN, Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.solver import solve_document
from bridgespec.solver.document_tables import no_zeros, solvable
from tests.solver.list100 import cases

CASE = cases()[0]
PARTIAL = Tricks.unknown().with_cell(Strain.CLUBS, Seat.NORTH, 13)


def solved(*boards: Board) -> tuple[Board, ...]:
    return solve_document(Document(boards), memory_mb=16).boards


def test_a_board_gets_its_table_and_its_par():
    """Par is told where dealer and vulnerability are known, also by the board's number; 16: West deals, E-W vulnerable."""
    bare, stated, numbered = solved(
        Board(deal=CASE.deal),
        Board(deal=CASE.deal, dealer=CASE.dealer, vulnerability=CASE.vulnerability),
        Board(deal=CASE.deal, number=16),
    )
    assert bare.tricks == stated.tricks == numbered.tricks == CASE.table
    assert (bare.par, stated.par, numbered.par) == (None, "EW 110", "EW 110")


def test_what_the_source_says_is_kept():
    """Solving fills in unknown cells and replaces no value of the source."""
    wrong = Tricks(bytes([13]) * 20)
    kept, partial = solved(
        Board(deal=CASE.deal, tricks=wrong, number=1),
        Board(deal=CASE.deal, tricks=PARTIAL, par="NS 99", number=1),
    )
    assert kept == Board(deal=CASE.deal, tricks=wrong, number=1)
    assert partial.par == "NS 99"
    assert partial.tricks == CASE.table.with_cell(Strain.CLUBS, Seat.NORTH, 13)


def test_boards_that_cannot_be_solved_stay_as_they_are():
    """No deal, a hand unknown, hands of different sizes, no cards at all."""
    holders = CASE.deal.holders
    boards = (
        Board(number=1),
        Board(number=2, deal=Deal(bytes(UNKNOWN if holder == Seat.WEST else holder for holder in holders))),
        Board(number=3, deal=Deal(bytes([OUT]) + holders[1:])),
        Board(number=4, deal=Deal(bytes([OUT]) * 52)),
        Board(number=5, deal=Deal.parse("N:A... K... Q... J..."), vulnerability=Vulnerability.NONE),
    )
    result = solved(*boards)
    assert result[:4] == boards[:4]
    assert result[4].tricks is not None
    assert result[4].par is None


def test_progress_counts_the_deals_that_are_solved():
    """Boards that need no solving are not counted as progress."""
    calls = []
    boards = (Board(), Board(deal=CASE.deal, tricks=CASE.table), Board(deal=Deal.parse("N:A... K... Q... J...")))
    solve_document(Document(boards), progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 1)]


@pytest.mark.parametrize(
    ("cells", "empty"),
    [
        ([0] * 20, True),
        ([0, 15, 15, 15] * 5, True),
        ([0] * 19 + [1], False),
        ([0] + [15] * 19, False),
        ([15] * 20, False),
    ],
)
def test_a_table_of_zeros_is_no_table(cells, empty):
    """A table of zeros alone is read as unsolved, any other as it is."""
    table = np.array([cells], np.uint8)
    assert no_zeros(table).tolist() == [[UNSOLVED] * 20 if empty else cells]


def test_solvable_needs_equal_hands_of_known_cards():
    """Deals with an unknown holder or unequal hands are not solvable."""
    good = np.frombuffer(CASE.deal.holders, np.uint8)
    rows = np.stack([good, good, good, np.full(52, 4, np.uint8)])
    rows = rows.copy()
    rows[1, 0] = 5
    rows[2, 0] = (rows[2, 0] + 1) % 4
    assert solvable(rows).tolist() == [True, False, False, False]
