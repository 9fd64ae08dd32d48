"""a card is dealt to more than one place

Every card exists once. Where a file spells hands out, the same card can be written into two of them, or twice into one.

The first place keeps the card; the finding is placed at the second, and shows both. Which one is wrong cannot be known from the
card alone, but a card that is missing at the same time usually shows it.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import SEATS
from bridgespec.model.deal import Conflict
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts, in_no_hand

CODE = define("card-twice", Severity.ERROR, __doc__)

SHOWN = 4
"""The number of cards that are named with their places; the first is marked."""


def check(facts: Facts) -> Iterable[Finding]:
    """One finding for each board, whatever else is wrong with its deal: other errors follow from it, or are named in its help."""
    for table in facts.tables:
        conflicts = table.board.conflicts
        if not conflicts:
            continue
        first = conflicts[0]
        card, (seat, place), (again, other) = first.card, first.first, first.again
        message = f"{card} is dealt {_where(first)}"
        if len(conflicts) > 1:
            named = ", ".join(f"{conflict.card} {_where(conflict)}" for conflict in conflicts[:SHOWN])
            message = f"{len(conflicts)} cards are dealt twice: {named}{', ...' if len(conflicts) > SHOWN else ''}"
        yield Finding.of(
            CODE,
            message,
            table.index,
            ("hand", again, other),
            ("hand", again),
            ("deal", card),
            ("deal",),
            labels=((("hand", seat, place), f"{card} is here first"), (("hand", again, other), f"{card} again")),
            # A card that is in no hand is usually the one that the second of the two should be.
            help=in_no_hand(table.missing) if table.missing else None,
        )


def _where(conflict: Conflict) -> str:
    first, again = conflict.first[0], conflict.again[0]
    return f"twice to {SEATS[again]}" if first == again else f"to {SEATS[first]} and to {SEATS[again]}"
