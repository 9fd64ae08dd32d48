"""What formats of pairs say in their own way, and that nothing is dropped without a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgespec import api
from bridgespec.api import dumps, engine
from bridgespec.codec.terms import TERMS
from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.writer import ValueMaker
from bridgespec.errors import WriteError
from bridgespec.model.auction import Auction, AuctionCall, Call
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.play import Play, Trick
from tests.told import numbers

SAMPLES = Path(__file__).parents[1] / "samples"
RBN = (
    b"D 20000101\nT Greed:Author\nE Cup\nN Wolff+Hamman:Stansby+Martel:O\nB 12\n"
    b"H W:873.A6.KT864.KQ8:96.T54.97.AJ9643:T542.K93.AQ53.52:\nA WN:1DP1SP:1NA\nC 1N:W\nP CA278:CJ5TK:DK732;\nM 7777\nI x\n"
)


def test_labels_of_a_notation_of_one_letter() -> None:
    """Dates are parted, a hand named last has the rest, a rank follows the suit led, other labels are kept as tags."""
    document = engine().examine(RBN, "rbn").document
    board = document.boards[0]
    assert board.date == "2000.01.01"
    assert board.deal is not None
    assert board.deal.holders.count(Seat.SOUTH) == 13
    assert board.play is not None
    assert [str(card) for card in board.play.cards] == ["CA", "C2", "C7", "C8", "CJ", "C5", "CT", "CK", "DK", "D7", "D3", "D2"]
    assert board.tags == (("T", "Greed:Author"), ("M", "7777"), ("I", "x"))
    assert dumps(document, "rbn") == RBN


@pytest.mark.parametrize("format", ["rbn", "rbx"])
def test_a_play_is_spelled_by_what_is_led(format: str) -> None:
    """Each trick begins with its suit, cards of other suits name theirs; the play comes back from the other notation."""
    document = engine().examine(RBN, "rbn").document
    output = engine().spell(document, format, canonical=True)
    assert b"CA278:CJ5TK:DK732" in output.data
    assert [d.message for d in output.findings] == [f"{format} cannot hold the tags"]
    again = engine().examine(output.data, format).document.boards[0]
    assert (again.play, again.deal, again.date) == tuple(getattr(document.boards[0], name) for name in ("play", "deal", "date"))


def test_what_finds_no_room_is_said() -> None:
    """A declarer without a contract, and names with signs that part names."""
    board = Board(number=1, declarer=Seat.EAST, players=("a+b", "c:d", "plain", None))
    lost = engine().spell(Document((board,)), "rbn").findings
    assert [(one.code, numbers(one.message), "name" in one.message) for one in lost] == [("lost", [], False), ("lost", [2], True)]
    assert "declarer" in lost[0].message
    comma = replace(board, declarer=None, players=("x,y", "b", "c", "d"))
    (names,) = (one for one in engine().spell(Document((comma,)), "lin").findings if "name" in one.message)
    assert (names.code, numbers(names.message)) == ("lost", [4])


def _called(*calls: AuctionCall) -> Board:
    return Board(auction=Auction(calls))


def _led(*cards: str) -> Board:
    return Board(play=Play((Trick(Seat.WEST, tuple(map(Card.parse, cards))),)))


def _noted(*texts: str) -> Board:
    return Board(comments=tuple(map(Comment, texts)))


CLUB, HEART = AuctionCall(Call.parse("1C")), AuctionCall(Call.parse("1H"))


@pytest.mark.parametrize(
    ("term", "before", "after", "kinds"),
    [
        ("auction", _called(CLUB), Board(), ["the auction"]),
        ("auction", _called(CLUB, HEART), _called(CLUB), ["the rest of the auction"]),
        ("auction", _called(CLUB), _called(HEART), ["the calls as they are"]),
        ("auction", _called(replace(CLUB, alert=True)), _called(CLUB), ["alerts of calls"]),
        ("auction", _called(CLUB), _called(replace(CLUB, alert=True)), []),
        ("play", _led("C2", "C3"), Board(), ["the play"]),
        ("play", _led("C2", "C3"), _led("C2"), ["the rest of the play"]),
        ("play", _led("C2", "C3"), _led("C2", "C4"), ["the play as it is"]),
        ("deal", Board(deal=Deal(bytes([0] * 52))), Board(), ["the deal"]),
        ("deal", Board(deal=Deal(bytes([0] * 52))), Board(deal=Deal(bytes([1] * 52))), ["the deal as it is"]),
        ("deal", Board(deal=Deal(bytes([0] * 26 + [5] * 26))), Board(deal=Deal(bytes([0] * 52))), ["that some suits are unknown"]),
        ("comments", _noted("one\n"), _noted("one"), ["the line ends and blanks of comments"]),
        ("comments", _noted("one", "two"), _noted("one"), ["comments"]),
    ],
)
def test_what_is_lost_has_its_name(term: str, before: Board, after: Board, kinds: list[str]) -> None:
    """A term that came back otherwise: all of it, its end, or a part; what came back in addition is not lost."""
    assert TERMS[term].losses(before, after) == kinds


def test_nothing_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost follows from what is placed while it is written."""
    document = api.loads(RBN, "rbn")
    assert document.boards[0].number == 12
    for name in ("read", "split"):
        monkeypatch.setattr(TextCodec, name, lambda *_: pytest.fail("read again"))
    changed = replace(document, boards=(replace(document.boards[0], number=13, score=90),))
    assert [one.message for one in engine().spell(changed, "rbn").findings] == ["rbn cannot hold the score"]


