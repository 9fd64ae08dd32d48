"""The text engine on small grammars: reading, recovery, findings, writing, and what a schema may not say."""

from __future__ import annotations

import pytest

from bridgespec.codec.text.codec import TextCodec, plain
from bridgespec.errors import SpecError, WriteError
from tests.codec.text.support import codec_of, load_text
from tests.told import quoted

LIST = r"""
start: item*
item: name "=" _GAP? number _NL
name: /[a-z]++/
//- {says: a number}
number: /[0-9]++/
//- {write: " "}
_GAP: / ++/
//- {write: "\n", says: the end of the line}
_NL: /\n/
"""


@pytest.fixture(scope="module")
def items() -> TextCodec:
    """The codec of a list of names and numbers."""
    return codec_of(LIST)


def test_a_record_is_a_rule_and_its_fields_are_what_the_rule_names(items: TextCodec) -> None:
    """Rules and terminals become fields, layout does not; positions are bits from the start of the file."""
    reading = items.read(b"a=1\nbc= 23\n")
    assert plain(reading.root) == {"item": [{"name": "a", "number": "1"}, {"name": "bc", "number": "23"}]}
    number = reading.root["item"].children[1]["number"]  # type: ignore[index]
    assert (number.start, number.stop, number.value) == (8 * 8, 8 * 10, "23")
    assert [path for path, _ in reading.root.walk()][-1] == "item[1].number"


def test_a_bad_line_costs_that_line(items: TextCodec) -> None:
    """The others are read, and the finding names the place and what was wanted there."""
    reading = items.read(b"a=1\nb=x\nc=3\n")
    assert plain(reading.root) == {"item": [{"name": "a", "number": "1"}, {"name": "c", "number": "3"}]}
    (finding,) = reading.diagnostics
    assert (finding.code, finding.record, finding.span.byte_start) == ("unreadable-line", 1, 6)  # type: ignore[union-attr]
    assert (finding.span.line, finding.span.column) == (2, 3)  # type: ignore[union-attr]
    assert ("a number" in finding.message, quoted(finding.message)) == (True, ["x"])
    broken = reading.root["item"].children[1]  # type: ignore[index]
    assert broken.broken
    assert broken.value == "b=x\n"


def test_every_byte_can_be_read(items: TextCodec) -> None:
    """Any bytes at all give a tree and findings, up to the limit, and no exception."""
    reading = items.read(bytes(range(256)) * 20, limit=5)
    assert len(reading.diagnostics) <= 6
    assert reading.root.stop == 8 * 256 * 20


def test_the_writer_is_the_grammar(items: TextCodec) -> None:
    """Fresh text takes the layout that the grammar declares."""
    assert items.write({"item": [{"name": "a", "number": 7}]}) == b"a= 7\n"


def test_what_is_not_changed_stays(items: TextCodec) -> None:
    """With the reading at hand, bytes change only where values do; elements can come and go; broken lines stay."""
    data = b"a=1\nb=x\nc=   3\nd= 4\n"
    reading = items.read(data)
    values = plain(reading.root)
    assert isinstance(values, dict)
    assert items.write(values, reading) == data
    values["item"][1]["number"] = "33"  # type: ignore[call-overload,index]
    assert items.write(values, reading) == b"a=1\nb=x\nc=   33\nd= 4\n"
    values = plain(reading.root)
    del values["item"][0]  # type: ignore[union-attr,index,call-overload,arg-type]
    assert items.write(values, reading) == b"b=x\nc=   3\nd= 4\n"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"item": [{"name": "A", "number": 1}]}, "item.name: 'A' does not fit the rule name"),
        ({"item": [{"name": "a"}]}, "item.number: number is missing"),
        ({"item": [{"name": "a", "number": 1, "colour": "red"}]}, "item has no field colour"),
        ({"item": [{"name": "a", "number": "€"}]}, "'€' is not a number"),
    ],
)
def test_what_cannot_be_spelled_is_named(items: TextCodec, values: dict[str, object], message: str) -> None:
    """A WriteError says which field, and why."""
    with pytest.raises(WriteError) as caught:
        items.write(values)
    assert message in str(caught.value)


