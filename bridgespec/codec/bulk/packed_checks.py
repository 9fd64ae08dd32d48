"""Checks that find the records which may break a constraint, where possible on their packed bytes without unpacking.

`constraints` makes the checks of a block. All mark suspects in one boolean array: records that the reference codec must check. A
check may mark a correct record; it never misses a record that breaks its constraint. `RecordScope` resolves the names in a record's
expressions: its fields, its lists, its computed values, and the bit offsets of its fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.expr import Arrays, Unsupported
from bridgespec.codec.bulk.layout import Block, BulkLeaf, Refusal
from bridgespec.codec.bulk.plan import WRONG, BulkNumeral, FieldPlan, RecordBytes, block
from bridgespec.model.deal import OUT, UNKNOWN
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.ir import BytesType, Enum, Field, Record, StringType, Valid, ValueInstance
from bridgespec.spec.kaitai.expr.tree import Expression, Name, walk

ArraysByName = Mapping[str, NDArray[Any]]
"""The values of each field, by its path: an array with one row for each record."""
SuspectFlags = NDArray[np.bool_]
"""A boolean for each record, true for a suspect."""


class RecordCheck(ABC):
    """One constraint of a block, as a check over arrays. Made by `constraints` once for each codec."""

    needs: tuple[BulkLeaf, ...] = ()
    """The fields that must be unpacked for the check."""

    @abstractmethod
    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records that may break the constraint. ``records`` are the packed rows, ``arrays`` the unpacked fields
        in `needs`, by name.
        """


def read_as(leaf: BulkLeaf, values: NDArray[Any]) -> NDArray[Any]:
    """Return a field's raw values with the lenient codes replaced by the codes that they are read as."""
    lenient = leaf.decl.binding.lenient
    read = values
    for raw, other in lenient.items():
        # Compare with the original values: a replaced code must not be replaced again by a later entry.
        read = np.where(values == raw, other, read).astype(values.dtype)
    return read


@dataclass(frozen=True, slots=True)
class RecordScope:
    """The names that the expressions of a record can refer to: fields, lists, computed values; ``sizes`` are lengths of lists.

    ``repeated`` is the number of records in the list that contains the record, the limit of its ``_index``; 0 outside a list.
    """

    names: Mapping[str, BulkLeaf]
    lists: Mapping[str, BulkLeaf]
    computed: Mapping[str, Expression]
    enums: Mapping[str, Enum]
    sizes: Mapping[str, int]
    repeated: int = 0
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def needed(self, *expressions: Expression) -> RecordScope:
        """Return a scope with only the names that the given expressions use."""
        named: set[str] = set()
        pending = list(expressions)
        while pending:
            for node in walk(pending.pop().tree):
                # Computed values name further fields; `named` also ends a computation that refers to itself.
                if isinstance(node, Name) and node.id not in named:
                    named.add(node.id)
                    pending += [self.computed[node.id]] if node.id in self.computed else []
        names, lists = ({n: leaf for n, leaf in of.items() if n.partition(".")[0] in named} for of in (self.names, self.lists))
        return replace(self, names=names, lists=lists)

    @property
    def leaves(self) -> tuple[BulkLeaf, ...]:
        """The fields that must be unpacked to evaluate expressions in this scope."""
        return (*self.names.values(), *self.lists.values())

    def arrays(self, given: ArraysByName, records: RecordBytes | None = None) -> Arrays:
        """Return an evaluator for expressions, given the unpacked fields by name and the packed rows."""
        names: dict[str, Any]
        # 64 bits, since sums and products of narrow stored integers would wrap around.
        names, lists = (
            {name: read_as(leaf, given[leaf.name].astype(np.int64)) for name, leaf in of.items()} for of in (self.names, self.lists)
        )
        if self.repeated:
            names["_index"] = np.arange(self.repeated)
        return Arrays(names, self.enums, self.sizes, lists, self.computed, self.places, records)


Codes = NDArray[np.uint8]
"""The model's value of each raw code from 0 to 255; `NOTHING` for a code without a value."""

NOTHING = 255
"""The value of a code without a meaning in arrays of cards or holders."""
_LANES = UNKNOWN + 2
"""Number of counters of a record: the four seats, `OUT`, `UNKNOWN`, and codes without a meaning."""


