"""What looks like a number, a hand or a letter to some programs and is not one is a finding, never an exception.

Text that no program writes: what it costs is a finding with its place, never an exception.

Texts where terms read numbers: digits of other scripts, superscripts, two signs and letters are none, and no error of Python.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec import Vulnerability, api, check, dumps, loads
from bridgespec.engines import Engine
from bridgespec.errors import WriteError
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract
from bridgespec.model.convention_card import Meaning
from bridgespec.model.document import Document
from tests.codec.terms.support import SPECS


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("bss", b"001N{{}=YE"),
        ("bss", b"%fUYlQVItyLfizCfUsBilbIUjQsuhqUGtPCkYBHnslFEGDkELdwQZjFPaKk"),
        ("lin", b"mc|\xfc"),
        ("lin", b"mc|9\xe1\x19"),
        ("lin", "mc|³|".encode("latin-1")),
        ("lin", b"md|3SA|mc|13|0g|"),
        ("rbn", b"H W:....3"),
        ("rbx", b"B{}H{W:....3}"),
    ],
)
def test_it_is_a_finding(format: str, data: bytes) -> None:
    """Superscripts are not digits, a hand has four holdings, a letter may be of the wrong case."""
    assert check(data, format)


@pytest.mark.parametrize(
    ("number", "letter"), [(Vulnerability.NS, b"sv|n|"), (Vulnerability.NONE, b"sv|o|"), (Vulnerability.BOTH, b"sv|b|")]
)
def test_a_changed_code_is_spelled_as_the_format_spells_it(number: Vulnerability, letter: bytes) -> None:
    """The name that a grammar gives to a code never reaches the file."""
    text = b"md|1S962HAJ7DKT82CJ75,ST5HQ9863DA943CKQ,SK843HT542DJ6C863|sv|e|ah|Board 12|mb|2N|mb|p|\n"
    document = loads(text, "lin")
    changed = replace(document, boards=(replace(document.boards[0], vulnerability=number),))
    assert dumps(changed, "lin") == text.replace(b"sv|e|", letter)


WORDS = r"""//- {id: words, extensions: [words]}
start: boards*
boards: "Board " number ": " contract " by " declarer ", " result "." (" W " west)* (" N " north)* (" E " east)* (" S " south)* "\n"
number: one
contract: level " " strain
//- {number: {words: [one, two, three, four, five, six, seven], from: 1}}
level: /[a-z]++/
strain: "clubs" -> clubs | "hearts" -> hearts | "no trumps" -> notrump
declarer: "North" -> north | "East" -> east
//- {number: {words: [none, one, two, three, four, five, six, seven, eight, nine, ten]}}
result: /[a-z]++/
//- {number: {words: [one, two, three, ten], from: 1}}
one: /[A-Za-z]++/
west: card
north: card
east: card
south: card
card: "spades" -> spades | "hearts" -> hearts | "diamonds" -> diamonds | "clubs" -> clubs
    | "ace" -> ace | "king" -> king | "queen" -> queen | "jack" -> jack | "ten" -> ten
    | "nine" -> nine | "eight" -> eight | "seven" -> seven | "six" -> six | "five" -> five
    | "four" -> four | "three" -> three | "two" -> two
"""


def test_numbers_and_hands_in_words(tmp_path: Path) -> None:
    """A number may be one of some words, in any case, and a hand a list of suits and ranks, written back as they are spelled."""
    (tmp_path / "words.lark").write_text(WORDS, "utf-8")
    engine = Engine([tmp_path])
    ranks = "ace king queen jack ten nine eight seven six five four three two"
    suits = ("spades", "hearts", "diamonds", "clubs")
    hands = "".join(
        f" {seat} {word}"
        for seat, held in zip("WNES", suits, strict=True)
        for suit in suits
        for word in (suit, *(ranks.split() if suit == held else ()))
    )
    line = f"Board Two: four hearts by East, ten.{hands}\n".encode()
    (board,) = engine.load(line, "words").boards
    assert (board.number, str(board.contract), board.result) == (2, "4H", 10)
    assert str(board.deal.hand(Seat.WEST)) == "AKQJT98765432..."
    again = engine.spell(replace(engine.load(line, "words"), boards=(replace(board, origin=None),)), "words").data
    assert again == line.replace(b"Two", b"two")
    more = replace(board, origin=None, result=11)
    with pytest.raises(WriteError, match="result is missing"):
        engine.spell(replace(engine.load(line, "words"), boards=(more,)), "words")


def test_a_level_that_no_contract_has_is_no_contract(tmp_path: Path) -> None:
    """Whatever number a file has where a level is expected."""
    schema = """meta: {id: lvl, file-extension: lvl}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board: {seq: [{id: number, type: u1}, {id: contract, type: contract}]}
  contract: {seq: [{id: level, type: u1}, {id: strain, type: u1, enum: strain}]}
