"""The reference: stock Lark's Earley parser finds the fields that our engine finds, in every sample of up to 4 kB.

Our choices are ordered, Lark's are not: where a text can be read in several ways, ours is one of Lark's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from lark import Lark, Token, Tree

from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.tree import TextNode
from bridgespec.spec.grammar import Grammar, Rule
from bridgespec.spec.ir import Spec
from tests.codec.text.support import FILES, NAMES, SPECS

LARGEST, LENGTHY = 4000, 1600
"""Of what is lengthy, Lark's parser takes minutes to keep every reading of a grammar of free text: the long suites do that."""
UNFIT = {"unreadable-line", "missing-record"}
"""Findings of text that is not of the grammar, which Lark refuses as a whole."""
Event = tuple[str, int]
"""A rule that was found, a code by its name, and where it begins; -1 where it is empty."""


@cache
def parser(id: str) -> Lark:
    """Lark's own parser of a format, which may begin with any rule that reads a text."""
    spec = next(spec for spec in SPECS if spec.id == id)
    grammar = grammar_of(spec)
    read = {name for rule in grammar.rules.values() for content in rule.words.contents for name in content.rules()}
    file = grammar.rules[grammar.start].place.file
    own = [name for name in sorted({grammar.start, *read}) if grammar.rules[name].place.file == file]
    return Lark.open(
        str(Path(spec.path)), parser="earley", lexer="dynamic", start=own, propagate_positions=True, ambiguity="explicit"
    )


def grammar_of(spec: Spec) -> Grammar:
    """The grammar of a text format."""
    assert isinstance(spec.text, Grammar)
    return spec.text


def names(grammar: Grammar, rule: Rule, value: object) -> Iterator[str]:
    """What Lark calls a rule and those that it only refers to."""
    while (target := rule.alias_of) is not None:
        yield rule.name
        rule = grammar.rules[target.name]
    if rule.codes is not None:
        yield str(value)
    elif not rule.is_layout:
        yield rule.name


def ours(grammar: Grammar, nodes: Sequence[TextNode], base: int) -> Iterator[Event]:
    """What our engine found, outermost first; a text that another rule reads is not entered."""
    for node in nodes:
        start = -1 if node.start == node.stop else node.start // 8 - base
        handed = node.rule is not node.own
        yield from ((name, start) for name in names(grammar, node.own, node.value))
        if not handed:
            yield from ours(grammar, node.parts or (), base)


def reached(tree: Tree[Token] | Token, events: Sequence[Event], at: int, grammar: Grammar) -> set[int]:
    """How far along the events a reading of Lark's may go that follows them from a place on."""
    if isinstance(tree, Token):
        if tree.type.startswith("_") or tree.type.rpartition("__")[2] not in grammar.rules:
            return {at}
        return {at + 1} if at < len(events) and events[at] == (tree.type, tree.start_pos) else set()
    if tree.data == "_ambig":
        return set().union(*(reached(child, events, at, grammar) for child in tree.children))
    name = str(tree.data).rpartition("__")[2]
    if at >= len(events) or events[at][0] != name or events[at][1] not in (-1, getattr(tree.meta, "start_pos", -1)):
        return set()
    return below(tree, events, at + 1, grammar)


def below(tree: Tree[Token], events: Sequence[Event], at: int, grammar: Grammar) -> set[int]:
    """The same of what is inside a tree."""
    places = {at}
    for child in tree.children:
        if child is not None:
            places = set().union(*(reached(child, events, place, grammar) for place in places))
    return places


def follows(spec: Spec, start: str, text: str, events: list[Event]) -> bool:
    """Whether one of Lark's readings of a text has just these fields."""
    tree = parser(spec.id).parse(text, start=start)
    trees = tree.children if tree.data == "_ambig" else [tree]
    grammar = grammar_of(spec)
    return any(len(events) in below(each, events, 0, grammar) for each in trees if isinstance(each, Tree))


def handed(nodes: Sequence[TextNode]) -> Iterator[TextNode]:
    """The nodes that another rule has read."""
    for node in nodes:
        if node.rule is not node.own:
            yield node
        yield from handed(node.parts or ())


CASES = [
    pytest.param(spec, data, id=name, marks=[pytest.mark.slow] if len(data) > LENGTHY else [])
    for (spec, _, data), name in zip(FILES, NAMES, strict=True)
    if len(data) <= LARGEST
]


@pytest.mark.parametrize(("spec", "data"), CASES)
def test_our_reading_is_one_of_larks(spec: Spec, data: bytes) -> None:
    """Of the whole file, and of every text in it that another rule reads."""
    reading = TextCodec(spec).read(data)
    if UNFIT & {one.code for one in reading.diagnostics}:
        with pytest.raises(Exception, match="."):
            parser(spec.id).parse(data.decode("latin-1"), start=grammar_of(spec).start)
        return
    grammar, nodes = grammar_of(spec), list[TextNode]()
    for child in reading.root.children or ():
        inner = child.children or () if child.decl is not None and child.decl.repeat is not None else (child,)
        nodes += [node for node in inner if isinstance(node, TextNode)]
    nodes.sort(key=lambda node: node.start)
    assert follows(spec, grammar.start, data.decode("latin-1"), list(ours(grammar, nodes, 0)))
    seen = set()
    for node in handed(nodes):
        start, text = node.rule.name, node.text
        if start not in parser(spec.id).options.start or (start, text) in seen or (node.parts and node.text != node.source[node.start // 8 : node.end]):
            continue
        seen.add((start, text))
        outer = [(name, -1) for name in names(grammar, node.rule, node.value)][1:]
        assert follows(spec, start, text, [*outer, *ours(grammar, node.parts or (), node.start // 8)]), (start, text)
