"""Run a function on files in several processes, with results in the order of the files."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bridgespec.cli.files import STDIO, size_of
from bridgespec.cli.settings import Settings
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    import multiprocessing
    import pickle
    from concurrent import futures
    from concurrent.futures import Executor
else:
    multiprocessing, futures, pickle = Lazy("multiprocessing"), Lazy("concurrent.futures"), Lazy("pickle")

Result = TypeVar("Result")
ENOUGH = 1 << 19
"""The number of bytes from which on processes are started."""
LARGEST = 1 << 20
"""The maximum size of a file that another process checks. A larger file is checked in this one, in constant memory: the result of
another process includes the bytes of the file, which findings quote.
"""
AHEAD = 8
"""The number of files per process that are queued, so that none idles and results do not pile up."""

_settings: list[Settings] = []
"""The settings of this process, if it is one of a `pool`; else empty."""


def cores() -> int:
    """Return the number of processors that this process may use."""
    # A container or `taskset` may allow fewer processors than the machine has.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    settings: Settings, paths: Sequence[str], jobs: int | None, work: Callable[[Settings, str], Result]
) -> Iterator[tuple[str, Result | Exception]]:
    """Yield each path with the result of ``work``, or with the error that it raises. ``jobs`` is the number of processes, None
    for one for each processor.

    ``work`` is a function of a module, or a partial of one, whose result can be pickled.
    """
    sizes = {path: _size(path) for path in paths}
    # Another process cannot read the standard input and pipes of this one.
    here = {path for path, size in sizes.items() if size is None or size > LARGEST}
    small = [path for path in paths if path not in here]
    count = min(jobs or cores(), len(small))
    total = sum(size or 0 for path, size in sizes.items() if path not in here)
    if count < 2 or (jobs is None and total < ENOUGH):
        yield from ((path, _tried(settings, path, work)) for path in paths)
        return
    with pool(settings, count) as workers:
        waiting = deque(workers.submit(_sent, path, work) for path in small[: AHEAD * count])
        later = iter(small[AHEAD * count :])
        for path in paths:
            if path in here:
                yield path, _tried(settings, path, work)
                continue
            found = waiting.popleft().result()
            following = next(later, None)
            if following is not None:
                waiting.append(workers.submit(_sent, following, work))
            yield path, found


@contextmanager
def pool(settings: Settings, count: int) -> Iterator[Executor]:
    """Yield an executor with ``count`` processes that know the same formats (`settings_here`). They are stopped at once where the
    block is left by an error.
    """
    with futures.ProcessPoolExecutor(count, initializer=_begin, initargs=(tuple(map(str, settings.specs)),)) as workers:
        try:
            yield workers
        except BaseException:
            # After Ctrl-C or an error nobody waits for the results of running tasks.
            workers.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def settings_here() -> Settings:
    """Return the settings of this process, which must be one of a `pool`."""
    return _settings[0]


def _size(path: str) -> int | None:
    """Return the size of a file that another process can open; None for standard input, pipes and missing files."""
    with suppress(OSError):
        return None if path == STDIO else size_of(path)
    return None


def _tried(settings: Settings, path: str, work: Callable[[Settings, str], Result]) -> Result | Exception:
    """Return the result of the function for one file, or the exception that it raised."""
    try:
        return work(settings, path)
    except Exception as error:
        return error


def _begin(specs: tuple[str, ...]) -> None:
    """Initialise a process of a pool: make its settings, with the given folders of schemas."""
    # Ctrl-C interrupts every process of the terminal; only the parent process handles it, and stops the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _settings[:] = [Settings([Path(folder) for folder in specs])]


def _sent(path: str, work: Callable[[Settings, str], Result]) -> Result | Exception:
    """Return the result for one file in a process of a pool; an exception that cannot be pickled becomes a RuntimeError."""
    found = _tried(settings_here(), path, work)
    if isinstance(found, Exception):
        try:
            # An exception that cannot be rebuilt from its arguments would break the
            # pool, and with it the results of all other files.
            pickle.loads(pickle.dumps(found))
        except Exception:
            return RuntimeError(f"{type(found).__name__}: {found}")
    return found
