"""What looks like a number, a hand or a letter to some programs and is not one is a finding, never an exception."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec import Vulnerability, check, dumps, loads
from bridgespec.engines import Engine
from bridgespec.errors import WriteError
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract


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
