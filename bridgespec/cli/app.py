"""The group of all commands, which finds them in the modules of this package, and turns errors into messages and exit statuses."""

from __future__ import annotations

import errno
import gc
import importlib
import importlib.util
import os
import pkgutil
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from bridgespec.cli.exit_status import CLEAN, FAILED, INTERRUPTED, UNHEARD, mute
from bridgespec.cli.settings import Settings, common_options
from bridgespec.diagnostic import hint
from bridgespec.errors import FileWarning, SchemaWarning
from bridgespec.lazily import Lazy
from bridgespec.version import VERSION

if TYPE_CHECKING:
    import rich.text as rich_text

    from bridgespec.cli import failures
else:
    rich_text, failures = Lazy("rich.text"), Lazy("bridgespec.cli.failures")

PACKAGE = __package__
GROUPS = ("Files", "Boards", "Deals and bidding", "Schemas")
"""The headings under which commands are listed: the module of a command names one as ``GROUP``."""


class App(click.Group):
    """The group of all commands: each module of this package that exposes ``command`` is one."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands, sorted, without importing them."""
        return sorted(short_helps())

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their short help, by group, into the help of the group, without importing them."""
        listed = groups()
        for heading in GROUPS:
            with formatter.section(heading):
                formatter.write_dl([(name, short) for name, short in sorted(short_helps().items()) if listed.get(name) == heading])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command with this name; None where no module exposes it."""
        # Module names have underscores, command names hyphens: a name with an
        # underscore would find the module too, and is refused below.
        found = importlib.util.find_spec(f"{PACKAGE}.{name.replace('-', '_')}") if name.isascii() else None
        # A dot would lead into a package below this one.
        if found is None or "_" in name or "." in name:
            return None
        command: click.Command | None = getattr(importlib.import_module(found.name), "command", None)
        if command is not None:
            command.name = name
            known = {option for parameter in command.params for option in parameter.opts}
            # Common options are accepted behind the command too, unless the command has one of the same name.
            command.params += [option for option in common_options(True) if not known & set(option.opts)]
        return command

    def resolve_command(self, context: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command to run. Raises a usage error, with the most similar name, where there is none of this name."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError:
            if args[0].startswith("-"):
                raise
            meant = hint(args[0], self.list_commands(context), least=0.5)
            raise click.UsageError(f"there is no command {args[0]!r}{meant}", context) from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run the program and exit with status 0 (clean), 1 (findings) or 2 (failure). A traceback is printed only with
        ``--debug``.
        """
        settings = Settings()
        try:
            with warnings.catch_warnings():
                # Python shows a warning once for each place in the code; each file needs its own.
                warnings.simplefilter("always", FileWarning)
                warnings.simplefilter("always", SchemaWarning)
                warnings.showwarning = partial(_show_warning, settings, warnings.showwarning)
                status = self._status(settings, args, prog_name, complete_var, extra)
        except BrokenPipeError:
            # Standard error may be a closed pipe as well.
            mute(sys.stdout, sys.stderr)
            status = UNHEARD
        sys.exit(status)

    def _status(
        self, settings: Settings, args: Sequence[str] | None, prog_name: str | None, complete_var: str | None, extra: dict[str, Any]
    ) -> int:
        """Run the program and return its exit status; an error of the command is printed, not raised."""
        status = CLEAN
        try:
            # With click's standalone mode errors would be printed by click and exit with its own statuses.
            result = super().main(args, prog_name, complete_var, standalone_mode=False, obj=settings, **extra)
            # The result is what the command returned, or the status of `context.exit`; a command that judges nothing returns None.
            status = result if isinstance(result, int) else CLEAN
            # Python's own flush at its end is too late for a reader that has left: it prints a traceback, and the status is 120.
            sys.stdout.flush()
        except BrokenPipeError:
            # A reader that has closed its end has all it wants, so the status is 0; commands wrapped by `judging` return their own.
            mute(sys.stdout)
        except (KeyboardInterrupt, click.Abort):
            failures.complain(settings.err, "stopped; no file was left half-written")
            status = INTERRUPTED
        except click.exceptions.NoArgsIsHelpError as error:
            settings.err.print(rich_text.Text(error.format_message()), soft_wrap=True)
            status = FAILED
        except click.ClickException as error:
            failures.complain(settings.err, error.format_message())
            context = getattr(error, "ctx", None)
            if context is not None:
                settings.err.print(rich_text.Text(f"  see '{context.command_path} --help'"), soft_wrap=True)
            status = FAILED
        except Exception as error:
            # The rest of the buffer cannot be written either: Python's flush at exit would raise the error again.
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO):
                mute(sys.stdout)
            failures.print_failure(settings.err, error, settings.debug)
            status = FAILED
        return status


_SHORT_HELP = re.compile(r'^\s*short_help="([^"]*)"', re.MULTILINE)
_GROUP = re.compile(r'^GROUP = "([^"]*)"', re.MULTILINE)


@cache
def _found(pattern: re.Pattern[str]) -> dict[str, str]:
    """Return for each command the match of a pattern in the source of its module, by the command's name."""
    found: dict[str, str] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        # The source is read and not imported: twenty commands take half a second to import, and one is asked for.
        source = pkgutil.get_data(str(PACKAGE), f"{module.name}.py")
        match = pattern.search(source.decode("utf-8")) if source else None
        if match is not None:
            found[module.name.replace("_", "-")] = match[1]
    return found


def short_helps() -> dict[str, str]:
    """Return the short help of each command by name."""
    return _found(_SHORT_HELP)


def groups() -> dict[str, str]:
    """Return the heading of each command by name."""
    return _found(_GROUP)


def _show_warning(settings: Settings, usual: Callable[..., None], message: Warning | str, kind: type[Warning], *place: Any) -> None:
    """Print warnings for the user as messages, and pass all others on to Python's own function."""
    if issubclass(kind, FileWarning | SchemaWarning):
        settings.err.print(rich_text.Text.assemble(("warning: ", "bold yellow"), str(message)), soft_wrap=True)
    else:
        usual(message, kind, *place)


def _show_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Print the version and exit, as the callback of ``--version``."""
    if value and not context.resilient_parsing:
        click.echo(f"bridgespec {VERSION}")
        context.exit()


@click.command(
    cls=App,
    params=[
        *common_options(False),
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 clean, 1 findings, 2 a wrong call or a file that cannot be read or written.",
)
def app() -> None:
    """Read, check, convert and explain bridge files, every format from its schema.

    \b
    Start here:
      bridgespec formats                       what is known
      bridgespec validate boards/              check every file of a folder
      bridgespec convert boards.dup boards.zbd make one format of another
      bridgespec show boards.dup --boards 3    look at a board
    """


def _open_closed() -> None:
    """Open the null device for standard streams that are closed, so that no file gets their descriptor."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open for as long as the program runs)


def main() -> NoReturn:
    """Run the command line and exit."""
    # A command builds large trees and hardly any garbage in cycles: by default, looking for it takes a third of the time of
    # checking a schema of 20,000 fields.
    gc.set_threshold(50_000, 20, 20)
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # An encoding without the suit signs, as cp1252, prints ? for them; by default it would be a UnicodeEncodeError.
            stream.reconfigure(errors="replace")
    try:
        app.main(prog_name="bridgespec")
    finally:
        # What the command has built would be searched for garbage once more before the process ends: an eighth of the time of
        # checking a large schema or a damaged file. DuckDB's binding complains of objects that are never freed.
        if "duckdb" not in sys.modules:
            gc.freeze()
