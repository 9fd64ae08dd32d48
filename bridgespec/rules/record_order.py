"""a record of a bidding system stands out of order

The order is: one header, at most one stock card, the bidding records, the includes, at most one carding record. The program that
owns the format writes this order, and reports only "error" for a file that it cannot open.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.carding import Carding
from bridgespec.model.convention_card import Header, Include, Meaning, StockCard
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import systems

CODE = define("record-order", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})
_ORDER: tuple[tuple[type, str], ...] = (
    (Header, "a header"),
    (StockCard, "a stock card"),
    (Meaning, "a bidding record"),
    (Include, "an include"),
    (Carding, "a carding record"),
)
_RANKS = {kind: rank for rank, (kind, _) in enumerate(_ORDER)}


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each record that follows one of a kind that belongs after it."""
    for system in systems(facts):
        latest, where = 0, 0
        for index, record in enumerate(system.records):
            rank = _RANKS[type(record)]
            # A record out of order does not change `latest`: all that follow are compared with the same record.
            if rank >= latest:
                latest, where = rank, index
            else:
                message = f"{_ORDER[rank][1]} after {_ORDER[latest][1]}"
                labels = ((("system", where), f"{_ORDER[latest][1]} is here already"),)
                yield Finding.of(CODE, message, None, ("system", index), labels=labels)
