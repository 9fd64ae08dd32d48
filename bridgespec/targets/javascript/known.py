"""Translated expressions (`Js`), with the properties of their values that a schema determines: the type, whether a value is always
present, and the bounds of an integer.

`known`, `of_field` and `of_type` return the properties by the schema's declarations. `binary` and `comparison` return the result of
an operator: JavaScript's own where its result is that of the reference evaluator, else a call of a helper.
"""

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
_LEVELS = {"*": TIMES, "%": TIMES, "+": PLUS, "-": PLUS, "<<": SHIFT, ">>": SHIFT, ">>>": SHIFT, "&": AND, "^": XOR, "|": OR}
_HELPERS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo"}
_ORDERS = {"<": "less", "<=": "lessOrEqual", ">": "greater", ">=": "greaterOrEqual"}
_NUMBERS = ("int", "byte", "float", "enum")
"""The kinds of types whose values are numbers in JavaScript."""
INT32 = 2**31 - 1


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
    """Return type, presence and bounds of a field's value, which may be an array; the source in the result is empty."""
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
    """Whether a field is an array of unsigned bytes, or of bit integers, with a given number of elements: a reader decodes it in
    one step.
    """
    kind = each.type
    if each.repeat is not Repeat.EXPR or each.binding.lenient or each.binding.end is not None:
        return False
    return not kind.boolean if isinstance(kind, BitsType) else isinstance(kind, IntType) and kind.size == 1 and not kind.signed


def of_field(each: Field) -> Js:
    """Return the source ``here.it``, by which a field's constraint refers to a single value of the field, with the value's
    properties.
    """
    return replace(of_type(each.type), text="here.it", kind=t.of_field_type(each.type, each.enum))


def of_instance(value: Js, enum: str | None) -> Js:
    """Return the source ``here.it``, by which an instance's constraint refers to its value, with the value's properties; ``enum``
    is the name of its enum, None without one.
    """
    it = replace(value, text="here.it", level=ATOM, fails=False, literal=False)
    return it if enum is None else replace(it, kind=ValueType("enum", enum))


def of_type(kind: FieldType) -> Js:
    """Return type, presence and bounds of a single value of a type; the source in the result is empty."""
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


# --- operators ---


def binary(op: str, a: Js, b: Js, kind: ValueType) -> Js:
    """Return the result of an operator of arithmetic or of bits; ``kind`` is its type by the schema's checks."""
    if op in ("&", "|", "^"):
        return _bit_by_bit(op, a, b)
    if op in ("<<", ">>"):
        return _shift(op, a, b)
    if op == "+" and not {a.kind.kind, b.kind.kind} <= {*_NUMBERS, "any"}:
        return _concatenation(a, b, kind)
    if "float" in (a.kind.kind, b.kind.kind):
        return _float_arithmetic(op, a, b)
    return _integer_arithmetic(op, a, b, kind)


def _concatenation(a: Js, b: Js, kind: ValueType) -> Js:
    """Return two texts or two byte arrays joined, always by the helper, which bounds their length."""
    joined = Js(f"add({a.text}, {b.text})", ATOM, kind, a.sure and b.sure, fails=True)
    return replace(joined, low=0, high=255) if kind.kind == "bytes" else joined


def _float_arithmetic(op: str, a: Js, b: Js) -> Js:
    """Return the result of an operator of which at least one operand is a float."""
    # An integer that is not small may be a BigInt, with which JavaScript's operators take no float.
    if op in "+-*" and all(each.sure and (each.small or each.kind.kind == "float") for each in (a, b)):
        return _native(op, a, b, t.FLOAT, None, None)
    return Js(f"real({quoted(op)}, {a.text}, {b.text})", ATOM, t.FLOAT, True, fails=True)


def _integer_arithmetic(op: str, a: Js, b: Js, kind: ValueType) -> Js:
    """Return the result of an operator of integers, or of values of which the schema determines no type."""
    low, high = _bounds(op, a, b)
    # Beyond 2**53 numbers are not exact: the helper continues with BigInt.
    exact = a.small and b.small and low is not None and high is not None and max(-low, high) <= SAFE
    if not exact or not _is_alike(op, a, b):
        return Js(f"{_HELPERS[op]}({a.text}, {b.text})", ATOM, kind, a.sure and b.sure, low, high, fails=True)
    if op == "/":
        return Js(f"Math.floor({a.at(TIMES)} / {b.at(TIMES + 1)})", ATOM, kind, True, low, high, a.fails or b.fails)
    return _native(op, a, b, kind, low, high)


def _is_alike(op: str, a: Js, b: Js) -> bool:
    """Whether JavaScript's operator gives the result of the reference codec for two small integers; a quotient is rounded down in
    both.
    """
    match op:
        case "+" | "-":
            return True
        case "*":
            # The product of a negative number and zero would be -0.
            return a.within(0, SAFE) and b.within(0, SAFE)
        case "/" | "%":
            # For negative numbers JavaScript truncates towards zero, where the reference codec rounds down.
            return a.within(0, SAFE) and b.within(1, SAFE)
    return False


