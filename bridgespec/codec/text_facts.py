"""What a record of a text format says, as facts: a model term, and the text that says it.

A field says the term that its rule names (``as``) or that is its own name. A pair says the term that ``terms`` gives for its
key; a key without one is a tag. Records without a term are looked through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Handover, Program, Shape, Slot
from bridgespec.codec.text_tree import RecordMaker, plain_text
from bridgespec.spec.grammar import Inherit, Rule

TEXTS = frozenset({"event", "site", "date", "round", "room", "scoring", "par", "title", "label"})
NUMBERS = frozenset({"number", "first_number", "last_number"})
HANDS = ("west", "north", "east", "south")
PLAYERS = tuple(f"{seat}_player" for seat in HANDS)
TERMS = (
    TEXTS
    | NUMBERS
    | {*HANDS, *PLAYERS, "dealer", "vulnerability", "deal", "tricks", "declarer", "contract", "result", "score", "auction", "play"}
    | {
        "layout",
        "claim",
        "explanation",
        "note",
        "players",
        "teams",
        "home_team",
        "visiting_team",
        "comment",
        "place",
        "match",
        "header",
        "system",
    }
)


@dataclass(slots=True)
class Fact:
    """One thing that a record says: ``slot`` of ``maker`` holds the value."""

    term: str
    key: str | None
    maker: RecordMaker
    slot: Slot
    order: int = 0

    has_section = False
    section = None
    raw_body = ""
    inherit = None
    inherited = False

    @property
    def bounds(self) -> tuple[int, int]:
        """Where the value stands, in characters; (-1, -1) where it does not."""
        if self.slot.kind != "array" and not self.slot.parts:
            return self.maker.span(self.slot.group)
        places = [self.maker.span(part.group) for part in self.slot.parts or (self.slot,)]
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

    @property
    def rule(self) -> Rule:
        """The rule whose fields the value has."""
        return self.slot.rule

    def match(self) -> None:
        """Nothing else reads the value."""

    def holds(self, name: str) -> bool:
        """Whether the value is a record that may have a field of this name."""
        return self.slot.shape is not None and name in self.slot.shape.slots


@dataclass(slots=True)
class TextFact:
    """A text that says a term, known by the text alone."""

    term: str
    raw: str
    rule: Rule
    order: int = 0

    key = None
    has_section = False
    section = None
    raw_body = ""
    inherit = None
    inherited = False

    @property
    def text(self) -> str:
        """The text, decoded."""
        return decoded(self.rule, self.raw)

    @property
    def value(self) -> Any:
        """The text as it stands."""
        return self.raw

    def match(self) -> None:
        """Nothing else reads the text."""

    def holds(self, name: str) -> bool:
        """A text has no fields."""
        return False


class PairFact:
    """What a pair says, from its texts alone: places are found again when a finding needs them."""

    __slots__ = ("inherited", "key", "kind", "order", "raw", "raw_body", "term")

    def __init__(self, kind: PairKind, term: str, key: str, raw: str, raw_body: str) -> None:
        self.kind = kind
        self.term = term
        self.key: str | None = key
        self.raw = raw
        self.raw_body = raw_body
        self.inherited = False
        self.order = 0

    @property
    def text(self) -> str:
        """The value as it stands, decoded."""
        text = self.raw
        return text if not self.kind.escaped and text.isascii() else decoded(self.kind.value.rule, text)

    @property
    def rule(self) -> Rule:
        """The rule whose fields the value has."""
        program = self.program
        return self.kind.value.rule if program is None else program.rule

    @property
    def program(self) -> Program | None:
        """What reads the value; None where it stays text."""
        handover = self.kind.handover
        return None if handover is None else handover.program(self.key)

    @property
    def inherit(self) -> Inherit | None:
        """How values of earlier records may be repeated."""
        return None if self.kind.handover is None else self.kind.handover.inherit

    def match(self) -> tuple[Program, re.Match[str]] | None:
        """The program and its match of a value that a rule reads; None where none does or it does not fit."""
        if self.kind.handover is None:
            return None
        program, start = self.kind.handover.choose(self.key, self.raw, 0, len(self.raw))
        found = None if program is None else program.pattern.fullmatch(self.raw, start)
        return None if program is None or found is None else (program, found)

    @property
    def value(self) -> Any:
        """The plain value."""
        handover = self.kind.handover
        if handover is None:
            return self.raw
        program, start = handover.choose(self.key, self.raw, 0, len(self.raw))
        return self.raw if program is None else plain_text(program, self.raw[start:] if start else self.raw)

    def holds(self, name: str) -> bool:
        """Whether the value is a record that may have a field of this name."""
        program = self.program
        return program is not None and name in program.shape.slots

    @property
    def has_section(self) -> bool:
        """Whether pairs like this may be followed by a section."""
        return self.kind.body is not None

    @property
    def section(self) -> Any:
        """The plain value of the section; None where there is none."""
        if not self.raw_body:
            return None
        handover = self.kind.body_handover
        program = None if handover is None else handover.program(self.key)
        return self.raw_body if program is None else plain_text(program, self.raw_body)


@dataclass(slots=True)
class PairKind:
    """What all pairs of one rule share: terms by key, the slots of value and section, and what reads their texts."""

    key: Slot
    value: Slot
    body: Slot | None
    terms: dict[str, str]
    handover: Handover | None
    body_handover: Handover | None
    escaped: bool
    repeats: frozenset[str]

    def fact(self, key: str, raw: str, body: str) -> PairFact:
        """What a pair of these texts says."""
        term = self.terms.get(key)
        if term is None:
            term = self.terms.get(key.lower(), "tag")
            if len(self.terms) < _MANY_KEYS:
                self.terms[key] = term
        return PairFact(self, term, key, raw, body)


_MANY_KEYS = 1000


def term_of(rule: Rule, name: str) -> str | None:
    """The term of a field; None for none."""
    term = rule.words.binding.term or name
    return term if term in TERMS and not rule.words.binding.opaque else None


@dataclass(slots=True)
class _Entry:
    """A field that says something, or must be looked through; of an array, ``inner`` are its elements' slots by kind and term."""

    kind: str
    slot: Slot
    term: str = ""
    inner: tuple[tuple[str, Slot, str], ...] = ()
    spine: tuple[re.Pattern[str], PairKind, tuple[int, int, int], tuple[tuple[int, str, Rule], ...]] | None = None


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


