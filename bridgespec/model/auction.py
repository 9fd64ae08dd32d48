"""Calls and auctions: which calls the laws allow, and the contract of an auction.

`Auction` is the auction of a board. `AuctionState` is the state after some calls; `outcome` returns the result of all calls.
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
        """Return the bid of a level in a strain. Raises ValueError unless the level is 1 to 7."""
        if not 1 <= level <= 7:
            raise ValueError(f"a bid's level is 1 to 7, not {level}")
        return cls(CallKind.BID, level, strain)

    @classmethod
    def parse(cls, text: str) -> Call:
        """Return the call of a text such as ``1NT``, ``2h``, ``Pass``, ``P``, ``X``, ``Dbl``, ``XX`` or ``R``, in either case.
        Raises ValueError for any other text.
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
        """The index of a bid in the order of bids, 0 (1C) to 34 (7NT); -1 for a call that is not a bid."""
        # Strains count down from notrump (0) to clubs (4), bids count up from clubs.
        return 5 * (self.level - 1) + 4 - self.strain if self.is_bid else -1

    def above(self, other: Call) -> bool:
        """Return whether this bid is higher than another."""
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
    """The state of an auction after ``turns`` calls, on which the legality of the next call depends.

    ``bid`` is the last bid and ``bid_turn`` its index, ``doubling`` the doubling of it, ``passes`` the number of passes at the end.
    """

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
        """Return the reason why the next call may not be ``call``; None if it may."""
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
        # Law 19B: only the side whose bid is doubled may redouble.
        if call.kind is CallKind.REDOUBLE:
            if self.doubling is Doubling.REDOUBLED:
                return Illegal.REDOUBLE_TWICE
            if self.doubling is Doubling.UNDOUBLED:
                return Illegal.REDOUBLE_OF_UNDOUBLED
            return None if own else Illegal.REDOUBLE_OF_OWN_DOUBLE
        return None

    def then(self, call: Call) -> AuctionState:
        """Return the state after one more call, legal or not."""
        turns = self.turns + 1
        if call.kind is CallKind.PASS:
            return AuctionState(turns, self.bid, self.bid_turn, self.doubling, self.passes + 1)
        if call.kind is CallKind.BID:
            # A bid cancels doubles and passes: the defaults of the other fields.
            return AuctionState(turns, call, self.turns)
        doubling = Doubling.DOUBLED if call.kind is CallKind.DOUBLE else Doubling.REDOUBLED
        return AuctionState(turns, self.bid, self.bid_turn, doubling)


def replay(calls: Iterable[Call]) -> AuctionState:
    """Return the state after calls, legal or not."""
    state = AuctionState()
    for call in calls:
        state = state.then(call)
    return state


def closing_passes(calls: Iterable[Call]) -> int:
    """Return the number of passes that would end the auction after these calls ("all pass"); 0 if it is over.

    >>> closing_passes([Call.parse("1C"), PASS]), closing_passes([]), closing_passes([PASS] * 4)
    (2, 4, 0)
    """
    made = [call.kind for call in calls]
    passes = next((turn for turn, kind in enumerate(reversed(made)) if kind is not CallKind.PASS), len(made))
    return max(0, (3 if CallKind.BID in made else 4) - passes)


