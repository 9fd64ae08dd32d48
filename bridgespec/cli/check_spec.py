"""The command ``check-spec``: findings on schemas and on their samples, and with ``--prove`` proofs of their codecs.

For each file of a schema `command` collects the findings of `schema_checks`. With ``--prove`` it adds the `Proof`s of the codec: as
a table, as lines of JSON, and as a finding for each claim that is false.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.exit_status import CLEAN, FINDINGS, judging
from bridgespec.cli.options import PATH, output_format_option
from bridgespec.cli.schema_report import print_as_data, print_findings, schema_files
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo_json
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.schema_checks import findings, placed, trials_of
from bridgespec.spec.dialect import TABLES, json_schema
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.bulk import codec as bulk_codec
    from bridgespec.codec.proof import claim as claims
    from bridgespec.codec.proof import prove
    from bridgespec.codec.proof.claim import Proof
else:
    # Imported on first use: NumPy and Lark are slow to import, and only binary schemas and --prove need them.
    bulk_codec = Lazy("bridgespec.codec.bulk.codec")
    claims, prove = Lazy("bridgespec.codec.proof.claim"), Lazy("bridgespec.codec.proof.prove")

GROUP = "Schemas"
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


def print_json_schema(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    """Print the JSON Schema that ``--json-schema`` requests, and exit."""
    if value:
        echo_json(json.dumps(json_schema(value), indent=2, ensure_ascii=False))
        context.exit()


@click.command(
    epilog="""\b
Examples:
  bridgespec check-spec formats/mine.ksy
  bridgespec check-spec formats/ --strict --output-format json
  bridgespec check-spec formats/mine.ksy --prove
  bridgespec check-spec formats/mine.ksy --prove --values 1000000 --output-format json
