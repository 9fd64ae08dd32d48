"""Common parts of the commands that write formats: their options, their targets, and reports on what is not read or lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import click
from rich.text import Text

from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.exit_status import FINDINGS
from bridgespec.cli.failures import BOARD
from bridgespec.cli.files import STDIO
from bridgespec.cli.options import quiet_option
from bridgespec.cli.render import print_diagnostic
from bridgespec.cli.render_marks import COLOURS, RenderSource
from bridgespec.cli.settings import Settings
from bridgespec.codec.writer import CANNOT_HOLD
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.model.document import Document

SHOWN = 10
"""The maximum number of kinds of findings, and of board numbers for one reason, that are printed."""
# Quoted texts and numbers in a message, which differ between findings of one kind.
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+")
_WANTED = ": expected "
"""The words before the list of expected texts in a message. Without the list, and without quoted texts and numbers, the messages of
findings of one kind are equal.
"""
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def transfer_options(command: Decorated) -> Decorated:
    """Add the options of every command that writes a format."""
    # Applied inside out, as decorators are: the last one of the tuple comes first in the help.
    for option in (
        quiet_option,
        click.option("--strict", is_flag=True, help="Write nothing where something cannot be read or cannot be held."),
        click.option("--canonical", is_flag=True, help="Spell everything anew, without the source's own padding."),
    ):
        command = option(command)
    return command


class UnreadSource:
    """The findings on what could not be read of a source: the first one of each kind, and the number of that kind."""

    def __init__(self, found: Iterable[Diagnostic] = ()) -> None:
        self.kinds: dict[tuple[str, str], tuple[Diagnostic, int]] = {}
        self.errors = 0
        self.add(found)

    @property
    def count(self) -> int:
        """The number of findings."""
        return sum(count for _, count in self.kinds.values())

    def add(self, found: Iterable[Diagnostic]) -> None:
        """Add findings."""
        for one in found:
            kind = one.code, _QUOTED.sub("", one.message.partition(_WANTED)[0])
            first, count = self.kinds.get(kind, (one, 0))
            self.kinds[kind] = first, count + 1
            self.errors += one.severity is Severity.ERROR

    def include(self, more: UnreadSource) -> None:
        """Add the findings of another source."""
        for kind, (one, count) in more.kinds.items():
            first, before = self.kinds.get(kind, (one, 0))
            self.kinds[kind] = first, before + count
        self.errors += more.errors


def tell_unread(settings: Settings, source: RenderSource, found: UnreadSource, strict: bool = False) -> None:
    """Print the first finding of each kind with the number of that kind, as warnings whatever their severity. With ``strict``
    they are errors, and the command ends with status 1.
    """
    severity = Severity.ERROR if strict else Severity.WARNING
    for first, times in list(found.kinds.values())[:SHOWN]:
        message = first.message + (f" ({plural(times - 1, 'more value')} like this)" if times > 1 else "")
        print_diagnostic(settings.err, replace(first, severity=severity, message=message), source)
    if not found.kinds:
        return
    hidden = found.count > len(found.kinds) or len(found.kinds) > SHOWN
    more = " (the first of each kind is shown, `bridgespec validate` shows all)" if hidden else ""
    summary = f"{source.path}: {plural(found.count, 'place')} could not be read{more}"
    if strict:
        _print_line(settings, "error", "bold red", f"{summary}; nothing was written, because of --strict")
        raise click.exceptions.Exit(FINDINGS)
    _print_line(settings, "warning", "bold yellow", f"{summary}; the rest is taken as it stands")


def tell_losses(settings: Settings, findings: Iterable[Diagnostic], strict: bool) -> None:
    """Print findings on what the target cannot represent. With ``strict``, the command ends with status 1 if one is not a note."""
    listed = list(findings)
    for found in listed:
        _print_line(settings, f"{found.severity}[{found.code}]", COLOURS[found.severity], found.message)
    if strict and any(found.severity is not Severity.NOTE for found in listed):
        _print_line(settings, "error", "bold red", "nothing was written, because of --strict")
        raise click.exceptions.Exit(FINDINGS)


def tell_written(
    settings: Settings, sources: str, path: str, name: str, boards: int, size: int, document: Document | None = None
) -> None:
    """Print one line about a file that was written: its sources, format and content."""
    system = None if document is None else document.system
    held = plural(boards, "board") if boards or system is None else plural(len(system.records), "record")
    text = Text.assemble(f"{sources} -> ", (shown_name(path) if path != STDIO else "<stdout>", "bold"), f" ({name}): ")
    settings.err.print(text.append(f"{held}, {plural(size, 'byte')}"), soft_wrap=True)


class LeftOutBoards:
    """The boards that a target cannot represent: for each reason their number, and the numbers of the first ones."""

    def __init__(self) -> None:
        self.count = 0
        self._reasons: dict[str, tuple[int, list[str]]] = {}

    def add(self, refused: Iterable[Diagnostic], number_of: Callable[[int], int | None]) -> None:
        """Add errors on boards; ``number_of`` returns the number of a board."""
        for found in refused:
            at = found.record or 0
            number = number_of(at)
            # Without the number of the board, the messages for one reason are equal.
            count, numbers = self._reasons.get(reason := BOARD.sub("", found.message), (0, []))
            if count < SHOWN:
                numbers.append(str(at + 1 if number is None else number))
            self._reasons[reason] = count + 1, numbers
            self.count += 1

    def __iter__(self) -> Iterator[Diagnostic]:
        """Yield one error for each reason."""
        for reason, (count, numbers) in self._reasons.items():
            shown = ", ".join(numbers) + (" ..." if count > SHOWN else "")
            what = f"board {shown} is left out" if count == 1 else f"{count:,} boards are left out ({shown})"
            yield Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, f"{reason}: {what}")


def _print_line(settings: Settings, head: str, style: str, message: str) -> None:
    """Print a message on standard error, after a styled head such as ``warning``."""
    settings.err.print(Text.assemble((f"{head}: ", style), message), soft_wrap=True)
