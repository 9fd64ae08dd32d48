"""Clipped tables: some programs write every low result as one value, which is a habit and not an error."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from bridgespec.model.tricks import UNSOLVED, Tricks


class Clipping(Enum):
    """A habit: every result up to ``top`` is written as ``floor``."""

    ONE = (1, 6)
    SIX = (6, 6)
    FOUR = (4, 3)

    @property
    def floor(self) -> int:
        """What is written."""
        return self.value[0]

    @property
    def top(self) -> int:
        """The highest result that it is written for."""
        return self.value[1]

    @property
    def words(self) -> str:
        """The habit as a sentence."""
        return f"every result below {self.top + 1} is written as {self.floor}"

    def clip(self, tricks: int) -> int:
        """What the habit makes of a result.

        >>> [Clipping.ONE.clip(n) for n in (0, 6, 7)], [Clipping.FOUR.clip(n) for n in (3, 5)]
        ([1, 1, 7], [4, 5])
        """
        return self.floor if tricks <= self.top else tricks


def differing(stored: Tricks, solved: Tricks) -> list[int]:
    """The cells that both tables know and that differ."""
    pairs = enumerate(zip(stored.cells, solved.cells, strict=True))
    return [cell for cell, (had, is_) in pairs if had != is_ and UNSOLVED not in (had, is_)]


def clipping(tables: Iterable[tuple[Tricks, Tricks]]) -> Clipping | None:
    """The habit by which the stored tables of pairs (stored, solved) were clipped; None where there is none.

    It must account for differences, at least twenty for every low result that escaped it; cells may be wrong all the same.

    >>> solved = Tricks(bytes([9, 4, 9, 4] * 5))
    >>> clipping([(Tricks(bytes([9, 1, 9, 1] * 5)), solved)])
    <Clipping.ONE: (1, 6)>
    >>> clipping([(Tricks(bytes([9, 1, 9, 1] * 4 + [9, 4, 9, 4])), solved)]) is None
    True
    """
    cells = [
        (had, is_)
        for stored, solved in tables
        for had, is_ in zip(stored.cells, solved.cells, strict=True)
        if UNSOLVED not in (had, is_)
    ]
    for habit in Clipping:
        low = [(had, is_) for had, is_ in cells if is_ <= habit.top]
        explained = sum(had == habit.floor != is_ for had, is_ in low)
        escaped = sum(had != habit.floor for had, _ in low)
        if explained and explained >= 20 * escaped:
            return habit
    return None
