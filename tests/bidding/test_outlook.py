"""What a caller expects of hands that it does not see, against hands that were dealt, and of contracts."""

from __future__ import annotations

import numpy as np
import pytest

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.condition import Expected
from bridgespec.bidding.knowledge import HCP, LENGTH, KnownHand
from bridgespec.bidding.outlook import expectation, partner_mean, trick_features, tricks, undertricks
from bridgespec.bidding.turn import Turn
from bridgespec.model.evaluate import Evaluated, evaluate, hand_of


def test_a_hand_of_which_nothing_is_known_is_an_average_one() -> None:
    """The expectation of a hand without any knowledge is ten points and 3.25 cards in each suit."""
    found = expectation(KnownHand())
    assert found.means == pytest.approx((10, 3.25, 3.25, 3.25, 3.25), abs=0.01)


def test_ranges_move_the_mean() -> None:
    """A notrump of 15-17 has 15.8 points on average, not 16."""
    known = KnownHand().meet([{HCP: (15, 17), LENGTH[0]: (2, 5)}])
    assert known is not None
    assert expectation(known).means[0] == pytest.approx(15.8, abs=0.15)


def test_a_hand_that_no_pool_has_is_known_by_its_ranges() -> None:
    """Where no sampled hand fits what is known, the mean follows from the ranges alone."""
    known = KnownHand().meet([{LENGTH[0]: (12, 12)}])
    assert known is not None
    assert expectation(known).means[1] == 12


def test_partner_has_what_the_others_and_the_caller_have_not() -> None:
    """Before a call each of the others has a third of what the caller has not."""
    mean, less = partner_mean(Turn(), 0)
    assert mean - less * 10 == pytest.approx(10, abs=0.01)
    assert mean - less * 19 == pytest.approx(7, abs=0.1)


def test_more_trumps_and_points_beat_a_contract_by_more() -> None:
    """A hand with more points, and one with more trumps beside them, expects more undertricks; a weak one does not double."""
    bidder = Bidder("sayc")
    turn = bidder.turn("1S P 2S P 4S P P")
    number, weights = undertricks(turn)
    expected = Expected("undertricks", number, weights, 1, 99)
    weak, strong, trumps = (
        evaluate(hand_of(text)) for text in ("82.J953.T84.9762", "82.AK53.KQ4.A762", "KJ98.AK53.KQ4.62")
    )  # fmt: skip
    assert expected.value(weak) < expected.value(strong) < expected.value(trumps)
    assert not expected.fits(weak)
    assert expected.fits(trumps)


def test_one_hand_and_many_are_summed_alike() -> None:
    """The expected undertricks of a single hand equal those of the same hand in an array."""
    turn = Bidder("sayc").turn("1D P 1H P 3NT")
    hands = [hand_of(text) for text in ("KQ2.AJ94.QJ8.KQ2", "82.J953.T84.9762", "AKQJT98.2.A4.K62")]
    expected = Expected("undertricks", *undertricks(turn), 0.5, 99)
    many = Evaluated(np.array(hands).T)
    assert expected.holds(many).tolist() == [expected.fits(evaluate(hand)) for hand in hands]


@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        # Their keycard question is no contract.
        ("KQJ9.AJ94.Q8.754", "1D P 1S P 4NT", "Pass"),
        # A double over their raise asks for a suit.
        ("KQJ7.A54.Q82.754", "1S P 2S", "Pass"),
    ],
)
def test_what_is_not_doubled(hand: str, auction: str, call: str) -> None:
    """A hand without the defence for it makes the listed call, and not a penalty double."""
    assert str(Bidder("sayc").call(hand, auction)) == call


def _tricks(hand: str, auction: str, suit: int | None) -> float:
    number, weights = tricks(Bidder("sayc").turn(auction), suit)
    return Expected("tricks", number, weights, 0, 13).value(evaluate(hand_of(hand)))


def test_tricks_rise_with_points_trumps_and_shortness_that_ruffs() -> None:
    """Opposite a raise of spades each of them is worth a part of a trick, and a singleton without trumps nothing."""
    plain = _tricks("AK952.K84.Q83.J4", "1S P 2S P", 0)
    assert _tricks("AK952.A84.Q83.J4", "1S P 2S P", 0) > plain + 0.3
    assert _tricks("AK9652.K84.Q83.J", "1S P 2S P", 0) > plain + 0.6
    # With trumps alone in partner's hand the shortness of the caller does not ruff.
    assert _tricks("42.AKJ84.KQ832.4", "1S P", 0) < _tricks("942.AKJ84.KQ83.4", "1S P", 0)


def test_honours_opposite_partners_length_are_worth_more_in_notrump_than_their_points_alone_say() -> None:
    """What partner has shown moves the expectation by what the table counts for it, no more."""
    turn = Bidder("sayc").turn("1NT P")
    number, weights = tricks(turn, None)
    values = evaluate(hand_of("Q83.K84.KQ832.J4"))
    assert Expected("tricks", number, weights, 0, 13).value(values) == pytest.approx(8.9, abs=0.6)
    assert set(trick_features(turn, None)) != set(trick_features(turn, 0))
