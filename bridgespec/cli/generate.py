"""The command ``generate``: the deals of a published sequence by their numbers, and tables of how cards fall."""

from __future__ import annotations

import click
from rich.text import Text

from bridgespec.cli.board_targets import Target, name_of, target_of
from bridgespec.cli.examine import plural
from bridgespec.cli.files import STDIO, output
from bridgespec.cli.generated_deals import DealRange, write_sequence
from bridgespec.cli.options import PATH, format_option, quiet_option
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.errors import SpecError, UsageError
from bridgespec.model.generator import DATABASE
from bridgespec.model.patterns import TABLES
from bridgespec.spec.ir import Spec


def write_table(name: str, dest: str, target: Target) -> tuple[int, int]:
    """Write a table of card distributions completely or not at all. Return its number of records and its size in bytes.

    Raises UsageError where the format has no field for a column, or a field without a column, default or derived value.
    """
    if not isinstance(target, Spec):
        raise UsageError(f"{name_of(target)} is no format of records: name one whose fields are the columns of {name}")
    try:
        codec = BulkCodec(target)
    except SpecError as reason:
        raise UsageError(str(reason)) from None
    columns = TABLES[name]()
    # A set of one length: unpacking raises ValueError if the columns differ in length.
    (count,) = {len(column) for column in columns.values()}
    shapes = {field: (count, *codec.fields[field].shape) for field in columns if field in codec.fields}
    data = codec.write({field: column.reshape(shapes.get(field, column.shape)) for field, column in columns.items()})
    with output(dest) as file:
        size = file.write(data.data)
    return count, size


SEQUENCES = ("rpdd", "patterns")


def _range(_context: click.Context, _parameter: click.Parameter, value: str) -> DealRange:
    """Return the range of ``--deals``, as its callback."""
    try:
        return DealRange.parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


GROUP = "Deals and bidding"


@click.command(
    epilog="""\b
Examples:
  bridgespec generate rpdd --deals 0-4000 -o x.zbd
  bridgespec generate rpdd --deals 0-10485760 -o rpdd.zbd
  bridgespec generate rpdd --results rpdd.zdd -o rpdd.zrd
  bridgespec generate rpdd --deals 12 -o - --to bhg
  bridgespec --specs examples/formats generate patterns --table shp -o all.shp
""",
    short_help="Generate the deals of the published database, and tables of patterns.",
)
@click.argument("sequence", type=click.Choice(SEQUENCES))
@click.option(
    "--deals",
    "wanted",
    metavar="FIRST-STOP",
    default=f"0-{DATABASE}",
    show_default=True,
    callback=_range,
    help="Deals FIRST to STOP - 1, counted from 0: 0-4000 are 4,000 deals.",
)
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, required=True, help="Where to write them.")
@click.option("--results", metavar="FILE", help="Put the tables of this file beside the deals: one for each, in order.")
@click.option("--table", type=click.Choice(tuple(TABLES)), help="Which table of patterns.")
@format_option("--to", "to_format", help="The format of DEST, where its name does not tell it.")
@quiet_option
@pass_settings
def command(
    settings: Settings,
    sequence: str,
    wanted: DealRange,
    dest: str,
    results: str | None,
    table: str | None,
    to_format: str | None,
) -> None:
    """Write deals of Pavlicek's sequence of random deals, whose first 10,485,760 are published with their results.

    The results are published alone too, since the deals can be generated: --results joins such a file to the deals.
    Deals go on beyond the published ones.

    With "patterns", write a table of how cards fall, each way with its exact count: the lengths of hands (ghp, shp), of
    sides (gsp, ssp), of two partners' hands (gsx, ssx) and of deals (gdx), high cards (ghc, shc), and the holdings of a
    suit (esh); g is generic, s specific. The format of DEST has a field for each column.
    """
    if (sequence == "patterns") != (table is not None):
        raise UsageError("a table of patterns needs --table, and deals have none")
    target = target_of(settings, dest, to_format)
    if table is not None:
        count, size = write_table(table, dest, target)
        words = f"{table}, {plural(count, 'record')}"
    else:
        size = write_sequence(settings, wanted, dest, results, target)
        last = f" to {wanted.stop - 1:,}" if wanted.count > 1 else ""
        words = f"{sequence}, {plural(wanted.count, 'deal')}, {wanted.start:,}{last}"
    if not settings.quiet:
        where = "<stdout>" if dest == STDIO else dest
        text = Text.assemble((where, "bold"), f" ({name_of(target)}): {words}; {plural(size, 'byte')}")
        settings.err.print(text, soft_wrap=True)
