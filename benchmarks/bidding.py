"""Bids deals by a system at all four seats and measures how far the contracts are from par; learns thresholds on other deals.

Run ``python benchmarks/bidding.py [--deals N] [--system NAME] [--cache DIR]``. The 10,000 deals are those at index floor(k x
10,485,760 / 10,000) of the published sequence (`bridgespec.model.generator`), k = 0 .. 9,999, as board k + 1; ``--set`` names
others (`QUARTERS`), of which only those of ``train`` may be used to tune rules. Tables and pars are solved once and kept in the
cache folder, in parts of 1,000 deals. A contract is scored by its double-dummy tricks, and is doubled only where somebody
doubled it. "From par" is the mean of |IMPs(score - par)|. With ``--cases FILE`` the calls of a file of cases (group, hand,
vulnerable, auction, call, separated by tabs) are compared instead; where the system differs it has a reason, which
`bidding-disagreements.tsv` beside this
file gives for each (hand, auction, their call, ours, reason). With ``--held-out`` they are those of `bidding-held-out.tsv`, for
which no reasons are kept. ``--counts N`` counts what contradicts what is known in N random deals. With ``--samples N`` some
decisions are judged by sampling, and the same boards without it are told first; ``--resume FILE`` keeps what was bid so far, a
later run goes on from there, and with ``--kept`` it tells of those boards alone. Exit status 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import collections
import resource
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.census import pool
from bridgespec.bidding.checking import SEED, counts
from bridgespec.bidding.counters import KINDS
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.language import SystemReader
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, FIRST_BID, P, Turn, level_of, number_of, suit_of
from bridgespec.model.auction import Call
from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.model.cards import Side, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.deal import Deal
from bridgespec.model.evaluate import HandBits, hand_of, hand_text, holdings_of
from bridgespec.model.generator import DATABASE, GROUP, chunks
from bridgespec.model.par import par
from bridgespec.model.score import imps, points
from bridgespec.model.tricks import Tricks
from bridgespec.solver import solve_tables

CACHE = Path.home() / ".cache" / "bridgespec" / "bidding"
ALL = 10_000
PART = 1_000
HELD_OUT = Path(__file__).with_name("bidding-held-out.tsv")
"""Cases from published quizzes that no rule was written for: a rule that is changed because of one of them spoils the list."""
DISAGREEMENTS = Path(__file__).with_name("bidding-disagreements.tsv")
GOAL_IMPS, GOAL_AT_PAR, GOAL_CASES, GOAL_SPEED = 4.5, 34.5, 92.0, 100.0
GOAL_SAMPLED = 4.2


QUARTERS = {"test": 0, "match": 1, "train": 2}
"""Sets of deals, by the quarter of the way from one deal of the test set to the next at which theirs stand: no two share a deal.

