"""The way through: file -> spec -> codec -> binding -> model -> rules -> report or writer, and back.

Everything a caller needs stands in the package's own namespace; the commands use the same functions.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, partial
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from bridgespec.codec.bind import Binder
from bridgespec.codec.including import with_included
from bridgespec.codec.node import Reading
from bridgespec.codec.origin import FileOrigin
from bridgespec.codec.problems import MOST, TOO_MANY, closing
from bridgespec.diagnostic import Diagnostic, Label, Severity, Span
from bridgespec.errors import ReadError, SchemaWarning, UsageError
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.model.system import System
from bridgespec.recognise import UNKNOWN_FORMAT, Trial, UnrecognisedError, other_format, recognise
from bridgespec.rules import Finding, findings
from bridgespec.spec.catalog import Catalog
from bridgespec.spec.ir import Spec
from bridgespec.spec.store import Head
from bridgespec.writing import read_whole, written

if TYPE_CHECKING:
    from bridgespec.codec import losses as losing
    from bridgespec.codec import written as writing
    from bridgespec.codec.binary import codec as binary
    from bridgespec.codec.binary.codec import BinaryCodec
    from bridgespec.codec.text import codec as text
    from bridgespec.codec.text.codec import TextCodec
else:
    # A file is of one language: the other's reader is not imported for it, nor what writes it before it is written.
    losing, writing = Lazy("bridgespec.codec.losses"), Lazy("bridgespec.codec.written")
    binary, text = Lazy("bridgespec.codec.binary.codec"), Lazy("bridgespec.codec.text.codec")

Source = str | os.PathLike[str] | bytes
Folders = Iterable[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Report:
    """A file examined: its spec, its tree, its document, and every finding in file order.

    ``proposed`` holds what the rules would do about findings, by their index in ``diagnostics``.
    """

    spec: Spec
    reading: Reading
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    proposed: Mapping[int, Finding] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings of severity error."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Output:
    """A document spelled in a format: the bytes, and what the format could not hold (warnings with code ``lost``)."""

    data: bytes
    findings: tuple[Diagnostic, ...] = field(default_factory=tuple)
    again: int = 0
    """Boards that were not written because their deal was: another room's."""
    refused: tuple[Diagnostic, ...] = ()
    """The reason for each board that was left out, where that was allowed."""


