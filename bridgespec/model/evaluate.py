"""Evaluate hands: `evaluate` returns all terms of one hand, `Evaluated.column` one term of many hands.

A holding is 13 bits, from the two (bit 0) to the ace (bit 12); a hand is four holdings, spades first. A term of one suit is a
function of a holding, with a table of its values for the 8,192 holdings; the terms of a hand are sums of such terms, or functions
of the lengths. The forms for arrays look values up in the tables, and compute the sums again; a test compares both.

Sources: high-card points, quick tricks and controls: C. H. Goren, *Contract Bridge Complete*, and A. Rosenkranz; losers:
R. Klinger, *The Modern Losing Trick Count*; the new losing trick count: J. Koelman; suit quality: R. Klinger; rule of 20:
M. Bergen; rule of 15: "Pearson points".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.cards import RANKS, SUITS

HoldingBits = int
HandBits = tuple[HoldingBits, HoldingBits, HoldingBits, HoldingBits]
"""The holdings of spades, hearts, diamonds and clubs, as plain numbers; `bridgespec.model.hand.Hand.holdings` returns them."""
Holdings = NDArray[np.int64]
"""The holdings of many hands, (4, N)."""
# Every term is a multiple of a quarter, which float32 represents exactly.
FloatColumn = NDArray[np.float32]

ACE, KING, QUEEN, JACK, TEN = 1 << 12, 1 << 11, 1 << 10, 1 << 9, 1 << 8


def hand_of(text: str) -> HandBits:
    """Return the hand of a text of holdings separated by dots. Raises ValueError unless it has thirteen cards in four suits.

    >>> [bin(holding).count("1") for holding in hand_of("AKQ95.AT3.KJ2.97")]
    [5, 3, 3, 2]
    """
    # "10" is replaced by two characters, so that the positions in errors stay right.
    parts = text.upper().replace("10", "T ").split(".")
    if len(parts) != 4:
        raise ValueError(f"a hand is four holdings with dots between, not {text!r}")
    holdings, at = [], 0
    for suit, part in zip(SUITS, parts, strict=True):
        mask = 0
        for place, letter in enumerate(part, at + 1):
            if letter in "- ":
                continue
            rank = RANKS.find(letter)
            if rank < 0:
                raise ValueError(f"not a rank: {letter!r} at character {place} of {text!r}, in the {suit} holding")
            if mask >> (12 - rank) & 1:
                raise ValueError(f"{suit}{letter} stands twice, again at character {place} of {text!r}")
            mask |= 1 << (12 - rank)
        holdings.append(mask)
        at += len(part) + 1
    count = sum(map(int.bit_count, holdings))
    if count != 13:
        raise ValueError(f"a hand has 13 cards, not {count}: {text!r}")
    return (holdings[0], holdings[1], holdings[2], holdings[3])


def hand_text(hand: HandBits) -> str:
    """Return a hand as a text of holdings separated by dots.

    >>> hand_text(hand_of("AKQ95.AT3.KJ2.97"))
    'AKQ95.AT3.KJ2.97'
    """
    return ".".join("".join(rank for place, rank in enumerate(RANKS) if holding >> (12 - place) & 1) for holding in hand)


def hands_of_deal(holders: bytes) -> tuple[HandBits, HandBits, HandBits, HandBits]:
    """Return the four hands of a deal, W N E S, given its 52 holders. Raises ValueError if the deal is not complete."""
    masks = [[0] * 4 for _ in range(4)]
    for slot, holder in enumerate(holders):
        if holder > 3:
            raise ValueError("only a complete deal has four hands")
        masks[holder][slot // 13] |= 1 << (12 - slot % 13)
    west, north, east, south = ((m[0], m[1], m[2], m[3]) for m in masks)
    return west, north, east, south


def holdings_of(deals: NDArray[np.uint8], seat: int) -> Holdings:
    """Return the hands of a seat in (N, 52) deals as (4, N) holdings."""
    # Each holding is the product of 13 flags with the values of their bits.
    weights = (1 << np.arange(12, -1, -1)).astype(np.int64)
    mine = (deals == seat).reshape(len(deals), 4, 13)
    return np.ascontiguousarray((mine @ weights).T)


# Terms of one suit


def length(holding: HoldingBits) -> int:
    """Return the number of cards."""
    return holding.bit_count()


def points(holding: HoldingBits) -> int:
    """Return high-card points: ace 4, king 3, queen 2, jack 1."""
    return 4 * bool(holding & ACE) + 3 * bool(holding & KING) + 2 * bool(holding & QUEEN) + bool(holding & JACK)


def long_points(holding: HoldingBits) -> int:
    """Return a point for each card after the fourth."""
    return max(0, length(holding) - 4)


def short_points(holding: HoldingBits) -> int:
    """Return Goren's points for shortness: void 3, singleton 2, doubleton 1."""
    return max(0, 3 - length(holding))


