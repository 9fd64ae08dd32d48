"""`Hand`, the cards of one seat, and `Holding`, its cards of one suit, with their evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bridgespec.lazily import Lazy
from bridgespec.model.cards import RANKS, SUITS, Card, Suit, not_text
from bridgespec.model.drawn import Drawn

if TYPE_CHECKING:
    from bridgespec.model import evaluate, four_cs
else:
    # Imported on first use, since reading and writing files needs no evaluation.
    evaluate, four_cs = Lazy("bridgespec.model.evaluate"), Lazy("bridgespec.model.four_cs")

_SUIT_BITS = 0x1FFF


@cache
def _ranks(bits: int) -> str:
    """Return the ranks of a holding from the ace down."""
    return "".join(rank for place, rank in enumerate(RANKS) if bits >> (12 - place) & 1)


class Holding(int):
    """The cards of one suit in a hand, as 13 bits: the ace is bit 12, the two bit 0. The constructor also takes a text, as
    `Holding.parse`.

    ``len`` is the number of cards, and iterating yields their ranks from the ace down. The evaluations are those of
    `bridgespec.model.evaluate`, which names their sources.

    >>> holding = Holding.parse("AQ97")
    >>> len(holding), list(holding), "Q" in holding, str(holding)
    (4, ['A', 'Q', '9', '7'], True, 'AQ97')
    >>> holding.hcp, holding.losers, holding.quick_tricks, holding.stoppers, holding.quality
    (6, 1, 1.5, 2, 6)
    """

    __slots__ = ()

    def __new__(cls, bits: int | str = 0) -> Holding:
        if isinstance(bits, str):
            return cls.parse(bits)
        if not 0 <= bits <= _SUIT_BITS:
            raise ValueError(f"a holding is 13 bits, not {bits}")
        return super().__new__(cls, bits)

    @classmethod
    def parse(cls, text: str) -> Holding:
        """Return the holding of a text of ranks in any order. ``10`` is a ten; hyphens are ignored.

        Raises ValueError for a character that is no rank, and for a rank that occurs twice.
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        bits = 0
        for letter in text.upper().replace("10", "T").replace("-", ""):
            rank = RANKS.find(letter)
            if rank < 0:
                raise ValueError(f"not a rank: {letter!r} in the holding {text!r}")
            if bits >> (12 - rank) & 1:
                raise ValueError(f"{letter} stands twice in the holding {text!r}")
            bits |= 1 << (12 - rank)
        return cls(bits)

    @property
    def ranks(self) -> str:
        """The ranks from the ace down: ``"AQ97"``, or ``""``."""
        return _ranks(self)

    def __len__(self) -> int:
        return self.bit_count()

    def __iter__(self) -> Iterator[str]:
        return iter(_ranks(self))

    def __contains__(self, rank: object) -> bool:
        return isinstance(rank, str) and len(rank) == 1 and rank.upper() in _ranks(self)

    def __str__(self) -> str:
        return _ranks(self)

    def __format__(self, spec: str) -> str:
        # The `__format__` of int would return the number for ``{holding:>8}``.
        return format(_ranks(self), spec)

    def __repr__(self) -> str:
        return f"Holding({_ranks(self)!r})"

    @property
    def hcp(self) -> int:
        """High-card points: ace 4, king 3, queen 2, jack 1."""
        return evaluate.points(self)

    @property
    def controls(self) -> int:
        """Controls: ace 2, king 1."""
        return evaluate.controls(self)

    @property
    def losers(self) -> int:
        """Losers: one for each of ace, king and queen that is missing, as far as the length goes."""
        return evaluate.losers(self)

    @property
    def new_losers(self) -> float:
        """New losers: 1.5 for a missing ace, 1 for a missing king, 0.5 for a missing queen, as far as the length goes."""
        return evaluate.new_losers(self)

    @property
    def quick_tricks(self) -> float:
        """Quick tricks: AK 2, AQ 1.5, A 1, KQ 1, K with another card 0.5."""
        return evaluate.quick_tricks(self)

    @property
    def playing_tricks(self) -> float:
        """An estimate of the tricks that the holding takes with its suit as trumps."""
        return evaluate.playing_tricks(self)

    @property
    def stoppers(self) -> int:
        """The number of stoppers, at most two."""
        return evaluate.stoppers(self)

    @property
    def quality(self) -> int:
        """Klinger's suit quality: the length plus the number of honours; jack and ten count only with a higher honour."""
        return evaluate.quality(self)

    @property
    def top_three(self) -> int:
        """The number of cards among ace, king and queen."""
        return evaluate.top_three(self)

    @property
    def top_five(self) -> int:
        """The number of cards among ace, king, queen, jack and ten."""
        return evaluate.top_five(self)


