"""Trees and plain values of matched text, made when they are asked for.

A match holds the bounds of every field, so that a tree costs nothing until somebody looks at it; what nobody looks at has
been matched, and is kept as text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from bridgespec.codec.node import Node, Scalar
from bridgespec.codec.text_shape import Bounds, Codes, Program, Shape, Slot
from bridgespec.codec.text_spine import MANY, SHORT, by_name, elements_of
from bridgespec.spec import ir

_FEW = 4

Plain = None | str | list["Plain"] | dict[str, "Plain"]


class TextNode(Node):
    """A record or an array whose children are made on first use."""

    __slots__ = ("_asked", "_children", "_plain", "maker")

    def __init__(self, decl: ir.Field | None, name: str, start: int, stop: int, make: Maker) -> None:
        self.decl = decl
        self.name = name
        self.start = start
        self.stop = stop
        self.value: Scalar = None
        self.lsb = False
        self.absent = False
        self.broken = False
        self.maker: Maker = make
        self._children: Sequence[Node] | None = None
        self._asked = 0
        self._plain: Plain = None

    @property
    def children(self) -> Sequence[Node] | None:
        """The parts in file order."""
        if self._children is None:
            self._children = self.maker.nodes()
        return self._children

    @children.setter
    def children(self, value: Sequence[Node] | None) -> None:
        self._children = value

    def around(self, start: int, stop: int) -> Sequence[Node]:
        """The parts that hold the bits from ``start`` to ``stop``, and perhaps others: all are made for who asks often."""
        if self._children is None and isinstance(self.maker, RecordMaker) and self._asked < _FEW:
            self._asked += 1
            return self.maker.around(start // 8, stop // 8)
        return self.children or ()

    def plain(self) -> Plain:
        """The plain value, without making nodes; made once, so nobody may change it."""
        if self._plain is None:
            self._plain = self.maker.plain()
        return self._plain


class Maker(ABC):
    """Knows a text and one match in it, and makes what is below."""

    __slots__ = ()

    @abstractmethod
    def nodes(self) -> Sequence[Node]:
        """The children."""

    @abstractmethod
    def plain(self) -> Plain:
        """The plain value."""


class RecordMaker(Maker):
    """The fields of a record: the bounds of its groups, and where the text that it may look at ends.

    ``memo`` keeps what a first look has matched below, for those who look again: the rounds of an array by its pattern and
    place, and texts handed over by their place. One is shared by all that belongs to a record of the file.
    """

    __slots__ = ("end", "memo", "shape", "span", "text")

    def __init__(self, text: str, shape: Shape, span: Bounds, end: int, memo: dict[Any, Any] | None = None) -> None:
        self.text = text
        self.shape = shape
        self.span = span
        self.end = end
        self.memo = memo

    def sub(self, shape: Shape) -> RecordMaker:
        """The maker of a record inside this one, whose groups are in the same match."""
        return RecordMaker(self.text, shape, self.span, self.end, self.memo)

    def nodes(self) -> Sequence[Node]:
        """One node a field that is there."""
        made = []
        for slot in self.shape.slots.values():
            node = self.node(slot)
            if node is not None:
                made.append(node)
        made.sort(key=_start)
        return made

    def node(self, slot: Slot) -> Node | None:
        """The node of one field; None where it is not there."""
        if slot.kind == "array":
            return self._array(slot)
        if slot.parts:
            return next((node for part in slot.parts if (node := self.node(part)) is not None), None)
        start, stop = self.span(slot.group)
        if start < 0:
            return None
        handed = self.handed(slot, start, stop)
        if handed is not None:
            program, span = handed
            return node_of(self.text, program, span, stop, slot.decl, slot.name)
        if slot.shape is not None:
            return TextNode(slot.decl, slot.name, 8 * start, 8 * stop, self.sub(slot.shape))
        value = self.text[start:stop]
        node = Node(slot.decl, slot.name, 8 * start, 8 * stop, slot.codes.value(value) if slot.codes else value)
        handover = self.shape.contents.get(slot.name)
        if handover is not None:
            node.broken = handover.choose(self.key(slot.name), self.text, start, stop)[0] is not None
        return node

    def around(self, start: int, stop: int) -> Sequence[Node]:
        """The nodes of the fields that hold the characters from ``start`` to ``stop``, in their order; no others are made."""
        made = []
        span, contents = self.span, self.shape.contents
        for name, slot in self.shape.slots.items():
            for part in slot.parts or (slot,):
                first, last = span(part.group)
                if 0 <= first <= start and stop <= last:
                    break
            else:
                if slot.kind != "array" and name not in contents:
                    continue
            node = self.node(slot)
            if node is not None and node.start <= 8 * start and 8 * stop <= node.stop:
                made.append(node)
        made.sort(key=_start)
        return made

    def key(self, name: str) -> str | None:
        """The text of the field that chooses how field ``name`` is read."""
        by = self.shape.contents[name].word.by
        if by is None:
            return None
        return self.field_text(by)

    def field_text(self, name: str) -> str | None:
        """The text of a field, None where it is not there."""
        start, stop = self.place(name)
        return None if start < 0 else self.text[start:stop]

    def place(self, name: str) -> tuple[int, int]:
        """Where a field stands; (-1, -1) where it is not there."""
        slot = self.shape.slots[name]
        if not slot.parts:
            return self.span(slot.group)
        return next((found for part in slot.parts if (found := self.span(part.group))[0] >= 0), (-1, -1))

    def handed(self, slot: Slot, start: int, stop: int) -> tuple[Program, Bounds] | None:
        """The program and match of a field whose text another rule reads; None where none does or it does not fit."""
        handover = self.shape.contents.get(slot.name)
        if handover is None:
            return None
        program, start = handover.choose(self.key(slot.name), self.text, start, stop)
        if program is None:
            return None
        kept = self.memo.get(start) if self.memo is not None else None
        if kept is not None and kept.re is program.pattern and kept.end() == stop:
            return program, kept.span
        match = program.pattern.fullmatch(self.text, start, stop)
        if match is not None and self.memo is not None:
            self.memo[start] = match
        return None if match is None else (program, match.span)

    def rounds(self, slot: Slot) -> Iterator[RecordMaker]:
        """A maker for each round of an array's repetition."""
        body = slot.body
        for match in self.matches(slot):
            if body is not None:
                yield RecordMaker(self.text, body.shape, match.span, self.end, self.memo)

    def matches(self, slot: Slot) -> list[re.Match[str]]:
        """The match of each round of an array's repetition, kept where there is a memo."""
        start, stop = self.span(slot.group)
        body = slot.body
        if start < 0 or body is None or start == stop:
            return []
        kept = self.memo.get((id(body), start)) if self.memo is not None else None
        if kept is not None:
            return kept  # type: ignore[no-any-return]
        match = body.pattern.match
        found = []
        at = start
        while at < stop:
            one = match(self.text, at, self.end)
            if one is None or one.end() == at:
                break
            at = one.end()
            found.append(one)
        if self.memo is not None:
            self.memo[id(body), start] = found
        return found

    def _array(self, slot: Slot) -> Node:
        parts = slot.parts or (slot,)
        bounds = [self.span(part.group) for part in parts if self.span(part.group)[0] >= 0]
        start, stop = (min(b[0] for b in bounds), max(b[1] for b in bounds)) if bounds else (self.end, self.end)
        return TextNode(slot.decl, slot.name, 8 * start, 8 * stop, ArrayMaker(self, slot))

    def elements(self, slot: Slot) -> Iterator[tuple[RecordMaker, Slot]]:
        """Each element of an array: the maker that has its groups, and its slot there."""
        for part in slot.parts or (slot,):
            if part.kind != "array":
                if self.span(part.group)[0] >= 0:
                    yield self, part
                continue
            for maker in self.rounds(part):
                inner = maker.shape.slots.get(part.name)
                if inner is not None:
                    if inner.kind == "array":
                        yield from maker.elements(inner)
                    elif inner.parts or maker.span(inner.group)[0] >= 0:
                        yield maker, inner

    def plain(self) -> Plain:
        """A dict of the fields that are there, arrays without elements left out."""
        found: dict[str, Plain] = {}
        region = -1
        for name, slot in self.shape.slots.items():
            if slot.kind == "array" and slot.body is not None and slot.body.spine is not None:
                start, stop = self.span(slot.group)
                if start < stop and slot.group != region:
                    elements = elements_of(slot.body.spine, self.text, start, stop, plain_of)
                    if elements is not None:
                        region = slot.group
                        found.update(by_name(slot.body.shape, elements))
                if start == stop or slot.group == region:
                    continue
            value = self.plain_of(slot)
            if value is not None and value != []:
                found[name] = value
        return found

    def plain_of(self, slot: Slot) -> Plain:
        """The plain value of one field; None where it is not there."""
        if slot.kind == "array":
            return self._plain_array(slot)
        if slot.parts:
            return next((value for part in slot.parts if (value := self.plain_of(part)) is not None), None)
        start, stop = self.span(slot.group)
        if start < 0:
            return None
        if slot.name in self.shape.contents:
            found = self._plain_handed(slot, start, stop)
            if found is not None:
                return found
        if slot.shape is not None:
            return self.sub(slot.shape).plain()
        value = self.text[start:stop]
        if slot.codes is not None:
            return slot.codes.name(value) or value
        return value

    def _plain_handed(self, slot: Slot, start: int, stop: int) -> Plain:
        program, begin = self.shape.contents[slot.name].choose(self.key(slot.name), self.text, start, stop)
        if program is None:
            return None
        text = self.text[begin:stop]
        found: Plain = program.known.get(text)
        if found is None:
            handed = self.handed(slot, start, stop)
            if handed is not None:
                found = plain_of(self.text, program, handed[1], stop)
                if len(text) <= SHORT and len(program.known) < MANY:
                    program.known[text] = found
        return found

    def _plain_array(self, slot: Slot) -> list[Plain]:
        start, stop = self.span(slot.group)
        if slot.body is not None and start == stop:
            return []
        return [maker.plain_of(inner) for maker, inner in self.elements(slot)]


