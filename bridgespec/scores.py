"""Results scored: files and documents in, a `ScoredSession` with its findings out, as the command ``score``.

`read_results` reads one source (boards of any format, travellers in CSV, a database of scoring terminals), `judged` scores what
was read.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bridgespec.diagnostic import Diagnostic
from bridgespec.engines import Engine, Folders, engine
from bridgespec.errors import UsageError
from bridgespec.extras import Extra, require
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.scoring.comparison import Comparison, Method, SideScore
from bridgespec.scoring.result import ResultOrigin, TableResult
from bridgespec.scoring.session import Entrant, EventRules, ScoredSession, Standing, rounded, score_session
from bridgespec.scoring.sheet import (
    ScoreTable,
    StatedTotal,
    declarations,
    finding,
    of_boards,
    read_entrants,
    read_rows,
    stated_totals,
)
from bridgespec.scoring.suspicion import STATED, BoardFacts, absent, shown, suspicions
from bridgespec.scoring.victory import VictoryScale
from bridgespec.writing import read_whole

if TYPE_CHECKING:
    import access_parser

    from bridgespec import solver
else:
    access_parser, solver = Extra("access_parser"), Lazy("bridgespec.solver")

DATABASE = (b"Standard Jet DB", b"Standard ACE DB")
"""What an Access database has at its fifth byte."""
TENTH = Fraction(1, 10)
FIELDS_OF_TEXT = 1 << 17
"""Characters that a cell of CSV may have at most."""


@dataclass
class SessionSource:
    """What files state of a session: results, the boards that are known, totals, and what could not be read."""

    results: list[TableResult] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    stated: list[StatedTotal] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)

    def facts(self, solve: bool) -> BoardFacts:
        """Return what is known of the boards; with ``solve`` the deals that have no table of double dummy get one."""
        boards = {board.number: board for board in self.boards if board.number is not None and board.deal is not None}
        known: list[Board] = list(boards.values())
        if solve:
            complete = [board for board in known if board.deal is not None and board.deal.is_complete]
            known = [*solver.solve_document(Document(tuple(complete))).boards, *(board for board in known if board not in complete)]
        situations = ((one.number, one.effective_vulnerability) for one in self.boards)
        return BoardFacts(
            {one.number: one.deal for one in known if one.number is not None and one.deal is not None},
            {one.number: one.tricks for one in known if one.number is not None and one.tricks is not None},
            {number: one for number, one in situations if number is not None and one is not None},
        )


def score(
    *sources: Document | str | os.PathLike[str],
    method: str = "matchpoints",
    winners: int | None = None,
    victory: str | os.PathLike[str] | None = None,
    entrants: Mapping[str, Entrant] | str | os.PathLike[str] | None = None,
    arrow_switched: Sequence[str | int] = (),
    per_board: bool = False,
    format: str | None = None,
    specs: Folders = (),
    **options: Any,
) -> ScoredSession:
    """Return the ranking and the travellers of results: documents, files of boards, travellers in CSV or a terminals' database.

    ``method`` is matchpoints, cross-imps, butler or teams; ``options`` are those of `Method` (``ascherman``, ``total``, ...).
    ``victory`` is "wbf" or a CSV file of margins and points, ``entrants`` a CSV file of contestants (docs/scoring.md). UsageError
    where there is no result, and for a method that does not exist; a row that cannot be read is left out: the command ``score``
    reports it.

    >>> session = score("tests/scoring/samples/club.csv")
    >>> [(one.rank, one.contestant, round(float(one.final), 2)) for one in session.standings[:2]]
    [(1, ('NS', '3'), 71.25), (2, ('NS', '1'), 55.0)]
    """
    known = engine(tuple(specs))
    source = SessionSource()
    for one in sources:
        add_document(source, one) if isinstance(one, Document) else read_results(source, known, os.fspath(one), format)
    if not any(one.is_played for one in source.results):
        raise UsageError("there is no result to score")
    listed = entrants if isinstance(entrants, Mapping) or entrants is None else entrants_of(os.fspath(entrants))
    scale = None if victory is None else scale_of(os.fspath(victory))
    if method not in list(Comparison):
        raise UsageError(f"there is no method {method!r}; the methods are {', '.join(Comparison)}")
    rules = EventRules(Method(Comparison(method), **options), winners, frozenset(map(str, arrow_switched)), scale, per_board)
    return score_session(source.results, rules, listed)


def scale_of(name: str) -> VictoryScale:
    """Return WBF's scale for ``wbf``, else that of a CSV file; UsageError for a file that has none."""
    if name.lower() == "wbf":
        return VictoryScale()
    try:
        rows = [row for row in csv.reader(io.StringIO(_text(read_whole(name)))) if row and row[0].strip().isdecimal()]
        return VictoryScale.of_rows(rows)
    except (ValueError, IndexError):
        raise UsageError(
            f"{name}: no table of victory points: rows of a margin and the winner's points, both ascending, from 0"
        ) from None


def entrants_of(path: str) -> dict[str, Entrant]:
    """Return the contestants of a CSV file; UsageError where it has none."""
    table = declarations().entrants
    head, rows = _cells(_text(read_whole(path)))
    if not table.fits(head):
        wanted = ", ".join(table.columns)
        raise UsageError(f"{path}: no list of contestants: its first line has to name the columns ({wanted}), at least contestant")
    try:
        return read_entrants(table.rows(head, (row for _, row in rows)))
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"{path}: carry-over and penalty are numbers, a penalty also a share of a top: 10%") from None


