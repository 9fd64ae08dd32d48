"""The suite's broken schemas: each must be refused, or warned of, with a place in every message."""

from __future__ import annotations

import re
from pathlib import Path

from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.spec import ksy
from tests.conformance.suite import Result, guarded


def run_all(suite: Path) -> list[Result]:
    """Every schema of ``formats_err``; where the suite expects a warning, a warning counts."""
    files = sorted((suite / "formats_err").glob("*.ksy"))
    return [guarded(path.stem, lambda path=path: run(suite, path)) for path in files]  # type: ignore[misc]


def run(suite: Path, path: Path) -> str:
    """Why a broken schema is not treated as it should be; nothing where it is."""
    head = path.read_text("utf-8").split("\nmeta", 1)[0]
    warning = re.search(r"^#\s+warning:", head, re.M) is not None and "error:" not in head
    search = [suite / "formats_err" / "ks_path", suite / "formats" / "ks_path"]
    try:
        found: tuple[object, ...] = ksy.load(path, search).warnings
        if not warning:
            return "accepted"
    except SpecError as error:
        found = error.diagnostics
    placed = [d for d in found if isinstance(d, Diagnostic) and d.span is not None and d.span.line and d.span.column]
    if not placed or len(placed) != len(found):
        return "no finding with a line and a column"
    return ""
