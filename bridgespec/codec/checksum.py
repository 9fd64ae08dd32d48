"""The checksum of a whole file by the expression of its schema (``-bridge-checksum``), computed while the file is read or written
in pieces.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from bridgespec.errors import SpecError
from bridgespec.spec.kaitai.expr.functions import words
from bridgespec.spec.kaitai.expr.parse import parse
from bridgespec.spec.kaitai.expr.tree import BinaryExpression, Bytes, CallExpression, Expression, Fold, Function, Name, Tree
from bridgespec.spec.kaitai.expr.tree import LiteralExpression as Constant

PUBLISHED = parse("sum(words_le(span(_io), 4)) & 0xffff_ffff_ffff_ffff")
"""The checksum that Richard Pavlicek publishes with his deal files; a file is padded with zeros to a multiple of 4 bytes."""

ByteOrder = Literal["little", "big"]
_LOW = np.uint64(0xFFFFFFFF)
_ROLLING: Mapping[str, Callable[[bytes, int], int]] = {"crc32": zlib.crc32, "adler32": zlib.adler32}
"""Checksums that can be continued from their last value."""
_ORDERS: Mapping[str, ByteOrder] = {"words_le": "little", "words_be": "big"}


class Checksum:
    """A checksum by an expression, updated with one piece of the file after the other. One is made for each file; SpecError if
    the expression cannot be computed in pieces.

    Supported are ``sum``, ``xor``, ``crc32`` and ``adler32`` of ``span(_io)``, the first two also of its words, optionally followed
    by ``& N`` or ``% N``.

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
            case BinaryExpression("&", core, Constant(int() as mask)):
                tree, self.last = core, lambda value: value & mask
            case BinaryExpression("%", core, Constant(int() as modulus)) if modulus > 0:
                tree, self.last = core, lambda value: value % modulus
        found = _parts(tree)
        if found is None:
            forms = "sum, xor, crc32 or adler32 of span(_io), or sum or xor of its words"
            raise SpecError(f"'{expression.source}' is not a checksum of a whole file: it is {forms}")
        self.how, self.size, self.order = found
        self.value = 1 if self.how == "adler32" else 0
        self.rest = b""

    def update(self, data: bytes) -> None:
        """Add the next bytes."""
        if self.how in _ROLLING:
            self.value = _ROLLING[self.how](data, self.value)
            return
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
        """Add words, given as integers, to the sum or the exclusive or."""
        for one in found:
            self.value = self.value ^ one if self.how == "xor" else self.value + one

    def finish(self) -> int:
        """Return the checksum of all bytes added."""
        self._take(words(self.rest, self.size, self.order))
        return self.last(self.value)


def _parts(tree: Tree) -> tuple[str, int, ByteOrder] | None:
    """Return name of the function (sum, xor, crc32, adler32), bytes per word and byte order of an expression over the whole file;
    None for any other expression.
    """
    match tree:
        case Function(how, (of,)) | CallExpression(Name(how), (of,)) if how in _ROLLING and _is_whole_file(of):
            return how, 1, "little"
        case Fold(how, of, None) | CallExpression(Name(how), (of,)) if how in ("sum", "xor"):
            match of:
                case Function(name, (inner, Constant(int() as size))) | CallExpression(
                    Name(name), (inner, Constant(int() as size))
                ):
                    return (how, size, _ORDERS[name]) if name in _ORDERS and _is_whole_file(inner) and 1 <= size <= 8 else None
            return (how, 1, "little") if _is_whole_file(of) else None
    return None


def _is_whole_file(tree: Tree) -> bool:
    """Whether an expression is all bytes of the file: ``span(_io)``."""
    match tree:
        case Bytes(first, last):
            return first.stream and last.stream
        case CallExpression(Name("span"), (Name("_io"),)):
            return True
    return False
