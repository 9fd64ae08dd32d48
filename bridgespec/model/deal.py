"""`Deal`: the holder of each of the 52 cards, as far as it is known; and deals made of hands (`whole_deal`, `compose`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from bridgespec.lazily import Lazy
from bridgespec.model.cards import SEATS, Card, Seat, Suit, not_text
from bridgespec.model.drawn import Drawn
from bridgespec.model.number_texts import whole_number

if TYPE_CHECKING:
    import random as chance

    from bridgespec.model import hand as hands
    from bridgespec.model import numbering
    from bridgespec.model.hand import Hand, Holding
else:
    # Imported on first use: files are read and written by holders alone.
    hands, numbering, chance = Lazy("bridgespec.model.hand"), Lazy("bridgespec.model.numbering"), Lazy("random")

OUT = 4
"""The holder of a card that is not in play: it was played, or is no part of the layout."""
UNKNOWN = 5
"""The holder of a card whose holder is not known."""

_CARDS = tuple(map(Card, range(52)))
# Tables for `bytes.translate`, the fastest way to the cards of a seat: holders become the digits 1 and 0 of a binary number, or
# flags.
_DIGITS = tuple(b"0" * seat + b"1" + b"0" * (255 - seat) for seat in range(5))
_FLAGS = tuple(bytes(seat) + b"\1" + bytes(255 - seat) for seat in range(4))
_HEXADECIMAL = frozenset("0123456789ABCDEFabcdef")


@dataclass(frozen=True, slots=True, repr=False)
class Deal(Drawn):
    """The holder of each card in the order of `Card` (SA .. S2, HA .. C2): a seat 0 to 3 (W N E S), `OUT` or `UNKNOWN`. The
    constructor also takes a text, as `Deal.parse`.

    A deal may be complete, an ending (some cards `OUT`), the layout of one suit (the other suits `UNKNOWN`) or a few known hands.
    It may break the rules of the game, which `bridgespec.check` reports.

    Iterating yields each seat with its hand, W N E S. ``card in deal`` is whether a seat has the card.

    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> deal.south, deal.hand(Seat.EAST).hcp, deal.is_complete
    (Hand('J65.743.AK4.KQ82'), 20, True)
    >>> print(deal.holder(Card.parse("SA")), deal["N"])
    East T2.J965.T7532.63
    >>> [(str(seat), hand.shape) for seat, hand in deal]
    [('West', '5332'), ('North', '5422'), ('East', '6322'), ('South', '4333')]
    >>> Deal.parse(str(deal)) == Deal.parse(deal.digits) == Deal.parse(str(deal.number)) == deal
    True
    """

    holders: bytes

    def __init__(self, holders: bytes | str) -> None:
        given = Deal.parse(holders).holders if isinstance(holders, str) else holders
        if len(given) != 52 or max(given) > UNKNOWN:
            raise ValueError("a deal is 52 holders, each 0 to 5")
        # The dataclass is frozen, and its own __init__ would not accept a text.
        object.__setattr__(self, "holders", given)

    @classmethod
    def of_hands(cls, hands: Mapping[Seat, Iterable[Card]], elsewhere: int = UNKNOWN) -> Deal:
        """Return the deal with these cards in each hand; other cards have the holder ``elsewhere``. Raises ValueError for a card in
        two hands.
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
        """Return the deal of ``N:hand hand hand hand``: dotted holdings S.H.D.C, clockwise from the first seat, ``-`` for an
        unknown hand.

        Cards of no hand are `OUT` if all four hands are given, else `UNKNOWN`. With three hands of thirteen cards, the fourth hand
        has the remaining cards.

        The text may also be `digits` (26 hexadecimal digits), or a `number` in decimal; a number of exactly 26 digits needs a 0
        before it. Raises ValueError with the reason for any other text.
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        text = text.strip()
        if ":" not in text:
            # 26 decimal digits are read as hexadecimal.
            if len(text) == 26 and _HEXADECIMAL.issuperset(text):
                return cls.from_digits(text)
            # So many digits that `from_number` reports a number that is too great.
            if (number := whole_number(text, 4000)) is not None:
                return cls.from_number(number)
            raise ValueError("whose hand is first? A deal is N:hand hand hand hand, or 26 hexadecimal digits, or a number")
        first, _, rest = text.partition(":")
        seat = Seat.parse(first.strip())
        parts = rest.split()
        if len(parts) != 4:
            raise ValueError(f"a deal has four hands, not {len(parts)}")
        given: dict[Seat, Hand] = {}
        for part in parts:
            if part != "-":
                given[seat] = hands.Hand.parse(part)
            seat = seat.next
        deal = cls.of_hands(given, OUT if len(given) == 4 else UNKNOWN)
        # PBN and most programs leave the fourth hand to be inferred.
        if len(given) == 3 and all(len(hand) == 13 for hand in given.values()):
            (last,) = set(Seat) - set(given)
            deal = cls(bytes(last if holder == UNKNOWN else holder for holder in deal.holders))
        return deal

    @classmethod
    def of_masks(cls, masks: Sequence[int]) -> Deal:
        """Return the deal of the masks of four hands, W N E S, and perhaps of the cards out of play; a card in no mask is
        `UNKNOWN`.

        A mask is a number as `mask` returns it. Raises ValueError for a card in two masks, and for bits beyond the 52.

        >>> deal = Deal.of_masks([1 << 51, 1 << 50, 0, 0, 1 << 49])
        >>> deal.holders[:4], [deal.mask(holder) >> 49 for holder in range(5)]
        (b'\\x00\\x01\\x04\\x05', [4, 2, 0, 0, 1])
        """
        holders = bytearray([UNKNOWN]) * 52
        seen = 0
        for holder, mask in enumerate(masks):
            # True for negative numbers too, whose shift is negative.
            if mask & seen or mask >> 52:
                raise ValueError("the sets of cards share a card, or have one beyond the 52")
            seen |= mask
            for slot in range(52) if mask else ():
                if mask >> (51 - slot) & 1:
                    holders[slot] = holder
        return cls(bytes(holders))

    def mask(self, holder: int) -> int:
        """Return the cards of a holder (a seat or `OUT`) as a mask: the ace of spades is bit 51, the two of clubs bit 0."""
        return int(self.holders.translate(_DIGITS[holder]), 2)

    @classmethod
    def random(cls, seed: int | chance.Random | None = None) -> Deal:
        """Return a random complete deal, each equally likely: the same deal for the same seed, the next one of a generator, or for
        None a new one at each call.

        >>> print(Deal.random(7))
        N:J6.Q6.AKQT54.953 Q9.AK82.873.KQ87 K7532.T7543..T64 AT84.J9.J962.AJ2
        """
        rng = seed if isinstance(seed, chance.Random) else chance.Random(seed)
        # Two of three numbers of 96 bits are below `DEALS`. `getrandbits`, unlike `randrange`, is the same in every version of
        # Python.
        while (number := rng.getrandbits(96)) >= numbering.DEALS:
            pass
        return cls.from_number(number)

    @classmethod
    def from_number(cls, number: int) -> Deal:
        """Return the complete deal that has a `number`. Raises ValueError if there is none."""
        return cls(numbering.holders_of(number))

    @property
    def number(self) -> int:
        """The number of a complete deal among all deals, below 2^96, by `bridgespec.model.numbering` with cards in the order of
        `Card` and seats W N E S.

        Raises ValueError if the deal is not complete.

        >>> Deal.from_number(12345).number
        12345
        """
        return numbering.number_of(self.holders)

    @classmethod
    def from_digits(cls, text: str) -> Deal:
        """Return the deal of 26 hexadecimal `digits`. Raises ValueError if the text is no complete deal."""
        if len(text) != 26 or not _HEXADECIMAL.issuperset(text):
            raise ValueError(f"a deal is 26 hexadecimal digits, not {text!r}")
        holders = bytearray(52)
        for index, digit in enumerate(text):
            rank, minors = divmod(index, 2)
            # The lower two bits of a digit are the higher suit: spade + 4 * heart, then diamond + 4 * club.
            for suit, value in enumerate(divmod(int(digit, 16), 4)[::-1]):
                # Digits count S0 W1 N2 E3, the model W0 N1 E2 S3.
                holders[13 * (2 * minors + suit) + rank] = (value + 3) % 4
        deal = cls(bytes(holders))
        if not deal.is_complete:
            sizes = ", ".join(f"{seat} {size}" for seat, size in zip(Seat, deal.sizes, strict=True))
            raise ValueError(f"{text} does not deal thirteen cards to each: {sizes}; write a number of 26 digits with a 0 before")
        return deal

    @property
    def digits(self) -> str:
        """26 hexadecimal digits, two for each rank from the ace down: the first is the spade's holder plus 4 times the heart's, the
        second the diamond's plus 4 times the club's. Here holders are S0 W1 N2 E3.

        Raises ValueError if the deal is not complete.

        >>> Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432").digits
        'E4E4E4E4E4E4E4E4E4E4E4E4E4'
        """
        if not self.is_complete:
            raise ValueError("only a complete deal has digits")
        turned = bytes((holder + 1) % 4 for holder in self.holders)
        return "".join(f"{turned[at] + 4 * turned[13 + at]:X}{turned[26 + at] + 4 * turned[39 + at]:X}" for at in range(13))

    @classmethod
    def from_layout(cls, layout: Sequence[Sequence[str]]) -> Deal:
        """Return the deal of 4x4 holdings, by seats W N E S and suits S H D C, as `layout` returns them.

        Cards of no holding are `OUT`. Raises ValueError for other dimensions, a wrong rank, or a card in two holdings.

        >>> Deal.from_layout([["AK", "", "", ""], ["", "AK", "", ""], ["QJ", "", "", ""], ["", "", "", "32"]]).text(Seat.WEST)
        'W:AK... .AK.. QJ... ...32'
        """
        if len(layout) != 4 or any(len(row) != 4 for row in layout):
            raise ValueError("a layout is four seats of four holdings")
        given: dict[Seat, Hand] = {}
        for seat, row in zip(Seat, layout, strict=True):
            try:
                given[seat] = hands.Hand.parse(".".join(row))
            except ValueError as error:
                raise ValueError(f"{seat}: {error}") from None
        return cls.of_hands(given, OUT)

    def holder(self, card: Card) -> Seat | None:
        """Return the seat that has a card; None if the card is out of play or its holder unknown."""
        value = self.holders[card]
        return Seat(value) if value < OUT else None

    def cards(self, seat: Seat) -> tuple[Card, ...]:
        """Return the cards of a seat in the order of `Card`."""
        return tuple(compress(_CARDS, self.holders.translate(_FLAGS[seat])))

    def holding(self, seat: Seat, suit: Suit) -> Holding:
        """Return the cards of a suit that a seat has."""
        return hands.Holding(int(self.holders[13 * suit : 13 * suit + 13].translate(_DIGITS[seat]), 2))

    def hand(self, seat: Seat | str) -> Hand:
        """Return the cards of a seat, which may be given by its name. Raises ValueError for another text."""
        return hands.Hand(int(self.holders.translate(_DIGITS[Seat.parse(seat) if isinstance(seat, str) else seat]), 2))

    def __getitem__(self, seat: Seat | str) -> Hand:
        if isinstance(seat, str):
            return self.hand(seat)
        if not isinstance(seat, int) or not 0 <= seat < 4:
            raise ValueError(f"{seat!r} is not a valid Seat: a deal's hands are ['N'], ['E'], ['S'] and ['W']")
        return self.hand(Seat(seat))

    @property
    def west(self) -> Hand:
        """West's cards."""
        return self.hand(Seat.WEST)

    @property
    def north(self) -> Hand:
        """North's cards."""
        return self.hand(Seat.NORTH)

    @property
    def east(self) -> Hand:
        """East's cards."""
        return self.hand(Seat.EAST)

    @property
    def south(self) -> Hand:
        """South's cards."""
        return self.hand(Seat.SOUTH)

    def __iter__(self) -> Iterator[tuple[Seat, Hand]]:
        return ((seat, self.hand(seat)) for seat in Seat)

    def __contains__(self, card: object) -> bool:
        # Not any int: `Seat.SOUTH` would be the card with the number 3.
        slot = Card.parse(card) if isinstance(card, str) else card
        return isinstance(slot, Card) and self.holders[slot] < OUT

    def rotated(self, seats: int = 1) -> Deal:
        """Return the deal with every hand moved clockwise by ``seats`` seats: by one, North's hand goes to East.

        >>> print(Deal.parse("N:A... K... Q... J...").rotated())
        N:J... A... K... Q...
        """
        return self._moved({seat: Seat((seat + seats) % 4) for seat in Seat})

    def exchanged(self, one: Seat, other: Seat) -> Deal:
        """Return the deal in which two seats have exchanged their hands.

        >>> print(Deal.parse("N:A... K... Q... J...").exchanged(Seat.EAST, Seat.WEST))
        N:A... J... Q... K...
        """
        return self._moved({one: other, other: one})

    def _moved(self, to: Mapping[Seat, Seat]) -> Deal:
        """Return the deal in which the cards of each seat belong to another one."""
        # `bytes.translate` demands a table of 256 entries, although holders go up to 5 only.
        table = bytes(to.get(Seat(holder), holder) if holder < OUT else holder for holder in range(256))
        return Deal(self.holders.translate(table))

    def layout(self) -> tuple[tuple[str, ...], ...]:
        """Return the 4x4 holdings as texts, by seats W N E S and suits S H D C."""
        return tuple(tuple(holding.ranks for holding in hand.holdings) for _, hand in self)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The number of cards of W, N, E and S."""
        count = self.holders.count
        return count(0), count(1), count(2), count(3)

    @property
    def is_complete(self) -> bool:
        """Whether every hand has thirteen cards."""
        return self.sizes == (13, 13, 13, 13)

    @property
    def stated_suits(self) -> int:
        """The number of suits from spades down to the last one that has a card which is not `UNKNOWN`."""
        for suit in (3, 2, 1, 0):
            if any(holder != UNKNOWN for holder in self.holders[13 * suit : 13 * suit + 13]):
                return suit + 1
        return 0

    def __str__(self) -> str:
        return self.text(Seat.NORTH)

    def __repr__(self) -> str:
        return f"Deal({str(self)!r})"

    def text(self, first: Seat) -> str:
        """Return ``N:hand hand hand hand``, clockwise from ``first``; a seat without cards is ``-`` if some cards are unknown."""
        unknown = UNKNOWN in self.holders
        seats = [Seat((first + i) % 4) for i in range(4)]
        sizes = self.sizes
        return f"{SEATS[first]}:" + " ".join("-" if unknown and not sizes[seat] else str(self.hand(seat)) for seat in seats)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A card that a source deals twice: the seat and the index in its hand, of the first time, which is kept, and of the second."""

    card: Card
    first: tuple[Seat, int]
    again: tuple[Seat, int]


