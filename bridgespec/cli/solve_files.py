"""The mode ``solve -o``: add the missing trick tables of a file's boards, with the sources and targets of conversions.

`fill_file` reads the boards of the source in batches, three times: `Gaps` finds the missing tables, their deals are solved into a
`Journal`, and the boards are written with the tables of the journal. Memory does not grow with the file.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from bridgespec.cli.board_sources import BoardSource, ChangedSource, EmptySource
from bridgespec.cli.board_targets import Target, name_of, target_of
from bridgespec.cli.cluster_options import ClusterSettings, solved_by, spread_over
from bridgespec.cli.conversions import conversion_of, write
from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.files import STDIO
from bridgespec.cli.origins import boards_of
from bridgespec.cli.ranges import Ranges, Selection
from bridgespec.cli.settings import Settings
from bridgespec.cli.solve_tables import ByteArray, SolverSettings, solving
from bridgespec.cli.transfer import tell_written
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.errors import SpecError, UsageError
from bridgespec.model.board import Board
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.solver.document_tables import board_arrays, solvable, with_table
from bridgespec.spec.ir import Spec
from bridgespec.writing import hidden_name, written

_MAGIC = b"solved tables 1\n"
_CELLS = 20
"""The number of cells, and so of bytes, of a table."""
_STEP = 4096
"""The number of tables of a journal that are read at a time."""


@dataclass(frozen=True)
class Task:
    """The options of one call of ``solve`` with ``-o`` or ``--check``."""

    paths: tuple[str, ...]
    dest: str
    format: str | None
    to: str | None
    boards: Ranges | None
    threads: int | None
    memory_mb: int
    spread: ClusterSettings | None = None


class Journal:
    """A file with the tables solved for a task, in order, 20 bytes each, after a digest of the task. It is hidden beside the
    destination, or temporary if ``path`` is None. Made once for each run.

    A journal of another task, or a damaged one, is overwritten; bytes after the last valid table are dropped. ``kept`` is the
    number of tables of earlier runs.
    """

    def __init__(self, path: Path | None, task: bytes) -> None:
        self.path = path
        self._head = _MAGIC + hashlib.sha256(task).digest()
        self.kept = 0
        if path is not None and path.exists():
            with open(path, "rb") as file:
                self.kept = sum(map(len, self._valid_tables(file)))
        self._file: BinaryIO | None = None

    def _valid_tables(self, file: BinaryIO) -> Iterator[ByteArray]:
        """Yield the valid tables at the beginning of a file, in chunks."""
        if file.read(len(self._head)) != self._head:
            return
        while data := file.read(_STEP * _CELLS):
            tables = np.frombuffer(data[: len(data) // _CELLS * _CELLS], np.uint8).reshape(-1, _CELLS)
            # Cells that the target cannot represent are not solved: a valid table may have UNSOLVED in them.
            bad = ((tables > 13) & (tables != UNSOLVED)).any(axis=1)
            yield tables[: int(np.argmax(bad))] if bad.any() else tables
            if bad.any() or len(data) < _STEP * _CELLS:
                return

    def __enter__(self) -> Journal:
        if self.path is None:
            self._file = tempfile.TemporaryFile()
            self._file.write(self._head)
        elif not self.kept:
            with written(self.path) as file:
                file.write(self._head)
        if self.path is not None:
            self._file = open(self.path, "r+b")
            # Opened without truncation to zero: a process that is killed here would lose the tables of earlier runs.
            self._file.truncate(len(self._head) + self.kept * _CELLS)
            self._file.seek(0, os.SEEK_END)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._file is not None
        self._file.close()

    def done(self) -> None:
        """Remove the journal, after the task is finished or if nothing was solved."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def append(self, tables: ByteArray) -> None:
        """Append solved tables."""
        assert self._file is not None
        self._file.write(tables.tobytes())
        self._file.flush()
        self.kept += len(tables)

    def read(self, first: int, count: int) -> ByteArray:
        """Return ``count`` stored tables from ``first`` on, shape (count, 20)."""
        assert self._file is not None
        self._file.seek(len(self._head) + first * _CELLS)
        return np.frombuffer(self._file.read(count * _CELLS), np.uint8).reshape(count, _CELLS)


