"""The engine: a catalog of specs with their formats, and what recognises, reads, examines and writes by them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import fields, replace
from functools import lru_cache, partial
from pathlib import Path

from bridgespec.codec.format import Format, Output
from bridgespec.codec.including import with_included
from bridgespec.codec.origin import Again, FileOrigin
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import ReadError, SchemaWarning, UsageError
from bridgespec.examined import Report, report
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.recognise import UNKNOWN_FORMAT, Trial, other_format, recognise
from bridgespec.spec.catalog import Catalog
from bridgespec.spec.ir import Spec
from bridgespec.spec.store import Head

Folders = Iterable[str | os.PathLike[str]]
_UNSAID = tuple((one.name, getattr(Board(), one.name)) for one in fields(Board) if one.name not in ("number", "origin"))


class Engine:
    """A catalog of specs with their codecs and bindings, each made once.

    ``folders`` are searched before those that ``BRIDGESPEC_PATH``, installed packages and bridgespec itself provide.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.folders = tuple(os.fspath(folder) for folder in folders)
        self.catalog = Catalog(self.folders)
        self._formats: dict[str, Format] = {}
        self._unusable: set[str] = set()

    def spec(self, format: str) -> Spec:
        """The spec of a format; UsageError names the nearest one where there is none."""
        return self.catalog.load(format)

    def of(self, spec: Spec) -> Format:
        """The spec's codec and binding."""
        if spec.id not in self._formats:
            self._formats[spec.id] = Format(spec)
        return self._formats[spec.id]

    def recognise(self, name: str | None, data: bytes) -> Spec:
        """The spec of a file by its name and content; UsageError says which it could be, or that it is not any."""
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
        found = bool(document.boards) or document.system is not None or not self.of(report.spec).binder.terms
        return Trial(report.diagnostics, found, sure, len(document.boards))

    def _spec(self, data: bytes, format: str | None, path: str | None) -> Spec:
        return self.catalog.load(format) if format is not None else self.recognise(path, data)

    def _known(self, spec: Spec, document: Document, data: bytes, path: str | None, folders: Folders) -> Document:
        """A document that knows where it comes from, with what its system includes."""
        if isinstance(document.origin, FileOrigin):
            document.origin.path = path
            document.origin.sequence.again = Again(partial(_again, self.folders, spec.id, data))
        if document.system is not None and path is not None:
            beside = [Path(folder) for folder in folders]
            system = with_included(document.system, Path(path), beside, lambda data: self.of(spec).read(data)[1].system)
            document = replace(document, system=system)
        return document

    def load(self, data: bytes, format: str | None = None, path: str | None = None) -> Document:
        """The document in the data, as far as it can be read; ReadError where there is no record in it, or the name says one format
        and the content is plainly of another.
        """
        spec = self._spec(data, format, path)
        document = self._known(spec, self.of(spec).load(data), data, path, ())
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
        if document.system is not None or not self.of(spec).binder.terms:
            return True
        # A board is asked for one field after the other, so that one which is bound when touched need not be bound whole.
        return any(getattr(board, name) != unsaid for board in document.boards for name, unsaid in _UNSAID)

    def examine(self, data: bytes, format: str | None = None, path: str | None = None, folders: Folders = ()) -> Report:
        """Read, bind and check: nothing is raised for bad data, every problem is a finding.

        What a bidding system names is looked up beside ``path`` and in the folders; without a path it is not looked up.
        """
        return self._report(data, format, path, folders, True)

    def read(self, data: bytes, format: str | None = None, path: str | None = None, folders: Folders = ()) -> Report:
        """The same without the rules of the game: the findings are what could not be read."""
        return self._report(data, format, path, folders, False)

    def _report(self, data: bytes, format: str | None, path: str | None, folders: Folders, rules: bool) -> Report:
        spec = self._spec(data, format, path)
        reading, document = self.of(spec).read(data)
        document = self._known(spec, document, data, path, folders)
        found = report(spec, self.of(spec).binder.places, reading, document, path, rules)
        if format is None and path is not None:
            said, boards = found.diagnostics, len(document.boards)
            other = other_format(self.catalog.heads(), Head.of(spec), data, said, boards, self._attempt)
            if other is not None:
                return Report(spec, reading, document, (replace(other, path=path),))
        return found

    def spell(self, document: Document, format: str, canonical: bool = False, partial: bool = False, told: bool = True) -> Output:
        """The bytes of a document in a format, as `Format.spell`."""
        return self.of(self.spec(format)).spell(document, canonical, partial, told)


@lru_cache(maxsize=8)
def engine(folders: tuple[str, ...] = ()) -> Engine:
    """The engine of these folders of specs, made once."""
    return Engine(folders)


def _again(folders: tuple[str, ...], format: str, data: bytes) -> Document:
    """The document of a pickle; an empty one where its format is not known here."""
    known = engine(folders)
    try:
        return known.of(known.spec(format)).load(data)
    except UsageError:
        return Document()
