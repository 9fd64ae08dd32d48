"""Judgement by sampling: where several calls could be right, layouts that fit the auction are dealt, bid to the end, and solved.

`CallJudge.choose` compares the calls of one hand, `rank_leads` its leads; both take their layouts from `deal_unseen`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.auction_result import declarer_of, score_of, strain_of
from bridgespec.bidding.compiled import Ready
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.knowledge import BUMRAP, HCP, SUPPORT, expected
from bridgespec.bidding.shown_condition import shown
from bridgespec.bidding.turn import FIRST_BID, P, Turn, X, bid, cheapest, game_of, level_of, suit_of
from bridgespec.dealing.deal_stream import DealStream
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.evaluate import Hand, Values, evaluate, holdings_of
from bridgespec.model.score import imps
from bridgespec.solver import Position, Solver, cell_mask, solve_tables

CALLS = 5
"""The most calls that are compared."""
MEMORY_MB = 16
"""The memory of a solver context while a few layouts are solved, in megabytes."""
FIT = 8
"""The number of trumps in both hands that make a fit."""
SURE = 4.0
"""Points above the limit of `Near.game` from which a game is always bid."""
ENOUGH = 8
"""The fewest layouts for a judgement; with fewer the rules decide."""
DOUBT = 0.5
"""The standard errors by which another call must be better than the one the rules prefer."""
SACRIFICE = 2
"""The undertricks from which a contract that outbid the opponents is scored as doubled, because they would double it."""
TRIES = 1 << 14
"""The most deals that are tried for the layouts of one decision."""


@dataclass(frozen=True, slots=True)
class Near:
    """The points of both hands from which a bid is compared at all: game in a major, in a minor and in notrump, a small slam, and a
    penalty double.
    """

    major: float = 22.5
    minor: float = 26.5
    notrump: float = 23.0
    slam: float = 31.0
    double: float = 19.0

    def game(self, suit: int | None) -> float:
        """Return the points for game in a strain."""
        return self.notrump if suit is None else self.major if suit < 2 else self.minor


NEAR = Near()


@dataclass(frozen=True, slots=True)
class Layouts:
    """Deals that fit an auction, as (N, 52) holders counted from the dealer, and how many deals were tried to find them."""

    holders: NDArray[np.uint8]
    tried: int

    def __len__(self) -> int:
        return len(self.holders)

    def part(self, start: int, stop: int) -> Layouts:
        """Return the layouts from ``start`` to ``stop``."""
        return Layouts(self.holders[start:stop], self.tried)

    @property
    def hands(self) -> list[tuple[Hand, ...]]:
        """The hands of each layout, from the dealer on."""
        columns = [holdings_of(self.holders, place).T.tolist() for place in range(4)]
        return [tuple((s, h, d, c) for s, h, d, c in four) for four in zip(*columns, strict=True)]


def deal_unseen(turn: Turn, seen: int, hand: Hand, count: int, seed: int) -> Layouts:
    """Return layouts with the hand of the place ``seen``, and in the other places hands that are within what the auction shows.

    Fewer than ``count``, perhaps none, where hardly any deals fit the auction.
    """
    known = {13 * suit + 12 - bit: seen for suit in range(4) for bit in range(13) if hand[suit] >> bit & 1}
    # Seats stand for places from the dealer on here, so that layouts need no turning to the dealer's seat.
    told = shown((Seat(place), turn.known[place]) for place in range(4) if place != seen)
    # The ranges of three hands are a costly condition, and a few layouts do not repay counting sixteen boxes: one box contains all.
    stream = DealStream(told, known, seed, threads=1, most=1, costly=True)
    return Layouts(stream.take(count, TRIES), stream.tried)


class CallJudge:
    """Compares the calls of one hand by their results on sampled layouts.
    Created by `Bidder` for its engine and number of samples.
    """

    def __init__(self, engine: BiddingEngine, samples: int, seed: int) -> None:
        self.engine = engine
        self.samples = samples
        self.seed = seed

    def choose(self, turn: Turn, hand: Hand) -> tuple[int, int]:
        """Return the call, and 1 if layouts were solved for it, else 0.

        The call that the rules prefer stays unless another is better by the mean of IMPs and by more than `DOUBT` standard errors
        of that mean. A first third of the layouts decides which calls are compared on the rest.
        """
        calls = self.calls(turn, hand)
        if len(calls) < 2:
            return calls[0], 0
        layouts = deal_unseen(turn, turn.me, hand, self.samples, self.seed)
        if len(layouts) < ENOUGH:
            return calls[0], 0
        ends = _Ends(self.engine, turn)
        first = max(ENOUGH, len(layouts) // 3)
        swings = self._swings(ends, calls, layouts.part(0, first))
        # A call is dropped after the first third only if it is worse by more than the chance error of that third.
        left = [call for call, row in zip(calls[1:], swings, strict=True) if row.mean() > -_error(row)]
        if left and len(layouts) > first:
            kept = [row for call, row in zip(calls[1:], swings, strict=True) if call in left]
            rest = self._swings(ends, [calls[0], *left], layouts.part(first, len(layouts)))
            swings = [np.concatenate(pair) for pair in zip(kept, rest, strict=True)]
            calls = [calls[0], *left]
        # The rules' call has the benefit of doubt: sampled layouts and double-dummy play are estimates too.
        best, gain = calls[0], 0.0
        for call, row in zip(calls[1:], swings, strict=True):
            if row.mean() > max(gain, DOUBT * _error(row)):
                best, gain = call, float(row.mean())
        return best, 1

    def calls(self, turn: Turn, hand: Hand) -> list[int]:
        """Return the calls to compare, that of the rules first; that call alone where it is an agreement and not a judgement."""
        choice = self.engine.choose(turn, hand)
        calls = [choice.call]
        rule = choice.candidate.rule if choice.candidate is not None else None
        if turn.first < 0 or (
            rule is not None and (rule.rule.artificial or (rule.section.steps is not None and not _closes(rule)))
        ):
            # A charted call is an agreement, and so is the answer to a question; only judgements are compared.
            return calls
        values = evaluate(hand)
        if rule is not None and rule.section.steps is None:
            for candidate in self.engine.candidates(turn):
                if candidate.rule.section.steps is None and candidate.shows.fits(values) and candidate.wants.fits(values):
                    calls.append(candidate.call)
        calls += self._places(turn, hand, values)
        if not turn.must_bid:
            calls.append(P)
        if _is_game(choice.call) and self._strength(turn, values, suit_of(choice.call)) > NEAR.game(suit_of(choice.call)) + SURE:
            # With so many points a game is always bid: only slams and other games remain to be compared.
            calls = [call for call in calls if _is_game(call)]
        return list(dict.fromkeys(calls))[:CALLS]

    @staticmethod
    def _strength(turn: Turn, values: Values, suit: int | None) -> float:
        """Return the points of both hands for play in a strain, by the mean of what partner has shown."""
        return turn.partner.likely(suit) + values[BUMRAP if suit is None else SUPPORT[suit]]

    def _places(self, turn: Turn, hand: Hand, values: Values) -> list[int]:
        """Return the bids that may be the final contract: game and slam where the strength is near, a competitive raise, and a
        double.
        """
        partner, me = turn.partner, turn.me
        # A side that has only passed has nothing agreed on which game or slam could be judged.
        if all(call == P for call in turn.calls[me % 2 :: 2]):
            return []
        theirs = turn.last_turn % 2 != me % 2
        found: list[tuple[float, int]] = []
        for suit in (0, 1, 2, 3, None):
            fit = FIT if suit is None else hand[suit].bit_count() + partner.lengths[suit][0]
            if fit < FIT - 1:
                continue
            total = self._strength(turn, values, suit)
            found.append((total - NEAR.game(suit), game_of(suit)))
            found.append((total - NEAR.slam, bid(6, suit)))
            least = cheapest(turn.last, suit)
            if theirs and suit is not None and fit >= FIT and least < bid(6, 3):
                # The law of total tricks allows the level of the number of trumps (8 trumps: level 2); one more is compared too.
                found.append((fit - 5 - level_of(least), least))
        # A double below this level is for takeout and is left to the rules.
        if theirs and turn.last >= bid(2, 3):
            found.append((values[HCP] + expected(int(partner.hcp[0]), int(partner.hcp[1])) - NEAR.double, X))
        found.sort(reverse=True)
        return [call for over, call in found if over >= 0 and turn.legal(call) and self._natural(turn, call)]

    def _natural(self, turn: Turn, call: int) -> bool:
        """Whether partner does not take the call as artificial or forcing."""
        after = self.engine.after(turn, call)
        return call == X or not (after.meanings[-1].artificial or after.sides[turn.me % 2].forcing)

    def _swings(self, ends: _Ends, calls: list[int], layouts: Layouts) -> list[NDArray[np.float64]]:
        """Return the IMPs of each call against the first, on each layout."""
        scores = ends.scores(calls, layouts)
        return [np.array([float(imps(int(one - base))) for one, base in zip(row, scores[0], strict=True)]) for row in scores[1:]]


def _error(row: NDArray[np.float64]) -> float:
    return float(row.std() / np.sqrt(len(row)))


def _closes(rule: Ready) -> bool:
    """Whether a rule's call may be the last of its side."""
    return rule.rule.signoff or rule.number == P or (rule.number is not None and _is_game(rule.number))


