"""How long random suit combinations take: all goals and the expected number, by the number of hidden cards.

``suits.py [COUNT] [HIDDEN...]`` deals so many combinations of all thirteen cards for each number of hidden cards (100; 5, 6 and 7)
and prints processor seconds: mean, median, the 95th of a hundred and the longest, with the combination; and how many were left
with a bound.
"""

from __future__ import annotations

import random
import sys
import time

from bridgespec.model.cards import RANKS
from bridgespec.suits import suit_play


def combination(rng: random.Random, hidden: int) -> tuple[str, str]:
    """The other cards, each with either hand."""
    hands = ["", ""]
    for rank in sorted(rng.sample(RANKS, 13 - hidden), key=RANKS.index):
        hands[rng.randrange(2)] += rank
    return hands[0] or "-", hands[1] or "-"


def main(count: int = 100, *hidden: int) -> None:
    """Time and print."""
    rng = random.Random(1)
    for cards in hidden or (5, 6, 7):
        times, bounds = [], 0
        for _ in range(count):
            north, south = combination(rng, cards)
            start = time.process_time()
            answer = suit_play(north, south)
            times.append((time.process_time() - start, north, south))
            bounds += not all(goal.is_exact for goal in answer.goals)
        times.sort()
        seconds = [one[0] for one in times]
        mean, median, late = sum(seconds) / count, seconds[count // 2], seconds[count * 95 // 100]
        longest = f"{seconds[-1]:.3f} ({times[-1][1]} opposite {times[-1][2]})"
        print(f"{cards} hidden: mean {mean:.3f}, median {median:.3f}, 95% within {late:.3f}, longest {longest}, bounds {bounds}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
