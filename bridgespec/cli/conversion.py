"""Converting a source into a target: the one path of ``convert``, ``join`` and ``split``, for files of any size.

`conversions_of` finds how a source can be converted. A `Conversion` gives its records in order, converted, each time as a `Done`: a
`BatchConversion` those of a document at once or those of a text some at a time, a `RecordConversion` those of fixed size, by arrays
what `codec.bulk.carry.Carrier` proves to be clean, in this process, in several, or on a cluster. `codec.pipeline.StretchWriter`
decides what the target can represent. `Sums` adds up what was done, and `converted` reports and writes the whole. The memory that
it takes does not grow with the file, and bytes, findings and exit status are those of the whole file read as one document.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.cli.examine import shown_name
from bridgespec.cli.files import STDIO, output
from bridgespec.cli.large import Large, about, large_file
from bridgespec.cli.parallel import AHEAD, cores, pool, settings_here
from bridgespec.cli.pieces import piece_of
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.render_marks import Source
from bridgespec.cli.settings import Settings
from bridgespec.cli.sources import EmptySource, Selection, Taken, Target, TextSource, origin_of
from bridgespec.cli.status import CLEAN, FINDINGS
from bridgespec.cli.transfer import LeftOut, Unread, lost_to_all, tell_losses, tell_unread, tell_written
from bridgespec.codec.fill import refusal
from bridgespec.codec.losses import Losses
from bridgespec.codec.pipeline import State, StretchWriter, why_not
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import SpecError
from bridgespec.export import Exporter
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.spec.catalog import builtin_folder
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    import numpy as np

    from bridgespec.cli import spread as clusters
    from bridgespec.cli.spread import Spread
    from bridgespec.cluster import jobs, run, store
    from bridgespec.cluster.run import Chunk
    from bridgespec.codec.bulk import carry
    from bridgespec.codec.bulk import codec as bulk
    from bridgespec.codec.bulk.codec import BulkCodec
else:
    # Small files are converted without arrays, and so without NumPy.
    bulk, carry, np = Lazy("bridgespec.codec.bulk.codec"), Lazy("bridgespec.codec.bulk.carry"), Lazy("numpy")
    clusters = Lazy("bridgespec.cli.spread")
    jobs, run, store = Lazy("bridgespec.cluster.jobs"), Lazy("bridgespec.cluster.run"), Lazy("bridgespec.cluster.store")

MANY = 1024
"""So many records are worth it."""
STRETCH = 256
"""Boards at a time by the plain path: each takes some 90 kB while it is written and read back."""
ROWS = 1 << 13
"""Records at a time as arrays."""
WORTH = 2048
"""So many boards by the plain path are worth starting processes for."""
CYCLE = 16
"""Dealer and vulnerability follow from a board's number and repeat after so many, and so do their losses."""
REASONS = 10_000
"""So many boards that cannot be held are kept one by one, for the case that none can."""


@dataclass(frozen=True)
class Done:
    """Some records that were converted.

    ``boards`` is how many there were, ``unread`` are the findings about what could not be read, ``refused`` holds an error for each
    board that was left out, with its number, and ``rooms`` counts those whose deal was written for another room. ``stop`` is the
    byte of the source that was reached, and ``lossy`` says that the encoding lacks characters.
    """

    data: bytes
    after: State
    boards: int = 0
    unread: tuple[Diagnostic, ...] = ()
    lost: Losses = field(default_factory=Losses)
    refused: tuple[tuple[Diagnostic, int | None], ...] = ()
    rooms: int = 0
    stop: int = 0
    lossy: bool = False


class Sums:
    """All that was done so far."""

    def __init__(self) -> None:
        self.boards = self.size = self.rooms = 0
        self.unread = Unread()
        self.lost = Losses()
        self.left = LeftOut()
        self.refused: list[Diagnostic] = []
        self.state = State()

    def add(self, done: Done) -> None:
        """Add the next records."""
        self.boards += done.boards
        self.size += len(done.data)
        self.rooms += done.rooms
        self.unread.add(done.unread)
        self.lost.include(done.lost)
        numbers = iter([number for _, number in done.refused])
        self.left.add([found for found, _ in done.refused], lambda at: next(numbers))
        self.refused += [found for found, _ in done.refused][: REASONS - len(self.refused)]
        self.state = done.after

    def losses(self, target: Target) -> list[Diagnostic]:
        """What the target cannot represent."""
        return self.lost.in_words(target.id, self.rooms) if isinstance(target, Spec) else []


