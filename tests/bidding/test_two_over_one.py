"""The conventions of `two-over-one`, each with auctions of its own, and what Standard American shares with it."""

from __future__ import annotations

import pytest

from bridgespec.bidding.bidder import Bidder

CASES = {
    "key cards": [
        ("AQJ842.KQ5.AK4.3", "1S P 3D P", "4NT"),
        ("K853.A72.Q643.82", "1S P 3C P 4NT P", "5H"),
        ("Q853.AK2.9643.82", "1S P 3D P 4NT P", "5C"),
        ("AKJ842.KQ5.A4.K3", "1S P 3D P 4NT P 5C P", "6S"),
        ("AKJ842.KQ5.KQ4.A", "1S P 3D P 4NT P 5D P", "5S"),
        # One key card of four is missing, and the queen: it is asked for.
        ("AKJ84.KQ5.A4.KQ3", "1S P 3D P 4NT P 5C P", "5D"),
        ("Q853.J72.Q63.A82", "1S P 3D P 4NT P 5C P 5D P", "6S"),
        ("9853.K72.Q63.A82", "1S P 3D P 4NT P 5C P 5D P", "5S"),
        ("AKQJ84.KQ5.A4.AK", "1S P 3D P 4NT P 5C P", "5NT"),
        ("T953.A72.Q63.K82", "1S P 3D P 4NT P 5C P 5NT P", "6C"),
        ("T953.A72.QJ3.Q82", "1S P 3D P 4NT P 5C P 5NT P", "6S"),
        # With three rather than none, slam is bid over the sign-off.
        ("K853.A2.A643.982", "1S P 3D P 4NT P 5D P 5S P", "6S"),
        ("QJ53.QJ2.QJ43.Q2", "1S P 3D P 4NT P 5D P 5S P", "Pass"),
        # Over interference a double shows none, a pass one.
        ("KJ84.Q72.QJ3.Q82", "1S P 3D P 4NT 5H", "Pass"),
        ("QJ84.K72.QJ3.Q82", "1S P 3D P 4NT 5H", "X"),
    ],
    "splinters": [
        ("KQ53.AJ42.6.Q842", "1S P", "4D"),
        ("KQ53.6.AJ42.Q842", "1S P", "4H"),
        ("6.KQ53.AJ42.Q842", "1H P", "3S"),
        ("AQ842.K85.KQ4.83", "1S P 4D P", "4S"),
        ("AQ9842.AK5.832.A", "1S P 4D P", "4NT"),
    ],
    "bergen": [
        ("Q853.A2.9643.982", "1S P", "3C"),
        ("K853.A2.Q643.982", "1S P", "3D"),
        ("Q853.72.9643.982", "1S P", "3S"),
        ("Q8532.2.9643.982", "1S P", "4S"),
        ("AQJ42.KQ5.A84.83", "1S P 3D P", "4S"),
    ],
    "drury": [
        ("K853.A2.Q643.K82", "P P 1S P", "2C"),
        ("AQJ42.KQ5.A84.83", "P P 1S P 2C P", "4S"),
        ("AQJ42.KQ5.984.83", "P P 1S P 2C P", "2D"),
        ("AQJ42.Q65.984.83", "P P 1S P 2C P", "2S"),
    ],
    "inverted minors": [
        ("K4.A72.KJ953.982", "1D P", "2D"),
        ("K4.72.QJ9532.982", "1D P", "3D"),
        ("KQ4.K72.KQ53.982", "1D P 2D P", "2NT"),
        ("A74.Q72.QJ953.K2", "1D P 2D P 2NT P", "3NT"),
        # By a passed hand the raise is not the strong one: six to ten, and a try for game is answered.
        ("AT6.QT4.QJ3.7432", "P P 1C P 2C P 2S P", "3NT"),
    ],
    "checkback": [
        ("KJ953.A72.Q63.82", "1D P 1S P 1NT P", "2C"),
        ("AQ4.K72.KQ53.982", "1D P 1S P 1NT P 2C P", "3S"),
        ("KQ4.J72.KQ53.Q82", "1D P 1S P 1NT P 2C P", "2S"),
    ],
    "support doubles": [
        ("A84.K72.KQ53.J82", "1D P 1H 1S", "X"),
        ("A84.K972.KQ53.82", "1D P 1H 1S", "2H"),
        # A double shows three cards of the response, no other strength.
        ("Q4.AK96542.AK85.", "1H P 1S 2C", "4H"),
    ],
    "responsive and maximal doubles": [
        ("KQ53.KJ74.84.982", "1D X 2D", "X"),
        ("84.K72.QJ53.Q982", "1S X 2S", "X"),
        ("AQJ42.KJ5.A84.Q3", "1S 2H 2S 3H", "X"),
        ("AQJ842.KJ5.984.3", "1S 2H 2S 3H", "3S"),
        ("KQ5.84.A764.9842", "1S 2H 2S 3H X P", "4S"),
        ("J75.J84.9764.KQ2", "1S 2H 2S 3H X P", "3S"),
    ],
    "ogust": [
        ("KQJ842.75.A84.83", "2S P 2NT P", "3S"),
        ("KJ9842.75.Q84.83", "2S P 2NT P", "3C"),
    ],
    "texas and smolen": [
        ("Q85.KJ9752.A4.82", "1NT P", "4D"),
        ("A4.Q72.KQ53.AJ82", "1NT P 4D P", "4H"),
        ("AQ842.K985.A4.83", "1NT P 2C P 2D P", "3H"),
        ("K74.Q72.KQ53.AJ8", "1NT P 2C P 2D P 3H P", "4S"),
        ("K7.Q72.KQ53.AJ82", "1NT P 2C P 2D P 3H P", "3NT"),
    ],
    "game forcing": [
        ("K4.A72.KJ953.A82", "1S P", "2D"),
        ("AQ842.K5.KQ43.83", "1S P 2D P", "3D"),
        ("AQ842.K95.KJ3.83", "1S P 2D P", "2NT"),
        ("AQ9842.K95.K3.83", "1S P 2D P", "2S"),
        ("AQ842.KJ95.K3.83", "1S P 2D P", "2H"),
        # One notrump is forcing: a minor of three cards is bid rather than passing.
        ("AQ842.K95.K3.832", "1S P 1NT P", "2C"),
    ],
}
STANDARD = [
    ("AKQJ84.AQ5.A4.K3", "1S P 3S P 4NT P 5D P", "5NT"),
    ("T953.A72.KQ3.K82", "1S P 3S P 4NT P 5D P 5NT P", "6H"),
    ("AQ842.K95.K3.832", "1S P 1NT P", "Pass"),
]


