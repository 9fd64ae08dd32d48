"""Rules that reach themselves: read and written, to a bounded depth, and no slower for having been tried twice."""

from __future__ import annotations

import pytest

from bridgespec.codec.text import grammar_program
from bridgespec.codec.text.codec import plain
from bridgespec.depth import LEVELS
from bridgespec.errors import WriteError
from tests.codec.text.support import codec_of
from tests.steps import steps

TREE = 'start: tree*\ntree: "(" name tree* ")" _NL?\nname: /[a-z]++/\n_NL: /\\n/\n'


@pytest.mark.parametrize("accelerated", [True, False])
def test_a_tree_of_records(accelerated: bool) -> None:
    """Records in records, and back to the same text."""
    codec = codec_of(TREE, accelerated)
    reading = codec.read(b"(a(b)(c(d)))")
    whole = {"tree": [{"name": "a", "tree": [{"name": "b"}, {"name": "c", "tree": [{"name": "d"}]}]}]}
    assert (plain(reading.root), reading.diagnostics) == (whole, [])
    assert codec.write(whole) == b"(a(b)(c(d)))"


@pytest.mark.parametrize("options", ['"(" item ")" | word', 'word | "(" item ")"', '"(" item ")" | "[" item "]" | word'])
def test_a_missing_value_of_a_rule_that_reaches_itself(options: str) -> None:
    """Writing raises WriteError where the rule's fields have no default, and writes one level of the rule where they have."""
    rules = f'start: item "."\nitem: {options}\n'
    for values in ({}, {"item": {}}, {"item": {"item": {}}}):
        with pytest.raises(WriteError, match="missing"):
            codec_of(rules + "word: /[a-z]/\n").write(values)
    assert codec_of(rules + "//- {default: '\"x\"'}\nword: /[a-z]/\n").write({}) == b"x."


def test_composed_records_do_not_depend_on_what_was_written_before() -> None:
    """Of two rules that reach each other, each has fewer alternatives within the other; its text there is used nowhere else."""
    rules = 'start: (one | two) "."\none: "x" two | "y" word\ntwo: "p" one | "q" word\n//- {default: \'"w"\'}\nword: /w/\n'
    values: list[dict[str, object]] = [{"one": {}}, {"two": {}}]
    fresh = [codec_of(rules).write(value) for value in values]
    shared = codec_of(rules)
    assert [shared.write(value) for value in values] == fresh
    assert [shared.write(value) for value in reversed(values)] == fresh[::-1]


def test_a_list_that_is_layout() -> None:
    """Layout that reaches itself makes an array."""
    codec = codec_of('start: _list\n_list: item ("," _list)?\nitem: /[a-z]/\n')
    assert plain(codec.read(b"a,b,c").root) == {"item": ["a", "b", "c"]}
    assert codec.write({"item": ["a", "b", "c"]}) == b"a,b,c"


def test_too_deep_a_text_is_a_finding() -> None:
    """With the place where it was too deep; the next line is read."""
    deep = 2 * LEVELS
    reading = codec_of(TREE).read(b"(a" * deep + b")" * deep + b"\n(a)\n")
    assert plain(reading.root) == {"tree": [{"name": "a"}]}
    (finding,) = reading.diagnostics
    assert finding.span is not None
    assert (finding.code, finding.span.byte_start) == ("too-deep", 2 * LEVELS)
    assert len(codec_of(TREE).read(b"(a" * 10_000).diagnostics) == 1


@pytest.mark.parametrize("accelerated", [True, False])
def test_alternatives_that_begin_alike_are_read_once(accelerated: bool) -> None:
    """Fifty levels, at each of which the first of two alternatives fails at its last character: not two to the fiftieth steps."""
    codec = codec_of('start: a\na: "(" a ")" "x" | "(" a ")" "y" | "z"\n', accelerated)
    text = b"(" * 50 + b"z" + b")y" * 50
    assert codec.read(text).diagnostics == []
    assert steps(lambda: codec.read(text), 100_000)


@pytest.mark.long
def test_the_program_of_nested_rules_needs_no_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bound is that of those who read its trees: without it, thousands of levels match, and a missing end does not."""
    monkeypatch.setattr(grammar_program, "permit", lambda depth: True)
    value = codec_of(TREE).engine.value("tree")
    assert value.fits("(a" * 5_000 + ")" * 5_000)
    assert not value.fits("(a" * 5_000 + ")" * 4_999)


def test_steps_agree_with_expressions() -> None:
    """Repetitions with and without an end, choices, and layout that reaches a rule which reaches itself."""
    rules = [
        "start: tree",
        'tree: "(" name* _item~2 (sign | tree)+ name~0..2 ")"',
        '_item: "." | tree',
        'sign: ";"',
        "name: /[a-z]/",
    ]
    grammar = "\n".join(rules) + "\n"
    for text in (b"(..;)", b"(a(..;).;(..;)cd)", b"(..)", b"(.;)", b"(..;abc)", b"(ab;)", b"(a..;;(..;)c)"):
        quick, plainly = codec_of(grammar).read(text), codec_of(grammar, False).read(text)
        assert (plain(quick.root), quick.diagnostics) == (plain(plainly.root), plainly.diagnostics)


def test_the_steps_of_a_rule_that_reaches_itself_are_data() -> None:
    """Each rule has its own, and calls the others by name."""
    rules = grammar_program.program_of(codec_of(TREE).engine)
    assert [step["step"] for step in rules["tree"]["steps"]] == ["match", "choice", "enter", "commit", "match", "return"]
    assert rules["tree"]["steps"][2] == {"step": "enter", "rule": "tree", "field": "tree"}
    assert rules["tree"]["steps"][1]["to"] == 4
