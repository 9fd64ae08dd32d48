"""The engine of bidding: chooses a call by the rules of a side, and reads calls by the rules of the side that made them.

`BiddingEngine.choose` takes a `Turn` and a hand; `BiddingEngine.after` takes a `Turn` and a call and returns the next `Turn`, in
which the caller's `KnownHand` and `CallInterpretation` are those of the rules that may have made the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from bridgespec.bidding.compiled import Ready
from bridgespec.bidding.condition import ALWAYS, NEVER, Condition, failed
from bridgespec.bidding.knowledge import HandBox, KnownHand, Range, few
from bridgespec.bidding.rule_file import BiddingRule
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import FIRST_BID, LAST_BID, CallInterpretation, P, SideState, Turn, X, cheapest, suit_of
from bridgespec.model.evaluate import Hand, Values, evaluate

MOST_TURNS = 20_000
"""The most turns that are kept for other auctions that begin alike; beyond it all are dropped."""
# Two systems may bid in small steps to the end. From this call on a hand passes where it may, without a look at the rules.
LONGEST_AUCTION = 40


@dataclass(slots=True)
class Candidate:
    """A rule that applies at a turn, its call, and its two conditions on the hand: what the call shows, and what it requires
    besides without showing it.
    """

    rule: Ready
    call: int
    shows: Condition
    wants: Condition

    def why_not(self, values: Values) -> str:
        """Return why a hand with these values does not make the call, in words."""
        if not self.shows.fits(values):
            return f"it shows {failed(self.shows, values)}"
        return f"it wants {failed(self.wants, values)}" if not self.wants.fits(values) else "another rule comes first"


@dataclass(slots=True)
class ChosenCall:
    """A call and the rule that made it; None where no rule fitted."""

    call: int
    candidate: Candidate | None


class BiddingEngine:
    """Bids and reads auctions between two systems, and keeps the turns met so far;
    ``dealer_system`` is that of the dealer's side.
    """

    def __init__(self, dealer_system: BiddingSystem, other_system: BiddingSystem) -> None:
        self.systems = (dealer_system, other_system)
        self._roots: dict[tuple[bool, bool], Turn] = {}
        self._kept = 0

    def start(self, vulnerable: tuple[bool, bool]) -> Turn:
        """Return the first turn."""
        # Cleared only where an auction begins: one in progress keeps the turns that it refers to.
        if self._kept > MOST_TURNS:
            self._roots.clear()
            self._kept = 0
        if vulnerable not in self._roots:
            self._roots[vulnerable] = Turn(vulnerable=vulnerable)
        return self._roots[vulnerable]

    def candidates(self, turn: Turn, until: int | None = None) -> Iterator[Candidate]:
        """Yield the rules that apply, best first, each with a legal call; with ``until`` no further than the last rule for that
        call.
        """
        system = self.systems[turn.me % 2]
        facts, must = turn.facts, turn.must_bid
        if turn.candidates is None:
            found: list[Candidate | tuple[Ready, int]] = []
            for rule in system.rules(turn):
                shows, wants = rule.shows, rule.wants
                if facts & (need := shows.need | wants.need) != need or facts & (shows.forbid | wants.forbid):
                    continue
                call = rule.call(turn)
                # A double for takeout or an artificial bid may be passed, but only by a rule that says when.
                if (call == P and must and not (turn.may_stop and (rule.rule.shows or rule.rule.wants))) or not turn.legal(call):
                    continue
                found.append((rule, call))
            turn.candidates = found
        cached: list[Candidate | tuple[Ready, int]] = turn.candidates
        # A call that an agreement makes artificial, or a double that forces partner to bid, has that meaning alone: neither
        # judgement nor a convention below uses it otherwise. An artificial call prevails over a forcing one: where a double is a
        # support double, a takeout double below it cannot be made.
        claimed: dict[int, Ready] = {}
        stop = len(cached)
        if until is not None:
            calls = (item.call if isinstance(item, Candidate) else item[1] for item in cached)
            stop = 1 + max((place for place, call in enumerate(calls) if call == until), default=-1)
        for place in range(stop):
            item = cached[place]
            if isinstance(item, Candidate):
                if _claims(item.rule.rule, item.call) and NEVER not in (item.shows, item.wants):
                    claimed.setdefault(item.call, item.rule)
                yield item
                continue
            ready, made = item
            taken = claimed.get(made)
            if taken and _excluded(ready, taken, made):
                continue
            # ``wants`` are mostly facts, which are cheaper to evaluate than ``shows``: they are made first.
            wanted = ready.wants.at(turn, made)
            promised = NEVER if wanted is NEVER else ready.shows.at(turn, made)
            cached[place] = candidate = Candidate(ready, made, promised, wanted)
            if _claims(ready.rule, made) and NEVER not in (promised, wanted):
                claimed.setdefault(made, ready)
            yield candidate

    def choose(self, turn: Turn, hand: Hand) -> ChosenCall:
        """Return the call of a hand: that of the first rule that fits it, or else the fallback."""
        values = evaluate(hand)
        chosen: Candidate | None = None
        # All bindings of one rule are looked at, because of several suits the longest is bid; another rule ends the search.
        for candidate in self.candidates(turn):
            if chosen is not None and candidate.rule.rule is not chosen.rule.rule:
                break
            if candidate.shows.fits(values) and candidate.wants.fits(values):
                if chosen is None or _held(candidate, hand) > _held(chosen, hand):
                    chosen = candidate
                if not candidate.rule.several:
                    break
        return ChosenCall(self.fallback(turn, hand), None) if chosen is None else ChosenCall(chosen.call, chosen)

    def fallback(self, turn: Turn, hand: Hand) -> int:
        """Return a legal call where no rule fits: pass, or if that is forbidden the cheapest bid in the
        longest suit of both hands.
        """
        if not turn.must_bid:
            return P
        # The last resort of a forced hand: without a rule, the side's longest suit is the least bad contract.
        lengths = [holding.bit_count() + turn.partner.lengths[suit][0] for suit, holding in enumerate(hand)]
        suit = max(range(4), key=lambda s: (lengths[s], -cheapest(turn.last, s)))
        call = cheapest(turn.last, suit)
        return call if call <= LAST_BID else P

    def after(self, turn: Turn, call: int) -> Turn:
        """Return the turn after a call, with what the call shows; read once for each turn and call."""
        child = turn.children.get(call)
        if child is None:
            child = turn.children[call] = self._read(turn, call)
            self._kept += 1
        return child

    def _read(self, turn: Turn, call: int) -> Turn:
        me = turn.me
        first, found, places = self._shown(turn, call)
        known = list(turn.known)
        if found:
            known[me] = KnownHand(few(found))
        elif first is None:
            # What was known and what the call shows exclude each other: the call keeps its meaning, the ranges stay.
            first = next((c for c in self.candidates(turn, call) if c.call == call and NEVER not in (c.shows, c.wants)), None)
        side = turn.side
        # Trumps and a game force last until the end of the auction; an obligation or a question only until partner's next call.
        trump, forcing, asked, game = side.trump, False, None, side.game_forced
        meaning = CallInterpretation(call, "", "", False)
        if first is not None:
            rule = first.rule.rule
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
            # A natural bid of a suit that partner has shown agrees it, unless the caller
            # may hold a singleton or the side fewer than seven.
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
        """Return the best rule for a call, the boxes of the hands for which it and rules like it are chosen, and their places.

        A hand is outside the boxes where a better rule makes another call of it.
        """
        old = turn.known[turn.me]
        first: Candidate | None = None
        found = []
        places: dict[str, None] = {}
        before: list[tuple[Candidate, dict[int, Range]]] = []
        # Rules below the last one for this call cannot change its meaning: their conditions are not worked out.
        for candidate in self.candidates(turn, call):
            if candidate.shows is NEVER or candidate.wants is NEVER:
                continue
            if candidate.call == call and (first is None or _alike(first, candidate)):
                # Of one rule with several suits the longest is bid, which denies no length of another.
                alike = candidate.rule.rule if candidate.rule.several else None
                denied = [ranges for other, ranges in before if other.rule.rule is not alike]
                for box, ranges in product(old.boxes, candidate.shows.boxes()):
                    if (met := _without(box.meet(ranges), denied)) is not None:
                        found.append(met)
                        places[str(candidate.rule.rule.place)] = None
                        first = first or candidate
            # A better rule takes hands only if its whole condition is shown: one that also ``wants`` something may have left them.
            if candidate.wants is ALWAYS:
                before.extend((candidate, ranges) for ranges in candidate.shows.exact() or ())
        return first, found, places

    def auction(self, hands: tuple[Hand, Hand, Hand, Hand], vulnerable: tuple[bool, bool]) -> Turn:
        """Return the last turn of the auction of four hands, given from the dealer on."""
        turn = self.start(vulnerable)
        while not turn.is_over:
            # A forced hand may bid on even then; its bids rise, so the auction still ends at 7NT.
            call = P if len(turn.calls) >= LONGEST_AUCTION and not turn.must_bid else self.choose(turn, hands[turn.me]).call
            turn = self.after(turn, call)
        return turn


def _without(box: HandBox | None, denied: Iterable[Mapping[int, Range]]) -> HandBox | None:
    """Return a box without the hands in some ranges, as far as boxes can express it; None where no hand is left."""
    for ranges in denied:
        if box is None:
            return None
        box = box.less(ranges)
    return box


def _claims(rule: BiddingRule, call: int) -> bool:
    """Return whether a rule reserves its call at a turn: one with that meaning alone, or a double that is not for penalties."""
    return rule.artificial or rule.exclusive or (call == X and rule.forcing is not None)


def _excluded(ready: Ready, claimant: Ready, call: int) -> bool:
    """Return whether a rule cannot make a call that ``claimant``, a rule before it, has reserved for its own meaning. Charted rules
    of the same convention can; so can a rule that reserves the call itself, unless the claimant's call is artificial and its own is
    not.
    """
    if ready.section.steps is not None and ready.section.module == claimant.section.module:
        return False
    return not _claims(ready.rule, call) or (claimant.rule.artificial and not ready.rule.artificial)


def _held(candidate: Candidate, hand: Hand) -> int:
    """Return the length of the bid's suit in the hand; -1 for other calls and notrump."""
    suit = suit_of(candidate.call) if candidate.call >= FIRST_BID else None
    return -1 if suit is None else hand[suit].bit_count()


def _alike(first: Candidate, other: Candidate) -> bool:
    """Return whether two rules for one call may be meant together: both charted, or both judgement of one convention.

    A partner does not consider a judgement with far lower priority than a charted meaning, nor a rule of last resort (without a
    text) below a rule that has one.
    """
    if other.rule.rule.text == "" and first.rule.rule.text and first.call != P:
        return False
    one, two = first.rule.section, other.rule.section
    return (one.steps is None) == (two.steps is None) and (one.steps is not None or one.module == two.module)
