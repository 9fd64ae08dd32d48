"""The tree of a file as read: nodes, each with its value, its span and the field that declares it.

Binding, dump and documentation read this tree; the binary and the text codec make it. Positions are bits from the start of the
file, so those of a text node are multiples of 8.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from bridgespec.codec.byte_order import MarkedText
from bridgespec.diagnostic import Diagnostic, Span
from bridgespec.model.number_texts import whole_number
from bridgespec.spec.ir import Field

LeafValue = int | float | str | bytes | bool | None
_FEW = 20
"""The number of array elements beyond which an element is found by bisection."""


class FieldNode:
    """One field as it is in the file. A reader makes it; it lives as long as its `Reading`.

    ``value`` of a leaf is what the codec decoded (int, str, bytes ...), before enums and bindings; for a record or an array it is
    None and ``children`` are the parts in file order. ``name`` is the field's name, or the index within an array. ``absent`` marks
    a field whose condition was false. A node that could not be decoded keeps its raw bytes as ``value`` and is ``broken``.
    ``lsb``: the bits of its bytes are numbered from the low end.
    """

    __slots__ = ("absent", "broken", "children", "decl", "lsb", "name", "start", "stop", "value")

    def __init__(
        self,
        decl: Field | None,
        name: str,
        start: int,
        stop: int,
        value: LeafValue = None,
        children: Sequence[FieldNode] | None = None,
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
        """The bits of the node in the file."""
        return Span(self.start, self.stop, self.lsb)

    def as_plain(self) -> Any:
        """Return the plain value: the form in which the writer of the node's format takes a field."""
        return plain(self)

    @property
    def inside(self) -> Sequence[FieldNode]:
        """The children; for a record of a binary file also its instances, which come last."""
        return self.children or ()

    def __getitem__(self, name: str) -> FieldNode:
        for child in self.inside:
            if child.name == name:
                return child
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(child.name == name for child in self.inside)

    def walk(self, path: str = "") -> Iterator[tuple[str, FieldNode]]:
        """Yield every node below this one in file order with its dotted path (``boards[1].deal[0]``), parents first."""
        for child in self.inside:
            where = step(path, child)
            yield where, child
            yield from child.walk(where)


class Raw(bytes):
    """The bytes of a value that could not be decoded; a writer writes them unchanged."""

    __slots__ = ()


class ZeroFill(bytes):
    """A placeholder for zero bytes: a writer fills the whole field with them, whatever its size."""

    __slots__ = ()


class KeptText(str):
    """A text whose bytes in the file are not those that a writer would choose. A writer writes ``raw`` as long as the value is
    unchanged.

    ``claimed`` is true where a caller gave both value and ``raw``, so that a writer must check that they belong together.
    """

    raw: bytes = b""
    claimed = False


class KeptBytes(bytes):
    """Bytes that are stored otherwise (``raw``) than a writer would store them, such as with other padding or compression.
    ``claimed`` is true where a caller gave both, so that a writer must check that they belong together.
    """

    raw: bytes = b""
    claimed = False


class KeptRecord(dict[str, Any]):
    """A record in a substream whose stored bytes (``raw``) are not those that a writer would make, such as with other padding."""

    raw: bytes = b""


class KeptInt(int):
    """An integer whose stored code (``raw``) is not the one that a writer would choose, since several codes mean the same."""

    raw: int = 0


class KeptFloat(float):
    """A NaN with its bytes in the file, so that it is written with the same bits."""

    raw: bytes = b""


class Undecided:
    """A value whose type depends on another value that is not known yet; ``decode`` converts ``form``, its JSON form, for one
    type.
    """

    def __init__(self, form: Any, decode: Callable[[Any], Any]) -> None:
        self.form = form
        self.decode = decode
        self.element: Any = None
        self.value: Any = None
        """The plain value for the element that was selected last."""

    def of(self, element: Any) -> Any:
        """Return the plain value for an element, the compiled type that was selected."""
        if element is not self.element:
            self.value, self.element = self.decode(element), element
        return self.value


class ByteNode(FieldNode):
    """A node of a binary file. ``instances`` are the nodes of a record's instances, which are not in its sequence of fields.
    ``kept`` is the form in the file where a writer would choose another one for the value. ``scope`` is used to evaluate
    expressions of the schema.
    """

    __slots__ = ("instances", "kept", "scope")

    def __init__(
        self,
        decl: Field | None,
        name: str,
        start: int,
        stop: int,
        value: LeafValue = None,
        children: Sequence[FieldNode] | None = None,
        lsb: bool = False,
    ) -> None:
        super().__init__(decl, name, start, stop, value, children, lsb)
        self.instances: list[FieldNode] = []
        self.kept: bytes | int | None = None
        self.scope: Any = None

    @property
    def inside(self) -> Sequence[FieldNode]:
        children = self.children or ()
        return [*children, *self.instances] if self.instances else children

    def __getitem__(self, name: str) -> FieldNode:
        if isinstance(self.children, Cells) and (index := whole_number(name)) is not None and index < len(self.children):
            return self.children[index]
        return super().__getitem__(name)


