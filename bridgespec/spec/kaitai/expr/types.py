"""The types of values in expressions (`ValueType`), and which of them can be compared, combined and passed."""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.errors import BridgespecError
from bridgespec.spec.ir import Field, FieldType, Primitive, RecordType, SwitchType
from bridgespec.spec.primitive import primitive_type


class ExpressionTypeError(BridgespecError):
    """Raised where the types in an expression do not fit; ``help`` is a suggestion, or None."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type of the expression language. ``kind`` is ``int``, ``array``, ``struct`` and the like; ``name`` is that of an enum or a
    record, ``of`` the type of an array's elements.
    """

    kind: str
    name: str | None = None
    of: ValueType | None = None

    def __str__(self) -> str:
        match self.kind:
            case "array":
                return f"a list of {self.of}"
            case "enum":
                return f"enum {self.name}"
            case "struct":
                return f"type {self.name}" if self.name else "some type"
        return {"int": "an integer", "byte": "an integer", "bool": "a boolean", "str": "text", "io": "a stream"}.get(
            self.kind, self.kind
        )


INT, BYTE, FLOAT, BOOL = ValueType("int"), ValueType("byte"), ValueType("float"), ValueType("bool")
STR, BYTES, IO, ANY, STRUCT = ValueType("str"), ValueType("bytes"), ValueType("io"), ValueType("any"), ValueType("struct")

INTEGERS = ("int", "byte", "any")
NUMBERS = ("int", "byte", "float", "any")
TEXTS = ("str", "any")
BOOLEANS = ("bool", "any")

METHODS: dict[str, dict[str, ValueType]] = {
    "str": {"length": INT, "reverse": STR, "to_i": INT, "substring": STR},
    "bytes": {"length": INT, "size": INT, "to_s": STR, "first": BYTE, "last": BYTE, "min": BYTE, "max": BYTE},
    "int": {"to_s": STR, "to_i": INT},
    "byte": {"to_s": STR, "to_i": INT},
    "float": {"to_i": INT, "to_s": STR},
    "bool": {"to_i": INT},
    "enum": {"to_i": INT},
    "io": {"eof": BOOL, "pos": INT, "size": INT},
    "array": {"size": INT, "length": INT, "first": ANY, "last": ANY, "min": ANY, "max": ANY},
}
"""The attributes and methods of values with their types, by kind; for ``first``, ``last``, ``min`` and ``max`` of an array the
checker has the type of its elements.
"""

_NAMED = {"str": STR, "strz": STR, "bytes": BYTES, "bool": BOOL, "io": IO, "any": ANY, "struct": STRUCT}


def array_of(item: ValueType) -> ValueType:
    """Return the type of a list whose elements have the type ``item``."""
    return ValueType("array", None, item)


def primitive(name: str) -> ValueType | None:
    """Return the type of a built-in type name; None where it is not built in.

    >>> primitive("u4le"), primitive("s1"), primitive("b1"), primitive("f8").kind, primitive("board")
    (ValueType(kind='int', name=None, of=None), ValueType(kind='byte', name=None, of=None), \
ValueType(kind='bool', name=None, of=None), 'float', None)
    """
    if name in _NAMED:
        return _NAMED[name]
    found = primitive_type(name)
    return ValueType(found.value) if found is not None else None


def of_field_type(type_: FieldType, enum: str | None) -> ValueType:
    """Return the type of a single value of a field."""
    match type_:
        case SwitchType():
            found: ValueType | None = None
            for _, case in type_.cases:
                kind = of_field_type(case, enum)
                # Cases whose types cannot be unified: only operations on values of any type are allowed.
                found = kind if found is None else unify(found, kind) or ANY
            return found or ANY
        case Primitive():
            return ValueType("enum", enum) if enum is not None and type_.range is not None else ValueType(type_.value)
        case RecordType():
            return ValueType("struct", type_.target)


def of_field(field: Field) -> ValueType:
    """Return the type of a field: a list type if it repeats."""
    one = of_field_type(field.type, field.enum)
    return array_of(one) if field.repeat is not None else one


def unify(a: ValueType, b: ValueType) -> ValueType | None:
    """Return the type that includes the values of both types; None where there is none."""
    if a == b:
        return a
    if "any" in (a.kind, b.kind):
        return ANY
    if a.kind in NUMBERS and b.kind in NUMBERS:
        return FLOAT if "float" in (a.kind, b.kind) else INT
    if a.kind == b.kind == "struct":
        return STRUCT
    if a.kind == b.kind == "array" and a.of and b.of:
        item = unify(a.of, b.of)
        return array_of(item) if item else None
    return None


def check_comparable(a: ValueType, b: ValueType, op: str) -> None:
    """Raise ExpressionTypeError where values of the two types cannot be compared with ``op``."""
    ordering = op not in ("==", "!=")
    if a.kind == "enum" and b.kind == "enum" and ordering:
        raise ExpressionTypeError(f"{op} cannot compare codes of enums; compare their .to_i")
    same = (a.kind == b.kind and a.kind in ("str", "bytes")) or (a.kind == b.kind == "bool" and not ordering)
    enums = a.kind == b.kind == "enum" and a.name == b.name
    # `any` is also the type of an expression with an error, which must not cause a second one.
    if same or enums or "any" in (a.kind, b.kind) or (a.kind in NUMBERS and b.kind in NUMBERS):
        return
    raise ExpressionTypeError(f"{a} cannot be compared with {b}")


def fits(given: ValueType, wanted: ValueType) -> bool:
    """Whether a value of one type can be passed where another is required."""
    if "any" in (given.kind, wanted.kind) or given == wanted:
        return True
    if wanted.kind in ("int", "byte") and given.kind in ("int", "byte"):
        return True
    if wanted.kind == "float":
        return given.kind in NUMBERS
    if wanted.kind == given.kind == "struct":
        return wanted.name is None or given.name is None
    if wanted.kind == given.kind == "array" and wanted.of and given.of:
        return fits(given.of, wanted.of)
    return wanted.kind == "bytes" and given.kind == "array"
