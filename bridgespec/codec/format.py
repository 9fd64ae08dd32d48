"""A format at work: files of one schema to documents, and documents to its bytes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING

from bridgespec.codec.bind import Binder
from bridgespec.codec.losses import LOST, counted, in_words
from bridgespec.codec.node import Reading
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.words import OF_FILE
from bridgespec.diagnostic import Diagnostic
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec import written
    from bridgespec.codec.binary import codec as binary
    from bridgespec.codec.binary.codec import BinaryCodec
    from bridgespec.codec.text import codec as text
    from bridgespec.codec.text.codec import TextCodec
else:
    # A file is of one language: the other's reader is not imported for it, nor what writes before something is written.
    binary, text = Lazy("bridgespec.codec.binary.codec"), Lazy("bridgespec.codec.text.codec")
    written = Lazy("bridgespec.codec.written")


@dataclass(frozen=True, slots=True)
class Output:
    """A document spelled in a format: the bytes, and what the format could not hold (warnings with code ``lost``)."""

    data: bytes
    findings: tuple[Diagnostic, ...] = field(default_factory=tuple)
    again: int = 0
    """Boards that were not written because their deal was: another room's."""
    refused: tuple[Diagnostic, ...] = ()
    """The reason for each board that was left out, where that was allowed."""


class Format:
    """The codec of a spec and its binding to the model."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.text: TextCodec | None = text.TextCodec(spec) if spec.language == "lark" else None
        self.codec: BinaryCodec | TextCodec = self.text or binary.BinaryCodec(spec)

    @cached_property
    def binder(self) -> Binder:
        """The binding; made when it is asked for, since a format that is only tried on a file may have nothing to bind."""
        return Binder(self.spec, None if self.text is None else self.text.engine)

    def read(self, data: bytes) -> tuple[Reading, Document]:
        """The tree of a file and its document, with all that could not be read."""
        reading = self.codec.read(data)
        return reading, self.binder.document(reading)

    def load(self, data: bytes, judged: bool = True) -> Document:
        """The document alone, boards of text bound when they are accessed; if ``judged``, its findings are found when somebody
        asks for them.
        """
        known = self.text
        if known is None:
            return self.read(data)[1]
        return self.binder.document(known.split(data), (lambda: known.read(data)) if judged else Reading.without_findings)

    def spell(self, document: Document, canonical: bool = False, partial: bool = False, told: bool = True) -> Output:
        """The bytes of a document; WriteError where it cannot be held, with every reason.

        With ``partial``, boards that cannot be held are left out, unless that is so of all. With ``told`` it is told what was lost.
        """
        binder = self.binder
        if not canonical and (unchanged := self._unchanged(document)) is not None:
            return Output(unchanged)
        if told:
            # What is lost follows from all fields, which take less time bound together.
            for board in document.boards:
                if isinstance(board.origin, Origin):
                    board.origin.sequence.at_once = True
        once = document if binder.terms & _PLAYED else _without_second_rooms(document)
        again = len(document.boards) - len(once.boards)
        writer = written.Writer(binder, self.codec.write, canonical)
        done = writer.in_part(once) if partial else written.Written(writer.whole(once), once)
        known = binder.lost if binder.proven else None
        found = counted(binder, done.document, lambda: self.load(done.data, False), canonical, known) if told else None
        lost = in_words(self.spec.id, found) if found else []
        if again:
            what = f"{again} board{'s' * (again > 1)} of another room with the same deal: each deal is written once"
            lost.insert(0, Diagnostic(LOST.name, LOST.severity, f"{self.spec.id} cannot hold {what}"))
        refused = done.refused
        if refused:
            places = {id(board): place for place, board in enumerate(document.boards)}
            refused = tuple(replace(one, record=places[id(once.boards[one.record or 0])]) for one in refused)
        return Output(done.data, tuple(lost), again, refused)


    def _unchanged(self, document: Document) -> bytes | None:
        """The bytes of a file whose document is as it was read by this format; None of any other."""
        origin = document.origin
        if not isinstance(origin, FileOrigin) or origin.spec != self.spec.id:
            return None
        before = origin.as_read
        same = len(before.boards) == len(document.boards) and all(map(is_, before.boards, document.boards))
        said = all(getattr(document, name) == getattr(before, name) for name in (*OF_FILE, "extras"))
        return origin.reading.file_data if same and said else None


_PLAYED = frozenset({"auction", "play", "contract", "declarer", "result", "score", "players"})
"""What may differ where one deal is played in two rooms."""


def _without_second_rooms(document: Document) -> Document:
    """The document with each deal once that stands in two rooms under one number."""
    seen: dict[tuple[object, object], str] = {}
    kept = []
    for board in document.boards:
        if board.room is None or board.deal is None or seen.setdefault((board.number, board.deal), board.room) == board.room:
            kept.append(board)
    return document if len(kept) == len(document.boards) else replace(document, boards=tuple(kept))
