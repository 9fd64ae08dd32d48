"""Tables of all suit lengths of hands, sides and deals, of all high cards of a hand, and of all holdings of a suit, with exact
counts.

`TABLES` has a function for each table, by name. A table is a dictionary of columns, which are arrays with one element for each row.
In a *specific* table suits (and hands) are named; a *generic* table has one row for all rows of the specific one that differ only
by an exchange of suits (or also of hands, if its function says so): the one whose suits are in descending order.

Titles: R. Pavlicek, "Binary File Formats"; the columns are defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations, product
from math import comb, factorial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

IntegerArray = NDArray[np.int64]
ColumnsByName = dict[str, IntegerArray]

ORDERS = tuple(permutations(range(4)))
HONOUR_POINTS = (4, 3, 2, 1)
_CHOICES = np.array([comb(13, cards) for cards in range(14)], np.int64)
_FACTORIALS = np.array([factorial(cards) for cards in range(14)], np.int64)


def hand_lengths() -> ColumnsByName:
    """Return the 560 combinations of lengths S H D C of a hand, with the number of hands of each.

    >>> table = hand_lengths()
    >>> len(table["lengths"]), table["lengths"][0].tolist(), int(table["num_hands"].sum()) == comb(52, 13)
    (560, [13, 0, 0, 0], True)
    """
    lengths = _lengths(13)
    return {"lengths": lengths, "num_hands": _CHOICES[lengths].prod(axis=1)}


def hand_patterns() -> ColumnsByName:
    """Return the 39 patterns of a hand, the most frequent first; of equally frequent ones that with the shorter longest suit.

    ``orders`` has a bit for each of the 24 orders of the suits in which the lengths differ from those of all earlier orders;
    ``num_hands`` is the number of hands with the pattern in any order.
    """
    table = hand_lengths()
    # Reversed before the stable sort, for the order of equally frequent patterns.
    first = np.flatnonzero(_descending(table["lengths"]))[::-1]
    lengths = table["lengths"][first]
    orders = np.array([_distinct_orders(row.tolist()) for row in lengths[:, ORDERS]], np.int64)
    num_hands = table["num_hands"][first] * _orders(lengths)
    by_frequency = np.argsort(-num_hands, kind="stable")
    return {"lengths": lengths[by_frequency], "orders": orders[by_frequency], "num_hands": num_hands[by_frequency]}


def side_lengths() -> ColumnsByName:
    """Return the 1,834 combinations of lengths S H D C of the 26 cards of a side, with the number of sets of 26 cards of each."""
    lengths = _lengths(26)
    return {"lengths": lengths, "num_sides": _CHOICES[lengths].prod(axis=1)}


def side_patterns() -> ColumnsByName:
    """Return the 104 patterns of the 26 cards of a side, with the number of sets of 26 cards of each in any order of the suits."""
    table = side_lengths()
    first = _descending(table["lengths"])
    lengths = table["lengths"][first]
    return {"lengths": lengths, "num_sides": table["num_sides"][first] * _orders(lengths)}


def side_prints() -> ColumnsByName:
    """Return the 239,344 combinations of the lengths of two hands, with the number of pairs of hands of each."""
    hands = _lengths(13)
    first, second = np.nonzero((hands[:, None] + hands[None] <= 13).all(axis=2))
    lengths = np.stack([hands[first], hands[second]], axis=1)
    rest = 13 - lengths.sum(axis=1)
    ways = _FACTORIALS[13] // (_FACTORIALS[lengths[:, 0]] * _FACTORIALS[lengths[:, 1]] * _FACTORIALS[rest])
    return {"lengths": lengths, "num_pairs": ways.prod(axis=1)}


def generic_side_prints() -> ColumnsByName:
    """Return the 10,466 combinations of the lengths of two hands that differ by more than an exchange of suits.

    ``num_orders`` is the number of different orders of the suits, ``num_pairs`` the number of pairs of hands for one order.
    """
    table = side_prints()
    # Both lengths of a suit as one number, in base 14.
    suits = table["lengths"][:, 0] * 14 + table["lengths"][:, 1]
    first = _descending(suits)
    return {"lengths": table["lengths"][first], "num_orders": _orders(suits[first]), "num_pairs": table["num_pairs"][first]}


def generic_deal_prints() -> ColumnsByName:
    """Return the deal prints (the lengths of four hands in four suits) that differ by more than an exchange of suits and of hands.

    ``num_prints`` is the number of specific prints of a generic one, 37,478,624 in all. ``suit_ways`` has for each suit the number
    of ways to deal its cards, four numbers of 32 bits; their product, which may exceed 64 bits, is the number of deals of one
    specific print.
    """
    hands = _lengths(13)[::-1]
    rows = _hand_sets(hands)
    index = {tuple(row): at for at, row in enumerate(hands.tolist())}
    # Of the specific prints of a generic one the largest is kept: each row is compared with itself in all 24 orders of the suits.
    keys = _key(rows)
    fixed = np.zeros(len(rows), np.int64)
    largest = np.ones(len(rows), np.bool_)
    for order in ORDERS:
        reordered = np.array([index[tuple(row)] for row in hands[:, order].tolist()], np.int64)
        key = _key(np.sort(reordered[rows], axis=1)[:, ::-1])
        largest &= key <= keys
        fixed += key == keys
    rows, fixed = rows[largest], fixed[largest]
    lengths = hands[rows]
    ways = _FACTORIALS[13] // _FACTORIALS[lengths].prod(axis=1)
    down = np.argsort(-_key(rows))
    # The 24 orders of the suits divided by those that do not change the print, times the different orders of its hands.
    num_prints = 24 // fixed * _orders(rows)
    return {"lengths": lengths[down], "num_prints": num_prints[down], "suit_ways": ways[down]}


def high_cards() -> ColumnsByName:
    """Return the 65,399 sets of aces, kings, queens and jacks of a hand, with the number of hands of each.

    ``honours`` has four bits for each suit, the ace's the highest. A set has at most thirteen honours.
    """
    honours = np.array(list(product(range(15, -1, -1), repeat=4)), np.int64)
    count = _bits(honours).sum(axis=1)
    honours, count = honours[count <= 13], count[count <= 13]
    # The other cards of the hand are among the 36 cards below the jacks.
    num_hands = np.array([comb(36, 13 - cards) for cards in range(14)], np.int64)[count]
    return {"honours": honours, "points": _points(honours).sum(axis=1), "num_hands": num_hands}


def generic_high_cards() -> ColumnsByName:
    """Return the sets of high cards of a hand that differ by more than an exchange of suits, with the number of hands of each in
    any order of the suits.
    """
    table = high_cards()
    first = _descending(table["honours"])
    honours = table["honours"][first]
    return {"honours": honours, "points": table["points"][first], "num_hands": table["num_hands"][first] * _orders(honours)}


def holdings() -> ColumnsByName:
    """Return the 8,192 holdings of a suit; ``cards`` has a bit for each rank, the two's the lowest.

    ``num_hands`` is the number of hands that have exactly these cards in one named suit.
    """
    cards = np.arange(1 << 13, dtype=np.int64)
    count = _bits(cards)
    num_hands = np.array([comb(39, 13 - length) for length in range(14)], np.int64)[count]
    return {"cards": cards, "length": count, "points": _points(cards >> 9), "num_hands": num_hands}


TABLES: Mapping[str, Callable[[], ColumnsByName]] = MappingProxyType(
    {
        "ghp": hand_patterns,
        "shp": hand_lengths,
        "gsp": side_patterns,
        "ssp": side_lengths,
        "gsx": generic_side_prints,
        "ssx": side_prints,
        "gdx": generic_deal_prints,
        "ghc": generic_high_cards,
        "shc": high_cards,
        "esh": holdings,
    }
)
"""The functions of the ten tables, by the names of the source's files."""


