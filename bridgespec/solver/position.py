"""Positions: the cards in each hand, the leader, and the cards played to the current trick."""

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
    """A deal or an ending at any card: ``deal`` has the cards still in the hands, ``trick`` those of the current trick.

    The type allows impossible positions: `check` and every function of the solver refuse them.

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
        """The position after the given cards, the deal being that before the first of them; PositionError as in `after`."""
        position = cls(deal, strain, leader)
        for index, card in enumerate(played):
            position = position.after(card, index)
        return position

    @classmethod
    def opening(cls, deal: Deal, strain: Strain, declarer: Seat) -> Position:
        """The position before the opening lead, which comes from the declarer's left."""
        return cls(deal, strain, declarer.next)

    @property
    def on_turn(self) -> Seat:
        """The seat that plays next."""
        return Seat((self.leader + len(self.trick)) % 4)

    @property
    def tricks_left(self) -> int:
        """How many tricks are still to be won, the current one included."""
        # The seat on turn has not played to the current trick yet, so its hand has one card for each trick that is left.
        return self.deal.sizes[self.on_turn]

    @property
    def playable(self) -> tuple[Card, ...]:
        """The cards that the seat on turn may play, in slot order."""
        cards = self.deal.cards(self.on_turn)
        following = tuple(card for card in cards if self.trick and card.suit == self.trick[0].suit)
        return following or cards

    def after(self, card: Card, index: int | None = None) -> Position:
        """The position once the seat on turn has played the card; PositionError where it may not. ``index`` is for the error."""
        seat = self.on_turn
        at = "" if index is None else f"card {index + 1} of the play: "
        if self.deal.holders[card] != seat:
            raise PositionError(f"{at}{seat.name.capitalize()} does not hold {card}", seat, card, index)
        # Known here too, since the message names the card and the seat; the library refuses the position that would follow.
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
        """Raise PositionError where the position is impossible."""
        problem = ffi.new("bsdd_problem *")
        raise_for(lib.bsdd_check(native(self), problem), self.deal.holders, problem)


def native(position: Position) -> object:
    """Return the position in the form of the C library."""
    if len(position.trick) > 3:
        raise PositionError("the current trick has more than three cards")
    held = ffi.new("bsdd_position *")
    held.holder = position.deal.holders
    held.strain, held.leader, held.trick_length = as_byte(position.strain), as_byte(position.leader), len(position.trick)
    for place, card in enumerate(position.trick):
        held.trick[place] = as_byte(card)
    return held


def as_byte(number: int) -> int:
    """Return a number as a byte for the C library; one out of range becomes 255, which the library refuses."""
    # cffi raises OverflowError for a number that is no byte, which would name neither the card nor the seat.
    return number if 0 <= number <= 255 else 255