DIGIT = tuple((1 << 8 * slot) + (1 << 8 * 52) for slot in range(52))
"""A number for each card, with 1 in the byte of the card and 1 in a counter above the 52 bytes. A set of cards is the sum of their
numbers, whose counter has the number of cards.
"""
_EACH_ONCE = sum(DIGIT)


def in_suit(spades: int, suit: int) -> int:
    """Return the sum of the numbers in `DIGIT` of cards of a suit, given the sum for the spades of the same ranks."""
    # The counter begins at bit 416 = 8 * 52, and must not be shifted.
    count = spades >> 416 << 416
    return (spades ^ count) << 104 * suit | count


def whole_deal(hands: Mapping[Seat, int | None]) -> Deal | None:
    """Return the deal of four hands, each the sum of its cards' numbers in `DIGIT`; None unless each of the 52 cards is in exactly
    one.

    >>> hands = [sum(DIGIT[slot] for slot in range(seat, 52, 4)) for seat in range(4)]
    >>> whole_deal(dict(zip(Seat, hands))).holders[:5], whole_deal(dict.fromkeys(Seat, hands[0]))
    (b'\\x00\\x01\\x02\\x03\\x00', None)
    """
    numbers = list(hands.values())
    # The sum counts 52 cards, so no byte has overflowed, and ones in all bytes mean that each card occurs once.
    if len(numbers) < 4 or None in numbers or sum(filter(None, numbers)) != _EACH_ONCE:
        return None
    return Deal(sum([seat * number for seat, number in hands.items() if number]).to_bytes(54, "little")[:52])