SLAMS = [
    ("a long minor and the tricks need no question opposite one notrump", "AJ2.52..KQJT6432", "1NT P", "6C"),
    ("with a trick less it is game", "AJ.52.J7.KQJT642", "1NT P", "3NT"),
    ("opener's long major over three notrump", "J3.AQJ972.A.A832", "1H P 3NT P", "6H"),
    ("four notrump never asks for a minor where partner has a major", "AJ52.T.AT8652.A9", "1H P 1S P 2D P", "3NT"),
    ("for the major it asks", "AK52.KQ43.A2.K95", "1H P 1S P 2D P", "4NT"),
]
LIMITED = ["1NT P 2C P 2H P 4H", "1D P 1S P 2S P 4S", "1D 1H 3NT", "2S P 4S", "3H P 4H", "1NT 2D 3NT", "1NT P 2H P 2S P 4S"]


@pytest.fixture(scope="module")
def bidder() -> Bidder:
    return Bidder("two-over-one")


@pytest.mark.parametrize("convention", CASES)
def test_a_convention_is_bid(bidder: Bidder, convention: str) -> None:
    """Every auction of the convention: the call of each hand, from the first question to the contract."""
    for hand, auction, call in CASES[convention]:
        assert str(bidder.call(hand, auction)) == call, (hand, auction)


@pytest.mark.parametrize(("hand", "auction", "call"), STANDARD)
def test_standard_american_asks_for_aces_and_kings(hand: str, auction: str, call: str) -> None:
    """Standard American asks with plain Blackwood, and passes 1NT where two over one may not."""
    assert str(Bidder("sayc").call(hand, auction)) == call


@pytest.mark.parametrize(("claim", "hand", "auction", "call"), SLAMS, ids=[case[0] for case in SLAMS])
def test_standard_american_bids_slams(claim: str, hand: str, auction: str, call: str) -> None:
    """Long suits opposite a limited balanced hand, and the trumps of a question for aces."""
    assert str(Bidder("sayc").call(hand, auction)) == call


@pytest.mark.parametrize("auction", LIMITED)
def test_games_have_an_upper_limit(auction: str) -> None:
    """Whoever bids game shows less than slam needs: partner knows the most that he may have."""
    knowledge = Bidder("sayc").knowledge(auction)
    caller = knowledge.of((len(auction.split()) - 1) % 4)
    assert caller.hcp[1] <= 20


def test_the_systems_differ() -> None:
    """A strong raise of a minor, a weak raise of a major and a game force mean something else in Standard American."""
    standard, modern = Bidder("sayc"), Bidder("two-over-one")
    for hand, auction in (("K4.A72.KJ953.982", "1D P"), ("Q853.72.9643.982", "1S P"), ("AQ842.K95.K3.832", "1S P 1NT P")):
        assert standard.call(hand, auction) != modern.call(hand, auction)
