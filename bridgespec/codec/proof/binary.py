"""Proofs of binary schemas: of each record its bits, its fields, its conditions and, if it is small, all its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bridgespec.codec.proof.claim import Proof
from bridgespec.codec.proof.condition import check_proofs, condition_proofs
from bridgespec.codec.proof.field import alone_of, field_proofs
from bridgespec.codec.proof.layout import layout_proof, small_proofs, title
from bridgespec.spec.ir import BytesType, Primitive, Record, Spec
from bridgespec.spec.kaitai.names import record_fields, record_types


def binary_proofs(spec: Spec, most: int) -> Iterator[Proof]:
    """Return the proofs of each record that a file is made of; arrays are exhausted up to ``most`` values."""
    known: dict[object, list[Proof]] = {}
    for record in reachable(spec):
        yield layout_proof(spec, record)
        for field in record_fields(record):
            about = f"{title(record)}.{field.name}"
            if not isinstance(field.type, Primitive) or (isinstance(field.type, BytesType) and field.type.contents is not None):
                yield from condition_proofs(spec, record, field, about)
                continue
            key = (field.type, field.enum, alone_of(field).valid, alone_of(field).binding)
            if repr(key) not in known:
                known[repr(key)] = list(field_proofs(spec, record, field, about, most))
            yield from (replace(one, about=about, place=field.place) for one in known[repr(key)])
            yield from condition_proofs(spec, record, field, about)
        yield from check_proofs(spec, record)
        yield from small_proofs(spec, record)


def reachable(spec: Spec) -> list[Record]:
    """Return the records that a file is made of, each before those that it uses."""
    names = [spec.root]
    for name in names:
        for field in record_fields(spec.records[name]):
            names += [used.target for used in record_types(field.type) if used.target not in names]
    return [spec.records[name] for name in names]
