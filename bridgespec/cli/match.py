"""The command ``match``: two bidding systems on the same deals at two tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

import click

from bridgespec.bidding.bidder import system_of
from bridgespec.bidding.match import Outcome, Swing, outcome, play
from bridgespec.bidding.system import BiddingSystem
from bridgespec.cli.bid_report import line
from bridgespec.cli.progress import tracked
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.writing import written

SHOWN = 10


@click.command(
    epilog="""\b
Examples:
  bridgespec match --a sayc --b two-over-one --deals 1000
  bridgespec match --a mine.bid --b sayc --deals 10000 --journal match.txt   stopped, it goes on from there
""",
    short_help="Play two bidding systems against each other.",
)
@click.option("--a", "first", metavar="SYSTEM", required=True, help="The first system.")
@click.option("--b", "second", metavar="SYSTEM", required=True, help="The second.")
@click.option("--deals", type=click.IntRange(1, 10_000_000), default=100, show_default=True, help="How many deals.")
@click.option(
    "--first-deal", type=click.IntRange(0), default=0, show_default=True, help="Where in the published sequence to begin."
)
@click.option(
    "--journal", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="Keep the boards here, and go on from them."
)
@click.option("--base", metavar="SYSTEM", default="sayc", show_default=True, help="Bids where a Full Disclosure card is silent.")
@pass_settings
def command(settings: Settings, first: str, second: str, deals: int, first_deal: int, journal: Path | None, base: str) -> int:
    """Bid each deal at two tables, the first system North-South at one and East-West at the other, and score double dummy:
    IMPs a board to the first system with their standard error, where the swings came from, and the greatest of them.

    Boards are bid on one thread and solved on another. With --journal every board is kept as it is done: the same command goes on
    where an earlier one stopped, or with more --deals from where it ended.
    """
    one, two = (system_of(name, settings.bidding, base) for name in (first, second))
    kept = Journal(journal, one, two, first_deal) if journal is not None else None
    done = list(kept.swings)[:deals] if kept is not None else []
    if done:
        line(settings.err, f"{len(done):,} boards were done before")
    left = play(one, two, first_deal + len(done), deals - len(done)) if len(done) < deals else iter(())
    if kept is not None:
        left = kept.keeping(left)
    done += tracked(settings, left, deals - len(done), "boards")
    _show(settings, first, second, outcome(done))
    for swing in sorted(done, key=lambda swing: -abs(swing.imps))[:SHOWN]:
        if swing.imps:
            line(settings.out, f"  board {swing.board}: {swing.imps:+d}, parted at call {swing.parted + 1}")
            for auction in swing.auctions:
                line(settings.out, f"    {auction}")
    return 0


def _show(settings: Settings, first: str, second: str, found: Outcome) -> None:
    line(
        settings.out,
        f"{first} against {second}: {found.mean:+.3f} IMPs a board, standard error {found.error:.3f}, "
        f"{found.boards:,} boards, {found.apart:,} bid differently",
    )
    line(settings.out, "where the swings came from:")
    for source in found.sources[:SHOWN]:
        line(settings.out, f"  {source.imps:+5d} IMPs on {source.boards:,} boards: {source.ways[0]}; against {source.ways[1]}")


class Journal:
    """A file with a line for the match and one for each board, as JSON.

    A journal of another match is begun anew; a last line that was cut off is dropped.
    """

    def __init__(self, path: Path, first: BiddingSystem, second: BiddingSystem, first_deal: int) -> None:
        self.path = path
        made = hashlib.sha256(repr((first.modules, second.modules, first_deal)).encode()).hexdigest()
        self._head = json.dumps({"match": [first.name, second.name], "first_deal": first_deal, "systems": made})
        self.swings: list[Swing] = []
        with suppress(FileNotFoundError):
            lines = path.read_text("utf-8").split("\n")
            for row in lines[1:-1] if lines[0] == self._head else ():
                board, imps, auctions, parted, ways = json.loads(row)
                self.swings.append(Swing(board, imps, tuple(auctions), parted, tuple(ways)))

    def keeping(self, swings: Iterator[Swing]) -> Iterator[Swing]:
        """The boards, each kept before it is given on."""
        # Emptied and written again it would be lost to whatever stops us in between.
        with written(self.path) as new:
            new.writelines(f"{row}\n".encode() for row in (self._head, *(json.dumps(astuple(swing)) for swing in self.swings)))
        with open(self.path, "a", encoding="utf-8") as file:
            for swing in swings:
                file.write(f"{json.dumps(astuple(swing))}\n")
                file.flush()
                yield swing
