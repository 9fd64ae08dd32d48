"""The deals that solvers are compared on; every set is the same in every run."""

from __future__ import annotations

import random
import re
from pathlib import Path

from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import Deal
from bridgespec.model.numbering import DEALS

PUBLISHED = Path(__file__).parent.parent.parent / "native" / "tests" / "data" / "list100.txt"

HARD = (
    "N:AJ962.KT74..Q853 Q853.AJ962.KT74. .Q853.AJ962.KT74 KT74..Q853.AJ962",
    "N:AQT8642.KJ9753.. .AQT8642.KJ9753. ..AQT8642.KJ9753 KJ9753...AQT8642",
)


def published() -> list[str]:
    """The hundred deals that DDS publishes, which come from real play."""
    return re.findall(r'^PBN .*"(.*?)"', PUBLISHED.read_text(), re.MULTILINE)


def at_random(count: int = 200, seed: int = 1) -> list[str]:
    """Deals each as likely as another."""
    rng = random.Random(seed)
    return [str(Deal.from_number(rng.randrange(DEALS))) for _ in range(count)]


def skewed(count: int = 50, seed: int = 2) -> list[str]:
    """Deals with voids, 7-6 and 8-5 hands and two-suiters: every seat prefers some suits, more or less strongly."""
    rng = random.Random(seed)
    return [_skewed(rng) for _ in range(count)]


def _skewed(rng: random.Random) -> str:
    hands: dict[Seat, list[Card]] = {seat: [] for seat in Seat}
    preference = {seat: rng.sample(range(4), 4) for seat in Seat}
    strength = rng.choice([2, 4, 8])
    slots = list(range(52))
    rng.shuffle(slots)
    for slot in slots:
        seats = [seat for seat in Seat if len(hands[seat]) < 13]
        weights = [strength ** (3 - preference[seat].index(slot // 13)) for seat in seats]
        hands[rng.choices(seats, weights)[0]].append(Card(slot))
    return str(Deal.of_hands(hands))


SETS = {"list100": published, "random": at_random, "skewed": skewed, "hard": lambda: list(HARD)}
"""The sets by name."""
