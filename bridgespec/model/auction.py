"""The auction: the calls, which of them the laws allow, and the contract that they lead to.

`AuctionState` is the auction after some calls, `outcome` the result of all calls, `Auction` the auction of a board.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from bridgespec.model.cards import STRAINS, Seat, Strain, not_text
from bridgespec.model.contract import Contract, Doubling


class CallKind(IntEnum):
    """The four kinds of call."""

    PASS = 0
    DOUBLE = 1
    REDOUBLE = 2
    BID = 3


_BID = re.compile(r"([1-7])\s*(NT|[NSHDC])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """A pass, double, redouble, or bid; ``level`` and ``strain`` are those of a bid, else 0 and notrump.

    >>> str(Call.parse("1n")), str(Call.parse("dbl")), Call.parse("p") == PASS
    ('1NT', 'X', True)
    >>> Call.bid(1, Strain.NOTRUMP).above(Call.bid(1, Strain.SPADES)), Call.parse("2C").above(Call.parse("1NT"))
    (True, True)
    """

    kind: CallKind
    level: int = 0
    strain: Strain = Strain.NOTRUMP

    @classmethod
    def bid(cls, level: int, strain: Strain) -> Call:
        """A bid of 1 to 7 in a strain; ValueError for another level."""
        if not 1 <= level <= 7:
            raise ValueError(f"a bid's level is 1 to 7, not {level}")
        return cls(CallKind.BID, level, strain)

    @classmethod
    def parse(cls, text: str) -> Call:
        """The call of ``1NT``, ``2h``, ``Pass``, ``P``, ``X``, ``Dbl``, ``XX``, ``R`` ..., in either case; ValueError
        for anything else.
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        word = text.strip().upper()
        if word in _WORDS:
            return _WORDS[word]
        match = _BID.fullmatch(word)
        if match is None:
            raise ValueError(f"not a call: {text!r}")
        # The first letter is enough: NT and N are notrump.
        return cls(CallKind.BID, int(match[1]), Strain(STRAINS.index(match[2][0])))

    def __hash__(self) -> int:
        return 256 * self.level + 8 * self.strain + self.kind

    @property
    def is_bid(self) -> bool:
        """Whether it is a bid."""
        return self.kind is CallKind.BID

    @property
    def index(self) -> int:
        """A bid's height, 0 (1C) to 34 (7NT); -1 for a call that is not a bid."""
        # Strains count down from notrump (0) to clubs (4), bids count up from clubs.
        return 5 * (self.level - 1) + 4 - self.strain if self.is_bid else -1

    def above(self, other: Call) -> bool:
        """Whether this bid is sufficient over the other."""
        return self.index > other.index

    @property
    def symbol(self) -> str:
        """The call with its suit's sign: ``1♠``, ``2NT``, ``Pass``, ``X``."""
        return f"{self.level}{self.strain.symbol}" if self.is_bid else str(self)

    def __str__(self) -> str:
        return f"{self.level}{self.strain.label}" if self.is_bid else ("Pass", "X", "XX")[self.kind]


PASS = Call(CallKind.PASS)
DOUBLE = Call(CallKind.DOUBLE)
REDOUBLE = Call(CallKind.REDOUBLE)
_WORDS = {
    **dict.fromkeys(("P", "PASS"), PASS),
    **dict.fromkeys(("X", "D", "DBL", "DOUBLE"), DOUBLE),
    **dict.fromkeys(("XX", "R", "RDBL", "REDOUBLE"), REDOUBLE),
}


class Illegal(IntEnum):
    """Why a call is not allowed."""

    INSUFFICIENT = 0
    DOUBLE_OF_NOTHING = 1
    DOUBLE_OF_OWN_SIDE = 2
    DOUBLE_TWICE = 3
    REDOUBLE_OF_UNDOUBLED = 4
    REDOUBLE_OF_OWN_DOUBLE = 5
    REDOUBLE_TWICE = 6
    AUCTION_OVER = 7


