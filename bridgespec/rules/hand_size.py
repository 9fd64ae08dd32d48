"""a hand has too many or too few cards

A hand has at most thirteen cards. In a whole deal each has thirteen; in an ending all hands have the same number, apart from the
cards already played to the current trick; where only some hands are known, each known one has as many cards as the
others.

Layouts of one suit or a few leave the other suits open, so only more than thirteen cards in a hand is wrong there. Cards that a
whole deal lacks are reported by name, as `card-missing`.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import SEATS, Seat
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts, in_no_hand

CODE = define("hand-size", Severity.ERROR, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board with hands of a wrong size; not where cards are dealt twice, which changes the sizes."""
    for table in facts.tables:
        index, board = table.index, table.board
        if board.deal is None or board.conflicts or board.deal.is_complete:
            continue
        wrong = _wrong(board.deal)
        if wrong:
            sizes = ", ".join(f"{SEATS[seat]} {board.deal.sizes[seat]}" for seat in Seat)
            places = tuple((("hand", seat), f"{board.deal.sizes[seat]} cards") for seat in wrong)
            seats = " and ".join(SEATS[seat] for seat in wrong)
            message = f"the hands hold {sizes} cards: wrong for {seats}"
            help = in_no_hand(table.missing) if table.missing else None
            yield Finding.of(CODE, message, index, ("hand", wrong[0]), ("deal",), labels=places, help=help)


def _wrong(deal: Deal) -> list[Seat]:
    """Return the seats whose hands have a wrong size; empty for a possible deal, ending or layout."""
    sizes = list(deal.sizes)
    over = [seat for seat in Seat if sizes[seat] > 13]
    if over:
        # 14 and 12 cards with 52 in all: one card is in the wrong hand, so the short hand is named beside the long one.
        is_full = sum(sizes) == 52
        return [seat for seat in Seat if sizes[seat] != 13] if is_full else over
    if UNKNOWN in deal.holders:
        # In a layout of some suits hands may have any size; a hand without cards is unknown, not short.
        return [] if deal.stated_suits < 4 else _uneven(sizes, [seat for seat in Seat if sizes[seat]], 0)
    # With a hand of 13, missing cards are reported as `card-missing`. In an ending, hands differ by one card during a trick.
    return [] if max(sizes) == 13 else _uneven(sizes, list(Seat), 1)


def _uneven(sizes: list[int], seats: list[Seat], slack: int) -> list[Seat]:
    """Return the seats that have fewer cards than the longest hand, by more than ``slack`` cards."""
    top = max(sizes)
    return [seat for seat in seats if sizes[seat] < top - slack]
