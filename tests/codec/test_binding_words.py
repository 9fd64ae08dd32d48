"""What words of a schema bind: only where a schema asks for it, by its words and not by names.

Records of several kinds in a text: those of one are boards, wherever they stand; the others are kept, and are no boards.

Lists of records of several kinds: those of one are boards, the others stay where they stood.

Names of fields bind to bridge only where a schema asks for it.

No rule of a schema has a meaning that is not written in the schema.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

# ruff: noqa: E501  (schemas on one line each)
from bridgespec.codec.binding_words import SchemaBinding
from bridgespec.codec.lint import lint
from bridgespec.diagnostic import Severity
from bridgespec.docs.reference import EXAMPLES
from bridgespec.engines import Engine
from bridgespec.errors import SpecError
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.document import Document
from bridgespec.schema_checks import findings
from bridgespec.spec.catalog import load_file
from bridgespec.spec.grammar import comment_blocks
from bridgespec.spec.problems import Problems
from bridgespec.spec.yaml import Yaml, load_yaml
from tests.cli.running import run
from tests.codec.terms.support import SPECS, renamed, rules_of, said, text_formats, tried, write

RULES = """//- {default: '"Cup"'}
event: /[A-Za-z]++/
//- as: boards
hand: "board " number " " dealer _NL
//- {number: {}}
number: /[0-9]++/
dealer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- opaque: true
remark: "# " text _NL
text: /[^\\n]++/
//- opaque: true
pause: "pause " minutes _NL
//- {number: {}}
minutes: /[0-9]++/
_NL: /\\n/
"""
HEAD = "//- id: club\n//- extensions: [club]\n//- model: boards\nstart: evening*\n"
BESIDE = HEAD + 'evening: "evening " event _NL (hand | remark | pause)* "end" _NL\n' + RULES
WITHIN = HEAD + 'evening: "evening " event _NL entry* "end" _NL\nentry: hand | remark | pause\n' + RULES
TEXT = """evening Tuesday
# hello there
board 1 N
pause 10
board 2 E
# bye
end
evening Friday
board 3 S
# last
end
"""
both = pytest.mark.parametrize("grammar", [BESIDE, WITHIN], ids=["beside", "within"])


def engine_of(folder: Path, grammar: str) -> Engine:
    """An engine with the format, in which `check-spec` finds no mistake."""
    (folder / "club.lark").write_text(grammar, "utf-8")
    assert [one.message for one in findings(folder / "club.lark", ())[1] if one.severity is Severity.ERROR] == []
    return Engine([folder])


@both
def test_other_records_are_no_boards(tmp_path: Path, grammar: str) -> None:
    """They are shown where they stand, and an unchanged file is its own bytes."""
    engine = engine_of(tmp_path, grammar)
    read = engine.read(TEXT.encode(), "club").document
    assert [board.number for board in read.boards] == [1, 2, 3]
    assert engine.spell(read, "club").data.decode() == TEXT
    paths = [path for path, _ in engine.of(engine.spec("club")).codec.read(TEXT.encode()).root.walk()]
    assert any("remark" in path and path.endswith(".text") for path in paths)


@both
def test_other_records_stay_where_they_were(tmp_path: Path, grammar: str) -> None:
    """Of a board that changes its line is written anew, of one that goes its line is taken out; nothing else moves."""
    engine = engine_of(tmp_path, grammar)
    read = engine.read(TEXT.encode(), "club").document
    one, two, three = read.boards
    changed = replace(read, boards=(one, replace(two, dealer=Seat.WEST), three))
    assert engine.spell(changed, "club").data.decode() == TEXT.replace("board 2 E", "board 2 W")
    assert engine.spell(replace(read, boards=(two, three)), "club").data.decode() == TEXT.replace("board 1 N\n", "")
    added = engine.spell(replace(read, boards=(one, two, Board(number=9, dealer=Seat.NORTH), three)), "club").data
    assert [board.number for board in engine.read(added, "club").document.boards] == [1, 2, 9, 3]
    assert sorted(added.decode().splitlines()) == sorted([*TEXT.splitlines(), "board 9 N"])


@both
def test_the_clean_form_has_them_too(tmp_path: Path, grammar: str) -> None:
    """With `--canonical` every record is spelled anew, each in its evening."""
    engine = engine_of(tmp_path, grammar)
    clean = engine.spell(engine.read(TEXT.encode(), "club").document, "club", canonical=True).data.decode()
    evenings, before = ([sorted(part.splitlines()) for part in text.split("end\n")] for text in (clean, TEXT))
    assert evenings == before


def test_the_clean_form_has_those_of_a_flat_file(tmp_path: Path) -> None:
    """Beside boards that stand in the file itself, too."""
    flat = HEAD.replace("start: evening*", "start: (hand | remark | pause)*") + RULES[RULES.index("//- as: boards") :]
    engine = engine_of(tmp_path, flat)
    text = "# one\nboard 1 N\npause 5\nboard 2 E\n"
    clean = engine.spell(engine.read(text.encode(), "club").document, "club", canonical=True).data.decode()
    assert sorted(clean.splitlines()) == sorted(text.splitlines())


@both
def test_boards_of_another_format_are_written(tmp_path: Path, grammar: str) -> None:
    """Each as a record of the kind of boards."""
    engine = engine_of(tmp_path, grammar)
    fresh = Document((Board(number=1, dealer=Seat.NORTH), Board(number=2, dealer=Seat.EAST)))
    assert engine.spell(fresh, "club").data.split(b"\n") == [b"evening Cup", b"board 1 N", b"board 2 E", b"end", b""]


KINDS = """//- {id: club, extensions: [club]}
start: boards*
boards: FORM
hand: "board " number " " dealer _NL
""" + RULES[RULES.index("//- {number: {}}") :]


@pytest.mark.parametrize(
    ("form", "rewrite"),
    [
        ("hand | pause", "repeat '(hand | pause)' instead, with 'as: boards' at the rule hand"),
        ("line\nline: hand | pause", "repeat '(hand | pause)' instead, with 'as: boards' at the rule hand"),
        ("number _NL | pause", "make each kind of record a rule, and repeat '(boards | remark)' with their names"),
        ("_one\n_one: hand | pause", "repeat '(hand | pause)' instead, with 'as: boards' at the rule hand"),
    ],
)
def test_an_alternative_that_is_no_board_is_a_finding(tmp_path: Path, form: str, rewrite: str) -> None:
    """A list of boards whose rule has an alternative without a word of a board, in one finding at the rule; none is read."""
    path = tmp_path / "club.lark"
    path.write_text(KINDS.replace("FORM", form), "utf-8")
    (error,) = (one for one in findings(path, [])[1] if one.severity is Severity.ERROR)
    assert (error.code, error.span and error.span.line) == ("schema-kinds", 3)
    assert error.message == f"boards: its records may also be pause, which states nothing of a board: {rewrite}"
    with pytest.raises(SpecError, match="pause"):
        Engine([tmp_path]).read(b"board 1 N\n", "club")


def test_an_empty_board_is_a_board(tmp_path: Path) -> None:
    """An alternative without fields stands for a board of which nothing is known."""
    engine = engine_of(tmp_path, KINDS.replace("FORM", 'hand | "-" _NL'))
    assert [board.dealer for board in engine.read(b"board 1 N\n-\n", "club").document.boards] == [Seat.NORTH, None]


def test_boards_are_a_list_where_the_record_around_them_is_one(tmp_path: Path) -> None:
    """The rewrite that a finding names needs no word in the head: one of the records that are repeated is a board."""
    engine = engine_of(
        tmp_path, KINDS.replace("start: boards*\nboards: FORM", "start: entry*\nentry: boards | pause").replace("hand:", "boards:")
    )
    read = engine.read(b"board 1 N\npause 5\nboard 2 E\n", "club")
    assert [board.number for board in read.document.boards] == [1, 2]
    assert read.diagnostics == ()


DATA = bytes.fromhex("03 0700 0a00 0e00 010302 02026869 010403 55c7")
ENGINE = Engine([EXAMPLES])


def written(document: Document) -> bytes:
    """The records of a document as they are written, without what is derived."""
    data = ENGINE.spell(document, "kinds").data
    assert ENGINE.examine(data, "kinds").errors == ()
    return data[1 + 2 * data[0] : -2]


def document() -> Document:
    """The document of the data: a board, a remark, a board."""
    return ENGINE.read(DATA, "kinds").document


def test_a_record_of_another_kind_is_no_board() -> None:
    """It is neither bound nor counted, and an unchanged file is its own bytes."""
    assert [board.number for board in document().boards] == [3, 4]
    assert ENGINE.spell(document(), "kinds").data == DATA


@pytest.mark.parametrize(
    ("order", "records"),
    [([0, 1], "010302 02026869 010403"), ([1, 0], "010403 010302 02026869"), ([1], "02026869 010403"), ([0], "010302 02026869")],
)
def test_other_records_stay_behind_the_board_before_them(order: list[int], records: str) -> None:
    """Boards that are moved take them along; where the board is gone they stand behind the one before it."""
    read = document()
    assert written(replace(read, boards=tuple(read.boards[index] for index in order))) == bytes.fromhex(records)


def test_a_changed_and_a_fresh_board_are_of_the_kind_of_boards() -> None:
    """Of a board that is new the kind is written with what it holds."""
    read = document()
    first, last = read.boards
    assert written(replace(read, boards=(replace(first, number=9), last))) == bytes.fromhex("010902 02026869 010403")
    assert written(Document(boards=(replace(first, origin=None),))) == bytes.fromhex("010302")


def test_records_of_other_kinds_are_spelled_anew_with_the_boards() -> None:
    """A file that is written afresh keeps them too: no board states them."""
    assert ENGINE.spell(document(), "kinds", canonical=True).data == DATA


def test_what_another_format_lacks_is_told() -> None:
    """Records of other kinds, and fields of the file that mean nothing in the model and are not as by default."""
    lost = [one.message for one in ENGINE.spell(document(), "pbn").findings]
    assert lost == ["pbn cannot hold a record of the kind 2 of kinds"]


@pytest.mark.parametrize(("flags", "told"), [("00", False), ("05", True)])
def test_a_field_of_the_file_that_is_not_as_by_default_is_told(tmp_path: Path, flags: str, told: bool) -> None:
    """A field without meaning says something where it differs from what a new file has."""
    head = "seq: [{id: flags, type: u1, -bridge-opaque: true, -bridge-default: 0}, {id: boards"
    (tmp_path / "unnamed.ksy").write_text(
        UNNAMED.replace("seq: [{id: boards", head, 1).replace("repeat: eos", "repeat: eos, -bridge-case: board")
    )
    engine = Engine([tmp_path])
    read = engine.read(bytes.fromhex(flags + "0103"), "unnamed").document
    lost = [one.message for one in engine.spell(read, "pbn").findings]
    assert lost == ["pbn cannot hold the field flags of unnamed"] * told


UNNAMED = """
meta: {id: unnamed, file-extension: unnamed}
seq: [{id: boards, type: rec, repeat: eos}]
types:
  rec:
    seq:
      - {id: kind, type: u1, -bridge-opaque: true, -bridge-default: 1}
      - {id: body, type: {switch-on: kind, cases: {1: board, 2: remark}}}
  board: {seq: [{id: number, type: u1}]}
  remark: {seq: [{id: text, type: u1, -bridge-opaque: true, -bridge-default: 0}]}