class Conversion(ABC):
    """The conversion of one source into one format: ``shown``, ``format`` and ``words`` name the source, ``size`` is in bytes."""

    shown: str
    format: str
    words: str
    size: int
    target: Target
    document: Document | None = None
    """The whole document, of a source that was read at once."""
    encodings: Sequence[str] = ("",)
    """The encodings of the whole target to try: the first that has all characters is taken."""

    @abstractmethod
    def each(self, encoding: str) -> Iterator[Done]:
        """All records in order."""

    @abstractmethod
    def source(self) -> Source:
        """What findings about the source are drawn from."""

    def header(self, boards: int) -> bytes:
        """What comes before so many boards."""
        return b""

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        """The errors about the source as a whole."""
        return []


class BatchConversion(Conversion):
    """The conversion of a document, or of a text some records at a time, made by `conversion_of`."""

    def __init__(
        self,
        settings: Settings,
        origin: Taken | TextSource,
        target: Target,
        canonical: bool = False,
        edit: Selection | None = None,
        partial: bool = True,
    ) -> None:
        self.settings, self.origin, self.target, self.canonical = settings, origin, target, canonical
        self.edit, self.partial = edit or Selection(), partial
        self.shown, self.format, self.words, self.size = origin.shown, origin.format, origin.words, origin.size
        if isinstance(origin, Taken) and origin.chosen:
            self.edit = Selection(None, self.edit.declarer)
        self.whole = isinstance(origin, Taken)
        self.document = origin.document if isinstance(origin, Taken) else None
        self.known = settings.engine.of(target) if isinstance(target, Spec) else None
        self.same = isinstance(target, Spec) and target.id == self.format and not canonical and not self.edit
        self.codec = None if self.whole or self.same or not isinstance(target, Spec) else bulk_target(target)
        if not self.whole and not self.same and self.known is not None:
            self.encodings = self.known.binder.encodings

    def each(self, encoding: str) -> Iterator[Done]:
        state, taken, writer = State(), 0, self._writer(encoding)
        self.edit.numbers.clear()
        for batch in self.origin.batches():
            document = self.edit.of(batch.document)
            count = len(document.boards)
            data = batch.raw if self.same and not self.whole else self._alone(document)
            if data is not None:
                state = replace(state, boards=state.boards + count)
                yield Done(data, state, count, batch.unread, stop=batch.stop)
            else:
                assert writer is not None
                done = writer.stretch(document, None if self.whole else state, taken, batch.last)
                refused = tuple((one, document.boards[(one.record or 0) - taken].number) for one in done.refused)
                yield Done(done.data, done.after, count, batch.unread, done.lost, refused, done.rooms, batch.stop, done.lossy)
                state = done.after
            taken += count
        self.edit.check()

    def _writer(self, encoding: str) -> StretchWriter | None:
        if self.known is None:
            return None
        size = 0 if self.codec is None else self.codec.header_size
        proven = is_ours(self.target)
        return StretchWriter(self.known.binder, self.known.codec, self.canonical, proven, size, self.partial, encoding=encoding)

    def _alone(self, document: Document) -> bytes | None:
        """The bytes of a whole document that no `StretchWriter` has to write."""
        if isinstance(self.target, Exporter):
            return self.target.dump(document)
        return self.known.unchanged(document) if self.whole and self.known is not None and not self.canonical else None

    def source(self) -> Source:
        return Source(self.shown) if isinstance(self.origin, Taken) else self.origin.source()

    def header(self, boards: int) -> bytes:
        return b"" if self.codec is None else self.codec.header(boards).tobytes()

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        return [] if isinstance(self.origin, Taken) else self.origin.about(errors, boards)


