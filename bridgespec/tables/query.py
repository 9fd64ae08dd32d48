"""SQL queries over tables of boards, run by DuckDB.

A query is restricted in two independent ways. `_select_of` and `_refuse` inspect the tree of DuckDB's own parser: one SELECT, or
EXPLAIN of one, that calls no table function but those that compute. And the connection of a `QuerySession` cannot write: its file
system and its configuration are locked, no extension is loaded, and each table is passed to it as an Arrow stream.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from bridgespec.diagnostic import closest
from bridgespec.errors import ReadError, UsageError
from bridgespec.extras import Extra
from bridgespec.tables.columns import HANDS
from bridgespec.tables.par_arrays import CONTRACTS, pars
from bridgespec.tables.sql_functions import lists, own_functions, statements
from bridgespec.tables.table_files import MEMORY

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from pyarrow import dataset, fs
    from pyarrow import parquet as pq
else:
    duckdb, pa = Extra("duckdb"), Extra("pyarrow")
    dataset, fs, pq = Extra("pyarrow.dataset"), Extra("pyarrow.fs"), Extra("pyarrow.parquet")

T = TypeVar("T")

ROWS = 1 << 15
"""Rows of a batch of the answer."""
_CONFIG = {
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Else DuckDB would look up an unknown table among the variables of the calling Python code.
    "python_enable_replacements": "false",
    # Nothing is spilled to the disk: the session writes no file at all.
    "temp_directory": "",
}
_CLOSE = (
    "SET enable_external_access = false",
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET lock_configuration = true",
)
"""The statements that lock a connection; the last one makes the others final."""
_MARKS = re.compile(r"\n*LINE (\d+): (.*)\n( *\^+).*", re.DOTALL)
_CONVERSION = re.compile(r"Could not convert string '(not a [^']*)' to INT32")
_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""The nodes of DuckDB's trees that only read; a SELECT may have others inside (`WITH x AS (INSERT ...)`)."""
_FUNCTIONS = frozenset(
    ["generate_series", "histogram", "histogram_values", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"]
)
"""Table functions that compute. Others open files, set options, run text as SQL (`query`) or take addresses (`arrow_scan`)."""
_PARTS = """
SELECT id, parent, key, atom ->> '$' FROM json_tree(json_serialize_sql(?))
WHERE key IN ('error', 'error_message', 'function', 'function_name', 'key', 'table_name', 'type')
"""
_STOPPING = 0.05
"""Seconds between two requests to stop."""


class ArrowStream(Protocol):
    """An object that returns a table on each request, by Arrow's C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


Source = ArrowStream | str | tuple[str, ...]
"""The types of a table: a stream, the path of a Parquet file, or the paths of several."""


class QuerySession:
    """Tables by name, on which queries can be run; use it as a context manager, or `close` it.

    A table is a stream of Arrow, or the path of a Parquet file, or the paths of several that are one table: a column that one of
    them lacks is null there. DuckDB takes `memory` megabytes (2**20 bytes) at most. It works in a thread of its own, so that Ctrl-C
    ends a query at once.
    """

    def __init__(self, tables: Mapping[str, Source], memory: int = MEMORY) -> None:
        self.names = list(tables)
        self._connection = duckdb.connect(":memory:", config={**_CONFIG, "memory_limit": f"{memory}MiB"})
        self._worker = ThreadPoolExecutor(1, "query")
        self._pending: Future[Any] | None = None
        try:
            self._open(tables)
        # KeyboardInterrupt too: nobody else has the connection, to close it.
        except BaseException:
            self.close()
            raise

    def _open(self, tables: Mapping[str, Source]) -> None:
        run = self._connection.execute
        for name, values in lists().items():
            run(f"SET VARIABLE {name} = ?", [values])
        kinds = ["UTINYINT[]", "BOOLEAN", "UTINYINT"]
        # With the default handling DuckDB refuses a null as a result, which par of an unsolved table is.
        self._connection.create_function("bridge_par", _par, kinds, _PAR, type="arrow", null_handling="special")
        for statement in statements():
            run(statement)
        # After the functions are made, and before a table is: from here on no statement can open a file.
        for statement in _CLOSE:
            run(statement)
        with _told():
            for name, table in tables.items():
                # DuckDB could read Parquet itself, but whoever may open a file to read it may also open it to write it
                self._connection.register(name, _parquet(table) if isinstance(table, str | tuple) else table)

    def ask(self, question: str) -> pa.RecordBatchReader:
        """Return the answer to a SELECT or an EXPLAIN of one.

        Raises UsageError where the query cannot be parsed, with the position, and where it is another kind of statement.
        """
        with _told(self.names):
            _refuse(_parts(self._connection, _select_of(self._connection, question)))
            reader = self._awaited(lambda: self._reader(question))
        return pa.RecordBatchReader.from_batches(reader.schema, self._batches(reader))

    def _reader(self, question: str) -> pa.RecordBatchReader:
        try:
            return self._connection.sql(question).to_arrow_reader(ROWS)
        except duckdb.BinderException:
            # the other way of asking names the place in the question
            self._connection.execute(question)
            raise

    def _batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        with _told():
            while (batch := self._awaited(lambda: next(reader, None))) is not None:
                yield batch

    def _awaited(self, work: Callable[[], T]) -> T:
        """Return the result of a call into DuckDB, made in the worker thread: waiting here can be interrupted, unlike DuckDB's own
        calls.
        """
        future = self._worker.submit(work)
        self._pending = future
        return future.result()

    def close(self) -> None:
        """Stop a running query and drop the tables."""
        if self._pending is not None:
            # a request that comes before the work has begun is lost, so it is made again
            while not self._pending.done():
                self._connection.interrupt()
                wait([self._pending], _STOPPING)
        self._worker.shutdown()
        self._connection.close()

    def __enter__(self) -> QuerySession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def tables_named(question: str) -> list[str]:
    """Return the tables that a query names, sorted; none where it cannot be parsed, which `QuerySession.ask` reports.

    >>> tables_named("WITH x AS (FROM 'b.zrd') SELECT * FROM x, 'a/a.parquet'")
    ['a/a.parquet', 'b.zrd']
    """
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        with suppress(UsageError, duckdb.Error):
            parts = _parts(connection, _select_of(connection, question)).values()
            # Names that WITH defines are no files.
            own = {part["key"] for part in parts if "key" in part}
            return sorted({part["table_name"] for part in parts if part.get("type") == "BASE_TABLE"} - own)
        return []
    finally:
        connection.close()


def _select_of(connection: duckdb.DuckDBPyConnection, question: str) -> str:
    """Return the one SELECT that a query is or explains, as DuckDB's parser classifies it. Raises UsageError for anything else."""
    # Arguments of a command that are no UTF-8 come as surrogates, which DuckDB cannot encode.
    if any("\ud800" <= sign <= "\udfff" for sign in question):
        raise UsageError("the question has bytes that are not UTF-8")
    kinds = _kinds(connection, question)
    if len(kinds) != 1:
        raise UsageError("ask one question at a time" if kinds else "there is no question")
    if kinds == ["SELECT"]:
        return question
    explained = ""
    if kinds == ["EXPLAIN"]:
        for explained in _explained(question):
            with suppress(duckdb.Error):
                kinds = _kinds(connection, explained)
                break
    if kinds == ["SELECT"]:
        return explained
    hint = "; PIVOT needs its values: ON column IN (...)" if kinds == ["MULTI"] else ": a question changes nothing"
    raise UsageError(f"only SELECT is allowed, not {' '.join(kinds)}{hint}")


def _kinds(connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """Return the kinds of the statements of a text; only OTHER where DuckDB's Python interface has no name for one of them."""
    try:
        return [statement.type.name for statement in connection.extract_statements(text)]
    except ValueError:
        return ["OTHER"]


def _explained(question: str) -> Iterator[str]:
    """Yield the possible statements of an EXPLAIN: the text after the word, after ANALYZE, and after a list of options."""
    # Places of DuckDB's tokens count bytes.
    text = question.encode()
    places = [at for at, kind in duckdb.tokenize(question) if kind != duckdb.token_type.comment]
    options = [text[at : at + 1] for at in places[1:2]] == [b"("]
    for before, at in pairwise(places):
        if at in places[1:3] or (options and text[before : before + 1] == b")"):
            yield text[at:].decode("utf-8", "replace")


def _parts(connection: duckdb.DuckDBPyConnection, select: str) -> Mapping[int, Mapping[str, str]]:
    """Return the objects of DuckDB's tree of a SELECT by their numbers, each with those of its texts that are checked.

    DuckDB flattens the tree: as Python values it could be nested deeper than Python allows.
    """
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for number, parent, key, text in connection.execute(_PARTS, [select]).fetchall():
        if key == "function":
            found[number]["used by"] = str(parent)
        elif text is not None:
            found[parent][key] = text
    for part in found.values():
        if part.get("error") == "true":
            raise UsageError(f"the question cannot be answered: {part.get('error_message', 'it is not understood')}")
    return found


def _refuse(parts: Mapping[int, Mapping[str, str]]) -> None:
    """Raise UsageError where a SELECT has a part that does more than read."""
    for part in parts.values():
        kind, name = part.get("type", ""), part.get("function_name", "").lower()
        if kind.endswith("_NODE") and kind not in _QUERIES:
            raise UsageError(f"only SELECT is allowed, not {kind.partition('_')[0]}: a question changes nothing")
        inside = parts.get(int(part.get("used by", -1)), {})
        if inside.get("type") == "TABLE_FUNCTION" and name not in _FUNCTIONS:
            allowed = ", ".join(sorted(_FUNCTIONS))
            raise UsageError(f"{name} is not allowed: a table is a file by its name in quotes, or a function ({allowed})")


def _parquet(paths: str | tuple[str, ...]) -> dataset.Dataset:
    """Return the dataset of one or several Parquet files, from which Arrow reads only the columns and
    the rows that a query needs.
    """
    local = fs.LocalFileSystem()
    if isinstance(paths, str):
        return dataset.dataset(os.path.abspath(paths), format="parquet", filesystem=local)
    # Without metadata, which differs from file to file: equal schemas are then unified once.
    schemas = dict.fromkeys(pq.read_schema(path).remove_metadata() for path in paths)
    whole = pa.unify_schemas(list(schemas), promote_options="permissive")
    return dataset.dataset(list(paths), schema=whole, format="parquet", filesystem=local)


@contextmanager
def _told(names: list[str] | None = None) -> Iterator[None]:
    """Convert DuckDB's errors to UsageError with the reason and the position in the query."""
    try:
        yield
    except duckdb.Error as problem:
        if (broken := _STREAM.search(str(problem))) is not None:
            raise ReadError(f"{broken[1]}: {broken[2]}") from None
        message = _CONVERSION.sub(r"\1", str(problem)).strip()
        kind, _, rest = message.partition(": ")
        marks = _MARKS.search(rest)
        told = _with_own_names(_MARKS.sub("", rest).strip())
        if names is not None and (unknown := _UNKNOWN_TABLE.search(told)) is not None:
            # DuckDB's own suggestion may be a table of its catalogue
            told = f"there is no table {unknown[1]} (there are {', '.join(repr(name) for name in names) or 'none: name a file'})"
        if "because schema" in told:
            told += "; the name of a file stands in quotes: FROM 'deals.x'"
        if marks is not None:
            number, text, caret = marks.groups()
            shift = len(f"LINE {number}: ")
            where = "" if text.startswith("...") else f", column {caret.index('^') - shift + 1}"
            told = f"line {number}{where}: {told}\n  {text}\n  {caret[shift:]}"
        if isinstance(problem, duckdb.OutOfMemoryException):
            told += "\n--memory allows more"
        raise UsageError(f"the question cannot be answered: {told or kind}") from None
    except pa.ArrowException as problem:
        raise UsageError(f"the question cannot be answered: {str(problem).strip()}") from None


_STREAM = re.compile(
    r"reading the stream registered as '(.*?)' failed: (?:Unknown error: )?(.*?)\.? Detail: Python exception:", re.DOTALL
)
"""An error of Python while DuckDB reads the table of a file: the file and the message, before the traceback."""
_UNKNOWN_FUNCTION = re.compile(r"(?:Scalar |Table )?Function with name \"?(\w+)\"? does not exist!.*", re.DOTALL)
_UNKNOWN_TABLE = re.compile(r'Table with name "?([^"]+?)"? does not exist!.*', re.DOTALL)
_UNKNOWN_COLUMN = re.compile(r'(Referenced column "(\w+)" not found in FROM clause!)(.*)', re.DOTALL)
_HANDS = "west, north, east and south are the columns of hands, and deal_text(west, north, east, south) is the deal as text"


def _with_own_names(told: str) -> str:
    """Return DuckDB's message about an unknown name with the function or the columns of this package that were probably meant."""
    own = own_functions()
    if (found := _UNKNOWN_FUNCTION.search(told)) is not None:
        near = closest(found[1].lower(), own)
        hint = f"there are DuckDB's and {', '.join(own)}" if near is None else f"did you mean {near}({own[near]})?"
        return f"there is no function {found[1]}; {hint}"
    if (found := _UNKNOWN_COLUMN.search(told)) is not None:
        name = found[2].lower()
        # DuckDB suggests only columns, and `deal` is not one: for `dael` it suggests `date`.
        if closest(name, ("deal", "deals", "hand", "hands", "dealer"), 0.75) not in (None, "dealer"):
            return f"{found[1]} {_HANDS}"
        columns = {f"{seat}_{one}" for seat in HANDS for one in ("hcp", "controls", "losers", "shape")}
        near = closest(name, [*own, *sorted(columns)], 0.8)
        if near is not None:
            call = f"{near}({own[near]})" if near in own else near
            return f"{found[1]} Did you mean {call}?"
    return told


_PAR = "STRUCT(score SMALLINT, contract VARCHAR, side VARCHAR)"
_SIDES = ("NS", "EW")


def _par(tricks: Any, ew_deals: Any, vulnerability: Any) -> Any:
    """Return par of a column of trick tables; null where a result is not known."""
    tables, dealers, vulnerabilities = (
        one.combine_chunks() if isinstance(one, pa.ChunkedArray) else one for one in (tricks, ew_deals, vulnerability)
    )
    cells = np.zeros((len(tables), 20), np.uint8)
    there = np.asarray(tables.is_valid()) & np.asarray(dealers.is_valid()) & np.asarray(vulnerabilities.is_valid())
    # A list that is not of twenty results is no table, and par of it is null.
    sizes = np.asarray(tables.value_lengths().fill_null(0))
    there &= sizes == 20
    cells[there] = np.asarray(tables.filter(pa.array(there)).flatten().fill_null(15)).reshape(-1, 20)
    known = there & (cells <= 13).all(axis=1) & cells.any(axis=1)
    cells[~known] = 0
    found = pars(cells, np.asarray(dealers.fill_null(False)), np.asarray(vulnerabilities.fill_null(0)))
    passed = found.contract == 0
    columns = [
        pa.array(found.score, mask=~known),
        pa.DictionaryArray.from_arrays(pa.array(found.contract, mask=~known), pa.array(CONTRACTS)).dictionary_decode(),
        pa.DictionaryArray.from_arrays(
            pa.array(found.by_ew.view(np.uint8), mask=~known | passed), pa.array(_SIDES)
        ).dictionary_decode(),
    ]
    return pa.StructArray.from_arrays(columns, ["score", "contract", "side"])