class Engine:
    """A catalog of specs with their codecs and bindings, each made once.

    ``folders`` are searched before those that ``BRIDGESPEC_PATH``, installed packages and bridgespec itself provide.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.catalog = Catalog(tuple(Path(folder) for folder in folders))
        self._codecs: dict[str, BinaryCodec | TextCodec] = {}
        self._binders: dict[str, Binder] = {}
        self._unusable: set[str] = set()

    def spec(self, format: str) -> Spec:
        """The spec of a format; UsageError names the nearest one where there is none."""
        return self.catalog.load(format)

    def codec(self, spec: Spec) -> BinaryCodec | TextCodec:
        """The spec's codec."""
        if spec.id not in self._codecs:
            self._codecs[spec.id] = binary.BinaryCodec(spec) if spec.language == "ksy" else text.TextCodec(spec)
        return self._codecs[spec.id]

    def binder(self, spec: Spec) -> Binder:
        """The spec's binding to the model."""
        if spec.id not in self._binders:
            self._binders[spec.id] = Binder(spec)
        return self._binders[spec.id]

    def recognise(self, name: str | None, data: bytes) -> Spec:
        """The spec of a file by its name and content; UsageError says which it could be, or that it is none."""
        return self.spec(recognise(self.catalog.heads(), name, data, self._attempt).id)

    def _attempt(self, head: Head, data: bytes) -> Trial:
        try:
            report = self.examine(data, head.id)
        except Exception as error:
            # One schema must not keep the others from being tried, whatever is wrong with it.
            if head.id not in self._unusable:
                self._unusable.add(head.id)
                told = f"{head.path}: it cannot be used: {type(error).__name__}: {error}; this schema is left out"
                warnings.warn(told, SchemaWarning, stacklevel=2)
            return Trial((Diagnostic(UNKNOWN_FORMAT.name, UNKNOWN_FORMAT.severity, str(error)),), False, False)
        document = report.document
        deals = (board.deal.holders for board in document.boards if board.deal is not None)
        sure = document.system is not None or any(all(holders.count(seat) == 13 for seat in range(4)) for holders in deals)
        found = bool(document.boards) or document.system is not None or not self.binder(report.spec).terms
        return Trial(report.diagnostics, found, sure, len(document.boards))

    def _read(
        self,
        data: bytes,
        format: str | None,
        path: str | None,
        folders: Iterable[str | os.PathLike[str]] = (),
        later: bool = False,
    ) -> tuple[Spec, Reading, Document]:
        spec = self.spec(format) if format is not None else self.recognise(path, data)
        codec, binder = self.codec(spec), self.binder(spec)
        if _is_text(codec, spec):
            reading = codec.split(data) if later else codec.read(data)
            document = binder.untouched(reading, codec.engine, partial(codec.read, data) if later else None)
        else:
            reading = codec.read(data)
            document = binder.document(reading)
        if isinstance(document.origin, FileOrigin):
            document.origin.path = path
        if document.system is not None and path is not None:
            beside = [Path(folder) for folder in folders]
            system = with_included(document.system, Path(path), beside, lambda data: self._system(spec, data))
            document = replace(document, system=system)
        return spec, reading, document

    def load(self, data: bytes, format: str | None = None, path: str | None = None) -> Document:
        """The document in the data, as far as it can be read; ReadError where there is no record in it, or the name says one format
        and the content is plainly of another.
        """
        spec, _, document = self._read(data, format, path, later=True)
        if not self.says_something(spec, document):
            where = f"{path}: " if path is not None else ""
            found = document.findings
            if format is None and path is not None:
                other = other_format(self.catalog.heads(), Head.of(spec), data, found, len(document.boards), self._attempt)
                found = found if other is None else (replace(other, path=path),)
            errors = tuple(d for d in found if d.severity is Severity.ERROR)
            if errors:
                raise ReadError(where + errors[0].message, errors)
            if not document.boards:
                raise ReadError(f"{where}there is no record of {spec.title} in it", tuple(found))
        return document

    def says_something(self, spec: Spec, document: Document) -> bool:
        """Whether the document holds a board of which more is known than its number, or a system.

        A format without bridge meaning has neither and is taken as it is.
        """
        if document.system is not None or not self.binder(spec).terms:
            return True
        # A board is asked for one field after the other, so that one which is bound when touched need not be bound whole.
        return any(getattr(board, name) != unsaid for board in document.boards for name, unsaid in _UNSAID)

    def examine(
        self, data: bytes, format: str | None = None, path: str | None = None, folders: Iterable[str | os.PathLike[str]] = ()
    ) -> Report:
        """Read, bind and check: nothing is raised for bad data, every problem is a finding.

        What a bidding system names is looked up beside ``path`` and in the folders; without a path it is not looked up.
        """
        return self._report(data, format, path, folders, True)

    def read(
        self, data: bytes, format: str | None = None, path: str | None = None, folders: Iterable[str | os.PathLike[str]] = ()
    ) -> Report:
        """The same without the rules of the game: the findings are what could not be read."""
        return self._report(data, format, path, folders, False)

    def _report(
        self, data: bytes, format: str | None, path: str | None, folders: Iterable[str | os.PathLike[str]], rules: bool
    ) -> Report:
        spec, reading, document = self._read(data, format, path, folders)
        found: list[tuple[Diagnostic, Finding | None]] = [
            (replace(d, path=path), None) for d in reading.diagnostics if d.code != TOO_MANY.name
        ]
        dropped = 0
        if rules:
            judged, dropped = self._judged(self.binder(spec), document, errors_by_record(reading), path)
            found += judged
        found += ((d, None) for d in closing(reading.dropped + dropped))
        found.sort(key=lambda pair: _place(pair[0]))
        diagnostics = tuple(d for d, _ in found)
        if format is None and path is not None:
            other = other_format(self.catalog.heads(), Head.of(spec), data, diagnostics, len(document.boards), self._attempt)
            if other is not None:
                return Report(spec, reading, document, (replace(other, path=path),))
        proposed = {index: rule for index, (_, rule) in enumerate(found) if rule is not None and rule.fix is not None}
        return Report(spec, reading, document, diagnostics, proposed)

    def _judged(
        self, binder: Binder, document: Document, unread: dict[int, list[Diagnostic]], path: str | None
    ) -> tuple[list[tuple[Diagnostic, Finding | None]], int]:
        """What the rules find, with its places, and how much more; where there is more than can be read, of each code."""
        said = findings(document)
        if len(said) > MOST:
            said = _in_turn(said)
        found: list[tuple[Diagnostic, Finding | None]] = []
        for index, finding in enumerate(said):
            if len(found) >= MOST:
                return found, len(said) - index
            if finding.stated is not None and not _stated(binder.places.spans(document, finding.board, finding.stated)):
                continue
            one = self._diagnostic(binder, document, finding, path)
            if not follows(one, unread):
                found.append((one, finding))
        return found, 0

    def _system(self, spec: Spec, data: bytes) -> System | None:
        return self.binder(spec).document(self.codec(spec).read(data)).system

    def _back(self, spec: Spec, data: bytes) -> Document:
        codec, binder = self.codec(spec), self.binder(spec)
        return binder.untouched(codec.split(data), codec.engine) if _is_text(codec, spec) else binder.document(codec.read(data))

    @staticmethod
    def _diagnostic(binder: Binder, document: Document, finding: Finding, path: str | None) -> Diagnostic:
        where, span = binder.places.place(document, finding.board, finding.at)
        labels = tuple(
            Label(spans[0], text)
            for place, text in finding.labels
            if (spans := binder.places.spans(document, finding.board, place)) and spans[0] != span
        )
        return Diagnostic(finding.code, finding.severity, finding.message, path, finding.board, where, span, labels, finding.help)

    def spell(self, document: Document, format: str, canonical: bool = False, partial: bool = False, told: bool = True) -> Output:
        """The bytes of a document in a format; WriteError where it cannot be held, with every reason.

        With ``partial``, boards that cannot be held are left out, unless that is so of all. With ``told`` it is told what was lost.
        """
        spec = self.spec(format)
        binder, codec = self.binder(spec), self.codec(spec)
        once = document if binder.terms & _PLAYED else _without_second_rooms(document)
        again = len(document.boards) - len(once.boards)
        writer = writing.Writer(binder, codec, codec.write if _is_text(codec, spec) else lambda it, _: codec.write(it), canonical)
        done = writer.in_part(once) if partial else writing.Written(writer.whole(once), once)
        lost = losing.losses(binder, done.document, lambda: self._back(spec, done.data), canonical) if told else []
        if again:
            what = f"{again} board{'s' * (again > 1)} of another room with the same deal: each deal is written once"
            lost.insert(0, Diagnostic(losing.LOST.name, losing.LOST.severity, f"{spec.id} cannot hold {what}"))
        places = {id(board): place for place, board in enumerate(document.boards)}
        refused = tuple(replace(one, record=places[id(once.boards[one.record or 0])]) for one in done.refused)
        return Output(done.data, tuple(lost), again, refused)


