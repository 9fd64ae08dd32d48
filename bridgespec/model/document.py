"""Documents: the content of one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board, Comment
from bridgespec.model.convention_card import System
from bridgespec.model.drawn import Drawn


@runtime_checkable
class Read(Protocol):
    """An origin that records what was wrong with the file."""

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What could not be read or bound, in file order."""


@dataclass(frozen=True, slots=True, repr=False)
class Document(Drawn):
    """The content of one file: its boards, what it states for all of them, and what only its own format can represent.

    ``system`` is the bidding system of a file that has one. ``comments`` and ``tags`` (pairs of name and value, in
    order) are those of the whole file, not of a board.

    ``format`` names the spec it was read by. ``origin`` belongs to the codec that made the document: with it an
    unchanged document is written back byte for byte, and a changed one keeps every byte that the change does not touch.
    It takes no part in equality. ``extras`` is a mapping, which takes no part in the hash.

    >>> document = Document((Board(number=7), Board(number=8)), event="Club night")
    >>> document, hash(document) == hash(Document((Board(number=7), Board(number=8)), event="Club night"))
    (Document(2 boards, event 'Club night'), True)
    """

    boards: tuple[Board, ...] = ()
    event: str | None = None
    site: str | None = None
    date: str | None = None
    format: str | None = None
    system: System | None = None
    comments: tuple[Comment, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    extras: Mapping[str, object] = field(default_factory=dict, hash=False)
    origin: object = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        """Return what the document contains, in one line."""
        count = f"{len(self.boards)} board{'' if len(self.boards) == 1 else 's'}"
        stated = [f"{name} {value!r}" for name in ("format", "event", "site", "date") if (value := getattr(self, name)) is not None]
        return f"Document({', '.join([count, *stated, *(['a bidding system'] if self.system is not None else [])])})"

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Findings about what could not be read of the document's file, in file order; empty for a document that came from no file.

        Accessing them completes the reading. They do not include the rules of the game, which `bridgespec.check` applies.

        >>> Document().findings
        ()
        """
        return self.origin.findings if isinstance(self.origin, Read) else ()
