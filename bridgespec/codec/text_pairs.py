"""Pairs of text formats, a key and what it says: found in one pass along a record, by the reading, and kept for the binding.

What all pairs of one key share is worked out once a grammar, and what a short text says once a text: the same few calls, seats and
numbers come again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bridgespec.codec.text_facts import Fact, TextFact, decoded, term_of
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Element, Handover, Program, Shape, Slot
from bridgespec.codec.text_spine import MANY, SHORT, by_name, same_anywhere
from bridgespec.codec.text_tree import RecordMaker, plain_of, plain_text
from bridgespec.spec.grammar import Rule

T = TypeVar("T")
_ESCAPES = {"backslash": "\\", "percent": "%", "percent-codes": "%"}
_MANY_KEYS = 1000
_LONG = 64
_PLACED = ("auction", "play", "explanation", "note", "tag")
_LOOKS_BEHIND = re.compile(r"\(\?<[=!]|\\[bBA]|(?<![\[\\])\^")


class Key:
    """What all pairs of one key share: the term that they say, what reads value and section, and what short values say."""

    __slots__ = (
        "alone", "cells", "free", "inherit", "kind", "known", "made", "name", "plain", "program", "repeats", "section", "table",
        "term",
    )  # fmt: skip

    def __init__(self, kind: PairKind, name: str) -> None:
        self.kind = kind
        self.name = name
        self.term = kind.terms.get(name) or kind.terms.get(name.lower(), "tag")
        handover = kind.handover
        self.program = None if handover is None else handover.program(name)
        self.inherit = None if handover is None else handover.inherit
        self.section = None if kind.body_handover is None else kind.body_handover.program(name)
        self.repeats = name in kind.repeats
        self.plain = not self.repeats and self.term not in _PLACED
        """Whether it does not matter where a pair stands."""
        self.table = kind.columns is not None and name in kind.columns.get("tables", ())
        never = self.inherit is not None and name in self.inherit.never
        self.free = self.program is None and not never and not self.table
        """Whether no value can be a finding."""
        self.alone = self.program is not None and not self.program.active and not _LOOKS_BEHIND.search(self.program.pattern.pattern)
        """Whether a value is read the same wherever it stands."""
        self.cells: dict[str, set[str]] = {}
        """Of a table, the texts that are known to fit a column."""
        self.known: dict[str, Any] = {}
        """The plain values of short texts without a finding."""
        self.made: dict[str, Any] = {}
        """What the binding has made of short texts."""

    def read(self, raw: str) -> tuple[Program, re.Match[str]] | None:
        """The program and its match of a value that a rule reads; None where none does or it does not fit."""
        if self.kind.handover is None:
            return None
        program, start = self.kind.handover.choose(self.name, raw, 0, len(raw))
        found = None if program is None else program.pattern.fullmatch(raw, start)
        return None if program is None or found is None else (program, found)

    def clean(self, raw: str) -> re.Match[str] | None:
        """The match of a value that is without a finding wherever it stands; None where that is not certain."""
        inherit = self.inherit
        if not self.alone or self.table or (inherit is not None and raw.startswith(inherit.same)):
            return None
        found = self.read(raw)
        if found is None:
            return None
        program, match = found
        if program.finds(match) or program.is_dirty(match.span):
            return None
        if len(raw) <= SHORT and len(self.known) < MANY:
            self.known[raw] = plain_of(raw, program, match.span, len(raw))
        return match


class PairFact:
    """What a pair says, from its texts alone: places are found again when a finding needs them.

    ``kept`` is what the reading has found out already: the match of the value, or the rounds of the section. ``plain``: it says its
    term and nothing else, whatever stands around it. Many records may share one.
    """

    __slots__ = ("kept", "key", "of", "plain", "raw", "raw_body", "term")

    def __init__(self, of: Key, raw: str, raw_body: str) -> None:
        self.of = of
        self.key = of.name
        self.term = of.term
        self.raw = raw
        self.raw_body = raw_body
        self.kept: re.Match[str] | list[Element] | None = None
        self.plain = of.plain and not raw_body and (of.inherit is None or not raw.startswith(of.inherit.same))

    @property
    def text(self) -> str:
        """The value as it stands, decoded."""
        text, kind = self.raw, self.of.kind
        if text.isascii() and (kind.escape is None or kind.escape not in text):
            return text
        return decoded(kind.value.rule, text)

    @property
    def words(self) -> str:
        """The text without the mark that makes it hold for what follows."""
        text, inherit = self.text, self.of.inherit
        return text[len(inherit.header) :] if inherit is not None and text.startswith(inherit.header) else text

    @property
    def elements(self) -> list[Element] | None:
        """The rounds of the section, where the reading has kept them: there is no finding in it."""
        return self.kept if isinstance(self.kept, list) else None

    @property
    def rule(self) -> Rule:
        """The rule whose fields the value has."""
        program = self.of.program
        return self.of.kind.value.rule if program is None else program.rule

    def match(self) -> tuple[Program, re.Match[str]] | None:
        """The program and its match of a value that a rule reads; None where none does or it does not fit."""
        kept = self.kept
        return (self.of.program, kept) if isinstance(kept, re.Match) and self.of.program is not None else self.of.read(self.raw)

    @property
    def value(self) -> Any:
        """The plain value."""
        of, raw = self.of, self.raw
        found = of.known.get(raw)
        if found is not None:
            return found
        if of.kind.handover is None:
            return raw
        program, start = of.kind.handover.choose(of.name, raw, 0, len(raw))
        return raw if program is None else plain_text(program, raw[start:] if start else raw)

    def holds(self, name: str) -> bool:
        """Whether the value is a record that may have a field of this name."""
        return self.of.program is not None and name in self.of.program.shape.slots

    @property
    def has_section(self) -> bool:
        """Whether pairs like this may be followed by a section."""
        return self.of.kind.body is not None

    @property
    def section(self) -> Any:
        """The plain value of the section; None where there is none."""
        program = self.of.section
        if not self.raw_body:
            return None
        if program is None:
            return self.raw_body
        if self.elements is not None and program.section is not None:
            return by_name(program.section.spine.body.shape, self.elements)
        return plain_text(program, self.raw_body)


@dataclass(slots=True, eq=False)
class PairKind:
    """What all pairs of one rule share: terms by key, the slots of key, value and section, and what reads their texts."""

    key: Slot
    value: Slot
    body: Slot | None
    terms: Mapping[str, str]
    handover: Handover | None
    body_handover: Handover | None
    escape: str | None
    repeats: frozenset[str]
    columns: Mapping[str, Any] | None
    simple: bool
    """Whether reading must look at nothing but value and section."""
    keys: dict[str, Key] = field(default_factory=dict)

    def of(self, name: str) -> Key:
        """What the pairs of a key share."""
        found = self.keys.get(name)
        if found is None:
            found = Key(self, name)
            if len(self.keys) < _MANY_KEYS:
                self.keys[name] = found
        return found


AnyFact = Fact | PairFact | TextFact


def pair_of(kind: PairKind, maker: RecordMaker) -> PairFact:
    """What the pair of a match says; the reading may have kept it."""
    kept: PairFact | None = None if maker.memo is None else maker.memo.get((id(kind), maker.place(kind.key.name)[0]))
    if kept is not None:
        return kept
    body = None if kind.body is None else maker.field_text(kind.body.name)
    return PairFact(kind.of(maker.field_text(kind.key.name) or ""), maker.field_text(kind.value.name) or "", body or "")


def once(fact: AnyFact, make: Callable[[Any], T]) -> T:
    """What is made of a fact's value: for short texts of pairs, once a key and text. A term must always make the same of it."""
    if not isinstance(fact, PairFact):
        return make(fact.value)
    made = fact.of.made
    found: T | None = made.get(fact.raw)
    if found is None:
        found = make(fact.value)
        if len(fact.raw) <= SHORT and len(made) < MANY:
            made[fact.raw] = found
    return found


