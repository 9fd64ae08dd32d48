"""Repairs that rules propose in terms of the model, as edits of the file's bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bridgespec.api import Report
from bridgespec.cli.settings import Settings
from bridgespec.diagnostic import Diagnostic, Edit, Fix
from bridgespec.errors import BridgespecError
from bridgespec.model.document import Document
from bridgespec.rules import Finding, Repair, findings

AT_MOST = 100
FEWEST = 5
WORK = 2_000_000
"""Repairs are worked out for a file as long as writing it so often takes no more than so many bytes."""

LONGEST = 64
"""A repair that changes more bytes than these does more than it says."""

Key = tuple[str, int | None, str]


def with_repairs(settings: Settings, report: Report) -> tuple[Diagnostic, ...]:
    """The findings of a report, those for which a rule knows a repair with the edits that make it.

    The edits are what changes when the repaired document is written in its own format: nothing else can.
    """
    if not report.diagnostics:
        return ()
    at_most = min(AT_MOST, max(FEWEST, WORK // (len(report.reading.data) + 1)))
    known: dict[Key, Finding] = {}
    for finding in findings(report.document):
        if finding.fix is not None and len(known) < at_most:
            known[finding.code, finding.board, finding.message] = finding
    return tuple(_with_repair(settings, report, found, known) for found in report.diagnostics) if known else report.diagnostics


def _with_repair(settings: Settings, report: Report, found: Diagnostic, known: dict[Key, Finding]) -> Diagnostic:
    finding = known.get((found.code, found.record, found.message))
    if found.fix is not None or finding is None or finding.fix is None:
        return found
    edit = _edit(settings, report, finding.board, finding.fix)
    return replace(found, fix=Fix(finding.fix.description, (edit,), finding.fix.safe)) if edit else found


def _edit(settings: Settings, report: Report, board: int | None, repair: Repair) -> Edit | None:
    repaired = _repaired(report.document, board, repair)
    try:
        after = settings.engine.spell(repaired, report.spec.id).data if repaired is not None else None
    except BridgespecError:
        return None
    edit = difference(report.reading.data, after) if after is not None else None
    return edit if edit is not None and max(edit.stop - edit.start, len(edit.replacement)) <= LONGEST else None


def _repaired(document: Document, board: int | None, repair: Repair) -> Document | None:
    """The document with the repair made; None where its place is none of the kinds that repairs have."""
    match repair.at:
        case (str(term),) if board is not None:
            boards = list(document.boards)
            change: dict[str, Any] = {term: repair.value}
            boards[board] = replace(boards[board], **change)
            return replace(document, boards=tuple(boards))
        case ("system", int(index)) if document.system is not None:
            records: list[Any] = list(document.system.records)
            records[index] = repair.value
            return replace(document, system=replace(document.system, records=tuple(records)))
    return None


def difference(before: bytes, after: bytes) -> Edit | None:
    """The one edit that makes the second of the first; None where they are equal.

    >>> difference(b"one two", b"one too")
    Edit(start=5, stop=6, replacement=b'o')
    """
    if before == after:
        return None
    shorter = min(len(before), len(after))
    start = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    end = next((i for i in range(shorter - start) if before[-1 - i] != after[-1 - i]), shorter - start)
    return Edit(start, len(before) - end, after[start : len(after) - end])
