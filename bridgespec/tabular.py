"""The boards of a file, a document or a stored table as a `BoardTable`, for every format; and the document of a table.

`table` is the public function; `of_source` chooses how the boards of a file are read, and `document_of` is the way back.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from bridgespec.api import Engine, Folders, Report, engine
from bridgespec.codec.pipeline import Batch
from bridgespec.codec.terms import TERMS
from bridgespec.errors import SpecError, UsageError
from bridgespec.evidence import has_content
from bridgespec.export import json
from bridgespec.extras import Extra, require
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec
from bridgespec.tables.columns import EVERY, SCHEMA, terms_of
from bridgespec.tables.table_files import KINDS, Kind, TableFile, encoded, kind_by_name
from bridgespec.version import VERSION
from bridgespec.writing import source_file, written

if TYPE_CHECKING:
    import pyarrow as pa

    from bridgespec.codec.bulk import codec as bulk_codec
    from bridgespec.codec.bulk.codec import BulkCodec
    from bridgespec.tables import batches, bulk, record_tables
    from bridgespec.tables.batches import Rows, TableLayout
    from bridgespec.tables.record_tables import RecordTable
else:
    pa, bulk_codec = Extra("pyarrow"), Lazy("bridgespec.codec.bulk.codec")
    batches, bulk = Lazy("bridgespec.tables.batches"), Lazy("bridgespec.tables.bulk")
    record_tables = Lazy("bridgespec.tables.record_tables")

STEP = 1 << 12
"""The maximum number of boards in one record batch that is made of `Board` objects."""
PIECE = 1000
"""The number of records that the reference codec reads together, for formats that arrays cannot represent."""

Opened = Callable[[], AbstractContextManager[BinaryIO]]
"""A function that opens a source, at its beginning."""
CountedBoards = tuple[Sequence[Board], Sequence[int]]
"""Some boards, and the number of findings about each."""


@dataclass
class BoardTable:
    """The boards of a source as a table, read anew for each stream: an object with Arrow's C stream interface, which DuckDB,
    Polars, pandas and pyarrow accept. `table` makes it; it may be read as long as the source exists.

    ``format`` is the id of the source's spec, or the kind of a table file. ``terms`` are those that its boards may state. ``count``
    is the number of rows of a table file, else None. With ``derived`` there are also the columns that follow from others.
    """

    format: str
    terms: frozenset[str]
    count: int | None = None
    # One of the next three reads the source: as boards, as arrays of fixed-size records, or as a stored table.
    _counted_boards: Callable[[], Iterator[CountedBoards]] | None = None
    _rows: Callable[[], Iterator[Rows]] | None = None
    _stored: Callable[[], AbstractContextManager[TableFile]] | None = None
    _metadata: Callable[[], Mapping[bytes, bytes]] = dict
    derived: bool = False

    def __repr__(self) -> str:
        return f"BoardTable({self.format!r}, {len(self.terms)} terms{f', {self.count:,} rows' if self.count is not None else ''})"

    @cached_property
    def _layout(self) -> TableLayout:
        if self._stored is None:
            return batches.TableLayout(self.terms, self.derived, self._metadata())
        with self._stored() as stored:
            layout = batches.TableLayout.widened(stored.schema)
            if not self.derived:
                layout.schema, layout.derived = stored.schema, ()
            return layout

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types; the metadata describe the source of the table."""
        return self._layout.schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The boards as record batches, in the order of the source."""
        layout = self._layout
        if self._stored is not None:
            with self._stored() as stored:
                for batch in stored.batches():
                    yield layout.widen(batch) if layout.derived else batch
        elif self._rows is not None:
            for part in self._rows():
                yield layout.of_rows(part)
        elif self._counted_boards is not None:
            for boards, findings in self._counted_boards():
                yield layout.of_boards(boards, findings)

    def reader(self) -> pa.RecordBatchReader:
        """Return the table as an Arrow record batch reader."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    def read(self) -> pa.Table:
        """The whole table in memory."""
        return pa.Table.from_batches(self.batches(), self.schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def arrays(self) -> Iterator[dict[str, Any]]:
        """The boards as NumPy arrays by column, in chunks; pyarrow is not needed.

        ``number``, the hands ``west north east south`` and the cards ``out`` of play as masks of 64 bits, ``tricks`` of shape
        (N, 20), and ``findings``: those columns that the format has. A board without a deal has empty hands; a result that is not
        known is 15. UsageError where the format is not one of fixed-size records of deals and results.
        """
        if self._rows is None:
            raise UsageError(f"{self.format} cannot be read as arrays alone; its table is made by pyarrow")
        for part in self._rows():
            yield part.arrays

    def boards(self) -> Iterator[Board]:
        """Yield the boards of the table, with all their fields bound."""
        if self._counted_boards is not None:
            for found, _ in self._counted_boards():
                # A copy binds all fields: when a later board is read, the text of this one may be gone.
                yield from map(replace, found)
        else:
            for batch in self.batches():
                yield from batches.boards_of(batch)

    def write(self, path: str | os.PathLike[str]) -> int:
        """Write the table to a file, completely or not at all, in the format of its suffix. Return the number of boards."""
        kind = kind_by_name(os.fspath(path))
        if kind is None:
            raise UsageError(f"{os.fspath(path)}: a table is written to {', '.join(one.suffix for one in KINDS.values())}")
        with written(path) as file:
            return self.save(file, kind)

    def save(self, file: BinaryIO, kind: Kind) -> int:
        """Write the table to an open file. Return the number of boards."""
        count = 0

        def counted() -> Iterator[pa.RecordBatch]:
            nonlocal count
            for batch in self.batches():
                count += batch.num_rows
                yield batch

        for data in encoded(kind, self.schema, counted()):
            file.write(data)
        return count


def table(
    source: str | os.PathLike[str] | bytes | Document, format: str | None = None, *, derived: bool = False, specs: Folders = ()
) -> BoardTable:
    """The boards of a file, of some bytes or of a document as a table; see ``docs/tables.md`` for its columns.

    With ``derived`` there are also the columns that follow from the hands and results. A value that cannot be read is null, and
    counted in the column ``findings``. Arrow is imported when the table is read; UsageError names the extra to install.

    >>> solved = bytes.fromhex("72527a0ae17ae4f952e041fc7c494949492b2a39396767")
    >>> first, = table(solved, "zrd").arrays()
    >>> first["tricks"][0, :4].tolist(), f"{first['north'][0]:052b}".count("1")
    ([9, 4, 9, 4], 13)
    """
    if isinstance(source, Document):
        return of_document(source, derived)
    return of_source(engine(tuple(specs)), source, format, derived)


def of_source(
    known: Engine,
    source: str | os.PathLike[str] | bytes | Opened,
    format: str | None = None,
    derived: bool = False,
    checksum: bool = True,
    filled: bool = False,
) -> BoardTable:
    """Return the table of a path, of bytes or of a function that opens a source, with the schemas of an engine.

    With ``derived`` the table has also the columns that follow from others; with ``checksum`` its metadata contain the checksum of
    the source. With ``filled``, raises ReadError where no board states anything.
    """
    name = None if isinstance(source, bytes) or callable(source) else os.fspath(source)
    kind = KINDS.get(format or "") or (kind_by_name(name) if name is not None and format is None else None)
    opened = _opened_by(source)
    if kind is not None:
        return _of_table_file(opened, kind, name or "the data", derived)
    # The file is opened in any case, so that one that cannot be read is an error here and not where the table is read.
    with opened() as file:
        spec = known.spec(format) if format is not None else known.named(name) or known.recognise(name, file.read())
        size = file.seek(0, os.SEEK_END)
    found = _SchemaSource(known, spec, opened, name, derived, checksum, filled)
    made = found.in_batches()
    if made is None:
        made = found.in_records(size)
    return found.at_once() if made is None else made


def _opened_by(source: str | os.PathLike[str] | bytes | Opened) -> Opened:
    """Return the function that opens a path, bytes or a source that has such a function."""
    if callable(source):
        return source
    return partial(io.BytesIO, source) if isinstance(source, bytes) else partial(source_file, source)


def _of_table_file(opened: Opened, kind: Kind, name: str, derived: bool) -> BoardTable:
    """Return the table that is stored in a file of a kind; ``name`` is for errors."""
    require("pyarrow")
    stored = partial(_stored, opened, kind, name)
    with stored() as table:
        return BoardTable(kind.name, frozenset(terms_of(table.schema.names)), table.rows, _stored=stored, derived=derived)


@dataclass(frozen=True)
class _SchemaSource:
    """A source in a format that a schema describes, with the options of `of_source`, which makes one for each call.

    Each method reads the source in one way. The first two return None where that way is not possible.
    """

    known: Engine
    spec: Spec
    opened: Opened
    name: str | None
    derived: bool
    checksum: bool
    filled: bool

    @property
    def _metadata(self) -> partial[Mapping[bytes, bytes]]:
        return partial(metadata, self.spec, self.opened if self.checksum else None)

    def in_batches(self) -> BoardTable | None:
        """Return the table of a text that is read in batches; with ``filled`` None too where no board states anything."""
        text, stated = self.known.of(self.spec), False

        def batches(look: bool) -> Iterator[Batch]:
            nonlocal stated
            with self.opened() as file:
                for batch in text.batches(file, with_findings=look):
                    stated = stated or has_content(text, batch.document)
                    yield batch

        with self.opened() as file:
            if not text.is_streamed(file):
                return None
        terms = text.binder.terms
        made = of_batches(batches, self.spec.id, terms, following(terms), self._metadata, self.derived)
        return made if stated or not self.filled else None

    def in_records(self, size: int) -> BoardTable | None:
        """Return the table of a file of fixed-size records and of ``size`` bytes, that is read as arrays, or in pieces."""
        codec = _bulk(self.spec)
        # Of less than one record only the reference codec (`at_once`) finds whether it states anything.
        if codec is None or (self.filled and size < codec.header_size + codec.record_size):
            return None
        if bulk.is_plain(codec) and not _opaque(codec):
            rows = partial(_rows, self.known, self.spec, codec, self.opened)
            found = codec.terms | {"number"}
            return BoardTable(self.spec.id, found, _rows=rows, _metadata=self._metadata, derived=self.derived)
        if self.name is not None and Path(self.name).is_file():
            pieces = partial(_pieces, self.known, self.spec, codec, self.opened)
            found = self.known.of(self.spec).binder.terms & EVERY | {"number"}
            return BoardTable(self.spec.id, found, _counted_boards=pieces, _metadata=self._metadata, derived=self.derived)
        return None

    def at_once(self) -> BoardTable:
        """Return the table of a file that is read as a whole. With ``filled``, raises ReadError where no board states anything."""
        with self.opened() as file:
            data = file.read()
        report = (self.known.boards if self.filled else self.known.read)(data, self.spec.id, self.name)
        return of_report(self.known, report, data if self.checksum else None, self.derived)


def of_records(spec: Spec, opened: Opened) -> RecordTable:
    """Return the table of records of a format without boards. Raises UsageError where they are not all of one size."""
    try:
        return record_tables.RecordTable(bulk_codec.BulkCodec(spec), opened)
    except SpecError as reason:
        words = "a table is made of boards, or of fixed-size records; `bridgespec convert` writes any file as JSON"
        raise UsageError(f"{reason}; {words}") from None


def of_report(known: Engine, report: Report, data: bytes | None, derived: bool = False) -> BoardTable:
    """Return the table of a file that has been read; ``data`` are its bytes for the checksum in the metadata."""
    opened = None if data is None else partial(io.BytesIO, data)
    whole, terms = Batch(report.document, report.diagnostics), known.of(report.spec).binder.terms
    return of_batches(lambda look: (whole,), report.spec.id, terms, about=partial(metadata, report.spec, opened), derived=derived)


DocumentOrBoards = Document | Iterable[Board]
"""The argument of `of_document`."""


def of_document(given: DocumentOrBoards, derived: bool = False, terms: Iterable[str] = ()) -> BoardTable:
    """Return the table of a document or of boards. Its columns are those of ``terms`` and of all terms that some board states."""
    document = given if isinstance(given, Document) else Document(tuple(given))
    return of_batches(lambda look: (Batch(document),), document.format or "", terms, derived=derived)


def of_batches(
    batches: Callable[[bool], Iterable[Batch]],
    format: str,
    terms: Iterable[str] = (),
    others: Iterable[str] = EVERY,
    about: Callable[[Document], Mapping[bytes, bytes]] | None = None,
    derived: bool = False,
) -> BoardTable:
    """Return the table of the batches of a source. The source is read once here, and once more for each stream of the table.

    The first pass finds the columns, which are those of ``terms`` and of each of the ``others`` that some board states, and the
    values that the source states for all boards. ``batches`` opens the source and yields its batches, with findings if its argument
    is True. ``about`` returns the metadata, given the document without its boards.
    """
    plain, whole, stated = Board(), Document(), {*terms} & EVERY
    about = about or partial(metadata, None, None)
    for batch in batches(False):
        document = batch.document
        tags, comments = (*whole.tags, *document.tags), (*whole.comments, *document.comments)
        whole = replace(document, boards=(), tags=tags, comments=comments, format=None, origin=None)
        for name in set(others) - stated:
            if any(getattr(board, name) != getattr(plain, name) for board in document.boards):
                stated.add(name)

    def counted_boards() -> Iterator[CountedBoards]:
        first = 0
        for batch in batches(True):
            counts = Counter(found.record for found in batch.findings)
            boards = batch.document.boards
            for low in range(0, len(boards), STEP):
                part = boards[low : low + STEP]
                yield part, [counts[first + low + at] for at in range(len(part))]
            first += len(boards)

    return BoardTable(format, frozenset(stated), _counted_boards=counted_boards, _metadata=partial(about, whole), derived=derived)


def following(terms: Set[str]) -> Iterator[str]:
    """Yield the names of terms whose values a reader may derive from the ``terms`` of a format, or from the index of a record
    alone.
    """
    return (name for name in EVERY if (needed := TERMS[name].FOLLOWS) is None or needed & terms)


def document_of(source: BoardTable) -> Document:
    """Return the document of a table: its boards, and from its metadata the values that the source states for all boards."""
    return replace(around(source), boards=tuple(source.boards()))


def around(source: BoardTable) -> Document:
    """Return the document of a table without its boards, from the metadata; an empty one where they contain none."""
    about = source.schema.metadata or {}
    return replace(json.load(about[_DOCUMENT]), format=None) if _DOCUMENT in about else Document()


# --- metadata and sources of a table -------------------------------------------------------------------------------------

_DOCUMENT = b"bridgespec.document"
"""The key of the document without its boards, as JSON, in the metadata of a table."""


def metadata(spec: Spec | None, opened: Opened | None, whole: Document | None = None) -> Mapping[bytes, bytes]:
    """Return the metadata of a table: versions, the id and checksum of the spec, the checksum of the source, and as JSON ``whole``,
    the document without its boards.
    """
    about = {b"bridgespec.table": str(SCHEMA).encode(), b"bridgespec.version": VERSION.encode()}
    if spec is not None:
        about |= {b"bridgespec.spec": spec.id.encode()}
        if Path(spec.path).is_file():
            about[b"bridgespec.spec.sha256"] = hashlib.sha256(Path(spec.path).read_bytes()).hexdigest().encode()
    if opened is not None:
        with opened() as file:
            about[b"bridgespec.source.sha256"] = hashlib.file_digest(cast(io.BytesIO, file), "sha256").hexdigest().encode()
    if whole is not None and whole != Document():
        about[_DOCUMENT] = json.dump(whole)
    return about


def _bulk(spec: Spec) -> BulkCodec | None:
    """Return the codec that reads the records of a format as arrays; None where they are not all of one size, or where the number
    of a board may depend on a later record.
    """
    if spec.language != "ksy":
        return None
    try:
        made = bulk_codec.BulkCodec(spec)
    except SpecError:
        return None
    # Any record may state the first or the last number, so the number of each board is known only when all records are read.
    return None if made.numbers.keys() & {"first_number", "last_number"} else made


def _opaque(codec: BulkCodec) -> bool:
    """Whether a field of the records is declared to have no meaning in the model."""
    return any(leaf.decl.binding.opaque for leaf in codec.layout.record.leaves)


@contextmanager
def _stored(opened: Opened, kind: Kind, name: str) -> Iterator[TableFile]:
    """Open a stored table for the duration of the block; ``name`` is for messages."""
    with opened() as file:
        yield TableFile(file, kind, name)


def _rows(known: Engine, spec: Spec, codec: BulkCodec, opened: Opened) -> Iterator[Rows]:
    """Yield the records of a source as arrays; the reference codec reads those that arrays do not prove clean."""
    with opened() as file:
        yield from bulk.rows(codec, file, partial(_explain, known, spec))


def _explain(known: Engine, spec: Spec, data: bytes) -> CountedBoards:
    """Read some records, with their header, by the reference codec."""
    report = known.read(data, spec.id)
    counts = Counter(finding.record for finding in report.diagnostics)
    return report.document.boards, [counts[at] for at in range(len(report.document.boards))]


def _pieces(known: Engine, spec: Spec, codec: BulkCodec, opened: Opened) -> Iterator[CountedBoards]:
    """Yield the boards of fixed-size records that arrays cannot represent, read by the reference codec `PIECE` records at a
    time.
    """
    counted = not known.of(spec).binder.terms & {"number", "first_number"}
    with opened() as file:
        header = file.read(codec.header_size)
        first = 0
        while data := file.read(PIECE * codec.record_size):
            boards, findings = _explain(known, spec, header + data)
            if counted:
                boards = [replace(board, number=first + at) for at, board in enumerate(boards, 1)]
            yield boards, findings
            first += len(boards)
            # The last record is incomplete, or reading ended early.
            if len(boards) * codec.record_size < len(data):
                return
