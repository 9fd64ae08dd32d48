"""Bulk work on streams: any size of file, a few megabytes of memory.

Streams are read and written forwards only, so that pipes do; only a target whose header counts its records must be seekable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.check import NOTHING
from bridgespec.codec.bulk.codec import BulkCodec, Judge
from bridgespec.codec.bulk.parts import Verdict
from bridgespec.codec.bulk.plan import scatter
from bridgespec.codec.bulk.view import CellsView
from bridgespec.errors import BridgespecError, ReadError, RecordError, UsageError, WriteError
from bridgespec.model.cards import Seat

CHUNK = 32768
"""Records at a time."""

Progress = Callable[[int, int | None], None]
"""Told how many bytes are done, and of how many (None where the stream does not tell)."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some records of a file: ``first`` is the number of the first (from 0), ``arrays`` its fields.

    ``records`` are their bytes, a row each, and belong to the stream: they are overwritten by the next chunk.
    """

    first: int
    records: NDArray[np.uint8]
    arrays: dict[str, NDArray[Any]]


@dataclass(slots=True)
class RecordStream:
    """The records of a stream, a chunk at a time; ``header``, ``end`` and ``rest`` are known when the chunks are used up.

    ``left`` is the beginning of a record that is not whole, where the stream ends with one.
    """

    codec: BulkCodec
    stream: BinaryIO
    progress: Progress | None = None
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
        """The records' bytes, shape (some, record size), in an array that is used again; ReadError where the header is short."""
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
            if stop < len(rows) or got < len(buffer):
                self._finish(buffer[stop * width : got], got < len(buffer))
                return
            self._tell()

    def _finish(self, after: NDArray[np.uint8], exhausted: bool) -> None:
        size = self.codec.end_size(after)
        self.end = after[:size].tobytes()
        self.rest = len(after) - size
        self.left = after.tobytes() if not size and len(after) < self.codec.record_size else b""
        self.rest_at = self.codec.header_size + self.records * self.codec.record_size + size
        scrap = np.empty(1 << 16, np.uint8)
        while not exhausted and (got := self._fill(scrap)):
            self.rest += got
        self._tell()

    def _fill(self, buffer: NDArray[np.uint8]) -> int:
        """Read until the buffer is full or the stream ends; the number of bytes read."""
        view, at = memoryview(buffer.data), 0
        while at < len(view):
            data = self.stream.read(len(view) - at)
            if not data:
                break
            view[at : at + len(data)] = data
            at += len(data)
        self.done += at
        return at

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self.done, self.total)


def remaining(stream: BinaryIO) -> int | None:
    """How many bytes a stream has left; None where it cannot tell."""
    try:
        at = stream.tell()
        end = stream.seek(0, 2)
        stream.seek(at)
    except (OSError, AttributeError, ValueError):
        return None
    return end - at


def chunks(codec: BulkCodec, stream: BinaryIO, records: int = CHUNK, fields: Iterable[str] | None = None) -> Iterator[Chunk]:
    """The arrays of a stream, ``records`` records at a time; ReadError after the last whole record where bytes are left over.

    >>> import io
    >>> from bridgespec.spec.catalog import Catalog
    >>> codec = BulkCodec(Catalog().load("zbd"))
    >>> data = bytes.fromhex("72527a0ae17ae4f952e041fc7c") * 5
    >>> [(chunk.first, chunk.arrays["deal"].shape) for chunk in chunks(codec, io.BytesIO(data), records=2)]
    [(0, (2, 52)), (2, (2, 52)), (4, (1, 52))]
    """
    names = None if fields is None else list(fields)
    source = RecordStream(codec, stream, size=records)
    first = 0
    for rows in source:
        yield Chunk(first, rows, codec.unpack(rows, names))
        first += len(rows)
    if source.rest:
        raise ReadError(f"{source.rest} bytes are left over at offset {source.rest_at}, after {source.records} records")


def check_stream(
    codec: BulkCodec,
    stream: BinaryIO,
    progress: Progress | None = None,
    judges: Sequence[Judge] = (),
    limit: int = 100_000,
) -> Verdict:
    """What `BulkCodec.check` finds, for a stream; after ``limit`` records that need a closer look the others are not told."""
    source = RecordStream(codec, stream, progress)
    found: list[NDArray[np.int64]] = []
    seen = first = 0
    for rows in source:
        if seen < limit:
            bad = np.flatnonzero(codec.mark(rows, judges))[: limit - seen].astype(np.int64) + first
            found.append(bad)
            seen += len(bad)
        first += len(rows)
    bad_header = codec.bad_header(source.header, source.records)
    indexes = np.concatenate(found) if found else np.empty(0, np.int64)
    return Verdict(source.records, indexes, bad_header, len(source.end), source.rest, source.rest_at)


