"""The command ``solve``: double-dummy tables, par, and what leads and plays are worth."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain, islice

import click
from rich.text import Text

from bridgespec.cli.board_options import Stated, cards_of
from bridgespec.cli.cluster_options import cluster_options, spread_of
from bridgespec.cli.options import PATH, VULNERABILITIES, boards_option, deal_option, format_option, quiet_option
from bridgespec.cli.origins import boards_of, tell_read
from bridgespec.cli.ranges import Ranges, Selection
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.solve_check import check_file
from bridgespec.cli.solve_files import Task, fill_file
from bridgespec.cli.solve_report import Wanted, analysis, best_line, par_lines
from bridgespec.cli.solve_tables import Crew, TableChunk, filled, solving
from bridgespec.cli.transfer import UnreadSource
from bridgespec.errors import UsageError
from bridgespec.export.text import board_text
from bridgespec.model.board import Board
from bridgespec.model.tricks import Tricks
from bridgespec.solver import PositionError, Solver
from bridgespec.solver.document_tables import board_arrays

RECORDED = "recorded"
EVERY = "every"
TOGETHER = 64
"""The number of boards that are solved ahead of the one being shown."""


GROUP = "Boards"


@click.command(
    epilog="""\b
Examples:
  bridgespec solve boards.pbn                          tables and par, shown
  bridgespec solve deals.zbd -o both.zrd               fill in what is missing; goes on where it was stopped
  bridgespec solve boards.pbn -o boards.pbn
  bridgespec solve session/*.pbn -o session.pbn        several files, one after the other
  bridgespec solve deals.zbd -o both.zrd --cluster tcp://host:8786 --store s3://bucket/run1
  bridgespec solve both.zrd --check                    stored results against solved ones
  bridgespec solve --deal "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"
  bridgespec solve boards.pbn --boards 3 --lead --play leads and the recorded play
""",
    short_help="Solve double dummy: tables, par, leads, plays.",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, help="Write the boards with their tables there.")
@click.option("--check", is_flag=True, help="Compare the stored tables with solved ones, cell by cell.")
@deal_option("Solve")
@click.option("--dealer", metavar="SEAT", help="Who deals, where the source does not say.")
@click.option("--vul", type=click.Choice(list(VULNERABILITIES), case_sensitive=False), help="Who is vulnerable, likewise.")
@click.option("--contract", "contract_text", metavar="TEXT", help="What is played: '4SX by south'.")
@click.option("--auction", "auction_text", metavar="CALLS", help="The calls from the dealer on: 'P 1NT P 3NT P P P'.")
@click.option(
    # An option with an optional value takes the argument right behind it, so a path has to be before it.
    "--lead",
    is_flag=False,
    flag_value=EVERY,
    metavar="[CARD]",
    help="What each lead is worth against the contract, stated or of --contract; or one lead, and the replies.",
)
@click.option(
    "--play", is_flag=False, flag_value=RECORDED, metavar="[CARDS]", help="What each card played cost: 'SQ S8 SK', or as recorded."
)
@click.option("--line", is_flag=True, help="One whole line of best play against the contract.")
@boards_option()
@format_option("--from", "from_format", help="The format of PATH, where name and content do not tell it.")
@format_option("--to", "to_format", help="The format of DEST, where its name does not tell it.")
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), metavar="N", help="Threads; all cores unless given.")
@click.option(
    "--memory", type=click.IntRange(4, 1 << 20), default=256, show_default=True, metavar="MB", help="Memory of each thread."
)
@cluster_options
@quiet_option
@pass_settings
def command(
    settings: Settings,
    paths: tuple[str, ...],
    dest: str | None,
    check: bool,
    dealt: Board | None,
    dealer: str | None,
    vul: str | None,
    contract_text: str | None,
    auction_text: str | None,
    lead: str | None,
    play: str | None,
    line: bool,
    boards: Ranges | None,
    from_format: str | None,
    to_format: str | None,
    jobs: int | None,
    memory: int,
    cluster: str | None,
    store: str | None,
    chunk: int,
) -> int:
    """Work out what each side makes when all four hands are seen.

    With -o, every board that lacks a table gets one, and what is there is kept; an interrupted run is resumed by the
    same command. Without it, boards are shown with table and par. DEST may be PATH itself; - is standard output.
    """
    if bool(paths) == (dealt is not None):
        raise UsageError("name a file, or give a deal with --deal")
    if dest is not None and check:
        raise UsageError("--check writes nothing: leave out -o, or run the two one after the other")
    if paths and (dest is not None or check):
        asked = (contract_text, auction_text, lead, play, line or None, dealer, vul)
        if any(option is not None for option in asked):
            raise UsageError("--lead, --play and what goes with them show boards: leave out -o and --check")
        spread = spread_of(cluster, store, chunk, jobs, dest or "")
        task = Task(paths, dest or "", from_format, to_format, boards, jobs, memory, spread)
        if check:
            return check_file(settings, task)
        fill_file(settings, task)
        return 0
    if dest is not None or check or (boards is not None and not paths):
        raise UsageError("--deal shows one deal: -o, --check and --boards need a file")
    given = Stated(dealer, vul, contract_text, auction_text)
    origin = None if not paths else boards_of(settings, paths, from_format)
    choice, unread = Selection(boards), UnreadSource()
    shown = [dealt or Board()] if origin is None else origin.boards(choice, unread)
    _show(settings, map(given.applied, shown), lead, play, line, Crew(jobs, memory))
    if origin is not None:
        tell_read(settings, origin, unread, choice.count)
        choice.check()
        if not choice.count:
            raise UsageError(f"{origin.shown}: there are no boards in it")
    return 0


def _show(settings: Settings, boards: Iterator[Board], lead: str | None, play: str | None, line: bool, crew: Crew) -> None:
    """Print each board with its trick table and par, and the requested analyses."""
    # The second one shows whether there are several: then a board that cannot be analysed does not end the command.
    first = list(islice(boards, 2))
    left, waiting = chain(first, boards), deque[list[Board]]()

    def chunks() -> Iterator[TableChunk]:
        while part := list(islice(left, TOGETHER)):
            waiting.append(part)  # `filled` takes several chunks before it yields the first
            yield TableChunk.of(*board_arrays(part))

    # On a terminal boards that scroll by are progress enough.
    shown = nullcontext(None) if settings.out.is_terminal and len(first) > 1 else solving(settings, None)
    with shown as progress, Solver(crew.memory_mb) as solver:
        for chunk in filled(chunks(), (replace(crew, advance=progress.advance) if progress else crew).solve):
            for board, cells in zip(waiting.popleft(), chunk.tables, strict=True):
                blocks = [*_solved(board, Tricks(cells.tobytes()))]
                try:
                    blocks += analysis(solver, board, _wanted(board, lead, play, line))
                    if line and board.deal is not None:
                        blocks.append(_line(solver, board))
                except (UsageError, PositionError) as problem:
                    if len(first) == 1:
                        raise
                    blocks.append(f"Not analysed: {problem}")
                settings.out.print(Text("\n\n".join(blocks) + "\n"), soft_wrap=True)


def _solved(board: Board, tricks: Tricks) -> Iterator[str]:
    """Yield the text of a board, then its trick table and par."""
    yield board_text(replace(board, tricks=tricks if tricks.known else None))
    if tricks.known == 20 and board.deal is not None and board.deal.is_complete:
        yield "\n".join(par_lines(tricks, board.effective_dealer, board.effective_vulnerability))
    elif not tricks.known:
        yield "There is no complete deal to solve."


def _line(solver: Solver, board: Board) -> str:
    contract, declarer = board.effective_contract, board.effective_declarer
    if contract is None or declarer is None or board.deal is None:
        return ""
    return "Best play by all\n" + best_line(solver, board.deal, contract.strain, declarer)


def _wanted(board: Board, lead: str | None, play: str | None, line: bool) -> Wanted:
    cards = None
    if play == RECORDED:
        if board.play is None:
            raise UsageError("the source records no play: give the cards, --play 'SQ S8 SK ...'")
        cards = board.play.cards
    elif play is not None:
        cards = cards_of(play, "--play")
    one = None if lead is None or lead == EVERY else cards_of(lead, "--lead")
    if one is not None and len(one) != 1:
        raise click.BadParameter(f"{lead!r} is not one card", param_hint="--lead")
    contract = line or board.contract is not None or board.auction is not None
    return Wanted(contract, lead == EVERY, one[0] if one else None, cards)
