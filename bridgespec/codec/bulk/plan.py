"""Plans: convert one field of many records to an array and back.

`plan_of` selects a plan by the field's layout alone. Packed runs of 1, 2 or 4 bits, of which large bridge files consist, are
unpacked by a table from 16 bits to the bytes of the elements, in blocks that stay in the processor's cache; packing multiplies by
a factor that moves the elements of a byte side by side. All other fields are copied through strided views, or assembled in
columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.layout import BulkLeaf
from bridgespec.errors import RecordError, WriteError
from bridgespec.spec.ir import NumberText, StringType

ByteArray = NDArray[np.uint8]
RecordBytes = NDArray[np.uint8]
"""C-contiguous bytes, shape (records, record size)."""

BLOCK_BYTES = 1 << 18
"""The number of bytes that are processed at once: so many stay in the processor's cache."""
_WORDS = BLOCK_BYTES // 8
"""The number of words that are unpacked at once: each becomes up to eight bytes."""


def block(count: int) -> int:
    """Return how many records of ``count`` one-byte elements to process at once: a multiple of 16, so that they stay in the
    processor's cache.

    >>> block(52)
    5040
    """
    return max(16, BLOCK_BYTES // max(count, 1) // 16 * 16)


def scatter(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy rows of bytes between arrays whose rows are contiguous."""
    # NumPy copies element by element: with each row as one element there is one copy for each row, not for each byte.
    row = np.dtype((np.void, source.shape[1]))
    np.copyto(target.view(row), source.view(row))


@lru_cache(maxsize=16)
def unpack_table(width: int, lsb: bool) -> NDArray[Any]:
    """Return a table from a word of packed elements, 16 bits (8 bits where ``width`` is 1), to a little-endian integer with one
    byte for each element.
    """
    # Sixteen elements of one bit would not fit into eight bytes.
    unit = 8 if width == 1 else 16
    per_byte = 8 // width
    words = np.arange(1 << unit, dtype=np.uint64)
    table = np.zeros(1 << unit, np.uint64)
    for index in range(unit // width):
        within = index % per_byte
        shift = 8 * (index // per_byte) + (width * within if lsb else 8 - width * (within + 1))
        table |= ((words >> np.uint64(shift)) & np.uint64((1 << width) - 1)) << np.uint64(8 * index)
    return table.astype(f"<u{unit // width}")


@lru_cache(maxsize=16)
def pack_factor(width: int, lsb: bool) -> int:
    """Return the factor for packing: multiplied by it, an integer with one element in each byte has all these elements, packed, in
    its highest byte.

    No two partial products overlap, so there is no carry.
    """
    per_byte = 8 // width
    top = 8 * (per_byte - 1)
    shifts = (top + (width * k if lsb else 8 - width * (k + 1)) - 8 * k for k in range(per_byte))
    return sum(1 << shift for shift in shifts)


class FieldPlan(ABC):
    """Reads and writes one field as an array of ``dtype``, whose rows have the plan's ``shape``. `plan_of` makes one for each
    field of a codec.
    """

    def __init__(self, leaf: BulkLeaf, dtype: Any) -> None:
        self.leaf = leaf
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.shape = leaf.shape

    @abstractmethod
    def read(self, records: RecordBytes, out: NDArray[Any]) -> None:
        """Fill ``out``, a C-contiguous array of this plan's type and shape, from the rows of records."""

    @abstractmethod
    def write(self, values: NDArray[Any], records: RecordBytes) -> None:
        """Write ``values``, a C-contiguous array of this plan's type and shape, into the rows of records. Raises RecordError for
        the first value that is out of range.
        """

    def too_large(self, values: NDArray[Any]) -> RecordError:
        """Return the error for the first value outside the field's range."""
        low, high = limits(self.leaf)
        place = np.argwhere((values < low) | (values > high))[0]
        index = "".join(f"[{at}]" for at in place[1:])
        value = values[tuple(place)]
        return RecordError(int(place[0]), f"{self.leaf.name}{index} cannot hold {value}: {low} to {high}")


def limits(leaf: BulkLeaf) -> tuple[int, int]:
    """Return the least and the greatest value of an integer field."""
    return (-(1 << (leaf.width - 1)), (1 << (leaf.width - 1)) - 1) if leaf.signed else (0, (1 << leaf.width) - 1)


class PackedPlan(FieldPlan):
    """The plan of a run of 1-, 2- or 4-bit elements that fills whole bytes."""

    def __init__(self, leaf: BulkLeaf) -> None:
        super().__init__(leaf, np.uint8)
        self.start, self.size = leaf.bit // 8, leaf.count * leaf.width // 8
        self.table = unpack_table(leaf.width, leaf.lsb)
        self.block = block(leaf.count)
        self.word = np.dtype("<u1" if leaf.width == 1 else "<u2")
        self.group = np.dtype(f"<u{8 // leaf.width}")
        self.factor = self.group.type(pack_factor(leaf.width, leaf.lsb))
        self.shift = self.group.type(8 * self.group.itemsize - 8)

    def read(self, records: RecordBytes, out: NDArray[Any]) -> None:
        """Fill ``out``, of this plan's type and shape, with the elements of each record, unpacked by a table."""
        flat = out.reshape(-1)
        # `take` needs indexes of this type, and would allocate memory to convert each block.
        index = np.empty(min(_WORDS, out.size), np.intp)
        if self.size == records.shape[1]:
            self._expand(records.ravel(), flat, index)
            return
        scratch = np.empty((min(self.block, len(records)), self.size), np.uint8)
        for low in range(0, len(records), self.block):
            rows = records[low : low + self.block, self.start : self.start + self.size]
            packed = scratch[: len(rows)]
            scatter(rows, packed)
            self._expand(packed.reshape(-1), flat[low * self.leaf.count :], index)

    def _expand(self, packed: ByteArray, out: ByteArray, index: NDArray[np.intp]) -> None:
        """Unpack contiguous packed bytes into the start of ``out``; ``index`` is scratch space."""
        count = len(packed) // self.word.itemsize
        words = packed[: count * self.word.itemsize].view(self.word)
        done = count * self.table.itemsize
        target = out[:done].view(self.table.dtype)
        for low in range(0, count, _WORDS):
            part = words[low : low + _WORDS]
            places = index[: len(part)]
            np.copyto(places, part)
            # Every word is an index of the table, so that nothing wraps around; with the default mode NumPy would buffer the
            # output.
            self.table.take(places, out=target[low : low + len(part)], mode="wrap")
        # An odd byte at the end is half of a word.
        if len(packed) % self.word.itemsize:
            rest = self.table[packed[-1:]].view(np.uint8)[: 8 // self.leaf.width]
            out[done : done + len(rest)] = rest

    def write(self, values: NDArray[Any], records: RecordBytes) -> None:
        """Pack ``values``, of this plan's type and shape, into the rows of records. Raises RecordError for the first value that is
        out of range.
        """
        highest = (1 << self.leaf.width) - 1
        whole = self.size == records.shape[1]
        room = min(self.block, len(records)) * self.size
        product, scratch = np.empty(room, self.group), np.empty(0 if whole else room, np.uint8)
        for low in range(0, len(records), self.block):
            part = values[low : low + self.block].reshape(-1)
            # The product of a larger value would carry into the neighbouring element.
            if part.max() > highest:
                raise self.too_large(values)
            groups = product[: len(part) // self.group.itemsize]
            np.multiply(part.view(self.group), self.factor, out=groups)
            np.right_shift(groups, self.shift, out=groups)
            rows = records[low : low + self.block]
            packed = rows.reshape(-1) if whole else scratch[: len(groups)]
            np.copyto(packed, groups, casting="unsafe")
            if not whole:
                scatter(packed.reshape(len(rows), self.size), rows[:, self.start : self.start + self.size])


class AlignedPlan(FieldPlan):
    """The plan of elements of 1, 2, 4 or 8 whole bytes."""

    def __init__(self, leaf: BulkLeaf) -> None:
        code = "f" if leaf.kind == "float" else "i" if leaf.signed else "u"
        super().__init__(leaf, f"{code}{leaf.width // 8}")
        self.stored = self.dtype.newbyteorder("<" if leaf.lsb else ">")
        self.row = leaf.count if leaf.width == 8 and leaf.packed else 0

    def _view(self, records: RecordBytes) -> NDArray[Any]:
        """Return the elements as an array over the bytes of the records, without copying."""
        strides = (records.shape[1], *(step // 8 for step in self.leaf.steps))
        # With strides in bytes, offsets need not be multiples of the element's size, as they must for a view of another type.
        return np.ndarray((len(records), *self.shape), self.stored, records.reshape(-1).data, self.leaf.bit // 8, strides)

    def read(self, records: RecordBytes, out: NDArray[Any]) -> None:
        """Copy the elements of each record to ``out``, of this plan's type and shape."""
        if not len(records):
            return
        if self.row > 1:
            start = self.leaf.bit // 8
            scatter(records[:, start : start + self.row], out.reshape(len(records), self.row))
        else:
            np.copyto(out, self._view(records))

    def write(self, values: NDArray[Any], records: RecordBytes) -> None:
        """Copy ``values``, of this plan's type and shape, into the rows of records. The type has no value that does not fit."""
        if not len(records):
            return
        if self.row > 1:
            start = self.leaf.bit // 8
            scatter(values.reshape(len(records), self.row), records[:, start : start + self.row])
        else:
            np.copyto(self._view(records), values)


class BitsPlan(FieldPlan):
    """The plan of elements of any width at any bit: each is assembled from the bytes that it overlaps, for all records at once."""

    def __init__(self, leaf: BulkLeaf) -> None:
        super().__init__(leaf, next(f"u{size}" for size in (1, 2, 4, 8) if leaf.width <= 8 * size))

    def _bytes_at(self, bit: int) -> list[tuple[int, int]]:
        """Return the bytes that the element at ``bit`` overlaps: the offset of each, and by how many bits to the left it is
        shifted in the value.
        """
        first, last = bit // 8, (bit + self.leaf.width - 1) // 8
        if self.leaf.lsb:
            return [(at, 8 * (at - first) - bit % 8) for at in range(first, last + 1)]
        spare = 8 * (last + 1) - bit - self.leaf.width
        return [(at, 8 * (last - at) - spare) for at in range(first, last + 1)]

    def _element_bits(self) -> list[int]:
        """Return the first bit of each element in the record."""
        bits = [self.leaf.bit]
        for size, step in zip(self.leaf.shape, self.leaf.steps, strict=True):
            bits = [bit + step * index for bit in bits for index in range(size)]
        return bits

    def read(self, records: RecordBytes, out: NDArray[Any]) -> None:
        """Fill ``out``, of this plan's type and shape, with the elements of each record, assembled from the bytes that they
        overlap.
        """
        columns = out.reshape(len(records), -1) if len(records) else out.reshape(0, self.leaf.count)
        for index, bit in enumerate(self._element_bits()):
            (at, shift), *others = self._bytes_at(bit)
            # In the narrowest type, since the time is proportional to the memory that is moved.
            work = _working(1 + len(others))
            value = _shifted(records[:, at].astype(work), shift)
            for at, shift in others:
                value |= _shifted(records[:, at].astype(work), shift)
            columns[:, index] = value & work((1 << self.leaf.width) - 1)

    def write(self, values: NDArray[Any], records: RecordBytes) -> None:
        """Write ``values``, of this plan's type and shape, into the bits of the field; other bits of the records are left
        unchanged. Raises RecordError for the first value that is out of range.
        """
        if not len(records):
            return
        columns = values.reshape(len(records), -1)
        highest = (1 << self.leaf.width) - 1
        if int(columns.max()) > highest:
            raise self.too_large(values)
        for index, bit in enumerate(self._element_bits()):
            pieces = self._bytes_at(bit)
            work = _working(len(pieces))
            value = columns[:, index].astype(work)
            for at, shift in pieces:
                own = (highest >> shift if shift >= 0 else highest << -shift) & 0xFF
                # Other fields may have bits in the same byte.
                records[:, at] &= np.uint8(0xFF & ~own)
                records[:, at] |= (_shifted(value, -shift) & work(own)).astype(np.uint8)


def _working(pieces: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest integer type in which an element that overlaps ``pieces`` bytes can be assembled."""
    return np.uint8 if pieces == 1 else np.uint16 if pieces == 2 else np.uint32 if pieces <= 4 else np.uint64


def _shifted(value: NDArray[Any], left: int) -> NDArray[Any]:
    """Return integers shifted to the left; to the right where ``left`` is negative."""
    moved: NDArray[Any] = value << value.dtype.type(left) if left >= 0 else value >> value.dtype.type(-left)
    return moved


class BulkNumeral:
    """Converts a field's decimal texts to integers and back: `BLANK` for padding only, `WRONG` for a text that is not a number.
    ``right`` is the padding on the right, ``lenient`` maps bytes to the bytes as which they are read.

    >>> from bridgespec.spec.ir import NumberText
    >>> BulkNumeral(2, NumberText("0"), None, {}).read(np.frombuffer(b"0752x1", np.uint8).reshape(3, 2)).tolist()
    [7, 52, -2]
    """

    def __init__(self, digits: int, form: NumberText, right: int | None, lenient: Mapping[int, int]) -> None:
        self.digits, self.right = digits, right
        self.left = ord(form.pad_left) if form.pad_left else None
        self.chars = np.arange(256, dtype=np.uint8)
        for raw, read in lenient.items():
            self.chars[raw] = read

    @classmethod
    def of(cls, leaf: BulkLeaf) -> BulkNumeral | None:
        """Return the converter of a field; None where it is not a text of digits, or has more than 18 of them."""
        form, kind = leaf.decl.binding.number, leaf.decl.type
        if form is None or not isinstance(kind, StringType) or not 0 < leaf.shape[-1] <= 18:
            return None
        return cls(leaf.shape[-1], form, kind.extent.pad_right, leaf.decl.binding.lenient)

    def read(self, texts: ByteArray) -> NDArray[np.int64]:
        """Return the integers that texts spell; ``texts`` are bytes, shape (..., digits)."""
        # Numbers of two digits are the most frequent, and all pairs of characters fit into a table.
        if self.digits == 2:
            return np.take(self._pairs, np.ascontiguousarray(texts).view("<u2")[..., 0], mode="wrap")
        return self._columns(texts)

    @cached_property
    def _pairs(self) -> NDArray[np.int64]:
        """A table of the integer that each pair of characters spells."""
        return self._columns(np.arange(1 << 16, dtype="<u2").view(np.uint8).reshape(-1, 2))

    def _columns(self, texts: ByteArray) -> NDArray[np.int64]:
        """Return the integers that texts of any length spell, read character by character; `BLANK` or `WRONG` for other texts."""
        shape = texts.shape[:-1]
        value = np.zeros(shape, np.int64)
        begun, over, wrong = (np.zeros(shape, np.bool_) for _ in range(3))
        for column in range(self.digits):
            char = np.take(self.chars, texts[..., column])
            digit = (char >= 0x30) & (char <= 0x39)
            # Padding on the left counts only ahead of the first digit.
            left = ~begun & ~over & (char == self.left) if self.left is not None else np.zeros(shape, np.bool_)
            right = char == self.right if self.right is not None else np.zeros(shape, np.bool_)
            wrong |= ~(digit | right | left) | (digit & over)
            over |= right & ~left
            begun |= digit
            value = np.where(digit, 10 * value + char - 0x30, value)
        return np.where(wrong, WRONG, np.where(begun, value, BLANK))

    def write(self, values: NDArray[Any], name: str) -> ByteArray:
        """Return the texts of integers; `BLANK` becomes padding. Raises WriteError for one with too many digits, or that cannot
        be spelled.
        """
        numbers = np.asarray(values, np.int64)
        if np.any((numbers < BLANK) | (numbers >= 10**self.digits)) or (self.right is None and np.any(numbers < 0)):
            raise WriteError(f"{name} holds numbers of {self.digits} digits, not {int(numbers.min())} to {int(numbers.max())}")
        used = np.ones(numbers.shape, np.int64)
        for power in range(1, self.digits):
            used += numbers >= 10**power
        out = np.empty((*numbers.shape, self.digits), np.uint8)
        fill = self.right or 0 if self.left is None else self.left
        for column in range(self.digits):
            place = used - 1 - column if self.left is None else np.full(numbers.shape, self.digits - 1 - column)
            digit = numbers // 10 ** np.maximum(place, 0) % 10 + 0x30
            char = np.where((place < 0) | (place >= used), fill, digit)
            out[..., column] = np.where(numbers < 0, self.right or 0, char)
        return out


BLANK = -1
"""In arrays of numbers: the text consists of padding."""
WRONG = -2
"""In arrays of numbers: the text is not a number."""


def plan_of(leaf: BulkLeaf) -> FieldPlan:
    """Return the plan for a field's layout."""
    if leaf.kind == "bits" and leaf.width in (1, 2, 4) and leaf.packed:
        return PackedPlan(leaf)
    bytewise = leaf.bit % 8 == 0 and all(step % 8 == 0 for step in leaf.steps)
    if bytewise and leaf.width in (8, 16, 32, 64):
        return AlignedPlan(leaf)
    return BitsPlan(leaf)