@dataclass(frozen=True)
class Gap:
    """A batch of boards: holders, shape (n, 52), tables, (n, 20), the cells that are needed, and a boolean for each board that is
    to be solved.
    """

    deals: ByteArray
    tables: ByteArray
    needed: NDArray[np.bool_]
    missing: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """The number of boards to be solved."""
        return int(np.count_nonzero(self.missing))


class Gaps:
    """Finds the tables that the selected boards of a source lack and the target can represent, batch by batch."""

    def __init__(self, settings: Settings, task: Task, target: Target) -> None:
        self.choice, self.target = Selection(task.boards), target
        self.origin = boards_of(settings, task.paths, task.format, lambda found: found.streams_to(target, changed=True))
        self.boards = self.solved = self.unsolvable = self.cells = 0
        self._digest = hashlib.sha256(str(task.boards).encode())
        for gap in self.each():
            self.boards += len(gap.deals)
            self.solved += gap.count
            self.unsolvable += int(np.count_nonzero(~solvable(gap.deals)))
            self.cells |= sum(1 << cell for cell in np.flatnonzero(gap.needed[gap.missing].any(axis=0)).tolist())
            self._digest.update(gap.deals.tobytes() + gap.tables.tobytes())
        self.choice.check()
        if not self.boards:
            raise EmptySource(self.origin.shown, self.origin.format)

    @property
    def task(self) -> bytes:
        """Return a digest of everything that a solved table depends on, apart from its index."""
        # Twenty cells, one bit each, fit into three bytes.
        return self._digest.digest() + self.cells.to_bytes(3)

    def each(self) -> Iterator[Gap]:
        """Yield the gaps of all batches of the source."""
        self.choice.begin()
        return (self.of(batch.document.boards) for batch in self.origin.batches(False))

    def of(self, boards: Sequence[Board]) -> Gap:
        """Return the gaps of the next boards; batches must be passed in order, after `Selection.begin`."""
        deals, tables = board_arrays(boards)
        # `count` is the index of the first of these boards until `next` adds their number, so it is read first.
        needed, wanted = _needed(boards, self.choice.count, self.target), self.choice.next(boards)[1]
        missing = solvable(deals) & ((tables == UNSOLVED) & needed).any(axis=1) & np.array(wanted, bool)
        return Gap(deals, tables, needed, missing)

    def in_words(self) -> str:
        """Return one line with the numbers of tables that were solved, that were there, and that cannot be solved."""
        kept = self.boards - self.solved - self.unsolvable
        return f"{plural(self.solved, 'table')} solved, {kept:,} kept" + (
            f"; {plural(self.unsolvable, 'board')} without a complete deal left as they are" if self.unsolvable else ""
        )


def fill_file(settings: Settings, task: Task) -> None:
    """Write the destination with every missing table added."""
    # Written back to its own path, a file keeps the format that was named for reading it.
    target = target_of(settings, task.dest, task.to or (task.format if (task.dest,) == task.paths else None))
    if isinstance(target, Spec) and "tricks" not in settings.engine.of(target).binder.terms:
        raise UsageError(f"{target.id} cannot hold double-dummy tables; `bridgespec formats` shows which formats can")
    gaps = Gaps(settings, task, target)
    with _solved(settings, task, gaps) as journal:
        origin = _with_tables(settings, gaps, journal)
        sums = write(settings, conversion_of(settings, origin, target), task.dest, partial=False)
    if not settings.quiet:
        settings.err.print(Text(gaps.in_words()), soft_wrap=True)
        tell_written(settings, gaps.origin.words, task.dest, name_of(target), gaps.boards, sums.size)


