"""Print findings about schemas: as text with the lines of the schema, as lines of JSON, or as SARIF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bridgespec.cli.render import print_diagnostic
from bridgespec.cli.render_json import json_line
from bridgespec.cli.render_marks import RenderSource
from bridgespec.cli.render_sarif import sarif_log
from bridgespec.cli.settings import Settings
from bridgespec.cli.terminal import echo_json
from bridgespec.diagnostic import CODES, Diagnostic, Severity, define
from bridgespec.errors import UsageError
from bridgespec.paths import expand
from bridgespec.spec.catalog import LANGUAGES
from bridgespec.version import VERSION

CHANGE = define(
    "schema-change",
    Severity.ERROR,
    """A version of a schema does not read or write what an earlier one did.

    `spec-diff OLD NEW` compares what both declare, then has the old one make files, which both read and write. An error is
    a file that the new one refuses, reads as something else or writes otherwise (with `-o` it is kept as a witness), or
    a declaration that no old file can keep: a field or a code that is gone, another type, another order. A warning is a declaration
    that differs while no file shows it.
    """,
)


def schema_files(sources: Sequence[str]) -> list[Path]:
    """Return the schema files in ``sources``, which are files, folders and patterns. Raises UsageError if a file is missing or
    no schema is found.
    """
    if not sources:
        raise UsageError("which schema? Give its file, or a folder of schemas")
    paths = [Path(one) for one in expand(sources, frozenset(suffix.lstrip(".") for suffix in LANGUAGES))]
    # `expand` yields a path that does not exist as it is.
    if missing := next((path for path in paths if not path.is_file()), None):
        raise UsageError(f"there is no file {missing}")
    if not paths:
        raise UsageError(f"there is no schema in {', '.join(sources)}: their names end in {' or '.join(LANGUAGES)}")
    return paths


def print_findings(settings: Settings, found: Iterable[Diagnostic], path: Path) -> None:
    """Print findings as text. A finding that names no file is about the schema at ``path``."""
    for one in found:
        print_diagnostic(settings.out, one, RenderSource.of_file(one.path or str(path)))


def print_as_data(found: Iterable[tuple[Diagnostic, Path]], output_format: str, lines: Iterable[str] = ()) -> None:
    """Print findings with their files as SARIF or as lines of JSON; the latter followed by ``lines``."""
    pairs = [(one, RenderSource.of_file(one.path or str(path))) for one, path in found]
    if output_format == "sarif":
        echo_json(sarif_log(pairs, CODES, VERSION))
    elif output_format == "json":
        for one, source in pairs:
            echo_json(json_line(one, source))
        for line in lines:
            echo_json(line)
