"""The command ``show``: boards as people draw them, bidding systems as trees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import click
from rich.console import Console
from rich.text import Text

from bridgespec.cli.disclosed import depth_option, disclosed, is_rules
from bridgespec.cli.examine import plural, shown_names
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.options import PATH, SUIT_LETTERS, boards_option, format_option
from bridgespec.cli.pieces import board_pieces
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.export.text import board_text, found_text, results_text, system_text
from bridgespec.model.auction import Call, first_illegal
from bridgespec.model.cards import Suit
from bridgespec.model.convention_card import Danger, Step, System, parse_sequence

VULNERABLE = ("none", "we", "they", "both")
"""The names of vulnerabilities in the order of `Danger`."""

GAP = 4
"""The number of blanks between boards side by side."""
NARROWEST = 42
"""The minimum width of a board, so that the boards of several rows are aligned."""
SUIT_STYLES = {Suit.SPADES: "blue", Suit.HEARTS: "red", Suit.DIAMONDS: "dark_orange", Suit.CLUBS: "green"}


GROUP = "Boards"


@click.command(
    epilog="""\b
Examples:
  bridgespec show boards.dup --boards 3
  bridgespec show deals.zrd --boards 1-4
  bridgespec show club.bss                                         a bidding system as a tree
  bridgespec show club.bss --auction "1C P 1D" --seat 2 --vul we   which record pops up
  bridgespec show sayc.bid --depth 2                               the same of a system of rules
