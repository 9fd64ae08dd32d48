"""SQL queries over files, documents and tables: sources in, tables for the query engine and its answer out.

`named_sources` finds the names of each file in a query, `source_table` makes a table of a source, `query` runs the query.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from bridgespec.engines import Engine, Folders, engine
from bridgespec.errors import UsageError
from bridgespec.extras import Extra, require
from bridgespec.lazily import Lazy
from bridgespec.paths import expand, is_several
from bridgespec.tables.columns import DERIVED, derived_of, terms_of
from bridgespec.tables.table_files import KINDS, MEMORY, TableFile, kind_by_name
from bridgespec.writing import source_file

if TYPE_CHECKING:
    import pyarrow as pa

    from bridgespec import table_cache, tabular
    from bridgespec.table_cache import Tracked
    from bridgespec.tables import query as sql
    from bridgespec.tables.query import ArrowStream
    from bridgespec.tables.query import Source as SourceTable
    from bridgespec.tabular import BoardSource
else:
    pa = Extra("pyarrow")
    tabular, sql = Lazy("bridgespec.tabular"), Lazy("bridgespec.tables.query")
    table_cache = Lazy("bridgespec.table_cache")

_WORDS = re.compile(r"\w+")
_DERIVED = frozenset(column.name for column in DERIVED)


def query(
    question: str,
    *paths: str | os.PathLike[str],
    format: str | None = None,
    tables: Mapping[str, BoardSource | ArrowStream] | None = None,
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


def _table_of(given: BoardSource | ArrowStream, derived: bool) -> SourceTable:
    """Return a table that a caller gives; what streams by Arrow may be iterated too, and is no sequence of boards."""
    if hasattr(given, "__arrow_c_stream__"):
        return cast("ArrowStream", given)
    return tabular.of_document(given, derived)


def derived_columns(question: str) -> frozenset[str]:
    """Return the derived columns that a query names."""
    return _DERIVED & set(_WORDS.findall(question))


def named_sources(question: str, paths: Sequence[str], others: Mapping[str, object] | None = None) -> dict[str, str]:
    """Return the path of each name by which a query may refer to a file, except names that two files share; ``others`` are no
    files.
    """
    short = Counter(name for path in paths for name in {PurePath(path).name, PurePath(path).stem})
    # Of two files with one name neither may be meant by it: a question must not depend on the order of the paths.
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
    failed: table_cache.Failed | None = None,
) -> SourceTable:
    """Return the table of a file, or of bytes; the path alone of a file that the query engine can read itself.

    A folder or a pattern is one table of its files, cached in the user's cache; ``tracked`` may show progress, and ``failed``
    takes those that cannot be read.
    """
    if isinstance(source, str) and is_several(path):
        extensions = frozenset(extension for head in known.catalog.heads() for extension in head.extensions)
        files = [one for one in expand([path], extensions) if os.path.isfile(one)]
        if not files:
            raise UsageError(
                f"{path}: there is no file of boards in it" if os.path.isdir(path) else f"{path}: there is no such file"
            )
        return table_cache.TableCache.of_user().tables(known, files, format, bool(derived), tracked, failed)
    kind = kind_by_name(path) if format is None else None
    named = known.named(path) if format is None else None if format in KINDS else known.spec(format)
    if named is not None and not named.has_model:
        opened = partial(io.BytesIO, source) if isinstance(source, bytes) else partial(source_file, path)
        return tabular.of_records(named, opened)
    if kind is not None and kind.name == "parquet":
        with open(path, "rb") as file:
            stored = TableFile(file, kind, path)
            names = stored.schema.names
            # The engine reads Parquet by itself, and faster, if the columns that the
            # question derives are in the file or cannot be made of it.
            if derived <= set(names) | _DERIVED - {column.name for column in derived_of(terms_of(names))}:
                return path
    # An extension forces its format, and the answer about an empty table would hide that the file is not of that format.
    return tabular.of_source(known, source, format, bool(derived), checksum=False, filled=True)


def clear_cache() -> int:
    """Remove the cached tables of folders. Return the number of bytes freed."""
    return table_cache.TableCache.of_user().clear()
