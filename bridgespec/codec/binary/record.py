"""The elements of records, of fields with a record type, and of types that a value selects (switches)."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Literal

from bridgespec.codec.binary.byte_errors import BAD_SIZE, NO_CASE, Abandoned, CannotWrite, Unreadable, code_of
from bridgespec.codec.binary.element import Element
from bridgespec.codec.binary.extent import MOST_SIZE, ExtentRange
from bridgespec.codec.binary.field import FieldElement
from bridgespec.codec.binary.field_positions import StreamPosition
from bridgespec.codec.binary.process import Process
from bridgespec.codec.binary.scope import UNREAD, RecordFrame
from bridgespec.codec.binary.stream import ByteSource, NotYetKnown, Sink
from bridgespec.codec.binary.valid import Constraint, show
from bridgespec.codec.binary.write import foresee, write_field
from bridgespec.codec.node import ByteNode, FieldNode, KeptRecord, Raw, Undecided, leaf_of
from bridgespec.diagnostic import Code, Severity
from bridgespec.spec.ir import Check, EndianSwitch, Record
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, ExpressionFunction, compile_expression


class ValueElement:
    """The compiled expressions of a value instance: its value, condition and constraint."""

    def __init__(self, value: ExpressionFunction, condition: ExpressionFunction | None, constraint: Constraint | None) -> None:
        self.value = value
        self.condition = condition
        self.constraint = constraint


class PlaceElement:
    """The element of an instance that is read at an offset (``pos``), with the compiled offset and stream."""

    def __init__(self, field: FieldElement, pos: ExpressionFunction | None, io: ExpressionFunction | None) -> None:
        self.field = field
        self.pos = pos
        self.io = io


class RecordElement(Element):
    """The element of a declared type: its fields in order, its instances by name. The compiler fills it in after making it, since
    types can be recursive.
    """

    def __init__(self, record: Record, bits: int | None) -> None:
        super().__init__()
        self.name = record.name
        self.title = record.name.rpartition("::")[2]
        self.schema = record.name.partition("::")[0]
        self.bits = bits
        self.params = [parameter.name for parameter in record.params]
        self.fields: list[FieldElement] = []
        self.by_name: dict[str, FieldElement] = {}
        self.instances: dict[str, ValueElement | PlaceElement] = {}
        self.checks = [(compile_expression(check.that), check) for check in record.checks]
        self.endian = _endian(record.endian_switch) if record.endian_switch is not None else None
        self.text = compile_expression(record.to_string) if record.to_string is not None else None
        self.derived: list[FieldElement] = []
        self.later = False
        """Whether `finish` has anything to do: the record has instances, checks or derived fields."""
        self.looked_at = False
        """Whether an expression depends on the positions of records of the type."""
        self.settles = False
        """Whether any expression of the schema depends on a position."""

    def complete(self) -> None:
        """Compute the properties that depend on the fields and instances; called by the compiler after it has set these."""
        self.by_name = {field.label: field for field in self.fields}
        self.derived = [field for field in self.fields if field.derived is not None]
        self.later = bool(self.instances or self.checks or self.derived)

    def read(self, frame: RecordFrame, label: str) -> ByteNode:
        """Read the fields from the frame's stream. Return the node, broken if the position of a later field is unknown."""
        stream = frame.io
        nodes: list[FieldNode] = []
        at = stream.at
        node = ByteNode(None, label, at, at, None, nodes)
        node.scope = frame
        frame.node = node
        if self.endian is not None:
            frame.little = self.endian(frame)
        here = frame.begin(None, stream) if self.looked_at else None
        try:
            for field in self.fields:
                field.read(stream, frame, nodes)
        except Abandoned:
            node.broken = frame.lost = True
        if here is not None:
            here.end()
        node.stop = stream.upto
        if self.later:
            frame.session.pending.append(frame)
        return node

    def instance(self, frame: RecordFrame, name: str) -> Any:
        """Return the value of an instance. Raises EvaluationError for one that depends on itself."""
        if frame.busy is None:
            frame.busy = set()
        if name in frame.busy:
            raise EvaluationError(f"'{name}' depends on itself")
        frame.busy.add(name)
        try:
            if not frame.session.reading:
                value = self._written_instance(frame, name)
            elif isinstance(element := self.instances[name], ValueElement):
                value = self._computed(frame, name, element)
            else:
                value = self._placed(frame, name, element)
        finally:
            frame.busy.discard(name)
        return value

    def _computed(self, frame: RecordFrame, name: str, element: ValueElement) -> Any:
        """Compute a value instance, add its node and check its constraint. Return the value, None if its condition is false."""
        absent = element.condition is not None and not element.condition(frame)
        value = None if absent else element.value(frame)
        frame.values[name] = value
        if frame.node is not None and frame.session.reading:
            at = frame.node.start
            node = ByteNode(None, name, at, at, value if isinstance(value, int | float | str | bytes) else None)
            node.absent = absent
            frame.node.instances.append(node)
            if element.constraint is not None and not absent:
                element.constraint.check(frame, value, name, at, frame.node.stop)
        return value

    def _placed(self, frame: RecordFrame, name: str, element: PlaceElement) -> Any:
        """Read an instance at its offset and add its nodes. Return its value; the position of the stream does not change."""
        stream = element.io(frame) if element.io is not None else frame.io
        if not isinstance(stream, ByteSource):
            raise EvaluationError(f"'{name}': there is no stream to read from")
        # An expression may use an instance between two fields of bits, in the middle of a byte.
        outer = (stream.pos, stream.bits, stream.bits_left)
        field = element.field
        nodes: list[FieldNode] = []
        session = frame.session
        # A fine moves its amount from `budget` to `fined`: the sum changes by nodes only, not by the fines of inner instances.
        budget = session.budget + session.fined
        start = stream.pos
        try:
            if element.pos is not None and (field.condition is None or field.condition(frame)):
                pos = element.pos(frame)
                if not isinstance(pos, int) or not 0 <= pos <= stream.end - stream.start:
                    message = f"position {show(pos)} is outside the {stream.end - stream.start} bytes of data"
                    frame.report(BAD_SIZE, message, frame.node.start, frame.node.stop, name)
                    frame.values[name] = UNREAD
                    return frame.get(name)
                stream.seek(pos)
                start = stream.pos
            field.read(stream, frame, nodes)
        except Abandoned:
            frame.values.setdefault(name, UNREAD)
        finally:
            stop = stream.pos
            stream.pos, stream.bits, stream.bits_left = outer
            for node in nodes:
                frame.node.instances.append(node)
                if stream.fixed is None:
                    session.reach = max(session.reach, node.stop)
        session.count_part(stream.data, start, stop, budget - session.budget - session.fined)
        return frame.get(name)

    def finish(self, frame: RecordFrame) -> None:
        """Evaluate every instance, verify derived fields and run the checks of a record that was read."""
        for name, element in self.instances.items():
            if name in frame.values:
                continue
            if frame.session.spent:
                return
            try:
                self.instance(frame, name)
            except (EvaluationError, Unreadable, RecursionError) as error:
                if frame.lost or frame.values.get(name) is UNREAD:
                    continue
                severity = Severity.NOTE if isinstance(element, ValueElement) else None
                frame.report(code_of(error), str(error), frame.node.start, frame.node.stop, name, severity=severity)
        if frame.lost:
            return
        for field in self.derived:
            field.verify(frame)
        for holds, check in self.checks:
            self._check(frame, holds, check)

    def _check(self, frame: RecordFrame, holds: ExpressionFunction, check: Check) -> None:
        node = frame.node
        try:
            if not holds(frame):
                code = Code(check.code, check.severity, check.message)
                frame.report(code, check.message, node.start, node.stop)
        except EvaluationError as error:
            frame.report(code_of(error), str(error), node.start, node.stop)

    def write(self, frame: RecordFrame, sink: Sink) -> None:
        """Write the fields of a record from the plain values in ``frame.given``."""
        if self.endian is not None:
            frame.little = self.endian(frame)
        here = frame.begin(None, sink) if self.looked_at else None
        if frame.session.settling:
            frame.session.layout[frame.path(), "_io"] = StreamPosition(sink)
        for field in self.fields:
            write_field(field, sink, frame)
        if here is not None:
            here.end()
        if sink.mark is None or frame.owner is None or frame.owner.io is not sink:
            sink.mark = sink.pos
        rest = frame.given.get("trailing")
        if isinstance(rest, bytes) and "trailing" not in self.by_name:
            sink.drop_bits()
            sink.write(rest, bytes(len(rest)))
        for name, element in self.instances.items():
            if isinstance(element, PlaceElement) and frame.given.get(name) is not None and not frame.lost:
                self._defer(frame, sink, name, element)

    def _defer(self, frame: RecordFrame, sink: Sink, name: str, element: PlaceElement) -> None:
        """Register a part at an offset to be written when everything else in its stream is written."""
        if element.pos is None:
            return  # without an offset it is read where the stream was when an expression used it: from bytes of other fields
        target = sink
        if element.io is not None:
            try:
                found = element.io(frame)
            except EvaluationError:
                return
            if not isinstance(found, Sink):
                return
            target = found
        place = element.pos

        def lengthen() -> None:
            """Lengthen the target by the number of bytes behind the position, and move to the part's offset from the new end."""
            assert target.size is not None
            target.size += target.size - target.pos
            target.seek(place(frame))

        def later() -> None:
            """Write the part. If it does not fit before the end from which its offset counts, lengthen the target first."""
            target.from_end = False
            try:
                target.seek(frame.places[name] if name in frame.places else place(frame))
            except NotYetKnown:
                if frame.session.known is not None:
                    raise
                # In the first pass any offset will do: its size is known in the next one.
                target.seek(len(target.buffer))
            path, saved = frame.path_of(name), target.saved() if target.from_end and target.clash is None else None
            if target.pos < 0 and saved is not None:
                lengthen()
            start = target.pos
            if not 0 <= start <= len(target.buffer) + MOST_SIZE:
                raise CannotWrite(f"position {start} is outside of what can be written", path)
            write_field(element.field, target, frame)
            target.align()
            if target.clash is not None and saved is not None:
                target.restore(saved)
                target.seek(start)
                lengthen()
                start = target.pos
                write_field(element.field, target, frame)
                target.align()
            if target.clash is not None and frame.session.clash is None:
                at = target.clash
                there = (path for begin, stop, path in target.placed if begin <= at < stop)
                frame.session.clash = (f"it would overwrite {next(there, 'what precedes')} at {at:#x}, which differs", path)
            target.placed.append((start, target.pos, path))

        target.closing.append(later)

    def _written_instance(self, frame: RecordFrame, name: str) -> Any:
        """Return the value of an instance for expressions while writing."""
        element = self.instances[name]
        if isinstance(element, PlaceElement):
            # A reader evaluates the offset when an expression uses the instance: `_io.pos` in it has the value of this moment.
            if element.pos is not None and element.io is None and name not in frame.places:
                frame.places = {**frame.places, name: element.pos(frame)}
            return foresee(frame, name, element.field)
        return element.value(frame) if element.condition is None or element.condition(frame) else None

    def foresee(self, frame: RecordFrame, name: str) -> Any:
        """Return the value that a field which is not written yet will have."""
        field = self.by_name.get(name)
        if field is None:
            raise EvaluationError(f"'{name}' has no value")
        return foresee(frame, name, field)


