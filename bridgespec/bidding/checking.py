"""Check a bidding system: bid auctions of random deals, and try many hands at the turns that occurred most.

`check_system` takes a `BiddingSystem` and returns a `SystemCheck`. The proofs at one turn are in `bridgespec.bidding.proofs`, the
contradictions in `bridgespec.bidding.counters`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bridgespec.bidding.census import HandIndices, census, hand_at, pool
from bridgespec.bidding.compiled import call_patterns
from bridgespec.bidding.counters import KINDS, contradictions
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.proofs import Proofs, auction_words, finding
from bridgespec.bidding.rule_file import ItemPlace, Module, SituationRules
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, FIRST_BID, LAST_BID, P, Turn, call_of
from bridgespec.bidding.variables import ANY_BID, ANY_CALL
from bridgespec.diagnostic import Diagnostic, Severity, define, nearest
from bridgespec.model.auction import first_illegal
from bridgespec.model.evaluate import Evaluated, HandBits, hand_text

PASSES_TO_END = 3


def is_reachable(section: SituationRules) -> bool:
    """Return whether the calls of a section are a legal and unfinished auction for some suits of its variables.

    True for openings and sections that begin with ``when``. The condition after ``when`` is not checked.
    """
    if not section.steps:
        return True
    return any(_exists((), turns) for _, turns in call_patterns(section))


def _exists(made: tuple[int, ...], turns: Sequence[tuple[int, ...]]) -> bool:
    """Return whether the calls ``made`` and then one call of each element of ``turns`` form a legal, unfinished auction."""
    calls = [call_of(call) for call in made]
    if first_illegal(calls) is not None:
        return False
    # Passes are 0. Three passes end an auction, unless they are its first three calls.
    if len(made) > PASSES_TO_END and not any(made[-PASSES_TO_END:]):
        return False
    if not turns:
        return True
    return any(_exists((*made, call), turns[1:]) for wanted in turns[0] for call in _possible(wanted))


def _possible(wanted: int) -> Iterator[int]:
    """Yield the calls that match ``wanted``: all calls for `ANY_CALL`, all bids for `ANY_BID`, else the call itself."""
    if wanted == ANY_CALL:
        yield from range(LAST_BID + 1)
    elif wanted == ANY_BID:
        yield from range(FIRST_BID, LAST_BID + 1)
    else:
        yield wanted


UNUSED = define(
    "bid-unused-rule",
    Severity.NOTE,
    """A rule that was never used.

    In the auctions that were tried no hand made this call by this rule: its situation is rare, or rules before it take its hands.
    """,
)
FREQUENCY = define(
    "bid-frequency",
    Severity.NOTE,
    """How often a call is made.

    The share of all hands that open so in first seat, nobody vulnerable, by a million random hands; and of their partners' hands,
    after a pass, the share that answers so.
    """,
)

COUNTED = define(
    "bid-contradiction-count",
    Severity.NOTE,
    """How often calls contradict what their side knows.

    All four hands of random deals are bid. Counted are calls that a club player would not make: strong hands passed, calls
    without an upper limit, the same shown again, contracts on six trumps, games missed, and hands outside what was shown. Some
    of each kind are right by judgement; many say that a situation is not charted.
    """,
)

UNREACHABLE = define(
    "bid-unreachable",
    Severity.WARNING,
    """A situation that no auction can be.

    Put in order its calls are against the law, or the auction is over before them. A pass that is written among one's own calls is
    one's own: the opponents' stand in parentheses, or are left out.
    """,
)

BARE_PASS = define(
    "bid-bare-pass",
    Severity.ERROR,
    """A pass without a condition in a chart.

    After calls that are written out, a pass says which hands pass. One without a condition takes every hand that comes so far,
    blocks the judgement below it, and gives partner no limit. Where every hand passes because partner has placed the contract,
    the rule says "unconditional".
    """,
)
UNASKED = define(
    "bid-unasked",
    Severity.WARNING,
    """A condition on a question that no rule of the system asks.

    `asked X` and `answered X` are never so: the word is misspelt, or the convention with the rule that asks is not taken.
    """,
)
HANDS = 4096
"""The number of hands that are tried at each turn."""
MILLION = 1_000_000
"""The default number of hands over which openings and their answers are counted."""
TURNS = 400
"""The most turns that are tried; those that occurred most often are taken."""
# Fixed, so that two runs over an unchanged system report the same.
SEED = 7
MOST_FINDINGS = 50


@dataclass(frozen=True, slots=True)
class RuleFrequency:
    """How often a rule was used in the auctions that were bid; ``place`` is its file and line, ``text`` its explanation."""

    place: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Opening:
    """A first call with its share of all hands, and each answer of partner with its share of partner's hands. From 0 to 1."""

    call: str
    share: float
    answers: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class CounterResult:
    """The number of contradictions of one kind (a key of `counters.KINDS`), and an auction with a hand as an example, perhaps
    empty.
    """

    kind: str
    count: int
    witness: str


