"""Expressions over whole arrays: the part of Kaitai's expression language that bulk work can check.

Integers, comparisons, arithmetic, bit operations and choices, over fields of the same record. Anything else is `Unsupported`,
which makes the spec one that the bulk codec declines; nothing is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bridgespec.spec.ir import Enum
from bridgespec.spec.kaitai.expr.tree import (
    Array,
    Attribute,
    Binary,
    Compare,
    Expression,
    Literal,
    Logic,
    Member,
    Name,
    Ternary,
    Tree,
    Unary,
)

Value = Any
"""An integer, a truth value, bytes, or an array of the first two."""


class Unsupported(Exception):
    """The expression needs more than bulk work offers; the message is the part that does."""


_ARITHMETIC: Mapping[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
    "/": lambda a, b: a // b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}

_COMPARE: Mapping[str, Callable[[Value, Value], Value]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Arrays:
    """Evaluates expressions with ``names`` standing for arrays (or integers), ``sizes`` for the length of lists.

    >>> from bridgespec.spec.kaitai.expr.parse import parse
    >>> Arrays({"_": np.array([3, 13, 14, 15])})(parse("_ <= 13 or _ == 15"))
    array([ True,  True, False,  True])
    """

    def __init__(
        self,
        names: Mapping[str, Value],
        enums: Mapping[str, Enum] | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self.names = names
        self.enums = enums or {}
        self.sizes = sizes or {}

    def __call__(self, expression: Expression) -> Value:
        """The value; `Unsupported` names the part that has none here."""
        return self._tree(expression.tree, expression.source)

    def _tree(self, tree: Tree, source: str) -> Value:
        match tree:
            case Literal(value=bool() | int() | bytes() as value):
                return value
            case Literal(value=str() as text):
                return text.encode("latin-1", "replace")
            case Name(id=name) if name in self.names:
                return self.names[name]
            case Attribute(of=Name(id=name), name="size" | "length") if name in self.sizes:
                return self.sizes[name]
            case Member():
                return self._member(tree, source)
            case Array(items=items, is_bytes=True):
                return bytes(self._tree(item, source) for item in items)
            case Unary(op=op, of=of):
                value = self._tree(of, source)
                if op == "not":
                    return np.logical_not(value) if isinstance(value, np.ndarray) else not value
                return -value if op == "-" else ~value if op == "~" else value
            case Binary(op=op, left=left, right=right):
                a, b = self._tree(left, source), self._tree(right, source)
                if op in "/%" and (not isinstance(b, int) or b <= 0):
                    raise Unsupported(f"a division by what is no constant, in {source!r}")
                if op in ("<<", ">>") and (not isinstance(b, int) or not 0 <= b < 64):
                    raise Unsupported(f"a shift by what is no constant, in {source!r}")
                return _ARITHMETIC[op](a, b)
            case Compare(op=op, left=left, right=right):
                return _COMPARE[op](self._tree(left, source), self._tree(right, source))
            case Logic(op=op, items=items):
                values = [self._tree(item, source) for item in items]
                join = np.logical_and if op == "and" else np.logical_or
                result = values[0]
                for value in values[1:]:
                    result = join(result, value)
                return result
            case Ternary(test=test, then=then, other=other):
                return np.where(self._tree(test, source), self._tree(then, source), self._tree(other, source))
            case _:
                raise Unsupported(repr(source))

    def _member(self, member: Member, source: str) -> int:
        if member.value is not None:
            return member.value
        *path, name = member.path
        for key, enum in self.enums.items():
            if key.split("::")[-len(path) :] == path:
                for code, entry in enum.members.items():
                    if entry.name == name:
                        return code
        raise Unsupported(repr(source))


def constant(expression: Expression) -> Value:
    """The value of an expression that depends on nothing; `Unsupported` where it does.

    >>> from bridgespec.spec.kaitai.expr.parse import parse
    >>> constant(parse("4 * 13"))
    52
    """
    return Arrays({})(expression)
