"""Proofs of one field of a binary schema, read and written by itself.

`FieldCodec` makes a schema of the one field and reads and writes every bit pattern with the reference codec, so that what is proved
is what the codec does and not what this module believes of it. A pattern is *accepted* if nothing is reported of it and, of a code,
it has a name. `arrays` does the same for integers that are too wide for that. A proof covers the field alone: expressions that
refer to other fields leave it open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.decl import FieldDeclaration, Fields
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
    """Return the field without its repetition, its condition and its binding."""
    binding = replace(field.binding, value=None, end=None, default=None)
    return replace(field, repeat=None, repeat_expr=None, condition=None, binding=binding, doc="")


def of_field(spec: Spec, record: Record, field: Field) -> Spec:
    """Return the schema of files that are this one field of one value.

    The other types are left out: sizes and offsets that are derived in them would have each pattern written several times.
    """
    mini = Record(record.name, (alone_of(field),), record.place)
    return replace(spec, root=record.name, records={record.name: mini}, checksum=None)


def looks_around(valid: Valid | None) -> str:
    """Return the name of another field that a constraint refers to; nothing where the value alone decides."""
    expressions = () if valid is None else (valid.eq, valid.min, valid.max, valid.expr, *valid.any_of)
    names = (node.id for one in expressions if one is not None for node in walk(one.tree) if isinstance(node, Name))
    return next((name for name in names if name != "_"), "")


def field_proofs(spec: Spec, record: Record, field: Field, about: str, most: int) -> Iterator[Proof]:
    """Return the proofs of a field of one value: written back, one spelling, its constraint, and what a writer has for it."""
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
    """Reads and writes one field by the reference codec, as a file of its own; made for one run over its bit patterns."""

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
        """Return the file of a pattern; the bits that fill its last byte up are zero."""
        return (pattern << 8 * self.size - self.bits if self.big else pattern).to_bytes(self.size, "big" if self.big else "little")

    def shown(self, pattern: int) -> str:
        """Return a pattern as a witness."""
        return f"the bytes {self.data(pattern).hex(' ')}" if self.bits % 8 == 0 else f"the {self.bits} bits of {pattern}"

    def read(self, pattern: int) -> tuple[FieldNode, bool]:
        """Return the field's node, and whether nothing is reported."""
        reading = self.codec.read(self.data(pattern))
        node = reading.root[self.field.name]
        meant = self.decl.kind != "code" or self.decl.name_of(node.value) is not None
        return reading.root, not reading.diagnostics and meant

    def value(self, root: FieldNode) -> object:
        """Return the meaning of a value: a code's name, the number of a text, else the value itself."""
        value = root[self.field.name].value
        if self.decl.kind == "code":
            # A pair, since a number without a name must not be equal to the value of another pattern.
            return self.decl.name_of(value) or ("raw", value)
        number = (
            self.decl.numeral.read(value) if self.field.binding.number and self.decl.numeral and isinstance(value, str) else None
        )
        return value if number is None else number

    def write(self, value: object) -> bytes | None:
        """Return the bytes of a plain value; None where it cannot be written."""
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
        """A code may have a name for each pattern; a constraint that refuses nothing, or everything, is a mistake."""
        wrong = "" if accepted else "every pattern is refused"
        if self.field.valid is not None and accepted == total and not _says_all(self.field.valid, self.decl):
            wrong = "no pattern is refused"
        status = Status.FALSE if wrong else Status.PROVED
        return Proof(about, Property.LIMIT, status, total, total, f"{accepted:,} of {total:,} accepted", self.field.place, wrong)

    def _once(self, about: str, spelled: Mapping[object, list[int]], accepted: int) -> Proof:
        """Of the patterns of one value all but the one that is written must be declared: by `-bridge-lenient`, or as leading
        zeros, which `-bridge-number` reads.
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
        """The pattern that is written for the value of several."""
        raw = self.codec.read(self.data(patterns[0])).root[self.field.name].value
        if isinstance(raw, str) and self.decl.numeral is not None and (number := self.decl.numeral.read(raw)) is not None:
            raw = self.decl.numeral.write(number)
        written = self.write(raw)
        return next((pattern for pattern in patterns if self.data(pattern) == written), patterns[0])

    def _lenient(self, pattern: int) -> bytes:
        """The bytes that a pattern is read as."""
        lenient = self.field.binding.lenient
        if isinstance(self.field.type, IntType | BitsType):
            return self.data(lenient.get(pattern, pattern))
        return bytes(lenient.get(byte, byte) for byte in self.data(pattern))

    def _without_zeros(self, data: bytes) -> bytes:
        """Return the bytes of a number on the left of its field without leading zeros, filled up as before; others as they are."""
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
        """Return what can be tried of a field with too many patterns: the ends of its range, and some between."""
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
    """Whether a constraint only demands a code, of which there is one for every pattern."""
    return valid.in_enum and decl.kind == "code" and all(one is None for one in (valid.eq, valid.min, valid.max, valid.expr))
