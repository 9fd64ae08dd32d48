"""The command ``board``: one board made of what the command line states, drawn or written."""

from __future__ import annotations

from dataclasses import replace

import click
from rich.text import Text

from bridgespec.cli.board_options import Stated
from bridgespec.cli.board_targets import target_of
from bridgespec.cli.conversions import write_made
from bridgespec.cli.exit_status import CLEAN
from bridgespec.cli.options import PATH, VULNERABILITIES, deal_option, format_option
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.export.text import board_text
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat

GROUP = "Boards"
TERMS = (
    "number",
    "deal",
    "dealer",
    "vulnerability",
    "auction",
    "contract",
    "declarer",
    "result",
    "play",
    "players",
    "event",
)
"""The terms that the options of the command can state."""


@click.command(
    epilog="""\b
Examples:
  bridgespec board --deal "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"
  bridgespec board --deal 77 --number 5 --auction "1S P 2S P 4S P P P" -o board.pbn
  bridgespec board --deal 77 --dealer N --contract "4S by N" --result 10 -o diagram.svg
  bridgespec board --deal 77 --dealer W --auction "1NT P P P" --play "SQ S8 SK S2" -o board.lin
""",
    short_help="Make one board: its deal, auction, play and result.",
)
@deal_option("Make a board of")
@click.option("--number", type=click.IntRange(1), metavar="N", help="Its number, which states dealer and vulnerability too.")
@click.option("--dealer", metavar="SEAT", help="Who deals.")
@click.option("--vul", type=click.Choice(list(VULNERABILITIES), case_sensitive=False), help="Who is vulnerable.")
@click.option("--auction", metavar="CALLS", help="The calls from the dealer on: 'P 1NT P 3NT P P P'.")
@click.option("--contract", metavar="TEXT", help="What is played: '4SX by south'.")
@click.option("--play", metavar="CARDS", help="The cards in the order in which they fell: 'SQ S8 SK S2'.")
@click.option("--result", type=click.IntRange(0, 13), metavar="N", help="Declarer's tricks; of a whole play they are counted.")
@click.option("--players", metavar="W,N,E,S", help="Four names.")
@click.option("--event", metavar="TEXT", help="What was played.")
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, help="Write it there: any format, .svg, .png, .html, .txt.")
@format_option("--to", "to_format", help="The format of DEST, where its name does not tell it.")
@pass_settings
def command(
    settings: Settings,
    dealt: Board | None,
    number: int | None,
    dealer: str | None,
    vul: str | None,
    auction: str | None,
    contract: str | None,
    play: str | None,
    result: int | None,
    players: str | None,
    event: str | None,
    dest: str | None,
    to_format: str | None,
) -> int:
    """Make a board of what is given, draw it, or write it with -o: in a format that holds boards, or as a diagram to paste.

    The deal is complete or part of one. The auction gives contract and declarer, and the play the result, unless these are given.
    A call that is not allowed, a card that its player does not hold or may not play, is an error.
    """
    names = _names(players)
    board = replace(dealt or Board(), number=number, event=event, players=names)
    board = Stated(dealer, vul, contract, auction, play, result).applied(board)
    if board == Board():
        raise UsageError("state something of the board, such as its --deal")
    if dest is None:
        settings.out.print(Text(board_text(board)), soft_wrap=True)
    else:
        write_made(settings, lambda: [board], 1, set(TERMS), target_of(settings, dest, to_format), dest)
    return CLEAN


def _names(text: str | None) -> tuple[str | None, str | None, str | None, str | None]:
    """Return the names of four players from ``W,N,E,S``; None for each empty name."""
    names = [name.strip() or None for name in (text or ",,,").split(",")]
    if len(names) != len(Seat):
        raise click.BadParameter(f"{text!r} is not four names with commas between them", param_hint="--players")
    west, north, east, south = names
    return west, north, east, south
