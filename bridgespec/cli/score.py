"""The command ``score``: results of a session to a ranking, with what was probably entered wrongly.

`command` reads the files into a `SessionSource`, scores it by the rules of its `_Options`, and prints the `ScoredSession` (`_show`)
or writes it (`_save`): as CSV, as a page, or as boards with tables of results.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from pathlib import PurePath

import click
from rich.table import Table
from rich.text import Text

from bridgespec import score_sources, scores
from bridgespec.cli.board_sources import LoadedSource
from bridgespec.cli.board_targets import target_of
from bridgespec.cli.conversions import conversion_of, write
from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.files import STDIO, expand, output, read
from bridgespec.cli.options import PATH, DecimalRange, format_option
from bridgespec.cli.render import RenderSource, print_diagnostic
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.export.html import STYLE, table_html
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.scoring.comparison import Comparison, Method
from bridgespec.scoring.report import TEXTS, TextRows, ranking, traveller, with_tables
from bridgespec.scoring.session import EventRules, ScoredSession

GROUP = "Boards"
PAGES = (".html", ".htm")
"""The suffixes of files that are written as pages."""
PAGE_STYLE = """.n { text-align: right; font-variant-numeric: tabular-nums; }
@media (max-width: 30rem) {
  body { font-size: 13px; padding: 0 .6rem; } th, td { padding: .15rem .25rem; } th { font-size: 11px; }
}"""
"""Additional styles for rankings and travellers: aligned numbers, and room on a phone."""
TITLES = {"NS": "North-South", "EW": "East-West", "": "Ranking"}
"""The titles of rankings, by their direction."""


@click.command(
    epilog="""\b
Examples:
  bridgespec score travellers.csv
  bridgespec score deals.pbn club.bws --pairs names.csv -o result.html
  bridgespec score butler.csv --method butler --drop 10 --vp wbf
  bridgespec score results.csv --winners 1 --arrow-switch 9 -o result.pbn
