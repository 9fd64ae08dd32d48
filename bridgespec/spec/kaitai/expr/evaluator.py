"""Evaluate expressions: `compile_expression` turns a tree into a Python function of a scope, built from closures, never from source
text.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, Protocol

from bridgespec.errors import BridgespecError
from bridgespec.spec.encoding import python_encoding, undecodable
from bridgespec.spec.kaitai.expr.functions import FOLDS, FUNCTIONS
from bridgespec.spec.kaitai.expr.tree import (
    Array,
    Attribute,
    BinaryExpression,
    Bytes,
    CallExpression,
    Cast,
    Compare,
    Expression,
    Fold,
    FormatExpression,
    Function,
    Index,
    LiteralExpression,
    Logic,
    Measure,
    Member,
    Name,
    SizeOf,
    SpotExpression,
    Ternary,
    Tree,
    Unary,
    Visitor,
)

MAX_BITS = 1 << 14  # a schema is not trusted: `1 << (1 << 40)` would take all memory
MAX_TEXT = 1 << 26


class EvaluationError(BridgespecError):
    """Raised where an expression has no value for the data: a missing field, a division by zero, an index out of range."""


class Scope(Protocol):
    """The environment of an expression: the fields of a record by name, and the values of ``_``, ``_index``, ``_root`` ..."""

    it: Any
    index: Any
    root: Any
    parent: Any
    io: Any

    def get(self, name: str) -> Any:
        """Return the value of a field, parameter or instance. Raises EvaluationError where it has none."""

    def placed(self, name: str | None, at: int | None) -> PlacedField:
        """Return the position of a field, its element ``at``, or this record. Raises EvaluationError where it is not known."""


class NamedScope:
    """A `Scope` whose names can also be accessed as attributes, from expressions of other records."""

    __slots__ = ()

    def get(self, name: str) -> Any:
        """As `Scope.get`."""
        raise NotImplementedError

    def scope_attribute(self, name: str) -> Any:
        """Return the value of a field, a parameter, an instance or a special name."""
        return getattr(self, _SPECIAL[name]) if name in _SPECIAL else self.get(name)


_SPECIAL = {"_root": "root", "_parent": "parent", "_io": "io"}


class PlacedField(Protocol):
    """The position of a field in a stream, ``start`` and ``stop`` in bits."""

    start: int
    stop: int
    stream: object

    def bytes(self, start: int, stop: int) -> bytes:
        """Return the bytes of the stream that contain these bits."""


ExpressionFunction = Callable[[Any], Any]

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_DIGITS = re.compile(r"[+-]?[0-9a-zA-Z]{1,2000}")  # `int` alone would take underscores, blanks and the digits of any script
_FAILURES = (TypeError, ValueError, ZeroDivisionError, IndexError, OverflowError, AttributeError, LookupError)


def compile_expression(expression: Expression) -> ExpressionFunction:
    """Return an expression as a function of a scope. The function raises EvaluationError where the expression has no value.

    >>> from bridgespec.spec.kaitai.expr.parse import parse
    >>> compile_expression(parse("7 / 2 + 'ab'.length * 10"))(None)
    23
    >>> compile_expression(parse("1 / 0"))(None)
    Traceback (most recent call last):
    bridgespec.spec.kaitai.expr.evaluator.EvaluationError: '1 / 0': integer division or modulo by zero
    """
    if isinstance(expression.tree, LiteralExpression):
        value = expression.tree.value
        return lambda scope: value
    inner = compile_tree(expression.tree)
    source = expression.shown

    def evaluate(scope: Any) -> Any:
        try:
            return inner(scope)
        except _FAILURES as error:
            raise EvaluationError(f"'{source}': {error}") from None
        except RecursionError:
            raise EvaluationError(f"'{source}': it depends on itself, or is nested too deeply") from None

    return evaluate


def compile_optional(expression: Expression | None) -> ExpressionFunction | None:
    """Return the result of `compile_expression`; None for None."""
    return None if expression is None else compile_expression(expression)


def compile_tree(tree: Tree) -> ExpressionFunction:
    """Return a tree as a function of a scope; the function may raise any error of Python's operators."""
    return _CLOSURES.visit(tree)


