"""The command ``dump``: every byte of a file with its field, or each attempt to read it.

`command` reads the file as `FileSlice`s, one for a whole file and several for a large one, and selects the groups of each
(`_chosen`). They are printed as rows (`_print`) or as JSON (`_json_lines`); with ``--trace`` the attempts to read them as lines
(`_print_trace`) or as JSON (`_trace_lines`); with ``--html`` all slices become one page (`_write_page`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.segment import Segment, Segments
from rich.text import Text

from bridgespec.api import write_file
from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.pieces import FileSlice, pieces
from bridgespec.cli.ranges import Ranges, take_ranges
from bridgespec.cli.render_marks import COLOURS, DIM, SECOND, RenderSource, decode, printable
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo, echo_json, json_text
from bridgespec.codec.anatomy import Anatomist, FilePart, Group, groups_of
from bridgespec.codec.anatomy import chosen as chosen_groups
from bridgespec.codec.trace import Attempt, walk
from bridgespec.codec.tracing import trace
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from bridgespec.docs import dumppage
else:
    # Pages need Jinja, an extra that may not be installed; the other forms of a dump work without.
    dumppage = Lazy("bridgespec.docs.dumppage")

GROUP = "Files"
ROW_BYTES = 8
"""The number of bytes on one line."""
ROW_CHARACTERS = 28
"""The maximum number of characters of a field of text on its line."""
LINES = 256
"""The approximate number of lines that are printed at a time."""
TRACED_BYTES, TRACED_CHARACTERS = 10, 40
"""The maximum numbers of bytes, or of characters of a text, that a line of a trace shows of an attempt."""
STYLES = {"read": "", "failed": COLOURS[Severity.ERROR], "absent": DIM, "untried": DIM}
"""The style in which an attempt to read is printed, by its outcome."""
StyledLine = tuple[tuple[str, str], ...]
"""The parts of a line, each with its style."""
Pending = tuple[int, int, Diagnostic]
"""A finding that is not printed yet: its first bit, its index among all findings, the finding."""


def _take_records(context: click.Context, parameter: click.Parameter, value: str | None) -> Ranges | None:
    """Return the record numbers of ``--record``, as its callback. Raises BadParameter for 0, since records count from 1."""
    records = take_ranges(context, parameter, value)
    if records is not None and 0 in records:
        raise click.BadParameter("records count from 1")
    return records


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
        _write_page(settings, shown_name(path), found, records, page)
        return
    if as_json:
        for piece in found:
            groups = _chosen(piece, records)
            for line in _trace_lines(settings, piece, groups, records is None) if traced else _json_lines(piece, groups):
                echo_json(line)
        return
    first = True
    for piece in found:
        groups = _chosen(piece, records)
        if first:
            _print_head(settings.out, shown_name(path), piece)
        first = False
        if traced:
            _print_trace(settings, piece, groups, records is None)
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
    # Only a whole file: a piece of a large one has only some of the records, and `pieces` has checked the ranges.
    absent = records.missing(numbers) if not piece.list_name else []
    if absent:
        extent = f"there are {numbers[0]} to {numbers[-1]}" if numbers else "the format has no records"
        raise UsageError(f"no record {', '.join(absent)}: {extent}")
    return chosen_groups(groups, [number - 1 for number in numbers if number in records])


def _json_lines(piece: FileSlice, groups: Iterable[Group]) -> Iterator[str]:
    """Yield a JSON object for each element of each field."""
    anatomist = Anatomist(piece.report.spec, piece.shift)
    for group in groups:
        parts = [(group.number, part) for part in anatomist.each(group.node, group.path, group.inside)]
        parts += [(one.record, part) for one in group.inside for part in anatomist.each(one.node, one.path)]
        # Records may be inside fields of the file; sorted, since each group yields its own parts first.
        for number, part in sorted(parts, key=lambda one: one[1].start) if group.inside else parts:
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


def _print_head(console: Console, name: str, piece: FileSlice) -> None:
    """Print the name, format and size of the file."""
    spec = piece.report.spec
    head = Text.assemble((name, "bold"), f"  {spec.title} ({spec.id}), {plural(piece.source.size, 'byte')}")
    console.print(head, soft_wrap=True)


def _print(console: Console, piece: FileSlice, groups: Sequence[Group], whole: bool) -> None:
    """Print the groups with their parts. With ``whole`` also the bytes between the groups and after them."""
    anatomist = Anatomist(piece.report.spec, piece.shift)
    # Findings at one place are sorted by their indexes: a Diagnostic cannot be compared.
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
    """Print parts of the file, each with the findings that begin in it, which are removed from ``pending``. The field paths are
    printed without ``prefix``.
    """
    names = [_relative(part.field, prefix) for part in parts]
    # Limited, so that one long path does not push the values of all lines out of the window.
    width = min(max((len(name) for name in names), default=0), 40)
    lines: list[StyledLine] = []
    for part, name in zip(parts, names, strict=True):
        # An empty part has the findings at its position.
        stop = part.stop if part.stop > part.start else part.start + 1
        here: list[Diagnostic] = []
        if pending:
            low, high = bisect_left(pending, (part.start,)), bisect_left(pending, (stop,))
            here = [found for _, _, found in sorted(pending[low:high], key=itemgetter(1))]
            # What remains in `pending`, findings between the parts, is printed at the end.
            del pending[low:high]
        style = COLOURS[min((found.severity for found in here), key=list(COLOURS).index)] if here else ""  # the highest severity
        lines += _part_lines(source, part, name.ljust(width), style)
        lines += map(_note, here)
        if len(lines) >= LINES:
            _print_lines(console, lines)
            lines = []
    _print_lines(console, lines)


def _print_lines(console: Console, lines: Sequence[StyledLine]) -> None:
    """Print all lines by one call of the console, since each call is slow; as plain text where the console has no colours."""
    if not lines:
        return
    plain = ["".join([text for text, _ in line]).rstrip() for line in lines] if console.color_system is None else []
    # Only a `Text` expands tabs; a terminal would expand them to other columns.
    if plain and not any("\t" in text for text in plain):
        # One segment for all lines: a `Text` would measure and split them, and each segment takes as long as a line.
        console.print(Segments([Segment("\n".join(plain) + "\n")]), soft_wrap=True, end="")
    else:
        console.print(Text("\n").join(map(_styled, lines)), soft_wrap=True)


def _styled(line: StyledLine) -> Text:
    """Return the parts of a line as one styled text, without trailing blanks."""
    text = Text.assemble(*line)
    text.rstrip()
    return text


def _note(found: Diagnostic) -> StyledLine:
    """Return a finding as a line below its part."""
    return ("          ", ""), (f"{found.severity}[{found.code}]", COLOURS[found.severity]), (f": {found.message}", "")


def _relative(field: str | None, prefix: str) -> str:
    """Return the path of a field without a prefix; ``(record)`` for the prefix itself, a hyphen without a field."""
    if field is None:
        return "-"
    if not prefix or not field.startswith(prefix):
        return field
    return field[len(prefix) :].lstrip(".") or "(record)"


def _part_lines(source: RenderSource, part: FilePart, name: str, style: str) -> Iterator[StyledLine]:
    """Yield the lines of one part: its position, bytes or text, bits, field and value."""
    if source.text:
        line, column = source.place(part.byte_start)
        raw = printable(decode(source.slice(part.byte_start, part.byte_stop)))
        shown = raw if len(raw) <= ROW_CHARACTERS else raw[: ROW_CHARACTERS - 1] + "…"
        value = part.text if part.text.strip('"') != raw else ""
        yield _line(f"{line}:{column}".rjust(8), shown.ljust(ROW_CHARACTERS), "", name, value, style, part)
        return
    # At least one row: a part without bytes, such as a computed value, has a value to print.
    rows = max(1, -(-(part.byte_stop - part.byte_start) // ROW_BYTES))
    meaning = part.text.splitlines() or [""]
    for row in range(max(rows, len(meaning))):
        start = part.byte_start + row * ROW_BYTES
        place = f"0x{start:06x}" if row < rows else " " * 8
        hexed = source.slice(start, min(part.byte_stop, start + ROW_BYTES)).hex(" ") if row < rows else ""
        words = meaning[row] if row < len(meaning) else ""
        bits, title = ("", " " * len(name)) if row else (_bits(part), name)
        yield _line(place, hexed.ljust(3 * ROW_BYTES - 1), bits, title, words, style, part)


def _bits(part: FilePart) -> str:
    """Return the first and last bit of a part within its bytes; empty for whole bytes."""
    if part.bits is None:
        return ""
    first, last = part.bits[0], part.bits[1] - 1
    return str(first) if first == last else f"{first}-{last}"


def _line(place: str, raw: str, bits: str, name: str, value: str, style: str, part: FilePart) -> StyledLine:
    """Return the columns of one line with their styles; bytes without a field are dimmed."""
    quiet = DIM if part.field is None else ""
    gap = ("  ", "")
    return (place, SECOND), gap, (raw, style or quiet), gap, (bits.ljust(5), DIM), gap, (name, quiet or "cyan"), gap, (value, style)


def _print_trace(settings: Settings, piece: FileSlice, groups: Sequence[Group], whole: bool) -> None:
    """Print one line for each attempt to read the groups; attempts within others are indented."""
    attempts, cut = _attempts(settings, piece, groups, whole)
    shift, source, out = 8 * piece.shift, piece.source, settings.out
    for depth, one in walk(attempts):
        place = _place(source, one.start + shift)
        if one.outcome == "read":
            result = f"{_content(source, one, piece.shift)}{'  ' if one.reason else ''}{one.reason}"
        else:
            where = f" at {_place(source, one.stop + shift)}" if one.outcome == "failed" and one.stop > one.start else ""
            result = f"{one.outcome}{where}{': ' if one.reason else ''}{one.reason}"
        style = STYLES["failed" if one.reason and one.outcome == "read" else one.outcome]
        line = Text.assemble((place.ljust(10), SECOND), "  " * (depth + 1), (one.rule, style or "cyan"), "  ", (result, style))
        line.rstrip()
        out.print(line, soft_wrap=True)
    if cut is not None:
        out.print(Text(f"from {_place(source, 8 * (cut + piece.shift))} on nothing is traced; choose records with --record"))


def _trace_lines(settings: Settings, piece: FileSlice, groups: Sequence[Group], whole: bool) -> Iterator[str]:
    """Yield a JSON object for each attempt, with its bits from the start of the file and its nesting depth."""
    shift = 8 * piece.shift
    for depth, one in walk(_attempts(settings, piece, groups, whole)[0]):
        row = {"depth": depth, "rule": one.rule, "start_bit": one.start + shift, "stop_bit": one.stop + shift}
        yield json_text({**row, "ended": one.outcome, "reason": one.reason or None})


def _attempts(settings: Settings, piece: FileSlice, groups: Sequence[Group], whole: bool) -> tuple[list[Attempt], int | None]:
    """Return the attempts to read the groups of a piece; with ``whole`` those of the whole piece, with the fields around its
    records.
    """
    report = piece.report
    nodes = [(group.path, group.node) for group in groups]
    if whole and not piece.list_name:
        nodes = [("", report.reading.root)]
    # The findings may name one cause in place of several errors; a trace shows the error of each field.
    known = {(one.code, one.field) for one in piece.findings}
    own = [one for one in report.reading.diagnostics if (one.code, one.field) not in known]
    return trace(settings.engine.of(report.spec), report.reading, nodes, [*piece.findings, *own])


def _place(source: RenderSource, bit: int) -> str:
    """Return a position as text: line and column of a text, else the offset in hex, with the bit unless that is 0."""
    if source.text:
        return "{}:{}".format(*source.place(bit // 8))
    return f"0x{bit // 8:06x}" + (f".{bit % 8}" if bit % 8 else "")


def _content(source: RenderSource, one: Attempt, shift: int) -> str:
    """Return an excerpt of the text or bytes that an attempt has read."""
    data = source.slice(one.start // 8 + shift, -(-one.stop // 8) + shift)
    most = TRACED_CHARACTERS if source.text else TRACED_BYTES
    shown = printable(decode(data[:most])) if source.text else data[:most].hex(" ")
    return f"{shown}{'…' if len(data) > most else ''}"


def _write_page(settings: Settings, name: str, found: Iterable[FileSlice], records: Ranges | None, target: Path) -> None:
    """Write the web page of a file, or of the selected records in it, to ``target``."""
    pieces = iter(found)
    first = next(pieces, None)
    if first is None:
        raise UsageError(f"{name}: there is nothing to show")
    spec, source = first.report.spec, first.source
    runs = _runs(first, pieces, records)
    page = dumppage.page(spec, settings.engine.of(spec).binder, Path(name).name or name, source.size, source.slice, runs)
    if str(target) == "-":
        echo(page.render(), nl=False)
        return
    write_file(target, [page.render().encode()])
    limit = f"; it holds {page.records} records, choose others with --record" if page.full else ""
    settings.err.print(Text(f"{target}{limit}"), soft_wrap=True)


def _runs(first: FileSlice, others: Iterator[FileSlice], records: Ranges | None) -> Iterator[dumppage.DumpRun]:
    """Yield for each piece its groups, document and findings, in the form that the page needs."""
    for piece in chain([first], others):
        if records is None and not piece.list_name:
            groups = groups_of(piece.report.reading.root)
        else:
            # Each piece was read with a copy of the header, whose fields are shown for the first piece only.
            groups = [group for group in _chosen(piece, records) if group.number is not None or not piece.shift]
        whole = records is None and not piece.list_name
        yield dumppage.DumpRun(groups, piece.document, piece.findings, piece.shift, whole)
