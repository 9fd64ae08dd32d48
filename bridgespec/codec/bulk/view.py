"""Views: convert arrays of fields to deals and trick tables in the order and codes of the model, and back.

A view is made from the binding of a spec. It reorders elements and translates codes only where the format's differ from the
model's, so that reading a format with the model's order and codes copies nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgespec.codec.bulk.layout import BulkLeaf, Refusal
from bridgespec.codec.bulk.ordinals import CellArray, OrdinalView, bound_terms, is_deal_number
from bridgespec.codec.bulk.packed_checks import NOTHING, ArraysByName, unplayable
from bridgespec.codec.bulk.plan import BulkNumeral, RecordBytes, block
from bridgespec.codec.code_numbers import (
    HOLDERS,
    NUMBERS,
    CannotRepresent,
    HandCoder,
    codes_of,
    hand_coder,
    low_first,
    offsets,
    term_of,
)
from bridgespec.codec.code_numbers import SEATS as HANDS
from bridgespec.errors import RecordError
from bridgespec.model.cards import SEATS, Seat
from bridgespec.model.deal import OUT, UNKNOWN
from bridgespec.model.tricks import UNSOLVED
from bridgespec.spec.ir import Spec

_STEP = 4096
"""The number of records of which `HandsView` converts the hands at once."""


class CellsView:
    """Converts an array field whose elements are the 52 cards of a deal or the 20 cells of a trick table. Made once for each
    codec.

    ``read`` maps codes to the model's values, ``lenient`` codes to those as which they are read; ``empty`` is the value of a cell
    without an element. If the array has the cells of one seat only, ``at`` is the field that names the seat, and ``seats`` maps its
    codes to seats.
    """

    def __init__(self, leaf: BulkLeaf, size: int, read: Mapping[int, int], lenient: Mapping[int, int], empty: int) -> None:
        self.leaf, self.size, self.empty = leaf, size, empty
        try:
            self.cells = offsets(leaf.axes)
        except KeyError:
            self.cells = []
        named = len(self.cells) == leaf.count == len(set(self.cells)) and max(self.cells) < size
        if not named or leaf.width > 8 or leaf.kind not in ("int", "bits") or leaf.signed:
            raise Refusal(f"{leaf.decl.place}: {leaf.name} is not an array of codes whose positions are all named")
        self.at: BulkLeaf | None = None
        self.seats: dict[int, int] = {}
        self.table = np.full(256, NOTHING, np.uint8)
        """The model's value of each code."""
        self.back = np.full(256, -1, np.int16)
        """The code of each value of the model; -1 for a value without one."""
        for raw, value in read.items():
            if 0 <= raw < 256:
                self.table[raw] = value
                # Of several codes for one value the first is written.
                self.back[value] = raw if self.back[value] < 0 else self.back[value]
        for raw, other in lenient.items():
            if 0 <= raw < 256 and 0 <= other < 256:
                self.table[raw] = self.table[other]
        codes = 1 << leaf.width
        self.same_codes = bool((self.table[:codes] == np.arange(codes)).all())
        self.same_order = self.cells == list(range(size))
        self.order = np.argsort(np.array(self.cells))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields that the view reads."""
        return (self.leaf.name,) if self.at is None else (self.leaf.name, self.at.name)

    @property
    def whole(self) -> bool:
        """Whether the array has an element for every cell."""
        return sorted(self.cells) == list(range(self.size))

    def packed(self, records: RecordBytes) -> RecordBytes | None:
        """Return the packed bytes of cells in the model's order and codes, the first in the lowest bits; None for other cells."""
        leaf = self.leaf
        alike = self.same_codes and self.same_order and self.at is None and leaf.packed and leaf.lsb
        return records[:, leaf.bit // 8 :][:, : leaf.count * leaf.width // 8] if alike else None

    def read(self, arrays: ArraysByName) -> CellArray:
        """Return the cells, shape (records, size): the field's own array where it has the model's order and codes."""
        raw = arrays[self.leaf.name].reshape(-1, len(self.cells))
        if self.same_codes and self.same_order:
            return raw
        out = np.full((len(raw), self.size), self.empty, np.uint8)
        # Steps that stay in the processor's cache.
        step = block(4 * self.size)
        for low in range(0, len(raw), step):
            part, target = raw[low : low + step], out[low : low + step]
            if not self.same_codes:
                part = np.take(self.table, part, mode="clip")
            if self.at is not None:
                target[np.arange(len(part))[:, None], self._columns(arrays[self.at.name][low : low + step])] = part
            elif self.whole:
                # With the default mode, "raise", NumPy would fill a buffer and copy it to `out`.
                np.take(part, self.order, axis=1, out=target, mode="clip")
            else:
                target[:, self.cells] = part
        return out

    def _columns(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Return the index of each element's cell, one row for each record, given the codes of the seats (field `at`)."""
        seat = np.array([self.seats.get(code, 0) for code in range(256)])[raw.reshape(-1)]
        columns: NDArray[Any] = np.asarray(self.cells)[None, :] + seat[:, None]
        return columns

    def write(self, cells: CellArray, arrays: ArraysByName) -> dict[str, NDArray[Any]]:
        """Return the field's array, by its name; ``arrays`` has the seats of `at`. Raises RecordError for a value without code."""
        if self.at is not None:
            cells = np.take_along_axis(cells, self._columns(arrays[self.at.name]), axis=1)
        elif not self.same_order:
            cells = np.take(cells, self.cells, axis=1, mode="clip")
        if not self.same_codes:
            raw = np.take(self.back, cells, mode="clip")
            if raw.size and raw.min() < 0:
                record, place = (int(at) for at in np.argwhere(raw < 0)[0])
                raise RecordError(record, f"{self.leaf.name} has no code for {int(cells[record, place])}")
            cells = raw.astype(np.uint8)
        return {self.leaf.name: cells.reshape(-1, *self.leaf.shape)}

    def given(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return whether each record has cells: always true."""
        return np.ones(len(arrays[self.leaf.name]), np.bool_)

    def bad(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return a boolean for each record: whether the holders of its 52 cards are not a deal."""
        return unplayable(self.read(arrays))


class DigitsView:
    """Converts integer fields whose digits are the holders of cards; cards that no field has a digit for are unknown."""

    size = 52

    def __init__(self, leaf: BulkLeaf, base: int, read: Mapping[int, int]) -> None:
        self.leaf, self.base = leaf, base
        each = 1
        for axis in leaf.decl.binding.axes:
            each *= len(axis.labels)
        try:
            cells = np.array(offsets(leaf.axes)[: leaf.count * each]).reshape(-1, each)
        # Labels without a meaning, or a number of cells that is no multiple of ``each``: refused below.
        except (KeyError, ValueError):
            cells = np.empty((0, 1), np.int64)
        # Each card has one digit at most.
        named = cells.size == len(set(cells.ravel().tolist())) and cells.max(initial=0) < self.size
        if len(cells) != leaf.count or leaf.width >= 64 or not named:
            raise Refusal(f"{leaf.decl.place}: {leaf.name} is not an array of numbers whose digits are all named")
        self.cells = cells
        self.table = np.array([read.get(digit, NOTHING) for digit in range(base)], np.uint8)
        # Reversed, so that the first of several digits with one meaning wins.
        self.back = {value: digit for digit, value in reversed([*read.items()]) if digit < base}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields that the view reads."""
        return (self.leaf.name,)

    @property
    def whole(self) -> bool:
        """Whether every card has a digit."""
        return self.cells.size == self.size

    def read(self, arrays: ArraysByName) -> CellArray:
        """Return the holder of each card in slot order, shape (records, 52)."""
        rest = arrays[self.leaf.name].reshape(-1, len(self.cells)).astype(np.uint64)
        out = np.full((len(rest), self.size), UNKNOWN, np.uint8)
        base = np.uint64(self.base)
        for column in self.cells.T:
            rest, digit = np.divmod(rest, base)
            out[:, column] = self.table[digit.astype(np.intp)]
        return out

    def write(self, cells: CellArray, arrays: ArraysByName) -> dict[str, NDArray[Any]]:
        """Return an array for each field, by name. Raises RecordError if a card's holder has no digit."""
        digits = np.array([self.back.get(holder, -1) for holder in range(256)])[cells]
        if (wrong := np.argwhere(digits[:, self.cells.ravel()] < 0)).size:
            record, at = (int(one) for one in wrong[0])
            raise RecordError(record, f"{self.leaf.name} has no code for {int(cells[record, self.cells.ravel()[at]])}")
        weights = self.base ** np.arange(self.cells.shape[1])
        return {self.leaf.name: (digits[:, self.cells] * weights).sum(axis=2).reshape(-1, *self.leaf.shape)}

    def given(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return whether each record has cells: always true."""
        return np.ones(len(arrays[self.leaf.name]), np.bool_)

    def bad(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return a boolean for each record: whether its holders are not a deal; where some cards are unknown, whether a hand has
        more than 13 cards.
        """
        cells = self.read(arrays)
        if self.whole:
            return unplayable(cells)
        bad: NDArray[np.bool_] = (cells == NOTHING).any(axis=1)
        for seat in Seat:
            bad |= np.count_nonzero(cells == int(seat), axis=1) > 13
        return bad


class HandsView:
    """Converts fields that list the cards of a hand, as cards or as suit marks and ranks; the fourth hand may have no field."""

    size = 52

    def __init__(self, prefix: str, hands: Mapping[Seat, tuple[BulkLeaf, HandCoder]]) -> None:
        self.prefix, self.hands = prefix, dict(hands)
        missing = [seat for seat in Seat if seat not in hands]
        # One missing hand has all the cards that are in no other; the cards of two missing hands cannot be told apart.
        if len(missing) > 1:
            decl = next(iter(hands.values()))[0].decl
            raise Refusal(f"{decl.place}: {decl.name} is one of {len(hands)} hands; the others cannot be told apart")
        self.rest = int(missing[0]) if missing else OUT
        self.marked = any(coder.marks.read for _, coder in self.hands.values())
        self.numerals = {leaf.name: BulkNumeral.of(leaf) for leaf, _ in self.hands.values()}
        for leaf, coder in self.hands.values():
            shape = (17,) if self.marked else (13,) if self.numerals[leaf.name] is None else (13, leaf.shape[-1])
            if leaf.shape != shape or bool(coder.marks.read) != self.marked:
                raise Refusal(f"{leaf.decl.place}: {leaf.name} is not a hand of thirteen cards")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields that the view reads."""
        return tuple(leaf.name for leaf, _ in self.hands.values())

    @property
    def whole(self) -> bool:
        """Whether the fields give every card: always true."""
        return True

    def read(self, arrays: ArraysByName) -> CellArray:
        """Return the holder of each card, SA to C2, shape (records, 52). A code that is no card is skipped."""
        n = len(arrays[self.names[0]])
        out = np.empty((n, 52), np.uint8)
        for low in range(0, n, _STEP):
            out[low : low + _STEP] = self._read({name: arrays[name][low : low + _STEP] for name in self.names})[:, :52]
        return out

    def _read(self, arrays: ArraysByName) -> CellArray:
        """Return the holder of each card of a few records; column 53, after the cards in slot order, has no meaning."""
        n = len(arrays[self.names[0]])
        # Codes that are no cards are written to the 53rd column, so that none of them must be tested.
        slots = np.full((n, 53), self.rest, np.uint8)
        flat, base = slots.reshape(-1), np.arange(n) * 53
        for seat, (leaf, coder) in self.hands.items():
            numeral = self.numerals[leaf.name]
            raw = arrays[leaf.name] if numeral is None else numeral.read(arrays[leaf.name])
            suit = np.full(n, NOTHING, np.int16)
            for column in range(raw.shape[1]):
                codes = raw[:, column]
                if not self.marked:
                    flat[base + _lookup(coder.cards.read, codes, 52)] = seat
                    continue
                mark, rank = _lookup(coder.marks.read, codes, NOTHING), _lookup(coder.ranks.read, codes, NOTHING)
                suit = np.where(mark != NOTHING, mark, suit)
                # A rank before any suit mark has no suit: it is skipped here, and found by `bad`.
                flat[base + np.where((rank != NOTHING) & (suit != NOTHING), 13 * suit + rank, 52)] = seat
        return slots

    def write(self, cells: CellArray, arrays: ArraysByName) -> dict[str, NDArray[Any]]:
        """Return the fields' arrays by name, cards in slot order. Raises RecordError for the first deal that is not complete."""
        out = {leaf.name: np.empty((len(cells), *leaf.shape), np.uint8) for leaf, _ in self.hands.values()}
        for low in range(0, len(cells), _STEP):
            for name, part in self._write(cells[low : low + _STEP], low).items():
                out[name][low : low + _STEP] = part
        return out

    def _write(self, cells: CellArray, first: int) -> dict[str, NDArray[Any]]:
        """Return the fields' arrays by name for a few deals; errors count records from ``first`` on."""
        by_seat = [cells == seat for seat in Seat]
        for seat, mine in zip(Seat, by_seat, strict=True):
            sizes = mine.sum(axis=1)
            if (sizes != 13).any():
                at = int(np.argmax(sizes != 13))
                raise RecordError(first + at, f"{SEATS[seat]} has {int(sizes[at])} cards; the format holds thirteen")
        out: dict[str, NDArray[Any]] = {}
        for seat, (leaf, coder) in self.hands.items():
            mine = by_seat[seat]
            if self.marked:
                codes = [coder.marks.write[suit] if at < 0 else coder.ranks.write[at] for suit in range(4) for at in range(-1, 13)]
                always = np.ones((len(cells), 1), np.bool_)
                mine = np.concatenate([p for suit in range(4) for p in (always, mine[:, 13 * suit : 13 * suit + 13])], axis=1)
            else:
                codes = [coder.cards.write[slot] for slot in range(52)]
            places = np.nonzero(mine)[1]
            spelled = np.array(codes)[places].reshape(len(cells), -1)
            numeral = self.numerals[leaf.name]
            out[leaf.name] = spelled if numeral is None else numeral.write(spelled, leaf.name)
        return out

    def given(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return a boolean for each record: whether it has hands. False where the fields of all hands are blank."""
        given = np.ones(len(arrays[self.names[0]]), np.bool_)
        if all(coder.blank for _, coder in self.hands.values()):
            rows = np.arange(len(given))
            for leaf, coder in self.hands.values():
                # The first character decides nearly every record: all characters are compared only for the few that begin blank.
                blank = _members(coder.blank)
                rows = rows[blank[arrays[leaf.name][rows, 0]]]
                rows = rows[blank[arrays[leaf.name][rows]].all(axis=1)]
            given[rows] = False
        return given

    def bad(self, arrays: ArraysByName) -> NDArray[np.bool_]:
        """Return a boolean for each record: whether its hands are not a complete deal, or have a code without a meaning."""
        bad = unplayable(self.read(arrays), whole=True)
        # Thirteen cards leave no element for a code without a meaning, but a list with marks may have it in place of a mark.
        for leaf, coder in self.hands.values() if self.marked else ():
            bad |= ~_members({*coder.marks.read, *coder.ranks.read})[arrays[leaf.name]].all(axis=1)
            for suit in range(4):
                marks = _members([code for code, of in coder.marks.read.items() if of == suit])
                bad |= marks[arrays[leaf.name]].sum(axis=1) != 1
        return bad


def _members(codes: Collection[int]) -> NDArray[np.bool_]:
    """Return a boolean for each byte value: whether it is one of ``codes``."""
    return np.isin(np.arange(256), list(codes))


DealView = CellsView | DigitsView | HandsView | OrdinalView
"""The classes that convert deals of records: `read` and `write` with cells in slot order, `given` and `bad` for the checks."""


class NumberView:
    """Reads a field with a number of a board: of the record's own board, or of the first or last board of the file."""

    def __init__(self, leaf: BulkLeaf) -> None:
        self.leaf, self.numeral = leaf, BulkNumeral.of(leaf)
        binding = leaf.decl.binding
        plain = leaf.kind in ("int", "bits") and not leaf.shape and not leaf.signed and not binding.lenient and leaf.width < 64
        is_text = self.numeral is not None and len(leaf.shape) == 1
        if len(leaf.chain) != 2 or leaf.decl.enum is not None or not (plain or is_text):
            raise Refusal(f"{leaf.decl.place}: {leaf.name} is not one number of a record")

    def read(self, arrays: ArraysByName) -> NDArray[np.int64]:
        """Return the numbers, shape (records,): negative where the field is blank (`BLANK`) or no number (`WRONG`)."""
        raw = arrays[self.leaf.name]
        return raw.astype(np.int64) if self.numeral is None else self.numeral.read(raw)


def number_views(leaves: Mapping[str, BulkLeaf]) -> dict[str, NumberView | None]:
    """Return the views of the numbers in a record by term; None for a term with several fields, or one that arrays cannot read."""
    found: dict[str, NumberView | None] = {}
    for leaf in leaves.values():
        term = term_of(leaf.decl)
        if term in NUMBERS:
            try:
                found[str(term)] = None if term in found else NumberView(leaf)
            except Refusal:
                found[str(term)] = None
    return found


def _lookup(codes: Mapping[int, int], raw: NDArray[Any], otherwise: int) -> NDArray[Any]:
    """Return the values of an array of codes; ``otherwise`` for a code that is not in ``codes``."""
    top = max(codes, default=0)
    # One entry below and one above the codes: `clip` takes every other value to one of these.
    table = np.array([codes.get(code, otherwise) for code in range(-1, top + 2)])
    return table.astype(np.int16).take(raw.astype(np.int64) + 1, mode="clip")


def tricks_legal(leaf: BulkLeaf) -> Mapping[int, int]:
    """Return the model's value for each raw value of a trick cell: 0 to 13 are themselves, the field's code for unknown is 15.

    Fourteen is mapped to itself, though it has no meaning: checks mark it, and no conversion may change it silently.
    """
    values = {value: value for value in range(min(15, 1 << leaf.width))}
    if leaf.decl.binding.unknown is not None:
        values[leaf.decl.binding.unknown] = UNSOLVED
    return values


def deal_views(spec: Spec, leaves: Mapping[str, BulkLeaf]) -> list[DealView]:
    """Return a view for each deal that a record has, preferred ones first. Raises Refusal for a bound field that arrays cannot
    read.
    """
    found: list[tuple[bool, DealView]] = []
    groups: dict[str, dict[Seat, tuple[BulkLeaf, HandCoder]]] = {}
    cells = [leaf for leaf in leaves.values() if leaf.decl.binding.role is not None]
    for leaf in leaves.values():
        terms = bound_terms(leaf)
        prefer = any(decl.binding.prefer for decl in leaf.chain)
        if is_deal_number(leaf, terms):
            found.append((prefer, OrdinalView(leaf, low_first(spec, leaf.decl))))
        elif "deal" in terms:
            view = _card_view(spec, leaf, terms, cells)
            if view is not None:
                found.append((prefer, view))
        elif terms[-1] in HANDS:
            prefix = leaf.name[: len(leaf.name) - len(leaf.decl.name)]
            try:
                coder = hand_coder(spec, leaf.decl)
            except CannotRepresent as problem:
                raise Refusal(f"{leaf.decl.place}: {leaf.name}: {problem}") from None
            groups.setdefault(prefix, {})[HANDS[str(terms[-1])]] = (leaf, coder)
    for prefix, hands in groups.items():
        prefer = any(decl.binding.prefer for leaf, _ in hands.values() for decl in leaf.chain)
        found.append((prefer, HandsView(prefix.rstrip("."), hands)))
    # A stable sort: views that are equally preferred stay in file order.
    found.sort(key=lambda pair: not pair[0])
    return [view for _, view in found]


def _card_view(spec: Spec, leaf: BulkLeaf, terms: Sequence[str | None], cells: Sequence[BulkLeaf]) -> DealView | None:
    """Return the view of a field of a deal with the holders of its cards; None for a field beside the ``cells`` of cards, such as
    the flag that ends a list. Raises Refusal for any other field.
    """
    digits, enum = leaf.decl.binding.digits, leaf.decl.enum
    if digits is not None and digits.enum is not None:
        return DigitsView(leaf, digits.base, codes_of(spec.enums[digits.enum], HOLDERS).read)
    if enum is not None:
        view = CellsView(leaf, 52, codes_of(spec.enums[enum], HOLDERS).read, leaf.decl.binding.lenient, NOTHING)
        if not view.whole:
            raise Refusal(f"{leaf.decl.place}: {leaf.name} names {len(view.cells)} of the 52 cards")
        return view
    if terms[-1] != "deal" and leaf.decl.binding.role is None and any("deal" in bound_terms(one) for one in cells):
        return None
    raise Refusal(f"{leaf.decl.place}: {leaf.name} holds its cards in other than one code each")


def tricks_view(spec: Spec, leaves: Mapping[str, BulkLeaf]) -> CellsView | None:
    """Return the view of a record's trick table; None without one. Raises Refusal for a bound field that arrays cannot read."""
    for leaf in leaves.values():
        if "tricks" not in bound_terms(leaf):
            continue
        view = CellsView(leaf, 20, tricks_legal(leaf), leaf.decl.binding.lenient, UNSOLVED)
        other = next((decl.binding.at["seat"] for decl in leaf.chain if "seat" in decl.binding.at), None)
        if other is not None:
            view.at = leaves.get(leaf.name[: len(leaf.name) - len(leaf.decl.name)] + other)
            if view.at is None or view.at.decl.enum is None or view.at.count != 1:
                raise Refusal(f"{leaf.decl.place}: {leaf.name} has the cells of one seat, and {other} does not hold its name")
            view.seats = dict(codes_of(spec.enums[view.at.decl.enum], HOLDERS).read)
            # The columns depend on the seat of each record, so that the array is never the model's own.
            view.same_order = False
        return view
    return None
