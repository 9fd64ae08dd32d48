"""What a schema claims to hold comes back, tried with generated boards: of our schemas by the suite, of others by check-spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.api import Engine, engine
from bridgespec.codec.binding import BOARD
from bridgespec.codec.probe_boards import specimen, trials
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._term import is_stated
from bridgespec.diagnostic import Severity
from bridgespec.model.board import Board
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.rules import findings as judged
from bridgespec.schema_checks import findings, trial_findings
from tests.codec.terms.support import SPECS
from tests.told import quoted

ALL = sorted(path.stem for path in SPECS.glob("*.*") if path.stem != "bridge")
UNTRIED = {"tags", "tables"}
"""Terms that a specimen leaves out: they are pairs of any name, which only a format of pairs can hold."""


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", ALL)
def test_our_schemas_hold_what_they_claim(format: str) -> None:
    """Of twenty specimens, every term comes back."""
    spec = engine().spec(format)
    binder = engine().of(spec).binder

    def read(data: bytes) -> tuple[Document, str | None]:
        report = engine().read(data, format)
        return report.document, report.errors[0].message if report.errors else None

    def write(document: Document) -> tuple[bytes, Document]:
        data, _, placed = engine().of(engine().spec(format)).trial(document)
        return data, placed

    assert not list(trials(binder, write, read, 20))


def test_a_specimen_says_everything() -> None:
    """Each term of a board is said by some specimen, and all of it keeps the rules of the game, tables apart."""
    boards = [specimen(seed) for seed in range(20)]
    for name in BOARD:
        if name in TERMS and TERMS[name].ON == "board" and name not in UNTRIED | {"irregular"}:
            assert any(is_stated(getattr(board, name)) for board in boards), name
    codes = {found.code for board in boards for found in judged(Document((board,)))}
    assert not codes & {"illegal-call", "revoke", "card-not-held", "declarer-auction", "contract-auction", "dealer-number"}


HEAD = "//- {id: mine, title: Mine, extensions: [mine]}\nstart: boards*\n"


@pytest.mark.parametrize(
    ("text", "term", "words"),
    [
        ('boards: dealer "\\n"\ndealer: "N" -> north | "E" -> east | "S" -> south | "S"i -> west\n', "dealer", "comes back as"),
        ('boards: number "\\n"\n//- number: {modulo: 4}\nnumber: /[0-9]/\n', "number", "comes back as"),
        ('boards: event ";" result "\\n"\nevent: /[a-z]+/\n//- number: {}\nresult: /[0-9]+/\n', "", "no generated board can"),
        ('boards: number ("," par)? "\\n"\n//- number: {}\nnumber: /[0-9]+/\npar: /[a-z]+/\n', "par", "comes back whole"),
    ],
)  # fmt: skip
def test_a_schema_that_loses_what_it_claims_is_told(text: str, term: str, words: str, tmp_path: Path) -> None:
    """Two names for one spelling, a number cut off, a text that cannot hold what it is for: an error at the field's place."""
    path = tmp_path / "mine.lark"
    path.write_text(HEAD + text)
    spec, found = findings(path, [SPECS])
    assert spec is not None
    assert not [one for one in found if one.severity is Severity.ERROR]
    told = [one for one in trial_findings(Engine([tmp_path]), spec) if one.message.startswith(f"{term}: " if term else "no ")]
    assert told
    assert words in told[0].message
    assert told[0].code == "schema-round-trip"
    assert told[0].span is not None


SUITS = """boards: "#" number "\\n" deal
//- number: {}
number: /[1-9][0-9]*/
deal: (hand "\\n")~4
hand: seat HAND
seat: "North" -> north | "East" -> east | "South" -> south | "West" -> west
spades: suit
hearts: suit
diamonds: suit
clubs: suit
"""


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(
    ("hand", "suit", "spelled"),
    [
        ('": S " spades ", H " hearts ", D " diamonds ", C " clubs', "/-|[AKQJT2-9]+/", "North: S -, H AK2, "),
        ('": S " spades ", H " hearts ", D " diamonds ", C " clubs', "/[AKQJT2-9]*/", "North: S , H AK2, "),
        ('":" (" S " spades)? (" H " hearts)? (" D " diamonds)? (" C " clubs)?', "/[AKQJT2-9]+/", "North: H AK2 D "),
        ('": S " spades ", H " hearts ", D " diamonds ", C " clubs', "/~|[AKQJT2-9]+/", None),
    ],
)
def test_a_void_is_written_as_the_schema_spells_it(hand: str, suit: str, spelled: str | None, tmp_path: Path) -> None:
    """Parts named after the suits of hands that name their seats: with a mark, as an empty text or not at all; else a finding."""
    path = tmp_path / "mine.lark"
    path.write_text(HEAD + SUITS.replace("HAND", hand) + f"suit: {suit}\n")
    made, spec = Engine([tmp_path]), findings(path, [SPECS])[0]
    assert spec is not None
    found = [(one.message, one.help) for one in trial_findings(made, spec)]
    if spelled is None:
        assert [("void in a" in message, "mark -" in str(help_)) for message, help_ in found] == [(True, True)]
        return
    assert not found
    deal = Deal.parse("N:.AK2.AKQJT.98765 AKQJT.QJ.987.432 98765.T98.65.AKQ 432.76543.432.JT")
    written = made.spell(Document((Board(number=1, deal=deal),)), "mine").data
    assert spelled in written.decode()
    assert made.read(written, "mine").document.boards[0].deal == deal


