"""The command ``used``: find deals of a set that were dealt before."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click
from rich.text import Text

from bridgespec.cli.examine import plural, shown_name, tell_left_out
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.files import expand, read
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.progress import tracked
from bridgespec.cli.render import RenderSource, print_diagnostic
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.errors import BridgespecError, UsageError

GROUP = "Boards"
DEAL_USED = define(
    "deal-used",
    Severity.WARNING,
    """a deal that was dealt before

    The same cards are in an earlier board of the set or in a file of the archive, in the same seats or all turned by one to three
    seats. Who played that board may remember it: deal another one.
    """,
)


@click.command(
    epilog="""\b
Examples:
  bridgespec used tonight.dup --archive sessions/
  bridgespec used tonight.pbn --archive 'sessions/2025-*.pbn' --archive league.zbd
""",
    short_help="Check a set of deals against an archive: which were dealt before.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@click.option(
    "--archive",
    "archives",
    metavar="PATH",
    multiple=True,
    type=PATH,
    help="A file, folder or pattern of earlier boards (repeatable).",
)
@format_option("--format", help="The format of every PATH, where name and content do not tell it.")
@pass_settings
def command(settings: Settings, paths: tuple[str, ...], archives: tuple[str, ...], format: str | None) -> int:
    """Find the boards of a set whose deals are in an archive, or in the set more than once, turned by any number of seats or not.

    The exit status is 1 where there is one, or where a file of the archive cannot be read. A file that is both in the set and in
    the archive is only taken as the set.
    """
    known = frozenset(extension for head in settings.heads for extension in head.extensions)
    own = list(expand(paths, known))
    # By their real paths: through a link to the set every deal would be found to be dealt before.
    same = {os.path.realpath(path) for path in own}
    older = [path for path in expand(archives, known) if os.path.realpath(path) not in same]
    seen: dict[bytes, str] = {}
    left_out = 0
    for path in tracked(settings, older, len(older), "reading"):
        try:
            for key, board, _ in _deals(settings, path, None):
                seen.setdefault(key, f"{shown_name(path)}, {board}")
        except (BridgespecError, OSError) as error:
            # A file that was named by itself must be readable; one of a folder or pattern is left out.
            if path in archives:
                raise
            tell_left_out(settings, path, error)
            left_out += 1
    count = found = 0
    for path in own:
        for key, board, index in _deals(settings, path, format):
            count += 1
            if key in seen:
                found += 1
                _tell(settings, path, index, f"{board} was dealt before: {seen[key]}")
            seen.setdefault(key, f"{shown_name(path)}, {board}")
    if not count:
        raise UsageError(f"there are no complete deals in {', '.join(map(shown_name, paths))}")
    words = f"{plural(count, 'deal')} compared with {plural(len(older) - left_out, 'file')}: {found or 'none'} dealt before"
    settings.err.print(Text(words), soft_wrap=True)
    return FINDINGS if found or left_out else CLEAN


def _tell(settings: Settings, path: str, index: int, message: str) -> None:
    """Print a finding about the board with an index."""
    finding = Diagnostic(DEAL_USED.name, DEAL_USED.severity, message, None, index)
    print_diagnostic(settings.out, finding, RenderSource(shown_name(path)))


def _deals(settings: Settings, path: str, format: str | None) -> Iterator[tuple[bytes, str, int]]:
    """Yield for each complete deal of a file a key, equal for its four rotations, the board's name for messages, and its index."""
    for index, board in enumerate(settings.engine.load(read(path), format, path).boards):
        deal = board.deal
        if deal is not None and deal.is_complete:
            key = min(deal.rotated(seats).holders for seats in range(4))
            yield key, f"board {board.number if board.number is not None else index + 1}", index
