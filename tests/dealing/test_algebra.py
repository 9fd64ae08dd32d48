"""Combinations of conditions: one hand and many agree, and boxes contain what they must."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bridgespec.bidding.condition import Compared, HandCondition, Within
from bridgespec.dealing.algebra import ALWAYS, NEVER, Box, Negated, every, negated, some
from bridgespec.dealing.expression import TermValue
from bridgespec.model.cards import Seat
from bridgespec.model.evaluate import TERMS, Evaluated, TermValues, evaluate, holdings_of

HCP, LENGTHS = TERMS["hcp"], [TERMS[f"length.{suit}"] for suit in range(4)]


def hands(count: int = 400) -> tuple[Evaluated, list[TermValues]]:
    """Random hands as arrays, and the terms of each."""
    holders = np.random.default_rng(3).permuted(np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (count, 1)), axis=1)
    many = Evaluated(holdings_of(holders, 0))
    return many, [evaluate((int(s), int(h), int(d), int(c))) for s, h, d, c in many.holdings.T]


def drawn(random: Random, depth: int) -> HandCondition:
    """A random condition on points and lengths."""
    if depth == 0 or random.random() < 0.2:
        if random.random() < 0.2:
            return Compared(random.choice(LENGTHS), random.choice([">=", "<", "="]), random.choice(LENGTHS))
        term, ends = random.choice([(HCP, (0, 37)), *((length, (0, 13)) for length in LENGTHS)])
        low = random.choice([0, random.randint(0, 12)])
        return Within(term, low, random.choice([ends[1], random.randint(low, ends[1])]))
    parts = [drawn(random, depth - 1) for _ in range(random.randint(1, 3))]
    return random.choice([every(parts), some(parts), negated(parts[0])])


def contains(boxes: list[Box[int]], values: TermValues) -> bool:
    """Whether a hand is in one of the boxes."""
    return any(all(low <= values[term] <= high for term, (low, high) in box.items()) for box in boxes)


@pytest.mark.parametrize("seed", range(60))
def test_one_hand_many_hands_and_boxes_agree(seed: int) -> None:
    """Arrays give what single hands give; boxes contain every hand that fits, or that does not; exact boxes contain no other."""
    condition = drawn(Random(seed), 3)
    many, single = hands()
    fitting = [condition.fits(values) for values in single]
    assert condition.holds(many).tolist() == fitting
    for most in (2, 8, 100):
        for holds in (True, False):
            boxes = condition.boxes(holds, most)
            assert len(boxes) <= most
            assert all(contains(boxes, values) for values, fits in zip(single, fitting, strict=True) if fits is holds)
        exact = condition.exact(most)
        assert exact is None or [contains(exact, values) for values in single] == fitting


def test_a_negation_has_the_boxes_of_its_parts() -> None:
    """Neither five spades nor five hearts: one box that bounds both suits."""
    long = [Within(LENGTHS[suit], 5, 13) for suit in (0, 1)]
    assert negated(some(long)).boxes() == [{LENGTHS[0]: (0, 4), LENGTHS[1]: (0, 4)}]
    assert Negated(Negated(long[0])).boxes() == long[0].boxes()


def test_constants_disappear() -> None:
    """Neither constant remains in a combination, and no condition at all is true of everything, or of nothing."""
    one = Within(HCP, 12, 14)
    assert every([ALWAYS, one]) is one is some([NEVER, one])
    assert every([one, NEVER]) is NEVER
    assert some([one, ALWAYS]) is ALWAYS
    assert every([]) is ALWAYS
    assert some([]) is NEVER


def test_a_condition_on_deals_fits_no_single_hand() -> None:
    """It is a TypeError, and no answer."""
    with pytest.raises(TypeError):
        TermValue("hcp", (Seat.NORTH,)).fits([])
