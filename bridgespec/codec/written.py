"""Documents written in a format: all of it, or the boards that the format can hold, with the reasons for those that it cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from bridgespec.codec.bind import Binder
from bridgespec.codec.fill import CANNOT_HOLD, Filler, matcher
from bridgespec.codec.node import Reading
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import WriteError
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document

_BOARD = re.compile(r"^board \d+: ")


class Codec(Protocol):
    """What turns plain values into bytes, and bytes into a tree."""

    def read(self, data: bytes) -> Reading:
        """The tree of the bytes."""


Write = Callable[[Mapping[str, object], Reading | None], bytes]
"""The bytes of plain values; those that a reading had where its values stand."""


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes of the boards that were written, the document of just these, and an error for each board that was left out."""

    data: bytes
    document: Document
    refused: tuple[Diagnostic, ...] = ()


class Writer:
    """Writes documents in the format of a binder; ``canonical`` spells everything anew.

    ``held`` are the keys of pairs that hold for the boards that follow: at first of those that stand before the document.
    """

    def __init__(self, binder: Binder, codec: Codec, write: Write, canonical: bool, held: frozenset[str] = frozenset()) -> None:
        self.binder = binder
        self.codec = codec
        self.write = write
        self.canonical = canonical
        self.before = self.held = held

    def whole(self, document: Document) -> bytes:
        """The bytes of all boards; WriteError with a reason for each that cannot be held."""
        try:
            return self._bytes(document, False)
        except WriteError as error:
            if not error.diagnostics or any(one.record is None for one in error.diagnostics if isinstance(one, Diagnostic)):
                return self._mended(document, error)
            raise

    def _mended(self, document: Document, error: WriteError) -> bytes:
        """The bytes without the pairs that cannot be spelled; where that does not help, a reason for each board."""
        if self.binder.top.of_text:
            try:
                return self._bytes(document, True)
            except WriteError:
                pass
        refused = [found for at in range(len(document.boards)) if (found := self._reason(document, at)) is not None]
        if not refused:
            raise error
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise WriteError(refused[0].message + more, tuple(refused))

    def in_part(self, document: Document) -> Written:
        """The bytes of the boards that can be held; WriteError where there is none, or what is wrong is not of single boards."""
        places = list(range(len(document.boards)))
        refused: list[Diagnostic] = []
        while True:
            left = replace(document, boards=tuple(document.boards[place] for place in places))
            try:
                return Written(self.whole(left), left, tuple(sorted(refused, key=lambda one: one.record or 0)))
            except WriteError as error:
                found = [one for one in error.diagnostics if isinstance(one, Diagnostic)]
                bad = {one.record for one in found if one.record is not None}
                if len(bad) == len(places) or not bad or any(one.record is None for one in found):
                    raise
                first = {one.record: one for one in reversed(found) if one.record is not None}
                refused += [renumbered(one, places[at]) for at, one in first.items()]
                places = [place for at, place in enumerate(places) if at not in bad]

    def _bytes(self, document: Document, careful: bool) -> bytes:
        filler = Filler(self.binder, matcher(self.codec), self.canonical, careful, self.before)
        filled = filler.fill(document)
        self.held = frozenset(filler.held)
        fatal = tuple(one for one in filled.findings if one.severity is Severity.ERROR)
        if fatal:
            raise WriteError(fatal[0].message + (f" (and {len(fatal) - 1} more)" if len(fatal) > 1 else ""), fatal)
        return self.write(filled.values, filled.origin)

    def _reason(self, document: Document, at: int) -> Diagnostic | None:
        """Why a board cannot be written even alone; None where it can."""
        board = document.boards[at]
        alone = replace(document, boards=(board if board.number is not None else replace(board, number=at + 1),), origin=None)
        try:
            self._bytes(alone, True)
        except WriteError as error:
            return Diagnostic(
                CANNOT_HOLD.name, CANNOT_HOLD.severity, f"board {at + 1}: {self._words(board.deal, error)}", record=at
            )
        return None

    def _words(self, deal: Deal | None, error: WriteError) -> str:
        format = self.binder.spec.id
        if "deal" not in self.binder.terms or (deal is not None and deal.is_complete):
            field = next((one.field for one in error.diagnostics if isinstance(one, Diagnostic) and one.field), None)
            name, reason = (field or "").rpartition(".")[2], str(error).partition(": ")[2]
            return f"{format} cannot hold its {name}: {reason}" if name and reason else str(error)
        if deal is None:
            return f"{format} cannot hold its deal: there is none"
        return f"{format} cannot hold its deal: it is not a whole deal ({sizes_of(deal)} cards)"


def sizes_of(deal: Deal) -> str:
    """How many cards each hand has: ``W 13, N 0, E 0, S 0``."""
    return ", ".join(f"{seat.letter} {size}" for seat, size in zip(Seat, deal.sizes, strict=True))


def renumbered(found: Diagnostic, place: int) -> Diagnostic:
    """The finding of a board at its place in the whole document."""
    return replace(found, record=place, message=_BOARD.sub(f"board {place + 1}: ", found.message))
