"""Judgement by sampling: where several calls could be right, layouts that agree with the auction are dealt, bid on, and solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.ending import declarer_of, score_of, strain_of
from bridgespec.bidding.engine import Engine
from bridgespec.bidding.knowledge import Known
from bridgespec.bidding.turn import FIRST_BID, Turn, level_of
from bridgespec.dealing import sample
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.evaluate import TERMS, Hand, evaluate
from bridgespec.model.score import imps
from bridgespec.solver import Position, Solver, cell_mask, solve_tables

CALLS = 3
"""How many calls are compared at most."""
MEMORY_MB = 16
"""What a context of the solver may hold while a few layouts are solved."""
ENOUGH = 8
"""Layouts without which nothing is judged."""
_LENGTHS = slice(TERMS["length.0"], TERMS["length.0"] + 4)


@dataclass(frozen=True, slots=True)
class Fits:
    """What is known of a hand, as a constraint for dealing."""

    known: Known

    @property
    def lengths(self) -> tuple[tuple[float, float], ...]:
        """Ranges of the lengths."""
        return self.known.lengths

    @property
    def hcp(self) -> tuple[float, float]:
        """The range of high-card points."""
        return self.known.hcp

    def fits(self, values: list[float]) -> bool:
        """Whether the hand is in one of the alternatives."""
        return any(
            box.hcp[0] <= values[0] <= box.hcp[1]
            and box.points[0] <= values[1] <= box.points[1]
            and all(low <= value <= high for (low, high), value in zip(box.lengths, values[_LENGTHS], strict=True))
            for box in self.known.boxes
        )


class Judge:
    """Compares calls of one hand by what becomes of them on sampled layouts."""

    def __init__(self, engine: Engine, samples: int, seed: int) -> None:
        self.engine = engine
        self.samples = samples
        self.seed = seed

    def choose(self, turn: Turn, hand: Hand) -> tuple[int, int]:
        """The call, and 1 if layouts were solved for it, else 0.

        The call that the rules prefer stands unless another is better by the mean of IMPs and by more than the doubt of that mean.
        """
        calls = self._calls(turn, hand)
        if len(calls) < 2:
            return calls[0], 0
        constraints = {place: Fits(turn.known[place]) for place in range(4) if place != turn.me}
        found = sample({turn.me: hand}, constraints, self.samples, self.seed)
        if len(found.hands) < ENOUGH:
            return calls[0], 0
        scores = np.array([self._scores(turn, call, found.hands) for call in calls])
        best, gain = calls[0], 0.0
        for call, own in zip(calls[1:], scores[1:], strict=True):
            swings = np.array([imps(int(difference)) for difference in own - scores[0]])
            mean = float(swings.mean())
            if mean > max(gain, float(swings.std()) / len(swings) ** 0.5):
                best, gain = call, mean
        return best, 1

    def _calls(self, turn: Turn, hand: Hand) -> list[int]:
        values = evaluate(hand)
        calls: list[int] = []
        judged = False
        for candidate in self.engine.candidates(turn):
            if candidate.call in calls or not (candidate.shows.fits(values) and candidate.wants.fits(values)):
                continue
            if not calls:
                # A charted call is an agreement; only judgements are open to doubt.
                judged = candidate.rule.section.steps is None
            calls.append(candidate.call)
            if not judged or len(calls) == CALLS:
                break
        return calls or [self.engine.fallback(turn, hand)]

    def _scores(self, turn: Turn, call: int, layouts: tuple[tuple[Hand, ...], ...]) -> NDArray[np.int64]:
        """Points of the caller's side on each layout after the call, bid on by the rules and played double dummy."""
        ends, deals = [], []
        for hands in layouts:
            last = self.engine.after(turn, call)
            while not last.is_over:
                last = self.engine.after(last, self.engine.choose(last, hands[last.me]).call)
            ends.append(last)
            deals.append(_holders(hands))
        sign = 1 if turn.me % 2 == 0 else -1
        return np.array([sign * score_of(end, tricks) for end, tricks in zip(ends, _tricks(ends, deals), strict=True)])


def _holders(hands: tuple[Hand, ...]) -> NDArray[np.uint8]:
    holders = np.empty(52, np.uint8)
    for place, hand in enumerate(hands):
        for suit, holding in enumerate(hand):
            for rank in range(13):
                if holding >> (12 - rank) & 1:
                    holders[13 * suit + rank] = place
    return holders


def _tricks(ends: list[Turn], deals: list[NDArray[np.uint8]]) -> list[int]:
    """The declarers' tricks; the deals of one strain and declarer are solved together."""
    tricks = [0] * len(ends)
    groups: dict[int, list[int]] = {}
    for place, end in enumerate(ends):
        if end.last >= FIRST_BID:
            groups.setdefault(4 * strain_of(end) + declarer_of(end), []).append(place)
    for cell, places in groups.items():
        strain, declarer = divmod(cell, 4)
        tables = solve_tables(
            np.stack([deals[place] for place in places]),
            cells=cell_mask([Strain(strain)], [Seat(declarer)]),
            threads=1,
            memory_mb=MEMORY_MB,
        )
        for place, table in zip(places, tables, strict=True):
            tricks[place] = int(table[cell])
    return tricks


@dataclass(frozen=True, slots=True)
class Lead:
    """A card to lead: the defenders' tricks on average, and how often the contract fails."""

    card: Card
    tricks: float
    defeats: float


@dataclass(frozen=True, slots=True)
class Leads:
    """Leads, best first, with the layouts they were judged on and the tries each of those cost."""

    leads: tuple[Lead, ...]
    layouts: int
    tries_each: float


def rank_leads(turn: Turn, hand: Hand, samples: int, seed: int = 0) -> Leads:
    """All leads of the hand to the left of the declarer, by the chance of defeat and then by tricks."""
    declarer = declarer_of(turn)
    leader = (declarer + 1) % 4
    constraints = {place: Fits(turn.known[place]) for place in range(4) if place != leader}
    found = sample({leader: hand}, constraints, samples, seed)
    strain = strain_of(turn)
    needed = 6 + level_of(turn.last)
    totals: dict[Card, list[int]] = {}
    with Solver(MEMORY_MB) as solver:
        for hands in found.hands:
            deal = Deal(_holders(hands).tobytes())
            for result in solver.cards(Position(deal, strain, Seat(leader))):
                for card in result.cards:
                    totals.setdefault(card, []).append(result.tricks)
    leads = [
        Lead(card, sum(tricks) / len(tricks), sum(13 - won < needed for won in tricks) / len(tricks))
        for card, tricks in totals.items()
    ]
    leads.sort(key=lambda lead: (-lead.defeats, -lead.tricks, lead.card))
    return Leads(tuple(leads), len(found.hands), found.tries_each)
