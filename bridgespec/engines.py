"""The engine: a catalog of specs with their formats, which recognises, reads, checks and writes files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from bridgespec.codec.format import Format, Output
from bridgespec.codec.including import with_included
from bridgespec.codec.origin import Excerpt, FileOrigin, Rereading
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import ReadError, SchemaWarning, UsageError
from bridgespec.evidence import UNREAD, FormatTrial, ReadFile, has_content, records, trial
from bridgespec.examined import Report, report
from bridgespec.model.document import Document
from bridgespec.recognise import by_name, identified, matched, other_format
from bridgespec.spec.catalog import PATH_VARIABLE, Catalog, FolderState, state_of
from bridgespec.spec.ir import Spec
from bridgespec.spec.store import Head

Folders = Iterable[str | os.PathLike[str]]
"""Paths of folders with schemas."""


class Engine:
    """A catalog of specs with their codecs and bindings, each made once. `engine` keeps one for each list of folders.

    ``folders`` are searched before those that ``BRIDGESPEC_PATH``, installed packages and bridgespec itself provide.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.folders = tuple(os.fspath(folder) for folder in folders)
        self.catalog = Catalog(self.folders)
        self._formats: dict[str, Format] = {}
        self._unusable: set[str] = set()

    def spec(self, format: str) -> Spec:
        """Return the spec of a format. Raises UsageError, which names the nearest one, where there is none."""
        return self.catalog.load(format)

    def of(self, spec: Spec) -> Format:
        """Return the `Format` of a spec, its codec with its binding table; made once for each id."""
        if spec.id not in self._formats:
            self._formats[spec.id] = Format(spec)
        return self._formats[spec.id]

    def named(self, name: str | None) -> Spec | None:
        """Return the spec that the extension of a file's name determines; None where it determines none, or several."""
        found = by_name(self.catalog.heads(), name or "")
        # Several schemas may share an extension; then only the content can decide.
        return self.spec(found[0].id) if len(found) == 1 else None

    def recognise(self, name: str | None, data: bytes) -> Spec:
        """Return the spec of a file by its name and whole content. Raises UnrecognisedError, which lists the possible formats,
        where name and content do not determine it.
        """
        return self._determined(name, data, None)[0]

    def _determined(self, name: str | None, data: bytes, format: str | None) -> tuple[Spec, ReadFile | None]:
        """Return the spec of a file, that of ``format`` or the recognised one. The second value is the result of reading the file,
        None unless recognising the format has read all of it.
        """
        if format is not None:
            return self.catalog.load(format), None
        match = matched(self.catalog.heads(), name, data, self._attempt)
        return self.spec(match.head.id), None if match.trial is None else match.trial.read

    def _attempt(self, head: Head, data: bytes, cut: bool) -> FormatTrial:
        """Read data by the format of a head, as `trial`. A schema that raises is reported once by a SchemaWarning; its result is
        `UNREAD`.
        """
        try:
            return trial(self.of(self.spec(head.id)), data, cut)
        except Exception as error:
            # One schema must not keep the others from being tried, whatever is wrong with it.
            if head.id not in self._unusable:
                self._unusable.add(head.id)
                message = f"{head.path}: it cannot be used: {type(error).__name__}: {error}; this schema is left out"
                warnings.warn(message, SchemaWarning, stacklevel=2)
            return UNREAD

    def _completed(self, spec: Spec, document: Document, data: bytes, path: str | None, folders: Folders) -> Document:
        """Return a document that was just read with the files that its bidding system includes; set the path of its origin, and how
        a pickle of it is read again.
        """
        if isinstance(document.origin, FileOrigin):
            document.origin.path = path
            # A pickle contains the bytes, the folders and the id of the spec; it is read again, so that no spec or codec is
            # pickled.
            document.origin.sequence.rereading = Rereading(partial(_read_again, self.folders, spec.id, data))
        if document.system is not None and path is not None:
            beside = [Path(folder) for folder in folders]
            system = with_included(document.system, Path(path), beside, lambda data: self.of(spec).read(data)[1].system)
            document = replace(document, system=system)
        return document

    def load(self, data: bytes, format: str | None = None, path: str | None = None) -> Document:
        """Return the document that the data contain, as far as they can be read.

        Raises ReadError where nothing of a board or a system is read, and there is an error or no record. That the content is of
        another format than ``path`` names is such an error.
        """
        spec, read = self._determined(path, data, format)
        document = self._completed(spec, self.of(spec).load(data) if read is None else read[1], data, path, ())
        if not has_content(self.of(spec), document):
            about = self._of_file(spec, document, data, document.findings, None if format is not None else path)
            _refuse_empty(spec, document, (*(replace(one, path=path) for one in about), *document.findings), path)
        return document

    def boards(self, data: bytes, format: str | None = None, path: str | None = None) -> Report:
        """Like `read`, for a file that must contain boards. Raises ReadError where no board states anything."""
        found = self.read(data, format, path)
        if found.document.boards and has_content(self.of(found.spec), found.document):
            return found
        _refuse_empty(found.spec, found.document, found.diagnostics, path)
        raise ReadError(f"{_where(path)}there is no board in it that states anything ({found.spec.id})", found.diagnostics)

    def _of_file(
        self, spec: Spec, document: Document, data: bytes, found: Sequence[Diagnostic], name: str | None
    ) -> list[Diagnostic]:
        """Return the findings about a file as a whole. ``found`` are its other findings; ``name`` is None where the caller chose
        the format, so that the name did not.
        """
        errors = sum(one.severity is Severity.ERROR for one in found)
        return self.about(spec, data, errors, records(self.of(spec), document), name)

    def about(self, spec: Spec, data: bytes, errors: int, count: int, name: str | None) -> list[Diagnostic]:
        """Return the findings about a file as a whole: empty, compressed, UTF-16, or in another format than ``name`` suggests.

        ``errors`` and ``count`` are the errors and the complete records that were read; without ``name`` other formats are not
        tried.
        """
        head = Head.of(spec)
        # An empty file is reported only if the format has terms of the model: other formats may have empty files.
        may_be_empty = not self.of(spec).binder.terms
        about = identified(head, data, errors) if data or not may_be_empty else []
        if name is not None:
            other = other_format(self.catalog.heads(), head, data, errors, count, self._attempt)
            about += [other] if other is not None else []
        return about

    def examine(self, data: bytes, format: str | None = None, path: str | None = None, folders: Folders = ()) -> Report:
        """Return the report of a file that is read, bound and checked: every problem is a finding.

        Raises UnrecognisedError where no format is named and none is recognised. Files that a bidding system includes are looked up
        beside ``path`` and in the folders; without a path they are not looked up.
        """
        return self._report(data, format, path, folders, True)

    def read(self, data: bytes, format: str | None = None, path: str | None = None, folders: Folders = ()) -> Report:
        """Return the report of a file as `examine` does, but without the rules of the game: all findings are about reading the
        file.
        """
        return self._report(data, format, path, folders, False)

    def excerpt(self, spec: Spec, data: bytes, path: str, excerpt: Excerpt, rules: bool = False) -> Report:
        """Return the report of some records of a large file, without the findings about the file as a whole; with ``rules``, the
        rules of the game are applied to each record.
        """
        known = self.of(spec)
        reading, document = known.read(data, excerpt)
        return report(spec, known.binder.places, reading, document, path, rules)

    def _report(self, data: bytes, format: str | None, path: str | None, folders: Folders, rules: bool) -> Report:
        spec, read = self._determined(path, data, format)
        reading, document = self.of(spec).read(data) if read is None else read
        document = self._completed(spec, document, data, path, folders)
        known = self.of(spec)
        found = report(spec, known.binder.places, reading, document, path, rules, known.codec)
        about = self._of_file(spec, document, data, found.diagnostics, None if format is not None else path)
        if about:
            # Repairs are found by the index of their finding, and the findings about the file come first.
            proposed = {index + len(about): rule for index, rule in found.proposed.items()}
            diagnostics = (*(replace(one, path=path) for one in about), *found.diagnostics)
            return replace(found, diagnostics=diagnostics, proposed=proposed)
        return found

    def spell(
        self, document: Document, format: str, canonical: bool = False, partial: bool = False, report_losses: bool = True
    ) -> Output:
        """Return a document in a format, as bytes with the findings on losses; the arguments are those of `Format.spell`."""
        return self.of(self.spec(format)).spell(document, canonical, partial, report_losses)


