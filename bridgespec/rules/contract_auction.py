"""the contract is not the one that the auction leads to

The last bid, with the double or redouble after it, is the contract. The stated contract differs, though the auction has ended.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts

CODE = define("contract-auction", Severity.ERROR, __doc__)
NEEDS = frozenset({"auction"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose contract is not the one that its auction leads to."""
    for table in facts.with_auction:
        index, board = table.index, table.board
        if board.contract is None or table.settled is None:
            continue
        bought = table.outcome.contract if table.outcome else None
        # A contract that the source marks as irregular was ruled by a director and need not follow from the calls.
        if bought is not None and bought != board.contract and "contract" not in board.irregular:
            yield Finding.of(
                CODE,
                f"the contract is given as {board.contract}, the auction leads to {bought}",
                index,
                ("contract",),
                ("auction",),
                labels=((("auction",), f"leads to {bought}"),),
                fix=Repair(f"make the contract {bought}", ("contract",), bought),
            )
