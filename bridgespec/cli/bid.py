"""The command ``bid``: auctions by a bidding system for whole files, one deal, or one hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from bridgespec.api import dump, load
from bridgespec.bidding.bidder import Bidder, Knowledge, Trace
from bridgespec.cli.options import PATH, boards_option, deal_option
from bridgespec.cli.pieces import chosen
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.model.auction import Auction
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.par import par
from bridgespec.model.score import board_points, imps
from bridgespec.solver import Solver

VARIABLE = "BRIDGESPEC_BIDDING"
VULNERABLE = {"none": Vulnerability.NONE, "ns": Vulnerability.NS, "ew": Vulnerability.EW, "both": Vulnerability.BOTH}


def bidding_folders(given: Sequence[str]) -> list[Path]:
    """Folders to look for systems and conventions in: those given, then those of the environment."""
    named = os.environ.get(VARIABLE, "")
    return [Path(folder) for folder in (*given, *filter(None, named.split(os.pathsep)))]


@click.command(
    epilog="""\b
Examples:
  bridgespec bid boards.dup
  bridgespec bid boards.dup -o boards.pbn
  bridgespec bid --deal "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
  bridgespec bid --hand AKQ95.AT3.KJ2.97 --auction "" --explain
  bridgespec bid --hand Q732.K65.AJ72.T9 --auction "1NT P 3NT P P P" --lead --samples 50
""",
    short_help="Bid boards, a deal or a hand by a bidding system.",
)
@click.argument("path", metavar="[PATH]", required=False, type=PATH)
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, help="Write the boards with their auctions there.")
@deal_option("Bid")
@click.option("--hand", metavar="HAND", help="What would this hand call? S.H.D.C.")
@click.option("--auction", metavar="CALLS", default="", help="With --hand: the calls so far, from the dealer on.")
@click.option("--dealer", metavar="SEAT", default="N", show_default=True, help="Who deals, where no board says so.")
@click.option("--vul", type=click.Choice(list(VULNERABLE), case_sensitive=False), default="none", show_default=True)
@click.option("--system", metavar="SYSTEM", default="sayc", show_default=True, help="The system of both sides: a name or a file.")
@click.option("--ns", metavar="SYSTEM", help="The system of North and South.")
@click.option("--ew", metavar="SYSTEM", help="The system of East and West.")
@click.option(
    "--samples", type=click.IntRange(0, 1000), default=0, show_default=True, help="Layouts that are solved for each judgement."
)
@click.option("--explain", is_flag=True, help="With --hand: every rule that applies, and why each was not taken.")
@click.option("--lead", is_flag=True, help="With --hand: rank its leads against the contract of --auction.")
@click.option("--bidding", "folders", metavar="DIR", multiple=True, help="Look for systems and conventions here too (repeatable).")
@boards_option()
@pass_settings
def command(
    settings: Settings,
    path: str | None,
    dest: str | None,
    given: Board | None,
    hand: str | None,
    auction: str,
    dealer: str,
    vul: str,
    system: str,
    ns: str | None,
    ew: str | None,
    samples: int,
    explain: bool,
    lead: bool,
    folders: tuple[str, ...],
    boards: Ranges | None,
) -> int:
    """Bid by a declared system. Of a file every board is bid, and shown with what each call says, the contract, its double-dummy
    result, par, and the IMPs from par; with -o the auctions are written with the boards.

    With --hand, say what that hand calls after --auction.
    """
    if sum(one is not None for one in (path, given, hand)) != 1:
        raise UsageError("name one file, or give a deal with --deal or a hand with --hand")
    bidder = Bidder(system, ns=ns, ew=ew, samples=samples, folders=bidding_folders(folders))
    console = settings.out
    if hand is not None:
        if lead:
            _leads(console, bidder, hand, auction, dealer, vul)
        elif explain:
            _trace(console, bidder.explain(hand, auction, dealer, vul))
        else:
            console.print(str(bidder.call(hand, auction, dealer, vul)))
        return 0
    if given is not None:
        if given.dealer is None:
            given = replace(given, dealer=Seat.of(dealer), vulnerability=VULNERABLE[vul.lower()])
        _show(console, _bid(bidder, given, dealer, vul))
        return 0
    assert path is not None
    document = load(path)
    done = tuple(_bid(bidder, board, dealer, vul) for board in chosen(document, boards).boards)
    if dest is not None:
        for finding in dump(replace(document, boards=done), dest):
            settings.err.print(Text(finding.message), soft_wrap=True)
        return 0
    for board in done:
        _show(console, board)
    return 0


def _bid(bidder: Bidder, board: Board, dealer: str, vul: str) -> Board:
    """The board with its auction, contract and declarer; a board without a whole deal as it is."""
    if board.deal is None or not board.deal.is_complete:
        return board
    seat = board.effective_dealer
    danger = board.effective_vulnerability
    made = bidder.auction(board.deal, None, dealer if seat is None else seat, vul if danger is None else danger)
    return replace(board, auction=made, contract=made.contract, declarer=made.declarer, play=None, result=None, score=None)


def _show(console: Console, board: Board) -> None:
    if board.deal is None or board.auction is None:
        return
    made = board.auction
    name = f"Board {board.number}" if board.number is not None else "Deal"
    console.print(Text(f"{name}  {board.deal}"), soft_wrap=True)
    for index, call in enumerate(made.calls):
        seat = made.caller(index)
        letter = seat.letter if seat is not None else " "
        console.print(Text(f"  {letter}  {call.call!s:5} {call.explanation or ''}".rstrip()), soft_wrap=True)
    console.print(Text("  " + _outcome(board, made)), soft_wrap=True)


def _outcome(board: Board, made: Auction) -> str:
    contract, declarer, deal = made.contract, made.declarer, board.deal
    assert contract is not None
    assert deal is not None
    with Solver(64) as solver:
        table = solver.table(deal)
    danger = board.effective_vulnerability or Vulnerability.NONE
    best = par(table, made.first or Seat.NORTH, danger)
    if contract.is_passed_out or declarer is None:
        return f"passed out; par {best}; {abs(imps(-best.score))} IMPs from par"
    tricks = table.get(contract.strain, declarer)
    assert tricks is not None
    score = board_points(contract, declarer, tricks, danger)
    away = abs(imps(score - best.score))
    return f"{contract} by {declarer.name.lower()}, {tricks} tricks double dummy, {score:+d}; par {best}; {away} IMPs from par"


def _trace(console: Console, trace: Trace) -> None:
    console.print(Text(f"{trace.call}"))
    for item in trace.considered:
        mark = "->" if item.why_not is None else "  "
        console.print(
            Text(f" {mark} {item.call!s:5} {item.text}  ({item.place})" + (f": {item.why_not}" if item.why_not else "")),
            soft_wrap=True,
        )
    for title, told in (("known before", trace.knowledge), ("known after", trace.after)):
        console.print(Text(f"{title}: {_known(told)}"), soft_wrap=True)


def _known(told: Knowledge) -> str:
    return "; ".join(f"{seat.letter} {told.of(seat)}" for seat in Seat)


def _leads(console: Console, bidder: Bidder, hand: str, auction: str, dealer: str, vul: str) -> None:
    found = bidder.leads(hand, auction, dealer, vul)
    console.print(Text(f"{found.layouts} layouts, {found.tries_each:.1f} tries each"))
    for lead in found.leads:
        console.print(Text(f"  {lead.card}  {lead.tricks:.2f} tricks  defeats {100 * lead.defeats:.0f}%"))
