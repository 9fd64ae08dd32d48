"""The reference codec of binary formats: reads a file of any schema to a tree with the span of every field, and writes plain
values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bridgespec.codec.binary.byte_errors import TRAILING, Abandoned, CannotWrite, Unreadable
from bridgespec.codec.binary.compile import compile_spec
from bridgespec.codec.binary.field import FieldElement
from bridgespec.codec.binary.process import Processor
from bridgespec.codec.binary.record import RecordElement, UseElement
from bridgespec.codec.binary.scope import BinarySession, FieldPositions, RecordFrame
from bridgespec.codec.binary.stream import ByteSource, NotYetKnown, Sink
from bridgespec.codec.node import ByteNode, FieldNode, Raw, Reading, plain
from bridgespec.codec.shared_findings import MOST, TOO_DEEP, closing
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError, WriteError
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError

__all__ = ["BinaryCodec", "plain"]


MOST_TIMES = 20
"""The maximum number of passes until sizes, offsets and checksums settle: one pass for each that depends on another."""


class BinaryCodec:
    """Reads and writes files of one binary format. One is made for each spec, whose records it compiles to elements.

    ``processors`` are the routines for custom ``process`` names of the schema, by name.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> codec = BinaryCodec(loads('''
    ... meta: {id: pair, endian: le}
    ... seq: [{id: a, type: u2}, {id: b, type: u1, valid: 3}]
    ... '''))
    >>> reading = codec.read(bytes([1, 2, 4]))
    >>> plain(reading.root), [(d.code, d.field, d.span.byte_start) for d in reading.diagnostics]
    ({'a': 513, 'b': 4}, [('invalid-value', 'b', 2)])
    >>> codec.write({"a": 1}).hex()
    '010003'
    """

    def __init__(self, spec: Spec, processors: Mapping[str, Processor] | None = None) -> None:
        self.spec = spec
        self.processors = processors or {}
        self.root = compile_spec(spec, self.processors)
        self.placing = spec.placing

    # --- reading ---

    def read(self, data: bytes, limit: int = MOST) -> Reading:
        """Return the tree of a file and its findings (at most ``limit``). Never raises an error, whatever the bytes are."""
        data = bytes(data)
        session = BinarySession(data, limit, self.processors)
        stream = ByteSource(data)
        frame = RecordFrame(self.root, session, stream, None, "")
        node = self._read(self.root, frame)
        # Instances may extend `reach`, by which trailing bytes are found, and refer to fields anywhere in the file.
        self._finish(session)
        if isinstance(node.children, list) and stream.tail():
            self._trailing(frame, node, stream)
        return Reading(node, data, session.diagnostics + closing(session.dropped), session.dropped)

    def read_record(self, data: bytes, offset: int, index: int, limit: int = MOST) -> Reading:
        """Return record ``index`` of the file's list, which begins at byte ``offset`` of ``data``.

        For lists of records of fixed size, one record can be read without those before it; ``_root`` and ``_parent`` then contain
        nothing else. Raises UsageError where a file of this format is not a list of records.
        """
        field, use = self._list()
        session = BinarySession(data, limit, self.processors)
        top = RecordFrame(self.root, session, ByteSource(data), None, "")
        top.node = ByteNode(None, self.spec.id, 0, 0, None, [])
        node = self._element(field, use, top, data, offset, index)
        self._finish(session)
        return Reading(node, data, session.diagnostics + closing(session.dropped), session.dropped)

    def read_records(self, data: bytes, offset: int = 0, limit: int = MOST) -> Iterator[Reading]:
        """Yield the records of a file's list one by one, each with its own findings, so that memory stays bounded.

        Only for lists of records of fixed size; the last record may be cut short.
        """
        field, _ = self._list()
        size = (field.bits or 0) // 8
        if not size:
            raise UsageError(f"the records of {self.spec.id} have no fixed size")
        for index, start in enumerate(range(offset, len(data), size)):
            yield self.read_record(data, start, index, limit)

    def _list(self) -> tuple[FieldElement, UseElement]:
        """Return the first field of the file that is a list of records, and the element of its type. Raises UsageError without
        such a field.
        """
        for field in self.root.fields:
            if field.repeat is not None and isinstance(field.type, UseElement):
                return field, field.type
        raise UsageError(f"a file of {self.spec.id} is not a list of records")

    def _element(self, field: FieldElement, use: UseElement, top: RecordFrame, data: bytes, offset: int, index: int) -> ByteNode:
        """Return the node of record ``index`` of a list, read at byte ``offset``, with raw bytes where it cannot be read."""
        size = (field.bits or 0) // 8
        end = min(offset + size, len(data)) if size else len(data)
        stream = ByteSource(data, offset, end)
        # Positions in expressions count from the start of the file, as if the records before had been read.
        stream.start = 0
        top.record = top.index = index
        label = f"{field.label}[{index}]"
        try:
            node = use._parse(stream, top, label)
        except (Unreadable, EvaluationError, Abandoned, RecursionError) as error:
            node = ByteNode(field.decl, label, 8 * offset, 8 * end, data[offset:end])
            node.broken = True
            code = error.code if isinstance(error, Unreadable) else TOO_DEEP
            top.report(code, str(error), node.start, node.stop, label)
        node.name = str(index)
        node.decl = field.decl
        return node

    def _read(self, element: RecordElement, frame: RecordFrame) -> ByteNode:
        """Return the node of the whole file; an error outside of its fields is a finding on a broken node."""
        stream = frame.io
        try:
            return element.read(frame, self.spec.id)
        except (Unreadable, EvaluationError, RecursionError) as error:
            node = frame.node or ByteNode(None, self.spec.id, 0, stream.upto, None, [])
            node.broken = True
            code = error.code if isinstance(error, Unreadable) else TOO_DEEP
            message = "records are nested too deeply" if isinstance(error, RecursionError) else str(error)
            frame.report(code, message, node.start, stream.upto)
            return node

    def _finish(self, session: BinarySession) -> None:
        """Evaluate the instances, derived values and checks of all records that were read."""
        # The list grows during the loop: an instance may read records that have instances of their own.
        for frame in session.pending:
            if session.spent:
                return
            try:
                frame.element.finish(frame)
            except (Unreadable, EvaluationError, RecursionError) as error:
                frame.report(TOO_DEEP, str(error), frame.node.start, frame.node.stop)
                return

    def _trailing(self, frame: RecordFrame, node: ByteNode, stream: ByteSource) -> None:
        """Add the bytes after the last field as node ``trailing``, and report those that no part at an offset has read."""
        reach = frame.session.reach
        rest = stream.tail()
        stop = 8 * len(stream.data)
        assert isinstance(node.children, list)
        node.children.append(ByteNode(None, "trailing", stop - 8 * len(rest), stop, Raw(rest)))
        # `reach` is the end of the last part at an offset: bytes up to there belong to fields.
        start = max(8 * stream.pos, reach)
        if frame.lost or start >= stop or frame.session.spent:
            return
        count = (stop - start + 7) // 8
        noun = "1 byte follows" if count == 1 else f"{count} bytes follow"
        frame.report(TRAILING, f"{noun} the last field", start, stop)

    @staticmethod
    def text_of(node: FieldNode) -> str | None:
        """Return the result of the schema's ``to-string`` for a record; None where it has none, or no value for these data."""
        frame = node.scope if isinstance(node, ByteNode) else None
        if frame is None or frame.element.text is None:
            return None
        try:
            return str(frame.element.text(frame))
        except (EvaluationError, Unreadable):
            return None

    # --- writing ---

    def write(self, values: Mapping[str, Any]) -> bytes:
        """Return the bytes of a file from plain values (as ``plain`` makes them of a tree); constants, derived and default values
        may be left out. Raises WriteError where a value is missing or does not fit."""
        try:
            data, session = self._settled(values) if self.root.settles else self._written_once(values)
            if session.clash is not None:
                raise CannotWrite(*session.clash)
            return data
        except CannotWrite as error:
            message = f"{error.field}: {error.message}" if error.field else error.message
            finding = Diagnostic("unwritable", Severity.ERROR, error.message, field=error.field or None)
            raise WriteError(message, (finding,)) from None
        except (EvaluationError, Unreadable, RecursionError) as error:
            raise WriteError(str(error)) from None

    def _written(
        self, values: Mapping[str, Any], known: FieldPositions | None, settling: bool = False
    ) -> tuple[bytes, BinarySession]:
        """Write the file once, with the positions of the pass before (``known``). Return its bytes, and the session with the
        positions of this pass.
        """
        session = BinarySession(b"", 0, self.processors)
        session.reading, session.known, session.settling = False, known, settling
        sink = Sink(taken=bytearray() if self.placing else None)
        frame = RecordFrame(self.root, session, sink, None, "")
        frame.given = values
        self.root.write(frame, sink)
        return sink.finish(), session

    def _written_once(self, values: Mapping[str, Any]) -> tuple[bytes, BinarySession]:
        """Return the bytes of a file, written in one pass where all lengths, counts and offsets are given, else by `_settled`."""
        try:
            return self._written(values, None)
        except NotYetKnown:
            return self._settled(values)

    def _settled(self, values: Mapping[str, Any]) -> tuple[bytes, BinarySession]:
        """Write the file repeatedly, each time with the sizes, offsets and bytes of the pass before, until the bytes no longer
        change.
        """
        data, session = self._written(values, None, True)
        # A value that depends on itself, such as a checksum of its own bytes, never settles.
        for _ in range(MOST_TIMES):
            before = data
            data, session = self._written(values, session.layout, True)
            if data == before:
                return data, session
        shorter = min(len(before), len(data))
        at = next((at for at in range(shorter) if before[at] != data[at]), shorter)
        where = next(
            (f"{path}.{name}" for (path, name), here in session.layout.items() if name and here.start <= 8 * at < here.stop), ""
        )
        raise CannotWrite(f"the bytes from {at:#x} on change each time they are written: a value follows from itself", where)

    def rewrite(self, reading: Reading) -> bytes:
        """Return the bytes of a tree that was read, written from its plain values; they equal those of the file."""
        return self.write(plain(reading.root))


def find(node: FieldNode, path: str) -> FieldNode:
    """Return the node at a dotted path (``boards[1].deal[0]``); KeyError where there is none."""
    for part in path.replace("[", ".").replace("]", "").split("."):
        node = node[part]
    return node
