"""Records of several sizes, cut out of bytes by arrays.

`variable` returns the codec of a spec. In a `GroupCodec` each record is a run of elements of one type, the last of which fulfils a
condition such as ``repeat-until: not _.chained``; in a `ShapeCodec` values at the beginning of a record decide which fields follow,
and of what size. `VariableCodec.cut` takes bytes that begin with a record, and returns the offset and the shape of each record.
Records of one shape have a fixed size, so that there is a `BulkCodec` for each shape. Records that it cannot prove clean are
suspects, as in every bulk codec.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.codec import BulkCodec, Judge
from bridgespec.codec.bulk.expr import Arrays, Unsupported, constant
from bridgespec.codec.bulk.layout import Refusal
from bridgespec.codec.bulk.packed_checks import RecordScope, SuspectFlags
from bridgespec.codec.bulk.plan import ByteArray, RecordBytes
from bridgespec.errors import SpecError
from bridgespec.spec.ir import (
    BytesType,
    Field,
    FieldType,
    Record,
    RecordType,
    Repeat,
    Spec,
    StringType,
    SwitchType,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr.parse import parse
from bridgespec.spec.kaitai.expr.tree import Attribute, Expression, Name, walk

LONGEST = 64
"""The maximum number of elements of a group for which a codec is made; longer groups are rare."""
_SIZED = BytesType | StringType | RecordType
MOST_SHAPES = 256
"""The maximum number of shapes in a file; the records from the first one of another shape on are read by the reference codec."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The records that were found in a block of bytes by `VariableCodec.cut`: for each its offset (``starts``) and the number of
    its shape; ``stop`` is the end of the last one.

    ``ended`` is true where arrays cannot find the records after ``stop``, whatever bytes follow.
    """

    starts: NDArray[np.int64]
    shapes: NDArray[np.int64]
    stop: int
    ended: bool = False

    def part(self, low: int, high: int) -> Cut:
        """Return the records from index ``low`` up to ``high``, excluded, as a cut."""
        stop = int(self.starts[high]) if high < len(self.starts) else self.stop
        return Cut(self.starts[low:high], self.shapes[low:high], stop)


class VariableCodec(ABC):
    """Finds and checks the records of one spec with records of several sizes; made by `variable`. ``one`` is the bulk codec for
    the header and for the part of a record that determines its size: one element of a group, or the head.
    """

    def __init__(self, spec: Spec, one: BulkCodec) -> None:
        self.spec, self.one = spec, one
        self._shaped: dict[int, BulkCodec | None] = {}

    @abstractmethod
    def cut(self, data: ByteArray) -> Cut:
        """Return offsets and shapes of the complete records in bytes that begin with a record."""

    @abstractmethod
    def _codec_of(self, shape: int) -> BulkCodec | None:
        """Return a new bulk codec for records of this shape; None where arrays cannot check them."""

    def shaped(self, shape: int) -> BulkCodec | None:
        """Return the bulk codec for records of this shape, cached; None where arrays cannot check them."""
        if shape not in self._shaped:
            self._shaped[shape] = self._codec_of(shape)
        return self._shaped[shape]

    def by_shape(self, data: ByteArray, cut: Cut) -> Iterator[tuple[BulkCodec, RecordBytes, NDArray[np.intp]]]:
        """Yield, for each shape that has a codec: the codec, the bytes of its records as rows, and the indexes of these records."""
        for shape in np.unique(cut.shapes).tolist():
            codec = self.shaped(shape)
            if codec is not None:
                places = np.flatnonzero(cut.shapes == shape)
                yield codec, data[cut.starts[places][:, None] + np.arange(codec.record_size)], places

    def mark(self, data: ByteArray, cut: Cut, judges: Sequence[Judge] = ()) -> SuspectFlags:
        """Return a boolean for each record: whether it may break a constraint; true where its shape has no codec."""
        bad = np.ones(len(cut.starts), np.bool_)
        for codec, rows, places in self.by_shape(data, cut):
            bad[places] = codec.mark(rows, judges)
        return bad

    def _before_end(self, data: ByteArray, cut: Cut) -> Cut:
        """Return the records of a cut before the end record, if the data contain one; else all."""
        if (end := self.one.layout.end) is None:
            return cut
        size = end.bits // 8
        # The offset after the last record is tried too: the end record may begin there.
        starts = np.append(cut.starts, cut.stop)
        begun = starts[starts + size <= len(data)]
        null = np.flatnonzero(~data[begun[:, None] + np.arange(size)].any(axis=1))
        return replace(cut.part(0, int(null[0])), ended=True) if len(null) else cut


def variable(spec: Spec) -> VariableCodec:
    """Return the codec of a spec whose records have several sizes. Raises SpecError for a spec whose records arrays cannot find."""
    try:
        record = _record_of(spec)
        run = record.fields[0] if len(record.fields) == 1 else None
        return ShapeCodec(spec, record) if run is None or run.repeat is not Repeat.UNTIL else GroupCodec(spec, record)
    except (Refusal, Unsupported, KeyError, TypeError, ValueError) as reason:
        raise SpecError(f"{spec.id} has no records that arrays can cut out: {reason}") from None


def _record_of(spec: Spec) -> Record:
    """Return the record type of the file's list. Raises `Refusal` where the file does not end with a list of records."""
    listed = spec.top.fields[-1] if spec.language == "ksy" and spec.top.fields else None
    if listed is None or listed.repeat is not Repeat.EOS or not isinstance(listed.type, RecordType):
        raise Refusal("it is no list of records to the end of the file")
    return spec.records[listed.type.target]


