"""A schema may give any word to any field: a writer fills the field, leaves it out or refuses; `check-spec` names its place.

What a finding about a schema advises where a new author is likely to go wrong.

What is worked on a schema grows with it and no faster, and a schema that is nested too far is a finding.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bridgespec.codec.format import Format
from bridgespec.codec.probe_boards import trials
from bridgespec.codec.terms import TERMS, WORDS
from bridgespec.diagnostic import Diagnostic
from bridgespec.engines import Engine
from bridgespec.schema_checks import findings
from tests.cli.running import run
from tests.steps import lines

TEXT = """//- {{id: any, extensions: [any]}}
start: boards*
boards: number " " {field} "\\n"
//- {{number: {{}}}}
number: /[1-9][0-9]*/
{rules}"""
OPAQUE = "//- {opaque: true, default: '\"x\"'}\nremark: /[a-z]+/\n"
RULES = {
    "text": ("part", "part: /[^, \\n]+/\n"),
    "code": ("part", 'part: "N" -> north | "S" -> south\n'),
    "record": ("part", f'part: "(" remark ")"\n{OPAQUE}'),
    "role": ("part", 'part: "(" inner ")"\n//- {role: ROLE}\ninner: /[a-z0-9]+/\n'),
    "list": ('(part ",")*', "part: /[^, \\n]+/\n"),
    "list of records": ('(part ",")*', f'part: "(" remark ")"\n{OPAQUE}'),
    "recursive": ("part", f'part: "[" (part | remark)* "]"\n{OPAQUE}'),
    "linked": ("part", 'part: one rest?\nrest: "," one rest?\n//- {role: ROLE}\none: /[a-z0-9]+/\n'),
}
BYTES = """meta: {{id: any, file-extension: any, endian: be}}
seq: [{{id: boards, type: board, repeat: eos}}]
types:
  board:
    seq:
      - {{id: number, type: u1}}
      - {{id: part, {field}, -bridge-as: {word}}}
  raw: {{seq: [{{id: remark, type: u1, -bridge-opaque: true, -bridge-default: 0}}]}}
  one: {{seq: [{{id: inner, type: u1, -bridge-role: ROLE}}]}}
enums: {{seat: {{0: north, 1: south}}}}
"""
FIELDS = {
    "text": "type: strz, encoding: ASCII",
    "number": "type: u1",
    "code": "type: u1, enum: seat",
    "record": "type: raw",
    "role": "type: one",
    "list": "type: u1, repeat: expr, repeat-expr: 3",
    "list of codes": "type: u1, enum: seat, repeat: expr, repeat-expr: 3",
    "list of records": "type: raw, repeat: expr, repeat-expr: 3",
    "list of roles": "type: one, repeat: expr, repeat-expr: 3",
}
ALL = sorted({*WORDS, "auction.note", "play.note", "play.stop", "players.player", "auction.call_made"})


def found(folder: Path, name: str, text: str) -> list[Diagnostic]:
    """The findings of `check-spec`, and of a generated board whatever it has found."""
    path = folder / name
    path.write_text(text)
    spec, here = findings(path, [])
    if spec is not None:
        known = Format(spec)
        list(trials(known.binder, lambda document: known.trial(document)[::2], lambda data: (known.read(data)[1], None), 1))
    return here


@pytest.mark.slice(10, quick=3)
@pytest.mark.parametrize("word", ALL)
def test_no_word_of_a_field_is_an_internal_error(word: str, tmp_path: Path) -> None:
    """Of each shape, with each of the first roles of the term: no exception but a finding, if anything is wrong."""
    name = word.partition(".")[0]
    roles = list((TERMS[name] if name in TERMS else WORDS[word][0]).ROLES)[:2] or ["comment"]
    for shape, (field, rules) in RULES.items():
        for role in roles if shape == "role" else roles[:1]:
            (tmp_path / shape).mkdir(exist_ok=True)
            rules_here = f"//- {{as: {word}}}\n" + rules.replace("ROLE", role)
            found(tmp_path / shape, "any.lark", TEXT.format(field=field, rules=rules_here))
    for shape, declared in FIELDS.items():
        (tmp_path / f"b {shape}").mkdir()
        found(tmp_path / f"b {shape}", "any.ksy", BYTES.format(field=declared, word=word).replace("ROLE", roles[0]))


NOTED = """//- {id: any, extensions: [any]}
start: boards*
boards: number note? "\\n"
//- {number: {}}
number: /[1-9][0-9]*/
note: " ; " remark
//- {opaque: true}
remark: /[^\\n]+/
"""


def test_a_note_to_which_no_call_refers_is_a_finding(tmp_path: Path) -> None:
    """A field named `note` is a note on calls or cards; where none can refer to one, the schema's author is told at the field."""
    here = found(tmp_path, "any.lark", NOTED)
    assert [one.code for one in here][:1] == ["schema-unbound"]
    assert here[0].message.split()[0] == "boards.note"
    assert here[0].span is not None
    assert here[0].span.line == 6


