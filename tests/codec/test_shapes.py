"""Formats of shapes unlike ours, each put to everything that an author may ask: `check-spec`, reading, ten mistakes at their
places, the same bytes, JSON and PBN there and back, generated files, and the generated JavaScript reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.diagnostic import Severity
from bridgespec.docs.site import Site
from bridgespec.engines import Engine
from bridgespec.schema_checks import findings
from bridgespec.spec.grammar import Grammar
from tests.targets.javascript import Reader, expected, needs_node, write_module

Mistake = tuple[str, str, tuple[int, int], tuple[str, ...]]
"""A text of the good file, what stands in its place, where the finding is, and the codes of all."""


@dataclass(frozen=True)
class Shape:
    """A grammar, a good file of it, and mistakes in that; ``boards``: how many boards it has."""

    name: str
    grammar: str
    good: str
    boards: int
    mistakes: tuple[Mistake, ...]


def unreadable(old: str, new: str, line: int, column: int) -> Mistake:
    """A mistake that makes a text unreadable at a place."""
    return old, new, (line, column), ("unreadable-line",)


def derived(old: str, new: str, line: int, column: int) -> Mistake:
    """A mistake by which a value no longer follows from the rest."""
    return old, new, (line, column), ("derived-mismatch",)


LEAGUE = Shape(
    "league",
    r"""//- id: league
//- title: A league in blocks
//- extensions: [league]
//- model: boards
//- samples:
//-   - name: one match
//-     text: |
//-       match <Reds v Blues>
//-       [
//-         deal 5 by S
//-         [
//-           tables
//-           [
//-             7/8 3NT= S +400
//-             9/10 4H-1 N -50
//-           ]
//-         ]
//-         deal 6 by W
//-         [
//-         ]
//-       ]
start: match*
//- {says: a match}
match: "match " event _NL "[" _NL boards* "]" _NL
//- {says: a title, between: ["<", ">"], default: '"<match>"'}
event: /<[^>\n]*+>/
//- {says: a deal}
boards: _IN "deal " number " by " dealer _NL _IN "[" _NL tables_? _IN "]" _NL
//- {says: a number, number: {}}
number: /[1-9][0-9]{0,2}/
tables_: _IN "tables" _NL _IN "[" _NL line* _IN "]" _NL
//- {says: a line of the table, as: score_row}
line: _IN pair_ns "/" pair_ew " " contract result " " declarer " " score_ns _NL
//- {says: a pair}
pair_ns: /[1-9][0-9]*+/
//- {says: a pair}
pair_ew: /[1-9][0-9]*+/
contract: level strain doubling?
//- {number: {}, says: a level}
level: /[1-7]/
strain: "NT" -> notrump | "S" -> spades | "H" -> hearts | "D" -> diamonds | "C" -> clubs
doubling: "xx" -> redoubled | "x" -> doubled
result: just_made | "+" overtricks | "-" undertricks
just_made: "="
//- {number: {}, says: tricks}
overtricks: /[1-6]/
//- {number: {}, says: tricks}
undertricks: /1[0-3]|[1-9]/
dealer: seat
declarer: seat
//- {says: a score}
score_ns: /[+-][0-9]++/
seat: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {says: an indent, write: "  "}
_IN: /[ ]++/
//- {says: the end of the line, write: "\n"}
_NL: /[ ]*+\r?\n/
""",
    """match <Reds v Blues>
[
  deal 5 by S
  [
    tables
    [
      7/8 3NT= S +400
      9/10 4H-1 N -50
    ]
  ]
  deal 6 by W
  [
  ]
]
match <Greens v Greys>
[
  deal 7 by N
  [
    tables
    [
      1/2 7Sxx-13 E +7600
    ]
  ]
]
""",
    3,
    (
        unreadable("3NT=", "8NT=", 7, 11),
        unreadable("4H-1", "4Q-1", 8, 13),
        unreadable("N -50", "X -50", 8, 17),
        unreadable("by W", "by Z", 11, 13),
        unreadable("deal 5", "deal 0", 3, 8),
        unreadable("    tables\n    [\n      7", "    table\n    [\n      7", 5, 5),
        unreadable("9/10", "9-10", 8, 8),
        unreadable("+7600", "7600", 21, 21),
        unreadable("<Greens v Greys>", "<Greens v Greys", 15, 7),
        unreadable("7Sxx-13", "7Sxx-14", 21, 17),
    ),
)
CHECKED = Shape(
    "cards",
    r"""//- id: cards
