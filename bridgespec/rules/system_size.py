"""a bidding system too large to share

Files above some 2 MB are not sent to partner and opponents, and no message reports it: the card seems shared, and nobody
sees the alerts. The limit is reported by users; the owner of the format has not published one. The size is that of the
records as they would be written, lines ending in CR LF.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import systems

CODE = define("system-size", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})
LIMIT = 2_000_000


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding if the system takes more than `LIMIT` bytes."""
    for system in systems(facts):
        if system.size > LIMIT:
            message = f"the system takes about {system.size:,} bytes; above {LIMIT:,} it is not shared"
            yield Finding.of(CODE, message, None, ("system",))
