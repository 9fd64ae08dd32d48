"""The command ``show``: boards as people draw them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click
from rich.console import Console
from rich.text import Text

from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.failures import CLEAN, FINDINGS
from bridgespec.cli.options import boards_option, format_option
from bridgespec.cli.pieces import board_pieces
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.export.text import board_text, results_text
from bridgespec.model.cards import Suit

GAP = 4
NARROWEST = 42
"""Boards are at least this wide, so that they stand in columns."""
SUIT_STYLES = {Suit.SPADES: "blue", Suit.HEARTS: "red", Suit.DIAMONDS: "dark_orange", Suit.CLUBS: "green"}


@click.command(
    epilog="""\b
Examples:
  bridgespec show boards.dup --boards 3
  bridgespec show deals.zrd --boards 1-4
""",
    short_help="Draw boards, with results where they are known.",
)
@click.argument("path", metavar="PATH")
@boards_option()
@format_option("--format", help="The format, where name and content do not tell it.")
@pass_settings
def command(settings: Settings, path: str, boards: Ranges | None, format: str | None) -> int:
    """Draw the boards of a file: the hands, the auction and the play where there are any, and double-dummy results.

    Boards of a file that has errors are drawn as far as they could be read, and the exit status is 1.
    """
    console = settings.out
    errors = shown = 0
    for piece, document in board_pieces(settings, path, format, boards, "--format"):
        errors += len(piece.report.errors)
        shown += len(document.boards)
        for row in _rows((board_text(board).splitlines() for board in document.boards), _columns(console)):
            console.print(_coloured(row), soft_wrap=True)
            console.print()
        if len(document.boards) > 1 and (results := results_text(document)):
            console.print(_coloured(results), soft_wrap=True)
    if not shown:
        settings.err.print(Text(f"{shown_name(path)}: there are no boards in it"), soft_wrap=True)
    if errors:
        note = f"{plural(errors, 'error')}; `bridgespec validate` shows them"
        settings.err.print(Text.assemble((f"{shown_name(path)}: ", "bold"), (note, "bold red")), soft_wrap=True)
    return FINDINGS if errors else CLEAN


def _columns(console: Console) -> int:
    """How wide a row of boards may be; one board a row where nobody looks."""
    return console.width if console.is_terminal else 0


def _rows(blocks: Iterable[list[str]], width: int) -> Iterator[str]:
    """Blocks of lines side by side, as many as fit into the width."""
    row: list[list[str]] = []
    used = 0
    for block in blocks:
        wide = max(map(len, block), default=0)
        wide = max(wide, NARROWEST)
        if row and used + GAP + wide > width:
            yield _beside(row)
            row, used = [], 0
        used += wide + (GAP if row else 0)
        row.append(block)
    if row:
        yield _beside(row)


def _beside(blocks: list[list[str]]) -> str:
    height = max(map(len, blocks))
    widths = [max(NARROWEST, *map(len, block)) for block in blocks]
    lines = []
    for i in range(height):
        cells = [(block[i] if i < len(block) else "").ljust(width) for block, width in zip(blocks, widths, strict=True)]
        lines.append((" " * GAP).join(cells).rstrip())
    return "\n".join(lines)


def _coloured(text: str) -> Text:
    shown = Text(text)
    for suit, style in SUIT_STYLES.items():
        shown.highlight_regex(suit.symbol, style)
    shown.highlight_regex(r"Board \d+", "bold")
    return shown
