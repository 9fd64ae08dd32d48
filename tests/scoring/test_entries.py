"""Wrong entries: planted errors are found, and correct sessions are not complained of."""

from __future__ import annotations

import random

import pytest

from bridgespec.scoring.suspicion import suspicions

from .events import PLANTS, MadeSession, made_session

SESSIONS = 10
"""Sessions of 21 boards: 210 travellers, 1,470 results."""
PLANTED = 50


@pytest.fixture(scope="module")
def sessions() -> list[MadeSession]:
    """Sessions of both kinds of movement."""
    return [made_session(seed, howell=seed % 2 == 1) for seed in range(SESSIONS)]


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


def test_correct_travellers_are_left_alone(sessions: list[MadeSession]) -> None:
    """210 travellers with 1,470 correct results, as far from double dummy as real ones, give at most one finding."""
    found = [one for session in sessions for one in suspicions(session.results, session.facts)]
    assert sum(len(session.boards) for session in sessions) >= 200
    assert len(found) <= 1, [one.message for one in found]
