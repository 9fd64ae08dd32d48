"""Hands and holdings: what they hold, what they are worth, and the deal that they come from."""

from __future__ import annotations

import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.model import evaluate
from bridgespec.model.cards import Card, Seat, Suit
from bridgespec.model.deal import OUT, UNKNOWN, Deal
from bridgespec.model.hand import Hand, Holding
from tests.generate import deals

HANDS = st.sets(st.integers(0, 51)).map(lambda slots: Hand.of(map(Card, slots)))
WORTHS = {
    "hcp": "hcp",
    "points": "points",
    "controls": "controls",
    "losers": "losers",
    "new_losers": "newlosers",
    "quick_tricks": "quicktricks",
    "is_balanced": "balanced",
    "is_semibalanced": "semibalanced",
    "rule20": "rule20",
    "rule15": "rule15",
    "playing_tricks": "playing",
    "bumrap": "bumrap",
}
"""Terms of a hand, with their names in `evaluate.TERMS`."""
OF_SUITS = {
    "hcp": "high",
    "controls": "controls-suit",
    "stoppers": "stoppers",
    "quality": "quality",
    "top_three": "top3",
    "top_five": "top5",
}


@given(HANDS)
def test_a_hand_comes_back_from_its_text_and_its_cards(hand: Hand) -> None:
    """Of any number of cards."""
    assert Hand.parse(str(hand)) == Hand.of(hand) == Hand.of(hand.cards) == hand
    assert len(hand) == len(list(hand)) == len(hand.cards) == sum(hand.lengths)
    assert list(hand) == sorted(hand)
    assert [holding.ranks for holding in hand.holdings] == str(hand).split(".")
    assert pickle.loads(pickle.dumps(hand)) == hand


@given(HANDS, st.integers(0, 51).map(Card))
def test_a_card_is_in_the_hand_that_lists_it(hand: Hand, card: Card) -> None:
    """As a card and as its text; in its own suit's holding too."""
    held = card in hand.cards
    assert (card in hand) == (str(card) in hand) == (str(card).lower() in hand) == (card.rank in hand[card.suit]) == held


@given(deals.complete())
def test_the_terms_are_those_of_the_bidder(deal: Deal) -> None:
    """Every term of a hand and of its holdings is the one that `evaluate` works out for all at once."""
    for _, hand in deal:
        values = evaluate.evaluate(hand.holdings)
        assert {name: getattr(hand, name) for name in WORTHS} == {
            name: values[evaluate.TERMS[term]] for name, term in WORTHS.items()
        }
        assert hand.lengths == tuple(values[evaluate.TERMS[f"length.{suit:d}"]] for suit in map(int, Suit))
        for suit in Suit:
            assert hand.support_points(suit) == values[evaluate.TERMS[f"support.{int(suit)}"]]
            assert hand.key_cards(suit) == values[evaluate.TERMS[f"keycards.{int(suit)}"]]
            for name, term in OF_SUITS.items():
                assert getattr(hand[suit], name) == values[evaluate.TERMS[f"{term}.{int(suit)}"]]
        assert sum(holding.losers for holding in hand.holdings) == hand.losers
        assert sum(holding.new_losers for holding in hand.holdings) == hand.new_losers
        assert sum(holding.quick_tricks for holding in hand.holdings) == hand.quick_tricks
        assert sum(holding.playing_tricks for holding in hand.holdings) == hand.playing_tricks
        assert hand.shape == "".join(map(str, sorted(hand.lengths, reverse=True)))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("AK.Q.J", "four holdings, not 3"),
        ("AK.Q.J.1", "not a rank: '1' in the holding '1' of C"),
        ("A.KK.Q.J", "K stands twice in the holding 'KK' of H"),
    ],
)
def test_a_bad_hand_is_refused_in_words(text: str, why: str) -> None:
    """The message names the suit and the rank."""
    with pytest.raises(ValueError, match=why):
        Hand.parse(text)


def test_other_spellings() -> None:
    """A ten in two digits, a void as a hyphen, small letters."""
    assert Hand.parse("10.-.ak.") == Hand.parse("T..AK.")
    assert f"{Holding.parse('10a'):>4}|" == "  AT|"
    with pytest.raises(ValueError, match="13 bits"):
        Holding(1 << 13)
    with pytest.raises(ValueError, match="52 bits"):
        Hand(1 << 52)


