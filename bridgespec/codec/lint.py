"""What a loaded schema still gets wrong: fields that belong nowhere, arrays that do not add up, keys that cannot apply.

A loader refuses what cannot be read; this looks at what can be read and is not meant. Findings stand at their place in the
schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from bridgespec.codec.plan import Bound, Inside, Plan, Rest, boards_field, plan_of
from bridgespec.diagnostic import Code, Diagnostic, Severity, define
from bridgespec.errors import SpecError
from bridgespec.spec.ir import BitsType, Field, IntType, RecordType, Repeat, Spec
from bridgespec.spec.kaitai.sizes import field_bits, record_bits, type_bits
from bridgespec.spec.place import Place
from bridgespec.spec.problems import APPLY

UNBOUND = define(
    "schema-unbound",
    Severity.WARNING,
    """A field is neither bound, constant, derived nor opaque.

    In a format that means something in bridge, every field is one of these, so that nothing is dropped in silence. Give the
    field a model term's name or `-bridge-as`, a `-bridge-value` that derives it, or `-bridge-opaque: true` to keep it raw.
    """,
)
COUNT = define(
    "schema-count",
    Severity.ERROR,
    """The axes of an array do not multiply to its length.

    `-bridge-axes` says what each position means, the last axis running fastest: the labels of all axes, multiplied, must be
    as many as the array has elements.
    """,
)


def lint(spec: Spec) -> list[Diagnostic]:
    """Every finding about a schema that could be loaded, in the order of its text."""
    whole = spec.root in spec.records
    found = [*_fields(spec), *(_unbound(spec) if whole else ())]
    return sorted(found, key=lambda d: (d.path or "", d.span.line or 0, d.span.column or 0) if d.span else ("", 0, 0))


def _at(code: Code, message: str, place: Place, help: str | None = None) -> Diagnostic:
    return Diagnostic(code.name, code.severity, message, place.file, span=place.span, help=help)


def _fields(spec: Spec) -> Iterator[Diagnostic]:
    if spec.language != "ksy":
        return
    for record in spec.records.values():
        for field in record.fields:
            yield from _field(spec, field)


def _field(spec: Spec, field: Field) -> Iterator[Diagnostic]:
    binding = field.binding
    integer = isinstance(field.type, IntType | BitsType)
    if binding.unknown is not None and integer:
        bits = type_bits(field.type, spec.records)
        if bits is not None and not -(1 << bits) < binding.unknown < 1 << bits:
            yield _at(APPLY, f"{field.name}: {binding.unknown} does not fit into {bits} bits", field.place)
    if binding.end is not None and isinstance(field.type, RecordType):
        size = record_bits(field.type.target, spec.records)
        if size is not None and binding.end.bits > size:
            yield _at(APPLY, f"{field.name}: a record has {size} bits, the end needs {binding.end.bits} null ones", field.place)
    if not binding.axes:
        return
    count = prod(len(axis.labels) for axis in binding.axes)
    if binding.digits is None and field.repeat is None:
        yield _at(APPLY, f"{field.name}: axes need an array, or digits", field.place)
    elif binding.digits is None and field.repeat is Repeat.EXPR and field.repeat_expr is not None:
        length = field.repeat_expr.constant
        if isinstance(length, int) and length != count:
            yield _at(COUNT, f"{field.name}: the axes have {count} positions, the array {length}", field.place)
    elif binding.digits is not None and integer:
        bits = field_bits(field, spec.records)
        if bits is not None and binding.digits.base**count > 1 << bits:
            short = f"{count} digits of base {binding.digits.base} need more than {bits} bits"
            yield _at(COUNT, f"{field.name}: {short}", field.place)


def _unbound(spec: Spec) -> Iterator[Diagnostic]:
    listed = boards_field(spec)
    try:
        plans = [plan_of(spec, spec.top, listed.name if listed else None)]
        if listed is not None and isinstance(listed.type, RecordType):
            plans.append(plan_of(spec, spec.records[listed.type.target]))
    except SpecError as error:
        yield Diagnostic(APPLY.name, APPLY.severity, str(error), spec.path)
        return
    if spec.language == "ksy" and any(plan.terms for plan in plans):
        for plan in plans:
            yield from _rest(plan)


def _rest(plan: Plan) -> Iterator[Diagnostic]:
    for entry in plan.entries:
        match entry:
            case Inside():
                yield from _rest(entry.plan)
            case Rest(field=field, kept=True) if not field.binding.opaque and field.binding.default is None:
                help_ = "bind it (-bridge-as), derive it (-bridge-value) or keep it raw (-bridge-opaque: true)"
                yield _at(UNBOUND, f"{field.name} is neither bound, constant, derived nor opaque", field.place, help_)
            case Bound() | Rest():
                pass
