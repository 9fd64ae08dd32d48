"""Counts of a hand that scripts of ``dealer`` name beside those of `bridgespec.model.evaluate`: as tables of 8192 holdings.

Source of `suit_quality` and `hand_worth`: E. Kaplan and J. Rubens, "The Four C's", *The Bridge World*, October 1982, times 100;
held against the program by the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from bridgespec.model.evaluate import ACE, JACK, KING, QUEEN, TEN, controls, losers

Table = tuple[float, ...]
NINE, EIGHT = 1 << 7, 1 << 6


def _of_cards(weights: tuple[int, ...]) -> Table:
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
}
"""By the name of what is counted; ``pt0`` to ``pt9`` are the first ten."""


@cache
def suit_quality() -> Table:
    """The quality of each holding as a suit."""
    return _of(_quality)


@cache
def hand_worth() -> Table:
    """What each holding adds to the count of a hand; the correction for 4333 is not in it."""
    return _of(_worth)


def _quality(holding: int) -> int:
    """Tens of the length for each honour (A 4, K 3, Q 2, J 1); ten and nine count beside honours, in a long suit length does."""
    cards = holding.bit_count()
    honours = (holding >> 9).bit_count()
    factor = 10 * cards
    worth = 4 * bool(holding & ACE) + 3 * bool(holding & KING) + 2 * bool(holding & QUEEN) + bool(holding & JACK)
    total = float(worth * factor)
    if cards > 6:
        return int(total + factor * min(cards - 6, 3, 2 * (not holding & QUEEN) + (not holding & JACK)))
    if holding & TEN:
        total += factor if holding & JACK or honours > 1 else factor / 2
    if holding & NINE and (holding & (TEN | EIGHT) or honours == 2):
        total += factor / 2
    return int(total)


def _worth(holding: int) -> int:
    """Ace 3, king 2, queen 1 (less when short or alone), jack and ten beside honours; shortness; the quality of the suit."""
    cards = holding.bit_count()
    higher = (holding >> 11).bit_count()
    honours = (holding >> 9).bit_count()
    total = 300 * bool(holding & ACE) + (0 if not holding & KING else 200 if cards > 1 else 50)
    if holding & QUEEN and cards > 1:
        total += (100 if cards > 2 else 75) if higher else (75 if cards > 2 else 50)
    if holding & JACK:
        total += {1: 25, 2: 50}.get(honours - 1, 0)
    if holding & TEN and (honours == 2 or (honours == 1 and holding & NINE)):
        total += 25
    shortness = (300, 200, 100)[cards] if cards < 3 else 0
    # A hand gives up 100 for its shape; a quarter of it stands with each suit.
    return total + shortness - 25 + _quality(holding)
