"""Convert values of the model to JSON and back, and describe the JSON by a JSON Schema. `shape_of` derives all three from the type
hints of the model.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import IntEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from bridgespec.errors import WriteError

JsonValue = Any
"""A JSON value: dict, list, str, int, float, bool or None."""


class JsonProblems:
    """Collects the errors that decoding a JSON value finds, each as its path and a message. Made for each value that is decoded."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def add(self, path: str, message: str) -> None:
        """Add an error at a path such as ``boards[2].deal.north``."""
        self.found.append((path, message))


class Bad(Exception):
    """Raised for a JSON value that cannot be decoded, after the error has been added to the problems."""


class JsonShape(ABC):
    """The JSON form of one type of the model. `shape_of` makes one for each type hint."""

    @abstractmethod
    def encode(self, value: Any) -> JsonValue:
        """Return the JSON value of a value of the model."""

    @abstractmethod
    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        """Return the model's value for the JSON value at a path. Raises Bad for an invalid one, after adding its errors to the
        problems.
        """

    @abstractmethod
    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        """Return the JSON Schema of the form; the schemas of classes that it refers to are added to ``definitions``."""


def fail(path: str, problems: JsonProblems, message: str) -> Bad:
    """Add an error to the problems, and return the exception for the caller to raise."""
    problems.add(path, message)
    return Bad()


