"""the result is not the one that the play leads to

All thirteen tricks are recorded, or those recorded rule the stated number out: declarer has won more already, or too
few tricks are left. A play that ends early with a claim is judged by the claim.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts

CODE = define("result-play", Severity.ERROR, __doc__)
NEEDS = frozenset({"play"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose result contradicts its play; not where the play has other faults."""
    for table in facts.with_play:
        index, board = table.index, table.board
        analysis, declarer = table.analysis, table.declarer
        if analysis is None or analysis.faults or declarer is None or board.result is None:
            continue
        if not 0 <= board.result <= 13:
            continue
        won, lost = analysis.won(declarer.side), analysis.won(declarer.side.opponents)
        claim = board.play.claim if board.play else None
        # With all cards played a claim no longer matters; the cards decide.
        if analysis.is_complete or claim is None:
            low, high = won, 13 - lost
        else:
            low = high = claim
        if not low <= board.result <= high and not table.marked_irregular:
            count = f"{low}" if low == high else f"{low} to {high}"
            how = "claimed" if claim is not None and not analysis.is_complete else "in the play"
            yield Finding.of(
                CODE,
                f"the result is given as {board.result} tricks, {count} {how}",
                index,
                ("result",),
                ("play",),
                labels=((("play",), f"declarer wins {won}, the defenders {lost}"),),
                # Between two bounds the right number is not known, and a repair must not invent one.
                fix=Repair(f"make the result {low}", ("result",), low) if low == high else None,
            )
