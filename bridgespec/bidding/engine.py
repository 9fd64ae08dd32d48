"""Choose a call by the rules of a side, and interpret a call by the rules of the side that made it.

`BiddingEngine.choose` takes a `Turn` and a hand and returns a `ChosenCall`. `BiddingEngine.after` takes a `Turn` and a call and
returns the next `Turn`, with the caller's `KnownHand` and a `CallInterpretation` by the rules that may have made the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from bridgespec.bidding.compiled import CompiledRule
from bridgespec.bidding.condition import HandCondition, failed
from bridgespec.bidding.knowledge import HandBox, KnownHand, Range, few
from bridgespec.bidding.rule_file import BiddingRule
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import FIRST_BID, LAST_BID, CallInterpretation, P, SideState, Turn, X, cheapest, suit_of
from bridgespec.dealing.algebra import ALWAYS, NEVER
from bridgespec.model.evaluate import HandBits, TermValues, evaluate

MOST_TURNS = 20_000
"""The most turns that an engine caches for other auctions with the same first calls; `BiddingEngine.start` then empties the cache.
"""
# Two systems may raise each other in small steps up to 7NT. After so many calls a hand passes if it may, whatever the rules
# require.
LONGEST_AUCTION = 40


@dataclass(slots=True)
class Candidate:
    """A compiled rule at one turn of one auction, with a legal call. Created by `BiddingEngine.candidates` and cached in the
    `Turn`.

    ``shows`` and ``wants`` are the conditions of the rule as they are at this turn: a hand must meet both for the call, and the
    other players infer ``shows`` alone.
    """

    rule: CompiledRule
    call: int
    shows: HandCondition
    wants: HandCondition

    def why_not(self, values: TermValues) -> str:
        """Return the reason, in words, why a hand with these values does not make the call by this rule."""
        if not self.shows.fits(values):
            return f"it shows {failed(self.shows, values)}"
        return f"it wants {failed(self.wants, values)}" if not self.wants.fits(values) else "another rule comes first"


@dataclass(slots=True)
class ChosenCall:
    """The call of a hand and the rule that made it, None if no rule fitted. Created by `BiddingEngine.choose`."""

    call: int
    candidate: Candidate | None


class BiddingEngine:
    """Chooses and interprets the calls of two sides, each by its own system; ``dealer_system`` is that of the dealer's side.

    Created by `Bidder` and by tools that bid many deals. It caches the turns of all auctions so far as a tree (`Turn.children`).
    """

    def __init__(self, dealer_system: BiddingSystem, other_system: BiddingSystem) -> None:
        self.systems = (dealer_system, other_system)
        self._roots: dict[tuple[bool, bool], Turn] = {}
        self._kept = 0

    def start(self, vulnerable: tuple[bool, bool]) -> Turn:
        """Return the turn before the first call; ``vulnerable`` is for the dealer's side and the other."""
        # Cleared only where an auction begins: one in progress keeps the turns that it refers to.
        if self._kept > MOST_TURNS:
            self._roots.clear()
            self._kept = 0
        if vulnerable not in self._roots:
            self._roots[vulnerable] = Turn(vulnerable=vulnerable)
        return self._roots[vulnerable]

    def candidates(self, turn: Turn, until: int | None = None) -> Iterator[Candidate]:
        """Yield the rules of the caller's system that apply at a turn, each with a legal call, in the order of preference.

        With ``until``, a call, rules after the last one for that call are left out.
        """
        if turn.candidates is None:
            turn.candidates = list(self._applicable(turn))
        cached: list[Candidate | tuple[CompiledRule, int]] = turn.candidates
        # The rule that reserves a call (`_claims`), by call: later rules for the call are left out (`_excluded`), as the call has
        # that meaning alone. Where a double is a support double, a takeout double further down cannot be made.
        claimed: dict[int, CompiledRule] = {}
        stop = len(cached)
        if until is not None:
            calls = (item.call if isinstance(item, Candidate) else item[1] for item in cached)
            stop = 1 + max((place for place, call in enumerate(calls) if call == until), default=-1)
        for place in range(stop):
            item = cached[place]
            if isinstance(item, Candidate):
                if _claims(item.rule.written, item.call) and NEVER not in (item.shows, item.wants):
                    claimed.setdefault(item.call, item.rule)
                yield item
                continue
            compiled, made = item
            claimant = claimed.get(made)
            if claimant and _excluded(compiled, claimant, made):
                continue
            # ``wants`` consists mostly of facts, which are cheap to evaluate; if it is NEVER, ``shows`` is not built.
            wanted = compiled.wants.at(turn, made)
            promised = NEVER if wanted is NEVER else compiled.shows.at(turn, made)
            cached[place] = candidate = Candidate(compiled, made, promised, wanted)
            if _claims(compiled.written, made) and NEVER not in (promised, wanted):
                claimed.setdefault(made, compiled)
            yield candidate

    def _applicable(self, turn: Turn) -> Iterator[tuple[CompiledRule, int]]:
        """Yield the rules of the caller's system whose facts are true at a turn and whose call is legal, with the call."""
        facts, must = turn.facts, turn.must_bid
        for rule in self.systems[turn.me % 2].rules(turn):
            shows, wants = rule.shows, rule.wants
            if facts & (need := shows.need | wants.need) != need or facts & (shows.forbid | wants.forbid):
                continue
            call = rule.call(turn)
            # A double for takeout or an artificial bid may be passed, but only by a rule with a condition.
            conditional = rule.written.shows or rule.written.wants
            if (call != P or not must or (turn.may_stop and conditional)) and turn.legal(call):
                yield rule, call

    def choose(self, turn: Turn, hand: HandBits) -> ChosenCall:
        """Return the call of the first rule that the hand fits; if it fits none, the call of `fallback`."""
        values = evaluate(hand)
        chosen: Candidate | None = None
        # All bindings of the first written rule that fits are compared, because the longest suit is bid; another rule ends the
        # search.
        for candidate in self.candidates(turn):
            if chosen is not None and candidate.rule.written is not chosen.rule.written:
                break
            if candidate.shows.fits(values) and candidate.wants.fits(values):
                if chosen is None or _suit_length(candidate, hand) > _suit_length(chosen, hand):
                    chosen = candidate
                if not candidate.rule.several:
                    break
        return ChosenCall(self.fallback(turn, hand), None) if chosen is None else ChosenCall(chosen.call, chosen)

    def fallback(self, turn: Turn, hand: HandBits) -> int:
        """Return a legal call for a hand that no rule fits: pass, or if that is forbidden the cheapest bid in the suit in which the
        hand and what partner has shown are longest together.
        """
        if not turn.must_bid:
            return P
        # The last resort of a forced hand: without a rule, the side's longest suit is the least bad contract.
        lengths = [holding.bit_count() + turn.partner.lengths[suit][0] for suit, holding in enumerate(hand)]
        suit = max(range(4), key=lambda s: (lengths[s], -cheapest(turn.last, s)))
        call = cheapest(turn.last, suit)
        return call if call <= LAST_BID else P

    def after(self, turn: Turn, call: int) -> Turn:
        """Return the turn after a call, in which the caller's hand is narrowed by what the call shows. Cached in ``turn``."""
        child = turn.children.get(call)
        if child is None:
            child = turn.children[call] = self._interpret(turn, call)
            self._kept += 1
        return child

    def _interpret(self, turn: Turn, call: int) -> Turn:
        """Return a new turn after a call, with the knowledge, the side's state and the interpretation that follow from the call."""
        me = turn.me
        first, found, places = self._shown(turn, call)
        known = list(turn.known)
        if found:
            known[me] = KnownHand(few(found))
        elif first is None:
            # The call contradicts what the caller has shown before: it is still interpreted by its rule, and the ranges stay.
            first = next((c for c in self.candidates(turn, call) if c.call == call and NEVER not in (c.shows, c.wants)), None)
        side = turn.side
        # Trumps and a game force last until the end of the auction; an obligation or a question only until partner's next call.
        trump, forcing, asked, game = side.trump, False, None, side.game_forced
        meaning = CallInterpretation(call, "", "", False)
        if first is not None:
            rule = first.rule.written
            forcing = rule.forcing is not None
            game = game or rule.forcing == "game"
            asked = first.rule.asks
            if first.rule.agrees is not None or rule.agrees:
                trump = first.rule.agrees
            meaning = CallInterpretation(
                call, rule.text, str(rule.place), True, rule.artificial, rule.signoff, asked, tuple(places)
            )
        # A pass can neither force nor ask, whatever its rule declares.
        if call == P:
            forcing, asked = False, None
        if call >= FIRST_BID and not meaning.artificial and (suit := suit_of(call)) is not None:
            shared = known[me].lengths[suit][0] + known[(me + 2) % 4].lengths[suit][0]
            # A natural bid in a suit that partner has shown sets it as trumps, unless the caller may have fewer than two cards in
            # it or the side fewer than seven.
            if shared >= 7 and known[(me + 2) % 4].lengths[suit][0] >= 3 and known[me].lengths[suit][0] >= 2:
                trump = suit
        sides = list(turn.sides)
        sides[me % 2] = SideState(trump, game, forcing, asked)
        return Turn(
            (*turn.calls, call),
            (known[0], known[1], known[2], known[3]),
            (sides[0], sides[1]),
            turn.vulnerable,
            (*turn.meanings, meaning),
        )

    def _shown(self, turn: Turn, call: int) -> tuple[Candidate | None, list[HandBox], Mapping[str, None]]:
        """Return the first rule for a call, the boxes of the hands that make it, and the places of the rules that may have made it.

        Hands for which an earlier rule makes another call are excluded, as far as boxes can express it. The rule is None, and the
        boxes are empty, if no hand can make the call by a rule.
        """
        old = turn.known[turn.me]
        first: Candidate | None = None
        found = []
        places: dict[str, None] = {}
        before: list[tuple[Candidate, dict[int, Range]]] = []
        # Rules after the last one for this call cannot change its meaning, so their conditions are not built.
        for candidate in self.candidates(turn, call):
            if candidate.shows is NEVER or candidate.wants is NEVER:
                continue
            if candidate.call == call and (first is None or _alike(first, candidate)):
                # Instances of one rule with a variable suit compete by length and not by order: the others deny the hand nothing.
                same_rule = candidate.rule.written if candidate.rule.several else None
                denied = [ranges for other, ranges in before if other.rule.written is not same_rule]
                for box, ranges in product(old.boxes, candidate.shows.boxes()):
                    if (met := _without(box.meet(ranges), denied)) is not None:
                        found.append(met)
                        places[str(candidate.rule.written.place)] = None
                        first = first or candidate
            # An earlier rule excludes hands only if it has no ``wants``: that condition is unknown to the other players, and a hand
            # that fails it does reach the later rules.
            if candidate.wants is ALWAYS:
                before.extend((candidate, ranges) for ranges in candidate.shows.exact() or ())
        return first, found, places

    def auction(self, hands: tuple[HandBits, HandBits, HandBits, HandBits], vulnerable: tuple[bool, bool]) -> Turn:
        """Return the turn at the end of the auction of four hands, the dealer's hand first."""
        turn = self.start(vulnerable)
        while not turn.is_over:
            # After `LONGEST_AUCTION` calls a hand that must bid still bids; bids rise, so the auction ends at 7NT at the latest.
            call = P if len(turn.calls) >= LONGEST_AUCTION and not turn.must_bid else self.choose(turn, hands[turn.me]).call
            turn = self.after(turn, call)
        return turn


