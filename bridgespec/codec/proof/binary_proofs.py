"""Proofs of binary schemas: `binary_proofs` takes a compiled schema and yields a proof for each claim about its records.

For each record that a file may contain: to which field each of its bits belongs (`layout_proof`); each field by itself
(`field_proofs.field_proofs`); its conditions, switches and checks, for all values of the small fields that they refer to
(`condition_proofs`, `check_proofs`); and for a small record, all of its values (`small_proofs`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from bridgespec.codec.binary.byte_errors import EXPRESSION
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.binary.compile import compile_spec
from bridgespec.codec.binary.scope import BinarySession, RecordFrame
from bridgespec.codec.binary.stream import ByteSource
from bridgespec.codec.node import plain
from bridgespec.codec.proof.claim import ClaimTrial, Proof, Property, Status, opened
from bridgespec.codec.proof.field_proofs import PATTERNS, FieldCodec, alone_of, field_proofs, looks_around
from bridgespec.spec.ir import (
    BitsType,
    BytesType,
    Field,
    IntType,
    PosInstance,
    Primitive,
    Record,
    RecordType,
    Repeat,
    Spec,
    SwitchType,
)
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, compile_expression
from bridgespec.spec.kaitai.expr.tree import Attribute, Expression, Name, walk
from bridgespec.spec.kaitai.names import record_fields, record_types
from bridgespec.spec.kaitai.sizes import field_bits, record_bits
from bridgespec.spec.place import SchemaPlace

_PLACE = re.compile(r"SchemaPlace\(.*?length=\d+\)")
"""A position in the `repr` of an expression."""
_SMALL = 16
"""The number of bits of the largest record of which all values are read."""


def binary_proofs(spec: Spec, most: int) -> Iterator[Proof]:
    """Return the proofs of each record of a file. At most ``most`` values of one field or record are tried."""
    known: dict[tuple[str, str], list[Proof]] = {}
    for record in reachable(spec):
        yield layout_proof(spec, record)
        for field in record_fields(record):
            about = f"{record_title(record)}.{field.name}"
            # The proofs of a field read its values, which a record, a switch or a constant does not have.
            if isinstance(field.type, Primitive) and not _is_constant(field):
                key = _alike(record, field)
                if key not in known:
                    known[key] = list(field_proofs(spec, record, field, about, most))
                yield from (replace(one, about=about, place=field.place) for one in known[key])
            yield from condition_proofs(spec, record, field, about, most)
        yield from check_proofs(spec, record, most)
        yield from small_proofs(spec, record, most)


def reachable(spec: Spec) -> list[Record]:
    """Return the records that a file may contain, starting with that of the whole file."""
    names = [spec.root]
    # The list grows during the loop: each record adds the records that it uses.
    for name in names:
        for field in record_fields(spec.records[name]):
            names += [used.target for used in record_types(field.type) if used.target not in names]
    return [spec.records[name] for name in names]


def record_title(record: Record) -> str:
    """Return a record's name without that of its schema."""
    return record.name.rpartition("::")[2]


def _is_constant(field: Field) -> bool:
    return isinstance(field.type, BytesType) and field.type.contents is not None


def _alike(record: Record, field: Field) -> tuple[str, str]:
    """Return a key that is equal for fields with the same proofs: all their properties without positions in the schema.

    The record's name is part of the key if the field has expressions, since these refer to the record's fields.
    """
    alone = alone_of(field)
    whole = repr((field.type, field.enum, alone.valid, alone.binding))
    without = _PLACE.sub("", whole)
    return without, record.name if without != whole else ""


