"""Tables as sources: rows of boards, read in Arrow batches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bridgespec.cli.array_sources import RecordSource
from bridgespec.cli.board_sources import Batches
from bridgespec.cli.settings import Settings
from bridgespec.codec.pipeline import Batch
from bridgespec.errors import BridgespecError
from bridgespec.extras import Extra
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from bridgespec import tabular
    from bridgespec.codec.bulk.codec import BulkCodec
    from bridgespec.codec.bulk.packed_checks import SuspectFlags
    from bridgespec.tables import batches, bulk
    from bridgespec.tabular import BoardTable
else:
    tabular, np, pa = Lazy("bridgespec.tabular"), Lazy("numpy"), Extra("pyarrow")
    batches, bulk = Lazy("bridgespec.tables.batches"), Lazy("bridgespec.tables.bulk")

MOST_TRICKS = 13
"""The highest number of tricks of a solved cell."""


class StoredRecords(RecordSource):
    """A table file as a source, read in Arrow batches: each row is a board, and ``around`` is the document without boards.

    Arrays convert rows that state complete deals, results and numbers only.
    """

    def __init__(self, settings: Settings, shown: str, stored: BoardTable, size: int = 0) -> None:
        super().__init__(settings, shown, stored.format, size, stored.terms)
        self.stored, self.around = stored, tabular.around(stored)
        self.target: BulkCodec | None = None
        self._rewind()

    @property
    def count(self) -> int:
        return self.stored.count or 0

    def offset(self, record: int) -> int:
        return self.size * record // max(1, self.count)

    def _rewind(self) -> None:
        """Start reading the table at its first batch."""
        self._left, self._held, self._first, self._stop = self.stored.batches(), list[pa.RecordBatch](), 0, 0

    def _rows(self, start: int, stop: int) -> pa.RecordBatch:
        """Return the rows from ``start`` to ``stop``. The file is read again from its beginning if they precede the last ones
        returned.
        """
        if start < self._first:
            self._rewind()
        while self._stop < stop:
            self._held.append(next(self._left))
            self._stop += self._held[-1].num_rows
        while self._first + self._held[0].num_rows <= start:
            self._first += self._held.pop(0).num_rows
        # The rows may be in several batches of the file; a NumPy array needs them in one.
        rows = pa.Table.from_batches(self._held).slice(start - self._first, stop - start).combine_chunks()
        return rows.to_batches()[0]

    def piece(self, start: int, stop: int, last: bool = False) -> Batch:
        found = batches.boards_of(self._rows(start, stop))
        boards = (board if board.number is not None else replace(board, number=at) for at, board in enumerate(found, start + 1))
        # Each batch repeats the values that the file states for all boards, but only the first has the tags and comments of the
        # file.
        around = self.around if not start else replace(self.around, tags=(), comments=())
        return Batch(replace(around, boards=tuple(boards)), stop=self.offset(stop), last=last)

    def carry_into(self, target: BulkCodec) -> bool:
        self.target = target if bulk.is_plain(target) and not bulk.why_not_write(target, self.terms) else None
        return self.target is not None

    def carried(self, start: int, stop: int) -> tuple[SuspectFlags, NDArray[np.uint8]]:
        assert self.target is not None
        batch, target = self._rows(start, stop), self.target
        rows = batches.rows_of(batch)
        others = [batches.stated_rows(batch, term) for term in self.terms if term not in target.terms and term != "number"]
        lacking = [rows.absent[term] for term in target.terms & rows.absent.keys()]
        plain = np.any([np.zeros(len(rows), np.bool_), *others, *lacking], axis=0)
        if "tricks" in target.terms:
            # A cell that is not solved is 15.
            plain |= (rows.arrays["tricks"] > MOST_TRICKS).any(axis=1)
        try:
            records = bulk.packed(target, rows, start)
        except (BridgespecError, ValueError):
            # Some row cannot be packed. None is converted here, so that reading them as boards reports which.
            return np.zeros(len(rows), np.bool_), np.zeros((len(rows), target.record_size), np.uint8)
        return ~(plain | target.mark(records)), records

    def numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        rows, counting = batches.rows_of(self._rows(start, stop)), np.arange(start + 1, stop + 1)
        given = rows.arrays.get("number", counting)
        return np.where(rows.absent["number"], counting, given) if "number" in rows.absent else given

    def table(self, batches: Batches, edited: bool, derived: bool) -> BoardTable:
        return super().table(batches, edited, derived) if edited else replace(self.stored, derived=derived)
