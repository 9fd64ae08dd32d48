"""Documents: what one file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bridgespec.model.board import Board


@dataclass(frozen=True, slots=True)
class Document:
    """A file's boards, what it says of all of them, and what only its own format can hold.

    ``format`` names the spec it was read by. ``origin`` belongs to the codec that made the document: with it an unchanged
    document is written back byte for byte, and a changed one keeps every byte that the change does not touch. It takes no part in equality.
    """

    boards: tuple[Board, ...] = ()
    event: str | None = None
    site: str | None = None
    date: str | None = None
    format: str | None = None
    extras: Mapping[str, object] = field(default_factory=dict)
    origin: object = field(default=None, compare=False, repr=False)
