"""The command ``query``: SQL queries over files of boards."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.files import STDIO, output, read
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.query_output import cell_text, rows_of, save, show
from bridgespec.cli.query_tables import asked
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.lazily import Lazy
from bridgespec.tables.charts import KINDS, Chart
from bridgespec.tables.charts import plot as charts_plot
from bridgespec.tables.table_files import MEMORY

if TYPE_CHECKING:
    import pyarrow as pa

    from bridgespec import questions
else:
    questions = Lazy("bridgespec.questions")


def _clear_cache(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    # While a shell completes the command, click parses it too: nothing may be removed then.
    if value and not context.resilient_parsing:
        size = questions.clear_cache()
        click.echo(f"removed {size / 1e6:.1f} MB of tables")
        context.exit()


GROUP = "Files"
BAR = 40
"""The number of characters of the longest bar of a chart."""


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
    # A format is named for boards, which are written: to standard output where no file is named.
    if to_format is not None and dest is None:
        dest = STDIO
    if plot is not None and PurePath(plot).suffix.lower() not in KINDS:
        raise UsageError(f"{plot}: a plot is written to {' or '.join(KINDS)}")
    if (chart or plot is not None) and (dest is not None or output_format != "text"):
        raise UsageError(
            "an answer is drawn by --chart and --plot, or written by -o, --to and --output-format: ask for one of them"
        )
    require("duckdb", "pyarrow", *(["matplotlib"] if plot is not None else []))
    if question.endswith(".sql"):
        question = read(question).decode("utf-8", "replace")
    with asked(settings, question, paths, from_format, memory) as (session, left_out):
        answer = session.ask(question)
        if chart or plot is not None:
            _draw(settings, answer, chart, plot)
        elif dest is not None:
            save(settings, answer, dest, to_format)
        else:
            show(settings, answer, output_format)
    return FINDINGS if left_out else CLEAN


def _draw(settings: Settings, answer: pa.RecordBatchReader, in_text: bool, path: str | None) -> None:
    """Print an answer as bars of text, write it as a picture, or both."""
    drawn = Chart.of(answer.schema.names, list(rows_of(answer)))
    if path is not None:
        _save_plot(drawn, path)
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
        table.add_row(*(Text(cell_text("", label)) for label in labels), Text(cell_text("", number)), Text(bar, style="cyan"))
    settings.out.print(table)


def _save_plot(chart: Chart, path: str) -> None:
    """Write a chart as a picture."""
    with output(path) as file:
        charts_plot(chart, file, path)
