"""the name of an included convention or stock card leads out of its folder

Included files are looked up beside the file that names them, and in folders that the user gives. A name with a folder
in it, an absolute one, or `..` is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.convention_card import Include, StockCard
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import others

CODE = define("include-path", Severity.ERROR, __doc__)
NEEDS = frozenset({"system"})
_OUTSIDE = re.compile(r"^[A-Za-z]:|[/\\\0]|^\.\.?$")


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each include or stock card whose name is not that of a file in the same folder."""
    for index, record in others(facts):
        if isinstance(record, Include | StockCard) and (not record.name.strip() or _OUTSIDE.search(record.name)):
            what = "an include" if isinstance(record, Include) else "a stock card"
            message = f"{what} must be the name of a file beside this one, not {record.name!r}"
            yield Finding.of(CODE, message, None, ("system", index, "name"), ("system", index))
