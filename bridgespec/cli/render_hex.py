"""Places in binary files: rows of hex with the bytes underlined, and a ruler where a place is less than a byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from bridgespec.cli.render_marks import DIM, Line, Mark, Source
from bridgespec.diagnostic import Span

ROW = 16
RULER_BYTES = 4
MANY_ROWS = 3


def hex_lines(marks: Sequence[Mark], source: Source) -> list[Line]:
    """The rows that the marks touch, each row once, every mark underlined below it."""
    last = max(row for mark in marks for row in _shown_rows(mark.span))
    digits = max(4, len(f"{last * ROW:x}"))
    rows: dict[int, list[Mark]] = {}
    for mark in marks:
        for row in _shown_rows(mark.span):
            rows.setdefault(row, []).append(mark)
    lines: list[Line] = []
    previous: int | None = None
    for row in sorted(rows):
        if previous is not None and row != previous + 1:
            lines.append(("..." if lines else "", Text()))
        lines.append((f"0x{row * ROW:0{digits}x}", _row(row, rows[row], source)))
        for mark in rows[row]:
            lines += (("", line) for line in _below(row, mark, source))
        previous = row
    return lines


def _bytes(span: Span) -> tuple[int, int]:
    """First and past-the-last byte to underline; an empty place is shown at the byte that is missing."""
    return span.byte_start, max(span.byte_stop, span.byte_start + 1)


def _shown_rows(span: Span) -> list[int]:
    """The rows of a place; of a long one the first alone, which then says how far it goes."""
    first, stop = _bytes(span)
    rows = range(first // ROW, (stop - 1) // ROW + 1)
    return list(rows if len(rows) <= MANY_ROWS else rows[:1])


def _column(index: int) -> int:
    """Where the hex of a row's byte stands."""
    return 3 * index + (index >= ROW // 2)


def _row(row: int, marks: Sequence[Mark], source: Source) -> Text:
    data = source.slice(row * ROW, (row + 1) * ROW)
    text, letters = Text(), Text()
    for index in range(ROW):
        offset = row * ROW + index
        over = [mark for mark in marks if _bytes(mark.span)[0] <= offset < _bytes(mark.span)[1]]
        style = next((mark.style for mark in sorted(over, key=lambda mark: not mark.primary)), "")
        text.append(" " * (_column(index) - len(text)))
        if index < len(data):
            byte = data[index]
            text.append(f"{byte:02x}", style)
            letters.append(chr(byte) if 32 <= byte < 127 else ".", style or DIM)
        else:
            text.append("··" if over else "  ", style)
    text.append("  ")
    text.append_text(letters)
    text.rstrip()
    return text


def _below(row: int, mark: Mark, source: Source) -> Iterator[Text]:
    first, stop = _bytes(mark.span)
    start, end = max(first - row * ROW, 0), min(stop - row * ROW, ROW)
    last_row = row == _shown_rows(mark.span)[-1]
    far = f"to 0x{stop - 1:x}" if last_row and stop > (row + 1) * ROW else ""
    bits = mark.span.bits is not None and stop - first <= RULER_BYTES
    line = Text(" " * _column(start))
    line.append(mark.sign * (_column(end - 1) + 2 - _column(start)), mark.style)
    if last_row and not bits:
        line.append(f" {', '.join(filter(None, (_said(mark, source), far)))}".rstrip(), mark.style)
    yield line
    if last_row and bits:
        yield from _ruler(mark, source)


def _said(mark: Mark, source: Source) -> str:
    """What stands right of the underline: the label, after the value where the place is less than a byte."""
    value = _value(mark.span, source)
    if mark.span.bits is None or value is None:
        return mark.text
    return f"= {value}" + (f": {mark.text}" if mark.text else "")


def _value(span: Span, source: Source) -> int | None:
    """The bits of the span as one number."""
    data = source.slice(span.byte_start, span.byte_stop)
    width = span.stop - span.start
    if len(data) < span.byte_stop - span.byte_start or not 0 < width <= 64:
        return None
    if span.lsb:
        return int.from_bytes(data, "little") >> (span.start - 8 * span.byte_start) & ((1 << width) - 1)
    return int.from_bytes(data, "big") >> (8 * span.byte_stop - span.stop) & ((1 << width) - 1)


def _ruler(mark: Mark, source: Source) -> Iterator[Text]:
    """The bytes bit by bit, numbered as the format numbers them, with the marked bits underlined."""
    span = mark.span
    data = source.slice(span.byte_start, span.byte_stop)
    order = "7 6 5 4 3 2 1 0" if span.lsb else "0 1 2 3 4 5 6 7"
    names, digits, under = Text("byte  ", DIM), Text("      "), Text("      ")
    numbers = Text("bit   ", DIM)
    for index, byte in enumerate(data):
        names.append(f"0x{span.byte_start + index:x}".ljust(17))
        numbers.append(order + "  ")
        for column in range(8):
            position = 8 * (span.byte_start + index) + (7 - column if span.lsb else column)
            inside = span.start <= position < span.stop
            beside = inside and column < 7 and span.start <= position + (-1 if span.lsb else 1) < span.stop
            digits.append(str(byte >> 7 - column & 1), mark.style if inside else DIM)
            digits.append(" " if column < 7 else "  ")
            under.append((mark.sign if inside else " ") + (mark.sign if beside else " "), mark.style)
        under.append(" ")
    under.rstrip()
    under.append(f" {_said(mark, source)}", mark.style)
    names.rstrip()
    numbers.rstrip()
    yield from (names, numbers, digits, under)
