"""Documents written in a format: all of it, or the boards that the format can hold, with the reasons for those that it cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding import RecordContent
from bridgespec.codec.fill import CANNOT_HOLD, Filler, refusal
from bridgespec.codec.origin import FileOrigin
from bridgespec.codec.placed import placed_document
from bridgespec.codec.terms.deal import not_whole
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import WriteError
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document

_BOARD = re.compile(r"^board \d+: ")


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes of the boards that were written, the document of just these, and an error for each board that was left out."""

    data: bytes
    document: Document
    refused: tuple[Diagnostic, ...] = ()


class Writer:
    """Writes documents in the format of a binder; ``canonical`` spells everything anew.

    ``write`` gives the bytes of plain values, and of a reading those that stay. ``held`` are the keys of pairs that hold for the
    boards that follow: at first of those that stand before the document. ``encodings`` are those that may be tried. ``whole`` is
    the document of which those that are written are parts.
    """

    def __init__(
        self,
        binder: Binder,
        write: Callable[..., bytes],
        canonical: bool,
        held: frozenset[str] = frozenset(),
        encodings: Sequence[str] = (),
        whole: Document | None = None,
    ) -> None:
        self.binder, self.write, self.canonical = binder, write, canonical
        self.encodings = encodings or binder.encodings
        self.before = self.held = held
        self.around = whole
        self._values: Mapping[str, Any] = {}
        self._records: Sequence[Mapping[str, Any]] = ()
        self.lossy = False
        """Whether the encoding of what was written last lacks characters."""

    def whole(self, document: Document) -> bytes:
        """The bytes of all boards; WriteError with a reason for each that cannot be held."""
        try:
            return self._bytes(document)
        except WriteError as error:
            found = _findings(error)
            if found and all(one.record is not None for one in found):
                raise refusal(list({one.record: one for one in reversed(found)}.values())[::-1]) from None
            return self._mended(document, error)

    def _mended(self, document: Document, error: WriteError) -> bytes:
        """The bytes without the pairs that cannot be spelled; where that does not help, a reason for each board."""
        if self.binder.top.of_text:
            try:
                return self._bytes(document, careful=True)
            except WriteError:
                pass
        refused = [found for at in range(len(document.boards)) if (found := self._reason(document, at)) is not None]
        raise refusal(refused) if refused else error

    def in_part(self, document: Document) -> Written:
        """The bytes of the boards that can be held; WriteError where there is none, or what is wrong is not of single boards."""
        places = list(range(len(document.boards)))
        refused: list[Diagnostic] = []
        while True:
            left = replace(document, boards=tuple(document.boards[place] for place in places))
            try:
                return Written(self.whole(left), left, tuple(sorted(refused, key=lambda one: one.record or 0)))
            except WriteError as error:
                first = {one.record: one for one in _findings(error)}
                if None in first or not first:
                    raise
                refused += [renumbered(one, places[at or 0]) for at, one in first.items()]
                places = [place for at, place in enumerate(places) if at not in first]
                if not places:
                    raise refusal(sorted(refused, key=lambda one: one.record or 0)) from None

    def placed(self, done: Written, first: int = 0, file: RecordContent | None = None) -> tuple[Document, RecordContent]:
        """As `placed_document`, of the values that were written last."""
        return placed_document(self.binder, done.document, self._values, self._records, first, file)

    def _bytes(self, document: Document, careful: bool = False) -> bytes:
        for encoding in self._encodings(document):
            filler = Filler(self.binder, self.canonical, careful, self.before, encoding, self.around)
            values, origin = filler.fill(document)
            self.lossy = bool(filler.fitter.lacking)
            if not self.lossy:
                break
        self.held = frozenset(filler.records.held)
        self._values, self._records = values, filler.made
        return self.write(values) if origin is None else self.write(values, origin.reading)

    def _encodings(self, document: Document) -> Sequence[str]:
        """Return the encodings of the whole file to try: that of the text that is changed, else those of the schema.

        A text that is not UTF-8 is read as Windows-1252.
        """
        origin = document.origin
        if not isinstance(origin, FileOrigin) or origin.spec != self.binder.spec.id:
            return self.encodings
        text = origin.sequence.text
        if text.isascii():
            # The text of a file with a byte order mark is UTF-8, whatever the schema prefers.
            return self.encodings if origin.reading.encoding is None else ("utf-8",)
        try:
            text.encode("latin-1").decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return ("cp1252",)
        return ("utf-8",)

    def _reason(self, document: Document, at: int) -> Diagnostic | None:
        """Why a board cannot be written even alone; None where it can."""
        board = document.boards[at]
        alone = replace(document, boards=(board if board.number is not None else replace(board, number=at + 1),), origin=None)
        try:
            self._bytes(alone, careful=True)
        except WriteError as error:
            message = f"board {at + 1}: {self._words(board.deal, error)}"
            return Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, message, record=at)
        return None

    def _words(self, deal: Deal | None, error: WriteError) -> str:
        format = self.binder.spec.id
        if "deal" not in self.binder.terms or (deal is not None and deal.is_complete):
            field = next((one.field for one in _findings(error) if one.field), None)
            name, reason = (field or "").rpartition(".")[2], str(error).partition(": ")[2]
            return f"{format} cannot hold its {name}: {reason}" if name and reason else str(error)
        if deal is None:
            return f"{format} cannot hold its deal: there is none"
        return f"{format} cannot hold its deal: {not_whole(deal)}"


def _findings(error: WriteError) -> list[Diagnostic]:
    found: Iterable[object] = error.diagnostics
    return [one for one in found if isinstance(one, Diagnostic)]


def renumbered(found: Diagnostic, place: int) -> Diagnostic:
    """The finding of a board at its place in the whole document."""
    return replace(found, record=place, message=_BOARD.sub(f"board {place + 1}: ", found.message))