@dataclass(frozen=True, slots=True)
class SystemCheck:
    """The result of `check_system`: findings, how often each rule was used, how often each opening is made, the number of auctions
    that were bid and of different turns in them, and the contradictions of each kind.
    """

    findings: tuple[Diagnostic, ...]
    frequencies: tuple[RuleFrequency, ...] = ()
    openings: tuple[Opening, ...] = ()
    auctions: int = 0
    turns: int = 0
    counts: tuple[CounterResult, ...] = ()

    @property
    def contradictions(self) -> tuple[Diagnostic, ...]:
        """The counts of contradictions as findings, each with an example of an auction and a hand."""
        found = []
        for one in self.counts:
            message = f"{one.count:,} in {self.auctions:,} deals: {KINDS[one.kind]}"
            found.append(finding(COUNTED, f"{message}; {one.witness}" if one.witness else message, None))
        return tuple(found)

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """The shares of openings and answers, and the rules that were never used, as findings."""
        found = []
        for one in self.openings:
            found.append(finding(FREQUENCY, f"{one.call} is the opening of {one.share:.3%} of all hands", None))
            for call, share in one.answers:
                found.append(finding(FREQUENCY, f"{call} is the answer to {one.call} of {share:.3%} of partner's hands", None))
        unused = [one for one in self.frequencies if one.count == 0]
        return (*found, *(finding(UNUSED, f"{one.place}: {one.text or 'a rule'}: not used", None) for one in unused))


