"""The boards of a file as a table: the entry to ``tables`` for every format, in both directions."""

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
from bridgespec.evidence import says_something
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
"""Boards per batch where they are made one by one."""
PIECE = 1000
"""Records that are read together where arrays cannot represent them."""

Opened = Callable[[], AbstractContextManager[BinaryIO]]
"""A function that opens a source, at its beginning."""
Told = tuple[Sequence[Board], Sequence[int]]
"""Some boards, and the number of findings about each."""


@dataclass
class BoardTable:
    """The boards of a source as a table, read anew for each stream: an object with Arrow's C stream interface, which DuckDB,
    Polars, pandas and pyarrow accept.

    ``format`` names the source's spec, or the kind of a table file, whose number of rows is ``count``. ``terms`` are those that its
    boards may state.
    """

    format: str
    terms: frozenset[str]
    count: int | None = None
    _told: Callable[[], Iterator[Told]] | None = None
    _rows: Callable[[], Iterator[Rows]] | None = None
    _stored: Callable[[], AbstractContextManager[TableFile]] | None = None
    _about: Callable[[], Mapping[bytes, bytes]] = dict
    derived: bool = False

    def __repr__(self) -> str:
        return f"BoardTable({self.format!r}, {len(self.terms)} terms{f', {self.count:,} rows' if self.count is not None else ''})"

    @cached_property
    def _layout(self) -> TableLayout:
        if self._stored is None:
            return batches.TableLayout(self.terms, self.derived, self._about())
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
        elif self._told is not None:
            for boards, findings in self._told():
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
        (N, 20), and ``findings``, as far as the format has them. A board without a deal has empty hands; results that are not
        known are 15. UsageError where the format is not one of fixed-size records of deals and results.
        """
        if self._rows is None:
            raise UsageError(f"{self.format} cannot be read as arrays alone; its table is made by pyarrow")
        for part in self._rows():
            yield part.arrays

    def boards(self) -> Iterator[Board]:
        """The boards of the table."""
        if self._told is not None:
            for found, _ in self._told():
                # They are bound while their text is there.
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
    """Return the table of a file, of bytes or of an opened source, by the formats of an engine; with ``checksum`` the metadata
    contain the source's.

    With ``filled``, raises ReadError where no board states anything.
    """
    name = None if isinstance(source, bytes) or callable(source) else os.fspath(source)
    kind = KINDS.get(format or "") or (kind_by_name(name) if name is not None and format is None else None)
    opened: Opened
    if callable(source):
        opened = source
    else:
        opened = partial(io.BytesIO, source) if isinstance(source, bytes) else partial(source_file, source)
    if kind is not None:
        require("pyarrow")
        stored = partial(_stored, opened, kind, name or "the data")
        with stored() as table:
            return BoardTable(kind.name, frozenset(terms_of(table.schema.names)), table.rows, _stored=stored, derived=derived)
    # The file is opened in any case, so that one that cannot be read is an error here and not where the table is read.
    with opened() as file:
        spec = known.spec(format) if format is not None else known.named(name) or known.recognise(name, file.read())
        size = file.seek(0, os.SEEK_END)
    about = partial(metadata, spec, opened if checksum else None)
    text, stated = known.of(spec), False

    def batches(look: bool) -> Iterator[Batch]:
        nonlocal stated
        with opened() as file:
            for batch in text.batches(file, look=look):
                stated = stated or says_something(text, batch.document)
                yield batch

    with opened() as file:
        streamed = text.is_streamed(file)
    if streamed:
        made = of_batches(batches, spec.id, text.binder.terms, following(text.binder.terms), about, derived)
        if stated or not filled:
            return made
    codec = _bulk(spec)
    if codec is not None and filled and size < codec.header_size + codec.record_size:
        codec = None
    if codec is not None and bulk.is_plain(codec) and not _opaque(codec):
        rows = partial(_rows, known, spec, codec, opened)
        return BoardTable(spec.id, codec.terms | {"number"}, _rows=rows, _about=about, derived=derived)
    if codec is not None and name is not None and Path(name).is_file():
        told = partial(_pieces, known, spec, codec, opened)
        found = known.of(spec).binder.terms & EVERY | {"number"}
        return BoardTable(spec.id, found, _told=told, _about=about, derived=derived)
    with opened() as file:
        data = file.read()
    report = (known.boards if filled else known.read)(data, spec.id, name)
    return of_report(known, report, data if checksum else None, derived)


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


BoardSource = Document | Iterable[Board]
"""What a table is made of: a document, or boards."""


def of_document(given: BoardSource, derived: bool = False, terms: Iterable[str] = ()) -> BoardTable:
    """Return the table of a document or of boards, with the columns of the given terms and of those that some board states."""
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
    """Return the table of the batches of a source, which is read twice.

    The first pass finds the columns, those of the given terms and of the ``others`` that some board states, and what the source
    states for all its boards. ``batches`` yields the batches, with findings if called with True; ``about`` returns the metadata.
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

    def told() -> Iterator[Told]:
        first = 0
        for batch in batches(True):
            counts = Counter(found.record for found in batch.findings)
            boards = batch.document.boards
            for low in range(0, len(boards), STEP):
                part = boards[low : low + STEP]
                yield part, [counts[first + low + at] for at in range(len(part))]
            first += len(boards)

    return BoardTable(format, frozenset(stated), _told=told, _about=partial(about, whole), derived=derived)


def following(terms: Set[str]) -> Iterator[str]:
    """Yield the terms whose values may follow from the terms of a format."""
    return (name for name in EVERY if (needed := TERMS[name].FOLLOWS) is None or needed & terms)


def document_of(source: BoardTable) -> Document:
    """Return the document of a table: its boards, and the content of the metadata about the file that it was made from."""
    return replace(around(source), boards=tuple(source.boards()))


def around(source: BoardTable) -> Document:
    """Return the document without its boards."""
    about = source.schema.metadata or {}
    return replace(json.load(about[_DOCUMENT]), format=None) if _DOCUMENT in about else Document()


# --- what a table is made of --------------------------------------------------------------------------------------------

_DOCUMENT = b"bridgespec.document"


def metadata(spec: Spec | None, opened: Opened | None, whole: Document | None = None) -> Mapping[bytes, bytes]:
    """Return the metadata of a table: its source, and the document without its boards."""
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
    if spec.language != "ksy":
        return None
    try:
        made = bulk_codec.BulkCodec(spec)
    except SpecError:
        return None
    # Numbers that count from one that any record may state are known when all records are.
    return None if made.numbers.keys() & {"first_number", "last_number"} else made


def _opaque(codec: BulkCodec) -> bool:
    return any(leaf.decl.binding.opaque for leaf in codec.layout.record.leaves)


@contextmanager
def _stored(opened: Opened, kind: Kind, name: str) -> Iterator[TableFile]:
    with opened() as file:
        yield TableFile(file, kind, name)


def _rows(known: Engine, spec: Spec, codec: BulkCodec, opened: Opened) -> Iterator[Rows]:
    with opened() as file:
        yield from bulk.rows(codec, file, partial(_explain, known, spec))


def _explain(known: Engine, spec: Spec, data: bytes) -> Told:
    report = known.read(data, spec.id)
    counts = Counter(finding.record for finding in report.diagnostics)
    return report.document.boards, [counts[at] for at in range(len(report.document.boards))]


def _pieces(known: Engine, spec: Spec, codec: BulkCodec, opened: Opened) -> Iterator[Told]:
    """Yield the boards of records that arrays cannot represent, a thousand records at a time."""
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
            if len(boards) * codec.record_size < len(data):
                return
