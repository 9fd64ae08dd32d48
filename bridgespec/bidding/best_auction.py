"""Search the best auction of a deal that two systems allow, double dummy: at each turn every call of a rule that fits the hand.

`Search.run` takes the first turn and returns `BestCalls`. It is a minimax search with alpha-beta pruning over the turns. A call
other than the one that the rules prefer is a departure. The search is repeated in rounds, with at most one departure in an auction,
then two, and so on, until more departures change nothing or the bound on visits is reached. The last complete round is the result.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.bidding.auction_result import score_in
from bridgespec.bidding.engine import LONGEST_AUCTION, BiddingEngine
from bridgespec.bidding.turn import P, Turn
from bridgespec.model.cards import Seat
from bridgespec.model.evaluate import HandBits, evaluate

MOST_VISITS = 20_000
"""The most turns that are visited for one deal, over all rounds."""
MOST_DEPARTURES = 8
"""The most calls of one auction that may differ from what the rules prefer."""
MOST_CALLS = 5
"""The most calls that are tried at one turn: those of the first rules."""

# Beyond any score of a contract: the first window of alpha-beta.
_INFINITE = 100_000


@dataclass(frozen=True, slots=True)
class BestCalls:
    """The auction that is best for each side against the other's best calls (``best``), and the auction by the rules alone
    (``as_bid``), each as its last turn. Created by `Search.run`.

    ``score`` and ``bid_score`` are their points for North-South. ``departures`` is the number of departures that the result allowed
    in one auction, ``complete`` whether more would change nothing, ``visits`` the number of turns that were visited.
    """

    best: Turn
    as_bid: Turn
    score: int
    bid_score: int
    departures: int
    complete: bool
    visits: int

    @property
    def left(self) -> int | None:
        """The index of the first call in which the auction as bid differs from the best auction; None if they are the same."""
        pairs = enumerate(zip(self.best.calls, self.as_bid.calls, strict=False))
        return next((place for place, (best, bid) in pairs if best != bid), None)


class _OutOfVisits(Exception):
    """Raised when the bound on visits is reached, to end a round without a result."""


class Search:
    """The search for the best auction of one deal. Created by `Bidder.best` for one `run`.

    ``hands`` are those of the callers, the dealer's first. ``cells`` are the tricks by strain and declarer, as for `score_in`.
    """

    def __init__(
        self, engine: BiddingEngine, hands: tuple[HandBits, ...], cells: bytes, dealer: Seat, most_visits: int = MOST_VISITS
    ) -> None:
        self.engine = engine
        self.hands = hands
        self.cells = cells
        self.dealer = dealer
        self.most_visits = most_visits
        self.visits = 0
        self._calls_of: dict[Turn, list[int]] = {}
        # Whether a path of this round had no departure left where other calls were allowed, and whether `MOST_CALLS` cut calls off.
        self._cut = self._narrowed = False

    def run(self, start: Turn) -> BestCalls:
        """Return the best auction that continues ``start``."""
        as_bid = self._follow(start)
        # The result if not even the first round ends within the bound on visits.
        path, value, reached, complete = as_bid, self._score(as_bid), 0, False
        for departures in range(1, MOST_DEPARTURES + 1):
            # A round in which `_cut` stays False has tried all calls; a further round would repeat it.
            self._cut = False
            try:
                value, path = self._search(start, departures, -_INFINITE, _INFINITE)
            except _OutOfVisits:
                break
            reached, complete = departures, not self._cut and not self._narrowed
            if not self._cut:
                break
        sign = 1 if self.dealer.side == Seat.NORTH.side else -1
        return BestCalls(path, as_bid, sign * value, sign * self._score(as_bid), reached, complete, self.visits)

    def _score(self, turn: Turn) -> int:
        """Return the points of the dealer's side at the end of an auction."""
        return score_in(turn, self.cells, self.dealer)

    def _follow(self, turn: Turn) -> Turn:
        """Return the last turn of the auction when every caller from here on makes the call that the rules prefer."""
        while not turn.is_over:
            turn = self.engine.after(turn, self._calls(turn)[0])
        return turn

    def _calls(self, turn: Turn) -> list[int]:
        """Return the calls that rules allow the hand, the preferred one first. Cached by turn."""
        calls = self._calls_of.get(turn)
        if calls is None:
            calls = self._calls_of[turn] = list(self._allowed_calls(turn))
        return calls

    def _allowed_calls(self, turn: Turn) -> dict[int, None]:
        """Return the calls that rules allow the hand, as an ordered set; the fallback if no rule fits."""
        hand = self.hands[turn.me]
        values = evaluate(hand)
        calls: dict[int, None] = {}
        if len(turn.calls) < LONGEST_AUCTION:
            for candidate in self.engine.candidates(turn):
                # Several rules may make one call; what follows depends on the call alone, so it is tried once.
                if candidate.call not in calls and candidate.shows.fits(values) and candidate.wants.fits(values):
                    calls[candidate.call] = None
                    if len(calls) > MOST_CALLS:
                        del calls[candidate.call]
                        self._narrowed = True
                        break
        elif not turn.must_bid:
            calls[P] = None
        return calls or {self.engine.fallback(turn, hand): None}

    def _search(self, turn: Turn, departures: int, alpha: int, beta: int) -> tuple[int, Turn]:
        """Return the points of the dealer's side with best calls from ``turn`` on, and the last turn of that auction.

        At most ``departures`` calls may be departures. Points outside ``alpha`` to ``beta`` are only bounds.
        """
        self.visits += 1
        if self.visits > self.most_visits:
            raise _OutOfVisits
        if turn.is_over:
            return self._score(turn), turn
        calls = self._calls(turn)
        if departures == 0 and len(calls) > 1:
            self._cut = True
            end = self._follow(turn)
            return self._score(end), end
        ours = turn.me % 2 == 0
        value, path = self._search(self.engine.after(turn, calls[0]), departures, alpha, beta)
        for call in calls[1:]:
            if ours:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
            # Any call but the preferred one is a departure.
            other, end = self._search(self.engine.after(turn, call), departures - 1, alpha, beta)
            # Strictly better, so that of equal auctions the one with the rules' preferred calls is reported.
            if other > value if ours else other < value:
                value, path = other, end
        return value, path
