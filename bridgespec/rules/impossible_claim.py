"""a claim that the play rules out

The tricks claimed (in all, by declarer) are fewer than declarer has won already, or more than the defenders left. Where the source
itself marks the result or a card as irregular, tricks may have been transferred, and nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("impossible-claim", Severity.ERROR, __doc__)
NEEDS = frozenset({"play"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board with a claim that its play rules out; not where the play has other faults."""
    for table in facts.with_play:
        index, board = table.index, table.board
        claim = board.play.claim if board.play else None
        if claim is None:
            continue
        analysis, declarer = table.analysis, table.declarer
        if analysis is None or analysis.faults or declarer is None:
            continue
        won, lost = analysis.won(declarer.side), analysis.won(declarer.side.opponents)
        if not won <= claim <= 13 - lost and not table.marked_irregular:
            limit = f"{won} are won already" if claim < won else f"the defenders have {lost}"
            yield Finding.of(CODE, f"{claim} tricks are claimed, but {limit}", index, ("play", "claim"), ("play",))
