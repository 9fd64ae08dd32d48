"""Diagnostics as text: the message, the position with an excerpt of the file, and the help.

`print_diagnostic` is called for each finding; `hex_lines` draws positions in binary files (rows of hex with the bytes underlined, a
ruler for less than a byte), `source_lines` those in texts (the line with the characters underlined).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from bridgespec.cli.files import safe_name
from bridgespec.cli.render_marks import COLOURS, DIM, SECOND, BarLine, LabelledSpan, RenderSource, decode, marks_of, printable
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Span

ROW = 16
"""The number of bytes in a row of hex."""
RULER_BYTES = 4
"""The maximum number of bytes whose bits are drawn one by one."""
MANY_ROWS = 3
"""The maximum number of rows that are drawn for one span."""


def hex_lines(marks: Sequence[LabelledSpan], source: RenderSource) -> list[BarLine]:
    """Return the rows of hex that the marks are in, each row once, with every mark underlined below it."""
    last = max(row for mark in marks for row in _shown_rows(mark.span))
    digits = max(4, len(f"{last * ROW:x}"))
    rows: dict[int, list[LabelledSpan]] = {}
    for mark in marks:
        for row in _shown_rows(mark.span):
            rows.setdefault(row, []).append(mark)
    lines: list[BarLine] = []
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
    """Return the first byte to underline and the one after the last; for an empty span the byte at its position."""
    return span.byte_start, max(span.byte_stop, span.byte_start + 1)


def _shown_rows(span: Span) -> list[int]:
    """Return the indexes of the rows that are drawn for a span; only the first of a long span, whose label then states its end."""
    first, stop = _bytes(span)
    rows = range(first // ROW, (stop - 1) // ROW + 1)
    return list(rows if len(rows) <= MANY_ROWS else rows[:1])


def _column(index: int) -> int:
    """Return the column of a byte's hex in its row."""
    # The gap after eight bytes is that of `hexdump -C`.
    return 3 * index + (index >= ROW // 2)


def _row(row: int, marks: Sequence[LabelledSpan], source: RenderSource) -> Text:
    """Return one row of bytes in hex and as characters, with the marked bytes coloured."""
    data = source.slice(row * ROW, (row + 1) * ROW)
    text, letters = Text(), Text()
    for index in range(ROW):
        offset = row * ROW + index
        over = [mark for mark in marks if _bytes(mark.span)[0] <= offset < _bytes(mark.span)[1]]
        # Where marks overlap, the colour of the finding prevails over those of its labels.
        style = next((mark.style for mark in sorted(over, key=lambda mark: not mark.primary)), "")
        text.append(" " * (_column(index) - len(text)))
        if index < len(data):
            byte = data[index]
            text.append(f"{byte:02x}", style)
            letters.append(chr(byte) if 32 <= byte < 127 else ".", style or DIM)
        else:
            # A mark may extend beyond the end of the file: the finding is about missing bytes, drawn as dots.
            text.append("··" if over else "  ", style)
    text.append("  ")
    text.append_text(letters)
    text.rstrip()
    return text


def _below(row: int, mark: LabelledSpan, source: RenderSource) -> Iterator[Text]:
    """Yield the lines below a row of bytes for one mark: the underline with its label, and a ruler of bits for less than a byte."""
    first, stop = _bytes(mark.span)
    start, end = max(first - row * ROW, 0), min(stop - row * ROW, ROW)
    last_row = row == _shown_rows(mark.span)[-1]
    far = f"to 0x{stop - 1:x}" if last_row and stop > (row + 1) * ROW else ""
    bits = mark.span.bits is not None and stop - first <= RULER_BYTES
    line = Text(" " * _column(start))
    line.append(mark.sign * (_column(end - 1) + 2 - _column(start)), mark.style)
    if last_row and not bits:
        line.append(f" {', '.join(filter(None, (_label_text(mark, source), far)))}".rstrip(), mark.style)
    yield line
    if last_row and bits:
        yield from _ruler(mark, source)


def _label_text(mark: LabelledSpan, source: RenderSource) -> str:
    """Return the text to the right of the underline: for less than a byte the value of its bits, then the label."""
    value = _value(mark.span, source)
    if mark.span.bits is None or value is None:
        return mark.text
    return f"= {value}" + (f": {mark.text}" if mark.text else "")


def _value(span: Span, source: RenderSource) -> int | None:
    """Return the bits of a span as a number; None where they cannot be read."""
    data = source.slice(span.byte_start, span.byte_stop)
    width = span.stop - span.start
    if len(data) < span.byte_stop - span.byte_start or not 0 < width <= 64:
        return None
    if span.lsb:
        return int.from_bytes(data, "little") >> (span.start - 8 * span.byte_start) & ((1 << width) - 1)
    return int.from_bytes(data, "big") >> (8 * span.byte_stop - span.stop) & ((1 << width) - 1)


def _ruler(mark: LabelledSpan, source: RenderSource) -> Iterator[Text]:
    """Yield lines with the bits of the bytes, numbered as the format numbers them, and the marked bits underlined."""
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
            # In a format that numbers bits from the low end, the digit to the right has the lower number.
            beside = inside and column < 7 and span.start <= position + (-1 if span.lsb else 1) < span.stop
            digits.append(str(byte >> 7 - column & 1), mark.style if inside else DIM)
            digits.append(" " if column < 7 else "  ")
            under.append((mark.sign if inside else " ") + (mark.sign if beside else " "), mark.style)
        under.append(" ")
    under.rstrip()
    under.append(f" {_label_text(mark, source)}", mark.style)
    names.rstrip()
    numbers.rstrip()
    yield from (names, numbers, digits, under)


LEAD = 16
"""The number of characters that are shown before the first mark of a line that is cut."""


def source_lines(marks: Sequence[LabelledSpan], source: RenderSource, width: int) -> list[BarLine]:
    """Return the lines of text that the marks are in, each once and cut to ``width``, with every mark underlined below it."""
    rows: dict[int, list[tuple[LabelledSpan, bool]]] = {}
    for mark in marks:
        first = source.line_bounds(mark.span.byte_start)[0]
        last = source.line_bounds(max(mark.span.byte_stop - 1, mark.span.byte_start))[0]
        rows.setdefault(first, []).append((mark, first == last))
        if last != first:
            rows.setdefault(last, []).append((mark, True))
    lines: list[BarLine] = []
    previous = 0
    for start in sorted(rows):
        number = source.place(start)[0]
        if previous and number > previous + 1:
            lines.append(("...", Text()))
        lines += _line(number, start, rows[start], source, width)
        previous = number
    return lines


def _line(number: int, start: int, marks: list[tuple[LabelledSpan, bool]], source: RenderSource, width: int) -> Iterator[BarLine]:
    """Yield the line of text that begins at byte ``start``, cut to ``width``, then an underline for each mark. The boolean of a
    mark is true in its last line, which gets the label.
    """
    stop = source.line_bounds(start)[1]
    data = source.slice(start, stop)
    whole = printable(decode(data))
    spots = [(mark, last, *_columns(mark, start, data)) for mark, last in marks]
    left = 0
    # The width is in columns of the terminal, of which a Chinese or Japanese character takes two.
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


def _columns(mark: LabelledSpan, start: int, data: bytes) -> tuple[int, int]:
    """Return start and stop of the characters that a mark covers in a line, as indexes into its decoded text."""
    first = min(max(mark.span.byte_start - start, 0), len(data))
    stop = min(max(mark.span.byte_stop - start, first), len(data))
    whole = decode(data)
    # One byte for each character: ASCII, or bytes that are not valid UTF-8, which `decode` reads as Latin-1.
    if len(whole) == len(data):
        return first, stop
    # A mark may begin or end within a character of several bytes; the incomplete one is not counted.
    return len(data[:first].decode("utf-8", "ignore")), len(data[:stop].decode("utf-8", "ignore"))


__all__ = ["RenderSource", "diagnostic_text", "place_text", "print_diagnostic"]

SHOWN_EDITS = 3
"""The maximum number of edits of a fix that are printed."""
NEAR = 12
"""The number of bytes on each side of an edit that are searched for the rest of the word that it changes."""
_WORD_END = re.compile(rb"[A-Za-z]+\Z")
_WORD_START = re.compile(rb"\A[A-Za-z]+")


def print_diagnostic(console: Console, diagnostic: Diagnostic, source: RenderSource) -> None:
    """Print one diagnostic and an empty line."""
    console.print(diagnostic_text(diagnostic, source, console.width), soft_wrap=True)
    console.print()


def diagnostic_text(diagnostic: Diagnostic, source: RenderSource, width: int = 100) -> Text:
    """Return a diagnostic as text without a final line end; spans are drawn if the source has data.

    >>> from bridgespec.diagnostic import Severity
    >>> finding = Diagnostic("bad-digit", Severity.ERROR, "not a digit", "x.txt", span=Span.of_bytes(5, 1))
    >>> print(diagnostic_text(finding, RenderSource("x.txt", b"one\\n2x4", text=True)).plain)
    x.txt: error[bad-digit]: not a digit
     --> x.txt:2:2
      |
    2 | 2x4
      |  ^
    """
    diagnostic, source = source.drawn(diagnostic)
    path = safe_name(diagnostic.path or source.path or "")
    head = Text()
    if path:
        head.append(f"{path}: ", "bold")
    head.append(f"{diagnostic.severity}[{diagnostic.code}]", COLOURS[diagnostic.severity])
    head.append(f": {diagnostic.message}", "bold")
    marks = marks_of(diagnostic) if source.data is not None else []
    body: list[BarLine] = []
    if marks and source.text:
        body = source_lines(marks, source, max(24, width - 10))
    elif marks:
        body = hex_lines(marks, source)
    gutter = max((len(left) for left, _ in body), default=2)
    lines = [head]
    place = place_text(diagnostic, source)
    if place:
        lines.append(Text.assemble(" " * gutter, ("--> ", SECOND), place))
    if body:
        lines.append(Text.assemble(" " * gutter, (" |", SECOND)))
    for left, content in body:
        lines.append(Text.assemble((left.rjust(gutter), SECOND), (" | ", SECOND), content))
    for title, note in _notes(diagnostic, source):
        lines.append(Text.assemble(" " * gutter, (" = ", SECOND), (f"{title}: ", "bold"), _indented(note, gutter + 5)))
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def place_text(diagnostic: Diagnostic, source: RenderSource) -> str:
    """Return the position of a finding: ``boards.txt:12:7``, or ``byte 30 (0x1e), bits 4-7, record 2, boards[1].tricks[3]``.

    The record counts from 1, as in messages; the indexes of the field path count from 0, as in the schema.
    """
    parts: list[str] = []
    if diagnostic.span is not None:
        parts.append(_span_text(source.located(diagnostic.span), safe_name(diagnostic.path or source.path or "")))
    if diagnostic.record is not None:
        parts.append(f"record {diagnostic.record + 1}")
    if diagnostic.field:
        parts.append(diagnostic.field)
    return ", ".join(parts)


def _span_text(span: Span, path: str | None) -> str:
    if span.line is not None:
        return f"{path or '<input>'}:{span.line}:{span.column or 1}"
    first, last = span.byte_start, max(span.byte_stop - 1, span.byte_start)
    text = f"byte {first} (0x{first:x})" if first == last else f"bytes {first}-{last} (0x{first:x}-0x{last:x})"
    if span.bits is None:
        return text
    low, high = span.bits[0], span.bits[1] - 1
    return text + (f", bit {low}" if low == high else f", bits {low}-{high}")


def _notes(diagnostic: Diagnostic, source: RenderSource) -> list[tuple[str, str]]:
    """Return the titles and texts below a finding: its help and its fix, if it has them."""
    notes = [("help", diagnostic.help)] if diagnostic.help else []
    if diagnostic.fix:
        notes.append(("fix", _fix_text(diagnostic.fix, source)))
    return notes


def _fix_text(fix: Fix, source: RenderSource) -> str:
    offer = "`--fix` does it" if fix.safe else "not safe to do unasked: `--unsafe-fixes` does it"
    lines = [f"{fix.description} ({offer})"]
    lines += [_edit_text(edit, source) for edit in fix.edits[:SHOWN_EDITS]]
    if len(fix.edits) > SHOWN_EDITS:
        lines.append(f"and {len(fix.edits) - SHOWN_EDITS} more edits")
    return "\n".join(lines)


def _edit_text(edit: Edit, source: RenderSource) -> str:
    """Return an edit as its position with the old and the new content, in hex for a binary file."""
    old = source.slice(edit.start, edit.stop)
    if source.text:
        before = _WORD_END.search(source.slice(edit.start - NEAR, edit.start))
        after = _WORD_START.search(source.slice(edit.stop, edit.stop + NEAR))
        # The whole word is shown, since an edit of one letter, such as "N -> S", is hard to recognise.
        head, tail = before[0] if before else b"", after[0] if after else b""
        line, column = source.place(edit.start - len(head))
        return f"{line}:{column}  {_quoted(head + old + tail)} -> {_quoted(head + edit.replacement + tail)}"
    return f"0x{edit.start:04x}  {_hexed(old)} -> {_hexed(edit.replacement)}"


def _quoted(data: bytes) -> str:
    text = printable(decode(data))
    return f'"{text[:40]}…"' if len(text) > 40 else f'"{text}"'


def _hexed(data: bytes) -> str:
    return (data[:12].hex(" ") + (" …" if len(data) > 12 else "")) or "nothing"


def _indented(text: str, columns: int) -> str:
    return text.replace("\n", "\n" + " " * columns)