def _native(op: str, a: Js, b: Js, kind: ValueType, low: int | None, high: int | None) -> Js:
    """Return JavaScript's own operator with these operands; ``kind``, ``low`` and ``high`` are type and bounds of the result."""
    level = _LEVELS[op]
    return Js(f"{a.at(level)} {op} {b.at(level + 1)}", level, kind, True, low, high, a.fails or b.fails)


def _bounds(op: str, a: Js, b: Js) -> tuple[int | None, int | None]:
    """Return the least and the greatest result of an operator; None for both if unknown."""
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return None, None
    match op:
        case "+":
            return a.low + b.low, a.high + b.high
        case "-":
            return a.low - b.high, a.high - b.low
        case "*":
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return min(corners), max(corners)
        case "/" if b.low > 0:
            corners = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
            return min(corners), max(corners)
        case "%" if b.low > 0:
            return 0, b.high - 1
    return None, None


def _bit_by_bit(op: str, a: Js, b: Js) -> Js:
    """Return the result of ``&``, ``|`` or ``^``: JavaScript's operator where 32 bits suffice, else a call of a helper."""
    if op == "&" and a.small and b.small and (a.within(0, INT32) or b.within(0, INT32)):
        tops = [side.high for side in (a, b) if side.within(0, INT32) and side.high is not None]
        return _native(op, a, b, t.INT, 0, min(tops))
    if op in "|^" and a.within(0, INT32) and b.within(0, INT32):
        top = (1 << max(a.high or 0, b.high or 0).bit_length()) - 1
        return _native(op, a, b, t.INT, 0, top)
    return _bit_helper(op, a, b)


def _shift(op: str, a: Js, b: Js) -> Js:
    """Return the result of ``<<`` or ``>>``: JavaScript's operator or a product where this is exact, else a call of a helper."""
    if not a.sure or a.low is None or a.high is None or a.low < 0 or not b.within(0, 31):
        return _bit_helper(op, a, b)
    least, most = b.low or 0, b.high or 0
    # `>>` takes its operand for a signed number of 32 bits, `>>>` for an unsigned one.
    if op == ">>" and a.high < 2**32:
        return _native(">>" if a.high <= INT32 else ">>>", a, b, t.INT, a.low >> most, a.high >> least)
    if op == "<<" and a.high << most <= INT32:
        return _native("<<", a, b, t.INT, a.low << least, a.high << most)
    # A product is exact where a shift would be cut off at 32 bits.
    if op == "<<" and a.high << most <= SAFE:
        power = str(2**most) if least == most else f"2 ** {b.at(ATOM)}"
        return Js(f"{a.at(TIMES)} * {power}", TIMES, t.INT, True, a.low << least, a.high << most, a.fails or b.fails)
    return _bit_helper(op, a, b)


def _bit_helper(op: str, a: Js, b: Js) -> Js:
    """Return a call of the helper for operators of bits, which works for integers of any size."""
    return Js(f"bitwise({quoted(op)}, {a.text}, {b.text})", ATOM, t.INT, True, fails=True)


def comparison(op: str, a: Js, b: Js) -> Js:
    """Return the result of a comparison: JavaScript's own operator if both values are of one type, else a call of a helper."""
    fails = a.fails or b.fails
    numbers = a.sure and b.sure and a.kind.kind in _NUMBERS and b.kind.kind in _NUMBERS
    if op in ("==", "!="):
        alike = a.sure and b.sure and a.kind.kind == b.kind.kind and a.kind.kind in ("str", "bool", "enum")
        # Two numbers, but no float with an integer that may be a BigInt: these two are never identical.
        exact = numbers and ("float" not in (a.kind.kind, b.kind.kind) or (a.small and b.small))
        if alike or exact or _is_identical(a, b) or _is_identical(b, a):
            return Js(f"{a.at(EQUAL)} {op}= {b.at(EQUAL + 1)}", EQUAL, t.BOOL, True, fails=fails)
        return Js(f"{'!' if op == '!=' else ''}equal({a.text}, {b.text})", UNARY, t.BOOL, True, fails=fails)
    if numbers:
        return Js(f"{a.at(ORDER)} {op} {b.at(ORDER + 1)}", ORDER, t.BOOL, True, fails=fails)
    return Js(f"{_ORDERS[op]}({a.text}, {b.text})", ATOM, t.BOOL, True, fails=True)


def _is_identical(literal: Js, other: Js) -> bool:
    """Whether ``===`` suffices to compare a literal with a value, which has the literal's type or is absent."""
    kinds = ("int", "byte", "enum") if literal.small else (literal.kind.kind,)
    return literal.literal and literal.kind.kind in ("int", "str", "bool", "enum") and other.kind.kind in kinds