Rules may be tuned on ``train`` alone; ``match`` and ``test`` are for the results that are reported.
"""


def indexes(name: str) -> list[int]:
    """The positions in the sequence of the deals of a set."""
    return [(4 * k + QUARTERS[name]) * DATABASE // (4 * ALL) for k in range(ALL)]


def deals(places: list[int]) -> np.ndarray:
    """The deals of some places, as (N, 52) holders."""
    found = np.empty((len(places), 52), np.uint8)
    groups: dict[int, list[int]] = {}
    for row, place in enumerate(places):
        groups.setdefault(place // GROUP, []).append(row)
    for group, rows in groups.items():
        stop = max(places[row] for row in rows) + 1
        (chunk,) = chunks(group * GROUP, stop)
        for row in rows:
            found[row] = chunk[places[row] - group * GROUP]
    return found


def solved(cache: Path, name: str, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first ``count`` deals of a set, their tables, and their pars in points of North-South; kept in the cache folder."""
    cache.mkdir(parents=True, exist_ok=True)
    whole = -(-count // PART) * PART
    places = indexes(name)[:whole]
    dealt, tables, pars = [], [], []
    for start in range(0, whole, PART):
        # Each deal is reached by generating its group of the sequence, which takes as long as bidding it.
        dealt.append(_kept(cache / f"{name}-deals-{start}-{PART}.npy", lambda start=start: deals(places[start : start + PART])))
        part = dealt[-1]
        tables.append(_kept(cache / f"{name}-tables-{start}-{PART}.npy", lambda part=part: solve_tables(part)))
        rows = tables[-1]
        pars.append(_kept(cache / f"{name}-pars-{start}-{PART}.npy", lambda rows=rows, start=start: _pars(rows, start)))
    return np.concatenate(dealt)[:count], np.concatenate(tables)[:count], np.concatenate(pars)[:count]


def _kept(path: Path, make) -> np.ndarray:
    if not path.exists():
        np.save(path, make())
    return np.load(path)


def _pars(tables: np.ndarray, start: int) -> np.ndarray:
    return np.array(
        [
            par(Tricks(row.tobytes()), standard_dealer(start + k + 1), standard_vulnerability(start + k + 1)).score
            for k, row in enumerate(tables)
        ]
    )


def result(turn: Turn, dealer: int, table: np.ndarray, number: int, perfect: bool = False) -> tuple[int, int, int]:
    """Points of North-South for a finished auction, the last bid, and the declarer's seat (-1: passed out).

    With ``perfect`` defence a contract that fails is doubled.
    """
    if turn.last < FIRST_BID:
        return 0, 0, -1
    suit, side = suit_of(turn.last), turn.last_turn % 2
    first = next(t for t, call in enumerate(turn.calls) if t % 2 == side and call >= FIRST_BID and suit_of(call) == suit)
    declarer = (dealer + first) % 4
    strain = Strain.NOTRUMP if suit is None else Strain(suit + 1)
    tricks = int(table[4 * strain + declarer])
    doubled = perfect and tricks < level_of(turn.last) + 6
    contract = Contract(level_of(turn.last), strain, Doubling(max(turn.doubling, doubled)))
    made = points(contract, tricks, standard_vulnerability(number).covers(Side.NS if declarer % 2 else Side.EW))
    return (made if declarer % 2 else -made), turn.last, declarer


def hands_from(holdings: list[np.ndarray], row: int, dealer: int) -> tuple[HandBits, HandBits, HandBits, HandBits]:
    """Four hands of a deal, the dealer's first."""
    made = [tuple(int(value) for value in holdings[(dealer + place) % 4][:, row]) for place in range(4)]
    return made[0], made[1], made[2], made[3]


def kind_of(score: int) -> str:
    """What a par is."""
    size = abs(score)
    return "pass" if size == 0 else "partscore" if size < 300 else "game" if size < 900 else "slam"


def disagreements() -> dict[tuple[str, str, str], str]:
    """Why the system differs: by hand, auction, and our call."""
    rows = [line.split("\t") for line in DISAGREEMENTS.read_text("utf-8").splitlines()[1:]]
    return {(hand, auction, ours): reason for hand, auction, _, ours, reason in rows}


def cases(path: Path, engine: BiddingEngine, verbose: bool, reasons: dict[tuple[str, str, str], str] | None) -> float:
    """The share of the calls of a file of cases that the system makes, in per cent; differences without a reason are printed.

    With None differences need no reason.
    """
    right, groups = 0, collections.defaultdict(lambda: [0, 0])
    unmet = dict(reasons or {})
    lines = path.read_text("utf-8").splitlines()[1:]
    for number, line in enumerate(lines, 2):
        try:
            group, hand, vulnerable, auction, call = line.split("\t")
            held, wanted = hand_of(hand), number_of(Call.parse(call))
            calls = [number_of(Call.parse(word)) for word in auction.split()]
        except ValueError as error:
            raise SystemExit(f"{path}:{number}: {error}") from None
        ns, ew = vulnerable in ("ns", "both"), vulnerable in ("ew", "both")
        turn = engine.start((ns, ew))
        for made in calls:
            turn = engine.after(turn, made)
        choice = engine.choose(turn, held)
        good = choice.call == wanted
        right += good
        groups[group][0] += good
        groups[group][1] += 1
        reason = None if good else unmet.pop((hand, auction, CALL_NAMES[choice.call]), None)
        if not good and reason is None and reasons is not None:
            print(f"without a reason: {hand} after {auction or 'nothing'}: {CALL_NAMES[choice.call]}, not {call}")
        if verbose and not good:
            rule = choice.candidate.rule.written.place if choice.candidate else "fallback"
            print(
                f"{group[:22]:22} {hand:17} {vulnerable:5} {auction:28} want {call:3} "
                f"got {CALL_NAMES[choice.call]:4} {str(rule).split('/')[-1]}"
            )
    for hand, auction, ours in unmet:
        print(f"a reason without a case: {hand} after {auction or 'nothing'}: {ours}")
    for group, (good, count) in sorted(groups.items()):
        print(f"  {group:50} {good:4} of {count}")
    print(f"cases: {right} of {len(lines)}, {100 * right / len(lines):.1f}%")
    return 100 * right / len(lines)


def memory() -> int:
    """The most memory that was in use so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def judged(
    args: argparse.Namespace,
    engines: tuple[BiddingEngine, BiddingEngine],
    systems: tuple[BiddingSystem, BiddingSystem],
    holders: np.ndarray,
) -> dict[int, Turn]:
    """The auctions with judgement by sampling, by board; those that the file of an earlier run holds are read from it."""
    kept: dict[int, str] = {}
    if args.resume and args.resume.exists():
        kept = {int(row): calls for row, calls in (line.split("\t") for line in args.resume.read_text("utf-8").splitlines())}
    bidder = Bidder(ns=systems[0], ew=systems[1], samples=args.samples)
    turns = {}
    for k in range(args.first, args.deals):
        if k not in kept and args.kept:
            continue
        if k not in kept:
            auction = bidder.auction(Deal(holders[k].tobytes()), board=k + 1)
            kept[k] = " ".join(map(str, auction))
            if args.resume:
                with args.resume.open("a", encoding="utf-8") as file:
                    file.write(f"{k}\t{kept[k]}\n")
        dealer, vulnerability = int(standard_dealer(k + 1)), standard_vulnerability(k + 1)
        sides = vulnerability.covers(Side.NS), vulnerability.covers(Side.EW)
        engine = engines[1 - dealer % 2]
        turn = engine.start(sides if dealer % 2 else sides[::-1])
        for word in kept[k].split():
            turn = engine.after(turn, number_of(Call.parse(word)))
        turns[k] = turn
    return turns


def sound(engine: BiddingEngine, count: int) -> bool:
    """Bid random deals and count what must not be: illegal or missing calls, passed forcing calls, and auctions past 40 calls."""
    bad: collections.Counter[str] = collections.Counter()
    witness: dict[str, str] = {}
    rng = np.random.default_rng(count)
    deck = np.repeat(np.arange(4, dtype=np.uint8), 13)
    curve = []
    for row in range(count):
        if row and row % max(1, count // 10) == 0:
            curve.append(memory())
        holders = rng.permutation(deck)[None]
        hands = hands_from([holdings_of(holders, seat) for seat in range(4)], 0, 0)
        turn = engine.start((bool(row & 1), bool(row & 2)))
        while not turn.is_over:
            choice = engine.choose(turn, hands[turn.me])
            kinds = []
            if not turn.legal(choice.call):
                kinds.append("illegal")
            if choice.candidate is None:
                kinds.append("without a rule")
            if choice.call == P and turn.must_bid and not turn.may_stop:
                kinds.append("forcing call passed")
            if len(turn.calls) == 40:
                kinds.append("longer than 40 calls")
            turn = engine.after(turn, choice.call)
            for kind in kinds:
                bad[kind] += 1
                witness.setdefault(kind, " ".join(CALL_NAMES[call] for call in turn.calls))
    print(f"memory in MB after each tenth: {' '.join(map(str, [*curve, memory()]))}")
    print(f"{count} random deals: " + (", ".join(f"{n} {kind} ({witness[kind]})" for kind, n in bad.items()) or "nothing wrong"))
    return not bad


def bid(boards: Iterable[int], north_south: BiddingEngine, east_west: BiddingEngine, holdings: list[np.ndarray]) -> dict[int, Turn]:
    """The auctions without sampling by board, by the engine for each dealer's side."""
    turns = {}
    for k in boards:
        dealer, vulnerability = int(standard_dealer(k + 1)), standard_vulnerability(k + 1)
        ns, ew = vulnerability.covers(Side.NS), vulnerability.covers(Side.EW)
        sides, engine = ((ns, ew), north_south) if dealer % 2 else ((ew, ns), east_west)
        turns[k] = engine.auction(hands_from(holdings, k, dealer), sides)
    return turns


def vary(args: argparse.Namespace, system: BiddingSystem) -> None:
    """Print how far from par the training deals end with each value of a parameter, against the system as it stands.

    This is how thresholds are learnt: nothing is drawn, so the only data are the deals of `indexes` with ``train``.
    """
    holders, tables, pars = solved(args.cache, "train", args.deals)
    holdings = [holdings_of(holders, seat) for seat in range(4)]

    def away(varied: BiddingSystem) -> np.ndarray:
        engine = BiddingEngine(varied, varied)
        turns = bid(range(args.first, args.deals), engine, engine, holdings)
        scores = {k: result(turn, int(standard_dealer(k + 1)), tables[k], k + 1)[0] for k, turn in turns.items()}
        return np.array([abs(imps(score - int(pars[k]))) for k, score in scores.items()])

    base = away(system)
    print(f"as it stands: {base.mean():.4f} IMPs, {100 * (base == 0).mean():.2f}% at par")
    for item in args.vary:
        name, _, values = item.partition("=")
        module, _, parameter = name.partition(".")
        for value in values.split(","):
            reader = SystemReader(changes={module: {parameter: float(value)}})
            path = reader.find(args.system)
            if path is None:
                raise SystemExit(f"there is no system {args.system}")
            reader.read(path)
            swing = away(BiddingSystem(reader.modules, reader.findings, path.stem)) - base
            error = swing.std() / len(swing) ** 0.5
            at_par = 100 * ((swing + base == 0).mean() - (base == 0).mean())
            print(f"{name} = {value}: {swing.mean():+.4f} IMPs (standard error {error:.4f}), {at_par:+.2f}% at par")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=ALL)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--system", default="sayc")
    parser.add_argument("--other", help="the system of East and West")
    parser.add_argument("--set", choices=list(QUARTERS), default="test", help="which deals")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--held-out", action="store_true", help="compare with the cases that no rule was written for")
    parser.add_argument("--random", type=int, default=0, help="bid so many random deals and count what must not be")
    parser.add_argument("--counts", type=int, default=0, help="bid so many random deals and count what contradicts what is known")
    parser.add_argument("--worst", type=int, default=0, help="print so many of the boards furthest from par")
    parser.add_argument("--only", default="", help="print only worst boards of this kind of miss")
    parser.add_argument("--samples", type=int, default=0, help="layouts for each decision that is judged by sampling")
    parser.add_argument("--vary", action="append", help="convention.parameter=value,value: compare on training deals")
    parser.add_argument("--resume", type=Path, help="where auctions judged by sampling are kept")
    parser.add_argument("--kept", action="store_true", help="tell of the boards that this file holds, and bid no more")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    ours = BiddingSystem.load(args.system)
    theirs = BiddingSystem.load(args.other) if args.other else ours
    engine = BiddingEngine(ours, theirs)
    if args.counts:
        for one in counts(engine, pool(4 * args.counts, SEED), args.counts):
            print(f"{100 * one.count / args.counts:7.2f} in 100 deals: {KINDS[one.kind]}; {one.witness}")
        return 0
    if args.random:
        return 0 if sound(engine, args.random) else 1
    if args.held_out:
        cases(HELD_OUT, engine, args.verbose, None)
        return 0
    if args.cases:
        return 0 if cases(args.cases, engine, args.verbose, disagreements()) >= GOAL_CASES else 1
    if args.vary:
        vary(args, ours)
        return 0
    holders, tables, pars = solved(args.cache, args.set, args.deals)
    holdings = [holdings_of(holders, seat) for seat in range(4)]
    both = engine, engine if theirs is ours else BiddingEngine(theirs, ours)
    start = time.process_time()
    judgements = judged(args, both, (ours, theirs), holders) if args.samples else None
    spent = time.process_time() - start
    start = time.process_time()
    turns = bid(range(args.first, args.deals) if judgements is None else judgements, *both, holdings)
    speed = len(turns) / (time.process_time() - start)
    mean, at_par = report(args, turns, tables, pars, holdings)
    print(f"speed: {speed:.0f} deals a second")
    if judgements is not None:
        without = mean
        print(f"with {args.samples} samples, {spent:.0f} s for the boards that were not kept:")
        mean, at_par = report(args, judgements, tables, pars, holdings)
        print(f"gained by sampling: {without - mean:+.3f} IMPs a board")
        return 0 if mean <= GOAL_SAMPLED else 1
    return 0 if mean <= GOAL_IMPS and at_par >= GOAL_AT_PAR and speed >= GOAL_SPEED else 1


