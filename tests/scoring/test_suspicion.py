"""Wrong entries: planted errors are found, and correct sessions are not complained of."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest

from bridgespec.model.cards import Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.score_sources import SessionSource, add_document, tricks_after_lead
from bridgespec.scoring.result import TableResult
from bridgespec.scoring.suspicion import BoardFacts, suspicions
from bridgespec.solver import solve_deal

from .events import PLANTS, MadeSession, made_session

SESSIONS = 10
"""Sessions of 21 boards: 210 travellers, 1,470 results."""
PLANTED = 50


@cache
def session_of(seed: int) -> MadeSession:
    """A session of one of the two kinds of movement; its deals are solved."""
    return made_session(seed, howell=seed % 2 == 1)


@pytest.fixture(scope="module")
def sessions() -> list[MadeSession]:
    """Sessions of both kinds of movement."""
    return [session_of(seed) for seed in range(SESSIONS)]


@pytest.mark.long
def test_planted_errors_are_found(sessions: list[MadeSession]) -> None:
    """Of fifty errors of seven kinds, one in a session each, at least 45 give a finding that names the board."""
    chance = random.Random(1)
    missed = []
    for number in range(PLANTED):
        session, plant = sessions[number % SESSIONS], PLANTS[number % len(PLANTS)]
        index = chance.randrange(len(session.results))
        wrong = plant(session, index, chance)
        results = [*session.results[:index], wrong, *session.results[index + 1 :]]
        before = {one.message for one in suspicions(session.results, session.facts)}
        found = [one for one in suspicions(results, session.facts) if one.message not in before]
        if not any(f"board {wrong.number}," in one.message for one in found):
            missed.append(f"{plant.__name__}: {session.results[index]} as {wrong}")
    assert len(missed) <= PLANTED - 45, missed


@pytest.mark.long
def test_correct_travellers_are_left_alone(sessions: list[MadeSession]) -> None:
    """210 travellers with 1,470 correct results, as far from double dummy as real ones, give at most one finding."""
    found = [one for session in sessions for one in suspicions(session.results, session.facts)]
    assert sum(len(session.boards) for session in sessions) >= 200
    assert len(found) <= 1, [one.message for one in found]


def test_records_with_other_cards_are_on_the_wrong_board() -> None:
    """A record whose deal is not that of most records of its number is one finding, which names the board of its cards."""
    boards = []
    for one in session_of(0).boards[:3]:
        assert one.number is not None
        made = replace(one, contract=Contract.parse("1NT"), declarer=Seat.NORTH, result=7)
        boards += [replace(made, players=(f"w{pair}", f"n{pair}", f"e{pair}", f"s{pair}")) for pair in range(3)]
    boards[0] = replace(boards[0], deal=boards[3].deal)
    source = SessionSource()
    add_document(source, Document(tuple(boards)))
    found = [one for one in suspicions(source.results, source.facts(False)) if one.record == 0]
    assert [(one.code, one.help) for one in found] == [("wrong-board", "they are the cards of board 2")]
    assert len(suspicions(source.results, source.facts(False))) == 1


def test_a_lead_that_gives_tricks_away_is_no_finding() -> None:
    """Thirteen tricks after the only lead that allows them are not far from double dummy."""
    deal = Deal.parse("N:AKQJT93.J.K65.93 7.KQT8765.87.QJ2 4.A4.AQJ9432.654 8652.932.T.AKT87")
    result = TableResult(1, "1", "2", Contract.parse("6NT"), Seat.NORTH, 13, lead=Card.parse("HK"))
    facts = BoardFacts({1: deal}, {1: solve_deal(deal)})
    assert [one.code for one in suspicions([result], facts)] == ["far-from-double-dummy"]
    assert not suspicions([result], replace(facts, after_lead=tricks_after_lead))


@pytest.mark.long
def test_rounds_are_found_without_numbers_of_tables() -> None:
    """Without rounds and tables, the boards that two contestants play against each other are compared."""
    results = [replace(one, round="", table="", lead=None) for one in session_of(1).results]
    facts = BoardFacts()
    assert not suspicions(results, facts)
    exchanged = replace(results[0], ns=results[0].ew, ew=results[0].ns)
    assert [one.code for one in suspicions([exchanged, *results[1:]], facts)] == ["directions-exchanged"]
    elsewhere = replace(results[0], number=results[0].number + 1, stated=False)
    assert "result-twice" in [one.code for one in suspicions([elsewhere, *results[1:]], facts)]
    assert [one.code for one in suspicions(results[1:], facts)] == ["result-missing"]
