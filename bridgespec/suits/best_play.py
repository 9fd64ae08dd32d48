"""The best play of a suit combination: `suit_play`, and the types of its result.

The call path: `suit_play` -> `best_play` -> `SuitEngine.solve` (C). The small cards of most combinations do not matter. So
`best_play` first solves two simpler games, in which declarer's small cards are all below, or all above, the defenders' small cards:
the lower and the upper bound of the value. If they are equal, the value is found, and the line of the lower game is a line of the
combination.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bridgespec.model.cards import RANKS, Seat
from bridgespec.model.combination import Combination
from bridgespec.model.hand import Holding
from bridgespec.suits.line import LineTrick, tree_json, trick_tree
from bridgespec.suits.play_words import line_words, start_words
from bridgespec.suits.suit_solver import DISCARD, HANDS, Game, Start, SuitEngine

SPOT = RANKS.index("8")
MODEL_NOTE = (
    "The value is what one fixed line guarantees against defenders who see all cards; "
    "what declarer could gain by mixing lines at random is not shown."
)


@dataclass(frozen=True, slots=True)
class LayoutResult:
    """One layout of the defenders' cards: its probability, and what the line guarantees there.

    ``tricks`` is a number of tricks if the goal is the expected number, else 1 if the goal is reached and 0 if not.
    """

    west: Holding
    east: Holding
    chance: Fraction
    tricks: int


@dataclass(frozen=True, slots=True)
class OtherLine:
    """The best line with another first trick: this trick in words, the value of the line, and the best line's value minus it."""

    words: str
    start: Start
    value: Fraction
    cost: Fraction


