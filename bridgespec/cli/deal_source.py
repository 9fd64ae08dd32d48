"""Where the command ``deal`` takes its deals from: random ones, or those of a file, with its results, as arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bridgespec.cli.files import read
from bridgespec.cli.records import large_file
from bridgespec.cli.settings import Settings
from bridgespec.dealing.condition import read_condition
from bridgespec.dealing.expression import Value, every
from bridgespec.dealing.stream import SharedDeals, StoredDeals, Stream, quotas_of
from bridgespec.errors import UsageError
from bridgespec.model.deal import UNKNOWN
from bridgespec.model.tricks import UNSOLVED

ROWS = 1 << 13
"""Records that are read at a time."""
Bytes = NDArray[np.uint8]
_SHARE = re.compile(r"\s*(?:([0-9]+)\s*\*)?(.*)", re.DOTALL)


DealSource = Stream | StoredDeals | SharedDeals
Shares = Sequence[tuple[Value, int]]
"""Conditions of shares, each with the number of its deals."""


def deal_source(
    settings: Settings,
    path: str | None,
    condition: Value,
    shares: Shares,
    known: Mapping[int, int],
    seed: int,
    threads: int | None,
) -> DealSource:
    """Return the source of the deals of a file, or of random deals where no file is named; ValueError for cards that cannot be."""

    def source(condition: Value, seed: int) -> Stream | StoredDeals:
        if path is None:
            return Stream(condition, known, seed, threads)
        return StoredDeals(stored_deals(settings, path), condition, known, seed, threads)

    if not shares:
        return source(condition, seed)
    sources = [source(every([condition, share]), seed + at) for at, (share, _) in enumerate(shares)]
    return SharedDeals(sources, [quota for _, quota in shares], seed)


def shares_of(texts: Sequence[str], count: int) -> Shares:
    """Return the conditions of shares with the number of deals of each; UsageError if a text cannot be read as a condition."""
    parts = [_SHARE.fullmatch(text) for text in texts]
    weights = [int(part[1] or 1) for part in parts if part is not None]
    if 0 in weights:
        raise UsageError("a share of 0 has no deals: leave it out")
    conditions = [read_condition(part[2]) for part in parts if part is not None]
    return list(zip(conditions, quotas_of(count, weights) if weights else [], strict=True))


def stored_deals(settings: Settings, path: str) -> Iterator[tuple[Bytes, Bytes | None]]:
    """Yield the deals of a file, (N, 52) holders, and their trick tables, (N, 20), None where its format holds none.

    Files of fixed-size records are read a stretch at a time; records that are not clean are left out. UsageError where there is no
    deal in the file.
    """
    large = large_file(settings, path, None, least=1)
    if large is None or not large.codec.deal_views:
        yield _of_boards(settings, path)
        return
    codec = large.codec
    names = dict.fromkeys((*codec.deal_fields, *codec.tricks_fields))
    for start in range(0, large.count, ROWS):
        stop = min(start + ROWS, large.count)
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
