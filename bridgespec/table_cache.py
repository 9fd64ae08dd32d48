"""Tables of many files, in the user's cache: a query over a folder reads each file once, until it changes.

`TableCache.tables` is the entry. A cached table is a Parquet file with one more column, ``file``, the path as it was given; its
name is a checksum of the path, the content, the schema of its format, and the version that made it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bridgespec import tabular
from bridgespec.engines import Engine
from bridgespec.errors import BridgespecError, UsageError
from bridgespec.extras import Extra
from bridgespec.spec.store import own_folder
from bridgespec.tables.table_files import KINDS, encoded
from bridgespec.version import VERSION
from bridgespec.writing import read_whole, written

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = Extra("pyarrow")

MOST = 1 << 30
"""The maximum number of bytes of the cache; the least recently used tables are removed."""
FILE = "file"
"""The column with the path of each board's file."""
_FOLDER = "tables"

Failed = Callable[[str, Exception], None]
"""A function that takes the path of a file that cannot be read, and the error."""
Tracked = Callable[[Sequence[str]], Iterable[str]]
"""A function that yields the paths of files one by one, and may show progress."""


@dataclass(frozen=True)
class TableCache:
    """The cached tables in a folder of the user's cache; where there is no such folder,
    in one that lasts as long as the process.
    """

    folder: Path
    most: int = MOST

    @classmethod
    def of_user(cls) -> TableCache:
        """Return the cache of the user."""
        own = own_folder()
        if own is None:
            _TEMPORARY.append(tempfile.TemporaryDirectory(prefix="bridgespec-"))
            return cls(Path(_TEMPORARY[-1].name))
        return cls(own / _FOLDER)

    def clear(self) -> int:
        """Remove all cached tables. Return the number of bytes freed."""
        size = sum(one.stat().st_size for one in self._kept())
        shutil.rmtree(self.folder, ignore_errors=True)
        return size

    def tables(
        self,
        known: Engine,
        paths: Sequence[str],
        format: str | None,
        derived: bool,
        tracked: Tracked = iter,
        failed: Failed | None = None,
    ) -> tuple[str, ...]:
        """Return the Parquet files of the tables of some files, made where they are not cached.

        A file that cannot be read is left out where ``failed`` takes it, else its error is raised. UsageError if none can be read.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        found: list[str] = []
        for path in tracked(paths):
            try:
                found.append(self._table(known, path, format, derived))
            except (BridgespecError, OSError) as error:
                if failed is None:
                    raise
                failed(path, error)
        if not found:
            raise UsageError("the file cannot be read" if len(paths) == 1 else f"none of the {len(paths):,} files can be read")
        self._bound(set(found))
        return tuple(found)

    def _table(self, known: Engine, path: str, format: str | None, derived: bool) -> str:
        data = read_whole(path)
        named = known.spec(format) if format is not None else known.named(path)
        state = hashlib.sha256(data)
        state.update(repr((path, VERSION, _program(), format, derived)).encode())
        if named is not None and os.path.isfile(named.path):
            state.update(Path(named.path).read_bytes())
        kept = self.folder / f"{state.hexdigest()[:40]}.parquet"
        if kept.exists():
            with suppress(OSError):
                os.utime(kept)
            return str(kept)
        table = tabular.of_source(known, path, format, derived, checksum=False, filled=True)
        schema = table.schema.append(pa.field(FILE, pa.string()))

        def named_batches() -> Iterable[pa.RecordBatch]:
            for batch in table.batches():
                yield pa.RecordBatch.from_arrays([*batch.columns, pa.repeat(pa.scalar(path), batch.num_rows)], schema=schema)

        with written(kept, sync=False) as file:
            file.writelines(encoded(KINDS["parquet"], schema, named_batches()))
        return str(kept)

    def _kept(self) -> list[Path]:
        return list(self.folder.glob("*.parquet")) if self.folder.is_dir() else []

    def _bound(self, used: set[str]) -> None:
        """Remove the least recently used tables until the rest is within the maximum."""
        states = sorted((state.st_mtime, state.st_size, path) for path in self._kept() if (state := path.stat()))
        size = sum(one for _, one, _ in states)
        for _, one, path in states:
            if size > self.most and str(path) not in used:
                path.unlink(missing_ok=True)
                size -= one


_TEMPORARY: list[tempfile.TemporaryDirectory[str]] = []
"""Folders of this process, which are removed when it ends."""


@cache
def _program() -> tuple[object, ...]:
    """Return a value that changes with the source of the package: the time of the newest module that makes tables, and their
    number.
    """
    package = Path(__file__).parent
    parts = [package / "tabular.py", *(package / "tables").glob("*.py"), *(package / "codec").rglob("*.py")]
    return max(path.stat().st_mtime_ns for path in parts), len(parts)
