"""The command ``dump``: every byte of a file with its field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import click
from rich.console import Console
from rich.text import Text

from bridgespec.cli.anatomy import Anatomist, Part, step
from bridgespec.cli.examine import Examined, examine, plural
from bridgespec.cli.options import format_option
from bridgespec.cli.ranges import Ranges, take_ranges
from bridgespec.cli.render_marks import COLOURS, DIM, SECOND, Source, decode, printable
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.codec.node import Node
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import UsageError

WIDE = 8
TEXT_WIDE = 28


@click.command(
    epilog="""\b
Examples:
  bridgespec dump boards.dup
  bridgespec dump deals.zrd --record 0
  bridgespec dump deals.zrd --json | jq 'select(.name == "north")'
""",
    short_help="Show every byte of a file with its field.",
)
@click.argument("path", metavar="PATH")
@format_option("--format", help="The format, where name and content do not tell it.")
@click.option("--record", "records", metavar="RANGES", callback=take_ranges, help="Only these records, from 0: 3, 0-9.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for every element of every field.")
@pass_settings
def command(settings: Settings, path: str, format: str | None, records: Ranges | None, as_json: bool) -> None:
    """Take a file apart: offset, bytes, bits, field and meaning, in file order; findings stand at their places.

    Bits are numbered as the format numbers them. Arrays are shown several elements a line, with what each position means.
    """
    examined = examine(settings, path, format)
    groups = list(_groups(examined.report.reading.root))
    if records is not None:
        absent = records.missing(number for number, _, _ in groups if number is not None)
        if absent:
            raise UsageError(f"{examined.shown}: no record {', '.join(absent)}; {_extent(groups)}")
        groups = [group for group in groups if group[0] in records]
    if as_json:
        for line in _json_lines(examined, groups):
            click.echo(line)
    else:
        _print(settings.out, examined, groups)


Group = tuple[int | None, str, Node]
"""A record's number, or None for what stands beside the records, its path and node."""


def _groups(root: Node) -> Iterator[Group]:
    """The records of a file, and what stands before and after them, in file order."""
    found = False
    for child in root.children or ():
        cells = child.children or ()
        if not found and cells and cells[0].name.isdigit() and cells[0].children is not None:
            found = True
            yield from ((index, step(child.name, cell), cell) for index, cell in enumerate(cells))
        elif not child.absent:
            yield None, child.name, child


def _extent(groups: Sequence[Group]) -> str:
    numbers = [number for number, _, _ in groups if number is not None]
    return f"there are {numbers[0]} to {numbers[-1]}" if numbers else "the format has no records"


def _json_lines(examined: Examined, groups: Iterable[Group]) -> Iterator[str]:
    anatomist = Anatomist(examined.report.spec)
    for number, path, node in groups:
        for part in anatomist.each(node, path):
            raw = examined.source.slice(part.byte_start, part.byte_stop)
            value = part.value.hex() if isinstance(part.value, bytes) else part.value
            yield json.dumps(
                {
                    "record": number,
                    "field": part.field,
                    "start": part.byte_start,
                    "stop": part.byte_stop,
                    "bits": part.bits,
                    "bit_order": ("low" if part.lsb else "high") if part.bits else None,
                    "raw": raw.hex(),
                    "value": value,
                    "name": part.names[0] if part.names else None,
                    "broken": part.broken,
                },
                ensure_ascii=False,
            )


def _print(console: Console, examined: Examined, groups: Sequence[Group]) -> None:
    spec = examined.report.spec
    head = Text.assemble((examined.shown, "bold"), f"  {spec.title} ({spec.id}), {plural(examined.source.size, 'byte')}")
    console.print(head, soft_wrap=True)
    anatomist = Anatomist(spec)
    pending = sorted((found for found in examined.findings if found.span), key=lambda found: found.span.start if found.span else 0)
    at = groups[0][2].start if groups else 0
    previous: int | None = None
    for number, path, node in groups:
        if number is not None or previous is not None:
            console.print()
        if number is not None:
            console.print(Text.assemble((f"record {number}", "bold"), f"  {path}"), soft_wrap=True)
        parts = list(anatomist.parts(node, path, whole=number is not None))
        if parts and parts[0].start > at and previous is not None and number == previous + 1:
            parts.insert(0, Part(at, parts[0].start, node.lsb, None))
        _rows(console, examined.source, parts, path if number is not None else "", pending)
        at, previous = node.stop, number
    if groups and examined.report.reading.root.children and groups[-1][2] is _last(examined.report.reading.root):
        end = 8 * examined.source.size
        if at < end:
            _rows(console, examined.source, [Part(at, end, False, None)], "", pending)


def _last(root: Node) -> Node | None:
    groups = list(_groups(root))
    return groups[-1][2] if groups else None


def _rows(console: Console, source: Source, parts: Sequence[Part], prefix: str, pending: list[Diagnostic]) -> None:
    names = [_relative(part.field, prefix) for part in parts]
    width = min(max((len(name) for name in names), default=0), 40)
    for part, name in zip(parts, names, strict=True):
        told = [found for found in pending if found.span and part.start <= found.span.start < max(part.stop, part.start + 1)]
        style = COLOURS[min((found.severity for found in told), key=list(COLOURS).index)] if told else ""
        for line in _part_lines(source, part, name.ljust(width), style):
            line.rstrip()
            console.print(line, soft_wrap=True)
        for found in told:
            pending.remove(found)
            note = Text.assemble("        ", (f"{found.severity}[{found.code}]", COLOURS[found.severity]), f": {found.message}")
            console.print(note, soft_wrap=True)


def _relative(field: str | None, prefix: str) -> str:
    if field is None:
        return "-"
    return field[len(prefix) :].lstrip(".") if prefix and field.startswith(prefix) and field != prefix else field


def _part_lines(source: Source, part: Part, name: str, style: str) -> Iterator[Text]:
    if source.text:
        line, column = source.place(part.byte_start)
        raw = printable(decode(source.slice(part.byte_start, part.byte_stop)))
        shown = raw if len(raw) <= TEXT_WIDE else raw[: TEXT_WIDE - 1] + "…"
        said = part.said if part.said.strip('"') != raw else ""
        yield _line(f"{line}:{column}".rjust(8), shown.ljust(TEXT_WIDE), "", name, said, style, part)
        return
    for start in range(part.byte_start, max(part.byte_stop, part.byte_start + 1), WIDE):
        raw_bytes = source.slice(start, min(part.byte_stop, start + WIDE))
        first = start == part.byte_start
        bits = f"{part.bits[0]}-{part.bits[1] - 1}" if part.bits and first else ""
        if part.bits and part.bits[1] - part.bits[0] == 1 and first:
            bits = str(part.bits[0])
        hexed = raw_bytes.hex(" ").ljust(3 * WIDE - 1)
        yield _line(f"0x{start:06x}", hexed, bits, name if first else "", part.said if first else "", style, part)


def _line(place: str, raw: str, bits: str, name: str, said: str, style: str, part: Part) -> Text:
    quiet = DIM if part.field is None else ""
    return Text.assemble(
        (place, SECOND), "  ", (raw, style or quiet), "  ", (bits.ljust(5), DIM), "  ", (name, quiet or "cyan"), "  ", (said, style)
    )
