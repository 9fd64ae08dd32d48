"""Counts the rules that hardly any auction reaches: candidates for having been written for a single case.

Run ``python benchmarks/bidding_rare.py [--deals N] [--cases FILE] [--system NAME]... [--verbose]``. N random deals are bid by each
system, all three that are shipped unless others are named, and the hands of the cases (see `bidding.py`) make their call. A rule is
rare where fewer than one in 20,000 deals and fewer than three cases reach it under all of the systems together. A rare rule states
a reason (``because "..."``). Printed are the rare rules of each convention, with ``--verbose`` by line, and those without a reason.
Exit status 1 where there are more rare rules than the goal allows, or one has no reason.
"""

from __future__ import annotations

import argparse
import collections
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import numpy as np
from bidding import hands_from

from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import Turn, number_of
from bridgespec.model.auction import Call
from bridgespec.model.evaluate import HandBits, hand_of, holdings_of

GOAL, CASES, DEALS = 30, 3, 20_000
SYSTEMS = ("sayc", "two-over-one", "precision")
Reached = collections.Counter[str]


def reach(engine: BiddingEngine, turn: Turn, hand: HandBits, reached: Reached) -> int:
    """Return the call of a hand and count the rule that made it."""
    choice = engine.choose(turn, hand)
    if choice.candidate is not None:
        reached[str(choice.candidate.rule.written.place)] += 1
    return choice.call


def reached_by_deals(engine: BiddingEngine, count: int) -> Reached:
    """Return how many calls of random deals each rule makes."""
    reached: Reached = collections.Counter()
    rng = np.random.default_rng(count)
    deck = np.repeat(np.arange(4, dtype=np.uint8), 13)
    for row in range(count):
        holders = rng.permutation(deck)[None]
        hands = hands_from([holdings_of(holders, seat) for seat in range(4)], 0, 0)
        turn = engine.start((bool(row & 1), bool(row & 2)))
        while not turn.is_over:
            turn = engine.after(turn, reach(engine, turn, hands[turn.me], reached))
    return reached


def reached_by_cases(engine: BiddingEngine, path: Path) -> Reached:
    """Return how many cases of a file each rule decides."""
    reached: Reached = collections.Counter()
    for line in path.read_text("utf-8").splitlines()[1:]:
        _, hand, vulnerable, auction, _ = line.split("\t")
        turn = engine.start((vulnerable in ("ns", "both"), vulnerable in ("ew", "both")))
        for word in auction.split():
            turn = engine.after(turn, number_of(Call.parse(word)))
        reach(engine, turn, hand_of(hand), reached)
    return reached


def reached_under(name: str, deals: int, cases: Path | None) -> tuple[dict[str, tuple[str, str]], Reached, Reached]:
    """Return the rules of a system by their places, each with its convention and reason, and the calls of deals and of cases."""
    system = BiddingSystem.load(name)
    engine = BiddingEngine(system, system)
    every = [(module.name, rule) for module in system.modules for section in module.sections for rule in section.rules]
    rules = {str(rule.place): (name, rule.because) for name, rule in every}
    by_cases = reached_by_cases(engine, cases) if cases else collections.Counter()
    return rules, reached_by_deals(engine, deals), by_cases


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--system", action="append", help="a system; the three that are shipped unless given")
    parser.add_argument("--verbose", action="store_true", help="print each rare rule")
    args = parser.parse_args()
    rules: dict[str, tuple[str, str]] = {}
    dealt: Reached = collections.Counter()
    cases: Reached = collections.Counter()
    names = args.system or SYSTEMS
    with ProcessPoolExecutor() as processes:
        for found, by_deals, by_cases in processes.map(reached_under, names, repeat(args.deals), repeat(args.cases)):
            rules |= found
            dealt += by_deals
            cases |= by_cases
    fewest = max(1, args.deals / DEALS)
    rare = [place for place in rules if dealt[place] < fewest and cases[place] < CASES]
    of = collections.Counter(name for name, _ in rules.values())
    for name, count in collections.Counter(rules[place][0] for place in rare).most_common():
        print(f"  {name:24} {count:4} of {of[name]}")
        if args.verbose:
            print("".join(f"    {place}  {rules[place][1]}\n" for place in rare if rules[place][0] == name), end="")
    without = [place for place in rare if not rules[place][1]]
    for place in without:
        print(f"rare, and without a reason: {place}")
    print(f"rules that fewer than one in {DEALS:,} deals and fewer than {CASES} cases reach: {len(rare)} of {len(rules)}")
    return 1 if without or len(rare) > GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