def _is_game(call: int) -> bool:
    return call >= FIRST_BID and call >= game_of(suit_of(call))


class _Ends:
    """The ends of the auctions after the compared calls of a turn, when all four hands bid on by the rules."""

    def __init__(self, engine: BiddingEngine, turn: Turn) -> None:
        self.engine = engine
        self.turn = turn

    def scores(self, calls: list[int], layouts: Layouts) -> list[list[int]]:
        """Return the points of the caller's side for each call on each layout; each contract is solved once on a layout."""
        dealt = layouts.hands
        ends = [[self._end(call, hands) for hands in dealt] for call in calls]
        wanted: dict[int, list[int]] = {}
        # Only the cells that are needed are solved: one declarer and strain instead of twenty results a layout.
        for place, column in enumerate(zip(*ends, strict=True)):
            if len({_contract(end) for end in column}) > 1:
                # Where all calls lead to one contract there is nothing to compare.
                for cell in {_cell(end) for end in column if end.last >= FIRST_BID}:
                    wanted.setdefault(cell, []).append(place)
        tricks: dict[tuple[int, int], int] = {}
        for cell, places in wanted.items():
            strain, declarer = divmod(cell, 4)
            mask = cell_mask([Strain(strain)], [Seat(declarer)])
            tables = solve_tables(layouts.holders[places], cells=mask, threads=1, memory_mb=MEMORY_MB)
            tricks |= {(cell, place): int(table[cell]) for place, table in zip(places, tables, strict=True)}
        sign = 1 if self.turn.me % 2 == 0 else -1
        return [[sign * _worth(end, tricks.get((_cell(end), place), 0)) for place, end in enumerate(row)] for row in ends]

    def _end(self, call: int, hands: tuple[Hand, ...]) -> Turn:
        last = self.engine.after(self.turn, call)
        while not last.is_over:
            last = self.engine.after(last, self.engine.choose(last, hands[last.me]).call)
        return last


