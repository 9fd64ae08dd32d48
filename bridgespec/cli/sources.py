"""Where the boards of a conversion come from, and what they become: formats and exporters.

A source is a file that is read at once, or a text that is read some records at a time.

`origin_of` chooses. Either gives its boards in `Batch`es, with what could not be read of them; a `Selection` takes some of them and
changes them on the way.
"""

from __future__ import annotations

import io
import mmap
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import BinaryIO

from bridgespec.api import join
from bridgespec.cli.examine import examine, shown_name
from bridgespec.cli.files import STDIO, opened, read, size_of, write
from bridgespec.cli.large import large_file, moved
from bridgespec.cli.pieces import board_pieces
from bridgespec.cli.pieces import chosen as chosen
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.render_marks import Source
from bridgespec.cli.settings import Settings
from bridgespec.cli.table_files import OTHERS, TABLES, require_arrow, table_document
from bridgespec.cli.transfer import Unread, tell_losses, tell_unread
from bridgespec.codec import pipeline
from bridgespec.codec.binding import EarlierRecords
from bridgespec.codec.byte_order import marked
from bridgespec.codec.format import Output
from bridgespec.codec.origin import FileOrigin
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.examined import place_of, unread
from bridgespec.export import Exporter
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from bridgespec.recognise import PROBE, by_name
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec

STRETCH = 1 << 15
"""Bytes of a text that are read together."""


SYSTEM = "system"
"""A whole bidding system; it is not a term of a board."""
Target = Spec | Exporter
"""What can be written: a format, or an exporter."""


def holds_systems(spec: Spec) -> bool:
    """Whether the format can hold a whole bidding system."""
    return isinstance(spec.text, Grammar) and any(rule.words.binding.term == SYSTEM for rule in spec.text.rules.values())


def target_of(settings: Settings, path: str, name: str | None) -> Target:
    """Return the target's format or exporter, by ``name`` if given, else by the extension; UsageError if it is unknown."""
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
    exporter = exporter_of(path)
    if exporter is not None:
        return exporter
    what = "standard output has no extension" if path == STDIO else f"{path}: no format has this extension"
    raise UsageError(f"{what}; name the format with --to (`bridgespec formats` lists them)")


def exporter_of(path: str) -> Exporter | None:
    """The exporter that the extension of a name means."""
    suffix = PurePath(path).suffix.lower()
    return next((exporter for exporter in OTHERS.values() if suffix and exporter.suffix == suffix), None)


def write_document(settings: Settings, document: Document, target: Target, dest: str) -> int:
    """Write a document that a command has made, report what is lost, and return the size; WriteError where a board is refused."""
    made = Output(target.dump(document)) if isinstance(target, Exporter) else settings.engine.spell(document, target.id)
    tell_losses(settings, made.findings, strict=False)
    write(dest, made.data)
    return len(made.data)


class EmptySource(UsageError):
    """A source in which there is neither a board nor a bidding system."""

    def __init__(self, shown: str, format: str) -> None:
        what = "`bridgespec dump` shows what it holds, `bridgespec validate` what is wrong with it"
        super().__init__(f"{shown}: there are no boards in it ({format}), and only boards are converted: {what}")


@dataclass(frozen=True)
class Batch:
    """Some boards of a source, with what could not be read of them; ``raw`` are their bytes where these are known, ``stop`` is the
    byte of the source where they end, and ``last`` says that none follow.
    """

    document: Document
    unread: tuple[Diagnostic, ...] = ()
    raw: bytes = b""
    stop: int = 0
    last: bool = True


@dataclass(frozen=True)
class Taken:
    """A source that was read whole: its name in messages, its format, and its document."""

    shown: str
    format: str
    document: Document = field(default_factory=Document)
    chosen: bool = False
    """Whether the boards that were chosen are there alone."""
    size: int = 0

    @property
    def words(self) -> str:
        """Its name with its format; of several sources those of each."""
        return f"{self.shown} ({self.format})" if self.format else self.shown

    def batches(self) -> Iterator[Batch]:
        """Return all of it."""
        yield Batch(self.document)