def test_a_remark_of_the_board_has_room() -> None:
    """In braces, apart from what it stands after."""
    data = dumps(Document((Board(number=1, comments=(Comment("hello"), Comment("there", ("auction",)))),)), "rbn")
    assert b"{hello}" in data
    assert b"there" not in data


@pytest.mark.parametrize("name", ["event", "site", "date"])
def test_what_is_said_of_the_file_is_said_of_its_boards(name: str) -> None:
    """A board that has no event, site or date of its own has the file's."""
    said = {"event": "Cup", "site": "Rome", "date": "2001.02.03"}[name]
    text = dumps(replace(Document((Board(number=1),)), **{name: said}), "pbn").decode()
    assert f'[{name.title()} "{said}"]' in text


def test_a_value_is_repeated_where_a_pair_stands_twice() -> None:
    """It is that of the game before, though not all of the game can be told pair by pair."""
    data = b'[Event "Cup"]\n[Site "x"]\n[Board "1"]\n\n[Event "#"]\n[Site "y"]\n[Site "y"]\n[Board "2"]\n'
    assert [board.event for board in api.loads(data, "pbn").boards] == ["Cup", "Cup"]


@pytest.mark.parametrize("format", ["pbn", "rbn", "lin"])
def test_a_contract_that_nobody_bid_has_room(format: str) -> None:
    """With its declarer, its doubling and its result; a score without a side is the declarer's."""
    stated = Board(number=1, contract=Contract.parse("4SX"), declarer=Seat.EAST, result=9)
    again = api.loads(dumps(Document((stated,)), format), format).boards[0]
    assert (again.contract, again.declarer, again.result) == (stated.contract, stated.declarer, stated.result)


def test_a_score_without_a_side_is_the_declarers() -> None:
    """That of a side is the side's, whoever declared."""
    for said, points in (("620", -620), ("NS 620", 620), ("EW -50", 50)):
        text = f'[Board "1"]\n[Declarer "E"]\n[Contract "4S"]\n[Score "{said}"]\n'
        assert api.loads(text.encode(), "pbn").boards[0].score == points


@pytest.mark.parametrize(
    ("format", "data"),
    [("lin", b"qx|o1|mb|1C|mb|ZZ|mb|1D|"), ("pbn", b'[Dealer "N"]\n[Auction "N"]\n1C 9Z 1D Pass\n')],
)
def test_an_auction_ends_where_a_call_cannot_be_read(format: str, data: bytes) -> None:
    """What follows was called by nobody knows whom."""
    found = engine().examine(data, format).document.boards[0].auction
    assert found is not None
    assert [str(call) for call in found.plain] == ["1C"]


@pytest.mark.parametrize(
    ("format", "lost"),
    [("lin", "the places of comments (2 times)"), *((format, "comments (3 times)") for format in ("rbx", "handviewer", "zbd"))],
)
def test_remarks_are_counted(format: str, lost: str) -> None:
    """Each comment that a target without room for them loses, on whatever it stands; not the boards that have some."""
    text = '[Event ""] {one}\n[Board "1"] ;two\n[Dealer "N"]\n[Deal "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 '
    text += 'KQT2.AT.J6542.85"]\n[Auction "N"]\n1C {three} Pass Pass Pass\n'
    output = engine().spell(engine().examine(text.encode(), "pbn").document, format)
    assert f"{format} cannot hold {lost}" in [found.message for found in output.findings]