def _is_text(codec: BinaryCodec | TextCodec, spec: Spec) -> TypeGuard[TextCodec]:
    return spec.language == "lark"


_UNSAID = tuple((one.name, getattr(Board(), one.name)) for one in fields(Board) if one.name not in ("number", "origin"))
_PLAYED = frozenset({"auction", "play", "contract", "declarer", "result", "score", "players"})
"""What may differ where one deal is played in two rooms."""


def _without_second_rooms(document: Document) -> Document:
    """The document with each deal once that stands in two rooms under one number."""
    seen: dict[tuple[object, object], str] = {}
    kept = []
    for board in document.boards:
        if board.room is None or board.deal is None or seen.setdefault((board.number, board.deal), board.room) == board.room:
            kept.append(board)
    return document if len(kept) == len(document.boards) else replace(document, boards=tuple(kept))


_GRAVITY = {severity: index for index, severity in enumerate(Severity)}


def _in_turn(said: Iterable[Finding]) -> list[Finding]:
    """The gravest first, and among equals the first of each code, then the second of each: none crowds out the others."""
    turns: Counter[str] = Counter()
    keyed: list[tuple[int, int, Finding]] = []
    for finding in said:
        turns[finding.code] += 1
        keyed.append((_GRAVITY[finding.severity], turns[finding.code], finding))
    return [finding for *_, finding in sorted(keyed, key=itemgetter(0, 1))]


def _stated(spans: Iterable[Span]) -> bool:
    """Whether anything stands at one of the spans."""
    return any(span.stop > span.start for span in spans)


def _place(found: Diagnostic) -> float:
    """Where a finding stands among others: findings about the whole file first, the note that there are more last."""
    if found.span is not None:
        return found.span.start
    return inf if found.code == TOO_MANY.name else -1


def errors_by_record(reading: Reading) -> dict[int, list[Diagnostic]]:
    """What could not be read, by record."""
    errors: dict[int, list[Diagnostic]] = {}
    for d in reading.diagnostics:
        if d.severity is Severity.ERROR and d.record is not None:
            errors.setdefault(d.record, []).append(d)
    return errors


