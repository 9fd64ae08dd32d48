"""What a loaded schema still gets wrong: fields that belong nowhere, arrays that do not add up, keys that cannot apply.

A loader refuses what cannot be read; this looks at what can be read and is not meant. Findings stand at their place in the
schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from bridgespec.diagnostic import Code, Diagnostic, Severity, define
from bridgespec.spec.ir import BitsType, Field, IntType, RecordType, Repeat, Spec
from bridgespec.spec.kaitai.sizes import field_bits, record_bits, type_bits
from bridgespec.spec.place import Place

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
APPLY = define(
    "schema-cannot-apply",
    Severity.ERROR,
    """A `-bridge-` key stands where it can have no effect.

    The message says what the key needs: digits an integer, axes an array or digits, a number a text, an unknown value a field
    that can hold it.
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
    top = declared(spec)
    if not any(entry_of(decl).kind in ("term", "pair", "boards") for decl in below(top)):
        return
    help_ = HELP[top.of_text]
    for decl in _rest(top, "", set()):
        yield _at(UNBOUND, f"{decl.name} is neither bound, constant, derived nor opaque", decl.place, help_)


def _rest(record: Decl, term: str, seen: set[tuple[int, str]]) -> Iterator[Decl]:
    """The fields that mean nothing where they stand, in a record of a term."""
    if (id(record), term) in seen:
        return
    seen.add((id(record), term))
    for field in record.fields.values():
        entry = entry_of(field, term)
        if entry.kind == "rest":
            if not (field.binding.opaque or field.fixed or field.default is not None or field.fill is not None):
                yield field
        elif entry.kind != "term" or field.kind == "record":
            yield from _rest(field, entry.term or term, seen)


