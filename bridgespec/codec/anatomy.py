"""Split a file into parts for dumps and pages: its records and the fields around them, and for every byte the field that it
belongs to, with the decoded value.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from bridgespec.codec.code_numbers import CARDS, RANK_WORDS, is_ordinal
from bridgespec.codec.node import ByteNode, Cells, FieldNode, is_array, step
from bridgespec.model.cards import RANKS, Suit
from bridgespec.model.number_texts import whole_number
from bridgespec.spec.ir import BOARDS, Axis, Digits, Enum, Field, Spec

CELLS = 8
"""The number of array elements, or of bytes, with which a line is full: it ends at the next whole byte."""
REST = "trailing"
"""The name of bytes that belong to no field."""
SIGNS = {suit.name.lower(): suit.symbol for suit in Suit} | dict(zip(RANK_WORDS, RANKS, strict=True))
SIGNS |= {name: name.upper() for name in CARDS}
"""The model's names of suits, ranks and cards, as they are written in a row."""


@dataclass(frozen=True)
class Cell:
    """One element of an array that is shown on a line with others: its first bit and the bit after its last one in the file, and
    ``text``, its label and value.
    """

    start: int
    stop: int
    text: str


@dataclass(frozen=True)
class FilePart:
    """A range of bits of a file that is shown as one unit: a field, a run of array elements, or bits that belong to no field.

    ``field`` is the dotted path, None for bits of no field. ``value`` is the decoded value, for a run of array elements the list
    of their values; ``text`` is the value as shown to people. ``names`` are the enum names of the value or of each element, None
    where it has none. ``cells`` are the elements of a run.
    """

    start: int
    stop: int
    lsb: bool
    field: str | None
    value: object = None
    text: str = ""
    names: tuple[str | None, ...] = ()
    broken: bool = False
    cells: tuple[Cell, ...] = ()

    @property
    def byte_start(self) -> int:
        """The first byte that overlaps the part."""
        return self.start // 8

    @property
    def byte_stop(self) -> int:
        """The byte after the last one that overlaps the part."""
        return -(-self.stop // 8)

    @property
    def bits(self) -> tuple[int, int] | None:
        """The first bit and the bit after the last one, counted from the start of the first byte; None for whole bytes."""
        if self.start % 8 == 0 and self.stop % 8 == 0:
            return None
        return self.start % 8, self.start % 8 + self.stop - self.start


@dataclass(frozen=True)
class Apart:
    """A part of the file at an offset that a schema gives (``pos``): its path, its node, and the index of the record whose field
    gives the offset.
    """

    path: str
    node: FieldNode
    record: int | None


class Anatomist:
    """Splits the trees of one spec's files into parts; ``shift`` is the offset in the file, in bytes, of the tree's first byte."""

    def __init__(self, spec: Spec, shift: int = 0) -> None:
        self.spec = spec
        self.shift = 8 * shift

    def parts(self, node: FieldNode, path: str, whole: bool = False, inside: Sequence[Apart] = ()) -> Iterator[FilePart]:
        """Yield the parts of a node in file order, and the bits between them that belong to no field. With ``whole`` also the
        bits after the last part, up to the node's end.

        ``inside`` are parts at offsets within the node's bytes. Each byte is shown once: under the field that is read there in
        sequence, else under the first part at an offset.
        """
        at = node.start + self.shift
        found = self._node(node, path, "")
        for part in self._with(list(found), inside) if inside else found:
            if part.start > at:
                yield FilePart(at, part.start, part.lsb, None)
            yield part
            at = max(at, part.stop)
        if whole and at < node.stop + self.shift:
            yield FilePart(at, node.stop + self.shift, node.lsb, None)

    def _with(self, parts: list[FilePart], inside: Sequence[Apart]) -> list[FilePart]:
        """Return ``parts`` together with the parts of the nodes in ``inside``, sorted by position. Parts that repeat bytes shown
        already are left out; bytes that belong to no field are split around the added ones.
        """
        rest = [part for part in parts if _is_rest(part)]
        own = [part for part in parts if not _is_rest(part)]
        there, led_to = _Ranges(own), _Ranges(())
        for one in inside:
            # Bytes that are shown by fields or by earlier parts are not shown again.
            new = [part for part in self._node(one.node, one.path, "") if not there.contains(part) and not led_to.contains(part)]
            for part in new:
                led_to.add(part.start, part.stop)
            own += new
        taken = _Ranges(own)
        left = [piece for part in rest for piece in taken.gaps_in(part)]
        return sorted([*own, *left], key=lambda part: part.start)

    def each(self, node: FieldNode, path: str, inside: Sequence[Apart] = ()) -> Iterator[FilePart]:
        """Yield the parts of a node in file order, with every element of an array as a part of its own. Bytes that no field reads
        in sequence are left out where a part in ``inside`` has them.
        """
        if node.absent:
            return
        if node.children is None:
            leaf = self._leaf(node, path, "")
            taken = _Ranges([self._leaf(one.node, "", "") for one in inside])
            yield from taken.gaps_in(leaf) if inside and _is_rest(leaf) else [leaf]
            return
        for child in node.children:
            yield from self.each(child, step(path, child), inside)

    def _node(self, node: FieldNode, path: str, label: str) -> Iterator[FilePart]:
        """Yield the parts of a node in file order; ``label`` is the position in an array around the node, such as a seat."""
        if node.absent:
            return
        if node.children is None:
            yield self._leaf(node, path, label)
            return
        labels = self._labels(node, label)
        if is_array(node) and len(node.children) > 1 and node.children[0].children is None:
            yield from self._run(node.children, path, labels)
            return
        for index, child in enumerate(node.children):
            yield from self._node(child, step(path, child), labels[index])

    def _labels(self, node: FieldNode, label: str) -> list[str]:
        """Return one label for each child of a node: for an element of an array the label of its position, such as the seat; for a
        field of a record the label of the record.
        """
        children = node.children or ()
        if node.decl is None or not is_array(node):
            return [label] * len(children)
        names = places_of(node.decl)
        return [label + (names[index] if index < len(names) else "") for index in range(len(children))]

    def _run(self, elements: Sequence[FieldNode], path: str, labels: Sequence[str]) -> Iterator[FilePart]:
        """Yield the elements of an array of leaves as parts of about `CELLS` elements, each part being one line."""
        start = 0
        for stop in range(1, len(elements) + 1):
            run = elements[start:stop]
            full = len(run) >= CELLS or run[-1].stop - run[0].start >= 8 * CELLS
            # A line ends with a whole byte, or the bits of one would be on two lines.
            if stop < len(elements) and not (full and run[-1].stop % 8 == 0) and not run[-1].broken:
                continue
            names = tuple(self._name(cell) for cell in run)
            text = [self._cell(cell, label) for cell, label in zip(run, labels[start:stop], strict=True)]
            span = f"[{start}]" if len(run) == 1 else f"[{start}..{stop - 1}]"
            cells = tuple(Cell(c.start + self.shift, c.stop + self.shift, s) for c, s in zip(run, text, strict=True))
            values, broken = [cell.value for cell in run], any(cell.broken for cell in run)
            yield FilePart(cells[0].start, cells[-1].stop, run[0].lsb, path + span, values, " ".join(text), names, broken, cells)
            start = stop

    def _leaf(self, node: FieldNode, path: str, label: str) -> FilePart:
        """Return the part of a leaf, with its value as text. Of a number with a cell in each digit, the text also has the cells;
        ``label`` precedes their names.
        """
        name = self._name(node)
        digits = node.decl.binding.digits if node.decl else None
        if node.broken:
            text = "cannot be read"
        elif digits and isinstance(node.value, int) and node.decl:
            text = f"{node.value}\n{self._digits(node.value, digits, label, node.decl.binding.axes)}"
        elif name is not None:
            text = f"{name} ({show(node.value)})"
        else:
            text = show(node.value)
        start, stop = node.start + self.shift, node.stop + self.shift
        return FilePart(start, stop, node.lsb, path, node.value, text, (name,), node.broken)

    def _cell(self, node: FieldNode, label: str) -> str:
        """Return the text of an array element: ``label=value``, with the short name of a code."""
        enum, code, value = self._enum(node), _code(node), show(node.value)
        if enum is not None and code is not None:
            name = short_names(enum).get(code, f"?{code}")
            value = f"{node.value}={name}" if isinstance(node.value, str) else name
        return f"{label}={value}" if label else value

    def _digits(self, value: int, digits: Digits, label: str, axes: Sequence[Axis]) -> str:
        """Return the text of a number that has the value of one cell in each digit: ``label=value`` for each cell."""
        enum = self.spec.enums.get(digits.enum) if digits.enum else None
        names = short_names(enum) if enum is not None else {}
        text = []
        for place in positions(axes):
            value, digit = divmod(value, digits.base)
            text.append(f"{label}{place}={names.get(digit, digit)}")
        return "\n".join(" ".join(text[i : i + CELLS]) for i in range(0, len(text), CELLS))

    def _enum(self, node: FieldNode) -> Enum | None:
        """Return the enum of the field of a leaf; None without one."""
        name = node.decl.enum or node.decl.binding.codes if node.decl else None
        return self.spec.enums.get(name) if name else None

    def _name(self, node: FieldNode) -> str | None:
        """Return the enum name of a leaf's value; None where it has none."""
        enum, code = self._enum(node), _code(node)
        member = enum.members.get(code) if enum is not None and code is not None else None
        return member.name if member else None


def _code(node: FieldNode) -> int | None:
    """Return the enum code of a leaf: its integer, or the integer that its text of digits spells; None where it is neither."""
    value = node.value
    # A text of digits is a code where the field has an enum.
    if isinstance(value, str):
        return whole_number(value.strip())
    return value if isinstance(value, int) else None


def _is_rest(part: FilePart) -> bool:
    """Whether a part is bytes that no field reads in sequence (named ``trailing``)."""
    return part.field is not None and part.field.rpartition(".")[2] == REST and isinstance(part.value, bytes)


class _Ranges:
    """A set of ranges of bits, in which adjacent ranges are joined."""

    def __init__(self, parts: Sequence[FilePart]) -> None:
        self.starts: list[int] = []
        self.stops: list[int] = []
        for start, stop in sorted((part.start, part.stop) for part in parts):
            self.add(start, stop)

    def add(self, start: int, stop: int) -> None:
        """Add a range, which must not begin before those already in the set."""
        if self.stops and start <= self.stops[-1]:
            self.stops[-1] = max(self.stops[-1], stop)
        else:
            self.starts.append(start)
            self.stops.append(stop)

    def contains(self, part: FilePart) -> bool:
        """Whether a part is completely within one of the ranges."""
        at = bisect_right(self.starts, part.start) - 1
        return at >= 0 and part.stop <= self.stops[at]

    def gaps_in(self, part: FilePart) -> Iterator[FilePart]:
        """Yield the ranges of whole bytes of a part that are not in the set."""
        at = part.start
        assert isinstance(part.value, bytes)
        for start, stop in [*zip(self.starts, self.stops, strict=True), (part.stop, part.stop)]:
            if at < start <= part.stop:
                data = part.value[(at - part.start) // 8 : -(-(start - part.start) // 8)]
                yield replace(part, start=at, stop=start, value=data, text=show(data))
            at = max(at, min(stop, part.stop))


def positions(axes: Sequence[Axis]) -> list[str]:
    """Return the labels of an array's elements in file order, the last axis varying fastest; empty without axes."""
    return ["".join(labels) for labels in product(*(axis.labels for axis in axes))] if axes else []


def places_of(field: Field) -> list[str]:
    """Return the labels of a field's elements in file order; empty for an ordinal, whose axes define the order in which deals are
    numbered.
    """
    return [] if is_ordinal(field) else positions(field.binding.axes)


def short_names(enum: Enum) -> dict[int, str]:
    """Return a short name for each code of an enum. If most names are suits, ranks or cards of the model, these are its symbols
    (♠, K). Otherwise they are prefixes of one or two letters if these are distinct, else the full names.
    """
    return _short(tuple((value, member.name) for value, member in enum.members.items()))


@lru_cache(maxsize=64)
def _short(members: tuple[tuple[int, str], ...]) -> dict[int, str]:
    """Return a short name for each code, given the codes and their full names; cached."""
    names = [name for _, name in members]
    if 2 * sum(name in SIGNS for name in names) > len(names):
        return {value: SIGNS.get(name, name) for value, name in members}
    longest = max((len(name) for name in names), default=1)
    size = next((n for n in range(1, longest + 1) if len({name[:n] for name in names}) == len(set(names))), longest)
    return {value: name[:size].upper() if size < 3 else name for value, name in members}


def show(value: object) -> str:
    """Return a decoded value as text for people.

    >>> show(b"\\x00A"), show("one\\n"), show(True), show(12)
    ('00 41', '"one\\\\n"', 'yes', '12')
    """
    if isinstance(value, bytes):
        return value[:CELLS].hex(" ") + (" …" if len(value) > CELLS else "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


# --- groups -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """A record of a file with its number, its path and its node. The number is None for a field outside of the list of
    numbered records.

    ``inside`` are the parts at offsets (``pos``) within the bytes of this group, in file order.
    """

    number: int | None
    path: str
    node: FieldNode
    inside: tuple[Apart, ...] = ()


def groups_of(root: FieldNode, first: int = 0) -> list[Group]:
    """Return the records of a file and the fields around them, in file order. The elements of the list of boards are numbered from
    ``first``; in a schema without boards, the elements of the first list of records.
    """
    made: list[Group] = []
    children = [child for child in root.children or () if not child.absent]
    lists = {child.name: child.children or () for child in children if _has_records(child)}
    # Other lists, such as a table of offsets, are beside the boards.
    counted = BOARDS if BOARDS in lists else next(iter(lists), "")
    for child in children:
        if child.name not in lists:
            made.append(Group(None, child.name, child))
        elif child.name == counted:
            made += [Group(n, f"{child.name}[{n}]", cell) for n, cell in enumerate(lists[child.name], first)]
        else:
            made += [Group(None, f"{child.name}[{n}]", cell) for n, cell in enumerate(lists[child.name])]
    made.sort(key=lambda group: group.node.start)
    return _placed(made, sorted(_apart(root, made), key=lambda one: one.node.start))


def _has_records(node: FieldNode) -> bool:
    """Whether a node is a list of records: an array of which at least one element has children. An element that could not be read
    has none.
    """
    cells = node.children or ()
    return is_array(node) and not isinstance(cells, Cells) and any(cell.children is not None for cell in cells)


def chosen(groups: list[Group], numbers: list[int]) -> list[Group]:
    """Return the groups with the given numbers. Parts at offsets that their records give, but that are within the bytes of other
    groups, become groups of their own.
    """
    wanted = set(numbers)
    out: list[Group] = []
    for group in groups:
        if group.number in wanted:
            out.append(replace(group, inside=tuple(one for one in group.inside if one.record in wanted)))
        else:
            out += [Group(None, one.path, one.node) for one in group.inside if one.record in wanted]
    return out


def _apart(root: FieldNode, groups: list[Group]) -> Iterator[Apart]:
    """Yield all parts of a file at offsets (``pos``); none for a text."""
    if not isinstance(root, ByteNode):
        return  # nothing in a text leads to another place, so that its fields need not be read
    yield from _instances(root, "", None)
    for group in groups:
        yield from _below(group.node, group.path, group.number)


def _below(node: FieldNode, path: str, record: int | None) -> Iterator[Apart]:
    """Yield the parts at offsets (``pos``) that a node and the records below it give; ``record`` is the number of the group that
    the node belongs to.
    """
    if node.absent or node.children is None or isinstance(node.children, Cells):
        return
    for child in node.children:
        yield from _below(child, step(path, child), record)
    if isinstance(node, ByteNode):
        yield from _instances(node, path, record)


def _instances(node: ByteNode, path: str, record: int | None) -> Iterator[Apart]:
    """Yield the parts at offsets that are instances of a node, and those that their own records give."""
    for one in node.instances:
        if one.stop > one.start:
            where = step(path, one)
            yield Apart(where, one, record)
            yield from _below(one, where, record)


def _placed(groups: list[Group], apart: list[Apart]) -> list[Group]:
    """Return the groups with each part of ``apart`` added to the group whose bytes contain its first byte, or as a group of its
    own.
    """
    starts = [group.node.start for group in groups]
    inside: dict[int, list[Apart]] = {}
    alone: list[Group] = []
    for one in apart:
        at = bisect_right(starts, one.node.start) - 1
        # The groups are sorted by their start, and do not overlap.
        if at >= 0 and one.node.start < groups[at].node.stop:
            inside.setdefault(at, []).append(one)
        else:
            alone.append(Group(None, one.path, one.node))
    found = [replace(group, inside=tuple(inside[at])) if at in inside else group for at, group in enumerate(groups)]
    return sorted([*found, *alone], key=lambda group: group.node.start)
