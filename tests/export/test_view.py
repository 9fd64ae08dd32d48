"""Diagrams: text, page and drawing of the same boards."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given, settings

import bridgespec.export
from bridgespec.export import EXPORTERS, html, svg, text
from bridgespec.model.auction import Auction, Call
from bridgespec.model.board import Board
from bridgespec.model.carding import Carding
from bridgespec.model.cards import Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.convention_card import (
    Danger,
    Disposition,
    Flags,
    Header,
    Include,
    Meaning,
    OpeningSeat,
    StockCard,
    System,
    When,
    parse_sequence,
)
from bridgespec.model.deal import OUT, UNKNOWN, Deal
from bridgespec.model.document import Document
from bridgespec.model.play import Play, Trick
from bridgespec.model.tricks import Tricks
from tests.model.test_playing import DEAL
from tests.test_rules import BOARDS, played_board

AUCTION = Auction.parse("P 1S P 1NT P 4S P P P", Seat.NORTH)
EXPLAINED = tuple(
    replace(made, explanation="5+♠ & <11-21>" if i == 1 else None, alert=i in (1, 3), mark="!" if i == 5 else None)
    for i, made in enumerate(AUCTION.calls)
)
BOARD = Board(
    number=1,
    deal=DEAL,
    auction=replace(AUCTION, calls=EXPLAINED),
    declarer=Seat.EAST,
    result=11,
    score=-450,
    tricks=Tricks(bytes([9, 3, 9, 3, 15, 3, 10, 3] + [9, 3, 9, 3] * 3)),
    play=Play((Trick(Seat.SOUTH, tuple(map(Card.parse, ("DA", "D6", "D2", "D8")))), Trick(Seat.SOUTH, (Card.parse("DK"),)))),
    players=("Wim", "Nora", None, None),
    event="Club <night>",
    par="EW 450",
)

EXPECTED = """\
Board 1  North deals, none vulnerable
Club <night>
W: Wim  N: Nora

           ♠ T2
           ♥ J965
           ♦ T7532
           ♣ 63
♠ 93                   ♠ AKQ874
♥ KT8         N        ♥ AQ2
♦ Q96       W   E      ♦ J8
♣ JT974       S        ♣ A5
           ♠ J65
           ♥ 743
           ♦ AK4
           ♣ KQ82

West  North  East    South
      Pass   1♠ (1)  Pass
1NT*  Pass   4♠!     Pass
Pass  Pass
(1) 5+♠ & <11-21>

4♠ by East +1 (11 tricks), EW 450

   West  North  East  South
1  ♦6    ♦2     ♦8    ♦A←
2                     ♦K←

   NT   ♠  ♥  ♦  ♣
N   3   3  3  3  3
S   3   3  3  3  3
E   9  10  9  9  9
W   9   ?  9  9  9

Par: EW 450"""


def test_text() -> None:
    """Everything of a board in paragraphs: the tenth, unknown cell is a question mark, the led card has an arrow."""
    assert text.board_text(BOARD) == EXPECTED


def test_an_auction_without_a_known_dealer_begins_in_the_first_column() -> None:
    """Without a seat for the first call the calls fill rows from West on."""
    found = text.board_text(Board(auction=Auction.parse("1S P 2S P P", None)))
    assert [line.split() for line in found.splitlines() if "1♠" in line or line.startswith("Pass")] == [
        ["1♠", "Pass", "2♠", "Pass"],
        ["Pass"],
    ]
    east = text.board_text(Board(auction=Auction.parse("1S P 2S P P", Seat.EAST)))
    (row,) = (line for line in east.splitlines() if "1♠" in line)
    assert row.index("1♠") > 10
    assert row.split() == ["1♠", "Pass"]


def test_voids_and_unknown_hands() -> None:
    """A void is a dash; a hand that nobody knows is left out; so are suits that the layout says nothing of."""
    lone = text.diagram(Deal.parse("N:A..AKQJT98765.K2 - - -"))
    assert [line.strip() for line in lone.splitlines()][:4] == ["♠ A", "♥ –", "♦ AKQJT98765", "♣ K2"]
    assert lone.count("♠") == 1
    assert text.diagram(Deal.parse("N:A2... .A2.. ..A2. ...A2")).count("–") == 12
    spades = Deal(bytes([0, 1, 2, 3, *[OUT] * 9]) + bytes([UNKNOWN]) * 39)
    assert text.diagram(spades).splitlines()[0].split() == ["♠", "K"]
    assert "♥" not in text.diagram(spades)


def test_long_holdings_push_the_columns() -> None:
    """A long West hand does not run into the compass, nor a long North hand into East."""
    deal = Deal.parse("W:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    for line in text.diagram(deal).splitlines():
        assert re.search(r"[2-9]\S", line.replace("AKQJT98765432", "x")) is None
    middle = text.diagram(deal).splitlines()[4]
    assert middle.startswith("♠ AKQJT98765432 ")


def test_results() -> None:
    """One row a board that has a contract or a score, numbers with their side."""
    passed = Board(number=2, contract=Contract.passed_out(), score=0)
    rows = text.results_text(Document((BOARD, passed, Board(number=3)))).splitlines()
    assert [row.split() for row in rows] == [
        ["Board", "Contract", "By", "Tricks", "Result", "NS", "EW"],
        ["1", "4♠", "E", "11", "+1", "450"],
        ["2", "Pass", "0"],
    ]
    assert text.results_text(Document((Board(),))) == ""


def test_page() -> None:
    """The page escapes what it is given, colours suits, and needs no other file."""
    page = html.dump(Document((BOARD,), event="<Cup>")).decode()
    assert "Club &lt;night&gt;" in page
    assert "<title>&lt;Cup&gt;</title>" in page
    assert '<span class="h">♥</span> J965' in page
    assert "&lt;11-21&gt;" in page
    assert "src=" not in page
    assert "http" not in page
    ET.fromstring(page.partition("<body>")[2].join(["<body>", ""]).partition("</html>")[0])


def test_drawing() -> None:
    """The drawing is well-formed, shows all sixteen holdings, and marks who is vulnerable."""
    root = ET.fromstring(svg.board_svg(BOARD))
    words = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for seat in Seat:
        for suit in range(4):
            assert any(word.endswith(f" {DEAL.layout()[seat][suit]}") for word in words)
    dealers = [element.text for element in root.iter() if element.get("text-decoration")]
    assert dealers == ["N"]
    vulnerable = svg.board_svg(replace(BOARD, number=2))
    assert (svg.board_svg(BOARD).count('class="vul"'), vulnerable.count('class="vul"')) == (0, 2)


def test_drawings_of_several_boards_stand_apart() -> None:
    """Boards are drawn one under the other."""
    root = ET.fromstring(svg.dump(Document((BOARD, Board(number=2)))))
    groups = [element.get("transform") for element in root.iter("{http://www.w3.org/2000/svg}g")]
    assert groups == ["translate(0 0)", f"translate(0 {svg.board_height(BOARD)})"]
    assert root.get("height") == str(svg.board_height(BOARD) + svg.board_height(Board(number=2)))


@pytest.mark.long
@settings(deadline=None, max_examples=100)
@given(BOARDS)
def test_any_board_can_be_shown(board: Board) -> None:
    """Whatever the types allow has a text, a page and a well-formed drawing."""
    assert text.board_text(board)
    assert html.board_html(board)
    ET.fromstring(svg.board_svg(board))


@pytest.mark.parametrize("name", sorted(EXPORTERS))
def test_exporters(name: str) -> None:
    """Each exporter is found by looking, has a suffix and a title, and writes bytes for any document."""
    if name == "png":
        pytest.importorskip("resvg_py", reason="the extra png is not installed")
    exporter = EXPORTERS[name]
    assert exporter.suffix.startswith(".")
    assert exporter.title
    for document in (Document(), Document((BOARD, Board(), played_board(3)))):
        assert isinstance(exporter.dump(document), bytes)
    assert bridgespec.export.EXPORTERS is EXPORTERS


SYSTEM_TEXT = """\
Test: 5542!
A convention to be added to systems.

