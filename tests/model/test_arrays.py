"""Judgements on arrays are those of the rules, board by board."""

from __future__ import annotations

import numpy as np
import pytest

from bridgespec.model.arrays import ResultsJudge, impossible_results, sure_tricks
from bridgespec.model.board import Board
from bridgespec.model.clipping import Clipping, suspected
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks
from bridgespec.rules import findings


def random_deals(count: int, seed: int) -> np.ndarray:
    """Random whole deals, some of them with very long runs of high cards in one hand."""
    rng = np.random.default_rng(seed)
    rows = rng.permuted(np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (count, 52)), axis=1)
    for row in rows[::3]:
        suit, length, seat = rng.integers(4), rng.integers(5, 14), rng.integers(4)
        wanted = [13 * suit + rank for rank in range(length) if row[13 * suit + rank] != seat]
        spare = [slot for slot in np.flatnonzero(row == seat) if not 13 * suit <= slot < 13 * suit + length]
        for one, other in zip(wanted, spare, strict=False):
            row[one], row[other] = row[other], row[one]
    return rows


def test_sure_tricks_by_counting() -> None:
    """Counting from the ace down, card by card, gives the same."""
    deals = random_deals(600, 4)
    wanted = []
    for row in deals.tolist():
        suits = [row[13 * suit : 13 * suit + 13] for suit in range(4)]
        wanted.append([next((i for i, holder in enumerate(suit) if holder != suit[0]), 13) for suit in suits])
    assert sure_tricks(deals).tolist() == wanted
    assert max(map(max, wanted)) == 13


def test_impossible_results_are_those_of_the_rule() -> None:
    """The records that are marked are the ones in which the rule finds a cell, unknown cells and empty tables included."""
    deals = random_deals(900, 5)
    rng = np.random.default_rng(6)
    tables = rng.integers(3, 11, (900, 20)).astype(np.uint8)
    tables[rng.random(tables.shape) < 0.05] = 15
    tables[rng.random(tables.shape) < 0.03] = 0
    tables[::50] = 0
    tables[7::50] = 15
    boards = tuple(Board(deal=Deal(d.tobytes()), tricks=Tricks(t.tobytes())) for d, t in zip(deals, tables, strict=True))
    found = {f.board for f in findings(Document(boards)) if f.code == "impossible-tricks"}
    marked = set(np.flatnonzero(impossible_results(deals, tables)).tolist())
    assert 100 < len(found) < 850
    assert marked == found
    assert not impossible_results(deals, None).any()


def packed(cells: np.ndarray, bits: int) -> np.ndarray:
    """Rows of elements side by side in so many bits, from the lowest on."""
    whole = np.zeros((len(cells), cells.shape[1] * bits // 8), np.uint8)
    for at in range(8 // bits):
        whole |= cells[:, at :: 8 // bits] << np.uint8(bits * at)
    return whole


@pytest.mark.parametrize("habit", [None, *Clipping])
def test_packed_results_are_judged_as_unpacked_ones(habit: Clipping | None) -> None:
    """The same records are marked, and the same habits found, with unknown results, empty tables and long suits among them."""
    deals = random_deals(3000, 8)
    rng = np.random.default_rng(9)
    rows = np.repeat(rng.integers(0, 14, (3000, 5, 1)), 4, axis=2)
    rows[:, :, 1::2] = 13 - rows[:, :, 1::2]
    tables = (
        (rows + rng.integers(-1, 2, rows.shape) * (rng.random(rows.shape) < 0.02)).clip(0, 13).reshape(3000, 20).astype(np.uint8)
    )
    if habit is not None:
        tables = np.array([habit.clip(value) for value in range(14)], np.uint8)[tables]
    tables[::7] = rng.integers(0, 16, tables[::7].shape)
    tables[3::50] = 0
    tables[4::50] = 15
    loose, tight = ResultsJudge(), ResultsJudge()
    for low in range(0, 3000, 700):
        part = slice(low, low + 700)
        marks = loose(deals[part], tables[part])
        assert (marks == (impossible_results(deals[part], tables[part]) | ~tables[part].any(axis=1))).all()
        assert (marks == tight.packed(packed(deals[part], 2), packed(tables[part], 4))).all()
        assert 0 < marks.sum() < len(marks)
    assert loose.found == tight.found
    alone = {}
    for at, table in enumerate(tables):
        shown = suspected([Tricks(table.tobytes())]) if table.any() and 15 not in table else None
        if shown is not None:
            first, count = alone.get(shown, (at, 0))
            alone[shown] = first, count + 1
    assert loose.together is None
    assert loose.found == alone
    assert habit is None or habit in alone
