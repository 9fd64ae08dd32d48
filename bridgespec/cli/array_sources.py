"""Sources of records that NumPy arrays may convert to a format of fixed-size records.

A `RecordSource` returns records as bytes of the target, with a boolean for each: whether it is proven to equal the output of
`codec.pipeline`, which reads and writes documents. All other records are returned as a `Batch` for that pipeline. `LargeRecords`
is a file of such records with random access; `cli.stored` has those of a table.
"""

from __future__ import annotations

import mmap
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from bridgespec.cli.board_sources import Batches, BoardSource
from bridgespec.cli.examine import shown_name
from bridgespec.cli.files import opened, size_of
from bridgespec.cli.render_marks import RenderSource
from bridgespec.cli.settings import Settings
from bridgespec.codec.code_numbers import NUMBERS, term_of
from bridgespec.codec.origin import Excerpt
from bridgespec.codec.pipeline import Batch
from bridgespec.codec.terms import TERMS
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import SpecError
from bridgespec.examined import Report
from bridgespec.lazily import Lazy
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bridgespec import tabular
    from bridgespec.codec.bulk import carry, groups
    from bridgespec.codec.bulk import codec as bulk_codec
    from bridgespec.codec.bulk import plan as bulk_plan
    from bridgespec.codec.bulk.carry import Carrier, VariableCarrier
    from bridgespec.codec.bulk.codec import BulkCodec, Judge
    from bridgespec.codec.bulk.groups import Cut, VariableCodec
    from bridgespec.codec.bulk.packed_checks import SuspectFlags
    from bridgespec.codec.bulk.plan import RecordBytes
    from bridgespec.tabular import BoardTable
else:
    # Files that are not large are read without arrays, and so without importing NumPy.
    bulk_codec = Lazy("bridgespec.codec.bulk.codec")
    groups, carry = Lazy("bridgespec.codec.bulk.groups"), Lazy("bridgespec.codec.bulk.carry")
    bulk_plan = Lazy("bridgespec.codec.bulk.plan")
    np, tabular = Lazy("numpy"), Lazy("bridgespec.tabular")

BOARDS = 256
"""The number of records in a batch: each board takes some 90 kB while it is written."""
ROWS = 1 << 15
"""The number of records that arrays check at a time."""
LARGE = 1 << 16
"""The size in bytes from which on files are processed as arrays where their format allows it."""
WINDOW = 1 << 18
"""The number of bytes from which records of several sizes are cut at a time."""
BLOCK = 256
"""The number of records of several sizes for which one offset is kept: a hundredth of the file at most."""


class RecordSource(BoardSource):
    """A source of ``count`` records, numbered from 0, followed by ``tail`` bytes."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of records."""

    @property
    def tail(self) -> int:
        """The number of bytes after the last complete record."""
        return 0

    @abstractmethod
    def offset(self, record: int) -> int:
        """Return the offset of a record in bytes; for a table an estimate from the size of its file."""

    @abstractmethod
    def piece(self, start: int, stop: int, last: bool = False) -> Batch:
        """Return the records from ``start`` to ``stop`` as a batch of boards. With ``last`` the bytes after the records are
        included.
        """

    @property
    def is_parted(self) -> bool:
        """Whether records can be read without those before them."""
        return True

    @abstractmethod
    def carry_into(self, target: BulkCodec) -> bool:
        """Prepare to convert records to the target's format, and return whether arrays can do so."""

    @abstractmethod
    def carried(self, start: int, stop: int) -> tuple[SuspectFlags, NDArray[np.uint8]]:
        """Convert the records from ``start`` to ``stop``. Return a boolean for each, whether it was converted, and the target's
        records.
        """

    @abstractmethod
    def numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the board numbers of the records from ``start`` to ``stop``, for those that are converted."""

    def kinds(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return an integer for each record: equal for records that lose the same fields of the source's own format."""
        return np.zeros(stop - start, np.int64)

    def batches(self, look: bool = True) -> Iterator[Batch]:
        for start in range(0, self.count, BOARDS):
            stop = min(start + BOARDS, self.count)
            yield self.piece(start, stop, stop == self.count)


