"""The output of `check-spec --prove`: the table of proofs of a schema, and a finding for each claim that is false."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.settings import Settings
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.lazily import Lazy
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.proof import claim as claims
    from bridgespec.codec.proof import prove
    from bridgespec.codec.proof.claim import Proof
else:
    # These have NumPy and Lark, which checking a schema does without.
    claims, prove = Lazy("bridgespec.codec.proof.claim"), Lazy("bridgespec.codec.proof.prove")

PROOF = define(
    "schema-proof",
    Severity.ERROR,
    """A claim about a schema is wrong, and a value shows it.

    `check-spec --prove` tries every value of a field, record or rule that has few, and some of those that have many. A code that is
    written and not read as itself, a number with digits and without a code for one of them, a constraint that refuses nothing, a
    condition that is always true, a case that no value chooses: each is an error, with the first value that shows it. A second
    spelling of a value that the schema does not declare, bits that no field has, and a text drawn by chance whose value is written
    as a text of another value are warnings: a file that is read keeps its own spelling.
    """,
)


def proofs_of(spec: Spec, most: int | None) -> list[Proof]:
    """Return the proofs of a schema; at most ``most`` values of each field are tried, as many as possible where it is None."""
    return list(prove.prove(spec, prove.EVERYTHING if most is None else most))


def proof_findings(spec: Spec, proofs: list[Proof]) -> Iterator[Diagnostic]:
    """Return a finding for each claim that is false."""
    for one in proofs:
        if one.status is claims.Status.FALSE:
            # Without a domain the texts were drawn by chance, and a file that is read keeps its own spelling.
            mild = one.property in (claims.Property.ONCE, claims.Property.BITS) or one.domain is None
            severity = Severity.WARNING if mild and one.property is not claims.Property.BOARDS else Severity.ERROR
            file, span = (one.place.file, one.place.span) if one.place is not None else (spec.path, None)
            yield Diagnostic(PROOF.name, severity, f"{one.about}: not {one.property}: {one.witness}", file, span=span)


def print_proofs(settings: Settings, spec: Spec, proofs: list[Proof]) -> None:
    """Print the table of proofs, with the number of each status below."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (spec.id, "property", "", "values", "how"):
        table.add_column(name, overflow="fold", justify="right" if name == "values" else "left")
    for one in proofs:
        values = f"{one.tried:,}" if one.domain in (one.tried, None) else f"{one.tried:,} of {one.domain:,}"
        table.add_row(*map(Text, (one.about, one.property, one.status, values, one.told)))
    settings.out.print(table)
    counts = claims.counted(proofs)
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    settings.out.print(Text(f"{spec.id}: {plural(len(proofs), 'row')}: {told}"), soft_wrap=True)


def proof_lines(spec: Spec, proofs: list[Proof]) -> Iterator[str]:
    """Return the table as lines of JSON."""
    for one in proofs:
        yield json.dumps({"schema": spec.id, **one.as_json()}, ensure_ascii=False)
