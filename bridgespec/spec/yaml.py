"""YAML with a position for every element: `load_yaml` parses a text with ruamel and returns its root as `Yaml`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, StreamMark, StringMark, YAMLError
from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.tokens import ScalarToken

from bridgespec.diagnostic import Edit, Fix
from bridgespec.spec.closing import CLOSING, closing_fix
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import SYNTAX, Problems

_KIND = {
    "tag:yaml.org,2002:int": "int",
    "tag:yaml.org,2002:bool": "bool",
    "tag:yaml.org,2002:null": "null",
    "tag:yaml.org,2002:float": "float",
}
MAX_BYTES = 4_000_000
MAX_DEPTH = 100
"""The deepest nesting of lists and mappings; every recursive function over a schema is bounded by it."""
_MOST_EXPLAINED = 200_000
"""The maximum number of characters of a text that is parsed in Python, or several times, to explain an error in it."""
_PAGE = 1024


@dataclass(slots=True)
class Scalar:
    """A YAML scalar: its text, and its ``kind``, which is str, int, float, bool or null."""

    text: str
    kind: str
    place: SchemaPlace
    literal: bool = False
    """True for quoted and block scalars, whose text does not begin at ``place``."""

    @property
    def what(self) -> str:
        """The value in the form that messages quote."""
        return "null" if self.kind == "null" else repr(self.text)


@dataclass(slots=True)
class Items:
    """A YAML sequence."""

    items: list[Yaml]
    place: SchemaPlace
    what: str = "a list"

    def __iter__(self) -> Iterator[Yaml]:
        return iter(self.items)


@dataclass(slots=True)
class Map:
    """A YAML mapping: values and key scalars by the key's text, in the order of the file."""

    values: dict[str, Yaml]
    keys: dict[str, Scalar]
    place: SchemaPlace
    what: str = field(default="a mapping")

    def get(self, key: str) -> Yaml | None:
        """Return the value of a key; None without it."""
        return self.values.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def rename(self, key: str, name: str) -> None:
        """Rename a key; its position is kept."""
        self.values[name], self.keys[name] = self.values.pop(key), self.keys.pop(key)

    def key_place(self, key: str) -> SchemaPlace:
        """Return the position of a key; that of the mapping where it has no such key."""
        return self.keys[key].place if key in self.keys else self.place


Yaml = Scalar | Items | Map


class Offsets:
    """Converts offsets in characters to offsets in bytes: ``offsets[index]``. ``shift`` is added, for a text that is a part of a
    file. The byte offset of each page is counted once, so that only the text from the start of its page on is encoded.
    """

    def __init__(self, text: str, shift: int = 0) -> None:
        self.text, self.shift = text, shift
        self.pages: list[int] | None = None
        if not text.isascii():
            sizes = (len(text[at : at + _PAGE].encode()) for at in range(0, len(text), _PAGE))
            self.pages = [0, *accumulate(sizes)]

    def __getitem__(self, index: int) -> int:
        if self.pages is None:
            return index + self.shift
        page = index // _PAGE
        return self.shift + self.pages[page] + len(self.text[page * _PAGE : index].encode())


class _TooDeep(Exception):
    """Raised for a node that is nested deeper than `MAX_DEPTH`."""

    def __init__(self, mark: StringMark) -> None:
        super().__init__()
        self.mark = mark


