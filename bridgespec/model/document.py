"""Documents: what one file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board, Comment
from bridgespec.model.drawn import Drawn
from bridgespec.model.system import System


@runtime_checkable
class Read(Protocol):
    """An origin that knows what was wrong with the file."""

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What could not be read or bound, in file order."""


@dataclass(frozen=True, slots=True)
class Document(Drawn):
    """A file's boards, what it says of all of them, and what only its own format can hold.

    ``system`` is the bidding system of a file that holds one. ``comments`` and ``tags`` (pairs of name and value, in
    order) are those of the whole file, not of a board.

    ``format`` names the spec it was read by. ``origin`` belongs to the codec that made the document: with it an
    unchanged document is written back byte for byte, and a changed one keeps every byte that the change does not touch.
    It takes no part in equality.
    """

    boards: tuple[Board, ...] = ()
    event: str | None = None
    site: str | None = None
    date: str | None = None
    format: str | None = None
    system: System | None = None
    comments: tuple[Comment, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    extras: Mapping[str, object] = field(default_factory=dict)
    origin: object = field(default=None, compare=False, repr=False)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What could not be read of the document's file, in file order; none for a document that came from no file.

        Asking completes the reading. The rules of the game have no part in it: `bridgespec.check` applies them.

        >>> Document().findings
        ()
        """
        return self.origin.findings if isinstance(self.origin, Read) else ()
