"""A second scorer, written from the definitions: every pair of results of a board is compared, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bridgespec.scoring.result import TableResult

IMP_TABLE = """
20-40 1, 50-80 2, 90-120 3, 130-160 4, 170-210 5, 220-260 6, 270-310 7, 320-360 8, 370-420 9, 430-490 10, 500-590 11, 600-740 12,
750-890 13, 900-1090 14, 1100-1290 15, 1300-1490 16, 1500-1740 17, 1750-1990 18, 2000-2240 19, 2250-2490 20, 2500-2990 21,
3000-3490 22, 3500-3990 23, 4000-99990 24
"""
"""Law 78B as it is printed."""


def imps(difference: int) -> int:
    """The IMPs of a difference, looked up in the printed table."""
    for entry in IMP_TABLE.replace("\n", " ").split(","):
        span, value = entry.split()
        low, high = map(int, span.split("-"))
        if low <= abs(difference) <= high:
            return int(value) if difference > 0 else -int(value)
    return 0


def rows(results: Sequence[TableResult]) -> list[int]:
    """The scores of a board, each as often as it was obtained."""
    return [score for one in results if (score := one.score) is not None for _ in range(one.count)]


def matchpoints(results: Sequence[TableResult], score: int, own: bool = False) -> tuple[int, int]:
    """The match points of a score and the top; with ``own`` also against itself."""
    field = rows(results)
    if not own:
        field.remove(score)
    return sum(2 if score > other else 1 if score == other else 0 for other in field), 2 * len(field)


def cross_imps(results: Sequence[TableResult], score: int) -> Fraction:
    """The mean of the IMPs against all others."""
    field = rows(results)
    field.remove(score)
    return Fraction(sum(imps(score - other) for other in field), len(field))


def butler(results: Sequence[TableResult], score: int, left: int) -> int:
    """The IMPs against the mean, rounded to tens, of the scores without so many at each end."""
    field = sorted(rows(results))[left:]
    field = field[: len(field) - left]
    mean = Fraction(sum(field), len(field))
    datum = min((ten for ten in range(-9000, 9010, 10)), key=lambda ten: (abs(ten - mean), -abs(ten)))
    return imps(score - datum)
