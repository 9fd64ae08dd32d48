"""`Position`: the cards in each hand, the leader and the cards of the current trick, as the solver takes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.play import Trick
from bridgespec.model.playing import winner
from bridgespec.solver.library import ffi, lib
from bridgespec.solver.solver_errors import PositionError, raise_for


@dataclass(frozen=True, slots=True)
class Position:
    """A position of the play, before any card. ``deal`` has the cards that are still in the hands, ``trick`` those of the current
    trick, which ``leader`` has led or leads.

    A `Position` may be impossible; `check` and every function of the solver raise PositionError for it.

    >>> deal = Deal.parse("N:A.2.. K.3.. Q.4.. J.5..")
    >>> position = Position.of(deal, Strain.HEARTS, Seat.NORTH, [Card.parse("SA")])
    >>> position.on_turn.name, position.tricks_left, position.after(Card.parse("SK")).on_turn.name
    ('EAST', 2, 'SOUTH')
    """

    deal: Deal
    strain: Strain
    leader: Seat
    trick: tuple[Card, ...] = ()

    @classmethod
    def of(cls, deal: Deal, strain: Strain, leader: Seat, played: Iterable[Card] = ()) -> Position:
        """Return the position after the cards ``played``; ``deal`` is that before the first of them. Raises PositionError as
        `after`.
        """
        position = cls(deal, strain, leader)
        for index, card in enumerate(played):
            position = position.after(card, index)
        return position

    @classmethod
    def opening(cls, deal: Deal, strain: Strain, declarer: Seat) -> Position:
        """Return the position before the opening lead, which is made by the seat to the declarer's left."""
        return cls(deal, strain, declarer.next)

    @property
    def on_turn(self) -> Seat:
        """The seat that plays next."""
        return Seat((self.leader + len(self.trick)) % 4)

    @property
    def tricks_left(self) -> int:
        """The number of tricks that are not complete, with the current one."""
        # The seat on turn has not played to the current trick, so its hand has one card for each of these tricks.
        return self.deal.sizes[self.on_turn]

    @property
    def playable(self) -> tuple[Card, ...]:
        """The cards that the seat on turn may play, in the order of `Card`."""
        cards = self.deal.cards(self.on_turn)
        following = tuple(card for card in cards if self.trick and card.suit == self.trick[0].suit)
        return following or cards

    def after(self, card: Card, index: int | None = None) -> Position:
        """Return the position after the seat on turn has played a card. Raises PositionError if it may not; ``index`` is the
        position of the card in a play, for the message.
        """
        seat = self.on_turn
        at = "" if index is None else f"card {index + 1} of the play: "
        if self.deal.holders[card] != seat:
            raise PositionError(f"{at}{seat.name.capitalize()} does not hold {card}", seat, card, index)
        # Checked here, so that the message names the card and the seat.
        if card not in self.playable:
            raise PositionError(f"{at}{seat.name.capitalize()} plays {card}, but holds the suit led", seat, card, index)
        holders = bytearray(self.deal.holders)
        holders[card] = OUT
        cards = (*self.trick, card)
        trick = Trick(self.leader, cards)
        if len(cards) < 4:
            return Position(Deal(bytes(holders)), self.strain, self.leader, cards)
        leader = winner(trick, self.strain)
        assert leader is not None
        return Position(Deal(bytes(holders)), self.strain, leader)

    def check(self) -> None:
        """Raise PositionError if the position is impossible."""
        problem = ffi.new("bsdd_problem *")
        raise_for(lib.bsdd_check(native(self), problem), self.deal.holders, problem)


def native(position: Position) -> object:
    """Return the position as a structure of the C library. Raises PositionError if the trick has more than three cards."""
    if len(position.trick) > 3:
        raise PositionError("the current trick has more than three cards")
    native_position = ffi.new("bsdd_position *")
    native_position.holder = position.deal.holders
    native_position.strain, native_position.leader = as_byte(position.strain), as_byte(position.leader)
    native_position.trick_length = len(position.trick)
    for index, card in enumerate(position.trick):
        native_position.trick[index] = as_byte(card)
    return native_position


def as_byte(number: int) -> int:
    """Return a number as a byte for the C library; a number that is no byte becomes 255, for which the library reports an error."""
    # cffi would raise OverflowError, which names neither the card nor the seat.
    return number if 0 <= number <= 255 else 255
