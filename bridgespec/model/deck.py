"""Decks as arrays (`Deck`): the seats of 52 cards with the cards played; and the deal as hexadecimal digits (`deck_hex`).

In the arrays seats are 1 W, 2 N, 3 E, 4 S. 0 is no seat: the card is not in play (mostly because it was played), or the trick has
not begun. In the digits seats are S0 W1 N2 E3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bridgespec.model.cards import Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.deal import OUT, UNKNOWN, Deal
from bridgespec.model.play import Play, Trick
from bridgespec.model.playing import winner

_HEX = re.compile(r"([0-9A-Fa-f]{26})(?:-([0-9A-Fa-f]))?")


@dataclass(frozen=True, slots=True)
class Deck:
    """A deal in the course of play, as arrays: ``slots`` are the seats (0 to 4) of the 52 cards SA .. S2, HA .. C2; ``leaders``
    those of the 13 tricks; ``plays`` the cards (0 to 51) of the 13 tricks.

    A card that has not been played is 0 in ``plays``, as is the ace of spades; `play` resolves this.

    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> deck = Deck.of(deal, Play((Trick(Seat.WEST, (Card.parse("D6"), Card.parse("D7"), Card.parse("DJ"), Card.parse("DK"))),)))
    >>> deck.leaders[0], deck.plays[0], deck.slots[27]
    (1, (34, 33, 29, 27), 0)
    >>> deck.restore()[0] == deal
    True
    """

    slots: bytes
    leaders: bytes
    plays: tuple[tuple[int, int, int, int], ...]

    def __post_init__(self) -> None:
        if len(self.slots) != 52 or max(self.slots) > 4:
            raise ValueError("a deck is 52 slots, each 0 to 4")
        if len(self.leaders) != 13 or max(self.leaders) > 4:
            raise ValueError("a deck has 13 leaders, each 0 to 4")
        if len(self.plays) != 13 or any(len(row) != 4 or not all(0 <= card < 52 for card in row) for row in self.plays):
            raise ValueError("a deck has 13 tricks of 4 cards, each 0 to 51")

    @classmethod
    def of(cls, deal: Deal, play: Play | None = None) -> Deck:
        """Return the deck after a play; ``deal`` is the deal before it. Raises ValueError if a seat plays a card that it does not
        have.
        """
        # The arrays have one value for cards out of play and cards whose holder is unknown.
        slots = bytearray(0 if holder in (OUT, UNKNOWN) else holder + 1 for holder in deal.holders)
        leaders = bytearray(13)
        plays = [[0] * 4 for _ in range(13)]
        for number, trick in enumerate(play.tricks if play else ()):
            if number > 12 or len(trick.cards) > 4:
                raise ValueError("a play has 13 tricks of 4 cards at most")
            leaders[number] = trick.leader + 1
            for index, card in enumerate(trick.cards):
                if card is None:
                    raise ValueError(f"a card of trick {number + 1} is not known")
                seat = (trick.leader + index) % 4
                if slots[card] != seat + 1:
                    raise ValueError(f"{Card(card)} is played by {Seat(seat).letter}, who does not hold it")
                slots[card] = 0
                plays[number][index] = int(card)
        return cls(bytes(slots), bytes(leaders), tuple((row[0], row[1], row[2], row[3]) for row in plays))

    @classmethod
    def consolidated(cls, slots: bytes, rows: Sequence[Sequence[int]]) -> Deck:
        """Return the deck of ``slots`` and of 13 rows of the leader's seat and four cards, as `rows` returns them."""
        if len(rows) != 13 or any(len(row) != 5 for row in rows):
            raise ValueError("consolidated plays are 13 rows of 5")
        return cls(slots, bytes(row[0] for row in rows), tuple((row[1], row[2], row[3], row[4]) for row in rows))

    @classmethod
    def reconstructed(cls, slots: bytes, plays: Sequence[Sequence[int]], contract: Contract) -> Deck:
        """Return the deck of ``slots`` and ``plays``, with leaders computed: the seat to the declarer's left, then the winner of
        the last trick.

        ``slots`` is 0 for each card that was played, which is how the number of tricks is known. Raises ValueError if the contract
        has no declarer, and if there are too many tricks.

        >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
        >>> deck = Deck.of(deal, Play.parse("S: DA D6 D2 D8; S: DK D9 D3 DJ; S: D4"))
        >>> Deck.reconstructed(deck.slots, deck.plays, Contract.parse("4S by E")) == deck
        True
        """
        if contract.declarer is None:
            raise ValueError(f"who leads? The contract {contract} names no declarer")
        leader: Seat | None = contract.declarer.next
        leaders = bytearray(13)
        # Rounded up, because the last trick may be unfinished.
        for number in range(-(-slots.count(0) // 4)):
            if leader is None or number == 13:
                raise ValueError(f"{slots.count(0)} cards are played, and the plays are those of {number} tricks")
            leaders[number] = leader + 1
            leader = winner(Trick(leader, tuple(map(Card, plays[number]))), contract.strain)
        return cls(slots, bytes(leaders), tuple((row[0], row[1], row[2], row[3]) for row in plays))

    @property
    def rows(self) -> tuple[tuple[int, int, int, int, int], ...]:
        """The leaders and plays together: 13 rows of the leader's seat and four cards."""
        return tuple((leader, *row) for leader, row in zip(self.leaders, self.plays, strict=True))

    @property
    def remaining(self) -> Deal:
        """The deal of the cards that are still in the hands; others are `OUT`."""
        return Deal(bytes(OUT if slot == 0 else slot - 1 for slot in self.slots))

    @property
    def play(self) -> Play:
        """The tricks that have begun, the last one perhaps unfinished.

        A 0 at the end of the last trick is the ace of spades if the ace is out of play, does not occur elsewhere in the tricks, and
        is needed for the number of cards out of play. Otherwise it is a card that has not been played.
        """
        begun = next((i for i, leader in enumerate(self.leaders) if leader == 0), 13)
        tricks = [(self.leaders[i] - 1, list(self.plays[i])) for i in range(begun)]
        if tricks:
            before = {card for _, cards in tricks[:-1] for card in cards}
            last = tricks[-1][1]
            size = max((i + 1 for i, card in enumerate(last) if card), default=0)
            ace_free = self.slots[0] == 0 and 0 not in before and 0 not in last[:size]
            if ace_free and size < 4 and self.slots.count(0) > len(before) + size:
                size += 1
            tricks[-1] = (tricks[-1][0], last[:size])
        return Play(tuple(Trick(Seat(leader), tuple(map(Card, cards))) for leader, cards in tricks))

    def restore(self) -> tuple[Deal, Play]:
        """Return the deal before the play, and the play. Raises ValueError for a card played twice or still in a hand."""
        holders = bytearray(self.remaining.holders)
        play = self.play
        for trick in play.tricks:
            for seat, card in trick.by_seat.items():
                if holders[card] != OUT:
                    raise ValueError(f"{Card(card)} is played by {seat.letter}, but {Seat(holders[card]).letter} has it")
                holders[card] = seat
        return Deal(bytes(holders)), play


def deck_hex(deal: Deal, number: int | None = None) -> str:
    """Return `Deal.digits` of a complete deal; with a board number followed by a hyphen and the number modulo 16 as a digit.

    >>> deck_hex(Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"), 16)
    'E4E4E4E4E4E4E4E4E4E4E4E4E4-0'
    """
    # Dealer and vulnerability repeat every 16 boards (Law 2), so one digit states both.
    return deal.digits + ("" if number is None else f"-{number % 16:X}")


def parse_deck_hex(text: str) -> tuple[Deal, int | None]:
    """Return the deal of a text that `deck_hex` returns, and the board number 1 to 16 (None without one). Raises ValueError for any
    other text.

    >>> deal, number = parse_deck_hex("E4E4E4E4E4E4E4E4E4E4E4E4E4-0")
    >>> deal.north, number
    (Hand('AKQJT98765432...'), 16)
    """
    match = _HEX.fullmatch(text.strip())
    if match is None:
        raise ValueError("a deck code is 26 hexadecimal digits, and perhaps a hyphen and one more")
    return Deal.from_digits(match[1]), None if match[2] is None else int(match[2], 16) or 16
