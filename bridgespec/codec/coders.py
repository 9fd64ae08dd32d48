"""Coders: how one bound field spells one model term, both ways.

A coder is made from a field's declaration alone. It reads a node into the model's value (None where the file says "not
given"), makes the plain value that a writer takes, and finds the nodes in which a place of the model stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bridgespec.codec.cells import ArrayShape, Codes, DigitsShape, Leaf, RecordShape, Shape, Unholdable, enum_codes, offsets
from bridgespec.codec.node import Node
from bridgespec.diagnostic import Severity, define
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, UNKNOWN
from bridgespec.model.tricks import UNSOLVED
from bridgespec.spec.ir import BytesType, Enum, Field, FieldType, RecordType, Repeat, Spec, StringType

UNKNOWN_CODE = define(
    "unknown-code",
    Severity.ERROR,
    """a value that stands for nothing

    The field holds a code, and the schema's list of codes lacks this one. What it was meant to say cannot be known; the place
    in the model stays empty and the bytes are kept.
    """,
)
NOT_A_NUMBER = define(
    "not-a-number",
    Severity.ERROR,
    """text that should be a decimal number

    The field holds a number written in digits, padded to its size. These characters are no such number.
    """,
)
BAD_HAND = define(
    "bad-hand",
    Severity.ERROR,
    """a hand that does not follow its form

    A hand is spelled as marks for the suits, each followed by the ranks held in it. Here a rank stands before any mark.
    """,
)

Report = Callable[[str, Severity, str, Node], None]
"""Takes a code, a severity, a message and the node that is wrong."""

SEAT_NAMES = {seat.name.lower(): int(seat) for seat in Seat}
HOLDER_NAMES = SEAT_NAMES | {"out": OUT, "unused": OUT, "none": OUT, "unknown": UNKNOWN}
VULNERABILITY_NAMES = {"none": 0, "ns": 1, "ew": 2, "both": 3, "all": 3}
CARD_NAMES = {str(Card(slot)).lower(): slot for slot in range(52)}
RANK_WORDS = ["ace", "king", "queen", "jack", "ten", "nine", "eight", "seven", "six", "five", "four", "three", "two"]
SUIT_WORDS = ["spades", "hearts", "diamonds", "clubs"]


class Coder(ABC):
    """One field's spelling of one term."""

    @abstractmethod
    def read(self, node: Node, report: Report) -> Any:
        """The model's value, or None where it is not given."""

    @abstractmethod
    def write(self, value: Any) -> Any:
        """The plain value for the writer; `Unholdable` where the field has no spelling for it."""

    def places(self, node: Node, place: tuple[str | int, ...]) -> list[Node]:
        """The nodes that hold the place of the model (the whole node unless finer ones are known)."""
        return [node]


def absent_value(field: Field) -> Any:
    """The plain value that a field without one takes: blank text, null bytes, zero."""
    if isinstance(field.type, StringType):
        return ""
    if isinstance(field.type, BytesType):
        return b""
    return 0


@dataclass(frozen=True, slots=True)
class TextCoder(Coder):
    """Text as it stands; an empty one is not given."""

    def read(self, node: Node, report: Report) -> str | None:
        """As `Coder.read`."""
        return node.value if isinstance(node.value, str) and node.value else None

    def write(self, value: str) -> str:
        """As `Coder.write`."""
        return value


@dataclass(frozen=True, slots=True)
class NumberCoder(Coder):
    """An integer, stored as one or spelled in digits."""

    text: bool
    pad: str | None
    width: int | None

    def read(self, node: Node, report: Report) -> int | None:
        """As `Coder.read`."""
        if isinstance(node.value, int):
            return int(node.value)
        if not isinstance(node.value, str) or not node.value.strip(" "):
            return None
        if not (node.value.isascii() and node.value.isdigit()):
            report(NOT_A_NUMBER.name, NOT_A_NUMBER.severity, f"{node.value!r} is not a number", node)
            return None
        return int(node.value)

    def write(self, value: int) -> int | str:
        """As `Coder.write`."""
        if not self.text:
            return value
        text = str(value)
        if self.width is not None and len(text) > self.width:
            raise Unholdable(f"{value} has more than {self.width} digits")
        return text.rjust(self.width, self.pad) if self.pad and self.width else text