""",
    short_help="Draw boards with their results, and bidding systems as trees.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@boards_option()
@click.option("--auction", metavar="CALLS", help="Of a bidding system: which record pops up for the last of these calls.")
@click.option("--seat", type=click.IntRange(1, 4), metavar="1-4", help="The opener's seat, counted from the dealer.")
@click.option("--vul", type=click.Choice(VULNERABLE, case_sensitive=False), help="Who is vulnerable, seen by the system's owners.")
@click.option(
    "--systems",
    metavar="DIR",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="Look up what a system includes here too, not only beside it (repeatable).",
)
@depth_option()
@format_option("--format", help="The format, where name and content do not tell it.")
@pass_settings
def command(
    settings: Settings,
    paths: tuple[str, ...],
    boards: Ranges | None,
    auction: str | None,
    seat: int | None,
    vul: str | None,
    systems: tuple[str, ...],
    depth: int | None,
    format: str | None,
) -> int:
    """Draw the boards of a file: the hands, the auction and the play where there are any, and double-dummy results. Of a bidding
    system, print the calls as a tree with what is displayed for each; of a system of rules, those up to a depth.

    What a file with errors holds is shown as far as it could be read, and the exit status is 1.
    """
    console = settings.out
    errors = shown = 0
    held: list[System] = []
    asked = auction is not None or seat is not None or vul is not None
    ruled = format is None and len(paths) == 1 and is_rules(paths[0])
    if ruled:
        held += filter(None, [disclosed(settings, paths[0], depth).document.system])
    for piece, document in () if ruled else board_pieces(settings, paths, format, boards, "--format", systems):
        errors += len(piece.report.errors)
        shown += len(document.boards)
        held += filter(None, [document.system])
        if asked:
            continue
        for row in _rows((board_text(board).splitlines() for board in document.boards), _columns(console)):
            console.print(_coloured(row), soft_wrap=True)
            console.print()
        if len(document.boards) > 1 and (results := results_text(document)):
            console.print(_coloured(results), soft_wrap=True)
    if asked:
        console.print(_coloured(_answer(held, paths, auction, seat, vul)), soft_wrap=True)
    for system in () if asked else held:
        console.print(_coloured(system_text(system.combined)), soft_wrap=True)
    _note_problems(settings, shown_names(paths), not (asked or held or shown), errors)
    return FINDINGS if errors else CLEAN


def _note_problems(settings: Settings, names: str, is_empty: bool, errors: int) -> None:
    """Print a note on files, by their names, if nothing in them was shown, and one if they have errors."""
    if is_empty:
        settings.err.print(Text(f"{names}: there are no boards in it"), soft_wrap=True)
    if errors:
        note = f"{plural(errors, 'error')}; `bridgespec validate` shows them"
        settings.err.print(Text.assemble((f"{names}: ", "bold"), (note, "bold red")), soft_wrap=True)


def _answer(held: Sequence[System], paths: Sequence[str], auction: str | None, seat: int | None, vul: str | None) -> str:
    """Return as text the records of a system that are displayed for the last call of an auction, and those that they hide. Raises
    UsageError for an invalid query, or unless ``held`` is exactly one system.
    """
    if not held:
        raise UsageError(f"{shown_names(paths)} holds no bidding system that could be asked")
    if len(held) > 1:
        raise UsageError(f"{shown_names(paths)}: --auction asks one bidding system, and there are {len(held)}")
    (system,) = held
    if auction is None:
        raise UsageError("--seat and --vul ask about an auction: name it with --auction")
    danger = None if vul is None else Danger(VULNERABLE.index(vul.lower()))
    try:
        steps, opponents = _steps(auction)
        if wrong := first_illegal(step.call for step in steps):
            place, why = wrong
            raise ValueError(f"call {place + 1}, {steps[place].call}, is not allowed there: {why.name.lower().replace('_', ' ')}")
        found = system.combined.answers(steps, seat, danger, opponents)
        # By default the last call is that of the system's side; if no record matches it is looked up as a call of the opponents.
        if not found and opponents is None:
            found = system.combined.answers(steps, seat, danger, len(steps) % 2 == 1)
    except ValueError as error:
        raise UsageError(f"--auction: {error}") from None
    return found_text(found)


def _steps(auction: str) -> tuple[list[Step], bool | None]:
    """Return the calls of an auction, written separately (``1C P 1D``, ``1NT-Pass-2♣``) or together as in the file
    (``1CP1N{12-14}``), and whether the opponents opened: True for a ``*`` before the calls, else None.
    """
    steps: list[Step] = []
    # An auction that was copied from output has suit signs in place of letters.
    auction = auction.translate(SUIT_LETTERS).strip()
    theirs = True if auction.startswith("*") else None
    auction = auction.removeprefix("*")
    for word in re.findall(r"[^\s,;()-][^\s,;(){}-]*(?:\{[^{}]*\})?", auction):
        # First as one call: `parse_sequence`, for the form of the file, accepts P and 1N, but neither PASS nor 1NT.
        call, brace, qualifier = word.partition("{")
        try:
            steps.append(Step(Call.parse(call), qualifier.removesuffix("}") if brace else None))
        except ValueError:
            steps += parse_sequence(re.sub(r"[^{}]+(?![^{}]*\})", lambda calls: calls[0].upper(), word))
    if not steps:
        raise ValueError("there is no call in it")
    return steps, theirs


def _columns(console: Console) -> int:
    """Return the width of the terminal; 0, for which `_rows` yields one board a row, for other outputs."""
    return console.width if console.is_terminal else 0


def _rows(blocks: Iterable[list[str]], width: int) -> Iterator[str]:
    """Yield text blocks side by side, as many in a row as fit into the width."""
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
    """Return text blocks, given as lines, side by side as one text."""
    height = max(map(len, blocks))
    widths = [max(NARROWEST, *map(len, block)) for block in blocks]
    lines = []
    for i in range(height):
        cells = [(block[i] if i < len(block) else "").ljust(width) for block, width in zip(blocks, widths, strict=True)]
        lines.append((" " * GAP).join(cells).rstrip())
    return "\n".join(lines)


def _coloured(text: str) -> Text:
    """Return a text with the suit signs coloured and the headings of boards in bold."""
    shown = Text(text)
    for suit, style in SUIT_STYLES.items():
        shown.highlight_regex(suit.symbol, style)
    shown.highlight_regex(r"Board \d+", "bold")
    return shown
