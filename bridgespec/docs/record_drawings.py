"""Draw a record from its boxes: `drawing` as SVG for the page, `figure` in ASCII characters, as in RFCs, for copying.

`geometry.boxes` makes the boxes of a record; both drawings have one column for each bit and the rows of `geometry.rows`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.docs.geometry import DrawnBox, DrawnPiece, DrawnRow, columns, rows
from bridgespec.docs.prose import Markup, escape

BIT, LINE, LEFT, TOP = 23, 34, 52, 26
"""The width of a bit, the height of a row, and the margins at the left and at the top, in pixels."""
_CHARACTER = 7.6
"""The width of a character in pixels, at the page's font size of 12.5 px: SVG does not break lines, and there is no font here to
measure.
"""


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
        parts += _drawn_row(row, TOP + index * LINE, wide)
    parts.append("</svg>")
    return Markup("\n".join(parts))


def _drawn_row(row: DrawnRow, top: int, wide: int) -> list[str]:
    """Return the elements of a row: its offset in bytes, its boxes, and a tick at each byte."""
    parts = []
    where = "…" if row.offset is None else str(row.offset // 8)
    parts.append(f'<text class="o" x="{LEFT - 10}" y="{top + LINE / 2 + 4:g}">{where}</text>')
    parts += [_drawn_piece(piece, row, top) for piece in row.pieces]
    for byte in range(8, wide, 8):
        x = LEFT + byte * BIT
        parts.append(f'<path class="tick" d="M{x} {top}v4"/>')
    return parts


def _drawn_piece(piece: DrawnPiece, row: DrawnRow, top: int) -> str:
    """Return the element of one piece of a box: a rectangle with a label, and a hint with the whole name. The box of a record is a
    link to its table.
    """
    box = piece.box
    x, width = LEFT + piece.column * BIT, piece.bits * BIT
    loose = box.bits is None or row.skipped
    shape = f'<rect class="t{box.tone}{" loose" if loose else ""}" x="{x}" y="{top}" width="{width}" height="{LINE}"/>'
    text = _drawn_label(piece, row, width)
    label = f'<text x="{x + width / 2:g}" y="{top + LINE / 2 + 5:g}">{_coloured(text)}</text>' if text else ""
    hint = f"{box.name}: {box.label}" if box.label != box.name else f"{box.name}, {box.note}"
    head = f"<title>{escape(hint)}</title>"
    if box.record:
        return f'<a href="#record-{box.record.replace("::", "-")}">{head}{shape}{label}</a>'
    return f"<g>{head}{shape}{label}</g>"


def _drawn_label(piece: DrawnPiece, row: DrawnRow, width: int) -> str:
    """Return the longest label that fits into ``width``, in pixels: with the note, without it, or cut off; empty where none does.
    A box that continues in this row has an ellipsis.
    """
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
    """Return the source for a label, with suit symbols in their colours."""
    safe = str(escape(text))
    for letter, sign in (("s", "♠"), ("h", "♥"), ("d", "♦"), ("c", "♣")):
        safe = safe.replace(sign, f'<tspan class="suit {letter}">{sign}</tspan>')
    return safe


def figure(record_boxes: Sequence[DrawnBox]) -> str:
    """Return a record as an ASCII figure: two characters for each bit, and a legend for names that do not fit.

    >>> print(figure([DrawnBox("a", "a", "a", 0, 4, 1), DrawnBox("long name", "long name", "long name", 4, 4, 2)]))
     0
     0 1 2 3 4 5 6 7
    +-+-+-+-+-+-+-+-+
    |   a   |   1   |
    +-+-+-+-+-+-+-+-+
    <BLANKLINE>
    1  long name
    """
    wide = columns(record_boxes)
    made = rows(record_boxes, wide)
    used = max((piece.column + piece.bits for row in made for piece in row.pieces), default=0)
    # Whole bytes: a record of 20 bits has a figure of 24 columns, not of 32.
    wide = min(wide, -(-used // 8) * 8)
    legend: dict[str, str] = {}
    tens = " " + "".join(f"{bit // 10}" + " " * 19 for bit in range(0, wide, 10))
    lines = [tens, " " + " ".join(str(bit % 10) for bit in range(wide))]
    before: DrawnRow | None = None
    for row in made:
        lines.append(_figure_border(before, row, wide))
        lines += _figure_rows(row, wide, legend)
        before = row
    lines.append(_figure_border(before, None, wide))
    if legend:
        lines.append("")
        lines += [f"{key}  {name}" for name, key in legend.items()]
    return "\n".join(line.rstrip() for line in lines)


def _figure_border(above: DrawnRow | None, below: DrawnRow | None, wide: int) -> str:
    """Return the line between two rows, None outside of the figure: empty within a box that both rows have."""
    marks = []
    for bit in range(wide):
        one, other = _box_at(above, bit), _box_at(below, bit)
        marks.append(" " if (one is None and other is None) or (one is other) else "-")
    line = "+" if marks[0] == "-" or _box_at(below, 0) is not None else " "
    for bit, mark in enumerate(marks):
        after = marks[bit + 1] if bit + 1 < wide else None
        edge = mark == "-" or after == "-" or (after is None and _box_at(above, bit) is not None)
        line += mark + ("+" if edge else " ")
    return line


def _box_at(row: DrawnRow | None, bit: int) -> DrawnBox | None:
    """Return the box in a column of a row; None where there is none."""
    pieces = row.pieces if row is not None else ()
    return next((piece.box for piece in pieces if piece.column <= bit < piece.column + piece.bits), None)


def _figure_rows(row: DrawnRow, wide: int, legend: dict[str, str]) -> list[str]:
    """Return the lines of a row: one, or three for a box with several more rows that are not drawn."""
    edge = "/" if row.skipped or any(p.box.bits is None for p in row.pieces) else "|"
    text = [" "] * (2 * wide + 1)
    for piece in row.pieces:
        left, right = 2 * piece.column, 2 * (piece.column + piece.bits)
        text[left] = text[right] = edge
        label = _figure_label(piece, right - left - 1, legend)
        text[left + 1 : right] = label.center(right - left - 1)
    line = "".join(text)
    if row.skipped:
        box = row.pieces[0].box
        whole = f"{box.label}: {box.note}" if box.note else box.label
        inner = whole[: 2 * wide - 1].center(2 * row.pieces[0].bits - 1)
        # RFCs have slashes at the sides of a field that continues.
        return [f"/{inner}/"] if row.skipped == 1 else [f"/{' ' * len(inner)}/", f"/{inner}/", f"/{' ' * len(inner)}/"]
    return [line]


def _figure_label(piece: DrawnPiece, room: int, legend: dict[str, str]) -> str:
    """Return the label of a piece that fits into ``room`` characters: with the note, without it, or its number in the legend, to
    which a new one is added.
    """
    box = piece.box
    if not piece.first and box.bits is not None:
        continued = f"({box.label})"
        return continued if len(continued) <= room else ""
    whole = f"{box.label}: {box.note}" if box.note else box.label
    for text in (whole, box.label):
        if len(text) <= room:
            return text
    # The argument is evaluated before the entry is made, so the first number is 1.
    key = legend.setdefault(box.label, str(len(legend) + 1))
    return key if len(key) <= room else ""