@dataclass(frozen=True)
class TextSource:
    """A text that is read some records at a time, each time it is asked for them; made by `text_source`.

    ``data`` is that of standard input. ``named``: its format is not for its content to tell.
    """

    settings: Settings
    path: str
    spec: Spec
    size: int
    named: bool
    data: bytes | None = None

    @property
    def shown(self) -> str:
        """Its name for people."""
        return shown_name(self.path)

    @property
    def format(self) -> str:
        """The name of its format."""
        return self.spec.id

    @property
    def words(self) -> str:
        """Its name with its format."""
        return f"{self.shown} ({self.format})"

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Its bytes as a file."""
        with opened(self.path) if self.data is None else nullcontext(io.BytesIO(self.data)) as file:
            yield file

    def batches(self) -> Iterator[Batch]:
        """Return some boards at a time, in memory that does not grow with the file."""
        known = self.settings.engine.of(self.spec)
        assert known.text is not None
        before: EarlierRecords | None = None
        with self.opened() as file:
            for stretch in known.text.stretches(file, STRETCH):
                reading = stretch.reading
                document = known.binder.document(reading, before=before)
                assert isinstance(document.origin, FileOrigin)
                before = document.origin.sequence.left()
                found = sorted(unread(self.spec, reading.diagnostics), key=place_of)
                placed = (moved(replace(one, path=self._path), stretch.offset, 0, "") for one in found)
                raw = reading.data[stretch.start : stretch.stop - stretch.offset]
                yield Batch(document, tuple(placed), raw, stretch.stop, stretch.last)
                document.origin.sequence.forget()

    @property
    def _path(self) -> str | None:
        return None if self.path == STDIO else self.path

    def becomes(self, target: Target, canonical: bool, edited: bool) -> bool:
        """Whether it can be written as a target some records at a time."""
        if not isinstance(target, Spec):
            return False
        engine = self.settings.engine
        binder, known = engine.of(self.spec).binder, engine.of(target)
        if self.spec.id == target.id and not canonical:
            return not edited
        return not pipeline.why_not_write(binder, known.binder, known.codec)

    def source(self) -> Source:
        """What its findings are drawn from."""
        if self.data is not None or not self.size:
            return Source(self.shown, self.data or b"", True)
        with self.opened() as file:
            return Source(self.shown, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), True)

    def about(self, errors: int, boards: int) -> list[Diagnostic]:
        """The errors about the text as a whole, which is read for them where there are many."""
        with self.opened() as file:
            data = file.read(-1 if errors > 2 * boards else PROBE)
        found = self.settings.engine.about(self.spec, data, errors, boards, None if self.named else self._path)
        return [replace(one, path=self._path) for one in found if one.severity is Severity.ERROR]


def text_source(settings: Settings, path: str, format: str | None, data: bytes | None = None) -> TextSource | None:
    """The text to be read some records at a time; None for any other source. ``data`` is that of standard input."""
    spec = settings.engine.spec(format) if format and format.lower() not in OTHERS else settings.engine.named(path)
    size = size_of(path) if data is None else len(data)
    if spec is None or spec.language != "lark" or size is None:
        return None
    known = settings.engine.of(spec)
    if known.text is None or pipeline.why_not_read(known.binder, known.text):
        return None
    source = TextSource(settings, path, spec, size, format is not None, data)
    with source.opened() as file:
        # A byte order mark, or UTF-16, is of the whole text.
        return None if marked(file.read(PROBE)) is not None else source


class Selection:
    """The boards that a conversion takes, by their numbers, and the declarer that it gives them."""

    def __init__(self, boards: Ranges | None = None, declarer: Seat | None = None) -> None:
        self.boards, self.declarer = boards, declarer
        self.numbers: list[int] = []

    def __bool__(self) -> bool:
        return self.boards is not None or self.declarer is not None

    def of(self, document: Document) -> Document:
        """Return the next boards, changed."""
        if self.boards is not None:
            document = self._chosen(document)
        if self.declarer is not None:
            document = replace(document, boards=tuple(replace(board, declarer=self.declarer) for board in document.boards))
        return document

    def _chosen(self, document: Document) -> Document:
        assert self.boards is not None
        kept = []
        for board in document.boards:
            self.numbers.append(board.number or len(self.numbers) + 1)
            if self.numbers[-1] in self.boards:
                kept.append(board)
        return replace(document, boards=tuple(kept))

    def check(self) -> None:
        """Raise UsageError for a part of the choice that no board was in."""
        absent = self.boards.missing(self.numbers) if self.boards is not None else []
        if absent:
            there = f"there are {min(self.numbers)} to {max(self.numbers)}" if self.numbers else "there are none"
            raise UsageError(f"no board {', '.join(absent)}: {there}")


def origin_of(
    settings: Settings, path: str, format: str | None, strict: bool, targets: Sequence[Target], canonical: bool, edit: Selection
) -> Taken | TextSource:
    """A source to be written in some formats: a text to be read some records at a time where all of them allow it."""
    data = read(path) if path == STDIO else None
    text = text_source(settings, path, format, data)
    if text is not None and all(text.becomes(target, canonical, bool(edit)) for target in targets):
        return text
    return source(settings, path, format, strict, edit.boards, data)


def source(
    settings: Settings, path: str, format: str | None, strict: bool = False, boards: Ranges | None = None, data: bytes | None = None
) -> Taken:
    """Read a source, or some of its boards, and report what cannot be read. No rule of the game is applied.

    UsageError if it has neither a board nor a system. With ``strict``, errors end the command with status 1. ``data`` is
    the content of standard input.
    """
    exporter = OTHERS.get(format.lower()) if format else None
    if format is None and not by_name(settings.heads, path):
        exporter = exporter_of(path)
    if exporter is not None and exporter.load is not None:
        if exporter.name in TABLES:
            document = table_document(settings, path, exporter.name, data)
        else:
            document = exporter.load(read(path) if data is None else data)
        if exporter.name in TABLES and not document.boards and document.system is None:
            raise EmptySource(shown_name(path), exporter.name)
        return Taken(shown_name(path), exporter.name, chosen(document, boards), boards is not None)
    if boards is None or large_file(settings, path, format) is None:
        examined = examine(settings, path, format, "--from", data, rules=False)
        document = chosen(examined.report.document, boards)
        tell_unread(settings, examined.source, Unread(examined.report.unread), strict)
        if examined.is_empty:
            raise EmptySource(examined.shown, examined.report.spec.id)
        return Taken(examined.shown, examined.report.spec.id, document, boards is not None)
    taken: list[Document] = []
    name = ""
    for piece, document in board_pieces(settings, path, format, boards, "--from"):
        tell_unread(settings, piece.source, Unread(piece.unread), strict)
        taken.append(document)
        name = piece.report.spec.id
    every = tuple(board for document in taken for board in document.boards)
    return Taken(shown_name(path), name, replace(taken[0], boards=every), True)


def joined(read: Sequence[Taken]) -> Taken:
    """Several sources that tell different things of the same boards, as one; UsageError as `join`."""
    return Taken(" + ".join(one.words for one in read), "", join([one.document for one in read]))
