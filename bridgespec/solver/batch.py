"""Solve many deals on all cores: results in input order, and the same for any number of threads."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np

from bridgespec.model.deal import OUT
from bridgespec.model.tricks import UNSOLVED
from bridgespec.solver.context import MEMORY_MB, cell_mask, memory_bytes
from bridgespec.solver.library import ffi, lib
from bridgespec.solver.packing import Bytes, as_bytes, pack_tables, unpack_deals
from bridgespec.solver.solver_errors import Cancelled, PositionError, SolverError, raise_for

ALL_CELLS = cell_mask()
PIECE = 4
"""Deals that a thread takes at a time: few, so that one hard deal delays few others."""
AHEAD = 64
"""The number of pieces that a thread may be ahead of the next piece in order."""
# Seconds: a cancellation is noticed after this at the latest, and the waiting costs nothing measurable.
POLL = 0.1

Progress = Callable[[int, int], None]
"""A callback that receives how many deals are done, in order, and how many there are."""


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def as_holders(deals: bytes | Bytes) -> Bytes:
    """Return (N, 52) holders of packed deals (bytes or (N, 13)); holders are returned unchanged."""
    if isinstance(deals, bytes):
        return unpack_deals(deals)
    if deals.ndim == 2 and deals.shape[1] == 13:
        return unpack_deals(deals)
    if deals.ndim == 2 and deals.shape[1] == 52:
        # A number that is not a byte is the place of no card, and is refused with its deal; it must not wrap to a seat.
        return as_bytes(np.where((deals < 0) | (deals > 255), 255, deals), "holders")
    raise ValueError(f"deals are (N, 13) packed bytes or (N, 52) holders, not {deals.shape}")


def check_deals(holders: Bytes, before: int = 0) -> None:
    """Raise PositionError for the first of (N, 52) deals whose hands differ in size or that has cards without a known place.

    ``before`` is how many deals came before these.
    """
    if not len(holders):
        return
    sizes = np.stack([np.count_nonzero(holders == seat, axis=1) for seat in range(4)])
    # Arrays find the deal, the C library words the error: one text for single deals and for batches.
    bad = (sizes != sizes[0]).any(axis=0) | (sizes[0] > 13) | (holders > OUT).any(axis=1)
    if bad.any():
        index = int(np.argmax(bad))
        problem = ffi.new("bsdd_problem *")
        row = holders[index].tobytes()
        try:
            raise_for(lib.bsdd_check_deal(row, problem), row, problem)
        except PositionError as error:
            raise PositionError(f"deal {before + index}: {error}", error.seat, error.card, before + index) from None


def solve_tables(
    deals: bytes | Bytes,
    *,
    cells: int = ALL_CELLS,
    threads: int | None = None,
    memory_mb: int = MEMORY_MB,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Bytes:
    """The tables of N deals as (N, 20) cells, strain NT S H D C by declarer W N E S; 15 for a cell that is not requested.

    ``deals`` are packed (bytes, or (N, 13)) or (N, 52) holders; ``cells`` is a `cell_mask`; ``memory_mb`` is for each of
    ``threads`` (None: all cores). PositionError names the first impossible deal, before any is solved. Setting
    ``cancel`` raises Cancelled within some milliseconds. The lock of the interpreter is free while deals are solved.

    >>> solve_tables(bytes.fromhex("72527a0ae17ae4f952e041fc7c"), cells=cell_mask([0])).tolist()[0][:5]
    [9, 4, 9, 4, 15]
    """
    holders = as_holders(deals)
    # All are checked before the first is solved: an error in the last of a million deals must not come after hours.
    check_deals(holders)
    tables = np.empty((len(holders), 20), np.uint8)
    done = 0
    streamed = stream_tables([holders], cells=cells, threads=threads, memory_mb=memory_mb, cancel=cancel)
    for part in streamed:
        tables[done : done + len(part)] = part
        done += len(part)
        if progress is not None:
            progress(done, len(holders))
    return tables


def solve_packed(
    deals: bytes | Bytes,
    *,
    threads: int | None = None,
    memory_mb: int = MEMORY_MB,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> bytes:
    """The whole tables of N deals as packed tables of 10 bytes; everything else as `solve_tables`."""
    tables = solve_tables(deals, threads=threads, memory_mb=memory_mb, progress=progress, cancel=cancel)
    return pack_tables(tables).tobytes()


def stream_tables(
    chunks: Iterable[bytes | Bytes],
    *,
    cells: int = ALL_CELLS,
    threads: int | None = None,
    memory_mb: int = MEMORY_MB,
    cancel: threading.Event | None = None,
) -> Iterator[Bytes]:
    """Like `solve_tables` for any number of deals: yield (n, 20) tables of a few deals at a time, in order; chunks are read as
    needed.

    Closing the generator, or an error or Ctrl-C while it runs, stops the threads.
    """
    crew = _Crew(usable_cores() if threads is None else max(1, threads), memory_mb, cells)
    waiting: deque[Future[Bytes]] = deque()
    try:
        for piece in _pieces(chunks):
            waiting.append(crew.submit(piece))
            # Without a bound one hard deal at the front would let finished tables pile up behind it.
            if len(waiting) > AHEAD * crew.size:
                yield _result(waiting.popleft(), cancel)
            # Results leave in the order of the input, whichever thread finished first.
            while waiting and waiting[0].done():
                yield _result(waiting.popleft(), cancel)
        while waiting:
            yield _result(waiting.popleft(), cancel)
    finally:
        # In `finally`: a generator that is closed early would otherwise leave its threads solving.
        crew.stop()


def _pieces(chunks: Iterable[bytes | Bytes]) -> Iterator[Bytes]:
    for chunk in chunks:
        holders = as_holders(chunk)
        check_deals(holders)
        for start in range(0, len(holders), PIECE):
            yield holders[start : start + PIECE]


def _result(future: Future[Bytes], cancel: threading.Event | None) -> Bytes:
    # Waiting in short turns: there are systems on which Ctrl-C does not end a wait without end.
    while not future.done() and not (cancel is not None and cancel.is_set()):
        wait([future], timeout=POLL)
    if cancel is not None and cancel.is_set():
        raise Cancelled("the solver was stopped")
    return future.result()


class _Crew:
    """A pool of threads with a solver context each, and one flag that stops them all. One for each call."""

    def __init__(self, size: int, memory_mb: int, cells: int) -> None:
        self.size = size
        self._memory = memory_bytes(memory_mb)
        if not 0 <= cells <= ALL_CELLS:
            raise SolverError(f"{cells!r} does not say which cells: `cell_mask` does")
        self._cells = cells
        self._flag = ffi.new("int *")
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="solver")

    def submit(self, holders: Bytes) -> Future[Bytes]:
        """Submit some deals for solving."""
        return self._pool.submit(self._solve, holders)

    def stop(self) -> None:
        """Stop running jobs, and drop those that are waiting."""
        # Running searches poll the flag; shutdown alone would wait for the deal that each thread is on.
        self._flag[0] = 1
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _context(self) -> object:
        # A context is for one thread at a time, and its table is too large to be made for each piece.
        if not hasattr(self._own, "context"):
            made = ffi.new("bsdd_context **")
            raise_for(lib.bsdd_create(self._memory, made), b"")
            self._own.context = ffi.gc(made[0], lib.bsdd_destroy, size=self._memory)
            lib.bsdd_set_cancel(self._own.context, self._flag)
        return self._own.context

    def _solve(self, holders: Bytes) -> Bytes:
        tables = np.empty((len(holders), 20), np.uint8)
        source, target = ffi.from_buffer("uint8_t[]", holders), ffi.from_buffer("uint8_t[]", tables, require_writable=True)
        status = lib.bsdd_batch(self._context(), source, len(holders), self._cells, target, ffi.NULL, ffi.NULL)
        raise_for(status, bytes(holders[0]))
        # The library and the model mark a cell that is not solved by different numbers.
        tables[tables == lib.BSDD_UNSOLVED] = UNSOLVED
        return tables
