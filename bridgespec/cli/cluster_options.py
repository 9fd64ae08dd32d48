"""The options ``--cluster`` and ``--store``: a Dask cluster processes chunks of work, and stores their results until all are
done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.files import STDIO
from bridgespec.cli.options import PATH
from bridgespec.cli.settings import Settings
from bridgespec.cluster.chunk_store import ChunkStore, digest
from bridgespec.cluster.jobs import solve_chunk
from bridgespec.cluster.run import Cluster, ClusterTask, cluster
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.writing import hidden_name

ByteArray = NDArray[np.uint8]
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True)
class ClusterSettings:
    """The settings of a cluster: the scheduler's address, the folder for results, the number of local workers, and deals in each
    chunk.
    """

    address: str
    store: str | None
    workers: int | None
    size: int


def cluster_options(command: Decorated) -> Decorated:
    """Add ``--cluster``, ``--store`` and ``--chunk``, and for TLS the options of Dask's own commands."""
    # Applied inside out, as decorators are: the last one of the tuple comes first in the help.
    for option in (
        *(
            click.option(
                name, metavar="FILE", type=PATH, callback=partial(_take_tls, key), expose_value=False, help=f"{what} (tls://...)."
            )
            for name, key, what in _TLS
        ),
        click.option("--chunk", type=click.IntRange(1), default=1000, show_default=True, metavar="N", help="Deals in a chunk."),
        click.option("--store", metavar="URL", help="Keep chunks here: a folder or a URL that every worker reaches, as s3://..."),
        click.option("--cluster", metavar="ADDRESS", help="Work on a Dask cluster: tcp://host:8786, or 'local' for one here."),
    ):
        command = option(command)
    return command


_TLS = (
    ("--tls-key", "tls_client_key", "The key of that certificate"),
    ("--tls-cert", "tls_client_cert", "Our certificate for a Dask cluster"),
    ("--tls-ca-file", "tls_ca_file", "The authority whose certificates a Dask cluster has"),
)


def _take_tls(key: str, context: click.Context, _parameter: click.Parameter, path: str | None) -> None:
    """Set the value of a TLS option in the settings, as its callback; ``key`` is the name that Dask uses."""
    if path is not None:
        context.ensure_object(Settings).tls[key] = path


def spread_of(address: str | None, store: str | None, chunk: int, workers: int | None, dest: str) -> ClusterSettings | None:
    """Return the cluster settings of the options; None without a cluster. Raises UsageError for options that contradict each
    other, or for a missing library.
    """
    if address is None:
        if store is not None:
            raise UsageError("--store goes with --cluster")
        return None
    require("distributed", "fsspec")
    if dest == STDIO and store is None:
        raise UsageError("with --cluster, standard output needs a --store")
    return ClusterSettings(address, store, workers, chunk)


@contextmanager
def spread_over(
    settings: Settings, wanted: ClusterSettings, dest: str, total: int, advance: Callable[[int], None]
) -> Iterator[Cluster]:
    """Yield the cluster. Finished chunks survive an interruption: the same command continues with the others."""
    # By the real path: a later run may name the same file by another path, and must find the chunks.
    target = Path(os.path.realpath(dest))
    store = ChunkStore(wanted.store or str(target.with_name(f"{hidden_name(target.name)}chunks")))
    done = 0
    is_begun = False

    def count(deals: int) -> None:
        nonlocal done
        done += deals
        advance(deals)

    try:
        with cluster(wanted.address, store, wanted.workers, count, settings.tls) as found:
            is_begun = True
            yield found
            if found.kept:
                settings.err.print(Text(f"{plural(found.kept, 'chunk')} of an earlier run taken as they were"), soft_wrap=True)
    # `Exception` would not include KeyboardInterrupt: a user who stops a run must see the message that it can be continued.
    except BaseException:
        if is_begun:
            progress = f"{done:,} of {plural(total, 'deal')} done"
            words = f"{progress}; chunks are kept in {store.url}, and the same command goes on from there"
            settings.err.print(Text(words), soft_wrap=True)
        raise
    # Only the default store is cleared: one that the user named may serve further runs.
    if wanted.store is None:
        store.clear()


def solved_by(
    found: Cluster, wanted: ClusterSettings, deals: Iterable[ByteArray], cells: int, memory_mb: int
) -> Iterator[ByteArray]:
    """Yield the trick tables of deals, in order; workers solve them in chunks."""

    def chunks() -> Iterator[ClusterTask]:
        for part in regrouped(deals, wanted.size):
            data = part.tobytes()
            # The name contains everything that determines the tables; the memory of a solver does not.
            yield ClusterTask(digest(b"solve", cells.to_bytes(4), data), solve_chunk, (data, cells, memory_mb), len(part))

    for body in found.run(chunks()):
        yield np.frombuffer(body, np.uint8).reshape(-1, 20)


def regrouped(parts: Iterable[ByteArray], size: int) -> Iterator[ByteArray]:
    """Yield the rows of all parts, regrouped into parts of ``size`` rows; the last part may be shorter."""
    held: list[ByteArray] = []
    count = 0
    for part in parts:
        while len(part):
            piece = part[: size - count]
            held.append(piece)
            count += len(piece)
            part = part[len(piece) :]
            if count == size:
                yield np.concatenate(held)
                held, count = [], 0
    if count:
        yield np.concatenate(held)
