"""Tables of all combinations of two lengths: ace to eight are placed, lower cards are equal and lower than the defenders' cards."""

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
"""The lengths that the whole table consists of."""


@dataclass(frozen=True)
class CombinationRow:
    """A combination as the table spells it, with ``x`` for each small card."""

    north: str
    south: str

    @property
    def combination(self) -> Combination:
        """The combination with the lowest cards for declarer's small ones."""
        # From the two up, so that declarer's small cards are below all of the defenders', as the table defines them.
        small = iter(reversed(SMALL))
        north, south = ("".join(next(small) if rank == "x" else rank for rank in holding) for holding in (self.north, self.south))
        return Combination(Holding(north), Holding(south))


def rows(north: int, south: int) -> Iterator[CombinationRow]:
    """Iterate over the combinations of two lengths, each once: of two that differ in the exchange of the hands, the first.

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
    return [(PLACED + "x").index(rank) for rank in holding]


def header(north: int, south: int) -> str:
    """The names of the columns."""
    return "\t".join(["north", "south", "expected", *(f"chance_{tricks}" for tricks in range(1, max(north, south) + 1))])


def line(engine: SuitEngine, row: CombinationRow) -> str:
    """Solve a row: the expected number of tricks and the chance of each number, with six decimals; ``<`` marks a bound."""
    combination = row.combination
    texts = []
    # Target 0 is the expected number, the first column.
    for target in range(combination.most_tricks + 1):
        best = best_play(engine, combination, target)
        mark = "" if best.lower == best.upper else "<"
        # The upper bound is printed: `<` then reads "less than or equal to this number".
        texts.append(f"{mark}{best.upper / combination.total:.6f}")
    return "\t".join([row.north, row.south, *texts])