enums: {strain: {0: clubs, 1: notrump}}
"""
    (tmp_path / "lvl.ksy").write_text(schema, "utf-8")
    boards = Engine([tmp_path]).examine(bytes([1, 211, 0, 2, 3, 1]), "lvl").document.boards
    assert [board.contract for board in boards] == [None, Contract.parse("3NT")]


def test_an_auction_that_the_dealer_does_not_begin_has_its_place() -> None:
    """An auction that begins with another seat than the dealer is reported at the auction's seat."""
    text = '[Board "1"]\n[Dealer "W"]\n[Vulnerable "None"]\n[Auction "N"]\n1H Pass 1S Pass\n'
    (found,) = [d for d in api.check(text.encode(), "pbn") if d.code == "auction-dealer"]
    assert found.span is not None
    assert found.span.byte_start == text.index('"N"') + 1
    assert found.field == "boards[0].tag[3].value.seat"


@pytest.mark.parametrize(
    ("format", "before", "after"),
    [
        ("pbn", '[Board "1"]\n[Result "', '"]\n'),
        ("pbn", '[Board "1"]\n[Score "NS -', '"]\n'),
        ("pbn", '[Board "', '"]\n'),
        ("pbn", '[Board "1"]\n[Dealer "N"]\n[Auction "N"]\n1C $', "\n"),
        ("pbn", '[Board "1"]\n[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\nN NT ', "\n"),
        ("lin", "qx|o1|mc|", "|\n"),
        ("lin", "qx|o1|ah|Board ", "|\n"),
        ("lin", "vg|x,y,I,", ",1,a,0,b,0|\n"),
    ],
)
def test_numbers_without_end_are_no_numbers(format: str, before: str, after: str) -> None:
    """Five thousand digits in place of a number cause no internal error and are written back."""
    data = (before + "9" * 5000 + after).encode()
    report = api.engine().examine(data, format)
    assert not [d for d in report.diagnostics if d.code == "internal"]
    assert api.dumps(report.document, format) == data


@pytest.mark.parametrize("before", ['[Board "1"]\n', '[Board "1"]\n[Auction "N"]\n1C ', "{first}\n"])
def test_comments_have_no_escapes(before: str) -> None:
    """Quotes, backslashes and letters beyond ASCII in a comment are read as they are, and written so."""
    words = 'he said "hi" \\ \xe9'
    document = api.loads((before + "{" + words + '}\n[Dealer "N"]\n').encode(), "pbn")
    again = api.loads(api.dumps(document, "pbn", canonical=True), "pbn")
    for one in (document, again):
        assert words in [comment.text for comment in one.boards[0].comments]


@pytest.mark.parametrize("value", ["?:PPPP", "N:PPPP", ":A", "NZ", ""])
@pytest.mark.parametrize("format", ["rbn", "rbx"])
def test_an_auction_that_is_not_read_makes_no_dealer(format: str, value: str) -> None:
    """Written anew, the board has neither a dealer nor a vulnerability that the file does not name, and nothing is found in it."""
    text = f"B 1\nA {value}\n" if format == "rbn" else f"B{{1}}A{{{value}}}\n"
    document = api.loads(text.encode(), format)
    fresh = api.dumps(document, format, canonical=True)
    assert api.check(fresh, format) == []
    assert api.loads(fresh, format).boards[0].dealer is None


def test_suits_that_stand_alone_are_deals_without_a_finding() -> None:
    """A layout of one suit is no whole deal, and its hands are not of a wrong size."""
    data = bytes.fromhex("16000000 01000000 01000000 01000000 88526a74")
    report = api.engine().examine(data, "zbs")
    assert [board.deal.sizes for board in report.document.boards if board.deal] == [(1, 1, 0, 0), (0, 0, 0, 1)]
    assert report.diagnostics == ()
    for target in ("pbn", "lin"):
        assert api.check(api.dumps(report.document, target), target) == []


