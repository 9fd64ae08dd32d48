"""The elements of integers and floats of whole bytes."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from functools import cache
from typing import Any

from bridgespec.codec.binary.byte_errors import EXPRESSION, CannotWrite, Unreadable
from bridgespec.codec.binary.element import ArrayForm, LeafElement, Words, byte_order_words
from bridgespec.codec.binary.process import Processor
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.stream import ByteSource, Sink
from bridgespec.codec.node import ByteNode, KeptFloat, KeptInt
from bridgespec.spec.ir import Binding, FloatType, IntType

_ORDERS = {"le": "<", "be": ">"}
_LETTERS = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""The format letters of `struct` for unsigned integers, by size in bytes; signed integers have the lower-case letter."""


@cache
def _structs(letter: str) -> Mapping[str, struct.Struct]:
    """Return a packer for each byte order (``le``, ``be``) of a number with this format letter of `struct`."""
    return {endian: struct.Struct(order + letter) for endian, order in _ORDERS.items()}


class NumberLeaf(LeafElement):
    """Base class of integers and floats; without ``endian`` in the schema the byte order is that of the record."""

    by_endian: Mapping[str, struct.Struct]

    def __init__(self, type_: IntType | FloatType, binding: Binding, processors: Mapping[str, Processor]) -> None:
        super().__init__(type_, binding, processors)
        self.size = type_.size
        # A single byte must not fail where an endian switch is undecided.
        endian = type_.endian if type_.size > 1 else "le"
        self.primitive = self.by_endian[endian] if endian is not None else None

    def _choose(self, context: RecordFrame) -> struct.Struct:
        """Return the packer for the byte order of the record. Raises Unreadable where the record's switch is undecided."""
        if context.little is None:
            raise Unreadable(EXPRESSION, "the byte order is undecided: no case of the endian switch applies")
        return self.by_endian["le" if context.little else "be"]

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        primitive = self.primitive or self._choose(context)
        stream.bits_left = 0
        start = stream.at
        (value,) = primitive.unpack(stream.read(self.size))
        node = ByteNode(None, path, start, stream.upto, value)
        # NaN: packing the float again may change its payload bits.
        if value != value:
            node.kept = stream.data[stream.pos - self.size : stream.pos]
        return node

    def _put(self, stored: int | float, stream: Sink, context: RecordFrame, path: str) -> None:
        primitive = self.primitive or self._choose(context)
        try:
            data = primitive.pack(stored)
        except (OverflowError, struct.error):
            raise CannotWrite(f"{stored!r} does not fit into {self.size} bytes", context.path_of(path)) from None
        stream.write(data)


class IntLeaf(NumberLeaf):
    """The element of an integer of 1, 2, 4 or 8 bytes (``u1`` .. ``s8``)."""

    TYPE = IntType

    def __init__(self, type_: IntType, binding: Binding, processors: Mapping[str, Processor]) -> None:
        self.by_endian = _structs(_LETTERS[type_.size].lower() if type_.signed else _LETTERS[type_.size])
        super().__init__(type_, binding, processors)
        self.low, self.high = type_.range

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        stored = obj.raw if isinstance(obj, KeptInt) else obj
        if not isinstance(stored, int) or not self.low <= stored <= self.high:
            raise CannotWrite(f"{stored!r} is not an integer from {self.low} to {self.high}", context.path_of(path))
        self._put(stored, stream, context, path)
        return obj

    @staticmethod
    def array_form(type_: IntType) -> ArrayForm:
        """As `LeafElement.array_form`."""
        return ArrayForm("int", type_.width, type_.endian != "be", type_.signed)

    @staticmethod
    def words(type_: IntType) -> Words:
        """As `LeafElement.words`."""
        if type_.size == 1:
            return ["signed byte" if type_.signed else "byte"]
        return [f"{'signed' if type_.signed else 'unsigned'} {type_.width}-bit integer{byte_order_words(type_.endian, type_.size)}"]


class FloatLeaf(NumberLeaf):
    """The element of a float of 4 or 8 bytes (``f4``, ``f8``)."""

    TYPE = FloatType

    def __init__(self, type_: FloatType, binding: Binding, processors: Mapping[str, Processor]) -> None:
        self.by_endian = _structs({4: "f", 8: "d"}[type_.size])
        super().__init__(type_, binding, processors)

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        if isinstance(obj, KeptFloat):
            stream.write(obj.raw)
            return float(obj)
        if not isinstance(obj, int | float):
            raise CannotWrite(f"{obj!r} is not a number", context.path_of(path))
        self._put(obj, stream, context, path)
        return float(obj) if math.isfinite(obj) else obj

    @staticmethod
    def array_form(type_: FloatType) -> ArrayForm:
        """As `LeafElement.array_form`."""
        return ArrayForm("float", type_.width, type_.endian != "be", True)

    @staticmethod
    def words(type_: FloatType) -> Words:
        """As `LeafElement.words`."""
        return [f"{type_.width}-bit float{byte_order_words(type_.endian, type_.size)}"]
