"""The codes of fields in binary schemas as integers, for the bulk codec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridgespec.codec.binding_words import OWN_NUMBERS
from bridgespec.codec.declaration import Fields
from bridgespec.codec.terms import term_of_word
from bridgespec.codec.terms._cells import is_ordinal, limb_of, offsets, ranking
from bridgespec.codec.terms._values import CARDS, HOLDERS, RANK_WORDS, SEATS, SUIT_WORDS, VULNERABILITIES, CannotRepresent
from bridgespec.spec.ir import Enum, Field, Spec, StringType

NUMBERS = OWN_NUMBERS | {"last_number"}
"""The terms that number a board, or the boards of a file."""


@dataclass(frozen=True, slots=True)
class RawCodes:
    """The codes of an array element: model values by raw value, and raw values by model value. Of several raw values with one
    meaning the first is written.
    """

    read: Mapping[int, int]
    write: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class HandCoder:
    """The codes of a hand's array: ``cards`` by slot (0 to 51), or ``marks`` for suits, each followed by ``ranks``; ``blank`` are
    the raw values of no card. With ``spelled`` the codes are texts of digits.
    """

    cards: RawCodes
    marks: RawCodes
    ranks: RawCodes
    blank: frozenset[int]
    spelled: bool


def term_of(field: Field) -> str | None:
    """Return the word (of `WORDS`) by which a field states a term or a part of one; None for a field without a meaning."""
    word = field.binding.term or field.name
    return word if term_of_word(word) is not None and not field.binding.opaque else None


def hand_coder(spec: Spec, field: Field) -> HandCoder:
    """Return the codes of an array of cards that is a hand. Raises `CannotRepresent` if the field has no enum."""
    enum = Fields(spec).of(field).enum
    if enum is None:
        raise CannotRepresent("a hand needs codes: an enum of cards, or of suits and ranks")
    marks, ranks = ({word: place for place, word in enumerate(words)} for words in (SUIT_WORDS, RANK_WORDS))
    blank = frozenset(raw for raw, member in enum.members.items() if member.name == "blank")
    spelled = isinstance(field.type, StringType)
    return HandCoder(codes_of(enum, CARDS), codes_of(enum, marks), codes_of(enum, ranks), blank, spelled)


def low_first(spec: Spec, field: Field) -> bool:
    """Whether a number that is stored as several integers has its least significant one first."""
    limb = limb_of(Fields(spec).of(field))
    return limb is not None and limb.low_first


def codes_of(enum: Enum, names: Mapping[str, int]) -> RawCodes:
    """Return the codes of an enum for the member names that ``names`` maps to model values; members with other names have no
    meaning.
    """
    read = {raw: int(names[member.name]) for raw, member in enum.members.items() if member.name in names}
    return RawCodes(read, {value: raw for raw, value in reversed(read.items())})


__all__ = [
    "CARDS",
    "HOLDERS",
    "NUMBERS",
    "RANK_WORDS",
    "SEATS",
    "VULNERABILITIES",
    "CannotRepresent",
    "HandCoder",
    "RawCodes",
    "codes_of",
    "hand_coder",
    "is_ordinal",
    "low_first",
    "offsets",
    "ranking",
    "term_of",
]  # fmt: skip
