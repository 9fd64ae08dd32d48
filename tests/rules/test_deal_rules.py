"""Rules about deals, numbers and double-dummy tables, each by a case that breaks it and one that does not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bridgespec.diagnostic import Severity
from bridgespec.engines import engine
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import OUT, UNKNOWN, Deal, compose
from bridgespec.model.document import Document
from bridgespec.model.play import Play, Trick
from bridgespec.model.tricks import Tricks
from bridgespec.rules import Finding, findings
from tests.model.test_playing import DEAL
from tests.told import numbers

HANDS = {
    Seat.NORTH: "T2.J965.T7532.63",
    Seat.EAST: "AKQ874.AQ2.J8.A5",
    Seat.SOUTH: "J65.743.AK4.KQ82",
    Seat.WEST: "93.KT8.Q96.JT974",
}


def found(*boards: Board) -> list[tuple[str, str]]:
    """Codes and messages."""
    return [(finding.code, finding.message) for finding in findings(Document(boards))]


def spelled(hand: str) -> list[Card]:
    """The cards of dotted holdings, twice where they stand twice."""
    return [Card.parse(suit + rank) for suit, ranks in zip("SHDC", hand.split("."), strict=True) for rank in ranks]


def composed(hands: dict[Seat, str]) -> Board:
    """A board of spelled hands."""
    deal, conflicts = compose({seat: spelled(hand) for seat, hand in hands.items()})
    return Board(deal=deal, conflicts=conflicts)


def moved(**holders: int) -> Deal:
    """The usual deal with some cards elsewhere."""
    changed = bytearray(DEAL.holders)
    for card, holder in holders.items():
        changed[Card.parse(card)] = holder
    return Deal(bytes(changed))


def test_compose_without_fault() -> None:
    """Four hands, or three whose rest is the fourth, make the deal."""
    assert composed(HANDS) == Board(deal=DEAL)
    assert composed({seat: hand for seat, hand in HANDS.items() if seat != Seat.WEST}) == Board(deal=DEAL)
    assert found(composed(HANDS)) == []


def test_card_twice_and_missing() -> None:
    """One wrong rank is both a card too often and a card in nobody's hand: one finding, whose help names the missing card."""
    (finding,) = findings(Document((composed({**HANDS, Seat.WEST: "A3.KT8.Q96.JT974"}),)))
    assert (finding.code, finding.message) == ("card-twice", "SA is dealt to E and to W")
    assert str(finding.help).startswith("S9 is ")


def test_a_bad_deal_is_one_finding() -> None:
    """A hand that is copied over another deals thirteen cards twice and lacks as many."""
    (finding,) = findings(Document((composed({**HANDS, Seat.WEST: HANDS[Seat.EAST]}),)))
    assert finding.code == "card-twice"
    assert finding.message.startswith("13 cards are dealt twice: SA to E and to W, ")
    over = moved(SA=Seat.SOUTH, HJ=OUT)
    assert [(one.code, one.help) for one in findings(Document((Board(deal=over),)))] == [("hand-size", "HJ is in nobody's hand")]


def test_card_twice_in_a_hand() -> None:
    """The same hand can hold a card twice."""
    assert ("card-twice", "S3 is dealt twice to W") in found(composed({**HANDS, Seat.WEST: "33.KT8.Q96.JT974"}))


def test_card_twice_in_three_hands() -> None:
    """With a conflict the fourth hand cannot be derived, and the three are not blamed for their sizes."""
    board = composed({**{seat: hand for seat, hand in HANDS.items() if seat != Seat.WEST}, Seat.NORTH: "A2.J965.T7532.63"})
    assert [code for code, _ in found(board)] == ["card-twice"]


def test_card_twice_names_both_places() -> None:
    """The finding stands at the second place and shows the first."""
    board = composed({**HANDS, Seat.WEST: "A3.KT8.Q96.JT974"})
    (finding,) = (f for f in findings(Document((board,))) if f.code == "card-twice")
    assert finding.at[0] == ("hand", Seat.WEST, 0)
    assert [place for place, _ in finding.labels] == [("hand", Seat.EAST, 0), ("hand", Seat.WEST, 0)]


def test_hand_sizes_of_a_whole_deal() -> None:
    """A card that moved from one hand to another makes two wrong hands."""
    assert found(Board(deal=moved(SA=Seat.SOUTH))) == [
        ("hand-size", "the hands hold W 13, N 13, E 12, S 14 cards: wrong for E and S")
    ]