class RecordConversion(Conversion):
    """The conversion of a file of fixed-size records, or of groups, by arrays as far as these prove the records clean, made by
    `conversion_of`; each process that takes part has its own.
    """

    target: Spec

    def __init__(self, settings: Settings, large: Large, target: Spec, canonical: bool) -> None:
        self.settings, self.large, self.target, self.canonical = settings, large, target, canonical
        self.shown, self.format, self.size = shown_name(large.path), large.spec.id, large.size
        self.words = f"{self.shown} ({self.format})"
        self.known = settings.engine.of(target)
        self.same = large.spec.id == target.id
        self.codec = bulk_target(target)
        self.carrier = None if self.codec is None or self.same else large.carrier(self.codec)
        if not self.same:
            self.encodings = self.known.binder.encodings
        self.writer = self._writer("")
        self.fates: dict[int, Losses] = {}

    def _writer(self, encoding: str) -> StretchWriter:
        size = 0 if self.codec is None else self.codec.header_size
        known = self.known
        return StretchWriter(known.binder, known.codec, self.canonical, is_ours(self.target), size, encoding=encoding)

    @property
    def why_not(self) -> str:
        """Why it cannot be done some records at a time; empty where it can."""
        if not self.large.count or not self.large.parted:
            return "the records depend on each other"
        if self.same:
            return "the records are spelled anew" if self.canonical else ""
        document = piece_of(self.large, 0, 1).document
        return why_not(document, self.settings.engine.of(self.large.spec).binder, self.known.binder, self.known.codec)

    @property
    def carries(self) -> bool:
        """Whether arrays carry single records, as workers of a cluster do."""
        return isinstance(self.carrier, carry.Carrier)

    @property
    def step(self) -> int:
        """How many records are done at a time."""
        return STRETCH if self.carrier is None and not self.same else ROWS

    def each(self, encoding: str) -> Iterator[Done]:
        """All records in order; where the plain path has many, several processes share them."""
        self.writer = self._writer(encoding)
        starts = range(0, self.large.count, self.step)
        if self.carrier is not None or self.same or self.large.count < WORTH or cores() < 2:
            state = State()
            for start in starts:
                done = self.done(start, state)
                yield done
                state = done.after
            return
        first = self.done(0, State())
        yield first
        with pool(self.settings, cores()) as workers:
            yield from self._ahead(starts[1:], first.after, workers)

    def _ahead(self, starts: range, state: State, workers: Executor) -> Iterator[Done]:
        """Records done by others, each stretch from the state that is most likely: all boards before it were written, and what
        holds for those that follow is what did before. Where that was not so it is done again.
        """
        waiting: deque[tuple[int, State, Future[Done]]] = deque()
        later = iter(starts)
        work = self.large.path, self.large.spec.id, self.target.id, self.canonical, self.writer.encoding

        def send(start: int) -> None:
            guess = replace(state, boards=start)
            waiting.append((start, guess, workers.submit(_sent, work, self.step, start, guess)))

        for start in islice(later, AHEAD * cores()):
            send(start)
        while waiting:
            start, guess, future = waiting.popleft()
            done = future.result()
            if (following := next(later, None)) is not None:
                send(following)
            if guess != state:
                done = self.done(start, state)
            yield done
            state = done.after

    def done(self, start: int, state: State, step: int = 0) -> Done:
        """The records from ``start`` on; the last ones with what comes after them."""
        large = self.large
        stop = min(start + (step or self.step), large.count)
        if self.carrier is None and not self.same:
            return self._plain(start, stop, state)
        carried = None if self.carrier is None else large.carried(self.carrier, start, stop)
        good = ~large.mark(start, stop) if carried is None else carried[0]
        sums, data = Sums(), []
        sums.state = state
        parts: list[Done] = []
        at = start
        for end in [*(np.flatnonzero(np.diff(good)) + start + 1).tolist(), stop]:
            clean = at < end and bool(good[at - start])
            if clean:
                own = large.slice(large.offset(at), large.offset(end)) if carried is None else carried[1][at - start : end - start]
                parts.append(self.carried(bytes(own), at, end, state))
                state = parts[-1].after
            for low in range(at, end, STRETCH) if not clean else ():
                parts.append(self._plain(low, min(low + STRETCH, end), state, tail=False))
                state = parts[-1].after
            at = end
        if stop == large.count and large.tail:
            parts.append(self._plain(stop, stop, state))
        for part in parts:
            sums.add(part)
            data.append(part.data)
        refused = tuple(one for part in parts for one in part.refused)
        unread = tuple(one for part in parts for one in part.unread)
        lossy, reached = any(part.lossy for part in parts), large.offset(stop)
        return Done(b"".join(data), sums.state, sums.boards, unread, sums.lost, refused, stop=reached, lossy=lossy)

    def carried(self, data: bytes, start: int, stop: int, state: State) -> Done:
        """Records whose bytes arrays have given: what is lost of all is what the plain path loses of one."""
        after = replace(state, boards=state.boards + stop - start)
        if self.same:
            return Done(data, after, stop - start)
        lost = Losses()
        kinds = self.large.kinds(self.carrier, start, stop)
        places, numbers = np.arange(state.boards, state.boards + stop - start) + 1, self.large.numbers(start, stop)
        if (numbers != places).any():
            # A board with the number of its place fares as any other, else its number and its place decide.
            kinds |= np.where(numbers == places, 0, (1 + numbers % CYCLE) * CYCLE + places % CYCLE) << np.int64(32)
        # Nearly always all records are of one kind, which takes no sorting to see.
        found = [kinds[:1].tolist(), [0], [len(kinds)]]
        if (kinds != kinds[0]).any():
            found = [one.tolist() for one in np.unique(kinds, return_index=True, return_counts=True)]
        for first, kind, count in sorted(zip(found[1], found[0], found[2], strict=True)):
            if kind not in self.fates:
                # The plain path decides what is lost of a carried record, once for each kind.
                before, at = replace(state, boards=state.boards + first), start + first
                self.fates[kind] = self._plain(at, at + 1, before, tail=False).lost
            lost.include(self.fates[kind], count)
        return Done(data, after, stop - start, lost=lost)

    def _plain(self, start: int, stop: int, state: State, tail: bool = True) -> Done:
        """Records by the plain path: read as a document, and written; with ``tail`` the last ones with what comes after them."""
        large = self.large
        last = tail and stop == large.count
        end = large.size if last else large.offset(stop)
        piece = piece_of(large, start, stop, last)
        unread = tuple(found for found in piece.findings if found.severity is Severity.ERROR)
        document = piece.document
        if self.same:
            after = replace(state, boards=state.boards + len(document.boards))
            return Done(large.slice(large.offset(start), end), after, len(document.boards), unread, stop=end)
        stretch = self.writer.stretch(document, state, start, last)
        refused = tuple((one, document.boards[(one.record or 0) - start].number) for one in stretch.refused)
        return Done(stretch.data, stretch.after, len(document.boards), unread, stretch.lost, refused, 0, end, stretch.lossy)

    def header(self, boards: int) -> bytes:
        """What comes before so many boards."""
        if self.same:
            return self.large.slice(0, self.large.codec.header_size)
        return b"" if self.codec is None else self.codec.header(boards).tobytes()

    def source(self) -> Source:
        return self.large.source()

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        return about(self.settings, self.large, errors)


