"""Proofs about one field of a binary schema: `field_proofs` reads and writes the field by itself, with all of its bit patterns.

Every pattern of a small field is read and written by the reference codec (`FieldCodec`), as a file that is this field only; of a
wider field, some are. An integer whose digits are codes has too many values for that, but not for NumPy: the bulk codec reads and
writes it as a list of records (`digit_proofs`). A pattern is *accepted* if it has no finding and, for a code, a name. A proof is
about the field alone: it is open if expressions refer to other fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.packed_checks import NOTHING
from bridgespec.codec.bulk.view import DigitsView
from bridgespec.codec.code_numbers import HOLDERS, codes_of
from bridgespec.codec.declaration import FieldDeclaration, Fields
from bridgespec.codec.node import FieldNode, plain
from bridgespec.codec.proof.claim import ClaimTrial, Proof, Property, Status, opened
from bridgespec.codec.proof.code_sets import cover_proof
from bridgespec.errors import SpecError, WriteError
from bridgespec.spec.ir import BitsType, Field, IntType, Record, RecordType, Repeat, Spec, StringType, Valid
from bridgespec.spec.kaitai.expr.tree import Name, walk
from bridgespec.spec.kaitai.sizes import type_bits

PATTERNS = 1 << 16
"""The maximum number of bit patterns that are read one by one; of a field with more, some are, or arrays are read."""
_PROBES = 1 << 10
"""About how many patterns of a wider field are read."""
_BLOCK = 1 << 16
"""The number of records in one block of arrays, which bounds the memory used."""
_LIST = "items"
"""The name of the list in the schema that the bulk codec reads."""
Numbers = NDArray[np.int64]


def field_proofs(spec: Spec, record: Record, field: Field, about: str, most: int) -> Iterator[Proof]:
    """Return the proofs about one value of a field: written back, one spelling, constraint decides, read when written, all have
    codes. At most ``most`` values are tried.
    """
    bits, other = type_bits(field.type, spec.records), looks_around(field.valid)
    reason = ""
    if bits is None:
        reason = "its size depends on the file"
    elif isinstance(field.type, IntType) and field.type.size > 1 and field.type.endian is None:
        reason = "its byte order depends on the file"
    elif other:
        reason = f"its constraint refers to {other}"
    if reason or bits is None:
        yield opened(about, Property.BACK, reason, field.place)
        return
    if field.binding.digits is not None:
        yield from digit_proofs(spec, record, field, bits, about, most)
    elif 1 << bits > min(PATTERNS, most):
        yield from FieldCodec(spec, record, field, bits).sampled(about)
    else:
        yield from FieldCodec(spec, record, field, bits).proofs(about)


def looks_around(valid: Valid | None) -> str:
    """Return the name of another field that a constraint refers to; empty where it depends on the value alone."""
    expressions = () if valid is None else (valid.eq, valid.min, valid.max, valid.expr, *valid.any_of)
    names = (node.id for one in expressions if one is not None for node in walk(one.tree) if isinstance(node, Name))
    return next((name for name in names if name != "_"), "")


def alone_of(field: Field) -> Field:
    """Return the field without its repetition, its condition, and its derived and default values."""
    binding = replace(field.binding, value=None, end=None, default=None)
    return replace(field, repeat=None, repeat_expr=None, condition=None, binding=binding, doc="")


def _schema_of(spec: Spec, record: Record, field: Field) -> Spec:
    """Return the schema of files that consist of one value of this field.

    Other record types are left out, because a writer would repeat each pattern for the sizes and offsets derived in them.
    """
    mini = Record(record.name, (alone_of(field),), record.place)
    return replace(spec, root=record.name, records={record.name: mini}, checksum=None)


class FieldCodec:
    """Reads and writes one field with the reference codec, as a file of its own. Made for one pass over its bit patterns."""

    def __init__(self, spec: Spec, record: Record, field: Field, bits: int) -> None:
        self.spec = _schema_of(spec, record, field)
        self.field, self.bits = field, bits
        self.codec = BinaryCodec(self.spec)
        self.decl = Fields(self.spec).of(self.spec.top.fields[0])
        self.big = isinstance(field.type, BitsType) and field.type.endian != "le"
        self.size = -(-bits // 8)

    def data(self, pattern: int) -> bytes:
        """Return the file with this bit pattern in the field; unused bits of the last byte are zero."""
        return (pattern << 8 * self.size - self.bits if self.big else pattern).to_bytes(self.size, "big" if self.big else "little")

    def shown(self, pattern: int) -> str:
        """Return a bit pattern as text, to be shown as a counterexample."""
        return f"the bytes {self.data(pattern).hex(' ')}" if self.bits % 8 == 0 else f"the {self.bits} bits of {pattern}"

    def read(self, pattern: int) -> tuple[FieldNode, bool]:
        """Return the root node of the file with this bit pattern, and whether it has no findings."""
        reading = self.codec.read(self.data(pattern))
        value = reading.root[self.field.name].value
        # A number without a name in the enum is reported only where the field has a meaning in the model.
        named = self.decl.kind != "code" or self.decl.name_of(value) is not None
        return reading.root, not reading.diagnostics and named

    def value(self, root: FieldNode) -> object:
        """Return what the field's value means: the name of a code, the number that a text spells, else the value itself."""
        value = root[self.field.name].value
        if self.decl.kind == "code":
            # A pair, since a number without a name must not be equal to the value of another pattern.
            return self.decl.name_of(value) or ("raw", value)
        if self.field.binding.number and self.decl.numeral is not None and isinstance(value, str):
            number = self.decl.numeral.read(value)
            return value if number is None else number
        return value

    def write(self, value: object) -> bytes | None:
        """Return the file that is written for a plain value; None where it cannot be written."""
        try:
            return self.codec.write({self.field.name: value})
        except WriteError:
            return None

    def proofs(self, about: str) -> Iterator[Proof]:
        """Return the proofs from all bit patterns."""
        total, place = 1 << self.bits, self.field.place
        back = ClaimTrial(about, Property.BACK, total, place)
        spelled: dict[object, list[int]] = {}
        accepted = 0
        for pattern in range(total):
            root, good = self.read(pattern)
            back.check(self.codec.write(plain(root)) == self.data(pattern), self.shown(pattern))
            if good:
                accepted += 1
                spelled.setdefault(self.value(root), []).append(pattern)
        yield back.proof(f"all {total:,} bit patterns, {accepted:,} accepted")
        if self.field.valid is not None or accepted < total:
            yield self._limit(about, accepted, total)
        yield self._once(about, spelled, accepted)
        if self.decl.kind == "code":
            yield self._written(about)
            if (cover := cover_proof(about, self.decl.codes, place)) is not None:
                yield cover

    def _limit(self, about: str, accepted: int, total: int) -> Proof:
        """Return the proof that the constraint accepts some patterns and refuses others."""
        wrong = "" if accepted else "every pattern is refused"
        if self.field.valid is not None and accepted == total and not _requires_code(self.field.valid, self.decl):
            wrong = "no pattern is refused"
        status = Status.FALSE if wrong else Status.PROVED
        return Proof(about, Property.LIMIT, status, total, total, f"{accepted:,} of {total:,} accepted", self.field.place, wrong)

    def _once(self, about: str, spelled: Mapping[object, list[int]], accepted: int) -> Proof:
        """Return the proof that each value has one pattern. Further ones must be declared as lenient (`-bridge-lenient`), or
        differ in leading zeros, which `-bridge-number` reads.
        """
        attempt = ClaimTrial(about, Property.ONCE, accepted, self.field.place)
        declared = zeros = 0
        for value, patterns in spelled.items():
            # Most values of a number have a single pattern, which must be the written one.
            first = patterns[0] if len(patterns) == 1 else self._canonical(patterns)
            for pattern in patterns:
                replaced = self._lenient(pattern)
                lenient = pattern != first and replaced == self.data(first)
                padded = not lenient and pattern != first and self._without_zeros(replaced) == self.data(first)
                declared, zeros = declared + lenient, zeros + padded
                known = pattern == first or lenient or padded
                attempt.check(known, f"{self.shown(pattern)} and {self.shown(first)} are both {value}")
        more = f", {declared:,} of them declared as lenient" if declared else ""
        more += f", {zeros:,} with leading zeros" if zeros else ""
        return attempt.proof(f"{accepted:,} accepted patterns are {len(spelled):,} values{more}")

    def _canonical(self, patterns: list[int]) -> int:
        """Return the pattern that is written for a value with several patterns."""
        raw = self.codec.read(self.data(patterns[0])).root[self.field.name].value
        if isinstance(raw, str) and self.decl.numeral is not None and (number := self.decl.numeral.read(raw)) is not None:
            raw = self.decl.numeral.write(number)
        written = self.write(raw)
        return next((pattern for pattern in patterns if self.data(pattern) == written), patterns[0])

    def _lenient(self, pattern: int) -> bytes:
        """Return the bytes of a pattern with each lenient code replaced by the code that is written in its place."""
        lenient = self.field.binding.lenient
        if isinstance(self.field.type, IntType | BitsType):
            return self.data(lenient.get(pattern, pattern))
        return bytes(lenient.get(byte, byte) for byte in self.data(pattern))

    def _without_zeros(self, data: bytes) -> bytes:
        """Return the bytes of a left-aligned text of digits without leading zeros, padded again to their size; any other bytes
        unchanged.
        """
        binding, kind = self.field.binding, self.field.type
        if binding.number is None or not isinstance(kind, StringType) or kind.extent.pad_right is None:
            return data
        fill = bytes([kind.extent.pad_right])
        return (data.rstrip(fill).lstrip(b"0") or b"0").ljust(len(data), fill)

    def _written(self, about: str) -> Proof:
        """Return the proof that each code of the field is written, and read again as the same name without a finding."""
        codes = self.decl.codes
        attempt = ClaimTrial(about, Property.READ, len(codes), self.field.place)
        for name, raw in codes.items():
            data = self.write(raw)
            found = None if data is None else self.codec.read(data)
            value = None if found is None else found.root[self.field.name].value
            good = found is not None and not found.diagnostics and self.decl.name_of(value) == name
            attempt.check(good, f"{name} is written as {'nothing' if data is None else data.hex(' ')}")
        return attempt.proof(f"each of {len(codes):,} codes")

    def sampled(self, about: str) -> Iterator[Proof]:
        """Return the proof that patterns are written back, of a field with too many of them: tried with the ends of its range, and
        some between.
        """
        total = 1 << self.bits
        back = ClaimTrial(about, Property.BACK, total, self.field.place)
        step = max(1, total // _PROBES)
        # All ones, the greatest signed number, and 1: a wrong sign or byte order changes one of them.
        for pattern in sorted({*range(0, total, step), total - 1, total // 2 - 1, 1}):
            back.check(self.codec.write(plain(self.read(pattern)[0])) == self.data(pattern), self.shown(pattern))
        yield back.proof(f"patterns at equal distances of 2^{self.bits}")


def _requires_code(valid: Valid, decl: FieldDeclaration) -> bool:
    """Whether a constraint requires only that a value is a code of the enum, which may have a name for every pattern."""
    return valid.in_enum and decl.kind == "code" and all(one is None for one in (valid.eq, valid.min, valid.max, valid.expr))


def digit_proofs(spec: Spec, record: Record, field: Field, bits: int, about: str, most: int) -> Iterator[Proof]:
    """Return the proofs about an integer whose digits are codes: that all bit patterns are written back, that the constraint
    accepts the numbers that have such digits only, and that different numbers have different digits.

    At most ``most`` values are tried for each: the lowest, the highest, and those around the number of accepted ones.
    """
    word = field.binding.digits
    assert word is not None
    count = 1
    for axis in field.binding.axes:
        count *= len(axis.labels)
    numbers = word.base**count
    try:
        codec = BulkCodec(_list_of(spec, record))
        leaf = next(leaf for leaf in codec.layout.record.leaves if leaf.decl.name == field.name)
        view = DigitsView(leaf, word.base, codes_of(spec.enums[word.enum or ""], HOLDERS).read)
    except (SpecError, KeyError, StopIteration) as error:
        yield opened(about, Property.BACK, f"arrays cannot read it: {error}", field.place)
        return
    back = ClaimTrial(about, Property.BACK, 1 << bits, field.place)
    limit = ClaimTrial(about, Property.LIMIT, 1 << bits, field.place)
    dtype = codec.fields[leaf.name].dtype
    others = {name: np.zeros((_BLOCK, *one.shape), one.dtype) for name, one in codec.fields.items()}
    records = np.zeros((_BLOCK, codec.record_size), np.uint8)
    for values in _blocks(1 << bits, most, numbers):
        size = len(values)
        arrays = {name: one[:size] for name, one in others.items()} | {leaf.name: values.astype(dtype)}
        rows = records[:size]
        codec.pack(arrays, rows)
        read = codec.unpack(rows, [leaf.name])[leaf.name].astype(np.int64)
        _count(back, read == values, values)
        # One accepted number too many would be a value without cards; one too few, cards that no value is written for.
        _count(limit, codec.mark(rows) != (values < numbers), values)
    yield back.proof("written and read by arrays")
    yield limit.proof(f"exactly the {numbers:,} numbers of {count} digits of base {word.base} are accepted")
    once = ClaimTrial(about, Property.ONCE, numbers, field.place)
    for values in _blocks(numbers, most):
        cells = view.read({leaf.name: values})
        named = np.all(cells[:, view.cells.ravel()] != NOTHING, axis=1)
        again = view.write(np.where(named[:, None], cells, 0), {})[leaf.name].reshape(-1)
        _count(once, named & (again == values), values)
    yield once.proof(
        f"the digits of each number are cards' holders, which give the same number, by arrays of {view.cells.size} cells"
    )


def _list_of(spec: Spec, record: Record) -> Spec:
    """Return the schema of files that are a list of one record, without the record's derived values, terms and checks, so that only
    the proven field decides which records are accepted.
    """
    fields = tuple(replace(one, binding=replace(one.binding, value=None, term=None)) for one in record.fields)
    inner = replace(record, fields=fields, checks=())
    items = Field(_LIST, RecordType(record.name), record.place, repeat=Repeat.EOS)
    top = Record(f"{record.name}::{_LIST}", (items,), record.place)
    return replace(spec, root=top.name, records={**spec.records, record.name: inner, top.name: top}, checksum=None)


def _count(attempt: ClaimTrial, good: NDArray[np.bool_], values: Numbers) -> None:
    """Count a block of values in ``attempt``; ``good`` is whether the claim is true for each. The first for which it is false is
    kept as the counterexample.
    """
    attempt.tried += len(values)
    if not good.all() and not attempt.witness:
        attempt.witness = f"the number {int(values[np.argmin(good)]):,}"


def _blocks(total: int, most: int, limit: int = 0) -> Iterator[Numbers]:
    """Yield the numbers below ``total`` in blocks; of more than ``most`` only the lowest, those around ``limit`` and the
    highest.
    """
    third = max(1, most // 3)
    parts = (
        [(0, total)]
        if total <= most
        else [(0, third), (max(third, limit - third // 2), limit + third // 2), (total - third, total)]
    )
    for start, stop in parts:
        for low in range(start, min(stop, total), _BLOCK):
            yield np.arange(low, min(low + _BLOCK, stop, total), dtype=np.int64)