def test_missing_cards_are_named() -> None:
    """Cards that are out of a whole deal are named; a play that tells where they went excuses them."""
    deal = moved(SA=OUT, H3=OUT)
    assert found(Board(deal=deal)) == [("card-missing", "SA H3 are in nobody's hand")]
    play = Play((Trick(Seat.EAST, (Card.parse("SA"), Card.parse("H3"))),))
    codes = [code for code, _ in found(Board(deal=deal, play=play))]
    assert "card-missing" not in codes


def test_who_lacks_a_card_is_said() -> None:
    """Of the hands that are short, and of no other."""
    (finding,) = findings(Document((Board(deal=moved(SA=OUT, H3=OUT)),)))
    assert re.findall(r"(\w) is (\d) short", str(finding.help)) == [("E", "1"), ("S", "1")]


def test_a_number_without_a_deal_is_not_given_twice() -> None:
    """Boards of one number are compared by their cards, where both have any."""
    other = moved(SA=Seat.WEST, S9=Seat.EAST)
    assert found(Board(number=1), Board(number=1, deal=DEAL)) == []
    assert [code for code, _ in found(Board(number=1, deal=DEAL), Board(number=1, deal=other))] == ["board-twice"]


def test_all_trumps_in_one_hand() -> None:
    """Its side makes all tricks, and the other none."""
    deal = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    cells = bytearray(20)
    for strain in range(1, 5):
        owner = (Seat.NORTH + strain - 1) % 4
        cells[4 * strain + owner] = cells[4 * strain + (owner + 2) % 4] = 13
    assert [code for code, _ in found(Board(deal=deal, tricks=Tricks(bytes(cells))))] == []
    cells[4 + Seat.NORTH] = 12
    assert [message for code, message in found(Board(deal=deal, tricks=Tricks(bytes(cells)))) if code == "impossible-tricks"] == [
        "12 tricks in S by N: at least 13, since N has AKQJT98765432 of trumps"
    ]


def test_hands_of_twelve_are_an_ending() -> None:
    """Where no hand is whole the deal is not, and no card of it is missing."""
    deal = Deal(bytes(OUT if slot % 13 == 0 else (slot % 13 - 1) // 3 for slot in range(52)))
    assert deal.sizes == (12, 12, 12, 12)
    assert found(Board(deal=deal)) == []


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("N:A2... .A2.. ..A2. ...A2", True),
        ("N:A... .A2.. ..A2. ...A2", True),
        ("N:A... .A.. ..A2. ...A2", True),
        ("N:A... .A32.. ..A32. ...A32", False),
        ("N:A432... .A2.. ..A2. ...A2", False),
    ],
)
def test_endings(text: str, clean: bool) -> None:
    """In an ending the hands are level, or differ by one during a trick."""
    assert [code for code, _ in found(Board(deal=Deal.parse(text)))] == ([] if clean else ["hand-size"])


def test_known_hands() -> None:
    """Two known hands of thirteen are fine; one of twelve is not; a known hand never has fourteen."""
    assert found(Board(deal=Deal.parse("W:KQT2.AT.J6542.85 - A8654.KQ5.T.QJT6 -"))) == []
    assert [code for code, _ in found(Board(deal=Deal.parse("W:KQT2.AT.J654.85 - A8654.KQ5.T.QJT6 -")))] == ["hand-size"]
    assert [code for code, _ in found(Board(deal=Deal.parse("W:AKQT2.AT.J6542.85 - - -")))] == ["hand-size"]


def test_suit_layouts_claim_nothing_of_sizes() -> None:
    """One suit's layout, some of its cards unused, is not a deal with wrong hands."""
    holders = bytes([0, 1, 2, 3, 4, 0, 0, 0, 0, 1, 1, 2, 4]) + bytes([UNKNOWN]) * 39
    assert found(Board(deal=Deal(holders))) == []


TABLE = Tricks(bytes([7, 6, 7, 6, 10, 3, 10, 3, 9, 4, 9, 4, 8, 5, 8, 5, 6, 6, 6, 6]))


def test_real_table() -> None:
    """The published table of this deal is possible."""
    assert found(Board(deal=DEAL, tricks=TABLE)) == []


