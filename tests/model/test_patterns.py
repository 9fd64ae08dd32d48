"""Tables of how cards fall: their sizes, and their counts against arithmetic that needs no table."""

from __future__ import annotations

from functools import cache
from math import comb, factorial, prod

import numpy as np
import pytest

from bridgespec.model.patterns import TABLES, ColumnsByName, IntegerArray

HANDS, SIDES = comb(52, 13), comb(52, 26)
PAIRS, DEALS = comb(52, 13) * comb(39, 13), factorial(52) // factorial(13) ** 4

SIZES = {
    "ghp": 39,
    "shp": 560,
    "gsp": 104,
    "ssp": 1_834,
    "gsx": 10_466,
    "ssx": 239_344,
    "gdx": 66_789,
    "ghc": 3_855,
    "shc": 2**16 - comb(16, 14) - comb(16, 15) - 1,
    "esh": 2**13,
}


@cache
def table_of(name: str) -> ColumnsByName:
    """A table, made once."""
    return TABLES[name]()


def exact(column: IntegerArray) -> list[int]:
    """The numbers of a column as Python's, which do not overflow."""
    return [int(value) for value in column]


@pytest.mark.slice(None, quick=1)
@pytest.mark.parametrize("name", TABLES)
def test_every_way_is_there_once(name: str) -> None:
    """A table has as many records as there are ways, no two of them the same."""
    table = table_of(name)
    way = next(iter(table.values()))
    assert {len(column) for column in table.values()} == {SIZES[name]}
    assert len(np.unique(way.reshape(len(way), -1), axis=0)) == SIZES[name]


@pytest.mark.parametrize(
    ("name", "counted", "total"),
    [
        ("ghp", "num_hands", HANDS),
        ("shp", "num_hands", HANDS),
        ("ghc", "num_hands", HANDS),
        ("shc", "num_hands", HANDS),
        ("esh", "num_hands", HANDS),
        ("gsp", "num_sides", SIDES),
        ("ssp", "num_sides", SIDES),
        ("ssx", "num_pairs", PAIRS),
    ],
)
def test_all_ways_together_are_all_that_can_be_dealt(name: str, counted: str, total: int) -> None:
    """Each hand, each side and each pair of hands is counted once."""
    assert sum(exact(table_of(name)[counted])) == total


def test_generic_side_prints_count_the_specific_ones() -> None:
    """Their orders add up to the number of specific prints, and with their counts to all pairs of hands."""
    table = table_of("gsx")
    orders, pairs = exact(table["num_orders"]), exact(table["num_pairs"])
    assert sum(orders) == SIZES["ssx"]
    assert sum(map(prod, zip(orders, pairs, strict=True))) == PAIRS


@pytest.mark.long
def test_generic_deal_prints_count_every_deal() -> None:
    """Their prints add up to the 37,478,624 specific ones, and with the ways of the suits to all deals."""
    table = table_of("gdx")
    prints = exact(table["num_prints"])
    assert sum(prints) == 37_478_624
    assert sum(count * prod(exact(ways)) for count, ways in zip(prints, table["suit_ways"], strict=True)) == DEALS
    assert (table["lengths"].sum(axis=1) == 13).all()
    assert (table["lengths"].sum(axis=2) == 13).all()


@pytest.mark.long
def test_no_deal_print_is_another_turned() -> None:
    """Suits and hands in another order are never a second record."""
    lengths = table_of("gdx")["lengths"]
    some = lengths[:: len(lengths) // 200]
    known = {row.tobytes() for row in lengths}
    draw = np.random.default_rng(7)
    for one in some:
        turned = one[draw.permutation(4)][:, draw.permutation(4)]
        assert turned.tobytes() == one.tobytes() or turned.tobytes() not in known


def test_known_counts() -> None:
    """The commonest pattern is 4-4-3-2, 21.55% of hands; of a side 8-7-6-5; the most points are 37; C(36, 13) hands have none."""
    patterns = table_of("ghp")
    assert patterns["lengths"][0].tolist() == [4, 4, 3, 2]
    assert round(100 * int(patterns["num_hands"][0]) / HANDS, 2) == 21.55
    sides = table_of("gsp")
    assert sides["lengths"][sides["num_sides"].argmax()].tolist() == [8, 7, 6, 5]
    cards = table_of("shc")
    assert int(cards["num_hands"][cards["points"] == 0].sum()) == comb(36, 13)
    assert int(cards["points"].max()) == 37
