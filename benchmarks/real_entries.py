"""How many planted errors of entry are found among real results, by kind, and how many findings correct travellers give.

``python benchmarks/real_entries.py FOLDER... [--seed N]``; a folder has PBN files of an event whose boards were played at seven or
more tables, with the play (such as those of github.com/ContractBridge/pbn-files: the Cap Gemini tournaments of 1997 to 2002, the
pairs of 1970 and 1980; none is part of this repository). It shares no code with the made-up sessions of
``tests/scoring/events.py``.

A record counts as correct if its recorded play leads to its result: double dummy from the last card that was played on gives the
stated tricks, or one more or fewer (a claim). All others are left out. The correct results get a movement: seven tables, seven
rounds of three boards, as travellers of a club have it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bridgespec import load, solve_deal
from bridgespec.errors import BridgespecError
from bridgespec.model.board import Board, standard_vulnerability
from bridgespec.model.cards import Card, Seat, Side
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.score import board_points
from bridgespec.model.tricks import Tricks
from bridgespec.score_sources import tricks_after_lead
from bridgespec.scoring.result import ResultOrigin, TableResult
from bridgespec.scoring.suspicion import BoardFacts, shown, suspicions
from bridgespec.solver import analyse_play

TABLES, EACH = 7, 3


@dataclass(frozen=True)
class Played:
    """What one table of an event did with a deal."""

    contract: Contract
    declarer: Seat | None
    tricks: int | None
    lead: Card | None


@dataclass(frozen=True)
class Session:
    """Travellers of 21 boards that were played at seven tables."""

    results: list[TableResult]
    deals: dict[int, Deal]
    tables: dict[int, Tricks]

    def facts(self) -> BoardFacts:
        """Return what is known of the boards."""
        return BoardFacts(self.deals, self.tables, after_lead=tricks_after_lead)


def confirmed(board: Board) -> Played | None:
    """Return what a record states if its play leads to it."""
    contract, declarer, tricks = board.contract, board.declarer, board.result
    if contract is None or board.deal is None or not board.deal.is_complete:
        return None
    if contract.is_passed_out:
        return Played(contract, None, None, None)
    if declarer is None or tricks is None or board.play is None or not board.play.cards:
        return None
    try:
        last = analyse_play(board).cards[-1].tricks
    except (BridgespecError, ValueError):
        return None
    won = last if declarer.side is Side.NS else 13 - last
    return Played(contract, declarer, tricks, board.play.cards[0]) if abs(won - tricks) <= 1 else None


def travellers(folder: Path) -> list[tuple[Deal, list[Played]]]:
    """Return the deals of an event that have correct results of enough tables."""
    found: list[tuple[Deal, list[Played]]] = []
    for path in sorted(one for one in folder.iterdir() if one.suffix.lower() == ".pbn"):
        by_deal: dict[Deal, list[Played]] = defaultdict(list)
        for board in load(path).boards:
            played = confirmed(board)
            if played is not None and board.deal is not None:
                by_deal[board.deal].append(played)
        found += [(deal, played) for deal, played in by_deal.items() if len(played) >= TABLES]
    return found


def seated(boards: Sequence[tuple[Deal, list[Played]]], apart: bool) -> Session:
    """Return 21 travellers as a session: North-South stays, East-West moves up and boards down; ``apart`` names both sides 1-7."""
    results = []
    for turn in range(TABLES):
        for table in range(TABLES):
            ns, ew = 1 + table, 1 + (table - turn) % TABLES + (0 if apart else TABLES)
            for index in range(EACH):
                number = 1 + EACH * ((table + turn) % TABLES) + index
                one = boards[number - 1][1][turn]
                score = board_points(one.contract, one.declarer, one.tricks or 0, standard_vulnerability(number))
                results.append(
                    TableResult(
                        number,
                        str(ns),
                        str(ew),
                        one.contract,
                        one.declarer,
                        one.tricks,
                        score,
                        True,
                        one.lead,
                        str(1 + turn),
                        str(1 + table),
                        at=ResultOrigin(record=len(results)),
                    )
                )
    numbered = list(enumerate((deal for deal, _ in boards), 1))
    return Session(results, dict(numbered), {number: solve_deal(deal) for number, deal in numbered})


# --- errors of a clerk ----------------------------------------------------------------------------------------------------


def scored(one: TableResult, **changed: object) -> TableResult:
    """Return a result with other values, its score worked out again, as a terminal does."""
    new = replace(one, **changed)  # type: ignore[arg-type]
    assert new.contract is not None
    return replace(new, score=board_points(new.contract, new.declarer, new.tricks or 0, standard_vulnerability(new.number)))


def lead(one: TableResult, session: Session, chance: random.Random) -> TableResult | None:
    """The suit or the rank of the lead is mistaken, so that the leader does not have the card."""
    if one.lead is None or one.declarer is None:
        return None
    hand = session.deals[one.number].cards(one.declarer.next)
    suit, rank = str(one.lead)
    wrong = [Card.parse(other + rank) for other in "SHDC"] + [Card.parse(suit + other) for other in "AKQJT98765432"]
    return replace(one, lead=chance.choice([card for card in wrong if card not in hand]))


def directions(one: TableResult, session: Session, chance: random.Random) -> TableResult | None:
    """The pairs are exchanged, or the declarer is one of the other side."""
    if chance.random() < 0.5:
        return replace(one, ns=one.ew, ew=one.ns) if one.ns != one.ew else None
    if one.declarer is None:
        return None
    other = chance.choice([one.declarer.next, one.declarer.next.next.next])
    return scored(one, declarer=other)


def score(one: TableResult, session: Session, chance: random.Random) -> TableResult | None:
    """The score has the wrong sign, two digits exchanged, or is that of a trick more or of another vulnerability."""
    assert one.score is not None
    text = str(abs(one.score))
    sign = 1 if one.score >= 0 else -1
    values = {-one.score, sign * int(text[1::-1] + text[2:]), one.score + chance.choice((-30, -20, 20, 30, 50, 100))} - {one.score}
    return replace(one, score=chance.choice(sorted(values)))


def far(one: TableResult, session: Session, chance: random.Random) -> TableResult | None:
    """The number of tricks is five or more from double dummy."""
    if one.declarer is None or one.contract is None:
        return None
    best = session.tables[one.number].get(one.contract.strain, one.declarer)
    assert best is not None
    return scored(one, tricks=chance.choice([tricks for tricks in range(14) if abs(tricks - best) >= 5]))


def board(one: TableResult, session: Session, chance: random.Random) -> TableResult | None:
    """The result stands on the traveller of another board, half of the time that of a neighbour."""
    near = [number for number in (one.number - 1, one.number + 1) if number in session.deals]
    return scored(one, number=chance.choice(near if chance.random() < 0.5 else [*session.deals.keys() - {one.number}]))


def pair(one: TableResult, session: Session, chance: random.Random) -> TableResult | None:
    """One of the pairs has the number of another pair, which so meets the board twice."""
    name = chance.choice(("ns", "ew"))
    others = {getattr(other, name) for other in session.results if other.number == one.number} - {getattr(one, name)}
    return replace(one, **{name: chance.choice(sorted(others))})


KINDS: Sequence[Callable[[TableResult, Session, random.Random], TableResult | None]] = (lead, directions, score, far, board, pair)
SHEETS = {
    "all columns": {},
    "without leads": {"lead": None},
    "without rounds and tables": {"round": "", "table": ""},
    "without leads, rounds, tables": {"lead": None, "round": "", "table": ""},
}
"""What the travellers do not have."""


def main(folders: Sequence[Path], seed: int, errors: int) -> None:
    """Print the findings of the correct travellers and how many of the errors are found, for each kind of travellers."""
    boards = [one for folder in folders for one in travellers(folder)]
    size = TABLES * EACH
    sessions = [seated(boards[at : at + size], at // size % 2 == 0) for at in range(0, len(boards) - size + 1, size)]
    count = len(sessions) * size
    print(f"{count} correct travellers, {count * TABLES} results")
    for title, without in SHEETS.items():
        chance, planted, found = random.Random(seed), Counter[str](), Counter[str]()
        sheets = [replace(one, results=[replace(row, **without) for row in one.results]) for one in sessions]
        quiet = [suspicions(one.results, one.facts()) for one in sheets]
        false = [one.message for findings in quiet for one in findings]
        print(f"{title}: {len(false)} findings of correct travellers, {200 * len(false) / count:.2f} in 200")
        for message in false:
            print("   ", message)
        missed = []
        while planted.total() < errors:
            kind = KINDS[planted.total() % len(KINDS)]
            at = chance.randrange(len(sheets))
            session, known = sheets[at], {one.message for one in quiet[at]}
            index = chance.randrange(len(session.results))
            wrong = kind(session.results[index], session, chance)
            if wrong is None or (kind is lead and "lead" in without):
                if kind is lead and "lead" in without:
                    planted[kind.__name__] += 1
                continue
            planted[kind.__name__] += 1
            rows = [*session.results[:index], wrong, *session.results[index + 1 :]]
            new = [one for one in suspicions(rows, session.facts()) if one.message not in known]
            hit = any(one.record == index or shown(wrong) in one.message for one in new)
            found[kind.__name__] += hit
            if not hit:
                missed.append(f"{kind.__name__}: {shown(session.results[index])} as {shown(wrong)} {wrong.score}")
        print("   ", ", ".join(f"{name} {found[name]} of {many}" for name, many in planted.items()))
        for line in missed[:12]:
            print("    missed", line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--errors", type=int, default=300)
    given = parser.parse_args()
    main(given.folders, given.seed, given.errors)
