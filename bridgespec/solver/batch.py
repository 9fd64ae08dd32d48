"""Solve many deals on all cores. Results are in the order of the deals, and the same for any number of threads.

`stream_tables` yields tables as they are solved; `solve_tables` and `solve_packed` return them all.
"""

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
from bridgespec.solver.packing import ByteArray, as_bytes, pack_tables, unpack_deals
from bridgespec.solver.solver_errors import Cancelled, PositionError, SolverError, raise_for

ALL_CELLS = cell_mask()
PIECE = 4
"""The number of deals that a thread solves at a time: few, so that one hard deal delays few others."""
AHEAD = 64
"""The most pieces for each thread that are submitted before the result of the first one is awaited."""
POLL = 0.1
"""The seconds after which a cancellation is noticed at the latest."""

DealProgress = Callable[[int, int], None]
"""A callback that receives how many deals are done, in order, and how many there are."""


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def as_holders(deals: bytes | ByteArray) -> ByteArray:
    """Return (N, 52) holders of packed deals, as bytes or (N, 13), or of deals that are (N, 52) already.

    Numbers that are no bytes become 255. Raises ValueError for an array of another shape.
    """
    if isinstance(deals, bytes):
        return unpack_deals(deals)
    if deals.ndim == 2 and deals.shape[1] == 13:
        return unpack_deals(deals)
    if deals.ndim == 2 and deals.shape[1] == 52:
        # As 255 a number that is no byte is refused by `check_deals`; converted to a byte, it might become a seat.
        return as_bytes(np.where((deals < 0) | (deals > 255), 255, deals), "holders")
    raise ValueError(f"deals are (N, 13) packed bytes or (N, 52) holders, not {deals.shape}")


def check_deals(holders: ByteArray, before: int = 0) -> None:
    """Raise PositionError for the first of (N, 52) deals whose hands differ in size, or with a card whose holder is unknown.

    ``before`` is added to the index of the deal in the message.
    """
    if not len(holders):
        return
    sizes = np.stack([np.count_nonzero(holders == seat, axis=1) for seat in range(4)])
    # The C library is called for the first bad deal only, so that its message is the same as for single deals.
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
    deals: bytes | ByteArray,
    *,
    cells: int = ALL_CELLS,
    threads: int | None = None,
    memory_mb: int = MEMORY_MB,
    progress: DealProgress | None = None,
    cancel: threading.Event | None = None,
) -> ByteArray:
    """Return the tables of N deals as (N, 20) cells: by strain NT S H D C, then by declarer W N E S; 15 for a cell not requested.

    ``deals`` are packed (bytes, or (N, 13)) or (N, 52) holders; ``cells`` is a `cell_mask`; ``memory_mb`` is for each of
    ``threads`` (None: one for each core). Raises PositionError for the first impossible deal, before any is solved. If another
    thread sets ``cancel``, Cancelled is raised within some milliseconds. The global interpreter lock is released while deals are
    solved.

    >>> solve_tables(bytes.fromhex("72527a0ae17ae4f952e041fc7c"), cells=cell_mask([0])).tolist()[0][:5]
    [9, 4, 9, 4, 15]
    """
    holders = as_holders(deals)
    # Before the first is solved, so that an error in the last of a million deals is not reported after hours.
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
    deals: bytes | ByteArray,
    *,
    threads: int | None = None,
    memory_mb: int = MEMORY_MB,
    progress: DealProgress | None = None,
    cancel: threading.Event | None = None,
) -> bytes:
    """Return the complete tables of N deals, packed to 10 bytes each. The other parameters are those of `solve_tables`."""
    tables = solve_tables(deals, threads=threads, memory_mb=memory_mb, progress=progress, cancel=cancel)
    return pack_tables(tables).tobytes()


