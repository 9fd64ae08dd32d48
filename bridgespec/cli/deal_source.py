"""The source of the command ``deal``: random deals, or those of a file with its trick tables, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bridgespec.cli.array_sources import large_file
from bridgespec.cli.files import read
from bridgespec.cli.settings import Settings
from bridgespec.dealing.deal_stream import DealStream, StoredDeals
from bridgespec.dealing.expression import DealValue
from bridgespec.dealing.shares import DealSource as DealSource
from bridgespec.dealing.shares import shared, shares_of
from bridgespec.errors import UsageError
from bridgespec.model.deal import UNKNOWN
from bridgespec.model.tricks import UNSOLVED

ROWS = 1 << 13
"""Records that are read at a time."""
Bytes = NDArray[np.uint8]


def deal_source(
    settings: Settings,
    path: str | None,
    condition: DealValue,
    shares: Sequence[str],
    count: int,
    known: Mapping[int, int],
    seed: int,
    threads: int | None,
) -> DealSource:
    """Return the source of the deals of a file, or of random deals where no file is named.
    Raises ValueError for impossible cards.
    """

    def source(condition: DealValue, seed: int) -> DealStream | StoredDeals:
        if path is None:
            return DealStream(condition, known, seed, threads)
        return StoredDeals(stored_deals(settings, path), condition, known, seed, threads)

    return shared(source, condition, shares_of(shares, count), seed)


def stored_deals(settings: Settings, path: str) -> Iterator[tuple[Bytes, Bytes | None]]:
    """Yield the deals of a file in chunks: holders, shape (deals, 52), and trick tables, (deals, 20), None where its format has
    none.

    Files of fixed-size records are read in chunks; records that are not clean are left out. Raises UsageError where there is no
    deal in the file.
    """
    # Whatever its size: the deals are needed as arrays.
    large = large_file(settings, path, None, least=1)
    if large is None or not large.codec.deal_views:
        yield _of_boards(settings, path)
        return
    codec = large.codec
    names = dict.fromkeys((*codec.deal_fields, *codec.tricks_fields))
    for start in range(0, large.count, ROWS):
        stop = min(start + ROWS, large.count)
        # A record with an error may hold any bytes, and must not become a deal.
        arrays = codec.unpack(np.ascontiguousarray(large.rows(start, stop)[~large.mark(start, stop)]), names)
        tables = codec.tricks(arrays) if codec.tricks_view is not None else None
        yield codec.deals(arrays), tables


def _of_boards(settings: Settings, path: str) -> tuple[Bytes, Bytes]:
    boards = settings.engine.load(read(path), path=path).boards
    held = [board for board in boards if board.deal is not None]
    if not held:
        raise UsageError(f"{path}: there is no deal in it")
    holders = [board.deal.holders if board.deal is not None else bytes([UNKNOWN]) * 52 for board in held]
    tables = [bytes([UNSOLVED]) * 20 if board.tricks is None else board.tricks.cells for board in held]
    return (
        np.frombuffer(b"".join(holders), np.uint8).reshape(-1, 52),
        np.frombuffer(b"".join(tables), np.uint8).reshape(-1, 20),
    )
