"""The functions that a caller needs; the package's own namespace has them, and the commands use the same."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from bridgespec.codec.format import Output
from bridgespec.diagnostic import Diagnostic, Span
from bridgespec.engines import Engine, Folders, engine
from bridgespec.errors import UsageError
from bridgespec.examined import Report
from bridgespec.model.document import Document
from bridgespec.recognise import UNKNOWN_FORMAT, UnrecognisedError
from bridgespec.spec.ir import Spec
from bridgespec.writing import read_whole, written

__all__ = [
    "Engine",
    "Folders",
    "Output",
    "Report",
    "check",
    "dump",
    "dumps",
    "engine",
    "formats",
    "join",
    "load",
    "loads",
    "write_file",
]

Source = str | os.PathLike[str] | bytes


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
    return _known(specs).spell(document, format, canonical, told=False).data


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
