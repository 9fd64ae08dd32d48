"""Write files by conversions: the common part of ``convert``, ``join``, ``split`` and all other commands that write boards.

`conversions_of` determines how a source (`cli.origins`) is converted (`cli.conversion`). `converted` writes the target completely
or not at all, and reports what was read, left out and lost, as counted by `ConversionTotals`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.cli.array_sources import LargeRecords, RecordSource
from bridgespec.cli.board_sources import BoardSource, EmptySource, MadeBoards
from bridgespec.cli.board_targets import Target, name_of
from bridgespec.cli.conversion import BatchConversion, Conversion, ConvertedPiece, RecordConversion, TableConversion
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.files import STDIO, output
from bridgespec.cli.origins import NamedSource, tell_read
from bridgespec.cli.progress import meter
from bridgespec.cli.ranges import Selection
from bridgespec.cli.record_checks import judged_records
from bridgespec.cli.settings import Settings
from bridgespec.cli.transfer import LeftOutBoards, UnreadSource, tell_losses, tell_written
from bridgespec.codec.losses import Losses, lost_to_all
from bridgespec.codec.pipeline import StretchState
from bridgespec.codec.writer import refusal
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import UsageError
from bridgespec.model.board import Board
from bridgespec.spec.ir import Spec
from bridgespec.tables.table_files import Kind

if TYPE_CHECKING:
    from bridgespec.cli.cluster_options import ClusterSettings

MANY = 1024
"""The number of records from which on arrays are used."""
WHOLE = 200_000
"""The maximum number of boards for a target that is written at once, not in batches."""
REASONS = 10_000
"""The maximum number of refused boards that are kept one by one, for the case that all are refused."""


class ConversionTotals:
    """The totals of a conversion up to now: boards, losses, findings."""

    def __init__(self) -> None:
        self.boards = self.size = self.rooms = 0
        self.unread = UnreadSource()
        self.lost = Losses()
        self.left = LeftOutBoards()
        self.refused: list[Diagnostic] = []
        self.state = StretchState()

    def add(self, done: ConvertedPiece) -> None:
        """Add the next piece of the conversion."""
        self.boards += done.boards
        self.size += len(done.data)
        self.rooms += done.rooms
        self.unread.add(done.unread)
        self.lost.include(done.lost)
        # `LeftOutBoards.add` calls the function once for each error, in order; the index of a record does not determine its number.
        numbers = iter([number for _, number in done.refused])
        self.left.add([found for found, _ in done.refused], lambda at: next(numbers))
        self.refused += [found for found, _ in done.refused][: REASONS - len(self.refused)]
        self.state = done.after

    def losses(self, target: Target) -> list[Diagnostic]:
        """Return the losses so far as findings on the target."""
        return self.lost.in_words(name_of(target), self.rooms)


def conversions_of(
    settings: Settings,
    paths: str | Sequence[str],
    format: str | None,
    targets: Sequence[Target],
    canonical: bool = False,
    strict: bool = False,
    edit: Selection | None = None,
    derived: bool = False,
) -> list[Conversion]:
    """Return one conversion of a source, given by paths, for each of the targets.

    The first of these ways that is possible for every target is taken: arrays of records (`_of_large_file`); batches of the source
    (`BoardSource.streams_to`); the source read at once, as one batch (`NamedSource.read_at_once`).
    """
    named, edit = NamedSource(settings, paths, format), edit or Selection()
    records = [None if edit or named.files else _of_large_file(named, target, canonical) for target in targets]
    if all(records):
        return [one for one in records if one is not None]
    changed, selected = edit.declarer is not None, edit.boards is not None

    def streams_to_all(found: BoardSource) -> bool:
        return all(found.streams_to(target, canonical, changed, selected) for target in targets)

    # Records that arrays have checked become rows of a table without a document; any change of boards needs documents.
    plain = edit or named.files or not all(isinstance(target, Kind) for target in targets)
    judged = None if plain else judged_records(named.large(grouped=False))
    origin = judged or named.origin(streams_to_all, strict, edit.boards)
    return [conversion_of(settings, origin, target, canonical, edit, derived) for target in targets]


def conversion_of(
    settings: Settings,
    origin: BoardSource,
    target: Target,
    canonical: bool = False,
    edit: Selection | None = None,
    derived: bool = False,
) -> Conversion:
    """Return the conversion of a source to a target by batches. Raises UsageError for a target whose schema has no bridge meaning,
    unless the source is of that format.
    """
    if isinstance(target, Kind):
        return TableConversion(settings, origin, target, edit or Selection(), derived)
    foreign = isinstance(target, Spec) and (origin.spec is None or origin.spec.id != target.id)
    if isinstance(target, Spec) and foreign and not settings.engine.of(target).binder.terms:
        raise UsageError(f"{target.id} has no bridge meaning: it can hold no boards; roles in its schema give it one")
    return BatchConversion(settings, origin, target, canonical, edit)


def write_made(
    settings: Settings, make: Callable[[], Iterable[Board]], count: int, terms: Set[str], target: Target, dest: str
) -> ConversionTotals:
    """Write ``count`` boards like `write_boards`; ``make`` yields them anew on each call, and they may state the ``terms``."""
    return write_boards(settings, MadeBoards(settings, make, count, terms), target, dest)


def write_boards(settings: Settings, origin: RecordSource | MadeBoards, target: Target, dest: str) -> ConversionTotals:
    """Write the boards of a source, and report losses. Raises WriteError for a board that the target cannot represent, UsageError
    for more boards than can be written at once.
    """
    made = None
    if isinstance(origin, RecordSource) and isinstance(target, Spec):
        made = _by_arrays(settings, origin, target, False)
    at_once = made is None and not origin.streams_to(target)
    if at_once and origin.count > WHOLE:
        raise UsageError(f"{name_of(target)} takes at most {WHOLE:,} deals at a time: it is written as a whole")
    return write(settings, made or conversion_of(settings, origin.loaded() if at_once else origin, target), dest, partial=False)


def _of_large_file(named: NamedSource, target: Target, canonical: bool) -> RecordConversion | None:
    """Return the conversion of a large file by arrays; None where that is not possible, or the file is small."""
    if not isinstance(target, Spec):
        return None
    # The records of a file are at most as many as its bytes; their number is compared below, where their size is known.
    origin = named.stored or named.large(MANY)
    if isinstance(origin, LargeRecords) and origin.size < MANY * origin.codec.record_size:
        return None
    return None if origin is None else _by_arrays(named.settings, origin, target, canonical)


def _by_arrays(settings: Settings, origin: RecordSource, target: Spec, canonical: bool) -> RecordConversion | None:
    """Return the conversion of records by arrays; None where that is not possible, or there are few."""
    if origin.count < MANY:
        return None
    made = RecordConversion(settings, origin, target, canonical)
    return None if made.why_not else made


def converted(
    settings: Settings,
    made: Conversion,
    dest: str,
    strict: bool = False,
    spread: ClusterSettings | None = None,
    partial: bool = True,
) -> int:
    """Write DEST like `write`, and return the exit status. Raises WriteError for a board that the target cannot represent, unless
    ``partial``.
    """
    sums = write(settings, made, dest, strict, spread, partial)
    if not settings.quiet:
        tell_written(settings, made.origin.words, dest, name_of(made.target), sums.state.boards, sums.size, made.origin.document)
    return FINDINGS if sums.left.count else CLEAN


def write(
    settings: Settings,
    made: Conversion,
    dest: str,
    strict: bool = False,
    spread: ClusterSettings | None = None,
    partial: bool = True,
) -> ConversionTotals:
    """Write DEST completely or not at all, and report what could not be read, was left out and was lost. Return the totals."""
    with rewindable(dest) as file:
        sums = written_to(settings, made, file, dest, spread)
        # Within the block: what is raised here, as by --strict, leaves the old target in place.
        _tell(settings, made, sums, strict, partial)
        tell_losses(settings, [*sums.left, *sums.losses(made.target)], strict)
    return sums


def split(settings: Settings, made: Sequence[Conversion], dests: Sequence[str], strict: bool) -> None:
    """Write to each DEST what its format can represent of the source. Raises WriteError where a format cannot represent a board."""
    with ExitStack() as stack:
        files = [stack.enter_context(rewindable(dest)) for dest in dests]
        done = [written_to(settings, one, file, dest) for one, file, dest in zip(made, files, dests, strict=True)]
        # All conversions read one source: what could not be read of it is reported once.
        _tell(settings, made[0], done[0], strict, False)
        for sums in done[1:]:
            if sums.refused:
                raise refusal(sums.refused)
        tell_losses(settings, lost_to_all([sums.losses(one.target) for one, sums in zip(made, done, strict=True)]), strict)
    for dest, one, sums in zip(dests, made, done, strict=True):
        if not settings.quiet:
            tell_written(settings, one.origin.words, dest, name_of(one.target), sums.state.boards, sums.size, one.origin.document)


@contextmanager
def rewindable(dest: str) -> Iterator[BinaryIO]:
    """Yield a file for DEST that can be rewound: for standard output, a pipe or a device a temporary file, copied there at the
    end.
    """
    if dest != STDIO and not (os.path.exists(dest) and not os.path.isfile(dest)):
        with output(dest) as file:
            yield file
        return
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        with output(dest) as out:
            shutil.copyfileobj(file, out)


def written_to(
    settings: Settings, made: Conversion, file: BinaryIO, dest: str, spread: ClusterSettings | None = None
) -> ConversionTotals:
    """Write all pieces to a file that can be rewound, and return the totals."""
    encodings = deque(made.encodings)
    while True:
        file.seek(0)
        file.truncate()
        sums, lossy = ConversionTotals(), False
        sums.size = file.write(made.header(0))
        with meter(settings, made.origin.size, f"writing {dest}", "bytes") as progress:
            for done in _each(made, encodings[0], dest, spread):
                lossy = done.lossy and len(encodings) > 1
                if lossy:
                    encodings.popleft()
                    break
                sums.add(done)
                file.write(done.data)
                progress.reach(done.stop)
        # Else once more: with the next encoding, or with the outline of the boards that were written.
        if not lossy and not made.again:
            break
    file.seek(0)
    # The header may state the number of boards, which is known only now; it is as long as the first one.
    file.write(made.header(sums.state.boards))
    file.seek(0, 2)
    return sums


def _each(made: Conversion, encoding: str, dest: str, spread: ClusterSettings | None) -> Iterator[ConvertedPiece]:
    """Return the pieces of a conversion, made on a cluster if ``spread`` is given and the source has records."""
    if spread is not None and isinstance(made, RecordConversion):
        return made.on_cluster(spread, dest)
    return made.each(encoding)


def _tell(settings: Settings, made: Conversion, sums: ConversionTotals, strict: bool, partial: bool) -> None:
    """Report what could not be read. Raises EmptySource where there is no board, WriteError where none could be written."""
    tell_read(settings, made.origin, sums.unread, sums.boards, strict)
    if not sums.boards and isinstance(made, TableConversion):
        raise EmptySource(made.origin.shown, made.origin.format)
    if sums.refused and not (partial and sums.state.boards):
        raise refusal(sums.refused)
