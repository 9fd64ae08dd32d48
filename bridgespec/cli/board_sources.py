"""Sources of boards for conversions.

A `BoardSource` is a file that is read at once (`LoadedSource`), a text that is read in stretches (`TextSource`), boards that a
command has made (`MadeBoards`), or records (`cli.array_sources`). Each yields its boards in batches; a `Selection` selects and
changes boards. A `cli.conversion.Conversion` writes them.
"""

from __future__ import annotations

import io
import mmap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import compress, islice
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.cli.board_targets import Target
from bridgespec.cli.examine import shown_name
from bridgespec.cli.files import STDIO
from bridgespec.cli.ranges import Selection
from bridgespec.cli.render_marks import RenderSource
from bridgespec.cli.settings import Settings
from bridgespec.cli.transfer import UnreadSource
from bridgespec.codec import format as formats
from bridgespec.codec import pipeline
from bridgespec.codec.pipeline import Batch
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.examined import Report, place_of, unread
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec
from bridgespec.tables.columns import EVERY
from bridgespec.tables.table_files import Kind

if TYPE_CHECKING:
    from bridgespec import tabular
    from bridgespec.tabular import BoardTable
else:
    tabular = Lazy("bridgespec.tabular")

STRETCH_BYTES = formats.STRETCH_BYTES
"""The number of bytes of a text that are read at a time."""
BOARDS = 256
"""The number of boards in a batch of `MadeBoards`."""

Opened = Callable[[], AbstractContextManager[BinaryIO]]
"""A function that opens a source, at its beginning."""
Batches = Callable[[bool], Iterable[Batch]]
"""A function that returns the batches of a source, with findings or without, each time from the first."""


class EmptySource(UsageError):
    """Raised for a source that has neither a board nor a bidding system."""

    def __init__(self, shown: str, format: str) -> None:
        what = "`bridgespec dump` shows what it holds, `bridgespec validate` what is wrong with it"
        super().__init__(f"{shown}: there are no boards in it ({format}), and only boards are converted: {what}")


class BoardSource(ABC):
    """A source of boards in batches. It has a name for messages, the name of its format (empty for several sources in one), its
    size in bytes, and the terms that its boards may state. Made for one conversion or for several of the same source.
    """

    document: Document | None = None
    """The whole document of a source that was read at once, else None."""
    spec: Spec | None = None
    opened: Opened | None = None
    """The spec of a file of a declared format, and the function that opens its bytes; None for other sources."""
    chosen = False
    """Whether only the selected boards were read, so that a selection must not be applied again."""
    is_changed = False
    """Whether the boards differ from those in the file, so that the bytes of the file must not be copied."""
    header = b""
    """The bytes of the file before its records."""

    def __init__(self, settings: Settings, shown: str, format: str, size: int = 0, terms: Set[str] = frozenset()) -> None:
        self.settings, self.shown, self.format, self.size, self.terms = settings, shown, format, size, terms

    @property
    def words(self) -> str:
        """The source's name with its format; for several sources those of each."""
        return f"{self.shown} ({self.format})" if self.format else self.shown

    @property
    def columns(self) -> Set[str]:
        """The terms that are columns of the source's table, even if no board states them."""
        return self.terms

    @property
    def others(self) -> Iterable[str]:
        """The further terms that are columns of the source's table if some board states them."""
        return EVERY

    @abstractmethod
    def batches(self, look: bool = True) -> Iterator[Batch]:
        """Yield batches from the first board on, each time anew. With ``look`` false, findings may be missing."""

    def boards(self, choice: Selection, unread: UnreadSource) -> Iterator[Board]:
        """Yield the selected boards. Add the findings on unreadable parts of all boards, selected or not, to ``unread``."""
        for batch in self.batches():
            unread.add(self.unread(batch))
            boards = batch.document.boards
            # Asked for their numbers, boards are bound: they may be looked at when their batch is gone.
            yield from compress(boards, choice.next(boards)[1])

    def table(self, batches: Batches, edited: bool, derived: bool) -> BoardTable:
        """Return the table of ``batches``, which are those of this source; ``edited`` is true if their boards were changed or
        selected.
        """
        about = None if edited or self.spec is None else partial(tabular.metadata, self.spec, self.opened)
        return tabular.of_batches(batches, self.format, self.columns, self.others, about, derived)

    def streams_to(self, target: Target, canonical: bool = False, changed: bool = False, selected: bool = False) -> bool:
        """Whether the source can be written to a target in batches; ``changed``: boards are changed, ``selected``: some are left
        out.
        """
        if not isinstance(target, Spec):
            return isinstance(target, Kind)
        known = self.settings.engine.of(target)
        if target.id == self.format and not canonical:
            if not changed and not selected:
                return True
            # The bytes around the boards are kept, so they must not state values of boards.
            if selected or pipeline.needs_outline(self.terms, known.binder):
                return False
        return not pipeline.why_not_write(self.terms, known.binder, known.codec)

    def loaded(self) -> LoadedSource:
        """Return a source with all boards of this one as one document."""
        parts = [batch.document for batch in self.batches()] or [Document()]
        whole = replace(parts[0], boards=tuple(board for part in parts for board in part.boards))
        return LoadedSource(self.settings, self.shown, self.format, whole, self.chosen)

    def unread(self, batch: Batch) -> Iterable[Diagnostic]:
        """Return the findings on what could not be read of a batch."""
        return ()

    def source(self) -> RenderSource:
        """Return the source of the bytes that printed findings quote."""
        return RenderSource(self.shown)

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        """Return the findings on the file as a whole, given the number of errors and of boards found before."""
        return []