@dataclass(frozen=True, slots=True)
class Converted:
    """What a conversion did: how many records, and in how many of them each thing that the target cannot hold was ``lost``."""

    records: int
    lost: Mapping[str, int]


_CARRIED = frozenset({"deal", "tricks"})


def _given(target: BulkCodec, declarer: Seat | None, count: int) -> dict[str, NDArray[Any]]:
    """The field that says whose results a record holds, in a format of one hand's results."""
    view = target.tricks_view
    if declarer is None or view is None or view.at is None:
        return {}
    code = next((raw for raw, seat in view.seats.items() if seat == declarer), None)
    if code is None:
        raise WriteError(f"{view.at.name} has no code for {declarer.name.lower()}")
    return {view.at.name: np.full((count, *view.at.shape), code, np.uint8)}


def why_not_convert(source: BulkCodec, target: BulkCodec, declarer: Seat | None = None) -> str:
    """Why one format's records cannot become another's by arrays alone; empty where they can.

    Deals and trick tables are carried over; board numbers, dealers and vulnerabilities are counted anew where the source has none.
    ``declarer`` is the hand whose results go into a format that holds one hand's. Files of one format are copied as they stand.

    >>> from bridgespec.spec.catalog import Catalog
    >>> zbd, zrd, zdd = (BulkCodec(Catalog().load(name)) for name in ("zbd", "zrd", "zdd"))
    >>> why_not_convert(zrd, zbd)
    ''
    >>> why_not_convert(zbd, zdd)
    'zdd holds nothing that zbd has'
    """
    shared = source.terms & target.terms & _CARRIED
    if source.spec.id == target.spec.id:
        return ""
    if not shared:
        return f"{target.spec.id} holds nothing that {source.spec.id} has"
    other = sorted(source.terms - _CARRIED)
    if other:
        return f"{source.spec.id} has terms beside deals and results: {', '.join(other)}"
    opaque = [leaf.name for leaf in source.layout.record.leaves if leaf.decl.binding.opaque]
    if opaque:
        return f"{source.spec.id} has fields that belong to it alone: {', '.join(opaque)}"
    deals = np.repeat(np.arange(4, dtype=np.uint8), 13)[None, ::-1].copy() if "deal" in shared else None
    tricks = np.full((1, 20), 7, np.uint8) if "tricks" in shared else None
    try:
        target.pack(target.arrays(deals, tricks, _given(target, declarer, 1)), np.zeros((1, target.record_size), np.uint8))
        target.header(1)
    except BridgespecError as reason:
        return str(reason)
    return ""


@dataclass(frozen=True, slots=True)
class Run:
    """Bytes that stand in both formats' records alike: where, and how many."""

    source: int
    target: int
    size: int


