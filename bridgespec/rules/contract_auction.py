"""the contract is not the one that the auction leads to

The last bid, with the doubling that stands, is the contract. The stated contract differs, though the auction has ended.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.document import Document
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._table import settled

CODE = define("contract-auction", Severity.ERROR, __doc__)


def check(document: Document) -> Iterable[Finding]:
    """One finding for each board."""
    for index, board in enumerate(document.boards):
        auction = settled(board)
        if auction is None or board.contract is None or "contract" in board.irregular:
            continue
        bought = auction.contract
        if bought is not None and bought != board.contract:
            yield Finding.of(
                CODE,
                f"the contract is given as {board.contract}, the auction leads to {bought}",
                index,
                ("contract",),
                ("auction",),
                labels=((("auction",), f"leads to {bought}"),),
                fix=Repair(f"make the contract {bought}", ("contract",), bought),
            )
