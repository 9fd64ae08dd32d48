"""Read the values of words in ``//-`` comments by the JSON Schema of each word; errors are reported with their position.

`WordReader` is the entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bridgespec.diagnostic import Severity, nearest
from bridgespec.spec.grammar.keys import WORDS
from bridgespec.spec.grammar.possessive import checked_regex
from bridgespec.spec.keys import SEVERITY, TEXT, Json
from bridgespec.spec.problems import KEY, VALUE, Problems
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
Maker = Callable[[dict[str, Any], Map, Problems], Any]
"""A function that makes the value of a mapping, given the values of its words, the mapping, and where to report errors."""
FILLED = ("count", "here", "key", "line", "needed", "place", "text", "value", "wanted")
"""The names in braces that a message may contain."""
_BRACES = re.compile(r"\{(\w+)(?:!r)?\}")
_EXPECTED = {
    "string": "is a text",
    "integer": "is a whole number",
    "boolean": "is true or false",
    "array": "is a list",
    "object": "is a mapping",
}


def plain(value: Yaml | None) -> Plain:
    """Return a YAML value as plain Python values."""
    if isinstance(value, Map):
        return {key: plain(item) for key, item in value.values.items()}
    if isinstance(value, Items):
        return [plain(item) for item in value]
    if value is None or value.kind == "null":
        return None
    if value.kind == "int":
        return int(value.text, 0)
    if value.kind == "float":
        return float(value.text)
    return value.text == "true" if value.kind == "bool" else value.text


class WordReader:
    """Reads mappings of words; errors are added to ``problems``. ``makers`` has the function that makes the value of a nested
    mapping, by the owner of its words.
    """

    def __init__(self, problems: Problems, makers: Mapping[str, Maker]) -> None:
        self.problems = problems
        self.makers = makers

    def words(self, owner: str, block: Map, more: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return the valid values in a mapping by word; `WORDS` has the words of ``owner``. All other keys are reported, except
        ``more``, which the caller reports.
        """
        known = WORDS[owner]
        self.problems.took(owner, block.keys)
        for name, scalar in block.keys.items():
            if name not in known and name not in more:
                help_ = nearest(name, known) or f"known here: {', '.join(sorted(known))}"
                self.problems.add(KEY, f"unknown key '{name}'", scalar.place, help_)
        found = {}
        for name, word in known.items():
            if name in block:
                severity = word.shape == SEVERITY
                found[name] = self._severity(block, name) if severity else self.value(block.values[name], name, word.shape)
                if name in ("message", "help"):
                    self._check_braces(block, name)
        return {name: value for name, value in found.items() if value is not None}

    def _check_braces(self, block: Map, key: str) -> None:
        """Report names in braces in the text of ``key`` that are never replaced."""
        for name in _BRACES.findall(getattr(block.values[key], "text", "")):
            if name not in FILLED:
                help_ = f"known are {', '.join(FILLED)}"
                self.problems.add(VALUE, f"{key}: nothing is filled in for {{{name}}}", block.values[key].place, help_)

    def value(self, value: Yaml, key: str, shape: Json) -> Any:
        """Return the value of a word if it has the form of ``shape``, a JSON Schema; else report it and return None."""
        if "anyOf" in shape:
            # The schema of `one_or_more`: a single value counts as a list with one item.
            one, many = shape["anyOf"]
            return self.value(value, key, many) if isinstance(value, Items) else _listed(self.value(value, key, one))
        if "$ref" in shape or "$ref" in shape.get("items", ()):
            return self._parts(value, key, shape)
        # A value with several types is read as text.
        kinds = shape.get("type", "string")
        kind = kinds if isinstance(kinds, str) else "string"
        if not _is(value, kind):
            self.problems.add(VALUE, f"'{key}' {_EXPECTED[kind]}, not {value.what}", value.place)
            return None
        if isinstance(value, Map):
            inner = shape.get("additionalProperties") or {}
            lists = inner.get("type") == "array"
            return {k: self.value(v, k, inner) or () if lists else str(plain(v)) for k, v in value.values.items()}
        if isinstance(value, Items):
            inner = shape.get("items", {})
            return tuple(self.value(item, key, inner) or {} if "properties" in inner else str(plain(item)) for item in value)
        return self._scalar(value, key, kind, shape)

    def _scalar(self, value: Scalar, key: str, kind: str, shape: Json) -> Any:
        if kind == "integer":
            return int(value.text, 0)
        if kind == "boolean":
            return value.text == "true"
        known = shape.get("enum")
        if known is not None and value.text not in known:
            message = f"'{key}' is {', '.join(known[:-1])} or {known[-1]}, not {value.text!r}"
            self.problems.add(VALUE, message, value.place)
        if shape.get("format") == "regex":
            try:
                checked_regex(value.text)
            except re.error as error:
                self.problems.add(VALUE, f"'{key}' is not a regular expression: {error}", value.place)
                return None
        return value.text

    def _parts(self, value: Yaml, key: str, shape: Json) -> Any:
        """Return the value of a nested mapping, or a tuple of the values of several, as ``shape`` requires. None where a single one
        is no mapping.
        """
        found = []
        owner = shape.get("items", shape)["$ref"].rpartition("/")[2]
        for item in value if isinstance(value, Items) else [value]:
            if isinstance(item, Map):
                found.append(self.makers[owner](self.words(owner, item), item, self.problems))
            else:
                self.problems.add(VALUE, f"'{key}' holds mappings, not {item.what}", item.place)
        return tuple(found) if "items" in shape else found[0] if found else None

    def _severity(self, block: Map, key: str) -> Severity | None:
        text = self.value(block.values[key], key, TEXT)
        if text is not None and text not in list(Severity):
            message = f"a severity is error, warning or note, not {text!r}"
            self.problems.add(VALUE, message, block.key_place(key))
            return None
        return None if text is None else Severity(text)


def _is(value: Yaml, kind: str) -> bool:
    """Whether a YAML value has a type of JSON Schema; every scalar counts as a string."""
    if isinstance(value, Scalar):
        return kind == "string" or value.kind == {"integer": "int", "boolean": "bool"}.get(kind)
    return kind == ("array" if isinstance(value, Items) else "object")


def _listed(value: Any) -> tuple[Any, ...] | None:
    return None if value is None else (value,)