def ruffing_points(holding: HoldingBits) -> int:
    """Return the points for shortness in a side suit with four trumps or more: void 5, singleton 3, doubleton 1."""
    return (5, 3, 1)[length(holding)] if length(holding) < 3 else 0


def suit_points(holding: HoldingBits) -> float:
    """Return BUM-RAP points, which fit the tricks that high cards take: ace 4.5, king 3, queen 1.5, jack 0.75, ten 0.25.

    A regression over solved deals has these weights, in notrump and in suit contracts.
    """
    total = 4.5 * bool(holding & ACE) + 3 * bool(holding & KING) + 1.5 * bool(holding & QUEEN)
    return total + 0.75 * bool(holding & JACK) + 0.25 * bool(holding & TEN)


def controls(holding: HoldingBits) -> int:
    """Return controls: ace 2, king 1."""
    return 2 * bool(holding & ACE) + bool(holding & KING)


def losers(holding: HoldingBits) -> int:
    """Return the classic losers: one for each of ace, king and queen that is missing, as far as the length goes."""
    count = length(holding)
    return (count >= 1 and not holding & ACE) + (count >= 2 and not holding & KING) + (count >= 3 and not holding & QUEEN)


def new_losers(holding: HoldingBits) -> float:
    """Return the new losing trick count: 1.5 for a missing ace, 1 for a missing king (with two cards or more), 0.5 for a missing
    queen (with three cards or more).
    """
    count = length(holding)
    return (
        1.5 * (count >= 1 and not holding & ACE)
        + 1.0 * (count >= 2 and not holding & KING)
        + 0.5 * (count >= 3 and not holding & QUEEN)
    )


def quick_tricks(holding: HoldingBits) -> float:
    """Return quick tricks: AK 2, AQ 1.5, A 1, KQ 1, K with another card 0.5."""
    if holding & ACE:
        return 2.0 if holding & KING else 1.5 if holding & QUEEN else 1.0
    if holding & KING:
        return 1.0 if holding & QUEEN else 0.5 if length(holding) > 1 else 0.0
    return 0.0


_ONE_STOPPER = ((1, ACE), (2, KING), (3, QUEEN), (4, JACK))
# AJxx needs its fourth card: the ace and the opponents' king and queen take three rounds before the jack is high.
_TWO_STOPPERS = (
    *((2, ACE | KING), (2, ACE | QUEEN), (4, ACE | JACK)),
    *((3, ACE | JACK | TEN), (3, KING | JACK | TEN), (3, KING | QUEEN | JACK), (3, KING | QUEEN | TEN)),
)
"""The least lengths with the honours that make so many stoppers."""


def stoppers(holding: HoldingBits) -> int:
    """Return the number of stoppers, at most two: A, Kx, Qxx and Jxxx are one; AK, AQ, KQJ, AJT, KJT, KQT and AJxx two."""
    count = length(holding)
    if any(count >= least and holding & honours == honours for least, honours in _TWO_STOPPERS):
        return 2
    return int(any(count >= least and holding & honour for least, honour in _ONE_STOPPER))


def top_three(holding: HoldingBits) -> int:
    """Return the number of cards among ace, king and queen."""
    # Bits 10 to 12.
    return (holding >> 10).bit_count()


def top_five(holding: HoldingBits) -> int:
    """Return the number of cards among ace, king, queen, jack and ten."""
    return (holding >> 8).bit_count()


def quality(holding: HoldingBits) -> int:
    """Return Klinger's suit quality: the length plus the number of honours; jack and ten count only with a higher honour."""
    high = top_three(holding)
    jack, ten = bool(holding & JACK), bool(holding & TEN)
    return length(holding) + high + (jack and high > 0) + (ten and (high > 0 or jack))


def playing_tricks(holding: HoldingBits) -> float:
    """Return an estimate of the tricks that the holding takes with its suit as trumps: the length minus `new_losers`."""
    count = length(holding)
    # With two cards or fewer half of the quick tricks count, and the ace half a trick more, so that an ace alone is one trick.
    return max(0.0, count - new_losers(holding)) if count >= 3 else 0.5 * quick_tricks(holding) + 0.5 * bool(holding & ACE)


def _aces(holding: HoldingBits) -> int:
    return int(bool(holding & ACE))


def _kings(holding: HoldingBits) -> int:
    return int(bool(holding & KING))


def _queens(holding: HoldingBits) -> int:
    return int(bool(holding & QUEEN))


SUIT_TERMS: dict[str, Callable[[HoldingBits], float]] = {
    "length": length,
    "high": points,
    "controls": controls,
    "stoppers": stoppers,
    "top3": top_three,
    "top5": top_five,
    "quality": quality,
    "ace": _aces,
    "king": _kings,
    "queen": _queens,
}
"""The terms of one suit that conditions may use, with their functions."""

