"""Memory stays where it was: over ten thousand tables of one context, over contexts that come and go, over suit combinations."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
STATM = Path("/proc/self/statm")
PROGRAM = """
import random, sys
sys.path.insert(0, {here!r})
from sampling import random_deal, random_ending
from bridgespec.model.combination import Combination
from bridgespec.model.hand import Holding
from bridgespec.solver import Solver
from bridgespec.suits import suit_play

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

rng = random.Random(1)
kept = Solver(16)

def ending():
    while True:
        position = random_ending(rng, 5)
        if not position.trick:
            return position

def table(full):
    kept.table(random_deal(rng) if full else ending().deal)

def context():
    with Solver(16) as solver:
        solver.solve(ending())

def suit():
    cards = rng.sample("AKQJT98765432", 10)
    suit_play(Combination(Holding("".join(cards[:5])), Holding("".join(cards[5:]))), tricks=2, others=1)

work, warm, count = {work}, {warm}, {count}
for _ in range(warm):
    work()
before = resident()
for _ in range(count):
    work()
print(resident() - before)
"""


def grown(work: str, warm: int, count: int) -> int:
    """Bytes by which a process has grown in ``count`` rounds after ``warm`` ones."""
    program = PROGRAM.format(here=str(HERE), work=work, warm=warm, count=count)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=HERE.parent.parent)
    return int(done.stdout)


@pytest.mark.long
@pytest.mark.skipif(not STATM.exists(), reason="the system does not state a process's memory")
@pytest.mark.parametrize(
    ("work", "warm", "count"),
    [
        ("lambda: table(False)", 1000, 10_000),
        ("context", 200, 1000),
        ("suit", 50, 300),
        pytest.param("lambda: table(True)", 1000, 10_000, marks=pytest.mark.slow),
    ],
    ids=["endings", "contexts", "suits", "deals"],
)
def test_memory_does_not_grow(work: str, warm: int, count: int) -> None:
    """A hundred bytes a round would show."""
    assert grown(work, warm, count) < max(100 * count, 1 << 20)
