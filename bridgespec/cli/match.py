"""The command ``match``: two bidding systems on the same deals at two tables."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from bridgespec.bidding.bidder import system_of
from bridgespec.bidding.blame import ParLosses
from bridgespec.bidding.match import Contest, MatchOutcome, Swing, outcome
from bridgespec.bidding.program_client import Program
from bridgespec.bidding.two_tables import sequence
from bridgespec.cli.bid_report import line
from bridgespec.cli.blame_report import decode_fault, encode_fault, show_losses
from bridgespec.cli.board_journal import BoardJournal
from bridgespec.cli.options import base_option, complete_system
from bridgespec.cli.progress import tracked
from bridgespec.cli.settings import Settings, pass_settings

SHOWN = 10
"""The maximum number of boards, and of sources of swings, that are printed."""


GROUP = "Deals and bidding"


@click.command(
    epilog="""\b
Examples:
  bridgespec match --a sayc --b two-over-one --deals 1000
  bridgespec match --a mine.bid --b sayc --deals 10000 --journal match.txt   stopped, it goes on from there
  bridgespec match --a sayc --b sayc --program "old/bin/bridgespec bid --lines" --blame
""",
    short_help="Play two bidding systems against each other.",
)
@click.option("--a", "first", metavar="SYSTEM", shell_complete=complete_system, required=True, help="The first system.")
@click.option("--b", "second", metavar="SYSTEM", shell_complete=complete_system, required=True, help="The second.")
@click.option("--deals", type=click.IntRange(1, 10_000_000), default=100, show_default=True, help="How many deals.")
@click.option(
    "--first-deal", type=click.IntRange(0), default=0, show_default=True, help="Where in the published sequence to begin."
)
@click.option(
    "--journal", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="Keep the boards here, and go on from them."
)
@base_option
@click.option("--program", metavar="COMMAND", help="A program that makes the calls of --b, which then says how they are read.")
@click.option("--blame", is_flag=True, help="Also report what the first system lost from par, by class, rule and call.")
@pass_settings
def command(
    settings: Settings,
    first: str,
    second: str,
    deals: int,
    first_deal: int,
    journal: Path | None,
    base: str,
    program: str | None,
    blame: bool,
) -> int:
    """Bid each deal at two tables, the first system North-South at one and East-West at the other, and score double dummy:
    IMPs a board to the first system with their standard error, where the swings came from, and the greatest of them.

    Boards are bid on one thread and solved on another. With --journal every board is kept as it is done: the same command goes on
    where an earlier one stopped, or with more --deals from where it ended.

    With --program the second side is another program, or another version of this one: it is run with pipes and asked for each
    call, as `bridgespec bid --lines` is. With --blame every board is solved, and what the first system lost from par is summed: by
    class (how much was at stake, contested or not, and how it was lost), by the rule of the call at which it was lost, and by the
    auction up to that call.
    """
    one, two = (system_of(name, settings.bidding, base) for name in (first, second))
    # The task in the journal does not include the number of deals, so that a run can be continued with more.
    task = (one.modules, two.modules, first_deal, program, blame)
    kept = BoardJournal(journal, task, _encode, _decode) if journal is not None else None
    # A journal of an earlier run may have more boards than `deals`.
    done = list(kept.kept)[:deals] if kept is not None else []
    if done:
        line(settings.err, f"{len(done):,} boards were done before")
    with ExitStack() as stack:
        if len(done) < deals:
            other = stack.enter_context(Program(program)) if program is not None else None
            left = Contest(one, two, other, blame).play(sequence(first_deal + len(done), deals - len(done)))
            if kept is not None:
                left = kept.keeping(left)
            done += tracked(settings, left, deals - len(done), "boards")
    _show(settings, first, second if program is None else program, outcome(done))
    for swing in sorted(done, key=lambda swing: -abs(swing.imps))[:SHOWN]:
        if swing.imps:
            line(settings.out, f"  board {swing.board}: {swing.imps:+d}, parted at call {swing.parted + 1}")
            for auction in swing.auctions:
                line(settings.out, f"    {auction}")
    if blame:
        losses = ParLosses((one for swing in done for one in swing.own_faults), 2 * len(done))  # each deal is played at two tables
        show_losses(settings.out, losses, f"at both tables {first}")
    return 0


def _show(settings: Settings, first: str, second: str, found: MatchOutcome) -> None:
    line(
        settings.out,
        f"{first} against {second}: {found.mean:+.3f} IMPs a board, standard error {found.error:.3f}, "
        f"{found.boards:,} boards, {found.apart:,} bid differently",
    )
    line(settings.out, "where the swings came from:")
    for source in found.sources[:SHOWN]:
        line(settings.out, f"  {source.imps:+5d} IMPs on {source.boards:,} boards: {source.ways[0]}; against {source.ways[1]}")


def _encode(swing: Swing) -> list[Any]:
    faults = [encode_fault(one) for one in swing.faults]
    return [swing.board, swing.imps, swing.auctions, swing.parted, swing.ways, faults]


def _decode(kept: list[Any]) -> Swing:
    board, imps, auctions, parted, ways, faults = kept
    return Swing(board, imps, tuple(auctions), parted, tuple(ways), tuple(map(decode_fault, faults)))
