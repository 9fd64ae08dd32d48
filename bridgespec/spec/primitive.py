"""Primitive types: their names in schemas, and the size and value type that are known without a file.

Each type is one class. ``codec.binary.leaf`` has one class per type that reads and writes its bytes.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from bridgespec.spec.kaitai.expr.tree import Expression

Endian = Literal["le", "be"]


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a byte array, string or substream: a number of bytes, the rest of the stream, or up to a terminator. Each
    attribute is the value of Kaitai's key of that name.
    """

    size: Expression | None = None
    size_eos: bool = False
    terminator: bytes | None = None
    include: bool = False
    consume: bool = True
    eos_error: bool = True
    pad_right: int | None = None

    @property
    def width(self) -> int | None:
        """The size in bits; None where it depends on the file."""
        size = self.size.constant if self.size is not None else None
        return 8 * size if isinstance(size, int) and size >= 0 else None


class TypeDeclaration(Protocol):
    """The keys of a field's declaration that a primitive type needs beside its type name. Errors in these keys are reported with
    their position.
    """

    def order(self, suffix: str | None) -> Endian | None:
        """Return the byte order for a type suffix (``le`` or ``be``), that of the schema without a suffix; None where a value in
        the file decides it, and where the schema has none, which is reported.
        """

    def bit_order(self, suffix: str | None) -> Endian:
        """Return the bit order for a type suffix (``le`` or ``be``), that of the schema without a suffix."""

    def text(self, zero: bool) -> tuple[Extent, str] | None:
        """Return extent and encoding of a text, zero-terminated if ``zero``; None where one of them is missing, which is
        reported.
        """

    def unsupported(self, message: str) -> None:
        """Report a type name of Kaitai's that is not supported."""


class Primitive:
    """Base class of the types of single values."""

    NAMES: ClassVar[re.Pattern[str] | None] = None
    """The names of the type in schemas; None for the type of fields without a type name."""
    WORDS: ClassVar[frozenset[str]] = frozenset()
    """The keys that a field of the type may have beside the name."""
    ALIGNED: ClassVar[bool] = True
    """Whether a value begins at a byte."""

    @classmethod
    def named(cls, name: re.Match[str], declaration: TypeDeclaration) -> Primitive | None:
        """Return the type for a name that `NAMES` matches, in this declaration; None where an error was reported."""
        raise NotImplementedError

    @property
    @abstractmethod
    def width(self) -> int | None:
        """The size of one value in bits; None where it depends on the file."""

    @property
    @abstractmethod
    def value(self) -> str:
        """The value type in expressions: ``int``, ``byte`` (an integer of one byte), ``bool``, ``float``, ``bytes`` or ``str``."""

    @property
    def range(self) -> tuple[int, int] | None:
        """The least and the greatest value of an integer; None for other types."""
        return None


