"""The command ``formats``: the known formats, and the terms that each can represent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bridgespec.cli.board_targets import SYSTEM, holds_systems
from bridgespec.cli.options import complete_format
from bridgespec.cli.render_marks import DIM
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo_json
from bridgespec.lazily import Lazy
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec.bulk import codec as bulk_codec
else:
    # The list of all formats as text does not need it, and NumPy is slow to import.
    bulk_codec = Lazy("bridgespec.codec.bulk.codec")

FIRST = ("deal", "tricks")
"""The terms that are listed first; the others follow in alphabetical order."""


GROUP = "Files"


@click.command(
    epilog="""\b
Examples:
  bridgespec formats
  bridgespec formats zrd
  bridgespec formats --output-format json
  bridgespec --specs my-schemas formats
""",
    short_help="List the known formats and what each can hold.",
)
@click.argument("ids", metavar="[ID]...", nargs=-1, shell_complete=complete_format)
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@pass_settings
def command(settings: Settings, ids: tuple[str, ...], output_format: str) -> None:
    """List the known formats: name, title, extensions, and what of a board each can hold. With an ID, all about that one."""
    specs = [settings.engine.spec(name) for name in ids] or settings.formats
    if output_format == "json":
        echo_json(json.dumps([_value(settings, spec) for spec in specs], indent=2, ensure_ascii=False))
    elif ids:
        for spec in specs:
            _page(settings, spec)
    else:
        _table(settings.out, specs, [_holds(settings, spec) for spec in specs])


def _holds(settings: Settings, spec: Spec) -> list[str]:
    """Return the terms that a format can represent, the deal first."""
    terms = settings.engine.of(spec).binder.terms
    if holds_systems(spec):
        terms |= {SYSTEM}
    return [term for term in FIRST if term in terms] + sorted(terms - set(FIRST))


def _value(settings: Settings, spec: Spec) -> dict[str, object]:
    """Return the description of a format for JSON."""
    return {
        "id": spec.id,
        "title": spec.title,
        "extensions": list(spec.extensions),
        "kind": _kind(spec),
        "holds": _holds(settings, spec),
        "doc": spec.doc.strip(),
        "sources": [source.title for source in spec.sources],
        "schema": spec.path,
        "bulk": not (reason := bulk_codec.why_not(spec)),
        "bulk_not": reason or None,
    }


def _bulk(spec: Spec) -> str:
    """Return whether large files of a format are read as arrays, and if not why, as text."""
    reason = bulk_codec.why_not(spec)
    return f"no: {reason}" if reason else "yes, large files are worked as arrays"


def _kind(spec: Spec) -> str:
    return "binary" if spec.language == "ksy" else "text"


def _table(console: Console, specs: Sequence[Spec], holds: Sequence[Sequence[str]]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title, style in (("format", "bold cyan"), ("extension", ""), ("what it is", ""), ("what it can hold", "")):
        table.add_column(title, style=style)
    for spec, terms in zip(specs, holds, strict=True):
        extensions = " ".join(f".{extension}" for extension in spec.extensions)
        words = ", ".join(term.replace("_", " ") for term in terms)
        table.add_row(spec.id, extensions, spec.title, words or Text("no bridge meaning", DIM))
    console.print(table)
    console.print(Text(f"{len(specs)} formats; `bridgespec formats ID` tells all about one", DIM))


def _page(settings: Settings, spec: Spec) -> None:
    """Print all about one format: its terms, its documentation and its sources."""
    console = settings.out
    console.print(Text.assemble((spec.id, "bold cyan"), f"  {spec.title}"))
    extensions = " ".join(f".{extension}" for extension in spec.extensions)
    rows = [("kind", _kind(spec)), ("extension", extensions), ("schema", spec.path)]
    rows.append(("bulk", _bulk(spec)))
    rows.append(("holds", ", ".join(term.replace("_", " ") for term in _holds(settings, spec))))
    for name, text in rows:
        console.print(Text.assemble((f"  {name:11}", DIM), text or "-"), soft_wrap=True)
    console.print()
    console.print(Text(" ".join(spec.doc.split())))
    for source in spec.sources:
        console.print()
        console.print(Text.assemble(("Source: ", DIM), source.title, f", {source.author}" if source.author else ""))
        if source.url:
            console.print(Text(f"  {source.url}"), soft_wrap=True)
        if source.quote:
            console.print(Text(f"  “{' '.join(source.quote.split())}”", "italic"))
    console.print()
