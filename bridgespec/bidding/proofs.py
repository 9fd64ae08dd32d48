"""Faults of rules, proved at turns that occurred: each finding has an auction and a hand.

`Proofs.look` takes one turn and tries many hands at it; `Proofs.findings` yields what all turns together prove.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import numpy as np

from bridgespec.bidding.census import Census, Rows, Share, census, hand_at
from bridgespec.bidding.condition import ALWAYS, Both, Condition, Within
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.knowledge import BUMRAP, HCP, LENGTH, POINTS, SUPPORT, Range
from bridgespec.bidding.meaning_system import points_in
from bridgespec.bidding.rule_file import BiddingRule, ItemPlace
from bridgespec.bidding.turn import CALL_NAMES, FIRST_BID, LAST_BID, P, Turn
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

Ladder = tuple[int, frozenset[Condition], Condition]
"""The term of strength of some rules, and their other conditions: rules with one key differ in the range of strength alone."""
ENOUGH = 30
"""The fewest hands that must fit a rule before it is reported as dead."""
SUITS = 4
"""The number of bindings of its variables that must occur before a rule is reported as dead."""
TRIED = 100
"""The most hands that are bid from the first turn on to find one that reaches the turn of a finding."""
STRENGTHS = {HCP, POINTS, BUMRAP, *SUPPORT}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_CARDS = re.compile(rf"\b({'|'.join(_NUMBERS[1:])})(?: or (more|less|fewer))? (spade|heart|diamond|club)s?\b")
_SUITS = ("spade", "heart", "diamond", "club")


@dataclass(slots=True)
class _Seen:
    """The results of a rule at all turns that were tried."""

    rule: BiddingRule
    fitting: set[int] = field(default_factory=set)
    free: int = 0
    """The different hands that fit (``fitting``), and how often no earlier rule of its situation took one (``free``)."""
    bindings: set[tuple[tuple[str, int], ...]] = field(default_factory=set)
    """The values of its variables that occurred."""
    possible: bool = False

    @property
    def varied(self) -> bool:
        """Whether it occurred with enough suits for its variables: a rule that is dead after a major may be alive after a minor."""
        return len(self.bindings) >= SUITS or self.bindings == {()}

    witness: tuple[Turn, int, BiddingRule] | None = None
    """A turn, a hand that fits, and the rule that takes it."""


@dataclass
class Proofs:
    """Tries turns one by one and collects findings, once for each rule or situation. Created for one `check_system`."""

    engine: BiddingEngine
    hands: Evaluated
    found: dict[tuple[str, str], Diagnostic] = field(default_factory=dict)
    seen: dict[ItemPlace, _Seen] = field(default_factory=dict)

    def look(self, turn: Turn) -> Census:
        """Try the hands at a turn."""
        asked = census(self.engine, turn, self.hands)
        self._unanswered(turn, asked)
        sections: dict[int, list[Share]] = defaultdict(list)
        for share in asked.shares:
            sections[id(share.candidate.rule.section)].append(share)
        for shares in sections.values():
            self._order(turn, shares)
        # A hole is one only if no charted rule of any situation takes the hand, so the takers of all sections are needed first.
        charted = self._charted(asked)
        for shares in sections.values():
            self._ranges(turn, shares, asked.rows, charted)
        return asked

    def findings(self) -> Iterator[Diagnostic]:
        """Yield all findings: hands without a rule first, then rule by rule."""
        yield from self.found.values()
        for seen in self.seen.values():
            if not seen.possible:
                what = seen.rule.text or seen.rule.made.text
                yield finding(IMPOSSIBLE, f"no hand can be what this shows: {what}", seen.rule.place)
            elif seen.free == 0 and len(seen.fitting) >= ENOUGH and seen.varied and seen.witness is not None:
                turn, row, taker = seen.witness
                message = f"{said(turn)}: {self._hand(row)} fits this rule, but the one of line {taker.place.line} takes it"
                yield finding(DEAD, f"{message}, and others before it take all {len(seen.fitting):,} hands tried", seen.rule.place)

    def _hand(self, row: int) -> str:
        return hand_text(hand_at(self.hands, row))

    def _report(self, code: Code, key: str, message: str, place: ItemPlace | None) -> None:
        self.found.setdefault((code.name, key), finding(code, message, place))

    def _unanswered(self, turn: Turn, asked: Census) -> None:
        """Report hands without a rule, and rules that pass a forcing call."""
        # A hand that would never have made the calls so far proves nothing about this turn.
        left = self._real(turn, asked.left)
        if len(left):
            code = FORCING_PASSED if turn.must_bid else NO_CALL
            self._report(code, said(turn), f"{said(turn)}: no rule for {self._hand(int(left[0]))}", None)
        if not turn.must_bid:
            return
        rules = self.engine.systems[turn.me % 2].rules(turn)
        order = {id(ready): place for place, ready in enumerate(rules)}
        for place, ready in enumerate(rules):
            # A double for takeout or an artificial bid may be passed by a rule with a condition.
            if ready.section.steps is None or ready.call(turn) != P or (turn.may_stop and (ready.rule.shows or ready.rule.wants)):
                continue
            if not (ready.shows.open(turn.facts) and ready.wants.open(turn.facts)):
                continue
            fits = ready.shows.at(turn, P).mask(self.hands) & ready.wants.at(turn, P).mask(self.hands)
            for share in asked.shares:
                # Hands that an earlier rule takes do not reach the pass.
                if order[id(share.candidate.rule)] < place:
                    fits[share.fitting] = False
            rows = self._real(turn, asked.rows[fits[asked.rows]])
            if len(rows):
                message = f"{said(turn)}, which forces: this rule passes with {self._hand(int(rows[0]))}"
                self._report(FORCING_PASSED, str(ready.rule.place), message, ready.rule.place)

    def _order(self, turn: Turn, shares: list[Share]) -> None:
        """Record which hands the order of the rules of one situation leaves to each.

        A rule with a lower bid does not count as taking hands: at another turn its bid may be too low. Nor does a rule that depends
        on more than the hand.
        """
        before = np.full(len(self.hands), -1, np.int64)
        taker = np.zeros(len(self.hands), np.int64)
        rules: list[BiddingRule] = []
        # Bindings of one rule compete by length of suit and not by order, so a rule never takes hands from itself.
        for _, group in groupby(shares, lambda share: id(share.candidate.rule.rule)):
            same = list(group)
            rule = same[0].candidate.rule.rule
            rules.append(rule)
            seen = self.seen.setdefault(rule.place, _Seen(rule))
            for share in same:
                seen.bindings.add(tuple(sorted(share.candidate.rule.binding.items())))
                # A range relative to partner's hand may be empty at one turn; only the rule's own words prove it impossible.
                seen.possible = seen.possible or bool(share.candidate.rule.shows.fixed.boxes())
                held = before[share.fitting] >= _rank(share)
                seen.fitting.update(share.fitting.tolist())
                seen.free += int((~held).sum())
                if held.any() and seen.witness is None:
                    row = int(share.fitting[held][0])
                    seen.witness = turn, row, rules[int(taker[row])]
                boxes = share.candidate.shows.boxes()
                if boxes and rule.text:
                    self._words(turn, rule, boxes)
            for share in same:
                if not _always(share):
                    continue
                rank = _rank(share)
                higher = share.fitting[before[share.fitting] < rank]
                # The taker with the highest rank is kept: it takes the hand wherever the later rule's call is legal.
                taker[higher], before[higher] = len(rules) - 1, rank

    def _words(self, turn: Turn, rule: BiddingRule, boxes: list[dict[int, Range]]) -> None:
        """Report points and lengths in the rule's text that no hand with its condition has."""
        told = points_in(rule.text)
        for term in (HCP, POINTS):
            shown = _hull(boxes, term)
            if told is not None and shown is not None and (told[0] > shown[1] or told[1] < shown[0]):
                self._report(WORDS, str(rule.place), f"the words say {_range(told)}, and it shows {_range(shown)}", rule.place)
        for match in _CARDS.finditer(rule.text):
            number, suit = _NUMBERS.index(match[1]), _SUITS.index(match[3])
            shown = _hull(boxes, LENGTH[suit])
            most = 13 if match[2] == "more" else number
            least = 0 if match[2] in ("less", "fewer") else number
            if shown is not None and (shown[0] > most or shown[1] < least):
                message = f"the words say {match[0]}, and it shows {_range(shown)} {_SUITS[suit]}s"
                self._report(WORDS, str(rule.place), message, rule.place)

    def _charted(self, asked: Census) -> Rows:
        """Return the hands that a rule of a charted situation takes."""
        taken = [share.taken for share in asked.shares if share.candidate.rule.section.steps is not None]
        return np.concatenate(taken) if taken else asked.rows[:0]

    def _ranges(self, turn: Turn, shares: list[Share], rows: Rows, charted: Rows) -> None:
        """Report overlaps and holes between rules of one situation that differ in strength alone."""
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
                # One call by two ranges (12-14 or 18-19) leaves a hole on purpose.
                if one.candidate.call == two.candidate.call:
                    continue
                first, second = one.candidate.rule.rule, two.candidate.rule.rule
                # Only ranges that overlap at their ends: one inside the other is an exception, and 30 and more means no upper end.
                if low < above <= high < top < 30:
                    both = self._real(turn, np.intersect1d(one.fitting, two.fitting, assume_unique=True))
                    if len(both):
                        what = f"{_range((low, high))} for {first.made.text} and {_range((above, top))} for {second.made.text}"
                        message = f"{said(turn)}: {what} overlap: {self._hand(int(both[0]))} fits both"
                        self._report(OVERLAP, str(first.place), message, second.place)
                elif math.floor(high) + 1 < above:
                    between = self._between(turn, key, math.floor(high) + 1, above, rows, charted)
                    if len(between):
                        what = f"{_range((low, high))} for {first.made.text} and {_range((above, top))} for {second.made.text}"
                        message = f"{said(turn)}: between {what} is a hole: {self._hand(int(between[0]))} fits neither"
                        self._report(HOLE, str(first.place), message, second.place)

    def _ties(self, turn: Turn, shares: list[Share]) -> None:
        """Report rules of one situation with the same conditions and different calls."""
        first: dict[object, Share] = {}
        for share in shares:
            one = share.candidate
            # Conditions that are made at the turn are new objects each time, so that equality of keys would prove nothing.
            if one.rule.shows.makers or one.rule.wants.makers:
                continue
            key = one.shows, one.wants, one.rule.shows.need, one.rule.wants.need, one.rule.shows.forbid, one.rule.wants.forbid
            other = first.setdefault(key, share).candidate
            later = first[key]
            if other.call == one.call or other.rule.rule is one.rule.rule or not len(share.fitting) or _rank(later) < _rank(share):
                continue
            hand, rule = self._hand(int(share.fitting[0])), one.rule.rule
            message = f"{said(turn)}: with {hand} this is {CALL_NAMES[other.call]} or {CALL_NAMES[one.call]}"
            self._report(TIE, str(rule.place), message, rule.place)

    def _between(self, turn: Turn, key: Ladder, low: float, high: float, rows: Rows, charted: Rows) -> Rows:
        """Return a hand that meets all but the strength, whose strength is between two numbers, and that no charted rule takes."""
        term, others, wants = key
        fits = np.ones(len(self.hands), np.bool_)
        for other in (*others, *(() if wants is ALWAYS else (wants,))):
            fits &= other.mask(self.hands)
        column = self.hands.place(term)
        fits &= (column >= low) & (column < high)
        return self._real(turn, np.setdiff1d(rows[fits[rows]], charted, assume_unique=True))

    def _real(self, turn: Turn, rows: Rows) -> Rows:
        """Return the first of the hands that makes all calls of its caller so far; empty where none of those tried does."""
        # Bidding a hand from the first turn on costs far more than a mask, so only some are tried.
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
    """Return the rank of a call, passes and doubles above the bids: where a call is legal, so are those of higher rank.

    For openings all calls have one rank: every call is legal.
    """
    call = share.candidate.call
    return LAST_BID + 1 if call < FIRST_BID or share.candidate.rule.section.steps == () else call


