"""Deals and their numbers: exact, both ways, in every order of cards and seats."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgespec.model import numbering
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.numbering import DEALS, HANDS, NESW, RANKED, SUITED, WNES

ORDERS = [(order, seats) for order in (SUITED, RANKED, tuple(reversed(SUITED))) for seats in (WNES, NESW)]


def test_the_count_of_deals_is_the_known_one():
    """The number of bridge deals is 52!/13!^4, about 5.36e28."""
    assert DEALS == 53_644_737_765_488_792_839_237_440_000 == 0xAD55E315_634DDA65_8BF49200


@pytest.mark.parametrize(("order", "seats"), ORDERS)
@given(number=st.integers(0, DEALS - 1))
def test_a_number_comes_back_from_its_deal(order, seats, number):
    """Numbering a deal that was made from a number gives that number, in each order of cards and seats."""
    holders = numbering.holders_of(number, order, seats)
    assert Deal(holders).is_complete
    assert numbering.number_of(holders, order, seats) == number


@pytest.mark.parametrize(("order", "seats"), ORDERS)
def test_arrays_agree_with_single_deals(order, seats):
    """Deals of an array of numbers, and their numbers, equal those computed one by one."""
    numbers = [int.from_bytes(np.random.default_rng(i).bytes(12), "little") % DEALS for i in range(500)]
    words = numbering.words_of(numbers)
    deals = numbering.deals_of(words, order, seats)
    assert [bytes(row) for row in deals] == [numbering.holders_of(n, order, seats) for n in numbers]
    assert numbering.integers_of(numbering.numbers_of(deals, order, seats)) == numbers


@pytest.mark.parametrize(("order", "seats"), ORDERS)
def test_arrays_are_exact_at_every_boundary_of_the_first_cards(order, seats):
    """Where a card's choice changes, the two parts of a number decide together: the edge and one number to each side."""
    edges = {0, 1, DEALS - 1}
    left, counts, before = DEALS, [13] * 4, 0
    for place in range(30):
        shares = [left * count // (52 - place) for count in counts]
        for turn in (1, 2, 3):
            edge = before + sum(shares[:turn])
            edges |= {edge - 1, edge, min(edge + 1, DEALS - 1)}
        turn = max(range(4), key=counts.__getitem__)
        before, left = before + sum(shares[:turn]), shares[turn]
        counts[turn] -= 1
    numbers = sorted(edges)
    deals = numbering.deals_of(numbering.words_of(numbers), order, seats)
    assert [bytes(row) for row in deals] == [numbering.holders_of(n, order, seats) for n in numbers]
    assert numbering.integers_of(numbering.numbers_of(deals, order, seats)) == numbers


def test_numbers_keep_the_order_of_the_first_card():
    """The first quarter of the numbers gives the first card to the first seat, the next to the second, and so on."""
    quarter = DEALS // 4
    for order, seats in ORDERS:
        for turn, seat in enumerate(seats):
            for number in (turn * quarter, (turn + 1) * quarter - 1):
                assert numbering.holders_of(number, order, seats)[order[0]] == seat


def test_the_order_by_ranks_takes_the_four_aces_first():
    """In the order by ranks, deal 0 gives North the highest thirteen cards."""
    deal = Deal(numbering.holders_of(0, RANKED, NESW))
    assert str(deal.north) == "AKQJ.AKQ.AKQ.AKQ"


def test_the_last_card_is_decided_by_the_others():
    """Swapping two of the last cards moves the number by less than the number of ways to deal what is left."""
    deal = Deal.from_number(DEALS // 3)
    number = deal.number
    for a, b in combinations(range(44, 52), 2):
        holders = bytearray(deal.holders)
        holders[a], holders[b] = holders[b], holders[a]
        assert abs(Deal(bytes(holders)).number - number) < 4**8


def test_impossible_input_is_refused_with_its_place():
    """A number that no deal has, or holders that are no deal, raise an error that names the element."""
    with pytest.raises(ValueError, match="not below"):
        numbering.deals_of(numbering.words_of([5, DEALS]))
    with pytest.raises(ValueError, match=f"number 1 .*{2**96 - 1}"):
        numbering.deals_of(numbering.words_of([DEALS - 1, 2**96 - 1]))
    with pytest.raises(ValueError, match="0 to"):
        numbering.holders_of(-1)
    with pytest.raises(ValueError, match="96 bits"):
        numbering.words_of([2**96])
    deals = numbering.deals_of(numbering.words_of([7, 8, 9]))
    deals[1, 3] = 4
    with pytest.raises(ValueError, match="deal 1 is not complete"):
        numbering.numbers_of(deals)
    with pytest.raises(ValueError, match="complete deal"):
        numbering.number_of(bytes([4]) * 52)
    with pytest.raises(ValueError, match="names each"):
        numbering.holders_of(0, seats=(Seat.WEST,) * 4)


def test_no_deals_are_no_trouble():
    """Empty arrays of numbers and deals give empty arrays of the right shape."""
    assert numbering.deals_of(numbering.words_of([])).shape == (0, 52)
    assert numbering.numbers_of(np.empty((0, 52), np.uint8)).shape == (0, 3)


@pytest.mark.parametrize("order", [SUITED, RANKED])
@given(number=st.integers(0, HANDS - 1))
def test_a_hand_comes_back_from_its_number(order, number):
    """Every number below the number of hands is that of one hand of thirteen cards."""
    hand = numbering.hand_of(number, order)
    assert len(set(hand)) == 13
    assert numbering.number_of_hand(hand, order) == number


def test_hands_are_numbered_in_lexical_order():
    """The number of a hand is its place among all combinations of cards in their order."""
    for number, hand in zip(range(500), combinations(SUITED, 13), strict=False):
        assert numbering.hand_of(number) == list(hand)
    assert numbering.number_of_hand(range(39, 52)) == HANDS - 1 == 635_013_559_599
    with pytest.raises(ValueError, match="0 to 635013559599, not 635013559600"):
        numbering.hand_of(HANDS)
    with pytest.raises(ValueError, match="thirteen cards"):
        numbering.number_of_hand(range(12))
