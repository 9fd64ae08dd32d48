"""Sets of deals balanced by shares: of each condition as many as its share says, in random order."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridgespec
from tests.cli.running import run

TWO = ("--share", "south: spades 5+", "--share", "2* south: spades 0-2 and hearts 5+")


def test_each_share_has_its_deals(tmp_path: Path) -> None:
    """A third has long spades, two thirds long hearts; all satisfy the condition, and the same seed gives the same set."""
    path = tmp_path / "mixed.pbn"
    done = run("deal", "south: hcp 12-14", *TWO, "-n", "20", "--seed", "0", "-o", path)
    assert done.exit_code == 0, done.output
    hands = [board.deal.south for board in bridgespec.load(path).boards if board.deal is not None]
    kinds = ["S" if len(hand.spades) >= 5 else "H" for hand in hands]
    assert (kinds.count("S"), kinds.count("H")) == (7, 13)
    assert all(12 <= hand.hcp <= 14 for hand in hands)
    assert all(len(hand.hearts) >= 5 and len(hand.spades) < 3 for hand, kind in zip(hands, kinds, strict=True) if kind == "H")
    assert kinds not in (sorted(kinds), sorted(kinds, reverse=True))
    again = tmp_path / "again.pbn"
    run("deal", "south: hcp 12-14", *TWO, "-n", "20", "--seed", "0", "-o", again)
    assert bridgespec.load(again).boards == bridgespec.load(path).boards


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--share", "0* north: balanced"), 2, "a share of 0 has no deals"),
        (("--share", "north: happy"), 2, "happy"),
        (("--share", "north: hcp 38+", "--share", "north: hcp 0+", "-n", "4"), 1, "4 deals were asked for"),
    ],
)
def test_shares_that_cannot_be_are_reported(words: tuple[str, ...], status: int, message: str) -> None:
    """A share of nothing, a word that is none, and a share that no deal can have."""
    done = run("deal", *words)
    assert done.exit_code == status
    assert message in done.output
