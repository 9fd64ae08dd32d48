"""bidding records describe calls of the opponents

The last call of a sequence is the one that the record explains, and it is meant to be made by the side that plays the
system. With an own opening that is the first, third, fifth ... call; with the opponents' opening (`*`) the second,
fourth, sixth ... Here it is the opponents' turn.

Converters write such records for headings of chapters. They do no harm, but nobody ever sees them. One note, at the first, reports
all such records of a file.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import illegal, meanings, named, texts

CODE = define("opponents-call", Severity.NOTE, __doc__)
NEEDS = frozenset({"system"})


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding at the first bidding record that describes a call of the opponents, with the number of the others."""
    faults, written = illegal(facts), texts(facts)
    found = [
        (index, meaning) for index, meaning in meanings(facts) if meaning.sequence and not meaning.is_ours and index not in faults
    ]
    # A file of a converter has thousands of these headings: one note with their number.
    for index, meaning in found[:1]:
        others = f", and so do {len(found) - 1:,} more records" if len(found) > 2 else ", and so does one more record"
        message = f"{named(meaning, written[index])} ends with a call of the opponents, {meaning.last}"
        place = len(meaning.sequence) - 1
        help = "is a P missing, or the mark of the opponents' opening?" if not meaning.opponents_opened else None
        at = (("system", index, "sequence", place), ("system", index, "sequence"), ("system", index))
        yield Finding.of(CODE, message + (others if len(found) > 1 else ""), None, *at, help=help)
