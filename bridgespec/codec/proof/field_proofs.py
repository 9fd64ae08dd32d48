"""Proofs about one field of a binary schema, read and written by itself.

`FieldCodec` makes a schema with this field only, and reads and writes every bit pattern with the reference codec, so that the
proof is about the codec that is used. A pattern is *accepted* if it has no finding and, for a code, a name. `digit_proofs` does
the same for integers with too many patterns. A proof is about the field alone: it is open if expressions refer to other fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.declaration import FieldDeclaration, Fields
from bridgespec.codec.node import FieldNode, plain
from bridgespec.codec.proof.claim import ClaimTrial, Proof, Property, Status, opened
from bridgespec.codec.proof.code_sets import cover_proof
from bridgespec.codec.proof.digit_proofs import digit_proofs
from bridgespec.errors import WriteError
from bridgespec.spec.ir import BitsType, Field, IntType, Record, Spec, StringType, Valid
from bridgespec.spec.kaitai.expr.tree import Name, walk
from bridgespec.spec.kaitai.sizes import type_bits

PATTERNS = 1 << 16
"""So many bit patterns are read one by one; more are read as arrays, or some of them are."""
_PROBES = 1 << 10


def alone_of(field: Field) -> Field:
    """Return the field without its repetition, its condition, and its derived and default values."""
    binding = replace(field.binding, value=None, end=None, default=None)
    return replace(field, repeat=None, repeat_expr=None, condition=None, binding=binding, doc="")


def of_field(spec: Spec, record: Record, field: Field) -> Spec:
    """Return the schema of files that consist of one value of this field.

    Other record types are left out, because a writer would repeat each pattern for the sizes and offsets derived in them.
    """
    mini = Record(record.name, (alone_of(field),), record.place)
    return replace(spec, root=record.name, records={record.name: mini}, checksum=None)


def looks_around(valid: Valid | None) -> str:
    """Return the name of another field that a constraint refers to; empty where it depends on the value alone."""
    expressions = () if valid is None else (valid.eq, valid.min, valid.max, valid.expr, *valid.any_of)
    names = (node.id for one in expressions if one is not None for node in walk(one.tree) if isinstance(node, Name))
    return next((name for name in names if name != "_"), "")


def field_proofs(spec: Spec, record: Record, field: Field, about: str, most: int) -> Iterator[Proof]:
    """Return the proofs about a field that is no list: written back, one spelling, constraint decides, and all have codes."""
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
        yield from digit_proofs(spec, record, field, about, most)
        return
    alone = FieldCodec(spec, record, field, bits)
    if 1 << bits > min(PATTERNS, most):
        yield from alone.sampled(about)
        return
    yield from alone.proofs(about)


class FieldCodec:
    """Reads and writes one field with the reference codec, as a file of its own. Made for one pass over its bit patterns."""

    def __init__(self, spec: Spec, record: Record, field: Field, bits: int) -> None:
        self.spec = of_field(spec, record, field)
        self.field, self.bits = field, bits
        self.codec = BinaryCodec(self.spec)
        made = Fields(self.spec).of(self.spec.top.fields[0])
        self.decl = made
        kind = field.type
        self.big = isinstance(kind, BitsType) and kind.endian != "le"
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
        node = reading.root[self.field.name]
        meant = self.decl.kind != "code" or self.decl.name_of(node.value) is not None
        return reading.root, not reading.diagnostics and meant

    def value(self, root: FieldNode) -> object:
        """Return what the field's value means: the name of a code, the number that a text spells, else the value itself."""
        value = root[self.field.name].value
        if self.decl.kind == "code":
            # A pair, since a number without a name must not be equal to the value of another pattern.
            return self.decl.name_of(value) or ("raw", value)
        number = (
            self.decl.numeral.read(value) if self.field.binding.number and self.decl.numeral and isinstance(value, str) else None
        )
        return value if number is None else number

    def write(self, value: object) -> bytes | None:
        """Return the file that is written for a plain value; None where it cannot be written."""
        try:
            return self.codec.write({self.field.name: value})
        except WriteError:
            return None

    def proofs(self, about: str) -> Iterator[Proof]:
        """Return the proofs over all patterns."""
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
        """Return the proof that the constraint accepts some patterns and refuses others. A code may have a name for every
        pattern.
        """
        wrong = "" if accepted else "every pattern is refused"
        if self.field.valid is not None and accepted == total and not _says_all(self.field.valid, self.decl):
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
                meant = self._lenient(pattern)
                lenient = pattern != first and meant == self.data(first)
                padded = not lenient and pattern != first and self._without_zeros(meant) == self.data(first)
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
        """Return the bytes that the field's lenient codes replace a pattern by."""
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
        """Return the proofs about a field with too many patterns, sampled: the ends of its range, and some values between."""
        total = 1 << self.bits
        back = ClaimTrial(about, Property.BACK, total, self.field.place)
        step = max(1, total // _PROBES)
        # All ones, the greatest number with a sign, and 1: where a wrong sign or order of bytes shows.
        for pattern in sorted({*range(0, total, step), total - 1, total // 2 - 1, 1}):
            back.check(self.codec.write(plain(self.read(pattern)[0])) == self.data(pattern), self.shown(pattern))
        yield back.proof(f"patterns at equal distances of {_many(self.bits)}")


def _many(bits: int) -> str:
    return f"2^{bits}"


def _says_all(valid: Valid, decl: FieldDeclaration) -> bool:
    """Whether a constraint requires only that a value is a code of the enum."""
    return valid.in_enum and decl.kind == "code" and all(one is None for one in (valid.eq, valid.min, valid.max, valid.expr))