def report(
    args: argparse.Namespace, turns: dict[int, Turn], tables: np.ndarray, pars: np.ndarray, holdings: list[np.ndarray]
) -> tuple[float, float]:
    """Print how far from par the contracts are, by class and by how they miss."""
    perfect = []
    away, by, misses, rows = [], collections.defaultdict(list), collections.defaultdict(list), []
    fallbacks = collections.Counter()
    rules = collections.defaultdict(list)
    for k, turn in turns.items():
        dealer = int(standard_dealer(k + 1))
        score, last, declarer = result(turn, dealer, tables[k], k + 1)
        swing = imps(score - int(pars[k]))
        distance = abs(swing)
        away.append(distance)
        perfect.append(abs(imps(result(turn, dealer, tables[k], k + 1, perfect=True)[0] - int(pars[k]))))
        ours, theirs = (any(call != P for call in turn.calls[side::2]) for side in (0, 1))
        by["contested" if ours and theirs else "uncontested"].append(distance)
        by["par " + kind_of(int(pars[k]))].append(distance)
        how = miss(score, int(pars[k]), declarer, last)
        misses[how].append(distance)
        rows.append((distance, k, score, how))
        for place, meaning in enumerate(turn.meanings):
            if not meaning.known:
                fallbacks[" ".join(CALL_NAMES[call] for call in turn.calls[: place + 1])] += 1
            else:
                rules[meaning.place.split("/")[-1] + " " + CALL_NAMES[meaning.call]].append(distance)
    data = np.array(away)
    print(
        f"{len(data)} deals: {data.mean():.3f} IMPs from par (standard error {data.std() / len(data) ** 0.5:.3f}), "
        f"{100 * (data == 0).mean():.1f}% at par; {np.mean(perfect):.3f} under perfect defence"
    )
    for name, values in sorted(by.items()):
        print(f"  {name:16} {len(values):6} boards, {np.mean(values):6.3f} IMPs")
    for name, values in sorted(misses.items(), key=lambda item: -sum(item[1])):
        print(f"  miss: {name:34} {len(values):6} boards, {sum(values) / len(data):6.3f} IMPs a board in all")
    print(f"  calls without a rule: {sum(fallbacks.values())}")
    if args.verbose:
        for name, count in fallbacks.most_common(25):
            print(f"    {count:4} {name}")
    if args.worst:
        shown = [row for row in sorted(rows, reverse=True) if args.only in row[3]]
        for distance, k, score, how in shown[: args.worst]:
            show(turns[k], k, distance, score, int(pars[k]), how, holdings, tables[k])
    return float(data.mean()), float(100 * (data == 0).mean())