"""


def test_kinds_without_a_named_one_are_refused(tmp_path: Path) -> None:
    """Where a kind states nothing of a board and none is named, the schema is an error that says the key, and reads no board."""
    (tmp_path / "unnamed.ksy").write_text(UNNAMED)
    engine = Engine([tmp_path])
    (found,) = (one for one in lint(engine.spec("unnamed")) if one.severity is Severity.ERROR)
    assert (found.code, found.span and found.span.line) == ("schema-kinds", 3)
    assert "-bridge-case: board" in found.message
    with pytest.raises(SpecError, match="-bridge-case: board"):
        engine.read(bytes([1, 7, 2, 0]), "unnamed")
    (tmp_path / "unnamed.ksy").write_text(UNNAMED.replace("repeat: eos", "repeat: eos, -bridge-case: board"))
    named = Engine([tmp_path])
    assert not [one for one in lint(named.spec("unnamed")) if one.severity is Severity.ERROR]
    assert [board.number for board in named.read(bytes([1, 7, 2, 0]), "unnamed").document.boards] == [7]


WORDS = "seq: [{id: level, type: u1}, {id: date, type: u1}, {id: items, type: item, repeat: eos}]\n"
ITEM = "types: {item: {seq: [{id: number, type: u1}]}}\n"


def meaning(folder: Path, name: str, text: str) -> SchemaBinding:
    """What the files of a schema mean."""
    path = folder / name
    path.write_text(text, "utf-8")
    return SchemaBinding(load_file(path, []))


def test_fields_with_names_of_terms_mean_nothing_without_a_model(tmp_path: Path) -> None:
    """A schema of records that says nothing of bridge is checked, and its files are lists of records."""
    (tmp_path / "log.ksy").write_text("meta: {id: log, title: A log, file-extension: log1}\n" + WORDS + ITEM)
    (tmp_path / "x.log1").write_bytes(bytes(5))
    checked = run("check-spec", tmp_path / "log.ksy")
    assert checked.exit_code == 0
    assert "unbound" not in checked.stdout
    assert "(log, 3 records)" in run("--specs", tmp_path, "validate", tmp_path / "x.log1").stdout


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        ("a.ksy", "meta: {id: a, -bridge-model: boards}\nseq: [{id: number, type: u1}, {id: dealer, type: u1}]\n", {"number", "dealer"}),
        ("a.ksy", "meta: {id: a}\nseq: [{id: number, type: u1}]\n", set()),
        ("a.ksy", "meta: {id: a}\nseq: [{id: boards, type: item, repeat: eos}]\n" + ITEM, {"number"}),
        ("a.ksy", "meta: {id: a}\nseq: [{id: games, type: item, repeat: eos, -bridge-as: boards}]\n" + ITEM, {"number"}),
        ("a.ksy", "meta: {id: a}\nseq: [{id: boards, type: u1}, {id: number, type: u1}]\n", set()),
        ("a.lark", "//- id: a\nstart: games+\ngames: number _NL\nnumber: /[0-9]/\n_NL: /\\n/\n", set()),
        ("a.lark", "//- id: a\nstart: boards+\nboards: number _NL\nnumber: /[0-9]/\n_NL: /\\n/\n", {"number"}),
        ("a.lark", "//- id: a\nstart: games+\n//- as: boards\ngames: number _NL\nnumber: /[0-9]/\n_NL: /\\n/\n", {"number"}),
    ],
)  # fmt: skip
def test_a_model_or_a_list_of_boards_binds(tmp_path: Path, name: str, text: str, terms: set[str]) -> None:
    """Either is enough, in both languages; a field that is called boards and is no list is not."""
    assert meaning(tmp_path, name, text).terms == terms


def test_imports_are_found_from_the_top_of_a_collection(tmp_path: Path) -> None:
    """An import that begins with a slash is found in the folders above the schema, wherever the command runs."""
    for folder in ("net", "common"):
        (tmp_path / folder).mkdir()
    (tmp_path / "common" / "item.ksy").write_text("meta: {id: item, title: An item}\nseq: [{id: a, type: u1}]\n")
    (tmp_path / "net" / "log.ksy").write_text(
        "meta: {id: log, title: Log, file-extension: log, imports: [/common/item]}\nseq: [{id: items, type: item, repeat: eos}]\n"
    )
    (tmp_path / "x.log").write_bytes(b"\1\2")
    assert run("check-spec", tmp_path / "net" / "log.ksy").exit_code == 0
    assert "2 records" in run("--specs", tmp_path / "net", "validate", tmp_path / "x.log").stdout


CASES = [
    (format, rule)
    for format in text_formats()
    for rule in rules_of((SPECS / f"{format}.lark").read_text("utf-8"))
    if rule != "start"
]


READ: dict[tuple[str, str], Yaml | None] = {}
"""The blocks of words that have been read, by their text and file."""


def read_once(text: str, file: str, problems: Problems) -> Yaml | None:
    """As `load_yaml`: of the blocks of a schema, a renaming changes a few."""
    if (text, file) not in READ:
        before = len(problems.found)
        found = load_yaml(text, file, problems)
        if len(problems.found) != before:
            return found
        READ[text, file] = found
    return READ[text, file]


@pytest.fixture
def _blocks_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comment_blocks, "load_yaml", read_once)


@pytest.mark.slice(50)
@pytest.mark.usefixtures("_blocks_are_kept")
@pytest.mark.parametrize(("format", "rule"), CASES)
def test_a_renamed_rule_means_the_same_or_is_refused(format: str, rule: str, tmp_path: Path) -> None:
    """With any rule renamed, check-spec has an error, or every sample gives the same document and is written the same."""
    source = (SPECS / f"{format}.lark").read_text("utf-8")
    other = tried(write(tmp_path, f"{format}.lark", renamed(source, rule, f"other_{rule}")))
    if other is None:
        return
    for data, written, ours in said(format):
        assert other.said(data, written) == ours
