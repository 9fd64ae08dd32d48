"""The reference: stock Lark's Earley parser finds the fields that our engine finds, in every sample of up to 4 kB (of those of more
than 1 kB, the first lines unless the long suites run).

Our choices are ordered, Lark's are not. Where it likes another reading of a text best, ours is one of all of its readings; of a
long text, for which these are too many, that is asked of each of its records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.engines import engine
from bridgespec.spec.grammar import Grammar, GrammarRule
from bridgespec.spec.grammar.possessive import CORRECT
from bridgespec.spec.grammar.rules import names_in
from bridgespec.spec.ir import Spec
from tests.codec.text.support import Place, sample_bytes, text_files

pytestmark = pytest.mark.skipif(not CORRECT, reason="Lark compiles with `re`, which matches possessive repetitions wrongly here")
LARGEST, LENGTHY, SHORT = 4000, 1000, 100
"""Of a lengthy sample, the long suites read all and the others its first lines; of a text that is not short, Lark is not asked for
every reading.
"""
UNFIT = {"unreadable-line", "missing-record"}
"""Findings of text that is not of the grammar, which Lark refuses as a whole."""
Event = tuple[str, int]
"""A rule that was found, a code by its name, and where it begins; -1 where it is empty."""


@cache
def parser(id: str, ambiguity: str = "resolve") -> Lark:
    """Lark's own parser of a format, which may begin with any rule that reads a text; it gives one reading or all of them."""
    spec = engine().spec(id)
    grammar = grammar_of(spec)
    file, used, left = grammar.rules[grammar.start].place.file, set[str](), [grammar.start]
    while left:
        rule = grammar.rules[left.pop()]
        used.add(rule.name)
        read = {name for content in rule.words.contents for name in content.rules()}
        left += (names_in(rule.expr) | read) - used
    rules = [grammar.rules[name] for name in sorted(used)]
    own = [rule.name for rule in rules if rule.place.file == file and not (rule.is_terminal or rule.is_layout)]
    return Lark.open(
        str(Path(spec.path)), parser="earley", lexer="dynamic", start=own, propagate_positions=True, ambiguity=ambiguity
    )


def grammar_of(spec: Spec) -> Grammar:
    """The grammar of a text format."""
    assert isinstance(spec.text, Grammar)
    return spec.text


def names(grammar: Grammar, rule: GrammarRule, value: object) -> Iterator[str]:
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
    start = getattr(tree.meta, "start_pos", -1)
    if at >= len(events) or events[at][0] != name or (-1 not in (start, events[at][1]) and start != events[at][1]):
        return set()
    return below(tree, events, at + 1, grammar)


def below(tree: Tree[Token], events: Sequence[Event], at: int, grammar: Grammar) -> set[int]:
    """The same of what is inside a tree."""
    places = {at}
    for child in tree.children:
        if child is not None:
            places = set().union(*(reached(child, events, place, grammar) for place in places))
    return places


def agrees(spec: Spec, start: str, text: str, base: int, nodes: Sequence[TextNode], outer: list[Event]) -> bool:
    """Whether Lark reads a text as we do: as it likes best, or as one of all ways of a short text, or record by record."""
    grammar = grammar_of(spec)
    events = [*outer, *ours(grammar, nodes, base)]
    for ambiguity in ("resolve", "explicit")[: 2 if len(text) <= SHORT else 1]:
        tree = parser(spec.id, ambiguity).parse(text, start=start)
        trees = tree.children if tree.data == "_ambig" else [tree]
        if any(len(events) in below(each, events, 0, grammar) for each in trees if isinstance(each, Tree)):
            return True
    records = [node for node in nodes if node.parts and node.rule is node.own and node.rule.name in parser(spec.id).options.start]
    return len(text) > SHORT and all(
        agrees(spec, node.rule.name, node.text, node.start // 8, node.parts or (), [])
        for node in records
        if node.rule.alias_of is None
    )


def handed(nodes: Sequence[TextNode]) -> Iterator[TextNode]:
    """The nodes that another rule has read."""
    for node in nodes:
        if node.rule is not node.own:
            yield node
        yield from handed(node.parts or ())


def first_lines(data: bytes) -> bytes:
    """The lines of a text that is not lengthy, or that many of another; all of it where it has no lines."""
    return data if len(data) <= LENGTHY else data[: data.rfind(b"\n", 0, LENGTHY) + 1] or data


CASES = [
    *(
        pytest.param(format, place, first_lines, id=f"{format}-{name}")
        for format, name, place, size in text_files()
        if size <= LARGEST
    ),
    *(
        pytest.param(format, place, bytes, id=f"{format}-{name} whole", marks=pytest.mark.slow)
        for format, name, place, size in text_files()
        if LENGTHY < size <= LARGEST
    ),
]


@pytest.mark.slice(24, quick=0)
@pytest.mark.parametrize(("format", "place", "part"), CASES)
def test_our_reading_is_one_of_larks(format: str, place: Place, part: Callable[[bytes], bytes]) -> None:
    """Of the whole file, and of every text in it that another rule reads."""
    spec, data = engine().spec(format), part(sample_bytes(format, place))
    reading = TextCodec(spec).read(data)
    if UNFIT & {one.code for one in reading.diagnostics}:
        with pytest.raises(UnexpectedInput):
            parser(spec.id).parse(data.decode("latin-1"), start=grammar_of(spec).start)
        return
    grammar, nodes = grammar_of(spec), list[TextNode]()
    for child in reading.root.children or ():
        inner = child.children or () if child.decl is not None and child.decl.repeat is not None else (child,)
        nodes += [node for node in inner if isinstance(node, TextNode)]
    nodes.sort(key=lambda node: node.start)
    assert agrees(spec, grammar.start, data.decode("latin-1"), 0, nodes, [])
    seen = set()
    for node in handed(nodes):
        rule, text = node.rule, node.text
        if rule.name in parser(spec.id).options.start and (rule.name, text) not in seen and not text.startswith("#"):
            seen.add((rule.name, text))
            outer = [(name, -1) for name in names(grammar, rule, node.value)][1:]
            assert agrees(spec, rule.name, text, node.start // 8, node.parts or (), outer), (rule.name, text)
