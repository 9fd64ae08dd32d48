"""The command ``convert``: a file of one format from files of others."""

from __future__ import annotations

import click

from bridgespec.cli.board_targets import refuse_plain, refuse_systems, require_arrow, target_of
from bridgespec.cli.cluster_options import cluster_options, spread_of
from bridgespec.cli.conversion import RecordConversion
from bridgespec.cli.conversions import conversion_of, conversions_of, converted
from bridgespec.cli.disclosed import depth_option, disclosed, is_rules
from bridgespec.cli.field_json import convert_fields
from bridgespec.cli.files import expand
from bridgespec.cli.options import PATH, boards_option, format_option
from bridgespec.cli.origins import chained, merged_by_number
from bridgespec.cli.ranges import Ranges, Selection
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.transfer import transfer_options
from bridgespec.errors import UsageError
from bridgespec.model.cards import Seat
from bridgespec.tables.table_files import Kind

GROUP = "Files"


@click.command(
    epilog="""\b
Examples:
  bridgespec convert boards.dup boards.zbd
  bridgespec convert boards.dup boards.bri --boards 1-4,9
  bridgespec convert mon.pbn tue.pbn -o week.pbn          several files, one after the other
  bridgespec convert 'club/*.lin' club.pbn --renumber     the same of a folder, with boards numbered from 1 on
  bridgespec convert open.pbn closed.pbn -o match.pbn --by-number   a table of results for each board
  bridgespec convert both.zrd south.zrj --declarer south  the results of one hand
  bridgespec convert sayc.bid sayc.bss --depth 2          the table of meanings of a system of rules
  bridgespec convert - - --from zrd --to zbd < both.zrd > deals.zbd
  bridgespec convert both.zrd both.parquet --derived      a table, with points, shapes and par
  bridgespec convert icon.gif icon.json --specs formats   the fields of a file of any format; edited, they make a file again
""",
    short_help="Make a file of one format from files of others.",
)
@click.argument("paths", metavar="SOURCE... [DEST]", nargs=-1, required=True, type=PATH)
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, help="The file to write; else the last path is DEST.")
@format_option("--from", "from_format", help="The format of every source, where name and content do not tell it.")
@format_option("--to", "to_format", help="The format of DEST, where its name does not tell it.")
@boards_option()
@click.option("--declarer", metavar="SEAT", help="The hand that a result of one hand is about: W, N, E or S.")
@click.option("--derived", is_flag=True, help="Into a table also what follows from the hands: points, lengths, shapes, par.")
@click.option("--fields", is_flag=True, help="Into .json the fields of the file as they are, to be edited, not its boards.")
@click.option("--renumber", is_flag=True, help="Number the boards from 1 on.")
@click.option("--by-number", is_flag=True, help="One board for each number, with a table of the results of all its boards.")
@depth_option()
@cluster_options
@transfer_options
@pass_settings
def command(
    settings: Settings,
    paths: tuple[str, ...],
    dest: str | None,
    from_format: str | None,
    to_format: str | None,
    boards: Ranges | None,
    declarer: str | None,
    cluster: str | None,
    store: str | None,
    chunk: int,
    derived: bool,
    fields: bool,
    renumber: bool,
    by_number: bool,
    depth: int | None,
    canonical: bool,
    strict: bool,
) -> int:
    """Write what the sources hold in the format of DEST.

    Several sources are written one after the other; a folder means the files in it, and a pattern in quotes those that it matches.
    With --by-number boards of one number become one, with a table of their results (`bridgespec score` makes a ranking of them).
    `bridgespec join` puts deals and their results together. What cannot be read and what the target cannot hold is said, and stops
    nothing without --strict; a source without a board is refused. Boards that the target cannot hold at all are left out, and the
    exit status is 1; where that is so of all of them, nothing is written. The rules of the game are not applied (`bridgespec
    validate` does). - is standard input or output. DEST is written whole or not at all. Tables (.parquet, .arrow, .feather) are
    sources and targets like any format.

    JSON of a format without boards, or with --fields of any, has the fields of the file. Converted back it gives the same bytes;
    edited, it gives a file in which lengths, counts, offsets and checksums that are left out follow from the rest.

    A system of rules becomes the table of its meanings, with flags, dispositions and lengths from the rules.
    """
    if dest is None and len(paths) < 2:
        raise UsageError(f"where to? `bridgespec convert {paths[0]} DEST`, or -o DEST")
    if dest is None:
        # Without -o the last path is DEST. An argument DEST of its own would take the last source where -o is given.
        paths, dest = paths[:-1], paths[-1]
    known = frozenset(extension for spec in settings.formats for extension in spec.extensions)
    sources = tuple(expand(paths, known))
    require_arrow(*sources)
    target = target_of(settings, dest, to_format)
    seat = _seat(declarer)
    spread = spread_of(cluster, store, chunk, None, dest)
    edit, single = Selection(boards, seat), len(sources) == 1 and not (renumber or by_number or is_rules(sources[0]))
    if derived and not (single and not edit and isinstance(target, Kind)):
        raise UsageError("--derived is for one source and a table: DEST is to end in .parquet, .arrow or .feather")
    if single and not edit and not derived:
        status = convert_fields(settings, sources[0], from_format, target, dest, fields, strict)
        if status is not None:
            return status
    elif fields:
        raise UsageError("--fields is for one source, as a whole")
    if single:
        (made,) = conversions_of(settings, sources[0], from_format, [target], canonical, strict, edit, derived)
    else:
        rules = [path for path in sources if is_rules(path)]
        if rules and len(sources) > 1:
            raise UsageError(f"{rules[0]} is a bidding system: it is converted alone")
        origin = (
            disclosed(settings, sources[0], depth)
            if rules
            else merged_by_number(settings, sources, from_format, renumber, strict)
            if by_number
            else chained(settings, sources, from_format, target, renumber, strict, canonical)
        )
        made = conversion_of(settings, origin, target, canonical, edit)
    if spread is not None and not (isinstance(made, RecordConversion) and made.is_spread):
        raise UsageError("--cluster converts one large file of fixed-size records to such a file; for any other, leave it out")
    document, spec = made.origin.document, made.origin.spec
    if spec is not None and not settings.engine.of(spec).binder.terms:
        refuse_plain(made.origin.shown, spec, target)
    if document is not None and document.system is not None and not document.boards:
        refuse_systems(made.origin.shown, target)
    return converted(settings, made, dest, strict, spread)


def _seat(text: str | None) -> Seat | None:
    try:
        return Seat.parse(text) if text is not None else None
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a seat; say W, N, E or S", param_hint="--declarer") from None
