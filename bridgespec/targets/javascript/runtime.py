"""Select the helpers that a generated module needs from the JavaScript files in `runtime/`.

`emitted` returns their source for the declarations of a module; `selected` finds them: a helper is included if the declarations or
other included helpers mention it, a method if its name occurs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path

_FOLDER = Path(__file__).parent / "runtime"
_HEAD = re.compile(r"^(?:async )?(?:function\*?|class|const) ([A-Za-z_]\w*)", re.MULTILINE)
"""Matches the begin of a top-level declaration, with its name."""
_SKIPPED = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'""", re.DOTALL)
"""Matches a comment or a string; only for offsets in code."""
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n|^ *//[^\n]*\n", re.DOTALL | re.MULTILINE)
"""Matches a comment that has lines of its own: a sixth of the helpers, which no module needs."""
_WORD = re.compile(r"(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_]\w*(?!\w*: )")
"""Matches a word that is neither a property nor a key of an object."""
_ORDER: Mapping[str, Sequence[str]] = {
    "lark": (
        "judgement", "whereabouts", "meaning", "terms", "remarks", "textwriter", "textpatch", "textfile", "textmarks", "textlook",
        "textpairs", "textrules", "textvalues", "textpieces", "places", "checksums", "values",
    ),
    "ksy": (
        "judgement", "whereabouts", "meaning", "terms", "remarks", "file", "records", "fields", "checks", "types", "encodings",
        "places", "checksums", "values", "frame", "stream", "process", "tree", "sink", "writer",
    ),
}  # fmt: skip
"""The files of helpers for each language, in the order of a module: the entry functions first, what everything depends on last."""
WIDTH = 120
"""The length of a line of a module."""
_WHERE = re.compile(r"@where ([^*\n]+)")
"""Matches the condition of a unit in its comment (`Unit.where`)."""
_ANY_WORD = re.compile(r"[A-Za-z_]\w*")
_MEMBER = re.compile(r"  (?:static )?(?:async )?(?:get |\*)?([A-Za-z_]\w*)\(.*\{$")
"""Matches the first line of a method of a class."""
_METHOD = re.compile(r"^    ([A-Za-z_]\w*)\(.*\) \{\n(?:(?: {6}.*)?\n)+?    \},\n", re.MULTILINE)
"""Matches a method of an object that a function makes."""
_PLACE = "\0"
"""Begins a line of a helper's text that is replaced by a method; the name of the method follows."""
_SHARED = (
    "quote",
    "isArray",
    "toBytes",
    "MOST",
    "notShown",
    "UNHELPED",
    "DERIVED",
    "TOO_DEEP",
    "EvaluationError",
    "Failure",
    "whole",
    "UNREAD",
    "Source",
)
"""The helpers for binary formats that readers of texts use."""
_REGEX = re.compile(r"/(?:[^/\\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*/[a-z]*")
"""Matches a regular expression literal."""


@cache
def helpers(language: str) -> dict[str, str]:
    """Return the helpers for a schema language by name, each with its comments, in the order of the module."""
    found = _declared(_ORDER[language])
    if language == "lark":
        others = helpers("ksy")
        found |= {name: others[name] for name in others if name in _SHARED}
    return found


def _declared(files: Sequence[str]) -> dict[str, str]:
    """Return the top-level declarations in some files by name, with their comments."""
    found: dict[str, str] = {}
    for name in files:
        for block in _blocks((_FOLDER / f"{name}.js").read_text("utf-8")):
            head = _HEAD.search(block)
            if head is None:  # a statement that belongs to the declaration before it
                last = next(reversed(found))
                found[last] += block
            else:
                assert head[1] not in found, f"two helpers are called {head[1]}"
                found[head[1]] = block
    return found


