"""The command ``docs``: the documentation as a static site."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from bridgespec.api import write_file
from bridgespec.cli import explain  # noqa: F401  The codes that commands define have pages too.
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.docs.site import Site
from bridgespec.errors import UsageError
from bridgespec.version import VERSION


@click.command(
    epilog="""\b
Examples:
  bridgespec docs site
  bridgespec --specs my-schemas docs site
""",
    short_help="Write the documentation as a web site that needs no network.",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@pass_settings
@click.pass_context
def command(context: click.Context, settings: Settings, folder: Path) -> None:
    """Write the documentation of every known format, finding and command into DIR: pages that open from the disk, without a
    network. The same schemas give the same bytes.

    Open index.html. Files of DIR that the site does not have are left alone.
    """
    root = context.find_root().command
    if not isinstance(root, click.Group):
        raise UsageError("the commands are not known here")
    site = Site(settings.formats, settings.engine, root, "bridgespec", VERSION)
    count = 0
    for name, data in site.pages():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, [data])
        count += 1
    settings.err.print(Text(f"{count} files in {folder}; open {folder / 'index.html'}"), soft_wrap=True)
