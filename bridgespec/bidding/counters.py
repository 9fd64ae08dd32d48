"""Find calls that a club player would not make: calls, and final contracts, that contradict what their side has shown.

`contradictions` bids one deal and yields a `Contradiction` for each such call. Their number measures a system; a single one does
not prove that a rule is wrong, since some calls of each kind are right by judgement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bridgespec.bidding.engine import BiddingEngine, ChosenCall
from bridgespec.bidding.knowledge import HCP, LENGTH, POINTS, KnownHand
from bridgespec.bidding.turn import FIRST_BID, P, Turn, cheapest, game_of, level_of, suit_of
from bridgespec.model.evaluate import HandBits, TermValues, evaluate

KINDS = {
    "strong-pass": "a hand of 12 or more high-card points that a charted rule passes while game is possible",
    "no-limit": "a call that is not forcing and has no upper limit",
    "again": "a hand that shows the same again",
    "limited-acts": "a limited hand that acts again without being asked",
    "empty-jump": "a jump by a hand that shows no more than before",
    "six-trumps": "a suit contract above the one level on six trumps or fewer",
    "missed-game": "a pair with 26 high-card points below game",
    "outside": "a hand outside what its side may conclude of it",
    "misread": "a call that is read as another rule than the one that made it",
}
GAME_POINTS, STRONG, UNLIMITED, NARROW = 25, 12, 22, 5
"""Points of both hands for game; points of a hand for ``strong-pass``; the least upper end of a hand without a limit, ``no-limit``;
and the width of range below which a hand is limited, ``limited-acts``.
"""
_SLACK = 0.99
"""Added to the upper end of a range, because some terms have fractions: a range that ends with 14 includes 14.75."""

DealBits = tuple[HandBits, HandBits, HandBits, HandBits]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One call, or the final contract, that contradicts what its side has shown. Created by `contradictions`.

    ``kind`` is a key of `KINDS`. ``turn`` is the turn before the call, or for a contract the end of the auction. ``caller``,
    counted from the dealer, is who made the call or the last bid.
    """

    kind: str
    turn: Turn
    caller: int


def contradictions(engine: BiddingEngine, hands: DealBits, vulnerable: tuple[bool, bool]) -> Iterator[Contradiction]:
    """Bid four hands, the dealer's first, and yield the contradictions of each call and of the final contract."""
    turn = engine.start(vulnerable)
    values = [evaluate(hand) for hand in hands]
    while not turn.is_over:
        choice = engine.choose(turn, hands[turn.me])
        after = engine.after(turn, choice.call)
        for kind in _of_call(turn, choice, after, values[turn.me]):
            yield Contradiction(kind, turn, turn.me)
        turn = after
    for kind in _of_contract(turn, hands):
        yield Contradiction(kind, turn, turn.last_turn % 4)


def _of_call(turn: Turn, choice: ChosenCall, after: Turn, values: TermValues) -> Iterator[str]:
    """Yield the kinds of contradictions of one call; ``values`` are the terms of the hand, ``after`` is the next turn."""
    meaning = after.meanings[-1]
    if choice.candidate is not None:
        # Partner considers all rules in ``places``, so the call is misread only if another rule made it.
        if str(choice.candidate.rule.written.place) not in (meaning.place, *meaning.places):
            yield "misread"
        if choice.call == P and choice.candidate.rule.section.steps and _strong(turn, values):
            yield "strong-pass"
    # Partner relies on the boxes: a hand outside all of them misleads partner.
    if not _inside(after.known[turn.me], values):
        yield "outside"
    if choice.call != P:
        yield from _of_action(turn, choice, after)


def _of_action(turn: Turn, choice: ChosenCall, after: Turn) -> Iterator[str]:
    """Yield the kinds of contradictions of a call other than pass that follow from what it shows."""
    old, new = turn.own, after.known[turn.me]
    meaning, side = after.meanings[-1], after.sides[turn.me % 2]
    natural = choice.call >= FIRST_BID and not meaning.artificial
    # A forcing call needs no upper limit, since the caller bids again; partner may pass any other, and needs one.
    if natural and not side.forcing and not side.game_forced and min(new.points[1], new.hcp[1]) >= UNLIMITED:
        yield "no-limit"
    # A player who must bid, answers a question or makes an artificial call may repeat what is known. The kinds below are for
    # others.
    if turn.must_bid or turn.side.asked or meaning.artificial:
        return
    acted = any(call != P for call in turn.calls[turn.me :: 4])
    if acted and _contents(new) == _contents(old):
        yield "again"
    partner_passed = len(turn.calls) > 1 and turn.calls[-2] == P
    if acted and partner_passed and old.hcp[1] - old.hcp[0] < NARROW:
        yield "limited-acts"
    if acted and natural and _empty_jump(turn, choice.call, old, new):
        yield "empty-jump"


def _strong(turn: Turn, values: TermValues) -> bool:
    """Return whether a hand has at least `STRONG` high-card points, the last bid is below game, and both hands may have the points
    for game: its own plus the most that partner may have.
    """
    below = turn.last < FIRST_BID or turn.last < game_of(suit_of(turn.last))
    return below and values[HCP] >= STRONG and values[POINTS] + turn.partner.points[1] >= GAME_POINTS and turn.first >= 0


def _contents(known: KnownHand) -> list[tuple[object, ...]]:
    """Return the ranges of all boxes, to be compared."""
    return [(box.hcp, box.points, box.lengths, box.other) for box in known.boxes]


def _inside(known: KnownHand, values: TermValues) -> bool:
    """Return whether a hand, given by its terms, is in at least one box of ``known``."""
    for box in known.boxes:
        ranges = {HCP: box.hcp, POINTS: box.points, **dict(zip(LENGTH, box.lengths, strict=True)), **box.other}
        if all(low <= values[term] <= high + _SLACK for term, (low, high) in ranges.items()):
            return True
    return False


def _empty_jump(turn: Turn, call: int, old: KnownHand, new: KnownHand) -> bool:
    """Return whether a bid is a jump below game that shows neither more points nor a longer suit than the earlier calls."""
    suit = suit_of(call)
    # A jump to game needs no further strength: it states where to play.
    if call - cheapest(turn.last, suit) < 5 or call >= game_of(suit):
        return False
    longer = suit is not None and new.lengths[suit][0] > old.lengths[suit][0]
    return not longer and new.points[0] <= old.points[0] and new.hcp[0] <= old.hcp[0]


def _of_contract(turn: Turn, hands: DealBits) -> Iterator[str]:
    """Yield the kinds of contradictions of the final contract."""
    if turn.last < FIRST_BID:
        return
    suit, side = suit_of(turn.last), turn.last_turn % 2
    if suit is not None and level_of(turn.last) > 1:
        trumps = hands[side][suit].bit_count() + hands[side + 2][suit].bit_count()
        if trumps <= 6:
            yield "six-trumps"
    points = sum(evaluate(hands[place])[HCP] for place in (side, side + 2))
    if turn.last < game_of(suit) and points >= GAME_POINTS + 1:
        yield "missed-game"
