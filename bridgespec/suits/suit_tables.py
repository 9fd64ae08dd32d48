"""Tables of all combinations of two lengths. The cards from ace to eight are assigned to hands one by one; declarer's lower cards
are equivalent small cards, below all cards of the defenders.

`rows` yields the combinations of a table, `line` solves one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from bridgespec.model.cards import RANKS
from bridgespec.model.combination import Combination
from bridgespec.model.hand import Holding
from bridgespec.suits.best_play import best_play
from bridgespec.suits.suit_solver import SuitEngine

PLACED = RANKS[: RANKS.index("8") + 1]
SMALL = RANKS[len(PLACED) :]
SHAPES = ((3, 3), (4, 3), (5, 2), (4, 4), (5, 3), (5, 4), (6, 2), (6, 3))
"""The lengths of North and South of a complete set of tables; larger and smaller ones are left out."""


@dataclass(frozen=True)
class CombinationRow:
    """A row of a table: the cards of both hands, with ``x`` for each small card."""

    north: str
    south: str

    @property
    def combination(self) -> Combination:
        """The combination, in which the small cards are the lowest ranks from the two up."""
        small = iter(reversed(SMALL))
        north, south = ("".join(next(small) if rank == "x" else rank for rank in holding) for holding in (self.north, self.south))
        return Combination(Holding(north), Holding(south))


def rows(north: int, south: int) -> Iterator[CombinationRow]:
    """Yield the combinations of two lengths. Of two that differ only by the exchange of North and South, the first is yielded.

    >>> sum(1 for _ in rows(3, 3)), next(rows(3, 3))
    (715, CombinationRow(north='AKQ', south='JT9'))
    """
    for places in product("NS-", repeat=len(PLACED)):
        placed = ["".join(rank for rank, place in zip(PLACED, places, strict=True) if place == hand) for hand in "NS"]
        lacking = [length - len(cards) for length, cards in zip((north, south), placed, strict=True)]
        if min(lacking) < 0 or sum(lacking) > len(SMALL):
            continue
        row = CombinationRow(placed[0] + "x" * lacking[0], placed[1] + "x" * lacking[1])
        # With hands of one length every combination occurs twice, with North and South exchanged.
        if north != south or _order(row.north) <= _order(row.south):
            yield row


def _order(holding: str) -> list[int]:
    """Return a key by which a holding with higher cards comes first."""
    return [(PLACED + "x").index(rank) for rank in holding]


def header(north: int, south: int) -> str:
    """Return the names of the columns of a table, separated by tabs."""
    return "\t".join(["north", "south", "expected", *(f"chance_{tricks}" for tricks in range(1, max(north, south) + 1))])


def line(engine: SuitEngine, row: CombinationRow) -> str:
    """Solve a combination, and return its line of the table: both hands, the expected number of tricks, and the chance of each
    number.

    Numbers have six decimals; ``<`` before a number marks an upper bound, where the search ended early.
    """
    combination = row.combination
    texts = []
    # Target 0 is the expected number, the first column.
    for target in range(combination.most_tricks + 1):
        best = best_play(engine, combination, target)
        mark = "" if best.lower == best.upper else "<"
        texts.append(f"{mark}{best.upper / combination.total:.6f}")
    return "\t".join([row.north, row.south, *texts])
