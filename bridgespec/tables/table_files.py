"""Table files: Parquet and Arrow IPC, written in row groups and read in batches.

They are targets and sources of a conversion, but not declared formats: their columns are those of `tables.columns`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from bridgespec.errors import ReadError
from bridgespec.extras import Extra
from bridgespec.tables.columns import HANDS

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import ipc
    from pyarrow import parquet as pq
else:
    pa, pq, ipc = Extra("pyarrow"), Extra("pyarrow.parquet"), Extra("pyarrow.ipc")

GROUP = 1 << 17
"""Rows of a row group, the unit that a query engine gives to a thread."""
SIZE = 1 << 22
"""Bytes of rows above which a row group ends earlier: boards with calls, cards and comments take a thousand bytes each and more."""
FEW = 16
"""The number of batches of a row group above which they are combined into one."""
BATCH = 1 << 15
"""Rows that are read at a time."""


MEMORY = 2048
"""Megabytes (2**20 bytes) that the query engine may use by default."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: its name, its suffix, its title, and the bytes with which its files begin."""

    name: str
    suffix: str
    title: str
    magic: bytes


KINDS = {
    kind.name: kind
    for kind in (
        Kind("parquet", ".parquet", "Parquet: a table of boards in columns, compressed", b"PAR1"),
        Kind("arrow", ".arrow", "Arrow IPC: a table of boards as it lies in memory", b"ARROW1"),
        Kind("feather", ".feather", "Arrow IPC, compressed", b"ARROW1"),
    )
}
"""The kinds of files by name."""


def kind_by_name(path: str) -> Kind | None:
    """Return the kind of file by the suffix of its name; None for any other suffix.

    >>> kind_by_name("deals.PARQUET").name, kind_by_name("deals.txt")
    ('parquet', None)
    """
    suffix = PurePath(path).suffix.lower()
    return next((kind for kind in KINDS.values() if kind.suffix == suffix), None)


class _Waiting:
    """A file object for sequential writing that buffers bytes until they are taken: a pipe cannot report its position."""

    # Arrow asks a Python file object for this attribute.
    closed = False

    def __init__(self) -> None:
        self._size = 0
        self._parts: list[bytes] = []

    def write(self, data: bytes | memoryview) -> int:
        """Write some bytes."""
        self._parts.append(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written."""
        # Parquet's footer has the offset of each row group, also of those that have been taken.
        return self._size

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)

    def flush(self) -> None:
        """Do nothing: the bytes stay until they are taken."""

    def close(self) -> None:
        """Do nothing: the last bytes are taken after the table is complete."""


def encoded(kind: Kind, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """Yield the bytes of a file of batches, one row group at a time, so that memory contains no more than one."""
    file = _Waiting()
    with _writer(file, kind, schema) as writer:
        for group in _groups(batches):
            # Arrow's own limit is 1,048,576 rows a group.
            writer.write_table(pa.Table.from_batches(group, schema), GROUP)
            yield file.take()
    yield file.take()


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if len(group) > FEW:
            # Small batches take several times the memory of what is in them.
            group = pa.Table.from_batches(group).combine_chunks().to_batches()
        if rows >= GROUP or size >= SIZE:
            yield group
            group, rows, size = [], 0, 0
    if group:
        yield group


def _writer(file: _Waiting, kind: Kind, schema: pa.Schema) -> pa.Table:
    if kind.name != "parquet":
        compression = "lz4" if kind.name == "feather" else None
        return ipc.new_file(file, schema, options=ipc.IpcWriteOptions(compression=compression))
    # Hands are as good as random: no dictionary is shorter. Numbers mostly count on.
    plain = {*HANDS, "number"}
    encoding = {name: "PLAIN" for name in HANDS if name in schema.names}
    if "number" in schema.names and pa.types.is_integer(schema.field("number").type):
        encoding["number"] = "DELTA_BINARY_PACKED"
    shared = [path for name in schema.names if name not in plain for path in _leaves(schema.field(name).type, name)]
    return pq.ParquetWriter(file, schema, compression="snappy", use_dictionary=shared, column_encoding=encoding or None)


def _leaves(kind: pa.DataType, path: str) -> Iterator[str]:
    """Yield the columns that Parquet makes of a column."""
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(field.type, f"{path}.{field.name}")
    elif pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind):
        yield from _leaves(kind.value_type, f"{path}.list.element")
    else:
        yield path


class TableFile:
    """An open table file: its schema, and its batches, which can be read repeatedly.

    Raises ReadError where it is no such file.
    """

    def __init__(self, file: BinaryIO, kind: Kind, name: str) -> None:
        self.name = name
        try:
            if kind.name == "parquet":
                self._file: Any = pq.ParquetFile(file, pre_buffer=False)
                self._ipc: Any = None
                self.schema = self._file.schema_arrow
                self.rows: int = self._file.metadata.num_rows
            else:
                self._file, self._ipc = None, ipc.open_file(file)
                self.schema = self._ipc.schema
                self.rows = sum(self._ipc.get_batch(at).num_rows for at in range(self._ipc.num_record_batches))
        except (pa.ArrowInvalid, OSError) as problem:
            raise ReadError(f"{name}: not a file of {kind.title.partition(':')[0]}: {problem}") from None
        # Arrow finds a column by its name only where there is one of that name.
        if repeated := [column for column, count in Counter(self.schema.names).items() if count > 1]:
            raise ReadError(f"{name}: the table has more than one column {repeated[0]}")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the batches, with all columns or the named ones. Raises ReadError where the file is broken further on."""
        try:
            if self._file is not None:
                yield from self._file.iter_batches(BATCH, columns=columns)
            else:
                for at in range(self._ipc.num_record_batches):
                    batch = self._ipc.get_batch(at)
                    yield batch if columns is None else batch.select(columns)
        except (pa.ArrowInvalid, OSError) as problem:
            raise ReadError(f"{self.name}: the file is broken: {problem}") from None

    def said(self, name: str) -> int | None:
        """Return the number of rows with a value in a column; None if the file's metadata do not contain it."""
        if self._file is None:
            return None
        meta = self._file.metadata
        nulls = 0
        for group in range(meta.num_row_groups):
            columns = (meta.row_group(group).column(at) for at in range(meta.num_columns))
            found = next((one for one in columns if one.path_in_schema == name), None)
            if found is None or found.statistics is None or not found.statistics.has_null_count:
                return None
            nulls += found.statistics.null_count
        return self.rows - nulls
