"""Convert boards and arrays to record batches of Arrow (`TableLayout`), and back (`boards_of`, `rows_of`).

Derived columns are computed from arrays (`_derived_columns`): the terms of a hand by tables over the 8,192 holdings of a suit, in
which one look-up gives all of them, and par by `tables.par_arrays`. The functions of `model.evaluate` define the terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._term import TermColumn
from bridgespec.errors import UsageError, WriteError
from bridgespec.extras import Extra
from bridgespec.model.board import Board, Vulnerability, standard_dealer, standard_vulnerability
from bridgespec.model.cards import Side
from bridgespec.model.evaluate import TABLES
from bridgespec.model.masks import Masks
from bridgespec.tables.column_values import shape_of
from bridgespec.tables.columns import FINDINGS, HANDS, OUT, SUITS, board_of, columns_of, derived_of, terms_of
from bridgespec.tables.par_arrays import CONTRACTS, pars

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa, pc = Extra("pyarrow"), Extra("pyarrow.compute")

Absent = NDArray[np.bool_]
_BLOCK = 1 << 14
"""Hands whose terms are computed at a time."""
_SIDES = ("NS", "EW")
_EW_DEALS = np.array([standard_dealer(number).side is Side.EW for number in range(4)])
_VULNERABLE = np.array([standard_vulnerability(number) for number in range(16)], np.uint8)
_HOLDING = np.uint64(8191)


@dataclass(slots=True)
class Rows:
    """Some boards as arrays by column, in the order of the file; ``absent`` marks, by term, the rows that do not state it.

    The columns are ``number``, the hands and `OUT` as masks, ``tricks`` of shape (N, 20) and `FINDINGS`, as far as the source has
    them. ``read`` contains the boards of rows that have more than these, by row.
    """

    arrays: dict[str, NDArray[Any]]
    absent: dict[str, Absent] = field(default_factory=dict)
    read: dict[int, Board] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.arrays[FINDINGS])


class TableLayout:
    """The columns of a table in Arrow's types: those of the ``terms`` that its boards state, and the derived ones if requested. One
    for each table that is written.

    ``metadata`` is that of the schema.
    """

    def __init__(self, terms: Iterable[str], with_derived: bool = False, metadata: Mapping[bytes, bytes] | None = None) -> None:
        self.terms = frozenset(terms)
        self.columns = columns_of(self.terms)
        self.derived = derived_of(self.terms) if with_derived else ()
        self.schema = pa.schema(
            [
                *((column.name, shape_of(column.type).arrow) for column in self.columns),
                *((column.name, _derived_type(column)) for column in self.derived),
            ],
            metadata=dict(metadata or {}),
        )

    @classmethod
    def widened(cls, schema: pa.Schema) -> TableLayout:
        """Return the layout of a schema with the derived columns that it lacks."""
        layout = cls(terms_of(schema.names))
        layout.derived = tuple(column for column in derived_of(layout.terms) if column.name not in schema.names)
        for column in layout.derived:
            schema = schema.append(pa.field(column.name, _derived_type(column)))
        layout.schema = schema
        return layout

    def widen(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a batch with the derived columns of the layout."""
        return self._with_derived(list(batch.columns), rows_of(batch), *_situations(batch))

    def of_boards(self, boards: Sequence[Board], findings: Sequence[int]) -> pa.RecordBatch:
        """Return the batch of boards. Raises WriteError where a value is out of range for its column."""
        made = []
        for column in self.columns:
            shape = shape_of(column.type)
            # Findings are about the source of a board and no value of it.
            values = findings if column.name == FINDINGS else [shape.plain(column.value(board)) for board in boards]
            try:
                made.append(pa.array(values, shape.arrow))
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as problem:
                raise WriteError(f"the column {column.name} cannot hold a value: {problem}") from None
        batch = pa.record_batch(made, names=[column.name for column in self.columns])
        return self._with_derived(made, rows_of(batch) if self.derived else None, *_situations(batch))

    def of_rows(self, rows: Rows) -> pa.RecordBatch:
        """Return the batch of arrays."""
        made = [_array(column, rows) for column in self.columns]
        return self._with_derived(made, rows if self.derived else None)

    def _with_derived(
        self,
        made: list[pa.Array],
        rows: Rows | None,
        ew_deals: NDArray[np.bool_] | None = None,
        vulnerability: NDArray[np.uint8] | None = None,
    ) -> pa.RecordBatch:
        if rows is not None:
            numbers = rows.arrays.get("number")
            # Without numbers every board is taken for the first: North deals, nobody is vulnerable.
            standard = _standard_situations(np.ones(len(rows), np.int64) if numbers is None else numbers)
            found = _derived_columns(
                {hand: rows.arrays[hand] for hand in HANDS if hand in rows.arrays},
                rows.absent.get("deal"),
                _known_tricks(rows),
                standard[0] if ew_deals is None else ew_deals,
                standard[1] if vulnerability is None else vulnerability,
            )
            for column in self.derived:
                one = found[column.name]
                values = pa.array(one.values, mask=one.absent)
                # The 39 shapes and 71 contracts are stored once, a row has an index of one byte.
                made.append(pa.DictionaryArray.from_arrays(values, pa.array(one.words)) if one.words else values)
        return pa.record_batch(made, schema=self.schema)


