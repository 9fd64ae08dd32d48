"""Converting a file of fixed-size records some at a time: in this process, in several, or on a cluster.

``convert`` and ``split`` call `conversion_of`. A `Conversion` makes each range of records into a `Done`: by arrays what
`codec.pipeline.Carrier` proves to be clean, by the plain path (`pieces.piece_of`, `codec.pipeline.StretchWriter`) all else. `Sums`
adds them up, and `convert_records` reports and writes the whole. The memory that it takes does not grow with the file, and bytes,
findings and exit status are those of the whole file read as one document.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import BinaryIO

from bridgespec.cli.examine import shown_name
from bridgespec.cli.files import STDIO, output
from bridgespec.cli.large import Large, about, large_file
from bridgespec.cli.parallel import AHEAD, cores, pool, settings_here
from bridgespec.cli.pieces import piece_of
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.settings import Settings
from bridgespec.cli.spread import Spread, spread_over
from bridgespec.cli.status import CLEAN, FINDINGS
from bridgespec.cli.transfer import EmptySource, LeftOut, Taken, Target, lost_to_all, tell_losses, tell_unread, tell_written
from bridgespec.cluster.jobs import convert_chunk
from bridgespec.cluster.run import Chunk
from bridgespec.cluster.store import digest
from bridgespec.codec.bulk.carry import Carrier
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.fill import refusal
from bridgespec.codec.losses import in_words
from bridgespec.codec.pipeline import State, StretchWriter, why_not
from bridgespec.codec.problems import MOST
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import SpecError
from bridgespec.spec.catalog import builtin_folder
from bridgespec.spec.ir import Spec

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

    ``boards`` is how many there were, ``errors`` are the first of ``unread`` that could not be read, ``refused`` holds an error for
    each board that was left out, with its number.
    """

    data: bytes
    after: State
    boards: int = 0
    unread: int = 0
    errors: tuple[Diagnostic, ...] = ()
    lost: Counter[str] = field(default_factory=Counter)
    refused: tuple[tuple[Diagnostic, int | None], ...] = ()


class Sums:
    """All that was done so far."""

    def __init__(self) -> None:
        self.boards = self.size = self.unread = 0
        self.errors: list[Diagnostic] = []
        self.lost: Counter[str] = Counter()
        self.left = LeftOut()
        self.refused: list[Diagnostic] = []
        self.state = State()

    def add(self, done: Done) -> None:
        """Add the next records."""
        self.boards += done.boards
        self.size += len(done.data)
        self.unread += done.unread
        self.errors += done.errors[: MOST - len(self.errors)]
        self.lost += done.lost
        numbers = iter([number for _, number in done.refused])
        self.left.add([found for found, _ in done.refused], lambda at: next(numbers))
        self.refused += [found for found, _ in done.refused][: REASONS - len(self.refused)]
        self.state = done.after

    def losses(self, target: Spec) -> list[Diagnostic]:
        """What the target cannot represent."""
        return in_words(target.id, self.lost)