def test_too_many_tricks() -> None:
    """Above thirteen is an error in its cell; unknown cells are fine."""
    table = TABLE.with_cell(Strain.HEARTS, Seat.SOUTH, 14)
    (finding,) = findings(Document((Board(tricks=table),)))
    assert (finding.code, finding.at[0]) == ("too-many-tricks", ("tricks", Strain.HEARTS, Seat.SOUTH))
    assert found(Board(tricks=Tricks.unknown())) == []


def test_zeros_are_not_a_result() -> None:
    """Twenty zeros say that nobody solved the deal: a note with a repair, and no complaint about the cells."""
    (finding,) = findings(Document((Board(deal=DEAL, tricks=Tricks(bytes(20))),)))
    assert (finding.code, finding.severity) == ("unsolved-table", Severity.NOTE)
    assert finding.fix is not None
    assert finding.fix.value == Tricks.unknown()


def test_top_trumps_win() -> None:
    """East holds AKQ of spades: East-West make at least 3 there, North-South at most 10."""
    low = TABLE.with_cell(Strain.SPADES, Seat.WEST, 2)
    high = TABLE.with_cell(Strain.SPADES, Seat.NORTH, 11)
    assert found(Board(deal=DEAL, tricks=low)) == [
        ("impossible-tricks", "2 tricks in S by W: at least 3, since E has AKQ of trumps"),
    ]
    assert found(Board(deal=DEAL, tricks=high)) == [
        ("impossible-tricks", "11 tricks in S by N: at most 10, since E has AKQ of trumps"),
    ]
    notrump = TABLE.with_cell(Strain.NOTRUMP, Seat.WEST, 0)
    assert found(Board(deal=DEAL, tricks=notrump)) == [], "nothing is certain in notrump"


@pytest.mark.parametrize(
    ("floor", "limit", "words"),
    [
        (1, 6, "every result below 7 is written as 1"),
        (6, 6, "every result below 7 is written as 6"),
        (4, 3, "results 0 to 3 are written as 4"),
    ],
)
def test_clipped_tables(floor: int, limit: int, words: str) -> None:
    """Tables of a file with the same low number are recognised once, and their cells are not called impossible."""
    sides = [(11, 2), (12, 0), (10, 3), (9, 4), (13, 0), (8, 5), (11, 1), (10, 2)]
    tables = [Tricks(bytes(value for _ in range(5) for value in (ours, theirs) * 2)) for ours, theirs in sides]
    clipped = [Tricks(bytes(floor if cell <= limit else cell for cell in table.cells)) for table in tables]
    assert [code for code, _ in found(*(Board(tricks=table) for table in tables))] == []
    notes = findings(Document(tuple(Board(tricks=table) for table in clipped)))
    assert [(note.code, note.severity) for note in notes] == [("clipped-table", Severity.NOTE)]
    assert notes[0].message == f"in this table and 7 more, {words}"


def test_clipped_cells_are_not_judged() -> None:
    """A cell of 1 where three tricks are certain is not an error in a clipped table."""
    clipped = Tricks(bytes([9, 1, 9, 1, 1, 10, 1, 10, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1]))
    assert [code for code, _ in found(Board(deal=DEAL, tricks=clipped))] == ["clipped-table"]


@pytest.mark.parametrize(("number", "dealer"), [(1, Seat.NORTH), (2, Seat.EAST), (3, Seat.SOUTH), (4, Seat.WEST), (36, Seat.WEST)])
def test_dealer_of_a_number(number: int, dealer: Seat) -> None:
    """N E S W for 1 2 3 4, repeating; another dealer is a warning with the usual one as repair."""
    assert found(Board(number=number, dealer=dealer)) == []
    (finding,) = findings(Document((Board(number=number, dealer=dealer.next),)))
    assert (finding.code, finding.severity) == ("dealer-number", Severity.WARNING)
    assert finding.fix is not None
    assert finding.fix.value == dealer


NONE, NS, EW, BOTH = Vulnerability
CYCLE = [NONE, NS, EW, BOTH, NS, EW, BOTH, NONE, EW, BOTH, NONE, NS, BOTH, NONE, NS, EW]


@pytest.mark.parametrize(("number", "vulnerability"), [*enumerate(CYCLE, 1), *enumerate(CYCLE, 17)])
def test_vulnerability_of_a_number(number: int, vulnerability: Vulnerability) -> None:
    """The sixteen of the duplicate cycle; another one is a warning."""
    assert found(Board(number=number, vulnerability=vulnerability)) == []
    other = Vulnerability((vulnerability + 1) % 4)
    assert [code for code, _ in found(Board(number=number, vulnerability=other))] == ["vulnerability-number"]


