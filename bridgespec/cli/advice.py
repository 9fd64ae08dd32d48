"""Advice on findings: a fix as edits of the file's bytes where one is known, else the schema's documentation of the field.

`advised` returns a report with both. A fix is computed by writing the document in its own format: repaired as a rule proposes
(`_rule_fix`), or with a field that the schema alone determines encoded anew (`_schema_fix`). The edits are the difference to the
file (`_edits`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

from bridgespec.cli.settings import Settings
from bridgespec.codec.anatomy import groups_of
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import FieldNode, Reading, is_array, plain
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity
from bridgespec.errors import BridgespecError
from bridgespec.examined import Report
from bridgespec.model.document import Document
from bridgespec.rules import Finding, Repair
from bridgespec.spec.ir import BytesType

MOST_FIXES, FEWEST_FIXES = 100, 5
WORK = 2_000_000
"""The limit on the size of a file in bytes times the number of its fixes; up to `FEWEST_FIXES` are computed whatever its size."""
LONGEST = 64
"""The maximum number of bytes that one edit of a fix may change: longer ones change more than its description states."""
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def advised(settings: Settings, report: Report) -> Report:
    """Return the report with a fix or a help for every finding that can have one."""
    if not report.diagnostics:
        return report
    fixed = replace(report, diagnostics=_with_fixes(settings, report))
    return replace(fixed, diagnostics=tuple(_with_help(fixed, found) for found in fixed.diagnostics))


def _with_fixes(settings: Settings, report: Report) -> tuple[Diagnostic, ...]:
    """Return the findings of a report, with a fix added to each that has none and can be fixed, until the limit is reached."""
    # Each fix writes the whole file once: the cost is their number times the size of the file.
    left = min(MOST_FIXES, max(FEWEST_FIXES, WORK // (len(report.reading.data) + 1)))
    fixed: list[Diagnostic] = []
    for index, found in enumerate(report.diagnostics):
        fix = found.fix
        if fix is None and left > 0:
            finding = report.proposed.get(index)
            if finding is not None:
                fix, left = _rule_fix(settings, report, found, finding), left - 1
            elif _is_determined(settings, report, found):
                fix, left = _schema_fix(settings, report, found), left - 1
        fixed.append(found if fix is found.fix else replace(found, fix=fix))
    return tuple(fixed)


def _rule_fix(settings: Settings, report: Report, found: Diagnostic, finding: Finding) -> Fix | None:
    """Return the fix for a repair of the model that a rule proposes; None where the repaired document cannot be written."""
    repaired = _repaired(report.document, finding.board, finding.fix) if finding.fix else None
    if repaired is None or finding.fix is None:
        return None
    try:
        # Losses are not needed, and finding them takes as long as writing.
        after = settings.engine.spell(repaired, report.spec.id, report_losses=False).data
    except BridgespecError:
        return None
    return _fix(settings, report, found, after, finding.fix.description, finding.fix.safe)


def _repaired(document: Document, board: int | None, repair: Repair) -> Document | None:
    """Return the document with a repair applied to a board; None for a model path that no repair can change."""
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


def _is_determined(settings: Settings, report: Report, found: Diagnostic) -> bool:
    """Return whether a finding is on a field whose value the schema alone determines: a constant or a derived value."""
    if not found.field or not isinstance(settings.engine.of(report.spec).codec, BinaryCodec):
        return False
    node = _node_at(report.reading.root, found.field)
    if node is None or node.broken or node.decl is None or node.decl.repeat is not None:
        return False
    constant = isinstance(node.decl.type, BytesType) and node.decl.type.contents is not None
    return constant or node.decl.binding.value is not None


def _schema_fix(settings: Settings, report: Report, found: Diagnostic) -> Fix | None:
    """Return the fix of a field whose value the schema alone determines; it is safe if the finding is only a warning."""
    codec = settings.engine.of(report.spec).codec
    values = plain(report.reading.root)
    if not isinstance(codec, BinaryCodec) or not found.field or not _remove(values, found.field):
        return None
    try:
        after = codec.write(values)
    except BridgespecError:
        return None
    return _fix(settings, report, found, after, "write what the schema demands", found.severity is Severity.WARNING)


def _remove(values: Any, path: str) -> bool:
    """Remove the value at a dotted path from plain values. Return False where there is none."""
    *way, last = _steps(path)
    for step in way:
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            return False
    if not isinstance(values, dict) or last not in values:
        return False
    # A writer computes constants and derived values that are missing.
    del values[last]
    return True


def _fix(settings: Settings, report: Report, found: Diagnostic, after: bytes, description: str, safe: bool) -> Fix | None:
    """Return the fix that changes the file into ``after`` in the record of the finding; None for no change, or too long a one."""
    edits = _edits(settings, report, found, after)
    if not edits or any(max(edit.stop - edit.start, len(edit.replacement)) > LONGEST for edit in edits):
        return None
    return Fix(description, edits, safe)


def _edits(settings: Settings, report: Report, found: Diagnostic, after: bytes) -> tuple[Edit, ...]:
    """Return the edits that turn the file into the repaired one, ``after``, in the record of a finding only.

    Writing a document also corrects other faults, which have findings and fixes of their own.
    """
    data = report.reading.file_data
    edit = difference(data, after)
    parts = _parts(report.reading)
    place = found.span.start // 8 if found.span is not None else -1
    own = next((part for part in parts if part.record and part.start <= place < part.stop), None)
    if edit is None or own is None or own.start <= edit.start <= edit.stop <= own.stop:
        return () if edit is None else (edit,)
    repaired = _parts(settings.engine.of(report.spec).codec.read(after))
    # The records of both files do not correspond: their differences are not the repair.
    if len(parts) != len(repaired):
        return ()
    edits = []
    for one, two in zip(parts, repaired, strict=True):
        if one is own or not one.record:
            change = difference(data[one.start : one.stop], after[two.start : two.stop])
            edits += [Edit(one.start + change.start, one.start + change.stop, change.replacement)] if change is not None else []
    return tuple(edits)


@dataclass(frozen=True)
class _FileRange:
    """A record of a file, or the fields between records, as a range of bytes."""

    record: bool
    start: int
    stop: int


def _parts(reading: Reading) -> list[_FileRange]:
    """Return the records of a file and the fields between them, in order, as ranges of the file's bytes in its own encoding."""
    # `in_file` adds the byte order mark to each text, and the odd last byte of a damaged UTF-16 file.
    mark = len(reading.in_file(b""))
    text, place = 0, 0
    made = []
    for group in groups_of(reading.root):
        start, stop = group.node.start // 8, group.node.stop // 8
        if reading.encoding is not None:
            place += len(reading.in_file(reading.data[text:start])) - mark
            text, start, stop = stop, place + mark, place + len(reading.in_file(reading.data[start:stop]))
            place = stop - mark
        made.append(_FileRange(group.number is not None, start, stop))
    return made


