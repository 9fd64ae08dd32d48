"""a call that the laws of the game do not allow

A bid must be above the last bid. Only the opponents' bid can be doubled, and only their double redoubled. Nothing can
be called once three passes have followed a bid, or all four players have passed.

A call that the source itself marks as irregular is accepted without a finding.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.auction import AuctionState
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import WHY

CODE = define("illegal-call", Severity.ERROR, __doc__)
NEEDS = frozenset({"auction"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each auction with an illegal call, at the first one."""
    for table in facts.with_auction:
        index, board = table.index, table.board
        if board.auction is None or table.outcome is None or table.outcome.first_illegal is None:
            continue
        state = AuctionState()
        for place, made in enumerate(board.auction.calls):
            why = state.why_not(made.call)
            if why is not None and not made.irregular:
                caller = board.auction.caller(place)
                who = f"{caller.letter}'s " if caller is not None else ""
                at = (("auction", place), ("auction",))
                labels = ((("auction", state.bid_turn), "the bid before it"),) if state.bid is not None else ()
                yield Finding.of(CODE, f"{who}{made.call} {WHY[why]}", index, *at, labels=labels)
                # Whether later calls are legal depends on whether the illegal one counted: no further findings.
                break
            state = state.then(made.call)
