"""Files for ``solve``: every board that lacks a table gets one, between a source and a target of the conversions of files.

Large files of nothing but deals and tables are solved and written as arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from bridgespec.cli.conversions import conversion_of, origin_of, write
from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.files import STDIO, opened, output
from bridgespec.cli.large import Checked, Large, check_large, large_file
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.settings import Settings
from bridgespec.cli.solve_journal import Journal
from bridgespec.cli.solve_tables import Chunk, Crew, Solve, deal_meter, filled
from bridgespec.cli.sources import Changed, EmptySource, Selection
from bridgespec.cli.spread import Spread, solved_by, spread_over
from bridgespec.cli.targets import Target, name_of, target_of
from bridgespec.cli.transfer import Unread, tell_unread, tell_written
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import RecordStream
from bridgespec.errors import SpecError, UsageError
from bridgespec.model.board import Board
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.solver import ALL_CELLS
from bridgespec.solver.document import board_arrays, solvable, with_table
from bridgespec.spec.ir import Spec

CHUNK = 4096
PLAIN = frozenset({"deal", "tricks"})

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Task:
    """What the user asked for."""

    path: str
    dest: str
    format: str | None
    to: str | None
    boards: Ranges | None
    threads: int | None
    memory_mb: int
    quiet: bool
    spread: Spread | None = None


@dataclass
class Outcome:
    """What became of the boards."""

    boards: int = 0
    solved: int = 0
    kept: int = 0
    unsolvable: int = 0

    def tell(self, settings: Settings) -> None:
        """One line for people."""
        text = f"{plural(self.solved, 'table')} solved, {self.kept:,} kept"
        if self.unsolvable:
            text += f"; {plural(self.unsolvable, 'board')} without a complete deal left as they are"
        settings.err.print(Text(text), soft_wrap=True)

    def count(self, chunk: Chunk) -> None:
        """Add a chunk, before or after its deals are solved."""
        missing = int(np.count_nonzero(chunk.missing))
        impossible = int(np.count_nonzero(~solvable(chunk.deals)))
        self.boards += len(chunk.deals)
        self.solved += missing
        self.unsolvable += impossible
        self.kept += len(chunk.deals) - missing - impossible


def fill_file(settings: Settings, task: Task) -> None:
    """Write the destination with every missing table filled in."""
    target = target_of(settings, task.dest, task.to or (task.format if task.dest == task.path else None))
    if isinstance(target, Spec) and "tricks" not in settings.engine.of(target).binder.terms:
        raise UsageError(f"{target.id} cannot hold double-dummy tables; `bridgespec formats` shows which formats can")
    large = large_file(settings, task.path, task.format) if task.boards is None else None
    codec = _bulk_target(large, target)
    judged = check_large(settings, large, rules=False) if large is not None and codec is not None and not large.rest else None
    # Only in its own format is a record that cannot be read written as it stands: another may not be able to hold it.
    if large is not None and codec is not None and judged is not None and (large.spec.id == codec.spec.id or not judged.errors):
        _fill_large(settings, task, large, judged, codec)
    else:
        _fill_boards(settings, task, target)


def _journal(task: Task, data: Iterable[bytes]) -> Journal | None:
    if task.dest == STDIO:
        return None
    return Journal.beside(task.dest, [str(task.boards).encode(), b"\0", *data])


@contextmanager
def _kept(settings: Settings, journal: Journal | None, total: int) -> Iterator[int]:
    """The journal open while the block runs, and how many deals it has already; what stops the block is not a loss."""
    if journal is None:
        yield 0
        return
    before = min(len(journal.tables), total)
    if before:
        settings.err.print(Text(f"going on after {before:,} of {plural(total, 'deal')}, solved before"), soft_wrap=True)
    try:
        with journal:
            yield before
    except BaseException:
        words = f"{journal.kept:,} of {plural(total, 'deal')} solved"
        if journal.kept:
            words += f", kept in {shown_name(str(journal.path))}; the same command goes on from there"
        else:
            journal.done()
        settings.err.print(Text(words), soft_wrap=True)
        raise
    journal.done()


@contextmanager
def _solving(settings: Settings, task: Task, data: Iterable[bytes], total: int, cells: int = ALL_CELLS) -> Iterator[Solve]:
    """How deals are solved: by threads with a journal beside the destination, or by a cluster."""
    spread = task.spread
    if spread is None:
        journal = _journal(task, data)
        with _kept(settings, journal, total) as before, deal_meter(settings, total, before) as advance:
            yield Crew(task.threads, task.memory_mb, journal, advance, cells).solve
        return
    with deal_meter(settings, total) as advance, spread_over(settings, spread, task.dest, total, advance) as found:
        yield lambda deals: solved_by(found, spread, deals, cells, task.memory_mb)


# --- boards ---------------------------------------------------------------------------------------------------------


def _fill_boards(settings: Settings, task: Task, target: Target) -> None:
    """Read all deals, which take 100 bytes each, solve them, and write the boards with their tables some at a time."""
    origin, choice = origin_of(settings, task.path, task.format, target), Selection(task.boards)
    parts = [_part(choice, batch.document.boards, target) for batch in origin.batches(False)]
    choice.check()
    if not sum(len(missing) for *_, missing in parts):
        raise EmptySource(origin.shown, origin.format)
    deals, tables, needed, missing = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    cells = sum(1 << cell for cell in np.flatnonzero(needed[missing].any(axis=0)).tolist())
    chunk = Chunk(deals, tables, missing)
    outcome = Outcome()
    outcome.count(chunk)
    holds_par = isinstance(target, Spec) and "par" in settings.engine.of(target).binder.terms

    def with_tables(boards: Sequence[Board], first: int) -> Iterator[Board]:
        for at, board in enumerate(boards, first):
            yield with_table(board, Tricks(chunk.tables[at].tobytes()), holds_par) if missing[at] else board

    with _solving(settings, task, [cells.to_bytes(3), deals.tobytes(), tables.tobytes()], chunk.left, cells) as solve:
        (chunk,) = filled([chunk], solve)
        sums = write(settings, conversion_of(settings, Changed(origin, with_tables), target), task.dest, partial=False)
    if not task.quiet:
        outcome.tell(settings)
        tell_written(settings, origin.words, task.dest, name_of(target), outcome.boards, sums.size)


def _part(choice: Selection, boards: Sequence[Board], target: Target) -> tuple[Bytes, Bytes, NDArray[np.bool_], NDArray[np.bool_]]:
    """The deals and tables of some boards, which cells of them are needed, and which boards are to be solved."""
    deals, tables = board_arrays(boards)
    first = len(choice.numbers)
    needed, wanted = _needed(boards, first, target), choice.wanted(boards)
    return deals, tables, needed, solvable(deals) & ((tables == UNSOLVED) & needed).any(axis=1) & np.array(wanted, bool)


def _needed(boards: Sequence[Board], first: int, target: Target) -> NDArray[np.bool_]:
    """Which cells of each board the target holds, (n, 20): all, or those of the declarer; UsageError where there is none."""
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
    try:
        view = BulkCodec(spec).tricks_view
    except SpecError:
        return False
    return view is not None and view.at is not None


# --- arrays ---------------------------------------------------------------------------------------------------------


def _bulk_target(large: Large | None, target: Target) -> BulkCodec | None:
    """The target's bulk codec, where nothing but deals and tables is to be carried over."""
    if large is None or not isinstance(target, Spec) or large.codec.terms - PLAIN or "deal" not in large.codec.terms:
        return None
    if any(leaf.decl.binding.opaque for leaf in large.codec.layout.record.leaves):
        return None
    try:
        codec = BulkCodec(target)
    except SpecError:
        return None
    return None if codec.terms - PLAIN or codec.header_size else codec


