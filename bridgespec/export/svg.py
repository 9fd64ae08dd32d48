"""Export boards as SVG: hand diagrams with vulnerability, dealer, double-dummy table and outcome."""

from __future__ import annotations

from html import escape

from bridgespec.export import _view
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat, Side, Strain, Suit
from bridgespec.model.document import Document

NAME = "svg"
SUFFIX = ".svg"
TITLE = "Hand diagrams as drawings"

WIDTH = 460
"""The width of a board's drawing, in user units; `board_height` returns its height."""
_LINE = 18
_HANDS = {Seat.NORTH: (170, 48), Seat.WEST: (14, 138), Seat.EAST: (326, 138), Seat.SOUTH: (170, 228)}
_MARKS = {Seat.NORTH: (223, 150), Seat.WEST: (186, 178), Seat.EAST: (260, 178), Seat.SOUTH: (223, 214)}
STYLE = (
    "text{font:15px system-ui,sans-serif;fill:#222}.h,.d{fill:#c22}.s,.c{fill:#111}"
    ".small{font-size:12px;fill:#555}.title{font-weight:600}.vul{fill:#e9b5b5}.safe{fill:#dfeadf}"
)


def board_height(board: Board) -> int:
    """Return the height of a board's drawing, with the lines below the hands."""
    # 322 is the height without lines below the hands.
    return 322 + _LINE * len(_footer(board))


def board_group(board: Board) -> str:
    """Return the SVG elements of a board, whose upper left corner is at (0, 0)."""
    parts = [f'<text class="title" x="14" y="24">{escape(_view.title(board))}</text>']
    parts.append(f'<text class="small" x="{WIDTH - 14}" y="24" text-anchor="end">{escape(_view.situation(board))}</text>')
    parts += _compass(board)
    if board.deal is not None:
        for seat, (x, y) in _HANDS.items():
            for row, (suit, ranks) in enumerate(_view.holdings(board.deal, seat)):
                parts.append(f'<text x="{x}" y="{y + _LINE * row + 14}">{_coloured(f"{suit.symbol} {ranks}")}</text>')
    parts += _table(board)
    for row, line in enumerate(_footer(board)):
        parts.append(f'<text class="small" x="14" y="{322 + _LINE * row}">{_coloured(line)}</text>')
    return "\n".join(parts)


def board_svg(board: Board) -> str:
    """Return the drawing of one board as an SVG document.

    >>> board_svg(Board(number=3)).startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 322"')
    True
    """
    return _drawing(board_height(board), board_group(board))


def dump(document: Document) -> bytes:
    """Return the document's boards in one SVG drawing, one below the other, in UTF-8."""
    groups, top = [], 0
    for board in document.boards:
        groups.append(f'<g transform="translate(0 {top})">\n{board_group(board)}\n</g>')
        top += board_height(board)
    # SVG disables rendering where a size of the view box is 0: a drawing without boards is one unit high.
    return (_drawing(max(top, 1), "\n".join(groups)) + "\n").encode()


def _drawing(height: int, content: str) -> str:
    """Return an SVG document with this content."""
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    # Both: with viewBox alone the drawing would fill the window, with width and height alone it could not be scaled.
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n{content}\n</svg>'


def _coloured(text: str) -> str:
    safe = escape(text)
    for suit in Suit:
        safe = safe.replace(suit.symbol, f'<tspan class="{suit.letter.lower()}">{suit.symbol}</tspan>')
    return safe


def _compass(board: Board) -> list[str]:
    """Return the elements of a square whose edges show the vulnerability, with the seats' letters, the dealer's underlined."""
    vulnerability = board.effective_vulnerability
    ns, ew = ("vul" if vulnerability is not None and vulnerability.covers(side) else "safe" for side in Side)
    edges = (("173 130 100 24", ns), ("173 194 100 24", ns), ("173 130 24 88", ew), ("249 130 24 88", ew))
    parts = []
    for edge, name in edges:
        left, top, width, height = edge.split()
        parts.append(f'<rect class="{name}" x="{left}" y="{top}" width="{width}" height="{height}"/>')
    for seat, (x, y) in _MARKS.items():
        dealt = ' text-decoration="underline"' if seat == board.effective_dealer else ""
        parts.append(f'<text x="{x}" y="{y - 3}" text-anchor="middle"{dealt}>{seat.letter}</text>')
    return parts


def _footer(board: Board) -> list[str]:
    """Return the lines of text below the hands."""
    return [line for line in (_view.outcome(board),) if line]


def _table(board: Board) -> list[str]:
    """Return the elements of the double-dummy table, in the corner to the left of South's hand."""
    rows = _view.tricks_rows(board.tricks) if board.tricks is not None else []
    if not rows:
        return []
    parts = []
    for row, (name, cells) in enumerate([("", [strain.symbol for strain in Strain]), *rows]):
        y = 240 + 15 * row
        parts.append(f'<text class="small" x="14" y="{y}">{name}</text>')
        for column, cell in enumerate(cells):
            x = 50 + 24 * column
            parts.append(f'<text class="small" x="{x}" y="{y}" text-anchor="end">{_coloured(cell)}</text>')
    return parts