def _always(share: Share) -> bool:
    """Whether a rule takes the same hands at every turn of its situation."""
    shows, wants = share.candidate.rule.shows, share.candidate.rule.wants
    return not (shows.makers or wants.makers or shows.need | wants.need or shows.forbid | wants.forbid)


def _rung(share: Share) -> tuple[Ladder, float, float] | None:
    """Return the strength that a rule requires, and its other conditions; None where it does not require exactly one strength."""
    shows = share.candidate.shows
    parts = shows.parts if isinstance(shows, Both) else (shows,)
    strengths = [part for part in parts if isinstance(part, Within) and part.term in STRENGTHS]
    if len(strengths) != 1:
        return None
    one = strengths[0]
    others = frozenset(part for part in parts if part is not one)
    return (one.term, others, share.candidate.wants), one.low, one.high


def _hull(boxes: list[dict[int, Range]], term: int) -> Range | None:
    """Return the range of a term over all boxes; None where one of them has none for it."""
    spans = [box[term] for box in boxes if term in box]
    return (min(low for low, _ in spans), max(high for _, high in spans)) if spans and len(spans) == len(boxes) else None


def _range(span: Range) -> str:
    low, high = span
    return f"{low:g}" if low == high else f"{low:g}+" if high >= 30 else f"{low:g}-{math.floor(high)}"


def said(turn: Turn) -> str:
    """Return the auction in words that begin a message."""
    return "after " + " ".join(CALL_NAMES[call] for call in turn.calls) if turn.calls else "as opening"


def finding(code: Code, message: str, place: ItemPlace | None, severity: Severity | None = None) -> Diagnostic:
    """Return a finding about a rule, or about the system as a whole."""
    span = None if place is None else Span.of_bytes(place.start, place.stop - place.start, place.line, place.column)
    path = None if place is None else place.file
    return Diagnostic(code.name, severity or code.severity, message, path=path, span=span)