def _derived_type(column: TermColumn) -> pa.DataType:
    if column.type is str:
        return pa.dictionary(pa.uint8(), pa.string())
    # Points are below 8,000, all other numbers are counts of cards and honours.
    return pa.int16() if column.type is int else pa.uint8()


def _known_tricks(rows: Rows) -> NDArray[np.uint8] | None:
    """Return the trick tables of rows, unknown in those that state none; None where the source has none."""
    tricks, absent = rows.arrays.get("tricks"), rows.absent.get("tricks")
    # 15 is the model's mark of an unknown cell: par is then absent for these boards.
    return tricks if tricks is None or absent is None else np.where(absent[:, None], np.uint8(15), tricks)


def _array(column: TermColumn, rows: Rows) -> pa.Array:
    """Return a column of the rows: from its array, or from the boards of the rows that were read one by one."""
    values = rows.arrays.get(column.name)
    if values is None:
        shape = shape_of(column.type)
        stated = {row: value for row, board in rows.read.items() if (value := column.value(board)) is not None}
        # Arrow would infer the null type from a list of None, and every batch must have the type of the schema.
        if not stated:
            return pa.nulls(len(rows), shape.arrow)
        return pa.array([shape.plain(stated.get(row)) for row in range(len(rows))], shape.arrow)
    absent = rows.absent.get("deal" if column.name in (*HANDS, OUT) else column.name)
    if values.ndim == 1:
        return pa.array(values, mask=absent)
    mask = None if absent is None else pa.array(absent)
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1], mask=mask)


