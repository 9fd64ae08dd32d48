"""The accelerator changes nothing but the time: the same trees and the same findings with it and without."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from bridgespec.codec.node import FieldNode
from bridgespec.codec.shared_findings import TOO_MANY
from bridgespec.codec.text.codec import TextCodec, plain
from bridgespec.codec.text.grammar_program import RuleProgram
from bridgespec.codec.text.rule_values import RuleValue
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.engines import engine
from tests.codec.text.support import FILES, NAMES, Place, codec_of, sample_bytes
from tests.steps import steps

SMALL = 8000


@cache
def codecs(id: str) -> tuple[TextCodec, TextCodec]:
    """The codec of a format with the accelerator and without."""
    spec = engine().spec(id)
    return TextCodec(spec, True), TextCodec(spec, False)


def nodes(root: FieldNode) -> list[tuple[object, ...]]:
    """Everything that is known of every node."""
    return [
        (path, node.start, node.stop, node.value, node.broken, node.decl, node.rule if isinstance(node, TextNode) else None)
        for path, node in root.walk()
    ]


def broken(data: bytes, count: int) -> list[bytes]:
    """Variants of a file with characters changed, left out and put in, the same at each call."""
    random, found = Random(len(data)), []
    for _ in range(count):
        variant = bytearray(data)
        for _ in range(random.choice((1, 1, 2, 5))):
            at = random.randrange(len(variant) + 1)
            size = random.choice((0, 1, 1, 20))
            variant[at : at + size] = bytes(
                random.choices(b' \n\r[]{}"|,.:;*+-=^#%$0123456789AKQJTNSEWx\xe9', k=random.choice((0, 1, 2)))
            )
        found.append(bytes(variant))
    return found


@pytest.mark.slice(20, quick=6)
@pytest.mark.parametrize(("format", "place"), FILES, ids=NAMES)
def test_nothing_changes_but_the_time(format: str, place: Place) -> None:
    """Every sample, and six broken variants of it."""
    (fast, slow), data = codecs(format), sample_bytes(format, place)
    for text in (data, *broken(data[:SMALL], 6)):
        one, two = fast.read(text), slow.read(text)
        assert one.diagnostics == two.diagnostics
        assert plain(one.root) == plain(two.root)
        assert nodes(one.root) == nodes(two.root)
        assert nodes(fast.split(text).root) == nodes(two.root)


@pytest.mark.slice(20, quick=3)
@pytest.mark.parametrize(("format", "place"), FILES, ids=NAMES)
def test_findings_past_the_limit_are_counted(format: str, place: Place) -> None:
    """As many are not kept as the expressions would find, and the first error is kept; trees are as without a limit."""
    (fast, slow), data = codecs(format), sample_bytes(format, place)
    for text in broken(data[:SMALL], 3):
        for limit in (1, 4):
            one, two = fast.read(3 * text, limit), slow.read(3 * text, limit)
            assert (one.diagnostics, one.dropped) == (two.diagnostics, two.dropped)
            assert nodes(one.root) == nodes(two.root)
        kept = [found for found in slow.read(3 * text).diagnostics if found.code != TOO_MANY.name]
        assert two.dropped == max(len(kept) - len([found for found in two.diagnostics if found.code != TOO_MANY.name]), 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "text", "most"), [("lin", "md|", 60), ("lin", "md|zz{}|", 90), ("pbn", '[Play "N"]\n' + "#$%& " * 50, 7000)]
)
def test_findings_past_the_limit_take_few_steps(format: str, text: str, most: int) -> None:
    """When each was explained, 123, 247 and 11,847 functions were entered for each of these texts."""
    fast, _ = codecs(format)
    few, many = ("".join(text.format(at) for at in range(size)).encode() for size in (200, 1200))
    fast.read(many, 10)
    taken = steps(lambda: fast.read(many, 10)) - steps(lambda: fast.read(few, 10))
    assert taken <= most * 1000


def test_only_the_fast_one_has_shortcuts() -> None:
    """So that the two are compared at all; and what is without a finding is known for it by its expressions alone."""
    fast, slow = codecs("pbn")
    assert not any(slow.engine.value(name).quick for name in slow.engine.grammar.rules)
    data = next(
        data
        for format, place in FILES
        if format == "pbn" and not fast.read(data := sample_bytes(format, place)).diagnostics and len(data) > 1000
    )
    for node in fast.read(data).root["boards"].children or ():
        assert isinstance(node, TextNode)
        assert isinstance(node.shape, RuleValue)
        quick = node.shape.quick
        assert isinstance(quick, RuleProgram)
        assert quick.clean is not None
        assert quick.clean.read(node.source, node.start // 8, node.end) is not None
        assert quick.parts(node)
    calls = fast.engine.value("call_made").quick
    assert isinstance(calls, RuleProgram)
    assert calls.clean is not None
    assert calls.clean.read("1C Pass", 0, 7) == (2, [])


RESTARTS = [
    ("//- {restart: {at: '[ab]', after: 'd'}}\ngame: part+\npart: /[a-z]/\n", "game"),
    ("//- {restart: {at: 'a', after: 'a'}}\ngame: (note)* part (part | note)*\npart: /[a-z]/\nnote: /[0-9]/\n", "game"),
    ("//- {restart: {at: 'a', after: 'b'}}\ngame: part _gap? (part _gap?)*\npart: /[a-z]/\n_gap: /;/\n", "game"),
    ("//- {restart: {at: 'a', after: ''}}\ngame: (part | note)+ end?\npart: /[a-y]/\nnote: /[0-9]/\nend: \"z\"\n", "game"),
]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(("rules", "name"), RESTARTS)
def test_records_that_end_where_another_begins(rules: str, name: str) -> None:
    """Every text of four characters, by one expression and piece by piece."""
    grammar = f"start: {name}*\n{rules}"
    fast, slow = codec_of(grammar), codec_of(grammar, False)
    letters = "abd1;z"
    for number in range(len(letters) ** 4):
        text = "".join(letters[number // len(letters) ** place % len(letters)] for place in range(4)).encode()
        one, two = fast.read(text), slow.read(text)
        assert plain(one.root) == plain(two.root), text
        assert one.diagnostics == two.diagnostics
