"""The command ``query``: questions in SQL over files of boards."""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from bridgespec.cli.files import STDIO, opened, read
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.query_output import chart_text, rows_of, save, save_plot, show
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.lazily import Lazy
from bridgespec.tables.charts import KINDS, Chart
from bridgespec.tables.columns import DERIVED, derived_of, terms_of
from bridgespec.tables.files import KINDS as TABLES
from bridgespec.tables.files import MEMORY, Stored, kind_by_name

if TYPE_CHECKING:
    from bridgespec import tabular
    from bridgespec.tables import query as sql
else:
    tabular, sql = Lazy("bridgespec.tabular"), Lazy("bridgespec.tables.query")

_WORDS = re.compile(r"\w+")
_DERIVED = frozenset(column.name for column in DERIVED)


@click.command(
    epilog="""\b
Examples:
  bridgespec query "SELECT count(*) FROM 'deals.zrd'"
  bridgespec query "SELECT avg(tricks(tricks, 'NT', 'N')) FROM deals WHERE hcp(north) + hcp(south) = 25" deals.zrd
  bridgespec query "FROM 'match.pbn' WHERE contract = '3NT'" -o notrumps.pbn
  bridgespec query "SELECT shape(south) shape, count(*) hands FROM 'd.zbd' GROUP BY 1 ORDER BY 2 DESC" --chart
""",
    short_help="Ask questions in SQL of any file of boards.",
)
@click.argument("question", metavar="QUESTION")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
@format_option("--from", "--format", "from_format", help="The format of every file, where name and content do not tell it.")
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
) -> None:
    """Answer a SELECT over files of boards, any declared format or Parquet. QUESTION is the SELECT or the name of a .sql file.

    A file is a table by its name in quotes (FROM 'deals.zrd'); one that is named as a PATH also by its name without folder and
    extension. An extension settles the format; a file without a board is an error. A board is a row: hands in the columns west,
    north, east, south, results in tricks; columns that follow from them (north_hcp, south_shape, par_score) are there when they are
    named. Functions for hands: hcp, controls, losers, length, shape, pattern, balanced, holds, hand_text; for results: tricks, par,
    points, imps. Of a format of fixed-size records that describes no boards a record is a row and a field a column.
    Nothing is written but the answer, and no file is read but those that are named.
    """
    if to_format is not None and dest is None:
        dest = STDIO
    if plot is not None and PurePath(plot).suffix.lower() not in KINDS:
        raise UsageError(f"{plot}: a plot is written to {' or '.join(KINDS)}")
    require("duckdb", "pyarrow", *(["matplotlib"] if plot is not None else []))
    if question.endswith(".sql"):
        question = read(question).decode("utf-8", "replace")
    derived = _DERIVED & set(_WORDS.findall(question))
    names = _names(question, paths)
    tables = {path: _table(settings, path, from_format, derived) for path in dict.fromkeys(names.values())}
    with sql.Session({name: tables[path] for name, path in names.items()}, memory) as session:
        answer = session.ask(question)
        if chart or plot is not None:
            drawn = Chart.of(answer.schema.names, list(rows_of(answer)))
            if plot is not None:
                save_plot(drawn, plot)
            if chart:
                chart_text(settings, drawn)
        elif dest is not None:
            save(settings, answer, dest, to_format)
        else:
            show(settings, answer, output_format)


def _names(question: str, paths: tuple[str, ...]) -> dict[str, str]:
    """The tables that a question may speak of: each file by the names that it goes by, unless two files share one."""
    short = Counter(name for path in paths for name in {PurePath(path).name, PurePath(path).stem})
    found = {name: path for path in paths for name in (PurePath(path).stem, PurePath(path).name) if short[name] == 1}
    found |= {path: path for path in paths}
    for name in sql.tables_named(question):
        if name not in found and (os.path.exists(name) or "." in name or os.sep in name):
            found[name] = name
    return found


def _table(settings: Settings, path: str, format: str | None, derived: frozenset[str]) -> sql.Stream | str:
    """The table of a file; the path alone of one that the query engine reads by itself, with all columns that are named."""
    kind = kind_by_name(path) if format is None else None
    source = read(path) if path == STDIO else path
    named = settings.engine.named(path) if format is None else None if format in TABLES else settings.engine.spec(format)
    if named is not None and not named.has_model:
        return tabular.of_records(named, partial(io.BytesIO, source) if isinstance(source, bytes) else partial(opened, path))
    if kind is not None and kind.name == "parquet":
        with open(path, "rb") as file:
            stored = Stored(file, kind, path)
            if derived <= set(stored.schema.names) | {column.name for column in DERIVED} - _derivable(stored.schema.names):
                return path
    # An extension forces its format, and the answer about an empty table would hide that the file is not of that format.
    return tabular.of_source(settings.engine, source, format, bool(derived), checksum=False, filled=True)


def _derivable(names: list[str]) -> set[str]:
    return {column.name for column in derived_of(terms_of(names))}
