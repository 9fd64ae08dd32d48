"""SQL queries over files, documents and tables: the input is a query with sources, the output an Arrow table.

`query` is the public function. `named_sources` finds the files that a query names, `source_table` makes a table of each. The files
of a folder or a pattern are one table, kept in the user's cache (`TableCache`), so that each file is read once until it changes.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, cast

from bridgespec.engines import Engine, Folders, engine
from bridgespec.errors import BridgespecError, UsageError
from bridgespec.extras import Extra, require
from bridgespec.lazily import Lazy
from bridgespec.paths import expand, is_several
from bridgespec.spec.store import own_folder
from bridgespec.tables.columns import DERIVED, derived_of, terms_of
from bridgespec.tables.table_files import KINDS, MEMORY, TableFile, encoded, kind_by_name
from bridgespec.version import VERSION
from bridgespec.writing import read_whole, source_file, written

if TYPE_CHECKING:
    import pyarrow as pa

    from bridgespec import tabular
    from bridgespec.tables import query as sql
    from bridgespec.tables.query import ArrowStream, QuerySource
    from bridgespec.tabular import DocumentOrBoards
else:
    pa = Extra("pyarrow")
    tabular, sql = Lazy("bridgespec.tabular"), Lazy("bridgespec.tables.query")

_WORDS = re.compile(r"\w+")
_DERIVED = frozenset(column.name for column in DERIVED)
MOST_CACHED = 1 << 30
"""The maximum number of bytes of the cache; the least recently used tables are removed."""
FILE = "file"
"""The column with the path of each board's file."""
_FOLDER = "tables"
"""The folder of the tables in the user's cache."""

Failed = Callable[[str, Exception], None]
"""A function that takes the path of a file that cannot be read, and the error."""
Tracked = Callable[[Sequence[str]], Iterable[str]]
"""A function that yields the paths of files one by one, and may show progress."""


def query(
    question: str,
    *paths: str | os.PathLike[str],
    format: str | None = None,
    tables: Mapping[str, DocumentOrBoards | ArrowStream] | None = None,
    memory: int = MEMORY,
    specs: Folders = (),
) -> pa.Table:
    """Return the answer to a SELECT over files of boards, documents and tables, as the command ``query`` (docs/tables.md).

    A file is a table by its path in quotes, and one of ``paths`` also by its name without folder and extension. A folder or a
    pattern (``'club/*.pbn'``) is one table of its files, with their paths in the column ``file``; it is kept in the user's cache.
    ``tables`` gives names to documents, to boards, and to any object with Arrow's C stream interface. ``format`` is that of every
    file whose name does not determine it; the query engine uses up to ``memory`` MiB. UsageError for a query that cannot be parsed
    or is no SELECT, and where the extra ``bridgespec[tables]`` is not installed.

    >>> query("SELECT count(*) boards FROM 'tests/samples/dup/melbourne.dup'").to_pylist()
    [{'boards': 2}]
    """
    if not isinstance(question, str):
        raise TypeError(f"a question is a SELECT as str, not {type(question).__name__}")
    require("duckdb", "pyarrow")
    known = engine(tuple(specs))
    derived = derived_columns(question)
    given = {name: _table_of(one, bool(derived)) for name, one in (tables or {}).items()}
    names = named_sources(question, [os.fspath(path) for path in paths], given)
    found = {path: source_table(known, path, path, format, derived) for path in dict.fromkeys(names.values())}
    with sql.QuerySession(given | {name: found[path] for name, path in names.items()}, memory) as session:
        return session.ask(question).read_all()


def _table_of(given: DocumentOrBoards | ArrowStream, derived: bool) -> QuerySource:
    """Return an argument of the caller as a table: an object with Arrow's stream interface as it is, else a document or boards."""
    if hasattr(given, "__arrow_c_stream__"):
        return cast("ArrowStream", given)
    return tabular.of_document(given, derived)


def derived_columns(question: str) -> frozenset[str]:
    """Return the names of derived columns that occur as words in a query."""
    return _DERIVED & set(_WORDS.findall(question))


def named_sources(question: str, paths: Sequence[str], others: Mapping[str, object] | None = None) -> dict[str, str]:
    """Return the path of the file for each name by which a query may refer to it: for ``paths`` also the names without folder and
    extension, except those that two files share. Names in ``others`` are tables of the caller, and not files.
    """
    short = Counter(name for path in paths for name in {PurePath(path).name, PurePath(path).stem})
    # A name that two files share means neither, so that a query does not depend on the order of the paths.
    found = {name: path for path in paths for name in (PurePath(path).stem, PurePath(path).name) if short[name] == 1}
    found |= {path: path for path in paths}
    for name in sql.tables_named(question):
        if (
            name not in found
            and name not in (others or {})
            and (os.path.exists(name) or is_several(name) or "." in name or os.sep in name)
        ):
            found[name] = name
    return found


