"""Formats: read files of one schema to documents, and write documents to files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding_words import OF_FILE
from bridgespec.codec.byte_order import marked
from bridgespec.codec.node import Reading
from bridgespec.codec.origin import Excerpt, FileOrigin
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
"""The number of bytes that show the encoding of a text."""
STRETCH = 1 << 15
"""The number of bytes of a text that are read together."""


@dataclass(frozen=True, slots=True)
class Output:
    """A document in a format: the bytes, and findings on what the format cannot represent (warnings with code ``lost``)."""

    data: bytes
    findings: tuple[Diagnostic, ...] = field(default_factory=tuple)
    again: int = 0
    """The number of boards that were not written because their deal was: that of another room."""
    refused: tuple[Diagnostic, ...] = ()
    """The reason for each board that was left out, where that was allowed."""


class Format:
    """The codec of a spec and its binding to the model. An engine makes one for each spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.text: TextCodec | None = text.TextCodec(spec) if spec.language == "lark" else None
        self.codec: BinaryCodec | TextCodec = self.text or binary.BinaryCodec(spec)

    @cached_property
    def binder(self) -> Binder:
        """The binding; made on first access, because a format that is only tried on a file may have nothing to bind."""
        return Binder(self.spec, None if self.text is None else self.text.engine)

    def read(self, data: bytes, excerpt: Excerpt | None = None) -> tuple[Reading, Document]:
        """Return the tree of a file, or of an excerpt of a binary file, and its document, with all findings on what could not be
        read.
        """
        reading = self.codec.read(data)
        return reading, self.binder.document(reading, excerpt=excerpt)

    def load(self, data: bytes, judged: bool = True) -> Document:
        """Return the document alone, boards of text bound on access; if ``judged``, its findings are computed when they are
        accessed.
        """
        known = self.text
        if known is None:
            return self.read(data)[1]
        reading, complete = known.split_first(data)
        return self.binder.document(reading, complete if judged else Reading.without_findings)

    def is_streamed(self, file: BinaryIO) -> bool:
        """Whether a file, of which the beginning is read, is a text that can be read in stretches."""
        # A byte order mark, or UTF-16, is of the whole text.
        return self.text is not None and not pipeline.why_not_read(self.binder, self.text) and marked(file.read(PROBE)) is None

    def batches(self, file: BinaryIO, size: int = STRETCH, look: bool = True) -> Iterator[Batch]:
        """Read a text for which `is_streamed` in stretches, as `pipeline.batches`."""
        assert self.text is not None
        return pipeline.batches(self.binder, self.text, file, size, look)

    def spell(self, document: Document, canonical: bool = False, partial: bool = False, told: bool = True) -> Output:
        """Return the bytes of a document. Raises WriteError, with every reason, where the format cannot represent it.

        With ``partial``, boards that cannot be represented are left out, unless all are. With ``told`` losses are reported.
        """
        if not canonical and (data := self.unchanged(document)) is not None:
            return Output(data)
        writer = pipeline.StretchWriter(self.binder, self.codec, canonical, partial=partial, told=told)
        done = writer.stretch(document)
        if not done.after.boards and done.refused:
            raise refusal(done.refused)
        lost = tuple(done.lost.in_words(self.spec.id, done.rooms)) if done.lost or done.rooms else ()
        return Output(done.data, lost, done.rooms, done.refused)

    def trial(self, document: Document) -> tuple[bytes, Document, Document]:
        """Return the bytes of the boards that can be represented, the document of these, and the document of the values placed,
        which reading back must give.
        """
        return pipeline.StretchWriter(self.binder, self.codec, False).trial(document)

    def unchanged(self, document: Document) -> bytes | None:
        """Return the bytes of a file whose document is unchanged since it was read in this format; None for any other document."""
        origin = document.origin
        if not isinstance(origin, FileOrigin) or origin.spec != self.spec.id:
            return None
        before = origin.as_read
        same = len(before.boards) == len(document.boards) and all(map(is_, before.boards, document.boards))
        said = all(getattr(document, name) == getattr(before, name) for name in (*OF_FILE, "extras"))
        return origin.reading.file_data if same and said else None
