"""The helpers of generated modules: select those that a module needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "runtime"
_HEAD = re.compile(r"^(?:async )?(?:function\*?|class|const) ([A-Za-z_]\w*)", re.MULTILINE)
_SKIPPED = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'""", re.DOTALL)
"""Comments and texts, where they begin in code."""
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n|^ *//[^\n]*\n", re.DOTALL | re.MULTILINE)
"""Comments that have lines of their own: a sixth of the helpers, which no module needs."""
_WORD = re.compile(r"(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_]\w*(?!\w*: )")
_ORDER: Mapping[str, Sequence[str]] = {
    "lark": (
        "whereabouts", "meaning", "terms", "remarks", "textfile", "textlook", "textpairs", "textrules",
        "textvalues", "textpieces", "places", "checksums", "values",
    ),
    "ksy": (
        "whereabouts", "meaning", "terms", "remarks", "file", "records", "fields", "checks", "types", "encodings", "places",
        "checksums", "values", "frame", "stream", "process", "tree",
    ),
}  # fmt: skip
"""The files of helpers for each language, in the order of a module: the entry functions first, what everything depends on last."""
_SHARED = ("quote", "isArray", "toBytes", "MOST", "DERIVED", "TOO_DEEP", "EvaluationError", "Failure", "whole", "UNREAD", "Source")
"""The helpers for binary formats that readers of texts use."""
_REGEX = re.compile(r"/(?:[^/\\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*/[a-z]*")


@cache
def helpers(language: str) -> dict[str, str]:
    """Return the helpers for a schema language by name, each with its comment, in the order of the module."""
    found = _declared(_ORDER[language])
    if language == "lark":
        others = helpers("ksy")
        found |= {name: others[name] for name in others if name in _SHARED}
    return found


def _declared(files: Sequence[str]) -> dict[str, str]:
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
    """Yield the top-level declarations of a file, each with its comment and the statements that belong to it."""
    block: list[str] = []
    for line in text.splitlines(keepends=True):
        begins = line.startswith(("/**", "function", "async function", "class ", "const "))
        if begins and block and not "".join(block).rstrip().endswith("*/"):
            yield "".join(block).rstrip() + "\n"
            block = []
        block.append(line)
    yield "".join(block).rstrip() + "\n"


def needed(source: str, language: str) -> list[str]:
    """Return the helpers that a source mentions, and those that these mention, in the order of the module."""
    known = helpers(language)
    found: set[str] = set()
    waiting = _mentions(source) & known.keys()
    while waiting:
        found |= waiting
        waiting = {name for one in waiting for name in _mentioned(language, one)} & known.keys() - found
    return [name for name in known if name in found]


@cache
def _mentioned(language: str, name: str) -> set[str]:
    return _mentions(helpers(language)[name])


def _mentions(source: str) -> set[str]:
    """Return the names that a source uses, without those in comments and texts, and those of properties.

    >>> sorted(_mentions('read(a.size, { end: stop, "/*": `the ${count} x ${call(`${y}`)}` }, ...z); // all'))
    ['a', 'call', 'count', 'read', 'stop', 'y', 'z']
    """
    return set(_WORD.findall(_code_of(source)))


def _code_of(source: str) -> str:
    """Return a source without comments, texts and the text of templates; expressions inside templates stay."""
    out: list[str] = []
    depths = [0]  # braces that are open in each piece of code; -1 is the text of a template
    at = 0
    while at < len(source):
        character = source[at]
        skipped = _SKIPPED.match(source, at) if depths[-1] >= 0 else None
        if skipped is None and character == "/" and depths[-1] >= 0 and _before(out) in "(,=:[!&|?{};>":
            skipped = _REGEX.match(source, at)
        if skipped is not None:
            at = skipped.end()
            out.append("0")
            continue
        at += 1
        if character == "`":
            depths = depths[:-1] if depths[-1] < 0 else [*depths, -1]
        elif depths[-1] < 0:
            at += character in "\\$" and source[at : at + 1] in "{`\\$"
            depths += [0] if source[at - 2 : at] == "${" else []
        elif character == "}" and depths[-1] == 0 and len(depths) > 1:
            depths.pop()
            out.append(" ")
        else:
            depths[-1] += {"{": 1, "}": -1}.get(character, 0)
            out.append(character)
            continue
        out.append(" ")
    return "".join(out)


def _before(out: Sequence[str]) -> str:
    """Return the last character of code that is not a blank: after some characters, a slash begins a regular expression."""
    return next((part for part in reversed(out) if part.strip()), ";")


def emitted(source: str, language: str) -> str:
    """Return the source of the helpers that a module needs, without comments."""
    known = helpers(language)
    parts = [_COMMENT.sub("", known[name]) for name in needed(source, language)]
    joined = ""
    for before, part in zip(["", *parts], parts, strict=False):
        # No blank line between constants of one line.
        close = before.startswith("const ") and part.startswith("const ") and before.count("\n") == part.count("\n") == 1
        joined += part if close or not joined else f"\n{part}"
    return joined
