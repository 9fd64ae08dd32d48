"""Conditions on a hand: the form of a rule's condition at one turn, after the facts of the auction were evaluated.

Terms are indices in `TERMS`. The leaves are defined here; `bridgespec.dealing.algebra` combines them, tests one hand (`fits`) or
many as arrays (`holds`), and approximates by boxes what the other players infer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt

import numpy as np

from bridgespec.dealing.algebra import BOXES, BooleanColumn, Box, Condition, Every, Negated, Range, Some, every
from bridgespec.model.evaluate import TERMS, Evaluated, TermValues

HandCondition = Condition[Evaluated]
_NAMES = tuple(TERMS)
_COMPARE = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}


@dataclass(frozen=True, slots=True)
class Within(HandCondition):
    """The condition that a term is within a range, ends included."""

    term: int
    low: float
    high: float

    def fits(self, values: TermValues) -> bool:
        return self.low <= values[self.term] <= self.high

    def holds(self, batch: Evaluated) -> BooleanColumn:
        column = batch.place(self.term)
        return (column >= self.low) & (column <= self.high)

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[int]]:
        if holds:
            return [Box({self.term: (self.low, self.high)})]
        # The complement of a range that is open at one end is a range. Any other complement has two parts, and is not restricted.
        if self.low <= 0:
            return [Box({self.term: (self.high + 1, 40)})]
        return [Box({self.term: (0, self.low - 1)}) if self.high >= 13 else Box()]

    def exact(self, most: int = BOXES) -> list[Box[int]] | None:
        return self.boxes()


@dataclass(frozen=True, slots=True)
class Compared(HandCondition):
    """The condition that two terms are in a relation, such as ``>=`` (``word``)."""

    left: int
    word: str
    right: int

    def fits(self, values: TermValues) -> bool:
        return bool(_COMPARE[self.word](values[self.left], values[self.right]))

    def holds(self, batch: Evaluated) -> BooleanColumn:
        found: BooleanColumn = _COMPARE[self.word](batch.place(self.left), batch.place(self.right))
        return found

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[int]]:
        return [Box()]


@dataclass(frozen=True, slots=True)
class Expected(HandCondition):
    """The condition that a linear function of the hand is within a range.

    The function is ``number`` plus, for each (term, weight, threshold) of ``weights``, the weight times the excess of the term over
    the threshold.
    """

    name: str
    number: float
    weights: tuple[tuple[int, float, float], ...]
    low: float
    high: float

    def fits(self, values: TermValues) -> bool:
        return self.low <= self.value(values) <= self.high

    def value(self, values: TermValues) -> float:
        """Return the value of the linear function for one hand."""
        return self.number + sum(weight * max(0.0, values[term] - above) for term, weight, above in self.weights)

    def holds(self, batch: Evaluated) -> BooleanColumn:
        total = np.full(len(batch), self.number)
        for term, weight, above in self.weights:
            total += weight * np.maximum(0.0, batch.place(term) - above)
        return (total >= self.low) & (total <= self.high)

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[int]]:
        return [Box()]


class NotChosen(HandCondition):
    """The condition of a rule that interprets a call but never chooses it: no hand meets it, yet its box contains all hands."""

    def fits(self, values: TermValues) -> bool:
        return False

    def holds(self, batch: Evaluated) -> BooleanColumn:
        return np.zeros(len(batch), np.bool_)

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[int]]:
        return [Box()]


def in_box(box: Mapping[int, Range]) -> HandCondition:
    """Return the condition that each term of a box is within its range."""
    return every([Within(term, low, high) for term, (low, high) in box.items()])


def both(one: HandCondition, other: HandCondition) -> HandCondition:
    """Return the condition that a hand meets both conditions."""
    return every([one, other])


def failed(condition: HandCondition, values: TermValues) -> str:
    """Return the first part of a condition that a hand does not meet, in words, with the hand's value; empty if the hand meets it.

    >>> from bridgespec.model.evaluate import evaluate, hand_of
    >>> failed(Every((Within(0, 0, 40), Within(TERMS["length.0"], 6, 13))), evaluate(hand_of("AKQ95.AT3.KJ2.97")))
    '6+ spades, the hand has 5'
    """
    if isinstance(condition, Every):
        return next((text for part in condition.parts if (text := failed(part, values))), "")
    if condition.fits(values):
        return ""
    if isinstance(condition, Within):
        return f"{_span(condition.low, condition.high)} {_named(condition.term)}, the hand has {values[condition.term]:g}"
    if isinstance(condition, Compared):
        return f"{_named(condition.left)} {condition.word} {_named(condition.right)}"
    if isinstance(condition, Expected):
        return f"{_span(condition.low, condition.high)} {condition.name}, the hand expects {condition.value(values):.1f}"
    if isinstance(condition, Some):
        return " or ".join(failed(part, values).partition(", the hand")[0] for part in condition.parts)
    if isinstance(condition, Negated):
        return "not " + _words(condition.operand)
    return "what cannot be at this turn"


def _words(condition: HandCondition) -> str:
    """Return a condition in words."""
    if isinstance(condition, Within):
        return f"{_span(condition.low, condition.high)} {_named(condition.term)}"
    if isinstance(condition, Compared):
        return f"{_named(condition.left)} {condition.word} {_named(condition.right)}"
    if isinstance(condition, Expected):
        return f"{_span(condition.low, condition.high)} {condition.name}"
    if isinstance(condition, Every | Some):
        word = " and " if isinstance(condition, Every) else " or "
        return f"({word.join(_words(part) for part in condition.parts)})"
    return "anything"


def _named(term: int) -> str:
    """Return a term as it is written in files of rules."""
    name, _, suit = _NAMES[term].partition(".")
    if not suit:
        return name
    word = ("spades", "hearts", "diamonds", "clubs")[int(suit)]
    return word if name == "length" else f"{name}({word})"


def _span(low: float, high: float) -> str:
    """Return a range in words, with a plus sign if its upper end is open."""
    # 13 is the end of a length, 37 that of high-card points, 99 that of the language's "5+".
    if high >= 37 or (high >= 13 and low > 0 and high in (13, 99)):
        return f"{low:g}+"
    return f"{low:g}" if low == high else f"{low:g}-{high:g}"
