"""The command ``explain``: the page of a kind of finding."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bridgespec.cli.render_marks import COLOURS
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.diagnostic import CODES, Severity
from bridgespec.errors import UsageError
from bridgespec.spec.grammar import Grammar, Rule
from bridgespec.spec.ir import Spec

LINE = 88


@dataclass(frozen=True)
class Page:
    """What can be said of a code: the page of the module that reports it, and the schemas that do."""

    name: str
    severity: Severity
    text: str
    formats: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first line."""
        return self.text.strip().partition("\n")[0]


def pages(specs: list[Spec]) -> dict[str, Page]:
    """Every code by name: those of the package, and those that only schemas report, with the schemas that do."""
    by_code: dict[str, dict[str, tuple[Severity, str]]] = {}
    for spec in specs:
        for name, severity, message in _reported(spec):
            by_code.setdefault(name, {}).setdefault(spec.id, (severity, message))
    found = {name: Page(name, code.severity, code.page, tuple(by_code.get(name, ()))) for name, code in CODES.items()}
    for name, reports in by_code.items():
        if name not in found:
            severity, text = next(iter(reports.values()))
            found[name] = Page(name, severity, text, tuple(reports))
    return dict(sorted(found.items()))


def _reported(spec: Spec) -> Iterator[tuple[str, Severity, str]]:
    """The codes that a schema names itself: its record checks, constraints of its fields, what its rules report."""
    for record in spec.records.values():
        for check in record.checks:
            yield check.code, check.severity, check.message
        for field in record.fields:
            if field.binding.code:
                told = f"a value that the field `{field.name}` may not hold\n\n{field.doc}"
                yield field.binding.code, field.binding.severity, told
    if isinstance(spec.text, Grammar):
        for rule in spec.text.rules.values():
            yield from _rule_reports(rule)


def _rule_reports(rule: Rule) -> Iterator[tuple[str, Severity, str]]:
    words = rule.words
    if words.report is not None:
        text = words.report.message + (f"\n\n{words.report.help}" if words.report.help else "")
        yield words.report.code, words.report.severity, text
    for content in words.contents:
        cases = ", ".join(content.cases)
        yield content.code, content.severity, f"a {content.of} of the wrong form\n\nIt is read by what it stands for: {cases}."
    for check in words.checks:
        yield check.code, check.severity, check.message
    if words.inherit is not None:
        yield words.inherit.code, words.inherit.severity, words.inherit.message
    if words.binding.code:
        yield words.binding.code, words.binding.severity, f"a `{rule.name}` of the wrong form\n\n{words.doc}"


@click.command(
    epilog="\b\nExamples:\n  bridgespec explain                 list every code\n  bridgespec explain truncated",
    short_help="The page of a kind of finding.",
)
@click.argument("code", required=False)
@pass_settings
def command(settings: Settings, code: str | None) -> None:
    """Print what a finding means, why it is reported and what to do; without CODE, list all of them."""
    known = pages(settings.formats)
    if code is None:
        _list(settings.out, list(known.values()))
        return
    name = code.strip().lower()
    if name not in known:
        near = difflib.get_close_matches(name, known, 3, 0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `bridgespec explain` lists all"
        raise UsageError(f"there is no finding {name!r}{hint}")
    _print(settings.out, known[name])


def _list(console: Console, listed: list[Page]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for page in listed:
        table.add_row(Text(page.severity, COLOURS[page.severity]), Text(page.name, "bold"), page.summary)
    console.print(table)


def _print(console: Console, page: Page) -> None:
    console.print(Text.assemble((f"{page.severity}[{page.name}]", COLOURS[page.severity])))
    console.print()
    for paragraph in page.text.strip().split("\n\n"):
        console.print(Text(_flowing(paragraph)), width=min(console.width, LINE))
        console.print()
    if page.formats:
        console.print(Text.assemble("Reported by the schema of: ", (", ".join(page.formats), "bold")))


def _flowing(paragraph: str) -> str:
    """A paragraph as one line, to be wrapped anew; lists and examples as they stand."""
    lines = paragraph.splitlines()
    return paragraph if any(line.startswith((" ", "-", "*", "|", ">")) for line in lines) else " ".join(lines)