def kind_of(compiler: Compiler, shape: Shape, rule: Rule) -> PairKind:
    """What the pairs of a rule share."""
    found: PairKind | None = compiler.worked.get(("pair", rule.name))
    if found is None:
        words = rule.words.extra
        named, terms, repeats, columns = str(words["name"]), words.get("terms"), words.get("repeats"), words.get("columns")
        value = shape.slots.get("value") or next(slot for name, slot in shape.slots.items() if name != named)
        body = shape.slots.get("body")
        found = compiler.worked["pair", rule.name] = PairKind(
            shape.slots[named], value, body,
            {str(key): str(term) for key, term in terms.items()} if isinstance(terms, dict) else {},
            shape.contents.get(value.name), shape.contents.get("body"), _ESCAPES.get(str(value.rule.words.extra.get("decode"))),
            frozenset(map(str, repeats)) if isinstance(repeats, list) else frozenset(),
            columns if isinstance(columns, dict) and body is not None else None,
            _simple(compiler, shape, named, (value, body)),
        )  # fmt: skip
    return found


def _simple(compiler: Compiler, shape: Shape, named: str, parts: tuple[Slot, Slot | None]) -> bool:
    names = {part.name for part in parts if part is not None}
    by = all(name in names and handover.word.by in (None, named) for name, handover in shape.contents.items())
    texts = all(slot.kind == "leaf" for slot in shape.slots.values())
    empty = parts[1] is not None and re.compile(compiler.regex(parts[1].rule.name)).fullmatch("")
    return by and texts and not shape.derived and not empty


