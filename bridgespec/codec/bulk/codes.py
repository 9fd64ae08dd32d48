"""What the raw values of fixed-size fields stand for in the model: the terms' names of codes, as numbers both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridgespec.codec.terms import term_of_word
from bridgespec.codec.terms._values import CARDS, HOLDERS, RANK_WORDS, SEATS, SUIT_WORDS, VULNERABILITIES
from bridgespec.spec.ir import Field, Spec

__all__ = ["HOLDERS", "SEATS", "VULNERABILITIES", "Codes", "HandCodes", "codes_of", "hand_codes", "term_of"]


def term_of(field: Field) -> str | None:
    """The word of a term that a field holds, whole (``deal``) or in part (``north``); None for none."""
    word = field.binding.term or field.name
    return word if not field.binding.opaque and term_of_word(word) is not None else None


@dataclass(frozen=True, slots=True)
class Codes:
    """Raw value to model value, and back (the first raw value of each is the one written)."""

    read: Mapping[int, int]
    write: Mapping[int, int]

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, int]]) -> Codes:
        """From raw, model pairs."""
        write: dict[int, int] = {}
        for raw, value in pairs:
            write.setdefault(value, raw)
        return cls(dict(pairs), write)


def codes_of(spec: Spec, enum: str, names: Mapping[str, int]) -> Codes:
    """The codes of an enum whose members carry the given names (members with other names stand for nothing)."""
    members = spec.enums[enum].members
    return Codes.of([(raw, int(names[member.name])) for raw, member in members.items() if member.name in names])


@dataclass(frozen=True, slots=True)
class HandCodes:
    """The codes of a hand: of cards, or of suit marks and ranks; ``blank`` are those that say nothing."""

    cards: Codes
    marks: Codes
    ranks: Codes
    blank: frozenset[int]


def hand_codes(spec: Spec, field: Field) -> HandCodes | None:
    """The codes of a hand's field; None for a field without any."""
    enum = field.binding.codes or field.enum
    if enum is None:
        return None
    suits = {name: suit for suit, name in enumerate(SUIT_WORDS)}
    ranks = {name: rank for rank, name in enumerate(RANK_WORDS)}
    blank = frozenset(raw for raw, member in spec.enums[enum].members.items() if member.name == "blank")
    return HandCodes(codes_of(spec, enum, CARDS), codes_of(spec, enum, suits), codes_of(spec, enum, ranks), blank)
