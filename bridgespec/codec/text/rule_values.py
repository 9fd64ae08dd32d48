"""Objects that read and write by the rules of a grammar: `LeafRule` for texts, `CodeRule` for names, `RecordRule` for records."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from bridgespec.codec.spelling import Memo
from bridgespec.codec.text.compiled_expressions import Emit, RuleValueShape, TextExpression
from bridgespec.codec.text.parse_state import Boundary, Naming, ParseOptions, ParseState
from bridgespec.codec.text.pending_values import CannotEncode, ComposedRecord, SharedRecord, Templates, alike
from bridgespec.codec.text.restart import guarded
from bridgespec.codec.text.scope import Derivation, TextScope
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.spec import ir
from bridgespec.spec.grammar import Content, Expr, Grammar, GrammarLiteral, GrammarRule, Inherit
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError

SHORT = 64
"""The maximum length of texts that are cached for each rule: longer ones seldom repeat."""


class RuleMaker(Protocol):
    """The part of `TextEngine` that the values of rules use."""

    @property
    def grammar(self) -> Grammar:
        """The grammar whose rules are compiled."""

    def value(self, name: str) -> RuleValue:
        """Return the object that reads and writes values of the rule or terminal with this name."""

    def piece(self, expr: Expr) -> TextExpression:
        """Return the object that reads and writes an expression of the grammar."""

    def quick(self, value: RuleValue) -> Quick | None:
        """Return the compiled program that reads a rule; None for a rule without one."""

    def places(self, rule: GrammarRule) -> Counter[str]:
        """Return for each field of a rule how often it is referred to in the rule."""

    def fields(self, rule: GrammarRule) -> Mapping[str, tuple[str, ir.Field | None]]:
        """Return the fields of a rule in the order of the grammar: the rule of each, and the declaration of its array, if any."""

    def single(self, rule: str, field: str) -> ir.Field:
        """Return the declaration of a field that refers to the rule ``rule``, without its repetition."""

    def derivation(self, rule: GrammarRule) -> Derivation:
        """Return the compiled ``value`` expression of the rule of a derived field."""


class Quick(Protocol):
    """A compiled program of a rule: reads a text to the same nodes as the rule's expressions, but makes no findings."""

    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, run: ParseOptions) -> TextNode | None:
        """Return a node for the field ``field`` from ``at``, not beyond ``end``; None if the rule does not match there."""

    def pair(self, decl: ir.Field | None, field: str, text: str, at: int, end: int) -> TextNode | None:
        """Return the node of the pair at ``at``, if it is proven to have no finding by itself; else None."""

    def parts(self, node: TextNode) -> list[TextNode] | None:
        """Return the fields of a node of which only the bounds are known; None where only the expressions can read them."""

    def fits(self, text: str, start: int, stop: int) -> bool:
        """Whether the rule matches all of a text between two offsets."""


