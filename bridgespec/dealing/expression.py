"""Expressions over deals, as a tree of `DealValue`. Each value has a number for each deal of a batch; as a condition it is true
where its number is not 0. `bridgespec.dealing.algebra` combines conditions.

`DealValue.column` takes `Deals`, a batch, and returns the numbers. Two languages are parsed to this tree: conditions
(`bridgespec.dealing.deal_condition`) and scripts (`bridgespec.dealing.script`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.dealing.algebra import BOXES, BooleanColumn, Box, Condition, NumberColumn
from bridgespec.dealing.bounds import DENIED, TURNED, QuantityKey, compared, with_card, with_lengths, with_shape
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat, Side, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.evaluate import Evaluated, holdings_of
from bridgespec.model.par import par_of_sides
from bridgespec.model.score import imps, points
from bridgespec.model.tricks import UNSOLVED
from bridgespec.model.tricks import Tricks as TrickTable
from bridgespec.solver import cell_mask, solve_tables

ByteArray = NDArray[np.uint8]
SOLVER_MB = 64
"""Megabytes for each thread of the solver: enough for one strain and declarer of many deals."""


class Deals:
    """A batch of complete deals, with the hands and tricks computed for them. Created by a source of deals for each batch.

    ``holders`` is (N, 52), the seat that holds each card. ``tables`` is (N, 20), the tricks that are known, or None.
    """

    def __init__(
        self,
        holders: ByteArray,
        rng: np.random.Generator | None = None,
        threads: int | None = None,
        tables: ByteArray | None = None,
    ) -> None:
        self.holders = holders
        self.tables = tables
        self.rng = rng or np.random.default_rng(0)
        self.threads = threads
        self._hands: dict[int, Evaluated] = {}
        self._tricks: dict[tuple[int, int], NumberColumn] = {}

    def __len__(self) -> int:
        return len(self.holders)

    def hand(self, seat: int) -> Evaluated:
        """Return the hands of a seat, one for each deal, for evaluation. Cached."""
        if seat not in self._hands:
            self._hands[seat] = Evaluated(holdings_of(self.holders, seat))
        return self._hands[seat]

    def tricks(self, strain: Strain, seat: Seat) -> NumberColumn:
        """Return the double-dummy tricks of the declarer ``seat`` for each deal, from `tables` or solved. Cached."""
        cell = (int(strain), int(seat))
        if cell not in self._tricks:
            # Only one cell of each table is solved, which costs a fraction of a table.
            index = 4 * cell[0] + cell[1]
            found = np.full(len(self), UNSOLVED, np.uint8) if self.tables is None else self.tables[:, index].copy()
            unsolved = found == UNSOLVED
            if unsolved.any():
                some = self.holders if unsolved.all() else self.holders[unsolved]
                solved = solve_tables(some, cells=cell_mask([strain], [seat]), threads=self.threads, memory_mb=SOLVER_MB)
                found[unsolved] = solved[:, index]
            self._tricks[cell] = found.astype(np.float64)
        return self._tricks[cell]

    @classmethod
    def joined(cls, parts: Sequence[Deals]) -> Deals:
        """Return the deals of all parts in one batch, with the tricks that are known in each part."""
        if not parts:
            return cls(np.empty((0, 52), np.uint8))
        known = [part.tables for part in parts if part.tables is not None]
        tables = np.concatenate(known) if len(known) == len(parts) else None
        made = cls(np.concatenate([part.holders for part in parts]), parts[0].rng, parts[0].threads, tables)
        # Tricks are kept only if every part has them; others are solved again when they are requested.
        for cell in set.intersection(*(set(part._tricks) for part in parts)):
            made._tricks[cell] = np.concatenate([part._tricks[cell] for part in parts])
        return made

    def whole_tables(self) -> ByteArray:
        """Return the complete trick tables of the deals, (N, 20); unknown cells are solved."""
        cells = [self.tricks(strain, seat) for strain in Strain for seat in Seat]
        return np.stack(cells, axis=1).astype(np.uint8)

    def where(self, mask: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Deals:
        """Return the deals that ``mask`` selects, with their tricks."""
        tables = None if self.tables is None else self.tables[mask]
        kept = Deals(self.holders[mask], self.rng, self.threads, tables)
        kept._tricks = {cell: column[mask] for cell, column in self._tricks.items()}
        return kept


DealCondition = Condition[Deals]


class DealValue(DealCondition):
    """An expression that has a number for each deal: a leaf of a condition, or an operation on numbers.

    Immutable; created by the parsers of conditions and scripts.
    """

    @abstractmethod
    def column(self, deals: Deals) -> NumberColumn:
        """Return the number of each deal, (N,)."""

    def holds(self, deals: Deals) -> BooleanColumn:
        """Return for each deal whether its number is not 0, (N,)."""
        found: BooleanColumn = self.column(deals) != 0
        return found

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        return [Box()]

    @property
    def key(self) -> QuantityKey | None:
        """The quantity of a box that this number is; None if boxes cannot bound it."""
        return None


@dataclass(frozen=True)
class Number(DealValue):
    """A constant."""

    number: float

    def column(self, deals: Deals) -> NumberColumn:
        return np.full(len(deals), self.number)

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        return [Box()] if bool(self.number) == holds else []


@dataclass(frozen=True)
class TermValue(DealValue):
    """A term of `bridgespec.model.evaluate` for the hand of one seat, or its sum over several."""

    name: str
    seats: tuple[Seat, ...]

    def column(self, deals: Deals) -> NumberColumn:
        total = np.zeros(len(deals))
        for seat in self.seats:
            total += deals.hand(seat).column(self.name)
        return total

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        # Wider than the fact: lengths of 2 to 5 include 5-4-2-2.
        span = {"balanced": (2, 5), "semibalanced": (2, 6)}.get(self.name)
        return [with_lengths(int(self.seats[0]), [span] * 4)] if span and holds and len(self.seats) == 1 else [Box()]

    @property
    def key(self) -> QuantityKey | None:
        return (self.name, tuple(sorted(map(int, self.seats)))) if len(self.seats) <= 2 else None


@dataclass(frozen=True)
class HoldingCount(DealValue):
    """The sum of a table, which has a number for each of the 8,192 holdings, over some suits of a hand."""

    table: tuple[float, ...]
    seat: Seat
    suits: tuple[int, ...] = (0, 1, 2, 3)

    @cached_property
    def _table(self) -> NumberColumn:
        return np.asarray(self.table, np.float64)

    def column(self, deals: Deals) -> NumberColumn:
        holdings = deals.hand(self.seat).holdings
        total = np.zeros(len(deals))
        for suit in self.suits:
            total += self._table.take(holdings[suit])
        return total


@dataclass(frozen=True)
class HandsCount(DealValue):
    """The result of a function of the user for some hands of each deal, ``count(hands, *arguments)``, times ``unit`` and rounded.

    `column` raises UsageError if the function raises an error or returns something else than a number.
    """

    count: Callable[..., object]
    seats: tuple[Seat, ...]
    arguments: tuple[object, ...] = ()
    unit: int = 1

    def column(self, deals: Deals) -> NumberColumn:
        found = np.empty(len(deals))
        for number, row in enumerate(deals.holders):
            deal = Deal(row.tobytes())
            try:
                counted = self.count(tuple(deal.hand(seat) for seat in self.seats), *self.arguments)
            # The user's function may raise any exception; the message must name the function.
            except Exception as error:
                raise UsageError(f"{self.count.__name__} of the counts fails: {type(error).__name__}: {error}") from error
            if not isinstance(counted, Real):
                raise UsageError(f"{self.count.__name__} of the counts gives {counted!r}, which is not a number")
            # Scripts compute with whole numbers; ``unit`` is 100 where the number counts in hundredths.
            found[number] = round(self.unit * float(counted))
        return found


@dataclass(frozen=True)
class ShapeValue(DealValue):
    """Whether the lengths of a hand (spades first) are in a set; ``patterns`` is the same set as patterns like ``54xx``, perhaps
    empty.
    """

    seat: Seat
    lengths: frozenset[tuple[int, int, int, int]]
    patterns: frozenset[str] = frozenset()

    @cached_property
    def _allowed(self) -> NDArray[np.bool_]:
        """Whether the lengths are in the set, indexed by the lengths as a number in base 14."""
        allowed = np.zeros(14**4, np.bool_)
        for a, b, c, d in self.lengths:
            allowed[((a * 14 + b) * 14 + c) * 14 + d] = True
        return allowed

    def column(self, deals: Deals) -> NumberColumn:
        hand = deals.hand(self.seat)
        code = np.zeros(len(deals), np.int64)
        for suit in range(4):
            code = code * 14 + hand.column(f"length.{suit}").astype(np.int64)
        found: NumberColumn = self._allowed[code].astype(np.float64)
        return found

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        # The complement of a shape is no box.
        return list(with_shape(int(self.seat), self.lengths, self.patterns, most)) if holds else [Box()]


@dataclass(frozen=True)
class Holds(DealValue):
    """Whether a seat has a card, given by its index in the order of `Card`."""

    seat: Seat
    slot: int

    def column(self, deals: Deals) -> NumberColumn:
        found: NumberColumn = (deals.holders[:, self.slot] == int(self.seat)).astype(np.float64)
        return found

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        return [with_card(self.slot, int(self.seat))] if holds else [Box()]


@dataclass(frozen=True)
class TricksValue(DealValue):
    """The double-dummy tricks of the declarer ``seat`` in a strain."""

    strain: Strain
    seat: Seat

    def column(self, deals: Deals) -> NumberColumn:
        return deals.tricks(self.strain, self.seat)

    @property
    def solves(self) -> bool:
        return True


@dataclass(frozen=True)
class ParScore(DealValue):
    """The par score of a side, as points of that side, if it bids first."""

    side: Side
    vulnerability: Vulnerability

    def column(self, deals: Deals) -> NumberColumn:
        sign = 1 if self.side is Side.NS else -1
        # `par_of_sides` returns points of North-South.
        pars = [par_of_sides(TrickTable(row.tobytes()), self.vulnerability)[self.side].score for row in deals.whole_tables()]
        return np.array([sign * par for par in pars], np.float64)

    @property
    def solves(self) -> bool:
        return True


@dataclass(frozen=True)
class Score(DealValue):
    """The score of a contract, in points of declarer's side, for a number of tricks."""

    contract: Contract
    vulnerable: bool
    tricks: DealCondition

    def column(self, deals: Deals) -> NumberColumn:
        # There are only fourteen results: each score is computed once and then looked up.
        table = np.array([points(self.contract, tricks, self.vulnerable) for tricks in range(14)], np.float64)
        found: NumberColumn = table[np.clip(self.tricks.column(deals), 0, 13).astype(np.int64)]
        return found

    @property
    def parts(self) -> tuple[DealCondition, ...]:
        return (self.tricks,)


