"""Deck arrays, digits and layouts against each other and against the text of their source."""

from __future__ import annotations

import random
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.model.cardplay import CardPlay
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.deck import Deck, deck_hex, parse_deck_hex
from bridgespec.model.play import Play, Trick
from tests.model.test_playing import DEAL, full_play


def random_deal(seed: int) -> Deal:
    """52 cards dealt by shuffling."""
    slots = [seat for seat in range(4) for _ in range(13)]
    random.Random(seed).shuffle(slots)
    return Deal(bytes(slots))


def test_slots_follow_the_source() -> None:
    """Slot 0 is SA, slot 20 the seven of hearts, slot 51 the two of clubs; seats are 1 W, 2 N, 3 E, 4 S."""
    deck = Deck.of(DEAL)
    assert [str(Card(slot)) for slot in (0, 20, 51)] == ["SA", "H7", "C2"]
    assert (deck.slots[0], deck.slots[20], deck.slots[51]) == (3, 4, 4)
    assert deck.leaders == bytes(13)


@pytest.mark.parametrize("seed", range(10))
def test_every_stage_of_a_play_is_restored(seed: int) -> None:
    """After each card of a play, the arrays give back the deal and exactly the cards played."""
    deal = random_deal(seed)
    play = full_play(deal, Strain(seed % 5), Seat(seed % 4), seed)
    cards = [(number, index) for number in range(13) for index in range(4)]
    for count in range(53):
        tricks = []
        for number, trick in enumerate(play.tricks):
            done = sum(n == number for n, _ in cards[:count])
            if done:
                tricks.append(Trick(trick.leader, trick.cards[:done]))
        part = Play(tuple(tricks))
        deck = Deck.of(deal, part)
        assert deck.restore() == (deal, part)
        assert deck.remaining.holders.count(OUT) == count
        assert Deck.consolidated(deck.slots, deck.rows) == deck


@given(st.integers(0, 2**32), st.sampled_from(Strain), st.sampled_from(Seat), st.integers(0, 52))
def test_leaders_follow_from_layout_contract_and_plays(seed: int, strain: Strain, declarer: Seat, count: int) -> None:
    """After any number of cards of a legal play, slots, plays and the contract give the thirteen leaders, the deal and the play."""
    deal = random_deal(seed)
    cards = list(chain.from_iterable(trick.cards for trick in full_play(deal, strain, declarer, seed).tricks))
    played = CardPlay(deal, strain, leader=declarer.next)
    for card in cards[:count]:
        assert card is not None
        played.play(card)
    deck = Deck.of(deal, played.record)
    found = Deck.reconstructed(deck.slots, deck.plays, Contract(1, strain, declarer=declarer))
    assert found == deck
    assert found.restore() == (deal, played.record)


def test_ace_of_spades_is_told_from_nothing() -> None:
    """A zero among the plays is the ace of spades when slot 0 is out of play, whichever place it has in the trick."""
    for cards in ("SA", "S3 SA", "S3 S2 SA", "S3 S2 SA S5", "SA S5"):
        leader = Seat.EAST if cards.startswith("SA") else Seat.WEST
        play = Play((Trick(leader, tuple(map(Card.parse, cards.split()))),))
        if cards == "S3 SA":
            play = Play((Trick(Seat.NORTH, (Card.parse("S2"), Card.parse("SA"))),))
        assert Deck.of(DEAL, play).play == play


def test_faults_are_refused() -> None:
    """A card that its player does not hold, or that is still held, is named."""
    with pytest.raises(ValueError, match="SA is played by W, who does not hold it"):
        Deck.of(DEAL, Play((Trick(Seat.WEST, (Card(0),)),)))
    deck = Deck.of(DEAL, Play((Trick(Seat.EAST, (Card.parse("SK"),)),)))
    held = Deck(bytes([*deck.slots[:1], 3, *deck.slots[2:]]), deck.leaders, deck.plays)
    with pytest.raises(ValueError, match="SK is played by E, but E has it"):
        held.restore()


@pytest.mark.parametrize("shape", [(51, 13, 13), (52, 12, 13), (52, 13, 12)])
def test_shapes(shape: tuple[int, int, int]) -> None:
    """The arrays have fixed sizes."""
    slots, leaders, plays = shape
    with pytest.raises(ValueError, match="a deck"):
        Deck(bytes(slots), bytes(leaders), ((0, 0, 0, 0),) * plays)


def test_values() -> None:
    """Seats above 4 and cards above 51 are refused."""
    with pytest.raises(ValueError, match="0 to 4"):
        Deck(bytes([5]) + bytes(51), bytes(13), ((0, 0, 0, 0),) * 13)
    with pytest.raises(ValueError, match="0 to 51"):
        Deck(bytes(52), bytes(13), ((52, 0, 0, 0),) + ((0, 0, 0, 0),) * 12)


@pytest.mark.parametrize("seed", range(20))
def test_hex_round_trip(seed: int) -> None:
    """Every deal and board number comes back from its digits, in either case."""
    deal = random_deal(seed)
    for number in (None, *range(1, 17)):
        text = deck_hex(deal, number)
        assert parse_deck_hex(text) == parse_deck_hex(text.lower()) == (deal, number)


def test_hex_digits_by_hand() -> None:
    """The aces: spades E=3, hearts E=3, diamonds S=0, clubs E=3 give F and C; the number 16 is written 0."""
    assert deck_hex(DEAL)[:2] == "FC"
    assert deck_hex(DEAL, 16).endswith("-0")
    assert deck_hex(DEAL, 17).endswith("-1")


@pytest.mark.parametrize("text", ["", "0" * 25, "0" * 27, "G" + "0" * 25, "0" * 26 + "-", "0" * 26 + "-10"])
def test_bad_hex(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match="26 hexadecimal digits"):
        parse_deck_hex(text)


def test_hex_wants_a_whole_deal() -> None:
    """An ending has no code."""
    with pytest.raises(ValueError, match="complete"):
        deck_hex(Deal.parse("N:2... 3... 4... 5..."))


@pytest.mark.parametrize("seed", range(5))
def test_layout_round_trip(seed: int) -> None:
    """The sixteen holdings give the deal back."""
    deal = random_deal(seed)
    assert Deal.from_layout(deal.layout()) == deal


def test_bad_layouts() -> None:
    """Wrong ranks and cards held twice are named."""
    with pytest.raises(ValueError, match="West: not a rank: 'X' in the holding 'X' of H"):
        Deal.from_layout([["", "X", "", ""], [""] * 4, [""] * 4, [""] * 4])
    with pytest.raises(ValueError, match="SA is dealt twice"):
        Deal.from_layout([["A", "", "", ""], ["A", "", "", ""], [""] * 4, [""] * 4])
    with pytest.raises(ValueError, match="four seats"):
        Deal.from_layout([[""] * 4] * 3)
