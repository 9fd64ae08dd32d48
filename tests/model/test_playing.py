"""The play of the cards: winners, faults, counts."""

from __future__ import annotations

import random

import pytest

from bridgespec.model.cards import Card, Seat, Side, Strain, Suit
from bridgespec.model.deal import Deal
from bridgespec.model.play import CardNote, Play, Trick
from bridgespec.model.playing import CardFault, analyse, columns_of_play, play_of_cards, play_of_columns, play_of_table, winner

DEAL = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")


def trick(leader: Seat, cards: str) -> Trick:
    """A trick of words."""
    return Trick(leader, tuple(map(Card.parse, cards.split())))


@pytest.mark.parametrize(
    ("cards", "strain", "seat"),
    [
        ("H2 HA HK H3", Strain.NOTRUMP, Seat.NORTH),
        ("H2 SA DA CA", Strain.NOTRUMP, Seat.WEST),
        ("H2 HA S2 S3", Strain.SPADES, Seat.SOUTH),
        ("H2 HA S4 S3", Strain.SPADES, Seat.EAST),
        ("S2 SA H2 S3", Strain.SPADES, Seat.NORTH),
        ("DT D9 DJ C2", Strain.HEARTS, Seat.EAST),
    ],
)
def test_winner(cards: str, strain: Strain, seat: Seat) -> None:
    """The highest trump wins, else the highest card of the suit led."""
    assert winner(trick(Seat.WEST, cards), strain) == seat


def full_play(deal: Deal, strain: Strain, declarer: Seat, seed: int) -> Play:
    """A random legal play of all 52 cards, by a player of its own that follows suit."""
    rng = random.Random(seed)
    hands = {seat: list(deal.cards(seat)) for seat in Seat}
    leader, tricks = declarer.next, []
    for _ in range(13):
        cards: list[Card] = []
        for i in range(4):
            hand = hands[Seat((leader + i) % 4)]
            following = [card for card in hand if cards and card.suit == cards[0].suit]
            card = rng.choice(following or hand)
            hand.remove(card)
            cards.append(card)
        best = 0
        for i in range(1, 4):
            trumps = cards[i].suit == strain - 1 and cards[best].suit != strain - 1
            if trumps or (cards[i].suit == cards[best].suit and cards[i] < cards[best]):
                best = i
        tricks.append(Trick(leader, tuple(cards)))
        leader = Seat((leader + best) % 4)
    return Play(tuple(tricks))


@pytest.mark.parametrize("seed", range(20))
def test_a_legal_play_has_no_faults(seed: int) -> None:
    """Thirteen tricks are shared out, and nothing is found wrong."""
    strain, declarer = Strain(seed % 5), Seat(seed % 4)
    analysis = analyse(full_play(DEAL, strain, declarer, seed), strain, declarer, DEAL)
    assert analysis.faults == ()
    assert analysis.is_complete
    assert analysis.won(Side.NS) + analysis.won(Side.EW) == 13


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [0, 1, 5, 26, 51, 52])
def test_plays_of_lists_and_tables(seed: int, count: int) -> None:
    """A play comes back from its cards in order, and from a table with a column a seat, whole or broken off."""
    strain, declarer = Strain(seed % 5), Seat(seed % 4)
    cards = full_play(DEAL, strain, declarer, seed).cards[:count]
    play = play_of_cards(cards, declarer.next, strain)
    assert play.cards == cards
    assert analyse(play, strain, declarer, DEAL).faults == ()
    assert play_of_columns(columns_of_play(play, declarer.next), declarer.next, strain) == play


@pytest.mark.parametrize("seed", range(12))
def test_a_table_with_gaps_is_read_row_by_row(seed: int) -> None:
    """Cards that are missing here and there: the best of those in a row leads the next one."""
    rng = random.Random(seed)
    strain, first = Strain(seed % 5), Seat(seed % 4)
    rows = columns_of_play(full_play(DEAL, strain, first.partner, seed), first)
    for _ in range(rng.randint(1, 6)):
        rows[rng.randrange(13)][rng.randrange(4)] = None
    cards = [card for row in rows for card in row]
    play = play_of_table(cards, first, strain)
    assert play == play_of_columns(rows, first, strain)
    for one, two, row in zip(play.tricks, play.tricks[1:], rows, strict=False):
        known = {Seat((first + at) % 4): card for at, card in enumerate(row) if card is not None}
        led = next(known[Seat((one.leader + at) % 4)] for at in range(4) if Seat((one.leader + at) % 4) in known)
        best = max(known.items(), key=lambda item: (item[1].suit == strain - 1, item[1].suit == led.suit, -item[1]))
        assert two.leader == best[0]


