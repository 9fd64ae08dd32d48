"""The command ``query``: SQL queries over files of boards.

`command` opens the tables that the question names in a session of the engine (`_session`) and reads the answer, a stream of Arrow
batches, once: it is printed (`_show`), written as rows or as boards (`_save`), or drawn (`_draw`).
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from decimal import Decimal
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

import click
from rich.table import Table
from rich.text import Text

from bridgespec.cli.board_targets import target_of
from bridgespec.cli.conversions import write_boards
from bridgespec.cli.examine import tell_left_out
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.files import STDIO, output, read
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.progress import tracked
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.table_sources import StoredRecords
from bridgespec.cli.terminal import json_text
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.lazily import Lazy
from bridgespec.tables.charts import KINDS as PICTURES
from bridgespec.tables.charts import Chart
from bridgespec.tables.charts import plot as draw_plot
from bridgespec.tables.columns import HANDS
from bridgespec.tables.table_files import KINDS, MEMORY, encoded, kind_by_name

if TYPE_CHECKING:
    import pyarrow as pa

    from bridgespec import questions, tabular
    from bridgespec.model import hand
    from bridgespec.tables import query as sql
else:
    # Arrow and DuckDB are an extra that may be missing: `command` requires it before any of these is imported.
    questions, sql = Lazy("bridgespec.questions"), Lazy("bridgespec.tables.query")
    hand, tabular = Lazy("bridgespec.model.hand"), Lazy("bridgespec.tabular")

GROUP = "Files"
SHOWN = 200
"""The maximum number of rows that are shown on a terminal."""
ROWS = (".csv", ".json", ".jsonl")
"""The suffixes of text files to which rows are written."""
BAR = 40
"""The number of characters of the longest bar of a chart."""


def _clear_cache(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Remove the cached tables, print their size, and exit, as the callback of ``--clear-cache``."""
    # click also calls this while a shell completes the command line: nothing may be removed then.
    if value and not context.resilient_parsing:
        size = questions.clear_cache()
        click.echo(f"removed {size / 1e6:.1f} MB of tables")
        context.exit()


