"""ASCII figures of records, as in RFCs, from the same boxes as the drawings."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.docs.geometry import DrawnBox, DrawnPiece, DrawnRow, columns, rows


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
    lines = [_tens(wide), " " + " ".join(str(bit % 10) for bit in range(wide))]
    before: DrawnRow | None = None
    for row in made:
        lines.append(_border(before, row, wide))
        lines += _row(row, wide, legend)
        before = row
    lines.append(_border(before, None, wide))
    if legend:
        lines.append("")
        lines += [f"{key}  {name}" for name, key in legend.items()]
    return "\n".join(line.rstrip() for line in lines)


def _tens(wide: int) -> str:
    return " " + "".join(f"{bit // 10}" + " " * 19 for bit in range(0, wide, 10))


def _covers(row: DrawnRow | None, bit: int) -> DrawnBox | None:
    return next((p.box for p in row.pieces if p.column <= bit < p.column + p.bits), None) if row is not None else None


def _border(above: DrawnRow | None, below: DrawnRow | None, wide: int) -> str:
    marks = []
    for bit in range(wide):
        one, other = _covers(above, bit), _covers(below, bit)
        marks.append(" " if (one is None and other is None) or (one is other) else "-")
    line = "+" if marks[0] == "-" or _covers(below, 0) is not None else " "
    for bit, mark in enumerate(marks):
        after = marks[bit + 1] if bit + 1 < wide else None
        edge = mark == "-" or after == "-" or (after is None and _covers(above, bit) is not None)
        line += mark + ("+" if edge else " ")
    return line


def _row(row: DrawnRow, wide: int, legend: dict[str, str]) -> list[str]:
    edge = "/" if row.skipped or any(p.box.bits is None for p in row.pieces) else "|"
    text = [" "] * (2 * wide + 1)
    for piece in row.pieces:
        left, right = 2 * piece.column, 2 * (piece.column + piece.bits)
        text[left] = text[right] = edge
        label = _label(piece, right - left - 1, legend)
        text[left + 1 : right] = label.center(right - left - 1)
    line = "".join(text)
    if row.skipped:
        box = row.pieces[0].box
        whole = f"{box.label}: {box.note}" if box.note else box.label
        inner = whole[: 2 * wide - 1].center(2 * row.pieces[0].bits - 1)
        # Slashes for a field that goes on, as in RFCs; three lines where more than one row is left out.
        return [f"/{inner}/"] if row.skipped == 1 else [f"/{' ' * len(inner)}/", f"/{inner}/", f"/{' ' * len(inner)}/"]
    return [line]


def _label(piece: DrawnPiece, room: int, legend: dict[str, str]) -> str:
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
