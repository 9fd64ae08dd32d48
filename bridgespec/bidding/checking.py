"""What is wrong with a bidding system, proved by hands: thousands of auctions are bid, and each turn met is put before many
hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bridgespec.bidding.condition import ALWAYS, NEVER
from bridgespec.bidding.engine import Candidate, Engine
from bridgespec.bidding.rules import Place
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, LAST_BID, P, Turn
from bridgespec.diagnostic import Code, Diagnostic, Severity, Span, define
from bridgespec.model.evaluate import Evaluated, Hand, hand_text, holdings_of

NO_CALL = define(
    "bid-no-call",
    Severity.ERROR,
    """A hand finds no rule for any call.

    The bidder then passes, or bids its longest suit where it may not pass. A rule without a condition at the end of the system
    is the cure.
    """,
)
FORCING_PASSED = define(
    "bid-forcing-passed",
    Severity.ERROR,
    """A forcing call may be passed.

    After it a hand finds no rule but to go past the highest bid.
    """,
)
IMPOSSIBLE = define(
    "bid-impossible-rule",
    Severity.WARNING,
    """A rule that no hand can meet.

    What it shows contradicts itself.
    """,
)
DEAD = define(
    "bid-dead-rule",
    Severity.NOTE,
    """A rule that was never used.

    In the auctions that were tried no hand made this call by this rule: rules before it may take all its hands, or its
    situation is rare.
    """,
)

HANDS = 4096
TURNS = 300
SEED = 7
MOST_FINDINGS = 50


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often a rule was used in the auctions that were tried."""

    place: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings, how often each rule was used, and how many auctions and turns were looked at."""

    findings: tuple[Diagnostic, ...]
    frequencies: tuple[Frequency, ...]
    auctions: int
    turns: int


def check_system(system: BiddingSystem, auctions: int = 1000) -> Checked:
    """Everything found wrong with a system: what its files say, then what hands show.

    Deterministic. The findings of reading come first; where there are any errors among them no auction is bid.
    """
    if any(found.severity is Severity.ERROR for found in system.findings):
        return Checked(tuple(system.findings), (), 0, 0)
    rng = np.random.default_rng(SEED)
    deck = np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (max(auctions, HANDS // 4), 52))
    deals = rng.permuted(deck, axis=1)
    seats = [holdings_of(deals, seat) for seat in range(4)]
    engine = Engine(system, system)
    used: Counter[str] = Counter()
    turns: dict[tuple[int, ...], Turn] = {}
    findings = [*system.findings]
    for row in range(auctions):
        hands = [tuple(int(value) for value in seats[place][:, row]) for place in range(4)]
        last = _bid(engine, [(h[0], h[1], h[2], h[3]) for h in hands], row, used, turns, findings)
        if last.last > LAST_BID:
            break
    many = Evaluated(np.ascontiguousarray(np.concatenate(seats, axis=1)[:, :HANDS]))
    seen = sorted(turns.values(), key=lambda turn: (len(turn.calls), turn.calls))[:TURNS]
    findings.extend(_holes(engine, seen, many))
    findings.extend(_impossible(system, engine, turns))
    frequencies = tuple(
        Frequency(str(rule.place), rule.text, used[str(rule.place)])
        for module in system.modules
        for section in module.sections
        for rule in section.rules
    )
    return Checked(tuple(findings[:MOST_FINDINGS]), frequencies, auctions, len(turns))


def _bid(
    engine: Engine,
    hands: list[Hand],
    number: int,
    used: Counter[str],
    turns: dict[tuple[int, ...], Turn],
    findings: list[Diagnostic],
) -> Turn:
    vulnerable = (bool(number & 1), bool(number & 2))
    turn = engine.start(vulnerable)
    while not turn.is_over:
        turns.setdefault(turn.calls, turn)
        choice = engine.choose(turn, hands[turn.me])
        if choice.candidate is not None:
            used[str(choice.candidate.rule.rule.place)] += 1
        elif len(findings) < MOST_FINDINGS:
            code = FORCING_PASSED if turn.must_bid and choice.call == P else NO_CALL
            findings.append(_finding(code, f"{_said(turn)}: no rule for {hand_text(hands[turn.me])}", None))
        turn = engine.after(turn, choice.call)
    return turn


def _holes(engine: Engine, turns: list[Turn], hands: Evaluated) -> Iterator[Diagnostic]:
    """Turns at which some hand that may be there finds no rule, each with a hand as witness."""
    for turn in turns:
        own = turn.own
        left = np.zeros(len(hands), np.bool_)
        for box in own.boxes:
            inside = np.ones(len(hands), np.bool_)
            for suit, (low, high) in enumerate(box.lengths):
                lengths = hands.column(f"length.{suit}")
                inside &= (lengths >= low) & (lengths <= high)
            strength = hands.column("hcp")
            left |= inside & (strength >= box.hcp[0]) & (strength <= box.hcp[1])
        for candidate in engine.candidates(turn):
            if candidate.shows is NEVER or candidate.wants is NEVER:
                continue
            if candidate.shows is ALWAYS and candidate.wants is ALWAYS:
                left[:] = False
                break
            left &= ~(candidate.shows.mask(hands) & candidate.wants.mask(hands))
        if left.any():
            row = int(np.argmax(left))
            witness = tuple(int(value) for value in hands.holdings[:, row])
            text = hand_text((witness[0], witness[1], witness[2], witness[3]))
            yield _finding(NO_CALL, f"{_said(turn)}: no rule for {text}", None)


def _impossible(system: BiddingSystem, engine: Engine, turns: dict[tuple[int, ...], Turn]) -> Iterator[Diagnostic]:
    """Rules that apply at turns that were met, but whose promises no hand can keep at any of them."""
    possible: dict[str, bool] = {}
    places: dict[str, Candidate] = {}
    for turn in turns.values():
        for candidate in engine.candidates(turn):
            place = str(candidate.rule.rule.place)
            places[place] = candidate
            fixed = candidate.rule.shows.fixed
            possible[place] = possible.get(place, False) or bool(fixed.boxes())
    for place, holds in possible.items():
        if not holds:
            rule = places[place].rule.rule
            yield _finding(IMPOSSIBLE, f"no hand can be what this shows: {rule.text}", rule.place)


def _said(turn: Turn) -> str:
    return "after " + " ".join(CALL_NAMES[call] for call in turn.calls) if turn.calls else "as opening"


def _finding(code: Code, message: str, place: Place | None) -> Diagnostic:
    span = None if place is None else Span.of_bytes(place.start, place.stop - place.start, place.line, place.column)
    return Diagnostic(code.name, code.severity, message, path=None if place is None else place.file, span=span)