_PARTS: dict[str, Callable[[HoldingBits], float]] = {
    **SUIT_TERMS,
    "long": long_points,
    "plain": suit_points,
    "short": short_points,
    "ruffing": ruffing_points,
    "losers": losers,
    "newlosers": new_losers,
    "quick": quick_tricks,
    "playing": playing_tricks,
}
# By name, the values of a term of one suit for the 8,192 holdings.
TABLES: dict[str, FloatColumn] = {
    name: np.array([term(holding) for holding in range(8192)], dtype=np.float32) for name, term in _PARTS.items()
}

HAND_TERMS = (
    "hcp", "points", "controls", "losers", "newlosers", "quicktricks", "aces", "kings", "longest", "second", "shortest",
    "balanced", "semibalanced", "rule20", "rule15", "playing", "bumrap",
)  # fmt: skip
TRUMP_TERMS = ("support", "keycards", "trumpqueen")
"""Terms that depend on the trump suit: support points, the number of key cards (aces and the king of trumps), and the queen of
trumps.
"""

TERMS: dict[str, int] = {name: place for place, name in enumerate(HAND_TERMS)}
"""The index of each term among a hand's values; a term of one suit occurs four times, as ``name.0`` (spades) to ``name.3``."""
for _name in (*SUIT_TERMS, *TRUMP_TERMS):
    for _suit in range(4):
        # "controls" is a term of a hand and of a suit; the suffix distinguishes the latter.
        TERMS[f"{_name if _name not in HAND_TERMS else _name + '-suit'}.{_suit}"] = len(TERMS)

TermValues = list[float]
"""All terms of one hand, in the order of `TERMS`."""


def support_points(hand: HandBits, trump: int) -> float:
    """Return support points, the value of a hand for a trump suit: `suit_points`, plus points for shortness in other suits, plus
    the number of trumps minus four.

    A void, singleton and doubleton are 5, 3, 1 points with four trumps or more, 3, 2, 1 with three, else nothing. On solved deals
    with eight to ten trumps, 26.5 points of both hands take ten tricks on half of the deals, and 33 points twelve.
    """
    trumps = length(hand[trump])
    count = sum(suit_points(holding) for holding in hand) + trumps - 4
    if trumps >= 3:
        shortness = ruffing_points if trumps >= 4 else short_points
        count += sum(shortness(holding) for suit, holding in enumerate(hand) if suit != trump)
    # A weak hand without trumps would have a negative value.
    return max(0.0, count)


def is_balanced(lengths: Sequence[int]) -> bool:
    """Return whether lengths are 4333, 4432 or 5332, in any order."""
    return min(lengths) >= 2 and sum(count == 2 for count in lengths) <= 1


def is_semibalanced(lengths: Sequence[int]) -> bool:
    """Return whether lengths are balanced, 5422 or 6322, in any order."""
    # With at least two and at most six cards in each suit, there are no other shapes.
    return min(lengths) >= 2 and max(lengths) <= 6


def shape(hand: HandBits) -> str:
    """Return the lengths of a hand as digits, the longest first.

    >>> shape(hand_of("AKQ95.AT3.KJ2.97"))
    '5332'
    """
    return "".join(map(str, sorted(map(length, hand), reverse=True)))


# Cached, since the same four hands are evaluated at each turn of an auction.
@lru_cache(maxsize=1 << 14)
def evaluate(hand: HandBits) -> TermValues:
    """Return all terms of one hand, in the order of `TERMS`.

    >>> values = evaluate(hand_of("AKQ95.AT3.KJ2.97"))
    >>> [values[TERMS[name]] for name in ("hcp", "points", "controls", "losers", "quicktricks", "rule20", "balanced", "length.0")]
    [17, 18, 6, 6, 3.5, 25, 1, 5]
    """
    lengths = [holding.bit_count() for holding in hand]
    order = sorted(lengths, reverse=True)
    hcp = sum(points(holding) for holding in hand)
    aces = sum(_aces(holding) for holding in hand)
    values: TermValues = [
        hcp,
        hcp + sum(long_points(holding) for holding in hand),
        sum(controls(holding) for holding in hand),
        sum(losers(holding) for holding in hand),
        sum(new_losers(holding) for holding in hand),
        sum(quick_tricks(holding) for holding in hand),
        aces,
        sum(_kings(holding) for holding in hand),
        order[0],
        order[1],
        order[3],
        int(is_balanced(lengths)),
        int(is_semibalanced(lengths)),
        hcp + order[0] + order[1],
        hcp + lengths[0],
        sum(playing_tricks(holding) for holding in hand),
        sum(suit_points(holding) for holding in hand),
    ]
    for term in SUIT_TERMS.values():
        values.extend(term(holding) for holding in hand)
    values.extend(support_points(hand, suit) for suit in range(4))
    values.extend(aces + _kings(holding) for holding in hand)
    # In the order of `TERMS`.
    values.extend(_queens(holding) for holding in hand)
    return values