class _Closures(Visitor[ExpressionFunction]):
    """Compiles a tree to a closure that calls the closures of the nodes below it."""

    def visit_literal(self, tree: LiteralExpression | Member | SizeOf) -> ExpressionFunction:
        value = tree.value
        return lambda scope: value

    visit_member = visit_sizeof = visit_literal

    def visit_name(self, tree: Name) -> ExpressionFunction:
        name = tree.id
        return _NAMES.get(name) or (lambda scope: scope.get(name))

    def visit_attribute(self, tree: Attribute) -> ExpressionFunction:
        return _attribute(self.visit(tree.of), tree.name)

    def visit_call(self, tree: CallExpression) -> ExpressionFunction:
        assert isinstance(tree.of, Attribute)  # the checker makes `Fold`, `Function` and `Bytes` of other calls
        return _method(self.visit(tree.of.of), tree.of.name, [self.visit(arg) for arg in tree.args])

    def visit_index(self, tree: Index) -> ExpressionFunction:
        return _index(self.visit(tree.of), self.visit(tree.at))

    def visit_cast(self, tree: Cast) -> ExpressionFunction:
        return self.visit(tree.of)

    def visit_array(self, tree: Array) -> ExpressionFunction:
        items = [self.visit(item) for item in tree.items]
        if tree.is_bytes:
            return lambda scope: bytes(item(scope) & 0xFF for item in items)
        return lambda scope: [item(scope) for item in items]

    def visit_format(self, tree: FormatExpression) -> ExpressionFunction:
        parts = [part if isinstance(part, str) else self.visit(part) for part in tree.parts]
        return lambda scope: "".join(part if isinstance(part, str) else _text(part(scope)) for part in parts)

    def visit_unary(self, tree: Unary) -> ExpressionFunction:
        return _unary(tree.op, self.visit(tree.of))

    def visit_binary(self, tree: BinaryExpression) -> ExpressionFunction:
        apply, left, right = _ARITHMETIC[tree.op], self.visit(tree.left), self.visit(tree.right)
        return lambda scope: apply(left(scope), right(scope))

    def visit_compare(self, tree: Compare) -> ExpressionFunction:
        compare, left, right = _COMPARE[tree.op], self.visit(tree.left), self.visit(tree.right)
        return lambda scope: compare(left(scope), right(scope))

    def visit_logic(self, tree: Logic) -> ExpressionFunction:
        tests = [self.visit(item) for item in tree.items]
        stop = tree.op == "or"
        return lambda scope: stop if any(bool(test(scope)) is stop for test in tests) else not stop

    def visit_ternary(self, tree: Ternary) -> ExpressionFunction:
        test, then, other = self.visit(tree.test), self.visit(tree.then), self.visit(tree.other)
        return lambda scope: then(scope) if test(scope) else other(scope)

    def visit_fold(self, tree: Fold) -> ExpressionFunction:
        return _fold(tree.name, self.visit(tree.of), self.visit(tree.each) if tree.each is not None else None)

    def visit_function(self, tree: Function) -> ExpressionFunction:
        return _function(tree.name, [self.visit(arg) for arg in tree.args])

    def visit_measure(self, tree: Measure) -> ExpressionFunction:
        return _measure(_spot(tree.of), tree.what)

    def visit_bytes(self, tree: Bytes) -> ExpressionFunction:
        return _bytes(_spot(tree.first), _spot(tree.last))

    def refuse(self, tree: Tree) -> ExpressionFunction:
        raise EvaluationError("this cannot be evaluated")


_CLOSURES = _Closures()
_NAMES: dict[str, ExpressionFunction] = {
    "_": lambda scope: scope.it,
    "_index": lambda scope: scope.index,
    "_root": lambda scope: scope.root,
    "_parent": lambda scope: scope.parent,
    "_io": lambda scope: scope.io,
}


def _index(of: ExpressionFunction, at: ExpressionFunction) -> ExpressionFunction:
    def evaluate(scope: Any) -> Any:
        values, index = of(scope), at(scope)
        if index < 0:
            raise IndexError(f"index {index} is negative")  # Python would count from the end
        return values[index]

    return evaluate


def _text(value: Any) -> str:
    """Return the text of a value for an f-string or ``to_s``; ValueError for a value without a text."""
    # Python's text of a record or a list differs between readers, and between runs.
    if value is not None and not isinstance(value, str | int | float | bytes):
        raise ValueError("a record or a list has no text")
    return str(value)


def _unary(op: str, of: ExpressionFunction) -> ExpressionFunction:
    match op:
        case "not":
            return lambda scope: not of(scope)
        case "~":
            return lambda scope: ~int(of(scope))
        case "-":
            return lambda scope: -of(scope)
    return of


def _add(a: Any, b: Any) -> Any:
    if isinstance(a, str | bytes) and len(a) + len(b) > MAX_TEXT:
        raise ValueError("the text grows too long")
    return a + b


