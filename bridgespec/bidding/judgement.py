"""Judge calls and leads by samples: deal layouts that fit the auction, bid them to the end by the rules, and solve the contracts.

`CallJudge.choose` compares the calls of one hand, `rank_leads` the leads. `deal_unseen` deals the layouts for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.auction_result import declarer_of, score_of, strain_of
from bridgespec.bidding.compiled import CompiledRule
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.knowledge import BUMRAP, HCP, SUPPORT, expected
from bridgespec.bidding.shown_condition import shown
from bridgespec.bidding.turn import FIRST_BID, P, Turn, X, bid, cheapest, game_of, level_of, suit_of
from bridgespec.dealing.deal_stream import DealStream
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.evaluate import HandBits, TermValues, evaluate, holdings_of
from bridgespec.model.score import imps
from bridgespec.solver import Position, Solver, cell_mask, solve_tables

CALLS = 5
"""The most calls that are compared."""
MEMORY_MB = 16
"""The memory of a solver context while a few layouts are solved, in megabytes."""
FIT = 8
"""The number of trumps in both hands that make a fit."""
SURE = 4.0
"""With so many points above `ComparedFrom.game`, a game is always bid."""
ENOUGH = 8
"""The fewest layouts by which calls are compared; with fewer the rules choose."""
DOUBT = 0.5
"""The number of standard errors by which another call must be better than the one that the rules prefer."""
SACRIFICE = 2
"""The fewest undertricks for which an undoubled contract over the opponents' bids is scored as doubled: they would double it."""
TRIES = 1 << 14
"""The most random deals for the layouts of one decision; layouts are those that fit the auction."""


@dataclass(frozen=True, slots=True)
class ComparedFrom:
    """The points of both hands from which a call is worth a comparison by samples with the call of the rules: game in a major, in a
    minor and in notrump, a small slam, and a penalty double. `NEAR` is the only instance.
    """

    major: float = 22.5
    minor: float = 26.5
    notrump: float = 23.0
    slam: float = 31.0
    double: float = 19.0

    def game(self, suit: int | None) -> float:
        """Return the points of both hands from which game in a strain (None: notrump) is a call to be compared."""
        return self.notrump if suit is None else self.major if suit < 2 else self.minor


NEAR = ComparedFrom()


@dataclass(frozen=True, slots=True)
class Layouts:
    """Deals that fit an auction. Created by `deal_unseen` for one decision.

    ``holders`` has a row for each deal: the holder of each of the 52 cards, 0 to 3 from the dealer on. ``tried`` is the number of
    random deals among which these were found.
    """

    holders: NDArray[np.uint8]
    tried: int

    def __len__(self) -> int:
        return len(self.holders)

    def part(self, start: int, stop: int) -> Layouts:
        """Return the layouts from ``start`` to ``stop``."""
        return Layouts(self.holders[start:stop], self.tried)

    @property
    def hands(self) -> list[tuple[HandBits, ...]]:
        """The four hands of each layout, the dealer's first."""
        columns = [holdings_of(self.holders, place).T.tolist() for place in range(4)]
        return [tuple((s, h, d, c) for s, h, d, c in four) for four in zip(*columns, strict=True)]


def deal_unseen(turn: Turn, seen: int, hand: HandBits, count: int, seed: int) -> Layouts:
    """Deal ``count`` layouts in which the caller ``seen`` has ``hand``, and the others have hands within what their calls have
    shown.

    Callers are counted from the dealer. Returns fewer than ``count``, perhaps none, if hardly any deals fit the auction.
    """
    known = {13 * suit + 12 - bit: seen for suit in range(4) for bit in range(13) if hand[suit] >> bit & 1}
    # The dealer is dealt as West whatever its seat, so that holders count from the dealer.
    condition = shown((Seat(place), turn.known[place]) for place in range(4) if place != seen)
    # ``most=1``: counting the deals of sixteen boxes takes longer than the few layouts save by it.
    stream = DealStream(condition, known, seed, threads=1, most=1, costly=True)
    return Layouts(stream.take(count, TRIES), stream.tried)


