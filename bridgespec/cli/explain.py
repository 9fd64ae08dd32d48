"""The command ``explain``: the page of a kind of finding, or of a word of the schema languages."""

from __future__ import annotations

import re

import click
from click.shell_completion import CompletionItem
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bridgespec.cli import check_spec, check_system, field_json, record_checks, score, used
from bridgespec.cli.render_marks import COLOURS
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.docs.codes import CodePage, code_pages
from bridgespec.docs.reference import PREFIX, ReferenceEntry, entries, examples, find, near
from bridgespec.editor import widths
from bridgespec.errors import UsageError

LINE = 88
"""The maximum width of printed paragraphs."""
_BEFORE, _BEHIND = 4, 6
"""The numbers of lines of an example that are shown before the first mention of a word, and after it."""
DEFINING = (check_spec, check_system, field_json, record_checks, score, used, widths)
"""Modules that define codes of findings. They are imported here because a code is known only after that."""
_PLACE = re.compile(r"\{[^{}]*\}")


def _complete_word(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes and words that begin with ``incomplete``, for completion in the shell."""
    helps = {page.name: _without_values(page.summary) for page in code_pages(context.ensure_object(Settings).formats).values()}
    # A name such as "mismatch" is both a code and a word: the shell would offer it twice.
    helps |= {entry.name: entry.doc for entry in entries() if entry.name not in helps}
    return [CompletionItem(name, help=help_) for name, help_ in helps.items() if name.startswith(incomplete.lower())]


class _Command(click.Command):
    """A command whose argument may look like an option, such as ``-bridge-value``."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; one that begins with the package's key prefix (``-bridge-``) is an argument, not an option."""
        # click would take -bridge-value for options -b, -r, ...
        return super().parse_args(context, [arg.removeprefix("-") if arg.startswith(PREFIX) else arg for arg in args])


GROUP = "Schemas"


@click.command(
    cls=_Command,
    epilog="""\b
Examples:
  bridgespec explain                 list every finding and every word
  bridgespec explain truncated       a finding
  bridgespec explain -bridge-value   a key of binary schemas
  bridgespec explain recover         a word of grammars
  bridgespec explain auction         a term of the model, with its parts
""",
    short_help="The page of a finding, or of a word of the schema languages.",
)
@click.argument("word", required=False, shell_complete=_complete_word)
@pass_settings
def command(settings: Settings, word: str | None) -> None:
    """Print what a finding means, why it is reported and what to do; or what a key, word, function, term, role, member, code or
    axis of a schema is, where it may stand, and a schema that has it. Without WORD, list all of them.
    """
    known = code_pages(settings.formats)
    if word is None:
        _list(settings.out, list(known.values()))
        return
    name, found = word.strip().lower(), find(word)
    if (whole := next((one for one in examples() if one.name == name), None)) is not None:
        settings.out.print(Text(whole.text.rstrip("\n")), soft_wrap=True)
        return
    if name not in known and not found:
        close = near(word, known)
        hint = f"; did you mean {' or '.join(close)}?" if close else "; `bridgespec explain` lists all"
        raise UsageError(f"there is no finding or word {name!r}{hint}")
    if name in known:
        _print(settings.out, known[name])
    for entry in found:
        _print_entry(settings.out, entry)


def _list(console: Console, listed: list[CodePage]) -> None:
    """Print all findings with their summaries, and the names of all words by kind."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for page in listed:
        table.add_row(Text(page.severity, COLOURS[page.severity]), Text(page.name, "bold"), _without_values(page.summary))
    console.print(table)
    kinds: dict[str, dict[str, None]] = {}
    for entry in entries():
        # A dictionary as an ordered set: "id" has four entries, one for each place where the key may stand.
        kinds.setdefault(_PLURALS[entry.kind], {})[entry.name] = None
    for kind, names in kinds.items():
        console.print()
        console.print(Text(kind, "bold"))
        _wrapped(console, ", ".join(names), min(console.width, LINE), "  ")


# The headings of the lists of words, by the kind of entry.
_PLURALS = {
    "key": "keys of binary schemas",
    "word": "words of grammars",
    "function": "functions under -bridge- keys",
    "attribute": "attributes of values in expressions",
    "term": "terms of the model",
    "role": "parts of terms",
    "member": "words that say one part alone",
    "code": "names of codes",
    "axis": "axes",
}
# The preposition between the kind of an entry and the names of what may have it.
_WHERE = {"key": "in", "word": "in", "function": "in", "attribute": "of", "role": "of", "member": "of", "code": "of", "axis": "in"}


def _print_entry(console: Console, entry: ReferenceEntry) -> None:
    """Print the entry of a word: its description, where it may occur, its value, its parts, its findings, and a schema that has
    it.
    """
    width = min(console.width, LINE)
    where = f" {_WHERE.get(entry.kind, 'of')} {', '.join(entry.owners)}" if entry.owners else ""
    console.print(Text.assemble((entry.name, "bold"), f"  {entry.kind}{where}"), soft_wrap=True)
    _wrapped(console, entry.doc, width, "  ")
    if entry.takes:
        _wrapped(console, f"{'called' if entry.kind == 'function' else 'value'}: {entry.takes}", width, "  ")
    if entry.findings:
        _wrapped(console, f"findings: {', '.join(entry.findings)}", width, "  ")
    for part, words in entry.parts.items():
        sign = "=" if entry.kind == "function" else "-"
        _wrapped(console, f"{part} {sign} {words}", width, "    ")
    if entry.example is not None:
        lines, first = entry.example.text.rstrip("\n").split("\n"), entry.lines[0]
        start, stop = max(0, first - 1 - _BEFORE), min(len(lines), first + _BEHIND)
        console.print(Text(f"  example (all of it: bridgespec explain {entry.example.name})"), soft_wrap=True)
        for number, line in enumerate(lines[start:stop], start + 1):
            mark = ">" if number in entry.lines else " "
            console.print(Text(f"  {mark} {line}".rstrip(), "bold" if mark == ">" else ""), soft_wrap=True)
    console.print()


def _print(console: Console, page: CodePage) -> None:
    """Print the page of a finding, and the messages under which schemas report it."""
    width = min(console.width, LINE)
    console.print(Text.assemble((f"{page.severity}[{page.name}]", COLOURS[page.severity])))
    console.print()
    for paragraph in page.text.strip().split("\n\n") if page.own else [_without_values(page.summary)]:
        _wrapped(console, _flowing(paragraph), width)
        console.print()
    for name, messages in page.declared.items():
        console.print(Text.assemble("Reported by the schema of ", (name, "bold"), ", of"))
        for message in messages:
            _wrapped(console, _without_values(message), width, "  ")


def _wrapped(console: Console, text: str, width: int, indent: str = "") -> None:
    """Print a text wrapped to a width, without trailing blanks."""
    # rich leaves the blank at which it breaks a line at its end.
    for line in Text(text).wrap(console, width - len(indent)):
        console.print(Text(indent + line.plain.rstrip()), soft_wrap=True)


def _flowing(paragraph: str) -> str:
    """Return a paragraph on one line, to be wrapped; lists and examples are unchanged."""
    lines = paragraph.splitlines()
    return paragraph if any(line.startswith((" ", "-", "*", "|", ">")) for line in lines) else " ".join(lines)


def _without_values(message: str) -> str:
    """Return the template of a message with ``...`` in place of each ``{value}``."""
    return _PLACE.sub("...", message)