def stream_tables(
    chunks: Iterable[bytes | ByteArray],
    *,
    cells: int = ALL_CELLS,
    threads: int | None = None,
    memory_mb: int = MEMORY_MB,
    cancel: threading.Event | None = None,
) -> Iterator[ByteArray]:
    """Yield the tables of any number of deals in order, as (n, 20) cells of a few deals at a time.

    ``chunks`` are arrays of deals in the forms of `solve_tables`, and are read as needed. The other parameters are those of
    `solve_tables`. The threads stop when the generator is closed, or on an error or Ctrl-C.
    """
    workers = _SolverThreads(usable_cores() if threads is None else max(1, threads), memory_mb, cells)
    waiting: deque[Future[ByteArray]] = deque()
    try:
        for piece in _pieces(chunks):
            waiting.append(workers.submit(piece))
            # Bounded, so that finished tables do not accumulate behind a hard deal.
            if len(waiting) > AHEAD * workers.size:
                yield _result(waiting.popleft(), cancel)
            while waiting and waiting[0].done():
                yield _result(waiting.popleft(), cancel)
        while waiting:
            yield _result(waiting.popleft(), cancel)
    finally:
        # In `finally`: a generator that is closed early would otherwise leave its threads solving.
        workers.stop()


def _pieces(chunks: Iterable[bytes | ByteArray]) -> Iterator[ByteArray]:
    """Yield the deals of all chunks as holders, `PIECE` at a time, after a check of each chunk."""
    for chunk in chunks:
        holders = as_holders(chunk)
        check_deals(holders)
        for start in range(0, len(holders), PIECE):
            yield holders[start : start + PIECE]


def _result(future: Future[ByteArray], cancel: threading.Event | None) -> ByteArray:
    """Wait for the tables of a piece. Raises Cancelled if ``cancel`` is set before."""
    # With a timeout, since on some systems Ctrl-C does not end a wait without one.
    while not future.done() and not (cancel is not None and cancel.is_set()):
        wait([future], timeout=POLL)
    if cancel is not None and cancel.is_set():
        raise Cancelled("the solver was stopped")
    return future.result()


class _SolverThreads:
    """A pool of threads, each with a solver context, and a flag that stops them all. Created for one call of `stream_tables`."""

    def __init__(self, size: int, memory_mb: int, cells: int) -> None:
        self.size = size
        self._memory = memory_bytes(memory_mb)
        if not 0 <= cells <= ALL_CELLS:
            raise SolverError(f"{cells!r} does not say which cells: `cell_mask` does")
        self._cells = cells
        self._flag = ffi.new("int *")
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="solver")

    def submit(self, holders: ByteArray) -> Future[ByteArray]:
        """Queue deals, (n, 52), for a thread to solve."""
        return self._pool.submit(self._solve, holders)

    def stop(self) -> None:
        """Stop the threads; queued deals are not solved."""
        # Searches poll the flag; without it `shutdown` would wait for the deals that are being solved.
        self._flag[0] = 1
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _context(self) -> object:
        """Return the C context of the current thread, which is created on first use."""
        if not hasattr(self._own, "context"):
            made = ffi.new("bsdd_context **")
            raise_for(lib.bsdd_create(self._memory, made), b"")
            self._own.context = ffi.gc(made[0], lib.bsdd_destroy, size=self._memory)
            lib.bsdd_set_cancel(self._own.context, self._flag)
        return self._own.context

    def _solve(self, holders: ByteArray) -> ByteArray:
        """Return the tables of deals; runs in a thread of the pool."""
        tables = np.empty((len(holders), 20), np.uint8)
        source, target = ffi.from_buffer("uint8_t[]", holders), ffi.from_buffer("uint8_t[]", tables, require_writable=True)
        status = lib.bsdd_batch(self._context(), source, len(holders), self._cells, target, ffi.NULL, ffi.NULL)
        raise_for(status, bytes(holders[0]))
        # The C library and the model have different numbers for an unsolved cell.
        tables[tables == lib.BSDD_UNSOLVED] = UNSOLVED
        return tables
