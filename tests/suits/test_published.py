"""Published results of suit combinations, with their sources; and where ours differ, why."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from bridgespec.model.combination import Combination
from bridgespec.model.hand import Holding
from bridgespec.suits import suit_play

LINES = (Path(__file__).parent / "published.tsv").read_text("utf-8").splitlines()
CASES = [line.split("\t") for line in LINES if line and not line.startswith("#")]


def best(north: str, south: str, tricks: int) -> Decimal:
    """The chance in percent, or the best expected number for 0 tricks."""
    combination = Combination(Holding(north), Holding(south))
    goal = suit_play(combination, tricks=tricks or None, expected=not tricks).goal(tricks or None)
    assert goal.is_exact
    value = goal.value * (100 if tricks else 1)
    return Decimal(value.numerator) / Decimal(value.denominator)


@pytest.mark.slice(None, quick=70)
@pytest.mark.parametrize(("north", "south", "tricks", "published", "source"), CASES, ids=lambda text: str(text))
def test_published_results(north: str, south: str, tricks: str, published: str, source: str) -> None:
    """Ours, rounded to the digits of the source."""
    figure = Decimal(published)
    assert best(north, south, int(tricks)).quantize(figure, ROUND_HALF_UP) == figure, source


DIFFERENT = [
    # Truscott's 37.5% counts three equal layouts of eight; by vacant places West has two of three honours a little more often.
    ("AJ9", "432", 2, "37.5", "37.7"),
    # A singleton king among seven cards: the source cuts 0.969 off.
    ("AQJT98", "-", 6, "0.96", "0.97"),
    # The finesse of the nine wins 24% where West must not split jack and ten: best defence splits them.
    ("AKQ9", "2", 4, "24.00", "5.66"),
]


@pytest.mark.parametrize(("north", "south", "tricks", "published", "ours"), DIFFERENT)
def test_differences_are_known(north: str, south: str, tricks: int, published: str, ours: str) -> None:
    """Each with its reason above."""
    assert published != ours
    assert best(north, south, tricks).quantize(Decimal(ours), ROUND_HALF_UP) == Decimal(ours)
