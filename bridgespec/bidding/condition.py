"""Conditions on a hand: the form of a rule's condition at one turn, after the facts of the auction were evaluated.

A `Condition` tests one hand (`fits`) or many hands as arrays (`mask`). What the other players infer from it is approximated by
boxes of ranges (`boxes`). `both`, `either` and `negated` combine conditions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt

import numpy as np
from numpy.typing import NDArray

from bridgespec.bidding.knowledge import Range
from bridgespec.model.evaluate import TERMS, Evaluated, Values

Mask = NDArray[np.bool_]
BOXES = 8
"""The most boxes of one condition; where a condition needs more, restrictions are left out."""
_NAMES = tuple(TERMS)
_COMPARE = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}


class Condition(ABC):
    """A condition on one hand. Immutable; created by the compiled rules of a system, and shared by turns.

    Terms are indices in `TERMS`. A box maps terms to ranges.
    """

    @abstractmethod
    def fits(self, values: Values) -> bool:
        """Return whether a hand meets the condition; ``values`` are its terms."""

    @abstractmethod
    def mask(self, hands: Evaluated) -> Mask:
        """Return for each of many hands whether it meets the condition."""

    @abstractmethod
    def boxes(self) -> list[dict[int, Range]]:
        """Return boxes that together contain every hand that meets the condition, and perhaps others; empty if no hand does."""

    def exact(self) -> list[dict[int, Range]] | None:
        """Return boxes of exactly the hands that meet the condition; None where boxes cannot express it."""
        return None


class Always(Condition):
    """The condition that every hand meets. `ALWAYS` is the only instance, which is compared by identity."""

    def fits(self, values: Values) -> bool:
        return True

    def mask(self, hands: Evaluated) -> Mask:
        return np.ones(len(hands), np.bool_)

    def boxes(self) -> list[dict[int, Range]]:
        return [{}]

    def exact(self) -> list[dict[int, Range]] | None:
        return [{}]


class Never(Condition):
    """The condition that no hand meets. `NEVER` is the only instance, which is compared by identity."""

    def fits(self, values: Values) -> bool:
        return False

    def mask(self, hands: Evaluated) -> Mask:
        return np.zeros(len(hands), np.bool_)

    def boxes(self) -> list[dict[int, Range]]:
        return []


ALWAYS, NEVER = Always(), Never()


@dataclass(frozen=True, slots=True)
class Within(Condition):
    """The condition that a term is within a range, ends included."""

    term: int
    low: float
    high: float

    def fits(self, values: Values) -> bool:
        return self.low <= values[self.term] <= self.high

    def mask(self, hands: Evaluated) -> Mask:
        column = hands.place(self.term)
        return (column >= self.low) & (column <= self.high)

    def boxes(self) -> list[dict[int, Range]]:
        return [{self.term: (self.low, self.high)}]

    def exact(self) -> list[dict[int, Range]] | None:
        return [{self.term: (self.low, self.high)}]


@dataclass(frozen=True, slots=True)
class Compared(Condition):
    """The condition that two terms are in a relation, such as ``>=`` (``word``)."""

    left: int
    word: str
    right: int

    def fits(self, values: Values) -> bool:
        return bool(_COMPARE[self.word](values[self.left], values[self.right]))

    def mask(self, hands: Evaluated) -> Mask:
        found: Mask = _COMPARE[self.word](hands.place(self.left), hands.place(self.right))
        return found

    def boxes(self) -> list[dict[int, Range]]:
        return [{}]


@dataclass(frozen=True, slots=True)
class Expected(Condition):
    """The condition that a linear function of the hand is within a range.

    The function is ``number`` plus, for each (term, weight, threshold) of ``weights``, the weight times the excess of the term over
    the threshold.
    """

    name: str
    number: float
    weights: tuple[tuple[int, float, float], ...]
    low: float
    high: float

    def fits(self, values: Values) -> bool:
        return self.low <= self.value(values) <= self.high

    def value(self, values: Values) -> float:
        """Return the sum for one hand."""
        return self.number + sum(weight * max(0.0, values[term] - above) for term, weight, above in self.weights)

    def mask(self, hands: Evaluated) -> Mask:
        total = np.full(len(hands), self.number)
        for term, weight, above in self.weights:
            total += weight * np.maximum(0.0, hands.place(term) - above)
        return (total >= self.low) & (total <= self.high)

    def boxes(self) -> list[dict[int, Range]]:
        return [{}]


@dataclass(frozen=True, slots=True)
class NotCondition(Condition):
    """The negation of a condition."""

    part: Condition

    def fits(self, values: Values) -> bool:
        return not self.part.fits(values)

    def mask(self, hands: Evaluated) -> Mask:
        return ~self.part.mask(hands)

    def boxes(self) -> list[dict[int, Range]]:
        # The complement of a range that is open at one end is a range. Any other complement has two parts, and is not restricted.
        if isinstance(self.part, Within):
            if self.part.low <= 0:
                return [{self.part.term: (self.part.high + 1, 40)}]
            if self.part.high >= 13:
                return [{self.part.term: (0, self.part.low - 1)}]
        return [{}]


@dataclass(frozen=True, slots=True)
class Both(Condition):
    """The condition that all of ``parts`` are met."""

    parts: tuple[Condition, ...]

    def fits(self, values: Values) -> bool:
        return all(part.fits(values) for part in self.parts)

    def mask(self, hands: Evaluated) -> Mask:
        found = self.parts[0].mask(hands)
        for part in self.parts[1:]:
            found = found & part.mask(hands)
        return found

    def boxes(self) -> list[dict[int, Range]]:
        found: list[dict[int, Range]] = [{}]
        for part in self.parts:
            more = part.boxes()
            # The part may be skipped: boxes without its restriction still contain every hand, as `boxes` promises.
            if len(found) * len(more) > BOXES:
                continue
            found = [joined for old in found for new in more if (joined := _meet(old, new)) is not None]
        return found

    def exact(self) -> list[dict[int, Range]] | None:
        found: list[dict[int, Range]] = [{}]
        for part in self.parts:
            own = part.exact()
            # Here nothing may be skipped: partner excludes the hands in these boxes from later calls, so they must not be too
            # large.
            if own is None or len(found) * len(own) > BOXES:
                return None
            found = [joined for old in found for new in own if (joined := _meet(old, new)) is not None]
        return found


@dataclass(frozen=True, slots=True)
class EitherCondition(Condition):
    """The condition that at least one of ``parts`` is met."""

    parts: tuple[Condition, ...]

    def fits(self, values: Values) -> bool:
        return any(part.fits(values) for part in self.parts)

    def mask(self, hands: Evaluated) -> Mask:
        found = self.parts[0].mask(hands)
        for part in self.parts[1:]:
            found = found | part.mask(hands)
        return found

    def boxes(self) -> list[dict[int, Range]]:
        found = [box for part in self.parts for box in part.boxes()]
        return found if len(found) <= BOXES else [{}]

    def exact(self) -> list[dict[int, Range]] | None:
        found: list[dict[int, Range]] = []
        for part in self.parts:
            own = part.exact()
            if own is None:
                return None
            found.extend(own)
        return found if len(found) <= BOXES else None


def _meet(a: dict[int, Range], b: dict[int, Range]) -> dict[int, Range] | None:
    """Return the intersection of two boxes; None if it is empty."""
    joined = dict(a)
    for term, (low, high) in b.items():
        if term in joined:
            low, high = max(low, joined[term][0]), min(high, joined[term][1])
            if low > high:
                return None
        joined[term] = (low, high)
    return joined


def failed(condition: Condition, values: Values) -> str:
    """Return the first part of a condition that a hand does not meet, in words, with the hand's value; empty if the hand meets it.

    >>> from bridgespec.model.evaluate import evaluate, hand_of
    >>> failed(Both((Within(0, 0, 40), Within(TERMS["length.0"], 6, 13))), evaluate(hand_of("AKQ95.AT3.KJ2.97")))
    '6+ spades, the hand has 5'
    """
    if isinstance(condition, Both):
        return next((text for part in condition.parts if (text := failed(part, values))), "")
    if condition.fits(values):
        return ""
    if isinstance(condition, Within):
        return f"{_span(condition.low, condition.high)} {_named(condition.term)}, the hand has {values[condition.term]:g}"
    if isinstance(condition, Compared):
        return f"{_named(condition.left)} {condition.word} {_named(condition.right)}"
    if isinstance(condition, Expected):
        return f"{_span(condition.low, condition.high)} {condition.name}, the hand expects {condition.value(values):.1f}"
    if isinstance(condition, EitherCondition):
        return " or ".join(failed(part, values).partition(", the hand")[0] for part in condition.parts)
    if isinstance(condition, NotCondition):
        return "not " + _words(condition.part)
    return "what cannot be at this turn"


def _words(condition: Condition) -> str:
    """Return a condition in words."""
    if isinstance(condition, Within):
        return f"{_span(condition.low, condition.high)} {_named(condition.term)}"
    if isinstance(condition, Compared):
        return f"{_named(condition.left)} {condition.word} {_named(condition.right)}"
    if isinstance(condition, Expected):
        return f"{_span(condition.low, condition.high)} {condition.name}"
    if isinstance(condition, Both | EitherCondition):
        word = " and " if isinstance(condition, Both) else " or "
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


def both(parts: Sequence[Condition]) -> Condition:
    """Return the condition that all of ``parts`` are met, without parts that are always met."""
    # By identity: the engine skips rules whose condition `is NEVER` without evaluating it.
    if any(part is NEVER for part in parts):
        return NEVER
    rest = [part for part in parts if part is not ALWAYS]
    return ALWAYS if not rest else rest[0] if len(rest) == 1 else Both(tuple(rest))


def either(parts: Sequence[Condition]) -> Condition:
    """Return the condition that at least one of ``parts`` is met, without parts that are never met."""
    if any(part is ALWAYS for part in parts):
        return ALWAYS
    rest = [part for part in parts if part is not NEVER]
    return NEVER if not rest else rest[0] if len(rest) == 1 else EitherCondition(tuple(rest))


def negated(part: Condition) -> Condition:
    """Return the negation of a condition."""
    return NEVER if part is ALWAYS else ALWAYS if part is NEVER else NotCondition(part)
