"""The output of the command ``bid``: auctions with their outcome, the best auction, traces, leads."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bridgespec.bidding.bidder import BestAuction, Knowledge, Trace
from bridgespec.bidding.judgement import Leads
from bridgespec.bidding.language import SHIPPED
from bridgespec.model.auction import Auction
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.par import Par, par
from bridgespec.model.score import board_points, imps
from bridgespec.model.tricks import Tricks
from bridgespec.solver import Solver, SolverMissing


def show_board(console: Console, board: Board) -> None:
    """Print a board with its auction, the meaning of each call, and the outcome."""
    if board.deal is None or board.auction is None:
        return
    _print_head(console, board)
    _print_calls(console, board.auction)
    try:
        with Solver(64) as solver:
            tricks = solver.table(board.deal)
    except SolverMissing as missing:
        line(console, f"  no result and no par: {missing}")
        return
    best = _par(board, board.auction, tricks)
    line(console, f"  {_outcome(board, board.auction, tricks)}; par {best}; {_distance(board, board.auction, tricks, best)}")


def show_best(console: Console, board: Board, found: BestAuction) -> None:
    """Print a board with the auction as bid, the best one that the rules allow, and par."""
    _print_head(console, board)
    best = _par(board, found.as_bid, found.tricks)
    for title, made in (("as bid", found.as_bid), ("best within the systems", found.best)):
        line(console, f"  {title}:")
        _print_calls(console, made, "    ")
        line(console, f"    {_outcome(board, made, found.tricks)}; {_distance(board, made, found.tricks, best)}")
    line(console, f"  par {best}")
    if found.left is None:
        line(console, "  no call left the best path")
    else:
        seat = found.as_bid.caller(found.left)
        better = found.best.calls[found.left]
        meaning = f" {better.explanation!r}" if better.explanation else ""
        where = f", {shown_place(found.places[found.left])}" if found.places[found.left] else ""
        name = seat.name.capitalize() if seat is not None else "the caller"
        made_call = found.as_bid.calls[found.left].call
        line(console, f"  call {found.left + 1} left the best path: {name} called {made_call}, not {better.call}{meaning}{where}")
    if found.complete:
        bound = "every call that a rule allows was tried"
    else:
        bound = f"not every path was tried: at most {found.departures} calls of each beside what the rules prefer"
    line(console, f"  {bound}; {found.visits:,} turns visited")


def line(console: Console, text: str) -> None:
    """Print a text without wrapping it."""
    console.print(Text(text), soft_wrap=True)


def _print_head(console: Console, board: Board) -> None:
    """Print the number of a board with its deal."""
    line(console, f"{f'Board {board.number}' if board.number is not None else 'Deal'}  {board.deal}")


def _print_calls(console: Console, made: Auction, indent: str = "  ") -> None:
    """Print the calls of an auction, one a line, with seats and explanations."""
    for index, call in enumerate(made.calls):
        seat = made.caller(index)
        letter = seat.letter if seat is not None else " "
        line(console, f"{indent}{letter}  {call.call!s:5} {call.explanation or ''}".rstrip())


def _par(board: Board, made: Auction, tricks: Tricks) -> Par:
    """Return par with the first caller of the auction as the dealer, North without one."""
    return par(tricks, Seat.NORTH if made.first is None else made.first, _vulnerability(board))


def _points(board: Board, made: Auction, tricks: Tricks) -> int:
    """Return the score of North-South for the contract of an auction, played double dummy; 0 if it was passed out."""
    contract, declarer = made.contract, made.declarer
    if contract is None or contract.is_passed_out or declarer is None:
        return 0
    return board_points(contract, declarer, tricks.get(contract.strain, declarer) or 0, _vulnerability(board))


def _vulnerability(board: Board) -> Vulnerability:
    """Return the vulnerability of a board, none where it is unknown."""
    return board.effective_vulnerability or Vulnerability.NONE


def _distance(board: Board, made: Auction, tricks: Tricks, best: Par) -> str:
    """Return the difference in IMPs between the score of an auction and par, as text."""
    return f"{abs(imps(_points(board, made, tricks) - best.score))} IMPs from par"


def _outcome(board: Board, made: Auction, tricks: Tricks) -> str:
    """Return the contract of an auction with its double-dummy tricks and score, as text."""
    contract, declarer = made.contract, made.declarer
    if contract is None or contract.is_passed_out or declarer is None:
        return "passed out"
    won = tricks.get(contract.strain, declarer)
    return f"{contract} by {declarer.name.lower()}, {won} tricks double dummy, {_points(board, made, tricks):+d}"


def show_trace(console: Console, trace: Trace, folders: Sequence[Path] = ()) -> None:
    """Print how a call was chosen.

    Consecutive calls of one rule are on one line, with each reason once. The path of a rule's file is relative to its folder.
    """
    line(console, f"{trace.call}")
    # A rule with a variable suit is considered for each suit in turn: its calls are joined on one line.
    for (text, place, taken), group in groupby(trace.considered, lambda item: (item.text, item.place, item.why_not is None)):
        items = list(group)
        calls = " ".join(dict.fromkeys(str(item.call) for item in items))
        why = "" if taken else ": " + "; ".join(dict.fromkeys(item.why_not or "" for item in items))
        line(console, f" {'->' if taken else '  '} {calls:5} {text}  ({shown_place(place, folders)}){why}")
    for title, knowledge in (("known before", trace.knowledge), ("known after", trace.after)):
        line(console, f"{title}: {_knowledge_text(knowledge)}")


def shown_place(place: str, folders: Sequence[Path] = ()) -> str:
    """Return the file and line of a rule, relative to the first folder that contains the file: ``folders``, then the package's."""
    for folder in (*folders, SHIPPED):
        with suppress(ValueError):
            return Path(place).relative_to(folder.resolve()).as_posix()
    return place


def _knowledge_text(knowledge: Knowledge) -> str:
    """Return what is known of each seat on one line."""
    return "; ".join(f"{seat.letter} {knowledge.of(seat)}" for seat in Seat)


def show_leads(console: Console, found: Leads) -> None:
    """Print the leads, the best first, equal cards together, with standard errors in parentheses."""
    line(console, f"{found.layouts} layouts, {found.tries_each:.1f} tries each; standard errors in parentheses")
    for lead in found.leads:
        cards = str(lead.card) + "".join(str(card)[1:] for card in lead.cards[1:])
        defeats = f"{100 * lead.defeats:.0f}% ({100 * lead.defeats_error:.0f})"
        line(console, f"  {cards:6} {lead.tricks:.2f} tricks ({lead.tricks_error:.2f})  defeats {defeats}")
