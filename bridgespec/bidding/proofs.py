"""Prove faults of rules by examples: each finding names an auction and a hand.

`Proofs.try_turn` takes a turn that occurred and tries many hands there; `Proofs.findings` yields the findings of all turns.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import numpy as np

from bridgespec.bidding.census import Census, HandIndices, Share, census, hand_at
from bridgespec.bidding.condition import HandCondition, Within
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.knowledge import BUMRAP, HCP, LENGTH, POINTS, SUPPORT, Range, TermRanges
from bridgespec.bidding.meaning_system import points_in
from bridgespec.bidding.rule_file import BiddingRule, ItemPlace
from bridgespec.bidding.turn import CALL_NAMES, FIRST_BID, LAST_BID, P, Turn
from bridgespec.dealing.algebra import ALWAYS, Every
from bridgespec.diagnostic import Code, Diagnostic, Severity, Span, define
from bridgespec.model.evaluate import Evaluated, hand_text

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

    A rule passes where partner's call forces, or a hand finds no rule there and nothing is left but to pass. The rule is not
    followed; either it or the word "forcing" is wrong.
    """,
)
WORDS = define(
    "bid-words",
    Severity.ERROR,
    """A rule shows something else than its words say.

    The explanation names points, or a number of cards in a suit, and no hand that meets the condition has them.
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
    Severity.WARNING,
    """A rule that leaves nothing to do.

    Many hands fit it, and rules of the same situation that stand before it take all of them.
    """,
)
TIE = define(
    "bid-tie",
    Severity.WARNING,
    """Two calls of one rank fit one hand.

    Two rules of one situation show the same and ask for the same, so that only their order decides.
    """,
)
OVERLAP = define(
    "bid-overlap",
    Severity.WARNING,
    """The ranges of two rules overlap.

    They ask for the same but for the strength, and some strengths are in both ranges. The first rule takes them.
    """,
)
HOLE = define(
    "bid-hole",
    Severity.WARNING,
    """There is a hole between the ranges of two rules.

    They ask for the same but for the strength, and a hand between them finds nothing in any situation that is charted.
    """,
)

Ladder = tuple[int, frozenset[HandCondition], HandCondition]
"""A key for rules: the term by which they measure strength, their other conditions, and their ``wants``. Rules with the same key
differ only in the range of strength.
"""
ENOUGH = 30
"""The fewest hands that must fit a rule before it is reported as dead."""
SUITS = 4
"""The fewest bindings of a rule with variables that must occur before it is reported as dead."""
TRIED = 100
"""The most hands of a finding that are bid from the first call on, to find one that reaches the turn."""
STRENGTHS = {HCP, POINTS, BUMRAP, *SUPPORT}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_CARDS = re.compile(rf"\b({'|'.join(_NUMBERS[1:])})(?: or (more|less|fewer))? (spade|heart|diamond|club)s?\b")
_SUITS = ("spade", "heart", "diamond", "club")


@dataclass(slots=True)
class _RuleResults:
    """The results of one written rule over all turns that were tried. Created by `Proofs` for each rule that occurs."""

    rule: BiddingRule
    fitting: set[int] = field(default_factory=set)
    """The rows of the hands that fit the rule at some turn."""
    free: int = 0
    """How often a hand fitted that no earlier rule of the situation takes."""
    bindings: set[tuple[tuple[str, int], ...]] = field(default_factory=set)
    """The suits for the rule's variables that occurred."""
    possible: bool = False
    """Whether the part of the condition that depends on the hand alone can be met."""
    witness: tuple[Turn, int, BiddingRule] | None = None
    """A turn, the row of a hand that fits, and the earlier rule that takes it."""

    @property
    def varied(self) -> bool:
        """Whether enough bindings occurred to call the rule dead: dead after a major, it may still be used after a minor."""
        return len(self.bindings) >= SUITS or self.bindings == {()}


@dataclass
class Proofs:
    """Tries turns one by one and collects findings, at most one of a code for each rule or auction. Created for one `check_system`.

    ``hands`` is the pool that is tried at each turn. ``found`` maps a code and a rule's place (or an auction) to its finding.
    """

    engine: BiddingEngine
    hands: Evaluated
    found: dict[tuple[str, str], Diagnostic] = field(default_factory=dict)
    results: dict[ItemPlace, _RuleResults] = field(default_factory=dict)

    def try_turn(self, turn: Turn) -> Census:
        """Try the hands of the pool at a turn, and record faults of its rules. Return the hands of each rule."""
        counted = census(self.engine, turn, self.hands)
        self._unanswered(turn, counted)
        sections: dict[int, list[Share]] = defaultdict(list)
        for share in counted.shares:
            sections[id(share.candidate.rule.section)].append(share)
        for shares in sections.values():
            self._order(turn, shares)
        # A hand in a hole must not be taken by a charted rule of any situation, so all sections were needed first.
        charted = self._charted(counted)
        for shares in sections.values():
            self._ranges(turn, shares, counted.rows, charted)
        return counted

    def findings(self) -> Iterator[Diagnostic]:
        """Yield all findings: those recorded at single turns first, then impossible and dead rules."""
        yield from self.found.values()
        for one in self.results.values():
            if not one.possible:
                what = one.rule.text or one.rule.made.text
                yield finding(IMPOSSIBLE, f"no hand can be what this shows: {what}", one.rule.place)
            elif one.free == 0 and len(one.fitting) >= ENOUGH and one.varied and one.witness is not None:
                turn, row, taker = one.witness
                message = (
                    f"{auction_words(turn)}: {self._hand(row)} fits this rule, but the one of line {taker.place.line} takes it"
                )
                yield finding(DEAD, f"{message}, and others before it take all {len(one.fitting):,} hands tried", one.rule.place)

    def _hand(self, row: int) -> str:
        """Return the text of a hand of the pool."""
        return hand_text(hand_at(self.hands, row))

    def _report(self, code: Code, key: str, message: str, place: ItemPlace | None) -> None:
        """Record a finding, unless there is one with this code and key."""
        self.found.setdefault((code.name, key), finding(code, message, place))

    def _unanswered(self, turn: Turn, counted: Census) -> None:
        """Report hands without a rule, and rules that pass a forcing call."""
        left = self._reaching(turn, counted.left)
        if len(left):
            code = FORCING_PASSED if turn.must_bid else NO_CALL
            self._report(code, auction_words(turn), f"{auction_words(turn)}: no rule for {self._hand(int(left[0]))}", None)
        if not turn.must_bid:
            return
        rules = self.engine.systems[turn.me % 2].rules(turn)
        order = {id(compiled): place for place, compiled in enumerate(rules)}
        for place, compiled in enumerate(rules):
            # A double for takeout or an artificial bid may be passed by a rule with a condition.
            rule = compiled.written
            if compiled.section.steps is None or compiled.call(turn) != P or (turn.may_stop and (rule.shows or rule.wants)):
                continue
            if not (compiled.shows.allows(turn.facts) and compiled.wants.allows(turn.facts)):
                continue
            fits = compiled.shows.at(turn, P).holds(self.hands) & compiled.wants.at(turn, P).holds(self.hands)
            for share in counted.shares:
                # Hands that an earlier rule takes are not passed.
                if order[id(share.candidate.rule)] < place:
                    fits[share.fitting] = False
            rows = self._reaching(turn, counted.rows[fits[counted.rows]])
            if len(rows):
                message = f"{auction_words(turn)}, which forces: this rule passes with {self._hand(int(rows[0]))}"
                self._report(FORCING_PASSED, str(rule.place), message, rule.place)

    def _order(self, turn: Turn, shares: list[Share]) -> None:
        """Record for each rule of one situation which hands fit it, and which of them earlier rules take.

        An earlier rule counts as taking a hand only if its condition depends on the hand alone and its call is legal wherever the
        later rule's call is (`_rank`): a lower bid may be too low at another turn.
        """
        # For each hand of the pool the highest rank of an earlier rule that takes it, and that rule's index in ``rules``.
        before = np.full(len(self.hands), -1, np.int64)
        taker = np.zeros(len(self.hands), np.int64)
        rules: list[BiddingRule] = []
        # Bindings of one rule compete by length of suit and not by order, so a rule never takes hands from itself.
        for _, group in groupby(shares, lambda share: id(share.candidate.rule.written)):
            same = list(group)
            rule = same[0].candidate.rule.written
            rules.append(rule)
            results = self.results.setdefault(rule.place, _RuleResults(rule))
            for share in same:
                results.bindings.add(tuple(sorted(share.candidate.rule.binding.items())))
                # A range relative to partner's hand may be empty at one turn, which does not make the rule impossible.
                results.possible = results.possible or bool(share.candidate.rule.shows.fixed.boxes())
                taken = before[share.fitting] >= _rank(share)
                results.fitting.update(share.fitting.tolist())
                results.free += int((~taken).sum())
                if taken.any() and results.witness is None:
                    row = int(share.fitting[taken][0])
                    results.witness = turn, row, rules[int(taker[row])]
                boxes = share.candidate.shows.boxes()
                if boxes and rule.text:
                    self._words(turn, rule, boxes)
            for share in same:
                if not _always(share):
                    continue
                rank = _rank(share)
                higher = share.fitting[before[share.fitting] < rank]
                # Of the rules that take a hand the one with the highest rank is kept.
                taker[higher], before[higher] = len(rules) - 1, rank

    def _words(self, turn: Turn, rule: BiddingRule, boxes: Sequence[TermRanges]) -> None:
        """Report points and lengths that the rule's explanation names and no hand in ``boxes``, those of its condition, has."""
        named = points_in(rule.text)
        for term in (HCP, POINTS):
            shown = _hull(boxes, term)
            if named is not None and shown is not None and (named[0] > shown[1] or named[1] < shown[0]):
                self._report(WORDS, str(rule.place), f"the words say {_range(named)}, and it shows {_range(shown)}", rule.place)
        for match in _CARDS.finditer(rule.text):
            number, suit = _NUMBERS.index(match[1]), _SUITS.index(match[3])
            shown = _hull(boxes, LENGTH[suit])
            most = 13 if match[2] == "more" else number
            least = 0 if match[2] in ("less", "fewer") else number
            if shown is not None and (shown[0] > most or shown[1] < least):
                message = f"the words say {match[0]}, and it shows {_range(shown)} {_SUITS[suit]}s"
                self._report(WORDS, str(rule.place), message, rule.place)

    def _charted(self, counted: Census) -> HandIndices:
        """Return the hands that a rule of a charted situation (a section that begins with calls) takes."""
        taken = [share.taken for share in counted.shares if share.candidate.rule.section.steps is not None]
        return np.concatenate(taken) if taken else counted.rows[:0]

    def _ranges(self, turn: Turn, shares: list[Share], rows: HandIndices, charted: HandIndices) -> None:
        """Report ties between the rules of one situation, and overlaps and holes between those that differ only in strength.

        ``rows`` are the hands tried at the turn, ``charted`` those that a charted rule takes.
        """
        ladders: dict[Ladder, list[tuple[float, float, Share]]] = defaultdict(list)
        for share in shares:
            rung = _rung(share)
            if rung is not None:
                key, low, high = rung
                ladders[key].append((low, high, share))
        self._ties(turn, shares)
        for key, rungs in ladders.items():
            rungs.sort(key=lambda rung: rung[:2])
            for (low, high, one), (above, top, two) in pairwise(rungs):
                # Two rules for the same call (12-14 or 18-19) have a hole between them on purpose.
                if one.candidate.call == two.candidate.call:
                    continue
                first, second = one.candidate.rule.written, two.candidate.rule.written
                # Only ranges that overlap at their ends: a range inside another is an exception, and 30 or more is an open end.
                if low < above <= high < top < 30:
                    both = self._reaching(turn, np.intersect1d(one.fitting, two.fitting, assume_unique=True))
                    if len(both):
                        what = f"{_range((low, high))} for {first.made.text} and {_range((above, top))} for {second.made.text}"
                        message = f"{auction_words(turn)}: {what} overlap: {self._hand(int(both[0]))} fits both"
                        self._report(OVERLAP, str(first.place), message, second.place)
                elif math.floor(high) + 1 < above:
                    between = self._between(turn, key, math.floor(high) + 1, above, rows, charted)
                    if len(between):
                        what = f"{_range((low, high))} for {first.made.text} and {_range((above, top))} for {second.made.text}"
                        message = f"{auction_words(turn)}: between {what} is a hole: {self._hand(int(between[0]))} fits neither"
                        self._report(HOLE, str(first.place), message, second.place)

    def _ties(self, turn: Turn, shares: list[Share]) -> None:
        """Report rules of one situation with the same conditions and different calls."""
        first: dict[object, Share] = {}
        for share in shares:
            one = share.candidate
            # Conditions that makers build at the turn may be equal there and different at another turn.
            if one.rule.shows.makers or one.rule.wants.makers:
                continue
            key = one.shows, one.wants, one.rule.shows.need, one.rule.wants.need, one.rule.shows.forbid, one.rule.wants.forbid
            other = first.setdefault(key, share).candidate
            later = first[key]
            same_rule = other.rule.written is one.rule.written
            if other.call == one.call or same_rule or not len(share.fitting) or _rank(later) < _rank(share):
                continue
            hand, rule = self._hand(int(share.fitting[0])), one.rule.written
            message = f"{auction_words(turn)}: with {hand} this is {CALL_NAMES[other.call]} or {CALL_NAMES[one.call]}"
            self._report(TIE, str(rule.place), message, rule.place)

    def _between(self, turn: Turn, key: Ladder, low: float, high: float, rows: HandIndices, charted: HandIndices) -> HandIndices:
        """Return the row of a hand in a hole of ``key``, as an array of one; empty if there is none.

        The hand meets the other conditions of ``key``, its strength is from ``low`` to below ``high``, and no charted rule takes
        it.
        """
        term, others, wants = key
        fits = np.ones(len(self.hands), np.bool_)
        for other in (*others, *(() if wants is ALWAYS else (wants,))):
            fits &= other.holds(self.hands)
        column = self.hands.place(term)
        fits &= (column >= low) & (column < high)
        return self._reaching(turn, np.setdiff1d(rows[fits[rows]], charted, assume_unique=True))

    def _reaching(self, turn: Turn, rows: HandIndices) -> HandIndices:
        """Return the first of ``rows`` whose hand makes all earlier calls of the caller, as an array of one; empty if none of the
        first `TRIED` does. A hand that would have called otherwise proves nothing about this turn.
        """
        for row in rows[:TRIED].tolist():
            hand, earlier = hand_at(self.hands, row), self.engine.start(turn.vulnerable)
            for place, call in enumerate(turn.calls):
                if place % 4 == turn.me and self.engine.choose(earlier, hand).call != call:
                    break
                earlier = self.engine.after(earlier, call)
            else:
                return np.array([row], np.int64)
        return rows[:0]


def _rank(share: Share) -> int:
    """Return the rank of the call: if a bid is legal, so are all bids of higher rank. Other calls have a rank above all bids.

    Openings have that rank too, because every bid is legal then.
    """
    call = share.candidate.call
    return LAST_BID + 1 if call < FIRST_BID or share.candidate.rule.section.steps == () else call


def _always(share: Share) -> bool:
    """Return whether the conditions of a rule depend on the hand alone, so that they are the same at every turn."""
    shows, wants = share.candidate.rule.shows, share.candidate.rule.wants
    return not (shows.makers or wants.makers or shows.need | wants.need or shows.forbid | wants.forbid)


def _rung(share: Share) -> tuple[Ladder, float, float] | None:
    """Return the key of a rule and its range of strength; None if its condition does not have exactly one range of strength."""
    shows = share.candidate.shows
    parts = shows.parts if isinstance(shows, Every) else (shows,)
    strengths = [part for part in parts if isinstance(part, Within) and part.term in STRENGTHS]
    if len(strengths) != 1:
        return None
    one = strengths[0]
    others = frozenset(part for part in parts if part is not one)
    return (one.term, others, share.candidate.wants), one.low, one.high


def _hull(boxes: Sequence[TermRanges], term: int) -> Range | None:
    """Return the smallest range that contains the range of a term in each box; None if a box has no range for it."""
    spans = [box[term] for box in boxes if term in box]
    return (min(low for low, _ in spans), max(high for _, high in spans)) if spans and len(spans) == len(boxes) else None


def _range(span: Range) -> str:
    """Return a range in words; from 30 on the upper end is open."""
    low, high = span
    return f"{low:g}" if low == high else f"{low:g}+" if high >= 30 else f"{low:g}-{math.floor(high)}"


def auction_words(turn: Turn) -> str:
    """Return the beginning of a message about a turn: ``after 1S P``, or ``as opening`` before the first call."""
    return "after " + " ".join(CALL_NAMES[call] for call in turn.calls) if turn.calls else "as opening"


def finding(code: Code, message: str, place: ItemPlace | None, severity: Severity | None = None) -> Diagnostic:
    """Return a finding about the rule at a place of a file, or about the system as a whole (None)."""
    span = None if place is None else Span.of_bytes(place.start, place.stop - place.start, place.line, place.column)
    path = None if place is None else place.file
    return Diagnostic(code.name, severity or code.severity, message, path=path, span=span)