def _words(leaf: BulkLeaf) -> list[tuple[int, int]]:
    """Return offset and size in bytes (2, or 1 for the last) of the words of a packed run: adjacent elements of 1, 2 or 4 bits
    that fill whole bytes.
    """
    # Words of two bytes: a table of 65,536 entries replaces the unpacking of four to sixteen elements.
    start, stop = leaf.bit // 8, (leaf.bit + leaf.count * leaf.width) // 8
    return [(at, 2 if at + 1 < stop else 1) for at in range(start, stop, 2)]


def _sum_table(per_code: NDArray[Any], width: int, size: int) -> NDArray[Any]:
    """Return a table that gives, for each value of a word of ``size`` bytes, the sum of ``per_code`` over the elements of
    ``width`` bits in it.
    """
    words = np.arange(1 << (8 * size), dtype=np.int64)
    table = np.zeros(len(words), per_code.dtype)
    for shift in range(0, 8 * size, width):
        table += per_code[(words >> shift) & ((1 << width) - 1)]
    return table


class RunLegal(RecordCheck):
    """Marks records in which an element of a packed run has an illegal code; ``legal`` has a boolean for each code."""

    def __init__(self, leaf: BulkLeaf, legal: SuspectFlags) -> None:
        wrong = (~legal).astype(np.uint8)
        self.leaf = leaf
        self.words = _words(leaf)
        self.tables = {size: _sum_table(wrong, leaf.width, size) != 0 for size in {size for _, size in self.words}}
        self.block = block(4)

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records with an illegal code, without unpacking them; ``arrays`` is not used."""
        for low in range(0, len(records), self.block):
            rows, part = records[low : low + self.block], bad[low : low + self.block]
            for at, size in self.words:
                part |= self.tables[size].take(_column(rows, at, size), mode="wrap")


def null_run(leaf: BulkLeaf, records: RecordBytes) -> SuspectFlags:
    """Return a boolean for each record: whether every element of a packed run is zero."""
    found: SuspectFlags = np.ones(len(records), np.bool_)
    for at, size in _words(leaf):
        found &= _column(records, at, size) == 0
    return found


def _column(rows: RecordBytes, at: int, size: int) -> NDArray[Any]:
    """Return the little-endian integer of ``size`` bytes at an offset of each row."""
    return rows[:, at : at + size].view(f"<u{size}")[:, 0]


class RunCounts(RecordCheck):
    """Marks records in which a packed run of 52 holders is not a deal: thirteen cards for each seat, or hands of equal size where
    some cards are out or unknown.
    """

    def __init__(self, leaf: BulkLeaf, holders: Codes) -> None:
        lanes = _lane_of(holders[: 1 << leaf.width])
        self.words = _words(leaf)
        # Where each code is a seat, four counters in 32 bits are enough, and one comparison decides.
        self.simple = not np.any(holders[: 1 << leaf.width] > 3)
        # A counter has eight bits: no hand of 52 cards can overflow into the next one.
        lanes = lanes.astype(np.uint32) if self.simple else lanes
        self.tables = {size: _sum_table(lanes, leaf.width, size) for size in {size for _, size in self.words}}
        self.block = block(16)

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records whose holders are not a deal, without unpacking them; ``arrays`` is not used."""
        for low in range(0, len(records), self.block):
            rows = records[low : low + self.block]
            total: NDArray[Any] | None = None
            for at, size in self.words:
                counts = self.tables[size].take(_column(rows, at, size), mode="wrap")
                total = counts if total is None else np.add(total, counts, out=total)
            if total is not None:
                bad[low : low + self.block] |= total != _FULL if self.simple else uneven(total)


_FULL = np.uint32(0x0D0D0D0D)
"""Four 8-bit counters of thirteen cards each."""


def _lane_of(holders: Codes) -> NDArray[np.uint64]:
    """Return for each code an integer with a one in the 8-bit counter of its holder; the sum over all cards counts the cards of
    each holder.
    """
    lane = np.minimum(holders, _LANES - 1).astype(np.uint64)
    return np.uint64(1) << (np.uint64(8) * lane)


@lru_cache(maxsize=1)
def _pair_table() -> NDArray[np.uint64]:
    """Return a table of counters (`_lane_of`) for each pair of holders; the index has a byte for each of the two."""
    return _sum_table(_lane_of(np.arange(256, dtype=np.uint8)), 8, 2)


