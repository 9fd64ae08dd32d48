"""The rules of a text grammar as values: `Grammar` maps names to `GrammarRule`s, whose expressions are built from the classes here.

A rule is a record: each rule or terminal that it names is a field, an array where it is named twice or under a repetition.
``_names`` are layout: matched, kept, never a field. A rule whose alternatives are all ``text -> name`` is a code: its value
is the name. Choices are ordered and never backtrack, so that a grammar has at most one parse of a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bridgespec.diagnostic import Severity
from bridgespec.spec.grammar.form import Content, ReportForm, RuleWords, TextForm, reports
from bridgespec.spec.place import SchemaPlace


@dataclass(frozen=True, slots=True)
class GrammarLiteral:
    """A literal text."""

    text: str
    ignore_case: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression of Python's ``re``.

    ``settled``: it has at most one way to match. ``behind``: how many characters before its match it looks at: 0, 1, or 2 for
    more than one.
    """

    regex: str
    flags: str = ""
    settled: bool = False
    behind: int = 2


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a rule or terminal by name."""

    name: str
    place: SchemaPlace

    @property
    def field(self) -> str | None:
        """The name of the field that the reference makes; None for layout."""
        return None if self.name.startswith("_") else self.name.lower()


@dataclass(frozen=True, slots=True)
class Sequence:
    """Expressions that match one after the other."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class GrammarChoice:
    """Ordered choice: the first alternative that matches; ``names`` are the aliases (``-> name``), None where there is none."""

    options: tuple[Expr, ...]
    names: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class GrammarRepeat:
    """An expression repeated as often as it matches, at least ``least`` and at most ``most`` times."""

    item: Expr
    least: int
    most: int | None


Expr = GrammarLiteral | Pattern | Ref | Sequence | GrammarChoice | GrammarRepeat


@dataclass(frozen=True, slots=True)
class GrammarRule:
    """A rule or, if its name is in capitals, a terminal. Made by the loader, with the words of its ``//-`` block."""

    name: str
    expr: Expr
    place: SchemaPlace
    words: RuleWords = field(default_factory=RuleWords)

    @property
    def is_terminal(self) -> bool:
        """Whether the name is in capitals."""
        # As Lark: the case of a name's letters makes it a rule or a terminal.
        return self.name.strip("_?!").isupper()

    @property
    def is_layout(self) -> bool:
        """Whether the name begins with an underscore: layout, which makes no field."""
        return self.name.startswith("_")

    @property
    def codes(self) -> GrammarChoice | None:
        """The alternatives of a code rule (each ``text -> name``); None for any other rule."""
        expr = self.expr
        if isinstance(expr, GrammarChoice) and not self.is_terminal and all(expr.names):
            return expr
        return None

    @property
    def alias_of(self) -> Ref | None:
        """The reference that the rule consists of; None for a terminal, and for a rule that is more than one reference."""
        return self.expr if isinstance(self.expr, Ref) and not self.is_terminal else None


RECOVER = r"[^\r\n]*+(?:\r\n|\r|\n|$)"
"""The text that is skipped where nothing matches, unless the schema declares another: the rest of the line."""