Starts from the card SAYC.bss

We open
  1♣             3+ clubs; 11+
    Pass 1♦      [1st seat, none vul, artificial] 4+♥
                 or a game force
      Pass 1♥ X  [we vul] Forcing
  1♠ Pass 2♣     Game force

They open
  1NT{12-14} 2♣  both majors

Includes Jacoby.bss

Leads against notrump
  [x]x [x]xx [x]xxx [x]xxxx [Q]xx [Q]xxx [Q]xxxx [Q]xxxxx [Q]xxxxxx [A]Kx [K]QJ [Q]J10 [J]109 [10]98 [K]Q109
  [A]KJ10 [A]QJ [A]J10 [A]109 [K]J10 [K]109 [Q]109
Leads against suits
  [x]x [x]xx [x]xxx [x]xxxx [Q]xx [Q]xxx [Q]xxxx [Q]xxxxx [Q]xxxxxx [A]K [A]Kx [K]QJ [Q]J10 [J]109 [10]98
  [K]J10 [K]109 [Q]109
Signals
  partner leads, notrump  attitude, high encourages, then none, then none
  declarer leads, notrump none, then none, then none
  discards, notrump       none, then none, then none
  partner leads, suits    none, then none, then none
  declarer leads, suits   none, then none, then none
  discards, suits         none, then none, then none
  Smith
  echo"""


def test_system() -> None:
    """A system is a tree of calls, each with what pops up, then leads and signals."""
    records = (
        Header("Test", "5542!!", True),
        StockCard("SAYC.bss"),
        Meaning(parse_sequence("1C"), lengths=(3, 8), text="11+"),
        Meaning(
            parse_sequence("1CP1D"),
            False,
            OpeningSeat.FIRST,
            When.NONE,
            Flags.parse("YYYYYYY"),
            None,
            None,
            "4+!h\\\\or a game force",
        ),
        Meaning(parse_sequence("1CP1DP1HD"), when=When.WE, disposition=Disposition.FORCING),
        Meaning(parse_sequence("1SP2C"), text="Game force"),
        Meaning(parse_sequence("1N{12-14}2C"), True, text="both majors"),
        Include("Jacoby.bss"),
        Carding("A" * 40 + "B" + "A" * 17, "Smith\\\\echo"),
    )
    system = System(records)
    assert text.system_text(system) == SYSTEM_TEXT
    assert text.dump(Document(system=system)).decode() == SYSTEM_TEXT + "\n"
    assert text.system_text(System()) == ""


def test_query_answer() -> None:
    """The record that pops up comes first, with its place in the file; those that it hides follow."""
    records = (Meaning(parse_sequence("1N"), text="15-17"), Meaning(parse_sequence("1N"), when=When.WE_NOT, text="12-14"))
    found = System(records).answers([Call.parse("1NT")], 1, Danger.NONE)
    assert [line.split("  ") for line in text.found_text(found).splitlines()] == [
        ["pops up", "record 2", "1NT", "we not vul"],
        ["", "", "12-14"],
        ["hidden", " record 1", "1NT"],
        ["", "", "15-17"],
    ]
    assert text.found_text([]).startswith("No record")
