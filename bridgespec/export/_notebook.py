"""Values of the model as HTML for notebooks (`draw`), with inline styles: the cells of a notebook have no common style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from bridgespec.export import _view
from bridgespec.export._ten import spelled
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat, Strain, Suit
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.hand import Hand
from bridgespec.model.tricks import Tricks

SHOWN = 16
"""The maximum number of boards of a document that are drawn; the others are counted."""

_RED = "#d22"
_PLACES = {Seat.NORTH: (0, 1), Seat.WEST: (1, 0), Seat.EAST: (1, 2), Seat.SOUTH: (2, 1)}
_CELL = "text-align:left;vertical-align:top;padding:.2em 1em;border:0;white-space:nowrap"
_NUMBER = "text-align:right;padding:.1em .6em;border:0"


def draw(value: object) -> str | None:
    """Return a hand, deal, trick table, board or document as HTML; None for a value of any other type.

    >>> draw(Hand.parse("AK...2")).count("</div>"), draw(1)
    (5, None)
    """
    match value:
        case Hand():
            return _hand((suit, spelled(value[suit].ranks) or _view.DASH) for suit in Suit)
        case Deal():
            return _deal(value)
        case Tricks():
            return _tricks(value)
        case Board():
            return _board(value)
        case Document():
            return _document(value)
    return None


def _coloured(text: str) -> str:
    """Return text escaped for HTML, with the symbols of hearts and diamonds in red."""
    safe = escape(text)
    for suit in (Suit.HEARTS, Suit.DIAMONDS):
        safe = safe.replace(suit.symbol, f'<span style="color:{_RED}">{suit.symbol}</span>')
    return safe


def _hand(holdings: Iterable[tuple[Suit, str]]) -> str:
    """Return a hand as HTML, a line for each suit; ``holdings`` are suits with their ranks as shown."""
    rows = "".join(f"<div>{_coloured(suit.symbol)} {escape(ranks)}</div>" for suit, ranks in holdings)
    return f'<div style="display:inline-block">{rows}</div>'


def _deal(deal: Deal) -> str:
    cells = [["", "", ""], ["", "", ""], ["", "", ""]]
    for seat, (row, column) in _PLACES.items():
        cells[row][column] = f"<b>{seat}</b><br/>{_hand(_view.holdings(deal, seat))}"
    rows = "".join("<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in cells)
    return f"<table>{rows}</table>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], style: str = _CELL) -> str:
    first = "".join(f'<th style="{style}">{_coloured(cell)}</th>' for cell in head)
    body = "".join("<tr>" + "".join(f'<td style="{style}">{_coloured(cell)}</td>' for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{first}</tr>{body}</table>"


def _tricks(tricks: Tricks) -> str:
    head = ["", *(strain.symbol for strain in Strain)]
    return _table(head, [[name, *cells] for name, cells in _view.tricks_rows(tricks)], _NUMBER)


def _board(board: Board) -> str:
    lines = (_view.situation(board), _view.occasion(board))
    parts = [f"<b>{escape(_view.title(board))}</b>", *(f"<div>{escape(line)}</div>" for line in lines if line)]
    if board.deal is not None:
        parts.append(_deal(board.deal))
    auction = _view.auction_view(board)
    if auction is not None:
        parts.append(_table([str(seat) for seat in Seat], auction.rows))
        parts += [f"<div>({number}) {_coloured(note)}</div>" for number, note in enumerate(auction.notes, 1)]
    if outcome := _view.outcome(board):
        parts.append(f"<div><b>{_coloured(outcome)}</b></div>")
    if board.tricks is not None and board.tricks.known:
        parts.append(_tricks(board.tricks))
    if board.par:
        parts.append(f"<div>Par: {escape(board.par)}</div>")
    return f"<div>{''.join(parts)}</div>"


def _document(document: Document) -> str:
    parts = [_board(board) for board in document.boards[:SHOWN]]
    if more := len(document.boards) - SHOWN:
        # A notebook stores its output: thousands of drawn boards would make the file too large to open.
        parts += [f"<div>and {more} more boards</div>"] * (more > 0)
    if document.system is not None:
        parts.append("<div>a bidding system</div>")
    return '<hr style="border:0;border-top:1px solid #999"/>'.join(parts) or "<div>no boards</div>"
