"""The algebra of conditions: `every`, `some` and `negated` combine them, and `Box` bounds what satisfies them.

Bidding has conditions on one hand (`bridgespec.bidding.condition`), dealing has conditions on deals
(`bridgespec.dealing.expression`). Both define only leaves; the classes here evaluate combinations of leaves, on batches and on
single hands, and bound them by boxes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.evaluate import TermValues

BooleanColumn = NDArray[np.bool_]
NumberColumn = NDArray[np.float64]
Range = tuple[float, float]
"""The least and the greatest value, both included."""
Quantity = TypeVar("Quantity")
"""The key of a range in a box: a term of one hand, or a term with the seats of its hands."""
HandsOrDeals = TypeVar("HandsOrDeals")
"""An array of hands, or of deals, for which a condition is evaluated at once."""
BOXES = 8
"""The most boxes of one condition, unless another number is given; where a condition needs more, restrictions are left out."""


class Box(dict[Quantity, Range]):
    """The set of the elements that are within a range for each of some quantities; other quantities are not bounded. Never changed.

    >>> one, two = Box({"hcp": (12, 14)}), Box({"hcp": (14, 16), "hearts": (5, 13)})
    >>> one.meet(two), one.join(two)
    ({'hcp': (14, 14), 'hearts': (5, 13)}, {'hcp': (12, 16)})
    """

    __slots__ = ()

    def meet(self, other: Box[Quantity]) -> Box[Quantity] | None:
        """Return the intersection of two boxes; None if it is empty."""
        met = Box(self)
        for quantity, (low, high) in other.items():
            if quantity in met:
                own = met[quantity]
                low, high = max(low, own[0]), min(high, own[1])
                if low > high:
                    return None
            met[quantity] = (low, high)
        return met

    def join(self, other: Box[Quantity]) -> Box[Quantity]:
        """Return the smallest box that contains both boxes."""
        # A quantity that is unbounded in one of the boxes is unbounded in the result.
        return Box({
            quantity: (min(low, other[quantity][0]), max(high, other[quantity][1]))
            for quantity, (low, high) in self.items()
            if quantity in other
        })  # fmt: skip


class Condition(ABC, Generic[HandsOrDeals]):
    """A condition on each element of a batch. Immutable, so that it can be shared."""

    @abstractmethod
    def holds(self, batch: HandsOrDeals) -> BooleanColumn:
        """Return for each element of the batch whether it satisfies the condition, (N,)."""

    @abstractmethod
    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        """Return at most ``most`` boxes that together contain every element that satisfies the condition, or with ``holds`` False
        every element that does not. They may contain other elements. Empty only if there is no such element.
        """

    def fits(self, values: TermValues) -> bool:
        """Return whether one hand satisfies the condition; ``values`` are its terms. Raises TypeError for a condition on deals."""
        raise TypeError(f"{type(self).__name__} is not a condition on one hand")

    def exact(self, most: int = BOXES) -> list[Box[Any]] | None:
        """Return boxes of exactly the elements that satisfy the condition; None if at most ``most`` boxes cannot express it."""
        return None

    def column(self, batch: HandsOrDeals) -> NumberColumn:
        """Return 1 for each element that satisfies the condition, 0 for the others, (N,)."""
        return self.holds(batch).astype(np.float64)

    @property
    def parts(self) -> tuple[Condition[HandsOrDeals], ...]:
        """The operands; empty for a leaf."""
        return ()

    @property
    def solves(self) -> bool:
        """Whether evaluation requires deals to be solved."""
        return any(part.solves for part in self.parts)


@dataclass(frozen=True, slots=True)
class Constant(Condition[Any]):
    """The condition that every element satisfies, or that none does: `ALWAYS` and `NEVER`, which are compared by identity."""

    truth: bool

    def holds(self, batch: Any) -> BooleanColumn:
        return np.full(len(batch), self.truth)

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        return [Box()] if self.truth == holds else []

    def fits(self, values: TermValues) -> bool:
        return self.truth

    def exact(self, most: int = BOXES) -> list[Box[Any]] | None:
        return self.boxes()


ALWAYS, NEVER = Constant(True), Constant(False)


@dataclass(frozen=True, slots=True)
class Every(Condition[HandsOrDeals]):
    """The condition that all operands are satisfied; there is at least one."""

    operands: tuple[Condition[HandsOrDeals], ...]

    def holds(self, batch: HandsOrDeals) -> BooleanColumn:
        found = self.operands[0].holds(batch)
        for operand in self.operands[1:]:
            found = found & operand.holds(batch)
        return found

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        each = [operand.boxes(holds, most) for operand in self.operands]
        # De Morgan: what does not satisfy a conjunction is the union of what does not satisfy an operand.
        return _intersection(each, most) if holds else _union(each, most)

    def fits(self, values: TermValues) -> bool:
        return all(operand.fits(values) for operand in self.operands)

    def exact(self, most: int = BOXES) -> list[Box[Any]] | None:
        found: list[Box[Any]] = [Box()]
        for operand in self.operands:
            own = operand.exact(most)
            # Here no restriction may be left out: partner excludes the hands in these boxes, so they must not be too large.
            if own is None or len(found) * len(own) > most:
                return None
            found = [met for one in found for other in own if (met := one.meet(other)) is not None]
        return found

    @property
    def parts(self) -> tuple[Condition[HandsOrDeals], ...]:
        return self.operands


@dataclass(frozen=True, slots=True)
class Some(Condition[HandsOrDeals]):
    """The condition that at least one operand is satisfied; there is at least one."""

    operands: tuple[Condition[HandsOrDeals], ...]

    def holds(self, batch: HandsOrDeals) -> BooleanColumn:
        found = self.operands[0].holds(batch)
        for operand in self.operands[1:]:
            found = found | operand.holds(batch)
        return found

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        each = [operand.boxes(holds, most) for operand in self.operands]
        return _union(each, most) if holds else _intersection(each, most)

    def fits(self, values: TermValues) -> bool:
        return any(operand.fits(values) for operand in self.operands)

    def exact(self, most: int = BOXES) -> list[Box[Any]] | None:
        each = [operand.exact(most) for operand in self.operands]
        found = [box for boxes in each if boxes is not None for box in boxes]
        return None if None in each or len(found) > most else found

    @property
    def parts(self) -> tuple[Condition[HandsOrDeals], ...]:
        return self.operands


@dataclass(frozen=True, slots=True)
class Negated(Condition[HandsOrDeals]):
    """The condition that the operand is not satisfied."""

    operand: Condition[HandsOrDeals]

    def holds(self, batch: HandsOrDeals) -> BooleanColumn:
        return ~self.operand.holds(batch)

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        return self.operand.boxes(not holds, most)

    def fits(self, values: TermValues) -> bool:
        return not self.operand.fits(values)

    @property
    def parts(self) -> tuple[Condition[HandsOrDeals], ...]:
        return (self.operand,)


def _intersection(each: Sequence[list[Box[Any]]], most: int) -> list[Box[Any]]:
    """Return boxes that contain every element that is in a box of each list."""
    found: list[Box[Any]] = [Box()]
    for boxes in each:
        # Either list alone contains the intersection, so one may be dropped; the longer one is likely to be narrower.
        if len(found) * len(boxes) > most:
            found = found if len(found) >= len(boxes) else boxes
        else:
            found = [met for one in found for other in boxes if (met := one.meet(other)) is not None]
    return found


def _union(each: Sequence[list[Box[Any]]], most: int) -> list[Box[Any]]:
    """Return boxes that contain every element that is in a box of any list; the box of all elements if that were too many."""
    found = [box for boxes in each for box in boxes]
    return found if len(found) <= most else [Box()]


def every(conditions: Sequence[Condition[HandsOrDeals]]) -> Condition[HandsOrDeals]:
    """Return the condition that all ``conditions`` are satisfied, without those that always are.

    >>> every([ALWAYS, ALWAYS]) is ALWAYS, every([ALWAYS, NEVER]) is NEVER
    (True, True)
    """
    # By identity: a rule whose condition `is NEVER` is skipped without evaluation.
    if any(one is NEVER for one in conditions):
        return NEVER
    rest = tuple(one for one in conditions if one is not ALWAYS)
    return Every(rest) if len(rest) > 1 else rest[0] if rest else ALWAYS


def some(conditions: Sequence[Condition[HandsOrDeals]]) -> Condition[HandsOrDeals]:
    """Return the condition that at least one of ``conditions`` is satisfied, without those that never are.

    >>> some([NEVER, NEVER]) is NEVER, some([ALWAYS, NEVER]) is ALWAYS
    (True, True)
    """
    if any(one is ALWAYS for one in conditions):
        return ALWAYS
    rest = tuple(one for one in conditions if one is not NEVER)
    return Some(rest) if len(rest) > 1 else rest[0] if rest else NEVER


def negated(condition: Condition[HandsOrDeals]) -> Condition[HandsOrDeals]:
    """Return the condition that ``condition`` is not satisfied.

    >>> negated(ALWAYS) is NEVER, negated(NEVER) is ALWAYS
    (True, True)
    """
    return NEVER if condition is ALWAYS else ALWAYS if condition is NEVER else Negated(condition)
