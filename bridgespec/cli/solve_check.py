"""``solve --check``: stored tables against solved ones, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from rich.text import Text

from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.files import opened
from bridgespec.cli.large import large_file
from bridgespec.cli.settings import Settings
from bridgespec.cli.solve_files import CHUNK, Task, large_chunks
from bridgespec.cli.solve_tables import Chunk, Crew, deal_meter, filled
from bridgespec.cli.sources import chosen, source
from bridgespec.cli.status import CLEAN, FINDINGS
from bridgespec.codec.bulk.stream import RecordStream
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.clipping import Clipping, clipping, differing
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.solver.document import board_arrays, solvable

SHOWN = 50


@dataclass
class Comparison:
    """What was compared, and every board whose table differs: its name, the stored table and the solved one."""

    boards: int = 0
    tables: int = 0
    cells: int = 0
    different: list[tuple[str, Tricks, Tricks]] = field(default_factory=list)
    low: list[tuple[Tricks, Tricks]] = field(default_factory=list)

    def add(self, name: str, stored: Tricks, solved: Tricks) -> None:
        """Compare one board's tables."""
        self.tables += 1
        self.cells += stored.known
        if differing(stored, solved):
            self.different.append((name, stored, solved))
        else:
            self.low.append((stored, solved))


def check_file(settings: Settings, task: Task) -> int:
    """Compare, say what differs, and return the exit status: clean where every difference is a habit of clipping."""
    comparison = Comparison()
    crew = Crew(task.threads, task.memory_mb)
    for names, stored, chunk in _compared(settings, task, crew):
        comparison.boards += len(names)
        for row in np.flatnonzero(chunk.missing).tolist():
            comparison.add(names[row], Tricks(stored[row].tobytes()), Tricks(chunk.tables[row].tobytes()))
    return _tell(settings, task.path, comparison)


def _compared(settings: Settings, task: Task, crew: Crew) -> Iterator[tuple[list[str], np.ndarray, Chunk]]:
    """Chunks with the boards' names, the stored cells, and the solved tables where there is anything to compare."""
    large = large_file(settings, task.path, task.format) if task.boards is None else None
    if large is not None and {"deal", "tricks"} <= large.codec.terms:
        records = (large.size - large.codec.header_size) // large.codec.record_size
        with opened(task.path) as stream, deal_meter(settings, records) as advance:
            reader = RecordStream(large.codec, stream, size=CHUNK)
            metered = Crew(crew.threads, crew.memory_mb, advance=advance)
            yield from _solved(large_chunks(large, reader), metered, None)
        return
    taken = source(settings, task.path, task.format)
    boards = chosen(taken.document, task.boards).boards
    names = [f"board {board.number or index + 1}" for index, board in enumerate(boards)]
    deals, tables = board_arrays(boards)
    with deal_meter(settings, len(boards)) as advance:
        metered = Crew(crew.threads, crew.memory_mb, advance=advance)
        yield from _solved([Chunk.of(deals, tables)], metered, names)


def _solved(chunks: Iterable[Chunk], crew: Crew, names: list[str] | None) -> Iterator[tuple[list[str], np.ndarray, Chunk]]:
    stored: list[np.ndarray] = []

    def blank() -> Iterator[Chunk]:
        for chunk in chunks:
            stored.append(chunk.tables)
            worth = solvable(chunk.deals) & (chunk.tables != UNSOLVED).any(axis=1)
            yield Chunk(chunk.deals, np.full_like(chunk.tables, UNSOLVED), worth, chunk.position)

    for chunk in filled(blank(), crew.solve):
        own = names or [f"record {chunk.position + row + 1}" for row in range(len(chunk.deals))]
        yield own, stored.pop(0), chunk


def _tell(settings: Settings, path: str, comparison: Comparison) -> int:
    pairs = [*((stored, solved) for _, stored, solved in comparison.different), *comparison.low]
    habit = clipping(pairs) if comparison.different else None
    different = comparison.different
    wrong = [(name, cells) for name, stored, solved in different if (cells := _wrong(stored, solved, habit))]
    for name, cells in wrong[:SHOWN]:
        settings.out.print(Text.assemble((f"{shown_name(path)}: {name}: ", "bold"), "; ".join(cells)), soft_wrap=True)
    if len(wrong) > SHOWN:
        settings.out.print(Text(f"{shown_name(path)}: {len(wrong) - SHOWN:,} more boards"), soft_wrap=True)
    if habit is not None:
        explained = sum(len(differing(stored, solved)) for _, stored, solved in comparison.different)
        explained -= sum(len(cells) for _, cells in wrong)
        words = f"the tables are clipped: {habit.words}; that accounts for {plural(explained, 'cell')}"
        settings.out.print(Text.assemble(("note: ", "bold cyan"), words), soft_wrap=True)
    count = sum(len(cells) for _, cells in wrong)
    summary = f"{plural(comparison.tables, 'table')} checked, {plural(comparison.cells, 'cell')}: "
    if comparison.tables < comparison.boards:
        summary = (
            f"{comparison.boards - comparison.tables:,} of {plural(comparison.boards, 'board')} without a table or deal; " + summary
        )
    style = "bold red" if count else "bold green"
    verdict = "all right" if comparison.tables else "nothing to compare"
    if count:
        verdict = f"{plural(count, 'cell')} wrong on {plural(len(wrong), 'board')}"
    settings.out.print(Text.assemble(summary, (verdict, style)), soft_wrap=True)
    return FINDINGS if count else CLEAN


def _wrong(stored: Tricks, solved: Tricks, habit: Clipping | None) -> list[str]:
    """The differing cells that no habit accounts for, in words."""
    cells = []
    for cell in differing(stored, solved):
        had, is_ = stored.cells[cell], solved.cells[cell]
        if habit is None or had != habit.clip(is_):
            strain, seat = Strain(cell // 4), Seat(cell % 4)
            cells.append(f"{strain.label} by {seat.name.lower()}: {had}, solved {is_}")
    return cells
