"""Read files with results into a `SessionSource`: boards of any format, travellers in CSV, databases of scoring terminals.

`read_results` adds a file to it, `add_document` a document; `bridgespec.scoring.sheet` makes results of rows and boards.
`SessionSource.facts` returns what its boards show about the results: deals, double dummy and vulnerability.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from bridgespec.diagnostic import Diagnostic, nearest
from bridgespec.engines import Engine
from bridgespec.errors import UsageError
from bridgespec.extras import Extra, require
from bridgespec.model.board import Board
from bridgespec.model.cardplay import CardPlay
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.scoring.result import ResultOrigin, TableResult
from bridgespec.scoring.sheet import UNREAD_RESULT, ScoreTable, declarations, finding, of_boards, read_rows
from bridgespec.scoring.stated import StatedTotal, stated_totals
from bridgespec.scoring.suspicion import BoardFacts
from bridgespec.solver import SolverMissing, analyse_play, solve_document
from bridgespec.writing import read_whole

if TYPE_CHECKING:
    import access_parser
else:
    access_parser = Extra("access_parser")

DATABASE = (b"Standard Jet DB", b"Standard ACE DB")
"""The signature of an Access database, at its fifth byte."""
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of files of spreadsheets: ZIP archives and OLE compound files."""
FEWEST = 2
"""The minimum number of columns with names of travellers in the head of a CSV text that is read as travellers."""
FIELDS_OF_TEXT = 1 << 17
"""The maximum number of characters of a cell of CSV."""


@dataclass
class SessionSource:
    """The content of all files about a session: results, boards, stated totals, and findings on unreadable parts.

    Made empty for one call; `read_results` and `add_document` add to it. ``notes`` are for the user, such as columns not read.
    """

    results: list[TableResult] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    stated: list[StatedTotal] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def facts(self, solve: bool) -> BoardFacts:
        """Return the facts about the boards; with ``solve`` deals without a double-dummy table are solved."""
        known = _usual(self.boards)
        if solve:
            complete = [board for board in known if board.deal is not None and board.deal.is_complete]
            known = [*solve_document(Document(tuple(complete))).boards, *(board for board in known if board not in complete)]
        situations = ((one.number, one.effective_vulnerability) for one in [*self.boards, *known])
        return BoardFacts(
            {one.number: one.deal for one in known if one.number is not None and one.deal is not None},
            {one.number: one.tricks for one in known if one.number is not None and one.tricks is not None},
            {number: one for number, one in situations if number is not None and one is not None},
            tricks_after_lead if solve else None,
        )

    def facts_and_notes(self, solve: bool) -> tuple[BoardFacts, tuple[str, ...]]:
        """Return the facts as `facts`, and notes: if ``solve`` is true and there is no solver, nothing is solved, and a note states
        this.
        """
        try:
            return self.facts(solve), ()
        except SolverMissing as missing:
            return self.facts(False), (f"results are not compared with double dummy: {missing}",)


def _usual(boards: Sequence[Board]) -> list[Board]:
    """Return one board for each number, of the boards with deals: the last that has the most frequent deal of its number.

    Another deal with the same number is probably a record with a wrong number.
    """
    records: dict[int, list[Board]] = defaultdict(list)
    for board in boards:
        if board.number is not None and board.deal is not None:
            records[board.number].append(board)
    found = []
    for same in records.values():
        # In records of tournaments board numbers may be wrong (95 in one event), so the most frequent deal is taken.
        usual = Counter(one.deal for one in same).most_common(1)[0][0]
        found.append(next(one for one in reversed(same) if one.deal == usual))
    return found


def tricks_after_lead(deal: Deal, strain: Strain, declarer: Seat, lead: Card) -> int:
    """Return the double-dummy number of declarer's tricks after an opening lead.

    >>> tricks_after_lead(Deal.parse("N:A2... K3... Q4... J5..."), Strain.NOTRUMP, Seat.SOUTH, Card.parse("SJ"))
    1
    """
    tricks = analyse_play(CardPlay(deal, strain, declarer.next, [lead])).cards[0].tricks
    return tricks if declarer.side is Side.NS else len(deal.cards(declarer)) - tricks


def add_document(source: SessionSource, document: Document, path: str = "") -> None:
    """Add the results, boards and totals of a document."""
    results, found = of_boards(document.boards, path)
    source.results += results
    source.findings += found
    source.boards += document.boards
    source.stated += stated_totals(document.boards)


def read_results(source: SessionSource, known: Engine, path: str, format: str | None = None, data: bytes | None = None) -> None:
    """Add the content of a file: an Access database, travellers in CSV, or boards of a format. Raises UsageError or ReadError for
    any other file. ``data`` is its content, None if it is to be read from ``path``.
    """
    content = plain(read_whole(path) if data is None else data)
    if content[4:19] in DATABASE:
        rows = list(_database(path, data is not None))
    elif (travellers := _travellers(content, path)) is not None:
        rows = travellers.rows
        source.findings += travellers.findings
        if travellers.unread:
            source.notes.append(f"{path}: not read: the column{'s' * (len(travellers.unread) > 1)} {', '.join(travellers.unread)}")
        if not is_utf8(content):
            source.notes.append(f"{path}: read as Windows-1252, as it is not in UTF-8")
    else:
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
    """Return a UTF-16 text with a byte order mark (Excel's "Unicode text") as UTF-8, and any other data unchanged."""
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError:
        return data


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are a text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def text_of(data: bytes) -> str:
    """Return a text in UTF-8, else in Windows-1252; the five bytes that this does not define become U+FFFD."""
    return data.decode("utf-8-sig") if is_utf8(data) else data.decode("cp1252", "replace")


