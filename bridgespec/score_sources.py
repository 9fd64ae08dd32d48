"""Files with results: boards of any format, travellers in CSV, databases of scoring terminals, all as one `SessionSource`.

`read_results` is the entry; `bridgespec.scoring.sheet` makes results of rows and boards.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bridgespec.diagnostic import Diagnostic
from bridgespec.engines import Engine
from bridgespec.errors import UsageError
from bridgespec.extras import Extra, require
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.score_facts import facts_and_notes, facts_of
from bridgespec.scoring.result import ResultOrigin, TableResult
from bridgespec.scoring.sheet import ScoreTable, declarations, of_boards, read_rows
from bridgespec.scoring.stated import StatedTotal, stated_totals
from bridgespec.scoring.suspicion import BoardFacts
from bridgespec.writing import read_whole

if TYPE_CHECKING:
    import access_parser
else:
    access_parser = Extra("access_parser")

DATABASE = (b"Standard Jet DB", b"Standard ACE DB")
"""The signature of an Access database, at its fifth byte."""
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How the files of spreadsheets begin."""
FEWEST = 2
"""Columns of travellers that a head has at least, if the text is to be taken for travellers."""
FIELDS_OF_TEXT = 1 << 17
"""Characters that a cell of CSV may have at most."""


@dataclass
class SessionSource:
    """The content of files about a session: results, boards, totals, and findings on what could not be read.
    Filled file by file.
    """

    results: list[TableResult] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    stated: list[StatedTotal] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)

    def facts(self, solve: bool) -> BoardFacts:
        """Return the facts about the boards; with ``solve`` deals without a double-dummy table are solved."""
        return facts_of(self.boards, solve)

    def facts_and_notes(self, solve: bool) -> tuple[BoardFacts, tuple[str, ...]]:
        """Return the facts, without double dummy where there is no solver, and a note that states so."""
        return facts_and_notes(self.boards, solve)


def add_document(source: SessionSource, document: Document, path: str = "") -> None:
    """Add the results, boards and totals of a document."""
    results, found = of_boards(document.boards, path)
    source.results += results
    source.findings += found
    source.boards += document.boards
    source.stated += stated_totals(document.boards)


def read_results(source: SessionSource, known: Engine, path: str, format: str | None = None, data: bytes | None = None) -> None:
    """Add the content of a file. Raises UsageError or ReadError where it has no results. ``data`` is its content,
    if it was read.
    """
    content = plain(read_whole(path) if data is None else data)
    rows = list(_database(path, data is not None)) if content[4:19] in DATABASE else _travellers(content, path)
    if rows is None:
        if content.startswith(WORKBOOKS) and format is None:
            raise UsageError(f"{path}: workbooks are not read: save it as CSV in the program that made it")
        document = known.load(content, format, path)
        add_document(source, document, path)
        source.findings += document.findings
        return
    results, found = read_rows(rows, source.facts(False).vulnerability)
    source.results += results
    source.findings += found


def plain(data: bytes) -> bytes:
    """Return a text in UTF-16 (what Excel calls Unicode text) as UTF-8, and anything else as it is."""
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError:
        return data


def text_of(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def cells_of(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the head of a text in CSV and its rows with their lines (from 1);
    the separator is the one that the head has most of.
    """
    csv.field_size_limit(FIELDS_OF_TEXT)
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        return [], []
    return (rows[0][1], rows[1:]) if rows else ([], [])


def _travellers(data: bytes, path: str) -> list[tuple[dict[str, str], ResultOrigin]] | None:
    """Return the rows of travellers in CSV by field, each with its place; None for a text that is something else.

    UsageError for a head with some columns of travellers, but not all that it needs.
    """
    table = declarations().traveller
    text = text_of(data)
    head, rows = cells_of(text)
    if missing := table.missing(head):
        if len(table.fields_of(head)) < FEWEST:
            return None
        names = "; ".join(f"{field} ({', '.join(table.columns[field])})" for field in missing)
        raise UsageError(f"{path}: its first line names {', '.join(head)}; it needs a column {names}")
    found: list[tuple[dict[str, str], ResultOrigin]] = []
    lines = data.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for (number, _), cells in zip(rows, table.rows(head, [row for _, row in rows]), strict=True):
        at = min(number, len(lines)) - 1
        found.append((cells, ResultOrigin(path, number, starts[at], len(lines[at].rstrip(b"\r\n")))))
    return found


def _database(path: str, is_pipe: bool) -> Iterator[tuple[dict[str, str], ResultOrigin]]:
    """Yield the rows of the declared tables of an Access database."""
    require("access_parser")
    if is_pipe:
        raise UsageError("a database is read from a file, not from standard input")
    try:
        database = access_parser.AccessParser(path)
        tables = {name: database.parse_table(name) for name in declarations().database if name in database.catalog}
    except Exception as error:  # the library has no error of its own
        raise UsageError(f"{path}: this Access database cannot be read: {error}") from None
    if not tables:
        raise UsageError(f"{path}: an Access database without a table of results ({', '.join(declarations().database)})")
    for name, columns in tables.items():
        yield from database_rows(declarations().database[name], columns, path)


def database_rows(
    declared: ScoreTable, columns: Mapping[str, Sequence[object]], path: str
) -> Iterator[tuple[dict[str, str], ResultOrigin]]:
    """Yield the rows of a table by field, from its columns; records are counted from 0."""
    head = list(columns)
    if declared.missing(head):
        raise UsageError(f"{path}: its table has not the columns of {declared.title}")
    rows = ([("" if cell is None else str(cell)) for cell in row] for row in zip(*columns.values(), strict=True))
    for index, cells in enumerate(declared.rows(head, rows)):
        yield cells, ResultOrigin(path, record=index)
