"""Documents as plain text: boards as hand diagrams with auction, play, results and double-dummy tables; bidding systems as trees.

`dump` joins the `system_text` of the document's system, the `board_text` of each board and the `results_text` of all boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridgespec.escapes import visible
from bridgespec.export import _view
from bridgespec.model.auction import CallKind
from bridgespec.model.board import Board
from bridgespec.model.carding import Carding, Lead
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.convention_card import Answer, Danger, Meaning, OpeningSeat, Step, System, When
from bridgespec.model.deal import Deal, as_deal
from bridgespec.model.disclosure import Node, display, plain_text, tree
from bridgespec.model.document import Document

__all__ = ["board_text", "diagram", "dump", "found_text", "results_text", "system_text", "table"]

NAME = "text"
SUFFIX = ".txt"
TITLE = "Hand diagrams as text"

_COMPASS = ("   N   ", " W   E ", "   S   ")
_LEADS_WIDTH = 110
"""The maximum width of a line of leads, in characters."""
_CALLS_WIDTH = 40
"""The greatest width of the column of calls in a system."""
_SEATS = {position.seats: position.label or "any seat" for position in OpeningSeat}
_DANGERS = {when.covers: when.label or "any vulnerability" for when in When}


def diagram(deal: Deal | str) -> str:
    """Return the four hands around a compass; lines have no blanks at their ends.

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
    # Columns are wider for long suits, so that a hand does not overlap the compass.
    left = max(10, *(len(line) + 3 for line in hands[Seat.WEST])) if hands[Seat.WEST] else 10
    # The 0 at the end: with both hands unknown, `max` would be called with one number, which must be a sequence.
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
    """Return a head and rows as text, in columns as wide as their widest cell; ``right`` aligns the cells to the right."""
    every = [list(head), *map(list, rows)]
    widths = [max(len(row[i]) for row in every if i < len(row)) for i in range(len(head))]
    mark = ">" if right else "<"
    return "\n".join("  ".join(f"{cell:{mark}{width}}" for cell, width in zip(row, widths, strict=False)).rstrip() for row in every)


def board_text(board: Board) -> str:
    """Return everything known of a board, in paragraphs; ``Board`` for an empty one."""
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
    """Return the results of all boards as one table; empty where there are none."""
    rows = _view.result_rows(document)
    return table(_view.RESULT_COLUMNS, rows) if rows else ""


def dump(document: Document) -> bytes:
    """Return the document as UTF-8 text: its system, every board, then the results, a line of dashes between them.

    Control characters are spelled out, because such a file is printed in terminals.
    """
    blocks = [system_text(document.system)] if document.system else []
    blocks += [board_text(board) for board in document.boards]
    if results := results_text(document):
        blocks.append(results)
    return visible(("\n\n" + "-" * 60 + "\n\n").join(blocks)).encode() + b"\n"


def _players(board: Board) -> str:
    return "  ".join(f"{seat.letter}: {name}" for seat in Seat if (name := board.players[seat]))


def system_text(system: System) -> str:
    """Return the whole system: header, our openings, their openings, includes, leads and signals.

    >>> from bridgespec.model.convention_card import Header, parse_sequence
    >>> one, two = Meaning(parse_sequence("1C"), lengths=(3, 8), text="11+"), Meaning(parse_sequence("1CP1D"), text="4+!d")
    >>> print(system_text(System((Header("Mine", "short clubs"), one, two))))
    Mine: short clubs
    <BLANKLINE>
    We open
      1♣         3+ clubs; 11+
        Pass 1♦  4+♦
    """
    blocks = []
    if system.header is not None:
        name = system.name or "(no name)"
        words = [f"{name}: {plain_text(system.header.summary)}" if system.header.summary else name]
        if system.header.floating:
            words.append("A convention to be added to systems.")
        blocks.append("\n".join(words))
    if system.stock_card is not None:
        blocks.append(f"Starts from the card {system.stock_card}")
    for theirs, title in ((False, "We open"), (True, "They open")):
        roots = tree(system, theirs)
        if roots:
            blocks.append("\n".join([title, *_tree_lines(roots)]))
    if system.includes:
        blocks.append("Includes " + ", ".join(system.includes))
    if system.carding is not None:
        blocks.append(_carding_text(system.carding))
    return "\n\n".join(blocks)


