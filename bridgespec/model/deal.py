"""Deals: who holds each of the 52 cards, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bridgespec.model.cards import RANKS, SEATS, SUITS, Card, Seat, Suit

OUT = 4
"""The card is not in play: already played, or no part of the layout."""
UNKNOWN = 5
"""Nobody said where the card is."""
_DIGITS = [bytes(48 + (value == holder) for value in range(256)) for holder in range(UNKNOWN + 1)]
"""For each holder the digits that spell whether a card is his."""


@dataclass(frozen=True, slots=True)
class Deal:
    """52 holders in slot order (SA .. S2, HA .. C2): a seat 0..3 (W N E S), `OUT` or `UNKNOWN`.

    A deal may be complete, an ending (cards `OUT`), one suit's layout (the other suits `UNKNOWN`) or a few known hands.
    It may break the rules of the game: rules report that, the type does not forbid it.

    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> deal.hand(Seat.SOUTH), deal.is_complete
    ('J65.743.AK4.KQ82', True)
    >>> deal.holder(Card.of("SA")).name
    'EAST'
    >>> Deal.parse(str(deal)) == deal
    True
    """

    holders: bytes

    def __post_init__(self) -> None:
        if len(self.holders) != 52 or max(self.holders) > UNKNOWN:
            raise ValueError("a deal is 52 holders, each 0 to 5")

    @classmethod
    def of_hands(cls, hands: Mapping[Seat, Iterable[Card]], elsewhere: int = UNKNOWN) -> Deal:
        """The deal in which each seat holds the given cards, the rest being `elsewhere`; ValueError for a card given
        twice.
        """
        holders = bytearray([elsewhere]) * 52
        seen: set[int] = set()
        for seat, cards in hands.items():
            for card in cards:
                if card in seen:
                    raise ValueError(f"{Card(card)} is dealt twice")
                seen.add(card)
                holders[card] = seat
        return cls(bytes(holders))

    @classmethod
    def parse(cls, text: str) -> Deal:
        """The deal of ``N:hand hand hand hand``: dotted holdings S.H.D.C, clockwise from the named seat, ``-`` unknown.

        With 52 cards none is left over; with fewer, cards of no named hand are `OUT` where all four hands are named,
        else `UNKNOWN`. With one unknown hand and 39 cards known, that hand is what is left. ValueError says what is
        wrong.
        """
        first, _, rest = text.strip().partition(":")
        seat = Seat.of(first.strip())
        parts = rest.split()
        if len(parts) != 4:
            raise ValueError(f"a deal has four hands, not {len(parts)}")
        hands: dict[Seat, list[Card]] = {}
        for part in parts:
            if part != "-":
                hands[seat] = parse_hand(part)
            seat = seat.next
        deal = cls.of_hands(hands, OUT if len(hands) == 4 else UNKNOWN)
        if len(hands) == 3 and all(len(cards) == 13 for cards in hands.values()):
            (last,) = set(Seat) - set(hands)
            deal = cls(bytes(last if holder == UNKNOWN else holder for holder in deal.holders))
        return deal

    @classmethod
    def of_masks(cls, masks: Sequence[int]) -> Deal:
        """The deal of four sets of cards, W N E S, and of one of those out of play; a card in none is `UNKNOWN`.

        ValueError for a card in two of them, and for bits beyond the 52.

        >>> deal = Deal.of_masks([1, 2, 0, 0, 4])
        >>> deal.holder(Card.of("SK")), deal.holders[:4], [deal.mask(holder) for holder in range(5)]
        (<Seat.NORTH: 1>, b'\\x00\\x01\\x04\\x05', [1, 2, 0, 0, 4])
        """
        holders = bytearray([UNKNOWN]) * 52
        seen = 0
        for holder, mask in enumerate(masks):
            if mask & seen or mask >> 52:
                raise ValueError("the sets of cards share a card, or have one beyond the 52")
            seen |= mask
            for slot in range(52) if mask else ():
                if mask >> slot & 1:
                    holders[slot] = holder
        return cls(bytes(holders))

    def mask(self, holder: int) -> int:
        """The cards of a holder as a set: bit i is the card of slot i."""
        digits = self.holders[::-1].translate(_DIGITS[holder])
        return int(digits, 2)

    def holder(self, card: Card) -> Seat | None:
        """The seat that holds the card; None where it is out or unknown."""
        value = self.holders[card]
        return Seat(value) if value < OUT else None

    def cards(self, seat: Seat) -> tuple[Card, ...]:
        """The seat's cards in slot order."""
        return tuple(Card(slot) for slot, holder in enumerate(self.holders) if holder == seat)

    def holding(self, seat: Seat, suit: Suit) -> str:
        """The seat's ranks in the suit, ace first: ``"AQ2"``, or ``""``."""
        part = self.holders[13 * suit : 13 * suit + 13]
        return "".join(rank for rank, holder in zip(RANKS, part, strict=True) if holder == seat)

    def hand(self, seat: Seat) -> str:
        """The seat's four holdings, dotted: ``"AKQ874.AQ2.J8.A5"``."""
        return ".".join(self.holding(seat, suit) for suit in Suit)

    def layout(self) -> tuple[tuple[str, ...], ...]:
        """The 4x4 holdings, seats W N E S by suits S H D C."""
        return tuple(tuple(self.holding(seat, suit) for suit in Suit) for seat in Seat)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """How many cards W, N, E and S hold."""
        count = self.holders.count
        return count(0), count(1), count(2), count(3)

    @property
    def is_complete(self) -> bool:
        """Whether every card is held and every hand has thirteen."""
        return self.sizes == (13, 13, 13, 13)

    @property
    def stated_suits(self) -> int:
        """How many suits, from spades down, hold anything that is not `UNKNOWN`."""
        for suit in (3, 2, 1, 0):
            if any(holder != UNKNOWN for holder in self.holders[13 * suit : 13 * suit + 13]):
                return suit + 1
        return 0

    def __str__(self) -> str:
        return self.text(Seat.NORTH)

    def text(self, first: Seat) -> str:
        """``N:hand hand hand hand`` from the given seat on; a seat without cards is ``-`` where cards are unknown."""
        unknown = UNKNOWN in self.holders
        seats = [Seat((first + i) % 4) for i in range(4)]
        sizes = self.sizes
        return f"{SEATS[first]}:" + " ".join("-" if unknown and not sizes[seat] else self.hand(seat) for seat in seats)