def _large_chunks(large: Large, reader: RecordStream) -> Iterator[Chunk]:
    """The chunks of a large file."""
    names = (*large.codec.deal_fields, *large.codec.tricks_fields)
    position = 0
    for rows in reader:
        arrays = large.codec.unpack(rows, names)
        deals = large.codec.deals(arrays).copy()
        known = "tricks" in large.codec.terms
        tables = large.codec.tricks(arrays).copy() if known else np.full((len(rows), 20), UNSOLVED, np.uint8)
        yield Chunk.of(deals, tables, position)
        position += len(rows)


def _fill_large(settings: Settings, task: Task, large: Large, judged: Checked, codec: BulkCodec) -> None:
    tell_unread(settings, large.source(), Unread(judged.errors))
    outcome = Outcome()
    size = 0
    with _solving(settings, task, _pieces(task.path), judged.records) as solve, opened(task.path) as stream:
        reader = RecordStream(large.codec, stream, size=CHUNK)
        with output(task.dest) as file:
            for chunk in filled(_large_chunks(large, reader), solve):
                deals = chunk.deals if "deal" in codec.terms else None
                records = np.zeros((len(chunk.deals), codec.record_size), np.uint8)
                codec.pack(codec.arrays(deals, chunk.tables), records, chunk.position)
                size += file.write(records.data)
                outcome.count(chunk)
            if codec.spec.id == large.spec.id:
                size += file.write(reader.end)
    if not task.quiet:
        outcome.tell(settings)
        tell_written(settings, f"{shown_name(task.path)} ({large.spec.id})", task.dest, codec.spec.id, outcome.boards, size)


def _pieces(path: str) -> Iterator[bytes]:
    with opened(path) as stream:
        while part := stream.read(1 << 20):
            yield part
