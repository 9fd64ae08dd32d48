"""Evaluate expressions over whole arrays: the part of Kaitai's expression language that bulk codecs support.

Integers, comparisons, arithmetic, bit operations, bit counts, choices and folds of lists, over fields of the same record and its
computed values. Anything else raises `Unsupported`, and the spec has no bulk codec; no check is skipped.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.spec.ir import Enum
from bridgespec.spec.kaitai.expr.tree import (
    Array,
    Attribute,
    BinaryExpression,
    Bytes,
    Compare,
    Expression,
    Fold,
    Function,
    Index,
    LiteralExpression,
    Logic,
    Measure,
    Member,
    Name,
    SpotExpression,
    Ternary,
    Tree,
    Unary,
)

Value = Any
"""An integer, a truth value, bytes, or an array of the first two."""


class Unsupported(Exception):
    """The expression cannot be evaluated over arrays; the message is the part that cannot."""


_ARITHMETIC: Mapping[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
    "/": lambda a, b: a // b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}

_COMPARE: Mapping[str, Callable[[Value, Value], Value]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


_JOIN: Mapping[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "sum": lambda items: items.sum(axis=-1),
    "count": lambda items: np.count_nonzero(items, axis=-1),
    "xor": lambda items: np.bitwise_xor.reduce(items, axis=-1),
}


class Arrays:
    """Evaluates expressions in which ``names`` are bound to arrays (or integers), ``sizes`` to lengths of lists. Made for each
    block of records that is checked.

    ``lists`` are arrays with one dimension more, the last: ``cards``, and ``hands.length`` for a list of records; ``computed``
    are the expressions of computed values, ``places`` the first and last bits of fields in ``records``. Records for which an
    expression has no value are marked in ``doubts``, a list of boolean arrays.

    >>> from bridgespec.spec.kaitai.expr.parse import parse
    >>> Arrays({"_": np.array([3, 13, 14, 15])})(parse("_ <= 13 or _ == 15"))
    array([ True,  True, False,  True])
    """

    def __init__(
        self,
        names: Mapping[str, Value],
        enums: Mapping[str, Enum] | None = None,
        sizes: Mapping[str, int] | None = None,
        lists: Mapping[str, Value] | None = None,
        computed: Mapping[str, Expression] | None = None,
        places: Mapping[str, tuple[int, int]] | None = None,
        records: NDArray[np.uint8] | None = None,
    ) -> None:
        self.names = names
        self.enums = enums or {}
        self.sizes = sizes or {}
        self.lists = lists or {}
        self.computed = computed or {}
        self.places, self.records = places or {}, records
        self.item: Mapping[str, Value] = {}
        self.doubts: list[NDArray[np.bool_]] = []

    def __call__(self, expression: Expression) -> Value:
        """Return the value of an expression. Raises `Unsupported` with the part that has none here."""
        return self._tree(expression.tree, expression.source)

    def _tree(self, tree: Tree, source: str) -> Value:
        match tree:
            case LiteralExpression(value=bool() | int() | bytes() as value):
                return value
            case LiteralExpression(value=str() as text):
                return text.encode("latin-1", "replace")
            case Name() | Attribute() | Index():
                return self._looked_up(tree, source)
            case Fold(name=how) if how in _JOIN:
                return self._folded(tree, source)
            case Function(name="crc32" | "adler32" as name, args=(Bytes() as of,)):
                return (_crc32 if name == "crc32" else _adler32)(self._span(of, source))
            case Function(name="popcount", args=(of,)):
                return self._popcount(self._tree(of, source), source)
            case Measure(of=SpotExpression(owner=None, at=None, name=str() as name), what="sizeof") if name in self.places:
                return (self.places[name][1] - self.places[name][0] + 7) // 8
            case Member():
                return self._member(tree, source)
            case Array(items=items, is_bytes=True):
                return bytes(self._tree(item, source) for item in items)
            case Unary() | BinaryExpression() | Compare() | Logic() | Ternary():
                return self._calculated(tree, source)
            case _:
                raise Unsupported(repr(source))

    def _looked_up(self, tree: Name | Attribute | Index, source: str) -> Value:
        """Return the value of a field, of an element of one, or a size."""
        match tree:
            case Name(id=name) if name in self.names:
                return self.names[name]
            case Name(id=name) if name in self.computed:
                return self(self.computed[name])
            case Attribute(of=Name(id=name), name="size" | "length") if name in self.sizes:
                return self.sizes[name]
            case Attribute(of=Name(id=name), name="size" | "length") if length := self._length(name):
                return length
            case Attribute(of=Attribute(of=Name(id="_parent"), name=name), name="size" | "length") if f"_parent.{name}" in (
                self.sizes
            ):
                return self.sizes[f"_parent.{name}"]
            case Attribute(of=Name(id="_io"), name="eof") if "_io.eof" in self.names:
                return self.names["_io.eof"]
            case Index(of=Name(id=name), at=LiteralExpression(value=int() as at)) if name in self.lists and 0 <= at < self._length(
                name
            ):
                return self.lists[name][..., at]
            case Index(of=Name(id=name), at=at) if name in self.computed and name not in self.names:
                return self._entry(self.computed[name].tree, at, source)
            case Attribute(of=Name(id="_"), name=name) if name in self.item:
                return self.item[name]
            case Attribute(of=of, name="to_i"):
                return self._tree(of, source)
            case _:
                raise Unsupported(repr(source))

    def _folded(self, tree: Fold, source: str) -> Value:
        """Return a sum, a product or another fold over the elements of a list or over bytes."""
        how, each = tree.name, tree.each
        match tree.of:
            case Name(id=name):
                item = {part.partition(".")[2]: value for part, value in self.lists.items() if part.partition(".")[0] == name}
                return self._fold(how, name, item, each, source)
            case Bytes() as of:
                return self._fold(how, "span", {"": self._span(of, source).astype(np.int64)}, each, source)
            case Function(name="words_le" | "words_be" as words, args=(Bytes() as of, LiteralExpression(value=int(size)))) if (
                0 < size < 5
            ):
                return self._fold(how, words, {"": _words(self._span(of, source), size, words == "words_le")}, each, source)
            case _:
                raise Unsupported(repr(source))

    def _calculated(self, tree: Unary | BinaryExpression | Compare | Logic | Ternary, source: str) -> Value:
        """Return the result of an operator."""
        match tree:
            case Unary(op="not", of=of):
                value = self._tree(of, source)
                return np.logical_not(value) if isinstance(value, np.ndarray) else not value
            case Unary(op=op, of=of):
                value = self._tree(of, source)
                return -value if op == "-" else ~value if op == "~" else value
            case BinaryExpression(op=op, left=left, right=right):
                a, b = self._tree(left, source), self._tree(right, source)
                if op in "/%" and (not isinstance(b, int) or b <= 0):
                    raise Unsupported(f"a division by what is not a constant, in {source!r}")
                if op in ("<<", ">>") and (not isinstance(b, int) or not 0 <= b < 64):
                    raise Unsupported(f"a shift by what is not a constant, in {source!r}")
                return _ARITHMETIC[op](a, b)
            case Compare(op=op, left=left, right=right):
                return _COMPARE[op](self._tree(left, source), self._tree(right, source))
            case Logic(op=op, items=items):
                return reduce(np.logical_and if op == "and" else np.logical_or, [self._tree(item, source) for item in items])
            case Ternary(test=test, then=then, other=other):
                return np.where(self._tree(test, source), self._tree(then, source), self._tree(other, source))

    def _entry(self, written: Tree, at: Tree, source: str) -> Value:
        """Return the numbers of a literal list at indices; a record whose index is out of range is marked as suspect."""
        match written:
            case Array(items=items):
                values = [item.value if isinstance(item, LiteralExpression) else None for item in items]
            case LiteralExpression(value=bytes() as data):
                values = [*data]
            case _:
                values = [None]
        index = self._tree(at, source)
        if not isinstance(index, np.ndarray) or not all(isinstance(value, int) for value in values):
            raise Unsupported(f"an item by a field of what is not a list of numbers, in {source!r}")
        outside = (index < 0) | (index >= len(values))
        if outside.any():
            self.doubts.append(outside)
        return np.array(values, np.int64)[np.where(outside, 0, index)]

    def _length(self, name: str) -> int:
        """Return the length of a list of integers or records; 0 where there is none of that name."""
        return next((int(values.shape[-1]) for part, values in self.lists.items() if part.partition(".")[0] == name), 0)

    def _span(self, span: Bytes, source: str) -> NDArray[np.uint8]:
        """Return the bytes from the start of one field to the end of another, a row per record."""
        spots = [(spot.owner, spot.at, self.places.get(spot.name or "")) for spot in (span.first, span.last)]
        if self.records is None or any(owner or at or place is None for owner, at, place in spots):
            raise Unsupported(f"bytes that are no fields of this record, in {source!r}")
        start, stop = self.places[span.first.name or ""][0], self.places[span.last.name or ""][1]
        if start % 8 or stop % 8 or stop < start:
            raise Unsupported(f"bytes that are not whole, in {source!r}")
        return self.records[:, start // 8 : stop // 8]

    def _fold(self, how: str, name: str, item: Mapping[str, Value], each: Tree | None, source: str) -> Value:
        if not item:
            raise Unsupported(f"the list {name}, whose items are not integers of this record, in {source!r}")
        items: NDArray[Any] = next(iter(item.values()))
        if each is not None:
            wide = {one: value[..., None] if isinstance(value, np.ndarray) else value for one, value in self.names.items()}
            inner = Arrays({**wide, "_index": np.arange(items.shape[-1])}, self.enums, self.sizes, {}, self.computed, self.places)
            inner.names = {**inner.names, "_": item[""]} if "" in item else inner.names
            inner.item = item
            items = np.broadcast_to(inner._tree(each, source), items.shape)
            self.doubts += [np.asarray(np.broadcast_to(doubt, items.shape).any(axis=-1)) for doubt in inner.doubts]
        elif "" not in item:
            raise Unsupported(f"records as numbers, in {source!r}")
        return _JOIN[how](items)

    def _popcount(self, value: Value, source: str) -> Value:
        if not isinstance(value, np.ndarray):
            if not isinstance(value, int) or value < 0:
                raise Unsupported(f"the bits of what is not a positive integer, in {source!r}")
            return value.bit_count()
        wide = value.astype(np.int64)
        if (negative := wide < 0).any():
            self.doubts.append(negative)
        return _bits(wide.astype(np.uint64))

    def _member(self, member: Member, source: str) -> int:
        if member.value is not None:
            return member.value
        *path, name = member.path
        for key, enum in self.enums.items():
            if key.split("::")[-len(path) :] == path:
                for code, entry in enum.members.items():
                    if entry.name == name:
                        return code
        raise Unsupported(repr(source))


def _words(data: NDArray[np.uint8], size: int, little: bool) -> NDArray[np.int64]:
    """Return each row of bytes as integers of ``size`` bytes; the last one is padded with zeros."""
    whole = np.zeros((len(data), -(-data.shape[1] // size) * size), np.uint8)
    whole[:, : data.shape[1]] = data
    places = np.arange(size) if little else np.arange(size)[::-1]
    found: NDArray[np.int64] = (whole.reshape(len(data), -1, size).astype(np.int64) << 8 * places).sum(axis=-1)
    return found


def _crc32(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    crc = np.full(len(data), 0xFFFFFFFF, np.uint32)
    for column in data.T:
        crc = _CRC[(crc ^ column) & 0xFF] ^ (crc >> np.uint32(8))
    return (~crc).astype(np.int64)


def _adler32(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    wide, size = data.astype(np.int64), data.shape[1]
    low = 1 + wide.sum(axis=1)
    high = size + (wide * np.arange(size, 0, -1)).sum(axis=1)
    found: NDArray[np.int64] = high % 65521 << 16 | low % 65521
    return found


_CRC = np.array([zlib.crc32(bytes([byte]), 0xFFFFFFFF) ^ 0xFFFFFFFF for byte in range(256)], np.uint32)


def _bits(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how many bits are set: summed in fields of two, four and eight bits,
    because NumPy before 2.0 has no function for it.
    """
    one, two, four = (np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
    pairs = values - ((values >> np.uint64(1)) & one)
    fours = (pairs & two) + ((pairs >> np.uint64(2)) & two)
    bytes_ = (fours + (fours >> np.uint64(4))) & four
    found: NDArray[np.int64] = ((bytes_ * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int64)
    return found


def constant(expression: Expression) -> Value:
    """Return the value of an expression without names. Raises `Unsupported` where it refers to one.

    >>> from bridgespec.spec.kaitai.expr.parse import parse
    >>> constant(parse("4 * 13"))
    52
    """
    return Arrays({})(expression)