def _blocks(text: str) -> Iterator[str]:
    """Yield the source of each top-level declaration in a file, with its comment and the statements that belong to it."""
    block: list[str] = []
    for line in text.splitlines(keepends=True):
        begins = line.startswith(("/**", "function", "async function", "class ", "const "))
        if begins and block and not "".join(block).rstrip().endswith("*/"):
            yield "".join(block).rstrip() + "\n"
            block = []
        block.append(line)
    yield "".join(block).rstrip() + "\n"


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the JavaScript helpers, a helper without its methods or one method, that is included completely or not at all."""

    text: str
    names: frozenset[str]
    """The names that the text uses as variables."""
    words: frozenset[str]
    """All words of the text, those after a dot and in strings included."""
    where: tuple[str, ...]
    """Words (``@where``) of which the declarations of a module must have at least one, or the unit is not included; empty for a
    unit without this condition.
    """

    @classmethod
    def of(cls, block: str, but: str = "") -> Unit:
        """Return the unit for a source with its comments, which the text of the unit lacks. ``but``, the method that the source
        defines, is not among its names.
        """
        text = _COMMENT.sub("", block)
        where = [one.strip() for line in _WHERE.findall(block) for one in line.split(",")]
        return cls(text, frozenset(_mentions(text)) - {but}, frozenset(_ANY_WORD.findall(text)), tuple(where))

    def is_possible(self, source: str) -> bool:
        """Whether a module with these declarations may use the unit (``@where``)."""
        return not self.where or any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", source) for one in self.where)


@cache
def units_of(language: str) -> dict[str, tuple[Unit, dict[str, Unit]]]:
    """Return the units of each helper: that of the helper itself, and those of its methods by name."""
    found = {}
    for name, block in helpers(language).items():
        is_class = "\nclass " in f"\n{block}" and "@whole" not in block
        # Methods are units of their own: most modules use few methods of a class.
        parts = list(_members(block)) if is_class else [(one[1], one[0]) for one in _METHOD.finditer(block)]
        own, marked = block, block
        inner: dict[str, str] = {}
        for member, part in parts:
            own = own.replace(part, "", 1)
            marked = marked.replace(part, "" if member in inner else f"{_PLACE}{member}\n", 1)
            inner[member] = inner.get(member, "") + part
        unit = replace(Unit.of(own), text=_COMMENT.sub("", marked))
        found[name] = unit, {member: Unit.of(part, member) for member, part in inner.items()}
    return found


def _members(block: str) -> Iterator[tuple[str, str]]:
    """Yield the name and source of each method in a class, without its constructor, each with its comment."""
    comment = ""
    lines = iter(block.splitlines(keepends=True))
    for line in lines:
        if line.startswith("  /**"):
            comment = line
            while "*/" not in line:
                line = next(lines)
                comment += line
        elif (head := _MEMBER.match(line)) is not None and head[1] != "constructor":
            while line.rstrip() != "  }":
                comment += line
                line = next(lines)
            yield head[1], comment + line
            comment = ""
        else:
            comment = ""


def selected(source: str, language: str) -> dict[str, str]:
    """Return the source of the helpers that declarations need, by name, in the order of the module: the helpers that the
    declarations or other selected helpers mention, each with only the methods whose names occur.

    A unit whose comment restricts it to other declarations (``@where``) is left out.
    """
    units = units_of(language)
    names, words = _mentions(source), set(_ANY_WORD.findall(source))
    found: dict[str, set[str]] = {}
    grown = True
    # Repeated until nothing is added: a helper may mention methods of helpers that were visited before it.
    while grown:
        grown = False
        for name, (own, inner) in units.items():
            if name not in found and name in names and own.is_possible(source):
                found[name], grown = set(), True
                names |= own.names
                words |= own.words
            # Methods are found by name alone: the class of the value on which one is called is not known.
            for member in inner.keys() & words - found[name] if name in found else ():
                if inner[member].is_possible(source):
                    found[name].add(member)
                    grown = True
                    names |= inner[member].names
                    words |= inner[member].words
    return {name: _joined(*units[name], found[name]) for name in units if name in found}


def _joined(own: Unit, inner: Mapping[str, Unit], members: Set[str]) -> str:
    """Return the source of a helper with some of its methods."""
    return re.sub(f"{_PLACE}(.*)\n", lambda place: inner[place[1]].text if place[1] in members else "", own.text)


def needed(source: str, language: str) -> list[str]:
    """Return the names of the helpers that declarations need, in the order of the module."""
    return list(selected(source, language))


def _mentions(source: str) -> set[str]:
    """Return the names of variables that a source uses, outside of comments, literals and properties.

    >>> sorted(_mentions('read(a.size, { end: stop, "/*": `the ${count} x ${call(`${y}`)}` }, ...z); // all'))
    ['a', 'call', 'count', 'read', 'stop', 'y', 'z']
    """
    return set(_WORD.findall(_code_of(source)))


def _code_of(source: str) -> str:
    """Return a source without comments, literals and the text in templates; expressions inside templates are kept."""
    instead = {"literal": "0", "template": " "}
    return "".join(instead.get(kind, text) for kind, text in _scanned(source))


def _scanned(source: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a source, each with its kind: ``code`` (one character), ``literal`` (a string, a regular expression or a
    comment), or ``template`` (the text in a template).
    """
    depths = [0]  # a stack of nested code and templates: the number of open braces in code, -1 for the text of a template
    at, last = 0, ";"
    while at < len(source):
        start, character, kind = at, source[at], "template"
        skipped = _SKIPPED.match(source, at) if depths[-1] >= 0 else None
        # After these characters a slash begins a regular expression; after a name, a number or a bracket it divides.
        if skipped is None and character == "/" and depths[-1] >= 0 and last in "(,=:[!&|?{};>":
            skipped = _REGEX.match(source, at)
        if skipped is not None:
            at, last = skipped.end(), "0"
            yield "literal", skipped[0]
            continue
        at += 1
        if character == "`":
            depths = depths[:-1] if depths[-1] < 0 else [*depths, -1]
            last = "0"
        elif depths[-1] < 0:
            at += character in "\\$" and source[at : at + 1] in "{`\\$"
            depths += [0] if source[at - 2 : at] == "${" else []
        elif character == "}" and depths[-1] == 0 and len(depths) > 1:
            depths.pop()
        else:
            depths[-1] += {"{": 1, "}": -1}.get(character, 0)
            kind, last = "code", character if character.strip() else last
        yield kind, source[start:at]