def test_codes_have_names() -> None:
    """A rule whose alternatives are named is a code: many spellings, the first one written."""
    codec = codec_of('start: colour*\ncolour: "r"i -> red | "rot" -> red | /b+/ -> blue\n')
    reading = codec.read(b"Rbb")
    assert plain(reading.root) == {"colour": ["red", "blue"]}
    assert [node.value for node in reading.root["colour"].children or ()] == ["red", "blue"]
    assert codec.write({"colour": ["red", 0]}) == b"rr"


def test_a_report_is_a_finding_with_its_repair() -> None:
    """Wherever the rule matches, once, with the text quoted."""
    codec = codec_of(
        'start: line*\nline: word (" " (word | loud))* "\\n"\nword: /[a-z]++/\n'
        "//- report: {code: too-loud, severity: warning, message: '{text!r} shouts', fix: hush, safe: true}\nloud: /[A-Z]++/\n"
    )
    reading = codec.read(b"a b\nc D e F\n")
    assert [(d.code, d.message, d.span.byte_start, d.field) for d in reading.diagnostics if d.span] == [
        ("too-loud", "'D' shouts", 6, "line[1].loud[0]"),
        ("too-loud", "'F' shouts", 10, "line[1].loud[1]"),
    ]
    fix = reading.diagnostics[0].fix
    assert fix is not None
    assert (fix.safe, fix.edits[0].replacement) == (True, b"hush")


@pytest.mark.parametrize("accelerated", [True, False])
def test_every_report_on_layout_is_told(accelerated: bool) -> None:
    """Before a repetition, in each of its rounds and after it."""
    codec = codec_of(
        'start: row*\nrow: _odd? (word _odd?)+ "." _odd? "\\n"\nword: /[a-z]/\n'
        "//- report: {code: odd, severity: warning, message: '{text!r}'}\n_odd: /[!?]/\n",
        accelerated,
    )
    for data in (b"!a?b!.?\n", b"!ab.\n", b"a!b.\n", b"!a.!\n!b?.\n"):
        said = [(d.span.byte_start, d.message) for d in codec.read(data).diagnostics if d.span]
        assert sorted(said) == [(at, repr(chr(byte))) for at, byte in enumerate(data) if byte in b"!?"]


CONTENT = r"""
start: pair*
//- name: key
//- content: {of: value, by: key, cases: {n d: number}, code: misfit, severity: warning, message: "{key} is not {value!r}"}
pair: key ":" value ";"
key: /[a-z]++/
value: /[^;]++/
number: digits unit?
//- {says: digits}
digits: /[0-9]++/
unit: "px"
"""


def test_content_is_read_by_the_rule_of_its_key() -> None:
    """And what does not fit stays text, with a finding that costs nothing else."""
    codec = codec_of(CONTENT)
    reading = codec.read(b"n:12px;x:anything;d:x1;")
    assert [part["value"] for part in plain(reading.root)["pair"]] == [{"digits": "12", "unit": "px"}, "anything", "x1"]  # type: ignore[index,call-overload,union-attr]
    (finding,) = reading.diagnostics
    assert (finding.code, finding.severity, finding.field) == ("misfit", "warning", "pair[2].value")
    assert (finding.message[0], quoted(finding.message), "expected digits" in finding.message) == ("d", ["x1", "x"], True)
    assert codec.write({"pair": [{"key": "n", "value": {"digits": 5}}, {"key": "z", "value": "?"}]}) == b"n:5;z:?;"


def test_derived_numbers_are_verified_and_computed() -> None:
    """By an expression over other fields and constants."""
    codec = codec_of(
        'start: row*\nrow: one "," two "," sum "\\n"\n//- {number: {}}\none: /[0-9]++/\n//- {number: {}}\ntwo: /[0-9]++/\n'
        "//- {number: {pad-left: '0', width: 3}, value: one ^ two ^ 8}\nsum: /[0-9]++/\n"
    )
    assert codec.read(b"5,3,014\n").diagnostics == []
    (finding,) = codec.read(b"5,3,013\n").diagnostics
    assert (finding.code, finding.fix.edits[0].replacement) == ("derived-mismatch", b"014")  # type: ignore[union-attr]
    assert codec.write({"row": [{"one": 5, "two": "3"}]}) == b"5,3,014\n"