class UseElement(Element):
    """The element of a field whose type is a record type, with the arguments, the parent and the substream of the record."""

    def __init__(
        self,
        target: RecordElement,
        args: list[ExpressionFunction],
        range_: ExtentRange | None,
        process: Process | None,
        parent: ExpressionFunction | Literal[False] | None,
    ) -> None:
        super().__init__()
        self.target = target
        self.args = args
        self.range = range_
        self.process = process
        self.parent = parent

    def enter(self, stream: Any, context: RecordFrame, path: str) -> RecordFrame:
        """Return a frame for the record; its arguments are evaluated in ``context``, the frame of the record that uses it."""
        frame = RecordFrame(self.target, context.session, stream, context, path)
        frame.check_depth()
        if self.args:
            frame.values.update(zip(self.target.params, [arg(context) for arg in self.args], strict=True))
        if self.parent is not None:
            frame.parent = self.parent(context) if self.parent else None
        return frame

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        if self.range is None:
            # a record without a size of its own is read from the stream of the fields around it
            return self.target.read(self.enter(stream, context, path), path)
        start, at = stream.pos, stream.at
        found = self.range.locate(stream, context)
        window = stream.window(found.start, found.stop)
        if self.process is not None:
            data = self.process.decode(stream.data[found.start : found.stop], context)
            window = ByteSource(data, fixed=(at, stream.upto))
        frame = self.enter(window, context, path)
        node = self.target.read(frame, path)
        # A substream has a known end: the fields after it can be found whatever failed inside.
        frame.lost = False
        children = node.children
        rest = window.tail()
        if rest and isinstance(children, list):
            where = window.stop_of(window.end)
            children.append(ByteNode(None, "trailing", window.bit_of(window.end - len(rest)), where, Raw(rest)))
        node.start, node.stop = at, stream.upto
        if self.range.strips or self.process is not None:
            node.kept = stream.data[start : found.field_stop]
        return node

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        if not hasattr(obj, "get"):
            raise CannotWrite(
                f"{obj!r} is one value, and the type {self.target.title} is a record: a field in it can hold it",
                context.path_of(path),
            )
        if self.range is None:
            frame = self.enter(stream, context, path)
            frame.given = obj
            self.target.write(frame, stream)
            context.lost = context.lost or frame.lost
            return frame
        size, room = self.range.space(context, stream)
        taken = bytearray() if stream.taken is not None else None
        window = Sink(size if self.process is None else None, taken, stream.loose)
        frame = self.enter(window, context, path)
        frame.given = obj
        self.target.write(frame, window)
        content = window.finish()
        # If the content is unchanged, its stored bytes are kept: padding and compression are not unique.
        if isinstance(obj, KeptRecord) and self._content(obj.raw, context) == content:
            stream.write(obj.raw)
            return frame
        if self.process is not None:
            with stream.ahead(len(content) if size is None else size):
                content = self.process.encode(content, context)
        if size is not None and not self.range.strips and len(content) < size:
            content = content.ljust(size, b"\0")
        stream.write(self.range.wrap(content, size, context.path_of(path), room), taken if self.process is None else None)
        return frame

    def _content(self, raw: bytes, context: RecordFrame) -> bytes | None:
        """Return the decoded content of stored bytes; None where it cannot be separated from their padding."""
        assert self.range is not None
        try:
            found = self.range.locate(ByteSource(raw), context)
            content = raw[found.start : found.stop]
            return self.process.decode(content, context) if self.process is not None else content
        except (Unreadable, EvaluationError):
            return None


