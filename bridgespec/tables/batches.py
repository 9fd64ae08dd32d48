"""Convert boards, or boards as arrays (`Rows`), to record batches of Arrow (`TableLayout`), and back (`boards_of`, `rows_of`).

Derived columns are computed from arrays (`_derived_columns`): the terms of a hand by a table over the 8,192 holdings of each suit,
which has all terms of a holding in one number, and par by `tables.par_arrays`. The functions of `model.evaluate` define the terms.
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
from bridgespec.tables.column_values import column_type
from bridgespec.tables.columns import FINDINGS, HANDS, OUT, SUITS, board_of, columns_of, derived_of, terms_of
from bridgespec.tables.par_arrays import CONTRACTS, pars

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa, pc = Extra("pyarrow"), Extra("pyarrow.compute")

Absent = NDArray[np.bool_]
_BLOCK = 1 << 14
"""The number of hands whose terms are computed at a time."""
_SIDES = ("NS", "EW")
# Whether East or West deals by the board's number modulo 4, and the vulnerability by the number modulo 16.
_EW_DEALS = np.array([standard_dealer(number).side is Side.EW for number in range(4)])
_VULNERABLE = np.array([standard_vulnerability(number) for number in range(16)], np.uint8)
_HOLDING = np.uint64(8191)


@dataclass(slots=True)
class Rows:
    """Consecutive boards as arrays by column. Created by `rows_of` from a batch, or from records of a file.

    The columns are ``number``, the hands and `OUT` as masks, ``tricks`` of shape (N, 20) and `FINDINGS`, as far as the source has
    them. ``absent`` has for some terms an array that marks the rows which do not state the term. ``read`` has, by row, the boards
    that were read one by one and may state other terms.
    """

    arrays: dict[str, NDArray[Any]]
    absent: dict[str, Absent] = field(default_factory=dict)
    read: dict[int, Board] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.arrays[FINDINGS])


class TableLayout:
    """The columns of a table, with Arrow's schema, and the conversion of boards to its batches. Created for each table that is
    written.

    The columns are those of ``terms``, which its boards state, and the derived columns if requested. ``metadata`` is that of the
    schema.
    """

    def __init__(self, terms: Iterable[str], with_derived: bool = False, metadata: Mapping[bytes, bytes] | None = None) -> None:
        self.terms = frozenset(terms)
        self.columns = columns_of(self.terms)
        self.derived = derived_of(self.terms) if with_derived else ()
        self.schema = pa.schema(
            [
                *((column.name, column_type(column.type).arrow) for column in self.columns),
                *((column.name, _derived_type(column)) for column in self.derived),
            ],
            metadata=dict(metadata or {}),
        )

    @classmethod
    def widened(cls, schema: pa.Schema) -> TableLayout:
        """Return the layout of a table with the columns of ``schema`` and the derived columns that it lacks."""
        layout = cls(terms_of(schema.names))
        layout.derived = tuple(column for column in derived_of(layout.terms) if column.name not in schema.names)
        for column in layout.derived:
            schema = schema.append(pa.field(column.name, _derived_type(column)))
        layout.schema = schema
        return layout

    def widen(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a batch of the original schema, extended by the derived columns of the layout."""
        return self._with_derived(list(batch.columns), rows_of(batch), *_situations(batch))

    def of_boards(self, boards: Sequence[Board], findings: Sequence[int]) -> pa.RecordBatch:
        """Return the batch of boards, with their numbers of findings. Raises WriteError for a value out of its column's range."""
        made = []
        for column in self.columns:
            shape = column_type(column.type)
            # Findings are about the source of a board, and are not part of the board.
            values = findings if column.name == FINDINGS else [shape.plain(column.value(board)) for board in boards]
            try:
                made.append(pa.array(values, shape.arrow))
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as problem:
                raise WriteError(f"the column {column.name} cannot hold a value: {problem}") from None
        batch = pa.record_batch(made, names=[column.name for column in self.columns])
        return self._with_derived(made, rows_of(batch) if self.derived else None, *_situations(batch))

    def of_rows(self, rows: Rows) -> pa.RecordBatch:
        """Return the batch of boards that are given as arrays."""
        made = [_array(column, rows) for column in self.columns]
        return self._with_derived(made, rows if self.derived else None)

    def _with_derived(
        self,
        made: list[pa.Array],
        rows: Rows | None,
        ew_deals: NDArray[np.bool_] | None = None,
        vulnerability: NDArray[np.uint8] | None = None,
    ) -> pa.RecordBatch:
        """Return a batch of the columns ``made`` and of the derived columns, which are computed from ``rows`` (None: there are
        none).

        Dealer and vulnerability are by the board's number if they are None.
        """
        if rows is not None:
            numbers = rows.arrays.get("number")
            # Without numbers every board is treated as board 1: North deals, nobody is vulnerable.
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
    """Return Arrow's type of a derived column."""
    if column.type is str:
        return pa.dictionary(pa.uint8(), pa.string())
    # Points are below 8,000, all other numbers are counts of cards and honours.
    return pa.int16() if column.type is int else pa.uint8()