def parse_hand(text: str) -> list[Card]:
    """The cards of dotted holdings S.H.D.C (``"AKQ874.AQ2.J8.A5"``); ValueError says which character is wrong.

    >>> parse_hand("A.K..2")
    [Card('SA'), Card('HK'), Card('C2')]
    """
    parts = text.split(".")
    if len(parts) != 4:
        raise ValueError(f"a hand has four holdings, not {len(parts)}: {text!r}")
    cards = []
    for suit, part in enumerate(parts):
        for letter in part:
            rank = RANKS.find(letter.upper())
            if rank < 0:
                raise ValueError(f"not a rank: {letter!r} in the {SUITS[suit]} holding {part!r}")
            cards.append(Card(13 * suit + rank))
    return cards


@dataclass(frozen=True, slots=True)
class Conflict:
    """A card that was dealt twice: seat and position (index in its hand) of the one that counts, and of the later."""

    card: Card
    first: tuple[Seat, int]
    again: tuple[Seat, int]


def compose(hands: Mapping[Seat, Sequence[Card]]) -> tuple[Deal, tuple[Conflict, ...]]:
    """The deal of the named hands, and every card that they deal twice; the first holder keeps a card.

    With three hands of thirteen different cards the fourth gets what is left. Otherwise cards of no hand are `OUT`
    where all four hands are named, else `UNKNOWN`.

    >>> deal, conflicts = compose({Seat.WEST: [Card.of("SA")], Seat.NORTH: [Card.of("HK"), Card.of("SA")]})
    >>> conflicts
    (Conflict(card=Card('SA'), first=(<Seat.WEST: 0>, 0), again=(<Seat.NORTH: 1>, 1)),)
    >>> deal.sizes
    (1, 1, 0, 0)
    """
    holders = bytearray([OUT if len(hands) == 4 else UNKNOWN]) * 52
    for seat, cards in hands.items():
        number = int(seat)
        for card in cards:
            holders[card] = number
    if OUT not in holders and UNKNOWN not in holders and sum(map(len, hands.values())) == 52:
        # 52 cards that fill 52 places are 52 different ones: nothing can be dealt twice, and nearly every deal is like this.
        return Deal(bytes(holders)), ()
    holders = bytearray([OUT if len(hands) == 4 else UNKNOWN]) * 52
    first: dict[Card, tuple[Seat, int]] = {}
    conflicts = []
    for seat, cards in hands.items():
        for index, card in enumerate(cards):
            if card in first:
                conflicts.append(Conflict(Card(card), first[card], (seat, index)))
            else:
                first[card] = (seat, index)
                holders[card] = seat
    if len(hands) == 3 and all(holders.count(seat) == 13 for seat in hands):
        (last,) = set(Seat) - set(hands)
        holders = bytearray(last if holder == UNKNOWN else holder for holder in holders)
    return Deal(bytes(holders)), tuple(conflicts)
