"""Averages and frequencies over deals, added up batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.expression import Deals, Value


@dataclass
class Average:
    """The mean of a value over all deals."""

    title: str
    value: Value
    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, deals: Deals) -> None:
        """Count a batch."""
        column = self.value.column(deals)
        self.count += len(column)
        self.total += float(column.sum())
        self.squares += float((column * column).sum())

    @property
    def mean(self) -> float:
        """The mean; 0 where there was no deal."""
        return self.total / self.count if self.count else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        if self.count < 2:
            return 0.0
        variance = max(0.0, self.squares / self.count - self.mean**2)
        return float((variance / (self.count - 1)) ** 0.5)


@dataclass
class Frequency:
    """How often each whole number comes, between two bounds; with another value, how often the two come together.

    ``counts`` has a place before the lower bound and one after the upper, for all that lies beyond; two axes where there is
    another value.
    """

    title: str
    value: Value
    low: int
    high: int
    other: tuple[Value, int, int] | None = None
    counts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        width = max(0, self.high - self.low + 1) + 2
        across = 1 if self.other is None else max(0, self.other[2] - self.other[1] + 1) + 2
        self.counts = np.zeros((width, across), np.int64)

    def add(self, deals: Deals) -> None:
        """Count a batch."""
        place = _places(self.value.column(deals), self.low, self.high)
        if self.other is not None:
            place = place * self.counts.shape[1] + _places(self.other[0].column(deals), *self.other[1:])
        self.counts += np.bincount(place, minlength=self.counts.size).reshape(self.counts.shape)


def _places(column: NDArray[np.float64], low: int, high: int) -> NDArray[np.int64]:
    return (np.clip(np.trunc(column), low - 1, high + 1) - (low - 1)).astype(np.int64)