@dataclass(frozen=True, slots=True)
class CodeCoder(Coder):
    """One code of an enum."""

    codes: Codes
    make: Callable[[int], Any]

    def read(self, node: Node, report: Report) -> Any:
        """As `Coder.read`."""
        value = self.codes.read.get(node.value) if isinstance(node.value, int) else None
        if value is None and not node.broken:
            report(UNKNOWN_CODE.name, UNKNOWN_CODE.severity, f"{node.value!r} is not one of the codes", node)
        return None if value is None else self.make(value)

    def write(self, value: int) -> int:
        """As `Coder.write`."""
        try:
            return self.codes.write[int(value)]
        except KeyError:
            raise Unholdable(f"there is no code for {value}") from None


@dataclass(frozen=True, slots=True)
class CellsCoder(Coder):
    """An array over the model's axes: ``size`` cells, each ``empty`` until the file says otherwise."""

    shape: Shape
    size: int
    empty: int

    def read(self, node: Node, report: Report) -> bytes:
        """As `Coder.read`: the cells in the model's order."""
        return self.read_at(node, 0)

    def read_at(self, node: Node, base: int) -> bytes:
        """The cells, those of the node counted from ``base``."""
        cells = bytearray([self.empty]) * self.size
        self.shape.read(node, base, cells)
        return bytes(cells)

    def write(self, value: Sequence[int]) -> Any:
        """As `Coder.write`."""
        return self.shape.write(value, 0)

    def write_at(self, value: Sequence[int], base: int) -> Any:
        """The plain value of the cells from ``base``."""
        return self.shape.write(value, base)

    def places(self, node: Node, place: tuple[str | int, ...]) -> list[Node]:
        """As `Coder.places`: ``("deal", card)`` and ``("tricks", strain, seat)`` name one cell."""
        if len(place) < 2:
            return [node]
        cell = 4 * int(place[1]) + int(place[2]) if len(place) == 3 else int(place[1])
        return [leaf for at, leaf in self.shape.places(node, 0) if at == cell] or [node]

    @property
    def cells(self) -> list[int]:
        """The cells that the field can hold."""
        return self.shape.span(0)


