"""Reports of files: `report` combines what could not be read with the findings of the rules of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING

from bridgespec.codec.node import Reading
from bridgespec.codec.origin import FileOrigin, ModelSpans
from bridgespec.codec.shared_findings import MOST, TOO_MANY, closing
from bridgespec.diagnostic import Diagnostic, Label, Severity, Span
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.rules import Finding, findings
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec import causes
else:
    # Only a binary file with errors needs it.
    causes = Lazy("bridgespec.codec.causes")


@dataclass(frozen=True, slots=True)
class Report:
    """The result of checking a file: its spec, its tree, its document, and every finding in file order. One for each call.

    ``proposed`` contains the rules' findings with their proposed repairs, by the index in ``diagnostics``.
    """

    spec: Spec
    reading: Reading
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    proposed: Mapping[int, Finding] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings of severity error."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    @property
    def unread(self) -> tuple[Diagnostic, ...]:
        """The findings about what was not read into the document, whatever their severity: errors, and values of a text format that
        do not match the rule of their key.
        """
        return unread(self.spec, self.diagnostics)


def unread(spec: Spec, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return those of the diagnostics that are about values which were not read into the document, as `Report.unread`."""
    codes = spec.text.unread if isinstance(spec.text, Grammar) else frozenset()
    return tuple(d for d in diagnostics if d.severity is Severity.ERROR or (d.code in codes and _stated([d.span])))


def report(
    spec: Spec,
    places: ModelSpans,
    reading: Reading,
    document: Document,
    path: str | None,
    rules: bool,
    codec: object | None = None,
) -> Report:
    """Return the report of what was read; with ``rules`` the rules of the game are applied.

    With the ``codec`` that read a whole file, findings that follow from another one are left out. It is not passed for an excerpt
    of a file: the value that causes its errors may be outside it.
    """
    cause = causes.explained(codec, reading) if codec is not None and reading.diagnostics else None
    of_reading = reading.diagnostics if cause is None else cause
    found: list[tuple[Diagnostic, Finding | None]] = [(replace(d, path=path), None) for d in of_reading if d.code != TOO_MANY.name]
    dropped = 0
    if rules:
        of_rules, dropped = _rule_findings(places, document, errors_by_record(reading), path)
        found += of_rules
    # A cause replaces the errors that follow from it, those that were not kept included.
    found += ((d, None) for d in closing((reading.dropped if cause is None else 0) + dropped))
    found.sort(key=lambda pair: place_of(pair[0]))
    proposed = {index: rule for index, (_, rule) in enumerate(found) if rule is not None and rule.fix is not None}
    return Report(spec, reading, document, tuple(reading.placed(d) for d, _ in found), proposed)


def _rule_findings(
    places: ModelSpans, document: Document, unread: dict[int, list[Diagnostic]], path: str | None
) -> tuple[list[tuple[Diagnostic, Finding | None]], int]:
    """Return the findings of the rules of the game with their spans, at most `MOST`, and the number of those left out.

    ``unread`` are the errors of reading by record: a finding that follows from one of them is dropped.
    """
    if isinstance(document.origin, FileOrigin):
        # Rules ask for nearly all fields of nearly all boards: binding them together is cheaper than one by one.
        document.origin.sequence.at_once = True
    raised = findings(document)
    if len(raised) > MOST:
        raised = _in_turn(raised)
    found: list[tuple[Diagnostic, Finding | None]] = []
    for index, finding in enumerate(raised):
        if len(found) >= MOST:
            return found, len(raised) - index
        one = _diagnostic(places, document, finding, path, unread)
        if one is not None:
            found.append((one, finding))
    return found, 0


def placed(places: ModelSpans, reading: Reading, document: Document, finding: Finding, path: str | None) -> Diagnostic | None:
    """Return a rule's finding as a diagnostic with a span; None if it follows from an unreadable part, or the file does not state
    its ``stated`` path.
    """
    return _diagnostic(places, document, finding, path, errors_by_record(reading))


def _diagnostic(
    places: ModelSpans, document: Document, finding: Finding, path: str | None, unread: dict[int, list[Diagnostic]]
) -> Diagnostic | None:
    """Return the diagnostic of a rule's finding as `placed` does, with the errors of reading by record already collected."""
    if finding.stated is not None and not _stated(places.spans(document, finding.board, finding.stated)):
        return None
    where, span = places.place(document, finding.board, finding.at)
    labels = tuple(
        Label(spans[0], text)
        for place, text in finding.labels
        if (spans := places.spans(document, finding.board, place)) and spans[0] != span
    )
    one = Diagnostic(finding.code, finding.severity, finding.message, path, finding.board, where, span, labels, finding.help)
    return None if follows(one, unread) else one


_GRAVITY = {severity: index for index, severity in enumerate(Severity)}
"""The sort key of each severity: the highest first."""


def _in_turn(raised: Iterable[Finding]) -> list[Finding]:
    """Return findings by severity, the highest first; within a severity the first finding of each code, then the second of each.

    When only the first findings are kept, no code displaces the others.
    """
    turns: Counter[str] = Counter()
    keyed: list[tuple[int, int, Finding]] = []
    for finding in raised:
        turns[finding.code] += 1
        keyed.append((_GRAVITY[finding.severity], turns[finding.code], finding))
    return [finding for *_, finding in sorted(keyed, key=itemgetter(0, 1))]


def _stated(spans: Iterable[Span | None]) -> bool:
    """Whether one of the spans is not empty."""
    return any(span is not None and span.stop > span.start for span in spans)


def place_of(found: Diagnostic) -> float:
    """Return the sort key of a finding: its first bit. Findings without a span come first, but the note about dropped ones last."""
    if found.span is not None:
        return found.span.start
    return inf if found.code == TOO_MANY.name else -1


def errors_by_record(reading: Reading) -> dict[int, list[Diagnostic]]:
    """Return the errors of reading by the index of their record; errors outside of records are left out."""
    errors: dict[int, list[Diagnostic]] = {}
    for d in reading.diagnostics:
        if d.severity is Severity.ERROR and d.record is not None:
            errors.setdefault(d.record, []).append(d)
    return errors


def follows(finding: Diagnostic, unread: dict[int, list[Diagnostic]]) -> bool:
    """Whether the cause of a rule's finding is an unreadable part of the same record; ``unread`` are the errors by record."""
    span = finding.span
    for d in unread.get(finding.record, ()) if finding.record is not None else ():
        # What is missing at the end of a record could have been anything, so every finding on that record may follow from it.
        if d.code == "truncated":
            return True
        if span is not None and d.span is not None and d.span.start < span.stop and span.start < d.span.stop:
            return True
    return False