def test_numbers_below_one_are_not_judged() -> None:
    """Nothing follows from a number that no board has."""
    assert found(Board(number=0, dealer=Seat.NORTH, vulnerability=BOTH)) == []


def twin(**fields: object) -> Finding | None:
    """What is found of a second board 5 with other cards and these fields."""
    other = moved(SA=Seat.WEST, S9=Seat.EAST)
    boards = (Board(number=5, deal=DEAL), Board(number=5, deal=other, **fields))  # type: ignore[arg-type]
    return next(iter(findings(Document(boards))), None)


def test_board_twice() -> None:
    """One number with two deals is a note; the same deal again, or another session, is fine."""
    finding = twin()
    assert finding is not None
    assert (finding.code, finding.severity, finding.board) == ("board-twice", Severity.NOTE, 1)
    assert (numbers(finding.message), " 1st in" in finding.message) == ([5], True)
    assert twin(round="2") is None
    assert twin(tags=(("Section", "B"),)) is None
    assert found(Board(number=5, deal=DEAL, room="Open"), Board(number=5, deal=DEAL, room="Closed")) == []


@pytest.mark.parametrize(
    ("stated", "clean"),
    [
        ("EW 420", True),
        ("NS -420", True),
        ("EW -420", True),
        ("EW 420 NS -420", True),
        ("NS 420", False),
        ("EW 620", False),
        ("EW 4S; -420", True),
    ],
)
def test_par(stated: str, clean: bool) -> None:
    """East-West make four spades of a real board, nobody vulnerable; words that are not a score are not judged."""
    table = Tricks(bytes([7, 6, 7, 6, 10, 3, 10, 3, 9, 4, 9, 4, 8, 5, 8, 5, 6, 6, 6, 6]))
    board = Board(number=1, tricks=table, par=stated)
    assert [code for code, _ in found(board)] == ([] if clean else ["par-table"])
    if not clean:
        given, follows = found(board)[0][1].split(", ")
        assert (given.endswith(f" {stated}"), numbers(follows), follows.endswith("(4S EW =)")) == (True, [420], True)
    assert found(Board(number=1, tricks=table.with_cell(Strain.CLUBS, Seat.EAST, 15), par=stated)) == []
    assert found(Board(tricks=table, par=stated)) == [], "dealer and vulnerability are not known"


def test_par_of_tables_that_decide_nothing() -> None:
    """A table of zeros was never solved, and a clipped one has lost the low results: neither contradicts a stated par."""
    unsolved = Board(number=1, tricks=Tricks(bytes(20)), par="NS 400")
    assert "par-table" not in [code for code, _ in found(unsolved)]
    clipped = Tricks(bytes([9, 1, 9, 1, 1, 10, 1, 10, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9, 1]))
    assert [code for code, _ in found(Board(number=1, tricks=clipped, par="NS 50"))] == ["clipped-table"]


@pytest.mark.parametrize(
    ("number", "codes"),
    [('[Board "1"]\n', ["dealer-number", "vulnerability-number"]), ('[Board ""]\n', []), ("", [])],
)
def test_a_number_that_was_only_counted_says_nothing_of_dealer_and_vulnerability(number: str, codes: list[str]) -> None:
    """The file must give the number by which another dealer or vulnerability is usual."""
    deal = "N:K843.T542.J6.863 AQJ7.K.Q75.AT942 962.AJ7.KT82.J75 T5.Q9863.A943.KQ"
    data = f'{number}[Dealer "E"]\n[Vulnerable "NS"]\n[Deal "{deal}"]\n'.encode()
    assert sorted(one.code for one in engine(()).examine(data, "pbn").diagnostics) == codes


def test_a_card_dealt_twice_is_one_finding() -> None:
    """Who holds it is not known, so that its play from either hand is no further finding; that of another card is one."""
    board = composed({**HANDS, Seat.WEST: "A3.KT8.Q96.JT974"})
    trick = Trick(Seat.WEST, tuple(map(Card.parse, ("SA", "S2", "SQ", "S5"))))
    played = replace(board, contract=Contract.parse("3NT"), declarer=Seat.SOUTH, play=Play((trick,)))
    assert [code for code, _ in found(played)] == ["card-twice"]
    other = replace(played, play=Play((replace(trick, cards=tuple(map(Card.parse, ("HA", "H5", "H2", "H3")))),)))
    assert [code for code, _ in found(other)].count("card-not-held") == 1
