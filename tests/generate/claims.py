"""What holds for any bytes whatever, checked for one file: the claims of the fuzz target and of the suites."""

from __future__ import annotations

from collections.abc import Iterator

from bridgespec.api import Report, engine
from bridgespec.diagnostic import CODES, Diagnostic, Severity, Span


def examine(data: bytes, format: str) -> Report:
    """The file examined, with every claim checked.

    - Nothing is raised.
    - Every finding has a known code and a message, and its places lie inside the file.
    - Findings stand in file order.
    - A file without an error is written back byte for byte.
    """
    report = engine().examine(data, format)
    for diagnostic in report.diagnostics:
        _check(diagnostic, data, report)
    starts = [d.span.start for d in report.diagnostics if d.span is not None]
    assert starts == sorted(starts), "the findings are not in file order"
    if not report.errors:
        spelled = engine().spell(report.document, format)
        assert spelled.data == data, "a file without an error is not written back as it was"
    return report


def _check(diagnostic: Diagnostic, data: bytes, report: Report) -> None:
    own = {check.code for record in report.spec.records.values() for check in record.checks}
    own |= {field.binding.code for record in report.spec.records.values() for field in record.fields if field.binding.code}
    assert diagnostic.code in CODES.keys() | own, f"{diagnostic.code} is defined nowhere"
    assert diagnostic.message.strip(), f"{diagnostic.code} says nothing"
    assert isinstance(diagnostic.severity, Severity)
    for span in _spans(diagnostic):
        assert 0 <= span.start <= span.stop <= 8 * len(data), f"{diagnostic.code}: {span} is not inside {len(data)} bytes"
    for edit in diagnostic.fix.edits if diagnostic.fix else ():
        assert 0 <= edit.start <= edit.stop <= len(data), f"{diagnostic.code}: a fix outside the file"
    assert diagnostic.record is None or diagnostic.record >= 0


def _spans(diagnostic: Diagnostic) -> Iterator[Span]:
    if diagnostic.span is not None:
        yield diagnostic.span
    for label in diagnostic.labels:
        yield label.span
