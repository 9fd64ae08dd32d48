"""Settings shared by all commands: the folders of schemas, the consoles, whether to show a traceback."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

import click

from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    import rich.text as rich_text
    from rich.console import Console

    from bridgespec import engines
    from bridgespec.cli import terminal
    from bridgespec.engines import Engine
    from bridgespec.spec.ir import Spec
    from bridgespec.spec.store import Head
else:
    rich_text, engines, terminal = Lazy("rich.text"), Lazy("bridgespec.engines"), Lazy("bridgespec.cli.terminal")

PIPE_WIDTH = 120
"""The width, in columns, of output to a file or a pipe, unless COLUMNS sets it."""

ColourWhen = Literal["auto", "always", "never"]


@dataclass
class Settings:
    """The values of the `common_options`, and objects made from them, such as the engine. Made once for each process."""

    specs: list[Path] = field(default_factory=list)
    bidding: list[Path] = field(default_factory=list)
    debug: bool = field(default_factory=lambda: bool(os.environ.get("BRIDGESPEC_DEBUG")))
    colour: ColourWhen = "auto"
    sync: bool = True
    quiet: bool = False
    tls: dict[str, str] = field(default_factory=dict)

    @cached_property
    def engine(self) -> Engine:
        """The known schemas with their codecs."""
        return engines.engine(tuple(str(folder) for folder in self.specs))

    @cached_property
    def formats(self) -> list[Spec]:
        """The specs of the known formats, by name; schemas that cannot be used are reported."""
        return [self.engine.spec(head.id) for head in self.heads]

    @cached_property
    def heads(self) -> list[Head]:
        """The heads of the known formats (name, title, extensions), sorted by name; schemas that cannot be used are reported."""
        found = sorted(self.engine.catalog.heads(), key=lambda head: head.id)
        for error in self.engine.catalog.broken.values():
            message = f"{error}; this schema is left out, `bridgespec check-spec` tells more"
            self.err.print(rich_text.Text.assemble(("warning: ", "bold yellow"), message), soft_wrap=True)
        return found

    @cached_property
    def out(self) -> Console:
        """Standard output, for results."""
        return self._console(sys.stdout)

    @cached_property
    def err(self) -> Console:
        """Standard error, for progress, summaries and errors."""
        return self._console(sys.stderr)

    def _console(self, stream: IO[str]) -> Console:
        is_terminal = stream.isatty()
        return terminal.SafeConsole(
            file=stream,
            # None: rich decides, here by whether the stream is a terminal, in the next line by NO_COLOR.
            force_terminal=True if self.colour == "always" else None,
            no_color=True if self.colour == "never" else None,
            width=None if is_terminal or "COLUMNS" in os.environ else PIPE_WIDTH,
            # Texts come from files: rich would colour the numbers in them, and take [x] for markup and :x: for an emoji.
            highlight=False,
            emoji=False,
            markup=False,
        )


pass_settings = click.make_pass_decorator(Settings, ensure=True)


def add_specs(context: click.Context, _parameter: click.Parameter, folders: tuple[Path, ...]) -> None:
    """Add the folders of ``--specs``, given before or after the command."""
    context.ensure_object(Settings).specs.extend(folders)


def add_bidding(context: click.Context, _parameter: click.Parameter, folders: tuple[Path, ...]) -> None:
    """Add the folders of ``--bidding``, given before or after the command."""
    context.ensure_object(Settings).bidding.extend(folders)


def set_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Set `Settings.debug` from ``--debug``, before or after the command."""
    # Called for the option before the command and for the one after it: the absent one must not reset the given one.
    if value:
        context.ensure_object(Settings).debug = True


def set_colour(context: click.Context, _parameter: click.Parameter, value: ColourWhen | None) -> None:
    """Set `Settings.colour` from ``--colour``, before or after the command."""
    if value:
        context.ensure_object(Settings).colour = value


def set_no_sync(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Set `Settings.sync` from ``--no-sync``, before or after the command."""
    if value:
        context.ensure_object(Settings).sync = False


def set_quiet(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Set `Settings.quiet` from ``--quiet``, before or after the command."""
    if value:
        context.ensure_object(Settings).quiet = True


QUIET = "Report no progress, and nothing when all is well."
"""The help of ``--quiet``."""


def common_options(hidden: bool) -> list[click.Option]:
    """Return the options that may be given before or after the command."""
    return [
        click.Option(
            ["--specs"],
            metavar="DIR",
            multiple=True,
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            callback=add_specs,
            expose_value=False,
            hidden=hidden,
            help="Also know the schemas of this folder (repeatable). BRIDGESPEC_PATH names more.",
        ),
        click.Option(
            ["--bidding"],
            metavar="DIR",
            multiple=True,
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            callback=add_bidding,
            expose_value=False,
            hidden=hidden,
            help="Also know the bidding systems and conventions of this folder (repeatable). BRIDGESPEC_BIDDING names more.",
        ),
        click.Option(
            ["--colour", "--color"],
            type=click.Choice(["auto", "always", "never"]),
            callback=set_colour,
            expose_value=False,
            hidden=hidden,
            help="Colours: on a terminal (auto), always, or never. NO_COLOR is heeded.",
        ),
        click.Option(
            ["--no-sync"],
            is_flag=True,
            callback=set_no_sync,
            expose_value=False,
            hidden=hidden,
            help="Do not wait until what is written is on the disk: faster, and lost where the power fails.",
        ),
        click.Option(["-q", "--quiet"], is_flag=True, callback=set_quiet, expose_value=False, hidden=hidden, help=QUIET),
        click.Option(
            ["--debug"],
            is_flag=True,
            callback=set_debug,
            expose_value=False,
            hidden=hidden,
            help="Show a traceback for an internal error (also: BRIDGESPEC_DEBUG=1).",
        ),
    ]
