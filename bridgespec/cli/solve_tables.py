"""Add missing trick tables to chunks of deals, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bridgespec.cli.progress import Meter, meter
from bridgespec.cli.settings import Settings
from bridgespec.model.document import Document
from bridgespec.model.tricks import UNSOLVED
from bridgespec.solver import ALL_CELLS, solve_document, stream_tables
from bridgespec.solver.document_tables import no_zeros, solvable

ByteArray = NDArray[np.uint8]
Solve = Callable[[Iterable[ByteArray]], Iterator[ByteArray]]
"""A function that yields the trick tables of deals, in order, in chunks of any size."""


@dataclass
class TableChunk:
    """A batch of boards: holders, shape (n, 52), and tables, (n, 20), in which 15 is an unknown cell.

    ``missing`` is true for each board that is to be solved, and ``left`` the number of those that have no table yet.
    """

    deals: ByteArray
    tables: ByteArray
    missing: NDArray[np.bool_]
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = int(np.count_nonzero(self.missing))
        self._rows = np.flatnonzero(self.missing)

    @classmethod
    def of(cls, deals: ByteArray, tables: ByteArray) -> TableChunk:
        """Return the chunk for some boards: a complete deal is to be solved if a cell of its table is unknown, or all are zero."""
        tables = no_zeros(tables)
        missing = solvable(deals) & (tables == UNSOLVED).any(axis=1)
        return cls(deals, tables, missing)

    def take(self, solved: ByteArray) -> int:
        """Fill the unknown cells of the next boards to be solved from solved tables, in order. Return the number of tables used."""
        count = min(len(solved), self.left)
        # The boards are filled in order, so the last `left` of them still lack a table.
        rows = self._rows[len(self._rows) - self.left :][:count]
        had = self.tables[rows]
        self.tables[rows] = np.where(had == UNSOLVED, solved[:count], had)
        self.left -= count
        return count


def filled(chunks: Iterable[TableChunk], solve: Solve) -> Iterator[TableChunk]:
    """Yield the chunks in order, each after all its missing tables are added."""
    waiting: deque[TableChunk] = deque()

    def deals() -> Iterator[ByteArray]:
        for chunk in chunks:
            waiting.append(chunk)
            yield chunk.deals[chunk.missing]

    for part in solve(deals()):
        while len(part):
            # A chunk without missing tables takes none of the solved ones, but is yielded in its place.
            while not waiting[0].left:
                yield waiting.popleft()
            part = part[waiting[0].take(part) :]
    yield from waiting


@dataclass(frozen=True)
class SolverSettings:
    """The settings for solving deals: the number of threads (None for all cores), megabytes for each, a callback after each few
    deals, and the cells to solve.
    """

    threads: int | None
    memory_mb: int
    advance: Callable[[int], None] = lambda count: None
    cells: int = ALL_CELLS

    def solve(self, chunks: Iterable[ByteArray]) -> Iterator[ByteArray]:
        """Yield the trick tables of deals, in order."""
        for part in stream_tables(chunks, cells=self.cells, threads=self.threads, memory_mb=self.memory_mb):
            self.advance(len(part))
            yield part


def solving(settings: Settings, total: int | None, done: int = 0) -> AbstractContextManager[Meter]:
    """Show the number of solved deals, their rate and, with a ``total``, the time left."""
    return meter(settings, total, "solving", "deals", done)


def solved_document(settings: Settings, document: Document) -> Document:
    """Return the document with a table for every complete deal that lacks one, as `solve_document`, and show the progress."""
    with solving(settings, len(document.boards)) as progress:
        return solve_document(document, progress=progress.reach)
