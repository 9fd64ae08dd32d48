"""Grammars that stop in the middle, or repeat what cannot be counted: each is an error with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.spec.grammar.load import load_grammar
from bridgespec.spec.grammar.syntax import parse_rules


@pytest.mark.parametrize(
    ("rule", "column"),
    [
        ('start: "1" -> ', 15),
        ('start: "1" -> "x"', 15),
        ("start: start~", 14),
        ("start: start~start", 14),
        ("start: start~-1", 14),
        ("start: start~3..2", 17),
        ("start: start~" + "9" * 5000, 14),
        ('start: "a"..', 13),
        ("start: (", 8),
        ("%import", 8),
        ("%import .bridge.(", 17),
    ],
)
def test_an_unfinished_grammar_has_an_error_with_its_place(rule: str, column: int) -> None:
    """A grammar that breaks off has one finding, at the line and column of the fault."""
    with pytest.raises(SpecError) as raised:
        parse_rules(rule, Path("some.lark"))
    (finding,) = raised.value.diagnostics
    assert isinstance(finding, Diagnostic)
    assert finding.span is not None
    assert (finding.span.line, finding.span.column) == (1, column)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_finding_names_the_bytes_of_the_file(end: str, tmp_path: Path) -> None:
    """The span of a finding in a `//-` block, of a grammar and of its import, has the bytes of the file, with either line end."""
    lines = [
        "//- id: mine",
        "//- extensions: [mine]",
        "%import .part.word",
        "start: word",
        "",
        "//- as: x",
        "//- opaque: 3",
        "more: /a/",
    ]
    for name, text in (("mine", lines), ("part", [*lines[4:7], "word: /a/"])):
        (tmp_path / f"{name}.lark").write_bytes(end.join(text).encode())
    with pytest.raises(SpecError) as raised:
        load_grammar(tmp_path / "mine.lark")
    found = [one for one in raised.value.diagnostics if one.code == "schema-value"]
    assert {one.path for one in found} == {"mine.lark", "part.lark"}
    for one in found:
        span = one.span
        assert span is not None
        assert (tmp_path / str(one.path)).read_bytes()[span.byte_start : span.stop // 8] == b"3"


def test_a_grammar_of_parts_need_not_begin(tmp_path: Path) -> None:
    """Others import its rules; one that has an id is a format, and has a rule to begin with."""
    (tmp_path / "parts.lark").write_text("word: /[a-z]/\n", "utf-8")
    assert load_grammar(tmp_path / "parts.lark").id == "parts"
    (tmp_path / "whole.lark").write_text("//- {id: whole}\nword: /[a-z]/\n", "utf-8")
    with pytest.raises(SpecError, match="no rule 'start' to begin with"):
        load_grammar(tmp_path / "whole.lark")


@pytest.mark.parametrize(
    ("block", "data"),
    [
        ("|", b"a\r\n\r\n b\r\n"),
        ("|-", b"a\r\n\r\n b"),
        ("|+", b"a\r\n\r\n b\r\n\r\n"),
    ],
)
def test_a_sample_is_a_block_with_line_ends_of_its_own(tmp_path: Path, block: str, data: bytes) -> None:
    """`|` ends with one line end, `|-` with none, `|+` with all that stand there; each is spelled as `ends` says."""
    lines = ["id: x", "samples:", "- name: one", '  ends: "\\r\\n"', f"  text: {block}", "    a", "", "     b", ""]
    path = tmp_path / "x.lark"
    path.write_text("".join(f"//- {line}\n" for line in lines) + "\nstart: /(?s:.)*+/\n", "utf-8", newline="")
    (sample,) = load_grammar(path).samples
    assert sample.data == data


def test_the_codes_of_a_sample_are_one_or_a_list(tmp_path: Path) -> None:
    """As the JSON Schema of the language has them."""
    path = tmp_path / "x.lark"
    for codes in ("a-code", "[a-code]"):
        path.write_text(f'//- id: x\n//- samples: [{{name: one, text: a, codes: {codes}}}]\n\nstart: "b"\n', "utf-8")
        (sample,) = load_grammar(path).samples
        assert sample.codes == ("a-code",)


def test_a_finding_in_the_words_of_a_rule_marks_its_bytes(tmp_path: Path) -> None:
    """The bytes of a place in a block are those of the file, behind rules and letters of several bytes too."""
    path = tmp_path / "q.lark"
    path.write_text("//- {id: q, title: é}\n// ß\nstart: n*\n//- {number: {}, value: _parent.zork.size}\nn: /[0-9]+/\n", "utf-8")
    with pytest.raises(SpecError) as raised:
        load_grammar(path)
    (finding,) = raised.value.diagnostics
    assert isinstance(finding, Diagnostic)
    assert finding.span is not None
    assert path.read_bytes()[finding.span.start // 8 : finding.span.stop // 8] == b"_parent.zork.size"
    assert (finding.span.line, finding.span.column) == (4, 25)


def test_a_coordinate_is_given_once(tmp_path: Path) -> None:
    """By `at` or by an axis: a table of tricks with both had cells beyond its end."""
    path = tmp_path / "x.lark"
    words = "//- {at: {seat: declarer}, axes: [{strain: NSHDC}, {seat: WNES}]}"
    path.write_text(f"//- id: x\nstart: row*\nrow: tricks\n{words}\ntricks: /[0-9]+/\n", "utf-8")
    with pytest.raises(SpecError, match="'at' cannot apply: the axes give the seat"):
        load_grammar(path)
