"""Evaluations of a hand that only scripts of ``dealer`` have, as tables that have a number for each of the 8,192 holdings of a
suit.

`suit_quality` and `hand_worth` are the four C's of Kaplan and Rubens; tests compare them with the numbers of ``dealer``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from bridgespec.model.evaluate import controls, losers, new_losers
from bridgespec.model.four_cs import four_c_quality, four_c_worth

WeightTable = tuple[float, ...]


def _card_table(weights: tuple[int, ...]) -> WeightTable:
    """Return the table of the sum of the weights of a holding's cards; ``weights`` begins with the ace."""
    # Bit 12 of a holding is the ace.
    return tuple(float(sum(w for rank, w in enumerate(weights) if h >> (12 - rank) & 1)) for h in range(8192))


def _table_of(term: Callable[[int], float]) -> WeightTable:
    """Return the table of a function of a holding."""
    return tuple(float(term(holding)) for holding in range(8192))


ALTERNATIVES: dict[str, WeightTable] = {
    "ten": _card_table((0, 0, 0, 0, 1)),
    "jack": _card_table((0, 0, 0, 1)),
    "queen": _card_table((0, 0, 1)),
    "king": _card_table((0, 1)),
    "ace": _card_table((1,)),
    "top2": _card_table((1, 1)),
    "top3": _card_table((1, 1, 1)),
    "top4": _card_table((1, 1, 1, 1)),
    "top5": _card_table((1, 1, 1, 1, 1)),
    "c13": _card_table((6, 4, 2, 1)),
    "losers": _table_of(losers),
    "controls": _table_of(controls),
    "ltc": _table_of(lambda holding: 100 * new_losers(holding)),
}
"""The tables by the word of the language. ``pt0`` to ``pt9`` are other words for the first ten, in this order."""


@cache
def suit_quality() -> WeightTable:
    """Return the table of the four C's suit quality."""
    return _table_of(four_c_quality)


@cache
def hand_worth() -> WeightTable:
    """Return the table of what a holding adds to the four C's of a hand; the correction for 4333 is not included."""
    return _table_of(four_c_worth)


def points_table(points: tuple[float, ...]) -> tuple[float, ...]:
    """Return the table of the sum of the points of a holding's cards; ``points`` has 13 numbers, ace first."""
    return tuple(sum(points[rank] for rank in range(13) if holding >> (12 - rank) & 1) for holding in range(8192))