def compose(hands: Mapping[Seat, Sequence[Card]]) -> tuple[Deal, tuple[Conflict, ...]]:
    """Return the deal of some hands, and the cards that occur twice in them, which the first seat keeps.

    With three hands of thirteen different cards the fourth has the remaining cards. Otherwise cards of no hand are `OUT` if all
    four hands are given, else `UNKNOWN`.

    >>> deal, conflicts = compose({Seat.WEST: [Card.parse("SA")], Seat.NORTH: [Card.parse("HK"), Card.parse("SA")]})
    >>> conflicts
    (Conflict(card=Card('SA'), first=(<Seat.WEST: 0>, 0), again=(<Seat.NORTH: 1>, 1)),)
    >>> deal.sizes
    (1, 1, 0, 0)
    """
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
    # Counted in the holders: if a card occurs twice, the remaining cards are not the fourth hand.
    if len(hands) == 3 and all(holders.count(seat) == 13 for seat in hands):
        (last,) = set(Seat) - set(hands)
        holders = bytearray(last if holder == UNKNOWN else holder for holder in holders)
    return Deal(bytes(holders)), tuple(conflicts)


def as_deal(value: object) -> Deal:
    """Return a deal unchanged, and the deal of a text. Raises TypeError for another value; the message names its attribute with a
    deal.

    >>> as_deal("N:A... K... Q... J...").north.hcp
    4
    """
    if isinstance(value, Deal):
        return value
    if isinstance(value, str):
        return Deal.parse(value)
    # A board, or the document that `load` returns, is easily passed by mistake.
    advice = next((f"; take its .{name}" for name in ("deal", "boards") if hasattr(value, name)), "")
    raise TypeError(f"this takes a Deal or its text, not {type(value).__name__}{advice}")