def test_a_derived_number_of_a_record_wants_the_record() -> None:
    """What is given in its place is refused with its path."""
    codec = codec_of(
        'start: row*\nrow: pair "," sum "\\n"\npair: one two\n//- {number: {}}\none: /[0-9]/\n//- {number: {}}\ntwo: /[0-9]/\n'
        "//- {number: {}, value: pair.one ^ pair.two}\nsum: /[0-9]+/\n"
    )
    assert codec.write({"row": [{"pair": {"one": 5, "two": 3}}]}) == b"53,6\n"
    with pytest.raises(WriteError, match=r"row\.pair: 'x' does not fit"):
        codec.write({"row": [{"pair": "x"}]})


def test_how_far_a_rule_looks_back() -> None:
    """Any distance where it reaches itself, else as far as its texts look: what stands there decides how it is read."""
    codec = codec_of('start: row*\nrow: group word tail "\\n"\ngroup: "(" group* ")"\nword: /[a-z]/\ntail: /(?<=[a-z])x/\n')
    looks = {name: codec.engine.value(name).behind for name in ("row", "group", "word", "tail")}
    assert looks == {"row": 2, "group": 2, "word": 0, "tail": 1}
    assert codec_of("start: row*\nrow: word tail\nword: /[a-z]/\ntail: /(?<=[a-z])x/\n").engine.value("row").behind == 1


def test_a_record_ends_where_another_begins() -> None:
    """Once a part like ``after`` has passed, one like ``at`` begins another record."""
    codec = codec_of("start: game*\n//- {restart: {at: '[ab]', after: 'd'}}\ngame: part+\npart: /[a-z]/\n")
    assert [game["part"] for game in plain(codec.read(b"abdxayd").root)["game"]] == [list("abdx"), list("ayd")]  # type: ignore[index,call-overload,union-attr]


@pytest.mark.parametrize(
    ("grammar", "line", "message"),
    [
        ("start: nothing\n", 3, "nothing is not defined"),
        ("start: A\nA: /(a)/\n", 4, "a terminal has no groups that capture"),
        ("start: A\nA: /[/\n", 4, "not a regular expression"),
        ('start: A\nA: "a"\nA: "b"\n', 5, "A is defined twice"),
        ('%ignore " "\nstart: "a"\n', 3, "every character of a file is declared"),
        ('//- {colour: red}\nstart: "a"\n', 3, "unknown key 'colour'"),
        ('start: a\na: "x"? a ")"\n', 4, "rule a reaches itself before it has read anything"),
        ('//- {content: {of: b, rule: c}}\nstart: a*\na: "a"\n', 4, "there is no rule 'c'"),
        ("%import .nowhere (A)\nstart: A\n", 3, "there is no nowhere.lark"),
    ],
)
def test_a_faulty_grammar_is_refused_with_its_place(grammar: str, line: int, message: str) -> None:
    """Line by line, in words."""
    with pytest.raises(SpecError) as caught:
        load_text("//- {id: test, extensions: [test]}\n\n" + grammar)
    findings = caught.value.diagnostics
    assert message in " / ".join(d.message for d in findings)  # type: ignore[attr-defined]
    assert line in [d.span.line for d in findings]  # type: ignore[attr-defined]


def test_a_rule_that_is_not_defined_is_told_with_the_nearest_that_is() -> None:
    """The help names it; no help is given where no name is near."""
    with pytest.raises(SpecError) as caught:
        load_text('//- {id: test, extensions: [test]}\n\nstart: deal other\ndeel: "a"\n')
    assert [d.help for d in caught.value.diagnostics] == ["did you mean 'deel'?", None]  # type: ignore[attr-defined]


@pytest.mark.parametrize("gap", ["\n", ""])
def test_the_head_is_the_head_without_an_empty_line_below_it_too(gap: str) -> None:
    """A first block that names the format is not taken for the words of the rule that follows it at once."""
    head = "//- id: own\n//- title: My own\n//- extensions: [own]\n"
    assert load_text(f"{head}{gap}start: word*\nword: /[a-z]++/\n").title == "My own"


def test_a_mistake_with_a_finding_of_its_own_is_not_what_was_expected() -> None:
    """Only what is right is said to be expected, not the patterns that stand for mistakes."""
    grammar = """
start: line*
line: (flag | odd) "\\n"
//- {says: Y or N}
flag: "Y" | "N"
//- report: {code: own-flags, severity: error, message: "no flag"}
odd: /[yn]/ | /[01]/
"""
    (found,) = codec_of(grammar).read(b"X\n").diagnostics
    expected, found_there = found.message.removeprefix("expected ").split(", ")
    assert (expected, quoted(found_there)) == ("Y or N", ["X"])