def uneven(lanes: NDArray[np.uint64]) -> SuspectFlags:
    """Return a boolean for each record: whether its counters of cards by holder are not those of a deal, with thirteen cards for
    each seat, or hands of equal size where some cards are out or unknown.
    """
    counts = np.ascontiguousarray(lanes).astype("<u8").view(np.uint8).reshape(len(lanes), 8)
    seats, out, unknown = counts[:, :4], counts[:, OUT], counts[:, UNKNOWN]
    # Six counters: four hands of thirteen, and no card out or unknown.
    full = (lanes & np.uint64(0xFFFFFFFFFFFF)) == np.uint64(_FULL)
    # An ending: cards are out or unknown, and the hands are of one size.
    level = (seats.max(axis=1) == seats.min(axis=1)) & (seats[:, 0] <= 13)
    bad: SuspectFlags = (counts[:, _LANES - 1] > 0) | ~(full | (((out > 0) | (unknown > 0)) & level))
    return bad


def unplayable(deals: NDArray[np.uint8], whole: bool = False) -> SuspectFlags:
    """Return a boolean for each row of 52 holders: whether it is not a deal, with thirteen cards for each seat or, unless
    ``whole``, hands of equal size where some cards are out or unknown. A holder `NOTHING` (a code without a meaning) makes it
    true.
    """
    bad = np.empty(len(deals), np.bool_)
    step = block(52 * 8)
    for low in range(0, len(deals), step):
        # Two holders at a time halve the number of look-ups.
        pairs = np.ascontiguousarray(deals[low : low + step]).view("<u2")
        lanes = np.take(_pair_table(), pairs, mode="clip").sum(axis=1)
        bad[low : low + step] = lanes != _FULL if whole else uneven(lanes)
    return bad


class ValueLegal(RecordCheck):
    """Marks records with an illegal element in a field. The function ``legal`` is evaluated once for each value of up to 16 bits,
    for wider values in each check.
    """

    def __init__(self, leaf: BulkLeaf, plan: FieldPlan, legal: Callable[[NDArray[Any]], SuspectFlags]) -> None:
        self.needs, self.leaf, self.legal = (leaf,), leaf, legal
        self.table = None
        # Every value of up to 16 bits is evaluated once; the elements of records are looked up in the table.
        if leaf.width <= 16 and leaf.kind in ("int", "bits"):
            domain = np.arange(1 << leaf.width).astype(f"u{plan.dtype.itemsize}")
            self.table = ~legal(domain.view(plan.dtype))

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records in which any element of the field has an illegal value."""
        values = arrays[self.leaf.name].reshape(len(records), self.leaf.count)
        # The table is indexed by the stored bits, so that signed values need no offset.
        unsigned = values.view(f"u{values.dtype.itemsize}")
        wrong = ~self.legal(values) if self.table is None else np.take(self.table, unsigned, mode="clip")
        bad |= wrong.any(axis=1)


class BytesLegal(RecordCheck):
    """Marks records in which a byte array or text is not among ``allowed``. If ``allowed`` is empty, marks texts with a byte for
    which ``spelled`` is false: the byte is not a character by itself in the encoding.
    """

    def __init__(self, leaf: BulkLeaf, allowed: Sequence[bytes], spelled: SuspectFlags) -> None:
        self.needs, self.leaf, self.allowed = (leaf,), leaf, [np.frombuffer(one, np.uint8) for one in allowed]
        self.spelled = spelled

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records in which the field, read with its lenient codes, has bytes that are not allowed."""
        texts = read_as(self.leaf, arrays[self.leaf.name]).reshape(len(records), -1, self.leaf.shape[-1])
        if not self.allowed:
            bad |= ~self.spelled[texts].all(axis=(1, 2))
            return
        good = np.zeros(texts.shape[:2], np.bool_)
        for one in self.allowed:
            if len(one) == texts.shape[2]:
                good |= (texts == one).all(axis=2)
        bad |= ~good.all(axis=1)


