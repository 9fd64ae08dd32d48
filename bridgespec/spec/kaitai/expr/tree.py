"""The trees of expressions: immutable values, one class for each kind of node. `expr.parse` makes them, `expr.check` resolves
their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Generic, TypeVar, get_args

from bridgespec.spec.place import SchemaPlace


@dataclass(frozen=True, slots=True)
class LiteralExpression:
    """A constant: int, float, str, bytes, bool or None."""

    value: int | float | str | bytes | bool | None


@dataclass(frozen=True, slots=True)
class FormatExpression:
    """An f-string: a sequence of texts and expressions."""

    parts: tuple[str | Tree, ...]


@dataclass(frozen=True, slots=True)
class Name:
    """A bare name: a field, a parameter, an instance, or ``_``, ``_io``, ``_root``, ``_parent``, ``_index``."""

    id: str


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enum, ``enum::member`` or ``type::enum::member``; ``value`` is set when names are resolved."""

    path: tuple[str, ...]
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """A list of expressions, ``[a, b]``. ``is_bytes``: its elements are byte-sized, so that it is a byte array and not a
    list.
    """

    items: tuple[Tree, ...]
    is_bytes: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """The expression ``of.name``: a field or another attribute of a value."""

    of: Tree
    name: str


@dataclass(frozen=True, slots=True)
class CallExpression:
    """The expression ``of.name(args)``: a call of a method."""

    of: Tree
    args: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The expression ``of[at]``: an element of a list."""

    of: Tree
    at: Tree


@dataclass(frozen=True, slots=True)
class Cast:
    """The expression ``of.as<type>``: a value with another type; ``type`` as written, with ``[]``."""

    of: Tree
    type: str


@dataclass(frozen=True, slots=True)
class SizeOf:
    """The size of a type: ``sizeof<type>`` in bytes or ``bitsizeof<type>`` in bits; ``value`` is set when names are resolved."""

    type: str
    bits: bool
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator with one operand: ``-x``, ``+x``, ``~x`` or ``not x``."""

    op: str
    of: Tree


@dataclass(frozen=True, slots=True)
class BinaryExpression:
    """An operator with two operands: arithmetic, a shift or a bit operation."""

    op: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two values: ``left op right``."""

    op: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Logic:
    """``and`` or ``or`` over two or more tests, evaluated from the left and only as far as needed."""

    op: str
    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Ternary:
    """A conditional expression: ``test ? then : other``."""

    test: Tree
    then: Tree
    other: Tree


@dataclass(frozen=True, slots=True)
class SpotExpression:
    """A position in the file: that of the field ``name`` of the record ``owner`` (None: the record of the expression), or of the
    field's element ``at``. Without ``name`` it is that of the record itself or, if ``stream`` is true, of its whole stream.
    """

    owner: Tree | None
    name: str | None = None
    at: Tree | None = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """``x._sizeof`` and ``x._offset`` where they depend on the file: the number of bytes of ``of``, or of the bytes before it in
    its stream. ``what`` is ``sizeof`` or ``offset``.
    """

    of: SpotExpression
    what: str


@dataclass(frozen=True, slots=True)
class Bytes:
    """``span(x)`` and ``span(x, y)``: the bytes of the file from the start of ``first`` to the end of ``last``."""

    first: SpotExpression
    last: SpotExpression


@dataclass(frozen=True, slots=True)
class Fold:
    """A call of a function of a list, such as ``sum(list, each)``, with ``_`` in ``each`` for the element; ``name`` is one of
    `FOLDS`.
    """

    name: str
    of: Tree
    each: Tree | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A call of a function of the package's own with values as arguments, such as ``crc32(bytes)``."""

    name: str
    args: tuple[Tree, ...]


Tree = (
    LiteralExpression | FormatExpression | Name | Member | Array | Attribute | CallExpression | Index | Cast | SizeOf
    | Unary | BinaryExpression | Compare | Logic | Ternary | SpotExpression | Measure | Bytes | Fold | Function
)  # fmt: skip


MOST_SHOWN = 80
"""The maximum number of characters of an expression that a message quotes."""


