"""The command ``solve``: double-dummy tables, par, and what leads and plays are worth.

`command` fills the tables of a file (`fill_file`, with ``-o``) or compares them with solved ones (`check_file`, with ``--check``).
Otherwise it shows boards (`_show`): each with its table and par, and the analyses that the options want of it (`_Analyses`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
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
from bridgespec.cli.solve_tables import SolverSettings, TableChunk, filled, solving
from bridgespec.cli.transfer import UnreadSource
from bridgespec.errors import UsageError
from bridgespec.export.text import board_text, table
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Card, Seat, Side
from bridgespec.model.contract import Contract, result_text
from bridgespec.model.par import par, par_of_sides
from bridgespec.model.score import board_points
from bridgespec.model.tricks import Tricks
from bridgespec.solver import Position, PositionError, Solver
from bridgespec.solver.document_tables import board_arrays

GROUP = "Boards"
RECORDED = "recorded"
EVERY = "every"
"""The values of --play and --lead where they are given without one."""
TOGETHER = 64
"""The number of boards that are solved ahead of the one being shown."""
_SITUATIONS = {
    Vulnerability.NONE: "none vulnerable",
    Vulnerability.NS: "N-S vulnerable",
    Vulnerability.EW: "E-W vulnerable",
    Vulnerability.BOTH: "both vulnerable",
}


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
    options = _ShowOptions(Stated(dealer, vul, contract_text, auction_text), lead, play, line, SolverSettings(jobs, memory))
    if dealt is not None:
        _show(settings, [dealt], options)
    else:
        _show_source(settings, paths, from_format, Selection(boards), options)
    return 0


@dataclass(frozen=True)
class _ShowOptions:
    """The options of one call by which boards are shown: what they state about each board, the analyses, and the solver's."""

    stated: Stated
    lead: str | None
    play: str | None
    line: bool
    solver_settings: SolverSettings


def _show_source(settings: Settings, paths: tuple[str, ...], format: str | None, choice: Selection, options: _ShowOptions) -> None:
    """Print the chosen boards of files, and report what of them could not be read. Raises UsageError where they have no boards."""
    source, unread = boards_of(settings, paths, format), UnreadSource()
    _show(settings, source.boards(choice, unread), options)
    tell_read(settings, source, unread, choice.count)
    choice.check()
    if not choice.count:
        raise UsageError(f"{source.shown}: there are no boards in it")


def _show(settings: Settings, shown_boards: Iterable[Board], options: _ShowOptions) -> None:
    """Print each board with its trick table and par, and the requested analyses."""
    boards, solver_settings = map(options.stated.applied, shown_boards), options.solver_settings
    # Two boards are read ahead: if there are several, one that cannot be analysed does not end the command.
    first = list(islice(boards, 2))
    left, waiting = chain(first, boards), deque[list[Board]]()

    def chunks() -> Iterator[TableChunk]:
        while part := list(islice(left, TOGETHER)):
            waiting.append(part)  # `filled` takes several chunks before it yields the first
            yield TableChunk.of(*board_arrays(part))

    # On a terminal, several boards that are printed one after the other show the progress themselves.
    shown = nullcontext(None) if settings.out.is_terminal and len(first) > 1 else solving(settings, None)
    with shown as progress, Solver(solver_settings.memory_mb) as solver:
        for chunk in filled(chunks(), (replace(solver_settings, advance=progress.advance) if progress else solver_settings).solve):
            for board, cells in zip(waiting.popleft(), chunk.tables, strict=True):
                blocks = [*_solved(board, Tricks(cells.tobytes()))]
                try:
                    blocks += _analysis(solver, board, _Analyses.of(board, options.lead, options.play, options.line))
                except (UsageError, PositionError) as problem:
                    if len(first) == 1:
                        raise
                    blocks.append(f"Not analysed: {problem}")
                settings.out.print(Text("\n\n".join(blocks) + "\n"), soft_wrap=True)


def _solved(board: Board, tricks: Tricks) -> Iterator[str]:
    """Yield the text of a board, then its trick table and par."""
    yield board_text(replace(board, tricks=tricks if tricks.known else None))
    if tricks.known == 20 and board.deal is not None and board.deal.is_complete:
        yield "\n".join(_par_lines(tricks, board.effective_dealer, board.effective_vulnerability))
    elif not tricks.known:
        yield "There is no complete deal to solve."


def _par_lines(tricks: Tricks, dealer: Seat | None, vulnerability: Vulnerability | None) -> Iterator[str]:
    """Yield lines with par, for each dealer and vulnerability where these are unknown, and for each side where par
    depends on it.
    """
    for situation in Vulnerability if vulnerability is None else (vulnerability,):
        words = f"Par, {_SITUATIONS[situation]}"
        if dealer is not None:
            yield f"{words}, {dealer.name.title()} deals: {par(tricks, dealer, situation)}"
            continue
        sides = par_of_sides(tricks, situation)
        if sides[Side.NS] == sides[Side.EW]:
            yield f"{words}: {sides[Side.NS]}"
        else:
            yield f"{words}: {sides[Side.NS]} if N-S deal, {sides[Side.EW]} if E-W do"


@dataclass(frozen=True)
class _Analyses:
    """The analyses of one board that the options request.

    The contract with its tricks; all leads; the replies to one lead; the cost of each card of a play; a line of best play.
    """

    contract: bool
    leads: bool
    lead: Card | None
    play: tuple[Card, ...] | None
    line: bool

    @classmethod
    def of(cls, board: Board, lead: str | None, play: str | None, line: bool) -> _Analyses:
        """Return the analyses of a board by the options. Raises UsageError for a play that it does not record."""
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
        return cls(contract, lead == EVERY, one[0] if one else None, cards, line)