def _known_tricks(rows: Rows) -> NDArray[np.uint8] | None:
    """Return the trick tables of rows, with unknown cells (15) in rows that state no table; None if no row does."""
    tricks, absent = rows.arrays.get("tricks"), rows.absent.get("tricks")
    return tricks if tricks is None or absent is None else np.where(absent[:, None], np.uint8(15), tricks)


def _array(column: TermColumn, rows: Rows) -> pa.Array:
    """Return a column of rows as an array of Arrow: from its NumPy array, or if there is none from `Rows.read`."""
    values = rows.arrays.get(column.name)
    if values is None:
        shape = column_type(column.type)
        stated = {row: value for row, board in rows.read.items() if (value := column.value(board)) is not None}
        # Every batch must have the type of the schema; from a list of None Arrow would infer the null type.
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
    """The values of a derived column. Created by `_derived_columns`.

    ``absent`` marks the rows without a value (None: there are none). If ``words`` is not empty, the column is text, and ``values``
    are indices of ``words``.
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
    """Return the derived columns of boards by name, from the masks of their hands and from their trick tables.

    ``absent`` marks boards without a deal. A value is absent if it is not known: a term of a hand that has not thirteen cards, and
    par of a table that is incomplete or consists of zeros.
    """
    found: dict[str, DerivedColumn] = {}
    for hand in HANDS if masks else ():
        terms = _hand_terms(masks[hand])
        none: NDArray[np.bool_] = np.asarray(terms[:4].sum(axis=0) != 13, np.bool_)
        if absent is not None:
            np.logical_or(none, absent, out=none)
        gone: NDArray[np.bool_] | None = none if none.any() else None
        for at, name in enumerate((*SUITS, "hcp", "controls", "losers")):
            found[f"{hand}_{name}"] = DerivedColumn(terms[at], gone)
        found[f"{hand}_shape"] = DerivedColumn(terms[7], gone, _shapes()[0])
    if tricks is not None:
        # A table of zeros was never solved: the side with the ace of trumps wins a trick.
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
        # Every index is below 8,192; with "clip" NumPy does not test it.
        total = tables[3].take((part & _HOLDING).view(np.int64), mode="clip")
        for suit in (0, 1, 2):
            holding = (part >> np.uint64(13 * (3 - suit))) & _HOLDING
            total += tables[suit].take(holding.view(np.int64), mode="clip")
        # Little-endian on every machine, so that byte i is the i-th term.
        octets = total.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8).T
        found[:7, low : low + _BLOCK] = octets[:7]
        lengths = octets[:3].astype(np.intp)
        found[7, low : low + _BLOCK] = places.take(196 * lengths[0] + 14 * lengths[1] + lengths[2], mode="clip")
    return found


@cache
def _octets() -> list[NDArray[np.uint64]]:
    """Return for each suit a table over its holdings. A number has the length in byte 0 to 3 (the suit), and high-card points,
    controls and losers in bytes 4 to 6, so that the sum over the suits has the terms of the hand.
    """
    shared = np.zeros(8192, np.uint64)
    for at, name in enumerate(("high", "controls", "losers")):
        # Sums over four suits fit in a byte: at most 40 points, 12 controls, 12 losers, 13 cards.
        shared |= TABLES[name].astype(np.uint64) << np.uint64(32 + 8 * at)
    lengths = TABLES["length"].astype(np.uint64)
    return [shared + (lengths << np.uint64(8 * suit)) for suit in range(4)]


@cache
def _shapes() -> tuple[tuple[str, ...], NDArray[np.uint8]]:
    """Return the names of all shapes, and the index of a hand's shape by ``196 * spades + 14 * hearts + diamonds`` (lengths)."""
    names: dict[str, int] = {}
    places = np.zeros(14**3, np.uint8)
    for spades, hearts, diamonds in product(range(14), repeat=3):
        clubs = 13 - spades - hearts - diamonds
        if clubs >= 0:
            name = "".join(map(str, sorted((spades, hearts, diamonds, clubs), reverse=True)))
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
    """Yield the boards of a batch, by the columns of terms; other columns are ignored.

    Raises UsageError if the batch has no column of a term, and WriteError for a row that is no board.
    """
    terms = terms_of(batch.schema.names)
    if not terms:
        raise UsageError(f"these columns make no board: {', '.join(batch.schema.names)}; a deal is {', '.join(HANDS)}")
    shapes = {column.name: column_type(column.type) for term in terms for column in TERMS[term].columns()}
    names = [name for name in shapes if name in batch.schema.names]
    # By columns: row by row Arrow would create a scalar object for each value.
    lists = [batch.column(name).to_pylist() for name in names]
    for values in zip(*lists, strict=True):
        try:
            row = {name: shapes[name].model(value) for name, value in zip(names, values, strict=True)}
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            raise WriteError(f"a row of the table is not a board: {problem}") from None
        yield board_of(row, terms)