class SwitchElement(Element):
    """The element of a type that a value selects (``switch-on``); without a case for the value it is the default, if there is one.

    Such a value is reported, at the field to which the path ``by`` leads, unless it is in ``codes``, the codes of its enum (None
    without an enum). A default of the schema is never reported; the default ``implicit``, raw bytes, only if there is an enum.
    """

    def __init__(
        self,
        on: ExpressionFunction,
        cases: list[tuple[ExpressionFunction | None, Element]],
        implicit: bool,
        codes: Container[object] | None,
        by: tuple[str, ...],
    ) -> None:
        super().__init__()
        self.on, self.implicit, self.codes, self.by = on, implicit, codes, by
        self.cases = [(test, element) for test, element in cases if test is not None]
        self.default = next((element for test, element in cases if test is None), None)

    def choose(self, context: RecordFrame) -> tuple[Any, Element | None]:
        """Return the selecting value, and the element of its case, else that of the default; None without either."""
        value = self.on(context)
        for test, element in self.cases:
            if test(context) == value:
                return value, element
        return value, self.default

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        value, element = self.choose(context)
        at = stream.at
        if element is not None:
            found: ByteNode = element._parse(stream, context, path)
            if self.implicit and element is self.default and self.codes is not None and value not in self.codes:
                self._report(context, value, found, path)
            return found
        node = ByteNode(None, path, at, at)
        node.absent = True
        if self.codes is None or value not in self.codes:
            self._report(context, value, node, path)
        return node

    def _report(self, context: RecordFrame, value: Any, read: ByteNode, path: str) -> None:
        """Report a selecting value that has no case, at the field with this value; where no single field has it, at ``read``."""
        frame: RecordFrame | None = context
        at, names = read, [*self.by]
        while frame is not None and names and names[0] in ("_parent", "_root"):
            frame = frame.root if names.pop(0) == "_root" else frame.parent
        if frame is not None and names and (field := leaf_of(frame.node, names)) is not None:
            context, at, path = frame, field, ".".join(names)
        context.report(NO_CASE, f"no layout is known for {show(value)}", at.start, at.stop, path, at.lsb)

    def _build(self, obj: Any, stream: Sink, context: RecordFrame, path: str) -> Any:
        value, element = self.choose(context)
        if element is None:
            raise CannotWrite(f"no layout is known for {show(value)}", context.path_of(path))
        return element._build(obj.of(element) if isinstance(obj, Undecided) else obj, stream, context, path)


def _endian(switch: EndianSwitch) -> ExpressionFunction:
    """Return a function that chooses the byte order of a record: true for little-endian, None if no case applies."""
    on = compile_expression(switch.on)
    cases = [(compile_expression(case) if case is not None else None, endian == "le") for case, endian in switch.cases]

    def choose(frame: RecordFrame) -> bool | None:
        value = on(frame)
        return next((little for case, little in cases if case is None or case(frame) == value), None)

    return choose
