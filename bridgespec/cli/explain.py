"""The command ``explain``: the page of a kind of finding."""

from __future__ import annotations

import difflib
import re

import click
from click.shell_completion import CompletionItem
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bridgespec.cli import check_spec, check_system, large
from bridgespec.cli.render_marks import COLOURS
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.docs.codes import CodePage, code_pages
from bridgespec.errors import UsageError

LINE = 88
DEFINING = (check_spec, check_system, large)
"""The modules of commands that define codes: a code is known once its module is imported."""
_PLACE = re.compile(r"\{[^{}]*\}")


def _complete_code(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes that begin so, for the shell."""
    pages = code_pages(context.ensure_object(Settings).formats).values()
    return [CompletionItem(page.name, help=_told(page.summary)) for page in pages if page.name.startswith(incomplete.lower())]


@click.command(
    epilog="\b\nExamples:\n  bridgespec explain                 list every code\n  bridgespec explain truncated",
    short_help="The page of a kind of finding.",
)
@click.argument("code", required=False, shell_complete=_complete_code)
@pass_settings
def command(settings: Settings, code: str | None) -> None:
    """Print what a finding means, why it is reported and what to do; without CODE, list all of them."""
    known = code_pages(settings.formats)
    if code is None:
        _list(settings.out, list(known.values()))
        return
    name = code.strip().lower()
    if name not in known:
        near = difflib.get_close_matches(name, known, 3, 0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `bridgespec explain` lists all"
        raise UsageError(f"there is no finding {name!r}{hint}")
    _print(settings.out, known[name])


def _list(console: Console, listed: list[CodePage]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for page in listed:
        table.add_row(Text(page.severity, COLOURS[page.severity]), Text(page.name, "bold"), _told(page.summary))
    console.print(table)


def _print(console: Console, page: CodePage) -> None:
    width = min(console.width, LINE)
    console.print(Text.assemble((f"{page.severity}[{page.name}]", COLOURS[page.severity])))
    console.print()
    for paragraph in page.text.strip().split("\n\n") if page.own else [_told(page.summary)]:
        _wrapped(console, _flowing(paragraph), width)
        console.print()
    for name, said in page.declared.items():
        console.print(Text.assemble("Reported by the schema of ", (name, "bold"), ", of"))
        for words in said:
            _wrapped(console, _told(words), width, "  ")


def _wrapped(console: Console, text: str, width: int, indent: str = "") -> None:
    """The text in lines of that width, without blanks at their ends."""
    for line in Text(text).wrap(console, width - len(indent)):
        console.print(Text(indent + line.plain.rstrip()), soft_wrap=True)


def _flowing(paragraph: str) -> str:
    """A paragraph as one line, to be wrapped anew; lists and examples as they stand."""
    lines = paragraph.splitlines()
    return paragraph if any(line.startswith((" ", "-", "*", "|", ">")) for line in lines) else " ".join(lines)


def _told(message: str) -> str:
    """A message with dots where the finding's own words stand."""
    return _PLACE.sub("...", message)
