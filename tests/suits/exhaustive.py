"""Suit combinations by exhaustive play: every card of every hand is a card of its own, and every choice is tried.

It shares nothing with the solver: no equal cards, no bounds, no cut. What declarer can win is the set of all results of his
pure lines, where a result is the set of layouts that the line wins; a result inside another one is not kept, since it
is worth less under any weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from math import comb

FREE = 99
Cards = frozenset[int]
"""Ranks, 0 for the ace."""
Layout = Cards
"""West's cards."""
Results = frozenset[frozenset[Layout]]
NORTH, SOUTH, NEITHER = 0, 1, 2


def maximal(results: Iterable[frozenset[Layout]]) -> Results:
    """The results that no other one contains."""
    kept = set(results)
    return frozenset(one for one in kept if not any(one < other for other in kept))


def subsets(cards: Cards) -> Iterator[Layout]:
    for size in range(len(cards) + 1):
        yield from map(frozenset, combinations(sorted(cards), size))


class Exhaustive:
    """Declarer's best chances with two holdings against all layouts of the hidden cards."""

    def __init__(self, north: Cards, south: Cards, hidden: Cards, entries: tuple[int, int] = (FREE, FREE), on_lead: int = NEITHER):
        self.start = (north, south, hidden, entries, on_lead)
        self.layouts = list(subsets(hidden))

    def weight(self, layout: Layout, vacant: tuple[int, int]) -> int:
        """In how many ways the vacant places can be filled around West's cards."""
        hidden = len(self.start[2])
        return comb(sum(vacant) - hidden, vacant[0] - len(layout)) if vacant[0] >= len(layout) else 0

    def chance(self, tricks: int, vacant: tuple[int, int] = (13, 13)) -> int:
        """The weight of the best set of layouts in which some line takes so many tricks; of all: ``comb(sum, first)``."""
        north, south, hidden, entries, on_lead = self.start
        results = self.results(north, south, frozenset(), frozenset(), hidden, entries, on_lead, tricks)
        return max(sum(self.weight(layout, vacant) for layout in result) for result in results)

    def possible(self, west: Cards, east: Cards) -> list[Layout]:
        """The layouts in which West has played some cards and East others."""
        return [layout for layout in self.layouts if west <= layout and not east & layout]

    @cache  # noqa: B019
    def results(
        self, north: Cards, south: Cards, west: Cards, east: Cards, hidden: Cards, entries: tuple[int, int], on_lead: int, need: int
    ) -> Results:
        """What lines win from here; ``west`` and ``east`` are the cards that they have played."""
        possible = self.possible(west, east)
        if need <= 0:
            return frozenset([frozenset(possible)])
        found: set[frozenset[Layout]] = {frozenset()}
        for hand in (NORTH, SOUTH):
            own, other = (north, south) if hand == NORTH else (south, north)
            left = entries
            if on_lead != hand and entries[hand] != FREE:
                left = (entries[0] - (hand == NORTH), entries[1] - (hand == SOUTH))
            if min(left) < 0:
                continue
            for lead in own:
                found |= self.after_lead((north, south, west, east, hidden, left, need), hand, lead, other, possible)
        return maximal(found)

    def after_lead(self, state: tuple, hand: int, lead: int, other: Cards, possible: list[Layout]) -> Results:  # type: ignore[type-arg]
        """Joined over the second hand's cards: each layout is won if it is won whatever is played in it."""
        hidden = state[4]
        answers = []
        for second in (*sorted(hidden), None):
            meant = [layout for layout in possible if self.can_play(layout, state, hand == SOUTH, second)]
            if not meant:
                continue
            choices: set[frozenset[Layout]] = set()
            for third in other or (None,):
                choices |= self.after_third(state, hand, lead, second, third, meant)
            answers.append((meant, maximal(choices)))
        return joined(possible, answers)

    def after_third(  # type: ignore[no-untyped-def]
        self,
        state: tuple,
        hand: int,
        lead: int,
        second: int | None,
        third: int | None,
        possible: list[Layout],  # type: ignore[type-arg]
    ) -> Results:
        north, south, west, east, hidden, entries, need = state
        answers = []
        for fourth in (*sorted(hidden - {second}), None):
            meant = [layout for layout in possible if self.can_play(layout, state, hand == NORTH, fourth)]
            if not meant:
                continue
            by_west, by_east = (second, fourth) if hand == SOUTH else (fourth, second)
            ours = [card for card in (lead, third) if card is not None]
            theirs = [card for card in (second, fourth) if card is not None]
            won = not theirs or min(ours) < min(theirs)
            winner = NEITHER if not won else hand if min(ours) == lead else 1 - hand
            gone = frozenset(ours)
            later = self.results(
                north - gone,
                south - gone,
                west | {by_west} if by_west is not None else west,
                east | {by_east} if by_east is not None else east,
                hidden - set(theirs),
                entries,
                winner,
                need - won,
            )
            answers.append((meant, maximal(result & set(meant) for result in later)))
        return joined(possible, answers)

    @staticmethod
    def can_play(layout: Layout, state: tuple, west: bool, card: int | None) -> bool:  # type: ignore[type-arg]
        """Whether a defender of a layout holds a card now, or none of the suit for None."""
        held = (layout if west else state[4] - layout) & state[4]
        return card in held if card is not None else not held


def joined(possible: list[Layout], answers: list[tuple[list[Layout], Results]]) -> Results:
    """Every choice of one result for each card of a defender's: a layout counts where it is won after each card he holds in it."""
    total: Results = frozenset([frozenset(possible)])
    for meant, results in answers:
        rest = frozenset(possible) - set(meant)
        total = maximal(one & (result | rest) for one in total for result in results)
    return total
