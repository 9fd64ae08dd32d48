"""The scope of ``value`` expressions in a text: the fields of a record that was read, or of one that is being written.

A `TextScope` is made for each record whose values are verified or written, and shares the evaluator of binary schemas. For a record
that is being written, positions and the enclosing records are unknown: a first guess is written, and corrected when the whole text
is written (`codec.TextCodec`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast

from bridgespec.codec.node import is_array
from bridgespec.codec.text.text_tree import FileNode, TextNode
from bridgespec.spec.grammar import GrammarRule
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, NamedScope, compile_expression
from bridgespec.spec.kaitai.expr.tree import Expression, looks_at_places, looks_out


class FieldRecord(Protocol):
    """What a `TextScope` needs of the rule of its record; implemented by `RecordRule`."""

    rule: GrammarRule
    names: tuple[str, ...]

    @property
    def arrays(self) -> Mapping[str, Any]:
        """The names of the fields that may occur several times."""

    def field(self, name: str) -> Any:
        """Return the rule value that reads and writes a field."""

    def derive(self, rule: GrammarRule, values: Mapping[str, object]) -> str:
        """Return the derived text of a field with rule ``rule``, given the values of its record."""


class Derivation:
    """The compiled ``value`` expression of a derived field. The engine makes one for each rule with ``value``."""

    def __init__(self, rule: GrammarRule, value: Expression) -> None:
        self.rule = rule
        self.evaluate = compile_expression(value)
        self.looks_out = looks_out(value)
        """Whether the expression refers to enclosing records or to the file, not only to fields of its own record."""
        self.unsettled = self.looks_out or looks_at_places(value)
        """Whether the value is known only after the whole text is written."""

    def text(self, scope: TextScope) -> str:
        """Return the derived text of the field in the record of a scope. Raises EvaluationError where a field that it needs is
        missing or is no number.
        """
        value, numeral = self.evaluate(scope), self.rule.words.number
        if isinstance(value, bytes):
            value = value.hex() if numeral is None else int.from_bytes(value, "big")
        if isinstance(value, _Unknown):
            value = 0
        return numeral.write(value) if numeral is not None and isinstance(value, int) else str(value)


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A position in a text, in bits (eight for each byte), as expressions use it; ``stream`` is the text in which it is counted."""

    start: int
    stop: int
    stream: str

    def bytes(self, start: int, stop: int) -> bytes:
        """Return the bytes that contain the bits from ``start`` to ``stop``: the text has one character for each byte."""
        return self.stream[start // 8 : (stop + 7) // 8].encode("latin-1")


_UNWRITTEN = TextPlace(0, 0, "")


class _Unknown(Sequence[Any]):
    """The value of an enclosing record, or of the file, while a record is being written: an empty list, whose attributes are
    unknown too.
    """

    it: Any = None
    index: Any = None

    def __getitem__(self, index: Any) -> Any:
        raise IndexError("nothing is known yet")

    def __len__(self) -> int:
        return 0

    def scope_attribute(self, name: str) -> Any:
        """Return the attribute of an unknown value, which is unknown."""
        return self

    def placed(self, name: str | None, at: int | None) -> TextPlace:
        """Return an empty position at 0, in place of that of a field that is not written yet."""
        return _UNWRITTEN


_UNKNOWN = _Unknown()


class TextScope(NamedScope):
    """The fields of one record by name, for the evaluator of expressions. ``source`` is the node of a record that was read, with
    the scope ``owner`` of the enclosing record, or the plain values of a record that is being written.

    A field that could not be read has no value (EvaluationError), so that one fault is one finding; with ``unread`` its position
    and bytes can be used, and the other elements of its array.
    """

    def __init__(
        self, record: FieldRecord, source: TextNode | Mapping[str, object], owner: TextScope | None = None, unread: bool = False
    ) -> None:
        self.record, self.source, self.owner = record, source, owner
        self.unread: bool = unread if owner is None else owner.unread
        self.it: Any = None
        self.index: Any = None

    @property
    def node(self) -> TextNode | None:
        """The node of the record; None for a record that is being written."""
        return self.source if isinstance(self.source, TextNode) else None

    @property
    def parent(self) -> TextScope | _Unknown | None:
        """The scope of the enclosing record."""
        return _UNKNOWN if self.node is None else self.owner

    @property
    def root(self) -> TextScope | _Unknown:
        """The scope of the whole file."""
        return _UNKNOWN if self.node is None else self if self.owner is None else self.owner.root

    @property
    def io(self) -> TextScope | _Unknown:
        """The scope of the whole file, for the name ``_io`` in expressions, of which they can use ``size``."""
        return self.root

    def nodes(self) -> Sequence[TextNode]:
        """Return the nodes of the record's fields, each element of an array by itself; none for a record that is being written."""
        return () if self.node is None else _parts(self.node)

    def first(self, name: str) -> TextNode | None:
        """Return the first node of a field; None without one."""
        return next((one for one in self.nodes() if one.field == name), None)

    def get(self, name: str) -> Any:
        """Return the value of a field for expressions: a number, a text, the number of a code, a scope for a record, or a list of
        these.
        """
        if name not in self._kept:
            found = [self._value(name, each) for each in self._items(name)]
            if name not in self.record.arrays and not found:
                raise EvaluationError(f"'{name}' does not stand here")
            self._kept[name] = found if name in self.record.arrays else found[0]
        return self._kept[name]

    @cached_property
    def _kept(self) -> dict[str, Any]:
        """A cache of values by field."""
        return {}

    def _items(self, name: str) -> Sequence[Any]:
        """Return all values of a field: those that were read or are written, else its default."""
        if isinstance(self.source, TextNode):
            return [one for one in self._named(name) if not one.broken]
        if name in self.source:
            value = self.source[name]
            return value if isinstance(value, list | tuple) else [value]
        rule = self.record.field(name).rule
        if rule.words.binding.value is not None and name not in self.record.arrays:
            return [self.record.derive(rule, self.source)]
        default = rule.words.binding.default
        return [] if default is None or default.constant is None else [default.constant]

    def _named(self, name: str) -> Sequence[TextNode]:
        """Return the nodes of a field in file order."""
        found = [one for one in self.nodes() if one.field == name]
        if not self.unread and any(one.broken for one in found):
            raise EvaluationError(f"'{name}' could not be read")
        return found

    def _value(self, name: str, item: Any) -> Any:
        rule = self.record.field(name)
        node = item if isinstance(item, TextNode) else None
        text = item if node is None else node.text
        if rule.names:
            return TextScope(rule, item, self) if node is not None or isinstance(item, Mapping) else text
        numeral = rule.rule.words.number or rule.shape.words.number
        if rule.shape.codes is None and numeral is None:
            return str(text)
        try:
            return item if isinstance(item, int) else rule.number_of(str(text))
        except ValueError as error:
            raise EvaluationError(f"{name}: {error}") from None

    def scope_attribute(self, name: str) -> Any:
        """Return the value of a field or of a special name, such as ``_parent``, in an expression; for the whole file also its
        ``size`` in bytes. Raises EvaluationError for a field without a value.
        """
        if name == "size" and self.owner is None and self.node is not None:
            # The text has one character for each byte of the file.
            return len(self.node.source)
        return super().scope_attribute(name)

    def placed(self, name: str | None, at: int | None) -> TextPlace:
        """Return the position of a field, of its element with index ``at``, or of this record where the name is None. Raises
        EvaluationError where it is absent.
        """
        node = self.node
        if node is None:
            return _UNWRITTEN
        if name is None or name == "_io":
            return TextPlace(0 if name else node.start, 8 * len(node.source) if name else node.stop, node.source)
        found = self._named(name)
        if at is not None:
            found = found[at : at + 1]
        if not found:
            if name in self.record.arrays and at is None:
                # An empty list has the position after the fields before it, and no length.
                ahead = {*self.record.names[: self.record.names.index(name)]}
                here = max([one.stop for one in self.nodes() if one.field in ahead], default=node.start)
                return TextPlace(here, here, node.source)
            raise EvaluationError(f"'{name}' does not stand here")
        return TextPlace(found[0].start, found[-1].stop, node.source)


def scope_of(node: TextNode) -> TextScope | None:
    """Return a scope for a record without its enclosing records; None for a text without fields."""
    return TextScope(cast("FieldRecord", node.shape), node) if node.shape.names else None


def _parts(node: TextNode) -> Sequence[TextNode]:
    """Return the nodes of the fields of a record; an element of an array is a node of its own."""
    if not isinstance(node, FileNode):
        return node.parts or ()
    found = [inner for child in node.children or () for inner in ((child.children or ()) if is_array(child) else (child,))]
    return [one for one in found if isinstance(one, TextNode)]