@dataclass(frozen=True)
class Grammar:
    """The rules of a schema by name, imported ones included, with the words of its head; reading begins at ``start``. ``source`` is
    the text of the file. Made by the loader, once for each schema.
    """

    rules: Mapping[str, GrammarRule]
    start: str
    source: str
    recover: str = RECOVER
    form: TextForm = field(default_factory=TextForm)

    def fields(self, expr: Expr) -> list[str]:
        """Return the names of the fields that an expression makes, in order, each once. Layout rules are replaced by their
        expressions.
        """
        return list(self.occurrences(expr))

    def made_by(self, rule: GrammarRule) -> Mapping[str, tuple[Ref, bool]]:
        """Return the fields of a rule, as `occurrences` of its expression; cached."""
        if rule.name not in self._made:
            self._made[rule.name] = self.occurrences(rule.expr)
        return self._made[rule.name]

    @cached_property
    def _made(self) -> dict[str, dict[str, tuple[Ref, bool]]]:
        """Cache of `made_by`: the fields of rules, each by its name."""
        return {}

    def reports(self) -> Iterator[tuple[str, ReportForm]]:
        """Yield every finding that the head or a rule declares, with the name of the rule."""
        yield from ((self.start, report) for report in reports(self.form))
        for rule in self.rules.values():
            pair = rule.words.pair
            among = () if pair is None else (pair.once, pair.needs, pair.strict)
            yield from ((rule.name, report) for report in reports((rule.words.report, rule.words.mismatch, *among)))

    @cached_property
    def unread(self) -> frozenset[str]:
        """The codes of findings on text that is not bound to the model: a value that does not match the rule for its key, and the
        report of an `opaque` rule. Notes are left out: they are about layout, which has no meaning.
        """
        contents = (content for rule in self.rules.values() for content in rule.words.contents)
        opaque = (rule.words.report for rule in self.rules.values() if rule.words.binding.opaque)
        reported = {one.code for one in opaque if one is not None and one.severity is not Severity.NOTE}
        return frozenset({*(content.report.code for content in contents), *reported})

    def resolve(self, rule: GrammarRule) -> GrammarRule:
        """Return the rule that defines the text of a rule: the rule itself, or the end of the chain of references where it is only
        a reference to another rule.
        """
        while (target := rule.alias_of) is not None:
            rule = self.rules[target.name]
        return rule

    def ends_line(self, rule: GrammarRule) -> bool:
        """Whether a rule is a sequence whose last expression ends with a line end. False where the last expressions lead back to
        the rule, so that this is unknown.
        """
        last: Expr = rule.expr
        seen: set[str] = set()
        while isinstance(last, Sequence | GrammarRepeat | Ref):
            if isinstance(last, Ref):
                if last.name in seen:
                    return False
                seen.add(last.name)
                last = self.rules[last.name].expr
            else:
                last = last.item if isinstance(last, GrammarRepeat) else last.items[-1]
        closes = last.text.endswith("\n") if isinstance(last, GrammarLiteral) else getattr(last, "regex", "").endswith(r"\n")
        return closes and isinstance(rule.expr, Sequence)

    def contents(self, rule: GrammarRule) -> tuple[Content, ...]:
        """Return the words ``content`` of a rule or, if it has none, those of the rule that `resolve` returns for it."""
        return rule.words.contents or self.resolve(rule).words.contents

    def is_leaf(self, rule: GrammarRule) -> bool:
        """Whether a rule makes no fields, so that its value is a text; true for a terminal."""
        shape = self.resolve(rule)
        if shape.name not in self._leaves:
            self._leaves[shape.name] = shape.is_terminal or not self.made_by(shape)
        return self._leaves[shape.name]

    @cached_property
    def _leaves(self) -> dict[str, bool]:
        """Cache of `is_leaf`, by rule name."""
        return {}

    def occurrences(self, expr: Expr, many: bool = False, seen: frozenset[str] = frozenset()) -> dict[str, tuple[Ref, bool]]:
        """Return the fields of an expression by name, in order, each with the reference that makes it and whether it is an array.

        A layout rule that refers to itself makes arrays: each round of it adds an element.
        """
        found: dict[str, tuple[Ref, bool]] = {}
        match expr:
            case Ref(name):
                if expr.field is not None:
                    return {expr.field: (expr, many)}
                target = self.rules[name]
                # A second visit adds no field: the first one has found all, and has made them arrays.
                if target.is_terminal or name in seen:
                    return {}
                repeated = many or name in self.recursive
                return self.occurrences(target.expr, repeated, seen | {name})
            case Sequence(items):
                for item in items:
                    for name, (ref, array) in self.occurrences(item, many, seen).items():
                        # Named twice in a sequence, a field occurs twice in one text; in two alternatives it does not.
                        found[name] = (ref, array or name in found)
            case GrammarChoice(options):
                for option in options:
                    for name, (ref, array) in self.occurrences(option, many, seen).items():
                        found[name] = (ref, array or (name in found and found[name][1]))
            case GrammarRepeat(item, _, most):
                return self.occurrences(item, many or most != 1, seen)
            case _:
                pass
        return found

    def kinds(self, expr: Expr, seen: frozenset[str] = frozenset()) -> tuple[Expr, ...]:
        """Return the alternatives of the choice that makes all fields of an expression, those of nested choices included; the
        expression itself where it has no such choice.
        """
        match expr:
            case GrammarChoice(options):
                return tuple(kind for option in options for kind in self.kinds(option, seen))
            case Ref(name) if expr.field is None and name not in seen and not self.rules[name].is_terminal:
                return self.kinds(self.rules[name].expr, seen | {name})
            case Sequence(items):
                made = [item for item in items if self.occurrences(item)]
                return self.kinds(made[0], seen) if len(made) == 1 else (expr,)
        return (expr,)

    def certain(self, expr: Expr, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        """Return the names of the fields that an expression makes for every text."""
        match expr:
            case Ref(name):
                if expr.field is not None:
                    return frozenset({expr.field})
                # A second visit of a rule adds no certain field that its first visit has not found.
                return frozenset() if name in seen else self.certain(self.rules[name].expr, seen | {name})
            case Sequence(items):
                return frozenset().union(*(self.certain(item, seen) for item in items))
            case GrammarChoice(options):
                return frozenset.intersection(*(self.certain(option, seen) for option in options))
            case GrammarRepeat(item, least, _):
                return self.certain(item, seen) if least else frozenset()
        return frozenset()

    @cached_property
    def reach(self) -> Mapping[str, frozenset[str]]:
        """For each rule, the names of the rules and terminals that can be reached from it."""
        reach = {name: names_in(rule.expr) for name, rule in self.rules.items()}
        # Repeat until no rule is added: each pass follows the references one step further.
        while True:
            wider = {name: direct.union(*(reach[other] for other in direct if other in reach)) for name, direct in reach.items()}
            if wider == reach:
                return reach
            reach = wider

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The names of the rules that refer to themselves, directly or through others."""
        return frozenset(name for name, others in self.reach.items() if name in others)

    @cached_property
    def reporting(self) -> frozenset[str]:
        """The names of the rules that report a finding, or that refer to such a rule, directly or through others."""
        found = {name for name, rule in self.rules.items() if rule.words.report is not None}
        return frozenset(name for name, others in self.reach.items() if name in found or others & found)


def source_of(expr: Expr, inner: bool = False) -> str:
    """Return an expression in Lark's syntax, in parentheses if it is ``inner`` and has several parts.

    >>> inner = GrammarChoice((GrammarLiteral("b", False), Pattern("[0-9]")), (None, "x"))
    >>> source_of(Sequence((GrammarLiteral("a", True), GrammarRepeat(inner, 0, None))))
    '"a"i ("b" | /[0-9]/ -> x)*'
    """
    match expr:
        case GrammarLiteral(text, ignore_case):
            # Lark reads a literal with Python's escapes, so that a backslash of the text is written as two.
            escaped = text.replace("\\", "\\\\").replace('"', '\\"').encode("unicode_escape").decode().replace("\\\\", "\\")
            return f'"{escaped}"' + "i" * ignore_case
        case Pattern(regex, flags):
            return f"/{regex.replace('/', chr(92) + '/')}/{flags}"
        case Ref(name):
            return name
        case Sequence(items):
            text = " ".join(source_of(item, isinstance(item, GrammarChoice)) for item in items)
        case GrammarChoice(options, names):
            text = " | ".join(source_of(one) + (f" -> {name}" if name else "") for one, name in zip(options, names, strict=True))
        case GrammarRepeat(item, least, most):
            counts = {(0, 1): "?", (0, None): "*", (1, None): "+"}
            plain = f"~{least}" if least == most else f"~{least}..{most}"
            return source_of(item, True) + counts.get((least, most), plain)
    return f"({text})" if inner else text


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield an expression and everything in it, outermost first; references are not followed."""
    yield expr
    match expr:
        case Sequence(items) | GrammarChoice(items):
            for item in items:
                yield from walk(item)
        case GrammarRepeat(item):
            yield from walk(item)
        case _:
            pass


def names_in(expr: Expr) -> frozenset[str]:
    """Return the names of the rules and terminals that an expression refers to."""
    return frozenset(part.name for part in walk(expr) if isinstance(part, Ref))