def check_system(system: BiddingSystem, auctions: int = 1000, hands: int = MILLION) -> SystemCheck:
    """Check a system. The findings are those of reading its files, then those about single sections, then those that hands prove.

    ``auctions`` is the number of deals that are bid, ``hands`` the number of hands over which openings are counted. The result is
    the same each time. If the files have errors, no auction is bid.
    """
    if any(found.severity is Severity.ERROR for found in system.findings):
        return SystemCheck(tuple(system.findings))
    engine = BiddingEngine(system, system)
    dealt = pool(max(4 * auctions, HANDS), SEED)
    used: Counter[str] = Counter()
    met: dict[tuple[int, ...], list[Turn]] = {}
    for row in range(auctions):
        # Deals are stored seat by seat: the four hands of one deal are a quarter of the pool apart.
        four = [hand_at(dealt, row + place * (len(dealt) // 4)) for place in range(4)]
        _bid(engine, (four[0], four[1], four[2], four[3]), row, used, met)
    proofs = Proofs(engine, Evaluated(dealt.holdings[:, :HANDS]))
    for turns in sorted(met.values(), key=lambda turns: (-len(turns), len(turns[0].calls), turns[0].calls))[:TURNS]:
        proofs.try_turn(turns[0])
    # By place, since situations that are joined by ``or`` share rules but are several sections.
    rules = {str(rule.place): rule for module in system.modules for section in module.sections for rule in section.rules}
    frequencies = tuple(RuleFrequency(place, rule.text, used[place]) for place, rule in rules.items())
    findings = [*system.findings, *chart_findings(system.modules), *proofs.findings()]
    return SystemCheck(
        tuple(findings[:MOST_FINDINGS]), frequencies, openings(engine, hands), auctions, len(met), counts(engine, dealt, auctions)
    )


def chart_findings(modules: Sequence[Module]) -> Iterator[Diagnostic]:
    """Yield the findings that need no hand: unreachable situations, passes without a condition, questions that no rule asks."""
    yield from _unreachable(modules)
    yield from _bare_passes(modules)
    if any(module.kind == "system" for module in modules):
        # A convention may name questions that another convention of the same system asks.
        yield from _unasked(modules)


def _unasked(modules: Sequence[Module]) -> Iterator[Diagnostic]:
    """Yield a finding for each condition on a question that no rule asks."""
    asks = {name for module in modules for name in module.asks}
    for module in modules:
        for name, place in module.asked:
            if name not in asks:
                yield replace(finding(UNASKED, f"no rule asks {name}", place), help=nearest(name, sorted(asks)))


def _unreachable(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """Yield a finding for each situation that no legal auction reaches."""
    for module in modules:
        for section in module.sections:
            if not is_reachable(section):
                message = "no auction can be this situation: a call is illegal, or the auction is over"
                yield finding(UNREACHABLE, message, section.place)


def _bare_passes(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """Yield a finding for each charted pass that has no condition and is not declared unconditional."""
    bare: dict[ItemPlace, None] = {}
    for module in modules:
        for section in module.sections:
            for rule in section.rules if section.steps else ():
                if rule.made.text == "P" and rule.shows is None and rule.wants is None and not rule.unconditional:
                    bare[rule.place] = None
    for place in bare:
        yield finding(BARE_PASS, 'this pass needs a condition, or the word "unconditional"', place)


def counts(engine: BiddingEngine, dealt: Evaluated, auctions: int) -> tuple[CounterResult, ...]:
    """Return the number of contradictions of each kind in the auctions of the first ``auctions`` deals of a pool.

    The four hands of a deal are a quarter of the pool apart.
    """
    found: Counter[str] = Counter()
    witness: dict[str, str] = {}
    for row in range(auctions):
        four = [hand_at(dealt, row + place * (len(dealt) // 4)) for place in range(4)]
        hands = (four[0], four[1], four[2], four[3])
        for one in contradictions(engine, hands, (bool(row & 1), bool(row & 2))):
            found[one.kind] += 1
            witness.setdefault(one.kind, f"{auction_words(one.turn)}: {hand_text(hands[one.caller])}")
    return tuple(CounterResult(kind, found[kind], witness.get(kind, "")) for kind in KINDS)


def openings(engine: BiddingEngine, hands: int = MILLION) -> tuple[Opening, ...]:
    """Return how often each opening is made in first seat, nobody vulnerable, over a pool of random hands, and each answer to it
    after a pass by partner's hand in the same deal; most frequent first.
    """
    # Another seed than that of the auctions, so that frequencies are not counted on the hands that chose the turns.
    dealt = pool(hands - hands % 4, SEED + 1)
    start = engine.start((False, False))
    found = []
    for call, rows in _calls_at(engine, start, dealt, np.arange(len(dealt))):
        answers: tuple[tuple[str, float], ...] = ()
        if call != P:
            # The pool has the hands of one seat after those of another, so partner's hand is half the pool further on.
            partners = np.sort((rows + len(dealt) // 2) % len(dealt))
            turn = engine.after(engine.after(start, call), P)
            answers = tuple((CALL_NAMES[answer], len(of) / len(rows)) for answer, of in _calls_at(engine, turn, dealt, partners))
        found.append(Opening(CALL_NAMES[call], len(rows) / len(dealt), answers))
    return tuple(found)


def _calls_at(engine: BiddingEngine, turn: Turn, hands: Evaluated, rows: HandIndices) -> list[tuple[int, HandIndices]]:
    """Return the calls that the hands in ``rows`` make at a turn, each with the rows of its hands, most frequent first."""
    counted = census(engine, turn, hands, rows)
    found: dict[int, list[HandIndices]] = {}
    for share in counted.shares:
        found.setdefault(share.candidate.call, []).append(share.taken)
    # A hand without a rule passes (`BiddingEngine.fallback`).
    found.setdefault(P, []).append(counted.left)
    joined = [(call, np.concatenate(parts)) for call, parts in found.items()]
    return sorted(((call, of) for call, of in joined if len(of)), key=lambda item: -len(item[1]))


def _bid(
    engine: BiddingEngine,
    hands: tuple[HandBits, HandBits, HandBits, HandBits],
    number: int,
    used: Counter[str],
    met: dict[tuple[int, ...], list[Turn]],
) -> None:
    """Bid one deal. Add the rules that choose calls to ``used``, by place, and the turns to ``met``, by their calls.

    The last two bits of ``number`` are the vulnerability.
    """
    turn = engine.start((bool(number & 1), bool(number & 2)))
    while not turn.is_over:
        met.setdefault(turn.calls, []).append(turn)
        choice = engine.choose(turn, hands[turn.me])
        if choice.candidate is not None:
            used[str(choice.candidate.rule.written.place)] += 1
        turn = engine.after(turn, choice.call)
