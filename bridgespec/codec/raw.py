"""What the codes of a binary field stand for, as numbers: for whoever reads whole arrays of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridgespec.codec.decl import FieldDecl, Fields
from bridgespec.codec.terms import term_of_word
from bridgespec.codec.terms._cells import offsets
from bridgespec.codec.terms._values import CARDS, HOLDERS, RANK_WORDS, SEATS, SUIT_WORDS, VULNERABILITIES, Unholdable
from bridgespec.codec.words import BOARDS
from bridgespec.model.cards import Seat
from bridgespec.spec.ir import Enum, Field, Spec, StringType

HANDS: Mapping[str, Seat] = SEATS
SEAT_NAMES: Mapping[str, int] = {name: int(seat) for name, seat in SEATS.items()}
HOLDER_NAMES: Mapping[str, int] = HOLDERS
VULNERABILITY_NAMES: Mapping[str, int] = {name: int(one) for name, one in VULNERABILITIES.items()}
CARD_NAMES: Mapping[str, int] = {name: int(card) for name, card in CARDS.items()}


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of one cell: raw value to model value, and back (the first raw value of each is the one written)."""

    read: Mapping[int, int]
    write: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class HandCoder:
    """The codes of a hand: ``cards`` by slot, or ``marks`` of suits and ``ranks`` after them; ``blank`` are raw values that say
    nothing.
    ``spelled``: the codes are numbers spelled in digits.
    """

    cards: Codes
    marks: Codes
    ranks: Codes
    blank: frozenset[int]
    spelled: bool


def term_of(field: Field) -> str | None:
    """The word of the term that a field holds, whole or in part; None for none."""
    word = field.binding.term or field.name
    return word if term_of_word(word) is not None and not field.binding.opaque else None


def enum_codes(spec: Spec, enum: str, names: Mapping[str, int]) -> Codes:
    """The codes of an enum whose members carry the given names (members with other names stand for nothing)."""
    return _codes(spec.enums[enum], names)


def hand_coder(spec: Spec, field: Field) -> HandCoder:
    """The codes of a hand's array; `Unholdable` where it has none."""
    decl: FieldDecl = Fields(spec).of(field)
    if decl.enum is None:
        raise Unholdable("a hand needs codes: an enum of cards, or of suits and ranks")
    named: Sequence[Mapping[str, int]] = (CARD_NAMES, _places(SUIT_WORDS), _places(RANK_WORDS))
    cards, marks, ranks = (_codes(decl.enum, names) for names in named)
    blank = frozenset(raw for raw, member in decl.enum.members.items() if member.name == "blank")
    return HandCoder(cards, marks, ranks, blank, isinstance(field.type, StringType))


def _places(words: Sequence[str]) -> Mapping[str, int]:
    return {word: place for place, word in enumerate(words)}


def _codes(enum: Enum, names: Mapping[str, int]) -> Codes:
    read = {raw: names[member.name] for raw, member in enum.members.items() if member.name in names}
    write: dict[int, int] = {}
    for raw, value in read.items():
        write.setdefault(value, raw)
    return Codes(read, write)


__all__ = [
    "BOARDS", "CARD_NAMES", "HANDS", "HOLDER_NAMES", "RANK_WORDS", "SEAT_NAMES", "VULNERABILITY_NAMES", "Codes", "HandCoder",
    "Unholdable",
    "enum_codes", "hand_coder", "offsets", "term_of",
]  # fmt: skip
