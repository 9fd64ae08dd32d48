"""Convert the boards of a source to a target.

A `Conversion` yields the converted boards of a source in order, in pieces (`ConvertedPiece`). A `BatchConversion` converts a
document at once or a text in stretches, a `TableConversion` makes the row groups of a table, and a `RecordConversion` converts
records that arrays prove to be clean, in this process, in several, or on a cluster. `codec.pipeline.StretchWriter` decides what the
target can represent. Memory does not grow with the file; bytes and findings are those of the file read as one document.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from bridgespec.cli.array_sources import LargeRecords, RecordSource, large_file
from bridgespec.cli.board_sources import BoardSource
from bridgespec.cli.board_targets import Target
from bridgespec.cli.parallel import AHEAD, cores, pool, settings_here
from bridgespec.cli.ranges import Selection
from bridgespec.cli.settings import Settings
from bridgespec.codec.losses import Losses, own_losses
from bridgespec.codec.pipeline import Batch, StretchState, StretchWriter, needs_outline, outline, why_not
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.export import Exporter
from bridgespec.extras import Extra
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec
from bridgespec.tables.table_files import Kind, encoded

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from bridgespec.cli import cluster_options as clusters
    from bridgespec.cli.cluster_options import ClusterSettings
    from bridgespec.cluster import chunk_store, jobs, run
    from bridgespec.cluster.run import ClusterTask
    from bridgespec.codec.bulk import codec as bulk
    from bridgespec.codec.bulk.codec import BulkCodec
else:
    # Small files are converted without arrays, and so without NumPy.
    bulk, np, pa = Lazy("bridgespec.codec.bulk.codec"), Lazy("numpy"), Extra("pyarrow")
    clusters = Lazy("bridgespec.cli.cluster_options")
    jobs, run, chunk_store = Lazy("bridgespec.cluster.jobs"), Lazy("bridgespec.cluster.run"), Lazy("bridgespec.cluster.chunk_store")

RECORDS_AT_ONCE = 256
"""The number of records that are converted as one document: each board takes some 90 kB while it is written."""
ROWS = 1 << 13
"""The number of records that are converted together by arrays."""
WORTH = 2048
"""The number of records from which on several processes convert them as documents."""
CYCLE = 16
"""The period in board numbers of dealer and vulnerability, and so of the losses that depend on them."""


@dataclass(frozen=True)
class ConvertedPiece:
    """A piece of a conversion: the bytes of some converted boards.

    ``boards`` is their number, ``unread`` are the findings on what could not be read, ``refused`` has an error for each board
    that was left out, with its number, and ``rooms`` counts boards left out because another room has the same deal. ``stop`` is
    the byte of the source that was reached; ``lossy`` is true if the encoding lacks characters.
    """

    data: bytes
    after: StretchState
    boards: int = 0
    unread: tuple[Diagnostic, ...] = ()
    lost: Losses = field(default_factory=Losses)
    refused: tuple[tuple[Diagnostic, int | None], ...] = ()
    rooms: int = 0
    stop: int = 0
    lossy: bool = False

    @classmethod
    def of(cls, parts: Sequence[ConvertedPiece], state: StretchState, stop: int) -> ConvertedPiece:
        """Return the concatenation of consecutive pieces."""
        lost = Losses()
        for part in parts:
            lost.include(part.lost)
        data, boards = b"".join(part.data for part in parts), sum(part.boards for part in parts)
        unread = tuple(one for part in parts for one in part.unread)
        refused = tuple(one for part in parts for one in part.refused)
        rooms, lossy = sum(part.rooms for part in parts), any(part.lossy for part in parts)
        return cls(data, state, boards, unread, lost, refused, rooms, stop, lossy)


class Conversion(ABC):
    """The conversion of one source to one target. Made by `conversions_of`."""

    encodings: Sequence[str] = ("",)
    """The encodings of the target in the order in which they are tried: the first that has all characters is used."""

    outlined = False
    """Whether an outline of the source is written ahead of its first board."""
    again = False
    """Whether the outline described boards that were then left out, so that the file must be written again with another outline."""

    def __init__(self, settings: Settings, origin: BoardSource, target: Target, edit: Selection | None = None) -> None:
        self.settings, self.origin, self.target = settings, origin, target
        # A source that read only the selected boards is not filtered again: boards that go by their place have another one now.
        self.edit = Selection(None, edit.declarer if edit else None) if origin.chosen else edit or Selection()
        self.left_out: Set[int] = frozenset()

    def edited(self, look: bool = True) -> Iterator[Batch]:
        """Yield the batches of the source with the selected boards only. Raises UsageError where a part of the selection has no
        board.
        """
        self.edit.begin()
        for batch in self.origin.batches(look):
            yield replace(batch, document=self.edit.of(batch.document)) if self.edit else batch
        self.edit.check()

    @abstractmethod
    def each(self, encoding: str) -> Iterator[ConvertedPiece]:
        """Yield all boards as pieces, in order."""

    def header(self, boards: int) -> bytes:
        """Return the header of the target's file with ``boards`` boards."""
        return b""


