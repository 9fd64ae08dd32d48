"""Victory points: WBF's scale against the tables that it publishes and what others quote of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from bridgespec.scoring.victory import VictoryScale


def test_wbf_scale() -> None:
    """The scale ascends to 20, ascends ever less, is 10 at 0 and symmetric; a margin of 15 sqrt(N) gives all points."""
    for boards in (8, 14, 16, 20, 32):
        points = [VictoryScale().points(Fraction(margin), boards) for margin in range(90)]
        steps = [after - before for before, after in pairwise(points)]
        assert points[0] == 10
        assert points[-1] == 20 == points[-(-15 * int(boards**0.5 * 1000) // 1000)]
        assert steps == sorted(steps, reverse=True)
        assert all(VictoryScale().points(Fraction(-margin), boards) == 20 - value for margin, value in enumerate(points))


@pytest.mark.parametrize(("boards", "blitz"), [(6, 37), (32, 85)])
def test_wbf_scale_ends_where_its_tables_end(boards: int, blitz: int) -> None:
    """The least margins with 20 points that are published for 6 and 32 boards (new.bridgekosice.sk/nova-skala-vp, of 2012)."""
    points = [VictoryScale().points(Fraction(margin), boards) for margin in (blitz - 1, blitz)]
    assert points[0] < 20 == points[1]


@pytest.mark.parametrize(
    ("boards", "points"),
    [
        (8, "10.00 10.44 10.86 11.27 11.67 12.05 12.42 12.77 13.12 13.45 13.78"),
        (16, "10.00 10.31 10.61 10.91 11.20 11.48 11.76 12.03 12.29 12.55 12.80 13.04 13.28 13.52 13.75 13.97"),
    ],
)
def test_wbf_scale_is_the_published_one(boards: int, points: str) -> None:
    """The first rows of WBF's tables for 8 and 16 boards (World Bridge Federation, "WBF Continuous VP Scale", 2013)."""
    expected = [Fraction(one) for one in points.split()]
    assert [VictoryScale().points(Fraction(margin), boards) for margin in range(len(expected))] == expected


@pytest.mark.parametrize(
    ("boards", "margin", "points"),
    [
        # Ron Klinger, "The New WBF IMPs-to-VPs Scale", IBPA Bulletin, May 2013, on matches of 14 boards.
        *[(14, 1, "10.33"), (14, 2, "10.66"), (14, 3, "10.97"), (14, 4, "11.28"), (14, 5, "11.58"), (14, 6, "11.87")],
        *[(14, 7, "12.16"), (14, 10, "12.97"), (14, 20, "15.26")],
        # Bridgeclub Star (Netherlands), "Continue WP-schaal ingevoerd", 2013: the first rows for 20 boards.
        *[(20, 0, "10"), (20, 1, "10.28"), (20, 2, "10.55")],
        # Bridgeclub Kosice (Slovakia), "Nova skala VP", 2013: a table has 37 margins for 6 boards, and 85 for 32.
        *[(6, 37, "20"), (32, 85, "20")],
    ],
)
def test_wbf_scale_gives_what_others_quote_of_it(boards: int, margin: int, points: str) -> None:
    """Single values, which clubs and writers give from the published tables; a margin less than the last one is below 20."""
    scale = VictoryScale()
    assert scale.points(Fraction(margin), boards) == Fraction(points)
    assert scale.points(Fraction(margin - 1), boards) < Fraction(points) or not margin


def test_wbf_scale_of_four_boards() -> None:
    """All margins, as a program for matches of four boards quotes WBF's table ("WBF_VPScales.pdf", 2022)."""
    quoted = (
        *(10.00, 10.61, 11.20, 11.76, 12.29, 12.80, 13.28, 13.74, 14.18, 14.60, 15.00, 15.38, 15.74, 16.09, 16.42, 16.73),
        *(17.03, 17.31, 17.59, 17.84, 18.09, 18.33, 18.55, 18.76, 18.97, 19.16, 19.34, 19.52, 19.69, 19.85, 20.00),
    )
    assert [float(VictoryScale().points(Fraction(margin), 4)) for margin in range(31)] == [*quoted]
