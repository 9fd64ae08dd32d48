"""Write one field of a record from plain values, and evaluate fields that are not written yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from operator import index
from typing import Any

from bridgespec.codec.binary.byte_errors import CannotWrite
from bridgespec.codec.binary.field import FieldElement
from bridgespec.codec.binary.field_positions import FieldPosition
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.stream import NotYetKnown, Sink
from bridgespec.codec.binary.valid import show
from bridgespec.codec.node import KeptInt, Raw, Undecided
from bridgespec.spec.ir import BitsType, BytesType, RecordType, Repeat, StringType, SwitchType
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, ExpressionFunction


def write_field(field: FieldElement, sink: Sink, frame: RecordFrame) -> None:
    """Write a field: its given value, or without one the derived, constant or default value."""
    # Bytes of opaque fields are only kept: a part at an offset may be written over them (`Sink._take`).
    loose = sink.loose
    sink.loose = loose or field.decl.binding.opaque
    _write(field, sink, frame)
    sink.loose = loose


def _write(field: FieldElement, sink: Sink, frame: RecordFrame) -> None:
    """Write a field. If passes are repeated, record its position, and write zeros for a value that is unknown in the first pass."""
    session = frame.session
    if not session.settling:
        _write_field(field, sink, frame)
        return
    if field.aligned and sink.bits_used and f"padding_before_{field.label}" not in frame.given:
        sink.align()
    here = frame.begin(field.label, sink) if field.looked_at else None
    try:
        _write_field(field, sink, frame, here)
    except NotYetKnown:
        # From the second pass on all positions are known, so that a value that still lacks one can never be written.
        if session.known is not None:
            raise
        _write_blank(field, sink)
    if here is not None:
        here.stop = sink.here


def _write_blank(field: FieldElement, sink: Sink) -> None:
    """Write zeros for a single field of fixed size whose value is unknown in the first pass, so that the offsets after it are
    right.
    """
    bits = field.bits or 0
    if field.repeat is not None:
        return
    if field.aligned:
        sink.write(bytes(bits // 8))
    elif isinstance(field.decl.type, BitsType):
        sink.write_bits(0, bits, field.decl.type.endian == "le")


def _write_field(field: FieldElement, sink: Sink, frame: RecordFrame, here: FieldPosition | None = None) -> None:
    label = field.label
    if field.aligned and sink.bits_used:
        spare = frame.given.get(f"padding_before_{label}")
        if isinstance(spare, int):
            sink.fill(spare)
        sink.align()
    value = frame.given.get(label)
    if value is None:
        if frame.lost or not _is_present(field, frame):
            frame.values[label] = None
            return
        value = missing_value(field, frame)
        # A switch on a code without a layout has no bytes.
        if value is None:
            frame.values[label] = None
            return
    elif field.condition is not None and sink.taken is not None:
        with suppress(EvaluationError):
            field.condition(frame)  # computes the offsets of instances in it at this position (`RecordElement._written_instance`)
    if isinstance(value, Raw):
        # Raw bytes begin with the byte that was partly read (`broken_node`): its bits must not be written twice.
        sink.drop_bits()
        sink.write(value)
        frame.values[label] = bytes(value)
        # Behind raw bytes a reader finds no further field of the record.
        frame.lost = True
    elif field.repeat is None:
        frame.values[label] = field.type._build(value, sink, frame, label)
    else:
        _write_array(field, value, sink, frame, here)
    if field.end is not None:
        for name in ("end", "after_end"):
            rest = frame.given.get(name)
            if isinstance(rest, bytes):
                sink.write(rest)


def _is_present(field: FieldElement, frame: RecordFrame) -> bool:
    """Whether a field without a given value should be written, by its condition; False for a condition that depends on what is
    written later.
    """
    try:
        return field.condition is None or bool(field.condition(frame))
    except EvaluationError:
        return False


def missing_value(field: FieldElement, frame: RecordFrame) -> Any:
    """Return the value to write for a field that is not given: derived, default or constant; None where nothing is to be written.
    Raises CannotWrite where the field must be given.
    """
    given = field.derived or field.default
    if given is not None:
        return _derived(given, frame)
    kind = field.decl.type
    # A reader reads nothing for a code without a case, so that nothing is written for one.
    if isinstance(kind, SwitchType) and field.repeat is None and field.type.choose(frame)[1] is None:
        return None
    value = _only_value(field, frame)
    if value is None and field.implied is not None:
        return _derived(field.implied, frame)
    if value is None:
        value = _empty_value(field, frame)
    if value is None:
        raise CannotWrite("a value is missing, and there is no default", frame.path_of(field.label))
    return value


def _only_value(field: FieldElement, frame: RecordFrame) -> Any:
    """Return the value of a field whose declaration permits a single one; None for any other field."""
    kind, valid = field.decl.type, field.decl.valid
    if isinstance(kind, BytesType) and kind.contents is not None:
        if field.repeat is None:
            return kind.contents
        return [kind.contents] * (field.count(frame) if field.repeat is Repeat.EXPR and field.count is not None else 0)
    # A constraint to one constant leaves a writer no choice.
    if valid is not None and valid.eq is not None and field.repeat is None:
        return valid.eq.constant
    return None


def _empty_value(field: FieldElement, frame: RecordFrame) -> Any:
    """Return the empty list, record, text or byte array with which a missing field can be written; None where the type has
    none.
    """
    kind = field.decl.type
    if field.repeat is Repeat.EOS:
        return []
    if isinstance(kind, RecordType) and field.repeat is not Repeat.UNTIL:
        # The record is written from the defaults of its own fields; the first field without one is reported.
        return {} if field.count is None else [{}] * field.count(frame)
    if isinstance(kind, BytesType | StringType) and field.repeat is None and kind.width is None:
        # A field of variable size, without a value: it is written empty.
        return b"" if isinstance(kind, BytesType) else ""
    return None


def _derived(given: ExpressionFunction, frame: RecordFrame) -> Any:
    """Return the result of the expression of a derived or default value, which sees all elements of arrays (`_Growing`)."""
    # A counter and no flag: a derived value may need another one.
    frame.session.deriving += 1
    try:
        return given(frame)
    finally:
        frame.session.deriving -= 1


class _Growing(list[Any]):
    """An array that is being written. Expressions of derived values see all of its elements; other expressions only the elements
    that are written, as they would while reading.
    """

    def __init__(self, field: FieldElement, items: list[Any], frame: RecordFrame) -> None:
        super().__init__()
        self.items = items
        self.field = field
        self.frame = frame

    def __len__(self) -> int:
        return len(self.items) if self.frame.session.deriving else super().__len__()

    def __getitem__(self, at: Any) -> Any:
        written = super().__len__()
        # `last` is compiled to element -1: the last of all elements, not of those written so far.
        if self.frame.session.deriving and isinstance(at, int) and (at >= written or at < 0):
            return _seen(self.field, self.items[at], self.frame, at if at >= 0 else at + len(self.items))
        return super().__getitem__(at)


def _write_array(field: FieldElement, value: Any, sink: Sink, frame: RecordFrame, here: FieldPosition | None) -> None:
    """Write an array, or the elements up to the one that breaks off. Raises CannotWrite for a wrong number of elements."""
    label = field.label
    items = _items(field, value, frame)
    cut = bool(items) and isinstance(items[-1], Raw)
    if field.repeat is Repeat.EXPR and not cut:
        count = _wanted(field, frame, items)
        # In a file that is cut off, the last record of a list breaks off: fewer elements than counted are written then.
        ends = not field.uniform and bool(items) and isinstance(items[-1], Mapping | Undecided)
        if count < len(items) or (count > len(items) and not ends):
            raise _miscounted(count, items, frame, label)
    if field.uniform:
        _write_cells(field, items, sink, frame)
        frame.values[label] = items
        if here is not None:
            here.end(len(items), field.bits or 8)
        return
    frame.values[label] = written = _Growing(field, items, frame)
    _write_elements(written, sink, here)
    # After a list to the end of its stream there is no field whose position could be unknown.
    frame.lost = frame.lost or (cut and field.repeat is not Repeat.EOS)
    if not frame.lost and field.repeat is Repeat.EXPR and (count := _wanted(field, frame, items)) != len(items):
        raise _miscounted(count, items, frame, label)


def _items(field: FieldElement, value: Any, frame: RecordFrame) -> list[Any]:
    """Return the elements of a given array. Raises CannotWrite for any other value."""
    try:
        # `index` refuses fractions and digits in quotation marks, which `int` would convert.
        return [index(item) for item in value] if field.uniform else list(value)
    except TypeError:
        wanted = "a list of integers" if field.uniform else "a list"
        raise CannotWrite(f"{wanted} is wanted, not {show(value)}", frame.path_of(field.label)) from None


def _write_elements(written: _Growing, sink: Sink, here: FieldPosition | None) -> None:
    """Write the items of an array one after the other, and append each of them to ``written`` as a reader would read it."""
    field, frame = written.field, written.frame
    label, build = field.label, field.type._build
    # Elements set `_index`; behind the list it is again that of the enclosing list.
    above = frame.index
    for ordinal, item in enumerate(written.items):
        frame.index, start, begun = ordinal, sink.pos, sink.here
        if isinstance(item, Raw):
            sink.drop_bits()
            sink.write(item)
            written.append(bytes(item))
        else:
            written.append(build(item, sink, frame, f"{label}[{ordinal}]") if item is not None else None)
            _refuse_end(field, sink, start, frame, f"{label}[{ordinal}]")
        if here is not None:
            here.items.append((begun, sink.here))
        if field.repeat is Repeat.UNTIL:
            _evaluate_until(field, frame, written[-1])
    frame.index = above


def _wanted(field: FieldElement, frame: RecordFrame, items: list[Any]) -> int:
    """Return the number of elements that the count's expression requires; the number of ``items`` where it depends on what is
    written later.
    """
    try:
        return int(field.count(frame)) if field.count is not None else len(items)
    except NotYetKnown:
        return len(items)


def _miscounted(count: int, items: list[Any], frame: RecordFrame, label: str) -> CannotWrite:
    return CannotWrite(f"{count} elements are wanted, {len(items)} are given", frame.path_of(label))


def _evaluate_until(field: FieldElement, frame: RecordFrame, value: Any) -> None:
    """Evaluate the condition that ends a list, as a reader does after each element, so that the offsets of instances in it are
    computed at this position (`RecordElement._written_instance`).
    """
    frame.it = value
    with suppress(EvaluationError):
        if field.count is not None:
            field.count(frame)
    frame.it = None


def _refuse_end(field: FieldElement, sink: Sink, start: int, frame: RecordFrame, label: str) -> None:
    """Raise CannotWrite for a record that would read as the end of its list, since the records after it would be lost."""
    if field.end is None:
        return
    size, bits = (field.end.bits + 7) // 8, field.end.bits
    head = sink.buffer[start : start + size]
    if len(head) == size and int.from_bytes(head, "little") & ((1 << bits) - 1) == 0:
        raise CannotWrite(f"it begins with {bits} null bits, which end the list", frame.path_of(label))


def _write_cells(field: FieldElement, items: list[int], sink: Sink, frame: RecordFrame) -> None:
    """Write an array of unsigned integers in one step."""
    kind = field.decl.type
    bits = kind.bits if isinstance(kind, BitsType) else 8
    if items and not 0 <= min(items) <= max(items) < 1 << bits:
        wrong = next(i for i, item in enumerate(items) if not 0 <= item < 1 << bits)
        raise CannotWrite(f"{items[wrong]} does not fit into {bits} bits", frame.path_of(f"{field.label}[{wrong}]"))
    if not isinstance(kind, BitsType):
        sink.write(bytes(items))
        return
    little = kind.endian == "le"
    total = 0
    # The first element has the lowest bits in little-endian bit order, the highest in big-endian.
    for item in reversed(items) if little else items:
        total = total << bits | item
    if items:
        sink.write_bits(total, bits * len(items), little)


def foresee(frame: RecordFrame, name: str, field: FieldElement) -> Any:
    """Return the value that a field which is not written yet will have, as expressions see it."""
    value = frame.given.get(name)
    if value is None:
        if field.condition is not None and not field.condition(frame):
            return None
        try:
            value = missing_value(field, frame)
        except CannotWrite as error:
            raise EvaluationError(f"'{name}': {error.message}") from None
    if field.repeat is not None and not isinstance(value, Raw):
        if not isinstance(value, Iterable):
            raise CannotWrite(f"a list is wanted, not {show(value)}", frame.path_of(name))
        return [_seen(field, item, frame, at) for at, item in enumerate(value)]
    return _seen(field, value, frame)


def _seen(field: FieldElement, value: Any, frame: RecordFrame, at: int | None = None) -> Any:
    """Return a plain value as expressions see it: a frame for a record, without a position, any other value itself."""
    element: Any = field.type
    if isinstance(value, Mapping | Undecided) and hasattr(element, "choose"):
        element = element.choose(frame)[1]
    if isinstance(value, Undecided):
        value = value.of(element) if element is not None else None
    if isinstance(value, Mapping):
        label = field.label if at is None else f"{field.label}[{at}]"
        inner = element.enter(Sink(), frame, label)  # an empty sink, since the record has no position yet
        inner.given = value
        inner.index = frame.index if at is None else at
        return inner
    return int(value) if isinstance(value, KeptInt) else value
