"""Deals and endings to solve: random, skewed, and the hardest known."""

from __future__ import annotations

import random

from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import OUT, Deal
from bridgespec.solver import Position


def random_deal(rng: random.Random) -> Deal:
    """Any deal, each as likely as another."""
    holders = [seat for seat in range(4) for _ in range(13)]
    rng.shuffle(holders)
    return Deal(bytes(holders))


def skewed_deal(rng: random.Random) -> Deal:
    """A deal with voids and long suits: each seat prefers two suits of its own, now and then one almost entirely."""
    hands: list[list[int]] = [[], [], [], []]
    favourites = [rng.sample(range(4), 4) for _ in range(4)]
    strength = rng.choice([2, 4, 8, 20])
    slots = list(range(52))
    rng.shuffle(slots)
    for slot in slots:
        open_seats = [seat for seat in range(4) if len(hands[seat]) < 13]
        weights = [strength ** (3 - favourites[seat].index(slot // 13)) for seat in open_seats]
        hands[rng.choices(open_seats, weights)[0]].append(slot)
    return Deal.of_hands({Seat(seat): [Card(slot) for slot in hand] for seat, hand in enumerate(hands)})


def random_ending(rng: random.Random, size: int) -> Position:
    """``size`` cards in each hand, any strain and leader, and up to three cards of a trick played by the rules.

    The cards come from a narrow band of ranks half of the time, so that equal cards and ruffs are frequent.
    """
    slots = list(range(52))
    if rng.random() < 0.5:
        band = rng.randrange(0, 13 - size + 1)
        slots = [slot for slot in slots if band <= slot % 13 < band + size + 2] or slots
    if len(slots) < 4 * size:
        slots = list(range(52))
    chosen = rng.sample(slots, 4 * size)
    holders = bytearray([OUT]) * 52
    for index, slot in enumerate(chosen):
        holders[slot] = index % 4
    position = Position(Deal(bytes(holders)), rng.choice(list(Strain)), rng.choice(list(Seat)))
    for _ in range(rng.randrange(4)):
        position = position.after(rng.choice(position.playable))
    return position


def ending_of(rng: random.Random, deal: Deal, played: int) -> Position:
    """The position after so many random legal cards of a deal."""
    position = Position(deal, rng.choice(list(Strain)), rng.choice(list(Seat)))
    for _ in range(played):
        position = position.after(rng.choice(position.playable))
    return position


HARD = [
    "N:AJ962.KT74..Q853 Q853.AJ962.KT74. .Q853.AJ962.KT74 KT74..Q853.AJ962",
    "N:AQT8642.KJ9753.. .AQT8642.KJ9753. ..AQT8642.KJ9753 KJ9753...AQT8642",
]
"""Four voids, and eight voids, that go round the table: among the hardest deals known."""
