"""A format at work: files of one schema to documents, and documents to its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.codec.bind import Binder
from bridgespec.codec.byte_order import marked
from bridgespec.codec.node import Reading
from bridgespec.codec.origin import Excerpt, FileOrigin
from bridgespec.codec.words import OF_FILE
from bridgespec.codec.writer import refusal
from bridgespec.diagnostic import Diagnostic
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec.codec import pipeline
    from bridgespec.codec.binary import codec as binary
    from bridgespec.codec.binary.codec import BinaryCodec
    from bridgespec.codec.pipeline import Batch
    from bridgespec.codec.text import codec as text
    from bridgespec.codec.text.codec import TextCodec
else:
    # A file is of one language: the other's reader is not imported for it, nor what writes before something is written.
    binary, text = Lazy("bridgespec.codec.binary.codec"), Lazy("bridgespec.codec.text.codec")
    pipeline = Lazy("bridgespec.codec.pipeline")

PROBE = 1 << 13
"""So many bytes show how a text is encoded."""
STRETCH = 1 << 15
"""Bytes of a text that are read together."""


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

    def read(self, data: bytes, excerpt: Excerpt | None = None) -> tuple[Reading, Document]:
        """The tree of a file or of an excerpt of one of bytes, and its document, with all that could not be read."""
        reading = self.codec.read(data)
        return reading, self.binder.document(reading, excerpt=excerpt)

    def load(self, data: bytes, judged: bool = True) -> Document:
        """The document alone, boards of text bound when they are accessed; if ``judged``, its findings are found when somebody
        asks for them.
        """
        known = self.text
        if known is None:
            return self.read(data)[1]
        reading, complete = known.split_first(data)
        return self.binder.document(reading, complete if judged else Reading.without_findings)

    def is_streamed(self, file: BinaryIO) -> bool:
        """Whether a file, of which the beginning is read, is a text that can be read some boards at a time."""
        # A byte order mark, or UTF-16, is of the whole text.
        return self.text is not None and not pipeline.why_not_read(self.binder, self.text) and marked(file.read(PROBE)) is None

    def batches(self, file: BinaryIO, size: int = STRETCH, look: bool = True) -> Iterator[Batch]:
        """Read a text for which `is_streamed` some boards at a time, as `pipeline.batches`."""
        assert self.text is not None
        return pipeline.batches(self.binder, self.text, file, size, look)

    def spell(self, document: Document, canonical: bool = False, partial: bool = False, told: bool = True) -> Output:
        """The bytes of a document; WriteError where it cannot be held, with every reason.

        With ``partial``, boards that cannot be held are left out, unless that is so of all. With ``told`` it is told what was lost.
        """
        if not canonical and (data := self.unchanged(document)) is not None:
            return Output(data)
        writer = pipeline.StretchWriter(self.binder, self.codec, canonical, partial=partial, told=told)
        done = writer.stretch(document)
        if not done.after.boards and done.refused:
            raise refusal(done.refused)
        return Output(done.data, tuple(done.lost.in_words(self.spec.id, done.rooms)), done.rooms, done.refused)

    def trial(self, document: Document) -> tuple[bytes, Document, Document]:
        """The bytes of the boards that can be held, the document of these, and what is placed of it, as reading back must find."""
        return pipeline.StretchWriter(self.binder, self.codec, False).trial(document)

    def unchanged(self, document: Document) -> bytes | None:
        """The bytes of a file whose document is as it was read by this format; None of any other."""
        origin = document.origin
        if not isinstance(origin, FileOrigin) or origin.spec != self.spec.id:
            return None
        before = origin.as_read
        same = len(before.boards) == len(document.boards) and all(map(is_, before.boards, document.boards))
        said = all(getattr(document, name) == getattr(before, name) for name in (*OF_FILE, "extras"))
        return origin.reading.file_data if same and said else None