class AuctionState(NamedTuple):
    """The state of an auction after ``turns`` calls: all that the legality of the next call depends on."""

    turns: int = 0
    bid: Call | None = None
    bid_turn: int = -1
    doubling: Doubling = Doubling.UNDOUBLED
    passes: int = 0

    @property
    def is_over(self) -> bool:
        """Whether the last three calls after a bid, or the first four, were passes."""
        return self.passes >= (4 if self.bid is None else 3)

    def why_not(self, call: Call) -> Illegal | None:
        """Why the call is not allowed now; None where it is."""
        if self.is_over:
            return Illegal.AUCTION_OVER
        # Partners call every second turn, so an even distance means that the last bid is of the side on turn.
        own = (self.turns - self.bid_turn) % 2 == 0
        if call.kind is CallKind.BID:
            return None if self.bid is None or call.above(self.bid) else Illegal.INSUFFICIENT
        # Law 19A: only the last bid can be doubled, only by the other side, and only once.
        if call.kind is CallKind.DOUBLE:
            if self.bid is None:
                return Illegal.DOUBLE_OF_NOTHING
            if self.doubling:
                return Illegal.DOUBLE_TWICE
            return Illegal.DOUBLE_OF_OWN_SIDE if own else None
        # Law 19B: a redouble is that of the side whose bid is doubled.
        if call.kind is CallKind.REDOUBLE:
            if self.doubling is Doubling.REDOUBLED:
                return Illegal.REDOUBLE_TWICE
            if self.doubling is Doubling.UNDOUBLED:
                return Illegal.REDOUBLE_OF_UNDOUBLED
            return None if own else Illegal.REDOUBLE_OF_OWN_DOUBLE
        return None

    def then(self, call: Call) -> AuctionState:
        """The state after the call, whether it was legal or not."""
        turns = self.turns + 1
        if call.kind is CallKind.PASS:
            return AuctionState(turns, self.bid, self.bid_turn, self.doubling, self.passes + 1)
        if call.kind is CallKind.BID:
            # A bid cancels doubles and passes: the defaults of the other fields.
            return AuctionState(turns, call, self.turns)
        doubling = Doubling.DOUBLED if call.kind is CallKind.DOUBLE else Doubling.REDOUBLED
        return AuctionState(turns, self.bid, self.bid_turn, doubling)


def replay(calls: Iterable[Call]) -> AuctionState:
    """The state after the calls, legal or not."""
    state = AuctionState()
    for call in calls:
        state = state.then(call)
    return state


def closing_passes(calls: Iterable[Call]) -> int:
    """How many passes end the auction from here ("all pass"); 0 where it is over.

    >>> closing_passes([Call.parse("1C"), PASS]), closing_passes([]), closing_passes([PASS] * 4)
    (2, 4, 0)
    """
    made = [call.kind for call in calls]
    passes = next((turn for turn, kind in enumerate(reversed(made)) if kind is not CallKind.PASS), len(made))
    return max(0, (3 if CallKind.BID in made else 4) - passes)


def first_illegal(calls: Iterable[Call]) -> tuple[int, Illegal] | None:
    """The index of the first call that is not allowed, and why; None for a legal auction, finished or not.

    >>> first_illegal(map(Call.parse, "1S P 1H".split()))
    (2, <Illegal.INSUFFICIENT: 0>)
    """
    turn = _turn(AuctionState())
    for index, call in enumerate(calls):
        after = turn[call]
        if isinstance(after, Illegal):
            return index, after
        turn = after
    return None


class _LegalCalls(dict[Call, "_LegalCalls | Illegal"]):
    """The calls that are possible in one state, each with the next turn or the reason why it is illegal. Filled when a call is
    first made.
    """

    def __init__(self, state: AuctionState) -> None:
        self.state = state

    def __missing__(self, call: Call) -> _LegalCalls | Illegal:
        why = self.state.why_not(call)
        after = self.state.then(call)
        # Turns are reduced to whose bid it is, so that the table of states stays small (see `_turn`).
        whose = 0 if after.bid is None else (after.turns - after.bid_turn) % 2
        self[call] = found = _turn(after._replace(turns=whose, bid_turn=0)) if why is None else why
        return found


_turn = cache(_LegalCalls)
"""Return the turn of a state. Cached: there are few, because of the turns only the side that bid last matters."""


@dataclass(frozen=True, slots=True)
class AuctionCall:
    """A call as it was made at the table, with its alert, explanation and remarks.

    ``alert``: it was alerted; ``explanation``: its meaning as explained at the table; ``mark``: an annotator's ``!``, ``?``,
    ``!!``, ``??``, ``!?``, ``?!``; ``glyphs``: further numbered annotations; ``irregular``: the source itself marks the call as
    contrary to the laws.
    """

    call: Call
    alert: bool = False
    explanation: str | None = None
    mark: str | None = None
    glyphs: tuple[int, ...] = ()
    irregular: bool = False


class AuctionOutcome(NamedTuple):
    """The result of calls: the index of the first that is not allowed, and why; whether the auction is over; the contract so far;
    and the turn (0 = first caller) in which the declarer named the strain first.
    """

    first_illegal: tuple[int, Illegal] | None
    is_finished: bool
    contract: Contract | None
    declarer_turn: int | None


