"""Text grammars compiled to regular expressions: one a record, its fields as groups, so that C does the matching.

Every repetition is possessive and every choice atomic: what has matched is not taken back. A repeated part is one group; its
elements are found by running the element's own expression along it. Text that content words hand to another rule is
matched by that rule's expression within the bounds of the field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as Sequence_
from dataclasses import replace
from typing import Any

from bridgespec.codec.text_shape import Codes, Handover, Kind, Part, Program, Section, Shape, Slot, Spine
from bridgespec.spec import ir
from bridgespec.spec.grammar import (
    Choice,
    Expr,
    Grammar,
    Literal,
    Pattern,
    Ref,
    Repeat,
    Report,
    Restart,
    Rule,
    Sequence,
)
from bridgespec.spec.grammar.load import field_of


class _Group:
    """One pattern in the making."""

    def __init__(self, silent: bool = False) -> None:
        self.silent = silent
        self.count = 0
        self.regions = 0
        self.reports: list[tuple[int, Report]] = []
        self.inner: list[int] = []
        self.restart: Restart | None = None
        self.marks: list[int] = []

    def report(self, index: int, report: Report) -> None:
        if self.regions:
            self.inner.append(index)
        else:
            self.reports.append((index, report))

    def open(self) -> int:
        self.count += 1
        return self.count


_QUANTIFIED = re.compile(r"(?:[*+?]|\{[\d,]+\})\+|\{\d+\}")
_OPENING = re.compile(r"\(\?(?:[a-z]*:|<?[!=])")
_ONE = re.compile(r"(\\[sSdDwW]|\[\^?[^\[\]\\]+\])\+\+")


def atomic(regex: str) -> str:
    """The expression so that nothing it has matched is taken back: as it is where it cannot be, else in an atomic group.

    >>> atomic(r"[A-Z]++"), atomic("a+")
    ('[A-Z]++', '(?>a+)')
    """
    bare = re.sub(r"\\.", "a", regex)
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "a", bare)
    bare = _OPENING.sub("(", _QUANTIFIED.sub("", bare))
    return f"(?>{regex})" if any(mark in bare for mark in "*+?{|") or "(?>" in regex else regex


def optional(regex: str) -> str:
    r"""The expression or nothing, the expression first.

    >>> optional(r"\s++"), optional("ab")
    ('\\s*+', '(?>ab|)')
    """
    one = _ONE.fullmatch(regex)
    return f"{one[1]}*+" if one else f"(?>{regex}|)"


class Compiler:
    """Makes the programs of a grammar, each once."""

    def __init__(self, spec: ir.Spec) -> None:
        if not isinstance(spec.text, Grammar):
            raise TypeError(f"{spec.id} is no text format")
        self.spec = spec
        self.grammar: Grammar = spec.text
        self._programs: dict[str, Program] = {}
        self._bodies: dict[int, Program] = {}
        self._codes: dict[str, Codes] = {}
        self._regex: dict[str, str] = {}
        self._reporting: dict[str, bool] = {}
        self._fields: dict[int, dict[str, tuple[Ref, bool]]] = {}
        self._leaves: dict[str, bool] = {}
        self.worked: dict[tuple[str, str], Any] = {}
        """What others have worked out of rules, by its kind and the rule's name."""

    def fields(self, expr: Expr) -> dict[str, tuple[Ref, bool]]:
        """`Grammar.occurrences`, remembered."""
        found = self._fields.get(id(expr))
        if found is None:
            found = self._fields[id(expr)] = self.grammar.occurrences(expr)
        return found

    def is_leaf(self, rule: Rule) -> bool:
        """`Grammar.is_leaf`, remembered."""
        if rule.name not in self._leaves:
            self._leaves[rule.name] = self.grammar.is_leaf(rule)
        return self._leaves[rule.name]

    def program(self, name: str) -> Program:
        """The program of a rule by name."""
        if name not in self._programs:
            rule = self.grammar.rules[name]
            resolved = self.grammar.resolve(rule)
            decl = field_of(self.spec.id, self.grammar, name, name.lower(), False)
            self._programs[name] = program = Program(rule, re.compile(""), Shape(rule), "record", decl, None)
            codes = self.codes(resolved)
            leaf = self.grammar.is_leaf(rule)
            program.codes = codes
            program.kind = "code" if codes else "leaf" if leaf else "record"
            if program.kind == "record":
                program.shape.contents = self._contents(rule) or self._contents(resolved)
            self._fill(program, resolved.expr, not leaf)
            program.section = self._section(resolved, resolved.expr) if program.kind == "record" else None
            if rule.words.report is not None:
                program.reports = ((0, rule.words.report), *program.reports)
        return self._programs[name]

    def body(self, expr: Expr, owner: Rule) -> Program:
        """The program of an expression inside a rule, such as one round of a repetition."""
        key = id(expr)
        if key not in self._bodies:
            decl = ir.Field(owner.name, ir.RecordType(owner.name), owner.place)
            self._bodies[key] = program = Program(owner, re.compile(""), Shape(owner), "record", decl, None)
            self._fill(program, expr, True)
            program.spine = self._spine(program, expr)
            program.expr = expr
        return self._bodies[key]

    def _spine(self, program: Program, expr: Expr) -> Spine | None:
        """The rounds of a region by their texts; None where they are more than records and texts, or may be empty."""
        for slot in program.shape.slots.values():
            record = slot.kind == "record" and slot.shape is not None
            if slot.parts or not (record or slot.kind == "leaf") or slot.rule.words.extra:
                return None
        pattern = re.compile(self._emit(expr, None, _Group(silent=True), program.rule))
        return None if program.active or pattern.fullmatch("") else Spine(pattern, program)

    def _section(self, rule: Rule, expr: Expr) -> Section | None:
        """The layout and the region that a rule consists of; None where there is more."""
        lead, last = (expr.items[:-1], expr.items[-1]) if isinstance(expr, Sequence) else ((), expr)
        if not isinstance(last, Repeat) or (last.least, last.most) != (0, None) or any(map(self._matters, lead)):
            return None
        spine = self.body(last.item, rule).spine if self.fields(last) else None
        pattern = "".join(self._emit(item, None, _Group(silent=True), rule) for item in lead)
        return None if spine is None else Section(re.compile(pattern), spine)

    def _matters(self, expr: Expr) -> bool:
        """Whether an expression is more than layout."""
        return bool(self.fields(expr)) or self._reports(expr)

    def groups(self, expr: Expr, names: Sequence_[str], owner: Rule) -> tuple[re.Pattern[str], list[str]]:
        """A pattern with a group for each of the named fields, wherever in the expression they are, and their order in it."""
        order: list[str] = []
        pattern = re.compile(self._emit_groups(expr, names, owner, order))
        return pattern, order

    def parts(self) -> list[Part]:
        """The start rule, part by part."""
        start = self.grammar.rules[self.grammar.start]
        items = start.expr.items if isinstance(start.expr, Sequence) else (start.expr,)
        found = []
        for item in items:
            inner = item.item if isinstance(item, Repeat) else item
            repeated = isinstance(item, Repeat) and item.most != 1
            optional = isinstance(item, Repeat) and item.least == 0
            found.append(Part(inner, repeated, optional, self.body(inner, start)))
        return found

    def _fill(self, program: Program, expr: Expr, capture: bool) -> None:
        group = _Group()
        slots: list[Slot] = []
        program.pattern = re.compile(self._emit(expr, slots if capture else None, group, program.rule))
        program.shape.slots = _merged(slots, self.grammar.occurrences(expr))
        program.reports = tuple(group.reports)
        program.inner_reports = tuple(group.inner)
        program.shape.derived = _derived(program.shape)
        program.active = _active(program.shape)

    def codes(self, rule: Rule) -> Codes | None:
        """The spellings of a code rule; None for any other."""
        choice = rule.codes
        if choice is None:
            return None
        if rule.name not in self._codes:
            codes = Codes({}, {}, (), {}, {})
            patterns = []
            for option, name in zip(choice.options, choice.names, strict=True):
                if name is None:
                    continue
                codes.order.setdefault(name, len(codes.order))
                if isinstance(option, Literal):
                    codes.names.setdefault(option.text, name)
                    if option.ignore_case:
                        codes.folded.setdefault(option.text.lower(), name)
                    codes.spelling.setdefault(name, option.text)
                else:
                    patterns.append((re.compile(self._emit(option, None, _Group(), rule)), name))
            codes.patterns = tuple(patterns)
            self._codes[rule.name] = codes
        return self._codes[rule.name]

    def field_rule(self, record: Rule, name: str) -> Rule:
        """The rule of a record's field; KeyError where it has none of that name."""
        return self.grammar.rules[self.fields(self.grammar.resolve(record).expr)[name][0].name]

    def _contents(self, rule: Rule) -> dict[str, Handover]:
        found = {}
        for word in rule.words.contents:
            cases = {key: self.program(name) for key, name in word.cases.items()}
            otherwise = self.program(word.otherwise) if word.otherwise else None
            inherit = rule.words.inherit if word.by is not None and word is rule.words.contents[0] else None
            found[word.of] = Handover(word, cases, otherwise, inherit)
        return found

    def regex(self, name: str) -> str:
        """The expression of a rule or terminal without groups, atomic."""
        if name not in self._regex:
            self._regex[name] = self._emit(self.grammar.rules[name].expr, None, _Group(silent=True), self.grammar.rules[name])
        return self._regex[name]

    def _reports(self, expr: Expr) -> bool:
        """Whether a rule with a report can match somewhere in the expression."""
        match expr:
            case Ref(name):
                if name not in self._reporting:
                    rule = self.grammar.rules[name]
                    self._reporting[name] = False
                    self._reporting[name] = rule.words.report is not None or self._reports(rule.expr)
                return self._reporting[name]
            case Sequence(items) | Choice(items):
                return any(self._reports(item) for item in items)
            case Repeat(item):
                return self._reports(item)
            case _:
                return False

    def _emit(self, expr: Expr, slots: list[Slot] | None, group: _Group, owner: Rule) -> str:
        match expr:
            case Literal(text, ignore_case):
                return f"(?i:{re.escape(text)})" if ignore_case else re.escape(text)
            case Pattern(regex, flags):
                return atomic(f"(?{flags}:{regex})" if flags else regex)
            case Sequence(items):
                return "".join(self._emit(item, slots, group, owner) for item in items)
            case Choice(options):
                return f"(?>{'|'.join(self._emit(option, slots, group, owner) for option in options)})"
            case Repeat():
                return self._emit_repeat(expr, slots, group, owner)
            case Ref():
                return self._emit_ref(expr, slots, group)

    def _emit_groups(self, expr: Expr, names: Sequence_[str], owner: Rule, order: list[str]) -> str:
        """The expression with a group around each of the named fields, and no other."""
        match expr:
            case Sequence(items):
                return "".join([self._emit_groups(item, names, owner, order) for item in items])
            case Choice(options):
                return f"(?>{'|'.join([self._emit_groups(option, names, owner, order) for option in options])})"
            case Repeat(item, 0, 1):
                return optional(self._emit_groups(item, names, owner, order))
            case Ref(name) if expr.field in names:
                order.append(str(expr.field))
                return f"({self.regex(name)})"
            case Ref(name) if self.fields(expr):
                return self._emit_groups(self.grammar.rules[name].expr, names, owner, order)
            case _:
                return self._emit(expr, None, _Group(silent=True), owner)

    def _emit_repeat(self, repeat: Repeat, slots: list[Slot] | None, group: _Group, owner: Rule) -> str:
        item, least, most = repeat.item, repeat.least, repeat.most
        if least == 0 and most == 1:
            return optional(self._emit(item, slots, group, owner))
        fields = self.grammar.occurrences(item)
        reporting = self._reports(item)
        region = group.open() if slots is not None and fields else 0
        group.regions += bool(region)
        inside = group.open() if region and group.restart is not None else 0
        inner = self._emit(item, None, group, owner)
        group.regions -= bool(region)
        marked = region and group.restart is not None and owner.words.restart is group.restart
        if marked:
            inner = self._guarded(inner, group, inside)
        count = (
            "*"
            if (least, most) == (0, None)
            else "+"
            if (least, most) == (1, None)
            else f"{{{least},{'' if most is None else most}}}"
        )
        loop = f"(?>(?:{inner}){count})" if reporting or marked else f"(?:{inner}){count}+"
        if slots is None or not fields:
            return loop
        body = self.body(item, owner)
        for name, (ref, _) in fields.items():
            rule = self.grammar.rules[ref.name]
            decl = field_of(self.spec.id, self.grammar, ref.name, name, True)
            slots.append(Slot(name, "array", region, decl, rule, body=body, active=body.active))
        return f"({loop})"

    @staticmethod
    def _mark(group: _Group, index: int) -> str:
        """An empty group that is set where a part begins after which another record may."""
        restart = group.restart
        group.marks.append(index)
        return "" if restart is None else f"(?:(?={restart.after})())?"

    def _guarded(self, inner: str, group: _Group, index: int) -> str:
        """One round that does not begin another record."""
        restart = group.restart
        if restart is None:
            return inner
        mark = self._mark(group, index)
        guards = "".join(f"(?({number})(?!{restart.at}))" for number in group.marks)
        return f"{guards}{mark}(?:{inner})"

    def _emit_ref(self, ref: Ref, slots: list[Slot] | None, group: _Group) -> str:
        rule = self.grammar.rules[ref.name]
        report = rule.words.report
        if slots is None or (rule.is_layout and rule.is_terminal):
            if group.silent or (report is None and not self._reports(rule.expr)):
                return self.regex(ref.name)
            index = group.open() if report is not None else 0
            inner = self._emit(rule.expr, None, group, rule)
            if report is not None:
                group.report(index, report)
                return f"({inner})"
            return inner
        if rule.is_layout:
            return self._emit(rule.expr, slots, group, rule)
        index = group.open()
        if report is not None:
            group.report(index, report)
        shape_rule = self.grammar.resolve(rule)
        codes = self.codes(shape_rule)
        leaf = self.grammar.is_leaf(rule)
        decl = field_of(self.spec.id, self.grammar, ref.name, ref.field or "", False)
        slot = Slot(ref.field or "", "code" if codes else "leaf" if leaf else "record", index, decl, rule, codes=codes)
        slots.append(slot)
        if codes or leaf:
            return f"({self._emit(shape_rule.expr, None, group, shape_rule)})"
        inner_slots: list[Slot] = []
        opening = self._mark(group, group.open()) if group.restart is not None else ""
        before, group.restart = group.restart, shape_rule.words.restart or group.restart
        inner = self._emit(shape_rule.expr, inner_slots, group, shape_rule)
        group.restart = before
        slot.shape = Shape(
            rule,
            _merged(inner_slots, self.grammar.occurrences(shape_rule.expr)),
            self._contents(rule) or self._contents(shape_rule),
        )
        slot.shape.derived = _derived(slot.shape)
        slot.active = _active(slot.shape)
        return f"({opening}{inner})"


def _derived(shape: Shape) -> bool:
    return any(slot.rule.words.xor for slot in shape.slots.values())


def _active(shape: Shape) -> bool:
    return bool(shape.contents) or shape.derived or any(slot.active for slot in shape.slots.values())


def _merged(slots: list[Slot], fields: Mapping[str, tuple[Ref, bool]]) -> dict[str, Slot]:
    """Slots by name; a name that stands in several places is one array of all of them, or the one place that matched."""
    found: dict[str, list[Slot]] = {}
    for slot in slots:
        found.setdefault(slot.name, []).append(slot)
    merged = {}
    for name, same in found.items():
        first = same[0]
        if len(same) > 1:
            array = fields[name][1]
            decl = replace(first.decl, repeat=ir.Repeat.EOS) if array else first.decl
            kind: Kind = "array" if array else first.kind
            active = any(slot.active for slot in same)
            first = Slot(name, kind, 0, decl, first.rule, parts=tuple(same), codes=first.codes, active=active)
        merged[name] = first
    return merged