class BatchConversion(Conversion):
    """The conversion of any source by its batches. Texts and records are written batch by batch, all others as one document."""

    def __init__(
        self,
        settings: Settings,
        origin: BoardSource,
        target: Target,
        canonical: bool = False,
        edit: Selection | None = None,
    ) -> None:
        super().__init__(settings, origin, target, edit)
        self.canonical = canonical
        self.whole = origin.document is not None
        self.known = settings.engine.of(target) if isinstance(target, Spec) else None
        self.own = isinstance(target, Spec) and target.id == origin.format and not canonical
        self.same = self.own and not self.edit and not origin.is_changed
        # Only for the header, whose count of boards is known at the end; a whole document is written with its own.
        self.codec = None if self.whole or self.same or not isinstance(target, Spec) else bulk_target(target)
        if not self.whole and not self.same and self.known is not None:
            self.encodings = self.known.binder.encodings
            self.outlined = needs_outline(origin.terms, self.known.binder)

    def each(self, encoding: str) -> Iterator[ConvertedPiece]:
        state, taken, refused = StretchState(), 0, set[int]()
        source, whole = self.edited(), None
        if self.outlined and (batch := next(source, None)) is not None:
            if batch.last:
                # A source of one batch needs no second pass for its outline.
                source = chain((batch,), source)
            else:
                whole, source = outline(self.edited(False), self.left_out), self.edited()
        writer = self._writer(encoding, whole)
        for batch in source:
            document = batch.document
            count = len(document.boards)
            # In the source's own format unchanged parts are kept, and so are records without boards.
            stays = self.same or (self.own and not count)
            data = batch.raw if stays and not self.whole else self._alone(document)
            if data is not None:
                state = replace(state, boards=state.boards + count)
                yield ConvertedPiece(data, state, count, tuple(self.origin.unread(batch)), self._lost(document), stop=batch.stop)
            else:
                assert writer is not None
                yield (done := _written(writer, self.origin, batch, None if self.whole else state, taken, batch.last))
                state = done.after
                refused.update(one.record or 0 for one, _ in done.refused)
            taken += count
        # The outline describes all boards, so it must be that of the boards that are actually written.
        self.again, self.left_out = whole is not None and refused != self.left_out, refused

    def _writer(self, encoding: str, whole: Document | None) -> StretchWriter | None:
        """Return a writer of the target with the outline ``whole``; None for a target that is not a declared format."""
        if self.known is None:
            return None
        size = 0 if self.codec is None else self.codec.header_size
        known = self.known
        return StretchWriter(known.binder, known.codec, self.canonical, size, encoding=encoding, source=whole)

    def _alone(self, document: Document) -> bytes | None:
        """Return the bytes of a document that needs no `StretchWriter`: for an exporter, or unchanged in its own format; else
        None.
        """
        if isinstance(self.target, Exporter):
            return self.target.dump(document)
        return self.known.unchanged(document) if self.whole and self.known is not None and not self.canonical else None

    def _lost(self, document: Document) -> Losses:
        """Return the fields of the source's own format that are lost in JSON. Nothing is reported for a target that cannot be
        read again, such as a hand record.
        """
        return own_losses(document) if isinstance(self.target, Exporter) and self.target.load is not None else Losses()

    def header(self, boards: int) -> bytes:
        if self.own:
            return self.origin.header
        return b"" if self.codec is None else self.codec.header(boards).tobytes()


