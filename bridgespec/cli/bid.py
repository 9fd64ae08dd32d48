"""The command ``bid``: auctions by a bidding system for whole files, one deal, or one hand.

`command` checks the options and makes a `Bidder`. The boards of a file, or the one of ``--deal``, are printed with their auctions,
written with them in batches (`_write`), or their losses from par are summed (`_blame`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from pathlib import Path

import click
from rich.text import Text

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.blame import ParLoss, ParLosses, fault
from bridgespec.bidding.program_server import serve
from bridgespec.cli.bid_report import line, show_best, show_board, show_leads, show_trace
from bridgespec.cli.blame_report import decode_fault, encode_fault, show_losses
from bridgespec.cli.board_journal import BoardJournal
from bridgespec.cli.board_sources import BoardSource, ChangedSource
from bridgespec.cli.board_targets import Target, target_of
from bridgespec.cli.conversions import conversion_of, converted
from bridgespec.cli.options import PATH, VULNERABILITIES, base_option, boards_option, complete_system, deal_option, format_option
from bridgespec.cli.origins import NamedSource
from bridgespec.cli.progress import tracked
from bridgespec.cli.ranges import Ranges, Selection
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.par import par
from bridgespec.solver import Solver

GROUP = "Deals and bidding"


@click.command(
    epilog="""\b
Examples:
  bridgespec bid boards.dup
  bridgespec bid boards.dup -o boards.pbn
  bridgespec bid boards.dup --boards 7 --best
  bridgespec bid boards.dup --blame --journal losses.txt
  bridgespec bid --deal "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
  bridgespec bid --hand AKQ95.AT3.KJ2.97 --auction "" --explain
  bridgespec bid --hand Q732.K65.AJ72.T9 --auction "1NT P 3NT P P P" --lead --samples 50