//- title: Cards in columns with a sum in each line and at the end
//- extensions: [cards]
//- model: boards
//- samples:
//-   - name: one board
//-     text: |
//-       CARDS 0001
//-       0009 N O  SSSSSSSSSSSSSWWWWWWWWWWWWWNNNNNNNNNNNNNEEEEEEEEEEEEE 60
//-       END 6DE2 000058
start: "CARDS " count _NL boards* "END " check " " size _NL
//- {says: four digits, number: {pad-left: "0", width: 4}, value: boards.size}
count: /[0-9]{4}/
//- {says: a board}
boards: number " " dealer " " vulnerability " " deal " " sum _NL
//- {says: a number of four digits, number: {pad-left: "0", width: 4}}
number: /[0-9]{4}/
dealer: seat
vulnerability: "O " -> none | "NS" -> ns | "EW" -> ew | "* " -> both
deal: owner~52
//- {role: cell, axes: [{rank: 23456789TJQKA}, {suit: CDHS}], says: an owner}
owner: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {says: two digits, number: {pad-left: "0", width: 2}, value: 'sum(span(number, deal)) % 97'}
sum: /[0-9]{2}/
//- {says: four hexadecimal digits, number: {base: 16, pad-left: "0", width: 4}, value: 'crc(span(boards), "crc-16/modbus")'}
check: /[0-9A-F]{4}/
//- {says: six hexadecimal digits, number: {base: 16, pad-left: "0", width: 6}, value: _io.size}
size: /[0-9A-F]{6}/
seat: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- {says: the end of the line, write: "\n"}
_NL: /\r?\n/
""",
    """CARDS 0002
0009 N EW NWESEEWNSNEWWWNWESWWNSESENESSSENNWSNWEWNSEWNSENWESNS 93
0010 E *  SSWNSWSSSSSSSESSEEESWEEEWEEEWEEENNWNNNWNWNNWNWNWNWNW 91
END 887F 00009F
""",
    2,
    (
        derived("CARDS 0002", "CARDS 0003", 1, 7),
        unreadable("0009 N", "0009 X", 2, 6),
        unreadable(" EW ", " XW ", 2, 8),
        unreadable("NWESEE", "NWEQEE", 2, 14),
        (" 93", " 94", (2, 64), ("derived-mismatch", "derived-mismatch")),
        derived("NWESEE", "WNESEE", 4, 5),
        derived("END 887F", "END 887E", 4, 5),
        derived("00009F", "00008F", 4, 10),
        unreadable("END 887F", "END 88GF", 4, 5),
        unreadable("0010 E", "00I0 E", 3, 1),
        ("0009 N", "0009 S", (2, 64), ("derived-mismatch", "derived-mismatch")),
    ),
)
TERMS = Shape(
    "logic",
    r"""//- id: logic
//- title: Conditions of hands as nested terms
//- extensions: [logic]
//- samples:
//-   - name: two rules
//-     text: |
//-       1C when (all (over hcp 15) (any (over clubs 4) (not (over spades 3))))
//-       2N when (over hcp 19)
start: line*
//- {says: a rule}
line: call " when " term _NL
//- {says: a call}
call: /[1-7][CDHSN]/
//- {says: a term}
term: "(" (several | negated | compared) ")"
several: kind (" " term)+
kind: "all" -> all | "any" -> any
negated: "not " term
compared: "over " what " " number
what: "hcp" -> points | "spades" -> spades | "hearts" -> hearts | "diamonds" -> diamonds | "clubs" -> clubs
//- {says: a number, number: {}}
number: /[0-9]{1,2}/
//- {write: "\n"}
_NL: /\r?\n/
""",
    """1C when (all (over hcp 15) (any (over clubs 4) (not (over spades 3))))
2N when (over hcp 19)
3S when (any (all (over spades 6) (not (over hcp 9))) (over spades 7))
""",
    0,
    (
        unreadable("1C when", "8C when", 1, 1),
        unreadable("(all (over hcp 15)", "(most (over hcp 15)", 1, 10),
        unreadable("clubs 4", "club 4", 1, 39),
        unreadable("(not (over spades 3)", "(not over spades 3", 1, 53),
        unreadable("3))))", "3)))", 1, 70),
        unreadable("3))))", "3)))))", 1, 71),
        unreadable("hcp 19", "hcp x", 2, 19),
        unreadable("2N when", "2N if", 2, 3),
        unreadable("6) (not", "6) (nor", 3, 36),
        unreadable("(over spades 7))", "(over spades 7 8))", 3, 69),
    ),
)
SHAPES = (LEAGUE, CHECKED, TERMS)
BOARDS = tuple(shape for shape in SHAPES if shape.boards)


@dataclass(frozen=True)
class Author:
    """An author's folder with a schema and a good file, and the commands as he calls them."""

    shape: Shape
    folder: Path
    engine: Engine

    @property
    def grammar(self) -> Grammar:
        """The grammar of the schema."""
        found = self.engine.spec(self.shape.name).text
        assert isinstance(found, Grammar)
        return found

    @property
    def good(self) -> Path:
        """The good file."""
        return self.folder / f"good.{self.shape.name}"

    def said(self, path: Path) -> list[tuple[object, ...]]:
        """What the boards of a file say."""
        boards = self.engine.read(path.read_bytes(), self.shape.name).document.boards
        return [(one.number, one.dealer, one.vulnerability, one.deal, one.tables) for one in boards]

    def run(self, *args: str) -> str:
        """What a command prints; it must end without an error."""
        result = CliRunner().invoke(app, ["--specs", str(self.folder), *args])
        assert result.exit_code == 0, result.output
        return result.output


