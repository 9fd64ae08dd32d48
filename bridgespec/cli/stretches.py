"""Stretches of a conversion: some hundreds of records read and written at a time, by several processes where that pays."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from bridgespec.cli.large import Large, large_file
from bridgespec.cli.parallel import AHEAD, cores, pool, settings_here
from bridgespec.cli.pieces import piece_of
from bridgespec.cli.settings import Settings
from bridgespec.cli.transfer import SHOWN, LeftOut
from bridgespec.codec.stretch import State, Stretch, StretchWriter, why_not
from bridgespec.diagnostic import Diagnostic, Severity

STRETCH = 256
"""Boards at a time: each takes some 90 kB while it is written and read back."""
WORTH = 2048
"""So many are worth starting processes for."""


@dataclass(frozen=True)
class Work:
    """A conversion, as it is told to a process that does a part of it."""

    large: Large
    target: str
    canonical: bool

    @property
    def count(self) -> int:
        """How many records there are; the last may be broken off, or end the list."""
        size = self.large.codec.record_size
        return -(-(self.large.size - self.large.codec.header_size) // size)


@dataclass(frozen=True)
class Done:
    """A stretch that was written, and what could not be read of it: the first errors, and how many there are."""

    stretch: Stretch
    boards: int
    errors: tuple[Diagnostic, ...]
    count: int
    numbers: tuple[int | None, ...]
    """The numbers of the boards that were left out."""


class Sums:
    """What all stretches together say."""

    def __init__(self) -> None:
        self.boards = self.size = self.unread = 0
        self.errors: list[Diagnostic] = []
        self.lost: Counter[str] = Counter()
        self.left = LeftOut()
        self.state = State()

    def add(self, done: Done) -> None:
        """Take in the next."""
        self.boards += done.boards
        self.size += len(done.stretch.data)
        self.unread += done.count
        self.errors += done.errors[: SHOWN - len(self.errors)]
        self.lost += done.stretch.lost
        numbers = iter(done.numbers)
        self.left.add(done.stretch.refused, lambda at: next(numbers))
        self.state = done.stretch.after


def why_not_stretched(settings: Settings, work: Work) -> str:
    engine, large = settings.engine, work.large
    target = engine.spec(work.target)
    document = piece_of(settings, large, 0, large.offset(1)).document
    known = engine.of(target)
    return why_not(document, engine.of(large.spec).binder, known.binder, known.codec)


def each(settings: Settings, work: Work) -> Iterator[Done]:
    """The stretches in order; where there are many, several processes make them."""
    starts = range(0, work.count, STRETCH)
    first = _written(settings, work, 0, State())
    yield first
    if not _goes_on(first, work, 0):
        return
    later = starts[1:]
    if work.count < WORTH or cores() < 2:
        state = first.stretch.after
        for start in later:
            done = _written(settings, work, start, state)
            yield done
            if not _goes_on(done, work, start):
                return
            state = done.stretch.after
        return
    with pool(settings, cores()) as workers:
        yield from _ahead(settings, work, later, first.stretch.after, workers)


def _ahead(settings: Settings, work: Work, starts: range, state: State, workers: Executor) -> Iterator[Done]:
    """The stretches made by others, each from the state that is most likely: all boards before it were written, and what holds for
    those that follow is what did before. Where that was not so it is made again.
    """
    waiting: deque[tuple[int, State, Future[Done]]] = deque()
    later = iter(starts)

    def send(start: int) -> None:
        guess = replace(state, boards=start)
        large = work.large
        told_work = large.path, large.spec.id, work.target, work.canonical
        waiting.append((start, guess, workers.submit(_sent, told_work, start, guess)))

    for start in islice(later, AHEAD * cores()):
        send(start)
    while waiting:
        start, guess, future = waiting.popleft()
        done = future.result()
        following = next(later, None)
        if following is not None:
            send(following)
        if guess != state:
            done = _written(settings, work, start, state)
        yield done
        if not _goes_on(done, work, start):
            for _, _, future in waiting:
                future.cancel()
            return
        state = done.stretch.after


def _goes_on(done: Done, work: Work, start: int) -> bool:
    """Whether the list of records did not end in the stretch: a record may end it."""
    return done.boards == min(STRETCH, work.count - start)


def _written(settings: Settings, work: Work, start: int, before: State) -> Done:
    """A stretch of the target, from record ``start`` on."""
    engine, large = settings.engine, work.large
    stop = min(start + STRETCH, work.count)
    piece = piece_of(settings, large, start, min(large.offset(stop), large.size))
    document = piece.document
    errors = [found for found in piece.findings if found.severity is Severity.ERROR]
    spec = engine.spec(work.target)
    known = engine.of(spec)
    writer = StretchWriter(known.binder, known.codec, work.canonical)
    stretch = writer.stretch(document, before, start, stop == work.count)
    numbers = tuple(document.boards[(one.record or 0) - start].number for one in stretch.refused)
    return Done(stretch, len(document.boards), tuple(errors[:SHOWN]), len(errors), numbers)


def _sent(work: tuple[str, str, str, bool], start: int, before: State) -> Done:
    """The same in another process."""
    return _written(settings_here(), _work(*work), start, before)


@lru_cache(1)
def _work(path: str, format: str, target: str, canonical: bool) -> Work:
    large = large_file(settings_here(), path, format, 0)
    assert large is not None
    return Work(large, target, canonical)
