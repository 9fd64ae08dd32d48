"""The public functions for files of boards, such as `load`, `dump` and `check`. The package exports them; commands call them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import TextIOBase
from pathlib import Path
from typing import IO, cast

from bridgespec.codec.format import Output
from bridgespec.codec.losses import lost_to_all
from bridgespec.diagnostic import Diagnostic, Span
from bridgespec.engines import Engine, Folders, engine
from bridgespec.errors import UsageError
from bridgespec.examined import Report
from bridgespec.model.board import Board
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
    "split",
    "write_file",
]

Data = bytes | bytearray | memoryview | str
"""The content of a file; a text is encoded as UTF-8."""
FilePath = str | os.PathLike[str]
"""The path of a file."""
FileSource = FilePath | IO[bytes] | IO[str]
"""A file's path, or a file that is open for reading."""


def _data(data: Data) -> bytes:
    """Return the content of a file as bytes. Raises TypeError for any other type, such as a path."""
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    raise TypeError(f"the data of a file is bytes or str, not {type(data).__name__}; load reads a file by its path")


def _read(source: FileSource) -> tuple[bytes, str | None]:
    """Return the content of a file and its path; the path is None for an open file without a name, such as BytesIO."""
    if isinstance(source, str | os.PathLike):
        return read_whole(source), os.fspath(source)
    if not hasattr(source, "read"):
        raise TypeError(f"a file is named by its path or open for reading, not {type(source).__name__}; loads reads bytes and str")
    name = getattr(source, "name", None)
    return _data(source.read()), name if isinstance(name, str) else None


def formats(*, specs: Folders = ()) -> list[Spec]:
    """Every known format, sorted by id; ``specs`` are folders of further schemas.

    >>> len({spec.id for spec in formats()}) == len(formats()) > 8
    True
    """
    return list(engine(tuple(specs)).catalog.all())


def loads(data: Data, format: str | None = None, *, specs: Folders = ()) -> Document:
    """Return the document that bytes or a text contain, as far as they can be read.

    A value that cannot be read is None in the model, and kept so that it is written back; `Document.findings` reports it. Rules of
    the game are not applied: `check` does that. ReadError where no record is found, UsageError where no format fits.

    >>> board, = loads(b'[Board "7"]\\n[Dealer "Q"]\\n[Vulnerable "None"]\\n', "pbn").boards
    >>> board.number, board.dealer, board.vulnerability.name
    (7, None, 'NONE')
    """
    return engine(tuple(specs)).load(data if isinstance(data, bytes) else _data(data), format)


def load(source: FileSource, format: str | None = None, *, specs: Folders = ()) -> Document:
    """The document in a file, given by its path or open for reading, as `loads`; OSError where the file cannot be read."""
    data, name = _read(source)
    return engine(tuple(specs)).load(data, format, name)


def dumps(document: Document, format: str | None = None, canonical: bool = False, *, specs: Folders = ()) -> bytes:
    """Return the bytes of a document in a format; without ``format``, in that of the file it was read from. Raises UsageError where
    it was read from no file, and WriteError where the format cannot represent it.

    Parts that were read in that format and not changed are written byte for byte; with ``canonical`` they are written anew.
    """
    if not isinstance(document, Document) or not {Board}.issuperset(map(type, document.boards)):
        raise _not_written(document)
    if (format := format or document.format) is None:
        raise UsageError("the document was read from no file: which format? Name it with format=")
    known = engine(tuple(specs))
    return known.of(known.catalog.load(format)).spell(document, canonical, report_losses=False).data


def _not_written(value: object) -> TypeError:
    """Return the error for a value that is not a Document, or a Document with an element that is not a Board."""
    what = type(value).__name__
    if isinstance(value, Document):
        what = f"one of {next(type(one).__name__ for one in value.boards if type(one) is not Board)}"
    return TypeError(f"a Document is written, not {what}; boards are written as Document((board, ...))")


