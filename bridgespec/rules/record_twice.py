"""a bidding system has two headers, stock cards or carding records

One of each is allowed. Of two carding records the last one counts and the other is ignored without a message; for headers and stock
cards nothing is documented.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.carding import Carding
from bridgespec.model.convention_card import Header, StockCard
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import others

CODE = define("record-twice", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})
_KINDS = ((Header, "header"), (StockCard, "stock card"), (Carding, "carding record"))


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each header, stock card and carding record after the first."""
    for kind, name in _KINDS:
        found = [index for index, record in others(facts) if isinstance(record, kind)]
        for index in found[1:]:
            carding = kind is Carding
            yield Finding.of(
                CODE,
                f"a second {name}{': the last one counts' if carding else ''}",
                None,
                ("system", index),
                labels=((("system", found[0]), f"the first {name}{', ignored' if carding else ''}"),),
            )
