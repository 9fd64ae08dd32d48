"""a result that is not a number of tricks

Declarer wins 0 to 13 tricks.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("impossible-result", Severity.ERROR, __doc__)
NEEDS = frozenset({"result"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each board whose result is not 0 to 13."""
    for index, board in enumerate(facts.boards):
        if board.result is not None and not 0 <= board.result <= 13:
            message = f"the result is given as {board.result} tricks: there are 0 to 13"
            yield Finding.of(CODE, message, index, ("result",))
