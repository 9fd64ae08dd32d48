"""Byte order marks and UTF-16: the text codec reads the content as UTF-8, and writes the file back in its own encoding.

A `TextCodec` calls `marked` for the encoding of a file. Where it returns None, the file's bytes are the text. Otherwise the offsets
of nodes and findings are those of the UTF-8 text, `MarkedText.encode` returns the file's bytes, and `MarkedText.in_file` converts
the offsets of a finding to those of the file.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from bridgespec.diagnostic import Diagnostic, Edit, Span

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_LONE = "surrogatepass"
"""Unpaired surrogates are kept, so that a damaged UTF-16 file is written back byte for byte."""
_DECODE_INVALID = "bridgespec-windows-1252"
"""The name under which the error handler `_decode_invalid` is registered."""
_SAMPLE = 256
"""The number of bytes by which UTF-16 without a mark is recognised."""
_LEAST = 8
"""The least number of bytes in which null bytes at every second position are evidence."""


@dataclass(frozen=True)
class MarkedText:
    """The encoding of one file that begins with a byte order mark or is UTF-16, made by `marked` and kept by its `Reading`.

    ``codec`` is Python's name of the encoding, ``mark`` the byte order mark (empty where there is none), ``text`` the content as
    UTF-8, ``tail`` the odd last byte of a damaged UTF-16 file.
    """

    codec: str
    mark: bytes
    text: bytes
    tail: bytes = b""

    @property
    def is_wide(self) -> bool:
        """Whether the file is UTF-16."""
        return self.codec != "utf-8"

    def encode(self, text: bytes) -> bytes:
        """Return the bytes of a file with the given UTF-8 text. A byte in it that is not UTF-8 is decoded as Windows-1252, since
        names may be encoded so.

        The text of a file with the mark of UTF-8 that is not valid UTF-8 is not changed.
        """
        if not self.is_wide and not _is_utf8(self.text):
            return self.mark + text
        characters = text.decode("utf-8", _DECODE_INVALID)
        return self.mark + characters.encode(self.codec, _LONE) + self.tail

    @cached_property
    def _starts(self) -> list[int]:
        """The offset in the UTF-8 text of each character."""
        return [at for at, byte in enumerate(self.text) if byte & 0xC0 != 0x80]

    @cached_property
    def _places(self) -> list[int]:
        """The offset in the UTF-16 file of each character, and the end of the last one."""
        # A character of four bytes in UTF-8 is a pair of surrogates in UTF-16.
        sizes = (4 if self.text[at] >= 0xF0 else 2 for at in self._starts)
        return list(accumulate(sizes, initial=len(self.mark)))

    def offset(self, at: int) -> int:
        """Convert an offset in the UTF-8 text to the offset in the file."""
        if not self.is_wide:
            return len(self.mark) + at
        if at >= len(self.text):
            return self._places[-1] + (len(self.tail) if at > len(self.text) else 0)
        return self._places[max(bisect_right(self._starts, at) - 1, 0)]

    def text_offset(self, at: int) -> int:
        """Convert an offset in the file to the offset in the UTF-8 text."""
        if not self.is_wide:
            return max(at - len(self.mark), 0)
        index = bisect_right(self._places, at) - 1
        return 0 if index < 0 else self._starts[index] if index < len(self._starts) else len(self.text)

    def in_file(self, found: Diagnostic) -> Diagnostic:
        """Return a finding on the UTF-8 text with the offsets of its spans and of its fix converted to the file. Line and column
        stay.
        """
        return _moved(found, self.offset, replace(self, mark=b"", tail=b"").encode)

    def in_text(self, found: Diagnostic) -> Diagnostic:
        """Return a finding on the file with the offsets of its spans and of its fix converted to the UTF-8 text, so that it can
        be shown there.
        """
        return _moved(found, self.text_offset, lambda data: data.decode(self.codec, "replace").encode())


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decode_invalid(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not valid UTF-8: three bytes of an unpaired surrogate, or one byte as Windows-1252. Return the
    character and the next offset, as `codecs.register_error` requires.
    """
    assert isinstance(error, UnicodeDecodeError)
    at, data = error.start, error.object
    with suppress(UnicodeDecodeError):
        return data[at : at + 3].decode("utf-8", _LONE), at + 3
    with suppress(UnicodeDecodeError):
        return data[at : at + 1].decode("cp1252"), at + 1
    return data[at : at + 1].decode("latin-1"), at + 1


codecs.register_error(_DECODE_INVALID, _decode_invalid)


def _moved(found: Diagnostic, offset: Callable[[int], int], insert: Callable[[bytes], bytes]) -> Diagnostic:
    """Return a finding with ``offset`` applied to all offsets in bytes, and ``insert`` to the bytes that its fix inserts."""

    def moved(span: Span) -> Span:
        return replace(span, start=8 * offset(span.byte_start), stop=8 * offset(span.byte_stop))

    fix = found.fix
    if fix is not None:
        edits = (Edit(offset(one.start), offset(one.stop), insert(one.replacement)) for one in fix.edits)
        fix = replace(fix, edits=tuple(edits))
    labels = tuple(replace(label, span=moved(label.span)) for label in found.labels)
    return replace(found, span=found.span and moved(found.span), labels=labels, fix=fix)


def marked(data: bytes) -> MarkedText | None:
    """Return the encoding of a file with a byte order mark, or of UTF-16 without one; None for any other file.

    UTF-16 without a mark is recognised by the null bytes of its ASCII characters: nine in ten of the bytes at odd offsets (or at
    even ones) in the beginning of the file.

    >>> marked(b"\\xff\\xfea\\x00b\\x00").text, marked(b"\\xef\\xbb\\xbfab").text, marked(b"ab")
    (b'ab', b'ab', None)
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return _decoded(data, mark, codec)
    # All but a few files end here.
    unmarked = _unmarked(data[:_SAMPLE]) if b"\0" in data[:2] else None
    return None if unmarked is None else _decoded(data, b"", unmarked)


def _unmarked(data: bytes) -> str | None:
    """Return the encoding of a file that begins with ``data`` if its null bytes show UTF-16; else None."""
    if len(data) < _LEAST:
        return None
    for first, codec in ((1, "utf-16-le"), (0, "utf-16-be")):
        nulls, others = data[first::2], data[1 - first :: 2]
        if 10 * nulls.count(0) >= 9 * len(nulls) and others.count(0) == 0:
            return codec
    return None


def _decoded(data: bytes, mark: bytes, codec: str) -> MarkedText:
    """Return a file that begins with ``mark`` in the encoding ``codec``, with its content converted to UTF-8."""
    if codec == "utf-8":
        return MarkedText(codec, mark, data[len(mark) :])
    whole = len(data) - (len(data) - len(mark)) % 2
    text = data[len(mark) : whole].decode(codec, _LONE).encode("utf-8", _LONE)
    return MarkedText(codec, mark, text, data[whole:])
