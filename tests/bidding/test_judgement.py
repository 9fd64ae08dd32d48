"""Judgement by sampling: layouts agree with the auction, agreements stand, and decisions are the same each time, and bounded."""

from __future__ import annotations

import numpy as np
import pytest

from bridgespec import Bidder
from bridgespec.bidding import bidder as bidding
from bridgespec.bidding.judgement import CALLS, CallJudge, deal_unseen
from bridgespec.bidding.turn import CALL_NAMES, Turn
from bridgespec.model.evaluate import TERMS, HandBits, evaluate, hand_of
from bridgespec.model.generator import chunks
from tests.bidding import sayc

STRONG = hand_of(".AK6.AQJ6543.AQ2")
LATE = "2C P 2D P 3D P 3S P"


def judge(bidder: Bidder, samples: int = 12) -> CallJudge:
    """A judge of the bidder's dealer from North."""
    return CallJudge(bidder._engine(bidding.Seat.NORTH), samples, 1)


def test_layouts_agree_with_the_auction() -> None:
    """Each is a deal with the hand that is seen, and in which the others hold what their calls have shown."""
    turn = sayc().turn("1N P 2H P 2S P 3N P")
    hand = hand_of("K73.AQ5.KQJ4.T92")
    found = deal_unseen(turn, 0, hand, 40, seed=3)
    assert len(found) == 40 <= found.tried
    for hands, holders in zip(found.hands, found.holders, strict=True):
        assert hands[0] == hand
        assert np.bincount(holders).tolist() == [13] * 4
        assert all(sum(holding.bit_count() for holding in one) == 13 for one in hands)
        partner = evaluate(hands[2])
        assert partner[TERMS["length.0"]] == 5
        assert 8 <= partner[TERMS["hcp"]] <= 16
    again = deal_unseen(turn, 0, hand, 40, seed=3)
    assert np.array_equal(again.holders, found.holders)
    assert not np.array_equal(deal_unseen(turn, 0, hand, 40, seed=4).holders, found.holders)


def test_what_no_layout_agrees_with_ends() -> None:
    """Opposite hands that the seen one leaves no cards for, the rules' call stands and nothing is solved."""
    turn = sayc().turn("1N P 3N P")
    hand = hand_of("AKQ2.AKQ.AKQ.AK2")
    assert len(deal_unseen(turn, 0, hand, 10, seed=1)) == 0
    judging = judge(sayc())
    assert judging.choose(turn, hand) == (judging.engine.choose(turn, hand).call, 0)


@pytest.mark.parametrize(
    ("hand", "auction"),
    [
        ("AKQ95.AT3.KJ2.97", ""),
        ("KQ732.K65.AJ7.92", "1N P"),
        ("AQ6.K9743.Q4.K86", "1H P 3H P 4N P"),
    ],
)
def test_agreements_are_not_judged(hand: str, auction: str) -> None:
    """An opening, a transfer and the answer to a question are what they are."""
    bidder = sayc()
    turn = bidder.turn(auction)
    assert judge(bidder).calls(turn, hand_of(hand)) == [bidder._engine(bidding.Seat.NORTH).choose(turn, hand_of(hand)).call]


@pytest.mark.long
def test_a_slam_is_found_where_the_rules_stop() -> None:
    """Three notrump is what remains in the rules; six diamonds are better on nearly every layout, each time it is asked."""
    bidder = sayc()
    turn = bidder.turn(LATE)
    calls = [CALL_NAMES[call] for call in judge(bidder).calls(turn, STRONG)]
    assert calls[0] == "3NT"
    assert "6D" in calls
    assert len(calls) <= CALLS
    judged = Bidder("sayc", samples=32)
    assert str(bidder.call(STRONG, LATE)) == "3NT"
    assert str(judged.call(STRONG, LATE)) == str(judged.call(STRONG, LATE)) == "6D"


@pytest.mark.long
def test_decisions_of_an_auction_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many calls are open to doubt, only so many are judged."""
    used = []

    def choose(self: CallJudge, turn: Turn, hand: HandBits) -> tuple[int, int]:
        used.append(turn.calls)
        return self.engine.choose(turn, hand).call, 1

    monkeypatch.setattr(CallJudge, "choose", choose)
    (deals,) = chunks(0, 1)
    made = Bidder("sayc", samples=4).auction(bidding.Deal(deals[0].tobytes()), board=1)
    assert len(used) == min(bidding.DECISIONS, len(made.calls))


@pytest.mark.parametrize(
    ("hand", "auction", "judged"),
    [
        # The first layouts are against these calls, but by less than the error of their mean: all layouts find for them.
        ("AT3.JT84.A943.KJ", "1D P 3D P", "3NT"),
        # The rules bid three notrump here.
        ("AT83.K8.A9432.KT", "1D P 3D P", "Pass"),
        # Two hearts and four hearts gain on the mean, but by less than its error: the call of the rules stands.
        ("Q9752.QJ9.T874.6", "P 1H 2C", "Pass"),
        ("J84.QJ983.AT73.A", "1H 3S X P", "4D"),
    ],
)
def test_doubt_is_measured_by_the_error_of_the_mean(hand: str, auction: str, judged: str) -> None:
    """A call is dropped early only if it loses by more than the error, and preferred only if it gains by more than that."""
    assert str(Bidder("sayc", samples=24).call(hand, auction)) == judged
