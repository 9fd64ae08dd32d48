"""Functions that expressions under ``-bridge-`` keys may use beside Kaitai's own: folds of lists, checksums, bit counts.

Each entry of the tables is a `Word`: the forms and the example of a function, for checks and documentation, and its implementation.
"""

from __future__ import annotations

import operator
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

from bridgespec.spec.kaitai.expr import checksums

MOST_WORD = 8
"""The maximum number of bytes in a word of ``words_le`` and ``words_be``."""


@dataclass(frozen=True, slots=True)
class Word:
    """A function of the package's own for expressions: the ``forms`` in which it is called, an ``example`` with its value, its
    implementation ``apply``, and the type of the result that it ``gives``.
    """

    name: str
    forms: tuple[str, ...]
    doc: str
    example: tuple[str, Any]
    apply: Callable[..., Any]
    gives: Literal["integer", "list", "bytes"] = "integer"


def words(data: bytes, size: int, order: Literal["little", "big"]) -> list[int]:
    """Return data as unsigned integers of ``size`` bytes each; the last one is padded with zeros. Raises ValueError for a size that
    is not 1 to `MOST_WORD`.

    >>> words(bytes([1, 2, 3]), 2, "little")
    [513, 3]
    """
    if not 1 <= size <= MOST_WORD:
        raise ValueError(f"a word has 1 to {MOST_WORD} bytes, not {size}")
    # Formats sum files of any length: the published checksums pad the last word with zeros.
    padded = data if len(data) % size == 0 else data.ljust(-(-len(data) // size) * size, b"\0")
    return [int.from_bytes(padded[at : at + size], order) for at in range(0, len(padded), size)]


def _popcount(value: Any) -> int:
    if isinstance(value, bytes):
        return int.from_bytes(value, "big").bit_count()
    # Python's integers have no width, so that a negative one has infinitely many bits set.
    if value < 0:
        raise ValueError(f"{value} is negative: it has no number of bits")
    return int(value).bit_count()


def _words_le(data: bytes, size: int) -> list[int]:
    return words(data, size, "little")


def _words_be(data: bytes, size: int) -> list[int]:
    return words(data, size, "big")


def _xor(values: Iterable[int]) -> int:
    return reduce(operator.xor, values, 0)


def _count(values: Iterable[Any]) -> int:
    return sum(map(bool, values))


FOLDS: dict[str, Word] = {
    word.name: word
    for word in (
        Word(
            "sum",
            ("sum(items)", "sum(items, each)"),
            "The sum of the items of a list, or of the bytes of a span; with `each`, of its values, in which `_` is the item.",
            ("sum([1, 2, 300], _ * 2)", 606),
            sum,
        ),
        Word(
            "count",
            ("count(items, test)",),
            "The number of items of a list, or bytes of a span, for which `test` is true; `_` in it is the item.",
            ("count([0, 7, 0], _ == 0)", 2),
            _count,
        ),
        Word(
            "xor",
            ("xor(items)", "xor(items, each)"),
            "The exclusive or of the items of a list, or the bytes of a span; with `each`, of its values, where `_` is the item.",
            ("xor([0x0f, 0xff])", 0xF0),
            _xor,
        ),
        Word(
            "map",
            ("map(items, each)",),
            "The list of the values of `each`, where `_` is the item, such as a table of offsets: `map(boards, _._offset)`.",
            ("sum(map([1, 2, 3], _ * _index))", 8),
            list,
            "list",
        ),
    )
}
"""Functions of lists; the second argument is evaluated for each item, which is ``_`` in it, and ``_index`` its position."""

FUNCTIONS: dict[str, Word] = {
    word.name: word
    for word in (
        Word(
            "crc32",
            ("crc32(bytes)",),
            "The CRC-32 of bytes, as in zip files, PNG and Ethernet.",
            # The bytes of "123456789", of which catalogues of CRCs give the check value.
            ("crc32([0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39])", 0xCBF43926),
            zlib.crc32,
        ),
        Word(
            "adler32",
            ("adler32(bytes)",),
            "The Adler-32 of bytes, as in zlib.",
            ("adler32([0x61])", 0x00620062),
            zlib.adler32,
        ),
        Word(
            "crc",
            ("crc(bytes, model)", "crc(bytes, width, poly, init, refin, refout, xorout)"),
            f"A CRC of 1 to {checksums.MOST_WIDTH} bits: by the name of its model in quotation marks, one of "
            f"{', '.join(checksums.MODELS)}, or by its parameters, as in the catalogue of parametrised CRC algorithms.",
            ('crc([0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39], "crc-16/ccitt")', 0x2189),
            checksums.crc,
        ),
        Word(
            "fletcher",
            ("fletcher(bytes, width)",),
            "Fletcher's checksum of 16, 32 or 64 bits, over little-endian words of half the width.",
            ("fletcher([0x61, 0x62, 0x63, 0x64, 0x65], 16)", 0xC8F0),
            checksums.fletcher,
        ),
        Word("md5", ("md5(bytes)",), "The MD5 of bytes, 16 bytes.", ("md5([0x61])[0]", 0x0C), checksums.md5, "bytes"),
        Word("sha1", ("sha1(bytes)",), "The SHA-1 of bytes, 20 bytes.", ("sha1([0x61])[0]", 0x86), checksums.sha1, "bytes"),
        Word(
            "sha256", ("sha256(bytes)",), "The SHA-256 of bytes, 32 bytes.", ("sha256([0x61])[0]", 0xCA), checksums.sha256, "bytes"
        ),
        Word(
            "popcount",
            ("popcount(value)",),
            "The number of bits that are set in an integer that is not negative, or in bytes.",
            ("popcount(0b1011)", 3),
            _popcount,
        ),
        Word(
            "words_le",
            ("words_le(bytes, size)",),
            "The bytes as a list of little-endian integers of `size` bytes each, the last one padded with zeros.",
            ("sum(words_le([1, 0, 0, 0, 2], 4))", 3),
            _words_le,
            "list",
        ),
        Word(
            "words_be",
            ("words_be(bytes, size)",),
            "The bytes as a list of big-endian integers of `size` bytes each, the last one padded with zeros.",
            ("xor(words_be([1, 0, 0, 2], 2))", 0x0102),
            _words_be,
            "list",
        ),
    )
}
"""Functions of values."""

EXAMPLE = ("{meta: {id: example}, seq: [{id: n, type: u1}, {id: body, size: n}]}", b"\x03abc")
"""The schema and the file for the examples of functions on positions."""

# `len` stands in for an implementation: the checker replaces these words by `Bytes` and `Measure`, which the evaluator compiles.
PLACES: dict[str, Word] = {
    word.name: word
    for word in (
        Word(
            "span",
            ("span(field)", "span(first, last)", "span(first, _io)"),
            "The bytes of the file that a field takes, or all from the start of one field to the end of another in the same "
            "stream, or to the end of the stream; `span(_io)` is the whole stream.",
            ("crc32(span(n, body))", 0xF994E822),
            len,
        ),
        Word(
            "_sizeof",
            ("field._sizeof", "_sizeof"),
            "The size in bytes of a field, or of this record, also where only the file determines it.",
            ("body._sizeof", 3),
            len,
        ),
        Word(
            "_offset",
            ("field._offset", "_offset"),
            "The offset in bytes of a field, or of this record, in its stream, which is the value for a `pos`.",
            ("body._offset", 1),
            len,
        ),
    )
}
"""Words for the bytes and the positions of fields."""

WORDS: dict[str, Word] = {**FOLDS, **FUNCTIONS, **PLACES}
"""All functions by name."""
