"""What a compiled text grammar consists of: programs, the shapes of their records, and the slots of their fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bridgespec.spec import ir
from bridgespec.spec.grammar import Content, Expr, Inherit, Report, Rule

Kind = Literal["leaf", "code", "record", "array"]
Bounds = Callable[[int], tuple[int, int]]
"""The bounds of a match's groups, (-1, -1) for one that took no part."""


@dataclass(slots=True)
class Slot:
    """A field of a record: the group that holds it and what is in it."""

    name: str
    kind: Kind
    group: int
    decl: ir.Field
    rule: Rule
    shape: Shape | None = None
    """The parts of a record, whose groups are in the same match."""
    body: Program | None = None
    """What an array's group is a sequence of; the field ``name`` of each of its matches is an element."""
    parts: tuple[Slot, ...] = ()
    """Where an array stands in several places of the record: each of them, an array or a single element."""
    codes: Codes | None = None
    active: bool = False
    """Whether reading must look inside: there are contents that the match alone does not decide."""


@dataclass(slots=True)
class Codes:
    """The spellings of a code rule: text to name, and the first spelling of each name."""

    names: dict[str, str]
    folded: dict[str, str]
    patterns: tuple[tuple[re.Pattern[str], str], ...]
    spelling: dict[str, str]
    order: dict[str, int]

    def number(self, name: str) -> int:
        """What a code counts as: n5 as 5, any other as its place among the codes, from 0."""
        return int(name[1:]) if name[0] == "n" and name[1:].isdigit() else self.order[name]

    def named(self, value: object) -> str | None:
        """The name of a code given as a name, a spelling or a number; None where it is none of them."""
        if isinstance(value, int):
            return next((name for name, number in self.order.items() if number == value), None)
        text = str(value)
        return text if text in self.order else self.name(text)

    def value(self, text: str) -> int | str:
        """The number of the code in the spec's enum; the text itself where it is no spelling of one."""
        name = self.name(text)
        return text if name is None else self.order[name]

    def name(self, text: str) -> str | None:
        """The code's name; None where the text is no spelling of one."""
        found = self.names.get(text) or self.folded.get(text.lower())
        if found is None:
            for pattern, name in self.patterns:
                if pattern.fullmatch(text):
                    return name
        return found


@dataclass(slots=True)
class Handover:
    """A content word, compiled: which rule reads the text of a field."""

    word: Content
    cases: Mapping[str, Program]
    otherwise: Program | None
    inherit: Inherit | None

    def program(self, key: str | None) -> Program | None:
        """The program for a sibling's text."""
        return self.otherwise if key is None else self.cases.get(key, self.otherwise)

    def choose(self, key: str | None, text: str, start: int, stop: int) -> tuple[Program | None, int]:
        """The program for a text and where it begins to read; None where the text is kept as it is."""
        program = self.otherwise if key is None else self.cases.get(key, self.otherwise)
        if self.inherit is not None and program is not None and text.startswith(self.inherit.same, start, stop):
            if text.startswith(self.inherit.header, start, stop):
                return program, start + len(self.inherit.header)
            if stop - start == len(self.inherit.same):
                return None, start
        return program, start


@dataclass(slots=True)
class Shape:
    """The fields of a record in the order of the grammar, and the contents handed over."""

    rule: Rule
    slots: dict[str, Slot] = field(default_factory=dict)
    contents: dict[str, Handover] = field(default_factory=dict)
    derived: bool = False
    """Whether a field is derived from others, so that reading must verify it."""
    plan: Any = None
    """What the binding has worked out of the shape, once."""

    @property
    def only_contents(self) -> bool:
        """Whether contents are all that reading must look at inside the record."""
        others = (slot for name, slot in self.slots.items() if name not in self.contents)
        return not self.derived and not any(slot.active or slot.parts for slot in others)


@dataclass(slots=True)
class Program:
    """A rule's or a repetition's regular expression with what its groups mean.

    ``reports`` are the groups of rules that are findings.
    """

    rule: Rule
    pattern: re.Pattern[str]
    shape: Shape
    kind: Kind
    decl: ir.Field
    codes: Codes | None
    reports: tuple[tuple[int, Report], ...] = ()
    inner_reports: tuple[int, ...] = ()
    """Groups that are set where a finding's rule has matched in some round of an array."""
    active: bool = False
    spine: Spine | None = None
    section: Section | None = None
    pairs: Any = None
    """What the pairs of its region are, once it has been asked; False where it is no region of pairs."""
    known: dict[str, Any] = field(default_factory=dict)
    """Plain values of short texts already seen."""
    expr: Expr | None = None
    """What it was made from, where that is a part of a rule."""

    def finds(self, match: re.Match[str]) -> bool:
        """Whether a match has findings of its own."""
        return bool(self.reports) and any(match.start(number) >= 0 for number, _ in self.reports)

    def is_dirty(self, span: Bounds) -> bool:
        """Whether a match has findings in the rounds of its arrays."""
        return bool(self.inner_reports) and any(span(group)[0] >= 0 for group in self.inner_reports)


@dataclass(slots=True, eq=False)
class Element:
    """What one round of a region says: the plain value of each field in it. The binding keeps here what it is as a call and as a
    card, once it has worked it out.
    """

    fields: tuple[tuple[str, Any], ...]
    clean: bool
    """Whether there is no finding in it."""
    call: Any = None
    card: Any = None


@dataclass(slots=True)
class Spine:
    """A region whose rounds stand for themselves: a pattern of one round, without groups, and what the rounds seen so far say.

    A round is looked up by its text, so that a region is read by one `findall` and a table.
    """

    pattern: re.Pattern[str]
    body: Program
    known: dict[str, Element] = field(default_factory=dict)
    clean: dict[str, Element] = field(default_factory=dict)
    """Those of ``known`` without a finding."""


@dataclass(slots=True)
class Section:
    """A rule that is nothing but layout and then the rounds of a region."""

    lead: re.Pattern[str]
    spine: Spine


@dataclass(slots=True)
class Part:
    """One part of the start rule: matched once, or as often as it can be."""

    expr: Expr
    repeated: bool
    optional: bool
    program: Program