def _multiply(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > MAX_BITS:
        raise ValueError("the number grows too large")
    return a * b


def _divide(a: Any, b: Any) -> Any:
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


def _shift_left(a: int, b: int) -> int:
    if b > MAX_BITS or a.bit_length() + b > MAX_BITS:
        raise ValueError("the number grows too large")
    return a << b


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": _add,
    "-": operator.sub,
    "*": _multiply,
    "/": _divide,
    "%": operator.mod,
    "<<": _shift_left,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


# --- folds, and positions of fields ---------------------------------------------------------------------------------------


class _NoRecord:
    """A scope with only ``_`` and ``_index``, for expressions outside of records."""

    it: Any = None
    index: Any = None


def _fold(name: str, of: ExpressionFunction, each: ExpressionFunction | None) -> ExpressionFunction:
    apply = FOLDS[name].apply

    def evaluate(scope: Any) -> Any:
        values = of(scope)
        # By index: iterating over an array that is being written yields only the elements written so far.
        items = values if isinstance(values, bytes) else [values[index] for index in range(len(values))]
        if each is None:
            return apply(items)
        inside = scope if scope is not None else _NoRecord()
        outer = (inside.it, inside.index)
        found = []
        try:
            for inside.index, inside.it in enumerate(items):
                found.append(each(inside))
        finally:
            inside.it, inside.index = outer
        return apply(found)

    return evaluate


def _function(name: str, args: list[ExpressionFunction]) -> ExpressionFunction:
    apply = FUNCTIONS[name].apply
    return lambda scope: apply(*(_bytes_of_list(arg(scope)) for arg in args))


def _bytes_of_list(value: Any) -> Any:
    """Return a list of byte values as bytes, any other value unchanged."""
    return bytes(value) if isinstance(value, list) else value


def _spot(spot: SpotExpression) -> Callable[[Any], PlacedField]:
    """Return a function of a scope that returns the position. It raises EvaluationError for a field that was not read."""
    owner = compile_tree(spot.owner) if spot.owner is not None else None
    at = compile_tree(spot.at) if spot.at is not None else None
    name = "_io" if spot.stream else spot.name

    def evaluate(scope: Any) -> PlacedField:
        frame = scope if owner is None else owner(scope)
        if not hasattr(frame, "placed"):
            raise EvaluationError("a field that is absent, or could not be read, has no place")
        index = at(scope) if at is not None else None
        if index is not None and index < 0:
            raise IndexError(f"index {index} is negative")
        found: PlacedField = frame.placed(name, index)
        return found

    return evaluate


def _measure(spot: Callable[[Any], PlacedField], what: str) -> ExpressionFunction:
    if what == "offset":
        return lambda scope: spot(scope).start // 8

    def size(scope: Any) -> int:
        placed = spot(scope)
        return (placed.stop - placed.start + 7) // 8

    return size


def _bytes(first: Callable[[Any], PlacedField], last: Callable[[Any], PlacedField]) -> ExpressionFunction:
    def evaluate(scope: Any) -> bytes:
        begin, end = first(scope), last(scope)
        if begin.stream is not end.stream:
            raise ValueError("the first and the last field of a span stand in different streams")
        if end.stop < begin.start:
            raise ValueError("the last field of a span stands before the first")
        return begin.bytes(begin.start, end.stop)

    return evaluate


# --- attributes and methods of values ------------------------------------------------------------------------------------


def _attribute(of: ExpressionFunction, name: str) -> ExpressionFunction:
    def evaluate(scope: Any) -> Any:
        value = of(scope)
        if value is None:
            raise EvaluationError(f"'{name}' of a field that is absent")
        if hasattr(value, "scope_attribute"):
            return value.scope_attribute(name)
        return value_attribute(value, name)

    return evaluate


def value_attribute(value: Any, name: str) -> Any:
    """Return an attribute of a value that is no record: ``length`` of a text, ``first`` of a list.

    >>> value_attribute("abc", "reverse"), value_attribute([3, 1], "min"), value_attribute("-12", "to_i")
    ('cba', 1, -12)
    """
    if name not in _ATTRIBUTES:
        raise EvaluationError(f"no value has '{name}'")
    return _ATTRIBUTES[name](value)


def _method(of: ExpressionFunction, name: str, args: list[ExpressionFunction]) -> ExpressionFunction:
    if not args:
        return _attribute(of, name)

    def evaluate(scope: Any) -> Any:
        value = of(scope)
        given = [arg(scope) for arg in args]
        match name:
            case "to_i":
                return _to_integer(value, given[0])
            case "to_s":
                return decode(bytes(value), given[0])
            case "substring":
                start, end = given
                if not 0 <= start <= end <= len(value):
                    raise IndexError(f"substring({start}, {end}) of {len(value)} characters")
                return value[start:end]
        raise EvaluationError(f"no value has a method '{name}'")

    return evaluate


def _to_integer(text: str, base: int) -> int:
    if not _DIGITS.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a number")
    return int(text, base)


_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "to_i": lambda value: _to_integer(value, 10) if isinstance(value, str) else int(value),
    "to_s": _text,
    "length": len,
    "size": len,
    "reverse": lambda value: value[::-1],
    "first": operator.itemgetter(0),
    "last": operator.itemgetter(-1),
    "min": min,
    "max": max,
}


def decode(data: bytes, encoding: str) -> str:
    """Return bytes as text in one of Kaitai's encodings; ValueError where they are not valid."""
    codec = python_encoding(encoding)
    if codec is None:
        raise ValueError(f"encoding {encoding!r} is unknown")
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise ValueError(undecodable(error, repr(encoding))) from None
