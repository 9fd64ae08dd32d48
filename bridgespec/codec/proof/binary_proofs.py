"""Proofs of binary schemas. For each record: which bits are in fields; its conditions, checks and switches, for all values of the
small fields that they refer to; and for a small record, all of its values. `binary_proofs` returns the proofs, `_decides` that of
a condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from bridgespec.codec.binary.compile import compile_spec
from bridgespec.codec.binary.scope import BinarySession, RecordFrame
from bridgespec.codec.binary.stream import ByteSource
from bridgespec.codec.proof.claim import Proof, Property, Status, opened
from bridgespec.codec.proof.field_proofs import PATTERNS, FieldCodec, alone_of, field_proofs, looks_around
from bridgespec.codec.proof.layout_proofs import layout_proof, small_proofs, title
from bridgespec.spec.ir import BitsType, BytesType, Field, IntType, Primitive, Record, Spec, SwitchType
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, compile_expression
from bridgespec.spec.kaitai.expr.tree import Attribute, Expression, Name, walk
from bridgespec.spec.kaitai.names import record_fields, record_types
from bridgespec.spec.kaitai.sizes import field_bits
from bridgespec.spec.place import SchemaPlace

_PLACE = re.compile(r"SchemaPlace\(.*?length=\d+\)")
"""A position in the `repr` of an expression."""


def condition_proofs(spec: Spec, record: Record, field: Field, about: str, most: int) -> Iterator[Proof]:
    if field.condition is not None:
        yield _decides(spec, record, field.condition, f"{about} if", field.place, most)
    if isinstance(field.type, SwitchType):
        yield _switch(spec, record, field.type, about, field.place, most)


def check_proofs(spec: Spec, record: Record, most: int) -> Iterator[Proof]:
    for check in record.checks:
        yield _decides(spec, record, check.that, f"{title(record)} {check.code}", check.place, most)


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
            found[node.id] = [root[field.name].value for root, good in read if good or alone.decl.kind == "code"]
            count *= len(found[node.id])
    return found if 0 < count <= most else f"{count:,} combinations of values"


def _frames(spec: Spec, record: Record, domain: Mapping[str, list[Any]]) -> Iterator[RecordFrame]:
    element = compile_spec(replace(spec, root=record.name), {})
    for values in product(*domain.values()):
        frame = RecordFrame(element, BinarySession(b"", 0, {}), ByteSource(b""), None, "")
        frame.values = dict(zip(domain, values, strict=True))
        yield frame


def _decides(spec: Spec, record: Record, expression: Expression, about: str, place: SchemaPlace, most: int) -> Proof:
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


def _alike(record: Record, field: Field) -> tuple[str, str]:
    """Return a key that is equal for fields with the same proofs: all their properties without positions in the schema.

    The record's name is part of the key if the field has expressions, since these refer to the record's fields.
    """
    alone = alone_of(field)
    whole = repr((field.type, field.enum, alone.valid, alone.binding))
    without = _PLACE.sub("", whole)
    return without, record.name if without != whole else ""


def binary_proofs(spec: Spec, most: int) -> Iterator[Proof]:
    """Return the proofs of each record of a file. At most ``most`` values of one field or record are tried."""
    known: dict[tuple[str, str], list[Proof]] = {}
    for record in reachable(spec):
        yield layout_proof(spec, record)
        for field in record_fields(record):
            about = f"{title(record)}.{field.name}"
            if not isinstance(field.type, Primitive) or (isinstance(field.type, BytesType) and field.type.contents is not None):
                yield from condition_proofs(spec, record, field, about, most)
                continue
            key = _alike(record, field)
            if key not in known:
                known[key] = list(field_proofs(spec, record, field, about, most))
            yield from (replace(one, about=about, place=field.place) for one in known[key])
            yield from condition_proofs(spec, record, field, about, most)
        yield from check_proofs(spec, record, most)
        yield from small_proofs(spec, record, most)


def reachable(spec: Spec) -> list[Record]:
    """Return the records that a file may contain, from that of the whole file on."""
    names = [spec.root]
    # The list grows while it is read: each record adds those that it uses.
    for name in names:
        for field in record_fields(spec.records[name]):
            names += [used.target for used in record_types(field.type) if used.target not in names]
    return [spec.records[name] for name in names]
