"""Deals counted and drawn in boxes, against every deal of ten cards that are left: counts are exact, draws even."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, product
from math import comb
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from bridgespec.dealing.bounds import DealBox, QuantityKey, Range, boxes
from bridgespec.dealing.boxes import BoxSampler, inside
from bridgespec.dealing.deal_condition import read_condition
from bridgespec.dealing.deal_stream import DealStream
from bridgespec.dealing.expression import DealCondition, Deals
from bridgespec.dealing.script import read_script
from bridgespec.model.cards import Seat

LEFT = (0, 2, 7, 9, 14, 16, 22, 26, 36, 41)
"""The slots that are not known: SA SQ S7 S5, HK HJ H5, DA D4, CQ."""
ROOMS = (3, 3, 2, 2)
"""So many of them go to West, North, East and South."""
BOXES = 20


@cache
def known() -> dict[int, int]:
    """The other 42 cards, dealt so that each hand has some of every kind."""
    rest = [slot for slot in range(52) if slot not in LEFT]
    Random(5).shuffle(rest)
    seats = [seat for seat, room in enumerate(ROOMS) for _ in range(13 - room)]
    return dict(zip(rest, seats, strict=True))


@cache
def every() -> NDArray[np.uint8]:
    """All 25,200 deals, (N, 52)."""

    def dealt(cards: tuple[int, ...], seat: int) -> list[dict[int, int]]:
        if seat == 3:
            return [dict.fromkeys(cards, 3)]
        return [
            {**dict.fromkeys(mine, seat), **rest}
            for mine in combinations(cards, ROOMS[seat])
            for rest in dealt(tuple(card for card in cards if card not in mine), seat + 1)
        ]

    found = dealt(LEFT, 0)
    holders = np.zeros((len(found), 52), np.uint8)
    for slot, seat in known().items():
        holders[:, slot] = seat
    for slot in LEFT:
        holders[:, slot] = [deal[slot] for deal in found]
    return holders


@cache
def measured(name: str, seats: tuple[int, ...]) -> NDArray[np.int64]:
    """The points or the length of hands in every deal, counted card by card."""
    total = np.zeros(len(every()), np.int64)
    for slot, seat in product(range(52), seats):
        worth = max(0, 4 - slot % 13) if name == "hcp" else slot // 13 == int(name[-1])
        total += worth * (every()[:, slot] == seat)
    return total


def held(box: DealBox) -> NDArray[np.bool_]:
    """Which of all deals are in a box."""
    good = np.ones(len(every()), np.bool_)
    for slot, seat in box.cards.items():
        good &= every()[:, slot] == seat
    for (name, seats), (low, high) in box.ranges.items():
        good &= (measured(name, seats) >= low) & (measured(name, seats) <= high)
    return good


def drawn_box(seed: int) -> DealBox:
    """A box about one hand or two, such that some deal is in it, near its edges as often as not."""
    random = Random(seed)
    pair = tuple(sorted(random.sample(range(4), 2)))
    keys: list[QuantityKey] = [(name, seats) for name in NAMES for seats in ((pair[0],), (pair[1],), pair)]
    deal = random.randrange(len(every()))
    ranges: dict[QuantityKey, Range] = {}
    for name, seats in random.sample(keys, random.randint(1, 5)):
        here = int(measured(name, seats)[deal])
        ranges[name, seats] = (max(0, here - random.randint(0, 2)), here + random.randint(0, 2))
    cards = {slot: int(every()[deal, slot]) for slot in random.sample(LEFT, random.choice((0, 0, 1, 2)))}
    return DealBox(ranges, cards)


NAMES = ("hcp", "length.0", "length.1", "length.2", "length.3")


@pytest.mark.slice(None, quick=5)
@pytest.mark.parametrize("seed", range(BOXES))
def test_a_box_counts_exactly_the_deals_that_are_in_it(seed: int) -> None:
    """Points and lengths of one hand, of two, and of both together, with single cards."""
    box = drawn_box(seed)
    wanted = held(box)
    assert BoxSampler(box, known()).weight == pytest.approx(wanted.sum(), rel=1e-9)
    assert (inside(box, every()) == wanted).all()


@pytest.mark.parametrize("seed", range(0, BOXES, 3))
def test_deals_of_a_box_are_drawn_evenly(seed: int) -> None:
    """Each deal is in the box, the known cards are where they were, and every deal of the box comes about equally often."""
    box = drawn_box(seed)
    wanted = every()[held(box)]
    places = {deal.tobytes(): place for place, deal in enumerate(wanted)}
    count = 8 * len(places) if len(places) < 1000 else 4000
    drawn = BoxSampler(box, known()).draw(count, np.random.default_rng(seed))
    counts = np.bincount([places[deal.tobytes()] for deal in drawn], minlength=len(places))
    spread = float(((counts - count / len(places)) ** 2 / (count / len(places))).sum())
    freedom = len(places) - 1
    assert abs(spread - freedom) <= 6 * (2 * max(1, freedom)) ** 0.5


@pytest.mark.parametrize(
    ("cards", "possible"), [({0: 3}, True), ({0: 3, 2: 3}, True), ({0: 3, 2: 3, 7: 3}, False), ({1: 9}, False)]
)
def test_a_card_that_has_no_room_leaves_no_deal(cards: dict[int, int], possible: bool) -> None:
    """A hand that is full, and a card that is elsewhere, give a box of no deals."""
    made = BoxSampler(DealBox(cards=cards), known())
    assert (made.possible, made.weight > 0) == (possible, possible)


def test_lengths_of_the_other_hands_bound_a_suit() -> None:
    """What is asked of hands that are not counted one by one leaves out what cannot be for their sum."""
    pair: dict[QuantityKey, Range] = {("hcp", (0,)): (8, 9), ("hcp", (1,)): (18, 19)}
    others = measured("length.0", (2, 3))
    for low, high in ((0, 3), (3, 3), (3, 4), (4, 4)):
        bounds: dict[QuantityKey, Range] = {("length.0", (2,)): (low, high), ("length.0", (3,)): (low, high)}
        made = BoxSampler(DealBox({**pair, **bounds}), known())
        assert made.pair == (0, 1)
        assert made.weight == pytest.approx((held(DealBox(pair)) & (others >= 2 * low) & (others <= 2 * high)).sum())


CONDITIONS = (
    "west: hcp < 12.5 and hcp > 7.5",
    "west: hcp <= 9.5; south: hcp >= 6.5",
    "ns: hcp > 20 and hcp < 25",
    "ew: hearts 5-6 or spades under 4",
    "west: not (hcp under 9 or hcp over 12)",
    "east: not (hcp 8+ and spades 3+)",
    "west: longest 5+",
    "east: longest = 5 and shortest >= 2",
    "south: shortest under 3",
    "south: longest <= 4",
    "west: any 5xx1 or any 4432",
    "north: 4x3x or 5xxx; south: xx4x",
    "east: balanced; west: semibalanced",
    "n+e: SA",
    "west: SA and not HK",
    "n: SAQ; s: HK",
    "west: not hcp 9 and hcp spades 2+",
    "ns: controls 6+",
    "n+e+w: hcp 34+",
)


@pytest.mark.parametrize("text", CONDITIONS)
def test_no_deal_of_a_condition_is_outside_its_boxes(text: str) -> None:
    """Of all deals that are left: those that satisfy the condition, or that do not, are in a box of it, or of its denial."""
    condition = read_condition(text)
    wanted = condition.holds(Deals(every()))
    assert 0 < wanted.sum() < len(wanted)
    for holds, deals in ((True, wanted), (False, ~wanted)):
        covered = np.zeros(len(deals), np.bool_)
        for box in boxes(condition, holds):
            covered |= held(box)
        assert (covered | ~deals).all()


EXACT = (*CONDITIONS[:10], CONDITIONS[11])


@pytest.mark.parametrize("text", EXACT)
def test_boxes_are_no_larger_than_the_condition(text: str) -> None:
    """What is said of lengths, points and cards is in the boxes: nothing of it is left to trying."""
    condition = read_condition(text)
    wanted = condition.holds(Deals(every()))
    covered = np.zeros(len(wanted), np.bool_)
    for box in boxes(condition):
        covered |= held(box)
    assert (covered == wanted).all()


@pytest.mark.parametrize(("text", "most"), [*((text, 16) for text in CONDITIONS[::2]), (CONDITIONS[3], 1), (CONDITIONS[6], 3)])
def test_a_stream_draws_every_deal_of_a_condition_evenly(text: str, most: int) -> None:
    """However many boxes it has: each deal that satisfies it comes about as often as any other, and no other comes."""
    condition = read_condition(text)
    wanted = every()[condition.holds(Deals(every()))]
    places = {deal.tobytes(): place for place, deal in enumerate(wanted)}
    found = DealStream(condition, known(), seed=3, most=most).take(3000)
    assert len(found) == 3000
    counts = np.bincount([places[deal.tobytes()] for deal in found], minlength=len(places))
    spread = float(((counts - 3000 / len(places)) ** 2 / (3000 / len(places))).sum())
    freedom = len(places) - 1
    assert abs(spread - freedom) <= 6 * (2 * max(1, freedom)) ** 0.5


def test_the_share_of_a_stream_is_that_of_its_deals() -> None:
    """Among all deals with the known cards."""
    for text in ("north: hcp 15; south: hearts 3", "n: SAQ"):
        share = float(read_condition(text).holds(Deals(every())).mean())
        assert 0 < share < 0.25  # counted among all of them
        assert DealStream(read_condition(text), known()).share == pytest.approx(share)


def test_a_seat_may_be_named_in_any_way() -> None:
    """By a letter, a word, or in capitals; a side is both of its hands together."""
    deals = Deals(every())
    for first, second in (("n: hcp 18", "NORTH: hcp 18"), ("ns: hcp 24", "north-south: hcp 24"), ("n+s: hcp 24", "ns: hcp 24")):
        assert (read_condition(first).holds(deals) == read_condition(second).holds(deals)).all()
    north, both = (read_condition(text).holds(deals) for text in ("n: hcp 18", "ns: hcp 18"))
    assert (north != both).any()
    assert (measured("hcp", (int(Seat.NORTH),)) == 18).tolist() == north.tolist()


def script_condition(text: str) -> DealCondition:
    """Return the condition of a script for a dealing program."""
    return read_script(text).condition


@pytest.mark.parametrize(
    ("read", "text", "lengths"),
    [
        (read_condition, "north: spades under 2", (0, 1)),
        (read_condition, "north: spades < 1.5", (0, 1)),
        (read_condition, "north: not spades 1+", (0,)),
        (script_condition, "condition 1 >= spades(north)", (0, 1)),
        (script_condition, "condition 0 == spades(north)", (0,)),
        (script_condition, "condition 10 < spades(north)", (11, 12, 13)),
        (script_condition, "condition !(2 <= spades(north))", (0, 1)),
        (script_condition, "condition 11 > 2 && spades(north) != 3 && spades(north) >= 12", (12, 13)),
    ],
    ids=[f"condition{at}-lengths{at}" for at in range(8)],
)
def test_counts_begin_at_nothing(read: Callable[[str], DealCondition], text: str, lengths: tuple[int, ...]) -> None:
    """A void is a length like others, whichever side of a comparison the number is on."""
    share = sum(comb(13, length) * comb(39, 13 - length) for length in lengths) / comb(52, 13)
    stream = DealStream(read(text), seed=2)
    assert stream.share == pytest.approx(share, rel=1e-12)
    found = (stream.take(300)[:, :13] == Seat.NORTH).sum(axis=1)
    assert set(found.tolist()) <= set(lengths)