def dump(
    document: Document,
    target: FilePath | IO[bytes] | IO[str],
    format: str | None = None,
    canonical: bool = False,
    *,
    specs: Folders = (),
) -> tuple[Diagnostic, ...]:
    """Write a document to a file, completely or not at all; return findings on what the format cannot represent.

    The file is a path, or a file open for writing; in text mode it must not be a binary format (UsageError). Without ``format`` the
    extension determines it; UsageError where it does not. ``canonical`` is that of `dumps`.
    """
    if not isinstance(document, Document) or not {Board}.issuperset(map(type, document.boards)):
        raise _not_written(document)
    known = engine(tuple(specs))
    name = target if isinstance(target, str | os.PathLike) else getattr(target, "name", "")
    if format is None:
        named = known.catalog.by_extension(Path(name).suffix.lstrip(".")) if isinstance(name, str | os.PathLike) else []
        if len(named) != 1:
            raise UsageError(f"{name or 'the file'}: which format? Name it with format=")
        format = named[0].id
    output = known.spell(document, format, canonical)
    if isinstance(target, str | os.PathLike):
        write_file(target, [output.data])
    elif isinstance(target, TextIOBase):
        try:
            target.write(output.data.decode())
        except UnicodeDecodeError:
            raise UsageError(f"{format} is not written as UTF-8: open the file in binary mode") from None
    else:
        cast(IO[bytes], target).write(output.data)
    return output.findings


def check(source: FileSource | bytes, format: str | None = None, *, specs: Folders = ()) -> list[Diagnostic]:
    """Every finding about a file or some bytes, in file order; bad data never raises.

    >>> [d.code for d in check(b"\\x99" * 12, "zdd")]
    ['truncated']
    """
    data, name = (source, None) if isinstance(source, bytes) else _read(source)
    known = engine(tuple(specs))
    try:
        return list(known.examine(data, format, name).diagnostics)
    except UnrecognisedError as error:
        # `check` promises that bad data never raises, and data of no known format are bad data.
        return [Diagnostic(UNKNOWN_FORMAT.name, UNKNOWN_FORMAT.severity, str(error), name, span=Span.of_bytes(0, 0))]


def write_file(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write chunks to a file, completely or not at all: an exception leaves the target as it was."""
    with written(path) as file:
        file.writelines(chunks)


def join(documents: Sequence[Document]) -> Document:
    """One document made of several with different facts about the same boards, in order (deals and their results).

    UsageError where the numbers of boards differ, or two documents contradict each other about a board.
    """
    if not documents or not all(isinstance(one, Document) for one in documents):
        raise UsageError("documents are joined, one at least: join([load(path), load(other)])")
    counts = {len(document.boards) for document in documents}
    if len(counts) != 1:
        raise UsageError("the sources have different numbers of boards: " + ", ".join(str(len(d.boards)) for d in documents))
    rows = zip(*(document.boards for document in documents), strict=True)
    return replace(documents[0], boards=tuple(join_boards(row, place) for place, row in enumerate(rows)))


def join_boards(boards: Sequence[Board], place: int) -> Board:
    """Return the first board, completed by the fields that the others state. Raises UsageError where two boards differ; its message
    contains the board's number, ``place`` + 1.
    """
    board, *others = boards
    for other in others:
        for name in ("deal", "tricks", "auction", "play", "contract", "result", "declarer"):
            value = getattr(other, name)
            if value is None:
                continue
            mine = getattr(board, name)
            if mine is not None and mine != value:
                raise UsageError(f"the sources disagree about the {name} of board {place + 1}")
            board = replace(board, **{name: value})
    return board


def split(document: Document, *formats: str, specs: Folders = ()) -> tuple[Output, ...]:
    """Return the document in several formats that each represent a part of it, such as deals and results; `join` is the inverse.

    The findings of each are on what none of the formats represents. WriteError where one of them cannot represent a board.

    >>> document = loads(bytes.fromhex("72527a0ae17ae4f952e041fc7c494949492b2a39396767"), "zrd")
    >>> deals, results = split(document, "zbd", "zdd")
    >>> len(deals.data), len(results.data), deals.findings
    (13, 10, ())
    """
    if not formats:
        raise UsageError("into which formats? Name them behind the document")
    if not isinstance(document, Document) or not {Board}.issuperset(map(type, document.boards)):
        raise _not_written(document)
    known = engine(tuple(specs))
    parts = [known.spell(document, format) for format in formats]
    lost = tuple(lost_to_all([part.findings for part in parts]))
    return tuple(replace(part, findings=lost) for part in parts)
