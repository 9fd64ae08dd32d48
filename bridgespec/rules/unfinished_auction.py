"""an auction that does not end

The calls stop before three passes follow a bid (or four open the auction), and the source does not mark it as complete. Either
calls were lost, or the closing passes were left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("unfinished-auction", Severity.NOTE, __doc__)
NEEDS = frozenset({"auction"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each unfinished auction of a board with a contract, a play or a result. Without these, the auction may
    be a bidding problem, which stops on purpose.
    """
    for table in facts.with_auction:
        index, board = table.index, table.board
        auction = board.auction
        if auction is None or auction.closed or not auction.calls or (table.outcome and table.outcome.is_finished):
            continue
        if board.contract is not None or board.play is not None or board.result is not None:
            place = len(auction.calls) - 1
            after = "one call" if place == 0 else f"{place + 1} calls"
            message = f"the auction stops after {after} without the passes that end it"
            yield Finding.of(CODE, message, index, ("auction", place), ("auction",))
