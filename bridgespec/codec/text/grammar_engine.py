"""Compiles the expressions and rules of a grammar, each once and when it is first needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from bridgespec.codec.text.compiled_expressions import (
    ChoiceExpression,
    RepeatExpression,
    SequenceExpression,
    TerminalExpression,
    TextExpression,
)
from bridgespec.codec.text.pairs import PairKind
from bridgespec.codec.text.parse_state import Naming
from bridgespec.codec.text.rule_references import FieldReference, LayoutReference
from bridgespec.codec.text.rule_values import CodeRule, LeafRule, Quick, RecordRule, RuleValue
from bridgespec.codec.text.scope import Derivation
from bridgespec.lazily import Lazy
from bridgespec.spec import ir
from bridgespec.spec.grammar import (
    Expr,
    Grammar,
    GrammarChoice,
    GrammarLiteral,
    GrammarRepeat,
    GrammarRule,
    Pattern,
    Ref,
    Sequence,
    compile_regex,
)
from bridgespec.spec.grammar.rule_records import field_of
from bridgespec.spec.grammar.rules import walk

if TYPE_CHECKING:
    from bridgespec.spec.grammar import derived_values
else:
    # Imported on first use: it imports the parser of expressions, which a cached schema does not need.
    derived_values = Lazy("bridgespec.spec.grammar.derived_values")


class TextEngine:
    """Makes the objects that read and write the rules of a text format. One is made for each spec and lives as long as
    its codec.
    """

    def __init__(self, spec: ir.Spec, quick: Callable[[TextEngine, RuleValue], Quick | None] | None = None) -> None:
        if not isinstance(spec.text, Grammar):
            raise TypeError(f"{spec.id} is not a text format")
        self.spec = spec
        self.grammar: Grammar = spec.text
        self._quick = quick
        self.accelerated = quick is not None
        start = self.grammar.rules[self.grammar.start]
        self.decl = ir.Field(start.name, ir.RecordType(spec.root), start.place, doc=start.words.doc)
        """The declaration of a whole file."""
        self._values: dict[str, RuleValue] = {}
        self._fields: dict[str, Mapping[str, tuple[str, ir.Field | None]]] = {}
        self._pairs: dict[str, PairKind | None] = {}
        self._derivations: dict[str, Derivation] = {}

    def value(self, name: str) -> RuleValue:
        """Return the object that reads and writes values of the rule or terminal with this name."""
        if name not in self._values:
            rule = self.grammar.rules[name]
            shape, leaf = self.grammar.resolve(rule), self.grammar.is_leaf(rule)
            naming = Naming(self._namer(rule), leaf)
            if shape.codes is not None:
                self._values[name] = CodeRule(self, rule, shape, naming)
            elif leaf:
                self._values[name] = LeafRule(self, rule, shape, naming)
            else:
                self._values[name] = RecordRule(self, rule, shape, naming, self.grammar.contents(rule))
            if rule.alias_of is not None:
                self._values[name].refers = self.value(rule.alias_of.name).naming
        return self._values[name]

    def _namer(self, rule: GrammarRule) -> GrammarRule:
        """Return the rule whose name is used in messages: the rule itself or, if it only refers to another and has no words, that
        one.
        """
        while (target := rule.alias_of) is not None and rule.words.says is None and rule.words.report is None:
            rule = self.grammar.rules[target.name]
        return rule

    def quick(self, value: RuleValue) -> Quick | None:
        """Return the compiled program that reads a rule; None for a rule without one, and in an engine that uses expressions
        alone.
        """
        return None if self._quick is None else self._quick(self, value)

    def pair(self, name: str) -> PairKind | None:
        """Return the description of pairs that the rule with this name matches; None for a rule that is no pair."""
        if name not in self._pairs:
            value, words = self.value(name), self.grammar.rules[name].words.pair
            self._pairs[name] = PairKind(value, words) if words is not None and isinstance(value, RecordRule) else None
        return self._pairs[name]

    def fields(self, rule: GrammarRule) -> Mapping[str, tuple[str, ir.Field | None]]:
        """Return the fields of a rule in the order of the grammar: for each its rule and, if it may occur several times, the
        declaration of its array.
        """
        if rule.name not in self._fields:
            self._fields[rule.name] = {
                name: (ref.name, field_of(self.spec.id, self.grammar, ref.name, name, True) if many else None)
                for name, (ref, many) in self.grammar.made_by(rule).items()
            }
        return self._fields[rule.name]

    def derivation(self, rule: GrammarRule) -> Derivation:
        """Return the compiled ``value`` expression of the rule of a derived field."""
        if rule.name not in self._derivations:
            value = rule.words.binding.value
            assert value is not None
            self._derivations[rule.name] = Derivation(rule, value)
        return self._derivations[rule.name]

    @cached_property
    def skip(self) -> re.Pattern[str]:
        """The compiled pattern of the text that is skipped where nothing in the start rule matches; as a rule one line
        (`Grammar.recover`).
        """
        return compile_regex(self.grammar.recover)

    @cached_property
    def derivations(self) -> list[Derivation]:
        """The compiled ``value`` expressions of all derived fields."""
        return [self.derivation(rule) for rule in self.grammar.rules.values() if rule.words.binding.value is not None]

    @cached_property
    def looking_out(self) -> frozenset[str]:
        """The names of rules of derived fields whose values depend on more than one record: the fields of the file, and others
        with expressions that refer to enclosing records.
        """
        grammar = self.grammar
        at_top = {ref.name for ref, _ in grammar.made_by(grammar.rules[grammar.start]).values()}
        return frozenset(one.rule.name for one in self.derivations if one.looks_out or one.rule.name in at_top)

    @cached_property
    def value_names(self) -> derived_values.GrammarNames:
        """The names in the grammar that ``value`` expressions can refer to."""
        return derived_values.names_of(self.spec.id, self.grammar, self.spec.records, self.spec.enums)

    def single(self, rule: str, field: str) -> ir.Field:
        """Return the declaration of a field that refers to the rule ``rule``; for a repeated field that of one element."""
        return field_of(self.spec.id, self.grammar, rule, field, False)

    def piece(self, expr: Expr) -> TextExpression:
        """Return the object that reads and writes an expression of the grammar."""
        match expr:
            case GrammarLiteral(text, fold):
                bare = re.escape(text)
                return TerminalExpression(
                    f"(?i:{bare})" if fold and text.lower() != text.upper() else bare, text, repr(text), True, 0
                )
            case Pattern(regex, flags):
                return TerminalExpression(
                    f"(?{flags}:{regex})" if flags else regex, None, f"text like /{regex}/", expr.settled, expr.behind
                )
            case Sequence(items):
                return SequenceExpression([self.piece(item) for item in items])
            case GrammarChoice(options):
                return ChoiceExpression([self.piece(option) for option in options], self.accelerated)
            case GrammarRepeat(item, least, most):
                spelled = isinstance(item, Ref) and most == 1 and self.grammar.rules[item.name].words.write is not None
                return RepeatExpression(self.piece(item), least, most, spelled)
            case Ref(name):
                recursive, reporting = name in self.grammar.recursive, name in self.grammar.reporting
                if expr.field is not None:
                    return FieldReference(expr.field, self.value(name), self.single(name, expr.field), recursive, reporting)
                rule = self.grammar.rules[name]
                names = frozenset() if rule.is_terminal else frozenset(self.grammar.fields(rule.expr))
                return LayoutReference(self.value(name), names, recursive, reporting)

    def places(self, rule: GrammarRule) -> Counter[str]:
        """Return for each field of a rule how often it is referred to in the rule and in its layout rules."""
        return Counter(self._places(rule, frozenset({rule.name})))

    def _places(self, rule: GrammarRule, seen: frozenset[str]) -> Iterator[str]:
        for part in walk(rule.expr):
            if isinstance(part, Ref) and part.field is not None:
                yield part.field
            elif isinstance(part, Ref) and part.name not in seen and not self.grammar.rules[part.name].is_terminal:
                yield from self._places(self.grammar.rules[part.name], seen | {part.name})
