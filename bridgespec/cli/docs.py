"""The command ``docs``: the documentation as a static site."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

import bridgespec
from bridgespec.api import write_file
from bridgespec.cli import explain  # noqa: F401  The codes that commands define have pages too.
from bridgespec.cli.disclosed import depth_option
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.docs.site import Site
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.lazily import Lazy
from bridgespec.version import VERSION

if TYPE_CHECKING:
    from bridgespec.bidding import book
    from bridgespec.bidding import system as systems
    from bridgespec.docs import book_site
else:
    book, systems, book_site = Lazy("bridgespec.bidding.book"), Lazy("bridgespec.bidding.system"), Lazy("bridgespec.docs.book_site")


GROUP = "Schemas"


@click.command(
    epilog="""\b
Examples:
  bridgespec docs site
  bridgespec --specs my-schemas docs site
  bridgespec docs book --system sayc --depth 4
""",
    short_help="Write the documentation as a web site that needs no network.",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--system", metavar="SYSTEM", help="Write the book of this bidding system, a name or a file, and nothing else.")
@depth_option()
@pass_settings
@click.pass_context
def command(context: click.Context, settings: Settings, folder: Path, system: str | None, depth: int | None) -> None:
    """Write the documentation of every known format, finding and command into DIR: pages that open from the disk, without a
    network. The same schemas give the same bytes.

    Open index.html. Files of DIR that the site does not have are left alone.

    With --system, the book of a bidding system: the tree of calls, what each shows, how often it is made, hands, and alerts.
    """
    require("griffe", "jinja2", "railroad")
    if system is not None:
        rules = systems.BiddingSystem.load(system, settings.bidding)
        _write(settings, folder, book_site.BookSite(book.write(rules, depth or book.DEPTH), "bridgespec", VERSION).pages())
        return
    root = context.find_root().command
    if not isinstance(root, click.Group):
        raise UsageError("the commands are not known here")
    site = Site(settings.formats, settings.engine, root, "bridgespec", VERSION, bridgespec.__all__)
    _write(settings, folder, site.pages())


def _write(settings: Settings, folder: Path, pages: Iterable[tuple[str, bytes]]) -> None:
    """Write pages, given by their names, into a folder, and print their number."""
    count = 0
    # First, so that an error about the folder does not come after the pages were generated, which takes long.
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in pages:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, [data])
        count += 1
    settings.err.print(Text(f"{count} files in {folder}; open {folder / 'index.html'}"), soft_wrap=True)
