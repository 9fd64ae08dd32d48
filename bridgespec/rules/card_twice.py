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
"""The maximum number of cards that a message names."""


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board with cards that are dealt twice; other errors of its deal follow from this one, or are named
    in the help.
    """
    for table in facts.tables:
        conflicts = table.board.conflicts
        if not conflicts:
            continue
        first = conflicts[0]
        card, (seat, index), (again, index_again) = first.card, first.first, first.again
        message = f"{card} is dealt {_where(first)}"
        if len(conflicts) > 1:
            named = ", ".join(f"{conflict.card} {_where(conflict)}" for conflict in conflicts[:SHOWN])
            message = f"{len(conflicts)} cards are dealt twice: {named}{', ...' if len(conflicts) > SHOWN else ''}"
        yield Finding.of(
            CODE,
            message,
            table.index,
            ("hand", again, index_again),
            ("hand", again),
            ("deal", card),
            ("deal",),
            labels=((("hand", seat, index), f"{card} is here first"), (("hand", again, index_again), f"{card} again")),
            # A card that is in no hand is usually the one in whose place the second was written.
            help=in_no_hand(table.missing) if table.missing else None,
        )


def _where(conflict: Conflict) -> str:
    """Return the hands to which a card is dealt, as the end of a message."""
    first, again = conflict.first[0], conflict.again[0]
    return f"twice to {SEATS[again]}" if first == again else f"to {SEATS[first]} and to {SEATS[again]}"
