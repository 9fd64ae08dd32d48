"""The checksum of a whole file, as its schema says it under ``-bridge-checksum``: worked out a piece at a time."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np

from bridgespec.errors import SpecError
from bridgespec.spec.kaitai.expr.functions import words
from bridgespec.spec.kaitai.expr.parse import parse
from bridgespec.spec.kaitai.expr.tree import Binary, Bytes, Call, Expression, Fold, Function, Name, Tree
from bridgespec.spec.kaitai.expr.tree import Literal as Constant

PUBLISHED = parse("sum(words_le(span(_io), 4)) & 0xffff_ffff_ffff_ffff")
"""What Richard Pavlicek publishes with his deal files; zeros fill a file up whose length is no multiple of 4."""

Order = Literal["little", "big"]
_LOW = np.uint64(0xFFFFFFFF)


class _Part(Protocol):
    value: int

    def update(self, data: bytes) -> None:
        """Take in what follows."""

    def finish(self) -> int:
        """The value, once all is taken in."""


class _Rolling:
    """CRC-32 and Adler-32, which go on from where they were."""

    def __init__(self, step: Callable[[bytes, int], int]) -> None:
        self.step = step
        self.value = step(b"", 0) if step is zlib.crc32 else zlib.adler32(b"")

    def update(self, data: bytes) -> None:
        self.value = self.step(data, self.value)

    def finish(self) -> int:
        return self.value


class _Words:
    """The sum, or the exclusive or, of words of ``size`` bytes."""

    def __init__(self, how: str, size: int, order: Order) -> None:
        self.how, self.size, self.order = how, size, order
        self.value = 0
        self.rest = b""

    def update(self, data: bytes) -> None:
        data = self.rest + data
        whole = len(data) // self.size * self.size
        self.rest = data[whole:]
        if self.size not in (1, 2, 4, 8):
            self._take(words(data[:whole], self.size, self.order))
            return
        found = np.frombuffer(data, f"{'<' if self.order == 'little' else '>'}u{self.size}", whole // self.size)
        if self.how == "xor":
            self.value ^= int(np.bitwise_xor.reduce(found, initial=0))
        elif self.size < 8:
            self.value += int(found.sum(dtype=np.uint64))
        else:
            low, high = found & _LOW, found >> np.uint64(32)
            self.value += int(low.sum(dtype=np.uint64)) + (int(high.sum(dtype=np.uint64)) << 32)

    def _take(self, found: list[int]) -> None:
        for one in found:
            self.value = self.value ^ one if self.how == "xor" else self.value + one

    def finish(self) -> int:
        self._take(words(self.rest, self.size, self.order))
        return self.value


class Checksum:
    """The checksum that an expression says; SpecError where that is not one that can be worked out a piece at a time.

    That is ``sum``, ``xor``, ``crc32`` or ``adler32`` of ``span(_io)``, the first two of words of it too, perhaps with ``& N`` or
    ``% N`` behind.

    >>> found = Checksum(PUBLISHED)
    >>> for piece in (b"\\x01\\x00\\x00", b"\\x00\\xff\\xff\\xff\\xff\\x02"):
    ...     found.update(piece)
    >>> hex(found.finish())
    '0x100000002'
    """

    def __init__(self, expression: Expression) -> None:
        tree = expression.tree
        self.last: Callable[[int], int] = lambda value: value
        match tree:
            case Binary("&", core, Constant(int() as mask)):
                tree, self.last = core, lambda value: value & mask
            case Binary("%", core, Constant(int() as modulus)) if modulus > 0:
                tree, self.last = core, lambda value: value % modulus
        part = _part(tree)
        if part is None:
            forms = "sum, xor, crc32 or adler32 of span(_io), or sum or xor of its words"
            raise SpecError(f"'{expression.source}' is no checksum of a whole file: it is {forms}")
        self.part: _Part = part
        self.update = part.update

    def finish(self) -> int:
        """The checksum of all that was taken in."""
        return self.last(self.part.finish())


def _part(tree: Tree) -> _Part | None:
    match tree:
        case Function("crc32", (of,)) | Call(Name("crc32"), (of,)) if _whole(of):
            return _Rolling(zlib.crc32)
        case Function("adler32", (of,)) | Call(Name("adler32"), (of,)) if _whole(of):
            return _Rolling(zlib.adler32)
        case Fold(how, of, None) | Call(Name(how), (of,)) if how in ("sum", "xor"):
            return _folded(how, of)
    return None


def _folded(how: str, of: Tree) -> _Part | None:
    match of:
        case Function(name, (inner, Constant(int() as size))) | Call(Name(name), (inner, Constant(int() as size))):
            if name in ("words_le", "words_be") and _whole(inner) and 1 <= size <= 8:
                return _Words(how, size, "little" if name == "words_le" else "big")
            return None
    return _Words(how, 1, "little") if _whole(of) else None


def _whole(tree: Tree) -> bool:
    match tree:
        case Bytes(first, last):
            return first.stream and last.stream
        case Call(Name("span"), (Name("_io"),)):
            return True
    return False
