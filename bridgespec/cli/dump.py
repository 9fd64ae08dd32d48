"""The command ``dump``: every byte of a file with its field."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path

import click
from rich.console import Console
from rich.segment import Segment, Segments
from rich.text import Text

from bridgespec.cli.dump_page import write_page
from bridgespec.cli.dump_trace import print_trace, trace_lines
from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.pieces import FileSlice, pieces
from bridgespec.cli.ranges import Ranges, take_ranges
from bridgespec.cli.render_marks import COLOURS, DIM, SECOND, RenderSource, decode, printable
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo_json, json_text
from bridgespec.codec.anatomy import Anatomist, FilePart, Group, groups_of
from bridgespec.codec.anatomy import chosen as chosen_groups
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import UsageError
from bridgespec.extras import require

WIDE = 8
TEXT_WIDE = 28
LINES = 256
"""The approximate number of lines that are printed at a time."""
Line = tuple[tuple[str, str], ...]
"""The parts of a line, each with its style."""
Pending = tuple[int, int, Diagnostic]
"""A finding that is not printed yet, after the bit where it begins and its index among all."""


def _take_records(context: click.Context, parameter: click.Parameter, value: str | None) -> Ranges | None:
    """Return the record numbers of the option, which count from 1, as in messages."""
    records = take_ranges(context, parameter, value)
    if records is not None and 0 in records:
        raise click.BadParameter("records count from 1")
    return records


GROUP = "Files"


@click.command(
    epilog="""\b
Examples:
  bridgespec dump boards.dup
  bridgespec dump deals.zrd --record 1
  bridgespec dump deals.zrd --json | jq 'select(.name == "north")'
  bridgespec dump boards.pbn --html boards.html
  bridgespec dump boards.pbn --record 3 --trace
