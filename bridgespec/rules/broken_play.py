"""a trick in the middle of the play has not four cards

Only the last trick recorded can be unfinished, and there are thirteen at most.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("broken-play", Severity.WARNING, __doc__)
NEEDS = frozenset({"play"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each trick with a wrong number of cards, and one for tricks after the thirteenth."""
    for index, board in enumerate(facts.boards):
        tricks = board.play.tricks if board.play else ()
        for number, trick in enumerate(tricks):
            count = len(trick.cards)
            # The last trick may be short: players claim, and a record may be cut off.
            if count > 4 or (count < 4 and number < len(tricks) - 1):
                message = f"trick {number + 1} has {count} card{'s' * (count != 1)}"
                yield Finding.of(CODE, message, index, ("play", number), ("play",))
        if len(tricks) > 13:
            yield Finding.of(CODE, f"{len(tricks)} tricks are recorded: there are 13", index, ("play", 13), ("play",))