def test_names_of_players_one_by_one(tmp_path: Path) -> None:
    """The word `players.player` names a list of the four names in a board, as the role does in a record of players."""
    text = TEXT.format(field='(part ",")*', rules="//- {as: players.player}\npart: /[^, \\n]+/\n")
    assert not found(tmp_path, "any.lark", text)
    assert Engine([tmp_path]).load(b"1 w,n,e,s,\n", "any").boards[0].players == ("w", "n", "e", "s")


HEAD = "//- id: x\n//- extensions: [x]\n//- model: boards\nstart: boards*\n"
DEALS = 'boards: "b" deal _NL\ndeal: hand " " hand " " hand " " hand\nhand: holding? "." holding? "." holding? "." holding?\n'
HOLDING = "//- {axes: [{suit: SHDC}]}\nholding: /[AKQJT2-9]++/\n_NL: /\\n/\n"


@pytest.mark.parametrize(
    ("rules", "message", "help"),
    [
        (
            "boards: a b _NL\n//- opaque: true\na: /x/\n//- {number: {}, value: sum(span(a), _ * 2)}\nb: /[0-9]/\n_NL: /\\n/\n",
            "the expression ends too early",
            "put the expression in quotation marks",
        ),
        (
            "boards: number _NL\n//- {number: {}}\n//- says: a number\nnumber: /[0-9]/\n_NL: /\\n/\n",
            "this key stands beside a value in { }",
            "each on a line of its own",
        ),
        (
            DEALS.replace("deal: hand", "//- {axes: [{seat: WNES}]}\ndeal: hand") + HOLDING,
            "deal: 'axes' has no effect: the field is deal, and no array",
            "give them to a part with the role",
        ),
    ],
)
def test_a_mistake_comes_with_advice(tmp_path: Path, rules: str, message: str, help: str) -> None:
    """The finding that says what is wrong has a help that says what to do."""
    path = tmp_path / "x.lark"
    path.write_text(HEAD + rules, "utf-8")
    told = [one.help or "" for one in findings(path, [])[1] if one.message.endswith(message)]
    assert told
    assert help in told[0]


SIZES = (40, 80, 160)


def fields(count: int) -> str:
    """A schema of plain fields."""
    rows = "".join(f"- {{id: f{at}, type: u1}}\n" for at in range(count))
    return f"meta: {{id: x, endian: le, file-extension: x}}\nseq:\n{rows}"


def head(start: str) -> str:
    """A grammar's head and its start rule."""
    return f"//- id: x\n//- title: x\n//- extensions: [x]\nstart: {start}\n"


def rules(count: int) -> str:
    """A grammar of rules side by side."""
    names = [f"a{at}" for at in range(count)]
    return head(f"({' | '.join(names)})*") + "".join(f'{name}: "{name};"\n' for name in names)


def nested(count: int) -> str:
    """A grammar of rules, each of which names the next."""
    return head("a0") + "".join(f'a{at}: "x" a{at + 1}?\n' for at in range(count - 2)) + f'a{count - 2}: "x"\n'


@pytest.mark.long
@pytest.mark.parametrize(("name", "schema"), [("x.ksy", fields), ("x.lark", rules)], ids=["fields", "rules"])
def test_checking_a_schema_is_linear(name: str, schema: Callable[[int], str], tmp_path: Path) -> None:
    """Twice as many more take at most a little more than twice the lines more, to check the schema and to load it."""
    counts = []
    path = tmp_path / name
    for size in SIZES:
        path.write_text(schema(size))
        # What is done once in a process is not counted.
        run("check-spec", path)
        counts.append(lines(lambda: run("check-spec", path)) + lines(lambda: Engine([tmp_path]).spec("x")))
    assert counts[2] - counts[1] < 2.2 * (counts[1] - counts[0])


def test_rules_are_nested_a_hundred_deep(tmp_path: Path) -> None:
    """One more is an error of the grammar; neither is an exception."""
    path = tmp_path / "x.lark"
    path.write_text(nested(100))
    assert run("check-spec", path).exit_code == 0
    for count in (101, 1000):
        path.write_text(nested(count))
        result = run("check-spec", path)
        assert result.exit_code == 1
        assert "than 100 rules" in result.output