def test_a_file_of_so_many_places_says_so() -> None:
    """A board above the last place is refused with what the format holds and what to do."""
    board = engine().examine(RBN, "rbn").document.boards[0]
    with pytest.raises(WriteError, match="dlm cannot hold its number: it is not one of 1 to 99") as caught:
        dumps(Document((replace(board, number=120),)), "dlm")
    assert "--boards 1-99" in str(caught.value.diagnostics[0].help)


@pytest.mark.parametrize(
    ("format", "data", "words"),
    [
        ("lin", b"[Event]\n", "expected '%', 'vg|' or a command of two characters, but found '['"),
        ("rbn", b"B 1\nhello\n", "expected a label, '%' or '{', but found 'h'"),
        (
            "bss",
            b"hello\n",
            "expected a header's '*' or '?', '$', '*', a seat from 0 to 6, '+', '%' or the end of the line, but found 'h'",
        ),
    ],
)
def test_an_unreadable_line_names_what_may_begin_a_record(format: str, data: bytes, words: str) -> None:
    """In the words of the grammar, never as a regular expression."""
    first = engine().of(engine().spec(format)).codec.read(data).diagnostics[0]
    assert (first.code, first.message) == ("unreadable-line", words)


@pytest.mark.parametrize("format", ["dup", "dlm", "zbd"])
def test_a_deal_of_two_rooms_is_dealt_once(format: str) -> None:
    """A format of deals alone takes one board of the two that a match plays, and says so."""
    match = api.load(SAMPLES / "lin" / "match.lin")
    output = api.engine().spell(match, format)
    deals = [board.deal for board in api.loads(output.data, format).boards]
    assert len(match.boards) == 2 * len(deals) == 2 * len(set(deals))
    assert any("written once" in finding.message for finding in output.findings)
    assert api.engine().spell(match, "lin").data == (SAMPLES / "lin" / "match.lin").read_bytes()


def test_a_board_that_is_refused_is_left_out_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are encoded once, with the places that are theirs without it."""
    encoded: list[int | None] = []
    board = ValueMaker._board

    def watched(self: ValueMaker, one: Board, index: int, document: Document) -> Mapping[str, Any]:
        encoded.append(one.number)
        return board(self, one, index, document)

    monkeypatch.setattr(ValueMaker, "_board", watched)
    deal = Deal(bytes([0, 1, 2, 3] * 13))
    boards = (Board(1, deal=deal), Board(2), Board(3, deal=deal), Board(4), Board(5, deal=deal))
    output = engine().spell(Document(boards), "zbd", partial=True)
    assert encoded == [1, 2, 3, 4, 5]
    assert [one.record for one in output.refused] == [1, 3]
    assert len(output.data) == 3 * 13
    (number,) = (one for one in output.findings if "board numbers" in one.message)
    assert (number.code, numbers(number.message)) == ("lost", [2])


@pytest.mark.parametrize("format", ["bre", "dlm"])
def test_what_stands_around_all_boards_is_stated_of_each(format: str) -> None:
    """A format that states the event once, ahead of places that are all filled, loses none that all boards have."""
    deal = Deal.parse("N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3")
    alike = Document(tuple(Board(number=number, deal=deal, event="Cup") for number in (1, 2)))
    known = engine()
    assert not [one for one in known.spell(alike, format).findings if "event" in one.message]
    mixed = Document((alike.boards[0], Board(number=2, deal=deal, event="League")))
    assert any("event" in one.message for one in known.spell(mixed, format).findings)


BLOCKS = r"""//- {id: bulletin, title: Bulletin, extensions: [bul], model: boards}
start: block*
block: "event " event _NL boards* "end" _NL
//- {says: the name of an event}
event: /[^\r\n]++/
boards: "board " number " " dealer _NL
//- {number: {}}
number: /[1-9][0-9]*+/
dealer: "N" -> north | "E" -> east
//- {write: "\n"}
_NL: /\r?\n/
"""


def test_what_a_block_without_boards_states_is_lost(tmp_path: Path) -> None:
    """A block states its event for its boards; with no board of its own the event has no place elsewhere, and that is reported."""
    (tmp_path / "bulletin.lark").write_text(BLOCKS)
    known = engine((tmp_path,))
    lost = []
    for text in (b"event Cup\nboard 1 N\nend\n", b"event Cup\nboard 1 N\nend\nevent Second\nend\n"):
        output = known.spell(known.load(text, "bulletin"), "pbn")
        lost.append([found.message for found in output.findings])
    assert lost[1] == [*lost[0], "pbn cannot hold the field event (of no board) of bulletin"]
