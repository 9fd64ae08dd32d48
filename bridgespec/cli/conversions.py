"""Files written by conversions: the one path of ``convert``, ``join``, ``split`` and whatever else writes boards.

`conversions_of` finds how a source can be converted (`cli.conversion`), and `converted` writes the target whole or not at all and
reports what was read, left out and lost, which `Sums` adds up.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.api import join_boards
from bridgespec.cli.conversion import BatchConversion, Conversion, Done, RecordConversion, TableConversion
from bridgespec.cli.files import STDIO, output, size_of
from bridgespec.cli.large import large_file
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.ranges import Ranges, Selection
from bridgespec.cli.records import JudgedRecords, LargeRecords, RecordSource, StoredRecords, stored_records
from bridgespec.cli.settings import Settings
from bridgespec.cli.sources import BoardSource, Changed, EmptySource, MadeBoards, Opened, source, spooled, text_source
from bridgespec.cli.status import CLEAN, FINDINGS
from bridgespec.cli.targets import Target, name_of
from bridgespec.cli.transfer import LeftOut, Unread, tell_losses, tell_unread, tell_written
from bridgespec.codec.losses import LOST, Losses, lost_to_all
from bridgespec.codec.pipeline import Batch, State
from bridgespec.codec.writer import refusal
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.model.board import Board
from bridgespec.spec.ir import Spec
from bridgespec.tables.files import Kind

if TYPE_CHECKING:
    from bridgespec.cli.spread import Spread

MANY = 1024
"""So many records are worth it."""
NAMED = 3
"""So many sources of one target are named when it is written."""
WHOLE = 200_000
"""So many boards may be given to a target that is written as a whole."""
REASONS = 10_000
"""So many boards that cannot be held are kept one by one, for the case that none can."""


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
        return self.lost.in_words(name_of(target), self.rooms)


def conversions_of(
    settings: Settings,
    path: str,
    format: str | None,
    targets: Sequence[Target],
    canonical: bool = False,
    strict: bool = False,
    edit: Selection | None = None,
    derived: bool = False,
) -> list[Conversion]:
    """The conversions of a file into some targets."""
    edit = edit or Selection()
    again = None if size_of(path) is not None else spooled(path)
    stored = stored_records(settings, path, format, again)
    records = [None if edit else record_conversion(settings, path, format, target, canonical, stored) for target in targets]
    if all(records):
        return [one for one in records if one is not None]
    if not edit and all(isinstance(target, Kind) for target in targets):
        large = large_file(settings, path, format)
        if large is not None and (judged := JudgedRecords(settings, large)).findings is not None:
            return [conversion_of(settings, judged, target, derived=derived) for target in targets]
    changed, selected = edit.declarer is not None, edit.boards is not None

    def becomes(found: BoardSource) -> bool:
        return all(found.becomes(target, canonical, changed, selected) for target in targets)

    origin = _origin_of(settings, path, format, becomes, stored, again, strict, edit.boards)
    return [conversion_of(settings, origin, target, canonical, edit, derived) for target in targets]


def boards_of(
    settings: Settings,
    path: str,
    format: str | None,
    becomes: Callable[[BoardSource], bool] = lambda found: True,
    strict: bool = False,
) -> BoardSource:
    """The boards of a file: some at a time where its format allows that, and such a source ``becomes`` what is wanted."""
    again = None if size_of(path) is not None else spooled(path)
    return _origin_of(settings, path, format, becomes, stored_records(settings, path, format, again), again, strict)


class Chained(BoardSource):
    """Several sources one after the other, with boards that are numbered anew from 1 on if ``renumber``.

    What a file states of all its boards is stated by each of them; of comments and tags of whole files those of the first are kept.
    What could not be read is reported behind each source, when its last board was taken for the first time.
    """

    def __init__(self, settings: Settings, parts: Sequence[BoardSource], renumber: bool, strict: bool) -> None:
        terms = frozenset(term for part in parts for term in part.terms) | ({"number"} if renumber else frozenset())
        names = [part.words for part in parts[:NAMED]] + [f"{len(parts) - NAMED:,} more"] * (len(parts) > NAMED)
        super().__init__(settings, " + ".join(names), "", sum(part.size for part in parts), terms)
        self.parts, self.renumber, self.strict = parts, renumber, strict
        self._reported: set[BoardSource] = set()

    def batches(self, look: bool = True) -> Iterator[Batch]:
        number = size = 0
        batch: Batch | None = None
        for part in self.parts:
            unread, boards = Unread(), 0
            for batch in part.batches(look):
                unread.add(part.unread(batch) if look else ())
                own = self._own(batch, part, number)
                number, boards = number + len(own.document.boards), boards + len(own.document.boards)
                yield replace(own, stop=size + batch.stop)
            size += part.size
            if look and part not in self._reported:
                self._report(part, unread, boards)
        if batch is not None:
            yield replace(batch, document=replace(batch.document, boards=()), findings=(), raw=b"", stop=size, last=True)

    def _own(self, batch: Batch, part: BoardSource, number: int) -> Batch:
        """Some boards of a source with what it states of all of them, behind so many boards of all sources."""
        document = batch.document
        stated = {name: value for name in ("event", "site", "date") if (value := getattr(document, name)) is not None}
        boards = document.boards
        if stated:
            missing = ({name: value for name, value in stated.items() if getattr(board, name) is None} for board in boards)
            boards = tuple(replace(board, **more) for board, more in zip(boards, missing, strict=True))
        if self.renumber:
            boards = tuple(replace(board, number=at) for at, board in enumerate(boards, number + 1))
        if part is not self.parts[0] and part not in self._reported:
            kinds = {"the comments on the whole file": document.comments, "the tags of the whole file": document.tags}
            words = (
                f"{what} {part.shown} are left out: those of the first source are kept" for what, value in kinds.items() if value
            )
            tell_losses(self.settings, [Diagnostic(LOST.name, LOST.severity, one) for one in words], self.strict)
        if part is not self.parts[0]:
            document = replace(document, comments=(), tags=())
        document = replace(document, boards=boards, event=None, site=None, date=None, origin=None, format=None)
        return replace(batch, document=document, findings=(), raw=b"", last=False)

    def _report(self, part: BoardSource, unread: Unread, boards: int) -> None:
        self._reported.add(part)
        try:
            tell_read(self.settings, part, unread, boards, self.strict)
        except EmptySource as error:
            tell_empty(self.settings, error, self.strict)


def chained(
    settings: Settings, paths: Sequence[str], format: str | None, target: Target, renumber: bool, strict: bool, canonical: bool
) -> BoardSource:
    """The boards of several files in order, some at a time where the target allows that."""
    parts: list[BoardSource] = []
    for path in paths:
        try:
            part = boards_of(settings, path, format)
        except EmptySource as error:
            tell_empty(settings, error, strict)
            continue
        if part.document is not None and part.document.system is not None:
            raise UsageError(f"{part.shown} holds a bidding system: it is converted alone")
        parts.append(part)
    if not parts:
        raise UsageError("there are no boards in any of the sources")
    origin = Chained(settings, parts, renumber, strict)
    return origin if origin.becomes(target, canonical, True) else origin.taken()


class Joined(Changed):
    """A source whose boards also state what those of others state, which are taken beside them in order.

    UsageError where their numbers differ, or two sources state different things of one board.
    """

    def __init__(self, first: BoardSource, beside: Sequence[BoardSource], strict: bool) -> None:
        self.beside, self.strict = beside, strict
        self._left: list[Iterator[Board]] = []
        super().__init__(first, self._joined)
        self.terms = frozenset(term for one in (first, *beside) for term in one.terms)
        self.shown = " + ".join(one.words for one in (first, *beside))

    @property
    def words(self) -> str:
        return self.shown

    @property
    def columns(self) -> Set[str]:
        return frozenset()

    def batches(self, look: bool = True) -> Iterator[Batch]:
        yield from super().batches(look)
        longer = [other for other, left in zip(self.beside, self._left, strict=True) if next(left, None) is not None]
        if longer:
            raise self._unequal()

    def _joined(self, boards: Sequence[Board], first: int) -> Iterator[Board]:
        if not first:
            self._left = [self._theirs(other) for other in self.beside]
        parts = [list(islice(left, len(boards))) for left in self._left]
        if any(len(part) < len(boards) for part in parts):
            raise self._unequal()
        return (join_boards(row, at) for at, row in enumerate(zip(boards, *parts, strict=True), first))

    def _theirs(self, other: BoardSource) -> Iterator[Board]:
        unread, every = Unread(), Selection()
        yield from other.boards(every, unread)
        tell_read(self.settings, other, unread, every.count, self.strict)

    def _unequal(self) -> UsageError:
        sources: list[BoardSource] = [self.origin, *self.beside]
        counts = (sum(len(batch.document.boards) for batch in one.batches(False)) for one in sources)
        return UsageError("the sources have different numbers of boards: " + ", ".join(map(str, counts)))


def tell_empty(settings: Settings, error: EmptySource, strict: bool) -> None:
    """Report a source of several that has no boards."""
    tell_losses(settings, [Diagnostic("empty-source", Severity.WARNING, f"{error}: it is left out")], strict)


def conversion_of(
    settings: Settings,
    origin: BoardSource,
    target: Target,
    canonical: bool = False,
    edit: Selection | None = None,
    derived: bool = False,
) -> Conversion:
    """The conversion of a source into a target by its batches."""
    if isinstance(target, Kind):
        return TableConversion(settings, origin, target, edit or Selection(), derived)
    return BatchConversion(settings, origin, target, canonical, edit)


def write_made(
    settings: Settings, make: Callable[[], Iterable[Board]], count: int, terms: Set[str], target: Target, dest: str
) -> Sums:
    """Write so many boards that a command makes each time it is asked for them, and that may state the terms, as `write_boards`."""
    return write_boards(settings, MadeBoards(settings, make, count, terms), target, dest)


def write_boards(settings: Settings, origin: RecordSource | MadeBoards, target: Target, dest: str) -> Sums:
    """Write boards, and report what is lost; WriteError where one cannot be held, UsageError for too many in one piece."""
    made = None
    if isinstance(origin, RecordSource) and isinstance(target, Spec):
        made = _by_arrays(settings, origin, target, False)
    whole = made is None and not origin.becomes(target)
    if whole and origin.count > WHOLE:
        raise UsageError(f"{name_of(target)} takes at most {WHOLE:,} deals at a time: it is written as a whole")
    return write(settings, made or conversion_of(settings, origin.taken() if whole else origin, target), dest, partial=False)


def _origin_of(
    settings: Settings,
    path: str,
    format: str | None,
    becomes: Callable[[BoardSource], bool],
    stored: StoredRecords | None,
    again: Opened | None,
    strict: bool = False,
    boards: Ranges | None = None,
) -> BoardSource:
    """A source of boards some at a time where it ``becomes`` what is wanted that way; else all of it at once."""
    # Of a large file of records those that are chosen are read alone.
    large = large_file(settings, path, format, grouped=True) if boards is None else None
    records = LargeRecords(settings, large) if large is not None and large.parted else None
    for found in (stored, text_source(settings, path, format, again), records):
        if found is not None and becomes(found):
            return found
    if again is None:
        return source(settings, path, format, strict, boards)
    with again() as file:
        return source(settings, path, format, strict, boards, file.read())


def record_conversion(
    settings: Settings, path: str, format: str | None, target: Target, canonical: bool, stored: StoredRecords | None
) -> RecordConversion | None:
    """The conversion of a file by arrays; None where that cannot be done, or the file is too small for it."""
    if not isinstance(target, Spec):
        return None
    if stored is not None:
        return _by_arrays(settings, stored, target, canonical)
    large = large_file(settings, path, format, MANY, grouped=True)
    if large is None or large.size < MANY * large.codec.record_size:
        return None
    return _by_arrays(settings, LargeRecords(settings, large), target, canonical)


def _by_arrays(settings: Settings, origin: RecordSource, target: Spec, canonical: bool) -> RecordConversion | None:
    """The conversion of records by arrays; None where they are few, or it cannot be done."""
    if origin.count < MANY:
        return None
    made = RecordConversion(settings, origin, target, canonical)
    return None if made.why_not else made


def converted(
    settings: Settings,
    made: Conversion,
    dest: str,
    strict: bool = False,
    quiet: bool = False,
    spread: Spread | None = None,
    partial: bool = True,
) -> int:
    """Write DEST, and return the exit status. WriteError where a board cannot be held, unless a ``partial`` target is allowed."""
    sums = write(settings, made, dest, strict, spread, partial)
    if not quiet:
        tell_written(settings, made.origin.words, dest, name_of(made.target), sums.state.boards, sums.size, made.origin.document)
    return FINDINGS if sums.left.count else CLEAN


def write(
    settings: Settings, made: Conversion, dest: str, strict: bool = False, spread: Spread | None = None, partial: bool = True
) -> Sums:
    """Write DEST as `converted`, and report what could not be read, what was left out, and what was lost."""
    with kept(dest) as file:
        sums = written_to(settings, made, file, dest, spread)
        _tell(settings, made, sums, strict, partial)
        tell_losses(settings, [*sums.left, *sums.losses(made.target)], strict)
    return sums


def split(settings: Settings, made: Sequence[Conversion], dests: Sequence[str], strict: bool, quiet: bool) -> None:
    """Write each DEST with the part of the source that its format holds. WriteError where a format cannot hold a board."""
    with ExitStack() as stack:
        files = [stack.enter_context(kept(dest)) for dest in dests]
        done = [written_to(settings, one, file, dest) for one, file, dest in zip(made, files, dests, strict=True)]
        _tell(settings, made[0], done[0], strict, False)
        for sums in done[1:]:
            if sums.refused:
                raise refusal(sums.refused)
        tell_losses(settings, lost_to_all([sums.losses(one.target) for one, sums in zip(made, done, strict=True)]), strict)
    for dest, one, sums in zip(dests, made, done, strict=True):
        if not quiet:
            tell_written(settings, one.origin.words, dest, name_of(one.target), sums.state.boards, sums.size, one.origin.document)


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
    encodings = deque(made.encodings)
    while True:
        file.seek(0)
        file.truncate()
        sums, lossy = Sums(), False
        sums.size = file.write(made.header(0))
        with byte_meter(settings, made.origin.size, f"writing {dest}") as meter:
            for done in _each(made, encodings[0], dest, spread):
                lossy = done.lossy and len(encodings) > 1
                if lossy:
                    encodings.popleft()
                    break
                sums.add(done)
                file.write(done.data)
                meter.reach(done.stop)
        if not lossy and not made.again:
            break
    file.seek(0)
    file.write(made.header(sums.state.boards))
    file.seek(0, 2)
    return sums


def _each(made: Conversion, encoding: str, dest: str, spread: Spread | None) -> Iterator[Done]:
    if spread is not None and isinstance(made, RecordConversion):
        return made.on_cluster(spread, dest)
    return made.each(encoding)


def _tell(settings: Settings, made: Conversion, sums: Sums, strict: bool, partial: bool) -> None:
    """Report what could not be read; EmptySource where there is no board, WriteError where none could be written."""
    tell_read(settings, made.origin, sums.unread, sums.boards, strict)
    if not sums.boards and isinstance(made, TableConversion):
        raise EmptySource(made.origin.shown, made.origin.format)
    if sums.refused and not (partial and sums.state.boards):
        raise refusal(sums.refused)


def tell_read(settings: Settings, origin: BoardSource, found: Unread, boards: int, strict: bool = False) -> None:
    """Report what could not be read of a source, of which all batches were taken; EmptySource where there was no board in them."""
    unread = Unread(origin.about(found.errors, boards))
    unread.include(found)
    tell_unread(settings, origin.source(), unread, strict)
    if not boards and origin.document is None:
        raise EmptySource(origin.shown, origin.format)
