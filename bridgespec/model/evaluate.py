"""Hand evaluation: every hand term of the project, for one hand and for many at once.

A holding is 13 bits, the ace the highest (bit 12) and the two the lowest (bit 0); a hand is four holdings, spades first, as the
model orders its suits. A term of one suit is a table over the 8,192 holdings; the terms of a hand are sums of such tables or simple
functions of its lengths. So the array forms are look-ups in tables that the scalar functions fill. Only the sums over the suits are
written twice, and a test compares them.

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

Holding = int
Hand = tuple[Holding, Holding, Holding, Holding]
"""Holdings of spades, hearts, diamonds and clubs, as plain numbers: `bridgespec.model.hand.Hand.holdings`."""
Holdings = NDArray[np.int64]
"""Many hands, as (4, N)."""
# float32 is enough: every term is a multiple of a quarter, and float32 represents those exactly.
Columns = NDArray[np.float32]

ACE, KING, QUEEN, JACK, TEN = 1 << 12, 1 << 11, 1 << 10, 1 << 9, 1 << 8


def hand_of(text: str) -> Hand:
    """The hand of a dotted text; ValueError unless it is 13 cards in four suits.

    >>> [bin(holding).count("1") for holding in hand_of("AKQ95.AT3.KJ2.97")]
    [5, 3, 3, 2]
    """
    # "10" is replaced by two characters, so that the positions of errors after it do not shift.
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


def hand_text(hand: Hand) -> str:
    """The hand as dotted text.

    >>> hand_text(hand_of("AKQ95.AT3.KJ2.97"))
    'AKQ95.AT3.KJ2.97'
    """
    return ".".join("".join(rank for place, rank in enumerate(RANKS) if holding >> (12 - place) & 1) for holding in hand)


def hands_of_deal(holders: bytes) -> tuple[Hand, Hand, Hand, Hand]:
    """The four hands of a complete deal's 52 holders, W N E S."""
    masks = [[0] * 4 for _ in range(4)]
    for slot, holder in enumerate(holders):
        if holder > 3:
            raise ValueError("only a complete deal has four hands")
        masks[holder][slot // 13] |= 1 << (12 - slot % 13)
    west, north, east, south = ((m[0], m[1], m[2], m[3]) for m in masks)
    return west, north, east, south


def holdings_of(deals: NDArray[np.uint8], seat: int) -> Holdings:
    """One seat's hands of (N, 52) holders, as (4, N) holdings."""
    # A product of booleans and integers is an integer: 13 flags of cards become the number that a holding is.
    weights = (1 << np.arange(12, -1, -1)).astype(np.int64)
    mine = (deals == seat).reshape(len(deals), 4, 13)
    return np.ascontiguousarray((mine @ weights).T)


# Terms of one suit


def length(holding: Holding) -> int:
    """How many cards."""
    return holding.bit_count()


def points(holding: Holding) -> int:
    """High-card points: ace 4, king 3, queen 2, jack 1."""
    return 4 * bool(holding & ACE) + 3 * bool(holding & KING) + 2 * bool(holding & QUEEN) + bool(holding & JACK)


def long_points(holding: Holding) -> int:
    """A point for each card after the fourth."""
    return max(0, length(holding) - 4)


def short_points(holding: Holding) -> int:
    """Goren's points for shortness: void 3, singleton 2, doubleton 1."""
    return max(0, 3 - length(holding))


def ruffing_points(holding: Holding) -> int:
    """Shortness with four trumps or more beside it: void 5, singleton 3, doubleton 1."""
    return (5, 3, 1)[length(holding)] if length(holding) < 3 else 0


def suit_points(holding: Holding) -> float:
    """High cards nearer to the tricks that they take: ace 4.5, king 3, queen 1.5, jack 0.75, ten 0.25 (the count called BUM-RAP).

    A fit to solved deals gives these weights, at notrump as in a suit contract.
    """
    total = 4.5 * bool(holding & ACE) + 3 * bool(holding & KING) + 1.5 * bool(holding & QUEEN)
    return total + 0.75 * bool(holding & JACK) + 0.25 * bool(holding & TEN)


def controls(holding: Holding) -> int:
    """Ace 2, king 1."""
    return 2 * bool(holding & ACE) + bool(holding & KING)


def losers(holding: Holding) -> int:
    """The classic count: the ace, king and queen that are missing among the first three cards."""
    count = length(holding)
    return (count >= 1 and not holding & ACE) + (count >= 2 and not holding & KING) + (count >= 3 and not holding & QUEEN)


def new_losers(holding: Holding) -> float:
    """The new losing trick count: 1.5 for a missing ace, 1 for a missing king (from two cards on), 0.5 for a missing queen (from
    three cards on).
    """
    count = length(holding)
    return (
        1.5 * (count >= 1 and not holding & ACE)
        + 1.0 * (count >= 2 and not holding & KING)
        + 0.5 * (count >= 3 and not holding & QUEEN)
    )


def quick_tricks(holding: Holding) -> float:
    """AK 2, AQ 1.5, A 1, KQ 1, guarded K 0.5."""
    if holding & ACE:
        return 2.0 if holding & KING else 1.5 if holding & QUEEN else 1.0
    if holding & KING:
        return 1.0 if holding & QUEEN else 0.5 if length(holding) > 1 else 0.0
    return 0.0


def stoppers(holding: Holding) -> int:
    """How often the suit is stopped, at most twice: A, Kx, Qxx and Jxxx once; AK, AQ, KQJ, AJT, KJT, KQT twice."""
    count = length(holding)
    if count == 0:
        return 0
    ace, king, queen, jack, ten = (bool(holding & card) for card in (ACE, KING, QUEEN, JACK, TEN))
    if count >= 2 and ((ace and king) or (ace and queen)):
        return 2
    # AJxx needs its fourth card: the ace and the opponents' king and queen take three rounds before the jack is high.
    if count >= 3 and (((ace or king) and jack and ten) or (king and queen and (jack or ten)) or (ace and jack and count > 3)):
        return 2
    return int(ace or (king and count >= 2) or (queen and count >= 3) or (jack and count >= 4))


def top_three(holding: Holding) -> int:
    """How many of ace, king, queen."""
    # A holding has no bits above the ace's, so the shift leaves ace, king and queen alone.
    return (holding >> 10).bit_count()


def top_five(holding: Holding) -> int:
    """How many of ace, king, queen, jack, ten."""
    return (holding >> 8).bit_count()


def quality(holding: Holding) -> int:
    """Klinger's suit quality: the length, and one for each honour; jack and ten count only beside a higher one."""
    high = top_three(holding)
    jack, ten = bool(holding & JACK), bool(holding & TEN)
    return length(holding) + high + (jack and high > 0) + (ten and (high > 0 or jack))


def playing_tricks(holding: Holding) -> float:
    """Tricks that the holding takes with its own suit as trumps, by its length and the losers among its first three cards."""
    count = length(holding)
    # Two cards or fewer take no tricks by length, so quick tricks count half; the second half makes a bare ace a whole trick.
    return max(0.0, count - new_losers(holding)) if count >= 3 else 0.5 * quick_tricks(holding) + 0.5 * bool(holding & ACE)


def _aces(holding: Holding) -> int:
    return int(bool(holding & ACE))


def _kings(holding: Holding) -> int:
    return int(bool(holding & KING))


def _queens(holding: Holding) -> int:
    return int(bool(holding & QUEEN))


SUIT_TERMS: dict[str, Callable[[Holding], float]] = {
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
"""Terms of one suit that a schema of bidding may use, each with its function."""

_PARTS: dict[str, Callable[[Holding], float]] = {
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
# Filled from the scalar functions at import, so that arrays and single hands cannot disagree about a suit.
TABLES: dict[str, Columns] = {
    name: np.array([term(holding) for holding in range(8192)], dtype=np.float32) for name, term in _PARTS.items()
}

HAND_TERMS = (
    "hcp", "points", "controls", "losers", "newlosers", "quicktricks", "aces", "kings", "longest", "second", "shortest",
    "balanced", "semibalanced", "rule20", "rule15", "playing", "bumrap",
)  # fmt: skip
TRUMP_TERMS = ("support", "keycards", "trumpqueen")
"""Terms that depend on the trump suit: support points, key cards (four aces and the king), and whether the hand has its queen."""

TERMS: dict[str, int] = {name: place for place, name in enumerate(HAND_TERMS)}
"""The index of each term among a hand's values; a term of one suit occurs four times, as ``name.0`` (spades) to ``name.3``."""
for _name in (*SUIT_TERMS, *TRUMP_TERMS):
    for _suit in range(4):
        # "controls" is a term of a hand and of a suit; the suffix keeps the two apart in one table.
        TERMS[f"{_name if _name not in HAND_TERMS else _name + '-suit'}.{_suit}"] = len(TERMS)

Values = list[float]


def support_points(hand: Hand, trump: int) -> float:
    """Return the value of a hand with these trumps: `suit_points`, shortness, and a point for each trump more or less than four.

    Shortness is 5, 3, 1 with four trumps or more, 3, 2, 1 with three, else nothing. On solved deals with eight to ten trumps
    ten tricks are an even chance at 26.5 of both hands together, and twelve at 33, whoever has the shortness.
    """
    held = length(hand[trump])
    count = sum(suit_points(holding) for holding in hand) + held - 4
    if held >= 3:
        worth = ruffing_points if held >= 4 else short_points
        count += sum(worth(holding) for suit, holding in enumerate(hand) if suit != trump)
    # A weak hand without trumps would count as little as -4.
    return max(0.0, count)


def is_balanced(lengths: Sequence[int]) -> bool:
    """4333, 4432 or 5332."""
    return min(lengths) >= 2 and sum(count == 2 for count in lengths) <= 1


def is_semibalanced(lengths: Sequence[int]) -> bool:
    """Balanced, 5422 or 6322."""
    # With two cards at least in each suit, lengths of up to six leave the balanced ones, 5422 and 6322 only.
    return min(lengths) >= 2 and max(lengths) <= 6


def shape(hand: Hand) -> str:
    """The lengths, longest first.

    >>> shape(hand_of("AKQ95.AT3.KJ2.97"))
    '5332'
    """
    return "".join(map(str, sorted(map(length, hand), reverse=True)))


# A bidder evaluates the same four hands again at each turn of an auction.
@lru_cache(maxsize=1 << 14)
def evaluate(hand: Hand) -> Values:
    """Return all terms of one hand, in the order of `TERMS`.

    >>> values = evaluate(hand_of("AKQ95.AT3.KJ2.97"))
    >>> [values[TERMS[name]] for name in ("hcp", "points", "controls", "losers", "quicktricks", "rule20", "balanced", "length.0")]
    [17, 18, 6, 6, 3.5, 25, 1, 5]
    """
    lengths = [holding.bit_count() for holding in hand]
    order = sorted(lengths, reverse=True)
    hcp = sum(points(holding) for holding in hand)
    aces = sum(_aces(holding) for holding in hand)
    values: Values = [
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
    # The order of these lines is that of `TERMS`: a term that is inserted here must be inserted there.
    values.extend(_queens(holding) for holding in hand)
    return values


class Evaluated:
    """The terms of many hands, each computed on first access: `column` gives (N,) values.

    >>> many = Evaluated(np.array([[0b1110000110000, 3], [0b1000000010010, 12], [0, 0], [0b11111, 0x1FF]]))
    >>> many.column("hcp").tolist(), many.column("length.3").tolist()
    ([13.0, 0.0], [5.0, 9.0])
    """

    def __init__(self, holdings: Holdings) -> None:
        self.holdings = holdings
        self._columns: dict[str, Columns] = {}

    def __len__(self) -> int:
        return int(self.holdings.shape[1])

    def column(self, name: str) -> Columns:
        """The values of a term of `TERMS`; KeyError for another name."""
        if name not in self._columns:
            self._columns[name] = self._make(name)
        return self._columns[name]

    def place(self, place: int) -> Columns:
        """The values of the term at an index of `TERMS`."""
        return self.column(_NAMES[place])

    def _part(self, name: str, suit: int) -> Columns:
        found: Columns = TABLES[name].take(self.holdings[suit])
        return found

    def _sum(self, name: str) -> Columns:
        # `take` returned a new array, so adding in place does not change the table.
        total = self._part(name, 0)
        for suit in (1, 2, 3):
            total += self._part(name, suit)
        return total

    def _lengths(self) -> Columns:
        if "lengths" not in self._columns:
            stacked = np.stack([self._part("length", suit) for suit in range(4)])
            stacked.sort(axis=0)
            # The key is no name of `TERMS`, so it cannot be taken for a column of one value a hand.
            self._columns["lengths"] = stacked
        return self._columns["lengths"]

    def _make(self, name: str) -> Columns:
        term, _, place = name.partition(".")
        if place:
            return self._of_suit(term.removesuffix("-suit"), int(place))
        sums = {"hcp": "high", "controls": "controls", "losers": "losers", "newlosers": "newlosers"}
        sums |= {"quicktricks": "quick", "aces": "ace", "kings": "king", "playing": "playing", "bumrap": "plain"}
        if term in sums:
            return self._sum(sums[term])
        if term == "points":
            return self.column("hcp") + self._sum("long")
        # Sorted once for all terms that need the order of lengths: ascending, so index 3 is the longest suit.
        lengths = self._lengths()
        if term in ("longest", "second", "shortest"):
            return np.asarray(lengths[{"longest": 3, "second": 2, "shortest": 0}[term]], np.float32)
        if term == "rule20":
            return np.asarray(self.column("hcp") + lengths[3] + lengths[2], np.float32)
        if term == "rule15":
            return self.column("hcp") + self._part("length", 0)
        # Of four ascending lengths the second is the only one besides the first that may be a doubleton: 5332 has one, 5422 two.
        even = lengths[1] >= 3 if term == "balanced" else lengths[3] <= 6
        if term not in ("balanced", "semibalanced"):
            raise KeyError(name)
        return np.asarray((lengths[0] >= 2) & even, np.float32)

    def _of_suit(self, term: str, suit: int) -> Columns:
        if term == "keycards":
            return self.column("aces") + self._part("king", suit)
        if term == "trumpqueen":
            return self._part("queen", suit)
        if term == "support":
            held = self._part("length", suit)
            ruffing = self._sum("ruffing") - self._part("ruffing", suit)
            short = self._sum("short") - self._part("short", suit)
            extra = np.where(held >= 4, ruffing, np.where(held == 3, short, 0))
            return np.asarray(np.maximum(self._sum("plain") + extra + held - 4, 0), np.float32)
        return self._part(term, suit)


_NAMES = tuple(TERMS)


class Chosen(Evaluated):
    """The terms of some of many hands: ``rows`` are their indexes among all.

    >>> many = Evaluated(np.array([[1, 3, 7], [0, 0, 0], [0, 0, 0], [0, 0, 0]]))
    >>> Chosen(many, np.array([2, 0])).column("length.0").tolist()
    [3.0, 1.0]
    """

    def __init__(self, whole: Evaluated, rows: NDArray[np.int64]) -> None:
        super().__init__(whole.holdings[:, rows])
        self._whole = whole
        self._rows = rows

    def _make(self, name: str) -> Columns:
        found: Columns = self._whole.column(name)[self._rows]
        return found
