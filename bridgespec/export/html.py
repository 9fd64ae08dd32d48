"""Export boards as one self-contained web page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from bridgespec.export import _view
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat, Strain, Suit
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document

NAME = "html"
SUFFIX = ".html"
TITLE = "Hand diagrams as a web page"

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; background: #fff; }
section { border-top: 1px solid #ccc; padding: 1rem 0; break-inside: avoid; overflow-x: auto; }
h2 { font-size: 1.1rem; margin: 0; } p { margin: .3rem 0; }
.hands { display: grid; grid-template-columns: repeat(3, max-content); gap: .4rem 1.5rem; margin: .8rem 0; }
.N { grid-area: 1 / 2; } .W { grid-area: 2 / 1; } .E { grid-area: 2 / 3; } .S { grid-area: 3 / 2; }
.compass { grid-area: 2 / 2; align-self: center; justify-self: center; color: #666; border: 1px solid #999; padding: .2rem .8rem; }
.hand b { font-weight: 600; } .hand div { white-space: nowrap; }
table { border-collapse: collapse; margin: .6rem 0; } th, td { padding: .1rem .6rem; text-align: left; }
th { color: #555; font-weight: 600; }
.tricks td, .tricks th { text-align: right; }
.h, .d { color: #c22; } .s, .c { color: #111; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1b1b1b; } th, .compass { color: #aaa; } section { border-color: #444; }
  .s, .c { color: #eee; } .h, .d { color: #ff6b6b; }
}
""".strip()


def coloured(text: str) -> str:
    """Return text escaped for HTML, with the class of its suit on each suit symbol.

    >>> coloured("4♥ <b>")
    '4<span class="h">♥</span> &lt;b&gt;'
    """
    # Escaped first, since the tags that are added must not be.
    safe = escape(text)
    for suit in Suit:
        safe = safe.replace(suit.symbol, f'<span class="{suit.letter.lower()}">{suit.symbol}</span>')
    return safe


def hands_html(deal: Deal) -> str:
    """Return the four hands of a deal around a compass, as HTML."""
    cells = []
    for seat in Seat:
        rows = "".join(f"<div>{coloured(suit.symbol)} {escape(ranks)}</div>" for suit, ranks in _view.holdings(deal, seat))
        cells.append(f'<div class="hand {seat.letter}"><b>{seat.name.title()}</b>{rows}</div>')
    return f'<div class="hands">{"".join(cells)}<div class="compass">✥</div></div>'


def board_html(board: Board) -> str:
    """Return all that is known of a board, as one section in HTML."""
    parts = [f"<h2>{escape(_view.title(board))}</h2>"]
    names = ", ".join(f"{seat.name.title()}: {name}" for seat in Seat if (name := board.players[seat]))
    parts += [f"<p>{escape(line)}</p>" for line in (_view.situation(board), _view.occasion(board), names) if line]
    if board.deal is not None:
        parts.append(hands_html(board.deal))
    auction = _view.auction_view(board)
    if auction is not None:
        parts.append(table_html(["West", "North", "East", "South"], auction.rows))
        if auction.notes:
            parts.append("<ol>" + "".join(f"<li>{coloured(note)}</li>" for note in auction.notes) + "</ol>")
    if outcome := _view.outcome(board):
        parts.append(f"<p><b>{coloured(outcome)}</b></p>")
    if plays := _view.play_rows(board):
        parts.append(table_html(["", "West", "North", "East", "South"], plays))
    if board.tricks is not None and (rows := _view.tricks_rows(board.tricks)):
        head = ["", *(strain.symbol for strain in Strain)]
        parts.append(table_html(head, [[name, *cells] for name, cells in rows], "tricks"))
    if board.par:
        parts.append(f"<p>Par: {escape(board.par)}</p>")
    parts += [f"<p>{escape(comment.text.strip())}</p>" for comment in board.comments if comment.text.strip()]
    return f"<section>\n{chr(10).join(parts)}\n</section>"


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]], name: str = "", numbers: Collection[str] = ()) -> str:
    """Return a table of texts in HTML, of the class ``name``; the cells of the columns ``numbers`` have the class ``n``."""
    marks = [' class="n"' if cell in numbers else "" for cell in head]
    cells = "".join(f"<th{mark}>{coloured(cell)}</th>" for mark, cell in zip(marks, head, strict=True))
    made = (zip(marks, row, strict=True) for row in rows)
    body = "".join("<tr>" + "".join(f"<td{mark}>{coloured(cell)}</td>" for mark, cell in row) + "</tr>" for row in made)
    mark = f' class="{name}"' if name else ""
    return f"<table{mark}><tr>{cells}</tr>{body}</table>"


def dump(document: Document) -> bytes:
    """Return the document as a page in UTF-8: every board, then the table of results."""
    title = escape(document.event or "Boards")
    sections = [board_html(board) for board in document.boards]
    if rows := _view.result_rows(document):
        sections.append(f"<section>\n<h2>Results</h2>\n{table_html(_view.RESULT_COLUMNS, rows)}\n</section>")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n'
        f"<body>\n<h1>{title}</h1>\n{chr(10).join(sections)}\n</body>\n</html>\n"
    ).encode()