def found_text(answers: Sequence[Answer]) -> str:
    """Return the answers to a query as text: each record with its number, from 1, and whether it pops up or is hidden by others in
    all situations. A record that pops up in only some situations of the query has a list of these.
    """
    if not answers:
        return "No record pops up for this call."
    # The situations of the query in which some record pops up.
    all_situations = frozenset().union(*(answer.situations for answer in answers))
    lines = []
    for answer in answers:
        head = "pops up" if answer.situations else "hidden "
        own = _condition(answer.meaning)
        lines.append(f"{head}  record {answer.index + 1}  {_sequence_symbols(answer.meaning.sequence)}{f'  {own}' if own else ''}")
        if answer.situations and answer.situations != all_situations:
            lines[-1] += f"  (here: {_situations_text(answer.situations)})"
        lines += [f"    {line}" for line in display(answer.meaning).splitlines()]
    return "\n".join(lines)


def _situations_text(situations: Iterable[tuple[int, Danger]]) -> str:
    """Return seats and vulnerabilities in words: ``1st/2nd seat we vul, 4th seat any vulnerability``.

    >>> _situations_text([(seat, danger) for seat in (1, 2) for danger in (Danger.WE, Danger.BOTH)])
    '1st/2nd seat we vul'
    """
    by_seat: dict[int, set[Danger]] = {}
    for seat, danger in situations:
        by_seat.setdefault(seat, set()).add(danger)
    by_dangers: dict[frozenset[Danger], set[int]] = {}
    for seat, dangers in sorted(by_seat.items()):
        by_dangers.setdefault(frozenset(dangers), set()).add(seat)
    return ", ".join(
        f"{_SEATS.get(frozenset(seats)) or ', '.join(_SEATS[frozenset({seat})] for seat in sorted(seats))} "
        + (_DANGERS.get(dangers) or " or ".join(_DANGERS[frozenset({danger})] for danger in sorted(dangers)))
        for dangers, seats in by_dangers.items()
    )


def _carding_text(carding: Carding) -> str:
    """Return leads with brackets around the card led, and signals by priority."""
    lines = ["Leads against notrump", *_leads(carding.notrump_leads), "Leads against suits", *_leads(carding.suit_leads), "Signals"]
    for situation, signals in carding.signals.items():
        lines.append(f"  {situation:<24}" + ", then ".join(signals))
    if carding.text:
        lines += [f"  {line}" for line in plain_text(carding.text).splitlines()]
    return "\n".join(lines)


def _sequence_symbols(sequence: Iterable[Step]) -> str:
    """Return the calls with suit signs, a blank between them, qualifiers in braces."""
    return " ".join(step.call.symbol + (f"{{{step.qualifier}}}" if step.qualifier is not None else "") for step in sequence)


def _tree_lines(roots: Iterable[Node]) -> list[str]:
    """Return the lines of a tree of calls, with all texts in one column. A call without a record is shown before the calls that
    follow it.
    """
    rows: list[tuple[str, Meaning]] = []
    # With an explicit stack: a sequence in a file may be longer than Python's recursion limit.
    stack: list[tuple[Node, int, tuple[Step, ...]]] = [(node, 1, ()) for node in reversed(list(roots))]
    while stack:
        node, depth, pending = stack.pop()
        path = (*pending, node.step)
        rows += [("  " * depth + _sequence_symbols(path), meaning) for _, meaning in node.records]
        if node.records:
            path, depth = (), depth + 1
        stack += [(follower, depth, path) for follower in reversed(node.followers.values())]
    # At most `_CALLS_WIDTH`, so that one long sequence does not move the texts of all others to the right.
    width = min(max(len(left) for left, _ in rows), _CALLS_WIDTH)
    return [line for left, meaning in rows for line in _record_lines(f"{left:<{width}}  ", meaning)]


def _record_lines(left: str, meaning: Meaning) -> list[str]:
    """Return the lines of a record: its calls, ``left``, and its texts beside them."""
    where = _condition(meaning)
    shown = [part for part in display(meaning).splitlines() if part.strip()] or [""]
    first = f"{left}{f'[{where}] ' if where else ''}{shown[0]}"
    return [first.rstrip(), *(" " * len(left) + line for line in shown[1:])]


def _condition(meaning: Meaning) -> str:
    """Return the seat and vulnerability for which a record is, and whether its bid is artificial."""
    # Passes and doubles bid no suit that could be natural.
    flags = "artificial" if meaning.flags.artificial and meaning.last and meaning.last.kind is CallKind.BID else ""
    return ", ".join(part for part in (meaning.position.label, meaning.when.label, flags) if part)


def _leads(leads: Sequence[Lead]) -> list[str]:
    """Return the lines of leads, each at most `_LEADS_WIDTH` wide."""
    lines, line = [], " "
    for lead in leads:
        if len(line) + len(lead.marked) + 1 > _LEADS_WIDTH:
            lines.append(line)
            line = " "
        line += f" {lead.marked}"
    return [*lines, line]
