"""Find the values of a binary file on which a finding may depend: those that determine where a field is, how large it is, and
whether it is there.

`GrownReading` reads the bytes of a file that is being generated. For the path of a field, `sources` and `around` return such
values, and `window` the size that limits its stream.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from bridgespec.codec.binary.byte_errors import Unreadable
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.binary.field import FieldElement
from bridgespec.codec.binary.record import PlaceElement
from bridgespec.codec.node import ByteNode, Cells, FieldNode, step
from bridgespec.codec.samples.uses import is_from_end
from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, compile_expression, compile_tree
from bridgespec.spec.kaitai.expr.tree import Attribute, Expression, Name, Tree, children

DEEPEST_USE = 12
"""The maximum nesting of expressions and names that are followed from an expression to the values of the file."""
MOST_ITEMS = 8
"""The number of elements of a list of values that an expression is taken to depend on."""
UNKNOWN = (EvaluationError, Unreadable, AttributeError, TypeError, LookupError)
"""The exceptions that evaluating an expression raises where the data do not give it a value."""


@dataclass(frozen=True)
class GrownLeaf:
    """A field without parts in one reading of a file that is being generated: its path, its node, and the frame of its record, in
    which expressions of the field are evaluated.
    """

    path: str
    node: ByteNode
    frame: ElementScope

    @property
    def key(self) -> tuple[str, int, int]:
        """The path and position, by which the same leaf is found in later readings."""
        return self.path, self.node.start, self.node.stop

    @property
    def decl(self) -> ir.Field:
        """The declaration of the leaf's field."""
        assert self.node.decl is not None
        return self.node.decl

    @property
    def type(self) -> Any:
        """The type of the leaf; None for a switch without a case for its value."""
        if self.node.name.isdigit():
            # The type of an element may depend on its index.
            self.frame.index = int(self.node.name)
        return selected(self.decl.type, self.frame)

    @property
    def highest(self) -> Any:
        """The greatest integer of the leaf's type; None for other types."""
        with suppress(*UNKNOWN):
            match self.type:
                case ir.IntType(range=(_, high)) | ir.BitsType(range=(_, high)):
                    return high
        return None

    def put(self, data: bytearray, value: Any) -> bool:
        """Write a value into the bytes of the leaf in ``data``. Return whether it fits there and changes the bytes."""
        node, before = self.node, bytes(data)
        start, stop = node.start // 8, -(-node.stop // 8)
        with suppress(*UNKNOWN):
            match self.type, value:
                case ir.IntType() as kind, int():
                    low, high = kind.range
                    if low <= value <= high:
                        data[start:stop] = int(value).to_bytes(kind.size, self._order(kind), signed=kind.signed)
                case ir.BitsType(), int():
                    order: Literal["little", "big"] = "little" if node.lsb else "big"
                    shift = node.start - 8 * start if node.lsb else 8 * stop - node.stop
                    mask = (1 << (node.stop - node.start)) - 1
                    whole = int.from_bytes(data[start:stop], order) & ~(mask << shift)
                    if 0 <= value <= mask:
                        data[start:stop] = (whole | int(value) << shift).to_bytes(stop - start, order)
                case ir.FloatType() as kind, int() | float():
                    form = "<" if self._order(kind) == "little" else ">"
                    data[start:stop] = struct.pack(form + ("f" if kind.size == 4 else "d"), value)
                case _, bytes() if len(value) == stop - start:
                    data[start:stop] = value
        return data != before

    def _order(self, kind: ir.IntType | ir.FloatType) -> Literal["little", "big"]:
        return "little" if kind.endian == "le" or (kind.endian is None and self.frame.little) else "big"


ElementScope = Any
"""A `RecordFrame` of the reader, with the element of its record."""


def selected(kind: Any, frame: ElementScope) -> Any:
    """Return a type itself; for a switch the type of the case that its value in ``frame`` selects, None where there is no such
    case.
    """
    while isinstance(kind, ir.SwitchType):
        on = compile_expression(kind.on)(frame)
        kind = next((inner for case, inner in kind.cases if case is None or compile_expression(case)(frame) == on), None)
    return kind


