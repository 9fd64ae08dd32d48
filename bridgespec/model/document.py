"""`Document`: the content of one file."""

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
    """An origin of a document that has the findings about its file."""

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The findings about what could not be read or bound, in file order."""


@dataclass(frozen=True, slots=True, repr=False)
class Document(Drawn):
    """The content of one file: its boards, what it states for all of them, and values that only its own format can represent
    (``extras``).

    ``system`` is the bidding system in the file. ``comments`` and ``tags`` (pairs of name and value, in order) belong to the file
    and not to a board. ``format`` is the id of the spec by which the file was read.

    ``origin`` belongs to the codec that made the document: with it an unchanged document is written back byte for byte, and a
    changed one keeps every byte that the change does not concern. It is not compared. ``extras`` is compared, but not part of the
    hash.

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
        """The findings about what could not be read or bound, in file order; empty for a document that was not read from a file.

        The first access completes the reading of the file. Findings about the rules of the game are those of `bridgespec.check`.

        >>> Document().findings
        ()
        """
        return self.origin.findings if isinstance(self.origin, Read) else ()