class LargeRecords(RecordSource):
    """A large file of fixed-size records; `large_file` makes it. ``named`` is true if an option names its format, so that the
    extension did not determine it.
    """

    spec: Spec
    carrier: Carrier | None = None

    def __init__(self, settings: Settings, path: str, spec: Spec, codec: BulkCodec, size: int, named: bool = False) -> None:
        super().__init__(settings, shown_name(path), spec.id, size, settings.engine.of(spec).binder.terms)
        self.path, self.spec, self.codec, self.named = path, spec, codec, named
        self.header = self.slice(0, codec.header_size)

    def slice(self, start: int, stop: int) -> bytes:
        """Return the bytes of the file from ``start`` to ``stop``."""
        with opened(self.path) as file:
            file.seek(start)
            return file.read(max(0, stop - start))

    def source(self) -> RenderSource:
        """Return the source of the bytes that printed findings quote."""
        with opened(self.path) as file:
            # Mapped, since only the lines of findings are read. The map has a descriptor of its own, so the file may be closed.
            return RenderSource(self.path, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def offset(self, record: int) -> int:
        """Return the offset of a record in bytes."""
        return self.codec.header_size + record * self.codec.record_size

    def rows(self, start: int, stop: int) -> NDArray[np.uint8]:
        """Return the bytes of the records from ``start`` to ``stop``, one row each."""
        data = self.slice(self.offset(start), self.offset(stop))
        return np.frombuffer(data, np.uint8).reshape(-1, self.codec.record_size)

    @cached_property
    def count(self) -> int:
        """The number of complete records before the end of the file, or before the record that ends the list."""
        whole = max(0, self.size - self.codec.header_size) // self.codec.record_size
        if self.codec.layout.end is None:
            return whole
        for start in range(0, whole, ROWS):
            rows = self.rows(start, min(start + ROWS, whole))
            if (stop := self.codec.first_end(rows)) < len(rows):
                return start + stop
        return whole

    @property
    def tail(self) -> int:
        """The number of bytes after the last complete record: an end record, an incomplete record, or others."""
        return self.size - self.offset(self.count)

    def header_of(self, records: int) -> bytes:
        """Return the header for a file of ``records`` records, otherwise equal to that of this file."""
        if not self.codec.header_size:
            return b""
        # Derived fields are left out, so that the codec computes them: they may depend on the number of records.
        stored = {name: value for name, value in self.codec.read_header(self.header).items() if not self.codec.derives(name)}
        return self.codec.header(records, stored).tobytes()

    def mark(self, start: int, stop: int, judges: Sequence[Judge] = ()) -> SuspectFlags:
        """Return a boolean for each record from ``start`` to ``stop``: whether it may break a constraint, as `BulkCodec.mark`."""
        return self.codec.mark(self.rows(start, stop), judges)

    def mark_numbers(self, start: int, stop: int) -> SuspectFlags:
        """Return a boolean for each record: whether the number that it states for the first or last board of the file is wrong, or
        cannot be read by arrays.
        """
        bad = np.zeros(stop - start, np.bool_)
        if not self.codec.numbers.keys() & {"first_number", "last_number"}:
            return bad
        first = self._first_number if self.stated[1] is None or not self.stated[0] else self.stated[1]
        # Some programs write the number of boards in place of the last board's number; `RecordJudge` allows both too.
        for term, known in (("first_number", (first,)), ("last_number", (first + self.board_count - 1, self.board_count))):
            numbers = self.codec.numbered(self.rows(start, stop), term) if term in self.codec.numbers else None
            if numbers is not None:
                bad |= ~np.isin(numbers, (bulk_plan.BLANK, *known))
        return bad

    def deals(self, start: int, stop: int) -> NDArray[np.uint8]:
        """Return the holders of the cards in the records from ``start`` to ``stop``, as `BulkCodec.deals`."""
        return self.codec.deals(self.codec.unpack(self.rows(start, stop), self.codec.deal_fields))

    def carry_into(self, target: BulkCodec) -> bool:
        self.carrier = carry.Carrier.of(self.codec, target)
        return self.carrier is not None

    @property
    def is_single(self) -> bool:
        """Whether workers of a cluster can convert the records, each chunk by itself."""
        return self.carrier is not None

    def carried(self, start: int, stop: int) -> tuple[SuspectFlags, RecordBytes]:
        """Like `RecordSource.carried`; a record whose board number arrays cannot read is not converted."""
        assert self.carrier is not None
        good, made = self.carrier.carry(self.rows(start, stop))
        return good & (self.numbers(start, stop) > 0) if "number" in self.codec.numbers else good, made

    def kinds(self, start: int, stop: int) -> NDArray[np.int64]:
        return super().kinds(start, stop) if self.carrier is None else self.carrier.kinds(self.rows(start, stop))

    @property
    def is_parted(self) -> bool:
        """Whether each record can be read and checked without those before it.

        False if the header has errors, if bytes follow the records of a file with a header, or if a record depends on a number of
        earlier records that arrays cannot read.
        """
        header = np.frombuffer(self.header, np.uint8)
        if not self.count or len(header) < self.codec.header_size:
            return False
        if len(header) and (self.tail or self.codec.bad_header(header, self.count)):
            return False
        numbers = self.codec.numbers
        if "first_number" in numbers and NUMBERS & {term_of(leaf.decl) for leaf in self.codec.layout.header.leaves}:
            return False
        return None not in numbers.values() and all(term in numbers or TERMS[term].ON == "board" for term in self.codec.terms)

    # --- what a record depends on

    @cached_property
    def stated(self) -> tuple[int, int | None]:
        """The index of the first record that states the number of the file's first board, and that number. Where no record states
        it, the index is the number of records and the second value None.
        """
        for start in range(0, self.count if "first_number" in self.codec.numbers else 0, ROWS):
            numbers = self.codec.numbered(self.rows(start, min(start + ROWS, self.count)), "first_number")
            if numbers is not None and len(given := np.flatnonzero(numbers >= 0)):
                return start + int(given[0]), int(numbers[given[0]])
        return self.count, None

    @cached_property
    def board_count(self) -> int:
        """The number of boards in the file. An incomplete last board is counted only where records state the number of the last
        one.
        """
        if "last_number" not in self.codec.numbers or not self.tail:
            return self.count
        data = self.header_of(1) + self.slice(self.offset(self.count), self.size)
        return self.count + len(self.settings.engine.excerpt(self.spec, data, self.path, Excerpt(self.count)).document.boards)

    @cached_property
    def _first_number(self) -> int:
        """The number of the first board in the file."""
        boards = self.report(0, 1).document.boards
        return boards[0].number or 1 if boards else 1

    def numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the board numbers of the records from ``start`` to ``stop``; below zero where arrays cannot read one."""
        own = self.codec.numbered(self.rows(start, stop), "number") if "number" in self.codec.numbers else None
        if own is not None:
            return own
        numbers = np.arange(start, stop, dtype=np.int64) + self._first_number
        index, first = self.stated
        if first is not None:
            numbers[max(0, index - start) :] += first - (self._first_number if index else first)
        return numbers

    @property
    def repeats(self) -> bool:
        """Whether two boards may have the same number: records state their numbers, or a later record states that of the first
        board.
        """
        index, first = self.stated
        return "number" in self.codec.numbers or (first is not None and index > 0 and first < self._first_number)

    def report(self, start: int, stop: int, rules: bool = False, tail: bool = False) -> Report:
        """Read the records from ``start`` to ``stop`` as a document, and return the report; with ``tail``, all bytes after them
        too.
        """
        # The header counts the records of the excerpt: with the count of the file each excerpt would have a finding about it.
        data = self.header_of(stop - start) + self.slice(self.offset(start), self.size if tail else self.offset(stop))
        index, first = self.stated
        excerpt = Excerpt(start, first if start > index else None, first, self.board_count)
        return self.settings.engine.excerpt(self.spec, data, self.path, excerpt, rules)

    # --- its records as boards

    def clean(self, start: int, stop: int) -> SuspectFlags:
        """Return a boolean for each record from ``start`` to ``stop``: whether arrays prove that reading it gives no findings."""
        return ~self.mark(start, stop)

    def placed(self, found: Iterable[Diagnostic], record: int) -> tuple[Diagnostic, ...]:
        """Return findings on an excerpt that begins with the record of index ``record``, with their positions in the whole file."""
        shift, name = self.offset(record) - self.codec.header_size, self.codec.layout.list.name
        return tuple(moved(one, shift, record, name) for one in found)

    def piece(self, start: int, stop: int, last: bool = False) -> Batch:
        report, end = self.report(start, stop, tail=last), self.size if last else self.offset(stop)
        own = self.slice(self.offset(start), end)
        return Batch(report.document, self.placed(report.diagnostics, start), own, end, last)

    def unread(self, batch: Batch) -> Iterable[Diagnostic]:
        return (found for found in batch.findings if found.severity is Severity.ERROR)

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        """Return the findings on the file as a whole, for ``errors`` errors found in it; empty without any."""
        if not errors:
            return []
        path = None if self.named else self.path
        found = self.settings.engine.about(self.spec, self.slice(0, self.size), errors, self.count, path)
        return [replace(one, path=self.path) for one in found]

    def table(self, batches: Batches, edited: bool, derived: bool) -> BoardTable:
        return (
            super().table(batches, edited, derived)
            if edited
            else tabular.of_source(self.settings.engine, self.path, self.spec.id, derived)
        )


class VariableRecords(LargeRecords):
    """A large file of records of several sizes; ``codec`` is that of the header and of the end record, which all files of the
    format have.
    """

    cutter: VariableCarrier | None = None
    is_single = False

    def __init__(self, settings: Settings, path: str, spec: Spec, variable: VariableCodec, size: int, named: bool = False) -> None:
        self.variable = variable
        super().__init__(settings, path, spec, variable.one, size, named)

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], int]:
        """The offset of every `BLOCK`-th record, then the end of the last one, and the number of complete records."""
        sparse: list[NDArray[np.int64]] = []
        count, at, window = 0, self.codec.header_size, WINDOW
        while at < self.size:
            cut = self.variable.cut(self._bytes(at, at + window))
            # The negative remainder is the distance from the first record of this window to the next multiple of BLOCK.
            sparse.append(cut.starts[-count % BLOCK :: BLOCK] + at)
            count, at = count + len(cut.starts), at + cut.stop
            if cut.ended or (not cut.stop and at + window >= self.size):
                break
            # A window that ends within its first record yields none: without a larger one the loop would not end.
            window = WINDOW if cut.stop else 2 * window
        return np.concatenate([*sparse, np.array([at])]), count

    def _bytes(self, start: int, stop: int) -> NDArray[np.uint8]:
        """Return the bytes of the file from ``start`` to ``stop``, or to the end of the file."""
        return np.frombuffer(self.slice(start, min(stop, self.size)), np.uint8)

    @property
    def count(self) -> int:
        """The number of complete records, before the end of the file or the record that ends the list."""
        return self._index[1]

    @property
    def is_parted(self) -> bool:
        """Like `LargeRecords.is_parted`; False where a record depends on the ones before it."""
        terms = self.codec.terms | self.terms
        return super().is_parted and not terms & (NUMBERS | {"tricks"})

    def offset(self, record: int) -> int:
        """Return the offset of a record in bytes; for the number of records, the end of the last one."""
        sparse, count = self._index
        if record >= count:
            return int(sparse[-1])
        block, rest = divmod(record, BLOCK)
        begin = int(sparse[block])
        return begin + int(self.variable.cut(self._bytes(begin, int(sparse[block + 1]))).starts[rest]) if rest else begin

    def _cut(self, start: int, stop: int) -> tuple[NDArray[np.uint8], Cut]:
        """Return the bytes of the records from ``start`` to ``stop``, and where each begins in them."""
        data = self._bytes(self.offset(start), self.offset(stop))
        return data, self.variable.cut(data)

    def mark(self, start: int, stop: int, judges: Sequence[Judge] = ()) -> SuspectFlags:
        """Like `LargeRecords.mark`."""
        return self.variable.mark(*self._cut(start, stop), judges)

    def carry_into(self, target: BulkCodec) -> bool:
        self.cutter = carry.VariableCarrier(self.variable, target) if target.deal_views else None
        return self.cutter is not None

    def carried(self, start: int, stop: int) -> tuple[SuspectFlags, RecordBytes]:
        assert self.cutter is not None
        return self.cutter.carry(*self._cut(start, stop))

    def kinds(self, start: int, stop: int) -> NDArray[np.int64]:
        return super().kinds(start, stop) if self.cutter is None else self.cutter.kinds(*self._cut(start, stop))


def large_file(
    settings: Settings, path: str, format: str | None, least: int | None = None, grouped: bool = False
) -> LargeRecords | None:
    """Return the file at a path as large records; None where it has fewer than ``least`` bytes (`LARGE`), or its format does not
    allow this.

    ``grouped``: records may have several sizes, since the caller accesses them by their indexes only.
    """
    size = size_of(path)
    if size is None or size < (LARGE if least is None else least):
        return None
    # Only the extension is used: recognising a format by its content reads the whole file.
    spec = settings.engine.spec(format) if format else settings.engine.named(path)
    if spec is None or spec.language == "lark":
        # The records of a text have no fixed size; returning here avoids the import of NumPy.
        return None
    try:
        return LargeRecords(settings, path, spec, bulk_codec.BulkCodec(spec), size, format is not None)
    except SpecError:
        if not grouped:
            return None
    try:
        return VariableRecords(settings, path, spec, groups.variable(spec), size, format is not None)
    except SpecError:
        return None


def moved(found: Diagnostic, offset: int, records: int, list_name: str) -> Diagnostic:
    """Return a finding on an excerpt with its positions in the whole file, in which ``offset`` bytes and ``records`` records
    precede the excerpt.

    >>> from bridgespec.diagnostic import Severity, Span
    >>> far = moved(Diagnostic("x", Severity.ERROR, "m", None, 0, "boards[0].deal", Span(8, 16)), 100, 7, "boards")
    >>> far.record, far.field, far.span.byte_start
    (7, 'boards[7].deal', 101)
    """
    return replace(
        found.shifted(offset),
        record=None if found.record is None else found.record + records,
        field=_moved_field(found.field, records, list_name),
    )


def _moved_field(field: str | None, records: int, list_name: str) -> str | None:
    """Return a field path with ``records`` added to its index in the list of records; another path unchanged."""
    if field is None or not field.startswith(f"{list_name}["):
        return field
    index, _, rest = field[len(list_name) + 1 :].partition("]")
    return f"{list_name}[{int(index) + records}]{rest}" if index.isdigit() else field
