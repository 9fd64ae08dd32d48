"""Show and write the answer of a query."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from rich.table import Table
from rich.text import Text

from bridgespec.cli.board_targets import target_of
from bridgespec.cli.conversions import write_boards
from bridgespec.cli.files import STDIO, output
from bridgespec.cli.settings import Settings
from bridgespec.cli.table_sources import StoredRecords
from bridgespec.cli.terminal import json_text
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.tables.columns import HANDS
from bridgespec.tables.table_files import KINDS, encoded, kind_by_name

if TYPE_CHECKING:
    import pyarrow as pa

    from bridgespec import tabular
    from bridgespec.model import hand
else:
    hand, tabular = Lazy("bridgespec.model.hand"), Lazy("bridgespec.tabular")

SHOWN = 200
"""Rows that are shown on a terminal."""
ROWS = (".csv", ".json", ".jsonl")
"""Suffixes of text files of rows."""


def rows_of(answer: pa.RecordBatchReader) -> Iterator[list[Any]]:
    """Yield the rows of an answer as Python values, decimal numbers as integers or floats."""
    for batch in answer:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield [_number(value) if isinstance(value, Decimal) else value for value in row]


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def show(settings: Settings, answer: pa.RecordBatchReader, form: str) -> None:
    """Print an answer: as a table for people, as CSV, or as one JSON object per line."""
    names = list(answer.schema.names)
    if form != "text":
        with output(STDIO) as file:
            for line in _lines(names, rows_of(answer), f".{form}"):
                file.write(line.encode())
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for field in answer.schema:
        numeric = not str(field.type).startswith(("string", "list", "struct", "bool", "dictionary")) and field.name not in HANDS
        table.add_column(Text(field.name), justify="right" if numeric else "left")
    count = 0
    for count, row in enumerate(rows_of(answer), 1):
        # Rows go on being counted, so that the note names how many are left out.
        if count <= SHOWN or not settings.out.is_terminal:
            table.add_row(*(Text(cell_text(name, value)) for name, value in zip(names, row, strict=True)))
    settings.out.print(table)
    if settings.out.is_terminal and count > SHOWN:
        settings.err.print(Text(f"and {count - SHOWN:,} more rows: -o FILE or --output-format csv gives them all"))


def cell_text(name: str, value: Any) -> str:
    """Return a value as the cell of a table for people; hands, by the name of their column, as S.H.D.C."""
    if value is None:
        return ""
    # A question may call any number by the name of a hand.
    if name in HANDS and isinstance(value, int) and 0 <= value < 1 << 52:
        return str(hand.Hand(value))
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return json_text(value) if isinstance(value, list | dict) else str(value)


def _lines(names: Sequence[str], rows: Iterator[list[Any]], suffix: str) -> Iterator[str]:
    """Yield the lines of CSV, or of JSON objects."""
    if suffix != ".csv":
        for row in rows:
            yield json_text(dict(zip(names, row, strict=True))) + "\n"
        return
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")  # csv ends lines with CRLF unless told otherwise
    writer.writerow(names)
    for row in rows:
        yield line.getvalue()
        # `truncate` alone cuts where the last write ended, and leaves the line.
        line.seek(0)
        line.truncate()
        writer.writerow([json_text(value) if isinstance(value, list | dict) else value for value in row])
    yield line.getvalue()


def save(settings: Settings, answer: pa.RecordBatchReader, path: str, to: str | None) -> None:
    """Write an answer to a file, completely or not at all: rows as CSV or JSON lines, a table, or boards."""
    suffix = PurePath(path).suffix.lower()
    if to is None and suffix in ROWS:
        with output(path) as file:
            for line in _lines(list(answer.schema.names), rows_of(answer), suffix):
                file.write(line.encode())
        return
    kind = kind_by_name(path) if to is None else None
    if kind is not None:
        with output(path) as file:
            file.writelines(encoded(kind, answer.schema, answer))
        return
    target = target_of(settings, path, to)
    with tempfile.TemporaryFile() as file:
        # Boards may have to be read more than once, and the answer can be read once.
        file.writelines(encoded(KINDS["arrow"], answer.schema, answer))

        def again() -> AbstractContextManager[BinaryIO]:
            file.seek(0)
            return nullcontext(file)

        stored = tabular.of_source(settings.engine, again, "arrow")
        if not stored.count:
            raise UsageError("there are no boards in the answer")
        write_boards(settings, StoredRecords(settings, "the answer", stored), target, path)
