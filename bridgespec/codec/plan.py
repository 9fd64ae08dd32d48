"""Binding plans: which fields of a record hold which terms of the model, worked out once a spec.

A field is bound when it says so (``-bridge-as``) or when its name is a model term; a record of fields that are bound is walked
through without being one. What remains is constant, derived or kept as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bridgespec.codec.cells import Unholdable
from bridgespec.codec.coders import (
    CellsCoder,
    Coder,
    HandCoder,
    TextCoder,
    cells_coder,
    code_coder,
    hand_coder,
    is_constant,
    number_coder,
)
from bridgespec.errors import SpecError
from bridgespec.model.cards import Seat
from bridgespec.spec.ir import Field, Record, RecordType, Spec

HANDS = {seat.name.lower(): seat for seat in Seat}
NUMBERS = frozenset({"number", "first_number", "result", "score"})
CODES = frozenset({"dealer", "vulnerability", "declarer"})
TEXTS = frozenset({"event", "site", "date", "round", "room", "scoring"})
CELLS = {"deal": 52, "tricks": 20}
TERMS = NUMBERS | CODES | TEXTS | set(HANDS) | set(CELLS)
BOARDS = "boards"


@dataclass(frozen=True, slots=True)
class Bound:
    """A field that holds a term."""

    field: Field
    term: str
    coder: Coder


@dataclass(frozen=True, slots=True)
class Inside:
    """A field whose record holds terms."""

    field: Field
    plan: Plan


@dataclass(frozen=True, slots=True)
class Rest:
    """A field without a term; ``kept`` where its raw value belongs to the document."""

    field: Field
    kept: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The fields of one record, in file order."""

    record: Record
    entries: tuple[Bound | Inside | Rest, ...]

    def bound(self) -> Iterator[Bound]:
        """Every bound field, those of inner records included."""
        for entry in self.entries:
            if isinstance(entry, Bound):
                yield entry
            elif isinstance(entry, Inside):
                yield from entry.plan.bound()

    @property
    def hands(self) -> dict[Seat, Bound]:
        """The fields of this very record that hold hands."""
        return {HANDS[e.term]: e for e in self.entries if isinstance(e, Bound) and e.term in HANDS}

    @property
    def terms(self) -> frozenset[str]:
        """The terms held; hands are a deal."""
        return frozenset("deal" if bound.term in HANDS else bound.term for bound in self.bound())


def term_of(field: Field) -> str | None:
    """The model term that a field holds."""
    term = field.binding.term or field.name
    return term if term in TERMS and not field.binding.opaque else None


def plan_of(spec: Spec, record: Record, skip: str | None = None, seen: tuple[str, ...] = ()) -> Plan:
    """The plan of a record; the field named ``skip`` is left out (the list of boards)."""
    entries: list[Bound | Inside | Rest] = []
    for field in record.fields:
        term = term_of(field)
        if field.name == skip:
            continue
        if term is not None:
            try:
                entries.append(Bound(field, term, coder_of(spec, field, term)))
                continue
            except Unholdable as problem:
                if spec.language == "ksy":
                    raise SpecError(f"{field.place}: {field.name} cannot hold {term}: {problem}") from None
        if isinstance(field.type, RecordType) and field.repeat is None and field.type.target not in seen:
            inner = plan_of(spec, spec.records[field.type.target], None, (*seen, record.name))
            if any(True for _ in inner.bound()):
                entries.append(Inside(field, inner))
                continue
        entries.append(Rest(field, not is_constant(field) and field.binding.value is None))
    return Plan(record, tuple(entries))


def coder_of(spec: Spec, field: Field, term: str) -> Coder:
    """The coder of a field for a term."""
    if term in HANDS:
        return hand_coder(spec, field)
    if term in CELLS:
        return cells_coder(spec, field, CELLS[term])
    if term in NUMBERS:
        return number_coder(field)
    if term in CODES:
        return code_coder(spec, field, term)
    return TextCoder()


def boards_field(spec: Spec) -> Field | None:
    """The field of the top record that lists the boards."""
    for field in spec.top.fields:
        named = (field.binding.term or field.name) == BOARDS
        if named and field.repeat is not None and isinstance(field.type, RecordType):
            return field
    return None


__all__ = ["BOARDS", "Bound", "CellsCoder", "HandCoder", "Inside", "Plan", "Rest", "boards_field", "plan_of", "term_of"]
