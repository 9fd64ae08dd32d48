"""What ``convert``, ``join`` and ``split`` share: clean sources in, targets written whole, losses told."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, TypeVar

import click
from rich.text import Text

from bridgespec.cli.examine import examine, plural, shown_name
from bridgespec.cli.failures import BOARD
from bridgespec.cli.files import STDIO, read
from bridgespec.cli.pieces import board_pieces
from bridgespec.cli.pieces import chosen as chosen
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.render import print_diagnostic
from bridgespec.cli.render_marks import COLOURS, Source
from bridgespec.cli.settings import Settings
from bridgespec.cli.status import FINDINGS
from bridgespec.cli.table_files import OTHERS, TABLES, require_arrow, table_document
from bridgespec.codec.fill import CANNOT_HOLD
from bridgespec.codec.format import Output
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.export import Exporter
from bridgespec.model.document import Document
from bridgespec.recognise import by_name
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec

SHOWN = 10
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+")
_WANTED = ": expected "
"""In a message this precedes what could stand in place of a text. Without it, and without the texts that it quotes, findings of one
kind have one message.
"""
SYSTEM = "system"
"""A whole bidding system; it is not a term of a board."""
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


FORCE = click.option("--force", is_flag=True, hidden=True, expose_value=False, help="Has no effect: errors stop nothing.")
"""What could be read of a source with errors was once taken only on this option; commands that name it go on working."""


def transfer_options(command: Decorated) -> Decorated:
    """The options that every way of writing a format has."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Say nothing when all is well."),
        FORCE,
        click.option("--strict", is_flag=True, help="Write nothing where something cannot be read or cannot be held."),
        click.option("--canonical", is_flag=True, help="Spell everything anew, without the source's own padding."),
    ):
        command = option(command)
    return command


class EmptySource(UsageError):
    """A source in which there is neither a board nor a bidding system."""

    def __init__(self, shown: str, format: str) -> None:
        what = "`bridgespec dump` shows what it holds, `bridgespec validate` what is wrong with it"
        super().__init__(f"{shown}: there are no boards in it ({format}), and only boards are converted: {what}")


@dataclass(frozen=True)
class Taken:
    """A source as it was taken: its name for people, its format, and what it says."""

    shown: str
    format: str
    document: Document = field(default_factory=Document)


Target = Spec | Exporter
"""What can be written: a format, or an exporter."""


def source(settings: Settings, path: str, format: str | None, strict: bool = False, boards: Ranges | None = None) -> Taken:
    """A source, or some boards of it, as far as it can be read; what cannot is said. No rule of the game is applied.

    UsageError where there is no board in it and no system. With ``strict``, errors end the command with status 1.
    """
    exporter = OTHERS.get(format.lower()) if format else None
    if format is None and not by_name(settings.heads, path):
        exporter = _exporter_of(path)
    if exporter is not None and exporter.load is not None:
        document = exporter.load(read(path)) if exporter.name not in TABLES else table_document(settings, path, exporter.name)
        if exporter.name in TABLES and not document.boards and document.system is None:
            raise EmptySource(shown_name(path), exporter.name)
        return Taken(shown_name(path), exporter.name, chosen(document, boards))
    if boards is None:
        examined = examine(settings, path, format, "--from", rules=False)
        tell_unread(settings, examined.source, examined.report.unread, strict)
        if examined.is_empty:
            raise EmptySource(examined.shown, examined.report.spec.id)
        return Taken(examined.shown, examined.report.spec.id, examined.report.document)
    taken: list[Document] = []
    name = ""
    for piece, document in board_pieces(settings, path, format, boards, "--from"):
        tell_unread(settings, piece.source, piece.unread, strict)
        taken.append(document)
        name = piece.report.spec.id
    every = tuple(board for document in taken for board in document.boards)
    return Taken(shown_name(path), name, replace(taken[0], boards=every))


def tell_unread(
    settings: Settings, source: Source, errors: Sequence[Diagnostic], strict: bool = False, count: int | None = None
) -> None:
    """Show of each kind of error of a source the first, with the count of the kind: as warnings, whatever their own severity; with
    ``strict`` they are errors, and the command ends with status 1.

    ``count`` is how many there are, where not all are given.
    """
    count = len(errors) if count is None else count
    kinds: dict[tuple[str, str], list[Diagnostic]] = {}
    for found in errors:
        kinds.setdefault((found.code, _QUOTED.sub("", found.message.partition(_WANTED)[0])), []).append(found)
    for first, *rest in list(kinds.values())[:SHOWN]:
        message = first.message + (f" ({plural(len(rest), 'more value')} like this)" if rest else "")
        severity = Severity.ERROR if strict else Severity.WARNING
        print_diagnostic(settings.err, replace(first, severity=severity, message=message), source)
    if not errors:
        return
    more = " (the first of each kind is shown, `bridgespec validate` shows all)" if count > len(kinds) or len(kinds) > SHOWN else ""
    said = f"{source.path}: {plural(count, 'place')} could not be read{more}"
    if strict:
        _say(settings, "error", "bold red", f"{said}; nothing was written, because of --strict")
        raise click.exceptions.Exit(FINDINGS)
    _say(settings, "warning", "bold yellow", f"{said}; the rest is taken as it stands")


