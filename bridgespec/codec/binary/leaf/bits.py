"""The element of integers of some bits, and of single bits as booleans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridgespec.codec.binary.byte_errors import CannotWrite
from bridgespec.codec.binary.element import ArrayForm, LeafElement, Words
from bridgespec.codec.binary.process import Processor
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.stream import ByteSource, Sink
from bridgespec.codec.node import ByteNode, KeptInt
from bridgespec.spec.ir import Binding, BitsType


class BitsLeaf(LeafElement):
    """The element of an integer of 1 to 64 bits (``b1`` .. ``b64``)."""

    TYPE = BitsType

    def __init__(self, type_: BitsType, binding: Binding, processors: Mapping[str, Processor]) -> None:
        super().__init__(type_, binding, processors)
        self.bits = type_.bits
        self.little = type_.endian == "le"
        self.boolean = type_.boolean

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        start = stream.at
        value = stream.read_bits(self.bits, self.little)
        return ByteNode(None, path, start, stream.upto, bool(value) if self.boolean else value, None, self.little)

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        # A lenient code is written as in the file; expressions see the value that it means.
        stored = obj.raw if isinstance(obj, KeptInt) else obj
        if not isinstance(stored, int) or not 0 <= stored < 1 << self.bits:
            raise CannotWrite(f"{stored!r} does not fit into {self.bits} bits", context.path_of(path))
        stream.write_bits(int(stored), self.bits, self.little)
        return obj

    @staticmethod
    def array_form(type_: BitsType) -> ArrayForm:
        """As `LeafElement.array_form`."""
        return ArrayForm("bits", type_.bits, type_.endian == "le")

    @staticmethod
    def words(type_: BitsType) -> Words:
        """As `LeafElement.words`."""
        return ["flag, 1 bit" if type_.boolean else f"{type_.bits}-bit number"]