class _Converter:
    """Converts ruamel's nodes of one document to `Yaml`; errors are added to ``problems``. Made by `load_yaml`."""

    def __init__(self, text: str, file: str, problems: Problems, offsets: Offsets) -> None:
        self.text = text
        self.file = file
        self.problems = problems
        self.offsets = offsets
        self.seen: set[int] = set()

    def place(self, node: Node) -> SchemaPlace:
        """Return the position of a node, up to the end of its first line."""
        start, end = node.start_mark.index, node.end_mark.index
        # Cut at the line end: ruamel's end of a block node is the start of the next key.
        stop = self.text.find("\n", start, end)
        width = len(self.text[start : stop if stop >= 0 else end].rstrip())
        offset = self.offsets[start]
        length = self.offsets[start + max(width, 1)] - offset if start < len(self.text) else 1
        return SchemaPlace(self.file, node.start_mark.line + 1, node.start_mark.column + 1, offset, length)

    def convert(self, node: Node, depth: int = 0) -> Yaml:
        """Return a node with all nodes in it. A node with an error is a null scalar. Raises _TooDeep beyond `MAX_DEPTH`."""
        if depth > MAX_DEPTH:
            raise _TooDeep(node.start_mark)
        place = self.place(node)
        tag = node.tag or ""
        # `!flag`, as in many languages, is a tag to YAML; Kaitai spells it `not flag`.
        if tag.startswith("!") and tag != "!":
            name = tag.removeprefix("!")
            help_ = f"write 'not {name}'" if name.isidentifier() else "put the value in quotes"
            self.problems.add(SYNTAX, f"'{tag}' is a tag to YAML, not an expression", place, help_)
            return Scalar("", "null", place)
        if isinstance(node, ScalarNode):
            plain = not node.style
            kind = _KIND.get(tag, "str") if plain else "str"
            return Scalar(node.value, kind, place, literal=not plain)
        # An alias repeats a node: nested aliases multiply, and one of a node in itself never ends.
        if id(node) in self.seen:
            self.problems.add(SYNTAX, "YAML aliases are not supported in schemas", place)
            return Scalar("", "null", place)
        self.seen.add(id(node))
        if isinstance(node, SequenceNode):
            return Items([self.convert(child, depth + 1) for child in node.value], place)
        assert isinstance(node, MappingNode)
        values: dict[str, Yaml] = {}
        keys: dict[str, Scalar] = {}
        for key_node, value_node in node.value:
            key = self.convert(key_node, depth + 1)
            value = self.convert(value_node, depth + 1)
            if not isinstance(key, Scalar):
                self.problems.add(SYNTAX, f"a key must be a scalar, not {key.what}", key.place)
            # YAML takes the last of two equal keys in silence.
            elif key.text in keys:
                first = keys[key.text].place.line
                self.problems.add(SYNTAX, f"key '{key.text}' stands twice; the first is in line {first}", key.place)
            else:
                keys[key.text] = key
                values[key.text] = value
        return Map(values, keys, place)


def _parser(pure: bool) -> YAML:
    # `safe` never creates Python objects from tags.
    return YAML(typ="safe", pure=pure)


