"""What a loaded schema still gets wrong: fields that belong nowhere, arrays that do not add up, keys that cannot apply.

A loader refuses what cannot be read; this looks at what can be read and is not meant. Findings stand at their place in the
schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import prod

from bridgespec.codec.checksum import Checksum
from bridgespec.codec.decl import top_of
from bridgespec.codec.lint_meaning import finding_at, lint_meaning
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.errors import SpecError
from bridgespec.spec.ir import BitsType, Field, IntType, RecordType, Repeat, Spec
from bridgespec.spec.kaitai.sizes import field_bits, record_bits, type_bits
from bridgespec.spec.problems import APPLY

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
    found = _fields(spec)
    if whole:
        found = chain(found, lint_meaning(top_of(spec), spec.path, bool(spec.extensions)))
    return sorted(found, key=lambda d: (d.path or "", d.span.line or 0, d.span.column or 0) if d.span else ("", 0, 0))


def _fields(spec: Spec) -> Iterator[Diagnostic]:
    if spec.language != "ksy":
        return
    if spec.checksum is not None and spec.checksum.place is not None:
        try:
            Checksum(spec.checksum)
        except SpecError as error:
            yield finding_at(APPLY, str(error), spec.checksum.place)
    for record in spec.records.values():
        for field in record.fields:
            yield from _field(spec, field)


def _field(spec: Spec, field: Field) -> Iterator[Diagnostic]:
    binding = field.binding
    integer = isinstance(field.type, IntType | BitsType)
    if binding.unknown is not None and integer:
        bits = type_bits(field.type, spec.records)
        if bits is not None and not -(1 << bits) < binding.unknown < 1 << bits:
            yield finding_at(APPLY, f"{field.name}: {binding.unknown} does not fit into {bits} bits", field.place)
    if binding.end is not None and isinstance(field.type, RecordType):
        size = record_bits(field.type.target, spec.records)
        if size is not None and binding.end.bits > size:
            yield finding_at(
                APPLY, f"{field.name}: a record has {size} bits, the end needs {binding.end.bits} null ones", field.place
            )
    if not binding.axes:
        return
    count = prod(len(axis.labels) for axis in binding.axes)
    if binding.digits is None and field.repeat is None:
        yield finding_at(APPLY, f"{field.name}: axes need an array, or digits", field.place)
    elif binding.digits is None and field.repeat is Repeat.EXPR and field.repeat_expr is not None:
        length = field.repeat_expr.constant
        if isinstance(length, int) and length != count:
            yield finding_at(COUNT, f"{field.name}: the axes have {count} positions, the array {length}", field.place)
    elif binding.digits is not None and integer:
        bits = field_bits(field, spec.records)
        if bits is not None and binding.digits.base**count > 1 << bits:
            short = f"{count} digits of base {binding.digits.base} need more than {bits} bits"
            yield finding_at(COUNT, f"{field.name}: {short}", field.place)
