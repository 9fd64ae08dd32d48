"""The suite's broken schemas: each must be refused, or warned of, with a place in every message.

A schema says in its first lines what the Kaitai compiler reports; two files of the folder say nothing there, since they are
sound and only imported by others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.spec.kaitai import schema as ksy
from bridgespec.spec.problems import Problems
from bridgespec.spec.yaml import Items, Map, Yaml, load_yaml
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
    """Why a broken schema is not treated as it should be; nothing where it is.

    Every finding has a line and a column, and one of the expected severity stands where the suite says that the mistake is.
    """
    search = [suite / "formats_err" / "ks_path", suite / "formats" / "ks_path"]
    try:
        found: tuple[object, ...] = ksy.load(path, search).warnings
        if kind == "error":
            return "accepted"
    except SpecError as error:
        found = error.diagnostics
    placed = [d for d in found if isinstance(d, Diagnostic) and d.span is not None and d.span.line and d.span.column]
    if not placed or len(placed) != len(found):
        return "no finding with a line and a column"
    wanted = list(expected(path, kind))
    told = [(d.path or "", d.span.line or 0) for d in placed if d.severity == kind and d.span is not None]
    if wanted and not any(Path(file).name == name and first <= line <= last for name, first, last in wanted for file, line in told):
        return f"expected at {wanted}, found at {sorted({line for _, line in told})}: {placed[0].message}"
    return ""


_EXPECTED = re.compile(r"^# ([^\s:]+\.ksy):\s?(\S*):\s*\n#\s+(error|warning):", re.M)


def expected(path: Path, kind: str) -> Iterator[tuple[str, int, int]]:
    """Where the suite expects findings of a kind: the file, and its first and last line."""
    for name, place, said in _EXPECTED.findall(path.read_text("utf-8").split("\nmeta", 1)[0]):
        file = path.with_name(name)
        if said != kind or not file.exists():
            continue
        if re.fullmatch(r"[0-9]+:[0-9]+", place):
            yield name, int(place.partition(":")[0]), int(place.partition(":")[0])
            continue
        tree = load_yaml(file.read_text("utf-8"), name, Problems())
        if tree is not None:
            yield name, *lines_of(tree, [step for step in place.split("/") if step])


def lines_of(tree: Yaml, steps: list[str]) -> tuple[int, int]:
    """The lines of what a path leads to, its key included; of the last that is there where the whole path is not."""
    first = tree.place.line
    for step in steps:
        bare = re.sub(r"^\w+\((?:identifier\()?(.*?)\)*$", r"\1", step)
        if isinstance(tree, Map) and (key := next((k for k in (step, bare) if k in tree), None)) is not None:
            first, tree = tree.keys[key].place.line, tree.values[key]
        elif isinstance(tree, Items) and step.isdigit() and int(step) < len(tree.items):
            tree = tree.items[int(step)]
            first = tree.place.line
        else:
            break
    return first, max(first, last_line(tree))


def last_line(tree: Yaml) -> int:
    """The last line on which something of a value begins."""
    inner = list(tree.values.values()) if isinstance(tree, Map) else tree.items if isinstance(tree, Items) else []
    return max([tree.place.line, *map(last_line, inner)])
