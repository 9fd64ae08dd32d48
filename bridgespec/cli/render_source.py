"""Places in text files: the line with the characters underlined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from bridgespec.cli.render_marks import DIM, Line, Mark, Source, decode, printable

LEAD = 16
"""Columns kept before the first mark when a line is too long to show whole."""


def source_lines(marks: Sequence[Mark], source: Source, width: int) -> list[Line]:
    """The lines that the marks touch, each once and no wider than ``width``, every mark underlined below it."""
    rows: dict[int, list[tuple[Mark, bool]]] = {}
    for mark in marks:
        first = source.line_bounds(mark.span.byte_start)[0]
        last = source.line_bounds(max(mark.span.byte_stop - 1, mark.span.byte_start))[0]
        rows.setdefault(first, []).append((mark, first == last))
        if last != first:
            rows.setdefault(last, []).append((mark, True))
    lines: list[Line] = []
    previous = 0
    for start in sorted(rows):
        number = source.place(start)[0]
        if previous and number > previous + 1:
            lines.append(("...", Text()))
        lines += _line(number, start, rows[start], source, width)
        previous = number
    return lines


def _line(number: int, start: int, marks: list[tuple[Mark, bool]], source: Source, width: int) -> Iterator[Line]:
    stop = source.line_bounds(start)[1]
    data = source.slice(start, stop)
    whole = printable(decode(data))
    spots = [(mark, last, *_columns(mark, start, data)) for mark, last in marks]
    left = 0
    if cell_len(whole) > width:
        left = max(0, min(min(spot[2] for spot in spots) - LEAD, len(whole) - width + 2))
    right = left + width if cell_len(whole[left:]) > width else len(whole)
    shown = Text("…" if left else "", DIM)
    shift = len(shown) - left
    shown.append(whole[left:right])
    for mark, _, begin, end in spots:
        shown.stylize(mark.style, max(0, begin + shift), max(0, end + shift))
    if right < len(whole):
        shown.append("…", DIM)
    yield str(number), shown
    for mark, last, begin, end in spots:
        end = max(min(end, right + 1), begin + 1)
        line = Text(" " * cell_len(shown.plain[: max(0, begin + shift)]))
        line.append(mark.sign * max(1, cell_len(whole[begin:end])), mark.style)
        if last and mark.text:
            line.append(f" {mark.text}", mark.style)
        yield "", line


def _columns(mark: Mark, start: int, data: bytes) -> tuple[int, int]:
    """The characters of the line that the mark covers, as indexes into its decoded text."""
    first = min(max(mark.span.byte_start - start, 0), len(data))
    stop = min(max(mark.span.byte_stop - start, first), len(data))
    whole = decode(data)
    if len(whole) == len(data):
        return first, stop
    return len(data[:first].decode("utf-8", "ignore")), len(data[:stop].decode("utf-8", "ignore"))