@dataclass(frozen=True)
class IntType(Primitive):
    """An integer of 1, 2, 4 or 8 bytes (``u1`` .. ``s8``). Without ``endian`` its byte order is that of the record's switch, or
    irrelevant (one byte).
    """

    # One byte has no order: `u1le` is no type.
    NAMES = re.compile(r"([us])(?:1|([248])(le|be)?)")
    WORDS = frozenset({"enum"})

    size: int
    signed: bool
    endian: Endian | None

    @classmethod
    def named(cls, name: re.Match[str], declaration: TypeDeclaration) -> IntType:
        """As `Primitive.named`."""
        size = int(name[2] or 1)
        # One byte has no order, so that a schema without `endian` can have bytes.
        return cls(size, name[1] == "s", declaration.order(name[3]) if size > 1 else None)

    @property
    def width(self) -> int:
        """As `Primitive.width`."""
        return 8 * self.size

    @property
    def value(self) -> str:
        """As `Primitive.value`."""
        return "byte" if self.size == 1 else "int"

    @property
    def range(self) -> tuple[int, int]:
        """As `Primitive.range`."""
        top = 1 << self.width
        return (-top // 2, top // 2 - 1) if self.signed else (0, top - 1)


@dataclass(frozen=True)
class FloatType(Primitive):
    """A float of 4 or 8 bytes: ``f4`` or ``f8``."""

    NAMES = re.compile(r"f([48])(le|be)?")
    WORDS = frozenset({"enum"})

    size: int
    endian: Endian | None

    @classmethod
    def named(cls, name: re.Match[str], declaration: TypeDeclaration) -> FloatType:
        """As `Primitive.named`."""
        return cls(int(name[1]), declaration.order(name[2]))

    @property
    def width(self) -> int:
        """As `Primitive.width`."""
        return 8 * self.size

    @property
    def value(self) -> str:
        """As `Primitive.value`."""
        return "float"


@dataclass(frozen=True)
class BitsType(Primitive):
    """An integer of 1 to 64 bits (``b1`` .. ``b64``), or a boolean: ``b1`` without an enum."""

    # More digits than any width has, so that b65 is refused by its number and not as an unknown type; `int` has a limit of digits.
    NAMES = re.compile(r"b([0-9]{1,9})(le|be)?")
    WORDS = frozenset({"enum"})
    ALIGNED = False

    bits: int
    endian: Endian
    boolean: bool

    @classmethod
    def named(cls, name: re.Match[str], declaration: TypeDeclaration) -> BitsType | None:
        """As `Primitive.named`."""
        bits = int(name[1])
        if not 1 <= bits <= 64:
            declaration.unsupported(f"{name[0]}: bit integers have 1 to 64 bits")
            return None
        return cls(bits, declaration.bit_order(name[2]), bits == 1)

    @property
    def width(self) -> int:
        """As `Primitive.width`."""
        return self.bits

    @property
    def value(self) -> str:
        """As `Primitive.value`."""
        return "bool" if self.boolean else "int"

    @property
    def range(self) -> tuple[int, int]:
        """As `Primitive.range`."""
        return 0, (1 << self.bits) - 1


@dataclass(frozen=True)
class BytesType(Primitive):
    """A byte array; ``contents`` where its bytes are constant; ``process`` where it is stored transformed."""

    extent: Extent
    contents: bytes | None = None
    process: Expression | None = None

    @property
    def width(self) -> int | None:
        """As `Primitive.width`."""
        # As in Kaitai, `size` beside `contents` means nothing.
        return 8 * len(self.contents) if self.contents is not None else self.extent.width

    @property
    def value(self) -> str:
        """As `Primitive.value`."""
        return "bytes"


@dataclass(frozen=True)
class StringType(Primitive):
    """Text of an ``encoding`` (Kaitai's name for it)."""

    NAMES = re.compile("strz?")
    WORDS = frozenset({"size", "size-eos", "terminator", "include", "consume", "eos-error", "pad-right", "encoding", "process"})

    extent: Extent
    encoding: str

    @classmethod
    def named(cls, name: re.Match[str], declaration: TypeDeclaration) -> StringType | None:
        """As `Primitive.named`."""
        found = declaration.text(name[0] == "strz")
        return cls(*found) if found is not None else None

    @property
    def width(self) -> int | None:
        """As `Primitive.width`."""
        return self.extent.width

    @property
    def value(self) -> str:
        """As `Primitive.value`."""
        return "str"


def primitive_named(name: str) -> tuple[type[Primitive], re.Match[str]] | None:
    """Return the primitive type for a type name, and the match of the name; None where there is none.

    >>> [found[0].__name__ for name in ("u4le", "b12", "strz", "u9") if (found := primitive_named(name))]
    ['IntType', 'BitsType', 'StringType']
    """
    # All types of this module: a new class is found without an entry in a list.
    for kind in Primitive.__subclasses__():
        match = kind.NAMES.fullmatch(name) if kind.NAMES is not None else None
        if match is not None:
            return kind, match
    return None


class _NoDeclaration:
    """The `TypeDeclaration` for a type name outside of a field, where size and byte order do not matter."""

    def order(self, suffix: str | None) -> Endian:
        return "be" if suffix == "be" else "le"

    bit_order = order

    def text(self, zero: bool) -> tuple[Extent, str]:
        return Extent(), "UTF-8"

    def unsupported(self, message: str) -> None:
        pass


def primitive_type(name: str) -> Primitive | None:
    """Return the primitive type for a type name in an expression or a parameter, such as ``u2``; None for any other name."""
    found = primitive_named(name)
    return found[0].named(found[1], _NoDeclaration()) if found is not None else None