class TableConversion(Conversion):
    """The conversion of any source to a table, one row group at a time; with the ``derived`` columns if requested."""

    target: Kind

    def __init__(self, settings: Settings, origin: BoardSource, target: Kind, edit: Selection, derived: bool = False) -> None:
        super().__init__(settings, origin, target, edit)
        self.derived = derived

    def each(self, encoding: str) -> Iterator[ConvertedPiece]:
        passed: list[ConvertedPiece] = []
        boards = 0

        def batches(look: bool) -> Iterator[Batch]:
            for batch in self.edited(look):
                if look:
                    lost = own_losses(batch.document)
                    passed.append(
                        ConvertedPiece(b"", StretchState(boards), 0, tuple(self.origin.unread(batch)), lost, stop=batch.stop)
                    )
                # Findings are counted for a row by the index of its record, which is another one where boards were selected.
                yield replace(batch, findings=()) if self.edit else batch

        def counted() -> Iterator[pa.RecordBatch]:
            nonlocal boards
            for batch in table.batches():
                boards += batch.num_rows
                passed.append(ConvertedPiece(b"", StretchState(boards), batch.num_rows))
                yield batch

        # Arrow's own allocators keep tens of megabytes that are free.
        pa.set_memory_pool(pa.system_memory_pool())
        table = self.origin.table(batches, bool(self.edit), self.derived)
        for data in encoded(self.target, table.schema, counted()):
            # The encoder consumes several batches before it yields bytes: their pieces, with losses and findings, are yielded
            # first.
            yield from passed
            passed.clear()
            yield ConvertedPiece(data, StretchState(boards))


