"""The mode ``solve --check``: compare stored trick tables with solved ones, cell by cell."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from rich.text import Text

from bridgespec.cli.array_sources import RecordSource
from bridgespec.cli.board_sources import BoardSource
from bridgespec.cli.examine import plural, shown_names
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.origins import boards_of, tell_read
from bridgespec.cli.ranges import Selection
from bridgespec.cli.settings import Settings
from bridgespec.cli.solve_files import Task
from bridgespec.cli.solve_tables import SolverSettings, TableChunk, filled, solving
from bridgespec.cli.transfer import UnreadSource
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.clipping import Clipping, clipping, differing
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.solver.document_tables import board_arrays, solvable

SHOWN = 50
"""The maximum number of boards with wrong cells that are listed."""


@dataclass
class WrongCells:
    """The wrong cells of all tables, if their writer clipped tables in one way (`Clipping`) or not at all: the number of cells, and
    of boards with wrong cells.

    ``first`` has the numbers of the first `SHOWN` of these boards, with descriptions of their wrong cells.
    """

    cells: int = 0
    boards: int = 0
    first: list[tuple[int, list[str]]] = field(default_factory=list)


@dataclass
class TableComparison:
    """The comparison of stored and solved trick tables, updated board by board.

    ``pairs`` counts pairs of stored and solved values. Which way of clipping explains the file is known only at the end, so the
    wrong cells are counted for each way; memory does not grow with the file.
    """

    boards: int = 0
    tables: int = 0
    cells: int = 0
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)
    wrong: dict[Clipping | None, WrongCells] = field(default_factory=lambda: {habit: WrongCells() for habit in (None, *Clipping)})

    @property
    def different(self) -> int:
        """The number of cells whose stored value differs from the solved one."""
        return self.wrong[None].cells

    def add(self, number: int, stored: Tricks, solved: Tricks) -> None:
        """Compare the stored and the solved table of the board with a number."""
        self.tables += 1
        self.cells += stored.known
        self.pairs.update(zip(stored.cells, solved.cells, strict=True))
        if not differing(stored, solved):
            return
        for habit, wrong in self.wrong.items():
            if cells := _wrong(stored, solved, habit):
                wrong.cells += len(cells)
                wrong.boards += 1
                if wrong.boards <= SHOWN:
                    wrong.first.append((number, cells))


def check_file(settings: Settings, task: Task) -> int:
    """Compare the tables of a file, print the differences, and return the exit status: clean if one way of clipping explains all
    of them.
    """
    origin, choice, unread = boards_of(settings, task.paths, task.format), Selection(task.boards), UnreadSource()
    comparison = TableComparison()
    with solving(settings, _count(origin)) as progress:
        solver_settings = SolverSettings(task.threads, task.memory_mb, advance=progress.advance)
        for numbers, stored, chunk in _solved(origin, choice, unread, solver_settings):
            comparison.boards += len(numbers)
            for row in np.flatnonzero(chunk.missing).tolist():
                comparison.add(numbers[row], Tricks(stored[row].tobytes()), Tricks(chunk.tables[row].tobytes()))
    tell_read(settings, origin, unread, choice.count)
    choice.check()
    return _print_comparison(settings, task.paths, comparison)


def _count(origin: BoardSource) -> int | None:
    """Return the number of boards of a source; None where it is unknown before they are read."""
    if origin.document is not None:
        return len(origin.document.boards)
    return origin.count if isinstance(origin, RecordSource) else None


def _solved(
    origin: BoardSource, choice: Selection, unread: UnreadSource, solver_settings: SolverSettings
) -> Iterator[tuple[list[int], np.ndarray, TableChunk]]:
    """Yield batches: the numbers of boards, their stored tables, and the solved tables of the boards that have a stored one."""
    waiting: deque[tuple[list[int], np.ndarray]] = deque()

    def chunks() -> Iterator[TableChunk]:
        for batch in origin.batches():
            unread.add(origin.unread(batch))
            boards = batch.document.boards
            numbers, wanted = choice.next(boards)
            stored = TableChunk.of(*board_arrays(list(compress(boards, wanted))))
            waiting.append((list(compress(numbers, wanted)), stored.tables))
            wanted_tables = solvable(stored.deals) & (stored.tables != UNSOLVED).any(axis=1)
            # All cells are unsolved here, since `filled` keeps known cells, which would be compared with themselves.
            yield TableChunk(stored.deals, np.full_like(stored.tables, UNSOLVED), wanted_tables)

    for chunk in filled(chunks(), solver_settings.solve):
        yield *waiting.popleft(), chunk


def _print_comparison(settings: Settings, paths: Sequence[str], comparison: TableComparison) -> int:
    """Print the wrong cells, the way of clipping that explains the others, and the counts. Return the exit status."""
    habit = clipping(comparison.pairs) if comparison.different else None
    wrong = comparison.wrong[habit]
    for number, cells in wrong.first:
        settings.out.print(Text.assemble((f"{shown_names(paths)}: board {number}: ", "bold"), "; ".join(cells)), soft_wrap=True)
    if wrong.boards > SHOWN:
        settings.out.print(Text(f"{shown_names(paths)}: {wrong.boards - SHOWN:,} more boards"), soft_wrap=True)
    if habit is not None:
        words = f"the tables are clipped: {habit.words}; that accounts for {plural(comparison.different - wrong.cells, 'cell')}"
        settings.out.print(Text.assemble(("note: ", "bold cyan"), words), soft_wrap=True)
    summary = f"{plural(comparison.tables, 'table')} checked, {plural(comparison.cells, 'cell')}: "
    if comparison.tables < comparison.boards:
        summary = (
            f"{comparison.boards - comparison.tables:,} of {plural(comparison.boards, 'board')} without a table or deal; " + summary
        )
    style = "bold red" if wrong.cells else "bold green"
    verdict = "all right" if comparison.tables else "nothing to compare"
    if wrong.cells:
        verdict = f"{plural(wrong.cells, 'cell')} wrong on {plural(wrong.boards, 'board')}"
    settings.out.print(Text.assemble(summary, (verdict, style)), soft_wrap=True)
    return FINDINGS if wrong.cells else CLEAN


def _wrong(stored: Tricks, solved: Tricks, habit: Clipping | None) -> list[str]:
    """Return a description of each cell that differs, except those that are equal to the solved value clipped by ``habit``."""
    cells = []
    for cell in differing(stored, solved):
        had, is_ = stored.cells[cell], solved.cells[cell]
        if habit is None or had != habit.clip(is_):
            strain, seat = Strain(cell // 4), Seat(cell % 4)
            cells.append(f"{strain.label} by {seat.name.lower()}: {had}, solved {is_}")
    return cells
