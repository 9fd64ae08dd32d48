"""Cards played one after the other: the laws of following suit and winning, and the way back."""

from __future__ import annotations

import random

import pytest

from bridgespec.model.auction import Auction
from bridgespec.model.board import Board
from bridgespec.model.cardplay import CardPlay
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.deck import Deck
from bridgespec.model.playing import analyse
from tests.model.test_playing import DEAL, full_play


@pytest.mark.parametrize("seed", range(10))
def test_a_whole_play_is_what_another_player_recorded(seed: int) -> None:
    """The tricks, winners and turns are those of a play made by other means, and each step back undoes one step."""
    deal, strain, declarer = Deal.random(seed), Strain(seed % 5), Seat(seed % 4)
    recorded = full_play(deal, strain, declarer, seed)
    table = CardPlay(deal, strain, declarer.next)
    states = []
    for trick in recorded.tricks:
        for index, card in enumerate(trick.cards):
            assert card is not None
            assert (table.turn, table.leader, len(table.trick)) == ((trick.leader + index) % 4, trick.leader, index)
            assert card in table.legal
            states.append((table.turn, table.deal, table.trick, table.winners))
            won = table.play(card)
            assert (won is not None) == (index == 3)
    assert table.is_over
    assert table.record == recorded
    assert table.winners == analyse(recorded, strain, declarer, deal).winners
    assert table.won(Side.NS) + table.won(Side.EW) == 13
    assert Deck.of(table.start, table.record).restore() == (deal, recorded)
    for state in reversed(states):
        table.undo()
        assert (table.turn, table.deal, table.trick, table.winners) == state
    assert table.deal == deal
    with pytest.raises(IndexError, match="no card"):
        table.undo()


@pytest.mark.parametrize("seed", range(5))
def test_legal_is_what_the_laws_allow(seed: int) -> None:
    """A seat that holds the suit led plays it, another any card; what is not legal is refused and changes nothing."""
    rng = random.Random(seed)
    table = CardPlay(Deal.random(rng), Strain(seed), Seat(seed % 4))
    while not table.is_over:
        hand = table.hand(table.turn)
        led = table.trick[0].suit if table.trick else None
        follows = tuple(card for card in hand if card.suit == led)
        assert table.legal == (follows or hand.cards)
        before = table.cards
        for card in map(Card, range(52)):
            if card not in table.legal:
                with pytest.raises(ValueError, match="does not hold" if card not in hand else "holds the suit led"):
                    table.play(card)
        assert table.cards == before
        table.play(rng.choice(table.legal))


def test_a_copy_goes_its_own_way() -> None:
    """What is played at one table is not played at the other."""
    table = CardPlay(DEAL, Strain.SPADES, Seat.SOUTH, ["DA"])
    other = table.copy()
    other.play("d6")
    assert (table.cards, len(other.cards), other.start) == ((Card.parse("DA"),), 2, DEAL)
    assert (other.winning, table.deal.sizes) == (Seat.SOUTH, (13, 13, 13, 12))
    assert repr(table) == f"CardPlay({DEAL!r}, Spades, South leads, 'DA')"


def test_a_board_is_played_from_its_lead() -> None:
    """Contract and declarer are those stated, or else those of the auction."""
    stated = Board(deal=DEAL, contract=Contract.parse("4S"), declarer=Seat.EAST)
    called = Board(deal=DEAL, auction=Auction.parse("P 1S P 4S P P P", Seat.NORTH))
    for board in (stated, called):
        table = CardPlay.of(board)
        assert (table.first, table.turn, table.strain, table.winning) == (Seat.SOUTH, Seat.SOUTH, Strain.SPADES, None)


def played(deal: str) -> Board:
    """A board of the deal, with West in one notrump."""
    return Board(deal=Deal.parse(deal), contract=Contract.parse("1N"), declarer=Seat.WEST)


@pytest.mark.parametrize(
    ("board", "why"),
    [
        (Board(), "no deal"),
        (Board(deal=DEAL), "no contract"),
        (Board(deal=DEAL, auction=Auction.parse("P P P P", Seat.NORTH)), "no contract"),
        (played("N:- A... - -"), "West 0, North 0, East 1, South 0"),
        (played("N:A... K... Q... -..."), "of one size"),
    ],
)
def test_what_cannot_be_played_is_refused(board: Board, why: str) -> None:
    """The message names what is missing."""
    with pytest.raises(ValueError, match=why):
        CardPlay.of(board)
