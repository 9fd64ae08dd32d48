"""Arrays whose elements are the cells of a deal or a trick table: the model's position and the code of each element.

A schema gives the meaning of the positions of an array (`spec.ir.Axis`), possibly over several nested levels: 52 codes in a row,
four suits of thirteen digits each, five results of the hand that another field names. `level_of` compiles a declaration to a
`Level`, which reads and writes the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from bridgespec.codec.declaration import Declaration, FieldDeclaration
from bridgespec.codec.record_views import RecordView
from bridgespec.codec.terms._values import CannotRepresent, seats_named
from bridgespec.model import numbering
from bridgespec.model.cards import RANKS, SEATS, STRAINS, SUITS, Seat
from bridgespec.spec.ir import Axis, BitsType, Field, IntType

_SCALES: Mapping[str, Mapping[str, int]] = {
    "suit": {letter: 13 * index for index, letter in enumerate(SUITS)},
    "rank": {letter: index for index, letter in enumerate(RANKS)},
    "strain": {letter: 4 * index for index, letter in enumerate(STRAINS)},
    "seat": {letter: index for index, letter in enumerate(SEATS)},
    # The leader sits to the left of the declarer: West leads against South, whose cell is meant.
    "leader": {letter: (index + 3) % 4 for index, letter in enumerate(SEATS)},
}
ROOMS = "OC"
CELL = "cell"
"""The role of an array, or of the field of a digit or code in a record, whose values are cells."""
ORDINAL = "ordinal"
"""The role of the number of a deal or of a hand."""


def labels_of(axis: str) -> str:
    """Return the labels that an axis of this name may have; empty where there is no such axis."""
    return ROOMS if axis == "room" else "".join(_SCALES.get(axis, ()))


def offsets(axes: Sequence[Axis]) -> list[int]:
    """Return the index of the model's cell for each array position, the last axis varying fastest. For an axis of leaders it is
    the cell of the declarer.

    >>> offsets((Axis("strain", "NS"), Axis("seat", "WN")))
    [0, 1, 4, 5]
    """
    cells = [0]
    for axis in axes:
        scale = _SCALES.get(axis.name, {})
        if set(axis.labels) - set(scale):
            raise CannotRepresent(f"the axis {axis.name}: {axis.labels} is not one of its cells'")
        cells = [cell + scale[label] for cell in cells for label in axis.labels]
    return cells


def is_ordinal(field: Declaration | Field) -> bool:
    """Whether a field is the number of a deal or hand, so that its axes define how deals are numbered, not what its
    elements are.
    """
    return ORDINAL in (field.binding.role, field.name) or field.binding.term == f"deal.{ORDINAL}"


@cache
def ranking(axes: tuple[Axis, ...]) -> tuple[tuple[int, ...], numbering.Seats]:
    """Return the order of the cards (as slots) and of the seats in which deals are numbered. Raises `CannotRepresent` where the
    axes do not name each of them once.

    >>> order, seats = ranking((Axis("rank", "AKQJT98765432"), Axis("suit", "SHDC"), Axis("seat", "NESW")))
    >>> order[:4], seats[0].name
    ((0, 13, 26, 39), 'NORTH')
    """
    cards = tuple(axis for axis in axes if axis.name != "seat")
    labels = next((axis.labels for axis in axes if axis.name == "seat"), None)
    order = tuple(offsets(cards)) if cards else numbering.SUITED
    seats = numbering.WNES if labels is None else tuple(seats_named(labels))
    if sorted(order) != list(range(52)) or sorted(seats) != list(range(4)):
        raise CannotRepresent("its axes do not name each suit, rank and seat once")
    return order, seats


class Limb(NamedTuple):
    """How a long number is stored in an array of integers: ``width`` bits in each, and whether the first is the least
    significant.
    """

    width: int
    low_first: bool


def limb_of(decl: Declaration) -> Limb | None:
    """Return how an array of unsigned integers stores one long number; None for any other field."""
    kind = decl.field.type if isinstance(decl, FieldDeclaration) and decl.many else None
    if isinstance(kind, BitsType):
        return Limb(kind.bits, kind.endian == "le")
    # A long number is stored in unsigned integers only.
    if not isinstance(decl, FieldDeclaration) or not isinstance(kind, IntType) or kind.signed:
        return None
    return Limb(8 * kind.size, (kind.endian or decl.made.spec.meta.get("endian")) == "le")


Keep = Callable[[int, RecordView], object]
"""A callback that takes a cell's index and the view whose value it is."""


@dataclass(frozen=True, eq=False)
class CellCodes:
    """Converts the codes of cells: ``value`` returns the model's value for the name of a code and a number, None without a
    meaning; ``empty`` is the model's value of an unknown cell; ``digit`` maps names of digits to the model's values.
    """

    value: Callable[[str | None, Any], int | None]
    empty: int
    digit: Mapping[str, int]


