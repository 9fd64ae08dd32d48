"""Read and write table files (Parquet, Arrow IPC): `encoded` yields the bytes of a file, `TableFile.batches` its record batches.

They are targets and sources of conversions like formats, but have no schema of their own: their columns are those of
`tables.columns`.
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
"""The number of rows of a row group, which is the unit that a query engine gives to a thread."""
SIZE = 1 << 22
"""The number of bytes after which a row group ends earlier: a board with calls, cards and comments takes more than a thousand
bytes.
"""
FEW = 16
"""The most batches of a row group that are kept; more are combined into one."""
BATCH = 1 << 15
"""The number of rows that are read at a time."""


MEMORY = 2048
"""The default limit of the query engine's memory in megabytes (2**20 bytes)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table file: its name, its suffix, its title, and the bytes with which a file begins. `KINDS` has all instances."""

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


class _WriteBuffer:
    """A file object to which Arrow writes a table, and from which `encoded` takes the bytes. Created for one table.

    The target itself cannot be given to Arrow if it is a pipe, since that cannot report its position.
    """

    # Arrow asks a Python file object for this attribute.
    closed = False

    def __init__(self) -> None:
        self._size = 0
        self._parts: list[bytes] = []

    def write(self, data: bytes | memoryview) -> int:
        """Append bytes to the buffer; return their number."""
        self._parts.append(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written so far, with those that were taken."""
        # Parquet's footer has the offset of each row group in the file.
        return self._size

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)

    def flush(self) -> None:
        """Do nothing: the bytes stay in the buffer until `take`."""

    def close(self) -> None:
        """Do nothing: the last bytes are taken after Arrow has closed the file."""


def encoded(kind: Kind, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    """Yield the bytes of a table file with these batches, one row group at a time, so that only one group is in memory."""
    file = _WriteBuffer()
    with _writer(file, kind, schema) as writer:
        for group in _groups(batches):
            writer.write_table(pa.Table.from_batches(group, schema), GROUP)
            yield file.take()
    yield file.take()


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Yield the batches of each row group, which ends with `GROUP` rows or `SIZE` bytes."""
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if len(group) > FEW:
            # Small batches take several times the memory of their values.
            group = pa.Table.from_batches(group).combine_chunks().to_batches()
        if rows >= GROUP or size >= SIZE:
            yield group
            group, rows, size = [], 0, 0
    if group:
        yield group


def _writer(file: _WriteBuffer, kind: Kind, schema: pa.Schema) -> pa.Table:
    """Return Arrow's writer for a kind of file."""
    if kind.name != "parquet":
        compression = "lz4" if kind.name == "feather" else None
        return ipc.new_file(file, schema, options=ipc.IpcWriteOptions(compression=compression))
    # Hands hardly ever repeat, so a dictionary would not be shorter; numbers mostly increase by one, so their differences are
    # stored.
    plain = {*HANDS, "number"}
    encoding = {name: "PLAIN" for name in HANDS if name in schema.names}
    if "number" in schema.names and pa.types.is_integer(schema.field("number").type):
        encoding["number"] = "DELTA_BINARY_PACKED"
    shared = [path for name in schema.names if name not in plain for path in _leaves(schema.field(name).type, name)]
    return pq.ParquetWriter(file, schema, compression="snappy", use_dictionary=shared, column_encoding=encoding or None)


def _leaves(kind: pa.DataType, path: str) -> Iterator[str]:
    """Yield the paths of the columns that Parquet makes of a column of Arrow: one for each leaf of a struct or list."""
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(field.type, f"{path}.{field.name}")
    elif pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind):
        yield from _leaves(kind.value_type, f"{path}.list.element")
    else:
        yield path


class TableFile:
    """An open table file: its schema, and its batches, which can be read several times.

    Raises ReadError for a file that is not of the kind, or that has two columns of one name.
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
        # Arrow cannot select a column by a name that occurs twice.
        if repeated := [column for column, count in Counter(self.schema.names).items() if count > 1]:
            raise ReadError(f"{name}: the table has more than one column {repeated[0]}")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the batches, with the named columns or with all (None). Raises ReadError if the file is damaged."""
        try:
            if self._file is not None:
                yield from self._file.iter_batches(BATCH, columns=columns)
            else:
                for at in range(self._ipc.num_record_batches):
                    batch = self._ipc.get_batch(at)
                    yield batch if columns is None else batch.select(columns)
        except (pa.ArrowInvalid, OSError) as problem:
            raise ReadError(f"{self.name}: the file is broken: {problem}") from None