def conversions_of(
    settings: Settings, path: str, format: str | None, targets: Sequence[Target], canonical: bool, strict: bool, edit: Selection
) -> list[Conversion]:
    """The conversions of a file into some targets."""
    records = [None if edit else record_conversion(settings, path, format, target, canonical) for target in targets]
    if all(records):
        return [one for one in records if one is not None]
    origin = origin_of(settings, path, format, strict, targets, canonical, edit)
    return [BatchConversion(settings, origin, target, canonical, edit) for target in targets]


def record_conversion(
    settings: Settings, path: str, format: str | None, target: Target, canonical: bool
) -> RecordConversion | None:
    """The conversion of a file by arrays; None where that cannot be done, or the file is too small for it."""
    if not isinstance(target, Spec):
        return None
    large = large_file(settings, path, format, MANY, grouped=True)
    if large is None or large.size < MANY * large.codec.record_size:
        return None
    made = RecordConversion(settings, large, target, canonical)
    return None if made.why_not else made


def converted(
    settings: Settings, made: Conversion, dest: str, strict: bool = False, quiet: bool = False, spread: Spread | None = None
) -> int:
    """Write DEST, and return the exit status."""
    with kept(dest) as file:
        sums = written_to(settings, made, file, dest, spread)
        report(settings, made, sums, strict)
    if not quiet:
        tell_written(settings, made.words, dest, made.target, sums.state.boards, sums.size, made.document)
    return FINDINGS if sums.left.count else CLEAN


def report(settings: Settings, made: Conversion, sums: Sums, strict: bool) -> None:
    """Report what could not be read, what was left out, and what was lost."""
    _tell(settings, made, sums, strict)
    tell_losses(settings, [*sums.left, *sums.losses(made.target)], strict)


def split(settings: Settings, made: Sequence[Conversion], dests: Sequence[str], strict: bool, quiet: bool) -> None:
    """Write each DEST with the part of the source that its format holds. WriteError where a format cannot hold a board."""
    with ExitStack() as stack:
        files = [stack.enter_context(kept(dest)) for dest in dests]
        done = [written_to(settings, one, file, dest) for one, file, dest in zip(made, files, dests, strict=True)]
        _tell(settings, made[0], done[0], strict)
        for sums in done:
            if sums.refused:
                raise refusal(sums.refused)
        tell_losses(settings, lost_to_all([sums.losses(one.target) for one, sums in zip(made, done, strict=True)]), strict)
    for dest, one, sums in zip(dests, made, done, strict=True):
        if not quiet:
            tell_written(settings, one.words, dest, one.target, sums.state.boards, sums.size, one.document)


