"""Suit combinations: declarer's two holdings, what is known of the defenders' cards, how declarer can move between the hands."""

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
    """One suit as declarer sees it; every card whose place is unknown is hidden with one of the defenders.

    ``north`` and ``south`` are declarer's; ``west`` and ``east`` the defenders' cards that declarer knows; ``out`` the cards that
    were played before. ``vacant`` is the number of cards in West's and East's hands that may be of this suit: 13 each in a new
    deal, where no card of another suit is known. ``west_length`` bounds the number of West's cards. ``entries`` is how often North
    and South can be reached from other suits, None for any number; ``lead_from`` is the hand that leads first, None where declarer
    chooses. ValueError for a card in two holdings, or where no layout is possible.

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
            # Texts and plain numbers are accepted too; all below needs the methods of `Holding`.
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
        # Without defenders' cards there is nothing to lay out, whatever places are vacant.
        if self.defenders and not self.total:
            raise ValueError("no layout of the hidden cards fits the vacant places and West's length")

    @classmethod
    def parse(cls, text: str) -> Combination:
        """Return the combination of North's and South's ranks, all else as for a new deal; ValueError for any other text.

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
        """Return the combination that a deal or a suit layout shows to a declarer; he becomes South.

        With ``open_cards`` the defenders' cards that the deal places are known, without it hidden. Cards out of play (`OUT`) or
        without a holder are hidden; with ``unused_hidden=False`` cards out of play have been played before.

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
        """The weight of all layouts together."""
        return sum(comb(len(self.hidden), size) * self.ways(size) for size in range(len(self.hidden) + 1))

    def ways(self, size: int) -> int:
        """Return the number of ways to fill the vacant places where West has ``size`` of the hidden cards: the weight of each such
        layout.
        """
        least, most = self.west_length
        west, east = self.vacant[0] - len(self.west), self.vacant[1] - len(self.east)
        unseen, others = len(self.hidden), west + east - len(self.hidden)
        # Explicit, because `comb` raises ValueError for a negative number in place of returning 0.
        if not least <= size + len(self.west) <= most or size > west or unseen - size > east or others < 0:
            return 0
        # The cards of other suits fill the remaining vacant places; how many ways there are is the weight of the suit's layout.
        return comb(others, west - size)

    def layouts(self) -> Iterator[tuple[Holding, Holding, int]]:
        """Iterate over West's holding, East's, and the weight of the layout, those of weight 0 left out."""
        hidden = [1 << (12 - RANKS.index(rank)) for rank in self.hidden]
        for size in range(len(hidden) + 1):
            if ways := self.ways(size):
                for cards in combinations(hidden, size):
                    west = Holding(self.west | sum(cards))
                    yield west, Holding(self.defenders & ~west), ways
