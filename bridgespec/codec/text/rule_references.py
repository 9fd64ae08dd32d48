"""References to rules in compiled expressions: those that make a field, and those for layout."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property

from bridgespec.codec.text.compiled_expressions import NEVER, SPELLINGS, Emit, NotRegular, RuleValueShape, TextExpression
from bridgespec.codec.text.parse_state import ParseOptions, ParseState, RecursiveResult
from bridgespec.codec.text.pending_values import CannotEncode, PendingValues
from bridgespec.spec import ir
from bridgespec.spec.grammar import GrammarLiteral
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError


class RuleReference(TextExpression):
    """Base class of a reference to a rule. ``names`` are the fields that it makes; ``recursive``: the rule refers to itself,
    directly or through others; ``reporting``: a text of the rule can have a finding.
    """

    def __init__(self, value: RuleValueShape, names: frozenset[str], recursive: bool, reporting: bool) -> None:
        super().__init__()
        self.value = value
        self.names = names
        self.recursive = recursive
        self.reporting = reporting

    @cached_property
    def behind(self) -> int:
        return 2 if self.recursive else self.value.behind

    def read(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        value, trail, reports = self.value, into.run.trail, len(into.reports)
        enter = self._deeper if self.recursive else self.enter
        if trail is None:
            stop = enter(text, at, end, into)
        else:
            entered = value.naming.enter(trail)
            trail.enter(value.rule.name, at)
            stop = enter(text, at, end, into)
            trail.leave(stop)
            value.naming.leave(trail, entered, at, stop)
        if stop is not None and value.report is not None:
            # Inserted before the findings inside this text, which begin no earlier.
            into.reports.insert(reports, (value.report, at, stop))
        return stop

    def _deeper(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        """Match a rule that refers to itself at ``at``; parameters and result as for `read`. Results are memoised by offset, since
        choices would double the work at each level. Does not match at the maximum depth of nesting.
        """
        run, nodes, reports = into.run, len(into.nodes), len(into.reports)
        # Where a record may restart, the result depends on earlier fields; a trace must show each attempt.
        kept = run.known.get((self, at)) if into.restart is None and run.trail is None else None
        if kept is not None:
            into.nodes += kept.nodes
            into.reports += kept.reports
            for node, notes in zip(kept.nodes, kept.notes, strict=True):
                node.notes = list(notes)
            return kept.stop
        if not run.may_deepen():
            run.deep = at if run.deep is None else run.deep
            return None
        run.depth += 1
        stop = self.enter(text, at, end, into)
        run.depth -= 1
        found = into.nodes[nodes:]
        run.known[self, at] = RecursiveResult(stop, found, into.reports[reports:], [list(node.notes) for node in found])
        return stop

    @abstractmethod
    def enter(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        """Match the rule at ``at``, not beyond ``end``, and add its nodes to ``into``. Return the end offset, or None. The caller
        adds the rule's own report, and memoises the result.
        """

    def regex(self, emit: Emit) -> str:
        if self.recursive:
            raise NotRegular
        return NEVER if emit.clean and self.value.report is not None else self.value.regex(emit)


class FieldReference(RuleReference):
    """A reference to a rule that makes a field of the record."""

    def __init__(self, field: str, value: RuleValueShape, decl: ir.Field, recursive: bool, reporting: bool) -> None:
        super().__init__(value, frozenset({field}), recursive, reporting)
        self.field = field
        self.decl = decl

    @property
    def single(self) -> tuple[str, RuleValueShape]:
        return self.field, self.value

    def enter(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        """Match the rule at ``at``, not beyond ``end``, and add its node to ``into``. Return the end offset; None if it does not
        match, or if the field would begin another record.
        """
        restart = into.restart
        if restart is not None and into.begun and restart.at(text, at, end):
            return None
        node = self.value.node(self.decl, self.field, text, at, end, into)
        if node is None:
            return None
        if restart is not None and not into.begun:
            into.begun = restart.after(text, at, end) is not None
        into.nodes.append(node)
        return node.stop // 8

    def regex(self, emit: Emit) -> str:
        if emit.groups is None:
            return super().regex(emit)
        if emit.pair is not None and emit.wanted is not None and emit.pair is self.value:
            if "" in emit.wanted:
                emit.groups.append(self)
            return f"({super().regex(emit)})" if "" in emit.wanted else super().regex(emit)
        if self.field in emit.within:
            emit.groups.append(self)
            return f"({super().regex(replace(emit, within=frozenset()))})"
        text = super().regex(emit.bare())
        if emit.wanted is not None and self.field not in emit.wanted:
            return text
        emit.groups.append(self)
        return f"(?:(?<=((?s:.)))|)({text})" if self.field == emit.above else f"({text})"

    def write(self, left: PendingValues) -> str:
        """Return the text of the next pending value of the field; without one that of the derived value, else of the default.
        Raises `CannotEncode` where there is none, or the rule cannot spell it.
        """
        rule = self.value.rule
        default = rule.words.binding.default
        if left.left(self.field):
            return left.place(self.field, self.value)
        path = left.at(self.field)
        value: object
        if rule.words.binding.value is not None:
            left.certain = False
            try:
                value = left.derive(rule, left.given)
            except EvaluationError as error:
                raise CannotEncode(f"{self.field} cannot be derived: {error}", path) from None
        elif default is not None and default.constant is not None:
            value = default.constant
        elif self.value.names:
            # All fields of an absent record may be derived or have defaults.
            value = left.composed(rule.name, path) if self.recursive else {}
        else:
            return left.place(self.field, self.value)
        return self.value.spell(value, path)


class LayoutReference(RuleReference):
    """A reference to a rule that makes no field itself; the fields inside that rule become fields of the record."""

    def __init__(self, value: RuleValueShape, names: frozenset[str], recursive: bool, reporting: bool) -> None:
        super().__init__(value, names, recursive, reporting)
        self.spelling: str | None = None

    def enter(self, text: str, at: int, end: int, into: ParseState) -> int | None:
        return self.value.body.read(text, at, end, into)

    def write(self, left: PendingValues) -> str:
        """Return the text that the grammar declares for the rule, several in turn; without one that of its expression, else the
        first of `SPELLINGS` that it matches. Raises `CannotEncode` where there is none.
        """
        rule = self.value.rule
        if rule.words.write is not None:
            return rule.words.write[left.turn(rule.name) % len(rule.words.write)]
        if self.names or isinstance(rule.expr, GrammarLiteral):
            return self.value.body.write(left)
        if self.spelling is None:
            self.spelling = next((text for text in SPELLINGS if self._is(text)), None)
        if self.spelling is None:
            raise CannotEncode(f"the grammar does not say how {rule.name} is written", left.path)
        return self.spelling

    def _is(self, text: str) -> bool:
        """Whether the rule matches all of a text."""
        return self.value.body.read(text, 0, len(text), ParseState(ParseOptions())) == len(text)
