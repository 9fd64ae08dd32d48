"""Read a file in pieces, a small one whole and a large one a thousand records at a time, so that any part of it can be shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bridgespec.cli.array_sources import LargeRecords, large_file, moved
from bridgespec.cli.examine import examine, shown_names
from bridgespec.cli.files import files_of, is_several, only_file
from bridgespec.cli.ranges import Ranges, chosen
from bridgespec.cli.render_marks import RenderSource
from bridgespec.cli.settings import Settings
from bridgespec.codec.binding_words import OWN_NUMBERS
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import UsageError
from bridgespec.examined import Report
from bridgespec.model.document import Document

STEP = 1000
"""The number of records of a large file that are read as one piece."""


@dataclass(frozen=True)
class FileSlice:
    """Some records of a file that were read as a file of their own, or a whole small file.

    ``first`` is the index of the first record in the whole file, ``shift`` the number of bytes by which offsets in the whole file
    are larger, and ``list_name`` the field of the records, empty for a whole file.
    """

    report: Report
    source: RenderSource
    first: int = 0
    shift: int = 0
    list_name: str = ""

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """All findings, with their positions in the whole file."""
        if not self.list_name:
            return self.report.diagnostics
        return tuple(moved(found, self.shift, self.first, self.list_name) for found in self.report.diagnostics)

    @property
    def unread(self) -> tuple[Diagnostic, ...]:
        """The findings on what could not be read into the document, with their positions in the whole file."""
        if not self.list_name:
            return self.report.unread
        return tuple(moved(found, self.shift, self.first, self.list_name) for found in self.report.unread)

    @property
    def document(self) -> Document:
        """The document of the piece, with the boards numbered as in the whole file."""
        return self.report.document


def pieces(
    settings: Settings, path: str, format: str | None, records: Ranges | None, option: str, folders: Sequence[str] = ()
) -> Iterator[FileSlice]:
    """Yield the pieces of a file that have the selected records (indexes); a small file is one piece with all records.

    Raises UsageError for a part of the selection that does not exist; ``option`` is named in the message.
    """
    path = only_file(settings, path)
    large = large_file(settings, path, format)
    if large is None:
        examined = examine(settings, path, format, option, folders=folders, rules=False)
        yield FileSlice(examined.report, examined.source)
        return
    count = (large.size - large.codec.header_size) // large.codec.record_size
    for first, last in records.parts if records else ((0, None),):
        if first >= count:
            raise UsageError(f"{path}: no record {first + 1}; there are 1 to {count}")
        yield from _slices(settings, large, first, count if last is None else min(last + 1, count))


def _slices(settings: Settings, large: LargeRecords, first: int, stop: int) -> Iterator[FileSlice]:
    """Yield the records from ``first`` to ``stop`` in slices; end early after a record that ends the list."""
    for start in range(first, stop, STEP):
        end = min(start + STEP, stop)
        shift = large.offset(start) - large.codec.header_size
        piece = FileSlice(large.report(start, end), large.source(), start, shift, large.codec.layout.list.name)
        # Findings about the file as a whole (empty, of another format) are shown with its first records.
        if not start:
            data, report = large.slice(0, large.offset(end)), piece.report
            about = settings.engine.about(large.spec, data, len(report.errors), len(report.document.boards), None)
            piece = replace(piece, report=replace(report, diagnostics=(*about, *report.diagnostics)))
        yield piece
        # `stop` was computed from the size of the file: behind a record that ends the list there are no further ones.
        if len(piece.report.document.boards) < end - start and large.codec.terms:
            return


def board_pieces(
    settings: Settings, paths: Sequence[str], format: str | None, boards: Ranges | None, option: str, folders: Sequence[str] = ()
) -> Iterator[tuple[FileSlice, Document]]:
    """Yield the pieces that have the boards selected by number, of one file or of each of several.

    Raises UsageError for a part of the selection without a board; of several files, if none has a selected board.
    """
    if not is_several(*paths):
        yield from _board_pieces(settings, paths[0], format, boards, option, folders)
        return
    found = False
    for one in files_of(settings, *paths):
        for piece, document in _board_pieces(settings, one, format, None, option, folders):
            kept = tuple(board for board in document.boards if boards is None or board.number in boards)
            found = found or bool(kept)
            yield piece, replace(document, boards=kept)
    if boards is not None and not found:
        raise UsageError(f"{shown_names(paths)}: no board {boards}")


def _board_pieces(
    settings: Settings, path: str, format: str | None, boards: Ranges | None, option: str, folders: Sequence[str]
) -> Iterator[tuple[FileSlice, Document]]:
    """Yield the pieces of one file, each with its selected boards. Of a large file whose boards are numbered by their order, only
    the records of selected boards are read.
    """
    large = large_file(settings, path, format)
    by_order = large is not None and not large.terms & OWN_NUMBERS
    records = boards.indexes() if boards and by_order else None
    found = False
    for piece in pieces(settings, path, format, records, option, folders):
        if large is None or by_order:
            yield piece, chosen(piece.document, boards) if large is None else piece.document
            continue
        document = piece.document
        kept = tuple(board for board in document.boards if boards is None or board.number in boards)
        found = found or bool(kept)
        yield piece, replace(document, boards=kept)
    if large is not None and not by_order and not found:
        raise UsageError(f"{path}: no board {boards}")
