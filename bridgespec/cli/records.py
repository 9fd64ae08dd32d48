"""Sources of records that arrays may carry into a format of fixed-size records: files of such records, and tables.

A `RecordSource` gives some of its records as bytes of the target, with a mark for each whether these are what the plain path
writes, and any of them as a `Batch` for the plain path.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from bridgespec.cli.examine import shown_name
from bridgespec.cli.files import size_of
from bridgespec.cli.large import Large, about, check_large
from bridgespec.cli.pieces import piece_of
from bridgespec.cli.render_marks import Source
from bridgespec.cli.settings import Settings
from bridgespec.cli.sources import Batches, BoardSource, Opened, stored_kind
from bridgespec.codec.pipeline import Batch
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import BridgespecError
from bridgespec.extras import Extra
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from bridgespec import tabular
    from bridgespec.codec.bulk import carry
    from bridgespec.codec.bulk.carry import Carrier, VariableCarrier
    from bridgespec.codec.bulk.check import Bad
    from bridgespec.codec.bulk.codec import BulkCodec
    from bridgespec.tables import batches, bulk
    from bridgespec.tabular import BoardTable
else:
    # Small files are converted without arrays, and so without NumPy.
    tabular, np, pa = Lazy("bridgespec.tabular"), Lazy("numpy"), Extra("pyarrow")
    carry, batches, bulk = Lazy("bridgespec.codec.bulk.carry"), Lazy("bridgespec.tables.batches"), Lazy("bridgespec.tables.bulk")

MOST_TRICKS = 13
BOARDS = 256
"""Records that are made boards together: each board takes some 90 kB while it is written."""


class RecordSource(BoardSource):
    """A source whose records are numbered from 0 on, of which there are ``count``; ``tail`` bytes come after them."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many records there are."""

    @property
    def tail(self) -> int:
        """How many bytes come after the whole records."""
        return 0

    @abstractmethod
    def offset(self, record: int) -> int:
        """Return the byte where a record begins, or how far the source is read by then."""

    @abstractmethod
    def piece(self, start: int, stop: int, last: bool = False) -> Batch:
        """Return some records as boards; the ``last`` ones with what comes after them."""

    @property
    def is_parted(self) -> bool:
        """Whether its records can be read in parts."""
        return True

    @abstractmethod
    def carry_into(self, target: BulkCodec) -> bool:
        """Whether arrays carry its records into a format, as `carried` does from then on."""

    @abstractmethod
    def carried(self, start: int, stop: int) -> tuple[Bad, NDArray[np.uint8]]:
        """Return which of some records are carried as they are, and the records of the target."""

    @abstractmethod
    def numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the numbers of boards that are carried."""

    def kinds(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return a number for each board that is carried by what it loses of its own fields."""
        return np.zeros(stop - start, np.int64)

    def batches(self, look: bool = True) -> Iterator[Batch]:
        for start in range(0, self.count, BOARDS):
            stop = min(start + BOARDS, self.count)
            yield self.piece(start, stop, stop == self.count)


class LargeRecords(RecordSource):
    """A file of fixed-size records, or of groups."""

    def __init__(self, settings: Settings, large: Large) -> None:
        terms = settings.engine.of(large.spec).binder.terms
        super().__init__(settings, shown_name(large.path), large.spec.id, large.size, terms)
        self.large, self.header = large, large.slice(0, large.codec.header_size)
        self.carrier: Carrier | VariableCarrier | None = None

    @property
    def count(self) -> int:
        return self.large.count

    @property
    def tail(self) -> int:
        return self.large.tail

    @property
    def is_parted(self) -> bool:
        return self.large.count > 0 and self.large.parted

    def offset(self, record: int) -> int:
        return self.large.offset(record)

    def raw(self, start: int, stop: int | None) -> bytes:
        """Return the bytes of some records, or of all from the first on with what comes after them."""
        return self.large.slice(self.large.offset(start), self.size if stop is None else self.large.offset(stop))

    def clean(self, start: int, stop: int) -> Bad:
        """Return which of some records arrays prove to be clean."""
        return ~self.large.mark(start, stop)

    def piece(self, start: int, stop: int, last: bool = False) -> Batch:
        end = self.size if last else self.large.offset(stop)
        piece = piece_of(self.large, start, stop, last)
        return Batch(piece.document, piece.findings, b"", end, last)

    def unread(self, batch: Batch) -> Iterable[Diagnostic]:
        return (found for found in batch.findings if found.severity is Severity.ERROR)

    def source(self) -> Source:
        return self.large.source()

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        return about(self.settings, self.large, errors)

    def carry_into(self, target: BulkCodec) -> bool:
        self.carrier = self.large.carrier(target)
        return self.carrier is not None

    @property
    def is_single(self) -> bool:
        """Whether arrays carry single records, as workers of a cluster do."""
        return isinstance(self.carrier, carry.Carrier)

    def carried(self, start: int, stop: int) -> tuple[Bad, NDArray[np.uint8]]:
        assert self.carrier is not None
        return self.large.carried(self.carrier, start, stop)

    def numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        return self.large.numbers(start, stop)

    def kinds(self, start: int, stop: int) -> NDArray[np.int64]:
        return self.large.kinds(self.carrier, start, stop)

    def table(self, batches: Batches, edited: bool, derived: bool) -> BoardTable:
        return tabular.of_source(self.settings.engine, self.large.path, self.large.spec.id, derived)


