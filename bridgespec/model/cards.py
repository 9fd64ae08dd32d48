"""Seats, sides, suits, strains and cards, as numbers with names.

The orders are seats W N E S (clockwise), suits S H D C, ranks from the ace down, strains NT S H D C. A card is a number from 0 (ace
of spades) to 51 (two of clubs), which is its slot in arrays of 52.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Self

RANKS = "AKQJT98765432"
SUITS = "SHDC"
SEATS = "WNES"
STRAINS = "NSHDC"


def not_text(cls: type, value: object) -> TypeError:
    """Return the error for a call of ``cls.parse`` with a value that is no str."""
    return TypeError(f"{cls.__name__}.parse reads a str, not {type(value).__name__}: {value!r}")


class NamedNumber(IntEnum):
    """An enumeration of numbers that print as their names: ``West``, not ``0``. ``int`` returns the number.

    >>> f"{Seat.WEST} leads {Suit.SPADES}", int(Seat.EAST)
    ('West leads Spades', 2)
    """

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the member that has a text among its `spellings`, in either case. Raises ValueError for any other text.

        >>> Seat.parse("n"), Suit.parse("♥"), Strain.parse("nt"), Side.parse("EW")
        (<Seat.NORTH: 1>, <Suit.HEARTS: 1>, <Strain.NOTRUMP: 0>, <Side.EW: 1>)
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        found = _spelled(cls).get(text.strip().upper())
        if found is None:
            raise ValueError(f"not a {cls.__name__.lower()}: {text!r}")
        return cls(found)

    @property
    def spellings(self) -> tuple[str, ...]:
        """The texts that `parse` accepts, in capitals."""
        return (self.name,)

    def __str__(self) -> str:
        # NS and EW are initials.
        return self.name if len(self.name) < 3 else self.name.capitalize()

    def __format__(self, spec: str) -> str:
        # The `__format__` of IntEnum would return the number.
        return format(str(self), spec)


@cache
def _spelled(kind: type[NamedNumber]) -> dict[str, NamedNumber]:
    """Return the members of an enumeration by their spellings."""
    return {word: member for member in kind for word in member.spellings}


class Side(NamedNumber):
    """A partnership: North and South, or East and West."""

    NS = 0
    EW = 1

    @property
    def opponents(self) -> Side:
        """The other side."""
        return Side(1 - self)


class Seat(NamedNumber):
    """A seat at the table, clockwise from West.

    >>> Seat.SOUTH.next, Seat.WEST.partner.name, Seat.NORTH.side.name
    (<Seat.WEST: 0>, 'EAST', 'NS')
    """

    WEST = 0
    NORTH = 1
    EAST = 2
    SOUTH = 3

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and the letter."""
        return self.name, self.letter

    @property
    def letter(self) -> str:
        """W, N, E or S."""
        return SEATS[self]

    @property
    def next(self) -> Seat:
        """The seat to the left, who plays next."""
        return Seat((self + 1) % 4)

    @property
    def partner(self) -> Seat:
        """The seat opposite."""
        return Seat((self + 2) % 4)

    @property
    def side(self) -> Side:
        """The seat's partnership."""
        return Side.NS if self % 2 else Side.EW


class Suit(NamedNumber):
    """A suit, from the highest down."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name, the letter and the sign."""
        return self.name, self.letter, self.symbol

    @property
    def letter(self) -> str:
        """S, H, D or C."""
        return SUITS[self]

    @property
    def symbol(self) -> str:
        """The suit's sign."""
        return "♠♥♦♣"[self]


class Strain(NamedNumber):
    """What a contract is played in: notrump, or a trump suit."""

    NOTRUMP = 0
    SPADES = 1
    HEARTS = 2
    DIAMONDS = 3
    CLUBS = 4

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name, the letter, the label and the sign."""
        return self.name, self.letter, self.label, self.symbol

    @property
    def letter(self) -> str:
        """N, S, H, D or C."""
        return STRAINS[self]

    @property
    def label(self) -> str:
        """NT, or the suit's letter."""
        return "NT" if self is Strain.NOTRUMP else STRAINS[self]

    @property
    def symbol(self) -> str:
        """NT, or the suit's sign."""
        return "NT" if self is Strain.NOTRUMP else "♠♥♦♣"[self - 1]


class Card(int):
    """A card as a number, its slot: ``13 * suit + rank``, with ranks from the ace (0) to the two (12). The constructor also takes a
    text, as `Card.parse`.

    >>> Card("H7"), str(Card(0)), Card(51).name
    (Card('H7'), 'SA', 'two of clubs')
    """

    __slots__ = ()

    def __new__(cls, slot: int | str) -> Card:
        if isinstance(slot, str):
            return cls.parse(slot)
        if not 0 <= slot <= 51:
            raise ValueError(f"not a card slot: {slot}")
        return super().__new__(cls, slot)

    @classmethod
    def parse(cls, text: str) -> Card:
        """Return the card of two characters, suit then rank (``SA``, ``dT``). Raises ValueError for any other text."""
        if not isinstance(text, str):
            raise not_text(cls, text)
        # `find` also finds the empty text, and several ranks in a row, so the length is tested too.
        suit, rank = SUITS.find(text[:1].upper()), RANKS.find(text[1:].upper())
        if len(text) != 2 or suit < 0 or rank < 0:
            raise ValueError(f"not a card: {text!r}")
        return cls(13 * suit + rank)

    @property
    def suit(self) -> Suit:
        """The card's suit."""
        return Suit(self // 13)

    @property
    def rank(self) -> str:
        """The card's rank as a letter or digit, ``A`` to ``2``."""
        return RANKS[self % 13]

    @property
    def name(self) -> str:
        """The card in words."""
        words = ["ace", "king", "queen", "jack", "ten", "nine", "eight", "seven", "six", "five", "four", "three", "two"]
        return f"{words[self % 13]} of {self.suit.name.lower()}"

    def __str__(self) -> str:
        return SUITS[self // 13] + RANKS[self % 13]

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"
