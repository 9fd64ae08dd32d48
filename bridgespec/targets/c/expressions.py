"""Expressions of a schema in C, each with the bounds of its values, so that none leaves 64 bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.expr.tree import (
    Attribute,
    BinaryExpression,
    Compare,
    LiteralExpression,
    Logic,
    Member,
    Name,
    Ternary,
    Tree,
    Unary,
)
from bridgespec.spec.place import SchemaPlace
from bridgespec.targets.refused import NotExpressible

FORM = "C"
_MOST, _LEAST = (1 << 63) - 1, -(1 << 63)


class CValue(NamedTuple):
    """An expression in C, and the least and the greatest value that it can have."""

    text: str
    low: int
    high: int


@dataclass(frozen=True)
class CPrinter:
    """Prints expressions over the whole numbers of a record."""

    spec: Spec
    names: Mapping[str, CValue]
    sizes: Mapping[str, CValue]
    place: SchemaPlace
    source: str

    def refuse(self, what: str) -> NotExpressible:
        return NotExpressible(f"{what} in {self.source!r}", self.place, FORM)

    def value(self, tree: Tree) -> CValue:
        found = self._value(tree)
        if found.low < _LEAST or found.high > _MOST:
            raise self.refuse("a number of more than 64 bits")
        return found

    def _value(self, tree: Tree) -> CValue:
        match tree:
            case LiteralExpression(value=bool() as flag):
                return CValue(str(int(flag)), int(flag), int(flag))
            case LiteralExpression(value=int() as number):
                return CValue(f"INT64_C({number})" if number >= 0 else f"(-INT64_C({-number}))", number, number)
            case Member():
                number = self._member(tree)
                return CValue(f"INT64_C({number})" if number >= 0 else f"(-INT64_C({-number}))", number, number)
            case Name(id=name) if name in self.names:
                return self.names[name]
            case Attribute(of=Name(id=name), name="size" | "length") if name in self.sizes:
                return self.sizes[name]
            case Attribute(of=of, name="to_i"):
                return self.value(of)
            case Unary(op="not", of=of):
                return CValue(f"(!{self.value(of).text})", 0, 1)
            case Unary(op="-", of=of):
                inner = self.value(of)
                return CValue(f"(-{inner.text})", -inner.high, -inner.low)
            case Compare(op=op, left=left, right=right):
                return CValue(f"({self.value(left).text} {op} {self.value(right).text})", 0, 1)
            case Logic(op=op, items=items):
                sign = " && " if op == "and" else " || "
                return CValue("(" + sign.join(self.value(item).text for item in items) + ")", 0, 1)
            case Ternary(test=test, then=then, other=other):
                one, two = self.value(then), self.value(other)
                return CValue(
                    f"({self.value(test).text} ? {one.text} : {two.text})", min(one.low, two.low), max(one.high, two.high)
                )
            case BinaryExpression(op=op, left=left, right=right):
                return self._binary(op, self.value(left), self.value(right))
            case _:
                raise self.refuse("what is no whole number of the record")

    def _binary(self, op: str, a: CValue, b: CValue) -> CValue:
        text = f"({a.text} {op} {b.text})"
        if op in "+-*":
            ends = [one + two if op == "+" else one - two if op == "-" else one * two for one in a[1:] for two in b[1:]]
            return CValue(text, min(ends), max(ends))
        if op in ("&", "|", "^") and a.low >= 0 and b.low >= 0:
            top = (1 << max(a.high.bit_length(), b.high.bit_length())) - 1
            return CValue(text, 0, min(a.high, b.high) if op == "&" else top)
        if op in ("/", "%") and b.low > 0:
            name = "divided" if op == "/" else "rest"
            ends = [one // two for one in a[1:] for two in b[1:]] if op == "/" else [0, b.high - 1]
            return CValue(f"{name}({a.text}, {b.text})", min(ends), max(ends))
        if op in ("<<", ">>") and b.low == b.high and 0 <= b.low < 63 and a.low >= 0:
            ends = [one << b.low if op == "<<" else one >> b.low for one in a[1:]]
            return CValue(text, *ends)
        raise self.refuse(f"the operation {op} of values that may be negative or too large")

    def _member(self, member: Member) -> int:
        if member.value is not None:
            return member.value
        *path, name = member.path
        for key, enum in self.spec.enums.items():
            if key.split("::")[-len(path) :] == path:
                for code, entry in enum.members.items():
                    if entry.name == name:
                        return code
        raise self.refuse(f"the member {name}")
