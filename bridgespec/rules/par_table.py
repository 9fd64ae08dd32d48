"""the best score is not the one that the double-dummy table gives

The score at which neither side gains by bidding on follows from the twenty results, the dealer and the vulnerability.
The source states another.

A negative number after a side is read both ways: some programs write what that side loses, others what it wins with the
wrong sign. Clipped tables and tables with unknown cells decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.par import par
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("par-table", Severity.WARNING, __doc__)
NEEDS = frozenset({"par"})
_STATED = re.compile(r"(NS|EW)\s*([+-]?\d{1,5})(?:\s+(?:NS|EW)\s*[+-]?\d{1,5})?")


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose stated par is not the one that its double-dummy table gives."""
    excused = None
    for index, board in enumerate(facts.boards):
        if not board.par:
            continue
        match = _STATED.fullmatch(board.par.strip())
        dealer, vulnerability = board.effective_dealer, board.effective_vulnerability
        if match is None or board.tricks is None or dealer is None or vulnerability is None:
            continue
        if max(board.tricks.cells) > 13 or not any(board.tricks.cells):
            continue
        # Computed on demand: it examines all tables, and few files state a par.
        excused = facts.clipped if excused is None else excused
        if index in excused:
            continue
        best = par(board.tricks, dealer, vulnerability)
        stated = int(match[2]) * (1 if match[1] == "NS" else -1)
        # "EW -420" is EW losing 420 in some programs and EW winning it in others.
        if best.score != stated and not (match[2].startswith("-") and best.score == -stated):
            contracts = ", ".join(map(str, best.contracts)) or "passed out"
            message = f"the best score is given as {board.par}, by the table it is {best.points} ({contracts})"
            yield Finding.of(CODE, message, index, ("par",), ("tricks",))
