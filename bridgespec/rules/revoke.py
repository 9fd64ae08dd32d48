"""a player does not follow suit though able to

The player still has a card of the suit led, and plays another suit. A revoke that the source itself marks as one is
accepted.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.playing import CardFault
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("revoke", Severity.WARNING, __doc__)
NEEDS = frozenset({"play"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each card of another suit that a player with cards of the suit led has played."""
    for table in facts.with_play:
        index, board = table.index, table.board
        analysis = table.analysis
        if analysis is None or board.play is None:
            continue
        for fault in analysis.faults:
            if fault.fault is CardFault.REVOKE and fault.index is not None:
                trick = board.play.tricks[fault.trick]
                could = " ".join(map(str, fault.could))
                message = f"{fault.seat.letter} plays {trick.cards[fault.index]} to trick {fault.trick + 1} and still has {could}"
                labels = ((("play", fault.trick, 0), f"{trick.cards[0]} is led"),)
                yield Finding.of(CODE, message, index, ("play", fault.trick, fault.index), ("play",), labels=labels)