AnyFact = Fact | PairFact | TextFact


class FactFinder:
    """Finds the facts of the records of one grammar."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self._kinds: dict[str, PairKind] = {}

    def facts(self, maker: RecordMaker) -> Iterator[AnyFact]:
        """Everything that a record says, pairs in their order."""
        shape = maker.shape
        if shape.plan is None:
            shape.plan = _plan(shape)
            for entry in shape.plan:
                if entry.kind == "region":
                    entry.spine = self._spine(entry)
        for entry in shape.plan:
            slot = entry.slot
            if entry.kind == "region":
                yield from self._region(maker, entry)
            elif slot.kind == "array":
                yield from self._elements(maker, entry)
            elif entry.kind == "term":
                yield Fact(entry.term, None, maker, slot)
            elif maker.span(slot.group)[0] >= 0 and slot.shape is not None:
                yield from (
                    (self.pair(maker.sub(slot.shape), slot.rule),) if entry.kind == "pair" else self.facts(maker.sub(slot.shape))
                )

    def _spine(
        self, entry: _Entry
    ) -> tuple[re.Pattern[str], PairKind, tuple[int, int, int], tuple[tuple[int, str, Rule], ...]] | None:
        """A pattern that finds the texts of a region of pairs in one pass; None where there is more than pairs and comments."""
        pairs = [part for kind, part, _ in entry.inner if kind == "pair"]
        others = [(part, term) for kind, part, term in entry.inner if kind != "pair"]
        body = entry.slot.body
        if (
            len(pairs) != 1
            or pairs[0].shape is None
            or body is None
            or body.expr is None
            or any(part.kind != "leaf" for part, _ in others)
        ):
            return None
        kind = self.kind(pairs[0].shape, pairs[0].rule)
        wanted = [slot.name for slot in (kind.key, kind.value, kind.body) if slot is not None] + [part.name for part, _ in others]
        pattern, order = self.compiler.groups(body.expr, wanted, body.rule)
        if sorted(order) != sorted(wanted) or len(set(wanted)) != len(wanted):
            return None
        places = {name: index for index, name in enumerate(order)}
        section = places[kind.body.name] if kind.body is not None else -1
        comments = tuple((places[part.name], term, part.rule) for part, term in others)
        return pattern, kind, (places[kind.key.name], places[kind.value.name], section), comments

    def _region(self, maker: RecordMaker, entry: _Entry) -> Iterator[AnyFact]:
        start, stop = maker.span(entry.slot.group)
        if start < 0 or start == stop:
            return
        if entry.spine is not None:
            pattern, kind, (key, value, section), comments = entry.spine
            for row in pattern.findall(maker.text, start, stop):
                if row[key]:
                    yield kind.fact(row[key], row[value], row[section] if section >= 0 else "")
                else:
                    for place, term, rule in comments:
                        if row[place]:
                            yield TextFact(term, row[place], rule)
            return
        for match in maker.matches(entry.slot):
            for kind_, part, term in entry.inner:
                if match.start(part.group) < 0 or entry.slot.body is None:
                    continue
                if part.shape is not None and kind_ != "term":
                    sub = RecordMaker(maker.text, part.shape, match.span, maker.end, maker.memo)
                    yield from (self.pair(sub, part.rule),) if kind_ == "pair" else self.facts(sub)
                elif kind_ == "term":
                    yield Fact(term, None, RecordMaker(maker.text, entry.slot.body.shape, match.span, maker.end, maker.memo), part)

    def _elements(self, maker: RecordMaker, entry: _Entry) -> Iterator[AnyFact]:
        if entry.kind == "term" and entry.term != "comment":
            if maker.plain_of(entry.slot):
                yield Fact(entry.term, None, maker, entry.slot)
            return
        for owner, inner in maker.elements(entry.slot):
            if entry.kind == "term":
                yield Fact(entry.term, None, owner, inner)
            elif inner.shape is not None and owner.span(inner.group)[0] >= 0:
                sub = owner.sub(inner.shape)
                yield from (self.pair(sub, inner.rule),) if entry.kind == "pair" else self.facts(sub)

    def pair(self, maker: RecordMaker, rule: Rule) -> PairFact:
        """What a pair says."""
        kind = self.kind(maker.shape, rule)
        body = maker.field_text(kind.body.name) if kind.body is not None else None
        return kind.fact(maker.field_text(kind.key.name) or "", maker.field_text(kind.value.name) or "", body or "")

    def kind(self, shape: Shape, rule: Rule) -> PairKind:
        """What the pairs of a rule share."""
        if rule.name not in self._kinds:
            words = rule.words.extra
            named, terms, repeats = str(words["name"]), words.get("terms"), words.get("repeats")
            value = shape.slots.get("value") or next(slot for name, slot in shape.slots.items() if name != named)
            body = shape.slots.get("body")
            self._kinds[rule.name] = PairKind(
                shape.slots[named], value, body,
                {str(key): str(term) for key, term in terms.items()} if isinstance(terms, dict) else {},
                shape.contents.get(value.name), shape.contents.get("body"), "decode" in value.rule.words.extra,
                frozenset(map(str, repeats)) if isinstance(repeats, list) else frozenset(),
            )  # fmt: skip
        return self._kinds[rule.name]


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
