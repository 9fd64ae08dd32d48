"""What a record of a text format says, as facts: a model term, and the text that says it.

A field says the term that its rule names (``as``) or that is its own name. A pair says the term that ``terms`` gives for its
key; a key without one is a tag. Records without a term are looked through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from bridgespec.codec.text_program import Shape, Slot
from bridgespec.codec.text_tree import RecordMaker
from bridgespec.spec.grammar import Rule

TEXTS = frozenset({"event", "site", "date", "round", "room", "scoring", "par", "title", "label"})
NUMBERS = frozenset({"number", "first_number", "last_number"})
HANDS = ("west", "north", "east", "south")
PLAYERS = tuple(f"{seat}_player" for seat in HANDS)
TERMS = (
    TEXTS
    | NUMBERS
    | {*HANDS, *PLAYERS, "dealer", "vulnerability", "deal", "tricks", "declarer", "contract", "result", "score", "auction", "play"}
    | {"layout", "claim", "explanation", "note", "players", "teams", "home_team", "visiting_team", "comment", "place", "match", "header", "system"}
)


@dataclass(slots=True)
class Fact:
    """One thing that a record says: ``slot`` of ``maker`` holds the value, ``body`` the section that follows it."""

    term: str
    key: str | None
    maker: RecordMaker
    slot: Slot
    body: Slot | None = None
    inherited: bool = False

    @property
    def bounds(self) -> tuple[int, int]:
        """Where the value stands, in characters; (-1, -1) where it does not."""
        if self.slot.kind != "array" and not self.slot.parts:
            return self.maker.regs[self.slot.group]
        places = [self.maker.regs[part.group] for part in self.slot.parts or (self.slot,)]
        found = [place for place in places if place[0] >= 0]
        return (min(p[0] for p in found), max(p[1] for p in found)) if found else (-1, -1)

    @property
    def text(self) -> str:
        """The value as it stands, decoded."""
        start, stop = self.bounds
        if start < 0:
            return ""
        text = self.maker.text[start:stop]
        return text if "decode" not in self.slot.rule.words.extra and text.isascii() else decoded(self.slot.rule, text)

    @property
    def value(self) -> Any:
        """The plain value."""
        return self.maker.plain_of(self.slot)

    def holds(self, name: str) -> bool:
        """Whether the value is a record that may have a field of this name."""
        handover = self.maker.shape.contents.get(self.slot.name)
        if handover is None:
            return self.slot.shape is not None and name in self.slot.shape.slots
        program = handover.program(self.maker.key(self.slot.name))
        return program is not None and name in program.shape.slots

    @property
    def section(self) -> Any:
        """The plain value of the section; None where there is none."""
        return None if self.body is None else self.maker.plain_of(self.body)


def term_of(rule: Rule, name: str) -> str | None:
    """The term of a field; None for none."""
    term = rule.words.binding.term or name
    return term if term in TERMS and not rule.words.binding.opaque else None


@dataclass(slots=True)
class _PairPlan:
    """How the pairs of one shape are read: the group of the key, the term of each key, the slots of value and section."""

    key: int
    terms: dict[str, str]
    value: Slot
    body: Slot | None


@dataclass(slots=True)
class _Entry:
    """A field that says something, or must be looked through; of an array, ``inner`` are its elements' slots by kind and term."""

    kind: str
    slot: Slot
    term: str = ""
    inner: tuple[tuple[str, Slot, str], ...] = ()


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
    for name, slot in ((n, part) for n, s in whole for part in ((s,) if s.kind != "array" or not s.parts or _is_term(n, s) else s.parts)):
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


