"""Where boards and documents were read: what stays with them, so that they can be bound, placed and written back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bridgespec.codec.facts import BOARD, Facts
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.terms import TERMS
from bridgespec.codec.tree import Source
from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board
from bridgespec.model.document import Document

if TYPE_CHECKING:
    # A binary file needs nothing of what reads grammars.
    from bridgespec.codec.chain import Chain, TouchedFacts

Place = tuple[str | int, ...]
_BESIDE = {name: term for term in TERMS.values() for name in (term.NAME, *term.BESIDE) if term.BESIDE}
"""The fields of terms that set more than one."""
_UNSAID = {name: getattr(Board(), name) for name in BOARD}


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
    """Where a board was read: its node, and the board as it was made."""

    spec: str
    index: int
    node: Node
    source: Source
    chain: Chain | None = None
    """What the records of its file say, of a board that is bound when it is touched."""
    made: Board | None = None
    """The board as it was made, of one that was bound at once."""
    said: Facts | None = None
    """What its record says, once somebody has asked where."""
    _facts: TouchedFacts | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _origin, (self.source.again, self.index)

    def __deepcopy__(self, memo: object) -> Origin:
        return self

    @property
    def facts(self) -> TouchedFacts | None:
        """What its record says, of a board that is bound when it is touched."""
        if self._facts is None and self.chain is not None:
            self._facts = self.chain.facts(self.index)
        return self._facts

    @property
    def as_read(self) -> Board:
        """The board as it was made."""
        # An untouched one is made anew: were it kept, it and its origin would keep each other alive.
        return Board.untouched(self) if self.made is None else self.made

    def changed(self, board: Board) -> set[str]:
        """The fields in which a board is not as it was read."""
        before = self.as_read
        return {name for name in BOARD if getattr(board, name) != getattr(before, name)}

    def bind(self, name: str) -> Any:
        """A field of the board."""
        term, facts = _BESIDE.get(name), self._facts or self.facts
        if term is None:
            value = None if facts is None or name not in TERMS else facts[name]
            return _UNSAID[name] if value is None else value
        value = None if facts is None else facts[term.NAME]
        return _UNSAID[name] if value is None else term.fields(value)[name]


@dataclass(slots=True)
class FileOrigin:
    """Where a document was read: its tree, and the document as it was made."""

    spec: str
    reading: Reading
    source: Source
    as_read: Document = field(default_factory=Document)
    path: str | None = None
    said: Facts | None = None
    """What the file says outside its boards, once somebody has asked."""

    complete: Callable[[], Reading] | None = None
    """Reads the file with all its findings, where that has not been done."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _origin, (self.source.again,)

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