def outcome(calls: Sequence[Call]) -> AuctionOutcome:
    """Return the result of the calls, in one pass over them.

    >>> outcome([Call.parse(call) for call in "1H P 2H P P P".split()]).declarer_turn
    0
    """
    turn = _turn(AuctionState())
    illegal: tuple[int, Illegal] | None = None
    for index, call in enumerate(calls):
        after = turn[call]
        if isinstance(after, Illegal):
            illegal = (index, after)
            break
        turn = after
    # A table of turns leads through legal calls alone; whatever follows an illegal one is replayed call by call.
    state = turn.state if illegal is None else replay(calls)
    bid = state.bid
    if bid is None:
        return AuctionOutcome(illegal, state.is_over, Contract.passed_out() if state.is_over else None, None)
    last = len(calls) - 1
    while calls[last].kind is not CallKind.BID:
        last -= 1
    # Law 22B: declarer is who first named the strain for the side of the last bid, so every second call is looked at.
    first = last % 2
    while calls[first].strain != bid.strain or calls[first].kind is not CallKind.BID:
        first += 2
    return AuctionOutcome(illegal, state.is_over, Contract(bid.level, bid.strain, state.doubling), first)


# Contract, declarer and result of one auction are asked for many times in a row, while a board is written.
_RECENT: dict[int, tuple[tuple[AuctionCall, ...], AuctionOutcome]] = {}
# More would keep the auctions of boards alive that nothing else refers to.
_FEW = 16


@dataclass(frozen=True, slots=True)
class Auction:
    """The calls in turn from ``first``, who is the dealer unless the source says otherwise; ``first`` None: not stated.

    ``closed`` is true where the source ends the auction though its calls do not.

    >>> auction = Auction.parse("P 1C P 1H P 2H P P P", Seat.NORTH)
    >>> str(auction.contract), auction.declarer.name, auction.is_finished
    ('2H', 'WEST', True)

    It iterates over the plain calls; ``calls`` has them with alerts, explanations and remarks.

    >>> [str(call) for call in auction][:3]
    ['Pass', '1C', 'Pass']
    """

    calls: tuple[AuctionCall, ...] = ()
    first: Seat | None = None
    closed: bool = False

    @classmethod
    def of(cls, calls: Iterable[Call], first: Seat | None = None) -> Auction:
        """The auction of plain calls."""
        return cls(tuple(map(AuctionCall, calls)), first)

    @classmethod
    def parse(cls, text: str, first: Seat | None = None) -> Auction:
        """Return the auction of its printed form: calls separated by blanks, perhaps after who calls first; else ValueError.

        >>> auction = Auction.parse("N: 1C p 1h P")
        >>> print(auction, auction.first, Auction.parse(str(auction)) == auction)
        N: 1C Pass 1H Pass North True
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        # From the right: without a colon the whole text is the calls, and `seat` is empty.
        seat, colon, calls = text.rpartition(":")
        return cls.of(map(Call.parse, calls.split()), Seat.parse(seat) if colon else first)

    def __str__(self) -> str:
        """Return the calls in one line, without alerts and notes; `Auction.parse` reads it."""
        return ("" if self.first is None else f"{self.first.letter}: ") + " ".join(map(str, self))

    def __iter__(self) -> Iterator[Call]:
        return (made.call for made in self.calls)

    @property
    def plain(self) -> tuple[Call, ...]:
        """The calls alone."""
        return tuple(self)

    @property
    def outcome(self) -> AuctionOutcome:
        """The result of the calls, computed once."""
        # By identity: hashing the calls of an auction takes longer than their outcome. The tuple is kept, so its id stays its own.
        known = _RECENT.get(id(self.calls))
        if known is None or known[0] is not self.calls:
            if len(_RECENT) >= _FEW:
                _RECENT.clear()
            known = _RECENT[id(self.calls)] = self.calls, outcome(self.plain)
        return known[1]

    @property
    def first_illegal(self) -> tuple[int, Illegal] | None:
        """The first call that is not allowed, and why."""
        return first_illegal(self.plain)

    @property
    def is_finished(self) -> bool:
        """Whether the passes that end an auction have been made."""
        return self.outcome.is_finished

    @property
    def contract(self) -> Contract | None:
        """The contract of the calls so far, passed out included; None before the first bid and the fourth pass."""
        return self.outcome.contract

    @property
    def declarer_turn(self) -> int | None:
        """The turn (0 = first caller) in which the declarer named the strain first; None without a bid."""
        return self.outcome.declarer_turn

    @property
    def declarer(self) -> Seat | None:
        """Who of the side that bid last named the strain first; None without a bid or a first seat."""
        turn = self.declarer_turn
        return None if turn is None or self.first is None else self.caller(turn)

    def caller(self, index: int) -> Seat | None:
        """The seat of the call at the index."""
        return None if self.first is None else Seat((self.first + index) % 4)