class NumeralLegal(RecordCheck):
    """Marks records in which a text of digits is neither a number nor blank; with ``codes``, those whose number is no code."""

    def __init__(self, leaf: BulkLeaf, numeral: BulkNumeral, codes: frozenset[int] | None) -> None:
        self.needs, self.leaf, self.numeral, self.codes = (leaf,), leaf, numeral, codes

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records in which a text of the field is neither a number nor blank; with ``codes``, for those in which
        it is no code.
        """
        numbers = self.numeral.read(arrays[self.leaf.name])
        good = numbers != WRONG if self.codes is None else np.isin(numbers, list(self.codes))
        bad |= ~good.reshape(len(records), -1).all(axis=1)


class ExpressionHolds(RecordCheck):
    """Marks records for which an expression is false; with ``equals``, records in which the value of this field is another one."""

    def __init__(self, expression: Expression, shape: tuple[int, ...], scope: RecordScope, equals: BulkLeaf | None = None) -> None:
        self.expression, self.shape, self.equals = expression, shape, equals
        self.scope = scope.needed(expression)
        self.needs = (*self.scope.leaves, *(() if equals is None else (equals,)))

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records for which the expression is false, or differs from the field ``equals``, or has no value."""
        found = self.scope.arrays(arrays, records)
        value = found(self.expression)
        good = value if self.equals is None else read_as(self.equals, arrays[self.equals.name].astype(np.int64)) == value
        _mark(bad, self.shape, found, [good])


class ComputedLegal(RecordCheck):
    """Marks records in which the value of an instance is not valid."""

    def __init__(self, instance: ValueInstance, shape: tuple[int, ...], scope: RecordScope) -> None:
        assert instance.valid is not None
        self.instance, self.valid, self.shape = instance, instance.valid, shape
        looks = (self.valid.eq, self.valid.min, self.valid.max, self.valid.expr, *self.valid.any_of)
        self.scope = scope.needed(instance.value, *(one for one in looks if one is not None))
        self.needs = self.scope.leaves

    def mark(self, records: RecordBytes, arrays: ArraysByName, bad: SuspectFlags) -> None:
        """Set ``bad`` for records in which the value of the instance is missing or not valid."""
        found = self.scope.arrays(arrays, records)
        value = found(self.instance.value)
        members = None if self.instance.enum is None else self.scope.enums[self.instance.enum].members
        tests = valid_tests(self.valid, value, found, members)
        _mark(bad, self.shape, found, tests)


def _mark(bad: SuspectFlags, shape: tuple[int, ...], found: Arrays, tests: Sequence[Any]) -> None:
    """Mark the records for which one of ``tests`` is false in any repetition (``shape``), or an expression has no value."""
    n = len(bad)
    for test in tests:
        bad |= ~np.broadcast_to(np.asarray(test, np.bool_), (n, *shape)).reshape(n, -1).all(axis=1)
    # The reference codec reports the error in a record for which an expression has no value.
    for doubt in found.doubts:
        bad |= np.broadcast_to(doubt, (n, *shape)).reshape(n, -1).any(axis=1)


def scope_of(
    leaves: Mapping[str, BulkLeaf],
    record: Record,
    prefix: str,
    shape: tuple[int, ...],
    enums: Mapping[str, Enum],
    sizes: Mapping[str, int],
    block: Block,
) -> RecordScope:
    """Return the scope of a record at ``prefix``: its integer fields, its lists of integers, its value instances, and the bit
    offsets of its fields.
    """
    beside = {n.removeprefix(prefix): place for n, place in block.places.items() if n.startswith(prefix)}
    # The fields of the record, and those of records in it.
    own = {
        name.removeprefix(prefix): leaf
        for name, leaf in leaves.items()
        if name.startswith(prefix) and name.count(".") <= prefix.count(".") + 1 and _is_computable(leaf)
    }
    names = {name: leaf for name, leaf in own.items() if leaf.shape == shape and "." not in name}
    lists = {name: leaf for name, leaf in own.items() if len(leaf.shape) == len(shape) + 1 and leaf.shape[:-1] == shape}
    computed = {n: i.value for n, i in record.instances.items() if isinstance(i, ValueInstance) and i.condition is None}
    above = _list_above(names.values())
    if above is None or above.repeat is None or not shape:
        return RecordScope(names, lists, computed, enums, sizes, places=beside)
    return RecordScope(names, lists, computed, enums, {**sizes, f"_parent.{above.name}": shape[-1]}, shape[-1], beside)


def _is_computable(leaf: BulkLeaf) -> bool:
    """Whether the evaluator can compute with a field: 64 unsigned bits do not fit into its integers."""
    return leaf.kind in ("int", "bits") and leaf.width < 64


def _list_above(leaves: Iterable[BulkLeaf]) -> Field | None:
    """Return the list whose elements have these fields, since its length is the bound of `_index`; None without one."""
    return next((leaf.chain[-2] for leaf in leaves if len(leaf.chain) > 2 and leaf.decl.repeat is None), None)


