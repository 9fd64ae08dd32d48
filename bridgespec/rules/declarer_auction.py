"""the declarer is not the one that the auction leads to

Declarer is the player of the side that made the last bid who was the first to name its strain.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding, ModelPlace, Repair
from bridgespec.rules._facts import Facts

CODE = define("declarer-auction", Severity.ERROR, __doc__)
NEEDS = frozenset({"auction"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose declarer is not the one that its auction leads to."""
    for table in facts.with_auction:
        index, board = table.index, table.board
        auction = table.settled
        if auction is None or board.declarer is None:
            continue
        turn, declarer = table.outcome.declarer_turn if table.outcome else None, table.auction_declarer
        # An irregular declarer (in PBN one with "^") is one of which the source itself states that it contradicts the auction.
        if turn is None or declarer is None or declarer == board.declarer or "declarer" in board.irregular:
            continue
        first: ModelPlace = ("auction", turn)
        yield Finding.of(
            CODE,
            f"the declarer is given as {board.declarer.letter}, the auction leads to {declarer.letter}",
            index,
            ("declarer",),
            ("auction",),
            labels=((first, f"{declarer.letter} names the strain first"),),
            fix=Repair(f"make {declarer.letter} the declarer", ("declarer",), declarer),
        )
