"""Sources and sinks of bytes and bits: positions in bits, windows for substreams, no read past the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bridgespec.codec.binary.byte_errors import TRUNCATED, Unreadable, shortage
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError


class NotYetKnown(EvaluationError):
    """Raised where an expression needs the size of a stream that is not completely written."""


class ByteSource:
    """A range of bytes to read: the whole file, a window of it, or a decoded copy.

    ``pos`` is the index in ``data`` of the next byte, ``bits`` the ``bits_left`` unread bits of the byte before it. ``base`` is the
    byte position of ``data[0]`` in the file. A decoded copy has no positions in the file: ``fixed`` is the range of bits from which
    it was made.
    """

    __slots__ = ("base", "bits", "bits_left", "data", "end", "fixed", "pos", "start")

    def __init__(
        self, data: bytes, start: int = 0, end: int | None = None, base: int = 0, fixed: tuple[int, int] | None = None
    ) -> None:
        self.data = data
        self.start = start
        self.end = len(data) if end is None else end
        self.pos = start
        self.base = base
        self.fixed = fixed
        self.bits = 0
        self.bits_left = 0

    def read(self, count: int) -> bytes:
        """Return whole bytes from the next byte boundary. Raises Unreadable where fewer are left."""
        self.bits_left = 0
        stop = self.pos + count
        if stop > self.end:
            raise Unreadable(TRUNCATED, shortage(count, self.end - self.pos), stop - self.end)
        found = self.data[self.pos : stop]
        self.pos = stop
        return found

    def seek(self, position: int) -> None:
        """Move to a byte position, counted from the start of this stream."""
        self.bits_left = 0
        self.pos = self.start + position

    # --- bits ---

    def read_bits(self, count: int, little: bool) -> int:
        """Return the next ``count`` bits as an integer; ``little``: from the low end of each byte, else from the high end."""
        if not self.bits_left:
            self.bits = 0
        needed = count - self.bits_left
        if needed <= 0:
            if little:
                value = self.bits & ((1 << count) - 1)
                self.bits >>= count
            else:
                value = self.bits >> -needed
                self.bits &= (1 << -needed) - 1
            self.bits_left = -needed
            return value
        size = (needed + 7) // 8
        stop = self.pos + size
        if stop > self.end:
            raise Unreadable(TRUNCATED, shortage(count, self.left_bits, "bit"), stop - self.end)
        chunk = int.from_bytes(self.data[self.pos : stop], "little" if little else "big")
        self.pos = stop
        spare = 8 * size - needed
        if little:
            value = ((chunk << self.bits_left) | self.bits) & ((1 << count) - 1)
            self.bits = chunk >> needed
        else:
            value = (chunk >> spare) | (self.bits << needed)
            self.bits = chunk & ((1 << spare) - 1)
        self.bits_left = spare
        return value

    def align(self) -> None:
        """Skip to the next byte boundary."""
        self.bits_left = 0

    # --- positions ---

    @property
    def left_bits(self) -> int:
        """The number of remaining bits."""
        return 8 * (self.end - self.pos) + self.bits_left

    @property
    def here(self) -> int:
        """The position in this stream, in bits."""
        return 8 * (self.pos - self.start) - self.bits_left

    @property
    def reach(self) -> int:
        """The size of this stream, in bits."""
        return 8 * (self.end - self.start)

    def between(self, start: int, stop: int) -> bytes:
        """Return the bytes of this stream that contain these bits."""
        return self.data[self.start + start // 8 : self.start + -(-stop // 8)]

    @property
    def at(self) -> int:
        """The present position in the file, in bits, as the start of a range; that of the encoded data for a decoded copy."""
        return self.fixed[0] if self.fixed else 8 * (self.base + self.pos) - self.bits_left

    @property
    def upto(self) -> int:
        """The present position in the file, in bits, as the end of a range; that of the encoded data for a decoded copy."""
        return self.fixed[1] if self.fixed else 8 * (self.base + self.pos) - self.bits_left

    def bit_of(self, position: int) -> int:
        """Return the position in the file, in bits, of the byte ``data[position]``."""
        return self.fixed[0] if self.fixed else 8 * (self.base + position)

    def stop_of(self, position: int) -> int:
        """Return the position in the file, in bits, of the end of a range; ``position`` is the index in ``data`` of the byte
        after it.
        """
        return self.fixed[1] if self.fixed else 8 * (self.base + position)

    @property
    def eof(self) -> bool:
        """Whether no byte or bit is left."""
        return self.pos >= self.end and self.bits_left == 0

    def window(self, start: int, end: int) -> ByteSource:
        """Return ``data[start:end]`` as a stream of its own."""
        return ByteSource(self.data, start, end, self.base, self.fixed)

    def spare(self) -> int:
        """Return the unread bits of the partly read byte as an integer."""
        return self.bits if self.bits_left else 0

    def tail(self) -> bytes:
        """Return the bytes that `rest` would return, without moving; empty if nothing but unread zero bits of one byte is left."""
        if self.pos >= self.end and not self.spare():
            return b""
        return self.data[self.pos - 1 if self.bits_left else self.pos : self.end]

    def rest(self) -> bytes:
        """Return all remaining bytes, the partly read one included, and move to the end of the stream."""
        start = self.pos - 1 if self.bits_left else self.pos
        self.bits_left = 0
        self.pos = self.end
        return self.data[start : self.end]

    def scope_attribute(self, name: str) -> Any:
        """Return the value of ``_io.pos``, ``_io.size`` or ``_io.eof`` in expressions."""
        match name:
            case "pos":
                return self.pos - self.start
            case "size":
                return self.end - self.start
            case "eof":
                return self.eof
        raise EvaluationError(f"a stream has no '{name}'")


class Sink:
    """A buffer of bytes to write. ``size`` is its size where it is known, as for windows of fixed size; ``mark`` is where the
    last field ended.

    Bits that are not yet a byte are in ``bits``, from bit 0 up to ``low`` and from bit 7 down to ``high``. ``closing`` writes the
    parts that are deferred to the end. For formats with offsets: ``taken`` marks bytes that belong to a part, ``loose`` is true
    while bytes are written that a part may overwrite, ``placed`` are the ranges of parts at offsets, and ``clash`` is the offset of
    a byte that two parts wrote differently. ``from_end`` becomes true when an expression uses the size of a stream whose end is not
    fixed (``open``).
    """

    __slots__ = (
        *("bits", "buffer", "clash", "closing", "from_end", "high", "loose", "low", "mark", "open", "placed", "pos", "size"),
        "taken",
    )

    def __init__(self, size: int | None = None, taken: bytearray | None = None, loose: bool = False) -> None:
        self.buffer = bytearray()
        self.pos = 0
        self.size = size
        self.bits, self.low, self.high = 0, 0, 8
        self.closing: list[Callable[[], None]] = []
        self.mark: int | None = None
        self.taken, self.loose = taken, loose
        self.placed: list[tuple[int, int, str]] = []
        self.clash: int | None = None
        self.open, self.from_end = False, False

    def write(self, data: bytes, taken: bytes | bytearray | None = None) -> int:
        """Overwrite bytes from the next byte boundary on and return the number written. A byte of ``taken`` that is not 0 marks
        one that a part has written; without ``taken`` all are marked.
        """
        self.align()
        if self.pos > len(self.buffer):
            self.buffer.extend(bytes(self.pos - len(self.buffer)))
        if self.taken is not None:
            self._take(self.taken, data, taken)
        self.buffer[self.pos : self.pos + len(data)] = data
        self.pos += len(data)
        return len(data)

    def _take(self, all_taken: bytearray, data: bytes, taken: bytes | bytearray | None) -> None:
        """Set `clash` if ``data`` differ from taken bytes at their position, and mark them as taken unless they are loose."""
        start, stop = self.pos, self.pos + len(data)
        all_taken.extend(bytes(max(0, stop - len(all_taken))))
        # Several offsets may lead to one part: the same bytes written again are no clash.
        there = self.buffer[start:stop]
        if all_taken.find(1, start, stop) >= 0 and there != data[: len(there)]:
            pairs = enumerate(zip(there, data, strict=False), start)
            differ = (at for at, (old, new) in pairs if old != new and all_taken[at])
            self.clash = next(differ, self.clash)
        if not self.loose:
            # ``taken`` is the map of a substream, in which bytes that are only kept are not marked.
            mine = b"\1" * len(data) if taken is None else taken[: len(data)].ljust(len(data), b"\0")
            all_taken[start:stop] = mine if taken is None else bytes(map(max, mine, all_taken[start:stop]))

    def write_bits(self, value: int, count: int, little: bool) -> None:
        """Write an integer of ``count`` bits; ``little``: from the low end of each byte, else from the high end."""
        if self.bits_used:
            take = min(self.high - self.low, count)
            count -= take
            if little:
                self.bits |= (value & ((1 << take) - 1)) << self.low
                value >>= take
                self.low += take
            else:
                self.high -= take
                self.bits |= value >> count << self.high
                value &= (1 << count) - 1
            if self.low == self.high:
                self.align()
        whole, spare = divmod(count, 8)
        if whole:
            data = value & ((1 << (8 * whole)) - 1) if little else value >> spare
            self.write(data.to_bytes(whole, "little" if little else "big"))
        if spare:
            if little:
                # Bits of both orders may share a byte: one fills it from `low` upwards, the other from `high` downwards.
                self.bits, self.low = value >> (8 * whole), spare
            else:
                self.high = 8 - spare
                self.bits = (value & ((1 << spare) - 1)) << self.high

    @property
    def here(self) -> int:
        """The present position, in bits."""
        return 8 * self.pos + self.bits_used

    @property
    def reach(self) -> int:
        """The number of bits written so far."""
        return 8 * len(self.buffer)

    def between(self, start: int, stop: int) -> bytes:
        """Return the bytes, as written so far, that contain the bits from ``start`` to ``stop``."""
        return bytes(self.buffer[start // 8 : -(-stop // 8)])

    @property
    def bits_used(self) -> int:
        """The number of bits written of the partly written byte."""
        return 8 - (self.high - self.low)

    def fill(self, value: int) -> None:
        """Write the remaining bits of the partly written byte from the low bits of ``value``."""
        left = self.high - self.low
        self.write_bits(value & ((1 << left) - 1), left, True)

    def align(self) -> None:
        """Write zero bits up to the next byte boundary."""
        if self.bits_used:
            byte = self.bits
            self.drop_bits()
            self.write(bytes([byte]))

    @contextmanager
    def ahead(self, count: int) -> Iterator[None]:
        """Advance the position by ``count`` bytes while expressions are evaluated: a reader evaluates them after reading these
        bytes.
        """
        self.pos += count
        try:
            yield
        finally:
            self.pos -= count

    def drop_bits(self) -> None:
        """Discard the partly written byte."""
        self.bits, self.low, self.high = 0, 0, 8

    def seek(self, position: int) -> None:
        """Move to a byte position; bytes that are never written are zero."""
        self.align()
        self.pos = position

    def finish(self) -> bytes:
        """Write the parts that were deferred to the end, and return all bytes."""
        self.align()
        if self.size is None:
            self.size, self.open = len(self.buffer), True
        # In offsets of deferred parts `_io.pos` is the end of the last field, as for a reader, not that of kept bytes.
        end = self.mark if self.mark is not None else self.pos
        while self.closing:
            self.pos = end
            self.closing.pop(0)()
            self.align()
        return bytes(self.buffer)

    def saved(self) -> tuple[bytes, bytes | None, int | None]:
        """Return the present state for `restore`."""
        return bytes(self.buffer), None if self.taken is None else bytes(self.taken), self.clash

    def restore(self, saved: tuple[bytes, bytes | None, int | None]) -> None:
        """Undo everything that was written since `saved` returned this state."""
        self.buffer[:], taken, self.clash = saved
        if self.taken is not None and taken is not None:
            self.taken[:] = taken

    def scope_attribute(self, name: str) -> Any:
        """Return the value of ``_io.pos``, ``_io.size`` or ``_io.eof`` in expressions. Raises NotYetKnown for the last two where
        the size is not known.
        """
        # For a reader of bits the position is after the byte that it has read partly.
        if name == "pos":
            return self.pos + (1 if self.bits_used else 0)
        if self.size is None:
            raise NotYetKnown(f"_io.{name} is not known before all is written")
        match name:
            case "size":
                # A stream without a fixed end can be lengthened if a part whose offset counts from the end has no room.
                self.from_end = self.open
                return self.size
            case "eof":
                return self.pos >= self.size
        raise EvaluationError(f"a stream has no '{name}'")
