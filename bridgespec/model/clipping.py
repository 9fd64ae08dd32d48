"""Clipped tables: some programs write every low result as one value, which is a habit and not an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from bridgespec.model.tricks import UNSOLVED, Tricks


class Clipping(Enum):
    """A habit: every result up to ``top`` is written as ``floor``."""

    ONE = (1, 6)
    SIX = (6, 6)
    FOUR = (4, 3)

    @property
    def floor(self) -> int:
        """The value that is written."""
        return self.value[0]

    @property
    def top(self) -> int:
        """The highest result for which it is written."""
        return self.value[1]

    @property
    def words(self) -> str:
        """The habit as a sentence."""
        if self.floor > self.top:
            return f"results 0 to {self.top} are written as {self.floor}"
        return f"every result below {self.top + 1} is written as {self.floor}"

    def clip(self, tricks: int) -> int:
        """Return the value that is written for a result.

        >>> [Clipping.ONE.clip(n) for n in (0, 6, 7)], [Clipping.FOUR.clip(n) for n in (3, 5)]
        ([1, 1, 7], [4, 5])
        """
        return self.floor if tricks <= self.top else tricks


def suspected(tables: Iterable[Tricks]) -> Clipping | None:
    """Return the habit that stored tables show without solving them; None without evidence for one.

    In a real table the results of the two sides in a strain add up to 13, or nearly; tables are taken for clipped when all their
    low cells have the one value, and at least four of these are more than two tricks away from that sum.

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
    """Return how many cells with the value ``floor`` differ by more than two tricks from 13 less the result of each opponent."""
    count = 0
    for cell, value in enumerate(cells):
        if value == floor:
            row = cell - cell % 4
            # A row is W N E S, so both neighbours of a declarer are opponents.
            others = (cells[row + (cell + 1) % 4], cells[row + (cell + 3) % 4])
            count += all(abs(floor - 13 + other) > 2 for other in others)
    return count


def differing(stored: Tricks, solved: Tricks) -> list[int]:
    """Return the cells that are known in both tables and differ."""
    pairs = enumerate(zip(stored.cells, solved.cells, strict=True))
    return [cell for cell, (had, is_) in pairs if had != is_ and UNSOLVED not in (had, is_)]


def clipping(pairs: Mapping[tuple[int, int], int]) -> Clipping | None:
    """The habit by which stored tables were clipped; None where there is none. ``pairs`` counts the cells that have a stored and a
    solved value, unknown ones included.

    A habit must explain differences: at least twenty for every low result that it left unclipped. Other cells may still be wrong.

    >>> clipping({(9, 9): 10, (1, 4): 10})
    <Clipping.ONE: (1, 6)>
    >>> clipping({(9, 9): 10, (1, 4): 8, (4, 4): 2}) is None
    True
    """
    for habit in Clipping:
        low = {pair: count for pair, count in pairs.items() if UNSOLVED not in pair and pair[1] <= habit.top}
        # A cell whose solved value is the floor itself is no evidence: clipped or not, it looks the same.
        explained = sum(count for (had, is_), count in low.items() if had == habit.floor != is_)
        escaped = sum(count for (had, _), count in low.items() if had != habit.floor)
        if explained and explained >= 20 * escaped:
            return habit
    return None