def first_illegal(calls: Iterable[Call]) -> tuple[int, Illegal] | None:
    """Return the index of the first call that is not allowed, and why; None for a legal auction, finished or not.

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
    """A node in the graph of auction states: for each call, the node after it, or the reason why it is illegal.

    Created by `_turn` once for each state, and filled when a call is first made.
    """

    def __init__(self, state: AuctionState) -> None:
        self.state = state

    def __missing__(self, call: Call) -> _LegalCalls | Illegal:
        why = self.state.why_not(call)
        after = self.state.then(call)
        # Of the turns only the side of the last bid matters, so that there are few different states.
        whose = 0 if after.bid is None else (after.turns - after.bid_turn) % 2
        self[call] = found = _turn(after._replace(turns=whose, bid_turn=0)) if why is None else why
        return found


_turn = cache(_LegalCalls)
"""Return the node of a state. Cached."""


@dataclass(frozen=True, slots=True)
class AuctionCall:
    """A call as it was made at the table.

    ``alert`` is whether it was alerted, ``explanation`` its meaning as explained at the table. ``mark`` is an annotator's ``!``,
    ``?``, ``!!``, ``??``, ``!?`` or ``?!``, and ``glyphs`` are further numbered annotations. ``irregular`` is whether the source
    marks the call as contrary to the laws.
    """

    call: Call
    alert: bool = False
    explanation: str | None = None
    mark: str | None = None
    glyphs: tuple[int, ...] = ()
    irregular: bool = False


class AuctionOutcome(NamedTuple):
    """The result of calls. Created by `outcome`.

    ``first_illegal`` is the index of the first call that is not allowed, and why; ``contract`` the contract so far;
    ``declarer_turn`` the index of the call in which the declarer named the strain first. Each is None if there is none.
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
    # The nodes have legal calls only; an auction with an illegal one is replayed call by call.
    state = turn.state if illegal is None else replay(calls)
    bid = state.bid
    if bid is None:
        return AuctionOutcome(illegal, state.is_over, Contract.passed_out() if state.is_over else None, None)
    last = len(calls) - 1
    while calls[last].kind is not CallKind.BID:
        last -= 1
    # Law 22B: declarer is who first named the strain for the side of the last bid, which made every second call.
    first = last % 2
    while calls[first].strain != bid.strain or calls[first].kind is not CallKind.BID:
        first += 2
    return AuctionOutcome(illegal, state.is_over, Contract(bid.level, bid.strain, state.doubling), first)


# The outcomes of recent auctions, since contract and declarer of one auction are accessed many times while a board is written. The
# key is the id of the calls: hashing them takes longer than computing the outcome.
_RECENT: dict[int, tuple[tuple[AuctionCall, ...], AuctionOutcome]] = {}
# The most outcomes: each keeps the calls of an auction in memory.
_FEW = 16


@dataclass(frozen=True, slots=True)
class Auction:
    """The calls of an auction, in turn from the seat ``first``: the dealer, unless the source states another, or None if not
    stated.

    ``closed`` is whether the source ends the auction although its calls do not.

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
        """Return the auction of plain calls, without alerts and remarks."""
        return cls(tuple(map(AuctionCall, calls)), first)

    @classmethod
    def parse(cls, text: str, first: Seat | None = None) -> Auction:
        """Return the auction of its printed form: calls separated by blanks, perhaps after the first caller and a colon. Raises
        ValueError for any other text.

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
        # The calls are stored with the outcome, so that their id cannot become that of another tuple.
        known = _RECENT.get(id(self.calls))
        if known is None or known[0] is not self.calls:
            if len(_RECENT) >= _FEW:
                _RECENT.clear()
            known = _RECENT[id(self.calls)] = self.calls, outcome(self.plain)
        return known[1]

    @property
    def first_illegal(self) -> tuple[int, Illegal] | None:
        """The index of the first call that is not allowed, and why; None for a legal auction."""
        return first_illegal(self.plain)

    @property
    def is_finished(self) -> bool:
        """Whether the auction has ended with passes."""
        return self.outcome.is_finished

    @property
    def contract(self) -> Contract | None:
        """The contract of the calls so far; `Contract.passed_out` after four passes, None before the first bid."""
        return self.outcome.contract

    @property
    def declarer_turn(self) -> int | None:
        """The index of the call in which the declarer named the strain first; None without a bid."""
        return self.outcome.declarer_turn

    @property
    def declarer(self) -> Seat | None:
        """The seat that named the strain of the contract first for its side; None without a bid or if ``first`` is not stated."""
        turn = self.declarer_turn
        return None if turn is None or self.first is None else self.caller(turn)

    def caller(self, index: int) -> Seat | None:
        """Return the seat that made the call at an index; None if ``first`` is not stated."""
        return None if self.first is None else Seat((self.first + index) % 4)