class Cells(Sequence[FieldNode]):
    """A sequence of nodes for an array of integers of equal size. ``values`` are decoded at once; a node is made on access.

    ``step`` is the width of an element in bits, ``start`` the position of the first one in bits.
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
    def __getitem__(self, index: int) -> FieldNode: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FieldNode]: ...
    def __getitem__(self, index: int | slice) -> FieldNode | Sequence[FieldNode]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self.values)))]
        if index < 0:
            index += len(self.values)
        value = self.values[index]
        start = self.start + index * self.step
        return ByteNode(self.decl, str(index), start, start + self.step, value, None, self.lsb)


def plain(node: FieldNode) -> Any:
    """Return the value of a node as a writer takes it: a dict by field name for a record, a list for an array, the value for a
    leaf.

    Absent fields are None; a value that could not be decoded is ``Raw`` bytes; a value that a writer would store otherwise is a
    ``Kept...`` type with its bytes. A binary codec's ``write`` takes this form and returns the same bytes.
    """
    if node.broken and isinstance(node.value, bytes):
        return Raw(node.value)
    if node.absent:
        return None
    children = node.children
    if children is None:
        return _with_stored_form(node)
    if isinstance(children, Cells):
        return list(children.values)
    if is_array(node):
        return [plain(child) for child in children]
    values = {child.name: plain(child) for child in children}
    if isinstance(node, ByteNode):
        # A computed instance has no bytes, and a writer computes it again.
        values.update((child.name, plain(child)) for child in node.instances if child.stop > child.start)
        if isinstance(node.kept, bytes):
            record = KeptRecord(values)
            record.raw = node.kept
            return record
    return values


def is_array(node: FieldNode) -> bool:
    """Whether a node with children is an array: its field repeats, and it is not one of the elements."""
    # An element has the declaration of its array, and is named by its index.
    return node.decl is not None and node.decl.repeat is not None and not node.name.isdigit()


def step(path: str, child: FieldNode) -> str:
    """Return the dotted path of a child, given the path of its parent: ``path.name``, or ``path[0]`` for an element."""
    if child.name.isdigit():
        return f"{path}[{child.name}]"
    return f"{path}.{child.name}" if path else child.name


def path_below(node: FieldNode | None, start: int, stop: int) -> str:
    """Return the dotted path from a node to the smallest field below it that contains the bits from ``start`` to ``stop``; empty
    without one.
    """
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


def _with_stored_form(node: FieldNode) -> Any:
    """Return the value of a leaf. If a writer would store the value otherwise, it is of a subclass, such as `KeptInt`, that also
    has the form in the file (``raw``).
    """
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
"""The types of a stored form and of its value, and the class that has both."""


@dataclass(slots=True)
class Reading:
    """A file that was read: its tree, its findings, and the bytes to which their spans refer. A codec makes one for each file or
    stretch.

    The bytes are the file's own; if ``encoding`` is given, they are its text converted to UTF-8.
    """

    root: FieldNode
    data: bytes
    diagnostics: list[Diagnostic] = field(default_factory=list)
    dropped: int = 0
    """The number of findings that were not kept; the last diagnostic reports it."""
    encoding: MarkedText | None = None
    """The encoding of the text in the file, where it has a byte order mark or is UTF-16."""

    @property
    def file_data(self) -> bytes:
        """The bytes of the file."""
        return self.in_file(self.data)

    def in_file(self, text: bytes) -> bytes:
        """Return the bytes that a UTF-8 text has in the encoding of the file."""
        return text if self.encoding is None else self.encoding.encode(text)

    def placed(self, found: Diagnostic) -> Diagnostic:
        """Return a finding of this reading with its offsets converted to those in the file."""
        return found if self.encoding is None else self.encoding.in_file(found)

    @classmethod
    def without_findings(cls) -> Reading:
        """Return an empty reading, for a caller that requires a reading only for its findings and needs none."""
        return cls(FieldNode(None, "", 0, 0), b"")


def leaf_of(node: ByteNode | None, names: Iterable[str]) -> ByteNode | None:
    """Return the leaf that the ``names`` of fields lead to, beginning at a record; None where it is missing, absent, broken or no
    leaf.
    """
    for name in names:
        inner = node.children if node is not None else None
        node = next((one for one in reversed(inner) if one.name == name), None) if isinstance(inner, list) else None
    return None if node is None or node.absent or node.broken or node.children is not None else node