class CsvText:
    """A text in CSV. Its separator is the most frequent of comma, semicolon and tab in its first line that is not blank, the head.

    ``rows`` are the rows below the head that are not empty, each with its line from 1. ``faults`` are the lines that are no rows,
    each with the reason. Both are parsed on first access.

    >>> text = CsvText('board,ns,names\\n1,2,"Ann, Bob"\\n2,"3,Cleo\\n3,4,Dan,5\\n')
    >>> text.head, text.rows
    (['board', 'ns', 'names'], [(2, ['1', '2', 'Ann, Bob'])])
    >>> text.faults
    [(3, 'the quotes of its cells do not close'), (4, 'it has 4 cells, and the head has 3')]
    """

    def __init__(self, text: str) -> None:
        csv.field_size_limit(FIELDS_OF_TEXT)
        self._lines = list(io.StringIO(text, newline=None))
        first = next((index for index, line in enumerate(self._lines) if line.strip()), 0)
        line = self._lines[first] if self._lines else ""
        self._separator = max(",;\t", key=line.count)
        self._below = first + 1
        try:
            self.head = next(csv.reader([line], delimiter=self._separator, strict=True), [])
        except csv.Error:
            self.head = []

    @property
    def rows(self) -> list[tuple[int, list[str]]]:
        return self._read[0]

    @property
    def faults(self) -> list[tuple[int, str]]:
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[list[tuple[int, list[str]]], list[tuple[int, str]]]:
        """Return ``rows`` and ``faults``."""
        rows: list[tuple[int, list[str]]] = []
        faults: list[tuple[int, str]] = []
        at = self._below
        while at < len(self._lines):
            # A cell may extend over several lines. If its quotes do not close, parsing begins again at the line below its first.
            reader = csv.reader(map(self._lines.__getitem__, range(at, len(self._lines))), delimiter=self._separator, strict=True)
            start = at
            try:
                for row in reader:
                    line, at = at + 1, start + reader.line_num
                    if any(cell.strip() for cell in row[len(self.head) :]):
                        faults.append((line, f"it has {len(row)} cells, and the head has {len(self.head)}"))
                    elif any(cell.strip() for cell in row):
                        rows.append((line, row))
            except csv.Error:
                faults.append((at + 1, "the quotes of its cells do not close"))
                at += 1
        return rows, faults


@dataclass(frozen=True, slots=True)
class Travellers:
    """The content of travellers in CSV: its rows, as cells by field with their place; findings on lines that are no rows; and the
    columns that are not read.
    """

    rows: list[tuple[dict[str, str], ResultOrigin]]
    findings: list[Diagnostic]
    unread: list[str]


def _travellers(data: bytes, path: str) -> Travellers | None:
    """Return the travellers in a CSV text; None if fewer than `FEWEST` columns of its head are those of travellers.

    UsageError for a head that lacks a required column, or has two columns for one field.
    """
    table = declarations().traveller
    text = CsvText(text_of(data))
    if missing := table.missing(text.head):
        if len(table.fields_of(text.head)) < FEWEST:
            return None
        names = "; ".join(f"{field} ({', '.join(table.columns[field])})" for field in missing)
        raise UsageError(f"{path}: its first line names {', '.join(text.head)}; it needs a column {names}")
    refuse_doubled(table, text.head, path)
    lines = data.splitlines(keepends=True)
    starts = list(accumulate(map(len, lines), initial=0))

    def place(number: int) -> ResultOrigin:
        at = min(number, len(lines)) - 1
        return ResultOrigin(path, number, starts[at], len(lines[at].rstrip(b"\r\n")))

    fields = table.fields_of(text.head)
    least = max(fields[field] for field in table.required)
    short = [(line, f"it ends after {len(row)} of {len(text.head)} cells") for line, row in text.rows if len(row) <= least]
    whole = [(line, row) for line, row in text.rows if len(row) > least]
    cells = zip(whole, table.rows(text.head, [row for _, row in whole]), strict=True)
    faults = sorted([*text.faults, *short])
    return Travellers(
        [(row, place(line)) for (line, _), row in cells],
        [finding(UNREAD_RESULT, f"the line is no result: {reason}", place(line)) for line, reason in faults],
        _unread(table, text.head),
    )


def _unread(table: ScoreTable, head: Sequence[str]) -> list[str]:
    """Return the columns of a head that are not read, each with the nearest known name if one is similar."""
    known, read = [name for names in table.columns.values() for name in names], set(table.fields_of(head).values())
    left = [name for index, name in enumerate(head) if index not in read and name.strip()]
    guesses = (nearest(name.lower(), known, 0.75) for name in left)
    return [name if guess is None else f"{name} ({guess})" for name, guess in zip(left, guesses, strict=True)]


def refuse_doubled(table: ScoreTable, head: Sequence[str], path: str) -> None:
    """Raise UsageError if a head has two columns of one name that is read."""
    if doubled := table.doubled(head):
        raise UsageError(f"{path}: its first line has the column {doubled[0]} twice: rename the one that does not count")


def _database(path: str, is_pipe: bool) -> Iterator[tuple[dict[str, str], ResultOrigin]]:
    """Yield the rows of the declared tables of an Access database. Raises UsageError for a database without one, or from a pipe."""
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
    """Yield the rows of a database table, as cells by field with the index of the record from 0; ``columns`` are its columns by
    name.
    """
    head = list(columns)
    if declared.missing(head):
        raise UsageError(f"{path}: its table lacks columns of {declared.title}")
    rows = ([("" if cell is None else str(cell)) for cell in row] for row in zip(*columns.values(), strict=True))
    for index, cells in enumerate(declared.rows(head, rows)):
        yield cells, ResultOrigin(path, record=index)
