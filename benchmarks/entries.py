"""How many planted errors of entry are found, by kind, and how many findings correct sessions give.

``python benchmarks/entries.py [SESSIONS] [ERRORS]``; the sessions are those of ``tests/scoring/events.py``, of seeds from 1,000 on.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bridgespec.scoring.suspicion import suspicions
from tests.scoring.events import PLANTS, made_session


def main(sessions: int = 20, errors: int = 350) -> None:
    """Print both counts."""
    made = [made_session(1000 + seed, howell=seed % 2 == 1) for seed in range(sessions)]
    quiet = [{one.message for one in suspicions(session.results, session.facts)} for session in made]
    boards, results = sum(len(one.boards) for one in made), sum(len(one.results) for one in made)
    print(f"{boards} correct travellers, {results} results: {sum(map(len, quiet))} findings")
    chance, found, planted = random.Random(0), Counter[str](), Counter[str]()
    for number in range(errors):
        session, plant = made[number % sessions], PLANTS[number % len(PLANTS)]
        index = chance.randrange(len(session.results))
        wrong = plant(session, index, chance)
        results_with = [*session.results[:index], wrong, *session.results[index + 1 :]]
        new = {one.message for one in suspicions(results_with, session.facts)} - quiet[number % sessions]
        planted[plant.__name__] += 1
        found[plant.__name__] += any(f"board {wrong.number}," in message for message in new)
    for name, count in planted.items():
        print(f"{name}: {found[name]} of {count}")
    print(f"all: {found.total()} of {errors}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
