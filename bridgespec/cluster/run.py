"""Submit chunks to a cluster, a few at a time, and return their results in order;
chunks whose result is stored are not repeated.
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
AHEAD = 3
"""The number of chunks that are submitted ahead for each worker."""
AGAIN = 30
"""How often a chunk is submitted again after its worker was lost."""
CONNECT = 5
"""Seconds after which connecting to a scheduler fails: with the start of the command, ten at most."""
POLL = 0.05


class ClusterLost(BridgespecError):
    """The scheduler is gone; the finished chunks are in the store."""


@dataclass(frozen=True)
class ClusterTask:
    """A job: the name of its result in the store, the function and its arguments, and the number of its deals."""

    name: str
    job: Callable[..., int]
    arguments: tuple[Any, ...]
    count: int


class Cluster:
    """A connection to a scheduler, and the store of finished chunks."""

    def __init__(self, client: distributed.Client, store: ChunkStore, advance: Callable[[int], None]) -> None:
        self.client = client
        self.store = store
        self.advance = advance
        self.kept = 0
        """Number of chunks that were in the store already."""
        self.lost = 0
        """Number of times that a chunk was submitted again."""

    def run(self, chunks: Iterable[ClusterTask]) -> Iterator[bytes]:
        """The chunks' results, in order. `ClusterLost` where the scheduler is gone."""
        waiting: deque[tuple[ClusterTask, distributed.Future | None]] = deque()
        there = self.store.names()
        room = AHEAD * max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
        try:
            for chunk in chunks:
                waiting.append((chunk, None if chunk.name in there else self._given(chunk)))
                # Bounded, since the arguments of all submitted chunks are in the scheduler's memory.
                if len(waiting) > room:
                    yield self._taken(*waiting.popleft())
            while waiting:
                yield self._taken(*waiting.popleft())
        finally:
            for _, future in waiting:
                if future is not None:
                    # Whoever stops reading the results needs the remaining chunks no more, and the scheduler drops them.
                    future.release()

    def _given(self, chunk: ClusterTask) -> distributed.Future:
        call = (versions(), chunk.job, self.store.url, chunk.name, *chunk.arguments)
        # By its content: equal chunks are one task.
        return self.client.submit(checked, *call, key=f"bridgespec-{chunk.name}", retries=AGAIN)

    def check_versions(self) -> None:
        """Raise UsageError where a worker has other versions than this machine, which it names."""
        here = versions()
        for address, there in self.client.run(versions, on_error="return").items():
            if isinstance(there, BaseException):
                needed = f"bridgespec {here['bridgespec']} is needed there"
                raise UsageError(f"the worker {address} cannot tell its versions, {needed}: {there}")
            if wrong := difference(here, there):
                raise UsageError(f"the worker {address} has other versions: {wrong}")

    def _taken(self, chunk: ClusterTask, future: distributed.Future | None) -> bytes:
        for _ in range(AGAIN + 1):
            # A chunk that was listed may be damaged: then it is computed again.
            body = self.store.read(chunk.name) if future is None else None
            if body is not None:
                self.kept += 1
                self.advance(chunk.count)
                return body
            future = future or self._given(chunk)
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
        # In short turns: so Ctrl-C is heeded, and a scheduler that went away is noticed.
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
    """The cluster at an address (``tcp://host:8786``), or one on this machine for ``local``, with one worker for each core or so
    many.

    `tls` are arguments of Dask's `Security`, without which its configuration decides. UsageError where the cluster cannot be
    reached or has other versions.
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
            # The first bytes of another protocol, taken as the number of frames.
            raise UsageError(f"no scheduler at {address}: what answers there is none") from None
        except (OSError, ValueError, TimeoutError, RuntimeError, TypeError) as error:
            raise UsageError(f"no scheduler at {address}: {error}") from None
        try:
            found = Cluster(client, store, advance)
            found.check_versions()
            # Not before: a cluster that cannot be used leaves no folder.
            store.prepare()
            yield found
        finally:
            client.close(timeout=5)
            if local is not None:
                local.close(timeout=5)
