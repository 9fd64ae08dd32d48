"""Findings as HTML: the message, the bytes or lines with the position marked, the help. `finding_html` is the entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape

from bridgespec.diagnostic import Diagnostic, Span
from bridgespec.docs.annotate import visible
from bridgespec.docs.prose import Markup, suits

ROW = 16
"""The number of bytes in a row of a hex dump."""
_MOST_ROWS = 3
"""The maximum number of rows from the start of a span that are shown; its last row is shown too."""
_NARROW = 32
"""The maximum number of bytes of a span that is marked beside others; longer spans become lines of text."""
_CONTEXT = 60
"""The maximum number of bytes of a line before the first mark; a longer line is cut."""
_TAG = re.compile("<[^>]*>")


def finding_html(found: Diagnostic, data: bytes, text: bool, link: str = "") -> Markup:
    """Return a finding about ``data``, the bytes of the file, as HTML. ``text``: positions are lines and columns; ``link`` is the
    address of the code's page, empty for none.
    """
    head = Markup(f"{found.severity}[{escape(found.code)}]")
    if link:
        head = Markup('<a href="{}">{}</a>').format(link, head)
    marks = [(found.span, "")] if found.span is not None else []
    marks += [(label.span, label.text) for label in found.labels]
    place = place_text(found, data, text)
    body = _source(marks, data) if text else _hex(marks, data)
    note = Markup('<p class="help"><b>Help:</b> {}</p>').format(suits(found.help)) if found.help else Markup("")
    if found.fix is not None:
        note += Markup('<p class="help"><b>Fix{}:</b> {}</p>').format(", safe" if found.fix.safe else "", found.fix.description)
    return Markup('<div class="report {}"><p class="head"><b class="code">{}</b> {}</p><p class="where">{}</p>{}{}</div>').format(
        found.severity.value, head, suits(found.message), place, body, note
    )


def place_text(found: Diagnostic, data: bytes, text: bool) -> str:
    """Return the position of a finding in words: lines and columns if ``text``, else bytes and bits; record and field."""
    parts = []
    if found.span is not None:
        parts.append(_line_column(found.span, data) if text else _bytes(found.span))
    if found.record is not None:
        parts.append(f"record {found.record + 1}")
    if found.field:
        parts.append(found.field)
    return ", ".join(parts)


def _line_column(span: Span, data: bytes) -> str:
    line, column = line_of(data, span.byte_start)
    return f"line {line}, column {column}"


def line_of(data: bytes, offset: int) -> tuple[int, int]:
    """Return line and column of a byte, both from 1; CR LF, CR and LF end lines.

    >>> line_of(b"a\\r\\nbc", 4)
    (2, 2)
    """
    before = data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1


def _bytes(span: Span) -> str:
    """Return the bytes and bits of a span in words: ``byte 3, bits 0–2``."""
    first, last = span.byte_start, max(span.byte_stop - 1, span.byte_start)
    text = f"byte {first}" if first == last else f"bytes {first}–{last}"
    if span.bits is None:
        return text
    low, high = span.bits[0], span.bits[1] - 1
    return text + (f", bit {low}" if low == high else f", bits {low}–{high}")


def _hex(marks: Sequence[tuple[Span, str]], data: bytes) -> Markup:
    """Return the rows of a hex dump that contain marked spans, with the label of each span below it; empty without marks."""
    # Beside a short span a long one, such as a whole record, is a line of text: its rows would hide the short one.
    narrow = [mark for mark in marks if mark[0].byte_stop - mark[0].byte_start <= _NARROW]
    wide = [mark for mark in marks if mark not in narrow]
    if narrow and wide:
        notes = "\n".join(f'      <span class="label">{suits(label)}: {_bytes(span)}</span>' for span, label in wide if label)
        inner = _hex(narrow, data)
        return inner.replace("</pre>", Markup("\n") + Markup(notes) + Markup("</pre>")) if notes else inner
    rows: dict[int, None] = {}
    for span, _ in marks:
        first, last = span.byte_start // ROW, max(span.byte_stop - 1, span.byte_start) // ROW
        # The last row as well, so that the end of a long span is shown.
        rows.update(dict.fromkeys([*range(first, min(last, first + _MOST_ROWS - 1) + 1), last]))
    lines: list[str] = []
    before: int | None = None
    digits = max(4, len(f"{max(rows, default=0) * ROW:x}"))
    for row in sorted(rows):
        if before is not None and row > before + 1:
            lines.append('<span class="o">   …</span>')
        before = row
        lines.append(f'<span class="o">{row * ROW:0{digits}x}</span>  {_hex_row(row, marks, data)}')
        for span, label in marks:
            if label and span.byte_start // ROW == row:
                column = digits + 2 + 3 * (span.byte_start % ROW)
                length = 3 * (min(span.byte_stop, (row + 1) * ROW) - span.byte_start) - 1
                lines.append(" " * column + f'<span class="label">{"‾" * max(length, 2)} {suits(label)}</span>')
    return Markup(f'<pre class="place" tabindex="0">{chr(10).join(lines)}</pre>') if lines else Markup("")


def _hex_row(row: int, marks: Iterable[tuple[Span, str]], data: bytes) -> str:
    """Return the row of a hex dump with this number, marked bytes in ``<mark>``."""
    cells = []
    for offset in range(row * ROW, (row + 1) * ROW):
        over = any(span.byte_start <= offset < max(span.byte_stop, span.byte_start + 1) for span, _ in marks)
        # A finding may be about bytes after the end of the file, which are missing.
        shown = f"{data[offset]:02x}" if offset < len(data) else ("··" if over else "  ")
        cells.append(f"<mark>{shown}</mark>" if over else shown)
    letters = "".join(chr(b) if 32 <= b < 127 else "·" for b in data[row * ROW : (row + 1) * ROW])
    return " ".join(cells) + f'  <span class="o">{escape(letters)}</span>'


def _source(marks: Sequence[tuple[Span, str]], data: bytes) -> Markup:
    """Return the lines of a text that contain marked spans, with the label of each span below it; empty without marks."""
    lines: dict[int, tuple[int, int]] = {}
    for span, _ in marks:
        start, stop = _bounds(data, span.byte_start)
        lines[line_of(data, span.byte_start)[0]] = (start, stop)
    out = []
    for number, (start, stop) in sorted(lines.items()):
        shown, cut = _source_line(start, stop, marks, data)
        out.append(f'<span class="o">{number:4}</span>  {shown}')
        for span, label in marks:
            if label and start <= span.byte_start <= stop:
                before, _ = _source_line(start, span.byte_start, [mark for mark in marks if mark[0].start < span.start], data, cut)
                out.append(" " * (6 + _columns(before)) + f'<span class="label">‾ {suits(label)}</span>')
    return Markup(f'<pre class="place" tabindex="0">{chr(10).join(out)}</pre>') if out else Markup("")


def _bounds(data: bytes, offset: int) -> tuple[int, int]:
    """Return start and stop of the line that contains an offset, without its line end."""
    at = min(offset, len(data))
    # At the end of the file, after a line end, the last line: the one that begins there is empty.
    if at == len(data) and at and data[at - 1] in b"\r\n":
        at -= 1
        # CR LF is one line end; the comparison is 1 or 0.
        at -= data[at - 1 : at + 1] == b"\r\n"
    start = max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1
    stops = [stop for end in (b"\n", b"\r") if (stop := data.find(end, at)) >= 0]
    return start, min(stops, default=len(data))


def _columns(html: str) -> int:
    """Return the number of characters that HTML shows."""
    return len(unescape(_TAG.sub("", html)))


def _source_line(start: int, stop: int, marks: Iterable[tuple[Span, str]], data: bytes, cut: int | None = None) -> tuple[str, int]:
    """Return a line of text as HTML with its marks, and the offset from which it is shown: ``cut`` or, without one, the start of
    the line or an offset near the first mark.
    """
    inside = [span for span, _ in marks if span.byte_start <= stop and max(span.byte_stop, span.byte_start + 1) > start]
    if cut is None:
        first = min((max(span.byte_start, start) for span in inside), default=start)
        cut = start if first - start <= _CONTEXT else first - _CONTEXT // 2
        # Not inside a character of UTF-8: its remaining bytes would be shown as other characters.
        while cut > start and data[cut] & 0xC0 == 0x80:
            cut -= 1
    out, at = ["…"] if cut > start else [], cut
    for span in sorted(inside, key=lambda span: span.start):
        begin, end = max(span.byte_start, at), min(max(span.byte_stop, span.byte_start), stop)
        if span.byte_stop > span.byte_start and end <= begin < stop:
            continue  # contained in an earlier mark
        if begin > at:
            out.append(visible(data[at:begin]))
        # An empty span marks a blank, since an empty <mark> cannot be seen.
        shown = visible(data[begin:end]) if end > begin else Markup(" ")
        out.append(f"<mark>{shown}</mark>")
        at = max(at, end)
    out.append(visible(data[at:stop]))
    return "".join(out), cut
