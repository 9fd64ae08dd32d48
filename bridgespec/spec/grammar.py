"""Text layouts: what a Lark grammar with its ``//-`` lines says, as values.

A rule is a record: each rule or terminal that it names is a field, an array where it is named twice or under a repetition.
``_names`` are layout: matched, kept, never a field. A rule whose alternatives are all ``text -> name`` is a code: its value
is the name. Choices are ordered and nothing is taken back, so that a grammar describes one reading of a text.

The words of a ``//-`` block before a rule, YAML, beside the binding words that it shares with ``-bridge-`` keys:

- ``trim: CHARACTERS`` what a writer strips from the end of the rule's text.
- ``content: {of: FIELD, rule: RULE}`` the field's text is read by another rule; ``{of: FIELD, by: FIELD, cases: {KEY: RULE},
  else: RULE}`` chooses it by a sibling's text; ``code``, ``severity`` and ``message`` are those of a text that does not fit.
- ``report: {code, severity, message, fix?, help?}`` a text that matches this rule is a finding; ``fix`` is the text to put there.
- ``says: WORDS`` how messages name the rule or terminal ("seven flags").
- ``write: TEXT`` the spelling that a writer gives layout, where the shortest one will not do; optional layout is written where
  it has one. ``write: [TEXT ...]`` takes them in turn, round and round, within a record.
- ``ends: TEXT`` what a writer puts at the end of the rule's text in place of blanks, unless it is there.
- ``name: FIELD`` this record is a pair: what its other fields hold is told by the text of that field; ``terms: {KEY: TERM}``.
- ``inherit: {same: "#", header: "##", never: [KEY ...], code, severity, message}`` on a pair: values that repeat the previous
  record's, or hold for all that follow.
- ``repeats: [KEY ...]`` pairs that hold for the following records until they are stated anew.
- ``restart: {at: REGEX, after: REGEX}`` once a part of the record has begun like ``after``, one that begins like ``at`` begins
  another record; without ``after`` that is ``at`` too.
- ``xor: [FIELD ...]`` a number derived from sibling fields (or constants): their numbers exclusively ored, computed when
  writing, verified when reading. A code named n5 is 5, another its place among the codes, from 0; a record's numbers are those
  of all that is in it.
- ``fill: {number: FIELD, after: FIELD, to: N}`` records that a writer adds, numbered on from the last of ``after`` up to N.
- ``columns: {tables: [KEY ...], cases: {NAME: RULE}, code, severity}`` on a pair with a section: of these keys the value names
  columns, parted by semicolons, and the section's cells are read by the rules of their columns.
- ``also: [KEY ...]`` pairs that a fresh record has beside another of the same term.
- ``mandatory: [KEY ...]`` pairs that a fresh record has even where nothing is known; ``tags: true``: any further pair may stand.
- ``decode: backslash|percent|percent-codes`` how characters are escaped in the rule's text; of ``percent-codes`` a writer makes
  only those that it needs for a percent sign.
- ``lines``, ``faults``, ``strict``, ``clean``, ``once``, ``needs``: see `grammar_form`.
- ``number: {pad-left: "0", width: 3}`` and ``digits: {base: 4, codes: [NAME ...], from: 0, first: low|high}`` as for binary fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bridgespec.diagnostic import Severity
from bridgespec.spec.grammar_form import Content as Content
from bridgespec.spec.grammar_form import PairForm, TextForm
from bridgespec.spec.grammar_form import Report as Report
from bridgespec.spec.ir import Binding, Check
from bridgespec.spec.place import Place


@dataclass(frozen=True, slots=True)
class Literal:
    """Just this text."""

    text: str
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression of Python's ``re``."""

    regex: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class Ref:
    """A rule or terminal by name."""

    name: str
    place: Place

    @property
    def field(self) -> str | None:
        """The field that the reference makes; None for layout."""
        return None if self.name.startswith("_") else self.name.lower()


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first that matches; ``names`` are the aliases (``-> name``), None where there is none."""

    options: tuple[Expr, ...]
    names: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """As often as it matches, at least ``least`` and at most ``most`` times."""

    item: Expr
    least: int
    most: int | None


Expr = Literal | Pattern | Ref | Sequence | Choice | Repeat


@dataclass(frozen=True, slots=True)
class Inherit:
    """A pair's value ``same`` repeats that of the nearest earlier record; one that begins with ``header`` holds, without that
    mark, for every record that follows. Pairs named in ``never`` may not do so: reported with ``code``.
    """

    same: str
    header: str
    never: frozenset[str]
    code: str
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True)
class Restart:
    """Where a record ends because another begins: regular expressions without groups."""

    at: str
    after: str


@dataclass(frozen=True, slots=True)
class Words:
    """What the ``//-`` block of a rule says; empty where there is none."""

    binding: Binding = field(default_factory=Binding)
    doc: str = ""
    says: str | None = None
    write: tuple[str, ...] | None = None
    ends: str | None = None
    trim: str | None = None
    contents: tuple[Content, ...] = ()
    report: Report | None = None
    checks: tuple[Check, ...] = ()
    inherit: Inherit | None = None
    restart: Restart | None = None
    xor: tuple[str, ...] = ()
    form: PairForm | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule or, in capitals, a terminal."""

    name: str
    expr: Expr
    place: Place
    words: Words = Words()

    @property
    def is_terminal(self) -> bool:
        """Whether the name is in capitals."""
        return self.name.strip("_?!").isupper()

    @property
    def is_layout(self) -> bool:
        """Whether the name begins with an underscore: no field of its own."""
        return self.name.startswith("_")

    @property
    def codes(self) -> Choice | None:
        """The alternatives of a code rule (each ``text -> name``), None for any other rule."""
        expr = self.expr
        if isinstance(expr, Choice) and not self.is_terminal and all(expr.names):
            return expr
        return None

    @property
    def alias_of(self) -> Ref | None:
        """What a rule that is one reference and nothing else stands for."""
        return self.expr if isinstance(self.expr, Ref) and not self.is_terminal else None


RECOVER = r"[^\r\n]*+(?:\r\n|\r|\n|$)"
"""What a text that fits nowhere costs, unless a schema says otherwise: the rest of its line."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """Rules by name, imported ones included; reading begins at ``start``. ``source`` is the grammar as Lark loads it."""

    rules: Mapping[str, Rule]
    start: str
    source: str
    recover: str = RECOVER
    form: TextForm = field(default_factory=TextForm)

    def fields(self, expr: Expr) -> list[str]:
        """The fields that an expression makes, in order, each once; layout rules are looked through."""
        found: dict[str, None] = {}
        self._collect(expr, found)
        return list(found)

    def _collect(self, expr: Expr, found: dict[str, None]) -> None:
        match expr:
            case Ref():
                if expr.field is not None:
                    found[expr.field] = None
                elif not self.rules[expr.name].is_terminal:
                    self._collect(self.rules[expr.name].expr, found)
            case Sequence(items):
                for item in items:
                    self._collect(item, found)
            case Choice(options):
                for option in options:
                    self._collect(option, found)
            case Repeat(item):
                self._collect(item, found)
            case _:
                pass

    def reports(self) -> Iterator[tuple[str, Report]]:
        """Every finding that words of rules and of the head describe, with the rule's name."""
        for report in self.form.reports():
            yield self.start, report
        for rule in self.rules.values():
            words = rule.words
            if words.report is not None:
                yield rule.name, words.report
            for said in () if words.form is None else words.form.reports():
                yield rule.name, said

    def resolve(self, rule: Rule) -> Rule:
        """The rule that holds the text's shape: where a rule is one reference and nothing else, what it stands for."""
        while (target := rule.alias_of) is not None:
            rule = self.rules[target.name]
        return rule

    def is_leaf(self, rule: Rule) -> bool:
        """Whether the rule, looked through, is text without fields (a terminal always is)."""
        rule = self.resolve(rule)
        return rule.is_terminal or not self.fields(rule.expr)

    def occurrences(self, expr: Expr, many: bool = False) -> dict[str, tuple[Ref, bool]]:
        """The fields of an expression with the reference that makes each, and whether it is an array."""
        found: dict[str, tuple[Ref, bool]] = {}
        match expr:
            case Ref():
                if expr.field is not None:
                    return {expr.field: (expr, many)}
                target = self.rules[expr.name]
                return {} if target.is_terminal else self.occurrences(target.expr, many)
            case Sequence(items):
                for item in items:
                    for name, (ref, array) in self.occurrences(item, many).items():
                        found[name] = (ref, array or name in found)
            case Choice(options):
                for option in options:
                    for name, (ref, array) in self.occurrences(option, many).items():
                        found[name] = (ref, array or (name in found and found[name][1]))
            case Repeat(item, _, most):
                return self.occurrences(item, many or most != 1)
            case _:
                pass
        return found
