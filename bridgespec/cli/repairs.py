"""Fixes as edits of a file's bytes: those that rules propose in terms of the model, and those that the schema alone determines."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

from bridgespec.cli.field_help import node_at, steps
from bridgespec.cli.settings import Settings
from bridgespec.codec.anatomy import groups_of
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import Reading, plain
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity
from bridgespec.errors import BridgespecError
from bridgespec.examined import Report
from bridgespec.model.document import Document
from bridgespec.rules import Finding, Repair
from bridgespec.spec.ir import BytesType, Field

AT_MOST = 100
FEWEST = 5
WORK = 2_000_000
"""The limit on a file's size times the number of its repairs, beyond which repairs are not computed."""

LONGEST = 64
"""The maximum number of bytes that a repair may change: more would be changes that its description does not name."""


def with_repairs(settings: Settings, report: Report) -> tuple[Diagnostic, ...]:
    """Return the findings of a report, with the edits of a fix added to those that can be fixed.

    The edits are the difference when the repaired document is written in its own format, or when a constant or derived field is
    encoded anew; nothing else is fixed.
    """
    if not report.diagnostics:
        return ()
    # Each repair writes the whole file once, so that their number times its size is what they cost.
    left = min(AT_MOST, max(FEWEST, WORK // (len(report.reading.data) + 1)))
    told: list[Diagnostic] = []
    for index, found in enumerate(report.diagnostics):
        fix = found.fix
        if fix is None and left > 0:
            finding = report.proposed.get(index)
            if finding is not None:
                fix, left = _rule_fix(settings, report, found, finding), left - 1
            elif _decides(settings, report, found):
                fix, left = _schema_fix(settings, report, found), left - 1
        told.append(found if fix is found.fix else replace(found, fix=fix))
    return tuple(told)


def _rule_fix(settings: Settings, report: Report, found: Diagnostic, finding: Finding) -> Fix | None:
    repaired = _repaired(report.document, finding.board, finding.fix) if finding.fix else None
    if repaired is None or finding.fix is None:
        return None
    try:
        # Only the bytes are wanted: to find the losses would be in vain.
        after = settings.engine.spell(repaired, report.spec.id, told=False).data
    except BridgespecError:
        return None
    return _fix(settings, report, found, after, finding.fix.description, finding.fix.safe)


def _decides(settings: Settings, report: Report, found: Diagnostic) -> bool:
    """Whether a finding is on a field whose value the schema alone determines."""
    if not found.field or not isinstance(settings.engine.of(report.spec).codec, BinaryCodec):
        return False
    node = node_at(report.reading.root, found.field)
    return node is not None and not node.broken and node.decl is not None and _decided(node.decl)


def _schema_fix(settings: Settings, report: Report, found: Diagnostic) -> Fix | None:
    """Return the fix of a field whose value the schema alone determines; it is safe if the finding is only a warning."""
    codec = settings.engine.of(report.spec).codec
    values = plain(report.reading.root)
    if not isinstance(codec, BinaryCodec) or not found.field or not _without(values, found.field):
        return None
    try:
        after = codec.write(values)
    except BridgespecError:
        return None
    return _fix(settings, report, found, after, "write what the schema demands", found.severity is Severity.WARNING)


def _decided(decl: Field) -> bool:
    constant = isinstance(decl.type, BytesType) and decl.type.contents is not None
    return decl.repeat is None and (constant or decl.binding.value is not None)


def _without(values: Any, path: str) -> bool:
    """Remove the value at a dotted path from plain values. Return False where there is none."""
    *way, last = steps(path)
    for step in way:
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            return False
    if not isinstance(values, dict) or last not in values:
        return False
    # A writer makes constants and derived values where none is given.
    del values[last]
    return True


def _fix(settings: Settings, report: Report, found: Diagnostic, after: bytes, description: str, safe: bool) -> Fix | None:
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
    # Then the records of both files do not correspond, and their differences would be no edits.
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


def difference(before: bytes, after: bytes) -> Edit | None:
    """Return the single edit that changes ``before`` into ``after``; None where they are equal.

    >>> difference(b"one two", b"one too")
    Edit(start=5, stop=6, replacement=b'o')
    """
    if before == after:
        return None
    shorter = min(len(before), len(after))
    # Whether so many bytes are alike is true up to some number and false from there on, so that number is found by halving.
    start = bisect_left(range(shorter), True, key=lambda size: before[: size + 1] != after[: size + 1])
    left, right = before[start:], after[start:]
    end = bisect_left(range(shorter - start), True, key=lambda size: left[-1 - size :] != right[-1 - size :])
    return Edit(start, len(before) - end, after[start : len(after) - end])
