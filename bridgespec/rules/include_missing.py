"""an included convention or stock card is not there

It was looked for beside the file and in the folders that were given, and not found. Its records are missing from the tree and from
queries.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.convention_card import Include, StockCard
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import systems

CODE = define("include-missing", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each include or stock card whose file was not found."""
    for system in systems(facts):
        absent = {name for name, other in system.included if other is None}
        for index, record in system.others:
            if isinstance(record, Include | StockCard) and record.name in absent:
                yield Finding.of(CODE, f"there is no file {record.name}", None, ("system", index, "name"), ("system", index))
