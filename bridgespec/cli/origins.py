"""Turn paths into sources of boards.

`NamedSource` selects the kind of source: one that is read in batches, if its format allows that and the command can use it; else
one that is read at once. `ChainedSource` and `JoinedSource` combine several sources.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, cast

from bridgespec.api import join_boards
from bridgespec.cli.array_sources import LargeRecords, large_file
from bridgespec.cli.board_sources import BoardSource, ChangedSource, EmptySource, LoadedSource, Opened, TextSource
from bridgespec.cli.board_targets import Other, Target, other_named, other_of, require_arrow
from bridgespec.cli.examine import examine, shown_name
from bridgespec.cli.files import files_of, is_several, opened, size_of
from bridgespec.cli.pieces import board_pieces
from bridgespec.cli.ranges import Ranges, Selection, chosen
from bridgespec.cli.settings import Settings
from bridgespec.cli.table_sources import StoredRecords
from bridgespec.cli.transfer import UnreadSource, tell_losses, tell_unread
from bridgespec.codec.losses import LOST
from bridgespec.codec.pipeline import Batch
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.recognise import by_name
from bridgespec.scoring.report import merged
from bridgespec.tables.table_files import Kind

if TYPE_CHECKING:
    from bridgespec import tabular
else:
    tabular = Lazy("bridgespec.tabular")

NAMED = 3
"""The maximum number of sources that are named when a target is written."""
IN_MEMORY = 1 << 20
"""The number of bytes of standard input that are kept in memory; more are kept in a temporary file."""


class NamedSource:
    """The source that a command line names: one path or several, and their format. Made for one conversion.

    ``option`` is the option that names the format, for messages. A pipe is read to its end by the constructor.
    """

    def __init__(self, settings: Settings, paths: str | Sequence[str], format: str | None, option: str = "--from") -> None:
        paths = [paths] if isinstance(paths, str) else paths
        require_arrow(*paths)
        path = paths[0]
        self.settings, self.path, self.format, self.option = settings, path, format, option
        self.files = files_of(settings, *paths) if is_several(*paths) else ()
        """The files of several paths, a folder or a pattern; empty for the path of one file."""
        # A pipe can be read once, but recognising, encodings and outlines need several passes.
        self.piped = None if self.files or size_of(path) is not None else spooled(path)
        """A function that opens the content of a pipe; None for files."""

    @cached_property
    def other(self) -> Other | None:
        """The exporter or the kind of table that the path's extension names; None for a declared format."""
        return other_read(self.settings, self.path, self.format)

    @cached_property
    def stored(self) -> StoredRecords | None:
        """Return the path as a table source; None if it is not a table file, or has a bidding system."""
        if not isinstance(self.other, Kind):
            return None
        table = tabular.of_source(self.settings.engine, self.piped or self.path, self.other.name)
        found = StoredRecords(self.settings, shown_name(self.path), table, size_of(self.path) or 0)
        return found if found.around.system is None else None

    def large(self, least: int | None = None, grouped: bool = True) -> LargeRecords | None:
        """Return the path as a large file of records (see `large_file`); None where it is not one."""
        return large_file(self.settings, self.path, self.format, least, grouped)

    def text(self) -> TextSource | None:
        """Return the path as a source that is read in stretches; None if its format is not a text, or cannot be read so."""
        engine, format = self.settings.engine, None if self.other is not None else self.format
        spec = engine.spec(format) if format is not None else engine.named(self.path)
        if spec is None or spec.language != "lark":
            return None
        again = self.piped or partial(opened, self.path)
        with again() as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            streamed = engine.of(spec).is_streamed(file)
            return TextSource(self.settings, self.path, spec, again, size, format is not None) if streamed else None

    def origin(self, accepts: Callable[[BoardSource], bool], strict: bool = False, boards: Ranges | None = None) -> BoardSource:
        """Return a source that yields batches, if ``accepts`` is true of it; else all boards, or the selected ``boards``,
        read at once.
        """
        if self.files:
            if boards is not None:
                return self.read_at_once(strict, boards)
            return several(self.settings, self.files, self.format, strict, accepts)
        # With a selection, `read_at_once` reads only the selected records of a large file.
        records = self.large() if boards is None else None
        for found in (self.stored, self.text(), records if records is not None and records.is_parted else None):
            if found is not None and accepts(found):
                return found
        return self.read_at_once(strict, boards)

    def read_at_once(self, strict: bool = False, boards: Ranges | None = None) -> LoadedSource:
        """Read the source at once, or only the selected ``boards`` of it, and report what cannot be read. Rules are not checked.

        Raises EmptySource if it has neither a board nor a system. With ``strict``, errors end the command with status 1.
        """
        if self.files:
            every = several(self.settings, self.files, self.format, strict, lambda found: False).loaded()
            return LoadedSource(self.settings, every.shown, every.format, chosen(every.document, boards), boards is not None)
        settings, path, shown, other = self.settings, self.path, shown_name(self.path), self.other
        # Of a file of gigabytes only the chosen records are read.
        if boards is not None and other is None and self.large(grouped=False) is not None:
            return self._chosen(strict, boards)
        if isinstance(other, Kind):
            document = tabular.document_of(tabular.of_source(settings.engine, self.piped or path, other.name))
            if not document.boards and document.system is None:
                raise EmptySource(shown, other.name)
            return LoadedSource(settings, shown, other.name, chosen(document, boards), boards is not None)
        with (self.piped or partial(opened, path))() as file:
            data = file.read()
        if other is not None and other.load is not None:
            return LoadedSource(settings, shown, other.name, chosen(other.load(data), boards), boards is not None)
        examined = examine(settings, path, self.format, self.option, data, rules=False)
        document = chosen(examined.report.document, boards)
        tell_unread(settings, examined.source, UnreadSource(examined.report.unread), strict)
        name = examined.report.spec.id
        if examined.is_empty:
            raise EmptySource(examined.shown, name)
        return LoadedSource(
            settings, examined.shown, name, document, boards is not None, examined.report if boards is None else None, data
        )

    def _chosen(self, strict: bool, boards: Ranges) -> LoadedSource:
        """Read the selected boards of a large file of records."""
        taken: list[Document] = []
        name = ""
        for piece, document in board_pieces(self.settings, [self.path], self.format, boards, self.option):
            tell_unread(self.settings, piece.source, UnreadSource(piece.unread), strict)
            taken.append(document)
            name = piece.report.spec.id
        every = tuple(board for document in taken for board in document.boards)
        return LoadedSource(self.settings, shown_name(self.path), name, replace(taken[0], boards=every), True)


