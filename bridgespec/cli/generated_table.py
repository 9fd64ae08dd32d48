"""A table of `model.patterns` in a format whose records have fields of the names of its columns."""

from __future__ import annotations

from bridgespec.cli.files import output
from bridgespec.cli.targets import Target, name_of
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.errors import SpecError, UsageError
from bridgespec.model.patterns import TABLES
from bridgespec.spec.ir import Spec


def write_table(name: str, dest: str, target: Target) -> tuple[int, int]:
    """Write a table whole or not at all; return its records and its size in bytes.

    UsageError where the format has no field for a column, or a field for which there is no column, default or derived value.
    """
    if not isinstance(target, Spec):
        raise UsageError(f"{name_of(target)} is no format of records: name one whose fields are the columns of {name}")
    try:
        codec = BulkCodec(target)
    except SpecError as reason:
        raise UsageError(str(reason)) from None
    columns = TABLES[name]()
    (count,) = {len(column) for column in columns.values()}
    shapes = {field: (count, *codec.fields[field].shape) for field in columns if field in codec.fields}
    data = codec.write({field: column.reshape(shapes.get(field, column.shape)) for field, column in columns.items()})
    with output(dest) as file:
        size = file.write(data.data)
    return count, size
