"""What holds for any bytes whatever, checked for one file: the claims of the fuzz target and of the suites."""

from __future__ import annotations

from collections.abc import Iterator

from bridgespec.codec.node import plain
from bridgespec.diagnostic import CODES, Diagnostic, Severity, Span
from bridgespec.docs.codes import declared
from bridgespec.examined import Report
from bridgespec.spec.ir import Spec
from tests.generate.house import engine


def examine(data: bytes, format: str) -> Report:
    """The file examined, with every claim checked.

    - Nothing is raised.
    - Every finding has a known code and a message, and its places lie inside the file.
    - Findings stand in file order.
    - A file without an error, or of which anything is known, is written back byte for byte.
    """
    report = engine().examine(data, format)
    for diagnostic in report.diagnostics:
        _check(diagnostic, data, report)
    starts = [d.span.start for d in report.diagnostics if d.span is not None]
    assert starts == sorted(starts), "the findings are not in file order"
    if not report.errors or report.document.boards:
        assert written_back(report) == data, "the file is not written back as it was"
    return report


def written_back(report: Report) -> bytes:
    """The file spelled from its document, or from its plain values where it has no meaning in the model."""
    if engine().of(report.spec).binder.terms or report.spec.language == "lark":
        return engine().spell(report.document, report.spec.id).data
    return engine().of(report.spec).codec.write(plain(report.reading.root))


def _check(diagnostic: Diagnostic, data: bytes, report: Report) -> None:
    assert diagnostic.code in CODES.keys() | own_codes(report.spec), f"{diagnostic.code} is defined nowhere"
    assert diagnostic.message.strip(), f"{diagnostic.code} says nothing"
    assert isinstance(diagnostic.severity, Severity)
    for span in _spans(diagnostic):
        assert 0 <= span.start <= span.stop <= 8 * len(data), f"{diagnostic.code}: {span} is not inside {len(data)} bytes"
    for edit in diagnostic.fix.edits if diagnostic.fix else ():
        assert 0 <= edit.start <= edit.stop <= len(data), f"{diagnostic.code}: a fix outside the file"
    assert diagnostic.record is None or diagnostic.record >= 0


def own_codes(spec: Spec) -> set[str]:
    """The codes that a schema names itself: those that have a page because it does."""
    return {one.code for one in declared(spec)}


def _spans(diagnostic: Diagnostic) -> Iterator[Span]:
    if diagnostic.span is not None:
        yield diagnostic.span
    for label in diagnostic.labels:
        yield label.span
