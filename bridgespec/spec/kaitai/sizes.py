"""How many bits a type takes, where the schema alone can tell."""

from __future__ import annotations

from collections.abc import Mapping

from bridgespec.spec.ir import (
    BitsType,
    BytesType,
    Extent,
    Field,
    FieldType,
    FloatType,
    IntType,
    Record,
    RecordType,
    Repeat,
    StringType,
)

Records = Mapping[str, Record]


def type_bits(type_: FieldType, records: Records, inside: tuple[str, ...] = ()) -> int | None:
    """The bits of one value of ``type_``; None where they depend on the file."""
    match type_:
        case IntType() | FloatType():
            return 8 * type_.size
        case BitsType():
            return type_.bits
        case BytesType(contents=bytes() as contents, extent=Extent(size=None)):
            return 8 * len(contents)
        case BytesType(extent=extent) | StringType(extent=extent):
            return _extent_bits(extent)
        case RecordType(extent=Extent() as extent):
            return _extent_bits(extent)
        case RecordType():
            return record_bits(type_.target, records, inside)
    return None


def _extent_bits(extent: Extent) -> int | None:
    size = extent.size.constant if extent.size is not None else None
    return 8 * size if isinstance(size, int) and size >= 0 else None


def field_bits(field: Field, records: Records, inside: tuple[str, ...] = ()) -> int | None:
    """The bits of a whole field, all its repetitions included; None where they depend on the file."""
    if field.condition is not None:
        return None
    bits = type_bits(field.type, records, inside)
    if field.repeat is None or bits is None:
        return bits
    count = field.repeat_expr.constant if field.repeat is Repeat.EXPR and field.repeat_expr is not None else None
    return bits * count if isinstance(count, int) and count >= 0 else None


def record_bits(name: str, records: Records, inside: tuple[str, ...] = ()) -> int | None:
    """The bits of a record, from its first field to the end of its last (bytes begin on byte boundaries)."""
    record = records.get(name)
    if record is None or name in inside or len(inside) > 60:
        return None
    total = 0
    for field in record.fields:
        bits = field_bits(field, records, (*inside, name))
        if bits is None:
            return None
        if not isinstance(field.type, BitsType):
            total = (total + 7) // 8 * 8
        total += bits
    return total
