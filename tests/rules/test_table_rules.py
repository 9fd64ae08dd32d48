"""Rules about auction, play, result and score, each by a case that breaks it and one that does not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bridgespec.model.auction import Auction
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.document import Document
from bridgespec.model.play import CardNote, Play, Trick
from bridgespec.rules import Finding, findings
from tests.model.test_playing import DEAL
from tests.test_rules import played_board
from tests.told import numbers


def only(board: Board) -> Finding:
    """The one finding of a board."""
    (finding,) = findings(Document((board,)))
    return finding


def codes(board: Board) -> list[str]:
    """The codes of a board's findings."""
    return [finding.code for finding in findings(Document((board,)))]


def named(finding: Finding) -> list[str]:
    """The seats, cards and numbers that a message names, in order."""
    return re.findall(r"\b(?:[NESW]|[SHDC][2-9TJQKA]|\d+)\b", finding.message)


@pytest.mark.parametrize(
    ("calls", "place", "message"),
    [
        ("1S 1H", 1, "E's 1H is not above the bid before it"),
        ("1S P X", 2, "S's X doubles the own side's bid"),
        ("P P XX", 2, "S's XX comes when nothing is doubled"),
        ("P P P P 1C", 4, "N's 1C comes after the auction has ended"),
    ],
)
def test_illegal_call(calls: str, place: int, message: str) -> None:
    """The first illegal call is placed and explained."""
    finding = only(Board(auction=Auction.parse(calls, Seat.NORTH)))
    assert (finding.code, finding.at[0], finding.message) == ("illegal-call", ("auction", place), message)


def test_an_illegal_call_without_a_dealer() -> None:
    """Nobody is named where nobody is known to call."""
    finding = only(Board(auction=Auction.parse("1S 1H", None)))
    assert (finding.code, finding.at[0], finding.message.split()[0]) == ("illegal-call", ("auction", 1), "1H")


def test_marked_calls_are_accepted() -> None:
    """A call that the source marks as insufficient is not a finding."""
    auction = Auction.parse("1S 1H P P P", Seat.NORTH)
    marked = tuple(replace(made, irregular=i == 1) for i, made in enumerate(auction.calls))
    assert codes(Board(auction=replace(auction, calls=marked))) == []


def test_unfinished_auction() -> None:
    """An auction without its last passes is told where the board has a contract, unless the source closes it."""
    auction = Auction.parse("1S P 4S", Seat.NORTH)
    contract = Contract.parse("4S")
    assert codes(Board(auction=auction)) == []
    finding = only(Board(auction=auction, contract=contract))
    assert (finding.code, finding.at[0]) == ("unfinished-auction", ("auction", 2))
    assert codes(Board(auction=replace(auction, closed=True), contract=contract)) == []


def test_auction_dealer() -> None:
    """The dealer calls first."""
    assert codes(Board(dealer=Seat.EAST, auction=Auction.parse("P", Seat.NORTH))) == ["auction-dealer"]
    assert codes(Board(dealer=Seat.NORTH, auction=Auction.parse("P", Seat.NORTH))) == []


AUCTION = Auction.parse("P 1S P 1NT P 4S P P P", Seat.NORTH)


def test_contract_follows_from_the_auction() -> None:
    """Another level, strain or doubling is an error whose repair is the auction's contract."""
    for text in ("3S", "4H", "4SX"):
        finding = only(Board(auction=AUCTION, contract=Contract.parse(text)))
        assert finding.code == "contract-auction"
        assert finding.fix is not None
        assert finding.fix.value == Contract.parse("4S")
    assert codes(Board(auction=AUCTION, contract=Contract.parse("4S"))) == []
    assert codes(Board(auction=AUCTION, contract=Contract.parse("4H"), irregular=("contract",))) == []


def test_declarer_follows_from_the_auction() -> None:
    """East named spades first; a swapped declarer that the source marks is accepted."""
    finding = only(Board(auction=AUCTION, declarer=Seat.WEST))
    assert (finding.code, finding.labels[0][0]) == ("declarer-auction", ("auction", 1))
    assert finding.fix is not None
    assert finding.fix.value == Seat.EAST
    assert codes(Board(auction=AUCTION, declarer=Seat.EAST)) == []
    assert codes(Board(auction=AUCTION, declarer=Seat.WEST, irregular=("declarer",))) == []


def test_unsettled_auctions_decide_nothing() -> None:
    """An auction that is unfinished, or illegal, says nothing of the contract."""
    contract = Contract.parse("7NT")
    assert codes(Board(auction=Auction.parse("1S P 4S", Seat.NORTH), contract=contract)) == ["unfinished-auction"]
    assert codes(Board(auction=Auction.parse("1S 1S P P P", Seat.NORTH), contract=contract)) == ["illegal-call"]


