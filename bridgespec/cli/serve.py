"""The command ``serve``: a local page of a schema and a file, which follows every change of them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgespec.cli import explain  # noqa: F401  The codes that commands define are described too.
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from bridgespec.editor import folder, web, workshop
else:
    folder, web = Lazy("bridgespec.editor.folder"), Lazy("bridgespec.editor.web")
    workshop = Lazy("bridgespec.editor.workshop")

GROUP = "Schemas"


@click.command(
    epilog="""\b
Examples:
  bridgespec serve
  bridgespec serve formats --port 8080
""",
    short_help="Show a schema and a file side by side in a browser.",
)
@click.argument("path", metavar="[FOLDER]", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; without it, one that is free.")
@pass_settings
def command(settings: Settings, path: Path, port: int) -> None:
    """Serve a page for the files of a folder, to this machine alone: a schema or bidding system with its findings, and a file taken
    apart by it, with its trace, its JSON, generated samples and the documentation. The page follows every change of the files
    within a second, whatever the editor; nothing is written.

    Open the address that is printed: without its token nothing is given out. Ctrl-C ends the server.
    """
    require("watchfiles", "jinja2", "railroad")
    shop = workshop.Workshop(folder.ServedFolder(path.resolve()), settings.specs, settings.bidding)
    try:
        server = web.LiveServer(shop, port)
    except OSError as error:
        raise UsageError(f"port {port} cannot be used: {error.strerror}") from None
    with server:
        # A daemon thread, since a thread that waits for changes would keep the program alive after Ctrl-C.
        threading.Thread(target=server.watch, daemon=True).start()
        echo(f"{server.address}\n")
        try:
            server.serve_forever(poll_interval=0.2)
        finally:
            server.ended.set()
            server.change()
