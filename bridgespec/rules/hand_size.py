"""a hand has too many or too few cards

A hand holds thirteen cards, never more. In a whole deal each holds thirteen; in an ending the hands are level, but for
the cards already played to the current trick; where only some hands are known, each known one has as many cards as the
others.

Layouts of one suit or a few say nothing about the other suits, so only more than thirteen cards in a hand is wrong
there. Cards that a whole deal lacks are reported by name, as `card-missing`.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.board import Board
from bridgespec.model.cards import SEATS, Seat
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("hand-size", Severity.ERROR, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """One finding for each board with such hands."""
    for index, board in enumerate(facts.boards):
        if board.deal is None or board.deal.is_complete:
            continue
        wrong = _wrong(board, board.deal)
        if wrong:
            sizes = ", ".join(f"{SEATS[seat]} {board.deal.sizes[seat]}" for seat in Seat)
            places = tuple((("hand", seat), f"{board.deal.sizes[seat]} cards") for seat in wrong)
            seats = " and ".join(SEATS[seat] for seat in wrong)
            message = f"the hands hold {sizes} cards: wrong for {seats}"
            yield Finding.of(CODE, message, index, ("hand", wrong[0]), ("deal",), labels=places)


def _wrong(board: Board, deal: Deal) -> list[Seat]:
    claimed = list(deal.sizes)
    for conflict in board.conflicts:
        claimed[conflict.again[0]] += 1
    over = [seat for seat in Seat if claimed[seat] > 13]
    if over:
        whole = sum(claimed) == 52
        return [seat for seat in Seat if claimed[seat] != 13] if whole else over
    if UNKNOWN in deal.holders:
        return [] if deal.stated_suits < 4 else _uneven(claimed, [seat for seat in Seat if claimed[seat]], 0)
    return [] if max(claimed) == 13 else _uneven(claimed, list(Seat), 1)


def _uneven(claimed: list[int], seats: list[Seat], slack: int) -> list[Seat]:
    """The seats that hold fewer than the longest hand, by more than the slack."""
    top = max(claimed)
    return [seat for seat in seats if claimed[seat] < top - slack]