class Conversion:
    """The conversion of one file into one format, made by `conversion_of`; each process that takes part has its own."""

    def __init__(self, settings: Settings, large: Large, target: Spec, canonical: bool) -> None:
        self.settings, self.large, self.target, self.canonical = settings, large, target, canonical
        self.known = settings.engine.of(target)
        self.same = large.spec.id == target.id
        self.codec = _bulk(target)
        self.carrier = None if self.codec is None or self.same else large.carrier(self.codec)
        ours = Path(target.path).resolve().parent == builtin_folder()
        size = 0 if self.codec is None else self.codec.header_size
        self.writer = StretchWriter(self.known.binder, self.known.codec, canonical, proven=ours, header_size=size)
        self.fates: dict[tuple[int, int], Counter[str]] = {}

    @property
    def why_not(self) -> str:
        """Why it cannot be done some records at a time; empty where it can."""
        if not self.large.count or not self.large.parted:
            return "the records depend on each other"
        if self.same:
            return "the records are spelled anew" if self.canonical else ""
        document = piece_of(self.settings, self.large, 0, self.large.offset(1)).document
        return why_not(document, self.settings.engine.of(self.large.spec).binder, self.known.binder, self.known.codec)

    @property
    def step(self) -> int:
        """How many records are done at a time."""
        return STRETCH if self.carrier is None and not self.same else ROWS

    def each(self) -> Iterator[Done]:
        """All records in order; where the plain path has many, several processes share them."""
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
        work = self.large.path, self.large.spec.id, self.target.id, self.canonical

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
        for clean, run in groupby(good.tolist()):
            end = at + sum(1 for _ in run)
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
        return Done(b"".join(data), sums.state, sums.boards, sums.unread, tuple(sums.errors), sums.lost, refused)

    def carried(self, data: bytes, start: int, stop: int, state: State) -> Done:
        """Records whose bytes arrays have given: what is lost of all is what the plain path loses of one."""
        after = replace(state, boards=state.boards + stop - start)
        if self.same:
            return Done(data, after, stop - start)
        lost: Counter[str] = Counter()
        for first in range(start, min(stop, start + CYCLE)):
            # While no board has been left out, each has the number of its place, and all fare alike.
            shift = start - state.boards
            count = len(range(first, stop, CYCLE)) if shift else stop - start
            lost.update({what: count * times for what, times in self._fate(first, replace(state, boards=first - shift)).items()})
            if not shift:
                break
        return Done(data, after, stop - start, lost=lost)

    def _fate(self, record: int, state: State) -> Counter[str]:
        """What is lost of a carried record: the plain path decides, once for each shift of numbers and place in their cycle."""
        shift = record - state.boards
        key = (CYCLE + shift % CYCLE, record % CYCLE) if shift else (0, 0)
        if key not in self.fates:
            self.fates[key] = self._plain(record, record + 1, state, tail=False).lost
        return self.fates[key]

    def _plain(self, start: int, stop: int, state: State, tail: bool = True) -> Done:
        """Records by the plain path: read as a document, and written; with ``tail`` the last ones with what comes after them."""
        large = self.large
        last = tail and stop == large.count
        end = large.size if last else large.offset(stop)
        piece = piece_of(self.settings, large, start, end)
        errors = [found for found in piece.findings if found.severity is Severity.ERROR]
        document = piece.document
        unread = len(errors), tuple(errors)
        if self.same:
            after = replace(state, boards=state.boards + len(document.boards))
            return Done(large.slice(large.offset(start), end), after, len(document.boards), *unread)
        stretch = self.writer.stretch(document, state, start, last)
        refused = tuple((one, document.boards[(one.record or 0) - start].number) for one in stretch.refused)
        return Done(stretch.data, stretch.after, len(document.boards), *unread, stretch.lost, refused)

    def header(self, boards: int) -> bytes:
        """What comes before so many boards."""
        if self.same:
            return self.large.slice(0, self.large.codec.header_size)
        return b"" if self.codec is None else self.codec.header(boards).tobytes()


def conversion_of(settings: Settings, path: str, format: str | None, target: Target, canonical: bool) -> Conversion | None:
    """The conversion of a file some records at a time; None where that cannot be done, or the file is too small for it."""
    if not isinstance(target, Spec):
        return None
    large = large_file(settings, path, format, MANY, grouped=True)
    if large is None or large.size < MANY * large.codec.record_size:
        return None
    made = Conversion(settings, large, target, canonical)
    return None if made.why_not else made


def convert_records(
    settings: Settings,
    path: str,
    format: str | None,
    dest: str,
    target: Target,
    strict: bool,
    quiet: bool,
    canonical: bool,
    spread: Spread | None = None,
) -> int | None:
    """Convert the file some records at a time, and return the exit status; None where that cannot be done: nothing has happened."""
    made = conversion_of(settings, path, format, target, canonical)
    if made is None or (spread is not None and not isinstance(made.carrier, Carrier)):
        return None
    with _kept(dest) as file:
        sums = _written(settings, made, file, dest, spread)
        _tell(settings, made, sums, strict)
        tell_losses(settings, [*sums.left, *sums.losses(made.target)], strict)
    if not quiet:
        taken = Taken(shown_name(path), made.large.spec.id)
        tell_written(settings, [taken], dest, target, sums.state.boards, sums.size)
    return FINDINGS if sums.left.count else CLEAN