@click.command(
    epilog="""\b
Examples:
  bridgespec query "SELECT count(*) FROM 'deals.zrd'"
  bridgespec query "SELECT avg(tricks(tricks, 'NT', 'N')) FROM deals WHERE hcp(north) + hcp(south) = 25" deals.zrd
  bridgespec query "SELECT file, count(*) FROM 'club/*.pbn' GROUP BY file"
  bridgespec query "FROM 'match.pbn' WHERE contract = '3NT'" -o notrumps.pbn
  bridgespec query "SELECT shape(south) shape, count(*) hands FROM 'd.zbd' GROUP BY 1 ORDER BY 2 DESC" --chart
""",
    short_help="Ask questions in SQL of any file of boards.",
)
@click.argument("question", metavar="QUESTION")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
@format_option("--from", "from_format", help="The format of every file, where name and content do not tell it.")
@click.option("-o", "--output", "dest", metavar="FILE", type=PATH, help="Write the answer: .csv, .json, .parquet, or boards.")
@format_option("--to", "to_format", help="Write the answer's boards in this format.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "csv", "json"]),
    default="text",
    show_default=True,
    help="For people, or rows as CSV or JSON lines.",
)
@click.option("--chart", is_flag=True, help="Print one number by one group as bars.")
@click.option("--plot", metavar="FILE", type=PATH, help="Draw one number by one group or two: .svg or .png.")
@click.option(
    "--clear-cache",
    is_flag=True,
    # Eager options are processed first: this one needs no QUESTION.
    is_eager=True,
    expose_value=False,
    callback=_clear_cache,
    help="Remove the kept tables of folders.",
)
@click.option(
    "--memory", type=click.IntRange(16, 1 << 20), default=MEMORY, show_default=True, metavar="MB", help="Memory of the engine."
)
@pass_settings
def command(
    settings: Settings,
    question: str,
    paths: tuple[str, ...],
    from_format: str | None,
    dest: str | None,
    to_format: str | None,
    output_format: str,
    chart: bool,
    plot: str | None,
    memory: int,
) -> int:
    """Answer a SELECT over files of boards, any declared format or Parquet. QUESTION is the SELECT or the name of a .sql file.

    A file is a table by its name in quotes (FROM 'deals.zrd'); one that is named as a PATH also by its name without folder and
    extension. An extension settles the format; a file without a board is an error. A board is a row: hands in the columns west,
    north, east, south, results in tricks; columns that follow from them (north_hcp, south_shape, par_score) are there when they are
    named. Functions for hands: hcp, controls, losers, length, shape, pattern, balanced, holds, hand_text; for results: tricks, par,
    points, imps. Of a format of fixed-size records that describes no boards a record is a row and a field a column.
    A folder, or a pattern in quotes, is one table of its files with a column file; their tables are kept in the user's cache. One
    that cannot be read is reported and left out, and the exit status is 1.
    Nothing is written but the answer, and no file is read but those that are named.
    """
    # --to means that boards are written: to standard output without -o.
    if to_format is not None and dest is None:
        dest = STDIO
    if plot is not None and PurePath(plot).suffix.lower() not in PICTURES:
        raise UsageError(f"{plot}: a plot is written to {' or '.join(PICTURES)}")
    if (chart or plot is not None) and (dest is not None or output_format != "text"):
        raise UsageError(
            "an answer is drawn by --chart and --plot, or written by -o, --to and --output-format: ask for one of them"
        )
    require("duckdb", "pyarrow", *(["matplotlib"] if plot is not None else []))
    if question.endswith(".sql"):
        question = read(question).decode("utf-8", "replace")
    with _session(settings, question, paths, from_format, memory) as (session, left_out):
        answer = session.ask(question)
        if chart or plot is not None:
            _draw(settings, answer, chart, plot)
        elif dest is not None:
            _save(settings, answer, dest, to_format)
        else:
            _show(settings, answer, output_format)
    return FINDINGS if left_out else CLEAN


@contextmanager
def _session(
    settings: Settings, question: str, paths: tuple[str, ...], format: str | None, memory: int
) -> Iterator[tuple[sql.QuerySession, list[str]]]:
    """Yield a session with the tables of a question, and the list of unreadable files in its folders, which is filled while the
    tables are made. Each unreadable file is reported.
    """
    derived, names = questions.derived_columns(question), questions.named_sources(question, paths)
    left_out: list[str] = []

    def reading(files: Sequence[str]) -> Iterable[str]:
        return tracked(settings, files, len(files), "reading")

    def failed(path: str, error: Exception) -> None:
        left_out.append(path)
        tell_left_out(settings, path, error)

    tables = {
        path: questions.source_table(settings.engine, path, content, format, derived, reading, failed)
        # Read here, since standard input can be read only once, and a question may name it twice.
        for path, content in ((one, read(one) if one == STDIO else one) for one in dict.fromkeys(names.values()))
    }
    with sql.QuerySession({name: tables[path] for name, path in names.items()}, memory) as session:
        yield session, left_out


def _show(settings: Settings, answer: pa.RecordBatchReader, form: str) -> None:
    """Print an answer: as a table for people, as CSV, or as one JSON object per line."""
    names = list(answer.schema.names)
    if form != "text":
        with output(STDIO) as file:
            for line in _lines(names, rows_of(answer), f".{form}"):
                file.write(line.encode())
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for field in answer.schema:
        numeric = not str(field.type).startswith(("string", "list", "struct", "bool", "dictionary")) and field.name not in HANDS
        table.add_column(Text(field.name), justify="right" if numeric else "left")
    count = 0
    for count, row in enumerate(rows_of(answer), 1):
        # Further rows are only counted, for the note on how many there are.
        if count <= SHOWN or not settings.out.is_terminal:
            table.add_row(*(Text(_cell_text(name, value)) for name, value in zip(names, row, strict=True)))
    settings.out.print(table)
    if settings.out.is_terminal and count > SHOWN:
        settings.err.print(Text(f"and {count - SHOWN:,} more rows: -o FILE or --output-format csv gives them all"))