def _without(box: HandBox | None, denied: Iterable[Mapping[int, Range]]) -> HandBox | None:
    """Return a box without the hands that ``denied`` contains, as far as one box can express it; None if no hand remains."""
    for ranges in denied:
        if box is None:
            return None
        box = box.less(ranges)
    return box


def _claims(rule: BiddingRule, call: int) -> bool:
    """Return whether a rule reserves its call at a turn: it is artificial or exclusive, or its call is a forcing double."""
    return rule.artificial or rule.exclusive or (call == X and rule.forcing is not None)


def _excluded(compiled: CompiledRule, claimant: CompiledRule, call: int) -> bool:
    """Return whether a rule may not make ``call``, because ``claimant``, an earlier rule, has reserved it.

    Exceptions: a charted rule (of a section that begins with calls) of the same module as the claimant, and a rule that reserves
    the call too, unless the claimant's rule is artificial and its own is not.
    """
    if compiled.section.steps is not None and compiled.section.module == claimant.section.module:
        return False
    return not _claims(compiled.written, call) or (claimant.written.artificial and not compiled.written.artificial)


def _suit_length(candidate: Candidate, hand: HandBits) -> int:
    """Return the number of cards that the hand has in the suit that is bid; -1 for notrump, pass, double and redouble."""
    suit = suit_of(candidate.call) if candidate.call >= FIRST_BID else None
    return -1 if suit is None else hand[suit].bit_count()


def _alike(first: Candidate, other: Candidate) -> bool:
    """Return whether partner must consider ``other`` too as the rule of a call whose first rule is ``first``.

    True if both are charted (their sections begin with calls), or both are judgement (``when`` sections) of one module. False for a
    rule without a text, which is a last resort, after a rule with one, except for passes.
    """
    if other.rule.written.text == "" and first.rule.written.text and first.call != P:
        return False
    one, two = first.rule.section, other.rule.section
    return (one.steps is None) == (two.steps is None) and (one.steps is not None or one.module == two.module)
