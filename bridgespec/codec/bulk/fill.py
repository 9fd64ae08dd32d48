"""Compute fields that the caller of a bulk codec does not give: constants, derived values, defaults, board numbers, blanks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.expr import Arrays, Unsupported
from bridgespec.codec.bulk.plan import BulkNumeral, FieldPlan
from bridgespec.codec.code_numbers import SEATS, VULNERABILITIES, codes_of, term_of
from bridgespec.errors import UsageError
from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.spec.ir import BytesType, Spec, StringType
from bridgespec.spec.kaitai.expr.tree import Expression

Array = NDArray[Any]


def fill(
    plans: Mapping[str, FieldPlan],
    spec: Spec,
    given: Mapping[str, Array],
    count: int,
    first: int,
    sizes: Mapping[str, int],
) -> dict[str, Array]:
    """Return all fields of ``count`` records, given some of them; ``first`` is the index of the first record in the file.

    Raises UsageError for a field that is neither given nor constant, derived or allowed to be blank.
    """
    arrays = dict(given)
    derived: list[tuple[str, Expression]] = []
    for name, plan in plans.items():
        decl = plan.leaf.decl
        if name in arrays:
            continue
        if decl.binding.value is not None:
            derived.append((name, decl.binding.value))
        elif decl.binding.default is not None:
            derived.append((name, decl.binding.default))
        elif isinstance(decl.type, BytesType) and decl.type.contents is not None:
            arrays[name] = _repeated(np.frombuffer(decl.type.contents, np.uint8), plan, count)
        elif decl.valid is not None and decl.valid.eq is not None:
            derived.append((name, decl.valid.eq))
        else:
            arrays[name] = _absent(plan, spec, count, first)
    # After all others: an expression may name any field, but derived ones only in their order.
    for name, expression in derived:
        plan = plans[name]
        prefix = name[: len(name) - len(plan.leaf.decl.name)]
        # Stored integers are narrow; sums and products of a file's fields must not wrap around.
        names = {key[len(prefix) :]: value.astype(np.int64) for key, value in arrays.items() if key.startswith(prefix)}
        index = np.arange(first, first + count).reshape(count, *(1 for _ in plan.shape))
        evaluator = Arrays(names | {"_index": index}, spec.enums, sizes)
        try:
            value = evaluator(expression)
            if any(doubt.any() for doubt in evaluator.doubts):
                raise Unsupported(f"its value in each record, from {expression.source!r}")
        except Unsupported as reason:
            raise UsageError(f"{plan.leaf.decl.place}: {name} is not given, and bulk work cannot derive {reason}") from None
        if isinstance(value, bytes):
            value = np.frombuffer(value, np.uint8)
        arrays[name] = _repeated(np.asarray(value), plan, count)
    return arrays


def _repeated(value: Array, plan: FieldPlan, count: int) -> Array:
    return np.broadcast_to(value, (count, *plan.shape))


def _absent(plan: FieldPlan, spec: Spec, count: int, first: int) -> Array:
    """Return values for a field that is not given and has no constant, derived or default value: consecutive board numbers, the
    standard dealer or vulnerability of these, or padding.
    """
    leaf, decl = plan.leaf, plan.leaf.decl
    term = term_of(decl) if spec.has_model else None
    numbers = np.arange(first + 1, first + count + 1)
    numeral = BulkNumeral.of(leaf)
    if term in ("number", "first_number"):
        numbers = numbers if term == "number" else np.ones_like(numbers)
        return _row(numbers, plan, count) if numeral is None else numeral.write(numbers, leaf.name)
    if term in ("dealer", "vulnerability") and decl.enum is not None:
        names: Mapping[str, int] = SEATS if term == "dealer" else VULNERABILITIES
        codes = codes_of(spec.enums[decl.enum], names).write
        standard = standard_dealer if term == "dealer" else standard_vulnerability
        # Dealer and vulnerability of a board repeat after sixteen boards.
        cycle = [int(standard(number)) for number in range(1, 17)]
        if set(cycle) <= set(codes):
            return _row(np.array([codes[value] for value in cycle])[(numbers - 1) % 16], plan, count)
    if term == "tricks" and decl.binding.unknown is not None:
        return np.full((count, *plan.shape), decl.binding.unknown, plan.dtype)
    if term in ("deal", "tricks", "declarer", "dealer", "vulnerability") or term in SEATS:
        raise UsageError(f"{decl.place}: {leaf.name} is not given")
    pad = decl.type.extent.pad_right if isinstance(decl.type, StringType | BytesType) else None
    return np.full((count, *plan.shape), pad or 0, plan.dtype)


def _row(values: Array, plan: FieldPlan, count: int) -> Array:
    return np.broadcast_to(values.reshape(count, *(1 for _ in plan.shape)), (count, *plan.shape))