def with_play(*tricks: str, leader: Seat = Seat.SOUTH, **fields: object) -> Board:
    """4S by East on the usual deal, each trick's leader found by the strain being ignored: given with the trick."""
    made = []
    for text in tricks:
        letter, _, cards = text.partition(" ")
        made.append(Trick(Seat.parse(letter), tuple(map(Card.parse, cards.split()))))
    board = Board(deal=DEAL, contract=Contract.parse("4S"), declarer=Seat.EAST, play=Play(tuple(made)))
    return replace(board, **fields)  # type: ignore[arg-type]


def test_clean_start_of_play() -> None:
    """South leads, East wins the third round."""
    assert codes(with_play("S DA D6 D2 D8", "S DK D9 D3 DJ", "S D4 DQ D5 S4")) == []


def test_revoke() -> None:
    """East ruffs the first diamond with two in hand."""
    finding = only(with_play("S DA D6 D2 S4", "E SA S5 S3 S2"))
    assert (finding.code, finding.at[0]) == ("revoke", ("play", 0, 3))
    assert named(finding) == ["E", "S4", "1", "DJ", "D8"]


def test_marked_revoke() -> None:
    """A revoke that the source marks is accepted."""
    board = with_play("S DA D6 D2 S4")
    assert board.play is not None
    assert codes(replace(board, play=replace(board.play, notes=(CardNote(0, 3, irregular=True),)))) == []


def test_card_not_held() -> None:
    """A card of another hand is placed in the play, and the holder shown."""
    finding = only(with_play("S DA D7 D2 D8"))
    assert (finding.code, finding.at[0], finding.message) == (
        "card-not-held", ("play", 0, 1), "W plays D7 to trick 1, but N holds it",
    )  # fmt: skip
    assert finding.labels == ((("deal", Card.parse("D7")), "N holds it"),)


def test_card_played_before() -> None:
    """The same card twice."""
    finding = only(with_play("S DA D6 D2 D8", "S DA D9 D3 DJ"))
    assert (finding.code, finding.at[0], named(finding)) == ("card-not-held", ("play", 1, 0), ["S", "DA", "2"])
    assert finding.labels == (), "no other hand has it"


def test_wrong_leader() -> None:
    """The lead is declarer's left hand's; later the winner's. One finding a board."""
    first = only(with_play("N D2 D8 DA D6"))
    assert (first.code, first.at[0], named(first)) == ("wrong-leader", ("play", 0, 0), ["N", "1", "S"])
    later = only(with_play("S DA D6 D2 D8", "N D3 DJ DK D9"))
    assert (later.code, later.at[0], named(later)) == ("wrong-leader", ("play", 1, 0), ["N", "2", "S"])
    assert [one.message.rpartition(" ")[2] for one in (first, later)] == ["left", "before"], "the reasons differ"


def test_broken_play() -> None:
    """A trick of three cards before another one."""
    board = with_play("S DA D6 D2", "S DK D9 D3 DJ")
    assert "broken-play" in codes(board)


def test_there_are_thirteen_tricks() -> None:
    """One more is told, at its place; thirteen are not."""
    trick = Trick(Seat.SOUTH, tuple(map(Card.parse, ("DA", "D6", "D2", "D8"))))

    def told(count: int) -> list[str]:
        found = findings(Document((Board(play=Play((trick,) * count)),)))
        return [finding.message for finding in found if finding.code == "broken-play"]

    assert told(13) == []
    assert told(14) == ["14 tricks are recorded: there are 13"]


def test_the_declarer_of_the_calls_is_judged() -> None:
    """Where no declarer is stated, the calls tell who leads; unless they are irregular, or another is stated."""
    auction = Auction.parse("1S P 4S P P P", Seat.EAST)
    board = with_play("N D2 D8 DA D6", auction=auction, declarer=None)
    assert codes(board) == ["wrong-leader"]
    marked = tuple(replace(made, irregular=i == 0) for i, made in enumerate(auction.calls))
    assert codes(replace(board, auction=replace(auction, calls=marked))) == []


def test_an_irregular_first_lead() -> None:
    """A first lead out of turn that the source marks is accepted; the mark on another card of the trick excuses nothing."""
    board = with_play("N D2 D8 DA D6")
    assert board.play is not None
    assert codes(replace(board, play=replace(board.play, notes=(CardNote(0, 0, irregular=True),)))) == []
    assert codes(replace(board, play=replace(board.play, notes=(CardNote(0, 1, irregular=True),)))) == ["wrong-leader"]


