"""How some programs clip result tables: low values are all written as one."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.model.cards import Seat, Strain
from bridgespec.model.document import Document
from bridgespec.model.tricks import Tricks

_HABITS = (
    (1, 6, "every result below 7 is written as 1"),
    (6, 6, "every result below 7 is written as 6"),
    (4, 4, "results 0 to 3 are written as 4"),
)


def clipping(tables: Sequence[Tricks]) -> str | None:
    """What the tables' low values were replaced by, in words; None where nothing speaks for it.

    Programs are known that write every result below 7 as 1, or as 6, and 0 to 3 as 4. In a real table what one side
    makes and the other side makes in the same strain add up to 13, or nearly; tables are called clipped when all their
    low cells have the one value, and at least four of these are more than two tricks away from that sum.

    >>> clipping([Tricks(bytes([9, 1, 9, 1] * 5))])
    'every result below 7 is written as 1'
    """
    values = {value for table in tables for value in table.cells}
    for floor, top, words in _HABITS:
        if {value for value in values if value <= top} == {floor} and sum(_strange(table, floor) for table in tables) >= 4:
            return words
    return None


def clipped(document: Document) -> dict[int, str]:
    """The boards whose full tables are clipped, each with how: judged together if they agree, else one by one."""
    tables = {
        index: board.tricks
        for index, board in enumerate(document.boards)
        if board.tricks is not None and board.tricks.known == 20 and any(board.tricks.cells)
    }
    words = clipping(list(tables.values()))
    if words is not None:
        return dict.fromkeys(tables, words)
    alone = {index: clipping([table]) for index, table in tables.items()}
    return {index: words for index, words in alone.items() if words is not None}


def _strange(table: Tricks, floor: int) -> int:
    """How many cells of the floor's value are more than two tricks away from what the other side leaves."""
    count = 0
    for strain in Strain:
        for seat in Seat:
            if table.get(strain, seat) == floor:
                left = [13 - (table.get(strain, other) or 0) for other in (seat.next, seat.partner.next)]
                count += all(abs(floor - value) > 2 for value in left)
    return count