""",
    short_help="Score a session: matchpoints, IMPs, victory points; find wrong entries.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@click.option(
    "--method",
    type=click.Choice([one.value for one in Comparison]),
    default="matchpoints",
    show_default=True,
    help="How results compare.",
)
@click.option("--ascherman", is_flag=True, help="Matchpoints: compare each score with itself too.")
@click.option("--no-neuberg", is_flag=True, help="Matchpoints: boards with fewer results in proportion, not by Neuberg's formula.")
@click.option(
    "--expected", type=click.IntRange(1), metavar="N", help="Results of a full board; else as many as the board with most."
)
@click.option("--total", is_flag=True, help="Cross-IMPs: the sum over all comparisons, not their mean.")
@click.option(
    "--drop",
    type=DecimalRange(0, 49),
    default=10,
    show_default=True,
    metavar="PERCENT",
    help="Butler: scores left out at each end, 0 to 49.",
)
@click.option(
    "--datum", type=click.Choice(["1", "10"]), default="10", show_default=True, help="Butler: what the datum is rounded to."
)
@click.option(
    "--average-imps",
    type=DecimalRange(0, 24),
    default=3,
    show_default=True,
    metavar="N",
    help="What average plus is worth in IMPs, 0 to 24.",
)
@click.option("--vp", metavar="wbf|FILE", help="Victory points by WBF's continuous scale, or by a CSV file of margin and points.")
@click.option("--per-board", is_flag=True, help="Rank IMPs by their mean a board.")
@click.option(
    "--winners", type=click.Choice(["1", "2"]), help="One ranking, or one for each direction; else as the contestants sit."
)
@click.option("--arrow-switch", metavar="ROUNDS", help="Rounds in which those written as North-South sat East-West: 8,9.")
@click.option("--pairs", metavar="FILE", type=PATH, help="CSV of contestants: contestant, names, carry-over, penalty.")
@click.option("--no-solve", is_flag=True, help="Do not look for results far from double dummy.")
@click.option("--travellers", is_flag=True, help="Also print the results of each board.")
@click.option("-o", "--output", "dest", metavar="FILE", type=PATH, help="Write the result: .csv, .html, or boards with its tables.")
@format_option("--to", "to_format", help="The format of the boards that are written.")
@format_option("--from", "format", help="The format of every PATH, where name and content do not tell it.")
@pass_settings
def command(settings: Settings, /, paths: tuple[str, ...], **options: str | Fraction | bool | None) -> int:
    """Score the results in files: boards of any format with tables of results or with players and results, travellers in CSV, and
    the database of scoring terminals (.bws, with the extra bridgespec[bridgemate]). Deals in any of the files show which entries
    are probably wrong.

    Findings are entries that cannot be read or scored, results that are there twice or are missing, and what was probably entered
    wrongly: the exit status is 1 where there is one. What was done is printed below the ranking: the method, rounding, ties.
    """
    given = _Options(options)
    source = score_sources.SessionSource()
    # No schema has these two: `score_sources` reads travellers and databases by itself.
    known = frozenset(extension for head in settings.heads for extension in head.extensions) | {"csv", "bws"}
    shown: dict[str | None, RenderSource] = {}
    for path in expand(paths, known):
        # The "Unicode text" of Excel is UTF-16, and the positions of findings are those in UTF-8.
        data = score_sources.plain(read(path))
        shown[path] = RenderSource(shown_name(path), data, text=True)
        score_sources.read_results(source, settings.engine, path, given.text("format"), data if path == STDIO else None)
    # With findings, these are printed: they explain why no result was read.
    if not any(one.is_played for one in source.results) and not source.findings:
        raise UsageError(f"there is no result in {', '.join(paths)}: a table of results, players with results, or rows in CSV")
    pairs = given.text("pairs")
    entrants = scores.entrants_of(pairs) if pairs is not None else {}
    session = scores.checked_session(source, given.rules(), entrants, not options["no_solve"])
    for found in session.findings:
        place = shown.get(found.path, RenderSource(None))
        print_diagnostic(settings.err, replace(found, path=None), place if found.span is not None else RenderSource(place.path))
    dest = given.text("dest")
    if dest is None:
        _show(settings, session, bool(options["travellers"]))
    else:
        _save(settings, session, source.boards, dest, given.text("to_format"))
        if dest != STDIO:
            counts = f"{plural(len(session.boards), 'board')}, {plural(len(session.standings), 'contestant')}"
            settings.err.print(Text(f"{dest}: {counts}"), soft_wrap=True)
    for note in session.notes:
        settings.err.print(Text(note), soft_wrap=True)
    return FINDINGS if session.findings else CLEAN


class _Options:
    """The options of one call of the command, by name; `rules` converts them to scoring rules."""

    def __init__(self, given: dict[str, str | Fraction | bool | None]) -> None:
        self.given = given

    def text(self, name: str) -> str | None:
        """Return an option that is a text; None where it is not given."""
        value = self.given[name]
        return None if value is None else str(value)

    def rules(self) -> EventRules:
        """Return the scoring rules that the options select."""
        given = self.given
        comparison = Comparison(str(given["method"]))
        vp, switched, winners = self.text("vp"), self.text("arrow_switch") or "", self.text("winners")
        method = Method(
            comparison,
            expected=int(given["expected"]) if given["expected"] is not None else None,
            neuberg=not given["no_neuberg"],
            ascherman=bool(given["ascherman"]),
            total=bool(given["total"]),
            # Exact fractions: with 8.3 as a float, `_datum` may leave out one score less.
            extremes=Fraction(given["drop"] or 0) / 100,
            rounding=int(str(given["datum"])),
            average_imps=Fraction(given["average_imps"] or 0),
        )
        rounds = frozenset(one.strip() for one in switched.split(",") if one.strip())
        scale = scores.scale_of(vp) if vp is not None else None
        return EventRules(method, int(winners) if winners is not None else None, rounds, scale, bool(given["per_board"]))


def _show(settings: Settings, session: ScoredSession, travellers: bool) -> None:
    """Print the rankings; the results of each board with ``travellers``, or where there is no ranking."""
    for title, head, rows in _tables(session, travellers):
        table = Table(title=Text(title), title_justify="left", box=None, header_style="bold", pad_edge=False)
        for name in head:
            table.add_column(Text(name), justify="left" if name in TEXTS else "right")
        for row in rows:
            table.add_row(*map(Text, row))
        settings.out.print(table)


def _save(settings: Settings, session: ScoredSession, known: Sequence[Board], dest: str, to_format: str | None) -> None:
    """Write a session as CSV, as a page, or as boards with tables of results and totals; report what these lose."""
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
    origin = LoadedSource(settings, dest, "", Document(tuple(boards)))
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
        # The head is written once, since both directions have the same columns.
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
        f"<title>{title}</title>\n<style>\n{STYLE}\n{PAGE_STYLE}\n</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{chr(10).join(sections)}\n</main>\n</body>\n</html>\n"
    )


def _tables(session: ScoredSession, travellers: bool) -> list[tuple[str, list[str], TextRows]]:
    """Return the tables of a session, each with its title: rankings of contestants, then boards."""
    found = [(TITLES[name], *ranking(session, name)) for name in session.directions]
    found = [(title, head, rows) for title, head, rows in found if rows]
    boards = session.boards if travellers or not found else ()
    for board in boards:
        datum = f", datum {board.datum}" if board.datum is not None else ""
        note = f", {board.note}" if board.note else ""
        found.append((f"Board {board.number}{datum}{note}", *traveller(board)))
    return found