def miss(score: int, best: int, declarer: int, last: int) -> str:
    """In a word, how a contract missed par."""
    if score == best:
        return "at par"
    if declarer < 0:
        return "passed out"
    sign = 1 if declarer % 2 else -1
    own, target = sign * score, sign * best
    level = level_of(last)
    kind = "partscore" if level < 3 or (level == 3 and suit_of(last) is not None) else "game" if level < 6 else "slam"
    if level == 4 and suit_of(last) is not None and suit_of(last) > 1:
        kind = "partscore"
    if own < 0:
        return f"{kind} down" + (", par theirs" if target < 0 else ", par ours")
    if target > own:
        return f"{kind} made, more there ({kind_of(best)})"
    return f"{kind} made, they had better"


def show(turn: Turn, k: int, distance: int, score: int, best: int, how: str, holdings: list[np.ndarray], table: np.ndarray) -> None:
    """Print a board with its auction and the rules behind it."""
    dealer = int(standard_dealer(k + 1))
    print(f"--- board {k + 1} {distance} IMPs; score {score} par {best}: {how}; vul {standard_vulnerability(k + 1).name}")
    for place, hand in enumerate(hands_from(holdings, k, dealer)):
        calls = [
            f"{CALL_NAMES[call]}({turn.meanings[t].place.split('/')[-1]})" for t, call in enumerate(turn.calls) if t % 4 == place
        ]
        print(f"   {'WNES'[(dealer + place) % 4]} {hand_text(hand):17} {' '.join(calls)}")
    print(
        "   " + " ".join(CALL_NAMES[call] for call in turn.calls),
        "| DD N/S NSHDC",
        [int(max(table[4 * s + 1], table[4 * s + 3])) for s in range(5)],
        "E/W",
        [int(max(table[4 * s], table[4 * s + 2])) for s in range(5)],
    )


if __name__ == "__main__":
    sys.exit(main())
