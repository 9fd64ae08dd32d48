"""Questions in SQL over tables of boards, answered by DuckDB.

Nothing is written, no extension is loaded and no file read but those that are named: DuckDB is closed off before the question is
looked at, and a question is a single SELECT.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bridgespec.errors import UsageError
from bridgespec.tables.extras import Extra
from bridgespec.tables.functions import lists, statements
from bridgespec.tables.par import CONTRACTS, pars

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
else:
    duckdb, pa = Extra("duckdb"), Extra("pyarrow")

ROWS = 1 << 15
"""Rows of a batch of the answer."""
_CONFIG = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}
_MARKS = re.compile(r"\n*LINE (\d+): (.*)\n( *\^+).*", re.DOTALL)
_CONVERSION = re.compile(r"Could not convert string '(not a [^']*)' to INT32")
_PREFIX = re.compile(r"^\s*(EXPLAIN(\s+ANALYZE)?|DESCRIBE|SUMMARIZE)\s+(?=SELECT|FROM|WITH)", re.IGNORECASE)
_READS = ("SELECT", "EXPLAIN")


class Stream(Protocol):
    """What gives a table each time it is asked, by Arrow's C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class Session:
    """Tables by name, and the questions that may be asked of them; use it as a context, or `close` it.

    A table is a stream of Arrow, or the path of a Parquet file, which DuckDB reads by itself.
    """

    def __init__(self, tables: Mapping[str, Stream | str]) -> None:
        self.names = list(tables)
        self._connection = duckdb.connect(":memory:", config=_CONFIG)
        try:
            self._open(tables)
        except BaseException:
            self.close()
            raise

    def _open(self, tables: Mapping[str, Stream | str]) -> None:
        run = self._connection.execute
        for name, values in lists().items():
            run(f"SET VARIABLE {name} = ?", [values])
        kinds = ["UTINYINT[]", "BOOLEAN", "UTINYINT"]
        self._connection.create_function("bridge_par", _par, kinds, _PAR, type="arrow", null_handling="special")
        for statement in statements():
            run(statement)
        paths = {name: os.path.abspath(table) for name, table in tables.items() if isinstance(table, str)}
        listed = ", ".join(_text(path) for path in paths.values())
        run(f"SET allowed_paths = [{listed}]")
        run("SET enable_external_access = false")
        run("SET lock_configuration = true")
        for name, table in tables.items():
            if name in paths:
                with _told():
                    run(f"CREATE VIEW {_name(name)} AS FROM read_parquet({_text(paths[name])})")
            else:
                self._connection.register(name, table)

    def ask(self, question: str) -> pa.RecordBatchReader:
        """The answer to a SELECT; UsageError says where it cannot be understood, and what is not allowed."""
        with _told(self.names):
            asked = self._connection.extract_statements(question)
        if len(asked) != 1:
            raise UsageError("ask one question at a time" if asked else "there is no question")
        if asked[0].type.name not in _READS:
            raise UsageError(f"only SELECT is allowed, not {asked[0].type.name}: a question changes nothing")
        with _told(self.names):
            try:
                relation = self._connection.sql(question)
            except duckdb.BinderException:
                # the other way of asking names the place in the question
                self._connection.execute(question)
                raise
            reader = relation.to_arrow_reader(ROWS)
            return pa.RecordBatchReader.from_batches(reader.schema, _batches(reader))

    def close(self) -> None:
        """Forget the tables."""
        self._connection.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def tables_named(question: str) -> list[str]:
    """The tables that a question names, in the order of their names; none where it cannot be understood, which `Session.ask` says.

    >>> tables_named("WITH x AS (FROM 'b.zrd') SELECT * FROM x, 'a/a.parquet'")
    ['a/a.parquet', 'b.zrd']
    """
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        (tree,) = connection.execute("SELECT json_serialize_sql(?)", [_PREFIX.sub("", question)]).fetchone()
    finally:
        connection.close()
    return sorted(set(_base_tables(json.loads(tree))))


def _base_tables(tree: Any) -> Iterator[str]:
    """The names of tables in a tree of DuckDB, those of common table expressions left out."""
    pending, own = [tree], set()
    found = []
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            if node.get("type") == "BASE_TABLE":
                found.append(node["table_name"])
            for entry in (node.get("cte_map") or {}).get("map", ()):
                own.add(entry["key"])
            pending += node.values()
    yield from (name for name in found if name not in own)


def _batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    with _told():
        yield from reader


@contextmanager
def _told(names: list[str] | None = None) -> Iterator[None]:
    """Errors of DuckDB in our words: what is wrong, and the place in the question."""
    try:
        yield
    except duckdb.Error as problem:
        message = _CONVERSION.sub(r"\1", str(problem)).strip()
        kind, _, rest = message.partition(": ")
        marks = _MARKS.search(rest)
        told = _MARKS.sub("", rest).strip()
        if "does not exist" in told and "Table" in told and names is not None:
            told += f" (there are {', '.join(repr(name) for name in names) or 'no tables: name a file'})"
        if "because schema" in told:
            told += "; the name of a file stands in quotes: FROM 'deals.x'"
        if marks is not None:
            number, text, caret = marks.groups()
            shift = len(f"LINE {number}: ")
            where = "" if text.startswith("...") else f", column {caret.index('^') - shift + 1}"
            told = f"line {number}{where}: {told}\n  {text}\n  {caret[shift:]}"
        raise UsageError(f"the question cannot be answered: {told or kind}") from None
    except pa.ArrowException as problem:
        raise UsageError(f"the question cannot be answered: {str(problem).strip()}") from None


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_PAR = "STRUCT(score SMALLINT, contract VARCHAR, side VARCHAR)"
_SIDES = ("NS", "EW")


def _par(tricks: Any, ew_deals: Any, vulnerability: Any) -> Any:
    """Par of a column of tables; null where a result is not known."""
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
