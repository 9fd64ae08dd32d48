"""Sizes of types, fields and records in bits, where the schema alone determines them."""

from __future__ import annotations

from collections.abc import Mapping

from bridgespec.spec.ir import Extent, Field, FieldType, Primitive, Record, RecordType, Repeat

RecordsByName = Mapping[str, Record]
Known = dict[str, int | None]
"""The sizes of records found so far, by name; None also while a record is being measured, since a record that contains itself has
no size.
"""


def type_bits(type_: FieldType, records: RecordsByName, known: Known | None = None) -> int | None:
    """Return the size in bits of one value of ``type_``; None where it depends on the file."""
    match type_:
        case Primitive():
            return type_.width
        case RecordType(extent=Extent() as extent):
            return extent.width
        case RecordType():
            return record_bits(type_.target, records, known)
    return None


def field_bits(field: Field, records: RecordsByName, known: Known | None = None) -> int | None:
    """Return the size in bits of a field, all its repetitions included; None where it depends on the file."""
    if field.condition is not None:
        return None
    bits = type_bits(field.type, records, known)
    if field.repeat is None or bits is None:
        return bits
    count = field.repeat_expr.constant if field.repeat is Repeat.EXPR and field.repeat_expr is not None else None
    return bits * count if isinstance(count, int) and count >= 0 else None


def record_bits(name: str, records: RecordsByName, known: Known | None = None) -> int | None:
    """Return the size in bits of a record, from its first field to the end of its last, with the padding before fields that begin
    at a byte; None where it depends on the file.

    ``known`` caches results, so that each record of a schema is measured once.
    """
    known = {} if known is None else known
    if name not in known:
        known[name] = None
        known[name] = _record_bits(records[name], records, known) if name in records else None
    return known[name]


def _record_bits(record: Record, records: RecordsByName, known: Known) -> int | None:
    total = 0
    for field in record.fields:
        bits = field_bits(field, records, known)
        if bits is None:
            return None
        if not isinstance(field.type, Primitive) or field.type.ALIGNED:
            total = (total + 7) // 8 * 8
        total += bits
    return total
