"""YAML that is being written: `tolerant` loads a broken text without its unreadable lines, `spots` yields its keys and values with
what the loader's tables of keys define for them, and `at_cursor` returns the one at the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from bridgespec.docs.reference import ReferenceEntry, entries
from bridgespec.editor.draft import CURSOR, EditorDraft, Proposal
from bridgespec.spec.dialect import json_schema
from bridgespec.spec.keys import JsonSchema, slug
from bridgespec.spec.problems import Problems
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml, load_yaml

_TRIES = 12
"""The maximum number of lines of a broken text that are emptied, one after the other, until the rest can be read."""
_PAIRS = {"[": "]", "{": "}"}
"""The closing bracket for each opening one."""


@dataclass(frozen=True, slots=True)
class YamlSpot:
    """A key or a plain value of a draft: its scalar, the keys that lead to it, and what the tables of keys define for it.

    ``shapes`` are the JSON Schemas of the value. For a key, ``owners`` are the names of the objects of the JSON Schema that may
    have it, such as ``field``, and ``siblings`` all keys of its mapping.
    """

    scalar: Scalar
    path: tuple[str, ...]
    shapes: tuple[JsonSchema, ...]
    owners: tuple[str, ...] = ()
    is_key: bool = False
    siblings: tuple[str, ...] = ()

    @property
    def formats(self) -> frozenset[str]:
        """The kinds of names that the tables allow as the value, such as ``type`` or ``term``."""
        return frozenset(str(shape["format"]) for shape in self.shapes if "format" in shape)


def tolerant(text: str, file: str) -> Yaml | None:
    """Return the YAML of a text without the lines that cannot be read; None if after `_TRIES` lines it still cannot be read."""
    lines = text.split("\n")
    for _ in range(_TRIES):
        problems = Problems()
        found = load_yaml("\n".join(lines), file, problems)
        if found is not None:
            return found
        span = problems.found[0].span if problems.found else None
        line = (span.line or 1) - 1 if span is not None else 0
        if not any(lines[line:]):
            return None
        # Emptied, not removed, so that all other lines keep their numbers.
        lines[line] = ""
    return None


@cache
def _schema(language: str) -> JsonSchema:
    """Return the JSON Schema of a schema language, made of its tables of keys."""
    return json_schema(language)


def root_shapes(language: str, owner: str) -> tuple[JsonSchema, ...]:
    """Return the JSON Schema of a whole draft, or of one of its blocks, as a reference to the definition ``owner``."""
    return ({"$ref": f"#/$defs/{owner}"},) if language else ()


def _resolved(language: str, shapes: tuple[JsonSchema, ...]) -> Iterator[tuple[str, JsonSchema]]:
    """Yield every alternative of the shapes, each with the name of the object whose keys it defines, empty for plain values."""
    for shape in shapes:
        if "$ref" in shape:
            owner = shape["$ref"].rpartition("/")[2]
            yield owner, _schema(language)["$defs"][owner]
        elif "anyOf" in shape:
            yield from _resolved(language, tuple(shape["anyOf"]))
        else:
            yield "", shape


def spots(language: str, yaml: Yaml | None, shapes: tuple[JsonSchema, ...], path: tuple[str, ...] = ()) -> Iterator[YamlSpot]:
    """Yield every key and every plain value below a node, in the order of the text."""
    known = list(_resolved(language, shapes))
    if isinstance(yaml, Map):
        owners = tuple(owner for owner, shape in known if owner)
        for key, value in yaml.values.items():
            inner = tuple(one for _, shape in known if (one := _of_key(shape, key)) is not None)
            yield YamlSpot(yaml.keys[key], path, inner, owners, True, tuple(yaml.values))
            yield from spots(language, value, inner, (*path, key))
    elif isinstance(yaml, Items):
        inner = tuple(shape["items"] for _, shape in known if isinstance(shape.get("items"), Mapping))
        for index, item in enumerate(yaml.items):
            yield from spots(language, item, inner, (*path, str(index)))
    elif isinstance(yaml, Scalar):
        yield YamlSpot(yaml, path, tuple(shape for _, shape in known))


def _of_key(shape: JsonSchema, key: str) -> JsonSchema | None:
    """Return the JSON Schema of the value of a key in an object; None if the object cannot have the key."""
    if key in shape.get("properties", ()):
        found: JsonSchema = shape["properties"][key]
        return found
    more = shape.get("additionalProperties")
    return more if isinstance(more, dict) else None


def at_cursor(language: str, before: str, file: str, shapes: tuple[JsonSchema, ...]) -> YamlSpot | None:
    """Return the key or value at the end of a text, where the cursor is; None if the YAML before it cannot be read."""
    opened, quote = _open_brackets(before)
    last = before.rstrip(" ")[-1:]
    as_key = last in ("", "\n", "{", ",", "-") or (last == "}" and before.endswith("\n"))
    # The cursor may be in a key or in a value: the likelier is tried first, then the other if it is not found in the YAML.
    for tail in (f"{CURSOR}: 0", CURSOR) if as_key and not quote else (CURSOR, f"{CURSOR}: 0"):
        closing = quote + "".join(_PAIRS[bracket] for bracket in reversed(opened))
        yaml = tolerant(before + tail + closing, file)
        for one in spots(language, yaml, shapes):
            if CURSOR in one.scalar.text:
                return one
    return None


def _open_brackets(text: str) -> tuple[list[str], str]:
    """Return the brackets that are open at the end of a text, and the open quotation mark, empty without one."""
    opened: list[str] = []
    quote = ""
    for line in text.split("\n"):
        # A quotation mark that its line does not close is an apostrophe in a text, unless it is the last line.
        quote = ""
        for at, letter in enumerate(line):
            if quote:
                quote = "" if letter == quote else quote
            elif letter in "\"'" and line[at - 1 : at] in ("", " ", "[", "{", ","):
                quote = letter
            elif letter == "#" and line[at - 1 : at] in ("", " "):
                break
            elif letter in _PAIRS:
                opened.append(letter)
            elif opened and letter == _PAIRS[opened[-1]]:
                opened.pop()
    return opened, quote


def entry_of(language: str, spot: YamlSpot) -> ReferenceEntry | None:
    """Return the entry of the reference for a key; None where it has none."""
    found = [one for one in entries() if one.language == language and one.name == spot.scalar.text]
    there = [one for one in found if {slug(owner.removeprefix("the ")) for owner in one.owners} & set(spot.owners)]
    return next(iter(there), None)


def proposals(language: str, spot: YamlSpot) -> Iterator[Proposal]:
    """Yield the keys that may be written at a spot, or the words and names that its value may be."""
    if spot.is_key:
        for owner in spot.owners:
            for name, shape in _schema(language)["$defs"][owner]["properties"].items():
                # YAML forbids a key twice in one mapping.
                if name not in spot.siblings:
                    yield Proposal(name, "key", shape.get("description", ""))
        return
    for shape in spot.shapes:
        for word in shape.get("enum", ()):
            yield Proposal(str(word), "value")
        if shape.get("type") == "boolean":
            yield from (Proposal("true", "value"), Proposal("false", "value"))
    for kind in ("term", "role"):
        if kind in spot.formats:
            yield from (Proposal(one.name, kind, one.doc) for one in entries() if one.kind == kind)


def scalar_span(draft: EditorDraft, scalar: Scalar, first: int = 0) -> tuple[int, int] | None:
    """Return the start and end of a scalar in the draft; None where the draft differs from its text (escapes, folded lines).

    ``first`` is the line of the draft, from 0, in which the YAML of the scalar begins.
    """
    start = draft.offset(scalar.place.line - 1 + first, scalar.place.column - 1)
    # The place of a scalar is that of its opening quotation mark, if it has one.
    start = draft.text.find(scalar.text, start, start + len(scalar.text) + 2)
    return None if start < 0 else (start, start + len(scalar.text))