@pytest.mark.parametrize("seed", range(10))
def test_result_of_a_whole_play(seed: int) -> None:
    """A result one off is found, and the repair is the real one; a result marked as agreed wrongly is accepted."""
    board = played_board(seed)
    assert board.result is not None
    wrong = replace(board, result=board.result - 1 if board.result else 1, score=None)
    finding = only(wrong)
    assert finding.code == "result-play"
    assert finding.fix is not None
    assert finding.fix.value == board.result
    assert codes(replace(wrong, irregular=("result",))) == []


def test_result_of_a_part_of_the_play() -> None:
    """After three tricks (two lost) declarer has 1 to 11."""
    start = ("S DA D6 D2 D8", "S DK D9 D3 DJ", "S D4 DQ D5 S4")
    assert codes(with_play(*start, result=11)) == []
    high = only(with_play(*start, result=12))
    assert (high.code, numbers(high.message), high.fix) == ("result-play", [12, 1, 11], None)
    assert only(with_play(*start, result=0)).code == "result-play"


def test_claims() -> None:
    """A claim decides the result, within what the play allows."""
    start = ("S DA D6 D2 D8", "S DK D9 D3 DJ", "S D4 DQ D5 S4")
    board = with_play(*start)
    assert board.play is not None
    claim = replace(board, play=replace(board.play, claim=10))
    assert codes(replace(claim, result=10)) == []
    wrong = only(replace(claim, result=9))
    assert (wrong.code, numbers(wrong.message), wrong.fix and wrong.fix.value) == ("result-play", [9, 10], 10)
    assert wrong.message.endswith("claimed")
    high = only(replace(board, play=replace(board.play, claim=12)))
    assert (high.code, numbers(high.message)) == ("impossible-claim", [12, 2])
    impossible = replace(board, play=replace(board.play, claim=0))
    low = only(impossible)
    assert (low.code, numbers(low.message)) == ("impossible-claim", [0, 1])
    assert codes(replace(impossible, irregular=("result",))) == [], "tricks may have been transferred"


@pytest.mark.parametrize("seed", range(3))
def test_a_claim_beside_a_whole_play(seed: int) -> None:
    """Thirteen tricks decide the result: a claim that contradicts them is impossible, and the result is right."""
    board = played_board(seed)
    assert board.play is not None
    assert board.result is not None
    claim = board.result + 1 if board.result < 13 else 0
    assert codes(replace(board, play=replace(board.play, claim=claim))) == ["impossible-claim"]


@pytest.mark.parametrize("result", [-1, 14, 33])
def test_impossible_result(result: int) -> None:
    """There are 0 to 13 tricks, and nothing more is said of another number."""
    assert codes(with_play("S DA D6 D2 D8", result=result)) == ["impossible-result"]
    assert codes(with_play("S DA D6 D2 D8", result=8)) == []


def scored(score: int, **fields: object) -> Board:
    """4S by East just made, nobody vulnerable."""
    board = Board(contract=Contract.parse("4S"), declarer=Seat.EAST, result=10, score=score, vulnerability=Vulnerability.NONE)
    return replace(board, **fields)  # type: ignore[arg-type]


def test_score() -> None:
    """420 for East-West, and nothing else."""
    assert codes(scored(-420)) == []
    finding = only(scored(-400))
    assert (finding.code, finding.message) == ("score-contract", "the score is given as EW 400, 4S by E = makes EW 420")
    assert finding.fix is not None
    assert finding.fix.value == -420


def test_score_explanations() -> None:
    """The other vulnerability and the other side are recognised."""
    helps = [only(scored(-620)).help, only(scored(420)).help, only(scored(-420, vulnerability=Vulnerability.BOTH)).help]
    assert [str(one).partition(" right ")[2] for one in helps] == ["vulnerable", "for the other side", "not vulnerable"]


def test_scores_that_are_not_judged() -> None:
    """Adjusted scores, other games, and boards that lack a part are left alone."""
    assert codes(scored(0, irregular=("score",))) == []
    assert codes(scored(30, scoring="Rubber")) == []
    assert codes(scored(30, result=None)) == []
    assert codes(scored(30, vulnerability=None)) == []


def test_passed_out_scores_nothing() -> None:
    """A board that all passed has no points."""
    assert codes(Board(contract=Contract.passed_out(), score=0)) == []
    finding = only(Board(contract=Contract.passed_out(), score=50))
    assert (finding.code, numbers(finding.message), finding.fix and finding.fix.value) == ("score-contract", [50, 0], 0)