def _analysis(solver: Solver, board: Board, wanted: _Analyses) -> Iterator[str]:
    """Yield a paragraph for each requested analysis. Raises UsageError if the board lacks something that an analysis needs."""
    if not (wanted.contract or wanted.leads or wanted.lead is not None or wanted.play is not None):
        return
    deal, contract, declarer = board.deal, board.effective_contract, board.effective_declarer
    if deal is None:
        raise UsageError("there is no deal to analyse")
    if contract is None or (declarer is None and not contract.is_passed_out):
        raise UsageError("say what is played: --contract '4S by south', or --auction with --dealer")
    if contract.is_passed_out or declarer is None:
        yield "Passed out: there is nothing to play."
        return
    position = Position.opening(deal, contract.strain, declarer)
    # The solver counts the tricks of the side on turn, which at the opening lead is the defence.
    made = position.tricks_left - solver.solve(position)
    yield _contract_line(board, contract, declarer, made)
    if wanted.leads:
        yield _cards_table(solver, position, declarer, "Lead")
    if wanted.lead is not None:
        yield _lead(solver, position, declarer, made, wanted.lead)
    if wanted.play is not None:
        yield _play(solver, position, declarer, contract, wanted.play)
    if wanted.line:
        yield "Best play by all\n" + _best_line(solver, position)


def _contract_line(board: Board, contract: Contract, declarer: Seat, made: int) -> str:
    """Return the contract with its tricks, and with its score where the vulnerability is known."""
    words = f"{contract.symbol} by {declarer.name.title()}: {made} tricks with best play by all ({result_text(contract, made)})"
    if board.effective_vulnerability is None:
        return words
    points = board_points(contract, declarer, made, board.effective_vulnerability)
    return f"{words}, {'N-S' if points >= 0 else 'E-W'} {abs(points)}"


def _cards_table(solver: Solver, position: Position, declarer: Seat, head: str) -> str:
    """Return a table with each card to play: the declarer's tricks after it, its cost, and the cards equal to it."""
    groups = solver.cards(position)
    best, own = groups[0].tricks, position.on_turn.side is declarer.side
    rows = []
    for group in groups:
        # The solver counts for the side on turn, the table for the declarer.
        tricks = group.tricks if own else position.tricks_left - group.tricks
        cost = best - group.tricks
        rows.append([" ".join(map(_card_text, group.cards)), str(tricks), f"-{cost}" if cost else ""])
    return table([f"{head} by {position.on_turn.name.title()}", "declarer's tricks", "costs"], rows)


def _lead(solver: Solver, position: Position, declarer: Seat, made: int, lead: Card) -> str:
    """Return as text the declarer's tricks after a lead, and after each card that can follow it."""
    after = position.after(lead)
    left = solver.solve(after)
    tricks = left if after.on_turn.side is declarer.side else position.tricks_left - left
    cost = tricks - made
    words = f"Lead {_card_text(lead)}: {tricks} tricks for the declarer" + (f", costs {cost}" if cost else ", as good as any")
    return words + "\n\n" + _cards_table(solver, after, declarer, "Next card")


def _play(solver: Solver, position: Position, declarer: Seat, contract: Contract, cards: tuple[Card, ...]) -> str:
    """Return the play trick by trick: each card with its cost to its side, and the declarer's tricks after it."""
    trace = solver.trace(position, cards)
    values = trace.of(declarer.side, position.tricks_left)
    rows = []
    costs: dict[Seat, int] = dict.fromkeys(Seat, 0)
    for start in range(0, len(trace.cards), 4):
        part = trace.cards[start : start + 4]
        by_seat = {one.seat: _card_text(one.card) + (f" -{one.cost}" if one.cost else "") for one in part}
        for one in part:
            costs[one.seat] += one.cost
        leader = part[0].seat
        cells = [("*" if seat == leader else " ") + by_seat.get(seat, "") for seat in Seat]
        rows.append([str(start // 4 + 1), *cells, str(values[start + len(part)])])
    shown = table(["", " West", " North", " East", " South", "tricks"], rows)
    gave = ", ".join(f"{seat.name.title()} {cost}" for seat, cost in costs.items() if cost)
    line = solver.best_line(_end(position, cards)).cards
    parts = [
        f"Play (* leads, -n: the card costs n tricks; tricks: the declarer's, with best play from there)\n{shown}",
        f"Given away: {gave or 'nothing'}; the declarer ends with {values[-1]} ({result_text(contract, values[-1])})",
    ]
    if line:
        parts.append("Best from there: " + " ".join(map(_card_text, line)))
    return "\n\n".join(parts)


def _end(position: Position, cards: tuple[Card, ...]) -> Position:
    """Return the position after these cards. Raises PositionError for a card that cannot be played."""
    for index, card in enumerate(cards):
        position = position.after(card, index)
    return position


def _best_line(solver: Solver, position: Position) -> str:
    """Return one sequence of best play to the end, one line for each trick, the leader first."""
    cards = solver.best_line(position).cards
    return "\n".join(" ".join(map(_card_text, cards[start : start + 4])) for start in range(0, len(cards), 4))


def _card_text(card: Card) -> str:
    """Return a card with the symbol of its suit: ``♠A``."""
    return card.suit.symbol + card.rank