def holds_systems(spec: Spec) -> bool:
    """Whether the format can hold a whole bidding system."""
    return isinstance(spec.text, Grammar) and any(rule.words.binding.term == SYSTEM for rule in spec.text.rules.values())


def target_of(settings: Settings, path: str, name: str | None) -> Target:
    """What is to be written: as it is named, else by the extension; UsageError where neither tells it."""
    target = _named(settings, name) if name is not None else _by_name(settings, path)
    if not isinstance(target, Spec):
        require_arrow(target=target.name)
    binary = target.language == "ksy" if isinstance(target, Spec) else target.name in TABLES
    if path == STDIO and binary and sys.stdout.isatty():
        name = target.id if isinstance(target, Spec) else target.name
        raise UsageError(f"{name} is a binary format; send standard output to a file or a program")
    return target


def _named(settings: Settings, name: str) -> Target:
    formats = {head.id for head in settings.heads}
    return OTHERS[name.lower()] if name.lower() in OTHERS.keys() - formats else settings.engine.spec(name)


def _by_name(settings: Settings, path: str) -> Target:
    found = by_name(settings.heads, path)
    if len(found) == 1:
        return settings.engine.spec(found[0].id)
    if found:
        names = " or ".join(spec.id for spec in found)
        raise UsageError(f"{shown_name(path)}: its extension may mean {names}; name one with --to")
    exporter = _exporter_of(path)
    if exporter is not None:
        return exporter
    what = "standard output has no extension" if path == STDIO else f"{path}: no format has this extension"
    raise UsageError(f"{what}; name the format with --to (`bridgespec formats` lists them)")


def _exporter_of(path: str) -> Exporter | None:
    suffix = PurePath(path).suffix.lower()
    return next((exporter for exporter in OTHERS.values() if suffix and exporter.suffix == suffix), None)


def tell_losses(settings: Settings, findings: Iterable[Diagnostic], strict: bool) -> None:
    """Say what the target cannot hold; with ``strict`` the command ends there with status 1."""
    listed = list(findings)
    for found in listed:
        _say(settings, f"{found.severity}[{found.code}]", COLOURS[found.severity], found.message)
    if strict and any(found.severity is not Severity.NOTE for found in listed):
        _say(settings, "error", "bold red", "nothing was written, because of --strict")
        raise click.exceptions.Exit(FINDINGS)


def lost_to_all(lost: Sequence[Sequence[Diagnostic]]) -> list[Diagnostic]:
    """What several targets all leave out: the findings of the first whose words, its own name left out, all others have."""
    first, *others = lost
    kinds = [{found.message.partition(" ")[2] for found in other} for other in others]
    return [found for found in first if all(found.message.partition(" ")[2] in other for other in kinds)]


def tell_written(settings: Settings, sources: Iterable[Taken], path: str, target: Target, boards: int, size: int) -> None:
    """One line about a file that was written."""
    taken = list(sources)
    names = " + ".join(f"{one.shown} ({one.format})" for one in taken)
    tables = [one.document.system for one in taken if one.document.system is not None]
    held = plural(boards, "board") if boards or not tables else plural(len(tables[0].records), "record")
    name = target.id if isinstance(target, Spec) else target.name
    text = Text.assemble(f"{names} -> ", (shown_name(path) if path != STDIO else "<stdout>", "bold"), f" ({name}): ")
    settings.err.print(text.append(f"{held}, {plural(size, 'byte')}"), soft_wrap=True)


def spelled(settings: Settings, document: Document, target: Target, canonical: bool, partial: bool = False) -> Output:
    """The document as the target spells it; with ``partial`` without the boards that it cannot hold.

    WriteError where a board cannot be held, or none of them.
    """
    if isinstance(target, Exporter):
        return Output(target.dump(document))
    return settings.engine.spell(document, target.id, canonical, partial)


class LeftOut:
    """Boards that a target cannot hold: how many for each reason, and the numbers of the first."""

    def __init__(self) -> None:
        self.count = 0
        self._reasons: dict[str, tuple[int, list[str]]] = {}

    def add(self, refused: Iterable[Diagnostic], number_of: Callable[[int], int | None]) -> None:
        """Take in errors of records, whose boards may have numbers."""
        for found in refused:
            at = found.record or 0
            number = number_of(at)
            count, numbers = self._reasons.get(reason := BOARD.sub("", found.message), (0, []))
            if count < SHOWN:
                numbers.append(str(at + 1 if number is None else number))
            self._reasons[reason] = count + 1, numbers
            self.count += 1

    def __iter__(self) -> Iterator[Diagnostic]:
        """An error for each reason."""
        for reason, (count, numbers) in self._reasons.items():
            shown = ", ".join(numbers) + (" ..." if count > SHOWN else "")
            what = f"board {shown} is left out" if count == 1 else f"{count:,} boards are left out ({shown})"
            yield Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, f"{reason}: {what}")


def left_out(document: Document, output: Output) -> LeftOut:
    """The boards of a document that were left out."""
    found = LeftOut()
    found.add(output.refused, lambda at: document.boards[at].number)
    return found


def _say(settings: Settings, head: str, style: str, message: str) -> None:
    settings.err.print(Text.assemble((f"{head}: ", style), message), soft_wrap=True)
