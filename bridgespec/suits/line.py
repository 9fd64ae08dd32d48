"""A line of play as a tree of tricks, made from the steps that the C library reports; and its form in JSON.

A `LineTrick` is declarer's lead; for each card of second hand's a `ThirdHandAnswer` with third hand's card; for each card of
fourth hand's a `FourthHandOutcome`, which leads to the next `LineTrick`. Layouts in which the line has failed have no branch.
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
    """The result of the trick for some of fourth hand's cards; any rank of ``fourth`` may be played, and it is empty for a discard.

    ``then`` is the next trick; None where the goal is reached, or where ``cash`` states that declarer's top cards are enough.
    """

    fourth: tuple[int, ...]
    won: bool
    then: LineTrick | None
    cash: bool


@dataclass(frozen=True, slots=True)
class ThirdHandAnswer:
    """Third hand's card (None for a discard) on one of second hand's cards (``second``, empty where he shows out)."""

    second: tuple[int, ...]
    third: int | None
    outcomes: tuple[FourthHandOutcome, ...]


@dataclass(frozen=True, slots=True)
class LineTrick:
    """A lead from North or South, and the answer to each card that second hand can play."""

    hand: Seat
    lead: int
    answers: tuple[ThirdHandAnswer, ...]

    @property
    def usual(self) -> ThirdHandAnswer:
        """The answer to second hand's lowest card; where he must show out, to that."""
        # The highest number is the lowest card; no card at all (he shows out) comes last.
        return max(self.answers, key=lambda answer: max(answer.second, default=-1))

    @property
    def size(self) -> int:
        """The number of tricks in the tree."""
        return 1 + sum(one.then.size for answer in self.answers for one in answer.outcomes if one.then is not None)


class _Builder:
    """Finds the children of each step."""

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
        # A line prescribes third hand's card, so there is exactly one.
        (at,) = self.children[index]
        third = self.steps[at].cards
        # The lower number is the higher card: declarer's better card of the two decides the trick.
        ours = min([lead, *third])
        outcomes = tuple(self.outcome(ours, second, child) for child in self.children[at])
        return ThirdHandAnswer(second, third[0] if third else None, outcomes)

    def outcome(self, ours: int, second: tuple[int, ...], index: int) -> FourthHandOutcome:
        fourth = self.steps[index].cards
        won = all(ours < cards[0] for cards in (second, fourth) if cards)
        later = self.children[index]
        cash = bool(later) and self.steps[later[0]].kind == _CASH
        return FourthHandOutcome(fourth, won, self.trick(later[0]) if later and not cash else None, cash)


_CASH = 4


def trick_tree(steps: Sequence[PlayStep]) -> LineTrick | None:
    """Return the first trick of a line; None where there is no decision: the goal is out of reach, or top cards are enough."""
    return _Builder(steps).trick(0) if steps and steps[0].kind != _CASH else None


def ranks_text(ranks: Sequence[int]) -> str:
    """The letters of some ranks."""
    return "".join(RANKS[rank] for rank in sorted(ranks))


def tree_json(trick: LineTrick | None) -> dict[str, Any] | None:
    """Return the tree as JSON: ranks as letters, equal cards together, an empty string for a discard."""
    if trick is None:
        return None
    return {"hand": trick.hand.letter, "lead": RANKS[trick.lead], "answers": [_answer_json(one) for one in trick.answers]}


def _answer_json(answer: ThirdHandAnswer) -> dict[str, Any]:
    outcomes = [
        {"fourth": ranks_text(one.fourth), "won": one.won, "cash": one.cash, "then": tree_json(one.then)} for one in answer.outcomes
    ]
    third = "" if answer.third is None else RANKS[answer.third]
    return {"second": ranks_text(answer.second), "third": third, "outcomes": outcomes}
