"""Auctions of each convention of Standard American, by the name of its file, after the ACBL's SAYC System Booklet.

What the second rounds of contested auctions must do, each with a hand on either side of the border.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.bidding.bidder import Bidder
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
"""Conventions whose auctions are in `SECOND_ROUNDS`, `test_two_over_one` and `test_precision`."""


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
            made.add(Path(str(choice.candidate.rule.written.place).partition(".bid:")[0]).name)
    assert convention in made


def test_every_convention_has_its_auctions() -> None:
    """A file among the conventions without an auction in the tests is one that nobody tried."""
    assert {path.stem for path in (SHIPPED / "conventions").glob("*.bid")} == CASES.keys() | ELSEWHERE


SECOND_ROUNDS = [
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
    ("a strong hand doubles after both opponents have bid", "AQT954.A4.AQ63.A", "1C P 1H", "N", "X"),
    ("thirteen with three of their suit do not", "A963.K942.A5.Q83", "1H P 1S", "N", "P"),
    ("a double of the answer of one notrump is for takeout of the opening", "KQ54.3.AQ62.K952", "1H P 1NT", "N", "X"),
    ("without shortness in it a strong hand passes", "K54.KQ3.AJ6.K952", "1H P 1NT", "N", "P"),
    ("a raise does not silence a strong hand", "A3.A5.AQ6532.AQ8", "1H P 2H", "N", "X"),
    ("balanced without a stopper, fifteen double", "AQ73.872.KQ4.AQ5", "1H", "N", "X"),
    ("the doubler of two suits raises with four trumps and extra strength", "KQJ4.A3.82.KQ873", "1D P 1H X P 1S P", "N", "2S"),
    ("and passes with a minimum", "AQJ4.A3.82.Q9873", "1D P 1H X P 1S P", "N", "P"),
    ("eighteen balanced bid notrump over the answer at two", "AQ.AKT8.KQ765.T7", "1D X P 2C P", "N", "2NT"),
    ("a strong hand of no such shape asks with their suit", "AK73.AKQ.83.AQ94", "1D X P 2C P", "N", "3D"),
    ("advancer shows his stopper", "J852.94.KJ6.J952", "1D X P 2C P 3D P", "N", "3NT"),
    ("or the suit again", "J852.94.763.K952", "1D X P 2C P 3D P", "N", "3S"),
    ("a free bid at the two level and nineteen balanced make a game", "AKT.AJ3.A3.K9542", "1D X 2D 2S P", "N", "3NT"),
    ("a doubler of fourteen passes it", "KQ52.AJ63.83.K94", "1D X 2D 2S P", "N", "P"),
    ("over a rebid after a balancing double a weak hand passes", "Q8653.J942.4.T83", "1H P P X 2H", "N", "P"),
    ("with eight points and four spades it competes", "K9653.42.A94.T83", "1H P P X 2H", "N", "2S"),
    ("over a raise of the doubled suit a weak hand passes", "Q7652.J3.KJ54.95", "1H P 2H X 3H", "N", "P"),
    ("nine points with spades compete", "KQ752.93.QJ54.95", "1H P 2H X 3H", "N", "3S"),
    ("a second negative over their overcall of two clubs doubles", "J632.94.8532.762", "2C 2H", "N", "X"),
    ("some values pass over it", "K632.94.Q532.762", "2C 2H", "N", "P"),
    ("a suit with seven points forces to game", "KQ9632.94.Q52.76", "2C 2H", "N", "2S"),
    ("opener has another turn after a pass: balanced with a stopper", "AKJ3.AQ4.AQ64.A3", "2C 2H P P", "N", "2NT"),
    ("his long suit forces", "AKQJ64.4.AK4.AQ3", "2C 2H P P", "N", "2S"),
    ("and the rest double", "AKJ3.84.AKQ4.AK3", "2C 2H P P", "N", "X"),
    ("the double is left in with four trumps", "K2.J942.Q53.8762", "2C 2H P P X P", "N", "P"),
    ("over a double of two clubs two diamonds waits", "K632.94.Q532.762", "2C X", "N", "2D"),
    ("opener answers Stayman over a double", "AK84.A843.KQJ.K8", "2NT P 3C X", "N", "3H"),
    ("three trumps complete the doubled transfer", "AK84.A84.KQJ8.K8", "2NT P 3D X", "N", "3H"),
    ("two do not", "AK84.A8.KQJ84.K8", "2NT P 3D X", "N", "P"),
    ("then the long suit is bid by its owner", "84.KQ9652.84.743", "2NT P 3D X P P", "N", "4H"),
    ("five of both majors are shown in turn", "QJ852.KJ942.8.54", "2NT P 3H P 3S P", "N", "4H"),
    ("over an overcall of two notrump values double", "K863.84.Q952.J87", "2NT 3H", "N", "X"),
    ("a double of two clubs over one notrump is Stayman: game with the fit", "K863.A4.QT52.J87", "1NT 2C X P 2S P", "N", "4S"),
    ("the doubled transfer goes on as if it was not", "84.KQ962.J52.843", "1NT P 2D X 2H P", "N", "P"),
    ("with five hearts and four spades an invitation is bid at two", "Q542.KQ986.64.85", "1NT P 2C P 2D P", "N", "2H"),
    ("opener bids on over a double of the waiting bid", "AQJT7.AKJ.AK42.T", "2C P 2D X", "N", "2S"),
    ("seven spades are bid over their opening at four", "AKQ9542.4.K.A753", "4H", "N", "4S"),
    ("six hearts and eight points with a singleton invite after a transfer", "Q32.KT8643.J876.", "1NT P 2D P 2H P", "N", "3H"),
    ("seven cards go to game", "4.AT87543.T72.J7", "1NT P 2D P 2H P", "N", "4H"),
    ("an invitation after Stayman needs no more than eight points", "A972.JT8.J53.Q93", "1NT P 2C P 2S P", "N", "3S"),
    ("a long suit is bid in place of a preference with one card", "T.72.T942.AKJT53", "1S P 1NT P 2H P", "N", "3C"),
    ("twenty without a fit ask with their suit", "AQ9.AK85.AK9.J98", "1C X P 1D P", "N", "2C"),
    ("a strong doubler asks for a stopper after a jump", "J83.AK6.KQ2.AKJ9", "1S X P 3D P", "N", "3S"),
    ("the jump answer to a balancing double is declined with a minimum", "98632.KT7.K5.KQ9", "1D P P X P 2H P", "N", "P"),
    ("nine points and the unbid suits double a new suit", "A4.742.KQ94.Q972", "1S X 2H", "N", "X"),
    ("four trumps raise over a jump with nine points", "K97.J975.KJ8.QT7", "1H 3S", "N", "4H"),
    ("short in their overcall, opener doubles it for takeout", "AQT85.4.KQ5.A974", "1S P 1NT 2H", "N", "X"),
    ("with a minimum he passes", "AQT85.42.KQ5.J97", "1S P 1NT 2H", "N", "P"),
    ("advancer raises the overcall of a weak two to compete", "K86.54.A9743.J85", "2H 2S 3H", "N", "3S"),
    ("or doubles with values and two trumps", "K6.542.AQ74.K985", "2H 2S 3H", "N", "X"),
    ("responder accepts in notrump with a stopper", "K875.AQ7.52.KJ98", "1D 2C X P 3H P", "N", "3NT"),
    ("an opening of his own behind the response asks with their suit", "76.AK96.KQT73.85", "1S X 2C", "N", "2S"),
    ("a hand of two six-card suits opens in the fourth seat", "6.QJ8763..AKQT86", "P P P", "N", "1H"),
    ("a jump over responder's suit is raised to game with sixteen support points", "AK83.K65.72.KQ62", "1D X 1H 2S P", "N", "4S"),
    ("and left with a minimum", "QT83.K65.A7.QT62", "1D X 1H 2S P", "N", "P"),
    ("opener accepts the raise after the double that was Stayman", "AKT6.AJ5.A94.T94", "1NT 2C X P 2S P 3S P", "N", "4S"),
    ("or declines with fifteen", "AKT6.QJ5.A94.T94", "1NT 2C X P 2S P 3S P", "N", "P"),
    ("five of each are bid before a double that shows shortness", "AJ864.AQ532.65.4", "1S P 1NT 2C", "N", "2H"),
    ("six spades are bid over responder's bid", "K98652.A62.K7.T8", "1C 1D 1H", "N", "1S"),
    ("four trumps raise the overcall over a negative double", "83.AKT5.8653.JT3", "1C 1H X", "N", "2H"),
    ("three small ones and little do not", "Q84.972.J65.9642", "1C 1H X", "N", "P"),
    ("answers of Stayman that are doubled are answered as if they were not", "K542.A432.2.JT93", "1NT P 2C P 2D X", "N", "2NT"),
    ("four small trumps do not double an opening at four", "KQ732.932.K962.4", "4D", "N", "P"),
    ("in the balancing seat thirteen do", "AQ32.AT3.K962.94", "4C P P", "N", "X"),
    ("the double of four of a minor is answered in a major of four", "JT85.AKT7..J9752", "4D X P", "N", "4S"),
    ("eight solid cards are bid over their game", ".K.KJ65.AKQJ6542", "1C 2C P 4H", "N", "5C"),
    ("not over their notrump", ".K3.KJ65.KQJ6542", "1C X P 3NT", "N", "P"),
    ("opener's jump over the double is followed by their suit, for a stopper", "KJ32.AQT6.864.T7", "1C 1D X P 3C P", "N", "3D"),
    ("by notrump with one", "KJ32.AQ6.K64.T72", "1C 1D X P 3C P", "N", "3NT"),
    ("nineteen with four trumps go on opposite the answer of a weak hand", "T4.AQ98.AKQJ.K76", "1D 2S P P X P 3H P", "N", "4H"),
    ("fifteen do not", "T4.AQ98.AQJ4.Q76", "1D 2S P P X P 3H P", "N", "P"),
    ("the long suit is named when the relay is doubled", "AKQ972.54.94.T98", "1NT 2C P 2D X", "N", "2S"),
    ("a strong two clubs is not doubled with four small ones", "93.K75.J973.JT73", "2C", "N", "P"),
    ("a singleton balances with eight", "4.Q98.KT873.QJT9", "1S P P", "N", "X"),
    ("after a double of their two suits trumps double what they run to", "QJ94.K8.Q864.JT7", "1D 2D X P P 2S", "N", "X"),
    ("the doubler waits for partner with two small ones", "53.AQ2.KQJ84.K75", "1D 2D X 2S", "N", "P"),
    ("a void in their raised weak two doubles again", "KJ3..AJ9843.AKT6", "2H X 3H P P", "N", "X"),
    ("a minimum does not", "KJ32.4.AQ84.K953", "2H X 3H P P", "N", "P"),
    ("eight spades go to game over their raise", "KJT98763.95.T97.", "2H X 3H", "N", "4S"),
    ("five-five without strength corrects an invitation", "KJ874.A62.KJT52.", "1S P 1NT P 2D P 2NT P", "N", "3D"),
    ("nineteen balanced bid game over a weak jump raise", "AQ84.K85.KQ53.AK", "1D X 3D P", "N", "3NT"),
    ("a minimum does not", "AQ84.K85.KQ53.74", "1D X 3D P", "N", "P"),
    ("the long suit was clubs: the double stays in", "K54.A2.83.KQT976", "1NT 2C X P P", "N", "P"),
    ("another long suit is named", "KQT976.A2.83.K54", "1NT 2C X P P", "N", "2S"),
    ("a balancing bid of one long suit is asked for it", "Q84.K75.J962.A93", "1NT P P 2C P", "N", "2D"),
    ("a penalty double by partner is left in", "AQJ952.KJ5.K4.83", "1D 1S P 1NT 2D 2S P P X P 3C X P", "N", "P"),
    ("four trumps and no suit leave the later double in", "K742.853.KQ4.Q95", "P P 1S P 1NT P 2S X P", "W", "P"),
    ("six hearts that partner knows of are not bid over three notrump", "K83.AKJ954.72.43", "2C P 2H P 3C P 3H P 3NT P", "N", "P"),
    ("two trumps opposite a suit bid twice take game without a stopper", "AQ852.J3.74.AQ85", "1H 2D 2S P 3H P", "N", "4H"),
    ("with a stopper it is notrump", "AQ852.J3.KJ4.Q85", "1H 2D 2S P 3H P", "N", "3NT"),
    ("a transfer is completed with twenty-one and four trumps", "AK32.AK2.A75.K72", "2NT P 3H P", "N", "3S"),
    ("six poor diamonds with five spades do not jump to slam", "T8654.A.Q97652.7", "2C P 2D P 2NT P", "N", "3H"),
]


@pytest.mark.slice(None, quick=40)
@pytest.mark.parametrize(("claim", "hand", "auction", "dealer", "call"), SECOND_ROUNDS, ids=[case[0] for case in SECOND_ROUNDS])
def test_second_rounds(claim: str, hand: str, auction: str, dealer: str, call: str) -> None:
    """The claim of each case."""
    assert str(Bidder("sayc").call(hand, auction, dealer)).replace("Pass", "P") == call