def source_table(
    known: Engine,
    path: str,
    source: str | bytes,
    format: str | None,
    derived: frozenset[str],
    tracked: Tracked = iter,
    failed: Failed | None = None,
) -> QuerySource:
    """Return the table of a file, or of bytes. For a Parquet file that the query engine can read by itself, return its path.

    A folder or a pattern is one table of its files, stored in the user's cache; ``tracked`` may show progress, and ``failed`` is
    called for each file that cannot be read.
    """
    if isinstance(source, str) and is_several(path):
        extensions = frozenset(extension for head in known.catalog.heads() for extension in head.extensions)
        files = [one for one in expand([path], extensions) if os.path.isfile(one)]
        if not files:
            raise UsageError(
                f"{path}: there is no file of boards in it" if os.path.isdir(path) else f"{path}: there is no such file"
            )
        return TableCache.of_user().tables(known, files, format, bool(derived), tracked, failed)
    kind = kind_by_name(path) if format is None else None
    named = known.named(path) if format is None else None if format in KINDS else known.spec(format)
    if named is not None and not named.has_model:
        opened = partial(io.BytesIO, source) if isinstance(source, bytes) else partial(source_file, path)
        return tabular.of_records(named, opened)
    if kind is not None and kind.name == "parquet":
        with open(path, "rb") as file:
            stored = TableFile(file, kind, path)
            names = stored.schema.names
            # The engine reads Parquet faster than we do, but it cannot compute derived columns: only where those of the question
            # are in the file, or cannot be computed from it, does it read the file.
            if derived <= set(names) | _DERIVED - {column.name for column in derived_of(terms_of(names))}:
                return path
    # `filled`: a file with the extension of another format would be read as an empty table, whose answer would be wrong.
    return tabular.of_source(known, source, format, bool(derived), checksum=False, filled=True)


@dataclass(frozen=True)
class TableCache:
    """A folder with the tables of files that were read before; made for each call that uses it.

    A table is a Parquet file with one more column, ``file``, the path as it was given. The name of the Parquet file is a checksum
    of the path, the content, the schema and the program, so that a changed file or schema makes a new table.
    """

    folder: Path
    most: int = MOST_CACHED

    @classmethod
    def of_user(cls) -> TableCache:
        """Return the cache in the user's cache folder; without such a folder, one in a temporary folder of this process."""
        own = own_folder()
        if own is None:
            _TEMPORARY.append(tempfile.TemporaryDirectory(prefix="bridgespec-"))
            return cls(Path(_TEMPORARY[-1].name))
        return cls(own / _FOLDER)

    def clear(self) -> int:
        """Remove all cached tables. Return the number of bytes freed."""
        size = sum(one.stat().st_size for one in self._stored())
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
        """Return the paths of the cached tables of some files; tables that are not cached are made first.

        A file that cannot be read is passed to ``failed`` and left out; without ``failed`` its error is raised. UsageError if none
        can be read.
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
        self._limit_size(set(found))
        return tuple(found)

    def _table(self, known: Engine, path: str, format: str | None, derived: bool) -> str:
        """Return the path of the cached table of a file, which is made if it is not cached."""
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

    def _stored(self) -> list[Path]:
        """Return the paths of all cached tables."""
        return list(self.folder.glob("*.parquet")) if self.folder.is_dir() else []

    def _limit_size(self, used: set[str]) -> None:
        """Remove the least recently used tables, except those in ``used``, until the size is within the maximum."""
        states = sorted((state.st_mtime, state.st_size, path) for path in self._stored() if (state := path.stat()))
        size = sum(one for _, one, _ in states)
        for _, one, path in states:
            if size > self.most and str(path) not in used:
                path.unlink(missing_ok=True)
                size -= one


_TEMPORARY: list[tempfile.TemporaryDirectory[str]] = []
"""The temporary folders of this process; each is removed when its object is collected at exit."""


@cache
def _program() -> tuple[object, ...]:
    """Return a value that changes when a module that makes tables is edited: the latest time of change, and the number of
    modules.
    """
    package = Path(__file__).parent
    parts = [package / "tabular.py", *(package / "tables").glob("*.py"), *(package / "codec").rglob("*.py")]
    return max(path.stat().st_mtime_ns for path in parts), len(parts)


def clear_cache() -> int:
    """Remove the cached tables of folders. Return the number of bytes freed."""
    return TableCache.of_user().clear()
