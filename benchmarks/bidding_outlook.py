"""Learn how many tricks a side takes from what one of it knows: the tables of `bridgespec.bidding.outlook`.

Run ``python benchmarks/bidding_outlook.py [--deals N] [--system NAME] [--cache DIR]``. The first deals of the set ``train`` are bid
by the rules; each turn of a side that has acted gives a row for notrump and one for each suit with trumps enough. The rows of a
thousand deals are kept in the cache folder, so a run that was stopped goes on; they are made anew where the rules or the features
changed. Three quarters of the deals are fitted, and the standard deviation of what remains is that of the others.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from bidding import CACHE, PART, hands_from, solved

from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.outlook import TRICKS_IN_NOTRUMP, TRICKS_IN_SUIT, Linear, trick_features
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import Turn, X
from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.model.cards import Side, Strain
from bridgespec.model.evaluate import HandBits, TermValues, evaluate, holdings_of

TRUMPS = 7.5
"""Trumps that must be expected for a row."""
Row = tuple[float, ...]


def amount(quantity: Linear, values: TermValues) -> float:
    """A linear quantity for one hand."""
    number, weights = quantity
    return number + sum(weight * max(0.0, values[term] - above) for term, weight, above in weights)


def rows(turn: Turn, values: TermValues, table: np.ndarray, me: int) -> Iterator[tuple[bool, Row]]:
    """Whether a row is for notrump, and the row: the tricks, then the features in the order of the table."""
    for suit in (None, 0, 1, 2, 3):
        strain = Strain.NOTRUMP if suit is None else Strain(suit + 1)
        found = {name: amount(quantity, values) for name, quantity in trick_features(turn, suit).items()}
        if suit is not None and found["own trumps"] + found["partner's trumps"] < TRUMPS:
            continue
        taken = (int(table[4 * strain + me]) + int(table[4 * strain + (me + 2) % 4])) / 2
        yield suit is None, (taken, *(found[name] for name in (TRICKS_IN_NOTRUMP if suit is None else TRICKS_IN_SUIT)))


def auction(engine: BiddingEngine, hands: tuple[HandBits, ...], vulnerable: tuple[bool, bool]) -> Iterator[Turn]:
    """The turns at which a side that has acted calls."""
    turn = engine.start(vulnerable)
    while not turn.is_over:
        if turn.first >= 0 and any(call >= X for call in turn.calls[turn.me % 2 :: 2]):
            yield turn
        turn = engine.after(turn, engine.choose(turn, hands[turn.me]).call)


def part(engine: BiddingEngine, holders: np.ndarray, tables: np.ndarray, start: int) -> tuple[list[Row], list[Row]]:
    """The rows of some deals, whose first is board ``start`` + 1: in suits, and in notrump."""
    holdings = [holdings_of(holders, seat) for seat in range(4)]
    made: tuple[list[Row], list[Row]] = [], []
    for row, table in enumerate(tables):
        number = start + row + 1
        dealer, vulnerability = int(standard_dealer(number)), standard_vulnerability(number)
        sides = vulnerability.covers(Side.NS), vulnerability.covers(Side.EW)
        hands = hands_from(holdings, row, dealer)
        for turn in auction(engine, hands, sides if dealer % 2 else sides[::-1]):
            for is_notrump, one in rows(turn, evaluate(hands[turn.me]), table, (dealer + turn.me) % 4):
                made[is_notrump].append((float(number), *one))
    return made


def learn(title: str, data: np.ndarray, names: list[str]) -> None:
    """Print a table and what remains on the deals that were not fitted."""
    number, taken, features = data[:, 0], data[:, 1], data[:, 2:]
    apart = number % 4 == 0
    weights, *_ = np.linalg.lstsq(features[~apart], taken[~apart], rcond=None)
    left = taken[apart] - features[apart] @ weights
    print(f"{title}: {len(data):,} rows; what remains on other deals has a standard deviation of {left.std():.3f} tricks")
    for name, weight in zip(names, weights, strict=True):
        print(f'    "{name}": {weight:.3f},')


def main() -> int:
    """Learn the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--system", default="sayc")
    parser.add_argument("--cache", type=Path, default=CACHE)
    args = parser.parse_args()
    holders, tables, _ = solved(args.cache, "train", args.deals)
    system = BiddingSystem.load(args.system)
    engine = BiddingEngine(system, system)
    mark = zlib.crc32(repr((system.modules, list(TRICKS_IN_SUIT), list(TRICKS_IN_NOTRUMP))).encode())
    found: tuple[list[np.ndarray], list[np.ndarray]] = [], []
    for start in range(0, args.deals, PART):
        path = args.cache / f"outlook-{mark:08x}-{start}.npz"
        if not path.exists():
            suit, notrump = part(engine, holders[start : start + PART], tables[start : start + PART], start)
            np.savez(path, suit=suit, notrump=notrump)
        with np.load(path) as kept:
            found[0].append(kept["suit"])
            found[1].append(kept["notrump"])
    learn("in a suit", np.concatenate(found[0]), list(TRICKS_IN_SUIT))
    learn("in notrump", np.concatenate(found[1]), list(TRICKS_IN_NOTRUMP))
    return 0


if __name__ == "__main__":
    sys.exit(main())
