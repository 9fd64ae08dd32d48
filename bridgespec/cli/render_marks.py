"""What a printed diagnostic is made of: `RenderSource`, the bytes of the file, and `LabelledSpan`, a span to underline."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Protocol, cast

from rich.text import Text

from bridgespec.codec.byte_order import MarkedText
from bridgespec.diagnostic import Diagnostic, Severity, Span

COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
"""The style of each severity."""
SECOND = "bold blue"
"""The style of labels, positions and the gutter."""
DIM = "dim"

# CRLF first: of alternatives the first that matches is taken, and a CRLF would be two line ends.
_LINE_END = re.compile(rb"\r\n|\n|\r")

JsonObject = dict[str, object]
"""A JSON object as its printer takes it."""
BarLine = tuple[str, Text]
"""A line of output: the text left of the bar, such as a line number, and the text right of it."""


class Buffer(Protocol):
    """A sequence of bytes that can be sliced: `bytes`, or a memory map of a large file."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: slice, /) -> bytes: ...


@dataclass(frozen=True)
class RenderSource:
    """The bytes of a file that printed findings quote. With ``text``, positions are lines and columns, else offsets.

    Where ``encoding`` is given, ``data`` is the UTF-8 text of the file, and a finding is drawn at its position in that text
    (`drawn`).
    """

    path: str | None = None
    data: Buffer | None = None
    text: bool = False
    encoding: MarkedText | None = None

    @classmethod
    def of_file(cls, path: str | None, text: bool = True) -> RenderSource:
        """Return the source for the file with this name; without data where it cannot be read."""
        try:
            return cls(path, Path(path).read_bytes() if path else None, text)
        except OSError:
            return cls(path, None, text)

    def __reduce__(self) -> tuple[type[RenderSource], tuple[object, ...]]:
        # A process of `cli.parallel` returns its sources: a memory map cannot be pickled, its bytes can.
        return RenderSource, (self.path, None if self.data is None else self.data[:], self.text, self.encoding)

    @cached_property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.data) if self.data is not None else 0

    def slice(self, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` to ``stop``; fewer where the file is shorter, and none without data."""
        if self.data is None:
            return b""
        # Nearly all offsets are in the data: `max` would take as long as the slice.
        return self.data[start if start > 0 else 0 : stop if stop > 0 else 0]

    @cached_property
    def _starts(self) -> array[int]:
        """The offset of each line; cached, since a file may have many findings."""
        # 8 bytes a line; a list of Python's integers takes 36.
        return array("Q", chain([0], (match.end() for match in _LINE_END.finditer(cast(bytes, self.data or b"")))))

    def line_bounds(self, offset: int) -> tuple[int, int]:
        """Return start and stop of the line that has a byte, without its line end (LF, CRLF or CR)."""
        if self.data is None:
            return 0, 0
        start, stop = self._recent
        if start <= offset < stop:
            return start, stop
        # In place: the attributes of a frozen dataclass cannot be set.
        self._recent[:] = found = self._line_bounds(offset)
        return found

    @cached_property
    def _recent(self) -> list[int]:
        """A cache with the bounds of the line looked up last: consecutive offsets are mostly in one line."""
        return [0, 0]

    def _line_bounds(self, offset: int) -> tuple[int, int]:
        at, starts = min(offset, self.size), self._starts
        # A finding about the end of a file is shown in its last line, not in the empty one after the last line end.
        if 0 < at == self.size and self.slice(at - 1, at) in b"\r\n":
            at -= 1
        # The LF of a CRLF belongs to the line that it ends.
        if self.slice(at - 1, at + 1) == b"\r\n":
            at -= 1
        line = bisect_right(starts, at)
        if line == len(starts):
            return starts[line - 1], self.size
        return starts[line - 1], starts[line] - (2 if self.slice(starts[line] - 2, starts[line]) == b"\r\n" else 1)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of a byte, both from 1; columns count characters."""
        start, stop = self.line_bounds(offset)
        return bisect_right(self._starts, start), len(decode(self.slice(start, min(offset, stop)))) + 1

    def drawn(self, found: Diagnostic) -> tuple[Diagnostic, RenderSource]:
        """Return a finding with its offsets in the file converted to offsets in ``data``, and the source without ``encoding``."""
        return (found, self) if self.encoding is None else (self.encoding.in_text(found), self._decoded)

    @cached_property
    def _decoded(self) -> RenderSource:
        """The source of the decoded text of a file in another encoding; cached, since a file may have many findings."""
        return replace(self, encoding=None)

    def drawn_at(self, offset: int) -> int:
        """Return the offset in ``data`` for an offset in the file; they differ if the file has another encoding than UTF-8."""
        return offset if self.encoding is None else self.encoding.text_offset(offset)

    def located(self, span: Span) -> Span:
        """Return a span of a text with its line and column; that of a binary file unchanged."""
        if not self.text or self.data is None or span.line is not None:
            return span
        line, column = self.place(self.drawn_at(span.byte_start))
        return replace(span, line=line, column=column)


@dataclass(frozen=True)
class LabelledSpan:
    """A span to be underlined with a label beside it."""

    span: Span
    text: str
    style: str
    primary: bool

    @property
    def sign(self) -> str:
        """The character with which the span is underlined."""
        return "^" if self.primary else "-"


def marks_of(diagnostic: Diagnostic) -> list[LabelledSpan]:
    """Return the spans of a diagnostic to be underlined, in file order. Labels with the span of the finding itself are merged with
    it.
    """
    labels = list(diagnostic.labels)
    marks: list[LabelledSpan] = []
    colour = COLOURS[diagnostic.severity]
    if diagnostic.span is not None:
        own = [label for label in labels if _same(label.span, diagnostic.span)]
        marks.append(LabelledSpan(diagnostic.span, "; ".join(label.text for label in own), colour, True))
        labels = [label for label in labels if label not in own]
    marks += [LabelledSpan(label.span, label.text, SECOND, False) for label in labels]
    return sorted(marks, key=lambda mark: (mark.span.start, mark.span.stop))


def _same(one: Span, other: Span) -> bool:
    return (one.start, one.stop) == (other.start, other.stop)


def decode(data: bytes) -> str:
    """Return bytes as text to be printed: UTF-8 if valid, else Latin-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def printable(text: str) -> str:
    """Return the text with one column per character: control characters become middle dots, tabs spaces.

    >>> printable("a\\tb\\x00")
    'a b·'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else " " if letter == "\t" else "·" for letter in text)


def looks_like_text(data: bytes) -> bool:
    """Whether positions are better printed as line and column: the bytes are lines of printable ASCII characters.

    >>> looks_like_text(b"one\\r\\ntwo"), looks_like_text(b"0102"), looks_like_text(b"\\xe1\\n")
    (True, False, False)
    """
    head = data[:4096]
    return b"\n" in head and all(32 <= byte < 127 or byte in b"\t\r\n\f\x1a" for byte in head)  # \x1a ends texts of DOS