@pytest.fixture
def author(request: pytest.FixtureRequest, tmp_path: Path) -> Author:
    """The author of the shape that the test is about."""
    shape: Shape = request.param
    (tmp_path / f"{shape.name}.lark").write_text(shape.grammar, "utf-8")
    made = Author(shape, tmp_path, Engine([tmp_path]))
    made.good.write_text(shape.good, "utf-8")
    return made


every = pytest.mark.parametrize("author", SHAPES, ids=lambda shape: shape.name, indirect=True)
of_boards = pytest.mark.parametrize("author", BOARDS, ids=lambda shape: shape.name, indirect=True)


@every
def test_the_schema_is_sound_and_its_file_is_read(author: Author) -> None:
    """`check-spec` finds nothing but that a schema means nothing in bridge; the good file has no finding."""
    found = findings(author.folder / f"{author.shape.name}.lark", ())[1]
    assert [one.message for one in found if one.severity is not Severity.NOTE] == []
    report = author.engine.examine(author.shape.good.encode(), author.shape.name)
    assert [one.code for one in report.diagnostics if one.severity is Severity.ERROR] == []
    assert len(author.engine.read(author.shape.good.encode(), author.shape.name).document.boards) == author.shape.boards


@every
def test_ten_mistakes_are_told_at_their_places(author: Author) -> None:
    """One finding for each mistake, and one more for each sum that it breaks."""
    codec = author.engine.of(author.engine.spec(author.shape.name)).codec
    assert len(author.shape.mistakes) >= 10
    for old, new, place, codes in author.shape.mistakes:
        assert old in author.shape.good
        found = codec.read(author.shape.good.replace(old, new, 1).encode()).diagnostics
        assert tuple(one.code for one in found) == codes, (new, [one.message for one in found])
        assert found[0].span is not None
        assert (found[0].span.line, found[0].span.column) == place, new
        assert not any(word in one.message for one in found for word in ("None", "object", "codec", "'int'", "dict"))


@every
def test_a_file_comes_back_byte_for_byte(author: Author) -> None:
    """Unchanged; through JSON, which has the boards of a format of boards, and of any other all that is in a file."""
    data = author.shape.good.encode()
    assert author.engine.spell(author.engine.read(data, author.shape.name).document, author.shape.name).data == data
    back = author.folder / f"back.{author.shape.name}"
    author.run("convert", str(author.good), str(author.folder / "tree.json"))
    author.run("convert", str(author.folder / "tree.json"), str(back))
    assert author.said(back) == author.said(author.good)
    assert author.shape.boards or back.read_bytes() == data


@of_boards
def test_boards_go_to_pbn_and_back(author: Author) -> None:
    """A conversion of all boards loses nothing, and what is written back means the same."""
    name = author.shape.name
    author.run("convert", "--strict", str(author.good), str(author.folder / "all.pbn"))
    author.run("convert", str(author.folder / "all.pbn"), str(author.folder / f"all.{name}"))
    assert author.said(author.folder / f"all.{name}") == author.said(author.good)


@every
def test_files_are_made_of_the_schema(author: Author) -> None:
    """Valid ones have no finding, and each broken one has that which it is made for."""
    name = author.shape.name
    author.run("sample", name, "--count", "3", "-o", str(author.folder / "made"))
    made = sorted((author.folder / "made").glob(f"*.{name}"))
    assert len(made) == 3
    assert [one for path in made for one in author.engine.examine(path.read_bytes(), name).errors] == []
    author.run("sample", name, "--broken", "--count", "1", "-o", str(author.folder / "bad"))
    broken = sorted((author.folder / "bad").glob(f"*.{name}"))
    assert broken
    for path in broken:
        assert any(one.code in path.stem for one in author.engine.examine(path.read_bytes(), name).diagnostics), path.stem


@every
def test_the_format_has_its_page(author: Author) -> None:
    """With each rule, its samples, and a sum worked out step by step; a format without boards says nothing of the model."""
    spec = author.engine.spec(author.shape.name)
    (page,) = Site([spec], author.engine, app, "bridgespec", "0").formats
    assert {row.name for row in page.rules} >= {rule.name for rule in author.grammar.rules.values() if not rule.is_layout}
    assert page.sample is not None
    derived = [rule.name for rule in author.grammar.rules.values() if rule.words.binding.value is not None]
    assert bool(derived) == any(one.title.startswith("The value of") for one in page.worked)
    assert bool(page.holds) == bool(author.shape.boards)


@needs_node
@every
def test_generated_javascript_reads_the_same(author: Author) -> None:
    """The tree and every finding of the good file and of each mistake."""
    spec = author.engine.spec(author.shape.name)
    codec, module, reader = author.engine.of(spec).codec, write_module(spec, author.folder), Reader()
    for text in (author.shape.good, *(author.shape.good.replace(old, new, 1) for old, new, *_ in author.shape.mistakes)):
        (answer,) = reader.ask(module, text.encode())
        assert {key: answer[key] for key in ("tree", "findings")} == expected(codec.read(text.encode()))
    reader.close()