def difference(before: bytes, after: bytes) -> Edit | None:
    """Return the single edit that changes ``before`` into ``after``; None where they are equal.

    >>> difference(b"one two", b"one too")
    Edit(start=5, stop=6, replacement=b'o')
    """
    if before == after:
        return None
    shorter = min(len(before), len(after))
    # Prefixes are equal up to some length and differ from there on: a bisection finds it, each step by a comparison in C.
    start = bisect_left(range(shorter), True, key=lambda size: before[: size + 1] != after[: size + 1])
    left, right = before[start:], after[start:]
    end = bisect_left(range(shorter - start), True, key=lambda size: left[-1 - size :] != right[-1 - size :])
    return Edit(start, len(before) - end, after[start : len(after) - end])


def _with_help(report: Report, found: Diagnostic) -> Diagnostic:
    """Return an error or warning on one field, without a help or a fix, with the schema's documentation of the field as help."""
    if found.help or found.fix or found.severity is Severity.NOTE or not found.field or found.span is None:
        return found
    node = _node_at(report.reading.root, found.field)
    if node is None or node.decl is None or node.children is not None or not node.decl.doc:
        return found
    # The documentation of a field explains its value, not a mark at some byte inside or around it.
    if (found.span.start, found.span.stop) != (node.start, node.stop):
        return found
    return replace(found, help=f"the schema says of `{node.decl.name}`: {' '.join(node.decl.doc.split())}")


def _node_at(root: FieldNode, path: str) -> FieldNode | None:
    """Return the node of a dotted path (``boards[1].deal[0]``); None where there is none."""
    node = root
    for step in _steps(path):
        children = node.children or ()
        if isinstance(step, int):
            if not is_array(node) or step >= len(children):
                return None
            node = children[step]
        elif step in node:
            node = node[step]
        else:
            return None
    return node


def _steps(path: str) -> list[str | int]:
    """Return the names and indexes of a dotted path.

    >>> _steps("boards[1].deal[0]")
    ['boards', 1, 'deal', 0]
    """
    return [int(index) if index else name for index, name in _STEP.findall(path)]
