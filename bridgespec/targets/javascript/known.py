"""Properties of a value that a schema determines (`Js`): its type, whether it is always present, and the bounds of an integer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bridgespec.spec.ir import (
    BitsType,
    BytesType,
    Field,
    FieldType,
    FloatType,
    IntType,
    RecordType,
    Repeat,
    StringType,
)
from bridgespec.spec.kaitai.expr import types as t
from bridgespec.spec.kaitai.expr.types import ValueType
from bridgespec.targets.javascript.source import SAFE, integer, quoted, real

ATOM, UNARY, POWER, TIMES, PLUS, SHIFT, ORDER, EQUAL, AND, XOR, OR, BOTH, EITHER, CHOICE = range(20, 6, -1)
"""The precedences of operators, the tightest first."""


@dataclass(frozen=True)
class Js:
    """A translated expression: its JavaScript source, its precedence, and the properties of its value.

    ``sure``: the value always has the type ``kind``, and is never absent. ``low`` and ``high`` are the least and the greatest value
    of an integer, None where unknown. ``fails``: the evaluation may raise an error, which must be reported with the whole
    expression. ``cells``: the value is a list whose elements are all sure.
    """

    text: str
    level: int = ATOM
    kind: ValueType = t.ANY
    sure: bool = False
    low: int | None = None
    high: int | None = None
    fails: bool = False
    cells: bool = False
    literal: bool = False

    def at(self, level: int) -> str:
        """Return the source, in parentheses where its precedence is lower than ``level``."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def small(self) -> bool:
        """Whether the value is always an integer that a JavaScript number represents exactly."""
        return self.within(-SAFE, SAFE)

    def within(self, low: int, high: int) -> bool:
        """Whether the value is always an integer from ``low`` to ``high``, both included."""
        return self.sure and self.low is not None and self.high is not None and low <= self.low and self.high <= high


def known(each: Field) -> Js:
    """Return the properties of a field's value, an array included, without a source."""
    one = of_type(each.type)
    # A lenient code may mean any number, also one that does not fit into the field.
    if each.binding.lenient and isinstance(each.type, IntType | BitsType):
        one = replace(one, low=None, high=None)
    if each.condition is not None:
        return replace(one, sure=isinstance(each.type, RecordType))
    if each.repeat is None:
        return one
    cells = is_packed(each)
    return Js("", ATOM, t.ANY, True, one.low if cells else None, one.high if cells else None, cells=cells)


def is_packed(each: Field) -> bool:
    """Whether a field is an array of unsigned integers of equal size, which a reader decodes in one step."""
    kind = each.type
    if each.repeat is not Repeat.EXPR or each.binding.lenient or each.binding.end is not None:
        return False
    return not kind.boolean if isinstance(kind, BitsType) else isinstance(kind, IntType) and kind.size == 1 and not kind.signed


def of_field(each: Field) -> Js:
    """Return the properties of a single value of a field, with the source ``here.it``, by which constraints refer to it."""
    return replace(of_type(each.type), text="here.it", kind=t.of_field_type(each.type, each.enum))


def of_instance(value: Js, enum: str | None) -> Js:
    """Return the properties of an instance's value, with the source ``here.it``, by which constraints refer to it."""
    it = replace(value, text="here.it", level=ATOM, fails=False, literal=False)
    return it if enum is None else replace(it, kind=ValueType("enum", enum))


def of_type(kind: FieldType) -> Js:
    """Return the properties of a single value of a type, without a source."""
    match kind:
        case IntType(size=size, signed=signed):
            bits = 8 * size
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            return Js("", ATOM, t.INT, True, low, high)
        case BitsType(boolean=True):
            return Js("", ATOM, t.BOOL, True)
        case BitsType(bits=bits):
            return Js("", ATOM, t.INT, True, 0, (1 << bits) - 1)
        case FloatType():
            return Js("", ATOM, t.FLOAT, True)
        case StringType():
            return Js("", ATOM, t.STR, True)
        case BytesType():
            return Js("", ATOM, t.BYTES, True)
        case RecordType(target=target):
            return Js("", ATOM, ValueType("struct", target), True)
    return Js("", ATOM, t.ANY)


def literal_of(value: object) -> Js:
    """Return a constant, with its source; ``null`` for any other object than a number, a text, bytes or a boolean."""
    match value:
        case bool():
            return Js("true" if value else "false", ATOM, t.BOOL, True, literal=True)
        case int():
            return Js(integer(value), ATOM, t.INT, True, value, value, literal=True)
        case float():
            return Js(real(value), ATOM, t.FLOAT, True, literal=True)
        case str():
            return Js(quoted(value), ATOM, t.STR, True, literal=True)
        case bytes():
            return Js(f"bytesOf({', '.join(map(str, value))})", ATOM, t.BYTES, True, 0, 255)
    return Js("null", ATOM, t.ANY, False)
