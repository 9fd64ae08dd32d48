"""Recognise the format of a file: by its name where that determines it, else by content that cannot fit by chance.

The engine calls `matched` with a function that reads data by one format and returns a `FormatTrial`. A name whose extension one
schema declares determines the format, whatever the content. Content determines it only where one format reads all of it without an
error, with a signature or enough legal records (`evidence`). Otherwise `UnrecognisedError` names the formats that are possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from bridgespec.codec.byte_order import marked
from bridgespec.diagnostic import Code, Diagnostic, Severity, Span, define
from bridgespec.errors import UsageError
from bridgespec.evidence import FEW, FormatTrial
from bridgespec.spec.store import Head


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate format, with the result of reading the content by it; ``trial`` is None where it was not read to the end."""

    head: Head
    trial: FormatTrial | None = None

    @property
    def words(self) -> str:
        """The format's id and, if counted, its records: ``zbd (12 records)``."""
        if self.trial is None:
            return self.head.id
        faults = f", {_counted(self.trial.errors, 'error')}" if self.trial.errors else ""
        return f"{self.head.id} ({_counted(self.trial.records, 'record')}{faults})"


UNKNOWN_FORMAT = define(
    "unknown-format",
    Severity.ERROR,
    """The file's format is not known.

    The file's name has no extension that a schema declares, and its content does not settle the format. Content settles it where
    exactly one format reads all of it without an error, and chance is excluded: by a signature (constant bytes with which every
    file of the format begins), by a text whose records are read, or by so many different whole deals that no other data has them.
    Random bytes, or a line of dashes, are legal records of some formats. Name the format: `--format ID` on the command line,
    `format=` in Python. `bridgespec formats` lists what is known.
    """,
)
OTHER_FORMAT = define(
    "other-format",
    Severity.ERROR,
    """The file's name is that of one format, its content that of another.

    Read as the format of its name, the file has more than two errors a record; exactly one other format reads all of it without an
    error, finds two records or more, and would be recognised by content alone. All other findings are of the format of the name.
    Use `--format` with the other format to read the file.
    """,
)
EMPTY_FILE = define(
    "empty-file",
    Severity.WARNING,
    """There is nothing in the file, not one byte.

    Most likely it was not copied or downloaded to its end. An empty file has no records, whatever its format.
    """,
)
COMPRESSED = define(
    "compressed-data",
    Severity.ERROR,
    """The file is compressed, or an archive.

    Its first bytes are those of a compressed file, and the format of its name does not read it. Unpack it first; what is inside
    may be a bridge file.
    """,
)
WIDE_TEXT = define(
    "utf-16-text",
    Severity.WARNING,
    """The text is encoded as UTF-16, which Windows calls Unicode.

    It is read, and written back as UTF-16, but few bridge programs read such a file. Save it as UTF-8 or as ANSI, or write it anew:
    `bridgespec convert FILE NEW --canonical` writes UTF-8.
    """,
)

Try = Callable[[Head, bytes, bool], FormatTrial]
"""A function that reads data by the schema of a head; with True the data are the beginning of a file, and errors at their end are
not counted.
"""

PROBE = 1 << 13
"""The number of bytes of a larger file that decide which formats are tried on all of it."""
GLANCES = 1 << 8, 1 << 10
"""The sizes of shorter beginnings that are tried first: most formats find more than `FEW` errors in them and are excluded."""
LARGEST = 1 << 24
"""The size in bytes above which a file is not read completely to find its format."""
LISTED = 4
"""The maximum number of possible formats in a message."""
LEAST = 2
"""The least number of records of the other format for an `OTHER_FORMAT` finding."""

PACKED = (
    (b"\x1f\x8b", "gzip data", "gunzip"),
    (b"BZh", "bzip2 data", "bunzip2"),
    (b"\xfd7zXZ\0", "xz data", "unxz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", "unzstd"),
    (b"PK\3\4", "a ZIP archive", "unzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x"),
)
"""The first bytes of compressed files, the name of the compression, and the command that unpacks it."""
_PACKED_NAMES = frozenset({"gz", "bz2", "xz", "zst", "zip", "7z"})
"""The extensions of formats whose files are compressed data by themselves."""


