"""Run chunks of work on a Dask cluster: `cluster` connects to it, and `Cluster.run` yields the results in order.

A chunk whose result is in the store is not run again.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridgespec.cluster.chunk_store import ChunkStore
from bridgespec.cluster.jobs import checked, difference, versions
from bridgespec.errors import BridgespecError, UsageError
from bridgespec.extras import Extra

if TYPE_CHECKING:
    import dask
    import distributed
else:
    dask, distributed = Extra("dask"), Extra("distributed")

LOCAL = "local"
"""The address for which workers are started on this machine."""
AHEAD = 3
"""The number of chunks that are submitted ahead for each worker."""
AGAIN = 30
"""The maximum number of times that a chunk is submitted again because its worker was lost."""
CONNECT = 5
"""Seconds after which connecting to a scheduler fails."""
POLL = 0.05
"""Seconds between two looks at a job that runs."""


class ClusterLost(BridgespecError):
    """Raised if the scheduler is gone, or too many workers were lost; the finished chunks are in the store."""


@dataclass(frozen=True)
class ClusterTask:
    """A chunk of work: the name of its result, the function of `jobs` with its arguments, and the number of its deals or
    records.
    """

    name: str
    job: Callable[..., int]
    arguments: tuple[Any, ...]
    count: int


class Cluster:
    """A connection to a scheduler, and the store of finished chunks; `cluster` makes it for the duration of its block.

    ``advance`` is called with the number of deals of each finished chunk.
    """

    def __init__(self, client: distributed.Client, store: ChunkStore, advance: Callable[[int], None]) -> None:
        self.client = client
        self.store = store
        self.advance = advance
        self.kept = 0
        """The number of chunks whose results an earlier run had stored."""
        self.lost = 0
        """The number of times that a chunk was submitted again because its worker was lost."""

    def run(self, chunks: Iterable[ClusterTask]) -> Iterator[bytes]:
        """Yield the result of each chunk, in order. Raises ClusterLost if the scheduler is gone."""
        waiting: deque[tuple[ClusterTask, distributed.Future | None]] = deque()
        stored = self.store.names()
        room = AHEAD * max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
        try:
            for chunk in chunks:
                waiting.append((chunk, None if chunk.name in stored else self._submitted(chunk)))
                # Bounded, since the arguments of all submitted chunks are in the scheduler's memory.
                if len(waiting) > room:
                    yield self._result(*waiting.popleft())
            while waiting:
                yield self._result(*waiting.popleft())
        finally:
            for _, future in waiting:
                if future is not None:
                    # The caller has stopped reading the results: the scheduler then drops the remaining chunks.
                    future.release()

    def _submitted(self, chunk: ClusterTask) -> distributed.Future:
        """Submit a chunk and return its future."""
        call = (versions(), chunk.job, self.store.url, chunk.name, *chunk.arguments)
        # The key is the digest of the input, so that equal chunks are one task.
        return self.client.submit(checked, *call, key=f"bridgespec-{chunk.name}", retries=AGAIN)

    def check_versions(self) -> None:
        """Raise UsageError, with the address of the worker, if a worker has other versions than this machine."""
        here = versions()
        for address, there in self.client.run(versions, on_error="return").items():
            if isinstance(there, BaseException):
                needed = f"bridgespec {here['bridgespec']} is needed there"
                raise UsageError(f"the worker {address} cannot tell its versions, {needed}: {there}")
            if wrong := difference(here, there):
                raise UsageError(f"the worker {address} has other versions: {wrong}")

    def _result(self, chunk: ClusterTask, future: distributed.Future | None) -> bytes:
        """Wait for a chunk and return its stored result. Without a future the result was stored already. Raises ClusterLost."""
        for _ in range(AGAIN + 1):
            # A chunk that was listed may be damaged: then it is computed again.
            body = self.store.read(chunk.name) if future is None else None
            if body is not None:
                self.kept += 1
                self.advance(chunk.count)
                return body
            future = future or self._submitted(chunk)
            if self._done(future):
                body = self.store.read(chunk.name)
                if body is None:
                    raise UsageError(f"the workers do not write to {self.store.url}: name a place that they share, with --store")
                self.advance(chunk.count)
                return body
            self.lost += 1
            future = None
        raise ClusterLost(f"{AGAIN} workers were lost over one chunk")

    def _done(self, future: distributed.Future) -> bool:
        """Whether the job succeeded; False where its worker was lost."""
        # Polled, since waiting for the future would notice neither Ctrl-C nor the end of the scheduler.
        while not future.done():
            if self.client.status not in ("running", "connecting"):
                raise self._gone()
            time.sleep(POLL)
        if future.status == "finished":
            return True
        if future.status in ("cancelled", "lost"):
            raise self._gone()
        error = future.exception()
        if isinstance(error, distributed.KilledWorker):
            return False
        assert error is not None
        raise error

    def _gone(self) -> ClusterLost:
        return ClusterLost("the scheduler is gone: start it and its workers again, then the same command")


@contextmanager
def cluster(
    address: str, store: ChunkStore, workers: int | None, advance: Callable[[int], None], tls: Mapping[str, str] | None = None
) -> Iterator[Cluster]:
    """Yield the cluster at an address (``tcp://host:8786``), or for ``local`` a new one on this machine with that many ``workers``,
    None for one for each core.

    ``tls`` are arguments of Dask's `Security`; without them Dask's configuration applies. Raises UsageError if the cluster cannot
    be reached or has other versions.
    """
    with dask.config.set({"distributed.scheduler.allowed-failures": AGAIN, "distributed.comm.timeouts.connect": f"{CONNECT}s"}):
        local = None
        try:
            if address == LOCAL:
                local = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
                )
            security = distributed.Security(**tls, require_encryption=True) if tls else None
            client = distributed.Client(local or address, timeout=CONNECT, set_as_default=False, security=security)
        except MemoryError:
            # Dask reads the first bytes of another protocol as a number of frames, and allocates that much.
            raise UsageError(f"no scheduler at {address}: another program answers there") from None
        except (OSError, ValueError, TimeoutError, RuntimeError, TypeError) as error:
            raise UsageError(f"no scheduler at {address}: {error}") from None
        try:
            found = Cluster(client, store, advance)
            found.check_versions()
            # After the checks, so that no folder is left behind by a cluster that cannot be used.
            store.prepare()
            yield found
        finally:
            client.close(timeout=5)
            if local is not None:
                local.close(timeout=5)
