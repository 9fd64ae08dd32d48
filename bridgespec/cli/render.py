"""A diagnostic as text: what, where with the place drawn, and what to do about it."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from bridgespec.cli.files import safe_name
from bridgespec.cli.render_hex import hex_lines
from bridgespec.cli.render_marks import COLOURS, SECOND, Line, Source, decode, marks_of, printable
from bridgespec.cli.render_source import source_lines
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Span

__all__ = ["Source", "diagnostic_text", "place_text", "print_diagnostic"]

SHOWN_EDITS = 3
NEAR = 12
"""As many bytes on each side of an edit are looked at for the rest of its word, which is shown with it."""
_WORD_END = re.compile(rb"[A-Za-z]+\Z")
_WORD_START = re.compile(rb"\A[A-Za-z]+")


def print_diagnostic(console: Console, diagnostic: Diagnostic, source: Source) -> None:
    """Print one diagnostic and an empty line."""
    console.print(diagnostic_text(diagnostic, source, console.width), soft_wrap=True)
    console.print()


def diagnostic_text(diagnostic: Diagnostic, source: Source, width: int = 100) -> Text:
    """The whole of a diagnostic, without a line end; places are drawn where the source has data.

    >>> from bridgespec.diagnostic import Severity
    >>> finding = Diagnostic("bad-digit", Severity.ERROR, "not a digit", "x.txt", span=Span.of_bytes(5, 1))
    >>> print(diagnostic_text(finding, Source("x.txt", b"one\\n2x4", text=True)).plain)
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
    body: list[Line] = []
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


def place_text(diagnostic: Diagnostic, source: Source) -> str:
    """Where the finding is: ``boards.txt:12:7``, or ``byte 30 (0x1e), bits 4-7, record 2, boards[1].tricks[3]``.

    In words records count from 1, as in messages; the field path has the schema's indexes, from 0.
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


def _notes(diagnostic: Diagnostic, source: Source) -> list[tuple[str, str]]:
    notes = [("help", diagnostic.help)] if diagnostic.help else []
    if diagnostic.fix:
        notes.append(("fix", _fix_text(diagnostic.fix, source)))
    return notes


def _fix_text(fix: Fix, source: Source) -> str:
    offer = "`--fix` does it" if fix.safe else "not safe to do unasked: `--unsafe-fixes` does it"
    lines = [f"{fix.description} ({offer})"]
    lines += [_edit_text(edit, source) for edit in fix.edits[:SHOWN_EDITS]]
    if len(fix.edits) > SHOWN_EDITS:
        lines.append(f"and {len(fix.edits) - SHOWN_EDITS} more edits")
    return "\n".join(lines)


def _edit_text(edit: Edit, source: Source) -> str:
    old = source.slice(edit.start, edit.stop)
    if source.text:
        before = _WORD_END.search(source.slice(edit.start - NEAR, edit.start))
        after = _WORD_START.search(source.slice(edit.stop, edit.stop + NEAR))
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