class RecordConversion(Conversion):
    """The conversion of records as arrays, as far as these prove the records to be clean. Each participating process has
    its own.
    """

    target: Spec
    origin: RecordSource

    def __init__(self, settings: Settings, origin: RecordSource, target: Spec, canonical: bool) -> None:
        super().__init__(settings, origin, target)
        self.canonical = canonical
        self.known = settings.engine.of(target)
        self.same = origin if isinstance(origin, LargeRecords) and origin.format == target.id else None
        self.codec = bulk_target(target)
        self.carries = self.codec is not None and not self.same and origin.carry_into(self.codec)
        if not self.same:
            self.encodings = self.known.binder.encodings
        self.writer = self._writer("")
        self.losses_by_kind: dict[int, Losses] = {}
        """The losses of one record, by its integer in `carried`."""

    def _writer(self, encoding: str) -> StretchWriter:
        """Return a writer of the target's records in an encoding."""
        size = 0 if self.codec is None else self.codec.header_size
        known = self.known
        return StretchWriter(known.binder, known.codec, self.canonical, size, encoding=encoding)

    @property
    def why_not(self) -> str:
        """Return the reason why the records cannot be converted in chunks; empty where they can."""
        if not self.origin.is_parted or not (self.carries or isinstance(self.origin, LargeRecords)):
            return "the records depend on each other"
        if self.same:
            return "the records are spelled anew" if self.canonical else ""
        document = self.origin.piece(0, 1).document
        return why_not(document, self.origin.terms, self.known.binder, self.known.codec)

    @property
    def is_spread(self) -> bool:
        """Whether workers of a cluster can convert the records."""
        return self.carries and isinstance(self.origin, LargeRecords) and self.origin.is_single

    @property
    def step(self) -> int:
        """The number of records in each chunk."""
        return RECORDS_AT_ONCE if not self.carries and not self.same else ROWS

    def each(self, encoding: str) -> Iterator[ConvertedPiece]:
        """Yield all records as pieces, in order. If many need to be read as documents, several processes share the work."""
        self.writer = self._writer(encoding)
        starts = range(0, self.origin.count, self.step)
        # Arrays are faster than processes can be started, and few boards are too.
        if self.carries or self.same or self.origin.count < WORTH or cores() < 2:
            state = StretchState()
            for start in starts:
                done = self.done(start, state)
                yield done
                state = done.after
            return
        # This process converts the first stretch. All others are sent with the guess that later boards inherit the same keys from
        # it.
        first = self.done(0, StretchState())
        yield first
        with pool(self.settings, cores()) as workers:
            yield from self._ahead(starts[1:], first.after, workers)

    def _ahead(self, starts: range, state: StretchState, workers: Executor) -> Iterator[ConvertedPiece]:
        """Yield pieces made by other processes, each from a guessed state: that all boards before it were written, and that the
        same keys are inherited as before. A piece with a wrong guess is made again here.
        """
        waiting: deque[tuple[int, StretchState, Future[ConvertedPiece]]] = deque()
        later = iter(starts)
        assert isinstance(self.origin, LargeRecords)
        work = self.origin.path, self.origin.format, self.target.id, self.canonical, self.writer.encoding

        def send(start: int) -> None:
            guess = replace(state, boards=start)
            waiting.append((start, guess, workers.submit(_sent, work, self.step, start, guess)))

        # A limited number is sent ahead: the bytes of a finished stretch are kept in memory until its turn.
        for start in islice(later, AHEAD * cores()):
            send(start)
        while waiting:
            start, guess, future = waiting.popleft()
            done = future.result()
            if (following := next(later, None)) is not None:
                send(following)
            # The guess was wrong: a board before this stretch was left out, or another key is inherited.
            if guess != state:
                done = self.done(start, state)
            yield done
            state = done.after

    def on_cluster(self, spread: ClusterSettings, dest: str) -> Iterator[ConvertedPiece]:
        """Yield all records as pieces, in order. Workers convert the chunks in which every record is clean, this process all
        others.
        """
        assert isinstance(self.origin, LargeRecords)
        large, formats, folders = self.origin, (self.origin.format, self.target.id), tuple(map(str, self.settings.specs))
        starts = range(0, large.count, spread.size)

        def chunks() -> Iterator[ClusterTask]:
            for start in starts:
                data = large.slice(large.offset(start), large.offset(min(start + spread.size, large.count)))
                # Named by its content, so that a repeated run finds the result that an earlier run stored.
                name = chunk_store.digest(b"convert", *map(str.encode, formats), data)
                yield run.ClusterTask(name, jobs.convert_chunk, (data, *formats, folders), len(data) // large.codec.record_size)

        state = StretchState()
        with clusters.spread_over(self.settings, spread, dest, large.count, lambda count: None) as found:
            for start, body in zip(starts, found.run(chunks()), strict=True):
                stop = min(start + spread.size, large.count)
                # A worker gets complete records only: the bytes after the last one are read and reported here.
                whole = body and not (stop == large.count and large.tail)
                done = self.carried(body, start, stop, state) if whole else self.done(start, state, spread.size)
                yield done
                state = done.after

    def done(self, start: int, state: StretchState, step: int = 0) -> ConvertedPiece:
        """Return the piece of ``step`` records from ``start`` on; the last piece of a file includes the bytes after the records."""
        origin = self.origin
        stop = min(start + (step or self.step), origin.count)
        if not self.carries and not self.same:
            return self._plain(start, stop, state)
        # Arrays convert clean records to another format; in the format of the source clean records are copied as bytes.
        good, made = origin.carried(start, stop) if self.same is None else (self.same.clean(start, stop), np.empty(0, np.uint8))
        parts: list[ConvertedPiece] = []
        at = start
        # Runs of clean and of other records alternate: the borders are where the flag changes.
        for end in [*(np.flatnonzero(np.diff(good)) + start + 1).tolist(), stop]:
            clean = at < end and bool(good[at - start])
            if clean:
                own = (
                    made[at - start : end - start].tobytes()
                    if self.same is None
                    else self.same.slice(self.same.offset(at), self.same.offset(end))
                )
                parts.append(self.carried(own, at, end, state))
                state = parts[-1].after
            for low in range(at, end, RECORDS_AT_ONCE) if not clean else ():
                parts.append(self._plain(low, min(low + RECORDS_AT_ONCE, end), state, tail=False))
                state = parts[-1].after
            at = end
        if stop == origin.count and origin.tail:
            parts.append(self._plain(stop, stop, state))
            state = parts[-1].after
        return ConvertedPiece.of(parts, state, origin.offset(stop))

    def carried(self, data: bytes, start: int, stop: int, state: StretchState) -> ConvertedPiece:
        """Return the piece for the records from ``start`` to ``stop``, which arrays have converted to ``data``.

        Losses are found by converting one record of each kind (`kinds`) as a document; none arise in the format of the source.
        """
        after = replace(state, boards=state.boards + stop - start)
        if self.same:
            return ConvertedPiece(data, after, stop - start)
        lost = Losses()
        kinds = self.origin.kinds(start, stop)
        places, numbers = np.arange(state.boards, state.boards + stop - start) + 1, self.origin.numbers(start, stop)
        # `kinds` has one bit for each field that a record states, in the lower 32 bits; numbers and places are added in the upper
        # 32.
        if (numbers != places).any():
            # Only where a board has another number than its place, its losses depend on both.
            kinds |= np.where(numbers == places, 0, _of_places(numbers, places)) << np.int64(32)
        # Nearly always all records are of one kind, which takes no sorting to see.
        found = [kinds[:1].tolist(), [0], [len(kinds)]]
        if (kinds != kinds[0]).any():
            found = [one.tolist() for one in np.unique(kinds, return_index=True, return_counts=True)]
        # By the first record of each kind: losses are reported in the order in which converting all as documents would find them.
        for first, kind, count in sorted(zip(found[1], found[0], found[2], strict=True)):
            if kind not in self.losses_by_kind:
                # One record of the kind is converted as a document, which finds its losses.
                before, at = replace(state, boards=state.boards + first), start + first
                self.losses_by_kind[kind] = self._plain(at, at + 1, before, tail=False).lost
            lost.include(self.losses_by_kind[kind], count)
        return ConvertedPiece(data, after, stop - start, lost=lost)

    def _plain(self, start: int, stop: int, state: StretchState, tail: bool = True) -> ConvertedPiece:
        """Return the piece of the records from ``start`` to ``stop``, read and written as a document; with ``tail`` including the
        bytes after the records.
        """
        last = tail and stop == self.origin.count
        batch = self.origin.piece(start, stop, last)
        if self.same:
            unread, count = tuple(self.origin.unread(batch)), len(batch.document.boards)
            return ConvertedPiece(batch.raw, replace(state, boards=state.boards + count), count, unread, stop=batch.stop)
        return _written(self.writer, self.origin, batch, state, start, last)

    def header(self, boards: int) -> bytes:
        if self.same:
            return self.same.header
        return b"" if self.codec is None else self.codec.header(boards).tobytes()


def _written(
    writer: StretchWriter, origin: BoardSource, batch: Batch, state: StretchState | None, first: int, last: bool
) -> ConvertedPiece:
    """Return the piece for some boards of a source, the first with index ``first``, written by a `StretchWriter`."""
    boards = batch.document.boards
    done = writer.stretch(batch.document, state, first, last)
    refused = tuple((one, boards[(one.record or 0) - first].number) for one in done.refused)
    unread = tuple(origin.unread(batch))
    return ConvertedPiece(done.data, done.after, len(boards), unread, done.lost, refused, done.rooms, batch.stop, done.lossy)


def _of_places(numbers: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an integer for each board, computed from its number (0 without one) and its place (from 1), both modulo `CYCLE`.

    Boards with equal integers have the same losses that depend on number and place.
    """
    return np.where(numbers > 0, 1 + numbers % CYCLE, 1 + CYCLE) * CYCLE + places % CYCLE


def bulk_target(spec: Spec) -> BulkCodec | None:
    """Return the bulk codec of the target's format; None where it has none."""
    try:
        return bulk.BulkCodec(spec) if spec.language == "ksy" else None
    except SpecError:
        return None


# --- other processes ----------------------------------------------------------------------------------------------------


def _sent(work: tuple[str, str, str, bool, str], step: int, start: int, before: StretchState) -> ConvertedPiece:
    """Return the piece of some records, in a process of a pool."""
    return _conversion_here(*work).done(start, before, step)


# A pool serves one pass with one encoding, so one cached conversion is enough.
@lru_cache(1)
def _conversion_here(path: str, format: str, target: str, canonical: bool, encoding: str) -> RecordConversion:
    """Return the conversion that this process of a pool makes for all its pieces."""
    settings = settings_here()
    # Without a lower limit: the process that sends the work has already found the file large enough.
    large = large_file(settings, path, format, 0, grouped=True)
    assert large is not None
    made = RecordConversion(settings, large, settings.engine.spec(target), canonical)
    made.writer.encoding = encoding
    return made
