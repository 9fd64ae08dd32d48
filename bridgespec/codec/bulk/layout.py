"""The layout of fixed-size records: the bit offset of each field, or why a spec has no such layout.

A bulk codec requires an optional header of fixed size and one list, to the end of the file, of elements of one fixed size.
`BulkLayout.of` computes the offset of every field in them, in bits; `Refusal` names the field that prevents it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from bridgespec.codec.binary.leaf import leaf_of
from bridgespec.codec.bulk.expr import Unsupported, constant
from bridgespec.spec.ir import (
    Axis,
    BitsType,
    Check,
    EndRecord,
    Extent,
    Field,
    FieldType,
    PosInstance,
    Primitive,
    Record,
    RecordType,
    Repeat,
    Spec,
    SwitchType,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.place import SchemaPlace

MAX_RECORD = 1 << 16
"""The largest record in bytes of a bulk codec: chunks of a few thousand larger records would take too much memory."""

ElementKind = Literal["int", "bits", "float", "bytes"]


class Refusal(Exception):
    """Raised where a spec can have no bulk codec; the message has the field's position in the schema, its name and the reason."""


@dataclass(frozen=True, slots=True)
class BulkLeaf:
    """One field of primitive type in a record: elements of ``width`` bits, the first at bit ``bit`` of the record, in an array of
    ``shape``; ``steps`` are the distances in bits along each dimension.

    Bits are numbered in the order of the format. ``lsb``: a little-endian integer, or bits from the low end. ``chain`` are the
    enclosing fields, outermost first, and last the field itself; ``record`` is the type that declares it. A byte array or a text
    is an array of bytes, its last dimension being its size.
    """

    name: str
    kind: ElementKind
    bit: int
    width: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    lsb: bool
    signed: bool
    chain: tuple[Field, ...]
    record: Record

    @property
    def decl(self) -> Field:
        """The declaration of the field."""
        return self.chain[-1]

    @property
    def count(self) -> int:
        """The number of elements in one record."""
        total = 1
        for size in self.shape:
            total *= size
        return total

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes that label the elements in file order, those of the outermost field first."""
        return tuple(axis for decl in self.chain for axis in decl.binding.axes)

    @property
    def terms(self) -> tuple[str, ...]:
        """The term of each enclosing field and of the field itself, the outermost first; a field's name where it declares none."""
        return tuple(decl.binding.term or decl.name for decl in self.chain)

    @property
    def packed(self) -> bool:
        """Whether the elements are adjacent and fill whole bytes."""
        step = self.width
        for size, stride in zip(reversed(self.shape), reversed(self.steps), strict=True):
            if size > 1 and stride != step:
                return False
            step *= size
        return self.bit % 8 == 0 and step % 8 == 0


@dataclass(frozen=True, slots=True)
class Invariant:
    """A check (``-bridge-checks``) of a record type at one place of a layout: ``prefix`` are the names of the enclosing fields,
    ``shape`` the numbers of repetitions around the record.
    """

    check: Check
    record: Record
    prefix: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """A value instance with a constraint (``valid``) at one place of a layout: ``prefix`` are the names of the fields that enclose
    its record, ``shape`` the numbers of repetitions around the record.
    """

    instance: ValueInstance
    record: Record
    prefix: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Adjacent fields of fixed size: the header of a file, or one record of its list. ``size`` is in bytes.

    ``places`` maps the names of fields outside of lists, records included, to their first bit and the bit after their last.
    """

    size: int
    leaves: tuple[BulkLeaf, ...]
    invariants: tuple[Invariant, ...]
    computed: tuple[Computed, ...]
    places: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class BulkLayout:
    """The layout of a file: ``header`` once, then ``record`` for each element of the field ``list``. Made by `BulkLayout.of`."""

    header: Block
    record: Block
    list: Field

    @property
    def end(self) -> EndRecord | None:
        """The bits that mark a record as the end of the list; None without such a mark."""
        return self.list.binding.end

    @classmethod
    def of(cls, spec: Spec) -> BulkLayout:
        """Return the layout of a spec's files. Raises `Refusal` where they are not a header and a list of fixed-size records."""
        if spec.language != "ksy":
            raise Refusal(f"{spec.id} is a text format: its records have no fixed size")
        top = spec.top
        _plain_record(top, top.name)
        if not top.fields:
            raise Refusal(f"{top.place}: {top.name} has no fields")
        last = top.fields[-1]
        # The number of records then follows from the size of the file alone.
        if last.repeat is not Repeat.EOS:
            _refuse(last, last.name, "is the last field of the file, but no list to its end (repeat: eos)")
        if last.binding.case is not None:
            _refuse(last, last.name, "has records of several kinds, and not all are boards")
        # A check of the file may depend on all of its records.
        if top.checks:
            check = top.checks[0]
            raise Refusal(f"{check.place}: the check {check.code} is about the whole file, not about one record")
        for one in _must_be_valid(top):
            raise Refusal(f"{one.place}: {one.name} is computed for the whole file, not for one record, and must be valid")
        # Two walks: offsets of a record are counted from its own beginning.
        header = _Walk(spec)
        header.fields(top, top.fields[:-1])
        if header.bit % 8:
            _refuse(last, last.name, f"begins inside a byte, {header.bit % 8} bits into it")
        record = _Walk(spec)
        record.field(top, last, (), (), "", element=True)
        if record.bit % 8:
            _refuse(last, last.name, f"has elements of {record.bit} bits, which is not a whole number of bytes")
        if not 0 < record.bit <= 8 * MAX_RECORD or header.bit > 8 * MAX_RECORD:
            _refuse(last, last.name, f"has elements of {record.bit // 8} bytes; bulk work takes 1 to {MAX_RECORD}")
        end = last.binding.end
        if end is not None and (end.bits % 8 or not 0 < end.bits <= record.bit):
            _refuse(last, last.name, f"ends by {end.bits} null bits, which is not a whole number of bytes of a record")
        return cls(header.block(), record.block(), last)


