"""The command ``lsp``: the language server of schemas and bidding systems, for editors."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from bridgespec.cli import explain  # noqa: F401  The codes that commands define are described too.
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.extras import require
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from bridgespec.editor import server
else:
    server = Lazy("bridgespec.editor.server")

GROUP = "Schemas"


@click.command(
    epilog="""\b
Examples:
  bridgespec lsp
  bridgespec --specs formats lsp
""",
    short_help="Help an editor with schemas and bidding systems.",
)
@pass_settings
def command(settings: Settings) -> None:
    """Serve an editor over standard input and output, by the Language Server Protocol: findings while a .ksy, .lark or .bid file is
    written, completion, the reference's words, definitions, uses, renaming and the outline.

    Editors start it by themselves: docs/editors.md has the settings for each.
    """
    require("pygls")
    # Started by hand, the server would wait for a message in silence.
    if sys.stdin.isatty():
        raise UsageError("an editor starts this command and talks to it; docs/editors.md has the settings for each")
    # The server closes what it reads and writes; standard output is the program's, which flushes it when it ends.
    with os.fdopen(os.dup(0), "rb") as stdin, os.fdopen(os.dup(1), "wb") as stdout:
        server.make_server(settings.specs, settings.bidding).start_io(stdin, stdout)
