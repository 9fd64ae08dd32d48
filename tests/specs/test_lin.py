"""LIN beyond its boards: the list of results, plays to the last card, and boards inside an address."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest

from bridgespec.api import engine, loads
from bridgespec.model.auction import Auction, Call
from bridgespec.model.board import Board
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.document import Document
from bridgespec.model.play import Play
from bridgespec.model.playing import play_of_cards

SAMPLES = Path(__file__).parents[1] / "samples"


@cache
def whole() -> tuple[Board, ...]:
    """Return sixteen boards with whole deals."""
    return loads((SAMPLES / "pbn" / "sixteen.pbn").read_bytes(), "pbn").boards


def test_the_list_of_results_tells_boards_without_an_auction() -> None:
    """Contract, declarer and tricks come from the list, by number and room; what a board says itself stands."""
    boards = loads((SAMPLES / "lin" / "results.lin").read_bytes(), "lin").boards
    assert [(board.contract, board.declarer, board.result) for board in boards] == [
        (Contract.parse("3N"), Seat.WEST, 10),
        (Contract.parse("3NX"), Seat.EAST, 7),
        (Contract.passed_out(), None, None),
        (None, None, 8),
    ]


@pytest.mark.parametrize(
    ("contract", "declarer", "result"),
    [
        (Contract(4, Strain.SPADES), Seat.NORTH, 10),
        (Contract(6, Strain.NOTRUMP, Doubling.DOUBLED), Seat.EAST, 9),
        (Contract(2, Strain.CLUBS, Doubling.REDOUBLED), Seat.WEST, 13),
        (Contract(1, Strain.HEARTS), Seat.SOUTH, None),
        (Contract.passed_out(), None, None),
    ],
)
@pytest.mark.parametrize("numbers", [(1, 2, 3), (7, 3, 12)])
def test_contracts_without_an_auction_are_written_as_a_list(
    contract: Contract, declarer: Seat | None, result: int | None, numbers: tuple[int, ...]
) -> None:
    """They come back, whatever the numbers of the boards are, and nothing is lost."""
    one = Board(deal=whole()[0].deal, contract=contract, declarer=declarer, result=result)
    two = Board(deal=whole()[1].deal, contract=Contract(3, Strain.NOTRUMP), declarer=Seat.SOUTH, result=9)
    three = Board(deal=whole()[2].deal)
    document = Document(tuple(replace(board, number=number) for board, number in zip((one, two, three), numbers, strict=True)))
    output = engine().spell(document, "lin")
    assert not output.findings
    assert (b"|bn|" in output.data) == (numbers != (1, 2, 3))
    again = loads(output.data, "lin").boards
    assert [(b.contract, b.declarer, b.result) for b in again] == [(b.contract, b.declarer, b.result) for b in document.boards]


def test_both_rooms_of_a_board_have_their_own_result() -> None:
    """The list holds two results for each board, the open room's first."""
    boards = [
        Board(7, deal=whole()[0].deal, room=room, contract=Contract(2, Strain.HEARTS), declarer=Seat.WEST)
        for room in ("Open", "Closed")
    ]
    boards[1] = replace(boards[1], declarer=Seat.NORTH)
    output = engine().spell(Document(tuple(boards)), "lin")
    assert not output.findings
    assert b"rs|2HW,2HN|" in output.data
    assert [board.declarer for board in loads(output.data, "lin").boards] == [Seat.WEST, Seat.NORTH]


def test_a_file_with_auctions_needs_no_list() -> None:
    """What auctions and claims tell is not said twice."""
    auction = Auction.of([Call.parse(text) for text in ("1N", "p", "p", "p")], Seat.NORTH)
    board = Board(1, Seat.NORTH, deal=whole()[0].deal, auction=auction, contract=auction.contract, declarer=Seat.NORTH, result=8)
    output = engine().spell(Document((board,)), "lin")
    assert not output.findings
    assert b"rs|" not in output.data


