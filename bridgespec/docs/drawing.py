"""Drawings of records as SVG: boxes to scale, one column for each bit."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.docs.geometry import DrawnBox, DrawnPiece, DrawnRow, columns, rows
from bridgespec.docs.prose import Markup, escape

BIT, LINE, LEFT, TOP = 23, 34, 52, 26
# The width of a character at the page's 12.5 px: SVG does not break lines, and this process has no font to measure.
_CHARACTER = 7.6


def drawing(record_boxes: Sequence[DrawnBox], title: str) -> Markup:
    """Return the drawing of a record as SVG; colours and fonts are those of the page."""
    wide = columns(record_boxes)
    made = rows(record_boxes, wide)
    width, height = LEFT + wide * BIT + 8, TOP + len(made) * LINE + 6
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [f'<svg class="bits" {size} role="group" aria-label="{escape(title)}">']
    for bit in range(wide):
        parts.append(f'<text class="n" x="{LEFT + bit * BIT + BIT / 2:g}" y="{TOP - 8}">{bit}</text>')
    for index, row in enumerate(made):
        parts += _row(row, TOP + index * LINE, wide)
    parts.append("</svg>")
    return Markup("\n".join(parts))


def _row(row: DrawnRow, top: int, wide: int) -> list[str]:
    parts = []
    where = "…" if row.offset is None else str(row.offset // 8)
    parts.append(f'<text class="o" x="{LEFT - 10}" y="{top + LINE / 2 + 4:g}">{where}</text>')
    for piece in row.pieces:
        parts += _piece(piece, row, top)
    for byte in range(8, wide, 8):
        x = LEFT + byte * BIT
        parts.append(f'<path class="tick" d="M{x} {top}v4"/>')
    return parts


def _piece(piece: DrawnPiece, row: DrawnRow, top: int) -> list[str]:
    box = piece.box
    x, width = LEFT + piece.column * BIT, piece.bits * BIT
    loose = box.bits is None or row.skipped
    shape = f'<rect class="t{box.tone}{" loose" if loose else ""}" x="{x}" y="{top}" width="{width}" height="{LINE}"/>'
    text = _text(piece, row, width)
    label = f'<text x="{x + width / 2:g}" y="{top + LINE / 2 + 5:g}">{_coloured(text)}</text>' if text else ""
    hint = f"{box.name}: {box.label}" if box.label != box.name else f"{box.name}, {box.note}"
    head = f"<title>{escape(hint)}</title>"
    if box.record:
        return [f'<a href="#record-{box.record.replace("::", "-")}">{head}{shape}{label}</a>']
    return [f"<g>{head}{shape}{label}</g>"]


def _text(piece: DrawnPiece, row: DrawnRow, width: int) -> str:
    box = piece.box
    if not piece.first and box.bits is not None and not row.skipped:
        return "…"
    whole = f"{box.sign}, {box.note}" if box.note else box.sign
    for text in (whole, box.sign):
        if len(text) * _CHARACTER <= width - 4:
            return text
    room = int((width - 4) / _CHARACTER) - 1
    return box.sign[:room] + "…" if room > 1 else ""


def _coloured(text: str) -> str:
    safe = str(escape(text))
    for letter, sign in (("s", "♠"), ("h", "♥"), ("d", "♦"), ("c", "♣")):
        safe = safe.replace(sign, f'<tspan class="suit {letter}">{sign}</tspan>')
    return safe