def kind_of(value: JsonValue) -> str:
    """Return the type of a JSON value for messages: ``an object``."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "something else")


@dataclasses.dataclass
class PlainShape(JsonShape):
    """Strings, numbers and booleans, which are the same in JSON; ``name`` is the type in messages."""

    type: type
    name: str

    def encode(self, value: Any) -> JsonValue:
        return value

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        # `type`, not isinstance: True is an int in Python, but no number. A float may be an int, since JSON writes 1.0 as 1.
        if type(value) is self.type or (self.type is float and type(value) is int):
            return value
        raise fail(path, problems, f"expected {self.name}, found {kind_of(value)}")

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        return {"type": {str: "string", int: "integer", float: "number", bool: "boolean"}[self.type]}


@dataclasses.dataclass
class EitherShape(JsonShape):
    """A value of one of several plain types."""

    types: tuple[type, ...]

    def encode(self, value: Any) -> JsonValue:
        # Cards and seats are subclasses of int; in JSON they are plain numbers.
        return int(value) if isinstance(value, int) and type(value) is not bool else value

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        if type(value) in self.types:
            return value
        # `kind()` is a value of the type, whose name `kind_of` returns.
        names = " or ".join(kind_of(kind()) for kind in self.types)
        raise fail(path, problems, f"expected {names}, found {kind_of(value)}")

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        return {"anyOf": [SPECIAL[kind].schema(definitions) for kind in self.types]}


@dataclasses.dataclass
class WordedShape(JsonShape):
    """Values that are written as text: ``read`` raises ValueError for an invalid one; ``about`` are further keywords of the JSON
    Schema, such as a pattern.
    """

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    about: JsonValue

    def encode(self, value: Any) -> JsonValue:
        return self.write(value)

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        if not isinstance(value, str):
            raise fail(path, problems, f"expected a string, found {kind_of(value)}")
        try:
            return self.read(value)
        except ValueError as error:
            raise fail(path, problems, str(error)) from None

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        return {"type": "string", **self.about}


@dataclasses.dataclass
class ManyShape(JsonShape):
    """Tuples: any number of items of one shape if ``open``, else one shape for each position."""

    items: tuple[JsonShape, ...]
    open: bool

    def encode(self, value: Any) -> JsonValue:
        shapes = self.items * len(value) if self.open else self.items
        return [shape.encode(item) for shape, item in zip(shapes, value, strict=True)]

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        if not isinstance(value, list):
            raise fail(path, problems, f"expected an array, found {kind_of(value)}")
        # No item is decoded then: each one after a missing item would be reported as well.
        if not self.open and len(value) != len(self.items):
            raise fail(path, problems, f"expected {len(self.items)} items, found {len(value)}")
        shapes = self.items * len(value) if self.open else self.items
        done, bad = [], False
        for index, (shape, item) in enumerate(zip(shapes, value, strict=True)):
            try:
                done.append(shape.decode(item, f"{path}[{index}]", problems))
            # Go on after an error, so that all errors of a file are reported.
            except Bad:
                bad = True
        if bad:
            raise Bad
        return tuple(done)

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        if self.open:
            return {"type": "array", "items": self.items[0].schema(definitions)}
        size = len(self.items)
        items = [shape.schema(definitions) for shape in self.items]
        # In draft 2020-12 `prefixItems` alone allows fewer items and more.
        return {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}


@dataclasses.dataclass
class Maybe(JsonShape):
    """A value or null."""

    shape: JsonShape

    def encode(self, value: Any) -> JsonValue:
        return None if value is None else self.shape.encode(value)

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        return None if value is None else self.shape.decode(value, path, problems)

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        return {"anyOf": [self.shape.schema(definitions), {"type": "null"}]}


class Object(JsonShape):
    """A dataclass as a JSON object: its fields by name, without those at their default and those with ``compare=False``, such as
    ``origin``. With a ``tag`` the object has it as ``kind``.
    """

    def __init__(self, cls: type, tag: str | None = None) -> None:
        hints = get_type_hints(cls)
        self.cls, self.tag = cls, tag
        # Fields with compare=False belong to the codec that has read the value, not to the value.
        self.fields = [field for field in dataclasses.fields(cls) if field.compare]
        self.shapes = {field.name: shape_of(hints[field.name]) for field in self.fields}

    def encode(self, value: Any) -> JsonValue:
        done: dict[str, JsonValue] = {} if self.tag is None else {"kind": self.tag}
        for field in self.fields:
            item = getattr(value, field.name)
            # Defaults are left out, since a file states few of the fields of a board.
            if _default(field) != item or _default(field) is dataclasses.MISSING:
                done[field.name] = self.shapes[field.name].encode(item)
        return done

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        if not isinstance(value, dict):
            raise fail(path, problems, f"expected an object, found {kind_of(value)}")
        done, bad = {}, False
        for key, item in value.items():
            place = f"{path}.{key}" if path else key
            if key not in self.shapes:
                # `OneOf` has read the kind of a tagged object, to select this shape.
                if key != "kind" or self.tag is None:
                    problems.add(place, f"no such name: {key!r}")
                    bad = True
            else:
                try:
                    done[key] = self.shapes[key].decode(item, place, problems)
                except Bad:
                    bad = True
        for field in self.fields:
            # A field with an invalid value is not missing: it has been reported.
            if field.name not in done and _default(field) is dataclasses.MISSING and field.name not in value:
                problems.add(path, f"{field.name!r} is missing")
                bad = True
        if bad:
            raise Bad
        try:
            return self.cls(**done)
        # The class itself checks that its fields fit together.
        except ValueError as error:
            raise fail(path, problems, str(error)) from None

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        name = self.cls.__name__
        if name not in definitions:
            # Entered before its properties are made, since a class may contain itself.
            definitions[name] = {}
            properties: dict[str, JsonValue] = {} if self.tag is None else {"kind": {"const": self.tag}}
            properties |= {field: shape.schema(definitions) for field, shape in self.shapes.items()}
            required = [field.name for field in self.fields if _default(field) is dataclasses.MISSING]
            definitions[name] = {
                "type": "object",
                "description": " ".join((self.cls.__doc__ or "").strip().partition("\n\n")[0].split()),
                "properties": properties,
                "required": (["kind"] if self.tag else []) + required,
                "additionalProperties": False,
            }
        return {"$ref": f"#/$defs/{name}"}


class OneOf(JsonShape):
    """A value of one of several dataclasses, distinguished by ``kind``, the name in lower case."""

    def __init__(self, classes: tuple[type, ...]) -> None:
        self.shapes = {cls.__name__.lower(): Object(cls, cls.__name__.lower()) for cls in classes}

    def encode(self, value: Any) -> JsonValue:
        return self.shapes[type(value).__name__.lower()].encode(value)

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        kind = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in self.shapes:
            raise fail(path, problems, f"expected an object whose kind is one of {', '.join(self.shapes)}")
        return self.shapes[kind].decode(value, path, problems)

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        return {"oneOf": [shape.schema(definitions) for shape in self.shapes.values()]}


_TAGS = ("base64", "float", "mapping")
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Anything(JsonShape):
    """Values that a file format defines and not the model, such as ``extras``: any JSON value; an object if ``mapping``.

    Values that JSON lacks are objects with exactly one key: bytes ``{"base64": ...}``, and the floats without a JSON number
    ``{"float": "nan"}``, ``inf`` and ``-inf``. A mapping that has just one of these keys is written as ``{"mapping": ...}``, so
    that it is not read as such a value.
    """

    def __init__(self, mapping: bool = False) -> None:
        self.mapping = mapping

    def encode(self, value: Any) -> JsonValue:
        # RFC 8259 has no spelling for these floats: Python would write `NaN`, which other readers refuse.
        if isinstance(value, float) and not math.isfinite(value):
            return {"float": str(value)}
        if value is None or isinstance(value, str | int | float | bool):
            return value
        if isinstance(value, bytes | bytearray):
            return {"base64": base64.b64encode(bytes(value)).decode()}
        # JSON's keys are texts.
        if isinstance(value, Mapping):
            done = {str(key): _ANYTHING.encode(item) for key, item in value.items()}
            return {"mapping": done} if not self.mapping and _is_tagged(done) else done
        if isinstance(value, tuple | list):
            return [_ANYTHING.encode(item) for item in value]
        raise WriteError(f"JSON cannot hold a value of type {type(value).__name__}")

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        if self.mapping and not isinstance(value, dict):
            raise fail(path, problems, f"expected an object, found {kind_of(value)}")
        if isinstance(value, dict):
            if not self.mapping and _is_tagged(value):
                return self._untagged(*next(iter(value.items())), path, problems)
            return {key: _ANYTHING.decode(item, f"{path}.{key}", problems) for key, item in value.items()}
        if isinstance(value, list):
            return [_ANYTHING.decode(item, f"{path}[{i}]", problems) for i, item in enumerate(value)]
        return value

    def _untagged(self, tag: str, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        """Return the value of the object ``{tag: value}``. Raises Bad where the value is not one of this tag."""
        if tag == "mapping" and isinstance(value, dict):
            return {key: _ANYTHING.decode(item, f"{path}.{tag}.{key}", problems) for key, item in value.items()}
        if tag == "float" and isinstance(value, str) and value in _NOT_FINITE:
            return _NOT_FINITE[value]
        if tag == "base64" and isinstance(value, str):
            with suppress(binascii.Error, ValueError):
                return base64.b64decode(value, validate=True)
        needed = {"base64": "base64", "float": "nan, inf or -inf", "mapping": "an object"}[tag]
        raise fail(path, problems, f"not {needed}")

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        return {"type": "object"} if self.mapping else {}


_ANYTHING = Anything()


def _is_tagged(value: Mapping[str, JsonValue]) -> bool:
    """Whether an object would be read as a value that JSON lacks."""
    return len(value) == 1 and next(iter(value)) in _TAGS


def _member(cls: type[IntEnum]) -> WordedShape:
    """Return the shape of an enumeration, whose members are written by name in lower case."""
    names = {member.name.lower().replace("_", "-"): member for member in cls}

    def read(text: str) -> IntEnum:
        if text not in names:
            raise ValueError(f"expected one of {', '.join(names)}, not {text!r}")
        return names[text]

    return WordedShape(lambda value: cls(value).name.lower().replace("_", "-"), read, {"enum": list(names)})


SPECIAL: dict[object, JsonShape] = {
    str: PlainShape(str, "a string"),
    int: PlainShape(int, "a whole number"),
    float: PlainShape(float, "a number"),
    bool: PlainShape(bool, "true or false"),
}
"""The shapes of types whose JSON form does not follow from type hints; the exporter of JSON adds those of the model on import."""


@cache
def shape_of(hint: Any) -> JsonShape:
    """Return the shape of a type hint. Raises TypeError for one that the model does not use."""
    # First, since Card, Deal and Tricks are also ints or dataclasses.
    if hint in SPECIAL:
        return SPECIAL[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        rest = tuple(arg for arg in args if arg is not NoneType)
        plain = all(arg in (str, int, float, bool) for arg in rest)
        inner = shape_of(rest[0]) if len(rest) == 1 else EitherShape(rest) if plain else OneOf(rest)
        return Maybe(inner) if NoneType in args else inner
    if origin is tuple:
        return ManyShape((shape_of(args[0]),), True) if args[-1] is Ellipsis else ManyShape(tuple(map(shape_of, args)), False)
    if hint is object or origin is Mapping:
        return Anything(origin is Mapping)
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return _member(hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return Object(hint)
    raise TypeError(f"no JSON shape for {hint!r}")


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
