"""The way through: file -> spec -> codec -> binding -> model -> rules -> report or writer, and back.

Everything a caller needs stands in the package's own namespace; the commands use the same functions.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf
from operator import itemgetter
from pathlib import Path

from bridgespec.codec.binary import BinaryCodec
from bridgespec.codec.binary_problems import MOST, TOO_MANY, closing
from bridgespec.codec.bind import Binder
from bridgespec.codec.fill import LOST, Filler, matcher
from bridgespec.codec.losses import losses
from bridgespec.codec.node import Reading
from bridgespec.codec.text import TextCodec
from bridgespec.diagnostic import Diagnostic, Label, Severity, Span
from bridgespec.errors import ReadError, UsageError, WriteError
from bridgespec.including import with_included
from bridgespec.model.document import Document
from bridgespec.model.system import System
from bridgespec.recognise import Trial, other_format, recognise
from bridgespec.rules import Finding, findings
from bridgespec.spec.catalog import Catalog
from bridgespec.spec.ir import Spec
from bridgespec.writing import written

Source = str | os.PathLike[str] | bytes


@dataclass(frozen=True, slots=True)
class Report:
    """A file examined: its spec, its tree, its document, and every finding in file order."""

    spec: Spec
    reading: Reading
    document: Document
    diagnostics: tuple[Diagnostic, ...]

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


class Engine:
    """A catalog of specs with their codecs and bindings, each made once.

    ``folders`` are searched before those that ``BRIDGESPEC_PATH``, installed packages and bridgespec itself provide.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.catalog = Catalog(tuple(Path(folder) for folder in folders))
        self._codecs: dict[str, BinaryCodec | TextCodec] = {}
        self._binders: dict[str, Binder] = {}

    def spec(self, format: str) -> Spec:
        """The spec of a format; UsageError names the nearest one where there is none."""
        return self.catalog.load(format)

    def codec(self, spec: Spec) -> BinaryCodec | TextCodec:
        """The spec's codec."""
        if spec.id not in self._codecs:
            self._codecs[spec.id] = BinaryCodec(spec) if spec.language == "ksy" else TextCodec(spec)
        return self._codecs[spec.id]

    def binder(self, spec: Spec) -> Binder:
        """The spec's binding to the model."""
        if spec.id not in self._binders:
            self._binders[spec.id] = Binder(spec)
        return self._binders[spec.id]

    def recognise(self, name: str | None, data: bytes) -> Spec:
        """The spec of a file by its name and content; UsageError says which it could be, or that it is none."""
        return recognise(self.catalog.all(), name, data, self._attempt)

    def _attempt(self, spec: Spec, data: bytes) -> Trial:
        report = self.examine(data, spec.id)
        document = report.document
        deals = (board.deal.holders for board in document.boards if board.deal is not None)
        sure = document.system is not None or any(all(holders.count(seat) == 13 for seat in range(4)) for holders in deals)
        found = bool(document.boards) or document.system is not None or not self.binder(spec).terms
        return Trial(report.diagnostics, found, sure)

    def examine(
        self, data: bytes, format: str | None = None, path: str | None = None, folders: Iterable[str | os.PathLike[str]] = ()
    ) -> Report:
        """Read, bind and check: nothing is raised for bad data, every problem is a finding.

        What a bidding system names is looked up beside ``path`` and in the folders; without a path it is not looked up.
        """
        spec = self.spec(format) if format is not None else self.recognise(path, data)
        reading = self.codec(spec).read(data)
        binder = self.binder(spec)
        document = binder.document(reading)
        if document.system is not None and path is not None:
            beside = [Path(folder) for folder in folders]
            system = with_included(document.system, Path(path), beside, lambda data: self._system(spec, data))
            document = replace(document, system=system)
        found = [replace(d, path=path) for d in reading.diagnostics if d.code != TOO_MANY.name]
        judged, dropped = self._judged(binder, document, errors_by_record(reading), path)
        found += judged + closing(reading.dropped + dropped)
        found.sort(key=_place)
        if format is None and path is not None:
            other = other_format(self.catalog.all(), spec, data, found, len(document.boards), self._attempt)
            found = found if other is None else [replace(other, path=path)]
        return Report(spec, reading, document, tuple(found))

    def _judged(
        self, binder: Binder, document: Document, unread: dict[int, list[Diagnostic]], path: str | None
    ) -> tuple[list[Diagnostic], int]:
        """What the rules find, with its places, and how much more; where there is more than can be read, of each code."""
        said = findings(document)
        if len(said) > MOST:
            said = _in_turn(said)
        found: list[Diagnostic] = []
        for index, finding in enumerate(said):
            if len(found) >= MOST:
                return found, len(said) - index
            if finding.stated is not None and not _stated(binder.spans(document, finding.board, finding.stated)):
                continue
            one = self._diagnostic(binder, document, finding, path)
            if not follows(one, unread):
                found.append(one)
        return found, 0

    def _system(self, spec: Spec, data: bytes) -> System | None:
        return self.binder(spec).document(self.codec(spec).read(data)).system

    @staticmethod
    def _diagnostic(binder: Binder, document: Document, finding: Finding, path: str | None) -> Diagnostic:
        where, span = binder.place(document, finding.board, finding.at)
        labels = tuple(
            Label(spans[0], text)
            for place, text in finding.labels
            if (spans := binder.spans(document, finding.board, place)) and spans[0] != span
        )
        return Diagnostic(finding.code, finding.severity, finding.message, path, finding.board, where, span, labels, finding.help)

    def spell(self, document: Document, format: str, canonical: bool = False) -> Output:
        """The bytes of a document in a format; WriteError where it cannot be held, with every reason."""
        spec = self.spec(format)
        binder, codec = self.binder(spec), self.codec(spec)
        filler = Filler(binder, matcher(codec), canonical)
        once = document if binder.terms & _PLAYED else _without_second_rooms(document)
        filled = filler.fill(once)
        again = len(document.boards) - len(once.boards)
        if again:
            what = f"{again} board{'s' * (again > 1)} of another room with the same deal: each deal is written once"
            filled.findings.append(Diagnostic(LOST.name, LOST.severity, f"{spec.id} cannot hold {what}"))
        fatal = tuple(d for d in filled.findings if d.severity is Severity.ERROR)
        if fatal:
            raise WriteError(fatal[0].message + (f" (and {len(fatal) - 1} more)" if len(fatal) > 1 else ""), fatal)
        data = codec.write(filled.values, filled.origin) if isinstance(codec, TextCodec) else codec.write(filled.values)
        filled.findings.extend(losses(binder, once, lambda: binder.document(codec.read(data)), canonical))
        return Output(data, tuple(filled.findings), again)


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
    return Path(source).read_bytes(), os.fspath(source)


