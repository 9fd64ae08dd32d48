"""The functions that workers run for a chunk: `solve_chunk` and `convert_chunk`, called by `checked`.

Each stores the result of its chunk, unless it is stored already, and returns the number of deals or records.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from bridgespec.cluster.chunk_store import ChunkStore
from bridgespec.codec.bulk.carry import Carrier
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.engines import engine
from bridgespec.errors import UsageError
from bridgespec.solver import solve_tables
from bridgespec.version import VERSION


def versions() -> dict[str, str]:
    """Return the versions that results, or messages between machines, depend on; they must be equal on all machines."""
    return {
        "bridgespec": VERSION,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": np.__version__,
        "distributed": version("distributed"),
    }


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return the differences between the versions of the client and those of a worker, as text; empty if they are equal.

    >>> difference({"bridgespec": "2", "numpy": "1"}, {"bridgespec": "1", "numpy": "1"})
    'bridgespec 1 there, 2 here'
    """
    wrong = (name for name in here if there.get(name) != here[name])
    return ", ".join(f"{name} {there.get(name, 'none')} there, {here[name]} here" for name in wrong)


def checked(here: Mapping[str, str], job: Callable[..., int], *arguments: Any) -> int:
    """Run a job on this worker. Raises UsageError if its versions differ from ``here``, those of the client: a worker may have
    joined after the client's check.
    """
    if wrong := difference(here, versions()):
        raise UsageError(f"a worker on {platform.node()} has other versions: {wrong}")
    return job(*arguments)


def solve_chunk(url: str, name: str, deals: bytes, cells: int, memory_mb: int) -> int:
    """Store the tables of deals of 52 holders each, 20 bytes a table. Return their number."""
    store = ChunkStore(url)
    count = len(deals) // 52
    if store.read(name) is None:
        holders = np.frombuffer(deals, np.uint8).reshape(-1, 52)
        # There is a worker for each core: threads of the solver would compete with the other workers.
        store.write(name, solve_tables(holders, cells=cells, threads=1, memory_mb=memory_mb).tobytes())
    return count


def convert_chunk(url: str, name: str, records: bytes, source: str, target: str, folders: tuple[str, ...]) -> int:
    """Store records of one format converted to another. Return their number. An empty result is stored for a chunk in which arrays
    cannot prove every record clean: the client converts it as documents.
    """
    store = ChunkStore(url)
    carrier = _carrier(source, target, folders)
    rows = np.frombuffer(records, np.uint8).reshape(-1, carrier.source.record_size)
    if store.read(name) is None:
        good, made = carrier.carry(rows)
        # Stored although it is empty: the client takes a missing result for a failure of the store.
        store.write(name, made.tobytes() if good.all() else b"")
    return len(rows)


@lru_cache(maxsize=8)
def _carrier(source: str, target: str, folders: tuple[str, ...]) -> Carrier:
    """Return the conversion of records from one format to another, cached for all chunks of a worker."""
    specs = engine(folders)
    found = Carrier.of(BulkCodec(specs.spec(source)), BulkCodec(specs.spec(target)))
    assert found is not None
    return found
