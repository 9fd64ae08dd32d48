"""`Combination`: one suit for the analysis of its play, with declarer's holdings, the known cards of the defenders, and entries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

from bridgespec.model.cards import RANKS, Seat, Suit, not_text
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.hand import Holding

EMPTY, FULL = Holding(0), Holding(0x1FFF)
"""No card, and all thirteen."""


@dataclass(frozen=True, slots=True)
class Combination:
    """One suit as declarer sees it. All other cards of the suit are hidden: one of the defenders has them.

    ``north`` and ``south`` are declarer's holdings; ``west`` and ``east`` are cards that the defenders are known to have; ``out``
    are cards that were played before. ``vacant`` is the number of cards of West and of East that may be of this suit: 13 each if no
    card of another suit is known. ``west_length`` bounds the number of West's cards in the suit. ``entries`` is how often North and
    South can be reached by other suits (None: any number of times); ``lead_from`` is the hand that leads first (None: declarer
    chooses). Raises ValueError for a card in two holdings, and if no layout is possible.

    >>> combination = Combination(Holding.parse("AJT"), Holding.parse("432"))
    >>> str(combination.hidden), combination.total
    ('KQ98765', 10400600)
    """

    north: Holding
    south: Holding
    west: Holding = EMPTY
    east: Holding = EMPTY
    out: Holding = EMPTY
    vacant: tuple[int, int] = (13, 13)
    west_length: tuple[int, int] = (0, 13)
    entries: tuple[int | None, int | None] = (None, None)
    lead_from: Seat | None = None

    def __post_init__(self) -> None:
        for name in ("north", "south", "west", "east", "out"):
            # Texts and plain numbers are accepted too.
            object.__setattr__(self, name, Holding(getattr(self, name)))
        seen = 0
        for holding in (self.north, self.south, self.west, self.east, self.out):
            twice = Holding(seen & holding)
            if twice:
                raise ValueError(f"{twice.ranks[0]} is in two places: {self._places()}")
            seen |= holding
        if not self.north | self.south:
            raise ValueError("declarer holds no card of the suit")
        if self.lead_from is not None and self.lead_from not in (Seat.NORTH, Seat.SOUTH):
            raise ValueError("declarer leads from North or South")
        if any(count is not None and count < 0 for count in self.entries):
            raise ValueError("a hand cannot have fewer than no entries")
        # If the defenders have no cards, `vacant` does not matter.
        if self.defenders and not self.total:
            raise ValueError("no layout of the hidden cards fits the vacant places and West's length")

    @classmethod
    def parse(cls, text: str) -> Combination:
        """Return the combination of North's and South's ranks, separated by a blank, with nothing else known. Raises ValueError for
        any other text.

        >>> print(Combination.parse("AJT5 K932").hidden)
        Q8764
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        try:
            north, south = text.split()
        except ValueError:
            raise ValueError(f"a combination is the two holdings of declarer, as AJT5 K932, not {text!r}") from None
        return cls(Holding.parse(north), Holding.parse(south))

    def _places(self) -> str:
        """Return the holdings that are not empty, for messages."""
        named = zip(
            ("North", "South", "West", "East", "out"), (self.north, self.south, self.west, self.east, self.out), strict=True
        )
        return ", ".join(f"{name} {holding.ranks}" for name, holding in named if holding)

    @classmethod
    def of_deal(
        cls,
        deal: Deal,
        suit: Suit = Suit.SPADES,
        declarer: Seat = Seat.SOUTH,
        *,
        open_cards: bool = True,
        unused_hidden: bool = True,
    ) -> Combination:
        """Return the combination of a suit of a deal for a declarer, who becomes South.

        With ``open_cards`` the defenders' cards in the deal are known, else they are hidden. Cards of unknown holders are hidden,
        and so are cards that are `OUT`; with ``unused_hidden=False`` the latter were played before.

        >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
        >>> Combination.of_deal(deal, Suit.DIAMONDS, open_cards=False).hidden
        Holding('QJ986')
        """
        turned = deal.rotated((Seat.SOUTH - declarer) % 4)
        holders = turned.holders[13 * suit : 13 * suit + 13]
        out = Holding(sum(1 << (12 - rank) for rank in range(13) if holders[rank] == OUT))
        west, north, east, south = (turned.holding(seat, suit) for seat in Seat)
        if not open_cards:
            west = east = EMPTY
        return cls(north, south, west, east, EMPTY if unused_hidden else out)

    @property
    def hidden(self) -> Holding:
        """The cards that may be with either defender."""
        return Holding(FULL & ~(self.north | self.south | self.west | self.east | self.out))

    @property
    def defenders(self) -> Holding:
        """The defenders' cards, known or hidden."""
        return Holding(self.west | self.east | self.hidden)

    @property
    def most_tricks(self) -> int:
        """The length of declarer's longer holding."""
        return max(len(self.north), len(self.south))

    @property
    def total(self) -> int:
        """The sum of the weights of all layouts."""
        return sum(comb(len(self.hidden), size) * self.ways(size) for size in range(len(self.hidden) + 1))

    def ways(self, size: int) -> int:
        """Return the weight of a layout in which West has ``size`` of the hidden cards: the number of ways to deal the cards of
        other suits to West and East. 0 if there is no such layout.
        """
        least, most = self.west_length
        west, east = self.vacant[0] - len(self.west), self.vacant[1] - len(self.east)
        unseen, others = len(self.hidden), west + east - len(self.hidden)
        # `comb` would raise ValueError for a negative number.
        if not least <= size + len(self.west) <= most or size > west or unseen - size > east or others < 0:
            return 0
        return comb(others, west - size)

    def layouts(self) -> Iterator[tuple[Holding, Holding, int]]:
        """Yield each layout whose weight is not 0: West's holding, East's holding, and the weight."""
        hidden = [1 << (12 - RANKS.index(rank)) for rank in self.hidden]
        for size in range(len(hidden) + 1):
            if ways := self.ways(size):
                for cards in combinations(hidden, size):
                    west = Holding(self.west | sum(cards))
                    yield west, Holding(self.defenders & ~west), ways
