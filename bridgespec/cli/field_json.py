"""Convert a file of any format to the JSON of its fields, and such JSON to a file, for ``convert``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rich.text import Text

from bridgespec.cli.board_targets import Target, name_of, other_named
from bridgespec.cli.examine import naming, plural, shown_name
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.files import STDIO, output, read
from bridgespec.cli.origins import other_read
from bridgespec.cli.render import print_diagnostic
from bridgespec.cli.render_marks import RenderSource
from bridgespec.cli.settings import Settings
from bridgespec.cli.transfer import UnreadSource, tell_losses, tell_unread
from bridgespec.codec import fields
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import ReadError, UsageError
from bridgespec.export import Exporter, json
from bridgespec.recognise import UnrecognisedError
from bridgespec.spec.ir import Spec

SHOWN = 20
"""The maximum number of findings on one file that are shown."""


def convert_fields(
    settings: Settings, path: str, format: str | None, target: Target, dest: str, wanted: bool, strict: bool
) -> int | None:
    """Write the JSON of a file's fields, or the file of such JSON, and return the exit status.

    Return None where the source has boards that are to be converted instead, unless ``wanted`` requests the fields.
    """
    if isinstance(target, Exporter) and target.name == json.NAME:
        spec, data = _read(settings, path, format, wanted)
        if spec is not None and (wanted or not settings.engine.of(spec).binder.terms):
            return _to_json(settings, spec, path, read(path) if data is None else data, dest, strict)
    # Standard input can be read only once: without --fields it is left unread for the conversion of boards.
    elif isinstance(target, Spec) and (path != STDIO or wanted):
        other = other_read(settings, path, format)
        if isinstance(other, Exporter) and other.name == json.NAME and fields.is_fields(value := json.parse(read(path))):
            return _from_json(settings, value, path, target, dest, strict)
    if wanted:
        raise UsageError("--fields is between a file of any format and JSON: one of SOURCE and DEST is to be .json")
    return None


def _read(settings: Settings, path: str, format: str | None, wanted: bool) -> tuple[Spec | None, bytes | None]:
    """Return the spec of a source and its bytes. The spec is None if no format is recognised, the bytes are None if they were not
    read.
    """
    if format is not None or other_read(settings, path, format) is not None:
        known = format is not None and other_named(settings, format) is None
        return (settings.engine.spec(format) if known and format is not None else None), None
    spec = settings.engine.named(path)
    if spec is not None or (path == STDIO and not wanted):
        return spec, None
    data = read(path)
    try:
        return settings.engine.recognise(None if path == STDIO else path, data), data
    except UnrecognisedError as error:
        raise naming(error, "--from") from None


def _to_json(settings: Settings, spec: Spec, path: str, data: bytes, dest: str, strict: bool) -> int:
    """Write the JSON of the fields of a file, report what cannot be read, and return the exit status."""
    known = settings.engine.of(spec)
    reading = known.codec.read(data)
    source = RenderSource(shown_name(path), data, spec.language == "lark")
    tell_unread(settings, source, UnreadSource(map(reading.placed, _errors(reading.diagnostics))), strict)
    made = fields.dump(known, reading)
    with output(dest) as file:
        file.write(made)
    return _print_written(settings, f"{shown_name(path)} ({spec.id})", dest, json.NAME, len(made))


def _from_json(settings: Settings, value: Any, path: str, target: Spec, dest: str, strict: bool) -> int:
    """Write the file of the JSON of its fields, report errors in them, and return the exit status. Nothing is written with
    errors.
    """
    id = value[fields.FORMAT]
    if id != target.id:
        raise UsageError(f"{shown_name(path)} has the fields of a {id} file, and {name_of(target)} is another format: --to {id}")
    try:
        made = fields.load(settings.engine.of(target), value)
    except ReadError as error:
        found = [one for one in error.diagnostics if isinstance(one, Diagnostic)]
        for one in found[:SHOWN]:
            print_diagnostic(settings.err, replace(one, path=path), RenderSource(shown_name(path)))
        more = f", the first {SHOWN} are shown" if len(found) > SHOWN else ""
        settings.err.print(Text(f"{shown_name(path)}: {plural(len(found), 'error')}{more}; nothing was written"), soft_wrap=True)
        return FINDINGS
    differs = [replace(one, message=f"{one.field}: {one.message}") for one in made.differs[:SHOWN]]
    tell_losses(settings, differs, strict)
    source = RenderSource(shown_name(dest), made.data, target.language == "lark")
    tell_unread(settings, source, UnreadSource(_errors(made.reading.diagnostics)), strict)
    with output(dest) as file:
        file.write(made.data)
    return _print_written(settings, f"{shown_name(path)} (json)", dest, target.id, len(made.data))


def _errors(found: list[Diagnostic]) -> list[Diagnostic]:
    return [one for one in found if one.severity is Severity.ERROR]


def _print_written(settings: Settings, source: str, dest: str, name: str, size: int) -> int:
    """Print one line about the file that was written, unless quiet. Return the exit status of success."""
    if not settings.quiet:
        shown = shown_name(dest) if dest != STDIO else "<stdout>"
        text = Text.assemble(f"{source} -> ", (shown, "bold"), f" ({name}): its fields, {plural(size, 'byte')}")
        settings.err.print(text, soft_wrap=True)
    return CLEAN
