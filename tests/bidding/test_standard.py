"""Auctions of each convention of Standard American, by the name of its file, after the ACBL's SAYC System Booklet."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.language import SHIPPED
from bridgespec.bidding.turn import CALL_NAMES, number_of
from bridgespec.model.auction import Call
from bridgespec.model.evaluate import hand_of
from tests.bidding import load

CASES = {
    "openings": [
        ("AQ5.KJ4.KQ83.J74", "", "1NT"),
        ("AQ5.KJ4.KQ83.AJ4", "", "2NT"),
        ("KQJ82.AK743.6.54", "", "1S"),
        ("AQ54.KJ43.K83.54", "", "1D"),
        ("AQ5.KJ4.83.QJ742", "", "1C"),
    ],
    "strong-two-clubs": [
        ("AKQJ52.AKQ.A4.K3", "", "2C"),
        ("843.J72.Q9654.82", "2C P", "2D"),
        ("AKQJ52.AKQ.A4.K3", "2C P 2D P", "2S"),
        ("AK5.KQJ.AQ84.KQ3", "2C P 2D P", "2NT"),
    ],
    "two-clubs-notrump": [("K43.J72.Q965.832", "2C P 2D P 2NT P", "3NT")],
    "weak-twos": [
        ("KQJ843.72.J54.83", "", "2S"),
        ("AQ.AQ82.KQ93.Q74", "2S P", "2NT"),
        ("KQJ843.72.K54.83", "2S P 2NT P", "3D"),
        ("KQT843.72.J54.83", "2S P 2NT P", "3S"),
    ],
    "preempts": [("KQJ8432.7.J54.83", "", "3S"), ("AK5.AQ82.KQ93.74", "3S P", "4S")],
    "gerber": [
        ("AK4.2.KQ5.KQJ743", "1NT P", "4C"),
        ("AQ5.KJ4.KJ83.A74", "1NT P 4C P", "4S"),
    ],
    "blackwood": [
        ("K9542.A73.KQ3.82", "1S P 3S P 4NT P", "5D"),
        ("K9542.A73.AQ3.82", "1S P 3S P 4NT P", "5H"),
    ],
    "grand-slam-force": [("KQ862.A73.Q5.J82", "1S P 5NT P", "7S"), ("K9862.AQ3.Q5.J82", "1S P 5NT P", "6S")],
    "stayman": [
        ("AQ72.K4.J852.Q93", "1NT P", "2C"),
        ("KQ5.AJ84.KQ83.J7", "1NT P 2C P", "2H"),
        ("KQ5.AJ8.KQ83.J74", "1NT P 2C P", "2D"),
        ("AQ72.K4.J852.Q93", "1NT P 2C P 2D P", "3NT"),
        ("AQ72.K4.J852.Q93", "1NT P 2C P 2S P", "4S"),
    ],
    "transfers": [
        ("84.KQ962.J52.843", "1NT P", "2D"),
        ("84.KQ962.J52.843", "1NT P 2D P 2H P", "Pass"),
        ("Q9862.84.K52.Q84", "1NT P 2H P 2S P", "2NT"),
        ("AQ962.84.KJ5.Q43", "1NT P 2H P 2S P", "3NT"),
        ("82.5.QJ8643.J842", "1NT P", "2S"),
    ],
    "notrump-responses": [("Q72.K4.J8532.Q93", "1NT P", "2NT"), ("Q72.K43.AJ52.Q93", "1NT P", "3NT")],
    "jacoby-two-notrump": [
        ("KJ72.A4.KQ52.Q93", "1S P", "2NT"),
        ("AQ843.KJ4.KQ83.7", "1S P 2NT P", "3C"),
        ("AQ843.KJ4.Q83.74", "1S P 2NT P", "4S"),
    ],
    "major-responses": [
        ("Q72.A4.Q852.9743", "1S P", "2S"),
        ("QJ72.A4.KJ52.943", "1S P", "3S"),
        ("QJ762.4.K8642.93", "1S P", "4S"),
        ("72.A94.QJ52.Q943", "1S P", "1NT"),
        ("72.AQ984.K52.Q93", "1S P", "2H"),
    ],
    "minor-responses": [
        ("QJ7.A4.KQ852.943", "1C P", "1D"),
        ("K972.Q984.Q8.943", "1D P", "1H"),
        ("K97.A84.KQ52.Q93", "1C P", "1D"),
        ("72.A94.QJ952.943", "1D P", "2D"),
    ],
    "fourth-suit": [("AQJ72.A84.Q4.943", "1D P 1S P 2C P", "2H")],
    "opener-rebids": [
        ("AJ4.K72.KJ52.Q93", "1D P 1S P", "1NT"),
        ("AJ84.72.KJ852.A3", "1D P 1S P", "2S"),
        ("A4.AQ72.AKJ52.93", "1D P 1S P", "2H"),
        ("4.KJ7.AQJ752.Q93", "1D P 1S P", "2D"),
    ],
    "responder-rebids": [
        ("KQ9762.72.J52.93", "1D P 1S P 1NT P", "2S"),
        ("KQ976.72.AJ52.93", "1D P 1S P 2S P", "3S"),
        ("A976.Q72.J52.943", "1D P 1S P 2C P", "2D"),
    ],
    "michaels": [("KQJ84.KJ962.4.82", "1D", "2D"), ("KQJ84.4.KJ962.82", "1H", "2H")],
    "unusual-notrump": [("4.82.KQJ84.KJ962", "1S", "2NT")],
    "notrump-defence": [("KQJ964.A4.K52.93", "1NT", "2C"), ("KQJ84.KJ962.4.82", "1NT", "2D")],
    "takeout-doubles": [
        ("KQ84.AJ62.K942.8", "1C", "X"),
        ("KJ84.62.Q942.J83", "1H X P", "1S"),
        ("KJ84.62.AQ42.J83", "1H X P", "2S"),
    ],
    "overcalls": [("KQJ84.62.A942.83", "1D", "1S"), ("K84.962.A942.J83", "1D 1S P", "2S"), ("KQJ842.62.942.83", "1D", "2S")],
    "negative-doubles": [("84.KJ62.Q942.K83", "1D 1S", "X"), ("Q84.K62.94.AJ983", "1S 2D", "2S")],
    "balancing": [("K942.83.KQ52.A43", "1H P 2H P P", "X")],
    "notrump-interference": [("KQJ962.84.A42.83", "1NT 2H", "4S"), ("62.KJT4.84.A9832", "1NT 2H", "X")],
    "preempt-competition": [("Q84.62.K942.A983", "2S X", "3S")],
}
ELSEWHERE = {
    "competition", "doubler-rebids", "natural", "opener-contested", "overcaller-rebids", "responder-contested", "slams",
    "bergen", "checkback", "drury", "game-forcing-rebids", "inverted-minors", "key-cards", "ogust", "responsive-doubles",
    "splinters", "support-doubles", "texas-smolen", "two-over-one-responses",
    "precision-club", "precision-limited", "precision-openings",
}  # fmt: skip
"""Conventions whose auctions are in `test_competition`, `test_two_over_one` and `test_precision`."""


@pytest.mark.parametrize("convention", CASES)
def test_a_convention_is_bid(convention: str) -> None:
    """Each call is that of the booklet, and a rule of this file makes it."""
    system = load()
    engine = BiddingEngine(system, system)
    made = set()
    for hand, auction, call in CASES[convention]:
        turn = engine.start((False, False))
        for word in auction.split():
            turn = engine.after(turn, number_of(Call.parse(word)))
        choice = engine.choose(turn, hand_of(hand))
        assert CALL_NAMES[choice.call] == call, (hand, auction)
        if choice.candidate is not None:
            made.add(Path(str(choice.candidate.rule.rule.place).partition(".bid:")[0]).name)
    assert convention in made


def test_every_convention_has_its_auctions() -> None:
    """A file among the conventions without an auction in the tests is one that nobody tried."""
    assert {path.stem for path in (SHIPPED / "conventions").glob("*.bid")} == CASES.keys() | ELSEWHERE
