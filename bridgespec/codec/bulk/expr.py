"""Evaluate expressions over whole arrays: the part of Kaitai's expression language that bulk codecs support.

`Arrays` evaluates an expression for all records at once. It supports integers, comparisons, arithmetic, bit operations, bit counts,
choices and folds of lists, over the fields and computed values of one record. Anything else raises `Unsupported`, and the spec has
no bulk codec; no check is skipped.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
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
    Visitor,
)

ArrayValue = Any
"""An integer, a boolean, bytes, or an array of integers or booleans."""


class Unsupported(Exception):
    """Raised for an expression that cannot be evaluated over arrays; the message quotes the expression."""


_ARITHMETIC: Mapping[str, Callable[[ArrayValue, ArrayValue], ArrayValue]] = {
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

_COMPARE: Mapping[str, Callable[[ArrayValue, ArrayValue], ArrayValue]] = {
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
"""Functions that reduce an array of items to one value for each list, along the last dimension, by the name of the fold."""


_SAFE = 1 << 62
"""Results with a smaller absolute value fit into 64 signed bits, even if rounding to floating-point numbers has reduced them."""


def _bounds(value: ArrayValue) -> tuple[int, int]:
    """Return the minimum and the maximum of an array; for an integer, that integer twice."""
    if isinstance(value, np.ndarray):
        return (int(value.min()), int(value.max())) if value.size else (0, 0)
    return int(value), int(value)


class Arrays(Visitor[ArrayValue]):
    """Evaluates expressions in which ``names`` are bound to arrays (or integers), ``sizes`` to lengths of lists. Made for each
    block of records that is checked.

    ``lists`` are the arrays of lists, by name, such as ``cards``, or ``hands.length`` for a field of a list of records; their last
    dimension is the list's. ``computed`` are the expressions of value instances, ``places`` the first bits of fields in ``records``
    and the bits after their last. Records for which an expression has no value are marked in ``doubts``, a list of boolean arrays.

    >>> from bridgespec.spec.kaitai.expr.parse import parse
    >>> Arrays({"_": np.array([3, 13, 14, 15])})(parse("_ <= 13 or _ == 15"))
    array([ True,  True, False,  True])
    """

    def __init__(
        self,
        names: Mapping[str, ArrayValue],
        enums: Mapping[str, Enum] | None = None,
        sizes: Mapping[str, int] | None = None,
        lists: Mapping[str, ArrayValue] | None = None,
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
        self.item: Mapping[str, ArrayValue] = {}
        """The fields of the element ``_`` of a list of records, by name."""
        self.doubts: list[NDArray[np.bool_]] = []
        self.source = ""
        """The expression that is being evaluated, for error messages."""

    def __call__(self, expression: Expression) -> ArrayValue:
        """Return the value of an expression. Raises `Unsupported`, with the expression's source, if arrays cannot evaluate it."""
        outer, self.source = self.source, expression.source
        try:
            return self.visit(expression.tree)
        finally:
            self.source = outer

    def refuse(self, tree: Tree) -> ArrayValue:
        raise Unsupported(repr(self.source))

    def visit_literal(self, tree: LiteralExpression) -> ArrayValue:
        match tree.value:
            case bool() | int() | bytes() as value:
                return value
            case str() as text:
                # Texts are arrays of bytes here, and are compared as such.
                return text.encode("latin-1", "replace")
        return self.refuse(tree)

    def visit_array(self, tree: Array) -> ArrayValue:
        return bytes(self.visit(item) for item in tree.items) if tree.is_bytes else self.refuse(tree)

    def visit_measure(self, tree: Measure) -> ArrayValue:
        match tree:
            case Measure(of=SpotExpression(owner=None, at=None, name=str() as name), what="sizeof") if name in self.places:
                return (self.places[name][1] - self.places[name][0] + 7) // 8
        return self.refuse(tree)

    def visit_function(self, tree: Function) -> ArrayValue:
        match tree:
            case Function(name="crc32", args=(Bytes() as of,)):
                return _crc32(self._span(of))
            case Function(name="adler32", args=(Bytes() as of,)):
                return _adler32(self._span(of))
            case Function(name="popcount", args=(of,)):
                return self._popcount(self.visit(of))
        return self.refuse(tree)

    # --- names, elements and sizes ---

    def visit_name(self, tree: Name) -> ArrayValue:
        if tree.id in self.names:
            return self.names[tree.id]
        return self(self.computed[tree.id]) if tree.id in self.computed else self.refuse(tree)

    def visit_attribute(self, tree: Attribute) -> ArrayValue:
        match tree:
            case Attribute(of=Name(id=name), name="size" | "length") if name in self.sizes:
                return self.sizes[name]
            case Attribute(of=Name(id=name), name="size" | "length") if length := self._length(name):
                return length
            case Attribute(of=Attribute(of=Name(id="_parent"), name=name), name="size" | "length") if (
                f"_parent.{name}" in self.sizes
            ):
                return self.sizes[f"_parent.{name}"]
            case Attribute(of=Name(id="_io"), name="eof") if "_io.eof" in self.names:
                return self.names["_io.eof"]
            case Attribute(of=Name(id="_"), name=name) if name in self.item:
                return self.item[name]
            case Attribute(of=of, name="to_i"):
                return self.visit(of)
        return self.refuse(tree)

    def visit_index(self, tree: Index) -> ArrayValue:
        match tree:
            case Index(of=Name(id=name), at=LiteralExpression(value=int() as at)) if name in self.lists and 0 <= at < self._length(
                name
            ):
                return self.lists[name][..., at]
            case Index(of=Name(id=name), at=at) if name in self.computed and name not in self.names:
                return self._entry(self.computed[name].tree, at)
        return self.refuse(tree)

    # --- folds ---

    def visit_fold(self, tree: Fold) -> ArrayValue:
        how, each = tree.name, tree.each
        if how not in _JOIN:
            return self.refuse(tree)
        match tree.of:
            case Name(id=name):
                item = {part.partition(".")[2]: value for part, value in self.lists.items() if part.partition(".")[0] == name}
                return self._fold(how, name, item, each)
            case Bytes() as of:
                return self._fold(how, "span", {"": self._span(of).astype(np.int64)}, each)
            case Function(name="words_le" | "words_be" as words, args=(Bytes() as of, LiteralExpression(value=int(size)))) if (
                0 < size < 5
            ):
                return self._fold(how, words, {"": _words(self._span(of), size, words == "words_le")}, each)
        return self.refuse(tree)

    # --- operators ---

    def visit_unary(self, tree: Unary) -> ArrayValue:
        if tree.op == "-":
            # As a subtraction, which reports an overflow: NumPy negates the least number of 64 bits to itself.
            return self.visit_binary(BinaryExpression("-", LiteralExpression(0), tree.of))
        value = self.visit(tree.of)
        if tree.op == "not":
            return np.logical_not(value) if isinstance(value, np.ndarray) else not value
        return ~value if tree.op == "~" else value

    def visit_binary(self, tree: BinaryExpression) -> ArrayValue:
        op, left, right = tree.op, self.visit(tree.left), self.visit(tree.right)
        # NumPy returns 0 for a division by zero, for which the reference codec reports an error.
        if op in "/%" and (not isinstance(right, int) or right <= 0):
            raise Unsupported(f"a division by a value that is no positive constant, in {self.source!r}")
        # A shift by 64 or more is undefined in the integers of NumPy.
        if op in ("<<", ">>") and (not isinstance(right, int) or not 0 <= right < 64):
            raise Unsupported(f"a shift by a value that is no constant below 64, in {self.source!r}")
        if op in ("+", "-", "*", "<<") and not (isinstance(left, int) and isinstance(right, int)):
            # A shift to the left as a product, since the estimate is made with floats, which cannot be shifted.
            same, factor = ("*", 1 << right) if op == "<<" else (op, right)
            apply = _ARITHMETIC[same]
            self._doubt_overflow(
                [apply(one, two) for one in _bounds(left) for two in _bounds(factor)],
                lambda: apply(np.asarray(left, np.float64), np.asarray(factor, np.float64)),
            )
        return _ARITHMETIC[op](left, right)

    def _doubt_overflow(self, bounds: Sequence[int], estimate: Callable[[], NDArray[np.float64]]) -> None:
        """Add the records whose result may exceed 64 bits to ``doubts``: NumPy wraps such a result around.

        ``bounds`` are the least and the greatest result over all records. Only if these exceed 64 bits, ``estimate`` is called
        for the result of each record as a float.
        """
        if min(bounds) <= -_SAFE or max(bounds) >= _SAFE:
            self.doubts.append(np.abs(estimate()) >= _SAFE)

    def visit_compare(self, tree: Compare) -> ArrayValue:
        return _COMPARE[tree.op](self.visit(tree.left), self.visit(tree.right))

    def visit_logic(self, tree: Logic) -> ArrayValue:
        # Without short-circuiting: an operand without a value marks its record as doubtful, even if it does not decide.
        return reduce(np.logical_and if tree.op == "and" else np.logical_or, map(self.visit, tree.items))

    def visit_ternary(self, tree: Ternary) -> ArrayValue:
        return np.where(self.visit(tree.test), self.visit(tree.then), self.visit(tree.other))

    def _entry(self, written: Tree, at: Tree) -> ArrayValue:
        """Return the elements of a literal list at an array of indexes. Records whose index is out of range are added to
        ``doubts``.
        """
        match written:
            case Array(items=items):
                values = [item.value if isinstance(item, LiteralExpression) else None for item in items]
            case LiteralExpression(value=bytes() as data):
                values = [*data]
            case _:
                values = [None]
        index = self.visit(at)
        if not isinstance(index, np.ndarray) or not all(isinstance(value, int) for value in values):
            raise Unsupported(f"an item by a field of what is not a list of numbers, in {self.source!r}")
        outside = (index < 0) | (index >= len(values))
        if outside.any():
            self.doubts.append(outside)
        # The first element in place of the missing one: the record is a suspect anyway.
        return np.array(values, np.int64)[np.where(outside, 0, index)]

    def _length(self, name: str) -> int:
        """Return the length of the list of this name, of integers or records; 0 where there is none."""
        return next((int(values.shape[-1]) for part, values in self.lists.items() if part.partition(".")[0] == name), 0)

    def _span(self, span: Bytes) -> NDArray[np.uint8]:
        """Return the bytes from the start of one field to the end of another, one row for each record."""
        spots = [(spot.owner, spot.at, self.places.get(spot.name or "")) for spot in (span.first, span.last)]
        if self.records is None or any(owner or at or place is None for owner, at, place in spots):
            raise Unsupported(f"bytes that are no fields of this record, in {self.source!r}")
        start, stop = self.places[span.first.name or ""][0], self.places[span.last.name or ""][1]
        if start % 8 or stop % 8 or stop < start:
            raise Unsupported(f"bytes that are not whole, in {self.source!r}")
        return self.records[:, start // 8 : stop // 8]

    def _fold(self, how: str, name: str, item: Mapping[str, ArrayValue], each: Tree | None) -> ArrayValue:
        """Return the fold ``how`` of the list ``name``, of its items or of the expression ``each`` for every item.

        ``item`` are the arrays of the items' fields by name; integers have the empty name.
        """
        if not item:
            raise Unsupported(f"the list {name}, whose items are not integers of this record, in {self.source!r}")
        items: NDArray[Any] = next(iter(item.values()))
        if each is not None:
            # Fields of the record get a further dimension, along which the items are.
            wide = {one: value[..., None] if isinstance(value, np.ndarray) else value for one, value in self.names.items()}
            inner = Arrays({**wide, "_index": np.arange(items.shape[-1])}, self.enums, self.sizes, {}, self.computed, self.places)
            inner.names = {**inner.names, "_": item[""]} if "" in item else inner.names
            inner.item, inner.source = item, self.source
            items = np.broadcast_to(inner.visit(each), items.shape)
            self.doubts += [np.asarray(np.broadcast_to(doubt, items.shape).any(axis=-1)) for doubt in inner.doubts]
        elif "" not in item:
            raise Unsupported(f"records as numbers, in {self.source!r}")
        if how == "sum":
            # The absolute values: a sum of large numbers of both signs may wrap around on the way.
            self._doubt_overflow(
                [items.shape[-1] * bound for bound in _bounds(items)], lambda: np.abs(items.astype(np.float64)).sum(axis=-1)
            )
        return _JOIN[how](items)

    def _popcount(self, value: ArrayValue) -> ArrayValue:
        if not isinstance(value, np.ndarray):
            if not isinstance(value, int) or value < 0:
                raise Unsupported(f"the number of bits of a value that is no positive integer, in {self.source!r}")
            return value.bit_count()
        wide = value.astype(np.int64)
        # The reference codec reports an error for negative numbers.
        if (negative := wide < 0).any():
            self.doubts.append(negative)
        return _bits(wide.astype(np.uint64))

    def visit_member(self, member: Member) -> ArrayValue:
        if member.value is not None:
            return member.value
        *path, name = member.path
        for key, enum in self.enums.items():
            if key.split("::")[-len(path) :] == path:
                for code, entry in enum.members.items():
                    if entry.name == name:
                        return code
        return self.refuse(member)


def _words(data: NDArray[np.uint8], size: int, little: bool) -> NDArray[np.int64]:
    """Return each row of bytes as integers of ``size`` bytes, shape (rows, words); the last word is padded with zero bytes."""
    whole = np.zeros((len(data), -(-data.shape[1] // size) * size), np.uint8)
    whole[:, : data.shape[1]] = data
    places = np.arange(size) if little else np.arange(size)[::-1]
    found: NDArray[np.int64] = (whole.reshape(len(data), -1, size).astype(np.int64) << 8 * places).sum(axis=-1)
    return found


def _crc32(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the CRC-32 of each row of bytes."""
    crc = np.full(len(data), 0xFFFFFFFF, np.uint32)
    for column in data.T:
        crc = _CRC[(crc ^ column) & 0xFF] ^ (crc >> np.uint32(8))
    return (~crc).astype(np.int64)


def _adler32(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the Adler-32 checksum of each row of bytes."""
    wide, size = data.astype(np.int64), data.shape[1]
    low = 1 + wide.sum(axis=1)
    high = size + (wide * np.arange(size, 0, -1)).sum(axis=1)
    found: NDArray[np.int64] = high % 65521 << 16 | low % 65521
    return found


# The table of zlib itself: the CRC of one byte without the inversions at both ends.
_CRC = np.array([zlib.crc32(bytes([byte]), 0xFFFFFFFF) ^ 0xFFFFFFFF for byte in range(256)], np.uint32)


def _bits(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of bits that are set in each element. NumPy before 2.0 has no function for it."""
    one, two, four = (np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
    pairs = values - ((values >> np.uint64(1)) & one)
    fours = (pairs & two) + ((pairs >> np.uint64(2)) & two)
    bytes_ = (fours + (fours >> np.uint64(4))) & four
    found: NDArray[np.int64] = ((bytes_ * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int64)
    return found


def constant(expression: Expression) -> ArrayValue:
    """Return the value of an expression without names. Raises `Unsupported` for an expression with names.

    >>> from bridgespec.spec.kaitai.expr.parse import parse
    >>> constant(parse("4 * 13"))
    52
    """
    return Arrays({})(expression)