@dataclass(frozen=True)
class Imps(DealValue):
    """A difference of scores converted to IMPs."""

    difference: DealCondition

    def column(self, deals: Deals) -> NumberColumn:
        # Differences are multiples of 10 and repeat often, so the table of IMPs is consulted once for each different one.
        scores, places = np.unique(self.difference.column(deals), return_inverse=True)
        found: NumberColumn = np.array([imps(int(score)) for score in scores], np.float64)[places]
        return found

    @property
    def parts(self) -> tuple[DealCondition, ...]:
        return (self.difference,)


@dataclass(frozen=True)
class Chance(DealValue):
    """A random whole number from 0 to below ``limit``, a new one for each deal."""

    limit: int

    def column(self, deals: Deals) -> NumberColumn:
        return deals.rng.integers(0, max(1, self.limit), len(deals)).astype(np.float64)


def _divide(a: NumberColumn, b: NumberColumn) -> NumberColumn:
    """Return the quotients, truncated towards 0; 0 for a division by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # As in C: -7 / 2 is -3 in scripts. NumPy's // rounds down.
        return np.where(b == 0, 0, np.trunc(a / b))


def _remainder(a: NumberColumn, b: NumberColumn) -> NumberColumn:
    return a - b * _divide(a, b)


def _truth(test: Callable[[NumberColumn, NumberColumn], NDArray[np.bool_]]) -> Callable[[NumberColumn, NumberColumn], NumberColumn]:
    """Return ``test`` with results 1 and 0 for True and False."""
    return lambda a, b: test(a, b).astype(np.float64)


OPERATORS: dict[str, Callable[[NumberColumn, NumberColumn], NumberColumn]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": _divide,
    "%": _remainder,
    "<": _truth(np.less),
    "<=": _truth(np.less_equal),
    ">": _truth(np.greater),
    ">=": _truth(np.greater_equal),
    "==": _truth(np.equal),
    "!=": _truth(np.not_equal),
}
"""Operators on whole numbers, as in C: a quotient is truncated towards 0; a division by 0 gives 0."""


@dataclass(frozen=True)
class OperatorValue(DealValue):
    """A binary operator of `OPERATORS` applied to two values."""

    operator: str
    left: DealCondition
    right: DealCondition

    def column(self, deals: Deals) -> NumberColumn:
        return OPERATORS[self.operator](self.left.column(deals), self.right.column(deals))

    def boxes(self, holds: bool = True, most: int = BOXES) -> list[Box[Any]]:
        if self.operator not in TURNED:
            return [Box()]
        operator, left, right = self.operator if holds else DENIED[self.operator], self.left, self.right
        if isinstance(left, Number):
            # 15 <= hcp(north) is hcp(north) >= 15.
            operator, left, right = TURNED[operator], right, left
        return compared(operator, left.key, right.number) if isinstance(left, DealValue) and isinstance(right, Number) else [Box()]

    @property
    def key(self) -> QuantityKey | None:
        if self.operator != "+" or not isinstance(self.left, DealValue) or not isinstance(self.right, DealValue):
            return None
        left, right = self.left.key, self.right.key
        # `BoxSampler` counts the sums of two different hands; hcp(n) + hcp(n) is no such sum.
        if left and right and left[0] == right[0] and len(left[1]) == len(right[1]) == 1 and left[1] != right[1]:
            return left[0], tuple(sorted(left[1] + right[1]))
        return None

    @property
    def parts(self) -> tuple[DealCondition, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class ConditionalValue(DealValue):
    """The value ``then`` where a condition is true, and ``otherwise`` where it is false."""

    condition: DealCondition
    then: DealCondition
    otherwise: DealCondition

    def column(self, deals: Deals) -> NumberColumn:
        found: NumberColumn = np.where(self.condition.holds(deals), self.then.column(deals), self.otherwise.column(deals))
        return found

    @property
    def parts(self) -> tuple[DealCondition, ...]:
        return (self.condition, self.then, self.otherwise)
