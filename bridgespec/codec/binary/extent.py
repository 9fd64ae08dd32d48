"""Extents: locate the content of a byte array, a text or a substream in its field, and write it with terminator and padding."""

from __future__ import annotations

from typing import NamedTuple

from bridgespec.codec.binary.byte_errors import BAD_SIZE, NO_TERMINATOR, TRUNCATED, CannotWrite, Unreadable, shortage
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.stream import ByteSource, NotYetKnown, Sink
from bridgespec.codec.binary.valid import show
from bridgespec.spec.ir import Extent
from bridgespec.spec.kaitai.expr.evaluator import ExpressionFunction, compile_expression

WIDEST = 1 << 64
"""The limit of sizes and counts: no file has so many bytes. A computed integer above it is refused, since it may have any number of
digits.
"""
MOST_SIZE = 1 << 30
"""The greatest size of a field, and the greatest offset of a part, that a writer accepts, in bytes: a wrong number must not fill
the memory.
"""


class Located(NamedTuple):
    """Offsets in a stream's data: start and end of a field's content, and the end of the whole field."""

    start: int
    stop: int
    field_stop: int


class ExtentRange:
    """The size, terminator and padding of a field, with compiled expressions. The compiler makes one for each field that has any
    of these.
    """

    def __init__(self, extent: Extent) -> None:
        self.extent = extent
        self.size: ExpressionFunction | None = compile_expression(extent.size) if extent.size is not None else None
        self.strips = extent.terminator is not None or extent.pad_right is not None
        """Whether the bytes of the field can be more than its content."""

    def locate(self, stream: ByteSource, frame: RecordFrame) -> Located:
        """Return the position of a field's content and move the stream behind the field. Raises Unreadable where the data end
        before.
        """
        extent = self.extent
        stream.align()
        start = stream.pos
        if self.size is not None:
            count = self.size(frame)
            if not isinstance(count, int) or not 0 <= count < WIDEST:
                reason = "the size comes from a field that is absent" if count is None else f"a size cannot be {show(count)}"
                raise Unreadable(BAD_SIZE, reason)
            end = start + count
            if end > stream.end:
                here = stream.end - start
                raise Unreadable(TRUNCATED, shortage(count, here), end - stream.end)
        elif extent.size_eos:
            end = stream.end
        else:
            return self._terminated(stream, start)
        stream.pos = end
        return Located(start, self.content_end(stream.data, start, end), end)

    def content_end(self, data: bytes, start: int, end: int) -> int:
        """Return the end of the content of a field, which is from ``start`` to ``end``: before padding and, unless `include` is
        set, before the terminator.
        """
        extent, stop = self.extent, end
        pad = extent.pad_right
        # If the padding byte is also the terminator, stripping the padding would remove the terminator that ends the content.
        if pad is not None and extent.terminator != bytes([pad]):
            while stop > start and data[stop - 1] == pad:
                stop -= 1
        if extent.terminator is not None:
            found = find(data, extent.terminator, start, stop)
            if found >= 0:
                stop = found + (len(extent.terminator) if extent.include else 0)
        return stop

    def _terminated(self, stream: ByteSource, start: int) -> Located:
        extent = self.extent
        terminator = extent.terminator or b"\0"
        found = find(stream.data, terminator, start, stream.end)
        if found < 0:
            # Kaitai's `eos-error: false`: without a terminator the field ends with the stream.
            if extent.eos_error:
                raise Unreadable(NO_TERMINATOR, f"no terminator {terminator.hex(' ')} stands before the end of the data")
            stream.pos = stream.end
            return Located(start, stream.end, stream.end)
        after = found + len(terminator)
        # With `consume: false` the terminator is read again, as the start of the next field.
        stream.pos = after if extent.consume else found
        return Located(start, after if extent.include else found, stream.pos)

    def content(self, whole: bytes) -> bytes:
        """Return the content of a field's bytes, without padding and, unless `include` is set, without the terminator."""
        if self.size is not None or self.extent.size_eos:
            return whole[: self.content_end(whole, 0, len(whole))]
        terminator = self.extent.terminator or b"\0"
        found = find(whole, terminator, 0, len(whole))
        return whole if found < 0 else whole[: found + (len(terminator) if self.extent.include else 0)]

    def known_size(self, frame: RecordFrame) -> int | None:
        """Return the size of the field in bytes when writing; None where the content determines it, or it is not yet known. Raises
        CannotWrite where it is above `MOST_SIZE`.
        """
        if self.size is None:
            return None
        try:
            size = self.size(frame)
        except NotYetKnown:
            return None
        if isinstance(size, int) and size > MOST_SIZE:
            raise CannotWrite(f"{size} bytes are more than is written at a time")
        return size if isinstance(size, int) and size >= 0 else None

    def space(self, frame: RecordFrame, sink: Sink) -> tuple[int | None, int | None]:
        """Return the size of the field in bytes when writing, and the number of bytes left in the sink; None for either that is not
        known.
        """
        room = sink.size - sink.pos if sink.size is not None else None
        return (room if self.extent.size_eos and self.strips else self.known_size(frame)), room

    def size_of(self, whole: bytes) -> int | None:
        """Return the size in bytes of a field that was read as ``whole``; None where a writer derives the size from the content."""
        return len(whole) if self.size is not None else None

    def wrap(self, content: bytes, size: int | None, where: str = "", room: int | None = None) -> bytes:
        """Return the bytes of a field: content, terminator and padding. ``size`` is the size of the field and ``room`` the number
        of bytes left in the stream, None where unknown. Raises CannotWrite, with the path ``where``, for content of another size.
        """
        extent = self.extent
        terminator = extent.terminator
        if size is None and not extent.size_eos and terminator is not None:
            # With `include` the value has the terminator; with `consume: false` as well, the next field writes it.
            if extent.include:
                return content if extent.consume else content.removesuffix(terminator)
            # With `eos-error: false` a content that fills its stream has no terminator, and no room for one.
            full = room is not None and not extent.eos_error and len(content) >= room
            return content + terminator if extent.consume and not full else content
        out = content
        if size is None:
            return out
        if terminator is not None and not extent.include and len(out) < size:
            out += terminator
        if len(out) < size:
            if not self.strips:
                raise CannotWrite(f"{size} bytes are wanted, {len(out)} are given", where)
            out = out.ljust(size, bytes([extent.pad_right or 0]))
        elif len(out) > size:
            # Only the terminator may be cut off here: content that fills the field needs none.
            if len(content) > size:
                raise CannotWrite(f"{len(content)} bytes do not fit into {size}", where)
            out = out[:size]
        return out


def find(data: bytes, terminator: bytes, start: int, end: int) -> int:
    """Return the first offset of ``terminator`` in ``data`` that is a multiple of the terminator's length after ``start``; -1 where
    there is none.

    >>> find(bytes.fromhex("610000000000"), bytes(2), 0, 6)
    2
    """
    width = len(terminator)
    at = data.find(terminator, start, end)
    # In encodings of two bytes, zeros of two neighbouring characters are no terminator.
    while at >= 0 and (at - start) % width:
        at = data.find(terminator, at + 1, end)
    return at
