"""Read the records of a stream in chunks, forwards only, so that a file of any size takes a few megabytes of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.errors import ReadError

CHUNK = 32768
"""Records per chunk."""

ByteProgress = Callable[[int, int | None], None]
"""A callback that receives the number of bytes read and the total (None where the stream cannot give it)."""


@dataclass(slots=True)
class RecordStream:
    """Iterates over the records of one stream in chunks of ``size`` records, once. ``header`` is set when the iteration begins;
    ``records`` (their number), ``end`` (the end record), ``rest`` and ``left`` when it ends.

    ``rest`` is the number of bytes after the last record and the end record, from offset ``rest_at`` on; ``left`` are these bytes
    if they are an incomplete record, else empty.
    """

    codec: BulkCodec
    stream: BinaryIO
    progress: ByteProgress | None = None
    size: int = CHUNK
    header: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))
    records: int = 0
    end: bytes = b""
    rest: int = 0
    rest_at: int = 0
    left: bytes = b""
    done: int = 0
    total: int | None = None

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        """Yield chunks of records as bytes, shape (records, record size); the array is reused for the next chunk. Raises
        ReadError where the header is incomplete.
        """
        codec, width = self.codec, self.codec.record_size
        self.total = remaining(self.stream)
        self.header = np.zeros(codec.header_size, np.uint8)
        if self._fill(self.header) < codec.header_size:
            raise ReadError(f"the header takes {codec.header_size} bytes; the file has {self.done}")
        buffer = np.empty(max(1, self.size) * width, np.uint8)
        while True:
            got = self._fill(buffer)
            rows = buffer[: got // width * width].reshape(-1, width)
            stop = codec.first_end(rows)
            if stop:
                self.records += stop
                yield rows[:stop]
            # The list ends by its mark, or with the stream.
            if stop < len(rows) or got < len(buffer):
                self._finish(buffer[stop * width : got], got < len(buffer))
                return
            self._report_progress()

    def _finish(self, after: NDArray[np.uint8], exhausted: bool) -> None:
        """Set the fields about the end: ``after`` are bytes after the last record, all of them if the stream is ``exhausted``."""
        size = self.codec.end_size(after)
        self.end = after[:size].tobytes()
        self.rest = len(after) - size
        self.left = after.tobytes() if not size and len(after) < self.codec.record_size else b""
        self.rest_at = self.codec.header_size + self.records * self.codec.record_size + size
        # The bytes after the end record are counted, not kept: there may be as many as in the rest of the file.
        scrap = np.empty(1 << 16, np.uint8)
        while not exhausted and (got := self._fill(scrap)):
            self.rest += got
        self._report_progress()

    def _fill(self, buffer: NDArray[np.uint8]) -> int:
        """Read until the buffer is full or the stream ends. Return the number of bytes read."""
        view, at = memoryview(buffer.data), 0
        while at < len(view):
            data = self.stream.read(len(view) - at)
            if not data:
                break
            view[at : at + len(data)] = data
            at += len(data)
        self.done += at
        return at

    def _report_progress(self) -> None:
        if self.progress is not None:
            self.progress(self.done, self.total)


def remaining(stream: BinaryIO) -> int | None:
    """Return the number of bytes that a stream has left; None where it is unknown, as for a pipe."""
    try:
        at = stream.tell()
        end = stream.seek(0, 2)
        stream.seek(at)
    except (OSError, AttributeError, ValueError):
        return None
    return end - at
