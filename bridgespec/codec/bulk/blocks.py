"""Blocks of a bulk codec: the header or the record of a file, each with the plans and checks of its fields.

`BlockCodec` unpacks, packs and checks the rows of one block, and computes the fields that a caller does not give; `FileParts` is a
file cut into its blocks, `Verdict` the result of a check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.expr import Arrays, Unsupported
from bridgespec.codec.bulk.layout import Block
from bridgespec.codec.bulk.packed_checks import ArraysByName, RecordCheck, SuspectFlags, constraints
from bridgespec.codec.bulk.plan import BulkNumeral, FieldPlan, RecordBytes, plan_of
from bridgespec.codec.bulk.view import DealView
from bridgespec.codec.code_numbers import SEATS, VULNERABILITIES, codes_of, term_of
from bridgespec.errors import UsageError
from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.spec.ir import Axis, BytesType, Spec, StringType
from bridgespec.spec.kaitai.expr.tree import Expression


@dataclass(frozen=True, slots=True)
class BulkField:
    """The array of one field: its element type, its shape within one record, and the axes that label its elements in file order
    (empty: none). Made by `BulkCodec`.

    A byte array or a text is an array of its stored bytes, the last dimension being its size.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    axes: tuple[Axis, ...]


@dataclass(frozen=True, slots=True)
class FileParts:
    """The bytes of a file in parts: ``header``; ``records``, one row for each; ``end``, the end record; ``rest``, an incomplete
    record or the bytes after the end record.
    """

    header: NDArray[np.uint8]
    records: RecordBytes
    end: NDArray[np.uint8]
    rest: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check of a file with ``records`` records: ``bad`` are the indexes of suspect records in ascending order. A
    suspect may break a constraint; all other records break none.

    ``bad_header`` is true for a suspect header; ``rest`` is the number of bytes of an incomplete record or after the end record,
    from offset ``rest_at`` on; ``end`` is the size of the end record, 0 without one.
    """

    records: int
    bad: NDArray[np.int64]
    bad_header: bool
    end: int
    rest: int
    rest_at: int

    @property
    def clean(self) -> bool:
        """Whether there are no suspects and no bytes left over."""
        return not len(self.bad) and not self.bad_header and not self.rest


class BlockCodec:
    """Unpacks, packs and checks the fields of one block, with a plan for each field and all constraints. `BulkCodec` makes one for
    the header and one for the records.
    """

    def __init__(self, block: Block, spec: Spec, extra: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.spec, self.size = spec, block.size
        self.plans: dict[str, FieldPlan] = {leaf.name: plan_of(leaf) for leaf in block.leaves}
        self.checks: list[RecordCheck] = constraints(self.plans, block, spec.enums, extra, sizes)

    def unpack(self, records: RecordBytes, names: Iterable[str], out: ArraysByName | None = None) -> dict[str, NDArray[Any]]:
        """Return arrays of the named fields; a field with an array in ``out`` is written to that array. Raises UsageError for an
        unknown field, or an array of another form.
        """
        arrays: dict[str, NDArray[Any]] = {}
        for name in names:
            if name not in self.plans:
                raise UsageError(f"there is no field {name!r}; there are {', '.join(self.plans)}")
            plan = self.plans[name]
            shape = (len(records), *plan.shape)
            target = None if out is None else out.get(name)
            if target is None:
                target = np.empty(shape, plan.dtype)
            elif target.shape != shape or target.dtype != plan.dtype or not target.flags.c_contiguous:
                raise UsageError(f"{name} needs an array of {plan.dtype}, shape {shape}, C-contiguous")
            plan.read(records, target)
            arrays[name] = target
        return arrays

    def complete(
        self, given: ArraysByName, count: int, first: int = 0, sizes: Mapping[str, int] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return all fields of ``count`` records, given some of them. The others get constants, derived and default values, board
        numbers (with the standard dealer and vulnerability) or padding. ``first`` is the index of the first record in the file,
        ``sizes`` are the lengths of lists.

        Raises UsageError for a field of the deal, results, declarer, dealer or vulnerability that is not given and has none of
        these.
        """
        arrays = dict(given)
        derived: list[tuple[str, Expression]] = []
        for name, plan in self.plans.items():
            decl = plan.leaf.decl
            if name in arrays:
                continue
            if decl.binding.value is not None:
                derived.append((name, decl.binding.value))
            elif decl.binding.default is not None:
                derived.append((name, decl.binding.default))
            elif isinstance(decl.type, BytesType) and decl.type.contents is not None:
                arrays[name] = np.broadcast_to(np.frombuffer(decl.type.contents, np.uint8), (count, *plan.shape))
            elif decl.valid is not None and decl.valid.eq is not None:
                derived.append((name, decl.valid.eq))
            else:
                arrays[name] = _absent(plan, self.spec, count, first)
        # After all others: an expression may refer to any other field, but only to derived fields before it in the record.
        for name, expression in derived:
            plan = self.plans[name]
            value = self._evaluate(expression, plan, arrays, count, first, sizes)
            arrays[name] = np.broadcast_to(value, (count, *plan.shape))
        return arrays

    def _evaluate(
        self,
        expression: Expression,
        plan: FieldPlan,
        arrays: ArraysByName,
        count: int,
        first: int,
        sizes: Mapping[str, int] | None,
    ) -> NDArray[Any]:
        """Return the values of an expression for a field of ``count`` records. Raises UsageError if arrays cannot evaluate it."""
        leaf = plan.leaf
        prefix = leaf.name[: len(leaf.name) - len(leaf.decl.name)]
        # Stored integers are narrow; sums and products of a file's fields must not wrap around.
        names = {key[len(prefix) :]: value.astype(np.int64) for key, value in arrays.items() if key.startswith(prefix)}
        index = np.arange(first, first + count).reshape(count, *(1 for _ in plan.shape))
        evaluator = Arrays(names | {"_index": index}, self.spec.enums, sizes)
        try:
            value = evaluator(expression)
            if any(doubt.any() for doubt in evaluator.doubts):
                raise Unsupported(f"its value in each record, from {expression.source!r}")
        except Unsupported as reason:
            raise UsageError(f"{leaf.decl.place}: {leaf.name} is not given, and bulk work cannot derive {reason}") from None
        return np.frombuffer(value, np.uint8) if isinstance(value, bytes) else np.asarray(value)

    def pack(self, arrays: ArraysByName, records: RecordBytes) -> None:
        """Write all fields of the block from arrays into the rows of ``records``."""
        for name, plan in self.plans.items():
            plan.write(_checked_array(plan, arrays[name], len(records)), records)

    def mark(self, records: RecordBytes) -> SuspectFlags:
        """Return a boolean for each record: whether it may break a constraint."""
        bad = np.zeros(len(records), np.bool_)
        if not len(records):
            return bad
        # Each field is unpacked once, however many checks need it.
        names = dict.fromkeys(leaf.name for check in self.checks for leaf in check.needs)
        arrays = self.unpack(records, names)
        for check in self.checks:
            check.mark(records, arrays, bad)
        return bad


