"""The play of the cards, trick by trick."""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.model.cards import Card, Seat


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick: who led, and the cards in the order in which they were played (fewer than four: unfinished)."""

    leader: Seat
    cards: tuple[Card, ...]

    @property
    def by_seat(self) -> dict[Seat, Card]:
        """The card of each seat that has played."""
        return {Seat((self.leader + i) % 4): card for i, card in enumerate(self.cards)}


@dataclass(frozen=True, slots=True)
class Play:
    """The tricks in order, as far as they are recorded.

    >>> Play((Trick(Seat.WEST, (Card(0), Card(1), Card(2), Card(3))),)).cards
    (Card('SA'), Card('SK'), Card('SQ'), Card('SJ'))
    """

    tricks: tuple[Trick, ...]

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every card in the order of play."""
        return tuple(card for trick in self.tricks for card in trick.cards)
