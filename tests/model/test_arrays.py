"""Judgements on arrays are those of the rules, board by board."""

from __future__ import annotations

import numpy as np

from bridgespec.model.arrays import impossible_results, sure_tricks
from bridgespec.model.board import Board
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
