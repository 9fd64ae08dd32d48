"""Arrays over the model's axes: where in a file each cell of a deal or a trick table stands, and in which code.

A schema says what the positions of an array mean (`Axis`), possibly over several nested levels: 52 codes in a row, four suits
of thirteen base-5 digits each, five results of the hand that another field names. A `Shape` is that, resolved: it reads
the cells of a node into the model's own order and makes the plain values that a writer takes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridgespec.codec.node import Node
from bridgespec.model.cards import RANKS, SEATS, STRAINS, SUITS
from bridgespec.spec.ir import Axis, Spec

_SCALES: Mapping[str, Mapping[str, int]] = {
    "suit": {letter: 13 * index for index, letter in enumerate(SUITS)},
    "rank": {letter: index for index, letter in enumerate(RANKS)},
    "strain": {letter: 4 * index for index, letter in enumerate(STRAINS)},
    "seat": {letter: index for index, letter in enumerate(SEATS)},
}


class Unholdable(Exception):
    """The target cannot spell this cell; the message says what it is."""


def offsets(axes: Sequence[Axis]) -> list[int]:
    """The model's cell of each array position, the last axis running fastest.

    >>> offsets((Axis("strain", "NS"), Axis("seat", "WN")))
    [0, 1, 4, 5]
    """
    cells = [0]
    for axis in axes:
        scale = _SCALES.get(axis.name, {})
        if set(axis.labels) - set(scale):
            raise Unholdable(f"the axis {axis.name}: {axis.labels} is none of its cells'")
        cells = [cell + scale[label] for cell in cells for label in axis.labels]
    return cells


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of one cell: raw value to model value, and back (the first raw value of each is the one written)."""

    read: Mapping[int, int]
    write: Mapping[int, int]

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, int]]) -> Codes:
        """From raw, model pairs."""
        write: dict[int, int] = {}
        for raw, value in pairs:
            write.setdefault(value, raw)
        return cls(dict(pairs), write)


class Shape(ABC):
    """One level of an array over the model's axes."""

    @abstractmethod
    def read(self, node: Node, base: int, cells: bytearray) -> None:
        """Put what the node holds into ``cells``; a code that means nothing leaves its cell as it was."""

    @abstractmethod
    def write(self, cells: Sequence[int], base: int) -> Any:
        """The plain value that holds these cells; `Unholdable` where a cell has no code."""

    @abstractmethod
    def places(self, node: Node, base: int) -> Iterator[tuple[int, Node]]:
        """Each cell with the node that holds it."""

    @abstractmethod
    def span(self, base: int) -> list[int]:
        """The cells below this level."""


@dataclass(frozen=True, slots=True)
class Leaf(Shape):
    """A single cell in a code."""

    codes: Codes

    def read(self, node: Node, base: int, cells: bytearray) -> None:
        """As `Shape.read`."""
        if isinstance(node.value, int):
            cells[base] = self.codes.read.get(node.value, cells[base])

    def write(self, cells: Sequence[int], base: int) -> int:
        """As `Shape.write`."""
        try:
            return self.codes.write[cells[base]]
        except KeyError:
            raise Unholdable(f"cell {base}") from None

    def places(self, node: Node, base: int) -> Iterator[tuple[int, Node]]:
        """As `Shape.places`."""
        yield base, node

    def span(self, base: int) -> list[int]:
        """As `Shape.span`."""
        return [base]


@dataclass(frozen=True, slots=True)
class DigitsShape(Shape):
    """An integer whose digits are cells, the least significant first."""

    base: int
    cells: list[int]
    codes: Codes

    def read(self, node: Node, base: int, cells: bytearray) -> None:
        """As `Shape.read`."""
        rest = node.value
        if not isinstance(rest, int):
            return
        for cell in self.cells:
            rest, digit = divmod(rest, self.base)
            cells[base + cell] = self.codes.read.get(digit, cells[base + cell])

    def write(self, cells: Sequence[int], base: int) -> int:
        """As `Shape.write`."""
        number = 0
        for cell in reversed(self.cells):
            try:
                number = number * self.base + self.codes.write[cells[base + cell]]
            except KeyError:
                raise Unholdable(f"cell {base + cell}") from None
        return number

    def places(self, node: Node, base: int) -> Iterator[tuple[int, Node]]:
        """As `Shape.places`: every digit stands in the whole number."""
        for cell in self.cells:
            yield base + cell, node

    def span(self, base: int) -> list[int]:
        """As `Shape.span`."""
        return [base + cell for cell in self.cells]


@dataclass(frozen=True, slots=True)
class RecordShape(Shape):
    """A record of which one field holds the cells; the others are derived or constant."""

    name: str
    inner: Shape

    def read(self, node: Node, base: int, cells: bytearray) -> None:
        """As `Shape.read`."""
        if self.name in node:
            self.inner.read(node[self.name], base, cells)

    def write(self, cells: Sequence[int], base: int) -> dict[str, Any]:
        """As `Shape.write`."""
        return {self.name: self.inner.write(cells, base)}

    def places(self, node: Node, base: int) -> Iterator[tuple[int, Node]]:
        """As `Shape.places`."""
        if self.name in node:
            yield from self.inner.places(node[self.name], base)

    def span(self, base: int) -> list[int]:
        """As `Shape.span`."""
        return self.inner.span(base)


@dataclass(frozen=True, slots=True)
class ArrayShape(Shape):
    """An array whose positions have meanings; where its length may vary, ``absent`` marks the cells that need no element."""

    cells: list[int]
    inner: Shape
    absent: int | None

    def read(self, node: Node, base: int, cells: bytearray) -> None:
        """As `Shape.read`."""
        children = node.children or ()
        if isinstance(self.inner, Leaf):
            read = self.inner.codes.read
            for cell, child in zip(self.cells, children, strict=False):
                value = read.get(child.value)  # type: ignore[arg-type]
                if value is not None:
                    cells[base + cell] = value
            return
        for cell, child in zip(self.cells, children, strict=False):
            self.inner.read(child, base + cell, cells)

    def write(self, cells: Sequence[int], base: int) -> list[Any]:
        """As `Shape.write`."""
        positions = self.cells
        if self.absent is not None:
            while positions and all(cells[at] == self.absent for at in self.inner.span(base + positions[-1])):
                positions = positions[:-1]
        return [self.inner.write(cells, base + cell) for cell in positions]

    def places(self, node: Node, base: int) -> Iterator[tuple[int, Node]]:
        """As `Shape.places`."""
        for cell, child in zip(self.cells, node.children or (), strict=False):
            yield from self.inner.places(child, base + cell)

    def span(self, base: int) -> list[int]:
        """As `Shape.span`."""
        return [at for cell in self.cells for at in self.inner.span(base + cell)]


def enum_codes(spec: Spec, enum: str, names: Mapping[str, int]) -> Codes:
    """The codes of an enum whose members carry the given names (members with other names stand for nothing)."""
    members = spec.enums[enum].members
    return Codes.of([(raw, names[member.name]) for raw, member in members.items() if member.name in names])