def split_records(
    settings: Settings, path: str, format: str | None, dests: Sequence[str], targets: Sequence[Target], strict: bool, quiet: bool
) -> bool:
    """Write each DEST with the part of the file that its format holds, and return whether that could be done some records at a
    time; where not, nothing has happened. WriteError where a format cannot hold a board.
    """
    made = [one for target in targets if (one := conversion_of(settings, path, format, target, False)) is not None]
    if len(made) < len(targets):
        return False
    with ExitStack() as stack:
        files = [stack.enter_context(_kept(dest)) for dest in dests]
        done = [_written(settings, one, file, dest) for one, file, dest in zip(made, files, dests, strict=True)]
        _tell(settings, made[0], done[0], strict)
        for sums in done:
            if sums.refused:
                raise refusal(sums.refused)
        tell_losses(settings, lost_to_all([sums.losses(one.target) for one, sums in zip(made, done, strict=True)]), strict)
    for dest, target, one, sums in zip(dests, targets, made, done, strict=True):
        if not quiet:
            taken = Taken(shown_name(path), one.large.spec.id)
            tell_written(settings, [taken], dest, target, sums.state.boards, sums.size)
    return True


@contextmanager
def _kept(dest: str) -> Iterator[BinaryIO]:
    """A file that can be rewound, for DEST: what is on standard output cannot be taken back, so that it waits for the end."""
    if dest != STDIO:
        with output(dest) as file:
            yield file
        return
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        with output(dest) as out:
            shutil.copyfileobj(file, out)


def _written(settings: Settings, made: Conversion, file: BinaryIO, dest: str, spread: Spread | None = None) -> Sums:
    """Write all records to a file that can be rewound."""
    sums = Sums()
    sums.size = file.write(made.header(0))
    with byte_meter(settings, made.large.size, f"writing {dest}") as meter:
        for done in made.each() if spread is None else _on_cluster(settings, made, spread, dest):
            sums.add(done)
            file.write(done.data)
            meter.reach(min(made.large.offset(sums.boards), made.large.size))
    file.seek(0)
    file.write(made.header(sums.state.boards))
    file.seek(0, 2)
    return sums


def _tell(settings: Settings, made: Conversion, sums: Sums, strict: bool) -> None:
    """Report what could not be read; EmptySource where there is no board, WriteError where none could be written."""
    of_file = about(settings, made.large, sums.errors)
    sums.errors, sums.unread = [*of_file, *sums.errors], sums.unread + len(of_file)
    tell_unread(settings, made.large.source(), sums.errors, strict, sums.unread)
    if not sums.boards:
        raise EmptySource(shown_name(made.large.path), made.large.spec.id)
    if not sums.state.boards:
        raise refusal(sums.refused)


def _bulk(spec: Spec) -> BulkCodec | None:
    try:
        return BulkCodec(spec)
    except SpecError:
        return None


# --- other processes ----------------------------------------------------------------------------------------------------


def _sent(work: tuple[str, str, str, bool], step: int, start: int, before: State) -> Done:
    """Some records done in another process."""
    return _here(*work).done(start, before, step)


@lru_cache(1)
def _here(path: str, format: str, target: str, canonical: bool) -> Conversion:
    settings = settings_here()
    large = large_file(settings, path, format, 0, grouped=True)
    assert large is not None
    return Conversion(settings, large, settings.engine.spec(target), canonical)


def _on_cluster(settings: Settings, made: Conversion, spread: Spread, dest: str) -> Iterator[Done]:
    """All records in order: chunks of which every record is clean come from the workers, the others are done here."""
    large, formats, folders = made.large, (made.large.spec.id, made.target.id), tuple(map(str, settings.specs))
    starts = range(0, large.count, spread.size)

    def chunks() -> Iterator[Chunk]:
        for start in starts:
            data = large.slice(large.offset(start), large.offset(min(start + spread.size, large.count)))
            name = digest(b"convert", *map(str.encode, formats), data)
            yield Chunk(name, convert_chunk, (data, *formats, folders), len(data) // large.codec.record_size)

    state = State()
    with spread_over(settings, spread, dest, large.count, lambda count: None) as found:
        for start, body in zip(starts, found.run(chunks()), strict=True):
            stop = min(start + spread.size, large.count)
            whole = body and not (stop == large.count and large.tail)
            done = made.carried(body, start, stop, state) if whole else made.done(start, state, spread.size)
            yield done
            state = done.after
