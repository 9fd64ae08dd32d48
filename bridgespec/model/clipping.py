"""Clipped trick tables: some programs write every low number of tricks as one value. Such a habit is not an error of the tables.

`suspected` finds a habit in stored tables, `clipping` in the comparison with solved ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from bridgespec.model.tricks import UNSOLVED, Tricks


class Clipping(Enum):
    """A habit of a program that writes tables: every number of tricks up to ``top`` is written as ``floor``."""

    ONE = (1, 6)
    SIX = (6, 6)
    FOUR = (4, 3)

    @property
    def floor(self) -> int:
        """The value that is written for low numbers of tricks."""
        return self.value[0]

    @property
    def top(self) -> int:
        """The highest number of tricks for which ``floor`` is written."""
        return self.value[1]

    @property
    def words(self) -> str:
        """The habit as a sentence."""
        if self.floor > self.top:
            return f"results 0 to {self.top} are written as {self.floor}"
        return f"every result below {self.top + 1} is written as {self.floor}"

    def clip(self, tricks: int) -> int:
        """Return the value that is written for a number of tricks.

        >>> [Clipping.ONE.clip(n) for n in (0, 6, 7)], [Clipping.FOUR.clip(n) for n in (3, 5)]
        ([1, 1, 7], [4, 5])
        """
        return self.floor if tricks <= self.top else tricks


def suspected(tables: Iterable[Tricks]) -> Clipping | None:
    """Return the habit that stored tables show, without solving their deals; None if they show none.

    In a correct table the tricks of the two sides in a strain add up to about 13. Tables show a habit if all their low cells have
    its value, and at least four of these differ by more than two tricks from 13 minus each opponent's cell.

    >>> suspected([Tricks(bytes([9, 1, 9, 1] * 5))])
    <Clipping.ONE: (1, 6)>
    """
    cells = [table.cells for table in tables]
    values = frozenset().union(*cells)
    for habit in Clipping:
        # FOUR writes 4 for results up to 3, so its own value lies above its range and is included.
        lowest = {value for value in values if value <= max(habit.top, habit.floor)}
        if lowest == {habit.floor} and sum(_strange(table, habit.floor) for table in cells) >= 4:
            return habit
    return None


def _strange(cells: bytes, floor: int) -> int:
    """Return the number of cells equal to ``floor`` that differ by more than two tricks from 13 minus each opponent's cell."""
    count = 0
    for cell, value in enumerate(cells):
        if value == floor:
            row = cell - cell % 4
            # A row is W N E S, so both neighbours of a declarer are opponents.
            others = (cells[row + (cell + 1) % 4], cells[row + (cell + 3) % 4])
            count += all(abs(floor - 13 + other) > 2 for other in others)
    return count


def differing(stored: Tricks, solved: Tricks) -> list[int]:
    """Return the indices of the cells that are known in both tables and differ."""
    pairs = enumerate(zip(stored.cells, solved.cells, strict=True))
    return [cell for cell, (one, other) in pairs if one != other and UNSOLVED not in (one, other)]


def clipping(pairs: Mapping[tuple[int, int], int]) -> Clipping | None:
    """Return the habit by which stored tables were clipped, compared with solved ones; None if there is none. ``pairs`` maps a
    stored and a solved value of a cell (perhaps unknown) to the number of such cells.

    A habit must explain at least one difference, and at least twenty for each low number of tricks that it did not clip.

    >>> clipping({(9, 9): 10, (1, 4): 10})
    <Clipping.ONE: (1, 6)>
    >>> clipping({(9, 9): 10, (1, 4): 8, (4, 4): 2}) is None
    True
    """
    for habit in Clipping:
        low = {pair: count for pair, count in pairs.items() if UNSOLVED not in pair and pair[1] <= habit.top}
        # A cell whose solved value is the floor is the same with the habit and without.
        explained = sum(count for (stored, solved), count in low.items() if stored == habit.floor != solved)
        unclipped = sum(count for (stored, _), count in low.items() if stored != habit.floor)
        if explained and explained >= 20 * unclipped:
            return habit
    return None
