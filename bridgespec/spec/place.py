"""Positions in schema files (`SchemaPlace`), and the text of a schema file (`schema_text`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bridgespec.diagnostic import Span
from bridgespec.sources import read_source


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """The position of an element in its schema; line and column count from 1, ``offset`` and ``length`` are bytes."""

    file: str
    line: int
    column: int
    offset: int = 0
    length: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def span(self) -> Span:
        """The position in the form that diagnostics have, a `Span`."""
        return Span.of_bytes(self.offset, self.length, self.line, self.column)


def schema_text(path: Path) -> str:
    """Return the text of a schema without converting its line ends: offsets count the bytes of the file, and CR LF has two.

    Raises OSError where the file cannot or may not be read (`bridgespec.sources`), UnicodeDecodeError where it is not UTF-8.
    """
    return read_source(path).decode()