def _absent(plan: FieldPlan, spec: Spec, count: int, first: int) -> NDArray[Any]:
    """Return values for a field that is not given and has no constant, derived or default value: consecutive board numbers, the
    standard dealer or vulnerability of these boards, the code for unknown tricks, or padding. Raises UsageError for any other field
    of the deal, the results, the declarer, the dealer or the vulnerability.
    """
    leaf, decl = plan.leaf, plan.leaf.decl
    term = term_of(decl) if spec.has_model else None
    numbers = np.arange(first + 1, first + count + 1)
    numeral = BulkNumeral.of(leaf)
    if term in ("number", "first_number"):
        numbers = numbers if term == "number" else np.ones_like(numbers)
        return _per_record(numbers, plan, count) if numeral is None else numeral.write(numbers, leaf.name)
    if term in ("dealer", "vulnerability") and decl.enum is not None:
        names: Mapping[str, int] = SEATS if term == "dealer" else VULNERABILITIES
        codes = codes_of(spec.enums[decl.enum], names).write
        standard = standard_dealer if term == "dealer" else standard_vulnerability
        # Dealer and vulnerability of a board repeat after sixteen boards.
        cycle = [int(standard(number)) for number in range(1, 17)]
        if set(cycle) <= set(codes):
            return _per_record(np.array([codes[value] for value in cycle])[(numbers - 1) % 16], plan, count)
    if term == "tricks" and decl.binding.unknown is not None:
        return np.full((count, *plan.shape), decl.binding.unknown, plan.dtype)
    if term in ("deal", "tricks", "declarer", "dealer", "vulnerability") or term in SEATS:
        raise UsageError(f"{decl.place}: {leaf.name} is not given")
    pad = decl.type.extent.pad_right if isinstance(decl.type, StringType | BytesType) else None
    return np.full((count, *plan.shape), pad or 0, plan.dtype)