@dataclass(slots=True)
class Expression:
    """An expression: its source, its position in the schema, and its tree, in which the check of the schema resolves names."""

    source: str
    tree: Tree
    # Not compared: equal expressions at different positions are equal.
    place: SchemaPlace | None = field(default=None, compare=False)
    enum: str | None = field(default=None, compare=False)
    """The absolute name of the enum of the value, for the ``switch-on`` of a type, set by the check of the schema; else None."""

    @property
    def shown(self) -> str:
        """The source for messages: on one line, shortened in the middle where it is long."""
        line = " ".join(self.source.split())
        return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN - 20]} … {line[-16:]}"

    @property
    def constant(self) -> int | float | str | bytes | bool | None:
        """The value of an expression that is a literal, else None."""
        return self.tree.value if isinstance(self.tree, LiteralExpression) else None

    @property
    def stated(self) -> int | float | str | bytes | bool | None:
        """The value of an expression that is a literal or a member of an enum, else None."""
        return self.tree.value if isinstance(self.tree, Member) else self.constant

    @property
    def decimal(self) -> int | None:
        """The value of an expression that consists of decimal digits, else None."""
        source = self.source.strip()
        return int(source) if source.isdigit() else None

    @property
    def reaches(self) -> bool:
        """Whether the value depends on sizes, offsets or data outside the record."""
        return any(
            isinstance(node, Measure | SpotExpression) or (isinstance(node, Name) and node.id in ("_root", "_parent"))
            for node in walk(self.tree)
        )


Result = TypeVar("Result")
METHODS: Mapping[type, str] = {kind: f"visit_{kind.__name__.removesuffix('Expression').lower()}" for kind in get_args(Tree)}
"""The method of a visitor by the class of a tree: ``visit_literal`` of a `LiteralExpression`, ``visit_sizeof`` of a `SizeOf`."""


class Visitor(Generic[Result]):
    """Base class for algorithms that compute a result from a tree. A subclass has a method, named as in `METHODS`, for each class
    of node that it supports, which visits the nodes below if needed.
    """

    def visit(self, tree: Tree) -> Result:
        """Return the result for a node, from the method for its class, or from `refuse` where there is none."""
        method: Callable[[Tree], Result] = getattr(self, METHODS[type(tree)], self.refuse)
        return method(tree)

    def refuse(self, tree: Tree) -> Result:
        """Raise the visitor's error for a node that it does not support."""
        raise NotImplementedError(f"{type(self).__name__} does not support {word(tree)}")


def word(tree: Tree) -> str:
    """Return the name of a node in messages that refuse it: that of the function, or that of the class."""
    match tree:
        case Fold(name=name) | Function(name=name):
            return name
        case Measure(what=what):
            return f"_{what}"
        case Bytes() | SpotExpression():
            return "span"
    return type(tree).__name__.removesuffix("Expression")


def children(tree: Tree) -> Iterator[Tree]:
    """Yield the nodes directly below this one."""
    for slot in fields(tree):
        value = getattr(tree, slot.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Tree):
                yield part


def walk(tree: Tree) -> Iterator[Tree]:
    """Yield this node and every node below it."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))


def looks_out(expression: Expression) -> bool:
    """Whether an expression refers to data outside of its own record: an enclosing record, or the whole file."""
    return any(
        (isinstance(one, Name) and one.id in ("_root", "_parent", "_io")) or (isinstance(one, SpotExpression) and one.stream)
        for one in walk(expression.tree)
    )


def looks_at_places(expression: Expression) -> bool:
    """Whether an expression uses the bytes or the positions of fields."""
    return any(isinstance(one, Measure | Bytes) for one in walk(expression.tree))


def field_path(tree: Tree) -> tuple[str, ...]:
    """Return the path of the one field that an expression depends on, ``("header", "kind")`` for ``header.kind & 15``; empty where
    it depends on several fields, or on none.
    """
    match tree:
        case Name(id=name):
            return (name,)
        case Attribute(of=of, name=name) if inner := field_path(of):
            return inner if name == "to_i" else (*inner, name)
        case Cast(of=of) | Unary(of=of):
            return field_path(of)
        case BinaryExpression(left=left, right=LiteralExpression()):
            return field_path(left)
        case _:
            return ()