@dataclass(frozen=True, slots=True)
class HandCoder(Coder):
    """A hand as a sequence of cards, or of suit marks and ranks.

    ``cards`` maps the raw value to a card slot, ``marks`` to a suit, ``ranks`` to a rank; ``blank`` are raw values that say
    nothing. The value read is the cards with the node of each.
    """

    number: NumberCoder | None
    cards: Codes
    marks: Codes
    ranks: Codes
    blank: frozenset[int]

    def read(self, node: Node, report: Report) -> list[tuple[Card, Node]] | None:
        """As `Coder.read`."""
        children = node.children or ()
        if self.blank and all(child.value in self.blank for child in children):
            return None
        hand: list[tuple[Card, Node]] = []
        suit: int | None = None
        for child in children:
            raw = self.number.read(child, report) if self.number else child.value
            if child.broken or not isinstance(raw, int):
                continue
            if raw in self.cards.read:
                hand.append((Card(self.cards.read[raw]), child))
            elif raw in self.marks.read:
                suit = self.marks.read[raw]
            elif raw in self.ranks.read and suit is not None:
                hand.append((Card(13 * suit + self.ranks.read[raw]), child))
            elif raw in self.ranks.read:
                report(BAD_HAND.name, BAD_HAND.severity, "a rank stands before any suit mark", child)
            elif raw not in self.blank or self.number:
                report(UNKNOWN_CODE.name, UNKNOWN_CODE.severity, f"{_shown(raw, self.number)} stands for no card", child)
            else:
                report(UNKNOWN_CODE.name, UNKNOWN_CODE.severity, "a blank inside a hand", child)
        return hand

    def write(self, value: Sequence[int]) -> list[Any]:
        """As `Coder.write`: the cards in slot order."""
        slots = sorted(value)
        if self.cards.write:
            codes = [self.cards.write[slot] for slot in slots]
            return [self.number.write(code) for code in codes] if self.number else codes
        out: list[int] = []
        for suit in range(4):
            out.append(self.marks.write[suit])
            out += [self.ranks.write[slot % 13] for slot in slots if slot // 13 == suit]
        return out

    def blanks(self, length: int) -> list[int]:
        """The hand that is not given."""
        return [min(self.blank)] * length


def _shown(raw: int, number: NumberCoder | None) -> str:
    return str(raw) if number else f"{raw:#04x}" + (f" ({chr(raw)!r})" if 0x20 <= raw < 0x7F else "")


def _named(enum: Enum, names: Sequence[str]) -> Codes:
    return Codes.of([(raw, names.index(member.name)) for raw, member in enum.members.items() if member.name in names])


def number_coder(field: Field) -> NumberCoder:
    """The coder of an integer field, stored or spelled."""
    text = isinstance(field.type, StringType)
    width: int | None = None
    if isinstance(field.type, StringType | BytesType) and field.type.extent.size is not None:
        source = field.type.extent.size.source.strip()
        width = int(source) if source.isdigit() else None
    return NumberCoder(text, field.binding.number.pad_left if field.binding.number else None, width)


def hand_coder(spec: Spec, field: Field) -> HandCoder:
    """The coder of a hand."""
    none = Codes({}, {})
    if field.binding.codes is not None:
        enum = spec.enums[field.binding.codes]
        cards = Codes.of([(raw, CARD_NAMES[m.name]) for raw, m in enum.members.items() if m.name in CARD_NAMES])
        return HandCoder(number_coder(field) if isinstance(field.type, StringType) else None, cards, none, none, frozenset())
    if field.enum is None:
        raise Unholdable("a hand needs codes: an enum of cards, or of suits and ranks")
    enum = spec.enums[field.enum]
    blank = frozenset(raw for raw, member in enum.members.items() if member.name == "blank")
    cards = Codes.of([(raw, CARD_NAMES[m.name]) for raw, m in enum.members.items() if m.name in CARD_NAMES])
    return HandCoder(None, cards, _named(enum, SUIT_WORDS), _named(enum, RANK_WORDS), blank)


def cells_coder(spec: Spec, field: Field, size: int) -> CellsCoder:
    """The coder of a deal (52 cells) or a trick table (20 cells)."""
    empty = UNKNOWN if size == 52 else UNSOLVED
    return CellsCoder(_shape(spec, field, size, empty), size, empty)


def _shape(spec: Spec, field: Field, size: int, empty: int) -> Shape:
    inner: Shape
    axes = field.binding.axes
    if field.binding.digits is not None:
        digits = field.binding.digits
        if digits.enum is None:
            raise Unholdable("digits need an enum")
        inner = DigitsShape(digits.base, offsets(axes), enum_codes(spec, digits.enum, HOLDER_NAMES))
        axes = ()
    elif isinstance(field.type, RecordType):
        part = _cell_field(spec, field.type)
        inner = RecordShape(part.name, _shape(spec, part, size, empty))
    elif size == 52:
        if field.enum is None:
            raise Unholdable("the cells of a deal need an enum of seats")
        inner = Leaf(enum_codes(spec, field.enum, HOLDER_NAMES))
    else:
        pairs = [(raw, raw) for raw in range(14)]
        if field.binding.unknown is not None:
            pairs.append((field.binding.unknown, UNSOLVED))
        inner = Leaf(Codes.of(pairs))
    if field.repeat is None or not axes:
        return inner
    fixed = field.repeat is Repeat.EXPR
    return ArrayShape(offsets(axes), inner, None if fixed else empty)


def _cell_field(spec: Spec, type_: FieldType) -> Field:
    """The one field of a cell's record that is neither derived nor constant."""
    if not isinstance(type_, RecordType):
        raise Unholdable("a cell is a code or a record that holds one")
    fields = [f for f in spec.records[type_.target].fields if f.binding.value is None and not is_constant(f)]
    if len(fields) != 1:
        raise Unholdable(f"{type_.target} must have just one field that holds a cell")
    return fields[0]


def is_constant(field: Field) -> bool:
    """Whether the field can hold one value only."""
    return isinstance(field.type, BytesType) and field.type.contents is not None


def code_coder(spec: Spec, field: Field, term: str) -> CodeCoder:
    """The coder of a seat or a vulnerability."""
    if field.enum is None:
        raise Unholdable(f"{term} needs an enum")
    if term == "vulnerability":
        return CodeCoder(enum_codes(spec, field.enum, VULNERABILITY_NAMES), Vulnerability)
    return CodeCoder(enum_codes(spec, field.enum, SEAT_NAMES), Seat)
