"""The command ``split``: several files that together represent one."""

from __future__ import annotations

from itertools import combinations

import click

from bridgespec.cli.board_targets import target_of
from bridgespec.cli.conversions import conversions_of, split
from bridgespec.cli.files import STDIO
from bridgespec.cli.options import PATH, format_option
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.transfer import transfer_options
from bridgespec.errors import UsageError
from bridgespec.writing import same_file

GROUP = "Files"


@click.command(
    epilog="\b\nExample:\n  bridgespec split both.zrd deals.zbd results.zdd",
    short_help="Split a file into files that each hold a part.",
)
@click.argument("path", metavar="SOURCE", type=PATH)
@click.argument("dests", metavar="DEST...", nargs=-1, required=True, type=PATH)
@format_option("--from", "from_format", help="The format of SOURCE, where name and content do not tell it.")
@transfer_options
@pass_settings
def command(
    settings: Settings,
    path: str,
    dests: tuple[str, ...],
    from_format: str | None,
    canonical: bool,
    strict: bool,
) -> None:
    """Write each DEST with the part of SOURCE that its format holds; said is only what none of them can hold."""
    # Two paths may lead to one file, and the second part would replace the first.
    for one, other in combinations(dests, 2):
        if one == other or (STDIO not in (one, other) and same_file(one, other)):
            raise UsageError("the same DEST is named twice" + ("" if one == other else f": {one} and {other}"))
    targets = [target_of(settings, dest, None) for dest in dests]
    made = conversions_of(settings, path, from_format, targets, canonical, strict)
    split(settings, made, dests, strict)