def refuse_unsupported(holds: ExpressionHolds | ComputedLegal, what: str, size: int) -> None:
    """Raise `Refusal`, with the message ``what``, if arrays cannot evaluate the expressions of a check: it is tried on one record
    of ``size`` zero bytes when the codec is made.
    """
    try:
        zeros = {leaf.name: np.zeros((1, *leaf.shape), np.int64) for leaf in holds.needs}
        holds.mark(np.zeros((1, size), np.uint8), zeros, np.zeros(1, np.bool_))
    except (Unsupported, OverflowError, TypeError, ValueError) as problem:
        raise Refusal(f"{what} {problem}") from None


def legal_codes(leaf: BulkLeaf, enums: Mapping[str, Enum], values: NDArray[Any]) -> SuspectFlags:
    """Return a boolean for each of ``values``: whether an integer field may have it, by its ``valid``, its enum and its lenient
    codes.
    """
    binding, valid = leaf.decl.binding, leaf.decl.valid
    wide = values.astype(np.uint64 if leaf.width == 64 and not leaf.signed else np.int64)
    wide = read_as(leaf, wide)
    good = np.ones(values.shape, np.bool_)
    # An opaque field may have any code, unless the schema requires one of the enum (``valid: in-enum``).
    if leaf.decl.enum is not None and (not binding.opaque or (valid is not None and valid.in_enum)):
        good &= np.isin(wide, list(enums[leaf.decl.enum].members))
    if valid is not None:
        # The evaluator computes in 64 signed bits.
        if valid.expr is not None and leaf.width == 64 and not leaf.signed:
            raise Unsupported(f"an expression over 64 unsigned bits, {valid.expr.source!r}")
        found = Arrays({"_": wide}, enums)
        for test in valid_tests(valid, wide, found, None):
            good = good & test
        # Where the expression has no value, or one of more than 64 bits, the reference codec decides.
        for doubt in found.doubts:
            good = good & ~doubt
    return np.asarray(good, np.bool_)


def valid_tests(valid: Valid, value: Any, found: Arrays, members: Mapping[int, object] | None) -> list[Any]:
    """Return the results of the conditions in ``valid`` for an array of values, one boolean array for each condition. ``members``
    are the codes of the value's enum, None where another check covers them.
    """
    tests: list[Any] = []
    if valid.eq is not None:
        tests.append(value == found(valid.eq))
    if valid.min is not None:
        tests.append(value >= found(valid.min))
    if valid.max is not None:
        tests.append(value <= found(valid.max))
    if valid.any_of:
        tests.append(np.logical_or.reduce([np.asarray(value == found(one)) for one in valid.any_of]))
    if valid.in_enum and members is not None:
        tests.append(np.isin(value, list(members)))
    if valid.expr is not None:
        found.names = {**found.names, "_": value}
        tests.append(found(valid.expr))
    return tests


def constraints(
    plans: Mapping[str, FieldPlan],
    block: Block,
    enums: Mapping[str, Enum],
    extra: Mapping[str, Callable[[NDArray[Any]], SuspectFlags]],
    sizes: Mapping[str, int],
) -> list[RecordCheck]:
    """Return the checks for all constraints of the schema on a block. ``extra`` has further conditions on values, by field;
    ``sizes``, the lengths of lists, may change between checks. Raises `Refusal` for a constraint that arrays cannot evaluate.
    """
    checks: list[RecordCheck] = []
    leaves = {name: plan.leaf for name, plan in plans.items()}
    for name, plan in plans.items():
        try:
            checks += _field(plan, leaves, block, enums, extra.get(name), sizes)
        except (Unsupported, OverflowError, TypeError, ValueError) as problem:
            raise Refusal(f"{plan.leaf.decl.place}: {name} is constrained by {problem}") from None
    for one in block.invariants:
        holds = ExpressionHolds(one.check.that, one.shape, scope_of(leaves, one.record, one.prefix, one.shape, enums, sizes, block))
        refuse_unsupported(holds, f"{one.check.place}: the check {one.check.code} needs", block.size)
        checks.append(holds)
    for each in block.computed:
        legal = ComputedLegal(
            each.instance, each.shape, scope_of(leaves, each.record, each.prefix, each.shape, enums, sizes, block)
        )
        refuse_unsupported(legal, f"{each.instance.place}: {each.instance.name} must be valid, and needs", block.size)
        checks.append(legal)
    return checks


