"""The result of a proof: a claim about a field, record or rule, how many values were tried, and a counterexample where it is
false.

`Proof` is one row of the table. A claim is *proved* only when each value of its domain was tried: `tried` equals `domain`, which
the row names. *sampled* means that some values were tried, *open* that none was, with the reason; *false* has a `witness`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bridgespec.spec.place import SchemaPlace


class Property(StrEnum):
    """The properties that a proof may claim."""

    BACK = "written back"
    ONCE = "one spelling"
    LIMIT = "constraint decides"
    READ = "read when written"
    COVER = "all have codes"
    BITS = "every byte"
    CASES = "condition decides"
    BOARDS = "boards come back"


MEANINGS: dict[Property, str] = {
    Property.BACK: "What is read of each bit pattern or text is written as the same bytes; of a rule, as a text of the same value.",
    Property.ONCE: "No two patterns or texts that are read without a finding have the same value, except those that are declared.",
    Property.LIMIT: "The constraint accepts some patterns and refuses others.",
    Property.READ: "Each code is written and read as itself, without a finding; no alternative of a rule hides another's texts.",
    Property.COVER: "Codes that name seats, suits, strains, ranks, cards or vulnerabilities name all of them.",
    Property.BITS: "Each bit of the record, or each character that may differ, belongs to one field.",
    Property.CASES: "Each outcome of the condition, and each case of the switch, occurs.",
    Property.BOARDS: "Boards that are generated, written and read again have the values that the format has room for.",
}
"""The claim behind each property, as documentation and `--help` have it."""


class Status(StrEnum):
    """How far a claim was verified."""

    PROVED = "proved"
    SAMPLED = "sampled"
    OPEN = "open"
    FALSE = "false"


@dataclass(frozen=True, slots=True)
class Proof:
    """The result for one claim about ``about``, a field, record or rule. ``domain`` is the number of its values, None where it is
    unbounded or unknown.
    """

    about: str
    property: Property
    status: Status
    tried: int
    domain: int | None
    told: str
    """The method and the counts, for the report; the reason why nothing was tried if the status is OPEN."""
    place: SchemaPlace | None = None
    witness: str = ""
    """A value that breaks the claim."""

    def __post_init__(self) -> None:
        # A proof of fewer values than there are would be a false proof, whatever went wrong before.
        if self.status is Status.PROVED and self.tried != self.domain:
            raise ValueError(f"{self.about}: {self.tried} of {self.domain} values prove nothing")

    def as_json(self) -> dict[str, object]:
        """Return the row as a JSON object, in the order of the table's columns."""
        row: dict[str, object] = {"about": self.about, "property": str(self.property), "status": str(self.status)}
        row |= {"tried": self.tried, "domain": self.domain, "told": self.told}
        return row | ({"witness": self.witness} if self.witness else {})


@dataclass
class ClaimTrial:
    """Counts the values that are tried for one claim, and keeps the first counterexample."""

    about: str
    property: Property
    domain: int | None
    place: SchemaPlace | None = None
    tried: int = 0
    witness: str = ""

    def check(self, holds: bool, witness: object) -> None:
        """Count one value, for which the claim ``holds`` or not; ``witness`` is shown as the counterexample where it does not."""
        self.tried += 1
        if not holds and not self.witness:
            self.witness = str(witness)

    def proof(self, told: str) -> Proof:
        """Return the proof: false with a counterexample, proved if all values were tried, open if none was, else sampled.
        ``told`` is the description for the table.
        """
        status = Status.FALSE if self.witness else Status.PROVED if self.tried == self.domain else Status.SAMPLED
        if not self.tried and self.domain != 0:
            status = Status.OPEN
        return Proof(self.about, self.property, status, self.tried, self.domain, told, self.place, self.witness)


def opened(about: str, claim: Property, why: str, place: SchemaPlace | None = None) -> Proof:
    """Return a proof for which no value was tried, with the reason."""
    return Proof(about, claim, Status.OPEN, 0, None, why, place)


def counted(proofs: Iterable[Proof]) -> dict[str, int]:
    """Return the number of proofs of each status, 0 included."""
    counts = Counter(str(one.status) for one in proofs)
    return {str(status): counts[str(status)] for status in Status}


ProofIterator = Iterator[Proof]
