"""Auctions by a small system, and what is known at each turn, as a file of this folder.

After the line of an auction (calls from the dealer on; ``+`` before it: the dealer's side is vulnerable) are the facts that hold,
the ranges of each hand, the state of the side on turn, the meaning of the last call, the calls that rules have, the calls
of some hands, and those that a judge would compare. Record the file again after an intended change, and review the difference:

    python -m tests.bidding.turns

Beside it are the same system as a table of meanings (``table.txt``) and the findings of another one (``findings.txt``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bridgespec.bidding.bidder import legal_calls
from bridgespec.bidding.checking import check_system
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.judgement import CallJudge
from bridgespec.bidding.knowledge import BALANCED, KnownHand, Range
from bridgespec.bidding.meaning_table import disclose
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, FACT_BITS, SUIT_BITS, XX, Turn, X, number_of
from bridgespec.model.cards import SUITS
from bridgespec.model.evaluate import hand_of

FOLDER = Path(__file__).parent
RECORDED = FOLDER / "turns.txt"
TABLE, FINDINGS = FOLDER / "table.txt", FOLDER / "findings.txt"
HANDS = tuple(
    map(
        hand_of,
        ("AQ754.K3.K82.A95", "KJ93.T85.A76.Q42", "9652.AKJ84.7.QJ3", "A4.QJ9.KQT83.K72", "KQJT87.4.932.T65", "AK.AQJ.KQT7.AQ82"),
    )
)
AUCTIONS = (
    "", "P", "P P", "+P P P", "1S", "+1S P", "1S X", "1S P 2S P", "1S P 2NT P", "1S P 2NT P 3C P", "1H P 4NT P", "1H P 4NT P 5D P",
    "1H P 3H P", "1H P 1NT P", "1H P 1NT P 2C P", "2C", "2C P", "1H P 4NT", "1S P 2NT", "1S 2D", "1S 2D X", "1S P P",
    "1S 2D P P X", "2C P 2D P", "2C X", "1NT P 2C P", "1NT P 2C P 2H P", "1NT P 2D P",
    "1NT P 3NT", "1NT X", "1NT X XX", "1C 1H", "1C 1H X P", "1C 1H X P 1S", "1D 2C 2D", "1D 2C X 3C", "1H 1S P 2S P P", "1H P P",
    "1H P P 1S P", "P 1S 2H P", "P 1S 2H X P", "P P 1S P", "P P P 1H P 3H P", "+2S P", "2S 3D P", "2H X P 2S", "1C 1NT P",
    "1C P P P", "P P P P", "1S P 4S P", "1H 2H P", "1H 4C P P", "1D 1S 1NT P 2D", "1S P P X P 2C",
)  # fmt: skip
"""Ordinary ones, and calls for which no rule stands."""


@cache
def engine() -> BiddingEngine:
    """The system at both sides."""
    system = BiddingSystem.load(FOLDER / "system.bid")
    return BiddingEngine(system, system)


def table() -> Iterator[str]:
    """The system as a table: calls, who opened, seats, vulnerability, strength, length, flags and words of each record."""
    for _, one in disclose(BiddingSystem.load(FOLDER / "system.bid"), 2).meanings:
        calls = " ".join(map(str, one.calls))
        length = "" if one.lengths is None else f"{one.lengths[0]}-{one.lengths[1]}"
        words = [one.position.label, one.when.label, one.disposition.name.lower(), length, str(one.flags), one.text]
        yield " | ".join([f"{'they open: ' * one.opponents_opened}{calls}", *words])


def findings() -> Iterator[str]:
    """What the checker finds in the other system, with the frequencies of its calls."""
    checked = check_system(BiddingSystem.read(FOLDER / "faulty.bid"), 60, 4000)
    for found in (*checked.findings, *checked.notes):
        yield f"{found.span.line if found.span else ''} {found.severity.name.lower()} {found.code}: {found.message}".replace(
            f"{FOLDER}{os.sep}", ""
        )


def lines() -> Iterator[str]:
    """The file, line by line."""
    for auction in AUCTIONS:
        vulnerable, text = auction.startswith("+"), auction.removeprefix("+")
        turn = engine().start((vulnerable, False))
        for call in legal_calls(text):
            turn = engine().after(turn, number_of(call))
        yield f"> {auction}"
        yield from _turn(turn)


def _turn(turn: Turn) -> Iterator[str]:
    facts = [name for name, bit in FACT_BITS.items() if turn.facts & bit]
    facts += [
        f"{name}:{''.join(held)}"
        for name, bits in SUIT_BITS.items()
        if (held := [SUITS[s] for s in range(4) if turn.facts & bits[s]])
    ]
    yield f"facts {' '.join(facts)}"
    for offset, name in enumerate(("me", "lho", "partner", "rho")):
        yield f"{name} {_hand(turn.known[(turn.me + offset) % 4])}"
    side = turn.side
    words = [
        f"{name}={value}"
        for name in ("trump", "game_forced", "forcing", "asked")
        if (value := getattr(side, name)) not in (None, False)
    ]
    legal = [name for call, name in ((X, "X"), (XX, "XX")) if turn.legal(call)]
    state = [name for name in ("is_over", "must_bid", "may_stop") if getattr(turn, name)]
    yield " ".join(["state", *state, *words, *legal])
    if turn.meanings:
        last = turn.meanings[-1]
        flags = [name for name in ("known", "artificial", "signoff") if getattr(last, name)]
        yield f"meant {CALL_NAMES[last.call]} {last.text!r} {' '.join(flags)} {last.asks or ''}".rstrip()
    if not turn.is_over:
        yield f"rules {' '.join(CALL_NAMES[candidate.call] for candidate in engine().candidates(turn))}"
        yield f"calls {' '.join(CALL_NAMES[engine().choose(turn, hand).call] for hand in HANDS)}"
        judge = CallJudge(engine(), 1, 1)
        yield f"thought of {'; '.join(' '.join(CALL_NAMES[call] for call in judge.calls(turn, hand)) for hand in HANDS)}"


def _hand(known: KnownHand) -> str:
    lengths = " ".join(f"{SUITS[suit]}{_span(span)}" for suit, span in enumerate(known.lengths))
    strengths = " ".join(f"{known.likely(suit):.2f}" for suit in (None, 0, 1, 2, 3))
    return (
        f"hcp {_span(known.hcp)} points {_span(known.points)} {lengths} balanced {_span(known.range(BALANCED))} likely {strengths}"
    )


def _span(span: Range) -> str:
    return f"{span[0]:g}-{span[1]:g}"