class JudgedRecords(LargeRecords):
    """A file of records for its table; its ``findings``, found for all of it at once, are None where it must be read whole."""

    def __init__(self, settings: Settings, large: Large) -> None:
        super().__init__(settings, large)
        judged = check_large(settings, large, rules=False)
        self.findings = None if judged is None else judged.errors

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        return self.findings or []


class StoredRecords(RecordSource):
    """A table, which is read a batch of Arrow at a time: its rows are boards, and ``around`` is what it states of all of them.

    Arrays carry rows of whole deals and results that state nothing else but a number.
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
        self._left, self._held, self._first, self._stop = self.stored.batches(), list[pa.RecordBatch](), 0, 0

    def _rows(self, start: int, stop: int) -> pa.RecordBatch:
        """Return some rows; the source is read again where they lie before the last ones."""
        if start < self._first:
            self._rewind()
        while self._stop < stop:
            self._held.append(next(self._left))
            self._stop += self._held[-1].num_rows
        while self._first + self._held[0].num_rows <= start:
            self._first += self._held.pop(0).num_rows
        rows = pa.Table.from_batches(self._held).slice(start - self._first, stop - start).combine_chunks()
        return rows.to_batches()[0]

    def piece(self, start: int, stop: int, last: bool = False) -> Batch:
        found = batches.boards_of(self._rows(start, stop))
        boards = (board if board.number is not None else replace(board, number=at) for at, board in enumerate(found, start + 1))
        around = self.around if not start else replace(self.around, tags=(), comments=())
        return Batch(replace(around, boards=tuple(boards)), stop=self.offset(stop), last=last)

    def carry_into(self, target: BulkCodec) -> bool:
        self.target = target if bulk.is_plain(target) and not bulk.why_not_write(target, self.terms) else None
        return self.target is not None

    def carried(self, start: int, stop: int) -> tuple[Bad, NDArray[np.uint8]]:
        assert self.target is not None
        batch, target = self._rows(start, stop), self.target
        rows = batches.rows_of(batch)
        others = [batches.said_of(batch, term) for term in self.terms if term not in target.terms and term != "number"]
        lacking = [rows.absent[term] for term in target.terms & rows.absent.keys()]
        plain = np.any([np.zeros(len(rows), np.bool_), *others, *lacking], axis=0)
        if "tricks" in target.terms:
            plain |= (rows.arrays["tricks"] > MOST_TRICKS).any(axis=1)
        try:
            records = bulk.packed(target, rows, start)
        except (BridgespecError, ValueError):
            # Which row it is the plain path finds out.
            return np.zeros(len(rows), np.bool_), np.zeros((len(rows), target.record_size), np.uint8)
        return ~(plain | target.mark(records)), records

    def numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        rows, counting = batches.rows_of(self._rows(start, stop)), np.arange(start + 1, stop + 1)
        given = rows.arrays.get("number", counting)
        return np.where(rows.absent["number"], counting, given) if "number" in rows.absent else given

    def table(self, batches: Batches, edited: bool, derived: bool) -> BoardTable:
        return super().table(batches, edited, derived) if edited else replace(self.stored, derived=derived)


def stored_records(settings: Settings, path: str, format: str | None, again: Opened | None = None) -> StoredRecords | None:
    """The table to be read some rows at a time; None for any other source, and where it holds a bidding system."""
    kind = stored_kind(settings, path, format)
    if kind is None:
        return None
    found = StoredRecords(settings, shown_name(path), tabular.of_source(settings.engine, again or path, kind), size_of(path) or 0)
    return found if found.around.system is None else None
