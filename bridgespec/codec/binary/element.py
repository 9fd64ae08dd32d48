"""Elements: base classes of the objects that read and write parts of a binary file, with descriptions of primitive values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bridgespec.codec.binary.process import Processor
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.stream import ByteSource, Sink
from bridgespec.codec.node import ByteNode, Raw
from bridgespec.spec.ir import Binding, Extent, Primitive


class Element:
    """Reads a `ByteSource` into a `ByteNode` and writes a plain value into a `Sink`. Made by the compiler, once for each codec.

    ``_parse`` raises Unreadable where nothing can be read. ``_build`` returns the value that expressions see, and raises
    CannotWrite. ``context`` is the record of the field, ``path`` the field's name, with an index in an array.
    """

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        raise NotImplementedError

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ArrayForm:
    """How a primitive value is represented in NumPy arrays: its ``kind``, the ``width`` of an element in bits, its byte or bit
    order (``lsb``: the least significant first) and whether it is signed.

    A byte array or a text is an array of bytes; ``size`` is their number, or the extent in the schema. ``refused`` is the reason
    why arrays cannot represent the value, empty if they can.
    """

    kind: Literal["int", "bits", "float", "bytes"]
    width: int
    lsb: bool = True
    signed: bool = False
    size: int | Extent | None = None
    refused: str = ""


class LeafElement(Element, ABC):
    """Base class of the elements of primitive types; one subclass for each type.

    ``_parse`` and ``_build`` read and write one value, and report errors in it; `array_form` describes the type to the bulk codec,
    `words` to readers of the documentation.
    """

    TYPE: ClassVar[type[Primitive]]

    @abstractmethod
    def __init__(self, type_: Any, binding: Binding, processors: Mapping[str, Processor]) -> None:
        super().__init__()
        self.type = type_

    @staticmethod
    @abstractmethod
    def array_form(type_: Any) -> ArrayForm:
        """Return the representation in NumPy arrays of values of a type."""

    @staticmethod
    @abstractmethod
    def words(type_: Any) -> Words:
        """Return the description of values of a type in words, for the documentation."""


class QuotedText(str):
    """A part of a description that is quoted from the schema or the file."""

    __slots__ = ()


Words = Sequence[str]
"""A description in parts, without separators; some parts are `QuotedText`."""


def extent_words(extent: Extent) -> Words:
    """Return the description of an extent: the size, terminator and padding of a byte array or a text.

    >>> extent_words(Extent(size_eos=True, pad_right=32))
    [', to the end', ', padded with ', '20']
    """
    out: list[str] = []
    if extent.size is not None:
        size = extent.size.constant
        out += [", ", str(size) if size is not None else QuotedText(extent.size.source), " bytes"]
    if extent.size_eos:
        out.append(", to the end")
    if extent.terminator is not None:
        out += [", up to ", QuotedText(extent.terminator.hex(" "))]
    if extent.pad_right is not None:
        out += [", padded with ", QuotedText(f"{extent.pad_right:02x}")]
    return out


def byte_order_words(endian: str | None, size: int) -> str:
    """Return the words for a byte order; empty for a single byte."""
    return "" if size == 1 or endian is None else ", low byte first" if endian == "le" else ", high byte first"


def lenient_table(binding: Binding) -> bytes | None:
    """Return a table for `bytes.translate` that replaces each lenient code of a field by the code that it means; None without
    lenient codes.
    """
    if not binding.lenient:
        return None
    return bytes(binding.lenient.get(code, code) & 0xFF for code in range(256))


def broken_node(stream: ByteSource, path: str) -> ByteNode:
    """Return a node with all remaining bytes of the stream, for a field that cannot be read."""
    # `rest` includes the byte that is partly read, so the node begins at its first bit.
    start = stream.at if not stream.bits_left else stream.at - (8 - stream.bits_left)
    return _broken(ByteNode(None, path, start, 0, Raw(stream.rest())), stream)


def _broken(node: ByteNode, stream: ByteSource) -> ByteNode:
    node.stop = stream.upto
    node.broken = True
    return node
