"""JSON twins: the content of a sample in the model, or the findings on a broken one, as text that a person can check.

A sample is a file, its twin the file of the same name with ``.json`` added. The twin of a valid sample is its document; the twin of
a broken sample, in a folder ``bad``, is the list of its findings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bridgespec.codec.binding_words import entry_of
from bridgespec.codec.declaration import Declaration
from bridgespec.codec.node import FieldNode
from bridgespec.codec.origin import Origin
from bridgespec.diagnostic import Diagnostic
from bridgespec.engines import Engine
from bridgespec.examined import Report
from bridgespec.export.json import tree
from bridgespec.sources import is_source, read_source


def twin_of(path: Path) -> Path:
    """Return the path of the twin of a sample."""
    return path.with_name(path.name + ".json")


def claim(engine: Engine, path: Path, format: str) -> object:
    """Return the content of a sample's twin as computed now, for comparison with its file: a document, or a list of findings."""
    report = engine.examine(read_source(path), format)
    if path.parent.name == "bad":
        return [finding(diagnostic) for diagnostic in report.diagnostics]
    return document(engine, report)


def is_sample(path: Path) -> bool:
    """Whether a file is a sample, not a twin."""
    return is_source(path) and path.suffix != ".json" and not path.name.startswith(".")


# --- findings ---------------------------------------------------------------------------------------------------------


def finding(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a finding as JSON: its code and positions, without message and help, whose wording may change."""
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


def document(engine: Engine, report: Report) -> dict[str, Any]:
    """Return the content of a file as JSON: the model as the exporter writes it, and under ``fields`` those fields of the format
    that have no term.
    """
    out: dict[str, Any] = dict(tree(report.document))
    fields = own_fields(engine, report)
    return {**out, "fields": fields} if fields else out


def own_fields(engine: Engine, report: Report) -> object:
    """Return the fields that have no term and are not constant: those of the file, and under ``boards`` those of each board.

    Return the whole tree for a binary format without terms, and None for text formats, or where there is no such field.
    """
    binder = engine.of(report.spec).binder
    if not binder.terms and report.spec.language == "ksy":
        return _values(report.reading.root)
    if binder.top.of_text:
        return None
    of_file = dict(_own_values(binder.top, report.reading.root)) if binder.board is not binder.top else {}
    of_boards = [
        dict(_own_values(binder.board, board.origin.node)) if binder.board is not None and isinstance(board.origin, Origin) else {}
        for board in report.document.boards
    ]
    if not of_file and not any(of_boards):
        return None
    return {**of_file, "boards": of_boards}


def _own_values(decl: Declaration, node: FieldNode) -> Iterator[tuple[str, object]]:
    """Yield the dotted name and value of each field below a node that has no term and is not constant."""
    for name, inner in decl.fields.items():
        if name not in node:
            continue
        child, kind = node[name], entry_of(inner).kind
        if kind == "look" and not inner.many:
            yield from ((f"{name}.{below}", value) for below, value in _own_values(inner, child))
        elif kind == "rest" and not inner.fixed and not child.absent:
            yield name, _values(child)


def _values(node: FieldNode) -> object:
    """Return the value of a node as JSON: null if absent, bytes as hexadecimal digits, arrays as lists, records as objects."""
    if node.absent:
        return None
    if node.children is None:
        return node.value.hex(" ") if isinstance(node.value, bytes) else node.value
    if all(child.name.isdigit() for child in node.children):
        return [_values(child) for child in node.children]
    return {child.name: _values(child) for child in node.children}


def dump(value: object) -> str:
    """Return JSON text with each value that fits into 120 characters on one line."""
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