def _bound_depth(text: str, pure: bool) -> None:
    """Raise _TooDeep for nodes nested deeper than `MAX_DEPTH`, before a parser builds them: both parsers are recursive, the one in
    C without a limit.
    """
    if text.count("[") + text.count("{") + max(map(len, text.split("\n"))) < MAX_DEPTH:
        return  # each level needs a bracket or a column of a line, so the depth is smaller
    depth = 0
    for event in _parser(pure).parse(text):
        if isinstance(event, CollectionStartEvent):
            depth += 1
        elif isinstance(event, CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise _TooDeep(event.start_mark)


def _composed(text: str, pure: bool) -> Node | None:
    """Return ruamel's root node of a text; None for an empty one. ``pure`` selects the parser in Python."""
    _bound_depth(text, pure)
    node: Node | None = _parser(pure).compose(text)
    return node


def _document(text: str) -> Node | None:
    """Return the root node of a text; None for an empty one. The parser in C, ten times as fast, is used where it is installed; a
    text that it rejects is parsed in Python, unless it is too long.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of repeated anchors; their uses are refused
        try:
            return _composed(text, False)
        except YAMLError:
            # The parser in Python, which has the better messages, takes seconds for a longer text.
            if len(text) > _MOST_EXPLAINED:
                raise
        return _composed(text, True)


def load_yaml(text: str, file: str, problems: Problems, shift: int = 0) -> Yaml | None:
    """Return the root of the YAML document in ``text``, a null scalar for an empty one; None, with a finding in ``problems``, where
    it cannot be parsed. ``file`` is the name in positions; ``shift`` is added to their byte offsets.
    """
    start = SchemaPlace(file, 1, 1)
    if len(text) > MAX_BYTES:
        problems.add(SYNTAX, f"the schema is larger than {MAX_BYTES} characters", start)
        return None
    offsets = Offsets(text, shift)
    try:
        node = _document(text)
        return _Converter(text, file, problems, offsets).convert(node) if node is not None else Scalar("", "null", start)
    except _TooDeep as error:
        message = f"the schema is nested too deeply: {MAX_DEPTH} lists and mappings may stand in one another"
        problems.add(SYNTAX, message, _place(file, error.mark, offsets))
    except MarkedYAMLError as error:
        # Only for short texts, since `_unclosed` and `_repair` parse the text several times.
        unclosed = _unclosed(text, error) if len(text) <= _MOST_EXPLAINED else None
        mark, message, help_ = unclosed or _explained(error)
        still_open = _NOT_CLOSED.match(str(error.problem or "")) is not None and unclosed is None
        begun = (error.context_mark if still_open else None) or mark
        fix = _repair(text, begun, shift) if begun is not None and len(text) <= _MOST_EXPLAINED // 10 else None
        problems.add(SYNTAX, message, _place(file, mark, offsets) if mark else start, help_, fix=fix)
    except (YAMLError, ValueError, AssertionError) as error:
        line = str(error).strip().partition("\n")[0] or "unreadable YAML"
        problems.add(SYNTAX, line, start)
    return None


def _repair(text: str, begun: StreamMark, shift: int) -> Fix | None:
    """Return the fix for the bracket or the string that begins at ``begun`` and is not closed in its line; None where ``begun`` is
    at neither, or a single closing character in that line does not suffice.
    """
    opened, line_end = text[begun.index : begun.index + 1], text.find("\n", begun.index)
    if opened not in ("[", "{", '"', "'"):
        return None
    stop = len(text) if line_end < 0 else line_end

    def reads(changed: str) -> bool:
        try:
            _document(changed)
        except MarkedYAMLError as other:
            found = _fault(other)
            return found is not None and found.line > begun.line
        except (YAMLError, ValueError, AssertionError, _TooDeep):
            return False
        return True

    line = text[begun.index : stop].rstrip()
    ends = [begun.index + len(line)]
    # Inside other brackets the mark is missing before a bracket that closes those, before a comma, or before a comment.
    ends += [begun.index + at for at in range(len(line) - 1, 0, -1) if line[at] in ",]}" or line[at : at + 2] == " #"]
    # A string is probably short, while a bracket closes as late as it can.
    fix = closing_fix(text, CLOSING[opened], ends if opened in "[{" else sorted(ends), reads)
    return fix and replace(fix, edits=tuple(Edit(one.start + shift, one.stop + shift, one.replacement) for one in fix.edits))


_NOT_CLOSED = re.compile(r"(?:expected|did not find expected) ',' or '([\]}])'(?:, but got '(.*)')?", re.DOTALL)
_NO_START = re.compile(r"found character '?(\\?.+?)'? that cannot start any token", re.DOTALL)


def _fault(error: MarkedYAMLError) -> StringMark | None:
    """Return the position of a syntax error; for a string that is not closed, its beginning and not the end of the file."""
    endless = "quoted scalar" in str(error.context or "") and "end of stream" in str(error.problem or "")
    mark: StringMark | None = error.context_mark if endless else error.problem_mark
    return mark


def _unclosed(text: str, error: MarkedYAMLError) -> tuple[StreamMark, str, str] | None:
    """Return position, message and help for a string without a closing quotation mark, which ends only where a later string
    begins; None for any other error. It is the cause if the parser gets beyond the line of the error once the string is closed in
    its own line.
    """
    there = _fault(error)
    string = None if there is None else _last_string(text[: there.index])
    if there is None or string is None or string.start_mark.line == string.end_mark.line:
        return None
    start, line_end = string.start_mark.index, text.find("\n", there.index)
    stop = len(text) if line_end < 0 else line_end + 1
    line = text[start + 1 : text.find("\n", start)].rstrip()
    # The quotation mark is missing at the end of the line, or before a comma, a bracket or a comment in it.
    ends = [len(line), *(at for at in range(len(line) - 1, -1, -1) if line[at] in ",]}" or line[at : at + 2] == " #")]
    # All trials together parse about `_MOST_EXPLAINED` characters, which takes seconds in Python.
    for end in ends[: 1 + _MOST_EXPLAINED // stop]:
        at = start + 1 + end
        try:
            _document(text[:at] + text[start] + text[at:stop])
        except MarkedYAMLError as other:
            found = _fault(other)
            # The error is no further down: the string was not the cause, or does not end here.
            if found is not None and found.line <= there.line:
                continue
        except (YAMLError, ValueError, AssertionError, _TooDeep):
            continue
        help_ = f"it goes on to the quotation mark in line {string.end_mark.line + 1}"
        return string.start_mark, "this string is not closed", help_
    return None


def _last_string(text: str) -> ScalarToken | None:
    """Return the last quoted string in a text that may be incomplete; None without one."""
    found = None
    try:
        for token in _parser(True).scan(text):
            if isinstance(token, ScalarToken) and token.style in ("'", '"'):
                found = token
    except (YAMLError, ValueError, AssertionError):
        pass
    return found


_EXPLANATIONS: tuple[tuple[str, bool, str, str | None], ...] = (
    ("could not find expected ':'", True, "a ':' is missing after this key", None),
    ("mapping values are not allowed", False, "a second ':' stands in one value", "put the value in quotes"),
    (
        "<document start>",
        False,
        "this key stands beside a value in { }",
        "put all keys into the { }, or each on a line of its own",
    ),
    ("<block end>", False, "this line is indented otherwise than those that it belongs to", None),
    ("end of stream", True, "the schema ends in the middle of what begins here", None),
)
"""A part of a parser's message, whether the cause is where the unfinished construct begins, and our message and help."""


def _explained(error: MarkedYAMLError) -> tuple[StreamMark | None, str, str | None]:
    """Return position, message and help for a syntax error; the position is that of the cause, where it differs from the one at
    which the parser stopped.
    """
    problem, context = str(error.problem or ""), str(error.context or "")
    there, begun = error.problem_mark, error.context_mark
    if not_closed := _NOT_CLOSED.match(problem):
        return _explained_bracket(not_closed, begun, there)
    if "quoted scalar" in context and "end of stream" in problem:
        return begun or there, "this string is not closed", None
    if no_start := _NO_START.match(problem):
        if no_start[1] in ("\\t", "\t"):
            return there, "a tab cannot indent", "use blanks"
        return there, f"a value cannot begin with {no_start[1]}", "put it in quotes"
    for text, at_beginning, message, help_ in _EXPLANATIONS:
        if text in problem:
            return (begun or there) if at_beginning else there, message, help_
    return there or begun, problem or context or "unreadable YAML", None


def _explained_bracket(
    found: re.Match[str], begun: StreamMark | None, there: StreamMark | None
) -> tuple[StreamMark | None, str, str | None]:
    """Return the explanation, as `_explained`, of a message that a bracket is not closed, which matches `_NOT_CLOSED`."""
    opened = {"]": "[", "}": "{"}[found[1]]
    if begun is not None and there is not None and begun.line == there.line and found[2] not in ("<stream end>", None):
        return there, f"expected ',' or '{found[1]}' here", f"the '{opened}' in column {begun.column + 1} is still open"
    return begun or there, f"this '{opened}' is not closed", None


def _place(file: str, mark: StreamMark, offsets: Offsets) -> SchemaPlace:
    return SchemaPlace(file, mark.line + 1, mark.column + 1, offsets[mark.index], 1)
