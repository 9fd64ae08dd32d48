"""The command ``check-spec``: findings on a schema, and samples that it does not read as declared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.exit_status import CLEAN, FINDINGS, judging
from bridgespec.cli.options import PATH, output_format_option
from bridgespec.cli.proving import print_proofs, proof_findings, proof_lines, proofs_of
from bridgespec.cli.schema_report import print_as_data, print_findings, schema_files
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo_json
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.schema_checks import findings, placed, trials_of
from bridgespec.spec.dialect import TABLES, json_schema
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.bulk import codec as bulk_codec
else:
    bulk_codec = Lazy("bridgespec.codec.bulk.codec")


def print_json_schema(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    """Print the JSON Schema that ``--json-schema`` requests, and exit."""
    if value:
        echo_json(json.dumps(json_schema(value), indent=2, ensure_ascii=False))
        context.exit()


def _told(path: Path, spec: Spec | None, faulty: bool) -> Iterator[str]:
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


GROUP = "Schemas"


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
    proved: list[str] = []
    found: list[tuple[Diagnostic, Path]] = []
    counts: Counter[Severity] = Counter()
    for path in paths:
        spec, here = findings(path, settings.engine.catalog.folders)
        # Proofs compile the schema, which one with an error may not survive; a part that others import has no files of its own.
        usable = spec is not None and bool(spec.extensions) and all(one.severity is not Severity.ERROR for one in here)
        here += trials_of(spec, here, path, settings.specs)
        if proving and spec is not None and usable:
            proofs = proofs_of(spec, values)
            here += placed(list(proof_findings(spec, proofs)), path, settings.engine.catalog.folders)
            proved += proof_lines(spec, proofs)
            if output_format == "text":
                print_proofs(settings, spec, proofs)
        found += [(one, path) for one in here]
        counts.update(d.severity for d in here)
        if output_format == "text":
            print_findings(settings, here, path)
            for line in _told(path, spec, bool(here)):
                settings.out.print(Text(line), soft_wrap=True)
    print_as_data(found, output_format, proved)
    if output_format == "text":
        told = ", ".join(plural(counts[severity], severity) for severity in Severity if counts[severity])
        settings.err.print(Text(f"{plural(len(paths), 'schema')} checked: {told or 'no findings'}"), soft_wrap=True)
    bad = counts[Severity.ERROR] or (strict and counts[Severity.WARNING])
    return FINDINGS if bad else CLEAN