@dataclass(slots=True, eq=False)
class Pairs:
    """A region of pairs and single texts: a pattern of one round, without groups, and one with the groups of its texts.

    ``others`` are the groups of texts that say a term by themselves, with the term and the text's rule.
    """

    rounds: re.Pattern[str]
    pattern: re.Pattern[str]
    kind: PairKind
    key: int
    value: int
    body: int
    others: tuple[tuple[int, str, Rule], ...]
    known: dict[str, PairFact] = field(default_factory=dict)
    """The pairs that short rounds are, without a section or a finding."""

    def keep(self, match: re.Match[str], fact: PairFact) -> None:
        """Know the pair of a round from now on, if it is the same wherever the round stands."""
        if match.end() - match.start() <= _LONG and same_anywhere(self.pattern, match[0], match.groups()):
            if len(self.known) >= MANY:
                self.known.clear()
            self.known[match[0]] = fact

    def facts(self, text: str, start: int, stop: int) -> Iterator[PairFact | TextFact]:
        """What a region says."""
        for match in self.pattern.finditer(text, start, stop):
            if match[self.key]:
                section = self.body and match[self.body]
                yield PairFact(self.kind.of(match[self.key]), match[self.value] or "", section or "")
            else:
                yield from self.texts(match)

    def texts(self, match: re.Match[str]) -> Iterator[TextFact]:
        """What a round that is no pair says."""
        for group, term, rule in self.others:
            if match[group]:
                yield TextFact(term, match[group], rule)


def pairs_of(compiler: Compiler, body: Program) -> Pairs | None:
    """The pairs of a region; None where there is more in it than pairs of one rule and single texts."""
    if body.pairs is None:
        body.pairs = _pairs(compiler, body) or False
    found: Pairs | None = body.pairs or None
    return found


def _pairs(compiler: Compiler, body: Program) -> Pairs | None:
    slots = body.shape.slots.items()
    pairs = [slot for _, slot in slots if slot.rule.words.extra.get("name") is not None]
    others = [(slot, term) for name, slot in slots if slot not in pairs and (term := term_of(slot.rule, name)) is not None]
    rest = [slot for _, slot in slots if slot not in pairs]
    if len(pairs) != 1 or pairs[0].shape is None or pairs[0].parts or body.expr is None:
        return None
    if any(slot.kind != "leaf" or slot.parts for slot in rest):
        return None
    kind = kind_of(compiler, pairs[0].shape, pairs[0].rule)
    if not kind.simple:
        return None
    wanted = [slot.name for slot in (kind.key, kind.value, kind.body) if slot is not None] + [slot.name for slot, _ in others]
    pattern, order = compiler.groups(body.expr, wanted, body.rule)
    if sorted(order) != sorted(wanted) or len(set(wanted)) != len(wanted):
        return None
    groups = {name: index for index, name in enumerate(order, 1)}
    return Pairs(
        compiler.groups(body.expr, (), body.rule)[0], pattern, kind,
        groups[kind.key.name], groups[kind.value.name], 0 if kind.body is None else groups[kind.body.name],
        tuple((groups[slot.name], term, slot.rule) for slot, term in others),
    )  # fmt: skip
