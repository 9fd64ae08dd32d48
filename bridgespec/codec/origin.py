"""Where boards and documents were read: what stays with them, so that they can be bound, placed and written back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
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
    from bridgespec.codec.touched import TouchedFacts

Place = tuple[str | int, ...]
_BESIDE = {name: term for term in TERMS.values() for name in (term.NAME, *term.BESIDE) if term.BESIDE}
"""The fields of terms that set more than one."""
_UNSAID = {name: getattr(Board(), name) for name in BOARD}


@dataclass(slots=True)
class Origin:
    """Where a board was read: its node, and the board as it was made."""

    spec: str
    index: int
    node: Node
    facts: TouchedFacts | None = None
    """What its record says, of a board that is bound when it is touched."""
    as_read: Board = field(init=False)
    said: Facts | None = None
    """What its record says, once somebody has asked where."""

    def bind(self, name: str) -> Any:
        """A field of the board."""
        term = _BESIDE.get(name)
        if term is None:
            value = None if self.facts is None or name not in TERMS else self.facts[name]
            return _UNSAID[name] if value is None else value
        value = None if self.facts is None else self.facts[term.NAME]
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

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What could not be read or bound, in file order."""
        if self.complete is not None:
            self.reading.diagnostics = self.complete().diagnostics
            self.complete = None
        found = (replace(finding, path=self.path) for finding in self.reading.diagnostics)
        return tuple(sorted(found, key=lambda finding: finding.span.start if finding.span is not None else -1))
