"""Translate expressions of a schema to C: `CPrinter` returns the C source with the bounds of the value, and refuses an expression
that may exceed 64 bits.
"""

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
    Visitor,
)
from bridgespec.spec.place import SchemaPlace
from bridgespec.targets.refused import NotExpressible

FORM = "C"
"""The name of the target in messages of `NotExpressible`."""
_MOST, _LEAST = (1 << 63) - 1, -(1 << 63)


class CValue(NamedTuple):
    """An expression in C with the least and the greatest value that it can have."""

    text: str
    low: int
    high: int


@dataclass(frozen=True)
class CPrinter(Visitor[CValue]):
    """Translates one expression, with the text ``source`` at ``place`` of the schema, to C. ``names`` are the C values of the
    fields that it can refer to, ``sizes`` those of the lengths of lists. Raises `NotExpressible` for anything else.
    """

    spec: Spec
    names: Mapping[str, CValue]
    sizes: Mapping[str, CValue]
    place: SchemaPlace
    source: str

    def refused(self, what: str) -> NotExpressible:
        """Return the error for a part of an expression that cannot be translated to C."""
        return NotExpressible(f"{what} in {self.source!r}", self.place, FORM)

    def refuse(self, tree: Tree) -> CValue:
        raise self.refused("what is no whole number of the record")

    def visit(self, tree: Tree) -> CValue:
        found = super().visit(tree)
        # Overflow of signed integers is undefined in C: what might overflow is refused.
        if found.low < _LEAST or found.high > _MOST:
            raise self.refused("a number of more than 64 bits")
        return found

    def visit_literal(self, tree: LiteralExpression) -> CValue:
        match tree.value:
            case bool() as flag:
                return CValue(str(int(flag)), int(flag), int(flag))
            case int() as number:
                return _number(number)
        return self.refuse(tree)

    def visit_name(self, tree: Name) -> CValue:
        return self.names[tree.id] if tree.id in self.names else self.refuse(tree)

    def visit_attribute(self, tree: Attribute) -> CValue:
        match tree:
            case Attribute(of=Name(id=name), name="size" | "length") if name in self.sizes:
                return self.sizes[name]
            case Attribute(of=of, name="to_i"):
                return self.visit(of)
        return self.refuse(tree)

    def visit_unary(self, tree: Unary) -> CValue:
        if tree.op not in ("not", "-"):
            return self.refuse(tree)
        inner = self.visit(tree.of)
        return CValue(f"(!{inner.text})", 0, 1) if tree.op == "not" else CValue(f"(-{inner.text})", -inner.high, -inner.low)

    def visit_compare(self, tree: Compare) -> CValue:
        return CValue(f"({self.visit(tree.left).text} {tree.op} {self.visit(tree.right).text})", 0, 1)

    def visit_logic(self, tree: Logic) -> CValue:
        sign = " && " if tree.op == "and" else " || "
        return CValue("(" + sign.join(self.visit(item).text for item in tree.items) + ")", 0, 1)

    def visit_ternary(self, tree: Ternary) -> CValue:
        test, one, two = self.visit(tree.test), self.visit(tree.then), self.visit(tree.other)
        return CValue(f"({test.text} ? {one.text} : {two.text})", min(one.low, two.low), max(one.high, two.high))

    def visit_binary(self, tree: BinaryExpression) -> CValue:
        op, a, b = tree.op, self.visit(tree.left), self.visit(tree.right)
        bounds = _bounds(op, a, b)
        if bounds is None:
            raise self.refused(f"the operation {op} of values that may be negative or too large")
        if op in ("/", "%"):
            # C truncates quotients towards zero; the helpers round down as the reference codec does.
            return CValue(f"{'divided' if op == '/' else 'rest'}({a.text}, {b.text})", *bounds)
        return CValue(f"({a.text} {op} {b.text})", *bounds)

    def visit_member(self, member: Member) -> CValue:
        if member.value is not None:
            return _number(member.value)
        *path, name = member.path
        for key, enum in self.spec.enums.items():
            if key.split("::")[-len(path) :] == path:
                for code, entry in enum.members.items():
                    if entry.name == name:
                        return _number(code)
        raise self.refused(f"the member {name}")


def _bounds(op: str, a: CValue, b: CValue) -> tuple[int, int] | None:
    """Return the least and the greatest result of an operator; None where C may not give the result of the reference codec."""
    match op:
        case "+":
            return a.low + b.low, a.high + b.high
        case "-":
            return a.low - b.high, a.high - b.low
        case "*":
            ends = [one * two for one in (a.low, a.high) for two in (b.low, b.high)]
            return min(ends), max(ends)
        case "/" if b.low > 0:
            ends = [one // two for one in (a.low, a.high) for two in (b.low, b.high)]
            return min(ends), max(ends)
        case "%" if b.low > 0:
            return 0, b.high - 1
        case "&" if a.low >= 0 and b.low >= 0:
            return 0, min(a.high, b.high)
        case "|" | "^" if a.low >= 0 and b.low >= 0:
            return 0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1
        case "<<" if _is_shiftable(a, b):
            return a.low << b.low, a.high << b.low
        case ">>" if _is_shiftable(a, b):
            return a.low >> b.low, a.high >> b.low
    return None


def _is_shiftable(a: CValue, b: CValue) -> bool:
    """Whether C defines the shift of a value by another: that of a negative number, or by 63 bits or more, it does not."""
    return b.low == b.high and 0 <= b.low < 63 and a.low >= 0


def _number(number: int) -> CValue:
    """Return a constant in C."""
    # C has no negative literals: the minus is an operator, so that the number is in parentheses.
    return CValue(f"INT64_C({number})" if number >= 0 else f"(-INT64_C({-number}))", number, number)
