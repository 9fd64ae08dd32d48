"""How some programs clip result tables: low values are all written as one."""

from __future__ import annotations

from bridgespec.model.cards import Seat, Strain
from bridgespec.model.tricks import Tricks


def clipping(table: Tricks) -> str | None:
    """What a table's low values were replaced by, in words; None where nothing speaks for it.

    Programs are known that write every result below 7 as 1, or as 6, and 0 to 3 as 4. In a real table what one side
    makes and the other side makes in the same strain add up to 13, or nearly; a table is called clipped when all its
    low cells have the one value, and at least four of them are too far from that sum.

    >>> clipping(Tricks(bytes([9, 1, 9, 1] * 5)))
    'every result below 7 is written as 1'
    """
    values = [value for value in table.cells if value <= 13]
    if len(values) < 20 or not any(values):
        return None
    for floor, top, words in _HABITS:
        low = [value for value in values if value <= top]
        if len(low) >= 4 and set(low) == {floor} and _strange(table, floor) >= 4:
            return words
    return None


_HABITS = (
    (1, 6, "every result below 7 is written as 1"),
    (6, 6, "every result below 7 is written as 6"),
    (4, 4, "results 0 to 3 are written as 4"),
)


def _strange(table: Tricks, floor: int) -> int:
    """How many cells of the floor's value are more than two tricks away from what the other side leaves."""
    count = 0
    for strain in Strain:
        for seat in Seat:
            if table.get(strain, seat) == floor:
                left = [13 - (table.get(strain, other) or 0) for other in (seat.next, seat.partner.next)]
                count += all(abs(floor - value) > 2 for value in left)
    return count