def layout_proof(spec: Spec, record: Record) -> Proof:
    """Return the proof that every bit of a record belongs to a field, with the number of bits of each kind of field."""
    about, total, gaps, kinds, others = record_title(record), 0, list[str](), dict[str, int](), list[str]()
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
            # Such a field takes whole bytes (see `_unknown_room`), so there is no gap inside it, nor does it move a later one.
            others.append(field.name)
            continue
        gaps += _unused(spec, field)
        total += bits
        kinds[_kind(field)] = kinds.get(_kind(field), 0) + bits
    if total % 8:
        # The next field after a record begins at a whole byte, even if the record ends within one.
        gaps.append(f"{8 - total % 8} bits at its end")
    parts = ["bits: " + ", ".join(f"{bits:,} {kind}" for kind, bits in kinds.items())] if kinds else []
    told = "; ".join([*parts, *(["whole bytes: " + ", ".join(others)] if others else [])]) or "no fields"
    status, count = (Status.FALSE if gaps else Status.PROVED), len(record.fields)
    wrong = f"no field has {' and '.join(gaps)}" if gaps else ""
    return Proof(about, Property.BITS, status, count, count, told, record.place, wrong)


def _unknown_room(spec: Spec, field: Field) -> str | None:
    """Return the reason why the bits of a field that its type reads depend on the file; None where they do not."""
    kinds = [kind for _, kind in field.type.cases] if isinstance(field.type, SwitchType) else [field.type]
    for kind in kinds:
        if isinstance(kind, BitsType) and kind.bits % 8 and field_bits(field, spec.records) is None:
            return f"how many bits {field.name} takes depends on the file"
        if isinstance(kind, RecordType) and kind.extent is not None:
            fixed = kind.extent.width is not None and record_bits(kind.target, spec.records) is not None
            if not fixed and not _reads_to_end(spec.records[kind.target]):
                return f"what the type of {field.name} leaves of its room depends on the file"
    return None


def _reads_to_end(record: Record) -> bool:
    """Whether a record always reads up to the end of its stream."""
    last = record.fields[-1] if record.fields else None
    if last is None or last.condition is not None:
        return False
    extent = getattr(last.type, "extent", None)
    return last.repeat is Repeat.EOS or (last.repeat is None and extent is not None and extent.size_eos)


def _unused(spec: Spec, field: Field) -> list[str]:
    """Return a description of the bits in a substream of fixed size that its record type does not read; empty without any."""
    kind = field.type
    room = kind.extent.width if isinstance(kind, RecordType) and kind.extent is not None and kind.process is None else None
    if room is None or not isinstance(kind, RecordType):
        return []
    bits = record_bits(kind.target, spec.records)
    return [f"{room - bits} bits at the end of {field.name}"] if bits is not None and bits < room else []


def _kind(field: Field) -> str:
    """Return the kind of a field in the count of bits: constant, derived, opaque, of records or of values."""
    binding = field.binding
    if _is_constant(field):
        return "constant"
    if binding.value is not None:
        return "derived"
    return "opaque" if binding.opaque else "of records" if isinstance(field.type, RecordType) else "of values"


def condition_proofs(spec: Spec, record: Record, field: Field, about: str, most: int) -> Iterator[Proof]:
    """Return the proofs that a field's condition can be true and false, and that each case of its switch can be selected."""
    if field.condition is not None:
        yield _decides(spec, record, field.condition, f"{about} if", field.place, most)
    if isinstance(field.type, SwitchType):
        yield _switch(spec, record, field.type, about, field.place, most)


def check_proofs(spec: Spec, record: Record, most: int) -> Iterator[Proof]:
    """Return the proofs that each check of a record can be true and false."""
    for check in record.checks:
        yield _decides(spec, record, check.that, f"{record_title(record)} {check.code}", check.place, most)


def _decides(spec: Spec, record: Record, expression: Expression, about: str, place: SchemaPlace, most: int) -> Proof:
    """Return the proof that an expression is true for some values of a record's fields, and false for others."""
    domain = _domain(spec, record, [expression], most)
    if isinstance(domain, str):
        return opened(about, Property.CASES, domain, place)
    holds, outcomes = compile_expression(expression), dict[bool, int]()
    total = 0
    for frame in _frames(spec, record, domain):
        total += 1
        try:
            outcome = bool(holds(frame))
        except (EvaluationError, TypeError) as error:
            return Proof(about, Property.CASES, Status.FALSE, total, None, "it has no value", place, f"{frame.values}: {error}")
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    told = f"true for {outcomes.get(True, 0):,} of {total:,} combinations of {', '.join(domain) or 'nothing'}"
    wrong = "" if len(outcomes) == 2 else f"it is always {'true' if True in outcomes else 'false'}"
    return Proof(about, Property.CASES, Status.FALSE if wrong else Status.PROVED, total, total, told, place, wrong)


