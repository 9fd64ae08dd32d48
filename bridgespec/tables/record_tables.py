"""Tables of files of fixed-size records that are not boards: `RecordTable` has a row for each record, a column for each field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.binary.leaf.encoded_text import StringLeaf
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.layout import BulkLeaf
from bridgespec.codec.bulk.stream import RecordStream
from bridgespec.errors import ReadError
from bridgespec.extras import Extra

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = Extra("pyarrow")

CHUNK = 1 << 15
"""The number of records of a batch."""
Opened = Callable[[], AbstractContextManager[BinaryIO]]
"""A function that opens the file, at its beginning."""


class RecordTable:
    """The records of one file as a table, with Arrow's C stream interface; each stream reads the file again.

    A column has the name of its field, or ``outer.inner`` for a field of a nested type. Its values are numbers of the field's
    width, names of codes (null for a number without a name), texts or bytes; arrays are lists. Reading raises ReadError if the last
    record is incomplete.
    """

    def __init__(self, codec: BulkCodec, opened: Opened) -> None:
        self.codec, self._opened = codec, opened
        self._columns = {leaf.name: _Column(leaf, codec) for leaf in codec.layout.record.leaves}

    @property
    def schema(self) -> pa.Schema:
        """Arrow's schema of the table."""
        return pa.schema([(name, column.type) for name, column in self._columns.items()])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the records as record batches, in the order of the file."""
        with self._opened() as file:
            stream = RecordStream(self.codec, file, size=CHUNK)
            for rows in stream:
                arrays = self.codec.unpack(rows)
                columns = [column.arrow(arrays[name]) for name, column in self._columns.items()]
                yield pa.RecordBatch.from_arrays(columns, schema=self.schema)
            # Raised last, so that the complete records are read.
            if stream.rest:
                raise ReadError(f"the file is cut off: {stream.rest} bytes at offset {stream.rest_at} are no whole record")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)


class _Column:
    """A column: Arrow's type of a field, and the conversion of arrays of its values. Created for one `RecordTable`."""

    def __init__(self, leaf: BulkLeaf, codec: BulkCodec) -> None:
        self.shape = leaf.shape
        enum = codec.spec.enums.get(leaf.decl.enum or "")
        self.codes = None if enum is None else {raw: member.name for raw, member in enum.members.items()}
        kind = leaf.decl.type
        self.text = StringLeaf(kind, leaf.decl.binding, {}) if isinstance(kind, StringLeaf.TYPE) else None
        self.is_bytes = leaf.kind == "bytes"
        if self.is_bytes:
            self.shape, self.size = leaf.shape[:-1], leaf.shape[-1]
            self.element = pa.binary() if self.text is None else pa.string()
        elif self.codes is not None:
            self.element = pa.string()
        else:
            self.element = pa.from_numpy_dtype(codec.fields[leaf.name].dtype)
        self.type = self.element
        for size in reversed(self.shape):
            self.type = pa.list_(self.type, size)

    def arrow(self, values: NDArray[Any]) -> pa.Array:
        """Return the values of a field in some records, (N, ...), as an array of Arrow."""
        made = self._flat(values)
        for size in reversed(self.shape):
            made = pa.FixedSizeListArray.from_arrays(made, size)
        return made

    def _flat(self, values: NDArray[Any]) -> pa.Array:
        """Return the elements of the values in one array of Arrow, without the nesting in lists."""
        if self.is_bytes:
            raw = np.ascontiguousarray(values).reshape(-1, self.size)
            texts = [row.tobytes() for row in raw]
            if self.text is not None:
                extent, encoding = self.text.range, self.text.codec or "ascii"
                ends = (extent.content_end(text, 0, len(text)) for text in texts)
                return pa.array(
                    [text[:end].decode(encoding, "replace") for text, end in zip(texts, ends, strict=True)], self.element
                )
            return pa.array(texts, self.element)
        flat = np.ascontiguousarray(values).reshape(-1)
        if self.codes is None:
            return pa.array(flat, self.element)
        # A name is looked up once for each code that occurs, not once for each record.
        known, places = np.unique(flat, return_inverse=True)
        names = pa.array([self.codes.get(int(raw)) for raw in known], pa.string())
        return names.take(pa.array(places))
