"""The actions of a script that count: averages, frequency tables and results of contracts. Each accumulates batches by ``add``."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.expression import DealCondition, Deals, TricksValue
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract


@dataclass
class Average:
    """The mean of a value over all deals added so far. Created for an action ``average`` of a script."""

    title: str
    value: DealCondition
    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, deals: Deals) -> None:
        """Add a batch."""
        column = self.value.column(deals)
        self.count += len(column)
        self.total += float(column.sum())
        self.squares += float((column * column).sum())

    @property
    def mean(self) -> float:
        """The mean; 0 without a deal."""
        return self.total / self.count if self.count else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean; 0 for fewer than two deals."""
        if self.count < 2:
            return 0.0
        # The difference of two large sums can be slightly negative by rounding, whose root would be NaN.
        variance = max(0.0, self.squares / self.count - self.mean**2)
        return float((variance / (self.count - 1)) ** 0.5)


@dataclass
class FrequencyTable:
    """A frequency table of a value over all deals added so far. Created for an action ``frequency`` of a script.

    Numbers from ``low`` to ``high`` are counted in buckets of ``size``. ``other`` is a second value with its bounds and bucket
    size, or None. ``counts`` has a row for each bucket of the value and a column for each bucket of the other one, and one more at
    each end for numbers out of bounds; without a second value it has one column.
    """

    title: str
    value: DealCondition
    low: int
    high: int
    size: int = 1
    other: tuple[DealCondition, int, int, int] | None = None
    counts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        across = 1 if self.other is None else len(self.across) + 2
        self.counts = np.zeros((len(self.down) + 2, across), np.int64)

    @property
    def down(self) -> range:
        """The lower bounds of the value's buckets, which are the rows."""
        return range(self.low, self.high + 1, self.size)

    @property
    def across(self) -> range:
        """The lower bounds of the other value's buckets, which are the columns; empty without one."""
        return range(0) if self.other is None else range(self.other[1], self.other[2] + 1, self.other[3])

    def add(self, deals: Deals) -> None:
        """Count a batch."""
        cells = _buckets(self.value.column(deals), self.down)
        if self.other is not None:
            cells = cells * self.counts.shape[1] + _buckets(self.other[0].column(deals), self.across)
        self.counts += np.bincount(cells, minlength=self.counts.size).reshape(self.counts.shape)


@dataclass
class ContractTally:
    """How often a declarer takes each number of tricks double dummy: ``counts`` has 14 numbers, for 0 to 13 tricks.

    Created for an action ``evalcontract`` of a script.
    """

    contract: Contract
    declarer: Seat
    vulnerable: bool
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(14, np.int64))

    @property
    def value(self) -> DealCondition:
        """The value that is counted: the tricks of the declarer."""
        return TricksValue(self.contract.strain, self.declarer)

    def add(self, deals: Deals) -> None:
        """Add a batch."""
        self.counts += np.bincount(self.value.column(deals).astype(np.int64), minlength=14)


def _buckets(column: NDArray[np.float64], starts: range) -> NDArray[np.int64]:
    """Return the index of each number's bucket: 1 for the first, 0 below all buckets, ``len(starts) + 1`` above them."""
    # floor, not integer division towards 0: values below the first bucket must not fall into it.
    buckets = np.floor((np.trunc(column) - starts.start) / starts.step)
    return (np.clip(buckets, -1, len(starts)) + 1).astype(np.int64)
