"""a card is in nobody's hand

In a whole deal every card is in one of the four hands. A card that none of them names was left out, or another was
written in its place.

Endings are not whole deals: there, every hand is shorter than thirteen cards, or the recorded play accounts for the other cards.
Nor are layouts of some suits, of which the others are unknown.

Where cards are dealt twice, or a hand has more than thirteen, that is the finding, and its help names the missing cards.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import SEATS
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts, in_no_hand

CODE = define("card-missing", Severity.ERROR, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board with missing cards, unless its deal has a more serious error."""
    for table in facts.tables:
        deal = table.board.deal
        if deal is None:
            continue
        missing = table.missing
        # One cause, one finding: a card that is dealt twice displaces another, which the help of `card-twice` names.
        if not missing or table.board.conflicts or max(deal.sizes) > 13:
            continue
        short = [(seat, 13 - size) for seat, size in enumerate(deal.sizes) if size < 13]
        # Short hands are named only if they lack as many cards as are missing: else no repair would follow from their names.
        explained = sum(count for _, count in short) == len(missing)
        yield Finding.of(
            CODE,
            in_no_hand(missing),
            table.index,
            *((("hand", short[0][0]),) if len(short) == 1 else ()),
            ("deal", missing[0]),
            ("deal",),
            help="".join(f"{SEATS[seat]} is {count} short. " for seat, count in short).strip() if explained else None,
        )