def facts(maker: RecordMaker) -> Iterator[Fact]:
    """Everything that a record says, pairs in their order."""
    shape = maker.shape
    if shape.plan is None:
        shape.plan = _plan(shape)
    for entry in shape.plan:
        slot = entry.slot
        if entry.kind == "region":
            yield from _region(maker, slot, entry.inner)
        elif slot.kind == "array":
            yield from _elements(maker, entry)
        elif entry.kind == "term":
            yield Fact(entry.term, None, maker, slot)
        elif maker.regs[slot.group][0] >= 0 and slot.shape is not None:
            yield from (pair(maker.sub(slot.shape), slot.rule),) if entry.kind == "pair" else facts(maker.sub(slot.shape))


def _region(maker: RecordMaker, slot: Slot, inner: tuple[tuple[str, Slot, str], ...]) -> Iterator[Fact]:
    for match in maker.matches(slot):
        for kind, part, term in inner:
            if match.start(part.group) < 0 or slot.body is None:
                continue
            if part.shape is not None and kind != "term":
                sub = RecordMaker(maker.text, part.shape, match.regs, maker.end, maker.memo)
                if kind == "pair":
                    yield pair(sub, part.rule)
                else:
                    yield from facts(sub)
            elif kind == "term":
                yield Fact(term, None, RecordMaker(maker.text, slot.body.shape, match.regs, maker.end, maker.memo), part)


def _elements(maker: RecordMaker, entry: _Entry) -> Iterator[Fact]:
    if entry.kind == "term" and entry.term != "comment":
        if maker.plain_of(entry.slot):
            yield Fact(entry.term, None, maker, entry.slot)
        return
    for owner, inner in maker.elements(entry.slot):
        if entry.kind == "term":
            yield Fact(entry.term, None, owner, inner)
        elif inner.shape is not None and owner.regs[inner.group][0] >= 0:
            sub = owner.sub(inner.shape)
            yield from (pair(sub, inner.rule),) if entry.kind == "pair" else facts(sub)


def pair(maker: RecordMaker, rule: Rule) -> Fact:
    """What a pair says."""
    plan = maker.shape.plan
    if not isinstance(plan, _PairPlan):
        plan = maker.shape.plan = _pair_plan(maker.shape, rule)
    start, stop = maker.regs[plan.key]
    key = maker.text[start:stop]
    term = plan.terms.get(key)
    if term is None:
        term = plan.terms.setdefault(key, plan.terms.get(key.lower(), "tag")) if len(plan.terms) < 1000 else "tag"
    return Fact(term, key, maker, plan.value, plan.body)


def _pair_plan(shape: Shape, rule: Rule) -> _PairPlan:
    named = str(rule.words.extra["name"])
    terms = rule.words.extra.get("terms")
    value = shape.slots.get("value") or next(slot for name, slot in shape.slots.items() if name != named)
    known = {str(key): str(term) for key, term in terms.items()} if isinstance(terms, dict) else {}
    return _PairPlan(shape.slots[named].group, known, value, shape.slots.get("body"))


def decoded(rule: Rule, text: str) -> str:
    """The characters that a piece of Latin-1 text stands for: its rule's escapes, then UTF-8 where it is that, else
    Windows-1252.
    """
    how = rule.words.extra.get("decode")
    if how == "backslash" and "\\" in text:
        text = text.replace('\\"', '"').replace("\\\\", "\\")
    elif how == "percent" and "%" in text:
        text = unquote(text, encoding="latin-1")
    if text.isascii():
        return text
    data = text.encode("latin-1")
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return text


def encoded(rule: Rule, text: str) -> str:
    """The Latin-1 text of some characters, escaped as the rule says; UTF-8 where Latin-1 lacks one."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        text = text.encode("utf-8").decode("latin-1")
    how = rule.words.extra.get("decode")
    if how == "backslash":
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if how == "percent":
        return quote(text, safe="!'()*,;:@$/?~ ", encoding="latin-1").replace(" ", "%20")
    return text


def scalar(value: Any) -> str:
    """The one text of a value that is a text, or a record of which one field says something."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in ("unknown", "padding", "irregular"):
                return scalar(inner)
        return ""
    if isinstance(value, list):
        return scalar(value[0]) if value else ""
    return "" if value is None else str(value)
