"""the auction does not start with the dealer

The dealer calls first. The auction names another player first and gives that player a call.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("auction-dealer", Severity.WARNING, __doc__)
NEEDS = frozenset({"auction"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose auction begins with another player than its dealer."""
    for index, board in enumerate(facts.boards):
        auction = board.auction
        if auction is None or auction.first is None or board.dealer is None or not auction.calls:
            continue
        if auction.first != board.dealer:
            message = f"{auction.first.letter} makes the first call, but {board.dealer.letter} is the dealer"
            labels = ((("dealer",), f"{board.dealer.letter} deals"),)
            yield Finding.of(CODE, message, index, ("auction", "first"), ("auction",), ("dealer",), labels=labels)