class Evaluated:
    """The terms of many hands, each computed for all hands on first access. Created with the holdings of the hands, (4, N).

    >>> many = Evaluated(np.array([[0b1110000110000, 3], [0b1000000010010, 12], [0, 0], [0b11111, 0x1FF]]))
    >>> many.column("hcp").tolist(), many.column("length.3").tolist()
    ([13.0, 0.0], [5.0, 9.0])
    """

    def __init__(self, holdings: Holdings) -> None:
        self.holdings = holdings
        self._columns: dict[str, FloatColumn] = {}

    def __len__(self) -> int:
        return int(self.holdings.shape[1])

    def column(self, name: str) -> FloatColumn:
        """Return the values of a term of `TERMS` for all hands, (N,). Raises KeyError for another name."""
        if name not in self._columns:
            self._columns[name] = self._make(name)
        return self._columns[name]

    def place(self, place: int) -> FloatColumn:
        """Return the values of a term for all hands, (N,); ``place`` is the index of the term in `TERMS`."""
        return self.column(_NAMES[place])

    def _part(self, name: str, suit: int) -> FloatColumn:
        """Return a term of `TABLES` of one suit."""
        found: FloatColumn = TABLES[name].take(self.holdings[suit])
        return found

    def _sum(self, name: str) -> FloatColumn:
        """Return the sum of a term of `TABLES` over the suits."""
        # A new array, so that adding in place does not change the table.
        total = self._part(name, 0)
        for suit in (1, 2, 3):
            total += self._part(name, suit)
        return total

    def _lengths(self) -> FloatColumn:
        """Return the lengths of the suits of each hand in ascending order, (4, N)."""
        if "lengths" not in self._columns:
            stacked = np.stack([self._part("length", suit) for suit in range(4)])
            stacked.sort(axis=0)
            # "lengths" is no name of `TERMS`.
            self._columns["lengths"] = stacked
        return self._columns["lengths"]

    def _make(self, name: str) -> FloatColumn:
        """Compute the values of a term."""
        term, _, place = name.partition(".")
        if place:
            return self._of_suit(term.removesuffix("-suit"), int(place))
        sums = {"hcp": "high", "controls": "controls", "losers": "losers", "newlosers": "newlosers"}
        sums |= {"quicktricks": "quick", "aces": "ace", "kings": "king", "playing": "playing", "bumrap": "plain"}
        if term in sums:
            return self._sum(sums[term])
        if term == "points":
            return self.column("hcp") + self._sum("long")
        lengths = self._lengths()
        if term in ("longest", "second", "shortest"):
            return np.asarray(lengths[{"longest": 3, "second": 2, "shortest": 0}[term]], np.float32)
        if term == "rule20":
            return np.asarray(self.column("hcp") + lengths[3] + lengths[2], np.float32)
        if term == "rule15":
            return self.column("hcp") + self._part("length", 0)
        # A hand with two doubletons, which is not balanced, has a second shortest suit of two cards.
        even = lengths[1] >= 3 if term == "balanced" else lengths[3] <= 6
        if term not in ("balanced", "semibalanced"):
            raise KeyError(name)
        return np.asarray((lengths[0] >= 2) & even, np.float32)

    def _of_suit(self, term: str, suit: int) -> FloatColumn:
        """Compute the values of a term of a suit, or of a term that depends on a trump suit."""
        if term == "keycards":
            return self.column("aces") + self._part("king", suit)
        if term == "trumpqueen":
            return self._part("queen", suit)
        if term == "support":
            trumps = self._part("length", suit)
            ruffing = self._sum("ruffing") - self._part("ruffing", suit)
            short = self._sum("short") - self._part("short", suit)
            extra = np.where(trumps >= 4, ruffing, np.where(trumps == 3, short, 0))
            return np.asarray(np.maximum(self._sum("plain") + extra + trumps - 4, 0), np.float32)
        return self._part(term, suit)


_NAMES = tuple(TERMS)


class Chosen(Evaluated):
    """The terms of some hands of an `Evaluated`, with the indices ``rows``; a term is computed for all hands of it and then
    selected.

    >>> many = Evaluated(np.array([[1, 3, 7], [0, 0, 0], [0, 0, 0], [0, 0, 0]]))
    >>> Chosen(many, np.array([2, 0])).column("length.0").tolist()
    [3.0, 1.0]
    """

    def __init__(self, every: Evaluated, rows: NDArray[np.int64]) -> None:
        super().__init__(every.holdings[:, rows])
        self._every = every
        self._rows = rows

    def _make(self, name: str) -> FloatColumn:
        found: FloatColumn = self._every.column(name)[self._rows]
        return found