""",
    short_help="Check schemas: their language, their meaning, their samples.",
)
@click.argument("sources", metavar="PATH...", nargs=-1, type=PATH)
@output_format_option
@click.option("--strict", is_flag=True, help="Warnings make the exit status 1 too.")
@click.option(
    "--prove", "proving", is_flag=True, help="Try all values of each field, record and rule that can be, and print what is proved."
)
@click.option(
    "--values",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --prove: try N values of a field, text or number at most, the lowest and the highest.",
)
@click.option(
    "--json-schema",
    type=click.Choice(list(TABLES)),
    is_flag=False,
    flag_value="ksy",
    is_eager=True,
    expose_value=False,
    callback=print_json_schema,
    help="Print the JSON Schema of binary schemas, or of the YAML in grammars (lark), for editors, and exit.",
)
@pass_settings
@judging
def command(
    settings: Settings, sources: tuple[str, ...], output_format: str, strict: bool, proving: bool, values: int | None
) -> int:
    """Check schemas, with the place of every finding: keys, names and expressions; arrays that do not add up; fields that
    belong nowhere; keys that cannot apply; Kaitai's style. Then the samples inside the schema are read and written, and so are
    generated boards: every term that the schema binds must come back.

    Samples in a folder `samples/ID` beside a schema are read too, and compared with their twins (NAME.json).

    With --prove the codec of the schema is tried on every value of what has few enough: each bit pattern of a field, each text of
    a rule, each code, each outcome of a condition; integers of digits are tried as arrays, which takes minutes for billions. The
    table names for each claim how many values were tried, and of how many: *proved* is only what was tried on all. *sampled* was
    tried on some, *open* on none, *false* is shown by a value and is a finding too. With --output-format json each row is a line.

    The exit status is 0 when nothing is wrong, 1 when there are errors.
    """
    paths = schema_files(sources)
    if values is not None and not proving:
        raise UsageError("--values bounds what --prove tries: give both")
    rows: list[str] = []
    found: list[tuple[Diagnostic, Path]] = []
    counts: Counter[Severity] = Counter()
    for path in paths:
        checked = _check(settings, path, (prove.EVERYTHING if values is None else values) if proving else None)
        rows += checked.proof_rows()
        found += [(one, path) for one in checked.findings]
        counts.update(one.severity for one in checked.findings)
        if output_format == "text":
            _print_checked(settings, checked)
    print_as_data(found, output_format, rows)
    if output_format == "text":
        summary = ", ".join(plural(counts[severity], severity) for severity in Severity if counts[severity])
        settings.err.print(Text(f"{plural(len(paths), 'schema')} checked: {summary or 'no findings'}"), soft_wrap=True)
    bad = counts[Severity.ERROR] or (strict and counts[Severity.WARNING])
    return FINDINGS if bad else CLEAN


@dataclass(frozen=True)
class _CheckedSchema:
    """The result for one file of a schema: its findings and proofs. ``spec`` is None where it could not be read, and ``proofs``
    is None without --prove, and for a schema that cannot be proved.
    """

    path: Path
    spec: Spec | None
    findings: list[Diagnostic]
    proofs: list[Proof] | None

    def proof_rows(self) -> Iterator[str]:
        """Yield the proofs as lines of JSON."""
        if self.spec is not None:
            for one in self.proofs or ():
                yield json.dumps({"schema": self.spec.id, **one.as_json()}, ensure_ascii=False)


def _check(settings: Settings, path: Path, values: int | None) -> _CheckedSchema:
    """Check a file of a schema and its samples, and unless ``values`` is None prove its codec with so many values of a field."""
    spec, found = findings(path, settings.engine.catalog.folders)
    # A schema with an error may not compile, and one that others import has no files of its own: neither can be proved.
    usable = spec is not None and bool(spec.extensions) and all(one.severity is not Severity.ERROR for one in found)
    found += trials_of(spec, found, path, settings.specs)
    proofs = None
    if values is not None and spec is not None and usable:
        proofs = list(prove.prove(spec, values))
        found += placed(list(_false_claims(spec, proofs)), path, settings.engine.catalog.folders)
    return _CheckedSchema(path, spec, found, proofs)


def _print_checked(settings: Settings, checked: _CheckedSchema) -> None:
    """Print the proofs of a schema as a table, its findings, and the lines about it."""
    if checked.spec is not None and checked.proofs is not None:
        _print_proofs(settings, checked.spec, checked.proofs)
    print_findings(settings, checked.findings, checked.path)
    for line in _schema_lines(checked.path, checked.spec, bool(checked.findings)):
        settings.out.print(Text(line), soft_wrap=True)


def _schema_lines(path: Path, spec: Spec | None, faulty: bool) -> Iterator[str]:
    """Yield the lines that report a correct schema, and whether its large files are processed as arrays."""
    if spec is None:
        return
    # Schemas without an extension are imported by others, and have no files of their own.
    reason = bulk_codec.why_not(spec) if spec.language == "ksy" and spec.extensions else None
    if not faulty:
        more = "; large files as arrays" if reason == "" else ""
        yield f"{path}: ok ({spec.title}; {plural(len(spec.samples), 'sample')}{more})"
    if reason:
        yield f"{path}: large files are not worked as arrays: {reason}"


def _false_claims(spec: Spec, proofs: Iterable[Proof]) -> Iterator[Diagnostic]:
    """Yield a finding for each claim that is false."""
    for one in proofs:
        if one.status is claims.Status.FALSE:
            # These are warnings, since a file that is read keeps its own spelling; texts without a domain were drawn at random.
            mild = one.property in (claims.Property.ONCE, claims.Property.BITS) or one.domain is None
            severity = Severity.WARNING if mild and one.property is not claims.Property.BOARDS else Severity.ERROR
            file, span = (one.place.file, one.place.span) if one.place is not None else (spec.path, None)
            yield Diagnostic(PROOF.name, severity, f"{one.about}: not {one.property}: {one.witness}", file, span=span)


def _print_proofs(settings: Settings, spec: Spec, proofs: Sequence[Proof]) -> None:
    """Print the table of proofs, with the number of each status below."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (spec.id, "property", "", "values", "how"):
        table.add_column(name, overflow="fold", justify="right" if name == "values" else "left")
    for one in proofs:
        values = f"{one.tried:,}" if one.domain in (one.tried, None) else f"{one.tried:,} of {one.domain:,}"
        table.add_row(*map(Text, (one.about, one.property, one.status, values, one.told)))
    settings.out.print(table)
    counts = ", ".join(f"{count} {status}" for status, count in claims.counted(proofs).items())
    settings.out.print(Text(f"{spec.id}: {plural(len(proofs), 'row')}: {counts}"), soft_wrap=True)
