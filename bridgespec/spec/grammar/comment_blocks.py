"""The ``//-`` lines of a grammar, as YAML: the head of the schema, and for each rule the metadata written above it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import VALUE, Problems
from bridgespec.spec.yaml import Map, load_yaml

_MARK = "//-"
HEAD_ALONE = frozenset({"id", "title", "extensions", "sources", "samples"})
"""Words that only a head has: the first block of a file is the head if it has one of them, even right above a rule."""


@dataclass(frozen=True, slots=True)
class BlockTexts:
    """The YAML blocks of a grammar: the head, and the words of each rule, with their texts."""

    head: Map
    rules: Mapping[str, Map]


def yaml_line(line: str) -> str | None:
    """Return the YAML in a line of a grammar; None for a line that does not begin with ``//-``.

    Blanks replace the mark, so that columns in the YAML are those of the file.

    >>> yaml_line("//- id: x"), yaml_line("start: a")
    ('    id: x', None)
    """
    bare = line.lstrip(" \t")
    return " " * (len(line) - len(bare) + len(_MARK)) + bare[len(_MARK) :] if bare.startswith(_MARK) else None


def read_blocks(source: str, file: str, definitions: Mapping[int, str], problems: Problems) -> BlockTexts:
    """Find the blocks in a grammar and the rule that each belongs to; errors are added to ``problems``.

    ``definitions`` are the rules of the file by line number, from 1.
    """
    head = Map({}, {}, SchemaPlace(file, 1, 1))
    rules: dict[str, Map] = {}
    lines: list[str] = []
    first = begin = end = 0
    seen_head = False
    # An empty line at the end closes the last block.
    for number, line in enumerate([*source.split("\n"), ""]):
        # Bytes, with the carriage return that a line may still have.
        start, end = end, end + len(line.encode()) + 1
        if (yaml := yaml_line(line)) is not None:
            first, begin = (first, begin) if lines else (number, start)
            lines.append(yaml)
            continue
        rule = definitions.get(number + 1)
        if lines and (rule or not (seen_head or rules)):
            # Empty lines in front give the YAML the line numbers of the file; ``begin - first`` corrects the offsets for them.
            block = load_yaml("\n" * first + "\n".join(lines) + "\n", file, problems, begin - first)
            lines = []
            if block is None:
                continue  # `load_yaml` has reported the error
            if not isinstance(block, Map):
                problems.add(VALUE, "a //- block is a mapping", SchemaPlace(file, first + 1, 1))
            elif rule and (seen_head or rules or not HEAD_ALONE & block.keys.keys()):
                rules[rule] = block
            else:
                head, seen_head = block, True
    if lines:
        problems.add(VALUE, "no rule follows this block", SchemaPlace(file, first + 1, 1))
    return BlockTexts(head, rules)