def _field(
    plan: FieldPlan,
    leaves: Mapping[str, BulkLeaf],
    block: Block,
    enums: Mapping[str, Enum],
    extra: Callable[[NDArray[Any]], SuspectFlags] | None,
    sizes: Mapping[str, int],
) -> list[RecordCheck]:
    """Return the checks for the constraints of one field. Raises `Unsupported` for a constraint that arrays cannot evaluate."""
    leaf, valid, binding = plan.leaf, plan.leaf.decl.valid, plan.leaf.decl.binding
    if leaf.kind == "float":
        if valid is not None or binding.value is not None:
            raise Unsupported("a condition on a floating-point number")
        return []
    if leaf.kind == "bytes":
        return _bytes(leaf, enums)
    checks: list[RecordCheck] = []
    if valid is not None or leaf.decl.enum is not None or extra is not None:

        def legal(values: NDArray[Any]) -> SuspectFlags:
            good = legal_codes(leaf, enums, values)
            return good if extra is None else good & extra(values)

        # Tried once, so that a condition that arrays cannot evaluate is refused when the codec is made.
        legal(np.zeros(1, plan.dtype))
        if leaf.packed and leaf.kind == "bits" and leaf.width in (1, 2, 4, 8):
            codes = legal(np.arange(1 << leaf.width, dtype=np.uint8))
            checks += [] if codes.all() else [RunLegal(leaf, codes)]
        else:
            checks.append(ValueLegal(leaf, plan, legal))
    if binding.value is not None:
        prefix = leaf.name[: len(leaf.name) - len(leaf.decl.name)]
        scope = scope_of(leaves, leaf.record, prefix, leaf.shape, enums, sizes, block)
        holds = ExpressionHolds(binding.value, leaf.shape, scope, leaf)
        refuse_unsupported(holds, f"{leaf.decl.place}: {leaf.name} is derived from", block.size)
        checks.append(holds)
    return checks


def _bytes(leaf: BulkLeaf, enums: Mapping[str, Enum]) -> list[RecordCheck]:
    """Return the checks for the constraints of a byte array or a text. Raises `Unsupported` for one that arrays cannot evaluate."""
    kind = leaf.decl.type
    if leaf.decl.binding.value is not None:
        raise Unsupported(f"a value derived for text, {leaf.decl.binding.value.source!r}")
    allowed = _allowed_bytes(leaf, enums)
    spelled = _characters(kind.encoding) if isinstance(kind, StringType) else np.ones(256, np.bool_)
    checks: list[RecordCheck] = [BytesLegal(leaf, allowed, spelled)] if allowed or isinstance(kind, StringType) else []
    numeral = BulkNumeral.of(leaf)
    if numeral is not None and not leaf.decl.binding.opaque:
        codes = leaf.decl.binding.codes
        checks.append(NumeralLegal(leaf, numeral, None if codes is None else frozenset(enums[codes].members)))
    return checks


def _allowed_bytes(leaf: BulkLeaf, enums: Mapping[str, Enum]) -> list[bytes]:
    """Return the values to which a byte array or a text is constrained; an empty list if it may have any value. Raises
    `Unsupported` for any other constraint.
    """
    kind, valid = leaf.decl.type, leaf.decl.valid
    if valid is None:
        return [kind.contents] if isinstance(kind, BytesType) and kind.contents is not None else []
    choices = [valid.eq] if valid.eq is not None else list(valid.any_of)
    extent = kind.extent if isinstance(kind, BytesType | StringType) else None
    # With padding the bytes of a field are not its value.
    padded = extent is None or extent.terminator is not None or extent.pad_right is not None
    if not choices or padded or valid.min or valid.max or valid.expr:
        raise Unsupported("a condition on text or bytes that is not a list of values of full length")
    allowed = [value for one in choices if isinstance(value := Arrays({}, enums)(one), bytes)]
    if len(allowed) < len(choices):
        raise Unsupported("a condition on text or bytes that is not a list of values of full length")
    return allowed


def _characters(encoding: str) -> SuspectFlags:
    """Return a boolean for each byte: whether it is always a character by itself in an encoding."""
    codec = python_encoding(encoding)
    if codec is None or codec.startswith(("utf-16", "utf-32")):
        raise Unsupported(f"text in {encoding}, of which one byte says nothing")
    known = np.ones(256, np.bool_)
    for code in range(256):
        try:
            # the lead byte of a longer character consumes the blank after it, or fails
            known[code] = len(bytes([code, 0x20]).decode(codec)) == 2
        except UnicodeDecodeError:
            known[code] = False
    return known