class GrownReading:
    """One reading of a file that is being generated or changed. Frames of records, leaves and broken nodes are found by their
    paths, such as ``boards[0].deal``. One is made for each reading.
    """

    def __init__(self, codec: BinaryCodec, data: bytes) -> None:
        self.spec = codec.spec
        self.data = data
        reading = codec.read(data)
        self.found = next(iter(reading.diagnostics), None)
        """The first finding."""
        self.frames: dict[str, ElementScope] = {}
        """Every record by its path."""
        self.leaves: dict[str, GrownLeaf] = {}
        """Every leaf with bytes of its own in the file, by its path."""
        self.broken: dict[str, FieldNode] = {}
        root = reading.root
        if isinstance(root, ByteNode) and root.scope is not None:
            self.frames[""] = root.scope
            self._walk(root, "", root.scope)

    def _walk(self, node: FieldNode, path: str, frame: ElementScope) -> None:
        """Add the records, leaves and broken nodes below a node; ``frame`` is that of the record with the node."""
        for child in node.inside:
            if not isinstance(child, ByteNode):
                continue
            where = step(path, child)
            if child.scope is not None:
                self.frames[where] = child.scope
            if child.broken:
                self.broken[where] = child
            if child.children is not None and (not isinstance(child.children, Cells) or child.children.step):
                self._walk(child, where, child.scope or frame)
            # A stream with a fixed extent is a decoded copy: its bytes are not in the file.
            elif child.decl is None or child.absent or child.start == child.stop or frame.io.fixed is not None:
                continue
            elif not child.broken or type(child.value) is bytes:  # text that cannot be decoded has its own extent
                # The first leaf of a path is kept: an instance may show the bytes of a field again.
                self.leaves.setdefault(where, GrownLeaf(where, child, frame))

    # --- where a field is

    def owner(self, where: str) -> tuple[ElementScope, str] | None:
        """Return the frame of the record that has the field at a path, and the field's name; None where it is unknown. The
        frame's index is set to that of an element in its list.
        """
        above, _, name = where.rpartition(".")
        name, _, index = name.partition("[")
        frame = self.frames.get(above)
        if frame is None or not where:
            return None
        if index:
            frame.index = int(index[:-1])
        return frame, name

    def field(self, where: str) -> FieldElement | None:
        """Return the object that reads the field at a path, or the instance with an offset of its own there; None where it is
        unknown.
        """
        owner = self.owner(where)
        return None if owner is None else _element(*owner)

    def stream(self, where: str) -> Any:
        """Return the stream that the field at a path is read from; None where it is unknown."""
        if where in self.frames:
            return self.frames[where].io
        owner = self.owner(where)
        if owner is None:
            return None
        frame, name = owner
        instance = self.spec.records[frame.element.name].instances.get(name)
        if isinstance(instance, ir.PosInstance) and instance.io is not None:
            with suppress(*UNKNOWN):
                return compile_expression(instance.io)(frame)
            return None
        return frame.io

    def window(self, where: str) -> tuple[ElementScope, Expression] | None:
        """Return the expression for the size that limits the stream of a field, with the frame to evaluate it in; None where only
        the file limits it.
        """
        stream = self.stream(where)
        frame = next((one for one in self.frames.values() if one.io is stream), None)
        while frame is not None and frame.owner is not None:
            if frame.io is not frame.owner.io and (owner := self.owner(frame.path())) is not None:
                field = _element(*owner)
                with suppress(*UNKNOWN):
                    extent = getattr(selected(field.decl.type, owner[0]) if field is not None else None, "extent", None)
                    if extent is not None and extent.size is not None:
                        return owner[0], extent.size
            frame = frame.owner
        return None

    def is_open(self, where: str) -> bool:
        """Whether the stream of a field ends only where the file ends."""
        stream = self.stream(where)
        whole = stream is not None and stream.fixed is None and stream.end == len(self.data)
        return whole and self.window(where) is None

    def offset(self, where: str) -> int | None:
        """Return the offset in its stream at which an instance places the part at a path; None for a field, and where it is
        unknown.
        """
        owner = self.owner(where)
        instance = None if owner is None else self.spec.records[owner[0].element.name].instances.get(owner[1])
        if owner is None or not isinstance(instance, ir.PosInstance) or instance.pos is None:
            return None
        with suppress(*UNKNOWN):
            pos = compile_expression(instance.pos)(owner[0])
            return pos if isinstance(pos, int) else None
        return None

    def missing(self, where: str) -> int | None:
        """Return the number of bytes by which a field exceeds its stream; 0 where that is not known, None where the size cannot
        be evaluated.
        """
        stream = self.stream(where)
        frame: ElementScope = self.frames.get(where)
        if stream is None:
            return 0
        if frame is not None and frame.element.bits is not None:
            return max(0, int(-(-frame.element.bits // 8) - (stream.end - frame.node.start // 8)))
        owner, node = self.owner(where), self.broken.get(where)
        field = None if owner is None else _element(*owner)
        if owner is None or field is None or node is None:
            return 0
        try:
            kind = selected(field.decl.type, owner[0])
            size = getattr(kind, "size", 0)
            if (extent := getattr(kind, "extent", None)) is not None:
                size = 0 if extent.size is None else compile_expression(extent.size)(owner[0])
            if field.uniform and not where.endswith("]") and field.count is not None:
                size = field.count(owner[0]) * (field.bits or 8) // 8
        except UNKNOWN:
            return None
        return max(0, size - (stream.end - node.start // 8)) if isinstance(size, int) else 0

    def footer(self) -> int:
        """Return the lowest offset of a part that is located from the end of the file; the size of the file without such a part."""
        least, whole = len(self.data), self.frames[""].io if self.frames else None
        for path, frame in self.frames.items():
            for name, one in self.spec.records[frame.element.name].instances.items() if frame.io is whole else ():
                if isinstance(one, ir.PosInstance) and one.pos is not None and is_from_end(one.pos):
                    pos = self.offset(f"{path}.{name}" if path else name)
                    least = min(least, max(pos, 0)) if pos is not None else least
        return least

    # --- what it depends on

    def sources(self, where: str) -> list[GrownLeaf]:
        """Return the leaves that the expressions of a field depend on; for a record also those of its checks."""
        owner = self.owner(where)
        frame, name = (self.frames.get(""), "") if owner is None else owner
        found = [leaf for one in _expressions(self.spec, frame, name) for leaf in self.of(one.tree, frame)]
        if where in self.frames:
            inner = self.frames[where]
            found += [leaf for one in _expressions(self.spec, inner, "") for leaf in self.of(one.tree, inner)]
        return list(dict.fromkeys(found))

    def around(self, where: str) -> list[GrownLeaf]:
        """Return the leaves that the expressions of all fields that enclose the field at a path depend on."""
        found: list[GrownLeaf] = []
        while where:
            where = where.rpartition(".")[0]
            found += self.sources(where) if where else ()
        return list(dict.fromkeys(found))

    def of(self, tree: Tree, frame: ElementScope, depth: int = 0) -> Iterator[GrownLeaf]:
        """Yield the leaves that the value of an expression in ``frame`` depends on; ``depth`` is the number of expressions around
        it.
        """
        # Instances may refer to each other without end.
        if depth > DEEPEST_USE:
            return
        if isinstance(tree, Name):
            yield from self._of_name(tree.id, frame, depth)
        elif isinstance(tree, Attribute):
            with suppress(*UNKNOWN, ValueError):
                there = compile_tree(tree.of)(frame)
                if hasattr(there, "element"):
                    yield from self._of_name(tree.name, there, depth)
        if not isinstance(tree, Name):
            for inner in children(tree):
                yield from self.of(inner, frame, depth + 1)

    def _of_name(self, name: str, frame: ElementScope, depth: int) -> Iterator[GrownLeaf]:
        """Yield the leaves that the value of a name in ``frame`` depends on; the name is a field, an instance or a parameter."""
        instance = self.spec.records[frame.element.name].instances.get(name)
        path = frame.path_of(name)
        used: list[Expression | None] = []
        if isinstance(instance, ir.ValueInstance):
            used = [instance.value, instance.condition]
        elif name in frame.element.params and (owner := self.owner(frame.path())) is not None:
            field, at = _element(*owner), frame.element.params.index(name)
            args = [kind.args for kind in _kinds(field.decl)] if field is not None else []
            for some in (some for some in args if len(some) > at):
                yield from self.of(some[at].tree, owner[0], depth + 1)
        elif (field := _element(frame, name)) is not None:
            used = [field.decl.repeat_expr, getattr(field.decl.type, "on", None)]
            used += [field.decl.condition] if frame.values.get(name) is None else []
        for one in used:
            if one is not None:
                yield from self.of(one.tree, frame, depth + 1)
        if path in self.leaves:
            yield self.leaves[path]
        # Of a list only some elements: otherwise a long list would be chosen most of the time.
        elif path not in self.frames:
            yield from [leaf for key, leaf in self.leaves.items() if key.startswith(f"{path}[")][:MOST_ITEMS]


def _element(frame: ElementScope, name: str) -> FieldElement | None:
    """Return the object that reads a field, or an instance with an offset of its own, of the record of ``frame``; None for any
    other name.
    """
    field = frame.element.by_name.get(name)
    instance = frame.element.instances.get(name)
    return instance.field if isinstance(instance, PlaceElement) else field


def _kinds(field: ir.Field) -> list[ir.RecordType]:
    """Return the record types that a field may have: its own type, or those of the cases of a switch."""
    kinds = [case for _, case in field.type.cases] if isinstance(field.type, ir.SwitchType) else [field.type]
    return [kind for kind in kinds if isinstance(kind, ir.RecordType)]


def _expressions(spec: ir.Spec, frame: ElementScope, name: str) -> Iterator[Expression]:
    """Yield the expressions that determine a field or an instance of the record of ``frame``; for an empty name those of the
    record's checks.
    """
    if frame is None:
        return
    record = spec.records[frame.element.name]
    instance = record.instances.get(name)
    field = (
        instance.field if isinstance(instance, ir.PosInstance) else next((one for one in record.fields if one.name == name), None)
    )
    used: list[Expression | None] = [] if name else [check.that for check in record.checks]
    if record.endian_switch is not None:
        used.append(record.endian_switch.on)
    if isinstance(instance, ir.ValueInstance):
        used += [instance.value, instance.condition]
    elif isinstance(instance, ir.PosInstance):
        used += [instance.pos, instance.io]
        field = instance.field
    if field is not None:
        used += [field.repeat_expr, field.condition, getattr(field.type, "on", None)]
        for kind in (field.type, *(case for _, case in getattr(field.type, "cases", ()))):
            used += [getattr(getattr(kind, "extent", None), "size", None), *getattr(kind, "args", ())]
    valid = getattr(field or instance, "valid", None)
    if valid is not None:
        used += [valid.eq, valid.min, valid.max, valid.expr]
    yield from (one for one in used if one is not None)
