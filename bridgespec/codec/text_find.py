"""Finding what a record of a text format says: its fields by their terms, its pairs, and what its inner records say."""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.codec.text_facts import Fact, term_of
from bridgespec.codec.text_pairs import AnyFact, Pairs, kind_of, pair_of, pairs_of
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Shape, Slot
from bridgespec.codec.text_tree import RecordMaker
from bridgespec.spec.grammar import Rule


@dataclass(slots=True)
class _Entry:
    """A field that says something, or must be looked through; of an array, ``inner`` are its elements' slots by kind and term."""

    kind: str
    slot: Slot
    term: str = ""
    inner: tuple[tuple[str, Slot, str], ...] = ()
    pairs: Pairs | None = None


def _kind(name: str, slot: Slot) -> tuple[str, str] | None:
    term = term_of(slot.rule, name)
    if slot.rule.words.extra.get("name") is not None:
        return "pair", ""
    if term is not None:
        return "term", term
    return ("look", "") if slot.rule.words.binding.term is None and (slot.shape is not None or slot.kind == "array") else None


def _is_term(name: str, slot: Slot) -> bool:
    """Whether an array as a whole says one thing."""
    term = term_of(slot.rule, name)
    return term is not None and term != "comment"


def _plan(shape: Shape) -> list[_Entry]:
    """What of a record's fields says something: pairs, terms, and what must be looked through."""
    entries: list[_Entry] = []
    regions: dict[int, _Entry] = {}
    whole = ((name, slot) for name, slot in shape.slots.items())
    for name, slot in (
        (n, part) for n, s in whole for part in ((s,) if s.kind != "array" or not s.parts or _is_term(n, s) else s.parts)
    ):
        found = _kind(name, slot)
        if found is None:
            continue
        kind, term = found
        single = slot.body.shape.slots.get(name) if slot.kind == "array" and slot.body is not None and not slot.parts else None
        if single is None or single.kind == "array" or single.parts or (kind == "term" and term != "comment"):
            entries.append(_Entry(kind, slot, term))
        elif single.shape is not None or kind == "term":
            if slot.group not in regions:
                regions[slot.group] = _Entry("region", slot)
                entries.append(regions[slot.group])
            regions[slot.group].inner += ((kind, single, term),)
    return entries


class FactFinder:
    """Finds the facts of the records of one grammar."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler

    def facts(self, maker: RecordMaker) -> list[AnyFact]:
        """Everything that a record says, pairs in their order."""
        found: list[AnyFact] = []
        self._add(maker, found)
        return found

    def _add(self, maker: RecordMaker, found: list[AnyFact]) -> None:
        shape = maker.shape
        if shape.plan is None:
            shape.plan = _plan(shape)
            for entry in shape.plan:
                if entry.kind == "region" and entry.slot.body is not None:
                    entry.pairs = pairs_of(self.compiler, entry.slot.body)
        for entry in shape.plan:
            slot = entry.slot
            if entry.kind == "region":
                self._region(maker, entry, found)
            elif slot.kind == "array":
                self._elements(maker, entry, found)
            elif entry.kind == "term":
                found.append(Fact(entry.term, maker, slot))
            elif maker.span(slot.group)[0] >= 0 and slot.shape is not None:
                self._record(maker.sub(slot.shape), slot.rule, entry.kind, found)

    def _record(self, maker: RecordMaker, rule: Rule, kind: str, found: list[AnyFact]) -> None:
        if kind == "pair":
            found.append(pair_of(kind_of(self.compiler, maker.shape, rule), maker))
        else:
            self._add(maker, found)

    def _region(self, maker: RecordMaker, entry: _Entry, found: list[AnyFact]) -> None:
        start, stop = maker.span(entry.slot.group)
        if start < 0 or start == stop:
            return
        if entry.pairs is not None:
            kept = None if maker.memo is None else maker.memo.get((id(entry.pairs), start))
            found += entry.pairs.facts(maker.text, start, stop) if kept is None else kept
            return
        for match in maker.matches(entry.slot):
            for kind, part, term in entry.inner:
                if match.start(part.group) < 0 or entry.slot.body is None:
                    continue
                if part.shape is not None and kind != "term":
                    sub = RecordMaker(maker.text, part.shape, match.span, maker.end, maker.memo)
                    self._record(sub, part.rule, kind, found)
                elif kind == "term":
                    owner = RecordMaker(maker.text, entry.slot.body.shape, match.span, maker.end, maker.memo)
                    found.append(Fact(term, owner, part))

    def _elements(self, maker: RecordMaker, entry: _Entry, found: list[AnyFact]) -> None:
        if entry.kind == "term" and entry.term != "comment":
            if maker.plain_of(entry.slot):
                found.append(Fact(entry.term, maker, entry.slot))
            return
        for owner, inner in maker.elements(entry.slot):
            if entry.kind == "term":
                found.append(Fact(entry.term, owner, inner))
            elif inner.shape is not None and owner.span(inner.group)[0] >= 0:
                self._record(owner.sub(inner.shape), inner.rule, entry.kind, found)
