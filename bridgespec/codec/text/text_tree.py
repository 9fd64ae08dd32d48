"""The tree of a text that was read: nodes that refer to the rules that made them, and their plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bridgespec.codec.node import FieldNode, is_array
from bridgespec.spec import ir

if TYPE_CHECKING:
    # Only for types: reading or writing a binary file does not import the modules of grammars.
    from bridgespec.spec.grammar import GrammarRule, ReportForm

PlainTree = None | str | list["PlainTree"] | dict[str, "PlainTree"]
Note = tuple["ReportForm", int, int]
"""A finding that the grammar declares, and the offsets of its characters."""


class RuleShape(ABC):
    """The part of a rule's value that nodes use: its fields in the order of the grammar, and the array declarations of those that
    may occur several times.
    """

    rule: GrammarRule
    names: tuple[str, ...] = ()
    arrays: Mapping[str, ir.Field] = {}

    @abstractmethod
    def parts(self, node: TextNode) -> list[TextNode]:
        """Return the fields of a node of which only the bounds are known."""


class TextNode(FieldNode):
    """The node of a field in a text. ``value`` is the text of a leaf or the name of a code; None for a record.

    ``field`` is the field's name in the record, ``name`` the same or, in an array, the index. ``parts`` are the fields of a
    record in file order, repeated ones one by one; ``children`` are the same with repeated ones grouped in arrays. ``rule`` is
    the rule that made the value: for a delegated text the one that has read it, while ``own`` is the rule of the field itself.
    """

    __slots__ = ("_children", "_parts", "end", "field", "inner", "notes", "own", "pair", "plain", "rows", "shape", "source")

    def __init__(
        self,
        decl: ir.Field | None,
        field: str,
        shape: RuleShape,
        source: str,
        start: int,
        stop: int,
        value: str | None = None,
        parts: list[TextNode] | None = None,
    ) -> None:
        self.decl = decl
        self.name = self.field = field
        self.shape = shape
        self.own = shape.rule
        self.source = source
        self.end = len(source)
        """The offset up to which lookaheads of the rule see the text."""
        self.start = 8 * start
        self.stop = 8 * stop
        self.value = value
        self.lsb = self.absent = self.broken = False
        self.notes: Sequence[Note] = ()
        """Findings on the texts between fields in the round of a repetition whose first field this node is."""
        self.inner: Sequence[Note] = ()
        """Findings inside a delegated text."""
        self.rows: list[tuple[str, str, str, str]] | None = None
        """The pairs of a record as texts, if programs found its findings without the expressions; else None."""
        self.pair: Any = None
        """For a pair that is proven to have no finding by itself, its `PairSpan`; else None."""
        self.plain: dict[str, PlainTree] | None = None
        """The plain value of a record, cached on first access: not to be changed."""
        self._parts = parts
        self._children: Sequence[FieldNode] | None = None

    @property
    def rule(self) -> GrammarRule:
        """The rule that made the value."""
        return self.shape.rule

    @property
    def text(self) -> str:
        """The characters of the node as they are in the file."""
        return self.source[self.start // 8 : self.stop // 8]

    @property
    def parts(self) -> list[TextNode] | None:
        """The fields of a record in file order; None for a leaf."""
        if self._parts is None and self.value is None:
            self._parts = self.shape.parts(self)
        return self._parts

    @parts.setter
    def parts(self, parts: list[TextNode] | None) -> None:
        self._parts, self._children, self.plain = parts, None, None

    @property
    def children(self) -> Sequence[FieldNode] | None:
        """The fields of a record in file order, repeated ones in arrays; the elements of an array."""
        if self._children is None and self.parts is not None:
            self._children = self._grouped(self.parts)
        return self._children

    @children.setter
    def children(self, children: Sequence[FieldNode] | None) -> None:
        self._children = children

    def _grouped(self, parts: list[TextNode]) -> list[FieldNode]:
        arrays = self.shape.arrays
        found: dict[str, TextNode] = {}
        elements: dict[str, list[TextNode]] = {}
        for part in parts:
            if part.field not in arrays:
                found[part.field] = part
                continue
            array = elements.setdefault(part.field, [])
            if not array:
                found[part.field] = list_node(arrays[part.field], part)
                found[part.field].children = array
            part.name = str(len(array))
            array.append(part)
            found[part.field].stop = part.stop
        return list(found.values())

    def as_plain(self) -> Any:
        """Return the values of a record's fields by name. Elements of arrays that are records are `Kept`: references to their
        nodes, whose values are computed only on access.
        """
        return Kept(self).opened()

    def first(self, field: str) -> TextNode | None:
        """Return the first part of a field; None without one."""
        return next((part for part in self.parts or () if part.field == field), None)


class FileNode(TextNode):
    """The root node of a file: its parts are in the order in which each begins."""

    __slots__ = ()

    def __init__(self, decl: ir.Field, name: str, shape: RuleShape, source: str, children: Sequence[FieldNode]) -> None:
        super().__init__(decl, name, shape, source, 0, len(source), None, [])
        self.children = children


def list_node(decl: ir.Field, first: TextNode) -> TextNode:
    """Return an array node whose first element is ``first``."""
    return TextNode(decl, first.field, first.shape, first.source, first.start // 8, first.stop // 8)


class Kept(Mapping[str, Any]):
    """The plain value of an unchanged record, computed on access. A writer makes one of a node, and `Patch` copies the node's text
    if the record is still at its position.
    """

    __slots__ = ("key", "node", "text")

    def __init__(self, node: FieldNode) -> None:
        self.node = node
        self.key: str | None = None
        """The key of a pair, where it is known."""
        self.text: str | None = None
        """The text of the value of a pair, where it is known."""

    def opened(self) -> dict[str, Any]:
        """Return the values of the record's fields by name, in the order of the grammar. Elements of arrays that are records stay
        `Kept`, so that their values are not computed.
        """
        return {name: _kept(child) for name, child in fields_of(self.node).items()}

    def _plain(self) -> dict[str, Any]:
        found = plain(self.node)
        assert isinstance(found, dict)
        return found

    def __getitem__(self, name: str) -> Any:
        return self._plain()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain())

    def __len__(self) -> int:
        return len(self._plain())

    def __repr__(self) -> str:
        return repr(self._plain())

    def starts_with(self, field: str, text: str) -> bool:
        """Whether the value of the pair, in its field ``field``, begins with a text."""
        return (self.text is None or self.text.startswith(text)) and str(self[field]).startswith(text)


def _kept(node: FieldNode) -> Any:
    """Return the plain value of a field, in which elements of arrays that are records are `Kept`."""
    if is_array(node):
        return [plain(item) if item.value is not None else Kept(item) for item in node.children or () if not item.broken]
    return plain(node) if node.value is not None else Kept(node).opened()


def fields_of(node: FieldNode) -> dict[str, FieldNode]:
    """Return the children of a record by name, in the order of the grammar; an array with only broken elements is left out."""
    found = {child.name: child for child in node.children or ()}
    if isinstance(node, FileNode) or not isinstance(node, TextNode):
        return found
    arrays = node.shape.arrays
    return {
        name: found[name]
        for name in node.shape.names
        if name in found and (name not in arrays or any(not item.broken for item in found[name].children or ()))
    }


def plain(node: FieldNode) -> PlainTree:
    """Return the plain value of a node: a dict for a record, a list for an array, a string for a text or the name of a code.

    A record's fields are in the order of the grammar, absent ones have no key; broken elements of arrays are left out.
    """
    if not isinstance(node, TextNode):
        raise TypeError(f"{node.name} is not a node of a text")
    if node.value is not None:
        return str(node.value)
    # The elements of an array have its declaration too, but their indexes as names.
    if node.decl is not None and node.decl.repeat is not None and node.name == node.field:
        return [plain(child) for child in node.children or () if not child.broken]
    if isinstance(node, FileNode):
        return {child.name: plain(child) for child in node.children or ()}
    if node.plain is not None:
        return node.plain
    found: dict[str, PlainTree] = {}
    arrays = node.shape.arrays
    for part in node.parts or ():
        if part.field not in arrays:
            found[part.field] = plain(part)
        elif not part.broken:
            array = found.setdefault(part.field, [])
            assert isinstance(array, list)
            array.append(plain(part))
    node.plain = {name: found[name] for name in node.shape.names if name in found}
    return node.plain
