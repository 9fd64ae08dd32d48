"""a card is dealt to more than one place

Every card exists once. Where a file spells hands out, the same card can be written into two of them, or twice into one.

The first place keeps the card; the finding is placed at the second, and shows both. Which one is wrong cannot be known
from the card alone, but a card that is missing at the same time usually tells.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import SEATS
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("card-twice", Severity.ERROR, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """One finding for each card dealt again."""
    for index, board in enumerate(facts.boards):
        for conflict in board.conflicts:
            card, (first, place), (again, other) = conflict.card, conflict.first, conflict.again
            where = f"twice to {SEATS[again]}" if first == again else f"to {SEATS[first]} and to {SEATS[again]}"
            yield Finding.of(
                CODE,
                f"{card} is dealt {where}",
                index,
                ("hand", again, other),
                ("hand", again),
                ("deal", card),
                ("deal",),
                labels=((("hand", first, place), f"{card} is here first"), (("hand", again, other), f"{card} again")),
            )
