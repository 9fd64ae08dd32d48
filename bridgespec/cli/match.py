"""The command ``match``: two bidding systems on the same deals at two tables."""

from __future__ import annotations

import math

import click
from rich.text import Text

from bridgespec.bidding.match import Swing, play
from bridgespec.bidding.system import BiddingSystem
from bridgespec.cli.settings import Settings, pass_settings

SHOWN = 10


@click.command(
    epilog="""\b
Examples:
  bridgespec match --a sayc --b two-over-one --deals 1000
""",
    short_help="Play two bidding systems against each other.",
)
@click.option("--a", "first", metavar="SYSTEM", required=True, help="The first system.")
@click.option("--b", "second", metavar="SYSTEM", required=True, help="The second.")
@click.option("--deals", type=click.IntRange(1, 10_000_000), default=100, show_default=True, help="How many deals.")
@click.option(
    "--first-deal", type=click.IntRange(0), default=0, show_default=True, help="Where in the published sequence to begin."
)
@pass_settings
def command(settings: Settings, first: str, second: str, deals: int, first_deal: int) -> int:
    """Bid each deal at two tables, the first system North-South at one and East-West at the other, and score double dummy:
    IMPs a board to the first system with their standard error, and the greatest swings. Stopped and begun again with
    --first-deal, a match goes on.
    """
    where = settings.bidding
    swings = list(play(BiddingSystem.load(first, where), BiddingSystem.load(second, where), first_deal, deals))
    values = [swing.imps for swing in swings]
    mean = sum(values) / len(values)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1) / len(values))
    apart = sum(swing.parted >= 0 for swing in swings)
    settings.out.print(
        Text(
            f"{first} against {second}: {mean:+.3f} IMPs a board, standard error {error:.3f}, "
            f"{len(values):,} boards, {apart:,} bid differently"
        )
    )
    for swing in sorted(swings, key=lambda one: -abs(one.imps))[:SHOWN]:
        if swing.imps:
            _show(settings, swing)
    return 0


def _show(settings: Settings, swing: Swing) -> None:
    settings.out.print(Text(f"  board {swing.board}: {swing.imps:+d}, parted at call {swing.parted + 1}"))
    for auction in swing.auctions:
        settings.out.print(Text(f"    {auction}"), soft_wrap=True)
