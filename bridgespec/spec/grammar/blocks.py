"""The ``//-`` lines of a grammar: YAML blocks. The first is the schema's head; each of the others belongs to the next rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridgespec.spec.place import Place
from bridgespec.spec.problems import VALUE, Problems
from bridgespec.spec.yaml import Map, load_yaml

_MARK = "//-"
_HEAD_ALONE = frozenset({"id", "title", "extensions", "sources", "samples"})
"""Keys that only a head has: a block with one of them is the head even if a rule follows it immediately."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one file: the head of the schema, and the block of each rule, as YAML."""

    head: Map
    rules: Mapping[str, Map]


def read_blocks(source: str, file: str, definitions: Mapping[int, str], problems: Problems) -> Blocks:
    """Find the blocks and the rule that each belongs to; errors are added to ``problems``.

    ``definitions`` maps lines of the file, counted from 1, to the rules defined there.
    """
    head = Map({}, {}, Place(file, 1, 1))
    rules: dict[str, Map] = {}
    lines: list[str] = []
    first = 0
    seen_head = False
    for number, line in enumerate([*source.split("\n"), ""]):
        bare = line.lstrip(" \t").rstrip("\r")
        if bare.startswith(_MARK):
            first = first if lines else number
            # Blanks in place of the mark, and empty lines before the block, keep every place of the YAML that of the file.
            lines.append(" " * (len(line.rstrip("\r")) - len(bare) + len(_MARK)) + bare[len(_MARK) :])
            continue
        rule = definitions.get(number + 1)
        if lines and (rule or not (seen_head or rules)):
            block = load_yaml("\n" * first + "\n".join(lines) + "\n", file, problems)
            lines = []
            if block is None:
                continue  # what is wrong with it is said already
            if not isinstance(block, Map):
                problems.add(VALUE, "a //- block is a mapping", Place(file, first + 1, 1))
            elif rule and (seen_head or rules or not _HEAD_ALONE & block.keys.keys()):
                rules[rule] = block
            else:
                head, seen_head = block, True
    if lines:
        problems.add(VALUE, "no rule follows this block", Place(file, first + 1, 1))
    return Blocks(head, rules)