# --- derived columns -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """A derived column: its values, and which rows have none (None: all have one). The values of a text are indexes into
    ``words``.
    """

    values: NDArray[np.generic]
    absent: NDArray[np.bool_] | None = None
    words: tuple[str, ...] = ()


def _derived_columns(
    masks: Mapping[str, Masks],
    absent: NDArray[np.bool_] | None,
    tricks: NDArray[np.uint8] | None,
    ew_deals: NDArray[np.bool_],
    vulnerability: NDArray[np.uint8],
) -> dict[str, DerivedColumn]:
    """Return the derived columns of boards, from the masks of their hands (``absent`` marks boards without a deal) and from their
    trick tables. Values that are not known are absent: the terms of a hand that has not thirteen cards, and par without all twenty
    results; a table of zeros counts as unsolved.
    """
    found: dict[str, DerivedColumn] = {}
    for hand in HANDS if masks else ():
        terms = _hand_terms(masks[hand])
        # The terms are defined for thirteen cards, and the index of a shape for lengths of that sum.
        none: NDArray[np.bool_] = np.asarray(terms[:4].sum(axis=0) != 13, np.bool_)
        if absent is not None:
            np.logical_or(none, absent, out=none)
        gone: NDArray[np.bool_] | None = none if none.any() else None
        for at, name in enumerate((*SUITS, "hcp", "controls", "losers")):
            found[f"{hand}_{name}"] = DerivedColumn(terms[at], gone)
        found[f"{hand}_shape"] = DerivedColumn(terms[7], gone, _shapes()[0])
    if tricks is not None:
        # A table of zeros is one that was never solved: the side with the ace of trumps wins a trick.
        unknown: NDArray[np.bool_] = np.asarray((tricks > 13).any(axis=1) | ~tricks.any(axis=1), np.bool_)
        some = bool(unknown.any())
        best = pars(np.where(unknown[:, None], 0, tricks) if some else tricks, ew_deals, vulnerability)
        gone = unknown if some else None
        found["par_score"] = DerivedColumn(best.score, gone)
        found["par_contract"] = DerivedColumn(best.contract, gone, CONTRACTS)
        passed = best.contract == 0
        found["par_side"] = DerivedColumn(best.by_ew.view(np.uint8), passed if gone is None else passed | gone, _SIDES)
    return found


def _hand_terms(mask: Masks) -> NDArray[np.uint8]:
    """Return the terms of many hands, shape (8, N): the four lengths, high-card points, controls, losers, and the index of the
    shape.

    >>> _hand_terms(np.array([0b11111 << 47 | 1 << 38 | 1 << 25 | 0b111111 << 7], np.uint64))[:7, 0].tolist()
    [5, 1, 1, 6, 28, 10, 0]
    """
    count = len(mask)
    found = np.empty((8, count), np.uint8)
    tables = _octets()
    places = _shapes()[1]
    for low in range(0, count, _BLOCK):
        part = mask[low : low + _BLOCK]
        # Indices are below 8,192 by their making; "clip" spares NumPy the test of each.
        total = tables[3].take((part & _HOLDING).view(np.int64), mode="clip")
        for suit in (0, 1, 2):
            holding = (part >> np.uint64(13 * (3 - suit))) & _HOLDING
            total += tables[suit].take(holding.view(np.int64), mode="clip")
        # The order of bytes is stated: on a machine with the other one the terms would be read backwards.
        octets = total.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8).T
        found[:7, low : low + _BLOCK] = octets[:7]
        lengths = octets[:3].astype(np.intp)
        found[7, low : low + _BLOCK] = places.take(196 * lengths[0] + 14 * lengths[1] + lengths[2], mode="clip")
    return found


@cache
def _octets() -> list[NDArray[np.uint64]]:
    """Return for each suit a table over its holdings, packed in bytes: its length at the suit's byte, then a byte for each term."""
    shared = np.zeros(8192, np.uint64)
    for at, name in enumerate(("high", "controls", "losers")):
        # Sums over four suits stay in their byte: 40 points, 12 controls, 12 losers, 13 cards at most.
        shared |= TABLES[name].astype(np.uint64) << np.uint64(32 + 8 * at)
    lengths = TABLES["length"].astype(np.uint64)
    return [shared + (lengths << np.uint64(8 * suit)) for suit in range(4)]


@cache
def _shapes() -> tuple[tuple[str, ...], NDArray[np.uint8]]:
    """Return every shape, and the index of the shape by ``196 * spades + 14 * hearts + diamonds``."""
    names: dict[str, int] = {}
    places = np.zeros(14**3, np.uint8)
    for spades, hearts, diamonds in product(range(14), repeat=3):
        clubs = 13 - spades - hearts - diamonds
        if clubs >= 0:
            name = "".join(map(str, sorted((spades, hearts, diamonds, clubs), reverse=True)))
            # Three lengths determine the fourth, so base 14 with three digits is enough.
            places[196 * spades + 14 * hearts + diamonds] = names.setdefault(name, len(names))
    return tuple(names), places


