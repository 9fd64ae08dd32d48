"""Conventions of a user, as files in a folder: Drury, key cards and a multi work without touching the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.system import BiddingSystem

FOLDER = Path(__file__).parent / "conventions"


@pytest.fixture(scope="module")
def mine() -> Bidder:
    """The system of the folder."""
    return Bidder("mine", folders=[FOLDER])


def test_the_folder_is_sound() -> None:
    """Every file is read without findings, and what it adds stands before what it takes."""
    system = BiddingSystem.read("mine", [FOLDER])
    assert not system.findings
    assert [module.name for module in system.modules[:5]] == ["mine", "drury", "key-cards", "multi", "sayc"]


@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        ("KQ5.A652.QJ3.T98", "P P 1S P", "2C"),
        ("AQ987.K5.A42.Q85", "P P 1S P 2C P", "2D"),
        ("AQ987.K5.J42.985", "P P 1S P 2C P", "2S"),
        ("KQ5.A652.QJ3.T98", "P P 1S P 2C P 2S P", "Pass"),
        ("KQ8765.43.Q54.92", "", "2D"),
        ("43.KQ8765.Q54.92", "", "2D"),
        ("Q75.J5.AJ763.Q42", "2D P", "2H"),
        ("J5.Q75.AJ763.Q42", "2D P", "2S"),
        ("43.92.KQ8765.Q54", "", "Pass"),
        ("KQ8765.43.Q54.92", "2D P 2H P", "2S"),
        ("43.KQ8765.Q54.92", "2D P 2H P", "Pass"),
        ("AK5.A93.KQ763.K4", "2D P", "2NT"),
        ("43.KQ8765.Q54.92", "2D P 2NT P", "3C"),
        ("AQJ.4.KQJ763.AQ4", "2D P 2NT P 3D P", "4S"),
        ("AKJ974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5C"),
        ("KQJ974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5S"),
        ("KJT974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5H"),
        ("QJT974.A2.K93.42", "1S P 2NT P 3C P 4NT P", "5D"),
    ],
)
def test_calls_of_ones_own(mine: Bidder, hand: str, auction: str, call: str) -> None:
    """Each convention makes and answers its calls."""
    assert str(mine.call(hand, auction)) == call


def test_a_union_is_told_and_narrowed(mine: Bidder) -> None:
    """The multi shows one major or the other; what opener does over two hearts tells which."""
    opened = mine.knowledge("2D P").hands[1]
    assert (opened.hcp, opened.lengths[0][1], opened.lengths[1][1]) == ((5, 10), 6, 6)
    spades = mine.knowledge("2D P 2H P 2S P").hands[1]
    assert spades.lengths[0] == (6, 6)
    assert spades.lengths[1][1] <= 3


def test_key_cards_are_counted(mine: Bidder) -> None:
    """The asker bids six with one key card missing, and stops when two are."""
    assert str(mine.call("A853.KQ4.AQJ5.K6", "1S P 2NT P 3C P 4NT P 5H P")) == "6S"
    assert str(mine.call("K853.KQ4.AQJ5.K6", "1S P 2NT P 3C P 4NT P 5D P")) == "5S"
