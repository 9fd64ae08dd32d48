"""Auctions: what the laws allow, and what they buy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.model.auction import DOUBLE, PASS, REDOUBLE, Auction, AuctionState, Call, Illegal, first_illegal, replay
from bridgespec.model.cards import Seat, Strain

BIDS = [Call.bid(level, strain) for level in range(1, 8) for strain in reversed(Strain)]
CALLS = st.sampled_from([PASS, DOUBLE, REDOUBLE, *BIDS])


def parse(text: str) -> list[Call]:
    """Calls of words."""
    return [Call.parse(word) for word in text.split()]


def test_bids_rise_in_order() -> None:
    """The 35 bids rank from 1C to 7NT: clubs, diamonds, hearts, spades, notrump on each level."""
    assert [bid.index for bid in BIDS] == list(range(35))
    assert [str(bid) for bid in BIDS[:6]] == ["1C", "1D", "1H", "1S", "1NT", "2C"]


@pytest.mark.parametrize(
    ("text", "index", "why"),
    [
        ("1S 1H", 1, Illegal.INSUFFICIENT),
        ("1S 1S", 1, Illegal.INSUFFICIENT),
        ("1NT P 1S", 2, Illegal.INSUFFICIENT),
        ("1NT X 1D", 2, Illegal.INSUFFICIENT),
        ("X", 0, Illegal.DOUBLE_OF_NOTHING),
        ("P P X", 2, Illegal.DOUBLE_OF_NOTHING),
        ("1S P X", 2, Illegal.DOUBLE_OF_OWN_SIDE),
        ("1S X X", 2, Illegal.DOUBLE_TWICE),
        ("1S X P X", 3, Illegal.DOUBLE_TWICE),
        ("1S X XX X", 3, Illegal.DOUBLE_TWICE),
        ("XX", 0, Illegal.REDOUBLE_OF_UNDOUBLED),
        ("1S XX", 1, Illegal.REDOUBLE_OF_UNDOUBLED),
        ("1S X P XX", 3, Illegal.REDOUBLE_OF_OWN_DOUBLE),
        ("1S X XX P XX", 4, Illegal.REDOUBLE_TWICE),
        ("1S X 2C XX", 3, Illegal.REDOUBLE_OF_UNDOUBLED),
        ("P P P P 1C", 4, Illegal.AUCTION_OVER),
        ("1C P P P P", 4, Illegal.AUCTION_OVER),
        ("1C X P P P 1D", 5, Illegal.AUCTION_OVER),
        ("7NT 7NT", 1, Illegal.INSUFFICIENT),
    ],
)
def test_illegal(text: str, index: int, why: Illegal) -> None:
    """The first illegal call is named, with its reason."""
    assert first_illegal(parse(text)) == (index, why)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P P P",
        "P P P P",
        "P P P 1C P P P",
        "1S X XX P P 2C P P X P P P",
        "1S P P X P P XX P P P",
        "1C X P P 1D X XX P P P",
        "1NT X P P P",
        "1C 1D 1H 1S 1NT 2C 2D 2H 2S 2NT 7NT X XX P P P",
    ],
)
def test_legal(text: str) -> None:
    """Legal auctions have no illegal call."""
    assert first_illegal(parse(text)) is None


@pytest.mark.parametrize(
    ("text", "dealer", "contract", "declarer"),
    [
        ("1NT P 3NT P P P", Seat.SOUTH, "3NT", Seat.SOUTH),
        ("1C P 1H P 1NT P 3NT P P P", Seat.WEST, "3NT", Seat.WEST),
        ("1D P 1S P 2S P 4S P P P", Seat.NORTH, "4S", Seat.SOUTH),
        ("P 1H 2H 4H 4S P P X P P P", Seat.EAST, "4SX", Seat.EAST),
        ("1H 2H X 3C P P 3H P P P", Seat.EAST, "3H", Seat.EAST),
        ("1S X XX P P P", Seat.WEST, "1SXX", Seat.WEST),
        ("1S X XX 2C X P P P", Seat.WEST, "2CX", Seat.SOUTH),
        ("P P P P", Seat.NORTH, "Pass", None),
        ("1S 2S P 3S P P P", Seat.NORTH, "3S", Seat.EAST),
        ("1S P P 1NT P 2NT P 3S P P P", Seat.NORTH, "3S", Seat.WEST),
    ],
)
def test_contract_and_declarer(text: str, dealer: Seat, contract: str, declarer: Seat | None) -> None:
    """The contract is the last bid with its doubling; the declarer is the first of that side to name the strain."""
    auction = Auction.parse(text, dealer)
    assert (str(auction.contract), auction.declarer, auction.is_finished) == (contract, declarer, True)


def test_unfinished() -> None:
    """Before the closing passes an auction has a contract only as far as it goes, and none before the first bid."""
    assert Auction.parse("P P P", Seat.NORTH).contract is None
    assert str(Auction.parse("P 1C X", Seat.NORTH).contract) == "1CX"
    assert not Auction.parse("1C P P", Seat.NORTH).is_finished
    assert Auction.parse("1C P P P").declarer is None, "nobody said who calls first"


@given(st.lists(CALLS, max_size=40))
def test_state_agrees_with_the_definition(calls: list[Call]) -> None:
    """Legal calls taken one by one give an auction in which bids rise, doubles alternate sides, and the end is three passes."""
    state, made = AuctionState(), []
    for call in calls:
        if state.why_not(call) is None:
            made.append(call)
            state = state.then(call)
    bids = [call.index for call in made if call.is_bid]
    assert bids == sorted(set(bids))
    assert replay(made) == state
    assert first_illegal(made) is None
    quiet = len(made) - max((i + 1 for i, call in enumerate(made) if call != PASS), default=0)
    assert state.is_over == (quiet >= (3 if bids else 4))
    for i, call in enumerate(made):
        before = next((j for j in range(i - 1, -1, -1) if made[j] != PASS), None)
        if call == DOUBLE:
            assert before is not None
            assert made[before].is_bid
            assert (i - before) % 2 == 1
        if call == REDOUBLE:
            assert before is not None
            assert made[before] == DOUBLE
            assert (i - before) % 2 == 1


@pytest.mark.parametrize("text", ["", "8C", "1", "C1", "1CC", "PP", "XXX", "-"])
def test_no_call(text: str) -> None:
    """What is not a call is refused with the text in the message."""
    with pytest.raises(ValueError, match="not a call"):
        Call.parse(text)


@given(CALLS)
def test_call_text(call: Call) -> None:
    """A call's text is read back as the same call, in either case."""
    assert Call.parse(str(call)) == Call.parse(str(call).lower()) == call