def stated_rows(batch: pa.RecordBatch, term: str) -> NDArray[np.bool_]:
    """Return for each row of a batch whether it has a value in a column of a term."""
    stated = np.zeros(batch.num_rows, np.bool_)
    for column in TERMS[term].columns():
        if column.name in batch.schema.names:
            found = batch.column(column.name)
            # Columns without any value are frequent, and need no array.
            if found.null_count < len(found):
                stated |= found.is_valid().to_numpy(zero_copy_only=False)
    return stated


def rows_of(batch: pa.RecordBatch) -> Rows:
    """Return the boards of a batch as arrays; only the columns of `Rows` are converted."""
    names = batch.schema.names
    arrays: dict[str, NDArray[Any]] = {FINDINGS: np.zeros(batch.num_rows, np.int64)}
    absent: dict[str, Absent] = {}
    for name, kind in (*((hand, np.uint64) for hand in (*HANDS, OUT)), ("number", np.int64)):
        if name in names:
            column = batch.column(name)
            # A null in the column `OUT` means that no card is out of play; the board may have a deal.
            if column.null_count and name != OUT:
                gone = column.is_null().to_numpy(zero_copy_only=False)
                term = "deal" if name in HANDS else name
                # A board has a deal if any of its hands is not null.
                absent[term] = absent[term] & gone if term in absent else gone
            elif name in HANDS:
                absent["deal"] = np.zeros(batch.num_rows, np.bool_)
            # With nulls Arrow would convert to floats, which cannot represent all bits of a mask.
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
    """Return the cells of all rows as trick tables, (rows, 20). Raises WriteError if they are not 20 numbers from 0 to 15 a row."""
    if cells.size != 20 * rows or cells.dtype.kind not in "iu":
        raise WriteError("the column tricks needs twenty numbers a row")
    if cells.size and (cells.min() < 0 or cells.max() > 15):
        raise WriteError("the column tricks holds a number that is not one of 0 to 15")
    return cells.astype(np.uint8, copy=False).reshape(-1, 20)


def _situations(batch: pa.RecordBatch) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Return for each row whether East or West deals, and the vulnerability: as the row states, or by the number of the board."""
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