def same_run(source: BulkCodec, target: BulkCodec) -> Run | None:
    """The packed deals that are all a target's record holds, where the source's are stored bit for bit the same; else None.

    Deals that are copied so need not be unpacked to a byte a card, which takes longer than all else. Only where every code is a
    holder, so that there is nothing that the target could refuse.
    """
    if len(source.deal_views) != 1 or len(target.deal_views) != 1 or len(target.layout.record.leaves) != 1:
        return None
    (theirs,), (ours,) = source.deal_views, target.deal_views
    if not isinstance(theirs, CellsView) or not isinstance(ours, CellsView) or theirs.at is not None or ours.at is not None:
        return None
    one, two = theirs.leaf, ours.leaf
    codes = 1 << one.width
    alike = (one.width, one.lsb, theirs.cells) == (two.width, two.lsb, ours.cells) and one.packed and two.packed
    table = theirs.table[:codes]
    size = two.count * two.width // 8
    if not alike or size != target.record_size or (table == NOTHING).any() or (table != ours.table[:codes]).any():
        return None
    return Run(one.bit // 8, two.bit // 8, size) if len(set(table.tolist())) == codes else None


def _copied(codec: BulkCodec, stream: BinaryIO, target: BinaryIO, progress: Progress | None) -> Converted:
    """Write a file's header, records and end as they stand; ReadError where bytes are left over."""
    reader = RecordStream(codec, stream, progress)
    for rows in reader:
        if reader.records == len(rows):
            target.write(reader.header.tobytes())
        target.write(rows.data)
    if not reader.records:
        target.write(reader.header.tobytes())
    target.write(reader.end)
    if reader.rest:
        raise ReadError(f"{reader.rest} bytes are left over at offset {reader.rest_at}, after {reader.records} records")
    return Converted(reader.records, {})


def carried(source: BulkCodec, target: BulkCodec, rows: NDArray[np.uint8], first: int = 0) -> NDArray[np.uint8]:
    """Records of one format as those of another; ``first`` is the place of the first of them in its file.

    WriteError says which record the target cannot hold.
    """
    if (run := same_run(source, target)) is not None:
        copied = np.ascontiguousarray(rows[:, run.source : run.source + run.size])
        target.refuse_end(copied, first)
        return copied
    shared = source.terms & target.terms & _CARRIED
    arrays = source.unpack(
        rows, (*(source.deal_fields if "deal" in shared else ()), *(source.tricks_fields if "tricks" in shared else ()))
    )
    deals = source.deals(arrays) if "deal" in shared else None
    tricks = source.tricks(arrays) if "tricks" in shared else None
    records = np.zeros((len(rows), target.record_size), np.uint8)
    target.pack(target.arrays(deals, tricks, _given(target, None, len(rows))), records, first)
    return records


def convert_stream(
    source: BulkCodec,
    source_stream: BinaryIO,
    target: BulkCodec,
    target_stream: BinaryIO,
    progress: Progress | None = None,
    declarer: Seat | None = None,
) -> Converted:
    """Write the records of one stream to another in the target's format.

    UsageError says why that cannot be done by arrays (`why_not_convert`), ReadError that bytes of the source are left over,
    WriteError which record the target cannot hold. Broken records are carried over where the target can hold them: check first.

    >>> import io
    >>> from bridgespec.spec.catalog import Catalog
    >>> zrd, zbd = BulkCodec(Catalog().load("zrd")), BulkCodec(Catalog().load("zbd"))
    >>> data, out = bytes.fromhex("72527a0ae17ae4f952e041fc7c494949492b2a39396767"), io.BytesIO()
    >>> convert_stream(zrd, io.BytesIO(data), zbd, out)
    Converted(records=1, lost={'tricks': 1})
    >>> out.getvalue().hex()
    '72527a0ae17ae4f952e041fc7c'
    """
    reason = why_not_convert(source, target, declarer)
    if reason:
        raise UsageError(reason)
    if source.spec.id == target.spec.id:
        return _copied(source, source_stream, target_stream, progress)
    shared = source.terms & target.terms & _CARRIED
    names = (*(source.deal_fields if "deal" in shared else ()), *(source.tricks_fields if "tricks" in shared else ()))
    counted = target.header_size and target.header(0).tobytes() != target.header(1).tobytes()
    start = target_stream.tell() if counted and target_stream.seekable() else 0
    if counted and not target_stream.seekable():
        raise UsageError(f"{target.spec.id} counts its records in its header; the output must be a file")
    target_stream.write(target.header(0).tobytes())
    reader = RecordStream(source, source_stream, progress)
    room = source.room(reader.size, names)
    output = np.zeros((reader.size, target.record_size), np.uint8)
    run = same_run(source, target)
    first = 0
    for rows in reader:
        out = output[: len(rows)]
        if run is not None:
            scatter(rows[:, run.source : run.source + run.size], out[:, run.target : run.target + run.size])
            target.refuse_end(out, first)
            target_stream.write(out.data)
            first += len(rows)
            continue
        arrays = source.unpack(rows, names, {name: array[: len(rows)] for name, array in room.items()})
        try:
            deals = source.deals(arrays) if "deal" in shared else None
            tricks = source.tricks(arrays) if "tricks" in shared else None
            made = target.arrays(deals, tricks, _given(target, declarer, len(rows)))
        except RecordError as problem:
            raise problem.after(first) from None
        target.pack(made, out, first)
        target_stream.write(out.data)
        first += len(rows)
    if reader.rest:
        raise ReadError(f"{reader.rest} bytes are left over at offset {reader.rest_at}, after {reader.records} records")
    if counted:
        stop = target_stream.tell()
        target_stream.seek(start)
        target_stream.write(target.header(reader.records).tobytes())
        target_stream.seek(stop)
    lost = dict.fromkeys(sorted(source.terms - target.terms), reader.records)
    if "tricks" in shared and target.tricks_view is not None and target.tricks_view.at is not None:
        lost["tricks of other hands"] = reader.records
    return Converted(reader.records, lost)