def _played() -> tuple[Board, int]:
    """A board played to its last card, every card that follows suit being the first that may, and the declarer's tricks."""
    deal = whole()[0].deal
    assert deal is not None
    auction = Auction.of([Call.parse(text) for text in ("1N", "p", "p", "p")], Seat.NORTH)
    hands = {seat: [Card(slot) for slot in range(52) if deal.holders[slot] == seat] for seat in Seat}
    cards: list[Card] = []
    leader = Seat.EAST
    for _ in range(13):
        trick: list[Card] = []
        for turn in range(4):
            hand = hands[Seat((leader + turn) % 4)]
            follow = [card for card in hand if trick and card.suit == trick[0].suit]
            card = (follow or hand)[0]
            hand.remove(card)
            trick.append(card)
        cards += trick
        best = min((card for card in trick if card.suit == trick[0].suit), key=int)
        leader = Seat((leader + trick.index(best)) % 4)
    play: Play = play_of_cards(cards, Seat.EAST, Strain.NOTRUMP)
    won = sum(trick.leader.side is Seat.NORTH.side for trick in play.tricks[1:]) + (leader.side is Seat.NORTH.side)
    return Board(1, Seat.NORTH, deal=deal, auction=auction, play=play), won


def test_a_play_of_52_cards_counts_its_result() -> None:
    """Neither claim nor result is written or read where the cards tell it; another result than theirs is written beside them."""
    board, won = _played()
    output = engine().spell(Document((replace(board, result=won),)), "lin")
    assert not output.findings
    assert b"mc|" not in output.data
    assert loads(output.data, "lin").boards[0].result == won
    other = engine().spell(Document((replace(board, result=won - 1),)), "lin")
    assert not other.findings
    assert loads(other.data, "lin").boards[0].result == won - 1


LIN = (
    "pn|a b,c,d,e|md|3S962HAJ7DKT82CJ75,ST5HQ9863DA943CKQ,SK843HT542DJ6C863|sv|n|ah|Board 5|mb|p|mb|1C!|an|5+ clubs|mb"
    "|p|mb|1H|mb|p|mb|p|mb|p|pc|DJ|pc|D5|mc|7|"
)


@pytest.mark.parametrize("safe", ["|,", "", "|,!+"])
def test_a_link_says_what_its_lin_says(safe: str) -> None:
    """The board of an address is that of the same LIN in a file, however much of it is in percent codes."""
    address = f"https://www.bridgebase.com/tools/handviewer.html?lin={quote(LIN, safe=safe)}\n".encode()
    link, plain = loads(address, "handviewer").boards[0], loads(LIN.encode(), "lin").boards[0]
    assert link == plain
    assert not engine().examine(address, "handviewer").diagnostics
    assert engine().spell(engine().examine(address, "handviewer").document, "handviewer").data == address


def test_a_link_is_recognised_and_its_findings_have_their_place() -> None:
    """Without a name it is the format of addresses; a wrong value is marked in the address itself."""
    address = f"https://x.test/?lin={quote(LIN.replace('sv|n', 'sv|q'))}\n".encode()
    report = engine().examine(address)
    assert report.spec.id == "handviewer"
    (found,) = report.diagnostics
    assert found.code == "handviewer-value"
    assert found.span is not None
    assert address[found.span.byte_start : found.span.byte_stop] == b"q"


def test_a_link_without_a_board_is_an_error() -> None:
    """A parameter lin that holds no LIN is not passed over."""
    codes = [one.code for one in engine().examine(b"https://x.test/?lin=hello\n", "handviewer").diagnostics]
    assert codes == ["handviewer-lin"]


def test_a_changed_link_keeps_the_rest() -> None:
    """A new dealer stands in a parameter of its own; the LIN stays as it is."""
    address = f"https://x.test/?lin={quote(LIN)}\n".encode()
    document = loads(address, "handviewer")
    output = engine().spell(replace(document, boards=(replace(document.boards[0], number=9),)), "handviewer")
    assert not output.findings
    assert loads(output.data, "handviewer").boards[0] == replace(loads(address, "handviewer").boards[0], number=9)


def test_an_array_of_one_grows_with_what_parts_its_elements() -> None:
    """A second parameter is parted from the only one that stood."""
    document = loads(b"http://x/y?n=sk843ht542dj6c863\n", "handviewer")
    changed = replace(document, boards=(replace(document.boards[0], dealer=Seat.EAST),))
    assert engine().spell(changed, "handviewer").data == b"http://x/y?n=sk843ht542dj6c863&d=e\n"


@pytest.mark.parametrize("format", ["rbx", "handviewer", "ber", "deck"])
def test_a_last_line_without_an_end_gets_one_where_another_follows(format: str) -> None:
    """A board added to a file whose last line has no end stands on a line of its own."""
    data = engine().spell(Document(whole()[:1]), format).data.rstrip(b"\r\n")
    document = loads(data, format)
    output = engine().spell(replace(document, boards=(*document.boards, *whole()[1:3])), format)
    assert [board.deal for board in loads(output.data, format).boards] == [board.deal for board in whole()[:3]]