@dataclass(frozen=True, slots=True, repr=False)
class Hand(Drawn):
    """The cards of one seat, as 52 bits: the ace of spades is bit 51, the two of clubs bit 0. The constructor also takes a text, as
    `Hand.parse`.

    ``len`` is the number of cards, and iterating yields them in the order of `Card`; ``hand[Suit.SPADES]`` is a `Holding`. The
    evaluations are those of `bridgespec.model.evaluate`, which names their sources. They are defined for thirteen cards, but
    computed for any number.

    >>> hand = Hand.parse("AKQ95.AT3.KJ2.97")
    >>> len(hand), hand.hcp, hand.lengths, hand.shape, hand.is_balanced, hand.losers, hand.spades.ranks
    (13, 17, (5, 3, 3, 2), '5332', True, 6, 'AKQ95')
    >>> "DK" in hand, Card.parse("DQ") in hand, [str(card) for card in hand][:3]
    (True, False, ['SA', 'SK', 'SQ'])
    """

    bits: int = 0

    def __init__(self, bits: int | str = 0) -> None:
        number = Hand.parse(bits).bits if isinstance(bits, str) else bits
        if not 0 <= number < 1 << 52:
            raise ValueError("a hand is 52 bits")
        object.__setattr__(self, "bits", number)

    @classmethod
    def of(cls, cards: Iterable[Card]) -> Hand:
        """Return the hand of some cards; a card that occurs twice counts once."""
        bits = 0
        for card in cards:
            bits |= 1 << (51 - card)
        return cls(bits)

    @classmethod
    def parse(cls, text: str) -> Hand:
        """Return the hand of holdings S.H.D.C separated by dots, with any number of cards. Raises ValueError for any other text.

        >>> Hand.parse("A.K..2")
        Hand('A.K..2')
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        parts = text.strip().split(".")
        if len(parts) != 4:
            raise ValueError(f"a hand has four holdings, not {len(parts)}: {text!r}")
        bits = 0
        for suit, part in zip(SUITS, parts, strict=True):
            try:
                bits = bits << 13 | Holding.parse(part)
            except ValueError as error:
                raise ValueError(f"{error} of {suit}") from None
        return cls(bits)

    @property
    def holdings(self) -> tuple[Holding, Holding, Holding, Holding]:
        """The holdings of spades, hearts, diamonds and clubs, as the functions of `bridgespec.model.evaluate` take them."""
        bits = self.bits
        return (
            Holding(bits >> 39),
            Holding(bits >> 26 & _SUIT_BITS),
            Holding(bits >> 13 & _SUIT_BITS),
            Holding(bits & _SUIT_BITS),
        )

    def __getitem__(self, suit: Suit | str) -> Holding:
        # `Suit(suit)` is slow for a `Suit` too.
        if not isinstance(suit, Suit):
            suit = Suit.parse(suit) if isinstance(suit, str) else Suit(suit)
        return Holding(self.bits >> (39 - 13 * suit) & _SUIT_BITS)

    @property
    def spades(self) -> Holding:
        """The spades."""
        return self[Suit.SPADES]

    @property
    def hearts(self) -> Holding:
        """The hearts."""
        return self[Suit.HEARTS]

    @property
    def diamonds(self) -> Holding:
        """The diamonds."""
        return self[Suit.DIAMONDS]

    @property
    def clubs(self) -> Holding:
        """The clubs."""
        return self[Suit.CLUBS]

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order of `Card`."""
        return tuple(self)

    def __iter__(self) -> Iterator[Card]:
        bits = self.bits
        # The highest bit is the first card.
        while bits:
            slot = 52 - bits.bit_length()
            bits ^= 1 << (51 - slot)
            yield Card(slot)

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __contains__(self, card: object) -> bool:
        slot = Card.parse(card) if isinstance(card, str) else card
        return isinstance(slot, Card) and bool(self.bits >> (51 - slot) & 1)

    def __str__(self) -> str:
        bits = self.bits
        # Not by `holdings`, which takes six times as long; files are written with these texts.
        return f"{_ranks(bits >> 39)}.{_ranks(bits >> 26 & 0x1FFF)}.{_ranks(bits >> 13 & 0x1FFF)}.{_ranks(bits & 0x1FFF)}"

    def __repr__(self) -> str:
        return f"Hand({str(self)!r})"

    @property
    def lengths(self) -> tuple[int, int, int, int]:
        """The numbers of spades, hearts, diamonds and clubs."""
        spades, hearts, diamonds, clubs = map(len, self.holdings)
        return spades, hearts, diamonds, clubs

    @property
    def shape(self) -> str:
        """The lengths, longest first: ``"5332"``."""
        return evaluate.shape(self.holdings)

    @property
    def is_balanced(self) -> bool:
        """Whether the lengths are 4333, 4432 or 5332, in any order."""
        return evaluate.is_balanced(self.lengths)

    @property
    def is_semibalanced(self) -> bool:
        """Whether the lengths are balanced, 5422 or 6322, in any order."""
        return evaluate.is_semibalanced(self.lengths)

    @property
    def hcp(self) -> int:
        """High-card points: ace 4, king 3, queen 2, jack 1."""
        return sum(map(evaluate.points, self.holdings))

    @property
    def points(self) -> int:
        """High-card points plus one for each card after the fourth of a suit."""
        return self.hcp + sum(map(evaluate.long_points, self.holdings))

    @property
    def bumrap(self) -> float:
        """BUM-RAP points, which fit the tricks that high cards take: ace 4.5, king 3, queen 1.5, jack 0.75, ten 0.25."""
        return sum(map(evaluate.suit_points, self.holdings))

    @property
    def controls(self) -> int:
        """Controls: ace 2, king 1."""
        return sum(map(evaluate.controls, self.holdings))

    @property
    def losers(self) -> int:
        """The sum of the suits' `Holding.losers`, the classic losing trick count."""
        return sum(map(evaluate.losers, self.holdings))

    @property
    def new_losers(self) -> float:
        """The sum of the suits' `Holding.new_losers`, the new losing trick count."""
        return sum(map(evaluate.new_losers, self.holdings))

    @property
    def quick_tricks(self) -> float:
        """Quick tricks in all suits: AK 2, AQ 1.5, A 1, KQ 1, K with another card 0.5."""
        return sum(map(evaluate.quick_tricks, self.holdings))

    @property
    def playing_tricks(self) -> float:
        """The sum of the suits' `Holding.playing_tricks`."""
        return sum(map(evaluate.playing_tricks, self.holdings))

    @property
    def cccc(self) -> float:
        """Kaplan and Rubens's four C's, a value of high cards, suit qualities and shortness on the scale of high-card points.

        >>> Hand.parse("AKQ95.AT3.KJ2.97").cccc
        18.3
        """
        # `four_c_worth` subtracts a point in all for the first doubleton; from the shape 4333, which has none, half a point is
        # subtracted.
        flat = 50 if self.shape == "4333" else 0
        return (sum(map(four_cs.four_c_worth, self.holdings)) + flat) / 100

    @property
    def rule20(self) -> int:
        """High-card points plus the lengths of the two longest suits."""
        *_, second, longest = sorted(self.lengths)
        return self.hcp + second + longest

    @property
    def rule15(self) -> int:
        """High-card points plus the number of spades."""
        return self.hcp + len(self.spades)

    def support_points(self, trump: Suit) -> float:
        """Return the value of the hand for a trump suit: BUM-RAP points, plus points for shortness, plus the number of trumps minus
        four.
        """
        return evaluate.support_points(self.holdings, trump)

    def key_cards(self, trump: Suit) -> int:
        """Return the number of aces and of the king of trumps."""
        return sum(holding >> 12 for holding in self.holdings) + (self[trump] >> 11 & 1)