def follows(finding: Diagnostic, unread: dict[int, list[Diagnostic]]) -> bool:
    """Whether what a rule found only follows from a part of the same record that could not be read."""
    span = finding.span
    for d in unread.get(finding.record, ()) if finding.record is not None else ():
        if d.code == "truncated":
            return True
        if span is not None and d.span is not None and d.span.start < span.stop and span.start < d.span.stop:
            return True
    return False


@lru_cache(maxsize=8)
def engine(folders: tuple[str, ...] = ()) -> Engine:
    """The engine of these folders of specs, made once."""
    return Engine(folders)


def _read(source: Source) -> tuple[bytes, str | None]:
    if isinstance(source, bytes):
        return source, None
    return read_whole(source), os.fspath(source)


def _known(specs: Folders) -> Engine:
    return engine(tuple(os.fspath(folder) for folder in specs))


def formats(*, specs: Folders = ()) -> list[Spec]:
    """Every known format, by name; ``specs`` are folders of further schemas, here and below.

    >>> len({spec.id for spec in formats()}) == len(formats()) > 8
    True
    """
    return list(_known(specs).catalog.all())


def loads(data: bytes, format: str | None = None, *, specs: Folders = ()) -> Document:
    """The document in some bytes, as far as it can be read.

    What cannot be read is None in the model and kept for writing it back; `Document.findings` says what it was. Rules of the game
    are not applied: `check` does that. ReadError where no record is found, UsageError where no format fits.

    >>> board, = loads(b'[Board "7"]\\n[Dealer "Q"]\\n[Vulnerable "None"]\\n', "pbn").boards
    >>> board.number, board.dealer, board.vulnerability.name
    (7, None, 'NONE')
    """
    return _known(specs).load(data, format)


def load(path: str | os.PathLike[str], format: str | None = None, *, specs: Folders = ()) -> Document:
    """The document in a file, as `loads`; OSError where the file cannot be read."""
    data, name = _read(path)
    return _known(specs).load(data, format, name)


def dumps(document: Document, format: str, canonical: bool = False, *, specs: Folders = ()) -> bytes:
    """The bytes of a document in a format; what was read in that format and not changed comes out byte for byte."""
    return _known(specs).spell(document, format, canonical).data


def dump(
    document: Document,
    path: str | os.PathLike[str],
    format: str | None = None,
    canonical: bool = False,
    *,
    specs: Folders = (),
) -> tuple[Diagnostic, ...]:
    """Write a document to a file, whole or not at all; returns what the format could not hold."""
    known = _known(specs)
    if format is None:
        named = known.catalog.by_extension(Path(path).suffix.lstrip("."))
        if len(named) != 1:
            raise UsageError(f"{os.fspath(path)}: which format? Name it with format=")
        format = named[0].id
    output = known.spell(document, format, canonical)
    write_file(path, [output.data])
    return output.findings


def check(source: Source, format: str | None = None, *, specs: Folders = ()) -> list[Diagnostic]:
    """Every finding about a file or some bytes, in file order; bad data never raises.

    >>> [d.code for d in check(b"\\x99" * 12, "zdd")]
    ['truncated']
    """
    data, name = _read(source)
    known = _known(specs)
    try:
        return list(known.examine(data, format, name).diagnostics)
    except UnrecognisedError as error:
        return [Diagnostic(UNKNOWN_FORMAT.name, UNKNOWN_FORMAT.severity, str(error), name, span=Span.of_bytes(0, 0))]


def write_file(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write chunks to a file, whole or not at all: an exception leaves the target as it was."""
    with written(path) as file:
        file.writelines(chunks)


def join(documents: Sequence[Document]) -> Document:
    """One document of several that tell different things of the same boards, in order (deals and their results).

    UsageError where the numbers of boards differ, or two documents say different things of one board.
    """
    counts = {len(document.boards) for document in documents}
    if len(counts) != 1:
        raise UsageError("the sources have different numbers of boards: " + ", ".join(str(len(d.boards)) for d in documents))
    first, *others = documents
    boards = []
    for index, board in enumerate(first.boards):
        for other in others:
            theirs = other.boards[index]
            for name in ("deal", "tricks", "auction", "play", "contract", "result", "declarer"):
                value = getattr(theirs, name)
                if value is None:
                    continue
                mine = getattr(board, name)
                if mine is not None and mine != value:
                    raise UsageError(f"the sources disagree about the {name} of board {index + 1}")
                board = replace(board, **{name: value})
        boards.append(board)
    return replace(first, boards=tuple(boards))
