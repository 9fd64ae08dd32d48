"""The element of byte arrays: of a fixed size, up to a terminator or to the end; constant, or transformed by a ``process``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridgespec.codec.binary.byte_errors import CONTENTS, CannotWrite, Unreadable
from bridgespec.codec.binary.element import ArrayForm, LeafElement, Words, extent_words, lenient_table
from bridgespec.codec.binary.extent import ExtentRange
from bridgespec.codec.binary.process import Process, Processor
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.binary.stream import ByteSource, NotYetKnown, Sink
from bridgespec.codec.binary.valid import show
from bridgespec.codec.node import ByteNode, KeptBytes, ZeroFill
from bridgespec.spec.ir import Binding, BytesType
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError


class BytesLeaf(LeafElement):
    """The element of a byte array: of a fixed size, up to a terminator or to the end; constant, or transformed by a ``process``."""

    TYPE = BytesType

    def __init__(self, type_: BytesType, binding: Binding, processors: Mapping[str, Processor]) -> None:
        super().__init__(type_, binding, processors)
        self.range = ExtentRange(type_.extent)
        self.contents = type_.contents
        self.process = Process(type_.process, processors) if type_.process is not None else None
        self.binding = binding
        self.lenient = lenient_table(binding)

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        stream.bits_left = 0
        start, at = stream.pos, stream.at
        if self.contents is not None:
            return self._constant(stream, context, path)
        found = self.range.locate(stream, context)
        raw = stream.data[found.start : found.stop]
        whole = stream.data[start : found.field_stop]
        value = raw.translate(self.lenient) if self.lenient else raw
        if self.process is not None:
            value = self.process.decode(value, context)
        node = ByteNode(None, path, at, stream.upto, value)
        # Without a process, lenient codes and padding the content is the field's bytes.
        if self.process is not None or self.lenient or self.range.strips:
            self._keep(node, whole, context)
        return node

    def _keep(self, node: ByteNode, whole: bytes, context: RecordFrame) -> None:
        """Set `ByteNode.kept` to the field's bytes if a writer would make others of the value."""
        assert isinstance(node.value, bytes)
        try:
            stored = self.process.encode(node.value, context) if self.process is not None else node.value
            same = self.range.wrap(stored, self.range.size_of(whole)) == whole
        except CannotWrite:
            same = False
        if not same:
            node.kept = whole

    def _constant(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        """Read a constant, and report other bytes."""
        wanted = self.contents or b""
        at = stream.at
        value = stream.read(len(wanted))
        node = ByteNode(None, path, at, stream.upto, value)
        if value != wanted:
            if self.lenient and value.translate(self.lenient) == wanted:
                node.value, node.kept = wanted, value
            else:
                named, severity = self.binding.code, self.binding.severity
                shown = f"these bytes should be {_show(wanted)}, they are {_show(value)}"
                context.report(CONTENTS, shown, node.start, node.stop, path, named=named, severity=severity)
        return node

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        if isinstance(obj, KeptBytes) and self._means(obj, context):
            stream.write(obj.raw)
            return bytes(obj)
        if not isinstance(obj, bytes | bytearray | memoryview):
            spelled = f"; bytes are spelled {obj!r}.as<bytes>" if isinstance(obj, list) else ""
            raise CannotWrite(f"bytes are wanted, not {show(obj)}{spelled}", context.path_of(path))
        value = bytes(obj)
        if self.contents is not None:
            stream.write(value)
            return value
        size, room = self.range.space(context, stream)
        if isinstance(obj, ZeroFill) and size is not None:
            value = bytes(size)
        stored = value
        if self.process is not None:
            with stream.ahead(len(value) if size is None else size):
                stored = self.process.encode(value, context)
        stream.write(self.range.wrap(stored, size, context.path_of(path), room))
        return value

    def _means(self, kept: KeptBytes, context: RecordFrame) -> bool:
        """Return whether the stored bytes of a `KeptBytes` decode to its value; true without a test if a reader made it."""
        if not kept.claimed:
            return True
        # A session that writes has no file whose size would permit decoding: the value's own size is permitted.
        context.session.volume += len(kept) + 1
        content = self.range.content(kept.raw.translate(self.lenient) if self.lenient else kept.raw)
        try:
            return (content if self.process is None else self.process.decode(content, context)) == kept
        # A key of the process may be unknown in the first pass; a later pass compares.
        except NotYetKnown:
            return True
        except (EvaluationError, Unreadable):
            return False

    @staticmethod
    def array_form(type_: BytesType) -> ArrayForm:
        """As `LeafElement.array_form`."""
        size = type_.extent if type_.contents is None else len(type_.contents)
        return ArrayForm("bytes", 8, size=size, refused="is stored transformed (process)" if type_.process is not None else "")

    @staticmethod
    def words(type_: BytesType) -> Words:
        """As `LeafElement.words`."""
        return ["constant"] if type_.contents is not None else ["bytes", *extent_words(type_.extent)]


def _show(data: bytes) -> str:
    shown = data[:16].hex(" ") + (" ..." if len(data) > 16 else "")
    return f"{shown} ({data[:16].decode('ascii')!r})" if data and all(32 <= b < 127 for b in data[:16]) else shown