def _where(path: str | None) -> str:
    """Return the path as the beginning of a message, empty without a path."""
    return f"{path}: " if path is not None else ""


def _refuse_empty(spec: Spec, document: Document, found: Sequence[Diagnostic], path: str | None) -> None:
    """Raise ReadError for a document without content: with its errors if there are any, else if it has no board."""
    errors = tuple(d for d in found if d.severity is Severity.ERROR)
    if errors:
        raise ReadError(_where(path) + errors[0].message, errors)
    if not document.boards:
        raise ReadError(f"{_where(path)}there is no record of {spec.title} in it", tuple(found))


def engine(folders: tuple[str | os.PathLike[str], ...] = ()) -> Engine:
    """Return the engine of these folders of specs; cached until a schema in them, or in those of ``BRIDGESPEC_PATH``, changes."""
    # Without folders of the user only an installation can change the schemas, so their state is not asked for.
    return cached_engine(folders, state_of(folders) if folders or PATH_VARIABLE in os.environ else ())


@lru_cache(maxsize=8)
def cached_engine(folders: tuple[str | os.PathLike[str], ...], _state: FolderState) -> Engine:
    """Return the engine of folders in one state of their schemas."""
    return Engine(folders)


def _read_again(folders: tuple[str, ...], format: str, data: bytes) -> Document:
    """Read the bytes of a pickled document again. Return an empty document where the format is not known to the unpickling
    process.
    """
    known = engine(folders)
    try:
        return known.of(known.spec(format)).load(data)
    except UsageError:
        return Document()
