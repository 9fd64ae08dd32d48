"""The command ``join``: one file from several with different facts about the same boards."""

from __future__ import annotations

import click

from bridgespec.cli.board_sources import BoardSource
from bridgespec.cli.board_targets import require_arrow, target_of
from bridgespec.cli.conversions import conversion_of, converted
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.origins import JoinedSource, boards_of
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.transfer import transfer_options

GROUP = "Files"


@click.command(
    epilog="\b\nExample:\n  bridgespec join deals.zbd results.zdd both.zrd",
    short_help="Join files that tell different things of the same boards.",
)
@click.argument("first", metavar="SOURCE", type=PATH)
@click.argument("others", metavar="SOURCE...", nargs=-1, required=True, type=PATH)
@click.argument("dest", metavar="DEST", type=PATH)
@format_option("--to", "to_format", help="The format of DEST, where its name does not tell it.")
@transfer_options
@pass_settings
def command(
    settings: Settings,
    first: str,
    others: tuple[str, ...],
    dest: str,
    to_format: str | None,
    canonical: bool,
    strict: bool,
) -> None:
    """Write one file of what several tell: the deals of one with the results of another, board by board in order.

    The sources must have the same number of boards and must not contradict each other.
    """
    require_arrow(first, *others)
    target = target_of(settings, dest, to_format)
    beside = [boards_of(settings, path, None, strict=strict) for path in others]

    def streams_to(found: BoardSource) -> bool:
        return JoinedSource(found, beside, strict).streams_to(target, canonical, changed=True)

    origin = JoinedSource(boards_of(settings, first, None, streams_to, strict), beside, strict)
    converted(settings, conversion_of(settings, origin, target, canonical), dest, strict, partial=False)
