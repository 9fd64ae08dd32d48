"""Print and write the result of scoring a session."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from html import escape
from pathlib import PurePath

from rich.table import Table
from rich.text import Text

from bridgespec.cli.board_sources import Taken
from bridgespec.cli.board_targets import target_of
from bridgespec.cli.conversions import conversion_of, write
from bridgespec.cli.files import output
from bridgespec.cli.settings import Settings
from bridgespec.export.html import STYLE, table_html
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.scoring.report import TEXTS, Rows, ranking, traveller, with_tables
from bridgespec.scoring.session import ScoredSession

PAGES = (".html", ".htm")
_STYLE = """.n { text-align: right; font-variant-numeric: tabular-nums; }
@media (max-width: 30rem) {
  body { font-size: 13px; padding: 0 .6rem; } th, td { padding: .15rem .25rem; } th { font-size: 11px; }
}"""
"""Additional styles for rankings and travellers: aligned numbers, and room on a phone."""
_TITLES = {"NS": "North-South", "EW": "East-West", "": "Ranking"}


def _tables(session: ScoredSession, travellers: bool) -> list[tuple[str, list[str], Rows]]:
    """Return the tables of a session, each with its title: rankings of contestants, then boards."""
    found = [(_TITLES[name], *ranking(session, name)) for name in session.directions]
    found = [(title, head, rows) for title, head, rows in found if rows]
    boards = session.boards if travellers or not found else ()
    for board in boards:
        datum = f", datum {board.datum}" if board.datum is not None else ""
        note = f", {board.note}" if board.note else ""
        found.append((f"Board {board.number}{datum}{note}", *traveller(board)))
    return found


def show(settings: Settings, session: ScoredSession, travellers: bool) -> None:
    for title, head, rows in _tables(session, travellers):
        table = Table(title=Text(title), title_justify="left", box=None, header_style="bold", pad_edge=False)
        for name in head:
            table.add_column(Text(name), justify="left" if name in TEXTS else "right")
        for row in rows:
            table.add_row(*map(Text, row))
        settings.out.print(table)


def save(settings: Settings, session: ScoredSession, known: Sequence[Board], dest: str, to_format: str | None) -> None:
    """Write a session as CSV, as a page, or as boards with tables of results and totals, and report what that cannot represent."""
    suffix = PurePath(dest).suffix.lower()
    if to_format is None and suffix == ".csv":
        with output(dest) as file:
            file.write(_csv_text(session).encode())
        return
    if to_format is None and suffix in PAGES:
        with output(dest) as file:
            file.write(_page(session, known[0].event if known else None).encode())
        return
    target = target_of(settings, dest, to_format)
    boards, lost = with_tables(session, known)
    origin = Taken(settings, dest, "", Document(tuple(boards)))
    write(settings, conversion_of(settings, origin, target), dest, partial=False)
    if lost:
        settings.err.print(
            Text(f"lost: {', '.join(lost)}: the tables of results and totals have no column for them"), soft_wrap=True
        )


def _csv_text(session: ScoredSession) -> str:
    """Return the rankings as CSV, with the direction where there are two."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for index, name in enumerate(session.directions):
        head, rows = ranking(session, name)
        extra: Sequence[str] = [name] if name else []
        # One head: both directions have the same columns.
        if index == 0:
            writer.writerow([*(["direction"] if name else []), *head])
        writer.writerows([*extra, *map(_unevaluated, head, row)] for row in rows)
    return text.getvalue()


def _unevaluated(column: str, cell: str) -> str:
    """Return a cell of CSV that no spreadsheet evaluates as a formula: an apostrophe precedes a text that begins like one (OWASP,
    "CSV Injection").
    """
    return f"'{cell}" if column in TEXTS and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _page(session: ScoredSession, event: str | None) -> str:
    """Return a page with the rankings, the notes, and the traveller of each board."""
    title = escape(event or "Results")
    sections = [
        f"<section>\n<h2>{escape(name)}</h2>\n{table_html(head, rows, numbers={*head} - TEXTS)}\n</section>"
        for name, head, rows in _tables(session, True)
    ]
    notes = "".join(f"<li>{escape(note)}</li>" for note in session.notes)
    sections.append(f"<section>\n<h2>How it was scored</h2>\n<ul>{notes}</ul>\n</section>")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}\n{_STYLE}\n</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{chr(10).join(sections)}\n</main>\n</body>\n</html>\n"
    )
