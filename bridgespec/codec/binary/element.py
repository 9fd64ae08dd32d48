"""What reads and writes a piece of a binary file, and what a leaf of it says of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bridgespec.codec.binary.process import Processor
from bridgespec.codec.binary.scope import Frame
from bridgespec.codec.binary.stream import Sink, Source
from bridgespec.codec.node import ByteNode, Raw
from bridgespec.spec.ir import Binding, Extent, Primitive


class Element:
    """What reads a ``Source`` into a ``ByteNode`` and writes a plain value into a ``Sink``.

    ``_parse`` raises Unreadable where nothing can be read, ``_build`` Unwritable; ``_build`` returns the value that
    expressions see. ``path`` is the field's name.
    """

    def _parse(self, stream: Source, context: Frame, path: str) -> ByteNode:
        raise NotImplementedError

    def _build(self, obj: Any, stream: Sink, context: Frame, path: str) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Stored:
    """How arrays see a value: ``kind``, the bits of an element, its order and sign.

    A byte array or a text is an array of bytes; ``size`` is how many, a number or what the schema says. ``refused`` is the
    reason why arrays cannot hold it.
    """

    kind: Literal["int", "bits", "float", "bytes"]
    width: int
    lsb: bool = True
    signed: bool = False
    size: int | Extent | None = None
    refused: str = ""


class Leaf(Element, ABC):
    """The element of one primitive type: all that is known of its bytes, in one class.

    ``_parse`` and ``_build`` read and write one value, with what is wrong in it; `stored` says how arrays see it, from which bulk
    work plans and checks; `words` says for the documentation what it is.
    """

    TYPE: ClassVar[type[Primitive]]

    @abstractmethod
    def __init__(self, type_: Any, binding: Binding, processors: Mapping[str, Processor]) -> None:
        super().__init__()
        self.type = type_

    @staticmethod
    @abstractmethod
    def stored(type_: Any) -> Stored:
        """How arrays see values of a type of this kind."""

    @staticmethod
    @abstractmethod
    def words(type_: Any) -> Words:
        """What such a value is."""


class Code(str):
    """A part of words that quotes the schema or the file."""

    __slots__ = ()


Words = Sequence[str]
"""Words whose parts stand side by side; some are `Code`."""


def reach(extent: Extent) -> Words:
    """How far a byte array or a text reaches, in words.

    >>> reach(Extent(size_eos=True, pad_right=32))
    [', to the end', ', padded with ', '20']
    """
    out: list[str] = []
    if extent.size is not None:
        size = extent.size.constant
        out += [", ", str(size) if size is not None else Code(extent.size.source), " bytes"]
    if extent.size_eos:
        out.append(", to the end")
    if extent.terminator is not None:
        out += [", up to ", Code(extent.terminator.hex(" "))]
    if extent.pad_right is not None:
        out += [", padded with ", Code(f"{extent.pad_right:02x}")]
    return out


def in_order(endian: str | None, size: int) -> str:
    """The order of bytes, in words; nothing where it is of no account."""
    return "" if size == 1 or endian is None else ", low byte first" if endian == "le" else ", high byte first"


def lenient_table(binding: Binding) -> bytes | None:
    """What each byte is read as; None where each is read as itself."""
    if not binding.lenient:
        return None
    return bytes(binding.lenient.get(code, code) & 0xFF for code in range(256))


def broken_node(stream: Source, path: str) -> ByteNode:
    """A node that keeps all bytes that are left."""
    start = stream.at if not stream.bits_left else stream.at - (8 - stream.bits_left)
    return _broken(ByteNode(None, path, start, 0, Raw(stream.rest())), stream)


def _broken(node: ByteNode, stream: Source) -> ByteNode:
    node.stop = stream.upto
    node.broken = True
    return node
