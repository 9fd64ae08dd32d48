"""Tables of a format that is not bound to boards: fixed-size records in, a column for each of their fields out.

`RecordTable` is the table, made of the bulk codec of a schema and a function that opens the file.
"""

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
"""Records per chunk."""
Opened = Callable[[], AbstractContextManager[BinaryIO]]
"""A function that opens a source, at its beginning."""


class RecordTable:
    """The records of one file, read anew for each stream: an object with Arrow's C stream interface.

    A column has the name of its field, ``outer.inner`` for the fields of a nested type: a number of the field's width, the name of
    a code, a text or bytes; an array is a list. A number that has no name among the codes is null. ReadError for a file whose last
    record is cut off.
    """

    def __init__(self, codec: BulkCodec, opened: Opened) -> None:
        self.codec, self._opened = codec, opened
        self._columns = {leaf.name: _Column(leaf, codec) for leaf in codec.layout.record.leaves}

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types."""
        return pa.schema([(name, column.type) for name, column in self._columns.items()])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The records as record batches, in the order of the file."""
        with self._opened() as file:
            stream = RecordStream(self.codec, file, size=CHUNK)
            for rows in stream:
                arrays = self.codec.unpack(rows)
                columns = [column.arrow(arrays[name]) for name, column in self._columns.items()]
                yield pa.RecordBatch.from_arrays(columns, schema=self.schema)
            # After the whole records, so that they are read first.
            if stream.rest:
                raise ReadError(f"the file is cut off: {stream.rest} bytes at offset {stream.rest_at} are no whole record")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)


class _Column:
    """A field of the records: its type in Arrow, and the conversion of its arrays."""

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
        """Return the values of some records."""
        made = self._flat(values)
        for size in reversed(self.shape):
            made = pa.FixedSizeListArray.from_arrays(made, size)
        return made

    def _flat(self, values: NDArray[Any]) -> pa.Array:
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
