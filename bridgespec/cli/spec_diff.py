"""The command ``spec-diff``: whether a new version of a schema still reads and writes what the old one did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.exit_status import CLEAN, FINDINGS, judging
from bridgespec.cli.options import output_format_option
from bridgespec.cli.schema_report import CHANGE, print_as_data, print_findings
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.spec.catalog import load_file
from bridgespec.writing import written

if TYPE_CHECKING:
    from bridgespec.cli import spec_witness
    from bridgespec.codec import schema_changes
    from bridgespec.codec.schema_changes import Change
else:
    # Two versions of a schema are loaded before anything is generated.
    schema_changes, spec_witness = Lazy("bridgespec.codec.schema_changes"), Lazy("bridgespec.cli.spec_witness")

GROUP = "Schemas"


@click.command(
    name="spec-diff",
    epilog="""\b
Examples:
  bridgespec spec-diff old/club.ksy club.ksy
  bridgespec spec-diff old/night.lark night.lark --files 200 -o witnesses
""",
    short_help="Tell whether a new version of a schema still reads and writes old files.",
)
@click.argument("old", metavar="OLD", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("new", metavar="NEW", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--files", "count", type=click.IntRange(0, 10_000), default=40, show_default=True, help="How many files to generate.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same files.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for files that show a difference.",
)
@output_format_option
@pass_settings
@judging
def command(settings: Settings, old: Path, new: Path, count: int, seed: int, folder: Path | None, output_format: str) -> int:
    """Tell whether a new version of a schema, NEW, still reads what OLD read, means the same by it, and writes what OLD wrote.

    What both declare is compared first, each difference with its line. Then files are made by OLD (its own samples, generated
    boards, values drawn by chance) and read and written by both: each kind of difference is reported once, with its first file,
    which -o keeps. A new version may read more than the old one.

    The exit status is 0 if the new version is compatible, 1 if it is not.
    """
    folders = settings.engine.catalog.folders
    if old.suffix != new.suffix:
        raise UsageError(f"{old.name} and {new.name} are schemas of different languages, of which no file can be compared")
    before, after = load_file(old, [old.parent, *folders]), load_file(new, [new.parent, *folders])
    declared = list(schema_changes.changes(before, after))
    with spec_witness.version(before, old, folders) as one, spec_witness.version(after, new, folders) as two:
        # Rules are those of grammars; a change of a binary schema is shown by files alone.
        rules = {change.owner: spec_witness.rule_witness(one, two, change.owner) for change in declared} if before.text else {}
        shown = _first_of_each(spec_witness.witness(one, two, data) for data in spec_witness.files(one, two, count, seed))
    names = _kept(shown, folder, before.extensions[0] if before.extensions else "bin")
    found = list(_findings(declared, rules, shown, names, old, new))
    if output_format == "text":
        print_findings(settings, found, new)
    print_as_data([(one, new) for one in found], output_format)
    bad = any(one.severity is Severity.ERROR for one in found)
    told = f"{plural(len(declared), 'declaration')} changed, {plural(len(shown), 'difference')} shown by files"
    settings.err.print(Text(f"{new}: {'incompatible' if bad else 'compatible'} with {old} ({told})"), soft_wrap=True)
    return FINDINGS if bad else CLEAN


def _first_of_each(witnesses: Iterator[spec_witness.Witness | None]) -> list[spec_witness.Witness]:
    """Return the smallest file for each kind of difference. Differences are of one kind if they are in one field, or if their
    messages begin alike.
    """
    kinds: dict[tuple[str, str], spec_witness.Witness] = {}
    for one in witnesses:
        if one is not None:
            kind = _bare(one.field), one.message.partition(":")[0].partition(" at byte")[0]
            if kind not in kinds or len(one.data) < len(kinds[kind].data):
                kinds[kind] = one
    return list(kinds.values())


def _bare(path: str) -> str:
    """Return a dotted path without the indexes in it."""
    return "".join(part.partition("]")[2] if at else part for at, part in enumerate(path.split("[")))


def _kept(shown: list[spec_witness.Witness], folder: Path | None, suffix: str) -> list[str]:
    """Write the files that show differences; return the name of each, for its finding."""
    if folder is None:
        return [f"{len(one.data)} bytes, {one.data[:24].hex(' ')}{' ...' if len(one.data) > 24 else ''}" for one in shown]
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for number, one in enumerate(shown, 1):
        path = folder / f"witness-{number}.{suffix}"
        with written(path) as out:
            out.write(one.data)
        names.append(str(path))
    return names


def _findings(
    declared: list[Change], rules: Mapping[str, str], shown: list[spec_witness.Witness], names: list[str], old: Path, new: Path
) -> Iterator[Diagnostic]:
    left = [*zip(shown, names, strict=True)]
    for change in declared:
        # A difference at a field is explained by what changed of that field; of the others nothing more is known.
        mine = [pair for pair in left if change.name and change.name in _bare(pair[0].field).split(".")]
        left = [pair for pair in left if pair not in mine]
        rule = rules.get(change.owner, "")
        severity = Severity.ERROR if change.certain or mine or rule else Severity.WARNING
        more = "".join(f"; the old one reads {name}, the new one: {one.message}" for one, name in mine[:1]) or (
            rule and f"; {rule}"
        )
        path = old if change.in_old else new
        beside = path.parent / change.place.file
        where = str(beside if beside.is_file() else path)
        message = change.message + (more or ("" if change.certain else "; no generated file shows that it matters"))
        yield Diagnostic(CHANGE.name, severity, message, where, span=change.place.span)
    for one, name in left:
        field = f"{one.field}: " if one.field else ""
        yield Diagnostic(CHANGE.name, Severity.ERROR, f"the old one reads {name}, the new one: {field}{one.message}", str(new))
