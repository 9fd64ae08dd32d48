"""JSON twins: what a sample holds in the model, and what is wrong with a broken one, as text that a reader can check.

    python -m tests.twins                     says which twins are missing or differ
    python -m tests.twins --update [FILE...]  writes them; then read each one: it is a claim about the file

A sample is ``tests/samples/<format>/NAME``, its twin ``NAME.json`` beside it; ``bad/NAME.json`` lists the findings.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bridgespec.api import Report, engine
from bridgespec.codec.bind import Origin
from bridgespec.codec.node import Node
from bridgespec.codec.plan import Inside, Plan, Rest
from bridgespec.diagnostic import Diagnostic
from bridgespec.export.json import tree

SAMPLES = Path(__file__).parent / "samples"


def samples() -> list[Path]:
    """Every valid sample, by path."""
    return sorted(path for path in SAMPLES.glob("*/*") if _is_sample(path))


def bad_samples() -> list[Path]:
    """Every broken sample, by path."""
    return sorted(path for path in SAMPLES.glob("*/bad/*") if _is_sample(path))


def format_of(path: Path) -> str:
    """The format of a sample: its folder's name."""
    return path.relative_to(SAMPLES).parts[0]


def twin_of(path: Path) -> Path:
    """Where the twin of a sample stands."""
    return path.with_name(path.name + ".json")


def examine(path: Path) -> Report:
    """A sample read as its folder's format."""
    return engine().examine(path.read_bytes(), format_of(path))


def expected(path: Path) -> object:
    """What the twin of a sample claims."""
    return json.loads(twin_of(path).read_text("utf-8"))


def actual(path: Path) -> object:
    """What the twin of a sample would say now."""
    report = examine(path)
    if path.parent.name == "bad":
        return [finding(diagnostic) for diagnostic in report.diagnostics]
    return document(report)


# --- findings ---------------------------------------------------------------------------------------------------------


def finding(diagnostic: Diagnostic) -> dict[str, Any]:
    """What a finding claims, its words left out."""
    out: dict[str, Any] = {"code": diagnostic.code, "severity": str(diagnostic.severity)}
    if diagnostic.record is not None:
        out["record"] = diagnostic.record
    if diagnostic.field is not None:
        out["field"] = diagnostic.field
    if diagnostic.span is not None:
        out["bytes"] = [diagnostic.span.byte_start, diagnostic.span.byte_stop]
        if diagnostic.span.bits is not None:
            out["bits"] = list(diagnostic.span.bits)
    if diagnostic.labels:
        out["labels"] = [[label.span.byte_start, label.span.byte_stop] for label in diagnostic.labels]
    return out


# --- documents --------------------------------------------------------------------------------------------------------


def document(report: Report) -> dict[str, Any]:
    """What a file holds: the model as the JSON exporter writes it, and ``fields``: what only the format has, by board."""
    out: dict[str, Any] = dict(tree(report.document))
    fields = own_fields(report)
    return {**out, "fields": fields} if fields else out


def own_fields(report: Report) -> object:
    """The fields that have no term and are not constant: of the file, then of each board; else the whole tree."""
    binder = engine().binder(report.spec)
    if not binder.terms and report.spec.language == "ksy":
        return _values(report.reading.root)
    of_file = dict(_kept(binder.file_plan, report.reading.root)) if binder.file_plan else {}
    of_boards = [
        dict(_kept(binder.board_plan, board.origin.node)) if binder.board_plan and isinstance(board.origin, Origin) else {}
        for board in report.document.boards
    ]
    if not of_file and not any(of_boards):
        return None
    return {**of_file, "boards": of_boards}


def _kept(plan: Plan, node: Node) -> Iterator[tuple[str, object]]:
    for entry in plan.entries:
        if entry.field.name not in node:
            continue
        child = node[entry.field.name]
        if isinstance(entry, Inside):
            yield from ((f"{entry.field.name}.{name}", value) for name, value in _kept(entry.plan, child))
        elif isinstance(entry, Rest) and entry.kept and not child.absent:
            yield entry.field.name, _values(child)


def _values(node: Node) -> object:
    if node.absent:
        return None
    if node.children is None:
        return node.value.hex(" ") if isinstance(node.value, bytes) else node.value
    if all(child.name.isdigit() for child in node.children):
        return [_values(child) for child in node.children]
    return {child.name: _values(child) for child in node.children}


# --- files and the command --------------------------------------------------------------------------------------------


def dump(value: object) -> str:
    """JSON with a line for whatever fits on one."""
    return _pretty(value, "") + "\n"


def _pretty(value: object, indent: str) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= 120 or not isinstance(value, list | dict) or not value:
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {_pretty(part, deeper)}" for key, part in value.items()]
        return "{\n" + ",\n".join(deeper + part for part in parts) + "\n" + indent + "}"
    return "[\n" + ",\n".join(deeper + _pretty(part, deeper) for part in value) + "\n" + indent + "]"


def _is_sample(path: Path) -> bool:
    return path.is_file() and path.suffix != ".json" and not path.name.startswith(".")


def main(arguments: list[str] | None = None) -> int:
    """Compare the twins with what is read now, or write them; the exit status is 1 where one is missing or differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.twins", description="Check or write the samples' JSON twins.")
    parser.add_argument("--update", action="store_true", help="write what differs")
    parser.add_argument("files", nargs="*", type=Path, help="samples (default: all)")
    options = parser.parse_args(arguments)
    chosen = {path.resolve() for path in options.files}
    status = 0
    for path in [*samples(), *bad_samples()]:
        if chosen and path.resolve() not in chosen:
            continue
        twin, text = twin_of(path), dump(actual(path))
        if twin.exists() and json.loads(twin.read_text("utf-8")) == json.loads(text):
            continue
        if options.update:
            twin.write_text(text, "utf-8")
        status = 0 if options.update else 1
        print(f"{'written' if options.update else 'differs' if twin.exists() else 'missing'}: {twin.relative_to(SAMPLES)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
