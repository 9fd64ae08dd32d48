"""Boards as plain text: hand diagrams with suit signs, the auction, the play, results, double-dummy tables."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.escapes import visible
from bridgespec.export import _view
from bridgespec.export._system_text import found_text, system_text
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import Deal, as_deal
from bridgespec.model.document import Document

__all__ = ["board_text", "diagram", "dump", "found_text", "results_text", "system_text", "table"]

NAME = "text"
SUFFIX = ".txt"
TITLE = "Hand diagrams as text"

_COMPASS = ("   N   ", " W   E ", "   S   ")


def diagram(deal: Deal | str) -> str:
    """The four hands around a compass; lines have no blanks at their ends.

    >>> print(diagram(Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")))
               ♠ T2
               ♥ J965
               ♦ T7532
               ♣ 63
    ♠ 93                   ♠ AKQ874
    ♥ KT8         N        ♥ AQ2
    ♦ Q96       W   E      ♦ J8
    ♣ JT974       S        ♣ A5
               ♠ J65
               ♥ 743
               ♦ AK4
               ♣ KQ82
    """
    known = as_deal(deal)
    hands = {seat: [f"{suit.symbol} {ranks}" for suit, ranks in _view.holdings(known, seat)] for seat in Seat}
    # Columns widen with long suits, so that a hand of thirteen cards does not run into the compass.
    left = max(10, *(len(line) + 3 for line in hands[Seat.WEST])) if hands[Seat.WEST] else 10
    # The 0 at the end: with both hands unknown `max` would get one number, which it takes for a sequence.
    middle = max(10, *(len(line) for seat in (Seat.NORTH, Seat.SOUTH) for line in hands[seat]), 0)
    lines = [" " * (left + 1) + line for line in hands[Seat.NORTH]]
    height = max(len(hands[Seat.WEST]), len(hands[Seat.EAST]), 3)
    west, east = (hands[seat] + [""] * (height - len(hands[seat])) for seat in (Seat.WEST, Seat.EAST))
    compass = [""] * (height - 3) + list(_COMPASS)
    for row in range(height):
        lines.append(f"{west[row]:<{left}} {compass[row]:<{middle}}  {east[row]}")
    lines += [" " * (left + 1) + line for line in hands[Seat.SOUTH]]
    return "\n".join(line.rstrip() for line in lines)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: bool = False) -> str:
    """Rows under a head, in columns as wide as their widest cell."""
    every = [list(head), *map(list, rows)]
    widths = [max(len(row[i]) for row in every if i < len(row)) for i in range(len(head))]
    mark = ">" if right else "<"
    return "\n".join("  ".join(f"{cell:{mark}{width}}" for cell, width in zip(row, widths, strict=False)).rstrip() for row in every)


def board_text(board: Board) -> str:
    """Everything known of a board, in paragraphs; ``Board`` for an empty one."""
    head = "\n".join(line for line in (_view.heading(board), _view.occasion(board), _players(board)) if line)
    blocks = [head] if head else []
    if board.deal is not None:
        blocks.append(diagram(board.deal))
    auction = _view.auction_view(board)
    if auction is not None:
        notes = "".join(f"\n({i}) {note}" for i, note in enumerate(auction.notes, 1))
        blocks.append(table(["West", "North", "East", "South"], auction.rows) + notes)
    if outcome := _view.outcome(board):
        blocks.append(outcome)
    if plays := _view.play_rows(board):
        blocks.append(table(["", "West", "North", "East", "South"], plays))
    if board.tricks is not None and (rows := _view.tricks_rows(board.tricks)):
        head_cells = ["", *(strain.symbol for strain in Strain)]
        blocks.append(table(head_cells, [[name, *cells] for name, cells in rows], right=True))
    if board.par:
        blocks.append(f"Par: {board.par}")
    blocks += [comment.text.strip() for comment in board.comments if comment.text.strip()]
    return "\n\n".join(blocks) or _view.title(board)


def results_text(document: Document) -> str:
    """The results of all boards as one table; ``""`` where there are none."""
    rows = _view.result_rows(document)
    return table(_view.RESULT_COLUMNS, rows) if rows else ""


def dump(document: Document) -> bytes:
    """The document as UTF-8 text: its system, every board, then the results, a line of dashes between them.

    Control characters are spelled out, because such a file is printed in terminals.
    """
    blocks = [system_text(document.system)] if document.system else []
    blocks += [board_text(board) for board in document.boards]
    if results := results_text(document):
        blocks.append(results)
    return visible(("\n\n" + "-" * 60 + "\n\n").join(blocks)).encode() + b"\n"


def _players(board: Board) -> str:
    return "  ".join(f"{seat.letter}: {name}" for seat in Seat if (name := board.players[seat]))
