"""The command ``spec-diff``: whether a new version of a schema still reads and writes what the old one did.

`command` compares what both versions declare (`schema_changes`), then makes files by the old one (`_files`) and has both read and
write each. A `Witness` is a file that they treat differently; for grammar rules single texts are compared too (`_rule_witness`).
`_findings` combines the declared changes with their witnesses.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.exit_status import CLEAN, FINDINGS, judging
from bridgespec.cli.options import output_format_option
from bridgespec.cli.schema_report import CHANGE, print_as_data, print_findings
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.codec.node import plain
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.engines import Engine
from bridgespec.errors import BridgespecError, UsageError
from bridgespec.examined import Report
from bridgespec.export.json import dump as model_json
from bridgespec.lazily import Lazy
from bridgespec.spec.catalog import load_file
from bridgespec.spec.ir import Spec
from bridgespec.writing import written

if TYPE_CHECKING:
    from bridgespec.cli import sampling
    from bridgespec.codec import schema_changes
    from bridgespec.codec.proof import text_proofs, text_sets
    from bridgespec.codec.schema_changes import Change
else:
    # What generates files and texts is slow to import, and is not needed where a schema cannot be loaded.
    schema_changes, sampling = Lazy("bridgespec.codec.schema_changes"), Lazy("bridgespec.cli.sampling")
    text_proofs, text_sets = Lazy("bridgespec.codec.proof.text_proofs"), Lazy("bridgespec.codec.proof.text_sets")

GROUP = "Schemas"
_CHANGED = 3
"""The number of generated files whose integers are replaced by limits; several, since random files differ in their optional
parts.
"""
_LISTED = 1 << 12
"""A grammar rule with at most this many texts is tried on each of them, any other on a selection."""


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
    with _version(before, old, folders) as one, _version(after, new, folders) as two:
        # Only a grammar has rules that can be compared; a change of a binary schema is shown by files.
        rules = {change.owner: _rule_witness(one, two, change.owner) for change in declared} if before.text else {}
        shown = _first_of_each(_witness(one, two, data) for data in _files(one, two, count, seed))
    names = _write_witnesses(shown, folder, before.extensions[0] if before.extensions else "bin")
    found = list(_findings(declared, rules, shown, names, old, new))
    if output_format == "text":
        print_findings(settings, found, new)
    print_as_data([(one, new) for one in found], output_format)
    bad = any(one.severity is Severity.ERROR for one in found)
    counts = f"{plural(len(declared), 'declaration')} changed, {plural(len(shown), 'difference')} shown by files"
    settings.err.print(Text(f"{new}: {'incompatible' if bad else 'compatible'} with {old} ({counts})"), soft_wrap=True)
    return FINDINGS if bad else CLEAN


@dataclass(frozen=True)
class Version:
    """One version of a schema, with an engine that loads this version, and not the other one, by their common id."""

    spec: Spec
    engine: Engine

    def read(self, data: bytes) -> Report:
        """Return the report on a file read by this version."""
        return self.engine.examine(data, self.spec.id)

    def write(self, report: Report) -> bytes | str:
        """Return the bytes of a document that was read, all encoded anew; an error message as text where it cannot be written."""
        try:
            if self.engine.of(self.spec).binder.terms:
                return self.engine.spell(report.document, self.spec.id, canonical=True).data
            return self.engine.of(self.spec).codec.write(plain(report.reading.root))
        except BridgespecError as error:
            return str(error)


@contextmanager
def _version(spec: Spec, path: Path, folders: list[Path]) -> Iterator[Version]:
    """Yield a version of a schema under its id: it is copied to a folder of its own, since two versions have the same id."""
    with TemporaryDirectory() as folder:
        shutil.copy(path, Path(folder) / f"{spec.id}{path.suffix}")
        # Of schemas with equal ids the one in the first folder, the copy, is used. The other folders have its imports.
        engine = Engine([folder, path.parent, *folders])
        yield Version(engine.spec(spec.id), engine)


@dataclass(frozen=True, slots=True)
class Witness:
    """A file that the old version reads without errors, with a description of what the new one does differently."""

    data: bytes
    message: str
    field: str
    """The path of the field or record where they differ; empty where it is not known."""


def _files(old: Version, new: Version, count: int, seed: int) -> Iterator[bytes]:
    """Yield files of the old version: its samples, generated boards, random values, and values at the limits of constraints."""
    spec = old.spec
    yield from (sample.data for sample in spec.samples if not sample.codes)
    sampler, limits = sampling.Sampler(old.engine, spec, seed), _limits(spec, new.spec)
    for index in range(count):
        try:
            yield (made := sampler.valid(index))
        except UsageError:
            break
        if index < _CHANGED:
            yield from _at_limits(old, made, limits)
        try:
            yield sampler.drawn(Random(f"{spec.id} {seed} drawn {index}"))
        except BridgespecError:
            continue


def _limits(*specs: Spec) -> dict[str, set[int]]:
    """Return for each field the integers at and next to the limits that constraints of any version set, which random values
    seldom are.
    """
    found: dict[str, set[int]] = {}
    for record in (record for spec in specs for record in spec.records.values()):
        for field in record.fields:
            if (valid := field.valid) is not None:
                given = [one.constant for one in (valid.eq, valid.min, valid.max, *valid.any_of) if one is not None]
                # Not isinstance, which accepts True: a Boolean field has no values next to its limits.
                near = {value + step for value in given if type(value) is int for step in (-1, 0, 1)}
                found.setdefault(field.name, set()).update(near)
    return found


def _at_limits(version: Version, data: bytes, limits: dict[str, set[int]]) -> Iterator[bytes]:
    """Yield a file with one integer, in the first record that has it, replaced by each limit of its field."""
    codec, left = version.engine.of(version.spec).codec, dict(limits)
    values = plain(codec.read(data).root)
    waiting: list[Any] = [values]
    while waiting and left:
        at = waiting.pop(0)
        waiting += [one for one in (at.values() if isinstance(at, dict) else at) if isinstance(one, dict | list)]
        for name in left.keys() & at.keys() if isinstance(at, dict) else ():
            before = at[name]
            for limit in left.pop(name) if isinstance(before, int) else ():
                at[name] = limit
                with suppress(BridgespecError):
                    yield codec.write(values)
            at[name] = before


def _witness(old: Version, new: Version, data: bytes) -> Witness | None:
    """Return the difference between what the versions do with a file; None without one, or if the old version reports an error."""
    before = old.read(data)
    if before.errors:
        return None
    after = new.read(data)
    if after.errors:
        first = after.errors[0]
        where = f" at byte {first.span.byte_start:#x}" if first.span is not None else ""
        return Witness(data, f"{first.code}{where}: {first.message}", first.field or "")
    one, two = _meaning(old, before), _meaning(new, after)
    if one != two:
        return Witness(data, f"it is read as something else: {_text_difference(one, two)}", "")
    mine, theirs = old.write(before), new.write(before)
    if isinstance(mine, bytes) and mine != theirs:
        if isinstance(theirs, str):
            return Witness(data, f"it cannot be written: {theirs}", "")
        return Witness(data, f"it is written otherwise: {_byte_difference(mine, theirs)}", "")
    return None


def _rule_witness(old: Version, new: Version, rule: str) -> str:
    """Return a description of a text that two versions of a grammar rule read differently; empty without one, or if a version lacks
    the rule.
    """
    texts = [one.engine.of(one.spec).text for one in (old, new)]
    if any(text is None or rule not in text.engine.grammar.rules for text in texts):
        return ""
    before, after = (
        text_proofs.RuleTrial(text.engine.value(rule), text_sets.Languages(text.engine.grammar, _LISTED))
        for text in texts
        if text is not None
    )
    for text in before.texts():
        if not after.value.fits(text):
            return f"its text {text!r} is not read any more"
        if (one := before.read(text)) != (two := after.read(text)):
            return f"its text {text!r} was {one!r}, it is {two!r}"
    return ""


def _meaning(version: Version, report: Report) -> str:
    """Return the boards of a report as JSON; without boards the values of the fields."""
    if version.engine.of(version.spec).binder.terms:
        return model_json(report.document).decode()
    return repr(plain(report.reading.root))


def _text_difference(one: str, two: str) -> str:
    """Return excerpts of two texts around their first difference."""
    at = _first_difference(one, two)
    start = max(0, at - 20)
    return f"{one[start : at + 20]!r} became {two[start : at + 20]!r}"


def _byte_difference(one: bytes, two: bytes) -> str:
    """Return the offset of the first difference of two files, with the bytes there."""
    at = _first_difference(one, two)
    return f"from byte {at:#x} on {one[at : at + 8].hex(' ') or 'nothing'} became {two[at : at + 8].hex(' ') or 'nothing'}"


def _first_difference(one: Sequence[object], two: Sequence[object]) -> int:
    """Return the first index at which two sequences differ; the length of the shorter one where it begins the other."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def _first_of_each(witnesses: Iterator[Witness | None]) -> list[Witness]:
    """Return the smallest file for each kind of difference. A kind is a field, without indexes, with the beginning of a message."""
    kinds: dict[tuple[str, str], Witness] = {}
    for one in witnesses:
        if one is not None:
            kind = _bare(one.field), one.message.partition(":")[0].partition(" at byte")[0]
            if kind not in kinds or len(one.data) < len(kinds[kind].data):
                kinds[kind] = one
    return list(kinds.values())


def _bare(path: str) -> str:
    """Return a dotted path without the indexes in it."""
    return "".join(part.partition("]")[2] if at else part for at, part in enumerate(path.split("[")))


def _write_witnesses(shown: list[Witness], folder: Path | None, suffix: str) -> list[str]:
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
    declared: list[Change], rules: Mapping[str, str], shown: list[Witness], names: list[str], old: Path, new: Path
) -> Iterator[Diagnostic]:
    """Yield a finding for each changed declaration, with a file that shows it if there is one; then one for each other file."""
    left = [*zip(shown, names, strict=True)]
    for change in declared:
        # A difference in a field is attributed to the changed declaration of that field; the others have findings of their own.
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
