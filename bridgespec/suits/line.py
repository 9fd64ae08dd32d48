"""A line of play as a tree of tricks: `trick_tree` makes it of the steps of the C library, `tree_json` returns it as JSON.

The levels repeat in this order: a `LineTrick` is declarer's lead; it has a `ThirdHandAnswer` for each card of second hand, with
third hand's card; this has a `FourthHandOutcome` for each card of fourth hand, which has the next `LineTrick`. Ranks are 0 (ace) to
12 (two). Layouts in which the line has failed have no branch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bridgespec.model.cards import RANKS, Seat
from bridgespec.suits.suit_solver import PlayStep


@dataclass(frozen=True, slots=True)
class FourthHandOutcome:
    """The result of a trick if fourth hand plays any rank of ``fourth``, or if this is empty a card of another suit.

    ``won`` is whether declarer wins the trick. ``then`` is the next trick, None at the end of the line: the goal is reached, or
    with ``cash`` declarer's top cards are enough to reach it.
    """

    fourth: tuple[int, ...]
    won: bool
    then: LineTrick | None
    cash: bool


@dataclass(frozen=True, slots=True)
class ThirdHandAnswer:
    """The card of third hand (None: a discard) if second hand plays any rank of ``second``, or if this is empty shows out."""

    second: tuple[int, ...]
    third: int | None
    outcomes: tuple[FourthHandOutcome, ...]


@dataclass(frozen=True, slots=True)
class LineTrick:
    """A lead from North or South (``hand``), and third hand's answer to each card that second hand can play."""

    hand: Seat
    lead: int
    answers: tuple[ThirdHandAnswer, ...]

    @property
    def usual(self) -> ThirdHandAnswer:
        """The answer to second hand's lowest card; if it has no card of the suit, the answer to its discard."""
        # The lowest card has the highest rank number.
        return max(self.answers, key=lambda answer: max(answer.second, default=-1))

    @property
    def size(self) -> int:
        """The number of tricks in the tree."""
        return 1 + sum(one.then.size for answer in self.answers for one in answer.outcomes if one.then is not None)


class _TreeBuilder:
    """Makes the tree from the list of steps, each of which names its parent. Created for one `trick_tree`."""

    def __init__(self, steps: Sequence[PlayStep]) -> None:
        self.steps = steps
        self.children: defaultdict[int, list[int]] = defaultdict(list)
        for index, step in enumerate(steps):
            self.children[step.parent].append(index)

    def trick(self, index: int) -> LineTrick:
        step = self.steps[index]
        answers = tuple(self.answer(step.cards[0], child) for child in self.children[index])
        return LineTrick(step.seat, step.cards[0], answers)

    def answer(self, lead: int, index: int) -> ThirdHandAnswer:
        second = self.steps[index].cards
        # A line has exactly one card of third hand for each card of second hand.
        (third_index,) = self.children[index]
        third = self.steps[third_index].cards
        # The higher card of declarer's two; the higher card has the lower number.
        best = min([lead, *third])
        outcomes = tuple(self.outcome(best, second, child) for child in self.children[third_index])
        return ThirdHandAnswer(second, third[0] if third else None, outcomes)

    def outcome(self, best: int, second: tuple[int, ...], index: int) -> FourthHandOutcome:
        fourth = self.steps[index].cards
        won = all(best < cards[0] for cards in (second, fourth) if cards)
        later = self.children[index]
        cash = bool(later) and self.steps[later[0]].kind == _CASH
        return FourthHandOutcome(fourth, won, self.trick(later[0]) if later and not cash else None, cash)


# The kind of a `PlayStep` after which declarer's top cards are enough.
_CASH = 4


def trick_tree(steps: Sequence[PlayStep]) -> LineTrick | None:
    """Return the first trick of a line; None if there is no decision, because the goal is out of reach or top cards are enough."""
    return _TreeBuilder(steps).trick(0) if steps and steps[0].kind != _CASH else None


def ranks_text(ranks: Sequence[int]) -> str:
    """Return the letters of ranks, from the highest down."""
    return "".join(RANKS[rank] for rank in sorted(ranks))


def tree_json(trick: LineTrick | None) -> dict[str, Any] | None:
    """Return the tree from a trick on as JSON: equivalent cards as a string of letters, an empty string for a discard."""
    if trick is None:
        return None
    return {"hand": trick.hand.letter, "lead": RANKS[trick.lead], "answers": [_answer_json(one) for one in trick.answers]}


def _answer_json(answer: ThirdHandAnswer) -> dict[str, Any]:
    outcomes = [
        {"fourth": ranks_text(one.fourth), "won": one.won, "cash": one.cash, "then": tree_json(one.then)} for one in answer.outcomes
    ]
    third = "" if answer.third is None else RANKS[answer.third]
    return {"second": ranks_text(answer.second), "third": third, "outcomes": outcomes}