def _lengths(cards: int) -> IntegerArray:
    """Return every combination of four lengths with ``cards`` cards in all, in descending order."""
    return np.array([four for four in product(range(13, -1, -1), repeat=4) if sum(four) == cards], np.int64)


def _descending(suits: IntegerArray) -> NDArray[np.bool_]:
    """Return for each row of four suits whether it is in descending order."""
    found: NDArray[np.bool_] = np.all(suits[:, :-1] >= suits[:, 1:], axis=1)
    return found


def _orders(suits: IntegerArray) -> IntegerArray:
    """Return the number of different orders of each row of four sorted numbers: 24 divided by the factorials of the runs of equal
    ones.
    """
    runs = np.ones(len(suits), np.int64)
    equal = np.ones(len(suits), np.int64)
    for at in range(1, 4):
        runs = np.where(suits[:, at] == suits[:, at - 1], runs + 1, 1)
        equal *= runs
    return 24 // equal


def _distinct_orders(orders: list[list[int]]) -> int:
    """Return a number with a bit for each element of ``orders`` that differs from all earlier ones."""
    return sum(1 << at for at, order in enumerate(orders) if order not in orders[:at])


def _hand_sets(hands: IntegerArray) -> IntegerArray:
    """Return every set of four hands with 13 cards of each suit, as (N, 4) indices of ``hands`` in descending order."""
    first, second = np.nonzero((hands[:, None] + hands[None] <= 13).all(axis=2))
    # A set of four hands is two pairs of hands, each in descending order.
    first, second = first[first >= second], second[first >= second]
    sums = _key(hands[first] + hands[second])
    rest = _key(13 - hands[first] - hands[second])
    place = np.argsort(sums, kind="stable")
    start, stop = (np.searchsorted(sums[place], rest, side) for side in ("left", "right"))
    # A join without a loop in Python: about 120,000 pairs, each with every pair that has the rest of the cards.
    pair = np.repeat(np.arange(len(first)), stop - start)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(stop - start) - (stop - start), stop - start)
    other = place[start[pair] + within]
    # Only sets whose four hands are in descending order, so that each occurs once.
    kept = second[pair] >= first[other]
    pair, other = pair[kept], other[kept]
    return np.stack([first[pair], second[pair], first[other], second[other]], axis=1)


def _key(rows: IntegerArray) -> IntegerArray:
    """Return rows of four numbers below 1,024 as one number each, in the same order."""
    key: IntegerArray = (rows << np.array([30, 20, 10, 0])).sum(axis=1)
    return key


def _bits(values: IntegerArray) -> IntegerArray:
    """Return the number of set bits among the lowest thirteen."""
    count: IntegerArray = (values[..., None] >> np.arange(13) & 1).sum(axis=-1)
    return count


def _points(honours: IntegerArray) -> IntegerArray:
    """Return the high-card points of honours in four bits, the ace's the highest."""
    points: IntegerArray = ((honours[..., None] >> np.arange(3, -1, -1) & 1) * np.array(HONOUR_POINTS)).sum(axis=-1)
    return points