def _refuse(decl: Field, name: str, reason: str) -> NoReturn:
    """Raise `Refusal` for a field; ``name`` is its name with those of the enclosing fields."""
    raise Refusal(f"{decl.place}: {name} {reason}")


def _plain_record(record: Record, name: str) -> None:
    """Raise `Refusal` for a record type whose fields or values arrays cannot find."""
    place: SchemaPlace = record.place
    if record.params:
        raise Refusal(f"{place}: {name} takes parameters")
    if record.endian_switch is not None:
        raise Refusal(f"{place}: {name} chooses its endianness by a value")
    for instance in record.instances.values():
        if isinstance(instance, PosInstance):
            _refuse(instance.field, instance.name, "is read elsewhere in the file (pos)")
        if instance.valid is not None and instance.condition is not None:
            raise Refusal(f"{instance.place}: {instance.name} must be valid, and is computed only if {instance.condition.source}")


def _must_be_valid(record: Record) -> list[ValueInstance]:
    """Return the value instances of a record type that have a constraint."""
    return [one for one in record.instances.values() if isinstance(one, ValueInstance) and one.valid is not None]


class _Walk:
    """Assigns offsets to fields one after the other, as Kaitai does: bit fields are adjacent, everything else begins at a byte.
    One is made for each block, and one for each record type that is measured.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.bit = 0
        self.order: str | None = None
        self.open: list[str] = []
        self.sizes: dict[str, int] = {}
        self.leaves: list[BulkLeaf] = []
        self.invariants: list[Invariant] = []
        self.computed: list[Computed] = []
        self.places: dict[str, tuple[int, int]] = {}

    def block(self) -> Block:
        """Return the fields so far as a block."""
        return Block(self.bit // 8, tuple(self.leaves), tuple(self.invariants), tuple(self.computed), self.places)

    def align(self) -> None:
        self.bit = (self.bit + 7) // 8 * 8

    def fields(self, record: Record, fields: Sequence[Field]) -> None:
        """Assign offsets to some fields of a record type that is not repeated."""
        for decl in fields:
            self.field(record, decl, (), (), "")
        self.align()

    def field(
        self,
        record: Record,
        decl: Field,
        chain: tuple[Field, ...],
        outer: tuple[tuple[int, int], ...],
        prefix: str,
        element: bool = False,
    ) -> None:
        """Assign an offset to the field ``decl``. ``chain`` are the enclosing fields, ``outer`` the number and the size in bits of
        the repetitions around it, ``prefix`` begins its name. With ``element``, one element of the list is measured instead of the
        list.
        """
        name = prefix + decl.name
        if decl.condition is not None:
            _refuse(decl, name, f"stands only if {decl.condition.source}")
        times = None if element else _times(decl, name)
        kind = decl.type
        first = self.begin(decl, name)
        if isinstance(kind, RecordType):
            self.nested(decl, kind, (*chain, decl), outer, name, times, element)
            if not outer and not element:
                self.places[name] = first, self.bit
            return
        leaf_kind, width, sizes, lsb, signed = _element(decl, name, kind)
        total = width
        for size in sizes:
            total *= size
        dims = [*outer] + ([(times, total)] if times is not None else []) + [(size, width) for size in sizes]
        self.bit = first + total * (1 if times is None else times)
        if not outer:
            self.places[name] = first, self.bit
        # A field without bits has a position, but no array.
        if not total or times == 0:
            return
        shape, steps = tuple(size for size, _ in dims), tuple(step for _, step in dims)
        self.leaves.append(BulkLeaf(name, leaf_kind, first, width, shape, steps, lsb, signed, (*chain, decl), record))

    def begin(self, decl: Field, name: str) -> int:
        """Return the offset in bits at which the next field begins: only a bit field need not begin at a byte."""
        if isinstance(decl.type, BitsType):
            # Bits of both orders in one byte have no single offset.
            if self.order not in (None, decl.type.endian) and self.bit % 8:
                _refuse(decl, name, "changes the order of bits inside a byte")
            self.order = decl.type.endian
        else:
            self.align()
        return self.bit

    def nested(
        self,
        decl: Field,
        kind: RecordType,
        chain: tuple[Field, ...],
        outer: tuple[tuple[int, int], ...],
        name: str,
        times: int | None,
        element: bool,
    ) -> None:
        """Assign offsets to the fields of a record type. ``times`` is the length of an array of it, None for a single record;
        ``outer`` are the number and the size in bits of the repetitions around it. With ``element``, one element of the list
        ``decl`` is measured.
        """
        record = self.spec.records[kind.target]
        if kind.args or kind.process is not None:
            _refuse(decl, name, "is transformed, or takes arguments")
        # A type that contains itself has no fixed size, and the recursion would not end.
        if kind.target in self.open:
            _refuse(decl, name, f"is of a type that contains itself, {kind.target}")
        _plain_record(record, name)
        self.open.append(kind.target)
        size = self.measure(record)
        if size % 8:
            _refuse(decl, name, f"takes {size} bits, which is not a whole number of bytes")
        # In a substream of another size the remaining bytes belong to no field.
        if kind.extent is not None and (_extent(decl, name, kind.extent) * 8 != size or kind.extent.terminator is not None):
            _refuse(decl, name, f"is a substream of another size than {size // 8} bytes")
        inner = outer if times is None else (*outer, (times, size))
        first, prefix = self.bit, "" if element else f"{name}."
        shape = tuple(count for count, _ in inner)
        self.invariants.extend(Invariant(check, record, prefix, shape) for check in record.checks)
        self.computed.extend(Computed(one, record, prefix, shape) for one in _must_be_valid(record))
        end = first + size * (1 if times is None else times)
        if end > 8 * MAX_RECORD:
            _refuse(decl, name, f"takes the record beyond {MAX_RECORD} bytes")
        # An array of zero records has no fields.
        if end > first:
            for part in record.fields:
                self.field(record, part, chain, inner, prefix)
        self.open.pop()
        self.bit = end
        self.order = None

    def measure(self, record: Record) -> int:
        """Return the size of a record type in bits."""
        if record.name not in self.sizes:
            # Measured on its own, since the offsets of its fields depend on where it begins.
            probe = _Walk(self.spec)
            probe.open, probe.sizes = list(self.open), self.sizes
            for part in record.fields:
                probe.field(record, part, (), (), "")
            self.sizes[record.name] = probe.bit
        return self.sizes[record.name]


def _times(decl: Field, name: str) -> int | None:
    """Return the constant number of repetitions of a field; None for a field that is not repeated."""
    if decl.repeat is None:
        return None
    if decl.repeat is not Repeat.EXPR or decl.repeat_expr is None:
        _refuse(decl, name, f"repeats as often as the data say (repeat: {decl.repeat})")
    return _size(decl, name, "repeats", decl.repeat_expr)


def _size(decl: Field, name: str, what: str, expression: Expression) -> int:
    """Return a constant number of repetitions; ``what`` is the verb for the message. Raises `Refusal` for any other number."""
    try:
        value = constant(expression)
    except Unsupported as problem:
        _refuse(decl, name, f"{what} as often as {problem} says")
    if not isinstance(value, int) or value < 0:
        _refuse(decl, name, f"{what} {value!r} times")
    return value


def _element(decl: Field, name: str, kind: FieldType) -> tuple[ElementKind, int, tuple[int, ...], bool, bool]:
    """Return the array form of one element: kind, bits, inner dimensions, whether it is little-endian, and whether it is signed."""
    if isinstance(kind, SwitchType):
        _refuse(decl, name, f"has a type that depends on {kind.on.source}")
    if not isinstance(kind, Primitive):
        _refuse(decl, name, "has a type of no fixed size")
    stored = leaf_of(kind).array_form(kind)
    if stored.refused:
        _refuse(decl, name, stored.refused)
    size = stored.size
    sizes = () if size is None else (size if isinstance(size, int) else _extent(decl, name, size),)
    return stored.kind, stored.width, sizes, stored.lsb, stored.signed


def _extent(decl: Field, name: str, extent: Extent) -> int:
    """Return the constant size of a field in bytes. Raises `Refusal` without one."""
    if extent.size is None:
        _refuse(decl, name, "ends where the data say, at a terminator or at the end of the file")
    try:
        value = constant(extent.size)
    except Unsupported as problem:
        _refuse(decl, name, f"has the size {problem}")
    if not isinstance(value, int) or value < 0:
        _refuse(decl, name, f"has the size {value!r}")
    return value
