"""a double-dummy result above thirteen

There are thirteen tricks. A cell of a result table is 0 to 13; 15 means unsolved, and 14 has no meaning.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import Seat, Strain
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("too-many-tricks", Severity.ERROR, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each known cell of a double-dummy table that is above 13."""
    for index, board in enumerate(facts.boards):
        # The maximum of the bytes first: it excludes nearly every board faster than twenty cells.
        if board.tricks is None or not board.tricks.known or max(board.tricks.cells) < 14:
            continue
        for strain in Strain:
            for seat in Seat:
                value = board.tricks.get(strain, seat)
                if value is not None and value > 13:
                    message = f"{value} tricks in {strain.label} by {seat.letter}: there are only 13"
                    yield Finding.of(CODE, message, index, ("tricks", strain, seat), ("tricks",))