def _with_fields(spec: Spec, record: Record, fields: Sequence[Field]) -> Spec:
    return replace(spec, records={**spec.records, record.name: replace(record, fields=tuple(fields))})


class GroupCodec(VariableCodec):
    """Finds records that are runs of elements of one type. A record's shape is the number of its elements."""

    def __init__(self, spec: Spec, record: Record) -> None:
        self._record, self._run = record, record.fields[0]
        condition = self._run.repeat_expr
        if condition is None or not isinstance(self._run.type, RecordType):
            raise Refusal(f"{self._run.place}: {self._run.name} is no list of records")
        names: set[Any] = {node.id for node in walk(condition.tree) if isinstance(node, Name)}
        ends = [node for node in walk(condition.tree) if isinstance(node, Attribute) and node.of == Name("_io")]
        # A condition on anything else cannot be evaluated for each element by itself.
        if not names <= {"_", "_io"} or any(node.name != "eof" for node in ends):
            raise Refusal(f"{self._run.place}: the end of {self._run.name} depends on more than its last element")
        self._condition = condition
        super().__init__(spec, BulkCodec(self._of(spec, 1)))
        self._prefix = f"{self._run.name}."
        self._seen = [name for name in self.one.fields if name.startswith(self._prefix)]
        # Evaluated once, so that a condition that arrays cannot evaluate is refused here.
        self.ends(np.zeros((1, self.one.record_size), np.uint8))

    def _of(self, spec: Spec, count: int) -> Spec:
        """Return a spec like the given one, for files in which every record has ``count`` elements."""
        run = replace(self._run, repeat=Repeat.EXPR, repeat_expr=parse(str(count)))
        return _with_fields(spec, self._record, [run])

    def _codec_of(self, shape: int) -> BulkCodec | None:
        try:
            return BulkCodec(self._of(self.spec, shape)) if shape <= LONGEST else None
        except SpecError:
            return None

    def ends(self, elements: RecordBytes) -> SuspectFlags:
        """Return a boolean for each element: whether the list's condition makes it the last of its record."""
        arrays = self.one.unpack(elements, self._seen)
        # No element is treated as the last of the data: whether a record ends there is decided in `cut`.
        found = Arrays({"_io.eof": False}, self.spec.enums)
        found.item = {name.removeprefix(self._prefix): values.reshape(len(elements), -1)[:, 0] for name, values in arrays.items()}
        return np.broadcast_to(np.asarray(found(self._condition), np.bool_), len(elements))

    def cut(self, data: ByteArray) -> Cut:
        """Return the complete records in bytes that begin with a record, each a run of elements up to one that ends it."""
        size = self.one.record_size
        if len(data) < size:
            return Cut(np.empty(0, np.int64), np.empty(0, np.int64), 0)
        stops = np.flatnonzero(self.ends(data[: len(data) // size * size].reshape(-1, size))) + 1
        starts = np.append(np.zeros(1, np.int64), stops)
        return self._before_end(data, Cut(starts[:-1] * size, np.diff(starts), int(starts[-1]) * size))


class ShapeCodec(VariableCodec):
    """Finds records that begin with fields of fixed size, the head, whose values determine which fields follow and of what size.

    A record's shape is a number for these values, in the order in which they first occurred.
    """

    def __init__(self, spec: Spec, record: Record) -> None:
        self._record = record
        varying = [bool(_controls(field)) for field in record.fields]
        if True not in varying:
            raise Refusal(f"{record.place}: {record.name} has no field that depends on a value")
        self._head = varying.index(True)
        head = replace(record, fields=record.fields[: self._head], checks=(), instances={})
        super().__init__(spec, BulkCodec(replace(spec, records={**spec.records, record.name: head})))
        leaves = {leaf.name: leaf for leaf in self.one.layout.record.leaves if leaf.kind in ("int", "bits") and leaf.width < 64}
        computed = {
            name: one.value for name, one in record.instances.items() if isinstance(one, ValueInstance) and not one.condition
        }
        scope = RecordScope({n: leaf for n, leaf in leaves.items() if not leaf.shape}, {}, computed, spec.enums, {})
        self._deciding = [one for field in record.fields[self._head :] for one in _controls(field)]
        self._scope = scope.needed(*self._deciding)
        self._shapes: dict[Any, int] = {}
        self._keys: list[Sequence[int]] = []
        # Evaluated once, so that expressions that arrays cannot evaluate are refused here.
        self._values(np.zeros((1, self.one.record_size), np.uint8))

    def _values(self, heads: RecordBytes) -> list[Any]:
        """Return for each row of head bytes the values that determine the shape: an integer, or a tuple of several."""
        names = [leaf.name for leaf in self._scope.leaves]
        found = self._scope.arrays(self.one.unpack(heads, names))
        values = [np.broadcast_to(np.asarray(found(one), np.int64), len(heads)).tolist() for one in self._deciding]
        if found.doubts:
            raise Unsupported("values that arrays cannot decide")
        return values[0] if len(values) == 1 else list(zip(*values, strict=True))

    def cut(self, data: ByteArray) -> Cut:
        """Return the complete records in bytes that begin with a record. The values of a head are computed at every byte offset;
        then records are followed by their sizes.
        """
        head = self.one.record_size
        if len(data) < head:
            return Cut(np.empty(0, np.int64), np.empty(0, np.int64), 0)
        # At every byte, since where records begin is known only from the sizes of those before.
        values = self._values(np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(data, head)))
        starts, shapes, at, ended = [], [], 0, False
        sizes: dict[Any, int] = {}
        while at < len(values):
            value = values[at]
            if value not in sizes:
                sizes[value] = self._size(value)
            size = sizes[value]
            # After a record of unknown shape no offset is known; a record that breaks off may continue in the next block.
            if size <= 0 or at + size > len(data):
                ended = size <= 0
                break
            starts.append(at)
            shapes.append(self._shapes[value])
            at += size
        return self._before_end(data, Cut(np.array(starts, np.int64), np.array(shapes, np.int64), at, ended))

    def _size(self, value: Any) -> int:
        """Return the size in bytes of a record with these values in its head; 0 where arrays cannot determine it."""
        if value not in self._shapes:
            if len(self._keys) == MOST_SHAPES:
                return 0
            self._shapes[value] = len(self._keys)
            self._keys.append((value,) if isinstance(value, int) else value)
        codec = self.shaped(self._shapes[value])
        return 0 if codec is None else codec.record_size

    def _codec_of(self, shape: int) -> BulkCodec | None:
        values = iter(self._keys[shape])
        fields = list(self._record.fields[: self._head])
        try:
            for field in self._record.fields[self._head :]:
                made = self._with_values(field, dict(zip((one.source for one in _controls(field)), values, strict=False)))
                fields += [] if made is None else [made]
            return BulkCodec(_with_fields(self.spec, self._record, fields))
        except (SpecError, Refusal):
            return None

    def _with_values(self, field: Field, values: Mapping[str, int]) -> Field | None:
        """Return a field with the expressions in ``values`` replaced by their values; None where its condition is then false."""

        def number(expression: Expression | None) -> Expression | None:
            return expression if expression is None or expression.source not in values else parse(str(values[expression.source]))

        if field.condition is not None and not values[field.condition.source]:
            return None
        kind = field.type
        if isinstance(kind, SwitchType):
            value = values[kind.on.source]
            found = [one for case, one in kind.cases if case is None or Arrays({}, self.spec.enums)(case) == value]
            codes = None if kind.on.enum is None else self.spec.enums[kind.on.enum].members
            # Implicit raw bytes are no case: for a value outside the enum the reference codec reports a finding.
            known = len(found) > kind.implicit or codes is None or value in codes
            if not found or not known:
                raise Refusal("no case is known")
            kind = found[0]
        if isinstance(kind, _SIZED) and kind.extent is not None:
            kind = replace(kind, extent=replace(kind.extent, size=number(kind.extent.size)))
        return replace(field, type=kind, condition=None, repeat_expr=number(field.repeat_expr))


def _controls(field: Field) -> list[Expression]:
    """Return the expressions that determine a field's presence, type, number of elements and size."""
    found = [] if field.condition is None else [field.condition]
    kinds: list[FieldType] = [field.type]
    if isinstance(field.type, SwitchType):
        found.append(field.type.on)
        kinds = [kind for _, kind in field.type.cases]
    sizes = [kind.extent.size for kind in kinds if isinstance(kind, _SIZED) and kind.extent is not None]
    for one in (field.repeat_expr if field.repeat is Repeat.EXPR else None, *sizes):
        if one is not None and not _is_constant(one):
            found.append(one)
    return list({one.source: one for one in found}.values())


def _is_constant(expression: Expression) -> bool:
    try:
        constant(expression)
    except Unsupported:
        return False
    return True
