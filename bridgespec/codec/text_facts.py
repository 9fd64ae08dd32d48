"""What a record of a text format says, as facts: a model term, and the text that says it.

A field says the term that its rule names (``as``) or that is its own name. A pair says the term that ``terms`` gives for its
key; a key without one is a tag. Records without a term are looked through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from bridgespec.codec.text_program import Slot
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
        return decoded(self.slot.rule, self.maker.text[start:stop]) if start >= 0 else ""

    @property
    def value(self) -> Any:
        """The plain value."""
        return self.maker.plain_of(self.slot)

    @property
    def section(self) -> Any:
        """The plain value of the section; None where there is none."""
        return None if self.body is None else self.maker.plain_of(self.body)


def term_of(rule: Rule, name: str) -> str | None:
    """The term of a field; None for none."""
    term = rule.words.binding.term or name
    return term if term in TERMS and not rule.words.binding.opaque else None


def facts(maker: RecordMaker) -> Iterator[Fact]:
    """Everything that a record says, pairs in their order."""
    for name, slot in maker.shape.slots.items():
        if slot.rule.words.extra.get("name") is not None:
            for owner, inner in maker.elements(slot) if slot.kind == "array" else ((maker, slot),):
                if owner.regs[inner.group][0] >= 0 and inner.shape is not None:
                    yield pair(RecordMaker(owner.text, inner.shape, owner.regs, owner.end), inner.rule)
            continue
        term = term_of(slot.rule, name)
        if term is not None:
            if slot.kind != "array":
                yield Fact(term, None, maker, slot)
            elif term == "comment":
                yield from (Fact(term, None, owner, inner) for owner, inner in maker.elements(slot))
            elif maker.plain_of(slot):
                yield Fact(term, None, maker, slot)
        elif slot.kind == "array":
            for owner, inner in maker.elements(slot):
                if inner.shape is not None and slot.rule.words.binding.term is None:
                    yield from facts(RecordMaker(owner.text, inner.shape, owner.regs, owner.end))
        elif slot.shape is not None and maker.regs[slot.group][0] >= 0:
            yield from facts(RecordMaker(maker.text, slot.shape, maker.regs, maker.end))


def pair(maker: RecordMaker, rule: Rule) -> Fact:
    """What a pair says."""
    key = maker.field_text(str(rule.words.extra["name"])) or ""
    terms = rule.words.extra.get("terms")
    term = str(terms.get(key) or terms.get(key.lower()) or "tag") if isinstance(terms, dict) else "tag"
    slots = maker.shape.slots
    named = str(rule.words.extra["name"])
    value = slots.get("value") or next(slot for name, slot in slots.items() if name != named)
    return Fact(term, key, maker, value, slots.get("body"))


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
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in ("unknown", "padding", "irregular"):
                return scalar(inner)
        return ""
    if isinstance(value, list):
        return scalar(value[0]) if value else ""
    return "" if value is None else str(value)
