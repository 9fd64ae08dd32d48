"""The bulk codec: files of fixed-size records as NumPy arrays, derived from a spec alone.

A `BulkCodec` reads fields into arrays with one row per record, writes arrays back, and finds the records that break a constraint;
the reference codec then explains the few that are found. `why_not` returns the reason for which a spec has no bulk codec. For
streams, with memory that does not grow with the file, see ``stream.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.blocks import BlockCodec, BulkField, DealCheck, FileParts, Verdict, preferred_deals
from bridgespec.codec.bulk.layout import BulkLayout, Refusal
from bridgespec.codec.bulk.packed_checks import ArraysByName, RecordCheck, RunCounts, SuspectFlags
from bridgespec.codec.bulk.plan import RecordBytes
from bridgespec.codec.bulk.view import CellsView, DealView, deal_views, number_views, tricks_view
from bridgespec.codec.code_numbers import SEATS, term_of
from bridgespec.errors import ReadError, RecordError, SpecError, UsageError, WriteError
from bridgespec.model.arrays import CellArray, ResultsJudge
from bridgespec.spec.ir import BOARDS, Spec

BytesLike = bytes | bytearray | memoryview | NDArray[np.uint8]
_STEP = 1 << 15
Judge = Callable[[CellArray | None, CellArray | None], SuspectFlags]
"""A function that returns a boolean for each record: whether it is a suspect by its deal and its trick table, which are in the
model's order; each is None if the records have none (see ``model.arrays``).
"""


class BulkCodec:
    """Reads, writes and checks the files of one spec as arrays. Raises SpecError for a spec without fixed-size records (`why_not`).

    ``fields`` describes the arrays; ``record_size`` and ``header_size`` are in bytes. Arrays have one row a record, in file order.

    >>> from bridgespec.spec.catalog import Catalog
    >>> codec = BulkCodec(Catalog().load("zrd"))
    >>> codec.record_size, codec.fields["tricks"].shape, codec.fields["tricks"].axes[0]
    (23, (20,), Axis(name='strain', labels='NSHDC'))
    >>> data = bytes.fromhex("72527a0ae17ae4f952e041fc7c494949492b2a39396767") * 2
    >>> arrays = codec.read(data)
    >>> arrays["deal"].shape, arrays["tricks"][0, :4].tolist()
    ((2, 52), [9, 4, 9, 4])
    >>> codec.write(arrays).tobytes() == data, codec.check(data).bad.tolist()
    (True, [])
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        try:
            self.layout = BulkLayout.of(spec)
            self._sizes = {self.layout.list.name: 0}
            self._header = BlockCodec(self.layout.header, spec, {}, self._sizes)
            leaves = {leaf.name: leaf for leaf in self.layout.record.leaves}
            self.deal_views: list[DealView] = []
            self.tricks_view: CellsView | None = None
            if (self.layout.list.binding.term or self.layout.list.name) == BOARDS:
                self.deal_views, self.tricks_view = deal_views(spec, leaves), tricks_view(spec, leaves)
            self.numbers = number_views(leaves) if spec.has_model else {}
            extra = {}
            if self.tricks_view is not None:
                table = self.tricks_view.table
                extra[self.tricks_view.leaf.name] = lambda values: ~np.isin(table[values & 0xFF], (14, 255))
            self._record = BlockCodec(self.layout.record, spec, extra, {})
        except Refusal as reason:
            raise SpecError(f"{spec.id} cannot be read in bulk: {reason}") from None
        self._record.checks += self._deal_checks()
        self.record_size, self.header_size = self.layout.record.size, self.layout.header.size
        self.fields = {name: BulkField(p.dtype, p.shape, p.leaf.axes) for name, p in self._record.plans.items()}

    def _deal_checks(self) -> list[RecordCheck]:
        """Return the checks that records have valid deals: on packed bytes where a single field has the deal, else on arrays."""
        if not self.deal_views:
            return []
        view = self.deal_views[0]
        if len(self.deal_views) == 1 and isinstance(view, CellsView):
            leaf = view.leaf
            if leaf.packed and leaf.width in (1, 2, 4, 8):
                return [RunCounts(leaf, view.table)]
        return [DealCheck(self.deal_views, self._record.plans)]

    # --- files ------------------------------------------------------------------------------------------------------

    def frame(self, buffer: BytesLike) -> FileParts:
        """Return the parts of a whole file as views of the buffer. Raises ReadError where it is shorter than its header."""
        data = np.frombuffer(buffer, np.uint8)
        if len(data) < self.header_size:
            raise ReadError(f"the header takes {self.header_size} bytes; the file has {len(data)}")
        body = data[self.header_size :]
        count = len(body) // self.record_size
        records = body[: count * self.record_size].reshape(count, self.record_size)
        stop = self.first_end(records)
        after = body[stop * self.record_size :]
        size = self.end_size(after)
        return FileParts(data[: self.header_size], records[:stop], after[:size], after[size:])

    def first_end(self, records: RecordBytes) -> int:
        """Return the index of the first record that ends the list; the number of records where none does."""
        end = self.layout.end
        if end is None or not len(records):
            return len(records)
        size = end.bits // 8
        word = records[:, :size].view(f"<u{size}")[:, 0] if size in (1, 2, 4, 8) else records[:, :size].any(axis=1)
        return len(records) if word.min() else int(word.argmin())

    def end_size(self, after: NDArray[np.uint8]) -> int:
        """Return how many of the bytes after the last record are an end record: a whole one, a short one at the end of the data, or
        0.
        """
        end = self.layout.end
        if end is None or len(after) < end.bits // 8 or after[: end.bits // 8].any():
            return 0
        if len(after) >= self.record_size:
            return self.record_size
        return end.short if len(after) == end.short else 0

    def read(
        self, buffer: BytesLike, fields: Iterable[str] | None = None, out: ArraysByName | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return the arrays of a whole file, all fields or the named ones; a field with an array in ``out`` is written to that
        array. Raises ReadError for a file with bytes after its last record.
        """
        frame = self.frame(buffer)
        if len(frame.rest):
            count = len(frame.records)
            at = self.header_size + count * self.record_size + len(frame.end)
            after = f"{count} records of {self.record_size} bytes" + (" and the end record" if len(frame.end) else "")
            raise ReadError(f"{len(frame.rest)} bytes are left over at offset {at}, after {after}")
        return self.unpack(frame.records, fields, out)

    def read_header(self, buffer: BytesLike) -> dict[str, NDArray[Any]]:
        """Return the header's fields, each an array of its shape."""
        data = np.ascontiguousarray(self.frame(buffer).header).reshape(1, -1)
        return {name: array[0] for name, array in self._header.unpack(data, self._header.plans).items()} if data.size else {}

    def write(
        self,
        arrays: ArraysByName,
        out: NDArray[np.uint8] | None = None,
        header: ArraysByName | None = None,
        end: bytes = b"",
    ) -> NDArray[np.uint8]:
        """Return the bytes of a file with these arrays; ``end`` is appended after the last record unchanged.

        Constants, derived values and fields with a default may be missing. Raises UsageError for any other field that is missing or
        has the wrong shape, WriteError for a value that does not fit.
        """
        counts = {len(array) for array in arrays.values()}
        if len(counts) != 1:
            raise UsageError("the arrays need one row for each record: all must have equally many rows")
        (count,) = counts
        size = self.header_size + count * self.record_size
        data = np.zeros(size + len(end), np.uint8) if out is None else out
        if data.shape != (size + len(end),) or data.dtype != np.uint8 or not data.flags.c_contiguous:
            raise UsageError(f"the output needs an array of {size + len(end)} bytes")
        data[: self.header_size] = self.header(count, header)
        self.pack(arrays, data[self.header_size : size].reshape(count, self.record_size))
        data[size:] = np.frombuffer(end, np.uint8)
        return data

    def header(self, count: int, given: ArraysByName | None = None) -> NDArray[np.uint8]:
        """Return the header's bytes for a file of ``count`` records: the given fields, and those that can be derived."""
        data = np.zeros((1, self.header_size), np.uint8)
        if self.header_size:
            rows = {name: np.asarray(value)[None] for name, value in (given or {}).items()}
            self._header.pack(self._header.complete(rows, 1, sizes={self.layout.list.name: count}), data)
        row: NDArray[np.uint8] = data[0]
        return row

    def derives(self, name: str) -> bool:
        """Whether a field of the header is derived from other parts of the file."""
        return self._header.plans[name].leaf.decl.binding.value is not None

    def check(self, buffer: BytesLike, judges: Sequence[Judge] = ()) -> Verdict:
        """Return which records of a file may break a constraint of the schema or of the deal and the trick table, or are marked
        by a function in ``judges``.

        A marked record may be correct (a rule may allow a rare value). A record that is not marked breaks no ``valid``,
        ``contents`` or enum, no record check and no derived value, and its deal has thirteen cards for each seat, or is an ending
        with equally many.
        """
        frame = self.frame(buffer)
        count = len(frame.records)
        at = self.header_size + count * self.record_size + len(frame.end)
        bad = np.flatnonzero(self.mark(frame.records, judges)).astype(np.int64)
        return Verdict(count, bad, self.bad_header(frame.header, count), len(frame.end), len(frame.rest), at)

    def bad_header(self, header: NDArray[np.uint8], count: int) -> bool:
        """Whether a header may break a constraint, in a file of ``count`` records."""
        self._sizes[self.layout.list.name] = count
        return bool(self.header_size and self._header.mark(np.ascontiguousarray(header).reshape(1, -1))[0])

    # --- records ----------------------------------------------------------------------------------------------------

    def unpack(
        self, records: RecordBytes, fields: Iterable[str] | None = None, out: ArraysByName | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return the arrays of whole records, shape (records, record size), without a header or an end."""
        return self._record.unpack(records, self.fields if fields is None else fields, out)

    def room(self, count: int, fields: Iterable[str] | None = None) -> dict[str, NDArray[Any]]:
        """Return uninitialised arrays for ``count`` records, all fields or the named ones. Passed as ``out`` for each chunk of a
        file, they save allocating new ones.
        """
        names = self.fields if fields is None else fields
        return {name: np.empty((count, *self.fields[name].shape), self.fields[name].dtype) for name in names}

    def pack(self, arrays: ArraysByName, records: RecordBytes, first: int = 0) -> None:
        """Write arrays into the rows of ``records``; ``first`` is the index of the first row in the file. Constants, derived
        values and fields with a default may be missing. Raises UsageError for another missing field, RecordError for the first
        value that does not fit.
        """
        unknown = [name for name in arrays if name not in self.fields]
        if unknown:
            raise UsageError(f"there is no field {unknown[0]!r}; there are {', '.join(self.fields)}")
        if len(arrays) < len(self.fields):
            arrays = self._record.complete(arrays, len(records), first)
        if any(leaf.kind == "bits" for leaf in self.layout.record.leaves) or self.layout.record.leaves == ():
            self._clear_gaps(records)
        try:
            self._record.pack(arrays, records)
        except RecordError as problem:
            raise problem.after(first) from None
        self.refuse_end(records, first)

    def refuse_end(self, records: RecordBytes, first: int) -> None:
        """Raise RecordError for the first of these records that would read as the end of the list; ``first`` is the index of the
        first row in the file.
        """
        if (stop := self.first_end(records)) < len(records):
            raise RecordError(first + stop, "it would read as the end of the list, since it begins with null bits")

    def _clear_gaps(self, records: RecordBytes) -> None:
        """Set all bytes to zero if some bits of a record belong to no field."""
        covered = sum(leaf.count * leaf.width for leaf in self.layout.record.leaves)
        if covered < 8 * self.record_size:
            records[:] = 0

    def mark(self, records: RecordBytes, judges: Sequence[Judge] = ()) -> SuspectFlags:
        """Return a boolean for each record: whether it may break a constraint of the schema, or is marked by a function in
        ``judges``.

        If deals and trick tables are stored packed in the model's order and codes, and all ``judges`` take them so, they are not
        unpacked: on unpacked arrays the judges alone would take more time than all other checks.
        """
        bad = self._record.mark(records)
        if not self.deal_views and self.tricks_view is None:
            return bad  # records without a deal and a table have nothing for the judges
        names = dict.fromkeys((*self.deal_fields, *self.tricks_fields))
        quick = [judge for judge in judges if isinstance(judge, ResultsJudge)]
        room = self.room(min(_STEP, len(records)), names) if judges else {}
        for low in range(0, len(records) if judges else 0, _STEP):
            rows = records[low : low + _STEP]
            if len(quick) == len(judges) and (packed := self._packed(rows)) is not None:
                for one in quick:
                    bad[low : low + _STEP] |= one.packed(*packed)
                continue
            arrays = self.unpack(rows, names, {name: array[: len(rows)] for name, array in room.items()})
            deals = self.deals(arrays) if self.deal_views else None
            tricks = self.tricks(arrays) if self.tricks_view else None
            for judge in judges:
                bad[low : low + _STEP] |= judge(deals, tricks)
        return bad

    def _packed(self, records: RecordBytes) -> tuple[RecordBytes | None, RecordBytes] | None:
        """Return packed deals (None if records have none) and trick tables, if both are stored as bytes in the model's order and
        codes: 13 bytes for a deal, 10 for a table. Else return None.
        """
        tricks = None if self.tricks_view is None else self.tricks_view.packed(records)
        deals = [view.packed(records) if isinstance(view, CellsView) else None for view in self.deal_views]
        if tricks is None or tricks.shape[1] != 10 or any(one is None or one.shape[1] != 13 for one in deals) or len(deals) > 1:
            return None
        return deals[0] if deals else None, tricks

    # --- meaning ----------------------------------------------------------------------------------------------------

    @property
    def terms(self) -> frozenset[str]:
        """The terms of the model that the records state."""
        if not self.spec.has_model:
            return frozenset()
        bound = {term_of(leaf.decl) for leaf in self.layout.record.leaves} - {None, *SEATS}
        views = {"deal"} if self.deal_views else set()
        return frozenset({str(term).partition(".")[0] for term in bound} | views | ({"tricks"} if self.tricks_view else set()))

    @property
    def deal_fields(self) -> tuple[str, ...]:
        """The names of the fields that `deals` needs."""
        return tuple(name for view in self.deal_views for name in view.names)

    @property
    def tricks_fields(self) -> tuple[str, ...]:
        """The names of the fields that `tricks` needs."""
        return () if self.tricks_view is None else self.tricks_view.names

    def numbered(self, records: RecordBytes, term: str) -> NDArray[np.int64] | None:
        """Return the number that each row of ``records`` has for a term, such as ``first_number``; negative for a blank or wrong
        number. None where the records have no such field.
        """
        view = self.numbers.get(term)
        return None if view is None else view.read(self.unpack(records, (view.leaf.name,)))

    def deals(self, arrays: ArraysByName) -> CellArray:
        """Return the holders of the 52 cards in slot order (SA .. C2), shape (records, 52): W 0, N 1, E 2, S 3, out 4, unknown 5.

        A code without a meaning is 255. Raises UsageError where the records contain no deal. The result may be an array of
        ``arrays`` itself, not a copy.
        """
        if not self.deal_views:
            raise UsageError(f"the records of {self.spec.id} hold no deal")
        return preferred_deals(self.deal_views, arrays)

    def tricks(self, arrays: ArraysByName) -> CellArray:
        """Return the trick tables, shape (records, 20): strain NT S H D C by declarer W N E S; 15 unknown; 14, an error, is
        returned unchanged.
        """
        if self.tricks_view is None:
            raise UsageError(f"the records of {self.spec.id} hold no results")
        return self.tricks_view.read(arrays)

    def arrays(
        self,
        deals: CellArray | None = None,
        tricks: CellArray | None = None,
        given: ArraysByName | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Return the fields for deals, shape (records, 52), and trick tables, shape (records, 20), in the model's order and codes,
        together with the ``given`` fields.

        Deals are written to every field for them. Raises WriteError for the first record that a field cannot represent.

        >>> from bridgespec.spec.catalog import Catalog
        >>> source, target = (BulkCodec(Catalog().load(name)) for name in ("zrd", "bri"))
        >>> data = bytes.fromhex("72527a0ae17ae4f952e041fc7c494949492b2a39396767")
        >>> deals = source.deals(source.read(data, ["deal"]))
        >>> target.write(target.arrays(deals=deals)).tobytes()[:26]
        b'04070812172426293536414452'
        """
        made = dict(given or {})
        if deals is not None:
            for view in self.deal_views:
                made |= view.write(deals, made)
        if tricks is not None and self.tricks_view is not None:
            if self.tricks_view.at is not None and self.tricks_view.at.name not in made:
                raise WriteError(f"{self.spec.id} holds one hand's results: {self.tricks_view.at.name} must say whose")
            made |= self.tricks_view.write(tricks, made)
        return made


def why_not(spec: Spec) -> str:
    """Return why a spec has no bulk codec: the field or check, its place in the schema and the reason; empty where it has one.

    >>> from bridgespec.spec.catalog import Catalog
    >>> why_not(Catalog().load("zbd"))
    ''
    >>> why_not(Catalog().load("pbn"))
    'pbn is a text format: its records have no fixed size'
    """
    try:
        BulkCodec(spec)
    except SpecError as reason:
        return str(reason.__cause__ or reason.__context__ or reason)  # the `Refusal`, which `from None` keeps as the context
    return ""
