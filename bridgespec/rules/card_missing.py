"""a card is in nobody's hand

In a whole deal every card is in one of the four hands. A card that none of them names was left out, or another was
written in its place.

Endings are no whole deals: there, every hand is shorter than thirteen cards, or the recorded play tells where the other
cards went. Nor are layouts of some suits, of which the others are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import SEATS, Card
from bridgespec.model.deal import OUT, UNKNOWN
from bridgespec.model.document import Document
from bridgespec.rules._base import Finding

CODE = define("card-missing", Severity.ERROR, __doc__)


def check(document: Document) -> Iterable[Finding]:
    """One finding for each board that lacks cards."""
    for index, board in enumerate(document.boards):
        deal = board.deal
        if deal is None or OUT not in deal.holders or UNKNOWN in deal.holders or max(deal.sizes) < 13:
            continue
        played = set(board.play.recorded) if board.play else set()
        missing = [Card(slot) for slot, holder in enumerate(deal.holders) if holder == OUT and slot not in played]
        if not missing or len(missing) > 12:
            continue
        short = [(seat, 13 - size) for seat, size in enumerate(deal.sizes) if size < 13]
        explained = sum(count for _, count in short) == len(missing)
        names = " ".join(map(str, missing))
        yield Finding.of(
            CODE,
            f"{names} {'is' if len(missing) == 1 else 'are'} in nobody's hand",
            index,
            *((("hand", short[0][0]),) if len(short) == 1 else ()),
            ("deal", missing[0]),
            ("deal",),
            help="".join(f"{SEATS[seat]} is {count} short. " for seat, count in short).strip() if explained else None,
        )