@dataclass(frozen=True, slots=True)
class Goal:
    """The best play for at least a number of tricks, or with ``tricks`` None for the highest expected number. Part of a `SuitPlay`.

    ``value`` is the chance of the line (or its expected number), ``bound`` an upper bound for all lines; they are equal unless the
    search ended early. ``words`` describe the line, ``tree`` is the complete line; of several best lines it is the one with the
    shortest tree.
    """

    tricks: int | None
    value: Fraction
    bound: Fraction
    words: str
    tree: LineTrick | None
    layouts: tuple[LayoutResult, ...]
    others: tuple[OtherLine, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the value is proved to be the best."""
        return self.value == self.bound

    def json(self) -> dict[str, Any]:
        """Return the goal as JSON; its value as a number and as an exact fraction."""
        layouts = [
            {"west": one.west.ranks, "east": one.east.ranks, "chance": float(one.chance), "tricks": one.tricks}
            for one in self.layouts
        ]
        others = [{"line": one.words, "value": float(one.value), "cost": float(one.cost)} for one in self.others]
        return {
            "tricks": self.tricks,
            "value": float(self.value),
            "fraction": str(self.value),
            "bound": float(self.bound),
            "exact": self.is_exact,
            "line": self.words,
            "tree": tree_json(self.tree),
            "layouts": layouts,
            "others": others,
        }


@dataclass(frozen=True, slots=True)
class SuitPlay:
    """The best play of a combination for each goal requested, the expected number of tricks last."""

    combination: Combination
    goals: tuple[Goal, ...]

    def goal(self, tricks: int | None) -> Goal:
        """Return the goal for a number of tricks, or for the expected number (None). Raises KeyError if it was not requested."""
        for goal in self.goals:
            if goal.tricks == tricks:
                return goal
        raise KeyError(tricks)

    def json(self) -> dict[str, Any]:
        """Return the combination and its goals as JSON."""
        ours = self.combination
        return {
            "north": ours.north.ranks,
            "south": ours.south.ranks,
            "west": ours.west.ranks,
            "east": ours.east.ranks,
            "hidden": ours.hidden.ranks,
            "vacant": list(ours.vacant),
            "entries": list(ours.entries),
            "note": MODEL_NOTE,
            "goals": [goal.json() for goal in self.goals],
        }


def suit_play(
    north: str | Holding | Combination,
    south: str | Holding = "",
    *,
    tricks: int | None = None,
    expected: bool = True,
    others: int = 0,
    memory_mb: int = 512,
    effort: int = 0,
) -> SuitPlay:
    """Return the best play of a suit, which is two holdings, or a `Combination` with known cards, entries and vacant places.

    The goals are each number of tricks up to the length of the longer holding, or only ``tricks``; with ``expected`` also the
    expected number. Each goal has up to ``others`` lines with another first trick. ``effort`` bounds the work for each goal (0:
    10^8 comparisons, some seconds); if it ends the search, a goal's ``bound`` is above its ``value``. Raises ValueError for a card
    in both hands.

    >>> answer = suit_play("AJT", "432")
    >>> [(goal.tricks, float(goal.value)) for goal in answer.goals]
    [(1, 1.0), (2, 0.76), (3, 0.0), (None, 1.76)]
    >>> answer.goal(2).words
    'Low to the ten; if it loses, low to the jack.'
    """
    if not isinstance(north, Combination):
        north = Combination(Holding(north), Holding(south))
    with SuitEngine(memory_mb, effort) as engine:
        goals = []
        for target in (tricks,) if tricks is not None else range(1, north.most_tricks + 1):
            goals.append(_goal(engine, north, target, others))
        if expected:
            goals.append(_goal(engine, north, 0, others))
        return SuitPlay(north, tuple(goals))


@dataclass(frozen=True, slots=True)
class BestLine:
    """The best line for one goal. Created by `best_play`.

    ``lower`` is the value of the line and ``upper`` a bound for all lines, both as sums of weights of layouts. ``tree`` is the
    line, ``game`` the game of which it is a line, ``won`` what it guarantees in each layout of this game.
    """

    lower: int
    upper: int
    tree: LineTrick | None
    game: Game
    won: bytes


def games(combination: Combination) -> Iterator[tuple[Game, Game]]:
    """Yield pairs of games whose values are a lower and an upper bound of the combination's value, the simplest first.

    The last pair is the game of the combination itself, twice.
    """
    plain = Game.of(combination)
    known = None
    # Rank 2 is the queen: ace and king are never moved.
    for lowest in range(2, 13):
        pair = plain.shifted(lowest, up=False), plain.shifted(lowest, up=True)
        key = [(game.north, game.south) for game in pair]
        # The next rank often changes nothing; the same games are not solved again.
        if key != known and key[0] != key[1]:
            yield pair
        known = key
    yield plain, plain


def best_play(engine: SuitEngine, combination: Combination, target: int, start: Start | None = None) -> BestLine:
    """Return the best line for ``target`` tricks (0: the expected number) whose first trick is ``start`` (None: any)."""
    upper = combination.total * (1 if target else combination.most_tricks)
    # The best lower bound so far and its game: a line of a lowered game is a line of the combination.
    best: tuple[int, Game] | None = None
    for low, high in games(combination):
        if low != high:
            upper = min(upper, engine.solve(high, target, start).upper)
        solved = engine.solve(low, target, start)
        if low == high:
            upper = min(upper, solved.upper)
        if best is None or solved.lower > best[0]:
            best = solved.lower, low
        if solved.lower >= upper:
            break
    assert best is not None
    # `SuitEngine.line` describes the value that was solved last, so the best game must be that one.
    if best[1] is not low:
        engine.solve(best[1], target, start)
    steps, won = engine.line(best[1])
    # The upper bound of a search that ended early may be below the value of another game's line.
    return BestLine(best[0], max(upper, best[0]), trick_tree(steps), best[1], won)


def _goal(engine: SuitEngine, combination: Combination, target: int, others: int) -> Goal:
    """Return the goal for ``target`` tricks (0: the expected number), with up to ``others`` lines with another first trick."""
    best = best_play(engine, combination, target)
    total = combination.total
    layouts = []
    for west, east, weight in combination.layouts():
        index = best.game.layout(frozenset(map(RANKS.index, west)))
        layouts.append(LayoutResult(west, east, Fraction(weight, total), best.won[index]))
    words = line_words(combination, best.tree, best.lower > 0)
    lines = tuple(_others(engine, combination, target, best, others)) if others and best.tree is not None else ()
    return Goal(target or None, Fraction(best.lower, total), Fraction(best.upper, total), words, best.tree, tuple(layouts), lines)


def starts(combination: Combination) -> Iterator[Start]:
    """Yield the first tricks that declarer may play: a lead from each hand that can be on lead, and a card of third hand, one for
    each group of equivalent cards.
    """
    groups = {Seat.NORTH: _groups(combination, combination.north), Seat.SOUTH: _groups(combination, combination.south)}
    for hand, allowed in zip(HANDS, combination.entries, strict=True):
        # Without an entry a hand leads to the first trick only if ``lead_from`` is that hand.
        if combination.lead_from not in (None, hand) and allowed == 0:
            continue
        if combination.lead_from is None and allowed == 0:
            continue
        for lead in groups[hand]:
            for third in groups[hand.partner] or [DISCARD]:
                yield Start(hand, lead, third)


def _groups(combination: Combination, holding: Holding) -> list[int]:
    """Return the lowest rank of each group of equivalent cards of a holding; of those from the eight down only the lowest."""
    found: list[int] = []
    new_group = True
    for rank, letter in enumerate(RANKS):
        if letter in combination.defenders:
            new_group = True
        elif letter in holding:
            if new_group:
                found.append(rank)
            found[-1] = rank
            new_group = False
    # Small cards lead to nearly the same play: one first trick is enough for them.
    return [rank for rank in found if rank < SPOT or rank == found[-1]]


def _others(engine: SuitEngine, combination: Combination, target: int, best: BestLine, count: int) -> Iterator[OtherLine]:
    """Yield the ``count`` best lines with another first trick than ``best``, the best one first."""
    tree = best.tree
    assert tree is not None
    total = combination.total
    found = []
    for start in starts(combination):
        usual = tree.usual.third
        if (start.hand, start.lead, start.third) == (tree.hand, tree.lead, DISCARD if usual is None else usual):
            continue
        found.append((best_play(engine, combination, target, start).lower, start))
    # Stable: of equal values the first tricks stay in the order of `starts`.
    found.sort(key=lambda one: -one[0])
    for value, start in found[:count]:
        yield OtherLine(start_words(combination, start), start, Fraction(value, total), Fraction(best.lower - value, total))