def spooled(path: str) -> Opened:
    """Read a pipe to its end, and return a function that opens its content; large content is in a temporary file."""
    kept = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (the function returned is its only owner, and closes it when collected)
    with opened(path) as file:
        shutil.copyfileobj(file, kept)

    @contextmanager
    def again() -> Iterator[BinaryIO]:
        kept.seek(0)
        yield cast(BinaryIO, kept)

    return again


def other_read(settings: Settings, path: str, format: str | None) -> Other | None:
    """Return the exporter or the kind of table that reads a source; None for a declared format."""
    if format is not None:
        return other_named(settings, format)
    # A schema prevails: one of the user's may declare an extension that is also that of an exporter.
    return None if by_name(settings.heads, path) else other_of(path)


def boards_of(
    settings: Settings,
    paths: str | Sequence[str],
    format: str | None,
    accepts: Callable[[BoardSource], bool] = lambda found: True,
    strict: bool = False,
) -> BoardSource:
    """Return the boards of files as one source: in batches if the format allows that and ``accepts`` is true of it, else read
    at once.
    """
    return NamedSource(settings, paths, format).origin(accepts, strict)


class ChainedSource(BoardSource):
    """Several sources as one: their boards in order, renumbered from 1 if ``renumber``.

    Content that a file states for all boards is copied to each of its boards; comments and tags of whole files are taken from the
    first. What could not be read is reported at the end of each source in the first pass.
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
            unread, boards = UnreadSource(), 0
            for batch in part.batches(look):
                unread.add(part.unread(batch) if look else ())
                own = self._with_common_values(batch, part, number)
                number, boards = number + len(own.document.boards), boards + len(own.document.boards)
                yield replace(own, stop=size + batch.stop)
            size += part.size
            if look and part not in self._reported:
                self._report(part, unread, boards)
        if batch is not None:
            # An empty batch marked as the last one ends the target: each part marked its own last batch, which may not be the last
            # of all.
            yield replace(
                batch, document=replace(batch.document, boards=(), origin=None), findings=(), raw=b"", stop=size, last=True
            )

    def _with_common_values(self, batch: Batch, part: BoardSource, number: int) -> Batch:
        """Return a batch of one source with the content for all boards of that source copied to each board; ``number`` boards of
        all sources precede it.
        """
        document = batch.document
        stated = {name: value for name in ("event", "site", "date") if (value := getattr(document, name)) is not None}
        boards = document.boards
        if stated:
            missing = ({name: value for name, value in stated.items() if getattr(board, name) is None} for board in boards)
            # A board's own event prevails over that of its file.
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

    def _report(self, part: BoardSource, unread: UnreadSource, boards: int) -> None:
        """Report what could not be read of one source, or that it has no boards."""
        self._reported.add(part)
        try:
            tell_read(self.settings, part, unread, boards, self.strict)
        except EmptySource as error:
            tell_empty(self.settings, error, self.strict)


def several(
    settings: Settings,
    paths: Sequence[str],
    format: str | None,
    strict: bool,
    accepts: Callable[[BoardSource], bool],
    renumber: bool = False,
) -> BoardSource:
    """Return the boards of several files in order, as one source: in batches if ``accepts`` is true of it, else read at once.

    Files without a board are reported and left out. Raises UsageError if none has one, or one is a bidding system.
    """
    named = [NamedSource(settings, path, format) for path in paths]
    parts = _with_boards(settings, strict, [partial(one.origin, lambda found: True, strict) for one in named])
    origin = ChainedSource(settings, list(parts.values()), renumber, strict)
    if accepts(origin):
        return origin
    # The files are read again, each at once: boards of a stretch refer to its text, which is released after the stretch.
    again = [
        partial(named[at].read_at_once, strict) if part.document is None else partial(_same, part) for at, part in parts.items()
    ]
    return ChainedSource(settings, list(_with_boards(settings, strict, again).values()), renumber, strict).loaded()


def _same(part: BoardSource) -> BoardSource:
    """Return a source that was read at once, and need not be read again."""
    return part


def _with_boards(settings: Settings, strict: bool, makes: Sequence[Callable[[], BoardSource]]) -> dict[int, BoardSource]:
    """Make the sources. Return those that have boards, by index, and report the others. Raises UsageError if none has one."""
    parts: dict[int, BoardSource] = {}
    for at, make in enumerate(makes):
        try:
            part = make()
        except EmptySource as error:
            tell_empty(settings, error, strict)
            continue
        if part.document is not None and part.document.system is not None:
            raise UsageError(f"{part.shown} holds a bidding system: it is converted alone")
        parts[at] = part
    if not parts:
        raise UsageError("there are no boards in any of the sources")
    return parts


def chained(
    settings: Settings, paths: Sequence[str], format: str | None, target: Target, renumber: bool, strict: bool, canonical: bool
) -> BoardSource:
    """Return the boards of several files in order, as one source: in batches if the target can be written so."""
    return several(settings, paths, format, strict, lambda found: found.streams_to(target, canonical, True), renumber)


def merged_by_number(settings: Settings, paths: Sequence[str], format: str | None, renumber: bool, strict: bool) -> LoadedSource:
    """Return the boards of several files merged by number, each with a table of its results. Raises UsageError where one number
    has several deals.
    """
    # All are read at once, so that a board whose number no other board has is written as it was read.
    origin = several(settings, paths, format, strict, lambda found: False, renumber)
    documents = [batch.document for batch in origin.batches()]
    try:
        boards, left = merged(board for document in documents for board in document.boards)
    except ValueError as error:
        raise UsageError(f"{origin.words}: {error}; --renumber keeps all of them") from None
    words = (f"a table of results has no column for {what}, which is left out" for what in left)
    tell_losses(settings, [Diagnostic(LOST.name, LOST.severity, one) for one in words], strict)
    around = documents[0] if documents else Document()
    return LoadedSource(settings, origin.shown, origin.format, replace(around, boards=tuple(boards), origin=None))


class JoinedSource(ChangedSource):
    """A source whose boards also get the fields of the boards of other sources, matched by order.

    Raises UsageError where the numbers of boards differ, or two sources contradict each other about a board.
    """

    def __init__(self, first: BoardSource, beside: Sequence[BoardSource], strict: bool) -> None:
        self.beside, self.strict = beside, strict
        self._left: list[Iterator[Board]] = []
        self._reported: set[BoardSource] = set()
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
        """Return boards of the first source, from index ``first`` on, joined with those of the other sources."""
        if not first:
            self._left = [self._boards_beside(other) for other in self.beside]
        parts = [list(islice(left, len(boards))) for left in self._left]
        # A longer source is found in `batches`, after the last board.
        if any(len(part) < len(boards) for part in parts):
            raise self._unequal()
        return (join_boards(row, at) for at, row in enumerate(zip(boards, *parts, strict=True), first))

    def _boards_beside(self, other: BoardSource) -> Iterator[Board]:
        """Yield all boards of another source; report what could not be read of it, in the first pass only."""
        unread, every = UnreadSource(), Selection()
        yield from other.boards(every, unread)
        # For a table, or a target with an outline, the sources are read twice.
        if other not in self._reported:
            self._reported.add(other)
            tell_read(self.settings, other, unread, every.count, self.strict)

    def _unequal(self) -> UsageError:
        """Return the error about different numbers of boards; all sources are counted for it."""
        sources: list[BoardSource] = [self.origin, *self.beside]
        counts = (sum(len(batch.document.boards) for batch in one.batches(False)) for one in sources)
        return UsageError("the sources have different numbers of boards: " + ", ".join(map(str, counts)))


def tell_empty(settings: Settings, error: EmptySource, strict: bool) -> None:
    """Report that one of several sources has no boards; with ``strict`` (the option of this name) the command then fails."""
    tell_losses(settings, [Diagnostic("empty-source", Severity.WARNING, f"{error}: it is left out")], strict)


def tell_read(settings: Settings, origin: BoardSource, found: UnreadSource, boards: int, strict: bool = False) -> None:
    """Report what could not be read of a source after its last batch. Raises EmptySource where it had no board."""
    unread = UnreadSource(origin.about(found.errors, boards))
    unread.include(found)
    tell_unread(settings, origin.source(), unread, strict)
    if not boards and origin.document is None:
        raise EmptySource(origin.shown, origin.format)
