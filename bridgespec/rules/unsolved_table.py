"""a result table of nothing but zeros

Some files contain a table of twenty zeros after a real deal. It cannot be a result, because the side with the ace of trumps always
wins a trick; it means that the deal was not solved.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.tricks import Tricks
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts

CODE = define("unsolved-table", Severity.NOTE, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each double-dummy table of twenty zeros."""
    for index, board in enumerate(facts.boards):
        if board.tricks is not None and not any(board.tricks.cells):
            fix = Repair("write the results as unknown", ("tricks",), Tricks.unknown())
            yield Finding.of(CODE, "all twenty results are 0: not solved", index, ("tricks",), fix=fix)