def _contract(end: Turn) -> tuple[int, int, int]:
    return end.last, _cell(end), end.doubling


def _cell(end: Turn) -> int:
    return 4 * strain_of(end) + declarer_of(end) if end.last >= FIRST_BID else -1


def _worth(end: Turn, tricks: int) -> int:
    """Return the score; a contract that outbid the other side and fails by several tricks counts as doubled."""
    if end.last < FIRST_BID or end.doubling or tricks > 6 + level_of(end.last) - SACRIFICE:
        return score_of(end, tricks)
    # Nobody doubles a side that was alone in the auction on the strength of its bids.
    if not any(call >= FIRST_BID for turn, call in enumerate(end.calls) if turn % 2 != end.last_turn % 2):
        return score_of(end, tricks)
    return score_of(end, tricks, doubled=True)


@dataclass(frozen=True, slots=True)
class JudgedLead:
    """A lead: the defenders' tricks on average, how often the contract fails, and the standard errors of both.

    ``cards`` are equivalent cards of one suit, highest first: no other hand has a card between them. ``card`` is the highest.
    """

    cards: tuple[Card, ...]
    tricks: float
    defeats: float
    tricks_error: float = 0.0
    defeats_error: float = 0.0

    @property
    def card(self) -> Card:
        """The highest of the equivalent cards."""
        return self.cards[0]


@dataclass(frozen=True, slots=True)
class Leads:
    """Leads, best first, with the number of layouts by which they are ranked and how many deals were tried for each layout."""

    leads: tuple[JudgedLead, ...]
    layouts: int
    tries_each: float


def rank_leads(turn: Turn, hand: Hand, samples: int, seed: int = 0) -> Leads:
    """Return all leads of the hand to the left of the declarer, by the chance of defeat and then by tricks."""
    declarer = declarer_of(turn)
    leader = (declarer + 1) % 4
    found = deal_unseen(turn, leader, hand, samples, seed)
    strain = strain_of(turn)
    needed = 6 + level_of(turn.last)
    totals: dict[Card, list[int]] = {}
    with Solver(MEMORY_MB) as solver:
        for holders in found.holders:
            deal = Deal(holders.tobytes())
            for result in solver.cards(Position(deal, strain, Seat(leader))):
                for card in result.cards:
                    totals.setdefault(card, []).append(result.tricks)
    leads = [_lead(cards, totals[cards[0]], needed) for cards in _equals(hand) if cards[0] in totals]
    leads.sort(key=lambda lead: (-lead.defeats, -lead.tricks, lead.card))
    return Leads(tuple(leads), len(found), found.tried / max(1, len(found)))


def _lead(cards: tuple[Card, ...], tricks: list[int], needed: int) -> JudgedLead:
    """Return a lead with the defenders' tricks on each layout; the declarer needs ``needed`` tricks."""
    won = np.array(tricks, float)
    # Tricks are the defenders', because the leader's side is on turn in the position that was solved.
    beaten = 13 - won < needed
    error = len(won) ** 0.5
    return JudgedLead(cards, float(won.mean()), float(beaten.mean()), float(won.std() / error), float(beaten.std() / error))


def _equals(hand: Hand) -> list[tuple[Card, ...]]:
    """Return the cards of a hand in groups of neighbours, each from the highest down."""
    # A holding has a bit for each rank, the ace the highest; a card counts ranks from the ace down.
    held = [Card(13 * suit + rank) for suit, holding in enumerate(hand) for rank in range(13) if holding >> 12 - rank & 1]
    groups: list[tuple[Card, ...]] = []
    for card in held:
        # card % 13: an ace follows the two of the suit before it and is no neighbour.
        if groups and card == groups[-1][-1] + 1 and card % 13:
            groups[-1] = (*groups[-1], card)
        else:
            groups.append((card,))
    return groups
