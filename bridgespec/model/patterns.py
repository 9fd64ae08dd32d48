"""Tables of how cards fall: lengths of hands, of sides and of deals, high cards, and the holdings of a suit.

`TABLES` has each table by its name. A table is a mapping of columns, arrays of one row a record: every way once, with an exact
count of what has it. The *specific* tables name the suits (and hands); a *generic* table has one way for all that differ by a
change of suits alone (of suits and hands where its function states it), the first of them in descending order.

Titles: R. Pavlicek, "Binary File Formats"; the columns are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations, product
from math import comb, factorial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]
Columns = dict[str, Column]

ORDERS = tuple(permutations(range(4)))
HONOUR_POINTS = (4, 3, 2, 1)
_CHOICES = np.array([comb(13, cards) for cards in range(14)], np.int64)
_FACTORIALS = np.array([factorial(cards) for cards in range(14)], np.int64)


def hand_lengths() -> Columns:
    """The 560 lengths in spades, hearts, diamonds and clubs of a hand, and how many hands have each.

    >>> table = hand_lengths()
    >>> len(table["lengths"]), table["lengths"][0].tolist(), int(table["num_hands"].sum()) == comb(52, 13)
    (560, [13, 0, 0, 0], True)
    """
    lengths = _lengths(13)
    return {"lengths": lengths, "num_hands": _CHOICES[lengths].prod(axis=1)}


def hand_patterns() -> Columns:
    """The 39 patterns of a hand, most frequent first; of two equally frequent ones, that with the shorter longest suit first.

    ``orders`` has a bit for each of the 24 orders of the suits that equals no earlier one; ``num_hands`` counts all orders.
    """
    table = hand_lengths()
    # Reversed before a stable sort: of equally frequent patterns that with the shorter longest suit comes first.
    first = np.flatnonzero(_descending(table["lengths"]))[::-1]
    lengths = table["lengths"][first]
    turned = lengths[:, ORDERS]
    orders = np.array([_distinct_orders(row.tolist()) for row in turned], np.int64)
    num_hands = table["num_hands"][first] * _orders(lengths)
    place = np.argsort(-num_hands, kind="stable")
    return {"lengths": lengths[place], "orders": orders[place], "num_hands": num_hands[place]}


def side_lengths() -> Columns:
    """The 1,834 lengths of the 26 cards of a side, and how many sets of 26 cards have each."""
    lengths = _lengths(26)
    return {"lengths": lengths, "num_sides": _CHOICES[lengths].prod(axis=1)}


def side_patterns() -> Columns:
    """The 104 patterns of a side, and how many sets of 26 cards have each in any order of the suits."""
    table = side_lengths()
    first = _descending(table["lengths"])
    lengths = table["lengths"][first]
    return {"lengths": lengths, "num_sides": table["num_sides"][first] * _orders(lengths)}


def side_prints() -> Columns:
    """The 239,344 lengths of two partners, the first hand's and the second's, and how many pairs of hands have each."""
    hands = _lengths(13)
    first, second = np.nonzero((hands[:, None] + hands[None] <= 13).all(axis=2))
    lengths = np.stack([hands[first], hands[second]], axis=1)
    rest = 13 - lengths.sum(axis=1)
    ways = _FACTORIALS[13] // (_FACTORIALS[lengths[:, 0]] * _FACTORIALS[lengths[:, 1]] * _FACTORIALS[rest])
    return {"lengths": lengths, "num_pairs": ways.prod(axis=1)}


def generic_side_prints() -> Columns:
    """The 10,466 side prints up to the suits, in ``num_orders`` orders each; ``num_pairs`` counts one order of the suits."""
    table = side_prints()
    # Base 14 orders the pairs of lengths: a length is 0 to 13.
    suits = table["lengths"][:, 0] * 14 + table["lengths"][:, 1]
    first = _descending(suits)
    return {"lengths": table["lengths"][first], "num_orders": _orders(suits[first]), "num_pairs": table["num_pairs"][first]}


def generic_deal_prints() -> Columns:
    """The deal prints (lengths of four hands in four suits) up to the suits and the hands.

    ``num_prints`` is the number of specific prints of each, 37,478,624 in all. ``suit_ways`` has in how many ways each suit is
    dealt so, four numbers of 32 bits; their product is the number of deals with one specific print, which needs more than 64 bits.
    """
    hands = _lengths(13)[::-1]
    rows = _hand_sets(hands)
    place = {tuple(row): at for at, row in enumerate(hands.tolist())}
    # A generic print is its largest specific one: each row is compared with all 24 orders of the suits, and kept if none is larger.
    keys = _key(rows)
    fixed = np.zeros(len(rows), np.int64)
    largest = np.ones(len(rows), np.bool_)
    for order in ORDERS:
        turned = np.array([place[tuple(row)] for row in hands[:, order].tolist()], np.int64)
        key = _key(np.sort(turned[rows], axis=1)[:, ::-1])
        largest &= key <= keys
        fixed += key == keys
    rows, fixed = rows[largest], fixed[largest]
    lengths = hands[rows]
    ways = _FACTORIALS[13] // _FACTORIALS[lengths].prod(axis=1)
    down = np.argsort(-_key(rows))
    # Orbits: 24 orders of the suits by those that leave the print as it is, times the orders of its hands.
    num_prints = 24 // fixed * _orders(rows)
    return {"lengths": lengths[down], "num_prints": num_prints[down], "suit_ways": ways[down]}


def high_cards() -> Columns:
    """The 65,399 ways in which a hand has aces, kings, queens and jacks, and how many hands have each.

    ``honours`` has four bits a suit, the ace's the highest. Combinations of fourteen and more honours are left out.
    """
    honours = np.array(list(product(range(15, -1, -1), repeat=4)), np.int64)
    count = _bits(honours).sum(axis=1)
    honours, count = honours[count <= 13], count[count <= 13]
    # The other cards are of the 36 below the jacks.
    num_hands = np.array([comb(36, 13 - cards) for cards in range(14)], np.int64)[count]
    return {"honours": honours, "points": _points(honours).sum(axis=1), "num_hands": num_hands}


def generic_high_cards() -> Columns:
    """The high cards of a hand up to the suits, and how many hands have each in any order of the suits."""
    table = high_cards()
    first = _descending(table["honours"])
    honours = table["honours"][first]
    return {"honours": honours, "points": table["points"][first], "num_hands": table["num_hands"][first] * _orders(honours)}


def holdings() -> Columns:
    """The 8,192 holdings of a suit, from none to all; ``cards`` has a bit for each rank, the two's the lowest.

    ``num_hands`` is how many hands have exactly these cards in one named suit.
    """
    cards = np.arange(1 << 13, dtype=np.int64)
    count = _bits(cards)
    num_hands = np.array([comb(39, 13 - length) for length in range(14)], np.int64)[count]
    return {"cards": cards, "length": count, "points": _points(cards >> 9), "num_hands": num_hands}


TABLES: Mapping[str, Callable[[], Columns]] = MappingProxyType(
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
"""The ten tables of the source, by the names of its files."""


def _lengths(cards: int) -> Column:
    """Every list of four lengths with so many cards, in descending order."""
    return np.array([four for four in product(range(13, -1, -1), repeat=4) if sum(four) == cards], np.int64)


def _descending(suits: Column) -> NDArray[np.bool_]:
    """Which rows of four suits are in descending order."""
    found: NDArray[np.bool_] = np.all(suits[:, :-1] >= suits[:, 1:], axis=1)
    return found


def _orders(suits: Column) -> Column:
    """How many different orders each row of four sorted numbers has: 24 by the factorials of the runs of equal ones."""
    runs = np.ones(len(suits), np.int64)
    equal = np.ones(len(suits), np.int64)
    for at in range(1, 4):
        runs = np.where(suits[:, at] == suits[:, at - 1], runs + 1, 1)
        equal *= runs
    return 24 // equal


def _distinct_orders(orders: list[list[int]]) -> int:
    """A bit for each of the orders that no earlier one equals."""
    return sum(1 << at for at, order in enumerate(orders) if order not in orders[:at])


def _hand_sets(hands: Column) -> Column:
    """Every four of these hands in descending order whose lengths add up to 13 in each suit, as indices."""
    first, second = np.nonzero((hands[:, None] + hands[None] <= 13).all(axis=2))
    # Half of the pairs are enough: a set of four hands is two pairs, each in descending order.
    first, second = first[first >= second], second[first >= second]
    sums = _key(hands[first] + hands[second])
    rest = _key(13 - hands[first] - hands[second])
    place = np.argsort(sums, kind="stable")
    start, stop = (np.searchsorted(sums[place], rest, side) for side in ("left", "right"))
    # A join on the sums without a loop in Python: about 120,000 pairs, each with every pair that completes it.
    pair = np.repeat(np.arange(len(first)), stop - start)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(stop - start) - (stop - start), stop - start)
    other = place[start[pair] + within]
    # The four hands are in descending order, so each set of hands occurs once.
    kept = second[pair] >= first[other]
    pair, other = pair[kept], other[kept]
    return np.stack([first[pair], second[pair], first[other], second[other]], axis=1)


def _key(rows: Column) -> Column:
    """One number for four below 1,024, which orders as they do."""
    key: Column = (rows << np.array([30, 20, 10, 0])).sum(axis=1)
    return key


def _bits(values: Column) -> Column:
    """How many bits are set, of thirteen."""
    count: Column = (values[..., None] >> np.arange(13) & 1).sum(axis=-1)
    return count


def _points(honours: Column) -> Column:
    """High-card points of four bits, the ace's the highest."""
    points: Column = ((honours[..., None] >> np.arange(3, -1, -1) & 1) * np.array(HONOUR_POINTS)).sum(axis=-1)
    return points
