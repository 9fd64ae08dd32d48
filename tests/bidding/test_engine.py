"""The engine: rules choose and explain, auctions are legal, forcing calls are not passed, knowledge is sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.engine import LONGEST_AUCTION, BiddingEngine
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, Turn
from bridgespec.errors import UsageError
from bridgespec.model.auction import Call, first_illegal
from bridgespec.model.evaluate import HandBits, evaluate, hand_of, holdings_of
from tests.bidding import load, sayc

DEALS = 300


@pytest.fixture(scope="module", params=["sayc", "two-over-one", "precision"])
def system(request: pytest.FixtureRequest) -> BiddingSystem:
    """Each system of the package."""
    return load(request.param)


@pytest.fixture(scope="module")
def hands() -> list[tuple[HandBits, HandBits, HandBits, HandBits]]:
    """Random deals as four hands."""
    rng = np.random.default_rng(11)
    deals = rng.permuted(np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (DEALS, 52)), axis=1)
    seats = [holdings_of(deals, seat) for seat in range(4)]
    return [tuple(tuple(int(v) for v in seats[s][:, row]) for s in range(4)) for row in range(DEALS)]  # type: ignore[misc]


@pytest.mark.long
def test_auctions_are_legal_and_end(system: BiddingSystem, hands: list[tuple[HandBits, HandBits, HandBits, HandBits]]) -> None:
    """No illegal call, no missing call, and no auction longer than the bound."""
    bidder = Bidder(system)
    engine = BiddingEngine(system, system)
    for row, four in enumerate(hands):
        end = engine.auction(four, (bool(row & 1), bool(row & 2)))
        calls = [Call.parse(name) for name in _names(end)]
        assert end.is_over
        assert first_illegal(calls) is None
        assert len(calls) <= LONGEST_AUCTION
        assert bidder.turn(calls).calls == end.calls


@pytest.mark.long
def test_forcing_calls_are_not_passed(system: BiddingSystem, hands: list[tuple[HandBits, HandBits, HandBits, HandBits]]) -> None:
    """Where partner's call forces and the opponent passed, the hand bids."""
    engine = BiddingEngine(system, system)
    for four in hands:
        turn = engine.start((False, False))
        while not turn.is_over:
            choice = engine.choose(turn, four[turn.me])
            assert choice.call != 0 or not turn.must_bid or turn.last > 33, _names(turn)
            turn = engine.after(turn, choice.call)


@pytest.mark.long
def test_what_is_known_is_mostly_true(system: BiddingSystem, hands: list[tuple[HandBits, HandBits, HandBits, HandBits]]) -> None:
    """The ranges that a call shows hold the hand that made it, but for the few that had no better call."""
    engine = BiddingEngine(system, system)
    told = right = 0
    for four in hands:
        end = engine.auction(four, (False, False))
        for place, hand in enumerate(four):
            values = evaluate(hand)
            low, high = end.known[place].hcp
            told += 1
            right += low <= values[0] <= high
    assert right / told > 0.97


def _names(turn: Turn) -> list[str]:
    return [CALL_NAMES[call] for call in turn.calls]


@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        ("AKQ95.AT3.KJ2.97", "", "1NT"),
        ("K83.AKQ543.AK.K4", "", "2C"),
        ("82.AKQT94.982.74", "", "2H"),
        ("Q732.K65.AJ72.T9", "1N P", "2C"),
        ("Q732.K65.AJ72.T9", "1N P 2C P 2S P", "4S"),
        ("KQ765.T843.7.983", "1N P", "2H"),
        ("KQ765.T843.7.983", "1N P 2H P 2S P", "Pass"),
        ("63.K875.K64.9872", "1C 1S", "X"),
        ("86.KQJT8.A.AQJ98", "1D", "2NT"),
        ("986.Q6.K8752.875", "1C X P", "1D"),
        ("J76.2.Q9876.8742", "1C X XX", "1D"),
    ],
)
def test_well_known_calls(hand: str, auction: str, call: str) -> None:
    """Calls that every book gives."""
    assert str(sayc().call(hand, auction)) == call


def test_an_auction_says_what_its_calls_show() -> None:
    """One notrump and a transfer tell strength and length, and the answer to Blackwood tells aces."""
    bidder = sayc()
    told = bidder.knowledge("1N P 2H P", dealer="N")
    north, south = told.hands[1], told.hands[3]
    assert north.hcp == (15, 17)
    assert north.lengths[0] == (2, 5)
    assert south.lengths[0][0] == 5
    assert "transfer" in told.meanings[2]


def test_a_trace_names_every_loser() -> None:
    """Exactly one rule is taken; each other one has its reason, and each stands in a file."""
    trace = sayc().explain("AKQ95.AT3.KJ2.97")
    assert [str(item.call) for item in trace.considered if item.why_not is None] == ["1NT"]
    assert all(".bid:" in item.place for item in trace.considered)
    assert trace.after.hands[1].hcp == (15, 17)


@pytest.mark.parametrize(
    ("hand", "auction", "message"),
    [
        ("AKQ95.AT3.KJ2.9", "", "13 cards"),
        ("AKQ95.AT3.KJ2.97", "1S P 1H", "call 3"),
        ("AKQ95.AT3.KJ2.97", "1S foo", "call 2"),
        ("AKQ95.AT3.KJ2.97", "P P P P", "over"),
    ],
)
def test_what_cannot_be_asked_is_refused(hand: str, auction: str, message: str) -> None:
    """Bad hands and auctions are usage errors that name the place."""
    with pytest.raises(UsageError, match=message):
        sayc().call(hand, auction)
    with pytest.raises(UsageError, match="no bidding system"):
        Bidder("no-such-system")


def test_notrump_range_is_a_parameter(tmp_path: Path) -> None:
    """A system that takes the openings with other parameters opens another notrump."""
    folder = tmp_path
    (folder / "weak.bid").write_text('system "weak"\ntake openings with notrump-low = 12, notrump-high = 14\n', "utf-8")
    weak = Bidder(folder / "weak.bid")
    assert str(weak.call("AQ32.K65.AJ2.T98", "")) == "1NT"
    assert str(sayc().call("AQ32.K65.AJ2.T98", "")) != "1NT"


def test_a_convention_in_a_folder_is_added(tmp_path: Path) -> None:
    """Drury, written as a file in a folder, is used without touching the package."""
    folder = tmp_path
    (folder / "drury.bid").write_text(
        'convention "Drury"\nafter 1M when passed:\n  2C "support" shows 3+ M, 10+ support(M) forcing artificial agrees M\n',
        "utf-8",
    )
    (folder / "mine.bid").write_text('system "mine"\ntake drury\ntake sayc\n', "utf-8")
    bidder = Bidder("mine", folders=[folder])
    assert str(bidder.call("KQ5.A652.QJ3.T98", "P P 1S P")) == "2C"
    assert str(sayc().call("KQ5.A652.QJ3.T98", "P P 1S P")) != "2C"


def test_sides_may_play_different_systems() -> None:
    """Each side's calls are read by its own system."""
    mixed = Bidder(ns="sayc", ew="two-over-one")
    assert mixed.knowledge("1H P 2D P", dealer="N").hands[3].points[0] < mixed.knowledge("1H P 2D P", dealer="E").hands[0].points[0]


def test_hand_of_is_used_for_text() -> None:
    """Hands may be given as values too."""
    assert str(sayc().call(hand_of("AKQ95.AT3.KJ2.97"), [])) == "1NT"
