"""Further evaluations of a hand for scripts of ``dealer``, as tables of 8192 holdings.

`suit_quality` and `hand_worth` are Kaplan and Rubens's counts, compared with the program's by the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from bridgespec.model.evaluate import controls, losers, new_losers
from bridgespec.model.four_cs import four_c_quality, four_c_worth

Table = tuple[float, ...]


def _of_cards(weights: tuple[int, ...]) -> Table:
    # Bit 12 of a holding is the ace; 8,192 holdings are so few that every term of a suit is a table.
    return tuple(float(sum(w for place, w in enumerate(weights) if h >> (12 - place) & 1)) for h in range(8192))


def _of(term: Callable[[int], float]) -> Table:
    return tuple(float(term(holding)) for holding in range(8192))


ALTERNATIVES: dict[str, Table] = {
    "ten": _of_cards((0, 0, 0, 0, 1)),
    "jack": _of_cards((0, 0, 0, 1)),
    "queen": _of_cards((0, 0, 1)),
    "king": _of_cards((0, 1)),
    "ace": _of_cards((1,)),
    "top2": _of_cards((1, 1)),
    "top3": _of_cards((1, 1, 1)),
    "top4": _of_cards((1, 1, 1, 1)),
    "top5": _of_cards((1, 1, 1, 1, 1)),
    "c13": _of_cards((6, 4, 2, 1)),
    "losers": _of(losers),
    "controls": _of(controls),
    "ltc": _of(lambda holding: 100 * new_losers(holding)),
}
"""Tables by name; ``pt0`` to ``pt9`` are the first ten."""


@cache
def suit_quality() -> Table:
    """Return the table of the four C's suit quality."""
    return _of(four_c_quality)


@cache
def hand_worth() -> Table:
    """Return the table of a holding's share of the four C's; the correction for 4333 is not included."""
    return _of(four_c_worth)


def points_table(points: tuple[float, ...]) -> tuple[float, ...]:
    """Return a table of holdings by points for their cards, ace first."""
    return tuple(sum(points[rank] for rank in range(13) if holding >> (12 - rank) & 1) for holding in range(8192))