class ArrayMaker(Maker):
    """The elements of an array of a record."""

    __slots__ = ("record", "slot")

    def __init__(self, record: RecordMaker, slot: Slot) -> None:
        self.record = record
        self.slot = slot

    def nodes(self) -> Sequence[Node]:
        """One node an element, named by its index."""
        made: list[Node] = []
        for maker, slot in self.record.elements(self.slot):
            node = maker.node(slot)
            if node is not None:
                node.name = str(len(made))
                made.append(node)
        return made

    def plain(self) -> Plain:
        """A list."""
        return self.record.plain_of(self.slot)


class ListMaker(Maker):
    """Elements that are already nodes."""

    __slots__ = ("codes", "items", "text")

    def __init__(self, items: Sequence[Node], text: str, codes: Codes | None) -> None:
        self.items = items
        self.text = text
        self.codes = codes

    def nodes(self) -> Sequence[Node]:
        """The elements."""
        return self.items

    def plain(self) -> Plain:
        """A list of the values of those that are not broken."""
        return [self._plain(node) for node in self.items if not node.broken]

    def _plain(self, node: Node) -> Plain:
        if self.codes is None or isinstance(node, TextNode):
            return plain(node)
        text = self.text[node.start // 8 : node.stop // 8]
        return self.codes.name(text) or text


def _start(node: Node) -> int:
    return node.start


def node_of(text: str, program: Program, span: Bounds, end: int, decl: ir.Field | None = None, name: str | None = None) -> Node:
    """The node of a program's match."""
    start, stop = span(0)
    decl = program.decl if decl is None else decl
    name = program.decl.name if name is None else name
    if program.kind == "record":
        return TextNode(decl, name, 8 * start, 8 * stop, RecordMaker(text, program.shape, span, end))
    value = text[start:stop]
    return Node(decl, name, 8 * start, 8 * stop, program.codes.value(value) if program.codes else value)


def plain_of(text: str, program: Program, span: Bounds, end: int) -> Plain:
    """The plain value of a program's match."""
    if program.kind == "record":
        return RecordMaker(text, program.shape, span, end).plain()
    start, stop = span(0)
    value = text[start:stop]
    return (program.codes.name(value) or value) if program.codes else value


def plain_text(program: Program, text: str) -> Plain:
    """The plain value of a text that a program reads; the text itself where it does not fit."""
    found: Plain = program.known.get(text)
    if found is None:
        match = program.pattern.fullmatch(text)
        if match is None:
            return text
        found = plain_of(text, program, match.span, len(text))
        if len(text) <= SHORT and len(program.known) < MANY:
            program.known[text] = found
    return found


def plain(node: Node) -> Plain:
    """The plain tree of a node, which nobody may change: dicts, lists and text; a code stands by its name.

    A record's fields that are not there have no key; broken elements of arrays are left out.
    """
    if isinstance(node, TextNode):
        return node.plain()
    if node.children is None:
        return None if node.value is None else str(node.value)
    return {child.name: plain(child) for child in node.children}
