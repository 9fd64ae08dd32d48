"""a bidding system has no header

Its first record names the system: `*00{Name}=NYYYYYYSummary`. Without it the system has no name in lists, and the
owning program may refuse the file.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import systems

CODE = define("header-missing", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding if the system has records and no header."""
    for system in systems(facts):
        if system.records and system.header is None:
            yield Finding.of(CODE, "the system has no header", None, ("system", 0), ("system",))
