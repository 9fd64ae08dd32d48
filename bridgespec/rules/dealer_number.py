"""the dealer is not the one that the board's number gives

Boards are numbered so that North deals 1, 5, 9 ..., East 2, 6, 10 ..., South 3, 7, 11 ..., West 4, 8, 12 ... A board
with another dealer was renumbered, or made for practice.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.board import standard_dealer
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts

CODE = define("dealer-number", Severity.WARNING, __doc__)
NEEDS = frozenset({"dealer", "number"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose dealer is not the one that its number gives."""
    for index, board in enumerate(facts.boards):
        # Programs write 0 for a board without a number; the cycle of dealers begins with 1.
        if board.number is None or board.dealer is None or board.number < 1:
            continue
        usual = standard_dealer(board.number)
        if board.dealer != usual:
            # No repair where the auction begins with another seat than the usual dealer: the number is the likelier error.
            first = None if board.auction is None else board.auction.first
            fix = Repair(f"make {usual.letter} the dealer", ("dealer",), usual) if first in (None, usual) else None
            yield Finding.of(
                CODE,
                f"board {board.number} is dealt by {board.dealer.letter}, by its number it would be {usual.letter}",
                index,
                ("dealer",),
                ("number",),
                labels=((("number",), f"board {board.number}: {usual.letter} deals"),),
                fix=fix,
                stated=("number",),
            )
