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
    # A file has one language: the reader of the other is not imported for it, nor the writer before a file is written.
    binary, text = Lazy("bridgespec.codec.binary.codec"), Lazy("bridgespec.codec.text.codec")
    pipeline = Lazy("bridgespec.codec.pipeline")

PROBE = 1 << 13
"""The number of bytes at the beginning of a file from which the encoding of a text is recognised."""
STRETCH_BYTES = 1 << 15
"""The default size of a stretch: the number of bytes of a text that are read together. Records at its end are read again with the
next stretch, which is a larger share of the file for smaller stretches; larger ones take more memory.
"""


@dataclass(frozen=True, slots=True)
class Output:
    """A document in a format: the bytes, and findings on what the format cannot represent (warnings with code ``lost``)."""

    data: bytes
    findings: tuple[Diagnostic, ...] = field(default_factory=tuple)
    rooms: int = 0
    """The number of boards that were left out because a board of another room with the same deal was written."""
    refused: tuple[Diagnostic, ...] = ()
    """The reason for each board that was left out, where that was allowed."""


class Format:
    """The reader and the writer of one format: its codec, and its binding to the model. A `bridgespec.engines.Engine` makes one
    for each spec.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.text: TextCodec | None = text.TextCodec(spec) if spec.language == "lark" else None
        self.codec: BinaryCodec | TextCodec = self.text or binary.BinaryCodec(spec)

    @cached_property
    def binder(self) -> Binder:
        """The binding; made on first access, because a format that is only tried on a file may have nothing to bind."""
        return Binder(self.spec, None if self.text is None else self.text.engine)

    def read(self, data: bytes, excerpt: Excerpt | None = None) -> tuple[Reading, Document]:
        """Return the reading of a file, or of an excerpt of a binary file, and its document; the findings are complete."""
        reading = self.codec.read(data)
        return reading, self.binder.document(reading, excerpt=excerpt)

    def load(self, data: bytes, judged: bool = True) -> Document:
        """Return the document of a file. Boards of a text are bound on access, and its findings are computed on access; if
        ``judged`` is false, a text has no findings.
        """
        codec = self.text
        if codec is None:
            return self.read(data)[1]
        reading, complete = codec.split_first(data)
        return self.binder.document(reading, complete if judged else Reading.without_findings)

    def is_streamed(self, file: BinaryIO) -> bool:
        """Whether an open file is a text that can be read in stretches; reads the beginning of the file."""
        # A byte order mark or UTF-16 applies to the text as a whole, which is then read at once.
        return self.text is not None and not pipeline.why_not_read(self.binder, self.text) and marked(file.read(PROBE)) is None

    def batches(self, file: BinaryIO, size: int = STRETCH_BYTES, with_findings: bool = True) -> Iterator[Batch]:
        """Yield the batches of a text for which `is_streamed` is true, of about ``size`` bytes each; if
        ``with_findings`` is true, with their findings.
        """
        assert self.text is not None
        return pipeline.batches(self.binder, self.text, file, size, with_findings)

    def spell(self, document: Document, canonical: bool = False, partial: bool = False, report_losses: bool = True) -> Output:
        """Return a document as a file in this format, byte for byte as read if it is unchanged and not ``canonical``. Raises
        WriteError, with every reason, where the format cannot represent it.

        With ``partial``, boards that cannot be represented are left out, unless none can. With ``report_losses``, the losses are
        findings of the output.
        """
        if not canonical and (data := self.unchanged(document)) is not None:
            return Output(data)
        writer = pipeline.StretchWriter(self.binder, self.codec, canonical, partial=partial, report_losses=report_losses)
        done = writer.stretch(document)
        if not done.after.boards and done.refused:
            raise refusal(done.refused)
        lost = tuple(done.lost.in_words(self.spec.id, done.rooms)) if done.lost or done.rooms else ()
        return Output(done.data, lost, done.rooms, done.refused)

    def trial(self, document: Document) -> tuple[bytes, Document, Document]:
        """Write the boards of a document that can be represented. Return the bytes, the document of these boards, and the
        document that reading the bytes back must give.
        """
        return pipeline.StretchWriter(self.binder, self.codec, False).trial(document)

    def unchanged(self, document: Document) -> bytes | None:
        """Return the bytes of a file whose document is unchanged since it was read in this format; None for any other document."""
        origin = document.origin
        if not isinstance(origin, FileOrigin) or origin.spec != self.spec.id:
            return None
        before = origin.as_read
        same = len(before.boards) == len(document.boards) and all(map(is_, before.boards, document.boards))
        same_of_file = all(getattr(document, name) == getattr(before, name) for name in (*OF_FILE, "extras"))
        return origin.reading.file_data if same and same_of_file else None