def add_document(source: SessionSource, document: Document, path: str = "") -> None:
    """Add the results, boards and totals of a document."""
    results, found = of_boards(document.boards, path)
    source.results += results
    source.findings += found
    source.boards += document.boards
    source.stated += stated_totals(document.boards)


def read_results(source: SessionSource, known: Engine, path: str, format: str | None = None, data: bytes | None = None) -> None:
    """Add what a file states; UsageError or ReadError where nothing can be made of it. ``data`` is its content, if it was read."""
    content = read_whole(path) if data is None else data
    if content[4:19] in DATABASE:
        rows = list(_database(path, data is not None))
    elif format is None and (rows := list(_travellers(content, path))):
        pass
    else:
        document = known.load(content, format, path)
        add_document(source, document, path)
        source.findings += document.findings
        return
    results, found = read_rows(rows, source.facts(False).vulnerability)
    source.results += results
    source.findings += found


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _cells(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the head of a text in CSV and its rows with their lines (from 1); the separator that the head has most of counts."""
    csv.field_size_limit(FIELDS_OF_TEXT)
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        return [], []
    return (rows[0][1], rows[1:]) if rows else ([], [])


def _travellers(data: bytes, path: str) -> Iterator[tuple[dict[str, str], ResultOrigin]]:
    """Yield the rows of travellers in CSV by field, each with its place; none for a text that is something else."""
    table = declarations().traveller
    text = _text(data)
    head, rows = _cells(text)
    if not table.fits(head):
        return
    lines = data.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for (number, _), cells in zip(rows, table.rows(head, [row for _, row in rows]), strict=True):
        at = min(number, len(lines)) - 1
        yield cells, ResultOrigin(path, number, starts[at], len(lines[at].rstrip(b"\r\n")))


def _database(path: str, is_pipe: bool) -> Iterator[tuple[dict[str, str], ResultOrigin]]:
    """Yield the rows of the tables that are declared of an Access database."""
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
    """Yield the rows of a table by field, of its columns; the records are counted from 0."""
    head = list(columns)
    if not declared.fits(head):
        raise UsageError(f"{path}: its table has not the columns of {declared.title}")
    rows = ([("" if cell is None else str(cell)) for cell in row] for row in zip(*columns.values(), strict=True))
    for index, cells in enumerate(declared.rows(head, rows)):
        yield cells, ResultOrigin(path, record=index)


@dataclass(frozen=True)
class Judged:
    """A scored session with everything that was found about its results."""

    session: ScoredSession
    findings: tuple[Diagnostic, ...]


def judged(source: SessionSource, rules: EventRules, entrants: Mapping[str, Entrant], solve: bool) -> Judged:
    """Score a session and look for what was entered wrongly; with ``solve`` also by double dummy."""
    session = score_session(source.results, rules, entrants)
    teams = rules.method.comparison is Comparison.TEAMS
    found = [*source.findings, *suspicions(source.results, source.facts(solve), teams)]
    found += absent(entrants, source.results)
    found += _differences(session, source.stated)
    return Judged(session, tuple(found))


TOTALS = {
    "MP": ("MP", "TotalMP"),
    "%": ("Percentage", "TotalPercentage", "MeanPercentage", "MeanMP"),
    "IMP": ("IMP", "TotalIMP"),
    "IMP a board": ("MeanScore", "MeanIMP"),
}
"""The columns of tables of totals, by what they sum."""


def _differences(session: ScoredSession, stated: Sequence[StatedTotal]) -> Iterator[Diagnostic]:
    """Yield what sources state of results and contestants that is not what follows: the first of each kind, and how many there are.

    A tenth is taken for rounding.
    """
    differing: dict[str, list[tuple[str, ResultOrigin]]] = {}
    for board in session.boards:
        for one, score in zip(board.results, board.ns, strict=True):
            for name, given in one.given:
                values = _comparable(session, name, score)
                if values and all(abs(value - given) > TENTH for value in values):
                    message = f"{shown(one)}: {name} is given as {rounded(given)}, and follows as {rounded(values[0])}"
                    differing.setdefault(name, []).append((message, one.at))
    standings = {name: one for one in session.standings for name in (one.contestant[1], "".join(one.contestant))}
    for total in stated:
        standing = standings.get(total.contestant)
        for name, value in _sums(standing, session).items() if standing is not None else ():
            given = next((total.values[column] for column in TOTALS[name] if column in total.values), value)
            if abs(value - given) > TENTH:
                message = f"{total.contestant}: {name} is given as {rounded(given)}, and follows as {rounded(value)}"
                differing.setdefault(f"total {name}", []).append((message, ResultOrigin()))
    for found in differing.values():
        more = f"; {len(found) - 1} more differ" if len(found) > 1 else ""
        yield finding(STATED, found[0][0] + more, found[0][1], "is it the method that the source was scored by?")


def _comparable(session: ScoredSession, name: str, score: SideScore) -> list[Fraction]:
    """Return the values that a stated one may be: programs write match points as a number or as a percentage of the board."""
    if score.value is None or (name == "IMP") != (session.rules.method.unit == "IMP"):
        return []
    share = [100 * score.value / score.top] if score.top else []
    return share if name == "%" else [score.value, *share]


def _sums(standing: Standing, session: ScoredSession) -> dict[str, Fraction]:
    unit = session.rules.method.unit
    if unit == "MP":
        return {"MP": standing.total, "%": 100 * standing.total / standing.available} if standing.available else {}
    return {"IMP": standing.total, "IMP a board": standing.total / max(1, standing.boards)}