def _per_record(values: NDArray[Any], plan: FieldPlan, count: int) -> NDArray[Any]:
    """Return an array of the field's shape in which all elements of a record have the record's value in ``values``."""
    return np.broadcast_to(values.reshape(count, *(1 for _ in plan.shape)), (count, *plan.shape))


def _checked_array(plan: FieldPlan, values: NDArray[Any], records: int) -> NDArray[Any]:
    """Return ``values`` as a C-contiguous array of the field's type. Raises UsageError for another shape or for numbers that are
    no integers, RecordError for one outside the field's range.
    """
    values = np.asarray(values)
    if values.shape != (records, *plan.shape):
        raise UsageError(f"{plan.leaf.name} needs the shape {(records, *plan.shape)}, not {values.shape}")
    if values.dtype != plan.dtype:
        # `astype` would cut off fractions in silence.
        if plan.dtype.kind in "iu" and values.dtype.kind not in "iub":
            raise UsageError(f"{plan.leaf.name} needs integers, not {values.dtype}")
        # `astype` would silently wrap numbers that are too large.
        if plan.dtype.kind in "iu" and values.size:
            bounds = np.iinfo(plan.dtype)
            if int(values.min()) < bounds.min or int(values.max()) > bounds.max:
                raise plan.too_large(values)
        values = values.astype(plan.dtype)
    return np.ascontiguousarray(values)


class DealCheck(RecordCheck):
    """Marks records without a deal, with an invalid one, or with several fields that give different deals."""

    def __init__(self, views: list[DealView], plans: Mapping[str, FieldPlan]) -> None:
        self.views = views
        self.needs = tuple(plans[name].leaf for view in views for name in view.names)

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records without a valid deal; ``arrays`` has the fields in `needs`, by name."""
        deals = preferred_deals(self.views, arrays)
        nothing = np.ones(len(records), np.bool_)
        for view in self.views:
            given = view.given(arrays)
            nothing &= ~given
            # If a record has its deal in several fields, they must agree.
            bad |= given & (view.bad(arrays) | (view.read(arrays) != deals).any(axis=1))
        bad |= nothing


def preferred_deals(views: Sequence[DealView], arrays: ArraysByName) -> NDArray[np.uint8]:
    """Return the deals that the first view reads, shape (records, 52); for a record without hands there, that of the next view."""
    first, *others = views
    deals = first.read(arrays)
    # In most files no record lacks hands, and nothing is copied.
    missing = np.flatnonzero(~first.given(arrays)) if others else ()
    if len(missing):
        rest = {name: arrays[name][missing] for view in others for name in view.names}
        deals[missing] = preferred_deals(others, rest)
    return deals
