"""Where boards and documents were read: what stays with them, so that they can be bound, placed and written back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bridgespec.codec.binding import BOARD, RecordContent, RecordSequence
from bridgespec.codec.node import Node, Reading
from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board
from bridgespec.model.document import Document

Place = tuple[str | int, ...]
_FEW = 6
"""Accesses by which fields of a board are bound one by one; the next binds all, which takes less than the rest one by one."""


@dataclass(eq=False)
class Again:
    """Reads a file once more: all that a pickle keeps of it, since what was made of a file leads to the whole of its schema."""

    read: Callable[[], Document]

    def __reduce__(self) -> tuple[Any, ...]:
        return Again, (self.read,)

    @cached_property
    def document(self) -> Document:
        """The document, which the boards of a pickle share."""
        return self.read()


@dataclass(slots=True)
class Origin:
    """Where a board was read: its node, and the sequence of records of its file."""

    spec: str
    index: int
    node: Node
    sequence: RecordSequence
    made: Board | None = None
    """The board as it was made, of one that was bound at once."""
    _spanned: RecordContent | None = None
    _bound: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _origin, (self.sequence.again, self.index)

    def __deepcopy__(self, memo: object) -> Origin:
        return self

    @property
    def content(self) -> RecordContent:
        """What its record states."""
        return self.sequence.content(self.index)

    @property
    def spanned(self) -> RecordContent:
        """What its record itself states, by the offsets of the file."""
        if self._spanned is None:
            self._spanned = RecordContent(self.sequence, self.index, self.sequence.own_spans(self.index))
        return self._spanned

    @property
    def as_read(self) -> Board:
        """The board as it was made."""
        # An untouched one is made anew: were it kept, it and its origin would keep each other alive.
        return Board.untouched(self) if self.made is None else self.made

    def changed(self, board: Board, before: Board) -> set[str]:
        """Return the fields in which a board differs from the board as it was read."""
        values = [(name, getattr(board, name), getattr(before, name)) for name in BOARD]
        return {name for name, own, read in values if own is not read and own != read}

    def bind(self, name: str) -> Mapping[str, Any]:
        """Return a field of the board, with others that take little time; all fields when many are accessed, or all are wanted."""
        self._bound += 1
        if not self.sequence.at_once and self._bound < _FEW:
            found = self.content.field(name)
            # Of each board a single field may be asked for, which is often the term of one key.
            return {**self.content.evident(), **found} if self._bound == 2 else found
        found = self.content.all_fields()
        self.sequence.release()
        return found


@dataclass(slots=True)
class FileOrigin:
    """Where a document was read: its tree, and the document as it was made."""

    spec: str
    reading: Reading
    sequence: RecordSequence
    as_read: Document = field(default_factory=Document)
    path: str | None = None
    complete: Callable[[], Reading] | None = None
    """Reads the file with all its findings, where that has not been done."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _origin, (self.sequence.again,)

    def __deepcopy__(self, memo: object) -> FileOrigin:
        return self

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What could not be read or bound, in file order."""
        if self.complete is not None:
            self.reading.diagnostics = self.complete().diagnostics
            self.complete = None
        found = (replace(self.reading.placed(finding), path=self.path) for finding in self.reading.diagnostics)
        return tuple(sorted(found, key=lambda finding: finding.span.start if finding.span is not None else -1))


def _origin(again: Again | None, index: int | None = None) -> object:
    """The origin of a document or of one of its boards, from a pickle; None where the file cannot be read again."""
    document = Document() if again is None else again.document
    if index is None:
        return document.origin
    return document.boards[index].origin if index < len(document.boards) else None