class Level:
    """One level of an array over the model's axes, compiled from its declaration. Made by `level_of`, which caches it."""

    def __init__(self, decl: Declaration, codes: CellCodes) -> None:
        self.decl = decl
        self.codes = codes
        self.axes = decl.binding.axes
        self.places = offsets(self.axes)
        """The index of the cell for each position, relative to that of the first cell."""
        self.flips = any(axis.name == "leader" for axis in self.axes)
        """Whether the cells are tricks of North and South, by leader (`_turned`)."""
        self.base, self.start, self.names, self.high = _digits(decl)
        self.in_order = self.places == list(range(len(self.places)))
        self._table: dict[object, int] = {}
        """The cell for each value of an element; -1 for a value without a meaning."""
        self._spelled: dict[object, dict[int, Any]] = {}
        """By the function ``spell`` of `write`, its results by cell."""

    @cached_property
    def inner(self) -> Level | None:
        """The level of the cells inside the elements, where these are records; None where they are not."""
        found = [field for field in self.decl.fields.values() if CELL in (field.binding.role, field.name)]
        if not found and self.decl.kind == "record":
            found = [field for field in self.decl.fields.values() if not field.fixed and not field.binding.opaque]
        return level_of(found[0], self.codes) if len(found) == 1 else None

    def read(self, view: RecordView, base: int, cells: bytearray, keep: Keep | None = None) -> None:
        """Set the values of an array's elements in ``cells``, from cell ``base`` on. An element without a meaning leaves its cell
        unchanged. ``keep`` is called with the index and the view of each cell.
        """
        # Without a callback, plain values are read at once, without a view for each element.
        if keep is None and view.decl is self.decl and self.plain:
            self._read_values(view.raw_values, base, cells)
        elif view.decl is self.decl:
            self.read_items(view.items() if self.decl.many else [view], base, cells, keep)
        elif keep is None and not self.base and self.inner is None:
            values = [value for is_cell, value in view.each(self._cell) if is_cell]
            for place, value in zip(self.places, values, strict=False):
                if value is not None:
                    cells[base + place] = self._turned(place, value)
        else:
            self.read_items(view.roles(CELL), base, cells, keep)

    def _cell(self, role: str, view: RecordView) -> tuple[bool, int | None]:
        """Return whether a part is a cell, and its value."""
        return (True, self.codes.value(view.code, view.number)) if role == CELL else (False, None)

    def read_items(self, items: Sequence[RecordView], base: int, cells: bytearray, keep: Keep | None = None) -> None:
        """Set the values of the cells from ``base`` on by the views of an array's elements (``items``). ``keep`` is called with the
        index and the view of each cell.
        """
        # Digits are divided evenly among the numbers that the file has.
        each = max(1, len(self.places) // max(1, len(items))) if self.base else 1
        for index, view in enumerate(items):
            if self.base:
                self._read_digits(view, base, index * each, each, cells, keep)
                continue
            if index >= len(self.places):
                break
            place = base + self.places[index]
            if self.inner is not None:
                self.inner.read_items(view.roles(CELL), place, cells, keep)
                continue
            value = self.codes.value(view.code, view.number)
            if value is not None:
                cells[place] = self._turned(place, value)
            if keep is not None:
                keep(place, view)

    @property
    def plain(self) -> bool:
        """Whether each element is a code or a number of a binary file, so that all are read without making views."""
        return not self.base and self.inner is None and self.decl.many and not self.decl.of_text

    def _read_values(self, values: Sequence[object], base: int, cells: bytearray) -> None:
        """Set the values of the cells from ``base`` on by the decoded values of a `plain` array. A value without a meaning leaves
        its cell unchanged.
        """
        table = self._table
        try:
            found = [table[value] for value in values]
        except KeyError:
            for value in values:
                if value not in table:
                    known = self.codes.value(self.decl.name_of(value) if self.decl.kind == "code" else None, value)
                    table[value] = -1 if known is None else known
            found = [table[value] for value in values]
        # The usual array is copied as bytes.
        if self.in_order and not self.flips and len(found) == len(self.places) and min(found) >= 0:
            cells[base : base + len(found)] = bytes(found)
            return
        for place, cell in zip(self.places, found, strict=False):
            if cell >= 0:
                cells[base + place] = self._turned(place, cell)

    def _turned(self, place: int, value: int) -> int:
        """Convert the value of a cell by leader, the tricks of North and South, to the declarer's tricks, or back: 13 minus it
        for East and West.
        """
        return 13 - value if self.flips and place % 4 in (Seat.WEST, Seat.EAST) and value <= 13 else value

    def _read_digits(self, view: RecordView, base: int, at: int, each: int, cells: bytearray, keep: Keep | None) -> None:
        """Set the values of ``each`` cells of the array, from position ``at`` on, by the digits of one number. ``base`` is the
        index of the array's first cell; ``keep`` is called with the index and the view of each cell.
        """
        number = view.number
        rest = 0 if number is None else number - self.start
        places = self.places[at : at + each]
        # `divmod` gives the lowest digit first.
        for place in reversed(places) if self.high else places:
            rest, digit = divmod(rest, self.base)
            name = self.names.get(digit)
            if number is not None and name is not None and name in self.codes.digit:
                cells[base + place] = self.codes.digit[name]
            if keep is not None:
                keep(base + place, view)

    # --- writing

    def span(self, base: int = 0) -> list[int]:
        """Return the indexes of the cells that the array has elements for, if the first position is cell ``base``."""
        if self.inner is None:
            return [base + place for place in self.places]
        return [at for place in self.places for at in self.inner.span(base + place)]

    def write(self, cells: Sequence[int], base: int, spell: Callable[[Declaration, int], Any]) -> list[Any]:
        """Return the plain values of the array's elements for cells from ``base`` on; ``spell`` encodes a cell that is not a
        digit. Raises `CannotRepresent` where a cell has no code.
        """
        if self.base:
            return self._write_digits(cells, base)
        places = self.places
        if self.inner is not None:
            # A list of any length ends with the last record that has a known cell.
            if not self.decl.of_text and self.decl.size is None:
                while places and all(cells[at] == self.codes.empty for at in self.inner.span(base + places[-1])):
                    places = places[:-1]
            inner = self.inner
            found = [inner.write(cells, base + place, spell) for place in places]
            return [{inner.decl.name: one if inner.decl.many else one[0]} for one in found]
        values = [cells[base + place] for place in places]
        if self.flips:
            values = [self._turned(place, value) for place, value in zip(places, values, strict=True)]
        made = self._spelled.setdefault(spell, {})
        # Each different value is spelled once for all cells and boards.
        for value in set(values).difference(made):
            made[value] = spell(self.decl, value)
        return [made[value] for value in values]

    def _write_digits(self, cells: Sequence[int], base: int) -> list[int]:
        """Return the numbers whose digits are the values of the cells from ``base`` on. Raises `CannotRepresent` where a cell has
        no digit.
        """
        # Reversed, so that of two digits with one meaning the lower is written.
        values = {self.codes.digit[name]: digit for digit, name in reversed(self.names.items()) if name in self.codes.digit}
        each = self.per_element
        numbers = []
        for at in range(0, len(self.places), each):
            places = self.places[at : at + each]
            number = 0
            for place in places if self.high else reversed(places):
                if cells[base + place] not in values:
                    raise CannotRepresent(f"cell {base + place}")
                number = number * self.base + values[cells[base + place]]
            numbers.append(number + self.start)
        return numbers

    @property
    def per_element(self) -> int:
        """The number of digits in each element: as many as its type has room for."""
        if not self.decl.many:
            return len(self.places)
        letters = self.decl.numeral
        if letters is None:
            return len(self.places)
        count, size = 1, self.base
        while size * self.base <= len(letters.digits):
            count, size = count + 1, size * self.base
        return count


def _digits(decl: Declaration) -> tuple[int, int, dict[int, str], bool]:
    """Return how cells are the digits of a number: the base, the value of the number 0 0 ... 0, the names by digit, and whether the
    first cell is the highest digit. The base is 0 where cells are not digits.
    """
    word = decl.digits
    if word is None:
        return 0, 0, {}, False
    if isinstance(decl, FieldDeclaration):
        enum = decl.made.spec.enums.get(word.enum or "")
        return word.base, 0, {raw: member.name for raw, member in (enum.members if enum else {}).items()}, False
    return word.base, word.first, dict(enumerate(word.codes)), word.high


@lru_cache(256)
def level_of(decl: Declaration, codes: CellCodes) -> Level:
    """Return the compiled level of an array."""
    return Level(decl, codes)


def level_in(view: RecordView, codes: CellCodes) -> Level | None:
    """Return the compiled level for the cells that a view is or contains; None where it contains none."""
    if view.decl.binding.axes and (view.decl.kind != "record" or view.decl.many):
        return level_of(view.decl, codes) if view.is_present else None
    first = view.role(CELL) if view.has(CELL) else None
    return None if first is None else level_of(first.decl, codes)


def runs(view: RecordView) -> Iterator[tuple[RecordView | None, list[RecordView]]]:
    """Yield the cells of a record by seat: the part that names the seat, None before the first such part, and the cells."""
    seat: RecordView | None = None
    run: list[RecordView] = []
    for role, part in view.parts():
        if role == "seat":
            if run:
                yield seat, run
            seat, run = part, []
        elif role == CELL:
            run.append(part)
    if run:
        yield seat, run
