"""What a worker does with a chunk. Each job ends with the chunk in the store; a job whose chunk is there does nothing."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bridgespec.cluster.store import Store
from bridgespec.codec.bulk.carry import Carrier
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.engines import engine
from bridgespec.solver import solve_tables


def solve_chunk(url: str, name: str, deals: bytes, cells: int, memory_mb: int) -> int:
    """Tables of deals of 52 holders each, 20 bytes a table; how many there are."""
    store = Store(url)
    count = len(deals) // 52
    if store.read(name) is None:
        holders = np.frombuffer(deals, np.uint8).reshape(-1, 52)
        store.write(name, solve_tables(holders, cells=cells, threads=1, memory_mb=memory_mb).tobytes())
    return count


def convert_chunk(url: str, name: str, records: bytes, source: str, target: str, folders: tuple[str, ...]) -> int:
    """Records of one format as those of another; how many there are. Nothing is stored for a chunk in which not every record is
    clean: it is left to the plain path, which the client has.
    """
    store = Store(url)
    carrier = _carrier(source, target, folders)
    rows = np.frombuffer(records, np.uint8).reshape(-1, carrier.source.record_size)
    if store.read(name) is None:
        good, made = carrier.carry(rows)
        store.write(name, made.tobytes() if good.all() else b"")
    return len(rows)


@lru_cache(maxsize=8)
def _carrier(source: str, target: str, folders: tuple[str, ...]) -> Carrier:
    specs = engine(folders)
    found = Carrier.of(BulkCodec(specs.spec(source)), BulkCodec(specs.spec(target)))
    assert found is not None
    return found
