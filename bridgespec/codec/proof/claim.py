"""What a proof states: a claim about a field, record or rule, how far it was tried, and a counterexample where it is wrong.

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
    """The property that a proof claims."""

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
    Property.CASES: "Each outcome of the condition, and each case of the switch, occurs, and no value is without a case.",
    Property.BOARDS: "Boards that are generated, written and read again have the values that the format has room for.",
}
"""The claim behind each property, as documentation and `--help` have it."""


class Status(StrEnum):
    """How far a claim was tried."""

    PROVED = "proved"
    SAMPLED = "sampled"
    OPEN = "open"
    FALSE = "false"


@dataclass(frozen=True, slots=True)
class Proof:
    """One claim about ``about``. ``domain`` is how many values there are, None where that is not bounded or not known."""

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
        """The row as plain values, in the order of the table."""
        row: dict[str, object] = {"about": self.about, "property": str(self.property), "status": str(self.status)}
        row |= {"tried": self.tried, "domain": self.domain, "told": self.told}
        return row | ({"witness": self.witness} if self.witness else {})


@dataclass
class ClaimTrial:
    """One claim while values are tried: counts them, and keeps the first that breaks it."""

    about: str
    property: Property
    domain: int | None
    place: SchemaPlace | None = None
    tried: int = 0
    witness: str = ""

    def check(self, holds: bool, witness: object) -> None:
        """Count one value; ``witness`` is shown if the claim is false for it."""
        self.tried += 1
        if not holds and not self.witness:
            self.witness = str(witness)

    def proof(self, told: str) -> Proof:
        """The proof: false if there is a witness, proved if all cases were tried, open if none was, else sampled."""
        status = Status.FALSE if self.witness else Status.PROVED if self.tried == self.domain else Status.SAMPLED
        if not self.tried and self.domain != 0:
            status = Status.OPEN
        return Proof(self.about, self.property, status, self.tried, self.domain, told, self.place, self.witness)


def opened(about: str, claim: Property, why: str, place: SchemaPlace | None = None) -> Proof:
    """A claim of which nothing was tried, with the reason."""
    return Proof(about, claim, Status.OPEN, 0, None, why, place)


def counted(proofs: Iterable[Proof]) -> dict[str, int]:
    """Return the number of proofs of each status, 0 included."""
    counts = Counter(str(one.status) for one in proofs)
    return {str(status): counts[str(status)] for status in Status}


Proofs = Iterator[Proof]