class UnrecognisedError(UsageError):
    """The format is not known; ``candidates`` are the possible formats, most likely first."""

    def __init__(self, message: str, candidates: tuple[Head, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


def by_name(specs: Iterable[Head], path: str) -> list[Head]:
    """Return the specs that declare the extension of a file's name."""
    extension = PurePath(path).suffix.lower().lstrip(".")
    return [spec for spec in specs if extension and extension in spec.extensions]


def matched(specs: Iterable[Head], path: str | None, data: bytes, attempt: Try) -> Match:
    """Return the format of a file, with its trial where the content determined it. Raises UnrecognisedError where neither name nor
    content does.

    An extension of a single format determines it, whatever the content: errors in the content are then reported by a validation. Of
    formats that share an extension, the one is chosen that alone reads the content without an error.
    """
    specs = list(specs)
    named = by_name(specs, path or "")
    if len(named) == 1:
        return Match(named[0])
    shown = path or "the data"
    if not data:
        raise UnrecognisedError(f"{shown}: is empty, so that only its name could settle the format", tuple(named))
    found = by_content(named or specs, data, attempt)
    clean = [match for match in found if match.trial is None or not match.trial.errors]
    decided = [match for match in clean if match.trial is not None and (match.trial.evident or named)]
    if len(decided) == 1:
        return decided[0]
    raise _unrecognised(shown, data, decided or clean or found or [Match(head) for head in named])


_FIELDS = re.compile(rb'\s*\{\s*"format"\s*:\s*"(\w{1,99})"')
"""The beginning of a file of JSON that ``convert --fields`` has written; the group is the id of the format."""


def _unrecognised(shown: str, data: bytes, possible: Sequence[Match]) -> UnrecognisedError:
    """Return the error for a file of unknown format: compressed, JSON of fields, or one of the possible formats, which it lists."""
    heads = tuple(match.head for match in possible)
    packed = packed_data(data)
    if packed is not None:
        return UnrecognisedError(f"{shown}: is {packed[0]}: unpack it first ({packed[1]}); no format is recognised in it", heads)
    what = "it is UTF-16 text; " if _is_wide(data) else ""
    if possible:
        words = [match.words for match in possible[:LISTED]]
        return UnrecognisedError(f"{shown}: {what}it could be {' or '.join(words)}: name it", heads)
    if (fields := _FIELDS.match(data)) is not None and b'"fields"' in data:
        way = f"`bridgespec convert --fields {shown} FILE` makes the file of it, which can be validated"
        return UnrecognisedError(f"{shown}: is JSON of the fields of {fields[1].decode()}: {way}")
    return UnrecognisedError(f"{shown}: {what}no known format has this extension or reads this content")


def by_content(specs: Iterable[Head], data: bytes, attempt: Try) -> list[Match]:
    """Return the formats that find records in the data and no error, sorted by evidence and number of records, the most first.

    Where every format finds errors, return those that have enough evidence all the same. A format with more than `FEW` errors in a
    beginning of the data is not tried on the rest.
    """
    specs = list(specs)
    # Most formats find many errors in the first 256 bytes, and are not tried on more.
    for size in GLANCES:
        specs = [spec for spec in specs if len(data) <= size or attempt(spec, data[:size], True).errors <= FEW]
    found = [match for spec in specs if (match := _tried(spec, data, attempt)) is not None]
    clean = [match for match in found if match.trial is None or not match.trial.errors]
    return sorted(clean or found, key=lambda match: (0, 0) if match.trial is None else (-match.trial.bits, -match.trial.records))


def _tried(spec: Head, data: bytes, attempt: Try) -> Match | None:
    """Return a format as a candidate for the data; None where it has errors without evidence, too many errors, or no records.

    Data of more than `PROBE` bytes are read completely only where their beginning has enough evidence, and up to `LARGEST` bytes.
    """
    cut = len(data) > PROBE
    trial = attempt(spec, data[:PROBE], cut)
    if trial.errors > FEW or not trial.records:
        return None
    if cut:
        if not trial.evident or len(data) > LARGEST:
            return None if trial.errors else Match(spec)
        trial = attempt(spec, data, False)
    return Match(spec, trial) if trial.evident or not trial.errors else None


def packed_data(data: bytes) -> tuple[str, str] | None:
    """Return what kind of compressed data this is, and the command that unpacks it; None for other data."""
    return next(((words, command) for magic, words, command in PACKED if data.startswith(magic)), None)


def _is_wide(data: bytes) -> bool:
    """Whether the data begin with a byte order mark of UTF-16, or look like UTF-16 without it."""
    encoding = marked(data[:PROBE])
    return encoding is not None and encoding.is_wide


def identified(named: Head, data: bytes, errors: int) -> list[Diagnostic]:
    """Return the findings about the file as a whole: empty, compressed or UTF-16; ``errors`` is the number of its other errors."""
    if not data:
        return [_of_file(EMPTY_FILE, "the file is empty", "see whether it was copied or downloaded to its end")]
    packed = packed_data(data) if errors and _PACKED_NAMES.isdisjoint(named.extensions) else None
    if packed is not None:
        return [_of_file(COMPRESSED, f"this is {packed[0]}, not {named.title}", f"unpack it first: {packed[1]}")]
    if named.language == "lark" and _is_wide(data):
        return [_of_file(WIDE_TEXT, "this text is UTF-16, which few programs read", "save it as UTF-8")]
    return []


def other_format(specs: Iterable[Head], named: Head, data: bytes, errors: int, records: int, attempt: Try) -> Diagnostic | None:
    """Return the finding that the content has another format than the name; None where that is not certain.

    Read as the format of its name, the file has more than two errors a record; one other format alone is recognised by the content,
    without any error and with two records at least.
    """
    if not errors or errors <= 2 * records:
        return None
    found = by_content((spec for spec in specs if spec.id != named.id), data, attempt)
    better = [(one.head, one.trial) for one in found if one.trial is not None and one.trial.evident and not one.trial.errors]
    # One record of some binary format fits many a short file.
    if len(better) != 1 or better[0][1].records < LEAST:
        return None
    other, trial = better[0]
    message = f"this looks like {other.title} ({_counted(trial.records, 'record')}), not {named.title}"
    return _of_file(OTHER_FORMAT, message, f"use --format {other.id}")


def _of_file(code: Code, message: str, help_: str) -> Diagnostic:
    return Diagnostic(code.name, code.severity, message, span=Span.of_bytes(0, 0), help=help_)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