ROOT = SPECS.parent
LEAGUE = ROOT / "tests/shapes/league"
DEAL = "md|3SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|"
SCORES = """//- {id: own, extensions: [own], model: boards}
start: boards*
boards: number " " dealer " " score "\\n"
//- {number: {}}
number: /[1-9][0-9]*/
dealer: "N" -> north | "E" -> east
score: points side
side: "NS" -> ns | "EW" -> ew
//- {number: NUMERAL}
points: /[^\\nNE]+/
"""
LENGTHS = ("shortest: /[0-8]/", "shortest: /[^0-9\\r\\n]+|[0-9]/")


def read(folder: Path, name: str, source: str, data: str) -> tuple[Document, list[tuple[str, int]]]:
    """What a grammar of the user's reads in a text, and the code and offset of each finding."""
    (folder / f"{name}.lark").write_text(source)
    report = Engine([folder]).read(data.encode(), name)
    return report.document, [(one.code, one.span.byte_start) for one in report.diagnostics if one.span]


@pytest.mark.parametrize("first", ["²", "٣", "9" * 5000, "x", ""])
def test_a_first_board_that_is_no_number_is_ignored(first: str) -> None:
    """The list of results then begins with the number of the first board."""
    data = f"vg|T,S,I,{first},2,A,0,B,0|\nrs|4SN=,3NE-1|\nqx|o1|{DEAL}sv|o|\n"
    (board,) = loads(data.encode(), "lin").boards
    assert (board.number, board.result) == (1, 10)


@pytest.mark.parametrize(("result", "tricks"), [("²", ""), ("٩", ""), ("9" * 5000, ""), ("9", "3NT= N")])
def test_a_result_of_a_score_table_that_is_no_number_is_not_written(result: str, tricks: str) -> None:
    """A format whose rows have results relative to the contract has no row for it; any other result is such a row."""
    table = f'[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result;Score_NS"]\n1 2 3NT N {result} +400\n'
    data = f'[Board "1"]\n[Dealer "N"]\n{table}'
    written = Engine([LEAGUE]).spell(loads(data.encode(), "pbn"), "league").data.decode()
    assert ("1/2" in written, tricks in written) == (bool(tricks), True)


@pytest.mark.parametrize(
    ("numeral", "points", "score"),
    [
        ("{}", "-420", -420),
        ("{}", "+420", 420),
        ("{}", "--420", None),
        ("{}", "+-420", None),
        ("{}", "-²", None),
        ("{}", "-" + "9" * 5000, None),
        ("{numerals: abcdefghij}", "-eca", -420),
    ],
)
def test_points_have_one_sign(numeral: str, points: str, score: int | None, tmp_path: Path) -> None:
    """Behind it the numerals of the schema, which need not be those of `int`; any other text is reported where it is."""
    document, found = read(tmp_path, "own", SCORES.replace("NUMERAL", numeral), f"1 N -NS\n2 N {points}NS\n")
    assert document.boards[1].score == score
    assert found == [("not-a-number", 12)] * (score is None)


@pytest.mark.parametrize(("shortest", "lengths"), [("5", (5, 8)), ("²", None), ("x", None)])
def test_a_length_that_is_no_number_leaves_the_record_its_other_parts(
    shortest: str, lengths: tuple[int, int] | None, tmp_path: Path
) -> None:
    """The record then states no lengths."""
    source = (SPECS / "bss.lark").read_text().replace(*LENGTHS).replace("(lengths | bad_lengths | no_lengths)", "lengths")
    document, _ = read(tmp_path, "bss", source, f"001H=NYYYYYY5{shortest}8five hearts\n")
    assert document.system is not None
    (record,) = document.system.records
    assert isinstance(record, Meaning)
    assert (record.lengths, record.text) == (lengths, "five hearts")


def test_an_unreadable_number_of_a_board_keeps_the_later_ones(tmp_path: Path) -> None:
    """The outcomes behind it are those of their boards."""
    source = (SPECS / "lin.lark").read_text().replace("number: /[0-9]{1,6}/", "number: /[0-9x]{1,6}/")
    boards = "".join(f"qx|o{number}|{DEAL}sv|o|\n" for number in (1, 2, 3))
    head = "vg|T,S,I,1,3,A,0,B,0|\nrs|4SN=,,4SN+1,,4SN+2,|\n"
    document, _ = read(tmp_path, "lin", source, f"{head}bn|1,x,3|\npg||\n{boards}")
    assert [board.result for board in document.boards] == [10, None, 12]