""",
    short_help="Show every byte of a file with its field.",
)
@click.argument("path", metavar="PATH", type=PATH)
@format_option("--format", help="The format, where name and content do not tell it.")
@click.option("--record", "records", metavar="RANGES", callback=_take_records, help="Only these records, from 1: 4, 1-10.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for every element of every field.")
@click.option("--trace", "traced", is_flag=True, help="Which rule or field was tried where, and why it failed.")
@click.option("--html", "page", metavar="FILE", type=click.Path(path_type=Path), help="Write a web page to explore.")
@pass_settings
def command(
    settings: Settings, path: str, format: str | None, records: Ranges | None, as_json: bool, traced: bool, page: Path | None
) -> None:
    """Take a file apart: offset, bytes, bits, field and meaning, in file order; findings stand at their places.

    Bits are numbered as the format numbers them. Arrays are shown several elements a line, with what each position means.

    With --trace, each rule of a grammar, or field of a binary schema, that was tried: where, what it read, or why it failed.
    """
    if page is not None:
        require("jinja2")
    found = pieces(settings, path, format, records.indexes() if records else None, "--format")
    if page is not None:
        if as_json or traced:
            raise UsageError(f"--{'json' if as_json else 'trace'} and --html are two forms: choose one")
        write_page(settings, shown_name(path), found, records, lambda piece: _chosen(piece, records), page)
        return
    if as_json:
        for piece in found:
            groups = _chosen(piece, records)
            for line in trace_lines(settings, piece, groups, records is None) if traced else _json_lines(piece, groups):
                echo_json(line)
        return
    first = True
    for piece in found:
        groups = _chosen(piece, records)
        if first:
            _head(settings.out, shown_name(path), piece)
        first = False
        if traced:
            print_trace(settings, piece, groups, records is None)
        else:
            _print(settings.out, piece, groups, records is None)


def _chosen(piece: FileSlice, records: Ranges | None) -> list[Group]:
    """Return the groups of the selected records of a piece; all groups without a selection. Raises UsageError for an unknown
    record.
    """
    groups = groups_of(piece.report.reading.root, piece.first)
    if records is None:
        return groups
    numbers = [group.number + 1 for group in groups if group.number is not None]
    # A piece of a large file has only some of the records; `pieces` compares the ranges with the number of all.
    absent = records.missing(numbers) if not piece.list_name else []
    if absent:
        extent = f"there are {numbers[0]} to {numbers[-1]}" if numbers else "the format has no records"
        raise UsageError(f"no record {', '.join(absent)}: {extent}")
    return chosen_groups(groups, [number - 1 for number in numbers if number in records])


def _json_lines(piece: FileSlice, groups: Iterable[Group]) -> Iterator[str]:
    anatomist = Anatomist(piece.report.spec, piece.shift)
    for group in groups:
        told = [(group.number, part) for part in anatomist.each(group.node, group.path, group.inside)]
        told += [(one.record, part) for one in group.inside for part in anatomist.each(one.node, one.path)]
        # Records may be inside fields of the file; sorted, since each group yields its own parts first.
        for number, part in sorted(told, key=lambda one: one[1].start) if group.inside else told:
            value = part.value.hex() if isinstance(part.value, bytes) else part.value
            yield json_text(
                {
                    "record": number,
                    "field": part.field,
                    "start": part.byte_start,
                    "stop": part.byte_stop,
                    "bits": part.bits,
                    "bit_order": ("low" if part.lsb else "high") if part.bits else None,
                    "raw": piece.source.slice(part.byte_start, part.byte_stop).hex(),
                    "value": value,
                    "name": part.names[0] if part.names else None,
                    "broken": part.broken,
                }
            )


def _head(console: Console, name: str, piece: FileSlice) -> None:
    spec = piece.report.spec
    head = Text.assemble((name, "bold"), f"  {spec.title} ({spec.id}), {plural(piece.source.size, 'byte')}")
    console.print(head, soft_wrap=True)


def _print(console: Console, piece: FileSlice, groups: Sequence[Group], whole: bool) -> None:
    """Print the groups with their parts. With ``whole`` also the bytes between the groups and after them."""
    anatomist = Anatomist(piece.report.spec, piece.shift)
    # The index decides between findings at one place, since findings cannot be compared.
    pending = sorted((found.span.start, index, found) for index, found in enumerate(piece.findings) if found.span)
    at = 0
    for group in groups:
        number, path, node = group.number, group.path, group.node
        start = node.start + anatomist.shift
        parts = list(anatomist.parts(node, path, number is not None, group.inside))
        if whole and not piece.shift and start > at:
            parts.insert(0, FilePart(at, start, node.lsb, None))
        if number is not None:
            console.print(Text.assemble((f"record {number + 1}", "bold"), f"  {path}"), soft_wrap=True)
        _rows(console, piece.source, parts, path if number is not None else "", pending)
        at = max(at, node.stop + anatomist.shift)
    if whole and not piece.list_name and at < 8 * piece.source.size:
        _rows(console, piece.source, [FilePart(at, 8 * piece.source.size, False, None)], "", pending)
    for _, _, found in sorted(pending, key=itemgetter(1)) if whole else ():
        console.print(_styled(_note(found)), soft_wrap=True)


def _rows(console: Console, source: RenderSource, parts: Sequence[FilePart], prefix: str, pending: list[Pending]) -> None:
    names = [_relative(part.field, prefix) for part in parts]
    # One long path must not push the meanings of all rows out of the window.
    width = min(max((len(name) for name in names), default=0), 40)
    lines: list[Line] = []
    for part, name in zip(parts, names, strict=True):
        # An empty part still takes the findings at its position.
        stop = part.stop if part.stop > part.start else part.start + 1
        told: list[Diagnostic] = []
        if pending:
            low, high = bisect_left(pending, (part.start,)), bisect_left(pending, (stop,))
            told = [found for _, _, found in sorted(pending[low:high], key=itemgetter(1))]
            # Taken out, so that findings in the gaps between parts are left and printed at the end.
            del pending[low:high]
        style = COLOURS[min((found.severity for found in told), key=list(COLOURS).index)] if told else ""  # the severest is first
        lines += _part_lines(source, part, name.ljust(width), style)
        lines += map(_note, told)
        if len(lines) >= LINES:
            _print_lines(console, lines)
            lines = []
    _print_lines(console, lines)


def _print_lines(console: Console, lines: Sequence[Line]) -> None:
    """Print all lines by one call of the console, since each call is slow; as plain text where the console has no colours."""
    if not lines:
        return
    plain = ["".join([text for text, _ in line]).rstrip() for line in lines] if console.color_system is None else []
    # Only a `Text` expands tabs: from a segment they go to the terminal, and the columns behind them shift.
    if plain and not any("\t" in text for text in plain):
        # A `Text` measures and splits its lines; these are printed as they are, as one piece since each takes as long as a line.
        console.print(Segments([Segment("\n".join(plain) + "\n")]), soft_wrap=True, end="")
    else:
        console.print(Text("\n").join(map(_styled, lines)), soft_wrap=True)


def _styled(line: Line) -> Text:
    text = Text.assemble(*line)
    text.rstrip()
    return text


def _note(found: Diagnostic) -> Line:
    return ("          ", ""), (f"{found.severity}[{found.code}]", COLOURS[found.severity]), (f": {found.message}", "")


def _relative(field: str | None, prefix: str) -> str:
    if field is None:
        return "-"
    if not prefix or not field.startswith(prefix):
        return field
    return field[len(prefix) :].lstrip(".") or "(record)"


def _part_lines(source: RenderSource, part: FilePart, name: str, style: str) -> Iterator[Line]:
    if source.text:
        line, column = source.place(part.byte_start)
        raw = printable(decode(source.slice(part.byte_start, part.byte_stop)))
        shown = raw if len(raw) <= TEXT_WIDE else raw[: TEXT_WIDE - 1] + "…"
        said = part.text if part.text.strip('"') != raw else ""
        yield _line(f"{line}:{column}".rjust(8), shown.ljust(TEXT_WIDE), "", name, said, style, part)
        return
    # A part without bytes, such as a computed value, has a meaning to print all the same.
    rows = max(1, -(-(part.byte_stop - part.byte_start) // WIDE))
    meaning = part.text.splitlines() or [""]
    for row in range(max(rows, len(meaning))):
        start = part.byte_start + row * WIDE
        place = f"0x{start:06x}" if row < rows else " " * 8
        hexed = source.slice(start, min(part.byte_stop, start + WIDE)).hex(" ") if row < rows else ""
        words = meaning[row] if row < len(meaning) else ""
        bits, title = ("", " " * len(name)) if row else (_bits(part), name)
        yield _line(place, hexed.ljust(3 * WIDE - 1), bits, title, words, style, part)


def _bits(part: FilePart) -> str:
    if part.bits is None:
        return ""
    first, last = part.bits[0], part.bits[1] - 1
    return str(first) if first == last else f"{first}-{last}"


def _line(place: str, raw: str, bits: str, name: str, said: str, style: str, part: FilePart) -> Line:
    quiet = DIM if part.field is None else ""
    gap = ("  ", "")
    return (place, SECOND), gap, (raw, style or quiet), gap, (bits.ljust(5), DIM), gap, (name, quiet or "cyan"), gap, (said, style)