@given(st.lists(st.integers(0, 5), min_size=52, max_size=52))
def test_the_hands_of_a_deal_are_its_holders(holders: list[int]) -> None:
    """Whatever is out or unknown is in no hand."""
    deal = Deal(bytes(holders))
    hands = dict(deal)
    assert [hands[seat] for seat in Seat] == [deal.west, deal.north, deal.east, deal.south]
    for card in map(Card, range(52)):
        seat = deal.holder(card)
        assert [other for other, hand in deal if card in hand] == ([] if seat is None else [seat])
        assert (card in deal) == (str(card) in deal) == (seat is not None)
    for seat in Seat:
        assert deal[seat].cards == deal.cards(seat)
        assert tuple(deal.holding(seat, suit) for suit in Suit) == deal[seat].holdings


@given(deals.complete(), st.integers(-9, 9))
def test_hands_go_round(deal: Deal, seats: int) -> None:
    """Turned by n, each seat has the hand of the seat n before it; turned back, it is the old deal."""
    turned = deal.rotated(seats)
    assert all(turned[Seat((seat + seats) % 4)] == hand for seat, hand in deal)
    assert turned.rotated(-seats) == deal
    swapped = deal.exchanged(Seat.NORTH, Seat.EAST)
    assert (swapped.north, swapped.east, swapped.south, swapped.west) == (deal.east, deal.north, deal.south, deal.west)


def test_what_nobody_holds_stays_where_it_is() -> None:
    """Cards out of play or unknown belong to no hand that could move."""
    deal = Deal(bytes([0, 1, OUT, UNKNOWN] * 13))
    assert deal.rotated().holders == bytes([1, 2, OUT, UNKNOWN] * 13)


@given(deals.complete())
def test_every_spelling_of_a_deal_is_read(deal: Deal) -> None:
    """Its hands from any seat, its digits, its number, its layout."""
    spellings = [*(deal.text(seat) for seat in Seat), deal.digits, deal.digits.lower(), f"{deal.number:030}"]
    assert all(Deal.parse(text) == deal for text in spellings)
    assert Deal.from_layout(deal.layout()) == deal
    assert deal.number < 1 << 96


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("AK.Q.J.T", "whose hand is first"),
        ("N:AK.Q.J.T", "four hands, not 1"),
        ("0" * 26, "does not deal thirteen cards to each: West 0, North 0, East 0, South 52"),
        ("9" * 40, "0 to 53644737765488792839237439999"),
    ],
)
def test_what_is_not_a_deal_is_refused_in_words(text: str, why: str) -> None:
    """The message says how a deal is written, or what is wrong with this one."""
    with pytest.raises(ValueError, match=why):
        Deal.parse(text)


def test_a_seed_gives_one_deal() -> None:
    """The same for a seed, another for the next draw, and every one complete; each card goes to each seat about as often."""
    assert Deal.random(5) == Deal.random(5) == Deal.random(random.Random(5)) != Deal.random(6)
    rng = random.Random(0)
    drawn = [Deal.random(rng) for _ in range(2000)]
    assert all(deal.is_complete for deal in drawn)
    assert len(set(drawn)) == 2000
    for slot in (0, 17, 51):
        counts = [sum(deal.holders[slot] == seat for deal in drawn) for seat in range(4)]
        assert all(400 < count < 600 for count in counts), counts


def test_names_are_printed() -> None:
    """A seat or a suit is a word in text and keeps its number elsewhere."""
    assert f"{Seat.WEST} {Suit.HEARTS} {Seat.NORTH.side}" == "West Hearts NS"
    assert [Seat.SOUTH + 1, {Seat.WEST: 1}[Seat(0)]] == [4, 1]


def test_sets_of_cards_are_within_the_deck() -> None:
    """The highest card is bit 51; a bit beyond it is refused, and so is a card in two sets."""
    assert Deal.of_masks([0, 1 << 51]).holders[0] == 1
    for masks in ([1 << 52], [1, 1], [0, 0, 3, 0, 2]):
        with pytest.raises(ValueError, match="share a card, or have one beyond"):
            Deal.of_masks(masks)