def formats() -> list[Spec]:
    """Every known format, by name.

    >>> len({spec.id for spec in formats()}) == len(formats()) > 8
    True
    """
    return list(engine().catalog.all())


def loads(data: bytes, format: str | None = None) -> Document:
    """The document in some bytes; ReadError holds the findings where there are errors."""
    report = engine().examine(data, format)
    if report.errors:
        raise ReadError(report.errors[0].message, report.errors)
    return report.document


def load(path: str | os.PathLike[str], format: str | None = None) -> Document:
    """The document in a file; ReadError holds the findings where there are errors, OSError where it cannot be read."""
    data, name = _read(path)
    report = engine().examine(data, format, name)
    if report.errors:
        raise ReadError(f"{name}: {report.errors[0].message}", report.errors)
    return report.document


def dumps(document: Document, format: str, canonical: bool = False) -> bytes:
    """The bytes of a document in a format; what was read in that format and not changed comes out byte for byte."""
    return engine().spell(document, format, canonical).data


def dump(
    document: Document, path: str | os.PathLike[str], format: str | None = None, canonical: bool = False
) -> tuple[Diagnostic, ...]:
    """Write a document to a file, whole or not at all; returns what the format could not hold."""
    if format is None:
        named = engine().catalog.by_extension(Path(path).suffix.lstrip("."))
        if len(named) != 1:
            raise UsageError(f"{os.fspath(path)}: which format? Name it with format=")
        format = named[0].id
    output = engine().spell(document, format, canonical)
    write_file(path, [output.data])
    return output.findings


def check(source: Source, format: str | None = None) -> list[Diagnostic]:
    """Every finding about a file or some bytes, in file order; bad data never raises.

    >>> [d.code for d in check(b"\\x99" * 12, "zdd")]
    ['truncated']
    """
    data, name = _read(source)
    return list(engine().examine(data, format, name).diagnostics)


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
