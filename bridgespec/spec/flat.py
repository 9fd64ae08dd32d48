"""Convert a compiled schema to JSON data, by `flat`, and back, by `from_flat`.

A schema consists of plain values and of value classes of this package. Dataclasses, named tuples and enums are written as the
name of their class and the values of their fields; the data contain no code, and only value classes of this package are
instantiated from them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from enum import Enum
from importlib import import_module
from types import MappingProxyType
from typing import Any

from bridgespec.spec.grammar.possessive import compile_regex

_OURS = f"{__name__.partition('.')[0]}."


class NotStorable(Exception):
    """Raised for a value that cannot be cached: an object that is neither plain data nor a dataclass of this package."""


def flat(value: object) -> Any:
    """Return a value as JSON data: a list of the classes in it, and the value. Raises NotStorable for other classes."""
    return _FlatWriter().top(value)


def from_flat(data: Any) -> Any:
    """Return the value that `flat` converted to these data. Raises ValueError, KeyError, TypeError or the like for any other
    data.

    >>> from bridgespec.spec.place import SchemaPlace
    >>> from_flat(flat({"places": (SchemaPlace("a.ksy", 1, 2), b"\\x00", frozenset({1}))}))
    {'places': (SchemaPlace(file='a.ksy', line=1, column=2, offset=0, length=0), b'\\x00', frozenset({1}))}
    """
    classes, value = data
    return _FlatReader([(_class(name), fields) for name, fields in classes]).value(value)


class _FlatWriter:
    """Converts one value to JSON data, in which instances refer to their class by its index. Made by `flat` for each call."""

    def __init__(self) -> None:
        self.classes: dict[type, int] = {}
        self.fields: list[list[str]] = []

    def top(self, value: object) -> list[Any]:
        """Return the data of a value: each class as ``module:name`` with its fields, then the value."""
        written = self.value(value)
        names = [f"{cls.__module__}:{cls.__qualname__}" for cls in self.classes]
        return [list(map(list, zip(names, self.fields, strict=True))), written]

    def value(self, value: object) -> Any:
        """Return plain values unchanged, all others as a list of a tag, or the index of their class, and their parts."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if kind in (tuple, list, frozenset, set) and isinstance(value, tuple | list | frozenset | set):
            # Sets have another order in each process: two builds must give the same bytes.
            items = sorted(value, key=repr) if isinstance(value, frozenset | set) else value
            return [kind.__name__, *map(self.value, items)]
        if isinstance(value, dict | MappingProxyType):
            return ["dict", *(self.value(part) for pair in value.items() for part in pair)]
        if isinstance(value, bytes):
            return ["bytes", value.decode("latin-1")]
        if isinstance(value, re.Pattern):
            return ["re", value.pattern, value.flags]
        if isinstance(value, Enum):
            return ["enum", self.class_index(kind, ()), value.name]
        if dataclasses.is_dataclass(value):
            fields = tuple(field.name for field in dataclasses.fields(value) if field.init)
            return [self.class_index(kind, fields), *(self.value(getattr(value, name)) for name in fields)]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return [self.class_index(kind, value._fields), *map(self.value, value)]
        raise NotStorable(f"{kind.__module__}.{kind.__qualname__}")

    def class_index(self, kind: type, fields: tuple[str, ...]) -> int:
        """Return the index of a class, which is added with the names of its fields on first use."""
        if kind not in self.classes:
            # Only what `_class` accepts is written; a class inside a function cannot be imported.
            if not kind.__module__.startswith(_OURS) or "<" in kind.__qualname__:
                raise NotStorable(f"{kind.__module__}.{kind.__qualname__}")
            self.classes[kind] = len(self.classes)
            self.fields.append(list(fields))
        return self.classes[kind]


class _FlatReader:
    """Converts JSON data to values, given the classes with the names of their fields when the data were written."""

    def __init__(self, classes: list[tuple[type, Sequence[str]]]) -> None:
        self.classes = [kind for kind, _ in classes]
        for kind, fields in classes:
            # Values are given by position: another order of fields would mix them up.
            if dataclasses.is_dataclass(kind) and fields and list(fields) != [f.name for f in dataclasses.fields(kind) if f.init]:
                raise ValueError(f"{kind.__name__} has other fields now")

    def value(self, data: Any) -> Any:
        if type(data) is not list:
            return data
        tag, *rest = data
        value = self.value
        if type(tag) is int:
            return self.classes[tag](*[part if type(part) is not list else value(part) for part in rest])
        if tag == "tuple":
            return tuple([part if type(part) is not list else value(part) for part in rest])
        if tag == "dict":
            return {value(rest[i]): value(rest[i + 1]) for i in range(0, len(rest), 2)}
        if tag == "enum":
            return self.classes[rest[0]][rest[1]]  # type: ignore[index]
        if tag == "bytes":
            return str(rest[0]).encode("latin-1")
        if tag == "re":
            return compile_regex(rest[0], rest[1])
        return {"list": list, "frozenset": frozenset, "set": set}[tag](map(value, rest))


def _class(name: str) -> type:
    """Return the value class of this package with the name ``module:name``. Raises an error for any other name."""
    module, _, qualname = name.partition(":")
    # The file is data: it must not name a class of another package to be called.
    if not module.startswith(_OURS):
        raise ValueError(f"{name} is not a class of this package")
    found: Any = import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or not (dataclasses.is_dataclass(found) or issubclass(found, Enum | tuple)):
        raise ValueError(f"{name} is not a class of values")
    return found
