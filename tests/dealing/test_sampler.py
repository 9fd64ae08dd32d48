"""The sampler: layouts satisfy what was asked, are the same for a seed, and end where nothing fits."""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.dealing import sample
from bridgespec.model.evaluate import evaluate, hand_of

NORTH = hand_of("AKQ95.AT3.KJ2.97")


@dataclass(frozen=True)
class Rule:
    """Ranges of lengths and of high-card points."""

    lengths: tuple[tuple[float, float], ...] = ((0, 13),) * 4
    hcp: tuple[float, float] = (0, 37)

    def fits(self, values: list[float]) -> bool:
        return self.hcp[0] <= values[0] <= self.hcp[1]


def test_layouts_are_whole_and_fit() -> None:
    """Each has 52 cards, the known hand, and the other hands within their ranges."""
    rules = {1: Rule(((0, 1), (5, 13), (0, 13), (0, 13)), (10, 15)), 3: Rule(hcp=(0, 5))}
    found = sample({0: NORTH}, rules, 40, seed=3)
    assert len(found.hands) == 40
    for hands in found.hands:
        assert hands[0] == NORTH
        for suit in range(4):
            assert sum(hand[suit] for hand in hands) == 0x1FFF
        assert all(sum(map(int.bit_count, hand)) == 13 for hand in hands)
        assert hands[1][0].bit_count() <= 1
        assert hands[1][1].bit_count() >= 5
        assert 10 <= evaluate(hands[1])[0] <= 15
        assert evaluate(hands[3])[0] <= 5
    assert found.tries_each < 10


def test_a_seed_gives_the_same_layouts() -> None:
    """The same seed gives the same, another one others."""
    one, again, other = (sample({0: NORTH}, {}, 5, seed=seed).hands for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_what_cannot_be_dealt_ends() -> None:
    """Contradictory constraints give no layouts, after a bounded number of tries."""
    found = sample({0: NORTH}, {1: Rule(((9, 13), (0, 13), (0, 13), (0, 13)))}, 10)
    assert found.hands == ()
    strong = sample({0: NORTH}, {1: Rule(hcp=(30, 37))}, 10)
    assert strong.hands == ()
    assert strong.tried <= 4000


def test_lengths_are_as_chance_deals_them() -> None:
    """Without constraints the mean length of a suit is its share of the unseen cards."""
    found = sample({0: NORTH}, {}, 400, seed=9)
    spades = [hands[1][0].bit_count() for hands in found.hands]
    assert abs(sum(spades) / len(spades) - 8 / 3) < 0.25
