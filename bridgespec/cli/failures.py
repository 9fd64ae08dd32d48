"""The exit statuses, and how an error that stops a command is told."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from bridgespec.cli.render import Source, print_diagnostic
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import BridgespecError

CLEAN = 0
FINDINGS = 1
FAILED = 2
INTERRUPTED = 130


def print_failure(console: Console, error: BridgespecError) -> None:
    """Tell the error, and every reason that it carries, each at its place where the file can still be read."""
    reasons = [reason for reason in getattr(error, "diagnostics", ()) if isinstance(reason, Diagnostic)]
    console.print(Text.assemble(("error: ", "bold red"), str(error)), soft_wrap=True)
    for reason in reasons:
        print_diagnostic(console, reason, Source.of_file(reason.path))
