"""What the second rounds of contested auctions must do, each with a hand on either side of the border."""

from __future__ import annotations

import pytest

from bridgespec.bidding.bidder import Bidder

CASES = [
    ("four trumps and the balance of strength double their game", "K2.AJ94.Q82.9754", "1D 1H 2D 4H P P", "N", "X"),
    ("weak with four trumps, their game is not doubled", "72.J954.T82.9754", "1S 2H P 4H P P", "N", "P"),
    ("three notrump by overcall is doubled with the balance of strength", "KQ2.AJ94.QJ8.KQ2", "1D 1NT P 3NT", "N", "X"),
    ("an artificial four notrump is not", "KQ2.AJ94.QJ8.754", "1D 1S P 2D P 4NT", "N", "P"),
    ("extra strength is doubled once", "4.AKJ5.AKJ84.Q83", "1D 1S P 2S X P 3C 3S", "N", "P"),
    ("with trumps behind them the second double is for penalties", "AQ4.K5.AKJ84.Q83", "1D 1S P 2S X P P 3S", "N", "X"),
    ("after our redouble four of their suit double", "K4.Q83.A652.KJ94", "1S X XX 2C P P", "N", "X"),
    ("a raise of an overcall behind the response", "Q84.972.KJ65.942", "1C P 1D 1S P", "N", "P"),
    ("with three trumps and seven points it is raised", "Q84.92.AJ652.942", "1C P 1H 1S P", "N", "2S"),
    ("a strong hand over a late double names their suit", "864.K2.AJ96.A432", "1D P 1S P 2S X P", "N", "3S"),
    ("a balancing double with a strong hand is followed by its suit", "AKQT2.A85.K4.964", "1D P P X P 2C P", "N", "2S"),
    ("over their bid the aces are still told", "KJ942.A4.QJ63.42", "1S P 3S P 4NT 5H", "N", "P"),
]


@pytest.mark.parametrize(("claim", "hand", "auction", "dealer", "call"), CASES, ids=[case[0] for case in CASES])
def test_second_rounds(claim: str, hand: str, auction: str, dealer: str, call: str) -> None:
    """The claim of each case."""
    assert str(Bidder("sayc").call(hand, auction, dealer)).replace("Pass", "P") == call