""",
    short_help="Bid boards, a deal or a hand by a bidding system.",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, help="Write the boards with their auctions there.")
@format_option("--from", "from_format", help="Take PATH to be in this format.")
@format_option("--to", "to_format", help="Write DEST in this format.")
@deal_option("Bid")
@click.option("--hand", metavar="HAND", help="What would this hand call? S.H.D.C.")
@click.option("--auction", metavar="CALLS", help="With --hand: the calls so far, from the dealer on.")
@click.option("--dealer", metavar="SEAT", default="N", show_default=True, help="Who deals, where no board says so.")
@click.option("--vul", type=click.Choice(list(VULNERABILITIES), case_sensitive=False), default="none", show_default=True)
@click.option(
    "--system",
    metavar="SYSTEM",
    shell_complete=complete_system,
    default="sayc",
    show_default=True,
    help="The system of both sides: a name or a file.",
)
@click.option("--ns", metavar="SYSTEM", shell_complete=complete_system, help="The system of North and South.")
@click.option("--ew", metavar="SYSTEM", shell_complete=complete_system, help="The system of East and West.")
@base_option
@click.option(
    "--samples",
    type=click.IntRange(0, 1000),
    default=0,
    show_default=True,
    help="Layouts that are solved for each judgement; with --lead 50 unless given.",
)
@click.option("--best", is_flag=True, help="Beside the auction as bid: the best one that the rules of both sides allow.")
@click.option("--explain", is_flag=True, help="With --hand: every rule that applies, and why each was not taken.")
@click.option("--lines", "serving", is_flag=True, help="Answer requests on standard input, as a program of `match --program`.")
@click.option("--blame", is_flag=True, help="Of a file: what was lost from par, by class, rule and call.")
@click.option("--journal", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="With --blame: keep boards here.")
@click.option("--lead", is_flag=True, help="With --hand: rank its leads against the contract of --auction.")
@boards_option()
@pass_settings
def command(
    settings: Settings,
    paths: tuple[str, ...],
    dest: str | None,
    from_format: str | None,
    to_format: str | None,
    dealt: Board | None,
    hand: str | None,
    auction: str | None,
    dealer: str,
    vul: str,
    system: str,
    ns: str | None,
    ew: str | None,
    base: str,
    samples: int,
    best: bool,
    explain: bool,
    serving: bool,
    blame: bool,
    journal: Path | None,
    lead: bool,
    boards: Ranges | None,
) -> int:
    """Bid by a declared system. Of a file every board is bid, and shown with what each call says, the contract, its double-dummy
    result, par, and the IMPs from par; with -o the auctions are written with the boards.

    With --hand, say what that hand calls after --auction.

    A system is one of rules, or a Full Disclosure card: that explains the calls that it lists and vetoes those that break its
    lengths or the points in its texts, and --base bids where it is silent.

    With --best, of all auctions in which each call is allowed by some rule for its hand, the one that ends best for each side
    against the other's best calls, double dummy, and the call with which the auction as bid left that path. At most five calls
    of a turn are tried, at most eight of a path may differ from what the rules prefer, and at most 20,000 turns are visited.

    With --blame, the IMPs that were lost from par over all boards of a file: by class (how much was at stake, contested or not,
    and how it was lost), by the rule of the call at which it was lost, and by the auction up to that call, with boards as
    witnesses. Stopped, it goes on from its --journal.

    With --lines, each line of standard input asks for a call (call DEALER VULNERABLE HAND [CALLS...]) and each line of standard
    output answers: the call and, after a tab, what it means.
    """
    if serving:
        _check_serving(paths, dealt, hand)
        bidder = Bidder(system, ns=ns, ew=ew, samples=samples, folders=settings.bidding, base=base)
        serve(bidder, sys.stdin, sys.stdout, system)
        return 0
    _check_blame(paths, blame, journal, dest, best)
    _check(paths, dealt, hand, auction, best, explain, lead, dest)
    bidder = Bidder(system, ns=ns, ew=ew, samples=samples, folders=settings.bidding, base=base)
    for note in bidder.told:
        settings.err.print(Text(note), soft_wrap=True)
    if hand is not None:
        if lead:
            show_leads(settings.out, bidder.leads(hand, auction or "", dealer, vul))
        elif explain:
            show_trace(settings.out, bidder.explain(hand, auction or "", dealer, vul), settings.bidding)
        else:
            settings.out.print(str(bidder.call(hand, auction or "", dealer, vul)))
        return 0
    prepared = partial(_with_defaults, dealer=_seat(dealer), vulnerable=VULNERABILITIES[vul.lower()])
    if dealt is not None:
        if not _is_complete(dealt):
            raise UsageError("--deal: only a deal of 52 cards can be bid")
        given: Sequence[Board] = [dealt]
    else:
        named = NamedSource(settings, paths, from_format)
        if dest is not None:
            target = target_of(settings, dest, to_format)
            return _write(settings, named, boards, target, dest, partial(_auction_of, bidder), prepared)
        taken = named.read_at_once(boards=boards)
        given = taken.document.boards
        _require_complete(taken, any(map(_is_complete, given)))
    ready = list(map(prepared, given))
    if blame:
        _blame(settings, bidder, [board for board in ready if _is_complete(board)], journal)
        return 0
    for board in ready:
        if best and board.deal is not None and board.deal.is_complete:
            show_best(settings.out, board, bidder.best(board.deal, None, _dealer(board), _vulnerable(board)))
        elif not best:
            show_board(settings.out, _bid(board, _auction_of(bidder, board)))
    return 0


def _write(
    settings: Settings,
    named: NamedSource,
    boards: Ranges | None,
    target: Target,
    dest: str,
    make: Callable[[Board], Board | None],
    prepared: Callable[[Board], Board],
) -> int:
    """Write the selected boards of a file with their auctions, in batches. Raises UsageError where no board has a complete deal."""
    origin = named.origin(lambda found: found.streams_to(target, changed=True, selected=boards is not None), boards=boards)
    # A source that has read only the selected boards is not filtered again: boards that go by their place have another one now.
    selection, place, bids = Selection(None if origin.chosen else boards), 0, list[Board | None]()

    def chosen(boards: Sequence[Board], first: int) -> Iterator[Board]:
        nonlocal place
        # The source may be read several times: at its first board selection and place begin again.
        if not first:
            selection.begin()
            place = 0
        yield from map(prepared, compress(boards, selection.next(boards)[1]))

    def bid(boards: Sequence[Board], first: int) -> Iterator[Board]:
        nonlocal place
        for board in chosen(boards, first):
            # In a second pass, for another encoding or an outline, boards have the auctions of the first.
            if place == len(bids):
                bids.append(make(board))
            yield _bid(board, bids[place])
            place += 1

    # One pass over all boards finds whether any has a complete deal, and each part of the selection a board.
    _require_complete(
        origin, sum(_is_complete(one) for part in ChangedSource(origin, chosen).batches(False) for one in part.document.boards) > 0
    )
    selection.check()
    return converted(settings, conversion_of(settings, ChangedSource(origin, bid), target), dest, partial=False)


def _blame(settings: Settings, bidder: Bidder, boards: Sequence[Board], journal: Path | None) -> None:
    """Print the losses from par on boards with complete deals; boards in the journal of an earlier run are not bid again."""
    done: list[ParLoss | None] = []
    if journal is None:
        left = _losses(bidder, boards)
    else:
        # The task has everything that determines an auction, so that entries of a journal with other rules or boards are not used.
        task = (bidder.modules, bidder.samples, [(board.deal, board.number, board.dealer, board.vulnerability) for board in boards])
        kept = BoardJournal(journal, task, encode_fault, decode_fault)
        done += kept.kept
        if done:
            line(settings.err, f"{len(done):,} boards were done before")
        left = kept.keeping(_losses(bidder, boards[len(done) :]))
    done += tracked(settings, left, len(boards) - len(done), "boards")
    show_losses(settings.out, ParLosses((one for one in done if one is not None), len(boards)), "both sides")


def _losses(bidder: Bidder, boards: Sequence[Board]) -> Iterator[ParLoss | None]:
    """Yield the loss from par on each board, None for a board that reached par."""
    with Solver(64) as solver:
        for place, board in enumerate(boards):
            assert board.deal is not None
            dealer, vulnerable = _dealer(board), _vulnerable(board)
            tricks = solver.table(board.deal)
            made = bidder.auction(board.deal, None, dealer, vulnerable)
            turn = bidder.turn([call.call for call in made.calls], dealer, vulnerable)
            best = par(tricks, dealer, vulnerable).score
            number = board.number if board.number is not None else place + 1
            yield fault(turn, [int(cell) for cell in tricks.cells], dealer, number, best)


def _require_complete(source: BoardSource, found: bool) -> None:
    """Raise UsageError unless a board with a complete deal was ``found``."""
    if not found:
        raise UsageError(f"{source.shown}: there is no board with a whole deal in it")


def _check(
    paths: Sequence[str],
    deal: Board | None,
    hand: str | None,
    auction: str | None,
    best: bool,
    explain: bool,
    lead: bool,
    dest: str | None,
) -> None:
    """Raise UsageError for options that contradict or require each other."""
    # click gives an empty tuple, and not None, where no path is named.
    if sum(given is not None for given in (paths or None, deal, hand)) != 1:
        raise UsageError("name a file, or give a deal with --deal or a hand with --hand")
    for given, name in ((auction is not None, "--auction"), (explain, "--explain"), (lead, "--lead")):
        if given and hand is None:
            raise UsageError(f"{name} needs --hand")
    if dest is not None and (not paths or best):
        raise UsageError("--output writes the boards of a file as they are bid; it goes with neither --hand, --deal nor --best")
    if best and hand is not None:
        raise UsageError("--best needs all four hands: a file, or --deal")


def _check_serving(paths: Sequence[str], deal: Board | None, hand: str | None) -> None:
    """Raise UsageError for boards or hands beside ``--lines``."""
    if any(given is not None for given in (paths or None, deal, hand)):
        raise UsageError("--lines takes its hands from standard input: name no file, --deal or --hand")


def _check_blame(paths: Sequence[str], blame: bool, journal: Path | None, dest: str | None, best: bool) -> None:
    """Raise UsageError for options that contradict ``--blame``, or ``--journal`` without it."""
    if blame and (not paths or dest is not None or best):
        raise UsageError("--blame sums over the boards of a file; it goes with neither --hand, --deal, --output nor --best")
    if journal is not None and not blame:
        raise UsageError("--journal needs --blame")


def _seat(text: str) -> Seat:
    """Return the seat of ``--dealer``. Raises UsageError for any other text."""
    try:
        return Seat.parse(text)
    except ValueError:
        raise UsageError(f"--dealer is W, N, E or S, not {text!r}") from None


def _is_complete(board: Board) -> bool:
    """Whether a board has a deal of 52 cards."""
    return board.deal is not None and board.deal.is_complete


def _with_defaults(board: Board, dealer: Seat, vulnerable: Vulnerability) -> Board:
    """Return the board with the given dealer and vulnerability where it has none, and none follows from its number."""
    if board.effective_dealer is None:
        board = replace(board, dealer=dealer)
    return replace(board, vulnerability=vulnerable) if board.effective_vulnerability is None else board


def _dealer(board: Board) -> Seat:
    """Return the dealer of a board, North where it is unknown."""
    # `or` would replace West, which is 0.
    seat = board.effective_dealer
    return Seat.NORTH if seat is None else seat


def _vulnerable(board: Board) -> Vulnerability:
    """Return the vulnerability of a board, none where it is unknown."""
    return board.effective_vulnerability or Vulnerability.NONE


def _auction_of(bidder: Bidder, board: Board) -> Board | None:
    """Return a board with only the auction, contract and declarer that the bidder gives it; None without a complete deal."""
    if board.deal is None or not board.deal.is_complete:
        return None
    made = bidder.auction(board.deal, None, _dealer(board), _vulnerable(board))
    # Without the deal, since the auctions of all boards of a file are kept in memory until it is written.
    return Board(auction=made, contract=made.contract, declarer=made.declarer)


def _bid(board: Board, made: Board | None) -> Board:
    """Return the board with the auction, contract and declarer of ``made``; unchanged where that is None."""
    if made is None:
        return board
    # Play, result and score are of the contract that was really reached.
    return replace(board, auction=made.auction, contract=made.contract, declarer=made.declarer, play=None, result=None, score=None)
