"""Victory points: convert the IMPs of a match to points, 0 to 20 by WBF's continuous scale, or others by a table of the user.

WBF's scale (World Bridge Federation, "The New WBF IMP to VP Scales", report of its scoring panel, 2012): with B = 15 sqrt(N) for
N boards and R = (sqrt(5) - 1) / 2, a margin of I IMPs gives 10 + 10 (1 - R^(3 I / B)) / (1 - R^3), at most 20, rounded to two
places. The report then corrects single entries by a hundredth, so that no IMP is worth more than the one before; so does `_wbf`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

from bridgespec.model.number_texts import decimal, integer

_RATIO = (math.sqrt(5) - 1) / 2
MOST = 20


@cache
def _wbf(boards: int) -> tuple[Fraction, ...]:
    """Return the winner's points for each margin in IMPs, from 0 to the first with 20 points, in a match of ``boards`` boards."""
    blitz = 15 * math.sqrt(boards)
    exact = [10 + 10 * (1 - _RATIO ** (3 * margin / blitz)) / (1 - _RATIO**3) for margin in range(math.ceil(blitz))]
    hundredths = [*(round(100 * points) for points in exact), 100 * MOST]
    # The exact curve is concave. Rounding may disorder the steps by a hundredth, which sorting them corrects.
    steps = sorted((after - before for before, after in pairwise(hundredths)), reverse=True)
    found = [hundredths[0]]
    for step in steps:
        found.append(found[-1] + step)
    return tuple(Fraction(points, 100) for points in found)


@dataclass(frozen=True, slots=True)
class VictoryScale:
    """A scale that converts a margin to victory points: WBF's, or a table of ``steps``, the least margin for the winner's points,
    in ascending order.

    >>> scale = VictoryScale()
    >>> [str(scale.points(Fraction(margin), 16)) for margin in (0, 1, -1, 60)]
    ['10', '1031/100', '969/100', '20']
    >>> table = VictoryScale.of_rows([("0", "10"), ("3", "11"), ("7", "12")])
    >>> [int(table.points(Fraction(margin), 8)) for margin in (2, -3, 9)]
    [10, 9, 12]
    """

    steps: tuple[tuple[int, Fraction], ...] = ()

    def points(self, margin: Fraction, boards: int) -> Fraction:
        """Return the points of a contestant that has won by ``margin`` IMPs (negative: lost) in a match of ``boards`` boards.

        A margin with a fraction (cross-IMPs, awards) is rounded to whole IMPs, halves away from 0.
        """
        size = int(abs(margin) + Fraction(1, 2))
        if self.steps:
            won = self.steps[max(0, bisect_right(self.steps, size, key=lambda step: step[0]) - 1)][1]
        else:
            table = _wbf(max(1, boards))
            won = table[min(size, len(table) - 1)]
        # The points of both sides of a match add up to those of two draws.
        return won if margin >= 0 else 2 * self._draw - won

    @property
    def _draw(self) -> Fraction:
        """The points of each side for a margin of 0."""
        return self.steps[0][1] if self.steps else Fraction(10)

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[str]]) -> VictoryScale:
        """Return the scale of a table whose rows are a least margin in IMPs and the winner's points. Raises ValueError for a table
        that does not begin with margin 0, or does not ascend.

        >>> VictoryScale.of_rows([("0", "15"), ("1", "14")])
        Traceback (most recent call last):
        ValueError: a table of victory points begins with margin 0, and margins and points ascend
        """
        steps = tuple((integer(row[0]), decimal(row[1])) for row in rows)
        descend = any(one[0] >= two[0] or one[1] > two[1] for one, two in pairwise(steps))
        if not steps or steps[0][0] != 0 or descend:
            raise ValueError("a table of victory points begins with margin 0, and margins and points ascend")
        return cls(steps)

    def described(self) -> str:
        """Return a description of the scale for notes."""
        scale = "a given table" if self.steps else "WBF's continuous scale"
        return f"{scale}, of margins in whole IMPs (halves away from 0)"
