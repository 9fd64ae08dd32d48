"""an included convention includes another

Includes do not nest: what is included cannot include more, so its own includes are not followed. A file that includes
itself, or one that includes it in turn, is the same mistake.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.convention_card import Include
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import systems

CODE = define("include-nested", Severity.ERROR, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each include whose file has includes."""
    for system in systems(facts):
        nested = {name: other.includes for name, other in system.included if other is not None and other.includes}
        for index, record in system.others:
            if isinstance(record, Include) and record.name in nested:
                names = ", ".join(nested[record.name])
                message = f"{record.name} includes {names}, and includes do not nest"
                yield Finding.of(CODE, message, None, ("system", index, "name"), ("system", index))
