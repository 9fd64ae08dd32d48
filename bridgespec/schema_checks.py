"""Findings on a schema: errors of its language and binding, samples that it reads otherwise than declared, values that get lost.

`check-spec` prints these findings, and editors show them while a schema is written: `findings` on every change of the text,
`trials_of` when it is saved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bridgespec.codec.lint import lint
from bridgespec.codec.probe_boards import trials
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.editor.code_names import code_findings
from bridgespec.engines import Engine
from bridgespec.errors import BridgespecError, SpecError
from bridgespec.model.document import Document
from bridgespec.sources import read_source
from bridgespec.spec.catalog import LANGUAGES, load_file
from bridgespec.spec.ir import Sample, Spec
from bridgespec.spec.problems import NAME, Problems
from bridgespec.twins import claim, dump, is_sample, twin_of

SAMPLE = define(
    "schema-sample",
    Severity.ERROR,
    """A sample inside the schema does not do what it says.

    A sample gives just the findings that its `codes` name, and none where it names none; one without errors is written back
    byte for byte.
    """,
)
ROUND_TRIP = define(
    "schema-round-trip",
    Severity.ERROR,
    """What a schema claims to hold does not come back.

    Boards are generated, written and read again. Each term that the schema binds must come back from at least one of them as it
    was, and from none as another value: a code that two names share, an axis whose labels do not fit the file, a field that no
    writer fills. What a format has no room for may be missing; that is said where a file is converted. A field that no board
    fills needs a default. A writer of fresh boards does not make up a list whose elements a switch chooses: what stands there is
    read, and does not come back.
    """,
)
FILE_NAME = define(
    "schema-file-name",
    Severity.WARNING,
    """The schema's file is not named after its id.

    Schemas are found by the name of their file, which should be their `meta/id`, as Kaitai Struct has it.
    """,
)
EXTENSION = define(
    "schema-no-extension",
    Severity.NOTE,
    """The schema names no file extension.

    It is a piece that others import, and no format of its own: give `meta/file-extension` to make it one.
    """,
)


def findings(path: Path, folders: list[Path], text: str | None = None) -> tuple[Spec | None, list[Diagnostic]]:
    """Return the schema in a file, None where it cannot be used, and the findings on its text. ``text`` is the text of a file that
    is not saved yet.
    """
    problems = Problems()
    try:
        spec = load_file(path, [path.parent, *folders], problems, text)
    except SpecError as error:
        kept = [d for d in error.diagnostics if isinstance(d, Diagnostic)]
        return None, placed([*kept, *(d for d in problems.found if d not in kept)], path, folders)
    found = [*problems.found, *lint(spec)]
    if spec.language == "ksy":
        found += code_findings(path, folders, text)
    if spec.id != path.stem:
        message = f"the schema of {spec.id} stands in {path.name}"
        found.append(Diagnostic(FILE_NAME.name, FILE_NAME.severity, message, str(path), help=f"name it {spec.id}{path.suffix}"))
    # Schemas are found by id: of club.ksy and club.lark one would hide the other.
    for other in (path.with_name(spec.id + suffix) for suffix in LANGUAGES):
        if spec.extensions and other != path and other.is_file():
            found.append(Diagnostic(NAME.name, NAME.severity, f"two schemas are called {spec.id!r}: {path} and {other}", str(path)))
    # A schema for import has no files, and so no samples to be tried.
    if not spec.extensions:
        found.append(Diagnostic(EXTENSION.name, EXTENSION.severity, f"{spec.id} is a piece for import, not a format", str(path)))
    return spec, placed(found, path, folders)


def placed(found: list[Diagnostic], path: Path, folders: list[Path]) -> list[Diagnostic]:
    """Return the findings with each bare file name, of an imported schema, replaced by the path of the file beside ``path`` or in
    one of the folders.
    """
    out = []
    for one in found:
        name = one.path or str(path)
        there = next((file for folder in (path.parent, *folders) if (file := folder / name).is_file()), None)
        out.append(replace(one, path=str(there)) if there is not None and Path(name).name == name else one)
    return out


def sample_findings(engine: Engine, spec: Spec) -> Iterator[Diagnostic]:
    """Yield a finding for each sample of the schema whose result is not as declared."""
    for sample in spec.samples:
        report = engine.examine(sample.data, spec.id)
        found = {d.code for d in report.diagnostics}
        for code in sorted(set(sample.codes) - found):
            yield _sample(spec, sample, f"it should give {code}, and does not")
        for finding in report.diagnostics:
            if finding.code not in sample.codes:
                where = _within(finding)
                yield _sample(spec, sample, f"{finding.code} is found{where}, which it does not name: {finding.message}")
        if report.errors:
            continue
        try:
            same = engine.spell(report.document, spec.id).data == sample.data
        except BridgespecError as error:
            yield _sample(spec, sample, f"it cannot be written: {error}")
        else:
            if not same:
                yield _sample(spec, sample, "it is not written back as it was read")


def _within(finding: Diagnostic) -> str:
    """Return the position of a finding in a sample as the end of a phrase: its line and column, or its first byte; empty
    without.
    """
    span = finding.span
    if span is None:
        return ""
    if span.line is not None:
        return f" at {span.line}:{span.column}"
    return f" at byte {span.byte_start:#x}"


def trial_findings(engine: Engine, spec: Spec) -> Iterator[Diagnostic]:
    """Yield a finding for each term of the schema that generated boards lose when they are written and read again."""
    binder = engine.of(spec).binder

    def read(data: bytes) -> tuple[Document, str | None]:
        report = engine.read(data, spec.id)
        return report.document, report.errors[0].message if report.errors else None

    def write(document: Document) -> tuple[bytes, Document]:
        data, _, placed = engine.of(spec).trial(document)
        return data, placed

    for trial in trials(binder, write, read):
        place = binder.declared(trial.term)
        what = f"{trial.term}: " if trial.term else ""
        yield Diagnostic(ROUND_TRIP.name, ROUND_TRIP.severity, what + trial.lost, place.file, span=place.span, help=trial.help)


def _sample(spec: Spec, sample: Sample, message: str) -> Diagnostic:
    """Return an error about a sample, at its place in the schema."""
    span = sample.place.span if sample.place is not None else None
    return Diagnostic(SAMPLE.name, SAMPLE.severity, f"the sample {sample.name!r}: {message}", spec.path, span=span)


def file_findings(engine: Engine, spec: Spec, folder: Path) -> Iterator[Diagnostic]:
    """Yield a finding for each sample file beside the schema whose content differs from its twin."""
    for path in sorted((folder / "samples" / spec.id).glob("**/*")):
        twin = twin_of(path)
        if not is_sample(path):
            continue
        if not twin.exists():
            help_ = f"write what it holds into {twin.name} beside it, as `bridgespec convert --to json` has it"
            yield Diagnostic(SAMPLE.name, Severity.NOTE, "this sample has no twin that says what it holds", str(path), help=help_)
        elif json.loads(dump(claim(engine, path, spec.id))) != json.loads(read_source(twin).decode()):
            yield Diagnostic(SAMPLE.name, SAMPLE.severity, f"this sample does not hold what {twin.name} says", str(path))


def trials_of(spec: Spec | None, here: list[Diagnostic], path: Path, folders: list[Path]) -> list[Diagnostic]:
    """Return the findings on the samples in a schema and beside it, and on generated boards.

    ``here`` are the findings on the text of the schema. Return no findings where one of them is an error, or the schema names no
    extension. The schema is read again from its file.
    """
    if spec is None or not spec.extensions or any(one.severity is Severity.ERROR for one in here):
        return []
    engine = Engine([path.parent, *folders])
    found = [*sample_findings(engine, spec), *trial_findings(engine, spec), *file_findings(engine, spec, path.parent)]
    return placed(found, path, folders)
