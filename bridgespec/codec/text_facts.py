"""What a record of a text format says, as facts: a model term, and the text that says it.

A field says the term that its rule names (``as``) or that is its own name. A pair says the term that ``terms`` gives for its
key; a key without one is a tag. Records without a term are looked through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from bridgespec.codec.text_shape import Slot
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
    maker: RecordMaker
    slot: Slot

    has_section = False
    section = None
    elements = None
    raw_body = ""
    key = ""
    plain = False

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
    def words(self) -> str:
        """The text that says something."""
        return self.text

    @property
    def value(self) -> Any:
        """The plain value."""
        return self.maker.plain_of(self.slot)

    @property
    def rule(self) -> Rule:
        """The rule whose fields the value has."""
        return self.slot.rule

    def holds(self, name: str) -> bool:
        """Whether the value is a record that may have a field of this name."""
        return self.slot.shape is not None and name in self.slot.shape.slots


@dataclass(slots=True)
class TextFact:
    """A text that says a term, known by the text alone."""

    term: str
    raw: str
    rule: Rule

    has_section = False
    section = None
    elements = None
    raw_body = ""
    key = ""
    plain = False

    @property
    def text(self) -> str:
        """The text, decoded."""
        return decoded(self.rule, self.raw)

    @property
    def words(self) -> str:
        """The text that says something."""
        return self.text

    @property
    def value(self) -> Any:
        """The text as it stands."""
        return self.raw

    def holds(self, name: str) -> bool:
        """A text has no fields."""
        return False


def term_of(rule: Rule, name: str) -> str | None:
    """The term of a field; None for none."""
    term = rule.words.binding.term or name
    return term if term in TERMS and not rule.words.binding.opaque else None


_CODE = re.compile(r"%(?=[0-9A-Fa-f]{2})")


def decoded(rule: Rule | None, text: str) -> str:
    """The characters that a piece of Latin-1 text stands for: its rule's escapes, if any, then UTF-8 where it is that, else
    Windows-1252.
    """
    how = None if rule is None else rule.words.extra.get("decode")
    if how == "backslash" and "\\" in text:
        text = text.replace('\\"', '"').replace("\\\\", "\\")
    elif how in ("percent", "percent-codes") and "%" in text:
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


def encoded(rule: Rule | None, text: str) -> str:
    """The Latin-1 text of some characters, escaped as the rule, if any, says; UTF-8 where Latin-1 lacks one."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        text = text.encode("utf-8").decode("latin-1")
    how = None if rule is None else rule.words.extra.get("decode")
    if how == "backslash":
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if how == "percent":
        return quote(text, safe="!'()*,;:@$/?~ ", encoding="latin-1").replace(" ", "%20")
    if how == "percent-codes":
        return _CODE.sub("%25", text)
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
