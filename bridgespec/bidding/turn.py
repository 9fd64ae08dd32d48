"""A turn of an auction: the calls so far, what they have shown of every hand, and the state of each side.

`Turn` is the state that the engine passes from call to call. Calls are numbers here (`number_of`, `call_of`), suits 0 to 3 from
spades down, callers 0 to 3 from the dealer on.
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
    """Return the call of a number, as a new value; `call_of` looks it up in a table of these."""
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
# A fact is one bit of `Turn.facts`, a fact of a suit one bit for each suit: a rule's facts are then compared by one operation.
FACT_BITS = {name: 1 << place for place, name in enumerate(PLAIN_FACTS)}
SUIT_BITS = {name: tuple(1 << (len(PLAIN_FACTS) + 4 * place + suit) for suit in range(4)) for place, name in enumerate(SUIT_FACTS)}

NARROW = 5
"""The widest range in points, shown by a hand, for which the fact ``self-limited`` is true: such a hand leaves slam to partner."""
STRONGEST = 20
"""``self-limited`` is false for a hand that may have so many high-card points, however narrow its range is."""


@dataclass(frozen=True, slots=True)
class SideState:
    """The agreements of one side so far; part of a `Turn`.

    ``trump`` is the agreed suit, ``game_forced`` whether the side must reach game. Of the side's last call, ``forcing`` is whether
    partner must bid, and ``asked`` its question with the suit of the question.
    """

    trump: int | None = None
    game_forced: bool = False
    forcing: bool = False
    asked: tuple[str, int | None] | None = None


@dataclass(frozen=True, slots=True)
class CallInterpretation:
    """The interpretation of one call in an auction. Created by `BiddingEngine.after`, and kept in `Turn.meanings`.

    ``known`` is whether the system has a rule for the call. ``text`` is the explanation of the rule and ``place`` its file and
    line, both empty if there is none. ``places`` are the files and lines of all rules that may have made the call, ``place`` first.
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
    """One turn of an auction, or its end: everything that a caller knows besides its own hand. Created by `BiddingEngine`.

    Callers are counted from the dealer, 0 to 3, so that 0 and 2 are one side; ``me`` is the caller whose turn it is. ``calls`` are
    numbers from the dealer's call on, ``meanings`` their interpretations, ``known`` what they have shown of each caller's hand.
    ``sides`` and ``vulnerable`` are for the dealer's side and the other.

    Derived from ``calls``: ``first`` and ``last_turn`` are the indices of the first and the last bid (-1: none), ``last`` is the
    last bid (`NO_BID`: none), ``doubling`` 0, `X` or `XX` since then, ``passes`` the number of passes at the end; ``facts`` are
    bits of `FACT_BITS` and `SUIT_BITS`. Caches: ``children`` (turns after each call) and ``candidates`` by `BiddingEngine`,
    ``outlooks`` (expected tricks by strain) by `outlook.tricks`.
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
        """What the calls have shown of the hand of the caller's partner."""
        return self.known[(self.me + 2) % 4]

    @property
    def own(self) -> KnownHand:
        """What the caller's earlier calls have shown of its own hand."""
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
        """Whether the caller must not pass, in three cases, all after a pass of right-hand opponent: partner's call was forcing;
        the side's last bid is artificial and would become the contract if all pass; the side is forced to game and below it.
        """
        side = self.side
        if not self.calls or self.last == NO_BID:
            return False
        ours = (len(self.calls) - self.last_turn) % 2 == 0
        if self.calls[-1] == P and side.forcing:
            return True
        # An artificial bid of the caller or of partner must not become the contract by three passes.
        if ours and self.meanings[self.last_turn].artificial and self.passes == (1 if self.last_turn % 4 != self.me else 2):
            return True
        return side.game_forced and self.calls[-1] == P and ours and self.last < game_of(suit_of(self.last))

    @property
    def may_stop(self) -> bool:
        """Whether a rule with a condition may pass although `must_bid` is true: after partner's double, or if the bid is artificial
        but neither forcing nor forced to game.
        """
        doubled = len(self.calls) > 1 and self.calls[-1] == P and self.calls[-2] == X
        return doubled or not (self.side.forcing or self.side.game_forced)

    def _note_opening(self, note: Callable[[str, bool], None]) -> None:
        """Pass the facts that follow from the opening bid to ``note``; none before the opening."""
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

    def _note_contract(self, note: Callable[[str, bool], None]) -> None:
        """Pass the facts that follow from the last bid, and from doubles and passes after it, to ``note``."""
        begun = self.last_turn >= 0
        ours = begun and (len(self.calls) - self.last_turn) % 2 == 0
        note("ours", ours)
        note("theirs", begun and not ours)
        note("balancing", self.passes == (2 if begun else 3))
        note("last-artificial", begun and self.meanings[self.last_turn].artificial)
        note("doubled", ours and self.doubling == 1)
        note("redoubled", self.doubling == 2)
        note("game-reached", begun and self.last >= game_of(suit_of(self.last)))

    def _note_strength(self, note: Callable[[str, bool], None]) -> None:
        """Pass the facts that follow from the strength that the caller and partner have shown to ``note``."""
        # The narrower of the two ranges counts: a hand with few high-card points is limited, whatever points its length may add.
        width = min(high - low for low, high in (self.partner.points, self.partner.hcp))
        note("limited", width <= 6)
        note("unlimited", width > 6)
        # A hand with so narrow a range leaves slam to partner, except one that opened a strong two clubs.
        own_width = min(high - low for low, high in (self.own.points, self.own.hcp))
        note("self-limited", own_width <= NARROW and self.own.hcp[1] < STRONGEST)

    def _note_last_calls(self, note: Callable[[str, bool], None]) -> int:
        """Pass the facts that follow from the last two calls to ``note``. Return the bit of the suit that partner has just bid, or
        0.
        """
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
        """Return the facts of the turn as bits of `FACT_BITS` and `SUIT_BITS`."""
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
        self._note_contract(note)
        self._note_strength(note)
        note("fitted", self.side.trump is not None)
        note("asked-anything", self.side.asked is not None)
        # Not `facts |= self._note_last_calls(note)`: that reads `facts` before the call, and would lose what `note` adds.
        last_suits = self._note_last_calls(note)
        facts |= last_suits
        note("forced", self.must_bid)
        note("game-forced", self.side.game_forced)
        return facts | self._suit_facts()

    def _suit_facts(self) -> int:
        """Return the bits of `SUIT_BITS` that follow from what the players have shown and bid."""
        facts, me, side, partner = 0, self.me, self.side, self.partner
        left, right = self.known[(me + 1) % 4], self.known[(me + 3) % 4]
        last_suit = suit_of(self.last) if self.last_turn >= 0 else None
        for suit in range(4):
            own, with_partner = self.own.lengths[suit][0], partner.lengths[suit][0]
            # Three cards count as a shown suit only if the caller has bid the suit (a minor opened on three cards).
            named = own == 3 and self._bid_by(suit, me)
            against = max(left.lengths[suit][0], right.lengths[suit][0])
            if side.trump == suit:
                facts |= SUIT_BITS["agreed"][suit]
            # Likewise a three-card suit of an opponent is their suit only if they have bid it.
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
        """Return whether one of ``callers`` has bid the suit; callers are counted from the dealer and taken modulo 4."""
        turns = {caller % 4 for caller in callers}
        return any(call >= FIRST_BID and suit_of(call) == suit and turn % 4 in turns for turn, call in enumerate(self.calls))


def calls_of(words: Sequence[Call]) -> tuple[int, ...]:
    """Return the numbers of calls."""
    return tuple(map(number_of, words))
