"""The plainest solver there is: every legal card, no pruning, equal positions remembered. For endings only."""

from __future__ import annotations

from bridgespec.model.cards import Card, Side
from bridgespec.solver import Position


class Minimax:
    """Remembers what it has worked out, by position."""

    def __init__(self) -> None:
        self._known: dict[Position, int] = {}

    def north_south(self, position: Position) -> int:
        """North-South's tricks from here on, the current one included."""
        if not position.tricks_left:
            return 0
        if position not in self._known:
            values = [self.after(position, card) for card in position.playable]
            best = max if position.on_turn.side is Side.NS else min
            self._known[position] = best(values)
        return self._known[position]

    def after(self, position: Position, card: Card) -> int:
        """The same when the seat on turn plays the card."""
        following = position.after(card)
        won = not following.trick and following.leader.side is Side.NS
        return won + self.north_south(following)

    def own(self, position: Position, value: int) -> int:
        """North-South's tricks as tricks of the side on turn."""
        return value if position.on_turn.side is Side.NS else position.tricks_left - value
