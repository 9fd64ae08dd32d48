"""YAML with a place for every element: a thin typed layer over ruamel's node graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bridgespec.spec.place import Place
from bridgespec.spec.problems import SYNTAX, Problems

_KIND = {
    "tag:yaml.org,2002:int": "int",
    "tag:yaml.org,2002:bool": "bool",
    "tag:yaml.org,2002:null": "null",
    "tag:yaml.org,2002:float": "float",
}
MAX_BYTES = 4_000_000
_DEEP = 1000


@dataclass(slots=True)
class Scalar:
    """A YAML scalar: its text, and ``kind``: str, int, float, bool or null."""

    text: str
    kind: str
    place: Place
    literal: bool = False
    """True for quoted and block scalars, whose text does not start at the place."""

    @property
    def what(self) -> str:
        """The value as messages quote it."""
        return "null" if self.kind == "null" else repr(self.text)


@dataclass(slots=True)
class Items:
    """A YAML sequence."""

    items: list[Yaml]
    place: Place
    what: str = "a list"

    def __iter__(self) -> Iterator[Yaml]:
        return iter(self.items)


@dataclass(slots=True)
class Map:
    """A YAML mapping: values and key scalars by the key's text, in the order of the file."""

    values: dict[str, Yaml]
    keys: dict[str, Scalar]
    place: Place
    what: str = field(default="a mapping")

    def get(self, key: str) -> Yaml | None:
        """The value of a key, or None."""
        return self.values.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def key_place(self, key: str) -> Place:
        """Where a key stands; the mapping's own place where it does not."""
        return self.keys[key].place if key in self.keys else self.place


Yaml = Scalar | Items | Map


class _Graph:
    def __init__(self, text: str, file: str, problems: Problems) -> None:
        self.text = text
        self.file = file
        self.problems = problems
        self.ascii = text.isascii()
        self.seen: set[int] = set()

    def place(self, node: Node) -> Place:
        start, end = node.start_mark, node.end_mark
        lines = self.text[start.index : end.index].split("\n", 1)
        width = len(lines[0].rstrip())
        offset, length = start.index, max(width, 1)
        if not self.ascii:
            length = len(self.text[offset : offset + length].encode())
            offset = len(self.text[:offset].encode())
        return Place(self.file, start.line + 1, start.column + 1, offset, length)

    def convert(self, node: Node) -> Yaml:
        place = self.place(node)
        if isinstance(node, ScalarNode):
            plain = not node.style
            kind = _KIND.get(node.tag or "", "str") if plain else "str"
            return Scalar(node.value, kind, place, literal=not plain)
        if id(node) in self.seen:
            self.problems.add(SYNTAX, "YAML aliases are not supported in schemas", place)
            return Scalar("", "null", place)
        self.seen.add(id(node))
        if isinstance(node, SequenceNode):
            return Items([self.convert(child) for child in node.value], place)
        assert isinstance(node, MappingNode)
        values: dict[str, Yaml] = {}
        keys: dict[str, Scalar] = {}
        for key_node, value_node in node.value:
            key = self.convert(key_node)
            value = self.convert(value_node)
            if not isinstance(key, Scalar):
                self.problems.add(SYNTAX, f"a key must be a scalar, not {key.what}", key.place)
            elif key.text in keys:
                first = keys[key.text].place.line
                self.problems.add(SYNTAX, f"key '{key.text}' stands twice; the first is in line {first}", key.place)
            else:
                keys[key.text] = key
                values[key.text] = value
        return Map(values, keys, place)


def _composed(text: str) -> Node | None:
    """The document by the parser in C where it is installed, ten times as fast; what it refuses the one in Python judges.

    The one in C has no limit of nesting: a text that could be nested deeply goes to the other, which has one.
    """
    deepest = text.count("[") + text.count("{") + max(map(len, text.split("\n")))
    node: Node | None
    if deepest < _DEEP:
        try:
            node = YAML(typ="safe").compose(text)
        except YAMLError:
            pass
        else:
            return node
    node = YAML(typ="safe", pure=True).compose(text)
    return node


def load_yaml(text: str, file: str, problems: Problems) -> Yaml | None:
    """The document in ``text``; None, with the findings in ``problems``, where it cannot be read."""
    start = Place(file, 1, 1)
    if len(text) > MAX_BYTES:
        problems.add(SYNTAX, f"the schema is larger than {MAX_BYTES} characters", start)
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of repeated anchors; their uses are refused below
            node = _composed(text)
        return _Graph(text, file, problems).convert(node) if node is not None else Scalar("", "null", start)
    except RecursionError:
        problems.add(SYNTAX, "the schema is nested too deeply", start)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1, mark.index, 1) if mark else start
        problems.add(SYNTAX, str(error.problem or error.context or "unreadable YAML"), place)
    except (YAMLError, ValueError, AssertionError) as error:
        line = str(error).strip().partition("\n")[0] or "unreadable YAML"
        problems.add(SYNTAX, line, start)
    return None
