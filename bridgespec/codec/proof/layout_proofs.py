"""Proofs about a binary record: which bits belong to which field and, for a small record, all of its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bridgespec.codec.binary.byte_errors import EXPRESSION
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import plain
from bridgespec.codec.proof.claim import ClaimTrial, Proof, Property, Status, opened
from bridgespec.spec.ir import BitsType, BytesType, Field, PosInstance, Record, RecordType, Repeat, Spec, SwitchType
from bridgespec.spec.kaitai.sizes import field_bits, record_bits


def title(record: Record) -> str:
    """Return a record's name without that of its schema."""
    return record.name.rpartition("::")[2]


def layout_proof(spec: Spec, record: Record) -> Proof:
    """Return the proof that every bit of a record belongs to a field, with the numbers of bits of each kind.

    Fields that are not of bits take whole bytes, so only bit fields must be counted to find gaps.
    """
    about, total, gaps, kinds, others = title(record), 0, list[str](), dict[str, int](), list[str]()
    if any(isinstance(one, PosInstance) for one in record.instances.values()):
        return opened(about, Property.BITS, "it has parts where offsets lead", record.place)
    for field in record.fields:
        if (reason := _unknown_room(spec, field)) is not None:
            return opened(about, Property.BITS, reason, record.place)
        if not isinstance(field.type, BitsType) and total % 8:
            gaps.append(f"{8 - total % 8} bits before {field.name}")
            total += 8 - total % 8
        bits = field_bits(field, spec.records)
        if bits is None:
            others.append(field.name)
            continue
        gaps += _unused(spec, field)
        total += bits
        kinds[_kind(field)] = kinds.get(_kind(field), 0) + bits
    if total % 8:
        # A record is no number of bits, so that whatever follows it begins at a byte.
        gaps.append(f"{8 - total % 8} bits at its end")
    parts = ["bits: " + ", ".join(f"{bits:,} {kind}" for kind, bits in kinds.items())] if kinds else []
    told = "; ".join([*parts, *(["whole bytes: " + ", ".join(others)] if others else [])]) or "no fields"
    status, count = (Status.FALSE if gaps else Status.PROVED), len(record.fields)
    return Proof(
        about, Property.BITS, status, count, count, told, record.place, f"no field has {' and '.join(gaps)}" if gaps else ""
    )


def _kind(field: Field) -> str:
    """Return the kind of a field in the count of bits: constant, derived, opaque, of records or of values."""
    binding = field.binding
    if isinstance(field.type, BytesType) and field.type.contents is not None:
        return "constant"
    if binding.value is not None:
        return "derived"
    return "opaque" if binding.opaque else "of records" if isinstance(field.type, RecordType) else "of values"


def _unused(spec: Spec, field: Field) -> list[str]:
    """Return a description of the bits in a substream of fixed size that its record type does not read; empty without any."""
    kind = field.type
    room = kind.extent.width if isinstance(kind, RecordType) and kind.extent is not None and kind.process is None else None
    if room is None or not isinstance(kind, RecordType):
        return []
    bits = record_bits(kind.target, spec.records)
    return [f"{room - bits} bits at the end of {field.name}"] if bits is not None and bits < room else []


def _unknown_room(spec: Spec, field: Field) -> str | None:
    """Return the reason why the bits of a field that its type reads depend on the file; None where they do not."""
    kinds = [kind for _, kind in field.type.cases] if isinstance(field.type, SwitchType) else [field.type]
    for kind in kinds:
        if isinstance(kind, BitsType) and kind.bits % 8 and field_bits(field, spec.records) is None:
            return f"how many bits {field.name} takes depends on the file"
        if isinstance(kind, RecordType) and kind.extent is not None:
            fixed = kind.extent.width is not None and record_bits(kind.target, spec.records) is not None
            if not fixed and not _to_its_end(spec.records[kind.target]):
                return f"what the type of {field.name} leaves of its room depends on the file"
    return None


def _to_its_end(record: Record) -> bool:
    """Whether a record always reads up to the end of its stream."""
    last = record.fields[-1] if record.fields else None
    if last is None or last.condition is not None:
        return False
    extent = getattr(last.type, "extent", None)
    return last.repeat is Repeat.EOS or (last.repeat is None and extent is not None and extent.size_eos)


def small_proofs(spec: Spec, record: Record, most: int) -> Iterator[Proof]:
    """Return the proofs about a record from all of its values, read as files of their own; none if it has more than ``most``
    values.
    """
    bits = record_bits(record.name, spec.records)
    if (
        bits is None
        or not 0 < bits <= 16
        or 1 << bits > most
        or record.params
        or record.endian_switch is not None
        or record.name == spec.root
    ):
        return
    # Without the checksum, which is one of whole files.
    codec = BinaryCodec(replace(spec, root=record.name, checksum=None))
    size, total, about = -(-bits // 8), 1 << 8 * -(-bits // 8), title(record)
    back, accepted = ClaimTrial(about, Property.BACK, total, record.place), 0
    for pattern in range(total):
        data = pattern.to_bytes(size, "little")
        reading = codec.read(data)
        if any(one.code == EXPRESSION.name for one in reading.diagnostics):
            yield opened(about, Property.BACK, "its expressions refer to what is around it", record.place)
            return
        accepted += not reading.diagnostics
        back.check(codec.write(plain(reading.root)) == data, data.hex(" "))
    yield back.proof(f"all {total:,} values of the record, {accepted:,} accepted")
