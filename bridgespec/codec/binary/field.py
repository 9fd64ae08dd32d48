"""Read a field of a record, with its condition, repetition and constraint, and recover where it cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridgespec.codec.binary.byte_errors import AFTER_END, BAD_SIZE, TRUNCATED, Abandoned, Unreadable, code_of
from bridgespec.codec.binary.element import Element, broken_node
from bridgespec.codec.binary.extent import WIDEST
from bridgespec.codec.binary.field_positions import FieldPosition
from bridgespec.codec.binary.scope import UNREAD, RecordFrame
from bridgespec.codec.binary.stream import ByteSource
from bridgespec.codec.binary.valid import Constraint, show
from bridgespec.codec.node import ByteNode, Cells, FieldNode, Raw
from bridgespec.codec.shared_findings import DERIVED, TOO_DEEP
from bridgespec.spec.ir import BitsType, BytesType, Enum, Field, IntType, Repeat
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, ExpressionFunction, compile_optional

MAX_IDLE = 10_000
"""The maximum number of successive elements without bytes: a repetition to the end of the stream would never end with them."""


class FieldElement(Element):
    """The element of one field. ``bits`` is the size of one value (one element of a list), None where the schema does not
    fix it.
    """

    def __init__(self, field: Field, type_: Element, enum: Enum | None, bits: int | None) -> None:
        super().__init__()
        self.decl = field
        self.label = field.name
        self.type: Any = type_
        self.bits = bits
        self.aligned = not isinstance(field.type, BitsType)
        self.condition: ExpressionFunction | None = compile_optional(field.condition)
        self.repeat = field.repeat
        self.count: ExpressionFunction | None = compile_optional(field.repeat_expr)
        self.constraint = Constraint(field.valid, enum, field.binding) if field.valid is not None else None
        binding = field.binding
        self.derived: ExpressionFunction | None = compile_optional(binding.value)
        self.default: ExpressionFunction | None = compile_optional(binding.default)
        self.implied: ExpressionFunction | None = None
        """Computes a field without value and default from its use: as the size, count or offset of the field `implied_by`."""
        self.implied_by: str | None = None
        self.end = binding.end
        """The null record that ends the list, if the schema declares one."""
        self.lenient = binding.lenient if isinstance(field.type, IntType | BitsType) else {}
        self.uniform = self._is_uniform(field)
        """Whether the field is an array of unsigned integers, which is read in one step."""
        self.looked_at = False
        """Whether an expression depends on the field's position."""

    def _is_uniform(self, field: Field) -> bool:
        plain = field.repeat is Repeat.EXPR and not field.binding.lenient and field.binding.end is None
        kind = field.type
        return plain and (
            (isinstance(kind, BitsType) and not kind.boolean) or (isinstance(kind, IntType) and kind.size == 1 and not kind.signed)
        )

    # --- reading ---

    def _parse(self, stream: ByteSource, context: RecordFrame, path: str) -> ByteNode:
        nodes: list[FieldNode] = []
        self.read(stream, context, nodes)
        node = nodes[0]
        assert isinstance(node, ByteNode)
        return node

    def read(self, stream: ByteSource, frame: RecordFrame, nodes: list[FieldNode]) -> None:
        """Append the nodes of the field to ``nodes``, with those of skipped bits and of a list's end record. Raises Abandoned
        where the position of later fields is unknown.
        """
        # Kaitai aligns to the next byte in front of every field that is not of bits.
        if self.aligned and stream.bits_left:
            self._skip(stream, nodes)
        if self.looked_at:
            here = frame.begin(self.label, stream)
            try:
                self._read(stream, frame, nodes, here)
            finally:
                here.stop = stream.here
            return
        self._read(stream, frame, nodes, None)

    def _read(self, stream: ByteSource, frame: RecordFrame, nodes: list[FieldNode], here: FieldPosition | None) -> None:
        try:
            if self.condition is not None and not self.condition(frame):
                node = ByteNode(self.decl, self.label, stream.at, stream.at)
                node.absent = True
                nodes.append(node)
                frame.values[self.label] = None
                return
            if self.repeat is None:
                self._single(stream, frame, nodes)
            elif self.uniform:
                self._cells(stream, frame, nodes)
                if here is not None:
                    here.end(len(frame.values[self.label]), self.bits or 8)
            else:
                self._array(stream, frame, nodes, here)
        except EvaluationError as error:
            nodes.append(self._broken(stream, frame, self.label, Unreadable(code_of(error), str(error))))
            frame.values[self.label] = UNREAD
            raise Abandoned(str(error)) from None
        except Unreadable as problem:
            nodes.append(self._broken(stream, frame, self.label, problem))
            frame.values[self.label] = UNREAD
            raise Abandoned(problem.message) from None

    def _skip(self, stream: ByteSource, nodes: list[FieldNode]) -> None:
        """Move to the next byte boundary; if a skipped bit is not zero, append a node with the skipped bits."""
        if stream.spare():
            at = stream.at
            nodes.append(ByteNode(None, f"padding_before_{self.label}", at, at + stream.bits_left, stream.spare()))
        stream.bits_left = 0

    def _single(self, stream: ByteSource, frame: RecordFrame, nodes: list[FieldNode]) -> None:
        label = self.label
        node, lost = self._element(stream, frame, label)
        nodes.append(node)
        value = node.scope or (UNREAD if node.broken else node.value)
        frame.values[label] = value
        if lost:
            raise Abandoned(label)
        if self.constraint is not None and not node.broken and not node.absent:
            self.constraint.check(frame, value, label, node.start, node.stop, node.lsb)

    def _element(self, stream: ByteSource, frame: RecordFrame, label: str) -> tuple[ByteNode, bool]:
        """Read one value. Return its node, and whether the position after it is unknown."""
        frame.session.budget -= 1
        before = (stream.pos, stream.bits, stream.bits_left)
        try:
            if frame.session.budget < 0:
                frame.session.spend(0)
            node: ByteNode = self.type._parse(stream, frame, label)
        except Unreadable as problem:
            # The raw bytes begin where the element does: a part that was read must be written back too.
            stream.pos, stream.bits, stream.bits_left = before
            return self._broken(stream, frame, label, problem), True
        except EvaluationError as error:
            stream.pos, stream.bits, stream.bits_left = before
            return self._broken(stream, frame, label, Unreadable(code_of(error), str(error))), True
        node.decl = self.decl
        if self.lenient and isinstance(node.value, int) and node.value in self.lenient:
            node.kept = node.value
            node.value = self.lenient[node.value]
        scope = node.scope
        return node, scope is not None and scope.lost

    def _broken(self, stream: ByteSource, frame: RecordFrame, label: str, problem: Unreadable) -> ByteNode:
        node = broken_node(stream, label)
        node.decl = self.decl
        whole = _outermost(frame)
        # A record that is cut off is one finding, whichever of its fields the data end in.
        if problem.code is TRUNCATED and whole is not None and not stream.fixed:
            size = ((whole.element.bits or 0) + 7) // 8
            here = (node.stop - whole.node.start) // 8
            if here < size:
                message = f"{_bytes(size - here)} missing: {whole.element.title} takes {size} bytes, and there are {here}"
                whole.report(TRUNCATED, message, node.stop, node.stop)
                return node
        message, start = problem.message, node.start
        if problem.code is TRUNCATED:
            # What is wrong is where the data end, not the data that are there.
            message, start = f"{_bytes(problem.missing)} missing: {message}", node.stop
        frame.report(problem.code, message, start, node.stop, label, node.lsb)
        return node

    def _cells(self, stream: ByteSource, frame: RecordFrame, nodes: list[FieldNode]) -> None:
        """Read an array of unsigned integers in one step."""
        count = self._element_count(stream, frame)
        bits = self.bits or 8
        little = self.type.little if self.aligned is False else False
        here = min(count, stream.left_bits // bits) if self.aligned is False else min(count, stream.end - stream.pos)
        at = stream.at
        rest = None
        if here < count:
            before = (stream.pos, stream.bits, stream.bits_left)
            missing = (count * bits - stream.left_bits + 7) // 8
            problem = Unreadable(TRUNCATED, f"{count} elements of {bits} bits are needed, and there are {here}", missing)
            rest = self._broken(stream, frame, self.label, problem)
            stream.pos, stream.bits, stream.bits_left = before
        if self.aligned:
            values = list(stream.read(here))
        else:
            values = split_bits(stream.read_bits(here * bits, little) if here else 0, here, bits, little)
        # Elements of such an array are integers without nodes of their own.
        frame.session.spend(1 + here // 64)
        fixed = stream.fixed
        cells = Cells(self.decl, values, at, 0 if fixed else bits, little)
        node = ByteNode(self.decl, self.label, at, stream.upto, None, cells, little)
        nodes.append(node)
        frame.values[self.label] = values
        if self.constraint is not None:
            above = frame.index
            self.constraint.check_cells(frame, cells, self.label)
            frame.index = above
        if rest is not None:
            node.value, node.stop, node.broken = rest.value, rest.stop, True
            stream.pos, stream.bits_left = stream.end, 0
            raise Abandoned(self.label)

    def _element_count(self, stream: ByteSource, frame: RecordFrame) -> int:
        """Return the number of elements of an array with ``repeat-expr``. Raises Unreadable for an impossible one."""
        assert self.count is not None
        count = self.count(frame)
        if not isinstance(count, int) or not 0 <= count < WIDEST:
            raise Unreadable(BAD_SIZE, f"a count cannot be {show(count)}")
        # Elements may have no bytes, so that only a count far above the number of bits is refused at once.
        if count > stream.left_bits + 65_536:
            raise Unreadable(TRUNCATED, f"{count} elements are needed, and there are {stream.left_bits // 8} bytes", count)
        return count

    def _array(self, stream: ByteSource, frame: RecordFrame, nodes: list[FieldNode], here: FieldPosition | None) -> None:
        label = self.label
        items: list[FieldNode] = []
        values: list[Any] = []
        array = ByteNode(self.decl, label, stream.at, stream.at, None, items)
        nodes.append(array)
        frame.values[label] = values
        count = self._element_count(stream, frame) if self.repeat is Repeat.EXPR else -1
        # The number of a record in findings is its index in the outermost list.
        outer, above = frame.record is None, frame.index
        try:
            lost = self._elements(stream, frame, count, items, values, outer, here)
        finally:
            if items and stream.fixed is None:
                array.start = items[0].start
            array.stop = stream.upto
            frame.index = above
            if outer:
                frame.record = None
        # After a list to the end of the stream there is no field whose position could be unknown.
        if lost and self.repeat is not Repeat.EOS:
            raise Abandoned(label)
        if self.end is not None and not lost:
            self._read_end(stream, frame, nodes)

    def _elements(
        self,
        stream: ByteSource,
        frame: RecordFrame,
        count: int,
        items: list[FieldNode],
        values: list[Any],
        outer: bool,
        here: FieldPosition | None,
    ) -> bool:
        """Read elements until the list ends. Return whether it ends because the position of the next element is unknown."""
        label, constraint = self.label, self.constraint
        to_end, until, ends = self.repeat is Repeat.EOS, self.repeat is Repeat.UNTIL, self.end is not None
        ordinal = idle = 0
        while not (stream.eof if to_end else ordinal == count):
            if ends and self._ends(stream):
                break
            if outer:
                frame.record = ordinal
            frame.index = ordinal
            left, start = stream.left_bits, stream.pos
            begun = stream.here
            node, lost = self._element(stream, frame, f"{label}[{ordinal}]")
            if here is not None:
                here.items.append((begun, stream.here))
            node.name = str(ordinal)
            items.append(node)
            value = node.scope or (UNREAD if node.broken else node.value)
            values.append(value)
            if lost:
                if not self._resume(stream, frame, node, start):
                    return True
            elif constraint is not None and not node.broken and not node.absent:
                constraint.check(frame, value, f"{label}[{ordinal}]", node.start, node.stop, node.lsb)
            idle = idle + 1 if stream.left_bits == left else 0
            if idle > MAX_IDLE:
                frame.report(TOO_DEEP, f"{label} repeats without reading anything", node.start, stream.upto, label)
                return True
            if until and value is not UNREAD and self._done(stream, frame, value, items):
                break
            ordinal += 1
        return False

    def _done(self, stream: ByteSource, frame: RecordFrame, value: Any, items: list[FieldNode]) -> bool:
        """Whether the ``repeat-until`` condition is true for the element ``value``. Where the condition has no result, append a
        broken element to ``items`` and raise Abandoned.
        """
        assert self.count is not None
        outer, frame.it = frame.it, value
        try:
            return bool(self.count(frame))
        except (EvaluationError, Unreadable) as error:
            items.append(self._broken(stream, frame, str(len(items)), Unreadable(code_of(error), str(error))))
            raise Abandoned(self.label) from None
        finally:
            frame.it = outer

    def _resume(self, stream: ByteSource, frame: RecordFrame, node: ByteNode, start: int) -> bool:
        """Move after a broken element that begins at ``start`` and has a fixed size, and cut its node off there. Return False where
        it has none, or the data or the budget of the session end before.
        """
        size = (self.bits or 0) // 8
        if frame.session.spent or not size or 8 * size != self.bits or start + size > stream.end:
            return False
        stream.pos, stream.bits_left = start + size, 0
        trim(node, stream)
        return True

    def _ends(self, stream: ByteSource) -> bool:
        """Whether the next bits are those of the null record that ends the list."""
        assert self.end is not None
        bits = self.end.bits
        if stream.left_bits < bits:
            return False
        size = (bits + 7) // 8
        chunk = int.from_bytes(stream.data[stream.pos : stream.pos + size], "little")
        return chunk & ((1 << bits) - 1) == 0

    def _read_end(self, stream: ByteSource, frame: RecordFrame, nodes: list[FieldNode]) -> None:
        """Append the null record that ends the list as node ``end``, and report bytes after it as ``after_end``."""
        assert self.end is not None
        if stream.eof or not self._ends(stream):
            return
        full = (self.bits or self.end.bits) // 8
        left = stream.end - stream.pos
        size = full if left >= full else min(left, self.end.short or (self.end.bits + 7) // 8)
        at = stream.at
        nodes.append(ByteNode(None, "end", at, at + 8 * size, stream.read(size)))
        # Other programs ignore the bytes after the null record. Only a list to the end of its stream can have any.
        if self.repeat is Repeat.EOS and not stream.eof:
            at = stream.at
            rest = stream.rest()
            nodes.append(ByteNode(None, "after_end", at, stream.upto, rest))
            noun = "1 byte is left" if len(rest) == 1 else f"{len(rest)} bytes are left"
            frame.report(AFTER_END, f"{noun} after the record that ends the list", at, stream.upto)

    # --- what is derived ---

    def verify(self, frame: RecordFrame) -> None:
        """Report the field if it does not have its derived value."""
        node = next((n for n in frame.node.children if n.name == self.label), None)
        if self.derived is None or node is None or node.absent or node.broken:
            return
        try:
            wanted = self.derived(frame)
        except EvaluationError as error:
            frame.report(code_of(error), str(error), node.start, node.stop, self.label)
            return
        found = frame.values.get(self.label)
        if found is UNREAD:
            return
        wanted = _alike(wanted, found)
        if found != wanted:
            binding = self.decl.binding
            message = f"this should be {show(wanted)}, it is {show(found)}"
            frame.report(DERIVED, message, node.start, node.stop, self.label, node.lsb, binding.code, binding.severity)

    def follows(self, frame: RecordFrame) -> bool:
        """Whether the value that was read is the one that a writer writes without a given value: a constant, a derived or an
        implied value.
        """
        found = frame.values.get(self.label)
        kind = self.decl.type
        if found is UNREAD or found is None or frame.lost:
            return False
        if isinstance(kind, BytesType) and kind.contents is not None:
            return self.repeat is None and found == kind.contents
        wanted = self.derived or self.implied
        try:
            return wanted is not None and bool(found == _alike(wanted(frame), found))
        except (EvaluationError, Unreadable):
            return False


def _alike(wanted: Any, found: Any) -> Any:
    """Return the derived value ``wanted`` in the type of the value that was read: bytes become a list if ``found`` is a list."""
    return list(wanted) if isinstance(found, list) and isinstance(wanted, bytes) else wanted


def _outermost(frame: RecordFrame) -> RecordFrame | None:
    """Return the outermost record of fixed size that contains a field of ``frame``, in the same stream; None without one. The file
    itself is not considered.
    """
    found: RecordFrame | None = None
    here: RecordFrame | None = frame
    # The stream must be the same: a record in a substream is cut off by its window, not by the end of the file.
    while here is not None and here.owner is not None and here.element.bits is not None and here.io is frame.io:
        found, here = here, here.owner
    return found


def trim(node: FieldNode, stream: ByteSource) -> None:
    """Shorten a node that took all remaining bytes, so that it ends at the stream's present position."""
    stop = stream.upto
    while True:
        excess = (node.stop - stop) // 8
        node.stop = min(node.stop, stop)
        if not node.children:
            break
        node = node.children[-1]
    if isinstance(node.value, Raw) and 0 < excess <= len(node.value) and not stream.fixed:
        node.value = Raw(node.value[: len(node.value) - excess])


def split_bits(value: int, count: int, bits: int, little: bool) -> list[int]:
    """Return the ``count`` integers of ``bits`` bits each that a long integer consists of, in file order.

    >>> split_bits(0b11_10_01_00, 4, 2, True), split_bits(0b11_10_01_00, 4, 2, False)
    ([0, 1, 2, 3], [3, 2, 1, 0])
    """
    # Widths that divide a byte need one lookup for each byte in place of two operations for each number.
    if 8 % bits == 0 and count * bits % 8 == 0:
        table = _TABLES.get((bits, little)) or _table(bits, little)
        out: list[int] = []
        for byte in value.to_bytes(count * bits // 8, "little" if little else "big"):
            out += table[byte]
        return out
    mask = (1 << bits) - 1
    shifts: Sequence[int] = range(0, count * bits, bits)
    if not little:
        shifts = shifts[::-1]
    return [value >> shift & mask for shift in shifts]


_TABLES: dict[tuple[int, bool], list[tuple[int, ...]]] = {}


def _table(bits: int, little: bool) -> list[tuple[int, ...]]:
    mask = (1 << bits) - 1
    shifts = range(0, 8, bits) if little else range(8 - bits, -1, -bits)
    return _TABLES.setdefault((bits, little), [tuple(byte >> s & mask for s in shifts) for byte in range(256)])


def _bytes(count: int) -> str:
    return "1 byte is" if count == 1 else f"{count} bytes are"