class CallJudge:
    """Compares the calls of one hand by their results on sampled layouts. Created by `Bidder` for one decision."""

    def __init__(self, engine: BiddingEngine, samples: int, seed: int) -> None:
        self.engine = engine
        self.samples = samples
        self.seed = seed

    def choose(self, turn: Turn, hand: HandBits) -> tuple[int, int]:
        """Return the number of the call, and 1 if layouts were solved for it, else 0.

        Another call than that of the rules is chosen only if its mean gain in IMPs is more than `DOUBT` standard errors of that
        mean. The first third of the layouts decides which calls are compared on the rest.
        """
        calls = self.calls(turn, hand)
        if len(calls) < 2:
            return calls[0], 0
        layouts = deal_unseen(turn, turn.me, hand, self.samples, self.seed)
        if len(layouts) < ENOUGH:
            return calls[0], 0
        ends = _AuctionEnds(self.engine, turn)
        first = max(ENOUGH, len(layouts) // 3)
        swings = self._swings(ends, calls, layouts.part(0, first))
        # A call is dropped after the first third only if it is worse by more than the chance error of that third.
        remaining = [call for call, row in zip(calls[1:], swings, strict=True) if row.mean() > -_error(row)]
        if remaining and len(layouts) > first:
            kept = [row for call, row in zip(calls[1:], swings, strict=True) if call in remaining]
            rest = self._swings(ends, [calls[0], *remaining], layouts.part(first, len(layouts)))
            swings = [np.concatenate(pair) for pair in zip(kept, rest, strict=True)]
            calls = [calls[0], *remaining]
        # The rules' call is preferred in doubt, because sampled layouts and double-dummy play are estimates too.
        best, gain = calls[0], 0.0
        for call, row in zip(calls[1:], swings, strict=True):
            if row.mean() > max(gain, DOUBT * _error(row)):
                best, gain = call, float(row.mean())
        return best, 1

    def calls(self, turn: Turn, hand: HandBits) -> list[int]:
        """Return the calls to compare, at most `CALLS`, that of the rules first.

        It is the only one if the rules' call is an agreement: an opening, an artificial call, or the call of a charted rule that
        does not end the side's auction.
        """
        choice = self.engine.choose(turn, hand)
        calls = [choice.call]
        rule = choice.candidate.rule if choice.candidate is not None else None
        if turn.first < 0 or (
            rule is not None and (rule.written.artificial or (rule.section.steps is not None and not _closes(rule)))
        ):
            return calls
        values = evaluate(hand)
        if rule is not None and rule.section.steps is None:
            for candidate in self.engine.candidates(turn):
                if candidate.rule.section.steps is None and candidate.shows.fits(values) and candidate.wants.fits(values):
                    calls.append(candidate.call)
        calls += self._final_bids(turn, hand, values)
        if not turn.must_bid:
            calls.append(P)
        if _is_game(choice.call) and self._strength(turn, values, suit_of(choice.call)) > NEAR.game(suit_of(choice.call)) + SURE:
            # With so many points a game is always bid: only slams and other games remain to be compared.
            calls = [call for call in calls if _is_game(call)]
        return list(dict.fromkeys(calls))[:CALLS]

    @staticmethod
    def _strength(turn: Turn, values: TermValues, suit: int | None) -> float:
        """Return the points of both hands for play in a strain, by the mean of what partner has shown."""
        return turn.partner.likely(suit) + values[BUMRAP if suit is None else SUPPORT[suit]]

    def _final_bids(self, turn: Turn, hand: HandBits, values: TermValues) -> list[int]:
        """Return calls that may end the auction: game and slam for which `NEAR` has enough points, a competitive raise to the level
        of the law of total tricks or one more, and a penalty double. Those furthest above their limit come first.
        """
        partner, me = turn.partner, turn.me
        # While the side has only passed, partner has shown nothing by which game or slam could be judged.
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
        """Return whether partner interprets a call as neither artificial nor forcing; True for a double."""
        after = self.engine.after(turn, call)
        return call == X or not (after.meanings[-1].artificial or after.sides[turn.me % 2].forcing)

    def _swings(self, ends: _AuctionEnds, calls: list[int], layouts: Layouts) -> list[NDArray[np.float64]]:
        """Return for each call but the first its IMPs against the first call, on each layout."""
        scores = ends.scores(calls, layouts)
        return [np.array([float(imps(int(one - base))) for one, base in zip(row, scores[0], strict=True)]) for row in scores[1:]]


def _error(row: NDArray[np.float64]) -> float:
    """Return the standard error of the mean."""
    return float(row.std() / np.sqrt(len(row)))


def _closes(rule: CompiledRule) -> bool:
    """Return whether a rule's call may be the last of its side: a sign-off, a pass, or a game or slam."""
    return rule.written.signoff or rule.number == P or (rule.number is not None and _is_game(rule.number))


def _is_game(call: int) -> bool:
    return call >= FIRST_BID and call >= game_of(suit_of(call))


class _AuctionEnds:
    """Scores the calls of one turn, after each of which all four hands bid on by the rules. Created for one decision."""

    def __init__(self, engine: BiddingEngine, turn: Turn) -> None:
        self.engine = engine
        self.turn = turn

    def scores(self, calls: list[int], layouts: Layouts) -> list[list[int]]:
        """Return for each call the points of the caller's side on each layout.

        Where all calls lead to the same contract on a layout, it is not solved, and its points are equal but meaningless.
        """
        dealt = layouts.hands
        ends = [[self._end(call, hands) for hands in dealt] for call in calls]
        wanted: dict[int, list[int]] = {}
        # Only the cells that are needed are solved: one declarer and strain instead of twenty results a layout.
        for place, column in enumerate(zip(*ends, strict=True)):
            if len({_contract(end) for end in column}) > 1:
                for cell in {_cell(end) for end in column if end.last >= FIRST_BID}:
                    wanted.setdefault(cell, []).append(place)
        tricks: dict[tuple[int, int], int] = {}
        for cell, places in wanted.items():
            strain, declarer = divmod(cell, 4)
            mask = cell_mask([Strain(strain)], [Seat(declarer)])
            tables = solve_tables(layouts.holders[places], cells=mask, threads=1, memory_mb=MEMORY_MB)
            tricks |= {(cell, place): int(table[cell]) for place, table in zip(places, tables, strict=True)}
        sign = 1 if self.turn.me % 2 == 0 else -1
        return [[sign * _score(end, tricks.get((_cell(end), place), 0)) for place, end in enumerate(row)] for row in ends]

    def _end(self, call: int, hands: tuple[HandBits, ...]) -> Turn:
        """Return the last turn of the auction that continues with ``call`` and then by the rules."""
        last = self.engine.after(self.turn, call)
        while not last.is_over:
            last = self.engine.after(last, self.engine.choose(last, hands[last.me]).call)
        return last


def _contract(end: Turn) -> tuple[int, int, int]:
    """Return a key that is equal for equal contracts of the same declarer."""
    return end.last, _cell(end), end.doubling


def _cell(end: Turn) -> int:
    """Return the index of the contract's strain and declarer in a trick table of 20 cells; -1 for a passed-out auction."""
    return 4 * strain_of(end) + declarer_of(end) if end.last >= FIRST_BID else -1


def _score(end: Turn, tricks: int) -> int:
    """Return the points of the dealer's side if the declarer takes ``tricks`` tricks; a contract over the opponents' bids that
    fails by `SACRIFICE` tricks or more is scored as doubled.
    """
    if end.last < FIRST_BID or end.doubling or tricks > 6 + level_of(end.last) - SACRIFICE:
        return score_of(end, tricks)
    # Opponents who have not bid are not expected to double.
    if not any(call >= FIRST_BID for turn, call in enumerate(end.calls) if turn % 2 != end.last_turn % 2):
        return score_of(end, tricks)
    return score_of(end, tricks, doubled=True)


@dataclass(frozen=True, slots=True)
class JudgedLead:
    """The results of one lead over all layouts. Created by `rank_leads`.

    ``cards`` are neighbours in one suit, which are equivalent, highest first. ``tricks`` is the defenders' mean number of tricks,
    ``defeats`` the share of layouts on which the contract fails, both followed by their standard errors.
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
    """All leads of a hand, best first, with the number of layouts and the mean number of random deals until one was a layout."""

    leads: tuple[JudgedLead, ...]
    layouts: int
    tries_each: float


def rank_leads(turn: Turn, hand: HandBits, samples: int, seed: int = 0) -> Leads:
    """Return all leads of the hand to the left of the declarer, over at most ``samples`` layouts that fit the auction.

    Those that defeat the contract most often come first, of these those with most tricks.
    """
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
    leads = [_lead(cards, totals[cards[0]], needed) for cards in _neighbours(hand) if cards[0] in totals]
    leads.sort(key=lambda lead: (-lead.defeats, -lead.tricks, lead.card))
    return Leads(tuple(leads), len(found), found.tried / max(1, len(found)))


def _lead(cards: tuple[Card, ...], tricks: list[int], needed: int) -> JudgedLead:
    """Return the results of a lead; ``tricks`` are the defenders' on each layout, ``needed`` those that the declarer needs."""
    won = np.array(tricks, float)
    # Tricks are the defenders', because the leader's side is on turn in the position that was solved.
    beaten = 13 - won < needed
    error = len(won) ** 0.5
    return JudgedLead(cards, float(won.mean()), float(beaten.mean()), float(won.std() / error), float(beaten.std() / error))


def _neighbours(hand: HandBits) -> list[tuple[Card, ...]]:
    """Return the cards of a hand in groups of neighbouring ranks of one suit, each from the highest down."""
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