def _with_tables(settings: Settings, gaps: Gaps, journal: Journal) -> BoardSource:
    """Return the source with the journal's tables added to its boards."""
    holds_par = isinstance(gaps.target, Spec) and "par" in settings.engine.of(gaps.target).binder.terms
    given = 0

    def change(boards: Sequence[Board], first: int) -> Iterator[Board]:
        nonlocal given
        # Boards are read again from the first one for a target with an outline, or when another encoding is tried.
        if not first:
            given = 0
            gaps.choice.begin()
        gap = gaps.of(boards)
        solved = iter(journal.read(given, gap.count))
        given += gap.count
        for board, cells, missing in zip(boards, gap.tables, gap.missing, strict=True):
            table = np.where(cells == UNSOLVED, next(solved), cells) if missing else cells
            yield with_table(board, Tricks(table.tobytes()), holds_par) if missing else board

    return ChangedSource(gaps.origin, change)


@contextmanager
def _solved(settings: Settings, task: Task, gaps: Gaps) -> Iterator[Journal]:
    """Yield the journal with all missing tables, solved by threads or on a cluster. After an interruption, the tables solved so
    far stay in it, or in the cluster's store.
    """
    spread, total = task.spread, gaps.solved
    target = Path(os.path.realpath(task.dest))
    beside = None if spread is not None or task.dest == STDIO else target.with_name(f"{hidden_name(target.name)}solving")
    journal = Journal(beside, gaps.task)
    if journal.kept:
        settings.err.print(Text(f"going on after {journal.kept:,} of {plural(total, 'deal')}, solved before"), soft_wrap=True)
    deals = after(journal.kept, (gap.deals[gap.missing] for gap in gaps.each()))
    try:
        with journal, ExitStack() as stack:
            with solving(settings, total, journal.kept) as progress:
                if spread is None:
                    tables = SolverSettings(task.threads, task.memory_mb, progress.advance, gaps.cells).solve(deals)
                else:
                    # The store is cleared when everything is written.
                    found = stack.enter_context(spread_over(settings, spread, task.dest, total, progress.advance))
                    tables = solved_by(found, spread, deals, gaps.cells, task.memory_mb)
                for part in tables:
                    journal.append(part)
            # Within the block, so that the solved tables are kept also if writing the boards fails.
            yield journal
        journal.done()
    # Users stop long runs with Ctrl-C: KeyboardInterrupt does not derive from Exception.
    except BaseException:
        if not journal.kept:
            journal.done()
        if beside is not None:
            words = f", kept in {shown_name(str(beside))}; the same command goes on from there" if journal.kept else ""
            settings.err.print(Text(f"{journal.kept:,} of {plural(total, 'deal')} solved{words}"), soft_wrap=True)
        raise


def after(count: int, deals: Iterable[ByteArray]) -> Iterator[ByteArray]:
    """Yield the deals that follow the first ``count``."""
    for part in deals:
        yield part[count:]
        count = max(0, count - len(part))


def _needed(boards: Sequence[Board], first: int, target: Target) -> NDArray[np.bool_]:
    """Return a boolean for each cell of each board, shape (n, 20): whether the target can represent it. That is all cells, or
    only the declarer's. Raises UsageError where a board lacks a declarer.
    """
    if not isinstance(target, Spec) or not _of_one_hand(target):
        return np.ones((len(boards), 20), bool)
    needed = np.zeros((len(boards), 5, 4), bool)
    for row, board in enumerate(boards):
        if board.declarer is None:
            raise UsageError(
                f"{target.id} holds the results of one hand, and board {board.number or first + row + 1} does not say which: "
                "`bridgespec convert --declarer` does"
            )
        needed[row, :, board.declarer] = True
    return needed.reshape(-1, 20)


def _of_one_hand(spec: Spec) -> bool:
    """Whether the records of a format have the results of one declarer only."""
    try:
        view = BulkCodec(spec).tricks_view
    except SpecError:
        return False
    return view is not None and view.at is not None