def emitted(source: str, language: str) -> str:
    """Return the source of the helpers that a module needs, without comments and unnecessary blanks."""
    return "".join(map(_compact, selected(source, language).values()))


@cache
def _compact(source: str) -> str:
    """Return a source without comments and unnecessary blanks, with lines joined up to `WIDTH` characters.

    >>> _compact('if (a === 1 + +b) {\\n  return `${c} d` + "e  f"; // g\\n}')
    'if(a===1 + +b){return `${c} d`+"e  f";}\\n'
    """
    parts = [part for part in _scanned(source) if part[0] != "literal" or not part[1].startswith(("//", "/*"))]
    runs = [(kind, "".join(text for _, text in run)) for kind, run in groupby(parts, lambda part: part[0])]
    lines: list[str] = []
    for line in filter(None, "".join(_squeezed(text) if kind == "code" else text for kind, text in runs).split("\n")):
        continues = lines and (lines[-1][-1] in ";{}([,&|?:=" or line[0] in "?:.&|)]}")
        if continues and len(lines[-1]) + len(line) <= WIDTH:
            lines[-1] += line
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def _squeezed(code: str) -> str:
    """Return code without unnecessary blanks."""
    code = re.sub(r"\n +", "\n", code)
    code = re.sub(r" *([=<>?:&|{}(),;!\[\]*%]) *", r"\1", code)
    # Blanks between two signs are kept: without them `a + +b` would become `a++b`.
    return re.sub(r"(?<![+-]) *([+-]) *(?![ +-])", r"\1", code)
