"""Our reading of a file against that of the parser which the real Kaitai compiler made."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStructError

from bridgespec.codec.node import ByteNode, FieldNode, Reading
from bridgespec.spec.ir import PosInstance, Spec, StringType
from bridgespec.spec.kaitai.names import record_types
from tests.generate.house import engine

REFUSALS = (EOFError, KaitaiStructError, UnicodeDecodeError)
"""What a Kaitai parser raises on bad data; anything else is a fault of the schema or the compiler."""
OURS_ALONE = frozenset({"derived-mismatch", "data-after-end", "trailing-bytes"})
"""Findings for which Kaitai has no word: derived fields, what stands after an end record, or after the last field."""


def disagreement(spec: Spec, parser: Any, data: bytes) -> str | None:
    """Where the two differ about a file, or None.

    They must agree on every field of a file that Kaitai reads, and Kaitai refuses just those in which our reader finds
    something. Excepted is what Kaitai has no word for:

    - an end record (``-bridge-end``) and what follows: Kaitai gets the file up to there;
    - record invariants (``-bridge-checks``), derived fields (``-bridge-value``), data after the end: ours alone;
    - bytes after the last field, where Kaitai just stops reading: ours alone;
    - lenient codes (``-bridge-lenient``): Kaitai's text is read through the same table;
    - a constraint that the schema calls a warning: Kaitai refuses the file all the same;
    - binding and rules: only the codec's findings count.
    """
    reading = engine().of(spec).codec.read(data)
    data = data[: end_of_list(spec, reading)]
    found = [d for d in reading.diagnostics if d.code not in alone(spec)]
    try:
        theirs = parser(KaitaiStream(BytesIO(data)))
        look(spec, spec.root, theirs)
    except REFUSALS as refusal:
        return None if found else f"Kaitai refuses what we read without a finding: {type(refusal).__name__}: {refusal}"
    if found:
        return f"Kaitai reads what we object to: {found[0].code} at {found[0].field}: {found[0].message}"
    return next(differences(spec, reading.root, theirs, spec.id), None)


def look(spec: Spec, record: str, theirs: Any) -> None:
    """Let Kaitai read what its parsers read only when it is asked for: what stands at other places of the file."""
    told = spec.records[record]
    placed = [one.field for one in told.instances.values() if isinstance(one, PosInstance)]
    for field in (*told.fields, *placed):
        value = getattr(theirs, field.name, None)
        for kind in record_types(field.type):
            for one in value if isinstance(value, list) else [value]:
                if type(one).__name__.lower() == kind.target.rpartition("::")[2].replace("_", ""):
                    look(spec, kind.target, one)


def alone(spec: Spec) -> frozenset[str]:
    """The codes of findings for which Kaitai has no word."""
    return OURS_ALONE | _own_codes(spec)


def end_of_list(spec: Spec, reading: Reading) -> int:
    """The offset of the end record, or of the end of the data; AssertionError where no nulls stand there."""
    for field in spec.top.fields:
        if field.binding.end is None or field.name not in reading.root:
            continue
        items = reading.root[field.name].children or ()
        stop = (items[-1].stop if items else reading.root[field.name].start) // 8
        head = reading.data[stop : stop + field.binding.end.bits // 8]
        if len(head) == field.binding.end.bits // 8 and not any(head):
            return stop
    return len(reading.data)


def differences(spec: Spec, node: FieldNode, theirs: Any, where: str) -> Iterator[str]:
    """Every field in which our tree and Kaitai's object differ."""
    if node.absent:
        if theirs is not None:
            yield f"{where}: absent for us, {theirs!r} for Kaitai"
    elif node.children is None:
        yield from _leaf(spec, node, theirs, where)
    elif isinstance(theirs, list | bytes):
        if len(theirs) != len(node.children):
            yield f"{where}: {len(node.children)} elements for us, {len(theirs)} for Kaitai"
        for index, (child, part) in enumerate(zip(node.children, theirs, strict=False)):
            yield from differences(spec, child, part, f"{where}[{index}]")
    else:
        for child in (*node.children, *(node.instances if isinstance(node, ByteNode) else ())):
            if child.decl is None:
                continue
            yield from differences(spec, child, getattr(theirs, child.name, None), f"{where}.{child.name}")


def _leaf(spec: Spec, node: FieldNode, theirs: Any, where: str) -> Iterator[str]:
    decl = node.decl
    if isinstance(theirs, str) and decl is not None and decl.binding.lenient and isinstance(decl.type, StringType):
        theirs = theirs.translate(dict(decl.binding.lenient))
        if decl.type.extent.pad_right is not None:
            theirs = theirs.rstrip(chr(decl.type.extent.pad_right))
    if isinstance(theirs, IntEnum) and decl is not None and decl.enum is not None:
        member = spec.enums[decl.enum].members.get(int(theirs))
        if member is None or member.name != theirs.name:
            yield f"{where}: enum member {member and member.name} for us, {theirs.name} for Kaitai"
    if isinstance(theirs, IntEnum):
        theirs = int(theirs)
    # Not a number is not equal to itself.
    both_nan = node.value != node.value and theirs != theirs
    if (node.value != theirs and not both_nan) or type(node.value) is not type(theirs):
        yield f"{where}: {node.value!r} for us, {theirs!r} for Kaitai"


def _own_codes(spec: Spec) -> set[str]:
    """The codes of a schema's invariants and of its derived fields, of which Kaitai knows nothing."""
    records = spec.records.values()
    derived = {f.binding.code for record in records for f in record.fields if f.binding.value is not None and f.valid is None}
    return {check.code for record in records for check in record.checks} | {code for code in derived if code is not None}
