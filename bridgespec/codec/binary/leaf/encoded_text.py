"""The element of text in the encoding that the schema declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridgespec.codec.binary.byte_errors import BAD_ENCODING, CannotWrite
from bridgespec.codec.binary.element import ArrayForm, LeafElement, Words, extent_words, lenient_table
from bridgespec.codec.binary.extent import ExtentRange
from bridgespec.codec.binary.process import Processor
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.stream import ByteSource, Sink
from bridgespec.codec.binary.valid import show
from bridgespec.codec.node import ByteNode, KeptText
from bridgespec.spec.encoding import python_encoding, undecodable
from bridgespec.spec.ir import Binding, StringType


class StringLeaf(LeafElement):
    """The element of a text (``str``, ``strz``), decoded by the encoding that the schema declares."""

    TYPE = StringType

    def __init__(self, type_: StringType, binding: Binding, processors: Mapping[str, Processor]) -> None:
        super().__init__(type_, binding, processors)
        self.range = ExtentRange(type_.extent)
        self.encoding = type_.encoding
        self.codec = python_encoding(type_.encoding)
        self.binding = binding
        self.lenient = lenient_table(binding)
        # In these encodings a text has only one byte sequence, so that `_same` need not encode it again.
        plain = self.codec in ("ascii", "utf-8") or (self.codec or "").startswith(("iso8859", "cp"))
        self.checked = self.range.strips or bool(self.lenient) or not plain

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        stream.bits_left = 0
        at = stream.at
        data = stream.data
        if self.lenient:
            # Lenient bytes may be spellings of the terminator or of the padding: they are translated before either is sought.
            window = stream.window(stream.pos, stream.end)
            window.data = data.translate(self.lenient)
            found = self.range.locate(window, context)
            stream.pos = window.pos
            raw = window.data[found.start : found.stop]
        else:
            found = self.range.locate(stream, context)
            raw = data[found.start : found.stop]
        whole = data[found.start : found.field_stop]
        node = ByteNode(None, path, at, stream.upto)
        try:
            if self.codec is None:
                raise ValueError(f"encoding {self.encoding} is unknown")
            node.value = raw.decode(self.codec)
        except ValueError as error:
            start, stop, message = node.start, node.stop, str(error)
            if isinstance(error, UnicodeDecodeError):
                message = undecodable(error, self.encoding)
                # Bytes of a decoded stream have no offsets in the file.
                if not stream.fixed:
                    start, stop = node.start + 8 * error.start, node.start + 8 * error.end
            named, severity = self.binding.code, self.binding.severity
            context.report(BAD_ENCODING, message, start, stop, path, named=named, severity=severity)
            node.broken = True
            node.value = whole
            return node
        if self.checked and not self._same(node.value, whole):
            node.kept = whole
        return node

    def _same(self, text: str, whole: bytes) -> bool:
        """Whether a writer would make the field's bytes of a text."""
        try:
            data = text.encode(self.codec or "ascii")
            return self.range.wrap(data, self.range.size_of(whole)) == whole
        except (CannotWrite, UnicodeEncodeError):
            return False

    def _means(self, kept: KeptText) -> bool:
        """Return whether the stored bytes of a `KeptText` decode to its value; true without a test if a reader made it."""
        if not kept.claimed:
            return True
        try:
            content = self.range.content(kept.raw.translate(self.lenient) if self.lenient else kept.raw)
            return content.decode(self.codec or "ascii") == kept
        except ValueError:
            return False

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        if isinstance(obj, KeptText) and self._means(obj):
            stream.write(obj.raw)
            return str(obj)
        if not isinstance(obj, str):
            raise CannotWrite(f"text is wanted, not {show(obj)}", context.path_of(path))
        try:
            if self.codec is None:
                raise CannotWrite(f"encoding {self.encoding} is unknown", context.path_of(path))
            data = obj.encode(self.codec)
        except UnicodeEncodeError:
            raise CannotWrite(f"{obj!r} cannot be spelled in {self.encoding}", context.path_of(path)) from None
        number = self.binding.number
        size, room = self.range.space(context, stream)
        if number is not None and number.pad_left and size is not None and len(data) < size:
            data = data.rjust(size, number.pad_left.encode(self.codec))
        stream.write(self.range.wrap(data, size, context.path_of(path), room))
        return obj

    @staticmethod
    def array_form(type_: StringType) -> ArrayForm:
        """As `LeafElement.array_form`."""
        return ArrayForm("bytes", 8, size=type_.extent)

    @staticmethod
    def words(type_: StringType) -> Words:
        """As `LeafElement.words`."""
        return [f"text ({type_.encoding})", *extent_words(type_.extent)]
