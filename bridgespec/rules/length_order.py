"""the shortest length of a suit is above the longest

A bid of a suit shows two lengths, the shortest first: `58` is five cards or more, `44` just four. `85` shows no hand at all.
Usually the two digits were exchanged, or the longest was left out and the text begins with a digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import meanings, named, texts

CODE = define("length-order", Severity.ERROR, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each bidding record whose shortest length is above its longest."""
    written = texts(facts)
    for index, meaning in meanings(facts):
        if meaning.lengths is None or meaning.lengths[0] <= meaning.lengths[1]:
            continue
        shortest, longest = meaning.lengths
        yield Finding.of(
            CODE,
            f"{named(meaning, written[index])} shows at least {shortest} and at most {longest} cards",
            None,
            ("system", index, "lengths"),
            ("system", index),
            help="the shortest length comes first; 8 as the longest stands for more",
            fix=Repair(f"write {longest}{shortest}", ("system", index), replace(meaning, lengths=(longest, shortest))),
        )