class LoadedSource(BoardSource):
    """A source that was read at once. ``report`` and ``data`` are those of its file; without them, the boards may differ from the
    file.
    """

    document: Document

    def __init__(
        self,
        settings: Settings,
        shown: str,
        format: str,
        document: Document,
        chosen: bool = False,
        report: Report | None = None,
        data: bytes = b"",
    ) -> None:
        super().__init__(settings, shown, format)
        self.document, self.chosen = document, chosen
        self._findings: tuple[Diagnostic, ...] = ()
        if report is not None:
            self.spec, self.opened, self._findings = report.spec, partial(io.BytesIO, data), report.diagnostics
            self.terms = settings.engine.of(report.spec).binder.terms

    def batches(self, look: bool = True) -> Iterator[Batch]:
        yield Batch(self.document, self._findings)


class TextSource(BoardSource):
    """A text that is read in stretches. ``named`` is true if an option names its format, so that the extension did not determine
    it.
    """

    spec: Spec
    opened: Opened

    def __init__(self, settings: Settings, path: str, spec: Spec, opened: Opened, size: int, named: bool) -> None:
        self.known = settings.engine.of(spec)
        super().__init__(settings, shown_name(path), spec.id, size, self.known.binder.terms)
        self.path, self.spec, self.opened, self.named = None if path == STDIO else path, spec, opened, named

    @property
    def others(self) -> Iterable[str]:
        """The terms whose values a reader may derive from the terms of the format."""
        return tabular.following(self.terms)

    def batches(self, look: bool = True) -> Iterator[Batch]:
        with self.opened() as file:
            yield from self.known.batches(file, STRETCH_BYTES, look)

    def unread(self, batch: Batch) -> Iterable[Diagnostic]:
        return (replace(one, path=self.path) for one in sorted(unread(self.spec, batch.findings), key=place_of))

    def source(self) -> RenderSource:
        with self.opened() as file:
            # The map outlives the file object, since it duplicates the descriptor. A file without a byte cannot be mapped.
            return RenderSource(self.shown, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self.size else b"", True)

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        """Return the errors about the file as a whole. The whole file is read only if there are more than two errors for each
        board, else only its beginning.
        """
        with self.opened() as file:
            # With so many errors the whole file may be of another format (`other_format`); else its beginning identifies it.
            data = file.read(-1 if errors > 2 * boards else formats.PROBE)
        found = self.settings.engine.about(self.spec, data, errors, boards, None if self.named else self.path)
        return [replace(one, path=self.path) for one in found if one.severity is Severity.ERROR]


class ChangedSource(BoardSource):
    """A source whose boards are changed by ``change``, which is given the boards of a batch and the index of the first one."""

    is_changed = True

    def __init__(self, origin: BoardSource, change: Callable[[Sequence[Board], int], Iterable[Board]]) -> None:
        super().__init__(origin.settings, origin.shown, origin.format, origin.size, origin.terms)
        self.origin, self.change, self.chosen, self.header = origin, change, origin.chosen, origin.header
        if origin.document is not None:
            self.document = self._changed(origin.document, 0)

    def _changed(self, document: Document, first: int) -> Document:
        return replace(document, boards=tuple(self.change(document.boards, first)))

    def batches(self, look: bool = True) -> Iterator[Batch]:
        first = 0
        for batch in self.origin.batches(look):
            # A document read at once was changed by the constructor: calling `change` again would repeat its effects, such as
            # counting.
            yield replace(batch, document=self.document or self._changed(batch.document, first))
            first += len(batch.document.boards)

    def unread(self, batch: Batch) -> Iterable[Diagnostic]:
        return self.origin.unread(batch)

    def source(self) -> RenderSource:
        return self.origin.source()

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        return self.origin.about(errors, boards)


class MadeBoards(BoardSource):
    """A source of ``count`` boards that a command makes, anew on each pass."""

    def __init__(self, settings: Settings, make: Callable[[], Iterable[Board]], count: int, terms: Set[str]) -> None:
        super().__init__(settings, "", "", terms=terms)
        self.make, self.count = make, count

    def batches(self, look: bool = True) -> Iterator[Batch]:
        boards, done = iter(self.make()), 0
        while part := tuple(islice(boards, BOARDS)):
            done += len(part)
            yield Batch(Document(part), last=done == self.count)
