"""`CardPlay`: the play of a deal in progress, in which cards are played and undone."""

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
    """The play of a deal in progress: `play` plays a card, `undo` takes the last one back. All hands have the same size at the
    start.

    `record` returns the cards played so far as a `Play`.

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
        """Begin with a deal, or an ending, and the seat that leads, and play ``cards``. Raises ValueError if a card is unknown, if
        hands differ in size, and for a card that may not be played.
        """
        deal = Deal.parse(deal) if isinstance(deal, str) else deal
        sizes = deal.sizes
        # Endings have cards that are `OUT`.
        if UNKNOWN in deal.holders or len(set(sizes)) > 1:
            given = ", ".join(f"{seat} {size}" for seat, size in zip(Seat, sizes, strict=True))
            raise ValueError(f"cards are played from four known hands of one size, not {given}")
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
        """Return the play of a board before the opening lead. Raises ValueError if its deal, contract or declarer is unknown.

        The cards of ``board.play`` are not played.
        """
        contract, declarer = board.effective_contract, board.effective_declarer
        if board.deal is None:
            raise ValueError("the board has no deal")
        if contract is None or contract.is_passed_out or declarer is None:
            raise ValueError("nothing is played: the board has no contract with a declarer")
        return cls(board.deal, contract.strain, declarer.next)

    @property
    def first(self) -> Seat:
        """The seat that leads to the first trick."""
        return self._leaders[0]

    @property
    def leader(self) -> Seat:
        """The seat that has led, or must lead, to the current trick."""
        return self._leaders[-1]

    @property
    def turn(self) -> Seat:
        """The seat that plays next; after the last card the winner of the last trick."""
        # The number of cards before the current trick is a multiple of four.
        return Seat((self.leader + len(self._cards)) % 4)

    @property
    def is_over(self) -> bool:
        """Whether no card is left."""
        return not any(self._bits)

    @property
    def trick(self) -> tuple[Card, ...]:
        """The cards of the current trick in the order of play; empty between two tricks."""
        return tuple(self._cards[len(self._cards) // 4 * 4 :])

    @property
    def winning(self) -> Seat | None:
        """The seat that is winning the current trick; None between two tricks."""
        return winner(Trick(self.leader, self.trick), self.strain)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that the seat on turn may play, in the order of `Card`."""
        hand = self.hand(self.turn)
        trick = self.trick
        following = Hand(hand.bits & _SUIT_BITS << (39 - 13 * trick[0].suit)) if trick else hand
        return (following if following else hand).cards

    def play(self, card: Card | str) -> Seat | None:
        """Play a card of the seat on turn. Return the winner if the card ends the trick, else None. Raises ValueError with the
        reason if the card may not be played.
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
        """Take the last card back, and return it. Raises IndexError if no card has been played."""
        if not self._cards:
            raise IndexError("no card has been played")
        # The last card ended a trick: its winner is no longer the leader of the next one.
        if len(self._cards) % 4 == 0:
            self._leaders.pop()
        card = self._cards.pop()
        # Now `turn` is the seat that had played the card.
        self._bits[self.turn] |= 1 << (51 - card)
        return card

    def hand(self, seat: Seat) -> Hand:
        """Return the cards that a seat still has."""
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
        """The winner of each finished trick."""
        # The winner of a trick is the leader of the next; the first leader won nothing.
        return tuple(self._leaders[1:])

    def won(self, side: Side) -> int:
        """Return the number of finished tricks that a side has won."""
        return sum(seat.side == side for seat in self.winners)

    @property
    def record(self) -> Play:
        """The tricks played so far as a `Play`; the last one may be unfinished."""
        cards = self._cards
        # After a finished trick the last leader has not led yet, and its trick has no cards.
        tricks = [Trick(leader, tuple(cards[4 * number : 4 * number + 4])) for number, leader in enumerate(self._leaders)]
        return Play(tuple(trick for trick in tricks if trick.cards))

    def copy(self) -> CardPlay:
        """Return an independent copy of the play."""
        return CardPlay(self.start, self.strain, self.first, self._cards)

    def __repr__(self) -> str:
        return f"CardPlay({self.start!r}, {self.strain}, {self.first} leads, {' '.join(map(str, self._cards))!r})"
