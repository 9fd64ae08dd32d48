"""a double-dummy table whose low results are all one number

Some programs do not write low results: every result below 7 is written as 1, or as 6, or 0 to 3 are written as 4. The cells above
are right, the low ones show only that the contract fails. The pattern is recognised, so that these cells are not reported as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts

CODE = define("clipped-table", Severity.NOTE, __doc__)


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each way in which tables are clipped, at the first table that is."""
    habits: dict[str, list[int]] = {}
    for index, habit in facts.clipped.items():
        habits.setdefault(habit.words, []).append(index)
    for words, boards in habits.items():
        yield Finding.of(CODE, message_for(words, len(boards)), boards[0], ("tricks",))


def message_for(words: str, count: int) -> str:
    """Return the message for ``count`` tables that are clipped as ``words`` describe."""
    return f"in this table{f' and {count - 1} more' if count > 1 else ''}, {words}"
