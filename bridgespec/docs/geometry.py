"""Lay out the fields of a record as boxes (`boxes`) in rows of bits (`rows`), for the drawing and for the ASCII figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bridgespec.codec.anatomy import positions
from bridgespec.docs.type_names import repeat_text, size_text
from bridgespec.spec.ir import (
    Axis,
    BitsType,
    BytesType,
    Field,
    FieldType,
    PosInstance,
    Record,
    RecordType,
    Repeat,
    Spec,
    StringType,
    SwitchType,
)
from bridgespec.spec.kaitai.sizes import field_bits, type_bits

WIDE, NARROW = 32, 16
"""The number of bits in a row, and that for a record of at most as many bits."""
TONES = 8
"""The number of colours of fields."""
_FEW = 64
"""The maximum number of elements of an array of bits without labels that have a box each."""
_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣", "N": "NT"}


@dataclass(frozen=True)
class DrawnBox:
    """Some bits of a record that are drawn as one box; ``start`` and ``bits`` are None where they depend on the file.

    ``name`` is that of the field; ``label`` is the name, or the label of an array element, and ``sign`` the label with suit
    symbols; ``note`` is the size of the field in words, empty for an element. ``tone`` is the number of the field's colour, from 1;
    ``record`` the name of the field's type, None where that is no record.
    """

    name: str
    label: str
    sign: str
    start: int | None
    bits: int | None
    tone: int
    note: str = ""
    record: str | None = None


@dataclass(frozen=True)
class DrawnPiece:
    """The part of a box in one row: ``bits`` columns from ``column`` on; ``first`` and ``last`` are true where the box begins or
    ends in this row.
    """

    box: DrawnBox
    column: int
    bits: int
    first: bool
    last: bool


@dataclass
class DrawnRow:
    """One row of boxes. ``offset`` is its first bit in the record, None where it depends on the file; ``skipped`` is the number
    of further rows filled by the same box, which are not drawn.
    """

    offset: int | None
    pieces: list[DrawnPiece] = field(default_factory=list)
    skipped: int = 0


def tone_of(index: int) -> int:
    """Return the number of the colour for the field at ``index`` in its record."""
    return index % TONES + 1


def boxes(spec: Spec, record: Record) -> list[DrawnBox]:
    """Return the boxes of a record, in file order: one for each field, or for each element of some arrays."""
    made: list[DrawnBox] = []
    at: int | None = 0
    for index, one in enumerate(record.fields):
        # Kaitai aligns to the next byte before every type that is not of bits.
        if at is not None and not isinstance(one.type, BitsType):
            at = -(-at // 8) * 8
        bits = field_bits(one, spec.records)
        if bits != 0:
            made += _boxes(spec, one, at, bits, tone_of(index))
        at = at + bits if at is not None and bits is not None else None
    return made


def _boxes(spec: Spec, one: Field, at: int | None, bits: int | None, tone: int) -> Iterator[DrawnBox]:
    """Yield the boxes of a field that begins at bit ``at`` and has ``bits`` bits."""
    each = type_bits(one.type, spec.records)
    record = one.type.target if isinstance(one.type, RecordType) else None
    if one.repeat is Repeat.EXPR and at is not None and bits is not None and each and record is None:
        count = bits // each
        places = positions(one.binding.axes)
        # Elements with labels, or of less than a byte, have a box each; any other array is one box.
        if len(places) == count or (each < 8 and count <= _FEW):
            signs = _signs(one.binding.axes) if len(places) == count else []
            for index in range(count):
                label = places[index] if signs else str(index)
                yield DrawnBox(one.name, label, signs[index] if signs else label, at + index * each, each, tone)
            return
        yield DrawnBox(one.name, one.name, one.name, at, bits, tone, f"{count} × {size_text(each)}")
        return
    note = size_text(bits) if bits is not None else repeat_text(one).striptags() if one.repeat else _extent_text(one, each)
    yield DrawnBox(one.name, one.name, one.name, at, bits, tone, note, record)


def _extent_text(one: Field, each: int | None) -> str:
    """Return the size of a field that does not repeat, in words: its terminator, or ``each`` bits."""
    if each is None and isinstance(one.type, StringType | BytesType) and one.type.extent.terminator is not None:
        return f"up to {one.type.extent.terminator.hex(' ')}"
    return size_text(each)


def reachable(spec: Spec) -> list[Record]:
    """Return the records that a file may contain, by breadth: that of the file first, outer ones before inner ones."""
    found: dict[str, Record] = {}
    pending = [spec.root]
    while pending:
        name = pending.pop(0)
        if name in found or name not in spec.records:
            continue
        found[name] = record = spec.records[name]
        types = [one.type for one in record.fields]
        types += [one.field.type for one in record.instances.values() if isinstance(one, PosInstance)]
        pending += [target for type_ in types for target in _targets(type_)]
    return list(found.values())


def _targets(type_: FieldType) -> Iterator[str]:
    if isinstance(type_, RecordType):
        yield type_.target
    elif isinstance(type_, SwitchType):
        for _, case in type_.cases:
            yield from _targets(case)


def _signs(axes: Sequence[Axis]) -> list[str]:
    """Return the labels of the elements of an array, with suit symbols."""
    found = [""]
    for axis in axes:
        signs = [_SUITS.get(label, label) if axis.name in ("suit", "strain") else label for label in axis.labels]
        # "♠A" is a card, "N ♠" a seat and its suit.
        gap = " " if axis.name not in ("rank", "suit") else ""
        found = [f"{one}{gap if one else ''}{sign}" for one in found for sign in signs]
    return found


def columns(record_boxes: Sequence[DrawnBox]) -> int:
    """Return the number of bits in a row of the drawing: `NARROW` for a record of at most so many bits, else `WIDE`."""
    known = all(box.start is not None and box.bits is not None for box in record_boxes)
    total = sum(box.bits or 0 for box in record_boxes)
    return NARROW if known and total <= NARROW else WIDE


def rows(record_boxes: Sequence[DrawnBox], wide: int) -> list[DrawnRow]:
    """Return rows of ``wide`` bits with the boxes. Of the rows that one box fills only the first is made, with the number of the
    others.
    """
    made: list[DrawnRow] = []
    # Rows by offset, since a record may have a hundred thousand boxes.
    known: dict[int, DrawnRow] = {}
    for box in record_boxes:
        if box.start is None or box.bits is None:
            made.append(DrawnRow(box.start, [DrawnPiece(box, 0, min(box.bits or wide, wide), True, True)]))
            continue
        at, stop = box.start, box.start + box.bits
        while at < stop:
            base = at - at % wide
            row = known.get(base)
            if row is None:
                row = known[base] = DrawnRow(base)
                made.append(row)
            end = min(stop, base + wide)
            row.pieces.append(DrawnPiece(box, at - base, end - at, at == box.start, end == stop))
            if at == base:
                row.skipped = max(0, (stop - at) // wide - 1)
            at = end + row.skipped * wide
    return made
