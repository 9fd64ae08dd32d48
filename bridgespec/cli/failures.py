"""Report an error that stops a command."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bridgespec.cli.render import RenderSource, print_diagnostic
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import BridgespecError
from bridgespec.extras import EXTRAS
from bridgespec.model.deal import Deal
from bridgespec.model.hand import Hand
from bridgespec.version import VERSION

SHOWN = 3
"""The maximum number of reasons that are printed for one error."""
BOARD = re.compile(r"^board \d+: ")
"""The beginning of a message about one board; without it, the messages of several boards with the same error are equal."""


def complain(console: Console, message: str) -> None:
    """Print an error as one line."""
    console.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)


def print_failure(console: Console, error: Exception, debug: bool) -> None:
    """Print the error that ended a command: the message of a BridgespecError, ImportError of an extra or OSError, else a bug
    report.
    """
    if isinstance(error, BridgespecError):
        _print_own(console, error)
    elif isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        extra = EXTRAS[error.name]
        complain(console, f"this needs {error.name}, which is not installed: pip install 'bridgespec[{extra}]'")
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        # An OSError that was made of a text alone has no `strerror`.
        complain(console, f"{where}{error.strerror or error}")
        # A hand S.H.D.C has three dots; few names of files do.
        if isinstance(error, FileNotFoundError) and str(error.filename).count(".") >= 3:
            _print_spelled(console, str(error.filename))
    else:
        _print_internal(console, error, debug)


def _print_spelled(console: Console, name: str) -> None:
    """Print which options accept a deal or a hand, if ``name``, the path of a missing file, can be parsed as a deal or a hand."""
    for kind, options in ((Deal, "solve, bid and board take one by --deal"), (Hand, "bid takes one by --hand")):
        try:
            kind.parse(name)
        except ValueError:
            continue
        console.print(Text(f"  this is a {kind.__name__.lower()}: {options}"), soft_wrap=True)
        break


def _print_own(console: Console, error: BridgespecError) -> None:
    """Print the message of an error and its first `SHOWN` reasons, with an excerpt of the file where that can still be read."""
    complain(console, str(error))
    reasons = [reason for reason in getattr(error, "diagnostics", ()) if isinstance(reason, Diagnostic)]
    first = BOARD.sub("", str(error))
    # A reason without a position that only repeats the message would be printed twice.
    shown = [reason for reason in reasons if reason.span is not None or not first.startswith(BOARD.sub("", reason.message))]
    for reason in shown[:SHOWN]:
        if reason.span is not None:
            print_diagnostic(console, reason, RenderSource.of_file(reason.path))
        else:
            console.print(Text(f"  {reason.message}"), soft_wrap=True)
    if len(shown) > SHOWN:
        console.print(Text(f"  and {len(shown) - SHOWN:,} more"), soft_wrap=True)


def _print_internal(console: Console, error: Exception, debug: bool) -> None:
    """Print an unexpected exception with the place in the code, and how to report it; with ``debug`` also its traceback."""
    if debug:
        console.print(Text("".join(traceback.format_exception(error)).rstrip()), soft_wrap=True)
    # The innermost frame: where the exception was raised.
    place = traceback.extract_tb(error.__traceback__)[-1]
    complain(console, f"internal error: {type(error).__name__}: {error}")
    advice = (
        f"  at {Path(place.filename).name}:{place.lineno} in {place.name}, bridgespec {VERSION}\n"
        "  This is a fault of bridgespec, not of your file. Please report it with the file that brings it about;\n"
        "  run the same command with --debug to see the traceback."
    )
    console.print(Text(advice), soft_wrap=True)
