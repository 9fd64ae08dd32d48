"""Derive lengths, counts and offsets that a schema uses, but for which it has no ``-bridge-value``; a writer computes them if
they are not given.

A published schema states only that a field is the ``size`` of another. `implied` solves such uses for the field: with ``size: 2 *
n``, `n` is half of the number of bytes of the other. A ``-bridge-value`` or ``-bridge-default`` takes precedence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr.tree import (
    Attribute,
    BinaryExpression,
    Expression,
    LiteralExpression,
    Measure,
    Name,
    SpotExpression,
    Tree,
)

Implied = Mapping[tuple[str, str], tuple[str, Expression]]
"""By record and field: the name of the part whose size, count or offset the field is, and the expression that computes the field.
"""
Measurement = Callable[[Tree | None], Tree]
"""Returns the expression for the size, count or offset of a part of a record; the argument is the expression for that record, None
for the record in which the result is evaluated.
"""

_UNDONE = {"+": "-", "-": "+", "*": "/"}
"""The inverse of each operator."""


def implied(spec: ir.Spec) -> Implied:
    """Return the expression that computes each length, count and offset of a schema without a value of its own, by record and
    field; for a field with several uses that from the first.
    """
    found: dict[tuple[str, str], tuple[str, Expression]] = {}
    for record in spec.records.values():
        for used, of, measured in _uses(record):
            match _solved(used.tree, lambda value: value):
                case Name(id=name), solve:
                    owner, value = record, solve(measured(None))
                case Attribute(of=Name(id=header), name=name), solve:
                    there = _header(spec, record, header)
                    if there is None:
                        continue
                    owner, value = there, solve(measured(Name("_parent")))
                case _:
                    continue
            if _is_open(owner, name):
                found.setdefault((owner.name, name), (of, Expression(used.source, value)))
    return found


def _is_open(record: ir.Record, name: str) -> bool:
    """Whether a record has a single integer field of this name without a value, a default or an enum."""
    field = next((one for one in record.fields if one.name == name), None)
    if field is None or not isinstance(field.type, ir.IntType | ir.BitsType) or field.repeat is not None or field.enum is not None:
        return False
    return field.binding.value is None and field.binding.default is None


def _uses(record: ir.Record) -> Iterator[tuple[Expression, str, Measurement]]:
    """Yield each expression in a record that is a size, a count or an offset, with the name of the part that it belongs to and
    the measurement that it must equal.
    """
    for field in record.fields:
        yield from _of_field(field)
    for instance in record.instances.values():
        if isinstance(instance, ir.PosInstance):
            if instance.pos is not None:
                yield instance.pos, instance.name, _measured(instance.name, "offset")
            yield from _of_field(instance.field)


def _of_field(field: ir.Field) -> Iterator[tuple[Expression, str, Measurement]]:
    """Yield the count and the size of a field, as `_uses`."""
    name = field.name
    if field.repeat is ir.Repeat.EXPR and field.repeat_expr is not None:
        yield field.repeat_expr, name, lambda owner: Attribute(Name(name) if owner is None else Attribute(owner, name), "size")
    if field.repeat is not ir.Repeat.UNTIL:
        kinds = (case for _, case in field.type.cases) if isinstance(field.type, ir.SwitchType) else (field.type,)
        extents = (getattr(kind, "extent", None) for kind in kinds)
        sizes = [extent.size for extent in extents if extent is not None and extent.size is not None]
        if sizes:
            first = None if field.repeat is None else LiteralExpression(0)
            yield sizes[0], name, lambda owner: Measure(SpotExpression(owner, name, first), "sizeof")


def _measured(name: str, what: str) -> Measurement:
    """Return the measurement ``what`` (a function of expressions, such as ``offset``) of a field."""
    return lambda owner: Measure(SpotExpression(owner, name), what)


def _solved(tree: Tree, solve: Callable[[Tree], Tree]) -> tuple[Tree, Callable[[Tree], Tree]]:
    """Strip sums and products with literal numbers from an expression. Return the remaining expression, and a function that
    computes it from the value of the whole one: for ``2 * n`` the expression ``n``, and division by 2.
    """
    match tree:
        case BinaryExpression(op="+" | "*" as op, left=LiteralExpression(value=int()) as number, right=inner):
            return _solved(inner, lambda value: BinaryExpression(_UNDONE[op], solve(value), number))
        case BinaryExpression(op="+" | "-" | "*" as op, left=inner, right=LiteralExpression(value=int()) as number):
            return _solved(inner, lambda value: BinaryExpression(_UNDONE[op], solve(value), number))
    return tree, solve


def _header(spec: ir.Spec, record: ir.Record, name: str) -> ir.Record | None:
    """Return the record type of the field ``name``; None for any other type, for an array, and where another field is of the same
    type.
    """
    field = next((one for one in record.fields if one.name == name), None)
    if field is None or not isinstance(field.type, ir.RecordType) or field.repeat is not None or field.type.parent is not None:
        return None
    target = field.type.target
    # A second field of the type would get the value that is right for the first.
    return spec.records[target] if sum(target == one for one in _targets(spec)) == 1 else None


def _targets(spec: ir.Spec) -> Iterator[str]:
    """Yield the names of the record types of all fields, once for each field or case."""
    for record in spec.records.values():
        places = (one.field for one in record.instances.values() if isinstance(one, ir.PosInstance))
        for field in (*record.fields, *places):
            kinds = (case for _, case in field.type.cases) if isinstance(field.type, ir.SwitchType) else (field.type,)
            yield from (kind.target for kind in kinds if isinstance(kind, ir.RecordType))