def test_a_board_that_always_has_one_result_is_tried_with_one(tmp_path: Path) -> None:
    """Generated boards have a row of results where a schema has one, in which each number has as many decimals as it can have."""
    path = tmp_path / "mine.lark"
    path.write_text(
        HEAD
        + """boards: "#" number ":" row "\\n"
//- number: {}
number: /[1-9][0-9]*/
//- as: score_row
row: pair_ns " " pair_ew " " contract " " declarer " " tricks_won " " percent_ns
//- number: {}
pair_ns: /[1-9][0-9]*/
//- number: {}
pair_ew: /[1-9][0-9]*/
contract: level strain doubling
//- number: {}
level: /[1-7]/
strain: "N" -> notrump | "S" -> spades | "H" -> hearts | "D" -> diamonds | "C" -> clubs
doubling: "-" -> undoubled | "X" -> doubled | "R" -> redoubled
declarer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- number: {}
tricks_won: /[0-9]+/
percent_ns: /[0-9]++\\.[0-9]/
"""
    )
    spec, _ = findings(path, [SPECS])
    assert spec is not None
    assert not list(trial_findings(Engine([tmp_path]), spec))


PASSED = """boards: "#" number "\\n" played?
//- number: {}
number: /[1-9][0-9]*/
played: (contract | none) "\\n"
contract: level strain
//- number: {}
level: /[1-7]/
strain: "N" -> notrump | "S" -> spades | "H" -> hearts | "D" -> diamonds | "C" -> clubs
"""


@pytest.mark.parametrize(
    "none",
    [
        '//- as: contract\nnone: passed_out\npassed_out: "all passed"\n',
        '//- as: contract\nnone: "all passed" -> passed_out\n',
        '//- as: contract.passed_out\nnone: "all passed"\n',
        '//- as: contract\nnone: passed_out | blank\npassed_out: "all passed"\n//- opaque: true\nblank: "-"\n',
    ],
)
def test_that_all_passed_may_be_beside_the_contract(none: str, tmp_path: Path) -> None:
    """A rule that only refers to `passed_out`, a code, a part of its own, and a record come back, in a module of JavaScript too."""
    path = tmp_path / "mine.lark"
    path.write_text(HEAD + PASSED + none)
    made, spec = Engine([tmp_path]), findings(path, [SPECS])[0]
    assert spec is not None
    assert not list(trial_findings(made, spec))
    boards = tuple(Board(number=at, contract=Contract.parse(text)) for at, text in ((1, "Pass"), (2, "4S")))
    written = made.spell(Document(boards), "mine").data
    assert written == b"#1\nall passed\n#2\n4S\n"
    report = made.examine(written, "mine")
    assert [board.contract for board in report.document.boards] == [board.contract for board in boards]
    assert not report.diagnostics


def test_a_rule_that_only_refers_to_a_bound_one_is_told_to_be_bound_itself(tmp_path: Path) -> None:
    """Its text is that of the other rule; what the other means belongs to fields of that name."""
    path = tmp_path / "mine.lark"
    part = 'passed_out: "all passed"\n'
    for none in (f"none: passed_out\n{part}", f"none: all\n//- as: contract\nall: passed_out\n{part}"):
        path.write_text(HEAD + PASSED + none)
        helps = [one.help for one in findings(path, [SPECS])[1]]
        assert len(helps) == 1
        assert "as: contract" in quoted(str(helps[0]))


def test_a_raw_field_that_no_board_fills_is_told_to_need_a_default(tmp_path: Path) -> None:
    """A text that is kept raw is missing in a new file; a list whose count is its own size is empty."""
    path = tmp_path / "mine.lark"
    path.write_text(HEAD + 'boards: number letter "\\n"\n//- number: {}\nnumber: /[0-9]+/\n//- opaque: true\nletter: /[A-Z]/\n')
    spec, _ = findings(path, [SPECS])
    assert spec is not None
    assert [one.message[-71:] for one in trial_findings(Engine([tmp_path]), spec)] == [
        "letter: letter is missing: what is kept raw needs a `default` in new files"[-71:]
    ]
    path = tmp_path / "list.ksy"
    path.write_text(
        "meta: {id: list, file-extension: list}\nseq:\n  - {id: num, type: u1, -bridge-value: pairs.size}\n"
        "  - {id: boards, type: board, repeat: expr, repeat-expr: 2}\n"
        "  - {id: pairs, type: u1, repeat: expr, repeat-expr: num, -bridge-opaque: true}\n"
        "types: {board: {seq: [{id: number, type: u1}]}}\n"
    )
    assert Engine([tmp_path]).spell(Document((Board(number=1), Board(number=2))), "list").data == b"\0\1\2"
