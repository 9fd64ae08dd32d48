"""Reading text by its grammar: record by record, so that what does not fit costs its own line and nothing else."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from bridgespec.codec.binary_problems import DERIVED, closing
from bridgespec.codec.node import Node
from bridgespec.codec.paths import path_below
from bridgespec.codec.text_derive import derive, spelled
from bridgespec.codec.text_explain import Explainer, one_of
from bridgespec.codec.text_form import NO_RECORD, Form
from bridgespec.codec.text_pairs import AnyFact, Key, PairFact, PairKind, Pairs, kind_of, pair_of, pairs_of
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Bounds, Handover, Part, Program, Slot
from bridgespec.codec.text_spine import clean_elements
from bridgespec.codec.text_tables import misfits
from bridgespec.codec.text_tree import ListMaker, RecordMaker, TextNode, plain_of
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity, Span, define
from bridgespec.spec import ir
from bridgespec.spec.grammar import Content, Report
from bridgespec.spec.grammar_load import field_of

UNREADABLE = define(
    "unreadable-line",
    Severity.ERROR,
    """A line that is no record of the format.

    The message names the first place that does not fit and what could stand there. The line is kept as it is; reading goes
    on with the next one.
    """,
)
MISSING = define(
    "missing-record",
    Severity.ERROR,
    """A part that the format demands is not in the file.

    The message names it and the place where reading stopped.
    """,
)
BAD_VALUE = define(
    "bad-value",
    Severity.ERROR,
    """A text is not one that its field can hold.

    The message says what could stand there. The text is kept as it is.
    """,
)

_LINE_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """Line and column of an offset, both from 1; the table is made when first asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] | None = None

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class Reader:
    """One reading of one text."""

    def __init__(self, compiler: Compiler, explainer: Explainer, form: Form, text: str, limit: int) -> None:
        self.compiler = compiler
        self.explainer = explainer
        self.form = form
        self.claim = form.claim(text)
        self.grammar = compiler.grammar
        self.text = text
        self.limit = limit
        self.lines = Lines(text)
        self.found: list[Diagnostic] = []
        self.dropped = 0
        self.grave = False
        self.record: int | None = None
        self.field = ""
        self.node: Node | None = None
        self.met: list[PairFact] = []
        self.rounds: dict[int, list[str]] = {}
        self.arrays: dict[str, list[Node]] = {}
        self.single: dict[str, Node] = {}

    def read(self) -> Node:
        """The tree of the whole text; findings are in ``found``."""
        parts = self.compiler.parts()
        seen = [0] * len(parts)
        skip = re.compile(self.grammar.recover)
        at, index, end = 0, 0, len(self.text)
        while at < end:
            for i in range(index, len(parts)):
                part = parts[i]
                match = part.program.pattern.match(self.text, at)
                if match is not None and match.end() > at:
                    self._take(part, match.span)
                    at = match.end()
                    seen[i] += 1
                    index = i if part.repeated else i + 1
                    break
                if match is None and not part.optional and not seen[i]:
                    at = self._recover(parts, index, at, skip)
                    break
            else:
                at = self._recover(parts, index, at, skip)
        for i in range(index, len(parts)):
            if not parts[i].optional and not seen[i] and parts[i].program.pattern.match(self.text, at) is None:
                _, wanted = self.explainer.explain_expr(parts[i].expr, self.text, at, end, False)
                self.add(MISSING.name, MISSING.severity, f"expected {one_of(wanted)}, but the file ends", at, at)
                break
        self._want_record()
        self.claim.counted(self.found)
        self.form.whole(self, self.text, self.claim)
        self.found += closing(self.dropped)
        return self._root()

    def _want_record(self) -> None:
        """Report that nothing but doubtful text was found where records should be."""
        found = {d.severity for d in self.found}
        lists = self.form.lists
        if lists and Severity.WARNING in found and Severity.ERROR not in found and not lists & self.arrays.keys():
            self.add(NO_RECORD.name, NO_RECORD.severity, "nothing in this file is a record of the format", 0, 0)
            self.found.insert(0, self.found.pop())

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return self.lines.place(offset)[0]

    def _take(self, part: Part, span: Bounds) -> None:
        maker = RecordMaker(self.text, part.program.shape, span, len(self.text), {})
        for name, slot in part.program.shape.slots.items():
            array = part.repeated or slot.kind == "array"
            for owner, inner in maker.elements(slot) if slot.kind == "array" else ((maker, slot),):
                node = owner.node(inner)
                if node is None:
                    continue
                self.record, self.field = None, name
                if array:
                    nodes = self.arrays.setdefault(name, [])
                    self.record, self.field = len(nodes), f"{name}[{len(nodes)}]"
                    node.name = str(len(nodes))
                    nodes.append(node)
                else:
                    self.single[name] = node
                self.node = node
                dirty = part.program.is_dirty(owner.span)
                if dirty or inner.active or inner.name in owner.shape.contents:
                    self.inspect_slot(owner, inner, dirty)
        self.reports(part.program, span)
        self.record, self.field, self.node = None, "", None

    def _recover(self, parts: list[Part], index: int, at: int, skip: re.Pattern[str]) -> int:
        match = skip.match(self.text, at)
        stop = max(match.end() if match else 0, at + 1)
        possible = parts[index:] or parts
        home = next((part for part in (*possible, *parts) if part.repeated), possible[0])
        slots = home.program.shape.slots
        name = next((name for name, slot in slots.items() if slot.rule.words.binding.term == "boards"), next(iter(slots), ""))
        nodes = self.arrays.setdefault(name, [])
        self.record, self.field = len(nodes), f"{name}[{len(nodes)}]"
        if len(self.found) < self.limit or not self.grave:
            end_of_line = _LINE_END.search(self.text, at, stop)
            line_stop = end_of_line.start() if end_of_line else stop
            place = -1
            wanted: list[str] = []
            for part in possible:
                reached, names = self.explainer.explain_expr(part.expr, self.text, at, line_stop, False)
                if reached >= place:
                    place, wanted = reached, names if reached > place else list(dict.fromkeys([*wanted, *names]))
                if not part.optional and not part.repeated:
                    break
            place = max(place, at)
            here = f"{self.text[place]!r} stands here" if place < line_stop else "the line ends"
            self.add(UNREADABLE.name, UNREADABLE.severity, f"expected {one_of(wanted)}, but {here}", place, min(place + 1, stop))
        else:
            self.dropped += 1
        slot = home.program.shape.slots.get(name)
        node = Node(slot.decl if slot else None, str(len(nodes)), 8 * at, 8 * stop, self.text[at:stop])
        node.broken = True
        nodes.append(node)
        self.record, self.field = None, ""
        return stop

    def _root(self) -> Node:
        start = self.grammar.rules[self.grammar.start]
        spec = self.compiler.spec
        declared = self.grammar.occurrences(start.expr)
        nodes: list[Node] = list(self.single.values())
        for name, items in self.arrays.items():
            if name in declared:
                target = declared[name][0].name
                decl = field_of(spec.id, self.grammar, target, name, True)
                codes = self.compiler.codes(self.grammar.resolve(self.grammar.rules[target]))
                nodes.append(TextNode(decl, name, items[0].start, items[-1].stop, ListMaker(items, self.text, codes)))
        nodes.sort(key=lambda node: node.start)
        decl = ir.Field(start.name, ir.RecordType(spec.root), start.place, doc=start.words.doc)
        return Node(decl, spec.id, 0, 8 * len(self.text), children=nodes)

    # --- findings inside what has matched

    def inspect_slot(self, maker: RecordMaker, slot: Slot, dirty: bool) -> None:
        """Look for findings inside one field; ``dirty``: there are some in a round of an array below."""
        if slot.kind == "array":
            fellows = slot.rule.words.form is not None
            if fellows:
                self.met, self.rounds = [], {}
            for part in slot.parts or (slot,):
                self._inspect_rounds(maker, part, dirty)
            if fellows:
                self.form.pairs(self, slot, maker, self.claim, self.met, self.rounds)
            return
        for part in slot.parts:
            self.inspect_slot(maker, part, dirty)
        start, stop = maker.span(slot.group)
        if start < 0 or slot.parts:
            return
        handover = maker.shape.contents.get(slot.name)
        if handover is not None:
            self._inspect_text(maker, handover, maker.key(slot.name), start, stop)
        elif slot.shape is not None:
            self.inspect(maker.sub(slot.shape), dirty)

    def inspect(self, maker: RecordMaker, dirty: bool) -> None:
        """Look for findings inside a record."""
        if maker.shape.derived:
            self._verify(maker)
        kind = kind_of(self.compiler, maker.shape, maker.shape.rule) if "name" in maker.shape.rule.words.extra else None
        if kind is not None and self._inspect_pair(maker, kind):
            return
        for slot in maker.shape.slots.values():
            if dirty or slot.active or slot.name in maker.shape.contents:
                self.inspect_slot(maker, slot, dirty)

    def _verify(self, maker: RecordMaker) -> None:
        """Report the derived fields that hold something else than what they are derived from."""
        values = maker.plain()
        for slot in maker.shape.slots.values():
            start, stop = maker.span(slot.group)
            if not slot.rule.words.xor or start < 0 or not isinstance(values, dict):
                continue
            right = spelled(slot.rule, derive(self.compiler, maker.shape.rule, slot.rule, values))
            if right != self.text[start:stop]:
                fix = Fix(f"write {right}", (Edit(start, stop, right.encode("latin-1")),))
                name = slot.name.replace("_", " ")
                message = f"{name} is {self.text[start:stop]}, but what it is derived from gives {right}"
                self.add(DERIVED.name, DERIVED.severity, message, start, stop, None, fix)

    def _inspect_rounds(self, maker: RecordMaker, slot: Slot, dirty: bool) -> None:
        body = slot.body
        if body is None:
            self.inspect_slot(maker, slot, dirty)
        elif next(iter(body.shape.slots)) == slot.name and (dirty or body.active):
            pairs = None if dirty else pairs_of(self.compiler, body)
            if pairs is not None:
                self._inspect_pairs(maker, slot, pairs)
                return
            for match in maker.matches(slot):
                if body.finds(match):
                    self.reports(body, match.span)
                below = bool(body.inner_reports) and body.is_dirty(match.span)
                if below or body.active:
                    self.inspect(RecordMaker(self.text, body.shape, match.span, maker.end, maker.memo), below)

    def _inspect_pairs(self, maker: RecordMaker, slot: Slot, pairs: Pairs) -> None:
        """Look at the pairs of a region without other findings, and keep what they say."""
        start, stop = maker.span(slot.group)
        rounds = pairs.rounds.findall(self.text, start, stop)
        facts: list[Any] = list(map(pairs.known.get, rounds))
        if None in facts:
            facts[:] = self._new_pairs(maker, pairs, rounds, facts, start, stop)
        self.met += [fact for fact in facts if isinstance(fact, PairFact)] if pairs.others else facts
        self.rounds[start] = rounds
        if maker.memo is not None:
            maker.memo[id(pairs), start] = facts

    def _new_pairs(
        self, maker: RecordMaker, pairs: Pairs, rounds: list[str], known: list[PairFact | None], start: int, stop: int
    ) -> list[AnyFact]:
        """The pairs and texts of a region's rounds, of which some are not known by their texts."""
        places: Iterable[int] = accumulate(map(len, rounds), initial=start)
        if sum(map(len, rounds)) != stop - start:
            places = [match.start() for match in pairs.rounds.finditer(self.text, start, stop)]
        facts: list[AnyFact] = []
        for fact, place in zip(known, places, strict=False):
            if fact is not None:
                facts.append(fact)
                continue
            match = pairs.pattern.match(self.text, place, stop)
            if match is None:
                continue
            if not match[pairs.key]:
                facts += pairs.texts(match)
                continue
            of = pairs.kind.of(match[pairs.key])
            section = match[pairs.body] if pairs.body else None
            made = PairFact(of, match[pairs.value] or "", section or "")
            facts.append(made)
            if not (of.free or made.raw in of.known) or (section and of.section is not None):
                self._pair(maker, made, match.start(pairs.value), match.start(pairs.body))
            if not section and (of.free or made.raw in of.known):
                pairs.keep(match, made)
        return facts

    def _inspect_pair(self, maker: RecordMaker, kind: PairKind) -> bool:
        """Look at a pair that stands by itself, and keep what it says; whether there is nothing else to look at in it."""
        fact = pair_of(kind, maker)
        self.met.append(fact)
        body = (-1, -1) if kind.body is None else maker.place(kind.body.name)
        if not kind.simple:
            if fact.of.table:
                self._columns(fact.of, fact.raw, *body)
            return False
        self._pair(maker, fact, maker.place(kind.value.name)[0], body[0])
        if maker.memo is not None:
            maker.memo[id(kind), maker.place(kind.key.name)[0]] = fact
        return True

    def _pair(self, maker: RecordMaker, fact: PairFact, value: int, body: int) -> None:
        """Look at a pair whose value and section begin at these places; what is without a finding is kept with it."""
        of, kind = fact.of, fact.of.kind
        size, stop = len(fact.raw), body + len(fact.raw_body)
        if of.table:
            self._columns(of, fact.raw, body, stop)
        if not of.free and fact.raw not in of.known:
            fact.kept = of.clean(fact.raw)
            if fact.kept is None and value >= 0 and kind.handover is not None:
                self._inspect_text(maker, kind.handover, of.name, value, value + size)
        if fact.raw_body and of.section is not None and kind.body_handover is not None:
            form = of.section.section
            elements = None if form is None else clean_elements(form, self.text, body, stop, plain_of)
            if elements is not None:
                fact.kept = elements
            else:
                self._inspect_text(maker, kind.body_handover, of.name, body, stop)

    def _columns(self, of: Key, value: str, start: int, stop: int) -> None:
        """The cells of a table that do not fit their columns."""
        word: Any = of.kind.columns
        for message, first, last in misfits(self.compiler, of, value, self.text, start, stop):
            self.add(str(word["code"]), Severity(str(word.get("severity", "warning"))), message, first, last)

    def _inspect_text(self, maker: RecordMaker, handover: Handover, key: str | None, start: int, stop: int) -> None:
        inherit = handover.inherit
        if inherit is not None and key in inherit.never and self.text.startswith(inherit.same, start, stop):
            self.add(inherit.code, inherit.severity, inherit.message.replace("{key}", key), start, stop)
        program, start = handover.choose(key, self.text, start, stop)
        if program is None:
            return
        match = program.pattern.fullmatch(self.text, start, stop)
        if match is None:
            self._misfit(handover.word, program, key, start, stop)
            return
        if program.kind == "record" and maker.memo is not None:
            maker.memo[start] = match
        if program.finds(match):
            self.reports(program, match.span)
        dirty = any(match.start(number) >= 0 for number in program.inner_reports)
        if dirty or program.active:
            span = match.span
            self.inspect(RecordMaker(self.text, program.shape, span, stop, maker.memo), dirty)

    def _misfit(self, word: Content, program: Program, key: str | None, start: int, stop: int) -> None:
        if len(self.found) >= self.limit:
            self.dropped += 1
            return
        place, wanted = self.explainer.explain(program.rule.name, self.text, start, stop)
        place = max(place, start)
        value = self.text[start:stop]
        shown = value if len(value) <= 40 else value[:37] + "..."
        here = f"where {self.text[place]!r} stands" if place < stop else "where it ends"
        message = (word.message or "{value!r} does not fit").replace("{value}", shown).replace("{key}", key or "")
        message = message.replace("{value!r}", repr(shown))
        self.add(word.code, word.severity, f"{message}: expected {one_of(wanted)} {here}", start, stop)

    def reports(self, program: Program, span: Bounds) -> None:
        """The findings that the groups of a match say."""
        for group, report in program.reports:
            start, stop = span(group)
            if start >= 0:
                self._report(report, start, stop)

    def _report(self, report: Report, start: int, stop: int) -> None:
        text = self.text[start:stop]
        shown = text if len(text) <= 40 else text[:37] + "..."
        fix = None
        if report.fix is not None:
            edit = Edit(start, stop, report.fix.encode("latin-1", "replace"))
            fix = Fix(f"write {report.fix!r}" if report.fix else "remove it", (edit,), report.safe)
        message = report.message.replace("{text!r}", repr(shown)).replace("{text}", shown).replace("{count}", str(len(text)))
        self.add(report.code, report.severity, message, start, stop, report.help, fix)

    def add(
        self, code: str, severity: Severity, message: str, start: int, stop: int, help_: str | None = None, fix: Fix | None = None
    ) -> None:
        """Keep a finding, up to the limit."""
        grave = severity is Severity.ERROR
        if len(self.found) >= self.limit and (self.grave or not grave):
            self.dropped += 1
            return
        self.grave = self.grave or grave
        line, column = self.lines.place(start)
        span = Span.of_bytes(start, stop - start, line, column)
        where = self.field + path_below(self.node, 8 * start, 8 * stop)
        self.found.append(
            Diagnostic(code, severity, message, record=self.record, field=where or None, span=span, help=help_, fix=fix)
        )
