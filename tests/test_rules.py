"""Rules as a whole: found by looking, documented, sorted, silent on clean boards, never raising."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridgespec.rules
from bridgespec.diagnostic import CODES
from bridgespec.model.auction import DOUBLE, PASS, REDOUBLE, Auction, AuctionCall, Call
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.play import CardNote, Play, Trick
from bridgespec.model.score import board_points
from bridgespec.model.tricks import Tricks
from bridgespec.rules import RULES, CheckRule, Facts, findings
from tests import twins
from tests.model.test_deck import random_deal
from tests.model.test_playing import full_play

FOLDER = Path(bridgespec.rules.__file__).parent


def test_every_module_is_a_rule() -> None:
    """Each module without underscore is a rule with a code of its own, found without a list."""
    modules = {path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_")}
    assert len(RULES) == len(modules) == len({rule.code.name for rule in RULES})
    assert modules == {rule.code.name.replace("-", "_") for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code.name)
def test_every_rule_has_a_page(rule: CheckRule) -> None:
    """The page has a summary line, then more; the code is registered."""
    summary, _, rest = rule.code.page.partition("\n")
    assert summary
    assert not summary.endswith(".")
    assert rest.strip()
    assert CODES[rule.code.name] is rule.code


def test_a_rule_has_no_finding_without_its_terms() -> None:
    """On the broken samples, a rule with `NEEDS` has no finding once any of these terms is taken from the boards, or the system."""
    for path in twins.bad_samples():
        document = twins.examine(path).document
        assert not [*needless(document)], path.name


def needless(document: Document) -> Iterator[tuple[str, str]]:
    """The rules that have a finding without a term that they are said to need, with the term."""
    for rule in RULES:
        for term in rule.needs:
            if [*rule.check(Facts(without(document, term)))]:
                yield rule.code.name, term


def without(document: Document, term: str) -> Document:
    """A document whose boards do not state a term; without its system, if that is the term."""
    if term == "system":
        return replace(document, system=None)
    return replace(document, boards=tuple(replace(board, **{term: getattr(Board(), term)}) for board in document.boards))


def played_board(seed: int) -> Board:
    """A whole board, legal and consistent, made by rules of its own."""
    rng = random.Random(seed)
    deal, number = random_deal(seed), rng.randrange(1, 65)
    board = Board(number=number, deal=deal)
    dealer, vulnerability = board.effective_dealer, board.effective_vulnerability
    assert dealer is not None
    assert vulnerability is not None
    opener, level, strain = rng.randrange(4), rng.randrange(1, 8), Strain(rng.randrange(5))
    doubling = Doubling(rng.randrange(3))
    calls = [PASS] * opener + [Call.bid(level, strain)]
    calls += [[], [DOUBLE], [DOUBLE, REDOUBLE]][doubling] + [PASS] * 3
    declarer = Seat((dealer + opener) % 4)
    play = full_play(deal, strain, declarer, seed)
    won = count_tricks(play, strain, declarer)
    contract = Contract(level, strain, doubling)
    score = board_points(contract, declarer, won, vulnerability)
    auction = Auction.of(calls, dealer)
    return Board(number, dealer, vulnerability, deal, None, declarer, play, auction, contract, won, score)


def count_tricks(play: Play, strain: Strain, declarer: Seat) -> int:
    """The declarer's tricks, from who leads next; the last one by its cards."""
    leaders = [trick.leader for trick in play.tricks[1:]]
    last = play.tricks[-1]
    led = last.cards[0].suit
    best = max(range(4), key=lambda i: (last.cards[i].suit == strain - 1, last.cards[i].suit == led, -last.cards[i]))
    leaders.append(Seat((last.leader + best) % 4))
    return sum(leader.side == declarer.side for leader in leaders)


@pytest.mark.parametrize("seed", range(60))
def test_clean_boards_have_no_findings(seed: int) -> None:
    """A board that was dealt, bid, played and scored by the laws is left in peace."""
    assert findings(Document((played_board(seed),))) == []


def test_findings_are_sorted_by_board() -> None:
    """Document-wide findings come first, then the boards in order."""
    bad = Board(number=1, dealer=Seat.WEST, vulnerability=Vulnerability.BOTH)
    found = findings(Document((bad, played_board(3), bad)))
    assert [finding.board for finding in found] == [0, 0, 2, 2]


SEATS, CARDS = st.sampled_from(Seat), st.sampled_from([Card(index) for index in range(52)])
CALLS = st.sampled_from(
    [
        AuctionCall(call)
        for call in (PASS, DOUBLE, REDOUBLE, *(Call.bid(level, strain) for level in range(1, 8) for strain in Strain))
    ]
)
BOARDS = st.builds(
    Board,
    number=st.none() | st.integers(-2, 40),
    dealer=st.none() | SEATS,
    vulnerability=st.none() | st.sampled_from(Vulnerability),
    deal=st.none() | st.binary(min_size=52, max_size=52).map(lambda raw: Deal(bytes(value % 6 for value in raw))),
    tricks=st.none() | st.binary(min_size=20, max_size=20).map(lambda raw: Tricks(bytes(value % 16 for value in raw))),
    declarer=st.none() | SEATS,
    play=st.none()
    | st.builds(
        Play,
        st.lists(st.builds(Trick, SEATS, st.lists(CARDS, max_size=6).map(tuple)), max_size=16).map(tuple),
        st.none() | st.integers(-1, 20),
        st.lists(st.builds(CardNote, st.integers(0, 3), st.integers(0, 4), irregular=st.booleans()), max_size=2).map(tuple),
    ),
    auction=st.none() | st.builds(Auction, st.lists(CALLS, max_size=12).map(tuple), st.none() | SEATS, st.booleans()),
    contract=st.none() | st.builds(Contract, st.integers(0, 7), st.sampled_from(Strain), st.sampled_from(Doubling)),
    result=st.none() | st.integers(-1, 15),
    score=st.none() | st.integers(-8000, 8000),
)
"""Boards of any nonsense that the types allow."""


AMONG_BOARDS = {"board-twice", "clipped-table", "impossible-tricks", "par-table", "unsolved-table"}
"""Codes of rules that look at several boards."""


@pytest.mark.long
@settings(deadline=None, max_examples=300)
@given(st.lists(BOARDS | st.integers(0, 8).map(played_board), min_size=2, max_size=3), st.integers(0, 15))
def test_a_board_is_judged_by_itself(made: list[Board], result: int) -> None:
    """What is found of a board does not depend on those before it."""
    made[-1] = replace(made[-1], result=result, score=50)
    alone = [(finding.code, index, finding.message) for index, one in enumerate(made) for finding in findings(Document((one,)))]
    found = [(finding.code, finding.board, finding.message) for finding in findings(Document(tuple(made)))]
    assert [one for one in found if one[0] not in AMONG_BOARDS] == [one for one in alone if one[0] not in AMONG_BOARDS]


@pytest.mark.long
@settings(deadline=None, max_examples=300)
@given(st.lists(BOARDS, max_size=3))
def test_no_board_makes_a_rule_raise(made: list[Board]) -> None:
    """Rules return findings for any boards, and none without the terms that they need."""
    for finding in findings(Document(tuple(made))):
        assert finding.code in CODES
        assert finding.message
        assert finding.board is None or 0 <= finding.board < len(made)
    assert not [*needless(Document(tuple(made)))]
