"""The suite's broken schemas: each must be refused, or warned of, with a place in every message.

A schema says in its first lines what the Kaitai compiler reports; two files of the folder say nothing there, since they are
sound and only imported by others.
"""

from __future__ import annotations

import re
from pathlib import Path

from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.spec.kaitai import schema as ksy
from tests.conformance.suite import Result, guarded


def run_all(suite: Path, kind: str) -> list[Result]:
    """Every schema that has an expected ``error``, or an expected ``warning`` and no error."""
    files = [path for path in sorted((suite / "formats_err").glob("*.ksy")) if kind_of(path) == kind]
    return [guarded(path.stem, lambda path=path: run(suite, path, kind)) for path in files]  # type: ignore[misc]


def kind_of(path: Path) -> str | None:
    """What a schema's first lines expect."""
    head = path.read_text("utf-8").split("\nmeta", 1)[0]
    found = re.findall(r"^#\s+(error|warning):", head, re.M)
    if head.startswith("# ?"):
        return "error"
    return ("error" if "error" in found else "warning") if found else None


def run(suite: Path, path: Path, kind: str) -> str:
    """Why a broken schema is not treated as it should be; nothing where it is."""
    search = [suite / "formats_err" / "ks_path", suite / "formats" / "ks_path"]
    try:
        found: tuple[object, ...] = ksy.load(path, search).warnings
        if kind == "error":
            return "accepted"
    except SpecError as error:
        found = error.diagnostics
    placed = [d for d in found if isinstance(d, Diagnostic) and d.span is not None and d.span.line and d.span.column]
    return "" if placed and len(placed) == len(found) else "no finding with a line and a column"