@contextmanager
def kept(dest: str) -> Iterator[BinaryIO]:
    """A file that can be rewound, for DEST: what is in a pipe cannot be taken back, so that it waits for the end."""
    if dest != STDIO and not (os.path.exists(dest) and not os.path.isfile(dest)):
        with output(dest) as file:
            yield file
        return
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        with output(dest) as out:
            shutil.copyfileobj(file, out)


def written_to(settings: Settings, made: Conversion, file: BinaryIO, dest: str, spread: Spread | None = None) -> Sums:
    """Write all records to a file that can be rewound."""
    for encoding in made.encodings:
        file.seek(0)
        file.truncate()
        sums = Sums()
        sums.size = file.write(made.header(0))
        with byte_meter(settings, made.size, f"writing {dest}") as meter:
            for done in _each(settings, made, encoding, dest, spread):
                if done.lossy and encoding != made.encodings[-1]:
                    break
                sums.add(done)
                file.write(done.data)
                meter.reach(done.stop)
            else:
                break
    file.seek(0)
    file.write(made.header(sums.state.boards))
    file.seek(0, 2)
    return sums


def _each(settings: Settings, made: Conversion, encoding: str, dest: str, spread: Spread | None) -> Iterator[Done]:
    if spread is not None and isinstance(made, RecordConversion):
        return _on_cluster(settings, made, spread, dest)
    return made.each(encoding)


def _tell(settings: Settings, made: Conversion, sums: Sums, strict: bool) -> None:
    """Report what could not be read; EmptySource where there is no board, WriteError where none could be written."""
    unread = Unread(made.about(sums.unread.errors, sums.boards))
    unread.include(sums.unread)
    tell_unread(settings, made.source(), unread, strict)
    if not sums.boards and made.document is None:
        raise EmptySource(made.shown, made.format)
    if sums.refused and not sums.state.boards:
        raise refusal(sums.refused)


def bulk_target(spec: Spec) -> BulkCodec | None:
    """The array codec of a format; None where it has none."""
    try:
        return bulk.BulkCodec(spec) if spec.language == "ksy" else None
    except SpecError:
        return None


def is_ours(spec: Target) -> bool:
    """Whether a schema is one of this package, of which the suite proves that boards of a kind come back alike."""
    return isinstance(spec, Spec) and Path(spec.path).resolve().parent == builtin_folder()


# --- other processes ----------------------------------------------------------------------------------------------------


def _sent(work: tuple[str, str, str, bool, str], step: int, start: int, before: State) -> Done:
    """Some records done in another process."""
    return _here(*work).done(start, before, step)


@lru_cache(1)
def _here(path: str, format: str, target: str, canonical: bool, encoding: str) -> RecordConversion:
    settings = settings_here()
    large = large_file(settings, path, format, 0, grouped=True)
    assert large is not None
    made = RecordConversion(settings, large, settings.engine.spec(target), canonical)
    made.writer.encoding = encoding
    return made


def _on_cluster(settings: Settings, made: RecordConversion, spread: Spread, dest: str) -> Iterator[Done]:
    """All records in order: chunks of which every record is clean come from the workers, the others are done here."""
    large, formats, folders = made.large, (made.large.spec.id, made.target.id), tuple(map(str, settings.specs))
    starts = range(0, large.count, spread.size)

    def chunks() -> Iterator[Chunk]:
        for start in starts:
            data = large.slice(large.offset(start), large.offset(min(start + spread.size, large.count)))
            name = store.digest(b"convert", *map(str.encode, formats), data)
            yield run.Chunk(name, jobs.convert_chunk, (data, *formats, folders), len(data) // large.codec.record_size)

    state = State()
    with clusters.spread_over(settings, spread, dest, large.count, lambda count: None) as found:
        for start, body in zip(starts, found.run(chunks()), strict=True):
            stop = min(start + spread.size, large.count)
            whole = body and not (stop == large.count and large.tail)
            done = made.carried(body, start, stop, state) if whole else made.done(start, state, spread.size)
            yield done
            state = done.after