def _save(settings: Settings, answer: pa.RecordBatchReader, path: str, to: str | None) -> None:
    """Write an answer to a file, completely or not at all: rows as CSV or JSON lines, a table, or boards."""
    suffix = PurePath(path).suffix.lower()
    if to is None and suffix in ROWS:
        with output(path) as file:
            for line in _lines(list(answer.schema.names), rows_of(answer), suffix):
                file.write(line.encode())
        return
    kind = kind_by_name(path) if to is None else None
    if kind is not None:
        with output(path) as file:
            file.writelines(encoded(kind, answer.schema, answer))
        return
    target = target_of(settings, path, to)
    with tempfile.TemporaryFile() as file:
        # Boards may be read several times, but the answer only once: it is stored first.
        file.writelines(encoded(KINDS["arrow"], answer.schema, answer))

        def again() -> AbstractContextManager[BinaryIO]:
            file.seek(0)
            return nullcontext(file)

        stored = tabular.of_source(settings.engine, again, "arrow")
        if not stored.count:
            raise UsageError("there are no boards in the answer")
        write_boards(settings, StoredRecords(settings, "the answer", stored), target, path)


def _lines(names: Sequence[str], rows: Iterator[list[Any]], suffix: str) -> Iterator[str]:
    """Yield the lines of CSV, or of JSON objects."""
    if suffix != ".csv":
        for row in rows:
            yield json_text(dict(zip(names, row, strict=True))) + "\n"
        return
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")  # the default is CRLF
    writer.writerow(names)
    for row in rows:
        yield line.getvalue()
        # `truncate` cuts at the current position, which is the end of the line that was written.
        line.seek(0)
        line.truncate()
        writer.writerow([json_text(value) if isinstance(value, list | dict) else value for value in row])
    yield line.getvalue()


def rows_of(answer: pa.RecordBatchReader) -> Iterator[list[Any]]:
    """Yield the rows of an answer as Python values, decimal numbers as integers or floats."""
    for batch in answer:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield [_number(value) if isinstance(value, Decimal) else value for value in row]


def _number(value: Decimal) -> int | float:
    """Return a decimal number as an integer if it is whole, else as a float."""
    return int(value) if value == value.to_integral_value() else float(value)


def _cell_text(name: str, value: Any) -> str:
    """Return a value as the cell of a table for people; hands, by the name of their column, as S.H.D.C."""
    if value is None:
        return ""
    # A question may name any column like a hand; other values are printed as they are.
    if name in HANDS and isinstance(value, int) and 0 <= value < 1 << 52:
        return str(hand.Hand(value))
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return json_text(value) if isinstance(value, list | dict) else str(value)


def _draw(settings: Settings, answer: pa.RecordBatchReader, in_text: bool, path: str | None) -> None:
    """Print an answer as bars of text, write it as a picture, or both."""
    drawn = Chart.of(answer.schema.names, list(rows_of(answer)))
    if path is not None:
        with output(path) as file:
            draw_plot(drawn, file, path)
    if in_text:
        _print_chart(settings, drawn)


def _print_chart(settings: Settings, chart: Chart) -> None:
    """Print a chart as bars of text."""
    most = max((abs(number) for number in chart.numbers.values()), default=0.0) or 1.0
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in chart.names[:-1]:
        table.add_column(Text(name), justify="right")
    table.add_column(Text(chart.names[-1]), justify="right")
    table.add_column()
    for (group, one), number in chart.numbers.items():
        labels = [group] if len(chart.names) == 2 else [group, one]
        bar = "█" * round(BAR * abs(number) / most)
        table.add_row(*(Text(_cell_text("", label)) for label in labels), Text(_cell_text("", number)), Text(bar, style="cyan"))
    settings.out.print(table)
