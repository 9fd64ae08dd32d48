"""Convert diagnostics to SARIF 2.1.0, the format that code-scanning services and editors read."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from urllib.parse import quote

from bridgespec.cli.render_marks import JsonObject, RenderSource, decode
from bridgespec.diagnostic import Code, Diagnostic, Edit, Fix, Severity, Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def sarif_log(findings: Iterable[tuple[Diagnostic, RenderSource]], codes: Mapping[str, Code], version: str) -> str:
    """Return a log with one run that has all findings; its rules are the codes that occur, each with its page.

    Positions in text files are lines and columns and byte offsets, in binary files byte offsets; the range of bits is in the
    result's properties, because SARIF has no field for it.
    """
    listed = list(findings)
    names = sorted({diagnostic.code for diagnostic, _ in listed})
    index = {name: number for number, name in enumerate(names)}
    driver = {
        "name": "bridgespec",
        "version": version,
        "semanticVersion": version,
        "rules": [_rule(name, codes.get(name)) for name in names],
    }
    # SARIF requires the form of SemVer; a version without it is left out.
    if not version[:1].isdigit():
        del driver["semanticVersion"]
    run: JsonObject = {
        "tool": {"driver": driver},
        # `RenderSource.place` counts the characters of Python; SARIF also knows UTF-16 code units.
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, source, index) for diagnostic, source in listed],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _rule(name: str, code: Code | None) -> JsonObject:
    if code is None:
        return {"id": name, "shortDescription": {"text": name.replace("-", " ")}}
    return {
        "id": name,
        "shortDescription": {"text": code.summary or name},
        "fullDescription": {"text": code.page or name},
        "help": {"text": code.page or name, "markdown": code.page or name},
        "defaultConfiguration": {"level": LEVELS[code.severity]},
    }


def _result(diagnostic: Diagnostic, source: RenderSource, index: Mapping[str, int]) -> JsonObject:
    path = diagnostic.path or source.path or "-"
    text = diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else "")
    location: JsonObject = {"physicalLocation": _physical(path, diagnostic.span, source)}
    if diagnostic.field:
        location["logicalLocations"] = [{"fullyQualifiedName": diagnostic.field, "kind": "member"}]
    result: JsonObject = {
        "ruleId": diagnostic.code,
        "ruleIndex": index[diagnostic.code],
        "level": LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [location],
    }
    if diagnostic.labels:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(path, label.span, source), "message": {"text": label.text}}
            for number, label in enumerate(diagnostic.labels)
        ]
    if diagnostic.fix:
        result["fixes"] = [_fix(diagnostic.fix, path, source)]
    properties = _properties(diagnostic)
    if properties:
        result["properties"] = properties
    return result


def _properties(diagnostic: Diagnostic) -> JsonObject:
    properties: JsonObject = {}
    if diagnostic.record is not None:
        properties["record"] = diagnostic.record
    if diagnostic.span and diagnostic.span.bits:
        properties["bits"] = list(diagnostic.span.bits)
        properties["bitOrder"] = "low" if diagnostic.span.lsb else "high"
    if diagnostic.fix:
        properties["safeFix"] = diagnostic.fix.safe
    return properties


def _artifact(path: str) -> JsonObject:
    # A URI (RFC 3986) has neither blanks nor backslashes.
    return {"uri": quote(PurePath(path).as_posix()) if path != "-" else "stdin"}


def _physical(path: str, span: Span | None, source: RenderSource) -> JsonObject:
    physical: JsonObject = {"artifactLocation": _artifact(path)}
    if span is not None:
        physical["region"] = _region(span, source)
    return physical


def _region(span: Span, source: RenderSource) -> JsonObject:
    region: JsonObject = {"byteOffset": span.byte_start, "byteLength": max(0, span.byte_stop - span.byte_start)}
    located = source.located(span)
    if located.line is not None:
        region |= {"startLine": located.line, "startColumn": located.column or 1}
        if source.data is not None:
            line, column = source.place(source.drawn_at(span.byte_stop))
            region |= {"endLine": line, "endColumn": column}
    return region


def _fix(fix: Fix, path: str, source: RenderSource) -> JsonObject:
    replacements = [
        {"deletedRegion": _edit_region(edit, source), "insertedContent": _content(edit.replacement, source)} for edit in fix.edits
    ]
    change = {"artifactLocation": _artifact(path), "replacements": replacements}
    return {"description": {"text": fix.description}, "artifactChanges": [change]}


def _edit_region(edit: Edit, source: RenderSource) -> JsonObject:
    return _region(Span.of_bytes(edit.start, edit.stop - edit.start), source)


def _content(data: bytes, source: RenderSource) -> JsonObject:
    if source.text:
        return {"text": decode(data)}
    return {"binary": base64.b64encode(data).decode("ascii")}
