"""A turn of an auction: the calls so far, what is known of every hand, and the state of each side.

Calls are numbers here (`number_of`, `call_of`), suits 0 to 3 from spades down, callers 0 to 3 from the dealer on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bridgespec.bidding.knowledge import UNKNOWN, KnownHand
from bridgespec.model.auction import DOUBLE, PASS, REDOUBLE, Call
from bridgespec.model.cards import Strain

P, X, XX = 0, 1, 2
"""A call as a number: pass, double, redouble, then the bids from 1C (3) to 7NT (37)."""
FIRST_BID, LAST_BID = 3, 37
# One below 1C, so that `cheapest` and the comparison in `legal` need no case for an auction without a bid.
NO_BID = 2


def bid(level: int, suit: int | None) -> int:
    """Return the number of a bid; the suit is 0 to 3 from spades down, None for notrump."""
    return FIRST_BID + 5 * (level - 1) + (4 if suit is None else 3 - suit)


def level_of(call: int) -> int:
    """Return the level of a bid."""
    return (call - FIRST_BID) // 5 + 1


def suit_of(call: int) -> int | None:
    """Return the suit of a bid; None for notrump."""
    place = (call - FIRST_BID) % 5
    return None if place == 4 else 3 - place


def cheapest(last: int, suit: int | None) -> int:
    """Return the lowest bid of a strain above the last bid; it may be above 7NT."""
    place = 4 if suit is None else 3 - suit
    # Strains recur every five numbers: the next number above `last` with this remainder.
    return last + 1 + (place - (last + 1 - FIRST_BID)) % 5


def game_of(suit: int | None) -> int:
    """Return the bid of game in a strain."""
    return bid(3 if suit is None else 4 if suit < 2 else 5, suit)


def number_of(call: Call) -> int:
    """Return the number of a call."""
    return FIRST_BID + call.index if call.is_bid else int(call.kind)


def call_of(number: int) -> Call:
    """Return the call of a number."""
    return _CALLS[number]


def _make(number: int) -> Call:
    if number < FIRST_BID:
        return (PASS, DOUBLE, REDOUBLE)[number]
    suit = suit_of(number)
    return Call.bid(level_of(number), Strain.NOTRUMP if suit is None else Strain(suit + 1))


_CALLS = tuple(map(_make, range(LAST_BID + 1)))
CALL_NAMES = tuple(map(str, _CALLS))

PLAIN_FACTS = (
    "always", "passed", "partner-passed", "vulnerable", "they-vulnerable", "opener", "responder", "overcaller",
    "advancer", "contested", "forced", "game-forced", "balancing", "doubled", "redoubled", "ours", "theirs", "limited",
    "unlimited", "fitted", "rho-bid", "rho-doubled", "rho-passed", "partner-bid", "partner-doubled", "partner-silent",
    "silent", "partner-jumped", "partner-notrump", "game-reached", "asked-anything", "opening-notrump", "signed-off",
    "partner-raised", "they-silent", "last-artificial", "self-limited",
)  # fmt: skip
SUIT_FACTS = ("agreed", "their", "unbid", "partner-bid", "partner-showed", "showed", "last", "partner-last")
FACT_BITS = {name: 1 << place for place, name in enumerate(PLAIN_FACTS)}
SUIT_BITS = {name: tuple(1 << (len(PLAIN_FACTS) + 4 * place + suit) for suit in range(4)) for place, name in enumerate(SUIT_FACTS)}

NARROW = 5
"""The width in points up to which a hand that limited itself leaves slam to its partner (`self-limited`)."""
STRONGEST = 20
"""A hand that may have so many high-card points is not limited for slam, however narrow its range."""


@dataclass(frozen=True, slots=True)
class SideState:
    """The agreements of a side so far: trumps, whether it is forced to game, and what its last call requires of partner."""

    trump: int | None = None
    game_forced: bool = False
    forcing: bool = False
    asked: tuple[str, int | None] | None = None


@dataclass(frozen=True, slots=True)
class CallInterpretation:
    """The interpretation of a call: the text of its rule, the file and line of the rule, and whether any rule makes the call.

    ``places`` are those of all rules that may have made it; the first is ``place``.
    """

    call: int
    text: str
    place: str
    known: bool
    artificial: bool = False
    signoff: bool = False
    asks: tuple[str, int | None] | None = None
    places: tuple[str, ...] = ()


class Turn:
    """The turn of one caller.

    ``calls`` are numbers from the dealer on; callers are counted from the dealer, 0 to 3, so that 0 and 2 are one side.
    ``vulnerable`` is for the dealer's side and the other.
    """

    __slots__ = (
        "calls", "candidates", "children", "doubling", "facts", "first", "known",
        "last", "last_turn", "me", "meanings", "outlooks", "passes", "sides", "vulnerable",
    )  # fmt: skip

    def __init__(
        self,
        calls: tuple[int, ...] = (),
        known: tuple[KnownHand, KnownHand, KnownHand, KnownHand] = (UNKNOWN,) * 4,
        sides: tuple[SideState, SideState] = (SideState(), SideState()),
        vulnerable: tuple[bool, bool] = (False, False),
        meanings: tuple[CallInterpretation, ...] = (),
    ) -> None:
        self.calls = calls
        self.known = known
        self.sides = sides
        self.vulnerable = vulnerable
        self.meanings = meanings
        self.me = len(calls) % 4
        self.children: dict[int, Turn] = {}
        self.candidates: list[Any] | None = None
        self.outlooks: dict[int | None, tuple[float, tuple[tuple[int, float, float], ...]]] = {}
        last, last_turn, doubling, passes, first = NO_BID, -1, 0, 0, -1
        for turn, call in enumerate(calls):
            if call == P:
                passes += 1
                continue
            passes = 0
            if call >= FIRST_BID:
                last, last_turn, doubling = call, turn, 0
                if first < 0:
                    first = turn
            else:
                doubling = call
        self.last, self.last_turn, self.doubling, self.passes, self.first = last, last_turn, doubling, passes, first
        self.facts = self._facts()

    @property
    def is_over(self) -> bool:
        """Whether the auction has ended."""
        # Law 22: four passes, or three after a bid.
        return self.passes >= (4 if self.last == NO_BID else 3)

    @property
    def partner(self) -> KnownHand:
        """What is known of the caller's partner."""
        return self.known[(self.me + 2) % 4]

    @property
    def own(self) -> KnownHand:
        """The knowledge of the caller's own hand that the earlier calls have given to the others."""
        return self.known[self.me]

    @property
    def side(self) -> SideState:
        """The state of the caller's side."""
        return self.sides[self.me % 2]

    def legal(self, call: int) -> bool:
        """Whether the law allows the call."""
        if call >= FIRST_BID:
            return self.last < call <= LAST_BID
        # Law 19: a double is of the opponents' last bid, a redouble of their double
        # of the side's own bid; only passes may intervene.
        theirs = self.last != NO_BID and (len(self.calls) - self.last_turn) % 2 == 1
        if call == X:
            return theirs and self.doubling == 0
        if call == XX:
            return self.last != NO_BID and not theirs and self.doubling == 1
        return True

    @property
    def must_bid(self) -> bool:
        """Whether the caller must not pass: partner's call forces, or the side's last bid is artificial, and right-hand opponent
        passed; or the side is forced to game and is below it.
        """
        side = self.side
        if not self.calls or self.last == NO_BID:
            return False
        ours = (len(self.calls) - self.last_turn) % 2 == 0
        if self.calls[-1] == P and side.forcing:
            return True
        # An artificial bid must not become the contract by three passes, whoever of the side made it.
        if ours and self.meanings[self.last_turn].artificial and self.passes == (1 if self.last_turn % 4 != self.me else 2):
            return True
        return side.game_forced and self.calls[-1] == P and ours and self.last < game_of(suit_of(self.last))

    @property
    def may_stop(self) -> bool:
        """Whether a rule may pass although `must_bid`: partner's double, or an artificial bid that is not forcing (it names a suit
        that nobody has).
        """
        doubled = len(self.calls) > 1 and self.calls[-1] == P and self.calls[-2] == X
        return doubled or not (self.side.forcing or self.side.game_forced)

    def _note_opening(self, note: Callable[[str, bool], None]) -> None:
        """Note the facts that follow from the opening, if there is one."""
        if self.first < 0:
            return
        calls, me = self.calls, self.me
        ours_opened = self.first % 2 == me % 2
        note("opener", self.first % 4 == me)
        note("responder", self.first % 4 == (me + 2) % 4)
        if not ours_opened:
            acts = [turn for turn in range(self.first, len(calls)) if turn % 2 == me % 2 and calls[turn] != P]
            note("overcaller", bool(acts) and acts[0] % 4 == me)
            note("advancer", bool(acts) and acts[0] % 4 != me)
        note("opening-notrump", calls[self.first] == bid(1, None))

    def _note_last_calls(self, note: Callable[[str, bool], None]) -> int:
        """Note the facts that follow from the last two calls. Return the bits of the suit that partner bid last."""
        calls = self.calls
        rho = calls[-1] if calls else P
        note("rho-bid", rho >= FIRST_BID)
        note("rho-doubled", rho == X)
        note("rho-passed", rho == P)
        if len(calls) < 2:
            return 0
        partners = calls[-2]
        note("signed-off", self.meanings[-2].signoff)
        note("partner-bid", partners >= FIRST_BID)
        note("partner-doubled", partners == X)
        if partners < FIRST_BID:
            return 0
        before = max((call for call in calls[:-2] if call >= FIRST_BID), default=NO_BID)
        suit = suit_of(partners)
        note("partner-jumped", partners - cheapest(before, suit) >= 5)
        note("partner-notrump", suit is None)
        note("partner-raised", suit is not None and self.own.lengths[suit][0] >= 3)
        return 0 if suit is None else SUIT_BITS["partner-last"][suit]

    def _facts(self) -> int:
        calls, me = self.calls, self.me
        count = len(calls)
        facts = FACT_BITS["always"]
        partner_turns = [turn for turn in range(count) if turn % 4 == (me + 2) % 4]
        own_turns = [turn for turn in range(count) if turn % 4 == me]
        first = self.first if self.first >= 0 else count

        def note(name: str, holds: bool) -> None:
            nonlocal facts
            if holds:
                facts |= FACT_BITS[name]

        silent = all(calls[turn] == P for turn in own_turns)
        partner_silent = all(calls[turn] == P for turn in partner_turns)
        they_silent = all(call == P for turn, call in enumerate(calls) if turn % 2 != me % 2)
        note("passed", bool(own_turns) and own_turns[0] < first)
        note("partner-passed", bool(partner_turns) and partner_turns[0] < first)
        note("vulnerable", self.vulnerable[me % 2])
        note("they-vulnerable", self.vulnerable[1 - me % 2])
        note("silent", silent)
        note("partner-silent", partner_silent)
        note("they-silent", they_silent)
        self._note_opening(note)
        note("contested", not they_silent and not (silent and partner_silent))
        ours = self.last_turn >= 0 and (count - self.last_turn) % 2 == 0
        note("ours", ours)
        note("theirs", self.last_turn >= 0 and not ours)
        note("balancing", self.passes == (2 if self.last_turn >= 0 else 3))
        note("last-artificial", self.last_turn >= 0 and self.meanings[self.last_turn].artificial)
        note("doubled", ours and self.doubling == 1)
        note("redoubled", self.doubling == 2)
        note("game-reached", self.last_turn >= 0 and self.last >= game_of(suit_of(self.last)))
        side, partner = self.side, self.partner
        # A range of high-card points limits a hand as well as one of points, whatever length may add.
        width = min(high - low for low, high in (partner.points, partner.hcp))
        note("limited", width <= 6)
        note("unlimited", width > 6)
        # A hand whose range is this narrow leaves slam to partner, except after a strong two clubs.
        told = min(high - low for low, high in (self.own.points, self.own.hcp))
        note("self-limited", told <= NARROW and self.own.hcp[1] < STRONGEST)
        note("fitted", side.trump is not None)
        note("asked-anything", side.asked is not None)
        # In two steps: the call changes the facts that `|=` would have read before it.
        last_suits = self._note_last_calls(note)
        facts |= last_suits
        must = self.must_bid
        note("forced", must)
        note("game-forced", side.game_forced)
        left, right = self.known[(me + 1) % 4], self.known[(me + 3) % 4]
        last_suit = suit_of(self.last) if self.last_turn >= 0 else None
        for suit in range(4):
            own, with_partner = self.own.lengths[suit][0], partner.lengths[suit][0]
            # A minor opened on three cards was bid naturally, and counts as shown; a length of three alone does not.
            named = own == 3 and self._bid_by(suit, me)
            against = max(left.lengths[suit][0], right.lengths[suit][0])
            if side.trump == suit:
                facts |= SUIT_BITS["agreed"][suit]
            # The same for opponents: their three-card minor is their suit if they have bid it.
            if against >= 4 or (against == 3 and self._bid_by(suit, me + 1, me + 3)):
                facts |= SUIT_BITS["their"][suit]
            elif own < 4 and with_partner < 3 and not named:
                facts |= SUIT_BITS["unbid"][suit]
            if with_partner >= 3 and self._bid_by(suit, me + 2):
                facts |= SUIT_BITS["partner-bid"][suit]
            if with_partner >= 4:
                facts |= SUIT_BITS["partner-showed"][suit]
            if own >= 4 or named:
                facts |= SUIT_BITS["showed"][suit]
            if last_suit == suit:
                facts |= SUIT_BITS["last"][suit]
        return facts

    def _bid_by(self, suit: int, *callers: int) -> bool:
        """Return whether one of the callers, counted from the dealer, has bid the suit."""
        turns = {caller % 4 for caller in callers}
        return any(call >= FIRST_BID and suit_of(call) == suit and turn % 4 in turns for turn, call in enumerate(self.calls))


def calls_of(words: Sequence[Call]) -> tuple[int, ...]:
    """Return the numbers of calls."""
    return tuple(map(number_of, words))
