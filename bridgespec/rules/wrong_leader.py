"""a trick is led by the wrong player

The player on declarer's left leads to the first trick, and the winner of each trick to the next. Another leader means
that the declarer or the trumps are stated wrongly, or that a card is.

A lead out of turn that the source itself marks as one is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.playing import CardFault
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("wrong-leader", Severity.ERROR, __doc__)
NEEDS = frozenset({"play"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board with a trick led by the wrong player, at the first one."""
    for table in facts.with_play:
        index, board = table.index, table.board
        analysis = table.analysis
        # With a declarer that is marked as irregular the opening leader is not known.
        faults = analysis.faults if analysis and analysis.faults and "declarer" not in board.irregular else ()
        # One wrong leader shifts every later trick, so only the first is reported.
        fault = next((fault for fault in faults if fault.fault is CardFault.WRONG_LEADER), None)
        if fault is not None and fault.other is not None:
            why = "on declarer's left" if fault.trick == 0 else "who won the trick before"
            message = f"{fault.seat.letter} leads to trick {fault.trick + 1} instead of {fault.other.letter}, {why}"
            yield Finding.of(CODE, message, index, ("play", fault.trick, 0), ("play", fault.trick), ("play",), ("declarer",))
