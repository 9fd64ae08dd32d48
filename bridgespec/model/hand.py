"""Hands: the cards of one seat, suit by suit, with their evaluation."""

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
    # Reading and writing files needs no evaluation, which brings its tables with it.
    evaluate, four_cs = Lazy("bridgespec.model.evaluate"), Lazy("bridgespec.model.four_cs")

_SUIT_BITS = 0x1FFF


@cache
def _ranks(bits: int) -> str:
    return "".join(rank for place, rank in enumerate(RANKS) if bits >> (12 - place) & 1)


class Holding(int):
    """The cards of one suit in a hand, as 13 bits: the ace is bit 12, the two bit 0; or of its ranks, as `Holding.parse`.

    It is as long as it has cards, and iterates over their ranks from the ace down. The terms are those of
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
        """The holding of some ranks in any order; ``10`` is a ten, a hyphen nothing.

        ValueError for a character that is not a rank, and for a rank that occurs twice.
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
        # The `__format__` of int would show the number wherever a width is given, as in ``{holding:>8}``.
        return format(_ranks(self), spec)

    def __repr__(self) -> str:
        return f"Holding({_ranks(self)!r})"

    @property
    def hcp(self) -> int:
        """High-card points: ace 4, king 3, queen 2, jack 1."""
        return evaluate.points(self)

    @property
    def controls(self) -> int:
        """Ace 2, king 1."""
        return evaluate.controls(self)

    @property
    def losers(self) -> int:
        """The ace, king and queen that are missing among the first three cards."""
        return evaluate.losers(self)

    @property
    def new_losers(self) -> float:
        """A missing ace 1.5 losers, a missing king 1, a missing queen 0.5, as far as the length goes."""
        return evaluate.new_losers(self)

    @property
    def quick_tricks(self) -> float:
        """AK 2, AQ 1.5, A 1, KQ 1, guarded K 0.5."""
        return evaluate.quick_tricks(self)

    @property
    def playing_tricks(self) -> float:
        """Tricks that it takes with its own suit as trumps."""
        return evaluate.playing_tricks(self)

    @property
    def stoppers(self) -> int:
        """How often the suit is stopped, at most twice."""
        return evaluate.stoppers(self)

    @property
    def quality(self) -> int:
        """Klinger's suit quality: the length, and one for each honour that counts."""
        return evaluate.quality(self)

    @property
    def top_three(self) -> int:
        """How many of ace, king, queen."""
        return evaluate.top_three(self)

    @property
    def top_five(self) -> int:
        """How many of ace, king, queen, jack, ten."""
        return evaluate.top_five(self)


@dataclass(frozen=True, slots=True, repr=False)
class Hand(Drawn):
    """The cards of one seat, as 52 bits: the card of slot 0 (ace of spades) is bit 51, that of slot 51 bit 0; or of its text, as
    `Hand.parse`.

    It is as long as it has cards and iterates over them in slot order; ``hand[Suit.SPADES]`` is a `Holding`. The terms are those
    of `bridgespec.model.evaluate`, which names their sources; they are meant for thirteen cards, and count what is there.

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
        """The hand of some cards; one that is given twice counts once."""
        bits = 0
        for card in cards:
            bits |= 1 << (51 - card)
        return cls(bits)

    @classmethod
    def parse(cls, text: str) -> Hand:
        """The hand of dotted holdings S.H.D.C, with any number of cards; ValueError for any other text.

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
        """The holdings in spades, hearts, diamonds and clubs: what the functions of `bridgespec.model.evaluate` take."""
        bits = self.bits
        return (
            Holding(bits >> 39),
            Holding(bits >> 26 & _SUIT_BITS),
            Holding(bits >> 13 & _SUIT_BITS),
            Holding(bits & _SUIT_BITS),
        )

    def __getitem__(self, suit: Suit | str) -> Holding:
        # Tested first, since `Suit(suit)` goes through the enumeration's metaclass for a member too.
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
        """The cards in slot order."""
        return tuple(self)

    def __iter__(self) -> Iterator[Card]:
        bits = self.bits
        # From the highest bit down, so that only the cards that are there take a turn of the loop.
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
        # Without the objects of `holdings`, which take six times as long; files are written with these texts.
        return f"{_ranks(bits >> 39)}.{_ranks(bits >> 26 & 0x1FFF)}.{_ranks(bits >> 13 & 0x1FFF)}.{_ranks(bits & 0x1FFF)}"

    def __repr__(self) -> str:
        return f"Hand({str(self)!r})"

    @property
    def lengths(self) -> tuple[int, int, int, int]:
        """How many spades, hearts, diamonds and clubs."""
        spades, hearts, diamonds, clubs = map(len, self.holdings)
        return spades, hearts, diamonds, clubs

    @property
    def shape(self) -> str:
        """The lengths, longest first: ``"5332"``."""
        return evaluate.shape(self.holdings)

    @property
    def is_balanced(self) -> bool:
        """4333, 4432 or 5332."""
        return evaluate.is_balanced(self.lengths)

    @property
    def is_semibalanced(self) -> bool:
        """Balanced, 5422 or 6322."""
        return evaluate.is_semibalanced(self.lengths)

    @property
    def hcp(self) -> int:
        """High-card points: ace 4, king 3, queen 2, jack 1."""
        return sum(map(evaluate.points, self.holdings))

    @property
    def points(self) -> int:
        """High-card points, and one for each card after the fourth of a suit."""
        return self.hcp + sum(map(evaluate.long_points, self.holdings))

    @property
    def bumrap(self) -> float:
        """High cards nearer to the tricks that they take: ace 4.5, king 3, queen 1.5, jack 0.75, ten 0.25."""
        return sum(map(evaluate.suit_points, self.holdings))

    @property
    def controls(self) -> int:
        """Ace 2, king 1."""
        return sum(map(evaluate.controls, self.holdings))

    @property
    def losers(self) -> int:
        """The classic count of losing tricks."""
        return sum(map(evaluate.losers, self.holdings))

    @property
    def new_losers(self) -> float:
        """The new count of losing tricks."""
        return sum(map(evaluate.new_losers, self.holdings))

    @property
    def quick_tricks(self) -> float:
        """AK 2, AQ 1.5, A 1, KQ 1, guarded K 0.5, in each suit."""
        return sum(map(evaluate.quick_tricks, self.holdings))

    @property
    def playing_tricks(self) -> float:
        """Tricks that each suit takes with itself as trumps."""
        return sum(map(evaluate.playing_tricks, self.holdings))

    @property
    def cccc(self) -> float:
        """Kaplan and Rubens's four C's: high cards, suit qualities and shortness, in points of about an ace's four.

        >>> Hand.parse("AKQ95.AT3.KJ2.97").cccc
        18.3
        """
        # The four suits take off a point together for the first doubleton; a hand without one loses only half a point.
        flat = 50 if self.shape == "4333" else 0
        return (sum(map(four_cs.four_c_worth, self.holdings)) + flat) / 100

    @property
    def rule20(self) -> int:
        """High-card points and the lengths of the two longest suits."""
        *_, second, longest = sorted(self.lengths)
        return self.hcp + second + longest

    @property
    def rule15(self) -> int:
        """High-card points and the length of the spades."""
        return self.hcp + len(self.spades)

    def support_points(self, trump: Suit) -> float:
        """The value of the hand with these trumps: high cards, shortness, and a point for each trump more or less than four."""
        return evaluate.support_points(self.holdings, trump)

    def key_cards(self, trump: Suit) -> int:
        """The aces and the king of trumps."""
        return sum(holding >> 12 for holding in self.holdings) + (self[trump] >> 11 & 1)