class RuleValue(RuleValueShape):
    """Reads and writes values of one rule; made by `TextEngine`. ``shape`` is the rule that ``rule`` only refers to, or itself."""

    def __init__(self, engine: RuleMaker, rule: GrammarRule, shape: GrammarRule, naming: Naming) -> None:
        self.engine = engine
        self.rule = rule
        self.shape = shape
        self.naming = naming
        self.refers: Naming | None = None
        """The name of the rule that this one only refers to."""
        self.report = rule.words.report
        self.fitting = Memo[bool]()

    @cached_property
    def body(self) -> TextExpression:
        """The compiled expression of the rule."""
        return self.engine.piece(self.shape.expr)

    @cached_property
    def quick(self) -> Quick | None:
        """The compiled program that reads the rule; None without one."""
        return self.engine.quick(self)

    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, into: ParseState) -> TextNode | None:
        run = into.run
        if (run.quick or run.look) and self.quick is not None:
            if run.quick:
                return self.quick.node(decl, field, text, at, end, run)
            if (sure := self.quick.pair(decl, field, text, at, end)) is not None:
                return sure
        return self.read(decl, field, text, at, end, into)

    @abstractmethod
    def read(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, into: ParseState) -> TextNode | None:
        """Return a node for ``field`` from ``at``, not beyond ``end``, by expressions only; None if the rule does not match."""

    def bounded(self, decl: ir.Field | None, field: str, text: str, start: int, stop: int, end: int) -> TextNode:
        """Return a node for a text that the rule is known to match; lookaheads inside the text see up to ``end``."""
        return TextNode(decl, field, self, text, start, stop, text[start:stop])

    def parts(self, node: TextNode) -> list[TextNode]:
        """Return the fields of a node of which only the bounds are known; none for a text or a code."""
        return []

    def whole(self, text: str, start: int, stop: int, into: ParseState) -> TextNode | None:
        """Return the node for the text between two offsets; None where the rule does not match all of it."""
        node = self.node(None, self.rule.name, text, start, stop, into)
        return node if node is not None and node.stop == 8 * stop else None

    def fits(self, text: str, start: int = 0, stop: int | None = None) -> bool:
        """Whether the rule matches all of the text between two offsets."""
        if stop is None and not start:
            # Written values are matched as whole texts, and most of them repeat: the holding of a suit, a number of tricks.
            known = self.fitting.get(text)
            if known is None:
                known = self.fits(text, start, len(text))
                if len(text) <= SHORT:
                    self.fitting.keep(text, known)
            return known
        stop = len(text) if stop is None else stop
        if self.quick is not None:
            return self.quick.fits(text, start, stop)
        return self.body.read(text, start, stop, ParseState(ParseOptions())) == stop

    def spans(self, text: str, start: int, stop: int) -> list[tuple[str, int, int]] | None:
        """Return name, start and stop of the fields in a text; None where the rule does not match all of it."""
        node = self.whole(text, start, stop, ParseState(ParseOptions(quick=True)))
        return None if node is None else [(part.field, part.start // 8, part.stop // 8) for part in node.parts or ()]

    def misfit(self, text: str) -> str:
        """Return the message for a text that does not match the rule."""
        says = self.rule.words.says  # with its article: "a number", "W, N, E or S"
        return f"{text!r} is not {says}" if says is not None else f"{text!r} does not fit the rule {self.rule.name}"

    def number_of(self, text: str) -> int:
        """Return the number that a text spells. Raises ValueError where it spells none."""
        raise ValueError(f"{text!r} is not a number")

    def delegated_text(self, value: object, path: str) -> object:
        """Return the text of a value in a field whose text this rule reads; a string is returned unchanged."""
        return value if isinstance(value, str) else self.spell(value, path)

    def named(self, value: object) -> str | None:
        """Return the name of the code that a plain value denotes; None if it denotes none, as for every rule without codes."""
        return None

    def same(self, text: str, value: object) -> bool:
        """Whether a text that was read spells the plain value ``value``."""
        return text == str(value)


class LeafRule(RuleValue):
    """A rule whose value is a text; where the grammar declares ``number`` for it, a number can be written as well."""

    def read(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, into: ParseState) -> TextNode | None:
        stop = self.body.read(text, at, end, into)
        return None if stop is None else self.bounded(decl, field, text, at, stop, end)

    def spell(self, value: object, path: str) -> str:
        if type(value) is not str and isinstance(value, dict):
            raise CannotEncode(f"a text is wanted, not {type(value).__name__}", path)
        number = self.rule.words.number
        text = number.write(value) if number is not None and isinstance(value, int) else str(value)
        if not self.fits(text):
            raise CannotEncode(self.misfit(text), path)
        return text

    def number_of(self, text: str) -> int:
        number = self.rule.words.number or self.shape.words.number
        found = None if number is None else number.read(text)
        return super().number_of(text) if found is None else found


class CodeRule(RuleValue):
    """A rule whose value is one of several names. Each has one or more spellings, the first of which is written."""

    def __init__(self, engine: RuleMaker, rule: GrammarRule, shape: GrammarRule, naming: Naming) -> None:
        super().__init__(engine, rule, shape, naming)
        self.known: dict[str, str | None] = {}
        choice = shape.codes
        assert choice is not None
        self.order = {name: i for i, name in enumerate(dict.fromkeys(name for name in choice.names if name is not None))}
        self.spellings: dict[str, str] = {}
        for option, name in zip(choice.options, choice.names, strict=True):
            if isinstance(option, GrammarLiteral) and name is not None:
                self.spellings.setdefault(name, option.text)

    def name(self, text: str) -> str | None:
        """Return the name of the code that a text spells; None where it spells none."""
        if text not in self.known:
            choice, options = self.shape.codes, getattr(self.body, "options", (self.body,))
            assert choice is not None
            fitting = (name for name, option in zip(choice.names, options, strict=True) if _reads(option, text))
            self.known[text] = next(fitting, None)
        return self.known[text]

    def named(self, value: object) -> str | None:
        """Return the name of the code that a value denotes: its name, number or spelling; None if it denotes none."""
        if isinstance(value, int):
            return next((name for name, number in self.order.items() if number == value), None)
        return str(value) if str(value) in self.order else self.name(str(value))

    def read(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, into: ParseState) -> TextNode | None:
        stop = self.body.read(text, at, end, ParseState(into.run, None, into.reports))  # fields inside a code are not the record's
        return None if stop is None else self.bounded(decl, field, text, at, stop, end)

    def bounded(self, decl: ir.Field | None, field: str, text: str, start: int, stop: int, end: int) -> TextNode:
        value = text[start:stop]
        return TextNode(decl, field, self, text, start, stop, self.name(value) or value)

    def spell(self, value: object, path: str) -> str:
        name = self.named(value)
        if name is None or name not in self.spellings:
            raise CannotEncode(f"{value!r} is not one of {', '.join(self.spellings)}", path)
        return self.spellings[name]

    def delegated_text(self, value: object, path: str) -> object:
        """Return the spelling of a code's name in a field whose text this rule reads; any other string is returned unchanged."""
        return self.spellings.get(value, value) if isinstance(value, str) else self.spell(value, path)

    def number_of(self, text: str) -> int:
        name = self.named(text)
        if name is None:
            raise ValueError(f"{text!r} is not a code")
        return self.order[name]

    def same(self, text: str, value: object) -> bool:
        return self.name(text) == self.named(value)


def _reads(piece: TextExpression, text: str) -> bool:
    return piece.read(text, 0, len(text), ParseState(ParseOptions())) == len(text)


@dataclass(slots=True)
class DelegatedRule:
    """The rules that read the text of a delegated field, selected by the text of a sibling field (``cases``, else ``otherwise``).
    ``inherit`` are the marks for repeating an earlier record's value. A `RecordRule` makes one for each such field.
    """

    word: Content
    cases: Mapping[str, RuleValue]
    otherwise: RuleValue | None
    inherit: Inherit | None

    def value(self, key: str | None) -> RuleValue | None:
        """Return the rule for ``key``, the text of the sibling field; None where no rule reads the delegated text."""
        return self.otherwise if key is None else self.cases.get(key, self.otherwise)

    def reader(self, values: Mapping[str, object]) -> RuleValue | None:
        """Return the rule that reads the field's text in a record with these plain values; None where no rule reads it."""
        by = self.word.by
        return self.value(None if by is None else str(values.get(by)))

    def choose(self, key: str | None, text: str, start: int, stop: int) -> tuple[RuleValue | None, int]:
        """Return the rule that reads a delegated text, and the offset at which it starts: behind the mark of a value that later
        records inherit. The rule is None where the text is only the mark of an inherited value, or no rule reads it.
        """
        value, inherit = self.value(key), self.inherit
        if inherit is not None and value is not None and text.startswith(inherit.same, start, stop):
            if text.startswith(inherit.header, start, stop):
                return value, start + len(inherit.header)
            if stop - start == len(inherit.same):
                return None, start
        return value, start


class RecordRule(RuleValue):
    """A rule whose value is a record: it has fields."""

    def __init__(
        self, engine: RuleMaker, rule: GrammarRule, shape: GrammarRule, naming: Naming, contents: tuple[Content, ...]
    ) -> None:
        super().__init__(engine, rule, shape, naming)
        self.fields = engine.fields(shape)
        self.names = tuple(self.fields)
        self.arrays = {name: decl for name, (_, decl) in self.fields.items() if decl is not None}
        word = rule.words.restart or shape.words.restart
        self.restart = None if word is None else Boundary(word)
        self.contents = contents
        self.spelled = Memo[str]()

    @cached_property
    def delegated(self) -> dict[str, DelegatedRule]:
        """The delegated fields, whose texts other rules read, by name."""
        found = {}
        for word in self.contents:
            cases = {key: self.engine.value(name) for key, name in word.cases.items()}
            otherwise = None if word.otherwise is None else self.engine.value(word.otherwise)
            inherit = self.rule.words.inherit if word.by is not None and word is self.contents[0] else None
            found[word.of] = DelegatedRule(word, cases, otherwise, inherit)
        return found

    @cached_property
    def recursive(self) -> bool:
        """Whether the rule refers to itself, directly or through others."""
        return self.rule.name in self.engine.grammar.recursive

    @cached_property
    def behind(self) -> int:
        return 2 if self.recursive or self.restart is not None else self.body.behind

    def sight(self, name: str) -> int:
        """Return how many characters before a field's text its rules look at: 0, 1, or 2 for more or unknown."""
        handover = self.delegated.get(name)
        readers = [] if handover is None else [*handover.cases.values(), handover.otherwise]
        return max([self.field(name).behind, *(reader.behind for reader in readers if reader is not None)])

    @cached_property
    def derived(self) -> tuple[str, ...]:
        """The derived fields, by name."""
        return tuple(name for name in self.names if self.field(name).rule.words.binding.value is not None)

    def field(self, name: str) -> RuleValue:
        """Return the rule value that reads and writes a field. Raises KeyError for an unknown name."""
        return self.engine.value(self.fields[name][0])

    @cached_property
    def places(self) -> Counter[str]:
        """How often each field is referred to in the rule and in the rules that it refers to without a field."""
        return self.engine.places(self.shape)

    def read(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, into: ParseState) -> TextNode | None:
        inner = ParseState(into.run, self.restart, into.reports)
        stop = self.body.read(text, at, end, inner)
        if stop is None:
            return None
        if self.contents or self.derived:
            into.run.clean = False  # delegated and derived fields matched, but are not verified
        trail = into.run.trail
        if self.contents and (trail is None or trail.reads_delegated):
            self.read_delegated(inner.nodes, ParseOptions(trail, into.run.depth + 1))
        return TextNode(decl, field, self, text, at, stop, None, inner.nodes)

    def bounded(self, decl: ir.Field | None, field: str, text: str, start: int, stop: int, end: int) -> TextNode:
        """Return a node for a text that the rule is known to match; its fields are read on access."""
        node = TextNode(decl, field, self, text, start, stop)
        node.end = end
        return node

    def parts(self, node: TextNode) -> list[TextNode]:
        nodes = None if self.quick is None else self.quick.parts(node)
        if nodes is None:
            found = ParseState(ParseOptions(), self.restart)
            self.body.read(node.source, node.start // 8, node.end, found)
            nodes = found.nodes
        self.read_delegated(nodes, ParseOptions(quick=True))
        return nodes

    @cached_property
    def parts_by_name(self) -> dict[str, tuple[RuleValue, ir.Field]]:
        """For each field the rule value that reads it, and its declaration; for a repeated field those of one element."""
        return {name: (self.engine.value(rule), self.engine.single(rule, name)) for name, (rule, _) in self.fields.items()}

    def read_delegated(self, nodes: list[TextNode], run: ParseOptions) -> None:
        """Read the texts of delegated fields among ``nodes`` by their rules. A node whose rule does not match becomes broken."""
        for name, handover in self.delegated.items():
            node = next((node for node in nodes if node.field == name), None)
            if node is None:
                continue
            start, stop = node.start // 8, node.stop // 8
            value, at = handover.choose(self.key(handover, nodes), node.source, start, stop)
            if value is None:
                continue
            into = ParseState(run)
            if run.trail is not None:
                run.trail.enter(value.rule.name, at)
            made = value.whole(node.source, at, stop, into) if run.may_deepen() else None
            if run.trail is not None:
                run.trail.leave(None if made is None else stop)
            if made is None:
                node.broken = True
                continue
            node.shape, node.value, node.end = value, made.value, stop
            if not run.quick or at != start:
                node.parts = made.parts
            node.inner = into.reports if value.report is None else [(value.report, at, stop), *into.reports]

    @staticmethod
    def key(handover: DelegatedRule, nodes: list[TextNode]) -> str | None:
        """Return the text of the sibling field that selects the rule for a delegated field."""
        by = handover.word.by
        return None if by is None else next((node.text for node in nodes if node.field == by), None)

    def regex(self, emit: Emit) -> str:
        return self.body.regex(emit) if self.restart is None else guarded(self.body, self.restart, emit)

    @cached_property
    def templates(self) -> Templates:
        """The templates of the rule, by the number of values in each field."""
        return Templates(self.rule.name, self.body.write, self.places, self.derive)

    def spell(self, value: object, path: str) -> str:
        """Return the text of a record, given as values by field or as a text. Raises `CannotEncode` unless all of it is written."""
        if type(value) is SharedRecord:
            return value.spelled(self._spell, path)
        if type(value) is not dict and not isinstance(value, Mapping):
            text = str(value)
            if not self.fits(text):
                raise CannotEncode(self.misfit(text), path)
            return text
        # Most pairs of most boards occur in other boards too: a value that consists of texts alone is spelled once.
        same = alike(value)
        known = None if same is None else self.spelled.get(same)
        if known is not None:
            return known
        text = self._spell(value, path)
        return text if same is None or len(text) > SHORT else self.spelled.keep(same, text)

    def _spell(self, value: Mapping[str, object], path: str) -> str:
        """Return the text of a record, given as values by field, without using the cache of `spell`."""
        for name in value:
            if name not in self.fields:
                raise CannotEncode(f"{self.rule.name} has no field {name}", path)
        given = value if isinstance(value, ComposedRecord) else dict(value)
        for name, handover in self.delegated.items():
            target = handover.reader(value)
            if target is not None and name in given:
                given[name] = target.delegated_text(given[name], f"{path}.{name}".lstrip("."))
        text = self.templates.spelled(given, path)
        words, shape = self.rule.words, self.shape.words
        trim, ends = words.trim or shape.trim, words.ends or shape.ends
        text = text.rstrip(trim) if trim else text
        if ends is not None and text:
            text = text.rstrip(" ")
            text += "" if text.endswith(ends) else ends
        return text

    def derive(self, rule: GrammarRule, values: Mapping[str, object]) -> str:
        """Return the derived text of a field with rule ``rule``, given the values of its record. Raises EvaluationError where one
        that it needs is missing or no number. If it depends on positions or other records, `patch.settled` corrects it later.
        """
        derivation = self.engine.derivation(rule)
        try:
            return derivation.text(TextScope(self, values))
        except EvaluationError:
            if not derivation.unsettled:
                raise
        return rule.words.number.write(0) if rule.words.number is not None else "0"
