"""The play of a deal in progress: cards are played and taken back, with the trick on the table and the seat on turn."""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import OUT, UNKNOWN, Deal
from bridgespec.model.hand import Hand
from bridgespec.model.play import Play, Trick
from bridgespec.model.playing import winner

_SUIT_BITS = 0x1FFF


class CardPlay:
    """The play of a deal, card by card: it begins with hands of one size, and each `play` and `undo` changes it.

    `Play` is the record of such a play, and `record` gives it.

    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> table = CardPlay(deal, Strain.SPADES, leader=Seat.SOUTH)
    >>> print(table.turn, *(str(table.play(card)) for card in "DA D6 D2 D8".split()))
    South None None None South
    >>> print(table.turn, table.won(Side.NS), *map(str, table.trick), table.hand(Seat.SOUTH))
    South 1 J65.743.K4.KQ82
    >>> print(table.undo(), *map(str, table.trick), *map(str, table.legal))
    D8 DA D6 D2 DJ D8
    """

    def __init__(self, deal: Deal | str, strain: Strain, leader: Seat, cards: Iterable[Card | str] = ()) -> None:
        """The play of the deal from the lead on, after these cards; ValueError where hands differ in size, or as in `play`."""
        deal = Deal.parse(deal) if isinstance(deal, str) else deal
        sizes = deal.sizes
        # Endings are allowed (cards `OUT`), but not hands of different sizes: the trick would have no last card.
        if UNKNOWN in deal.holders or len(set(sizes)) > 1:
            told = ", ".join(f"{seat} {size}" for seat, size in zip(Seat, sizes, strict=True))
            raise ValueError(f"cards are played from four known hands of one size, not {told}")
        self.start = deal
        """The deal before the first card."""
        self.strain = strain
        """The strain of the contract."""
        self._bits = [hand.bits for _, hand in deal]
        self._cards: list[Card] = []
        self._leaders = [leader]
        for card in cards:
            self.play(card)

    @classmethod
    def of(cls, board: Board) -> CardPlay:
        """A board before the opening lead; ValueError where its deal, contract or declarer is not known.

        The board's own play can be played then: ``for card in board.play.cards``.
        """
        contract, declarer = board.effective_contract, board.effective_declarer
        if board.deal is None:
            raise ValueError("the board has no deal")
        if contract is None or contract.is_passed_out or declarer is None:
            raise ValueError("nothing is played: the board has no contract with a declarer")
        return cls(board.deal, contract.strain, declarer.next)

    @property
    def first(self) -> Seat:
        """Who leads to the first trick."""
        return self._leaders[0]

    @property
    def leader(self) -> Seat:
        """Who led, or leads, to the current trick."""
        return self._leaders[-1]

    @property
    def turn(self) -> Seat:
        """Whose turn it is: after the last card the winner of the last trick."""
        # The number of cards before the trick is a multiple of four, so it does not disturb the remainder.
        return Seat((self.leader + len(self._cards)) % 4)

    @property
    def is_over(self) -> bool:
        """Whether no card is left."""
        return not any(self._bits)

    @property
    def trick(self) -> tuple[Card, ...]:
        """The cards on the table, in the order in which they fell; none between two tricks."""
        return tuple(self._cards[len(self._cards) // 4 * 4 :])

    @property
    def winning(self) -> Seat | None:
        """Who wins the current trick so far; None between two tricks."""
        return winner(Trick(self.leader, self.trick), self.strain)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that may be played now, in slot order."""
        hand = self.hand(self.turn)
        trick = self.trick
        following = Hand(hand.bits & _SUIT_BITS << (39 - 13 * trick[0].suit)) if trick else hand
        return (following if following else hand).cards

    def play(self, card: Card | str) -> Seat | None:
        """Play a card of the seat on turn. Return the winner where the card ends the trick, else None. ValueError gives the reason
        where the card may not be played.
        """
        card = Card.parse(card) if isinstance(card, str) else Card(card)
        seat = self.turn
        if card not in self.hand(seat):
            raise ValueError(f"{seat} does not hold {card}")
        if card not in self.legal:
            raise ValueError(f"{seat} plays {card}, but holds the suit led")
        self._bits[seat] ^= 1 << (51 - card)
        self._cards.append(card)
        if len(self._cards) % 4:
            return None
        won = winner(Trick(self.leader, tuple(self._cards[-4:])), self.strain)
        assert won is not None
        self._leaders.append(won)
        return won

    def undo(self) -> Card:
        """Take the last card back, and give it; IndexError where none has been played."""
        if not self._cards:
            raise IndexError("no card has been played")
        # The last card ended a trick: its winner is no longer the leader of the next one.
        if len(self._cards) % 4 == 0:
            self._leaders.pop()
        card = self._cards.pop()
        # After both removals `turn` is the seat that had played the card.
        self._bits[self.turn] |= 1 << (51 - card)
        return card

    def hand(self, seat: Seat) -> Hand:
        """The cards that the seat still has."""
        return Hand(self._bits[seat])

    @property
    def deal(self) -> Deal:
        """The cards that all four seats still have; the cards played are `OUT`."""
        return Deal.of_hands({seat: self.hand(seat) for seat in Seat}, OUT)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards played, in order."""
        return tuple(self._cards)

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who won each finished trick."""
        # The winner of a trick is the leader of the next; the first leader won nothing.
        return tuple(self._leaders[1:])

    def won(self, side: Side) -> int:
        """How many finished tricks the side won."""
        return sum(seat.side == side for seat in self.winners)

    @property
    def record(self) -> Play:
        """The tricks played, the last one perhaps unfinished."""
        cards = self._cards
        # There is one leader more than tricks begun when the last trick is finished: it has no cards, and is left out.
        tricks = [Trick(leader, tuple(cards[4 * number : 4 * number + 4])) for number, leader in enumerate(self._leaders)]
        return Play(tuple(trick for trick in tricks if trick.cards))

    def copy(self) -> CardPlay:
        """Return an independent copy of the play."""
        return CardPlay(self.start, self.strain, self.first, self._cards)

    def __repr__(self) -> str:
        return f"CardPlay({self.start!r}, {self.strain}, {self.first} leads, {' '.join(map(str, self._cards))!r})"
