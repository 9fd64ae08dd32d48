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
    ("opener has the suit that the negative double asked for, a minimum", "53.KQ42.KJ864.A5", "1D 1S X P", "N", "2H"),
    ("and with their raise before him he passes a minimum without it", "AQ3.72.KQ864.K54", "1D 1S X 2S", "N", "P"),
    ("with shape enough for game he bids it", "AQ3.AJ42.KQ864.5", "1D 1S X 2S", "N", "4H"),
    ("over a jump the double is answered in notrump with a stopper", "AQ3.72.KQ864.K54", "1D 3S X P", "N", "3NT"),
    ("after his negative double responder passes with a minimum", "53.QJ42.86.K9754", "1D 1S X P 2H P", "N", "P"),
    ("and bids game with an opening of his own", "53.KQ42.KJ864.A5", "1D 1S X P 2H P", "N", "4H"),
    ("with the strength for game, no stopper and no fit he bids their suit", "AKJ2.985.654.KJ3", "1D 1H X P 2C P", "N", "2H"),
    ("a minimum without a fit passes opener's suit", "KJ62.985.65.KJ43", "1D 1H X P 2C P", "N", "P"),
    ("their suit asks for a raise of the overcaller's over their bid", "K84.92.AKJ52.942", "1C 1S 2C", "N", "3C"),
    ("a strong double is repeated over a jump", "AQ8.Q4.AKJ94.KQ3", "1S X 3S P P", "N", "X"),
    ("a minimum is not", "AQ82.4.AQJ4.Q943", "1S X 3S P P", "N", "P"),
    ("a singleton of theirs doubles, with a five-card minor too", "6.AT4.KQ64.AQ974", "1S", "N", "X"),
    ("opener with eighteen balanced jumps in notrump over their overcall", "KQJ6.AJ5.AK9.932", "1C P 1H 1S", "N", "2NT"),
    ("responder who was silent leaves the reopening double with their suit", "AQT53.42.86.K975", "1D 1S P P X P", "N", "P"),
    ("and answers it weakly without", "853.Q942.86.K975", "1D 1S P P X P", "N", "2H"),
    ("a raised overcall of fourteen stops", "KQJ52.A4.K86.953", "1D 1S P 2S P", "N", "P"),
    ("of nineteen it goes to game", "KQJ52.A4.AK6.Q53", "1D 1S P 2S P", "N", "4S"),
    ("an overcall with six cards is bid again over notrump", "KQJ532.A4.Q6.953", "1D 1S P 1NT P", "N", "2S"),
    ("a doubler with no more than he promised passes", "AK42.4.KQ86.K853", "1H X P 1NT P", "N", "P"),
    ("and shows a long suit with more", "AKQ52.4.AQ86.KJ3", "1H X P 1NT P", "N", "2S"),
    ("he answers a cue bid with four spades", "AQ42.4.KQ86.K853", "1H X P 2H P", "N", "2S"),
    ("and takes a jump to game with a singleton", "AQ42.4.KQ86.K853", "1H X P 2S P", "N", "4S"),
    ("three trumps raise a weak two over a double", "83.Q84.J652.A743", "2H X", "N", "3H"),
    ("the preempter does not bid again", "4.KQJ973.J65.743", "2H P P 2S", "E", "P"),
    ("a five-card major balances before a double", "K9742.83.KQ5.743", "1H P 2H P P", "N", "2S"),
    ("both minors balance by two notrump", "A2.83.KQ952.QJ43", "1H P 2H P P", "N", "2NT"),
    ("a short heart and the rest double", "K942.83.KQ52.A43", "1H P 2H P P", "N", "X"),
    ("a weak jump overcall is raised to the level of its trumps", "Q84.972.KJ65.A42", "1D 2S P", "N", "3S"),
    ("and asked with strength", "Q84.AK7.65.AKQ42", "1D 2S P", "N", "2NT"),
    ("a notrump that was overcalled doubles for penalties with trumps", "K84.QJ94.652.A42", "1NT 2H", "N", "X"),
    ("no double of a new suit is for penalties before partner has acted", "62.AK9762.AQ65.2", "1S P 2H", "N", "P"),
    ("a seven-card suit is overcalled, not doubled", "KQ86532.Q.J5.A64", "1D P 1H", "N", "1S"),
    ("a balancing double of a weak two is answered in notrump with a stopper", "A97.Q6.T72.AQ985", "2S P P X P", "N", "3NT"),
    ("and cheaply with little", "975.Q642.T72.A85", "2S P P X P", "N", "3H"),
    ("a notrump with their suit stopped invites, and a sound minimum accepts", "KQ5.A84.KJ432.53", "1D 1S 2NT P", "N", "3NT"),
    ("a minimum of scattered honours declines", "Q5.A84.KJ432.QT3", "1D 1S 2NT P", "N", "P"),
    ("over their bid the aces are still told", "KJ942.A4.QJ63.42", "1S P 3S P 4NT 5H", "N", "P"),
]


@pytest.mark.parametrize(("claim", "hand", "auction", "dealer", "call"), CASES, ids=[case[0] for case in CASES])
def test_second_rounds(claim: str, hand: str, auction: str, dealer: str, call: str) -> None:
    """The claim of each case."""
    assert str(Bidder("sayc").call(hand, auction, dealer)).replace("Pass", "P") == call