def _standard_situations(numbers: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Return whether East or West deals, and the vulnerability, by the numbers of boards.

    >>> [part.tolist() for part in _standard_situations(np.array([1, 2, 16]))]
    [[False, True, True], [0, 1, 2]]
    """
    return _EW_DEALS[numbers % 4], _VULNERABLE[numbers % 16]


# --- back ---------------------------------------------------------------------------------------------------------------


def boards_of(batch: pa.RecordBatch) -> Iterator[Board]:
    """Yield the boards of a batch, from the columns that a table of boards has. Raises UsageError where it has none of them.

    Derived columns and columns of other names are ignored.
    """
    terms = terms_of(batch.schema.names)
    if not terms:
        raise UsageError(f"these columns make no board: {', '.join(batch.schema.names)}; a deal is {', '.join(HANDS)}")
    shapes = {column.name: shape_of(column.type) for term in terms for column in TERMS[term].columns()}
    names = [name for name in shapes if name in batch.schema.names]
    # Column by column: converting a value at a time would create an Arrow scalar for each.
    lists = [batch.column(name).to_pylist() for name in names]
    for values in zip(*lists, strict=True):
        try:
            row = {name: shapes[name].model(value) for name, value in zip(names, values, strict=True)}
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            raise WriteError(f"a row of the table is not a board: {problem}") from None
        yield board_of(row, terms)


def said_of(batch: pa.RecordBatch, term: str) -> NDArray[np.bool_]:
    """Return which rows of a batch have a value in some column of a term."""
    said = np.zeros(batch.num_rows, np.bool_)
    for column in TERMS[term].columns():
        if column.name in batch.schema.names:
            found = batch.column(column.name)
            # is_valid makes an array of booleans, which a column without a value needs not.
            if found.null_count < len(found):
                said |= found.is_valid().to_numpy(zero_copy_only=False)
    return said


def rows_of(batch: pa.RecordBatch) -> Rows:
    """Return the arrays of a batch, for the columns of `Rows`."""
    names = batch.schema.names
    arrays: dict[str, NDArray[Any]] = {FINDINGS: np.zeros(batch.num_rows, np.int64)}
    absent: dict[str, Absent] = {}
    for name, kind in (*((hand, np.uint64) for hand in (*HANDS, OUT)), ("number", np.int64)):
        if name in names:
            column = batch.column(name)
            # A null in `out` means that no card is out of play, not that the board has no deal.
            if column.null_count and name != OUT:
                gone = column.is_null().to_numpy(zero_copy_only=False)
                term = "deal" if name in HANDS else name
                # A board has a deal where some of its hands is there.
                absent[term] = absent[term] & gone if term in absent else gone
            elif name in HANDS:
                absent["deal"] = np.zeros(batch.num_rows, np.bool_)
            # NumPy has no null for integers: with nulls Arrow would convert to floats, which lose the low cards of a mask.
            column = pc.fill_null(column, 0) if column.null_count else column
            arrays[name] = np.ascontiguousarray(column.to_numpy(zero_copy_only=False), kind)
    if "tricks" in names:
        column = batch.column("tricks")
        cells = column.drop_null().flatten().to_numpy(zero_copy_only=False)
        tricks = np.full((batch.num_rows, 20), 15, np.uint8)
        there = ~column.is_null().to_numpy(zero_copy_only=False)
        tricks[there] = _twenty(cells, int(there.sum()))
        arrays["tricks"] = tricks
        if not there.all():
            absent["tricks"] = ~there
    return Rows(arrays, {term: gone for term, gone in absent.items() if gone.any()})


def _twenty(cells: NDArray[Any], rows: int) -> NDArray[np.uint8]:
    """Return trick tables, shape (rows, 20). Raises WriteError for cells that make none."""
    if cells.size != 20 * rows or cells.dtype.kind not in "iu":
        raise WriteError("the column tricks needs twenty numbers a row")
    if cells.size and (cells.min() < 0 or cells.max() > 15):
        raise WriteError("the column tricks holds a number that is not one of 0 to 15")
    return cells.astype(np.uint8, copy=False).reshape(-1, 20)


def _situations(batch: pa.RecordBatch) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Return for each row whether East or West deals, and the vulnerability: as stated, else by the number of the board."""
    names = batch.schema.names
    numbers = pc.fill_null(batch.column("number"), 1) if "number" in names else np.ones(batch.num_rows, np.int64)
    ew_deals, vulnerability = _standard_situations(np.asarray(numbers))
    if "dealer" in names:
        stated = batch.column("dealer").to_pylist()
        ew_deals = np.array([own if seat is None else seat in "EW" for own, seat in zip(ew_deals, stated, strict=True)], np.bool_)
    if "vulnerability" in names:
        words = batch.column("vulnerability").to_pylist()
        values = [own if word is None else Vulnerability[word.upper()] for own, word in zip(vulnerability, words, strict=True)]
        vulnerability = np.array(values, np.uint8)
    return ew_deals, vulnerability
