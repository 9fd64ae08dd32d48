"""The command ``convert``: a file of one format from files of others."""

from __future__ import annotations

from dataclasses import dataclass

import click

from bridgespec.cli.board_targets import Target, refuse_plain, refuse_systems, require_arrow, target_of
from bridgespec.cli.cluster_options import cluster_options, spread_of
from bridgespec.cli.conversion import Conversion, RecordConversion
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
    paths, dest = _sources_and_dest(paths, dest)
    known = frozenset(extension for spec in settings.formats for extension in spec.extensions)
    sources = _ConvertedSources(tuple(expand(paths, known)), from_format, renumber, by_number, depth)
    require_arrow(*sources.paths)
    target = target_of(settings, dest, to_format)
    edit = Selection(boards, _seat(declarer))
    spread = spread_of(cluster, store, chunk, None, dest)
    as_it_is = sources.is_one_file and not edit
    if derived and not (as_it_is and isinstance(target, Kind)):
        raise UsageError("--derived is for one source and a table: DEST is to end in .parquet, .arrow or .feather")
    if as_it_is and not derived:
        status = convert_fields(settings, sources.paths[0], from_format, target, dest, fields, strict)
        if status is not None:
            return status
    elif fields:
        raise UsageError("--fields is for one source, as a whole")
    if sources.is_one_file:
        (made,) = conversions_of(settings, sources.paths[0], from_format, [target], canonical, strict, edit, derived)
    else:
        made = sources.joined(settings, target, edit, canonical, strict)
    if spread is not None and not (isinstance(made, RecordConversion) and made.is_spread):
        raise UsageError("--cluster converts one large file of fixed-size records to such a file; for any other, leave it out")
    _refuse_without_boards(settings, made, target)
    return converted(settings, made, dest, strict, spread)


def _sources_and_dest(paths: tuple[str, ...], dest: str | None) -> tuple[tuple[str, ...], str]:
    """Return the paths of the sources, and DEST: the file of -o, else the last path. Raises UsageError where that is the only one.

    An argument DEST of its own would take the last source where -o is given.
    """
    if dest is not None:
        return paths, dest
    if len(paths) < 2:
        raise UsageError(f"where to? `bridgespec convert {paths[0]} DEST`, or -o DEST")
    return paths[:-1], paths[-1]


@dataclass(frozen=True)
class _ConvertedSources:
    """The files that one call of the command converts, with the options that make one source of them."""

    paths: tuple[str, ...]
    format: str | None
    renumber: bool
    by_number: bool
    depth: int | None

    @property
    def is_one_file(self) -> bool:
        """Whether there is one file, which is converted without a change of its numbers; not so a system of rules."""
        return len(self.paths) == 1 and not (self.renumber or self.by_number or is_rules(self.paths[0]))

    def joined(self, settings: Settings, target: Target, edit: Selection, canonical: bool, strict: bool) -> Conversion:
        """Return the conversion of the files as one source: by numbers, one after the other, or the table of a system of rules.
        Raises UsageError for such a system among other files.
        """
        rules = [path for path in self.paths if is_rules(path)]
        if rules and len(self.paths) > 1:
            raise UsageError(f"{rules[0]} is a bidding system: it is converted alone")
        origin = (
            disclosed(settings, self.paths[0], self.depth)
            if rules
            else merged_by_number(settings, self.paths, self.format, self.renumber, strict)
            if self.by_number
            else chained(settings, self.paths, self.format, target, self.renumber, strict, canonical)
        )
        return conversion_of(settings, origin, target, canonical, edit)


def _refuse_without_boards(settings: Settings, made: Conversion, target: Target) -> None:
    """Raise UsageError for a source of a format without boards, or of bidding systems, that the target cannot represent."""
    document, spec = made.origin.document, made.origin.spec
    if spec is not None and not settings.engine.of(spec).binder.terms:
        refuse_plain(made.origin.shown, spec, target)
    if document is not None and document.system is not None and not document.boards:
        refuse_systems(made.origin.shown, target)


def _seat(text: str | None) -> Seat | None:
    try:
        return Seat.parse(text) if text is not None else None
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a seat; say W, N, E or S", param_hint="--declarer") from None
