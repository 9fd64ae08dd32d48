"""What a reader makes of a file: a tree of nodes, each with its value, its span and the field that declares it.

The tree is the one thing that binding, dump and documentation read; binary and text codecs both make it. Positions are bits
from the start of the file, so that a text node's are multiples of 8.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from bridgespec.codec.byte_order import MarkedText
from bridgespec.diagnostic import Diagnostic, Span
from bridgespec.spec.ir import Field

Scalar = int | float | str | bytes | bool | None
_FEW = 20


class Node:
    """One field as it stood in the file.

    ``value`` of a leaf is what the codec decoded (int, str, bytes ...), before enums and bindings; of a record or an array
    it is None and ``children`` holds the parts in file order. ``name`` is the field's name, or the index within an array.
    ``absent`` marks a field whose condition did not hold. A node that could not be decoded keeps its raw bytes as ``value``
    and is ``broken``.
    """

    __slots__ = ("absent", "broken", "children", "decl", "lsb", "name", "start", "stop", "value")

    def __init__(
        self,
        decl: Field | None,
        name: str,
        start: int,
        stop: int,
        value: Scalar = None,
        children: Sequence[Node] | None = None,
        lsb: bool = False,
    ) -> None:
        self.decl = decl
        self.name = name
        self.start = start
        self.stop = stop
        self.value = value
        self.children = children
        self.lsb = lsb
        self.absent = False
        self.broken = False

    @property
    def span(self) -> Span:
        """Where the node stood."""
        return Span(self.start, self.stop, self.lsb)

    def as_plain(self) -> Any:
        """What the writer of its format takes for it."""
        return plain(self)

    @property
    def inside(self) -> Sequence[Node]:
        """The children; of a record of bytes its instances too, after them."""
        return self.children or ()

    def __getitem__(self, name: str) -> Node:
        for child in self.inside:
            if child.name == name:
                return child
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(child.name == name for child in self.inside)

    def walk(self, path: str = "") -> Iterator[tuple[str, Node]]:
        """Every node below this one in file order with its dotted path (``boards[1].deal[0]``), parents first."""
        for child in self.inside:
            where = step(path, child)
            yield where, child
            yield from child.walk(where)


class Raw(bytes):
    """Bytes that stand for a value which could not be decoded; a writer writes them as they are."""

    __slots__ = ()


class Filler(bytes):
    """Zero bytes, as many as a writer needs where a field has a size."""

    __slots__ = ()


class KeptText(str):
    """Text that is spelled in the file in a way of its own; a writer writes ``raw`` as long as nobody changes the value.

    ``claimed`` says that somebody has given both, so that ``raw`` may be that of another value.
    """

    raw: bytes = b""
    claimed = False


class KeptBytes(bytes):
    """Bytes that are spelled in the file in a way of their own: other padding, other compression."""

    raw: bytes = b""
    claimed = False


class KeptRecord(dict[str, Any]):
    """A record in a substream that is padded or stored in a way of its own."""

    raw: bytes = b""


class KeptInt(int):
    """An integer that is spelled in the file in a way of its own: a lenient code."""

    raw: int = 0


class KeptFloat(float):
    """A not-a-number with bits of its own."""

    raw: bytes = b""


class Undecided:
    """A value in a form that is understood once its type is known, which another value selects: ``decode`` gives the plain value
    by the element that is selected.
    """

    def __init__(self, form: Any, decode: Callable[[Any], Any]) -> None:
        self.form = form
        self.decode = decode
        self.element: Any = None
        self.value: Any = None
        """The plain value by the element that was selected last."""

    def of(self, element: Any) -> Any:
        """Return the plain value by an element."""
        if element is not self.element:
            self.value, self.element = self.decode(element), element
        return self.value


class ByteNode(Node):
    """A node of a binary file: ``instances`` are what a record computes or reads elsewhere, ``kept`` is the field's own
    spelling (bytes, or an integer) where that is not the one that would be written, ``scope`` serves expressions."""

    __slots__ = ("instances", "kept", "scope")

    def __init__(
        self,
        decl: Field | None,
        name: str,
        start: int,
        stop: int,
        value: Scalar = None,
        children: Sequence[Node] | None = None,
        lsb: bool = False,
    ) -> None:
        super().__init__(decl, name, start, stop, value, children, lsb)
        self.instances: list[Node] = []
        self.kept: bytes | int | None = None
        self.scope: Any = None

    @property
    def inside(self) -> Sequence[Node]:
        children = self.children or ()
        return [*children, *self.instances] if self.instances else children

    def __getitem__(self, name: str) -> Node:
        if isinstance(self.children, Cells) and name.isdigit() and int(name) < len(self.children):
            return self.children[int(name)]
        return super().__getitem__(name)


class Cells(Sequence[Node]):
    """The elements of an array of equal integers: ``values`` at once, nodes when they are asked for.

    ``step`` is the width of an element in bits, ``start`` the position of the first.
    """

    __slots__ = ("decl", "lsb", "start", "step", "values")

    def __init__(self, decl: Field | None, values: list[int], start: int, step: int, lsb: bool) -> None:
        self.decl = decl
        self.values = values
        self.start = start
        self.step = step
        self.lsb = lsb

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Node]: ...
    def __getitem__(self, index: int | slice) -> Node | Sequence[Node]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self.values)))]
        if index < 0:
            index += len(self.values)
        value = self.values[index]
        start = self.start + index * self.step
        return ByteNode(self.decl, str(index), start, start + self.step, value, None, self.lsb)


def plain(node: Node) -> Any:
    """The value of a node without places: a record is a dict by field name, an array a list, a leaf its value.

    Absent fields are None; what could not be decoded is ``Raw`` bytes; a value with a spelling of its own is a ``Kept``
    one. This is what a binary codec's ``write`` takes, and it gives the same bytes again.
    """
    if node.broken and isinstance(node.value, bytes):
        return Raw(node.value)
    if node.absent:
        return None
    children = node.children
    if children is None:
        return _spelled(node)
    if isinstance(children, Cells):
        return list(children.values)
    if is_array(node):
        return [plain(child) for child in children]
    values = {child.name: plain(child) for child in children}
    if isinstance(node, ByteNode):
        values.update((child.name, plain(child)) for child in node.instances if child.stop > child.start)
        if isinstance(node.kept, bytes):
            record = KeptRecord(values)
            record.raw = node.kept
            return record
    return values


def is_array(node: Node) -> bool:
    """Whether a node with children is an array: its field repeats, and it is not one of the elements."""
    return node.decl is not None and node.decl.repeat is not None and not node.name.isdigit()


def step(path: str, child: Node) -> str:
    """The path of a child."""
    if child.name.isdigit():
        return f"{path}[{child.name}]"
    return f"{path}.{child.name}" if path else child.name


def path_below(node: Node | None, start: int, stop: int) -> str:
    """The dotted path from a node to the smallest field that holds the bits; arrays may overlap."""
    if node is None:
        return ""
    array, children = is_array(node), node.children or ()
    if array and len(children) > _FEW:
        at = bisect_right(children, start, key=lambda child: child.start)
        children = children[max(at - 1, 0) : at]
    best = ""
    for child in children:
        if child.start <= start and stop <= child.stop and (child.stop > child.start or child.children is None):
            inner = path_below(child, start, stop)
            own = f"[{child.name}]" if array or child.name.isdigit() else f".{child.name}"
            if len(own + inner) > len(best) and (inner or not is_array(child)):
                best = own + inner
    return best


def _spelled(node: Node) -> Any:
    value = node.value
    kept = node.kept if isinstance(node, ByteNode) else None
    for raw, kind, made in _KEPT:
        if isinstance(kept, raw) and isinstance(value, kind):
            spelled = made(value)
            spelled.raw = kept
            return spelled
    return value


_KEPT: tuple[tuple[type, type, Any], ...] = (
    (int, int, KeptInt),
    (bytes, float, KeptFloat),
    (bytes, str, KeptText),
    (bytes, bytes, KeptBytes),
)
"""The types of a spelling and of its value, and what is both."""


@dataclass(slots=True)
class Reading:
    """A file as read: the tree, every problem found, and the bytes that its spans count.

    Those are the file's own bytes, or its text as UTF-8 where ``encoding`` is given.
    """

    root: Node
    data: bytes
    diagnostics: list[Diagnostic] = field(default_factory=list)
    dropped: int = 0
    """How many findings more there are; the last diagnostic says so."""
    encoding: MarkedText | None = None
    """How the file encodes the text: with a byte order mark, or as UTF-16."""

    @property
    def file_data(self) -> bytes:
        """The bytes of the file."""
        return self.in_file(self.data)

    def in_file(self, text: bytes) -> bytes:
        """Return another text in the encoding of the file."""
        return text if self.encoding is None else self.encoding.encode(text)

    def placed(self, found: Diagnostic) -> Diagnostic:
        """Return a finding of this reading with its offsets in the file."""
        return found if self.encoding is None else self.encoding.in_file(found)

    @classmethod
    def without_findings(cls) -> Reading:
        """The reading of nothing: it completes one whose findings nobody asks for."""
        return cls(Node(None, "", 0, 0), b"")