def _switch(spec: Spec, record: Record, kind: SwitchType, about: str, place: SchemaPlace, most: int) -> Proof:
    """Return the proof that each case of a switch is selected by some value. A value without a case is no fault of the schema: it
    is reported when it is read.
    """
    tests = [case for case, _ in kind.cases if case is not None]
    domain = _domain(spec, record, [kind.on, *tests], most)
    if isinstance(domain, str):
        return opened(about, Property.CASES, domain, place)
    on, cases = compile_expression(kind.on), [compile_expression(test) for test in tests]
    chosen, total, without = dict.fromkeys(range(len(cases)), 0), 0, 0
    for frame in _frames(spec, record, domain):
        total += 1
        value = on(frame)
        hit = next((at for at, case in enumerate(cases) if case(frame) == value), None)
        if hit is None:
            without += 1
        else:
            chosen[hit] += 1
    never = next((tests[at].shown for at, count in chosen.items() if not count), "")
    default = any(case is None for case, _ in kind.cases)
    told = f"{len(cases)} cases over {total:,} values, {without:,} {'by the default' if default else 'reported as without a case'}"
    status = Status.FALSE if never else Status.PROVED
    return Proof(about, Property.CASES, status, total, total, told, place, f"no value chooses {never}" if never else "")


def _domain(spec: Spec, record: Record, expressions: list[Expression], most: int) -> dict[str, list[Any]] | str:
    """Return the accepted values of each field that the expressions refer to, by name; if they are not all known, or have more
    than ``most`` combinations, the reason as text.
    """
    fields, most = {one.name: one for one in record.fields}, min(PATTERNS, most)
    found: dict[str, list[Any]] = {}
    count = 1
    for expression in expressions:
        for node in walk(expression.tree):
            if isinstance(node, Attribute) and not isinstance(node.of, Name):
                return "it looks into records"
            if not isinstance(node, Name) or node.id in found:
                continue
            field = fields.get(node.id)
            bits = None if field is None else field_bits(field, spec.records)
            if field is None or bits is None or field.repeat is not None or not isinstance(field.type, IntType | BitsType):
                return f"it refers to {node.id}, which is no whole number of this record"
            if 1 << bits > most or looks_around(field.valid):
                return f"{node.id} has too many values, or depends on others"
            alone = FieldCodec(spec, record, field, bits)
            read = (alone.read(pattern) for pattern in range(1 << bits))
            # A number without a name in the enum is reported, but it is read, and the expression is evaluated for it.
            found[node.id] = [root[field.name].value for root, good in read if good or alone.decl.kind == "code"]
            count *= len(found[node.id])
    return found if 0 < count <= most else f"{count:,} combinations of values"


def _frames(spec: Spec, record: Record, domain: Mapping[str, list[Any]]) -> Iterator[RecordFrame]:
    """Yield a frame of the record, in which expressions are evaluated, for each combination of the values in ``domain``."""
    element = compile_spec(replace(spec, root=record.name), {})
    for values in product(*domain.values()):
        frame = RecordFrame(element, BinarySession(b"", 0, {}), ByteSource(b""), None, "")
        frame.values = dict(zip(domain, values, strict=True))
        yield frame


def small_proofs(spec: Spec, record: Record, most: int) -> Iterator[Proof]:
    """Return the proof that each value of a record is written back, found by reading all of its values as files of their own.

    There is none for the record of the whole file, nor for one with parameters, a switched byte order, more than 16 bits, or more
    than ``most`` values.
    """
    bits = record_bits(record.name, spec.records)
    alone = record.name != spec.root and not record.params and record.endian_switch is None
    if not alone or bits is None or not 0 < bits <= _SMALL or 1 << bits > most:
        return
    # Without the checksum, which applies to whole files only.
    codec = BinaryCodec(replace(spec, root=record.name, checksum=None))
    size = -(-bits // 8)
    total, about = 1 << 8 * size, record_title(record)
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
