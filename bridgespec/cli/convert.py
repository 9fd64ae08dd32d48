"""The command ``convert``: a file of one format from files of others."""

from __future__ import annotations

from collections.abc import Sequence

import click

from bridgespec.cli.conversion import RecordConversion
from bridgespec.cli.conversions import conversion_of, conversions_of, converted
from bridgespec.cli.disclosed import depth_option, disclosed, is_rules
from bridgespec.cli.options import PATH, boards_option, format_option
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.sources import EmptySource, Selection, Taken, joined, source
from bridgespec.cli.spread import cluster_options, spread_of
from bridgespec.cli.targets import holds_systems, require_arrow, target_of
from bridgespec.cli.transfer import tell_losses, transfer_options
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.model.cards import Seat
from bridgespec.spec.ir import Spec
from bridgespec.tables.files import Kind


@click.command(
    epilog="""\b
Examples:
  bridgespec convert boards.dup boards.zbd
  bridgespec convert boards.dup boards.bri --boards 1-4,9
  bridgespec convert deals.zbd results.zdd both.zrd       deals and results joined
  bridgespec convert both.zrd south.zrj --declarer south  the results of one hand
  bridgespec convert sayc.bid sayc.bss --depth 2          the table of meanings of a system of rules
  bridgespec convert - - --from zrd --to zbd < both.zrd > deals.zbd
  bridgespec convert both.zrd both.parquet --derived      a table, with points, shapes and par
""",
    short_help="Make a file of one format from files of others.",
)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=PATH)
@click.argument("dest", metavar="DEST", type=PATH)
@format_option("--from", "--format", "from_format", help="The format of every source, where name and content do not tell it.")
@format_option("--to", "to_format", help="The format of DEST, where its name does not tell it.")
@boards_option()
@click.option("--declarer", metavar="SEAT", help="The hand that a result of one hand is about: W, N, E or S.")
@click.option("--derived", is_flag=True, help="Into a table also what follows from the hands: points, lengths, shapes, par.")
@depth_option()
@cluster_options
@transfer_options
@pass_settings
def command(
    settings: Settings,
    sources: tuple[str, ...],
    dest: str,
    from_format: str | None,
    to_format: str | None,
    boards: Ranges | None,
    declarer: str | None,
    cluster: str | None,
    store: str | None,
    chunk: int,
    derived: bool,
    depth: int | None,
    canonical: bool,
    strict: bool,
    quiet: bool,
) -> int:
    """Write what the sources hold in the format of DEST.

    Several sources tell different things of the same boards, in order: deals in one, results in another. What cannot be read
    and what the target cannot hold is said, and stops nothing without --strict; a source without a board is refused. Boards that
    the target cannot hold at all are left out, and the exit status is 1; where that is so of all of them, nothing is written.
    The rules of the game are not applied (`bridgespec validate` does). - is standard input or output. DEST is written whole or not
    at all.
    Tables (.parquet, .arrow, .feather) are sources and targets like any format.

    A system of rules becomes the table of its meanings, with flags, dispositions and lengths from the rules.
    """
    require_arrow(*sources)
    target = target_of(settings, dest, to_format)
    seat = _seat(declarer)
    spread = spread_of(cluster, store, chunk, None, dest)
    edit, single = Selection(boards, seat), len(sources) == 1 and not is_rules(sources[0])
    if derived and not (single and not edit and isinstance(target, Kind)):
        raise UsageError("--derived is for one source and a table: DEST is to end in .parquet, .arrow or .feather")
    if single:
        (made,) = conversions_of(settings, sources[0], from_format, [target], canonical, strict, edit, derived)
    else:
        made = conversion_of(settings, _taken(settings, sources, from_format, strict, depth), target, canonical, edit)
    if spread is not None and not (isinstance(made, RecordConversion) and made.is_spread):
        raise UsageError("--cluster converts one large file of fixed-size records to such a file; this is done here: leave it out")
    document = made.origin.document
    alone = document is not None and document.system is not None and not document.boards
    if alone and isinstance(target, Spec) and not holds_systems(target):
        raise UsageError(f"{made.origin.shown} holds a bidding system and no boards, and {target.id} cannot hold a system")
    return converted(settings, made, dest, strict, quiet, spread)


def _taken(settings: Settings, sources: Sequence[str], format: str | None, strict: bool, depth: int | None) -> Taken:
    """The table of a system of rules, or several sources joined."""
    if len(sources) == 1:
        return disclosed(settings, sources[0], depth)
    read = [one for path in sources if (one := _unless_empty(settings, path, format, strict)) is not None]
    if not read:
        raise UsageError("there are no boards in any of the sources")
    return joined(settings, read)


def _unless_empty(settings: Settings, path: str, format: str | None, strict: bool) -> Taken | None:
    """One source of several; one that holds nothing is left out with a warning."""
    try:
        return source(settings, path, format, strict)
    except EmptySource as error:
        tell_losses(settings, [Diagnostic("empty-source", Severity.WARNING, f"{error}: it is left out")], strict)
        return None


def _seat(text: str | None) -> Seat | None:
    try:
        return Seat.parse(text) if text is not None else None
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a seat; say W, N, E or S", param_hint="--declarer") from None
