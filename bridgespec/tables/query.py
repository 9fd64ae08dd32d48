"""Run SQL queries over tables of boards with DuckDB: `QuerySession.ask` takes a query and returns record batches of Arrow.

A query can only read, for two independent reasons. `_select_of` and `_refuse` inspect the tree of DuckDB's own parser: it must be
one SELECT, or an EXPLAIN of one, and may call only table functions that compute. And the connection of a `QuerySession` cannot
write: its file system and its configuration are locked, no extension is loaded, and each table is passed to it as an Arrow stream.
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
"""The number of rows of a batch of the answer."""
_CONFIG = {
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Otherwise DuckDB looks an unknown table up among the variables of the calling Python code.
    "python_enable_replacements": "false",
    # Empty, so that no intermediate result is written to a file.
    "temp_directory": "",
}
_LOCK = (
    "SET enable_external_access = false",
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET lock_configuration = true",
)
"""The statements that lock a connection. After the last one no setting can be changed."""
_MARKS = re.compile(r"\n*LINE (\d+): (.*)\n( *\^+).*", re.DOTALL)
_CONVERSION = re.compile(r"Could not convert string '(not a [^']*)' to INT32")
_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""The nodes of DuckDB's trees that only read. A SELECT may contain others (``WITH x AS (INSERT ...)``)."""
_FUNCTIONS = frozenset(
    ["generate_series", "histogram", "histogram_values", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"]
)
"""The table functions that only compute. Others open files, set options, run a text as SQL (``query``) or read at an address
(``arrow_scan``).
"""
_TREE_QUERY = """
SELECT id, parent, key, atom ->> '$' FROM json_tree(json_serialize_sql(?))
WHERE key IN ('error', 'error_message', 'function', 'function_name', 'key', 'table_name', 'type')
"""
_STOPPING = 0.05
"""The seconds between two requests to interrupt a query."""


class ArrowStream(Protocol):
    """A table with Arrow's C stream interface, of which each call returns a stream from the first row on."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


QuerySource = ArrowStream | str | tuple[str, ...]
"""A table for a query: a stream of Arrow, the path of a Parquet file, or the paths of several files that are one table."""


class QuerySession:
    """A connection to DuckDB with tables by name, over which queries can be run. Use it in a ``with`` statement, or `close` it.

    If a table is several files, a column that a file lacks is null in its rows. DuckDB takes at most ``memory`` megabytes (2**20
    bytes). Queries run in a thread of their own, so that Ctrl-C ends one at once.
    """

    def __init__(self, tables: Mapping[str, QuerySource], memory: int = MEMORY) -> None:
        self.names = list(tables)
        self._connection = duckdb.connect(":memory:", config={**_CONFIG, "memory_limit": f"{memory}MiB"})
        self._worker = ThreadPoolExecutor(1, "query")
        self._pending: Future[Any] | None = None
        try:
            self._open(tables)
        # BaseException, for KeyboardInterrupt: the caller has no session to close.
        except BaseException:
            self.close()
            raise

    def _open(self, tables: Mapping[str, QuerySource]) -> None:
        """Define the functions, lock the connection, and register the tables."""
        run = self._connection.execute
        for name, values in lists().items():
            run(f"SET VARIABLE {name} = ?", [values])
        kinds = ["UTINYINT[]", "BOOLEAN", "UTINYINT"]
        # By default DuckDB refuses null as a result, which is par of an unsolved table.
        self._connection.create_function("bridge_par", _par, kinds, _PAR, type="arrow", null_handling="special")
        for statement in statements():
            run(statement)
        # Before the first table: from here on no statement can open a file.
        for statement in _LOCK:
            run(statement)
        with _query_errors():
            for name, table in tables.items():
                # Not by DuckDB's own reader of Parquet: a connection that may read files may also write them.
                self._connection.register(name, _parquet(table) if isinstance(table, str | tuple) else table)

    def ask(self, question: str) -> pa.RecordBatchReader:
        """Return the answer to a query, which is one SELECT or an EXPLAIN of one.

        Raises UsageError for any other statement, and with the position for one that cannot be parsed or answered. Errors may also
        be raised while the answer is read.
        """
        with _query_errors(self.names):
            _refuse(_tree_objects(self._connection, _select_of(self._connection, question)))
            reader = self._awaited(lambda: self._reader(question))
        return pa.RecordBatchReader.from_batches(reader.schema, self._batches(reader))

    def _reader(self, question: str) -> pa.RecordBatchReader:
        """Run a query in DuckDB; called in the worker thread."""
        try:
            return self._connection.sql(question).to_arrow_reader(ROWS)
        except duckdb.BinderException:
            # The error of `execute` has the position in the query, which that of `sql` has not.
            self._connection.execute(question)
            raise

    def _batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        """Yield the batches of an answer, each read in the worker thread."""
        with _query_errors():
            while (batch := self._awaited(lambda: next(reader, None))) is not None:
                yield batch

    def _awaited(self, work: Callable[[], T]) -> T:
        """Call ``work``, which calls DuckDB, in the worker thread, and return its result. Waiting for the thread can be interrupted
        by Ctrl-C, a call of DuckDB cannot.
        """
        future = self._worker.submit(work)
        self._pending = future
        return future.result()

    def close(self) -> None:
        """Stop a running query and drop the tables."""
        if self._pending is not None:
            # Repeated, because a request is lost if the query has not begun.
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
    """Return the names of the tables in a query, sorted; empty if it cannot be parsed, which `QuerySession.ask` reports.

    >>> tables_named("WITH x AS (FROM 'b.zrd') SELECT * FROM x, 'a/a.parquet'")
    ['a/a.parquet', 'b.zrd']
    """
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        with suppress(UsageError, duckdb.Error):
            parts = _tree_objects(connection, _select_of(connection, question)).values()
            # Names that WITH defines are no tables of the session.
            defined = {part["key"] for part in parts if "key" in part}
            return sorted({part["table_name"] for part in parts if part.get("type") == "BASE_TABLE"} - defined)
        return []
    finally:
        connection.close()


def _select_of(connection: duckdb.DuckDBPyConnection, question: str) -> str:
    """Return the text of the SELECT that a query is, or that its EXPLAIN has. Raises UsageError for any other statements."""
    # Bytes of a command line that are no UTF-8 are surrogates in Python's text, which DuckDB cannot encode.
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
    """Return the kinds of the statements in a text; only OTHER if DuckDB's Python interface has no name for one of them."""
    try:
        return [statement.type.name for statement in connection.extract_statements(text)]
    except ValueError:
        return ["OTHER"]


def _explained(question: str) -> Iterator[str]:
    """Yield the texts that may be the statement of an EXPLAIN: from the second token on, from the third (after ANALYZE), and after
    each closing bracket if a list of options follows EXPLAIN.
    """
    # Offsets of DuckDB's tokens are in bytes.
    text = question.encode()
    offsets = [at for at, kind in duckdb.tokenize(question) if kind != duckdb.token_type.comment]
    options = [text[at : at + 1] for at in offsets[1:2]] == [b"("]
    for before, at in pairwise(offsets):
        if at in offsets[1:3] or (options and text[before : before + 1] == b")"):
            yield text[at:].decode("utf-8", "replace")


def _tree_objects(connection: duckdb.DuckDBPyConnection, select: str) -> Mapping[int, Mapping[str, str]]:
    """Return the objects in DuckDB's tree of a SELECT by their ids, each with its texts for the keys of `_TREE_QUERY`.

    A function has the id of the object that calls it as ``used by``. The tree is flattened by DuckDB, because as nested Python
    values it could be deeper than Python allows. Raises UsageError if DuckDB cannot parse the SELECT.
    """
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for number, parent, key, text in connection.execute(_TREE_QUERY, [select]).fetchall():
        if key == "function":
            found[number]["used by"] = str(parent)
        elif text is not None:
            found[parent][key] = text
    for part in found.values():
        if part.get("error") == "true":
            raise UsageError(f"the question cannot be answered: {part.get('error_message', 'it is not understood')}")
    return found


def _refuse(parts: Mapping[int, Mapping[str, str]]) -> None:
    """Raise UsageError if an object in the tree of a SELECT does more than read."""
    for part in parts.values():
        kind, name = part.get("type", ""), part.get("function_name", "").lower()
        if kind.endswith("_NODE") and kind not in _QUERIES:
            raise UsageError(f"only SELECT is allowed, not {kind.partition('_')[0]}: a question changes nothing")
        caller = parts.get(int(part.get("used by", -1)), {})
        if caller.get("type") == "TABLE_FUNCTION" and name not in _FUNCTIONS:
            allowed = ", ".join(sorted(_FUNCTIONS))
            raise UsageError(f"{name} is not allowed: a table is a file by its name in quotes, or a function ({allowed})")


def _parquet(paths: str | tuple[str, ...]) -> dataset.Dataset:
    """Return the dataset of one or several Parquet files, of which Arrow reads only the columns and rows that a query needs."""
    local = fs.LocalFileSystem()
    if isinstance(paths, str):
        return dataset.dataset(os.path.abspath(paths), format="parquet", filesystem=local)
    # Without metadata, which differ from file to file, most schemas are equal, and only one of them is unified.
    schemas = dict.fromkeys(pq.read_schema(path).remove_metadata() for path in paths)
    unified = pa.unify_schemas(list(schemas), promote_options="permissive")
    return dataset.dataset(list(paths), schema=unified, format="parquet", filesystem=local)


@contextmanager
def _query_errors(names: list[str] | None = None) -> Iterator[None]:
    """Convert errors of DuckDB and Arrow in the ``with`` block to UsageError, with the reason and the position in the query; an
    error of a table's source to ReadError. ``names`` are the tables of the session, for the message about an unknown one.
    """
    try:
        yield
    except duckdb.Error as problem:
        if (broken := _STREAM.search(str(problem))) is not None:
            raise ReadError(f"{broken[1]}: {broken[2]}") from None
        message = _CONVERSION.sub(r"\1", str(problem)).strip()
        kind, _, rest = message.partition(": ")
        marks = _MARKS.search(rest)
        reason = _with_suggestion(_MARKS.sub("", rest).strip())
        if names is not None and (unknown := _UNKNOWN_TABLE.search(reason)) is not None:
            # DuckDB would suggest tables of its own catalogue.
            reason = f"there is no table {unknown[1]} (there are {', '.join(repr(name) for name in names) or 'none: name a file'})"
        if "because schema" in reason:
            reason += "; the name of a file stands in quotes: FROM 'deals.x'"
        if marks is not None:
            number, text, caret = marks.groups()
            shift = len(f"LINE {number}: ")
            where = "" if text.startswith("...") else f", column {caret.index('^') - shift + 1}"
            reason = f"line {number}{where}: {reason}\n  {text}\n  {caret[shift:]}"
        if isinstance(problem, duckdb.OutOfMemoryException):
            reason += "\n--memory allows more"
        raise UsageError(f"the question cannot be answered: {reason or kind}") from None
    except pa.ArrowException as problem:
        raise UsageError(f"the question cannot be answered: {str(problem).strip()}") from None


_STREAM = re.compile(
    r"reading the stream registered as '(.*?)' failed: (?:Unknown error: )?(.*?)\.? Detail: Python exception:", re.DOTALL
)
"""Matches an error of Python while DuckDB reads the stream of a table: the name of the table and the message."""
_UNKNOWN_FUNCTION = re.compile(r"(?:Scalar |Table )?Function with name \"?(\w+)\"? does not exist!.*", re.DOTALL)
_UNKNOWN_TABLE = re.compile(r'Table with name "?([^"]+?)"? does not exist!.*', re.DOTALL)
_UNKNOWN_COLUMN = re.compile(r'(Referenced column "(\w+)" not found in FROM clause!)(.*)', re.DOTALL)
_HANDS = "west, north, east and south are the columns of hands, and deal_text(west, north, east, south) is the deal as text"


def _with_suggestion(message: str) -> str:
    """Return DuckDB's message; one about an unknown name with the function or column of this package that was probably meant."""
    own = own_functions()
    if (found := _UNKNOWN_FUNCTION.search(message)) is not None:
        near = closest(found[1].lower(), own)
        hint = f"there are DuckDB's and {', '.join(own)}" if near is None else f"did you mean {near}({own[near]})?"
        return f"there is no function {found[1]}; {hint}"
    if (found := _UNKNOWN_COLUMN.search(message)) is not None:
        name = found[2].lower()
        # DuckDB suggests only columns, and `deal` is not one: for `dael` it suggests `date`.
        if closest(name, ("deal", "deals", "hand", "hands", "dealer"), 0.75) not in (None, "dealer"):
            return f"{found[1]} {_HANDS}"
        columns = {f"{seat}_{one}" for seat in HANDS for one in ("hcp", "controls", "losers", "shape")}
        near = closest(name, [*own, *sorted(columns)], 0.8)
        if near is not None:
            call = f"{near}({own[near]})" if near in own else near
            return f"{found[1]} Did you mean {call}?"
    return message


_PAR = "STRUCT(score SMALLINT, contract VARCHAR, side VARCHAR)"
_SIDES = ("NS", "EW")


def _par(tricks: Any, ew_deals: Any, vulnerability: Any) -> Any:
    """Return par of columns of Arrow: trick tables, whether East or West deals, and the number of the vulnerability. Null for a
    table that is incomplete or consists of zeros, and where an argument is null.
    """
    tables, dealers, vulnerabilities = (
        one.combine_chunks() if isinstance(one, pa.ChunkedArray) else one for one in (tricks, ew_deals, vulnerability)
    )
    cells = np.zeros((len(tables), 20), np.uint8)
    there = np.asarray(tables.is_valid()) & np.asarray(dealers.is_valid()) & np.asarray(vulnerabilities.is_valid())
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
