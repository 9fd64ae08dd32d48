"""The conventions of `precision`, each with auctions of its own: openings, the strong club, and the limited openings."""

from __future__ import annotations

import pytest

from bridgespec.bidding.bidder import Bidder

CASES = {
    "openings": [
        ("AKQ84.AK5.Q83.J4", "", "1C"),
        ("AQ984.K52.Q83.84", "", "1S"),
        ("AQ98.K52.Q83.K84", "", "1NT"),
        ("AQ98.K5.QJ83.984", "", "1D"),
        ("A8.K52.83.AQJ984", "", "2C"),
        ("KQ84.AJ52.3.K984", "", "2D"),
        ("AQJ.KQ5.AK83.KJ4", "", "2NT"),
        ("83.AQT984.Q83.84", "", "2H"),
        ("8.AKQ4.AKJ83.KQ4", "", "1C"),
    ],
    "the strong club": [
        ("8543.K52.Q83.984", "1C P", "1D"),
        ("A8543.K52.Q83.98", "1C P", "1S"),
        ("A85.KJ52.Q83.984", "1C P", "1NT"),
        ("A85.KJ52.KQ3.984", "1C P", "2NT"),
        ("85.KJ9652.Q83.98", "1C P", "2H"),
        ("A5.K52.QJ9832.98", "1C P", "2D"),
        ("AQ9.KJ5.AQ3.K984", "1C P 1D P", "2NT"),
        ("AQ9.KJ5.AQ32.984", "1C P 1D P", "1NT"),
        ("AQ984.KJ5.AQ3.94", "1C P 1D P", "1S"),
        ("AKQJ84.AK5.AQ3.4", "1C P 1D P", "2S"),
        ("K53.Q8652.83.984", "1C P 1D P 1S P", "2S"),
        ("5.QJ652.K83.9842", "1C P 1D P 1S P", "1NT"),
        ("53.T8652.J83.984", "1C P 1D P 1S P", "P"),
        ("AQ9.KJ5.AQ32.984", "1C P 1H P", "2H"),
        ("A9.K5.AQJ832.A84", "1C P 1H P", "2D"),
        # They come in: a pass is negative, a cue bid shows values without a suit.
        ("A8543.K52.Q83.98", "1C 1H", "1S"),
        ("A854.K52.J83.Q98", "1C 1D", "2D"),
        ("8543.952.Q83.Q98", "1C 1H", "P"),
        ("Q543.K52.843.Q98", "1C 1H", "X"),
        ("A543.5.AQ84.KQ98", "1C 1H P P", "X"),
    ],
    "one diamond": [
        ("AQ98.952.K3.9842", "1D P", "1S"),
        ("A98.K5.KQJ832.84", "1D P", "2D"),
        ("A98.Q95.J83.9842", "1D P", "1NT"),
        ("98.95.KJ9832.984", "1D P", "3D"),
        ("A98.KJ3.KQ83.J84", "1D P", "3NT"),
    ],
    "two clubs": [
        ("AQ98.K52.K83.842", "2C P", "2D"),
        ("K8.AJ52.3.KQ9843", "2C P 2D P", "2H"),
        ("Q8.AJ2.43.KQ9843", "2C P 2D P", "3C"),
        ("KJ8.AJ2.3.AQ9843", "2C P 2D P", "2NT"),
        ("AQ98.KQ52.K83.84", "2C P 2D P 2H P", "4H"),
    ],
    "two diamonds": [
        ("98.J9652.K832.84", "2D P", "2H"),
        ("AQ98.K52.KQ8.842", "2D P", "2NT"),
        ("KQ84.AJ52.3.K984", "2D P 2NT P", "3C"),
        ("KQ84.AQ52.3.KJ84", "2D P 2NT P", "3D"),
        ("AQ98.K52.KQ8.842", "2D P 2NT P 3C P", "4S"),
        ("KQ84.AJ52.3.K984", "2D P 2S P", "P"),
    ],
}


@pytest.fixture(scope="module")
def bidder() -> Bidder:
    return Bidder("precision")


@pytest.mark.parametrize("convention", CASES)
def test_a_convention_is_bid(bidder: Bidder, convention: str) -> None:
    """Every auction of the convention: the call of each hand."""
    made = [(hand, auction, str(bidder.call(hand, auction)).replace("Pass", "P")) for hand, auction, _ in CASES[convention]]
    assert made == CASES[convention]


def test_openings_but_one_club_are_limited(bidder: Bidder) -> None:
    """An opening of one suit has at most fifteen points, and one club at least sixteen."""
    for call, points in (("1D", (11, 15)), ("1H", (11, 15)), ("1S", (11, 15)), ("1NT", (13, 15)), ("1C", (16, 37))):
        assert bidder.knowledge(f"{call} P").hands[1].hcp == points
