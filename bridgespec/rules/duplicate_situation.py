"""two bidding records for the same situation

Both have the same sequence, position, vulnerability and qualifiers, so only one of them can pop up. Which one that is, is not
documented.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import meanings, named, texts

CODE = define("duplicate-situation", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each bidding record with the situation of an earlier one."""
    first: dict[tuple[str, int], int] = {}
    written = texts(facts)
    for index, meaning in meanings(facts):
        situation = (written[index], (16 * meaning.position + meaning.when) * 2 + meaning.opponents_opened)
        earlier = first.setdefault(situation, index)
        if earlier != index:
            where = " ".join(word for word in (meaning.position.label, meaning.when.label) if word)
            yield Finding.of(
                CODE,
                f"{named(meaning, written[index])}{f' ({where})' if where else ''} was already described by record {earlier + 1}",
                None,
                ("system", index),
                labels=((("system", earlier), "first here"),),
            )