def test_cards_that_are_not_recorded() -> None:
    """A trick may lack a card, which is not one of those recorded."""
    play = Play((Trick(Seat.WEST, (Card.parse("SA"), None, Card.parse("S2"))),))
    assert play.recorded == (Card.parse("SA"), Card.parse("S2"))


def test_revoke_names_the_cards_that_follow() -> None:
    """South discards a heart on the spade lead with J65 of spades in hand."""
    play = Play((trick(Seat.WEST, "S9 S2 S4 H7"),))
    (fault,) = analyse(play, Strain.NOTRUMP, Seat.SOUTH, DEAL).faults
    assert (fault.fault, fault.trick, fault.index, fault.seat) == (CardFault.REVOKE, 0, 3, Seat.SOUTH)
    assert [str(card) for card in fault.could] == ["SJ", "S6", "S5"]


def test_not_a_revoke_once_the_suit_is_out() -> None:
    """A hand that has played its last card of a suit may discard."""
    play = Play((trick(Seat.WEST, "S9 S2 SA S5"), trick(Seat.EAST, "SK S6 S3 ST"), trick(Seat.EAST, "SQ SJ C4 C3")))
    assert analyse(play, Strain.NOTRUMP, Seat.SOUTH, DEAL).faults == ()


def test_card_of_another_hand() -> None:
    """North plays a card that South holds: who holds it is told."""
    play = Play((trick(Seat.WEST, "S9 SJ S4 S5"),))
    (fault,) = analyse(play, Strain.NOTRUMP, Seat.SOUTH, DEAL).faults
    assert (fault.fault, fault.seat, fault.other) == (CardFault.NOT_HELD, Seat.NORTH, Seat.SOUTH)


def test_a_stolen_card_is_no_revoke_of_its_owner() -> None:
    """North has played South's only spade, so South may discard."""
    deal = Deal.parse("N:2... 3... 4.2.. 5...")
    play = Play((trick(Seat.WEST, "S5 S4 S3 H2"),))
    assert [f.fault for f in analyse(play, Strain.NOTRUMP, Seat.SOUTH, deal).faults] == [CardFault.NOT_HELD]


def test_card_played_twice() -> None:
    """The second time it is nobody's, even without a deal."""
    play = Play((trick(Seat.WEST, "S9 S2 SA S5"), trick(Seat.EAST, "SA S6 S3 ST")))
    assert [fault.fault for fault in analyse(play, Strain.NOTRUMP).faults] == [CardFault.PLAYED_BEFORE]


def test_wrong_leaders() -> None:
    """The opening lead is declarer's left hand's, later ones the winner's."""
    play = Play((trick(Seat.NORTH, "S2 SA S5 S9"), trick(Seat.NORTH, "ST SK S6 S3")))
    faults = analyse(play, Strain.NOTRUMP, Seat.SOUTH, DEAL).faults
    assert [(fault.fault, fault.trick, fault.other) for fault in faults] == [
        (CardFault.WRONG_LEADER, 0, Seat.WEST),
        (CardFault.WRONG_LEADER, 1, Seat.EAST),
    ]


def test_irregular_cards_are_excused() -> None:
    """What the source marks as a revoke is not a finding."""
    play = Play((trick(Seat.WEST, "S9 S2 S4 H7"),), notes=(CardNote(0, 3, irregular=True),))
    assert analyse(play, Strain.NOTRUMP, Seat.SOUTH, DEAL).faults == ()


def test_unfinished_tricks() -> None:
    """Only the last trick may lack cards."""
    short = trick(Seat.WEST, "S9 S2")
    assert analyse(Play((short,)), Strain.NOTRUMP, Seat.SOUTH, DEAL).faults == ()
    whole = trick(Seat.EAST, "SA S5 S3 ST")
    faults = analyse(Play((short, whole)), Strain.NOTRUMP, None, DEAL).faults
    assert CardFault.UNFINISHED in [fault.fault for fault in faults]


def test_unknown_hands_are_not_judged() -> None:
    """Hands that the deal does not know may play anything that no known hand holds."""
    known = Deal.parse("N:T2.J965.T7532.63 - J65.743.AK4.KQ82 -")
    play = Play((trick(Seat.WEST, "S9 S2 S4 S5"),))
    assert analyse(play, Strain.NOTRUMP, Seat.SOUTH, known).faults == ()
    stolen = Play((trick(Seat.WEST, "SJ S2 S4 S5"),))
    assert [f.fault for f in analyse(stolen, Strain.NOTRUMP, Seat.SOUTH, known).faults] == [CardFault.NOT_HELD]


def test_suits_are_enough() -> None:
    """The suit of trump strains is one less than the strain's own number."""
    assert [Suit(strain - 1).letter for strain in list(Strain)[1:]] == ["S", "H", "D", "C"]
