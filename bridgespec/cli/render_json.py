"""Diagnostics as JSON: one object per line, with all keys always present."""

from __future__ import annotations

import json

from bridgespec.cli.render_marks import JsonObject, RenderSource
from bridgespec.diagnostic import Diagnostic, Fix, Span


def json_line(diagnostic: Diagnostic, source: RenderSource) -> str:
    """Return one diagnostic on one line.

    ``record`` and the indexes of ``field`` count from 0, though messages and the text output count boards from 1;
    ``line`` and ``column`` count from 1; ``span`` is half-open in bytes, its ``bits`` half-open from
    the start of the first byte (null where the span is whole bytes), numbered from the ``low`` or the ``high`` end of a byte.
    The replacement in an edit is in hexadecimal.

    >>> from bridgespec.diagnostic import Severity
    >>> finding = Diagnostic("x", Severity.NOTE, "m", "a.bin", span=Span(8, 12, lsb=True))
    >>> json.loads(json_line(finding, RenderSource()))["span"]
    {'start': 1, 'stop': 2, 'bits': [0, 4], 'bit_order': 'low'}
    """
    return json.dumps(json_value(diagnostic, source), ensure_ascii=False)


def json_value(diagnostic: Diagnostic, source: RenderSource) -> JsonObject:
    """Return a diagnostic as a dictionary of JSON values."""
    span = source.located(diagnostic.span) if diagnostic.span else None
    return {
        "code": diagnostic.code,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "path": diagnostic.path or source.path,
        "record": diagnostic.record,
        "field": diagnostic.field,
        "span": _span(span) if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "labels": [_label(source.located(label.span), label.text) for label in diagnostic.labels],
        "help": diagnostic.help,
        "fix": _fix(diagnostic.fix) if diagnostic.fix else None,
    }


def _span(span: Span) -> JsonObject:
    return {
        "start": span.byte_start,
        "stop": span.byte_stop,
        "bits": list(span.bits) if span.bits else None,
        "bit_order": ("low" if span.lsb else "high") if span.bits else None,
    }


def _label(span: Span, text: str) -> JsonObject:
    return {"text": text, "span": _span(span), "line": span.line, "column": span.column}


def _fix(fix: Fix) -> JsonObject:
    edits = [{"start": edit.start, "stop": edit.stop, "replacement": edit.replacement.hex()} for edit in fix.edits]
    return {"description": fix.description, "safe": fix.safe, "edits": edits}
