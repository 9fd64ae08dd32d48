"""Derived values of a grammar: check the expressions of ``value`` against the fields of its rules.

The call path: `check_values` makes the records that expressions refer to (`_value_records`), resolves the names in each expression
relative to the record of its field, and refuses values that depend on themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bridgespec.diagnostic import nearest
from bridgespec.spec import ir
from bridgespec.spec.grammar.rules import Grammar, GrammarRule
from bridgespec.spec.kaitai.cycles import find_cycle
from bridgespec.spec.kaitai.expr import types as t
from bridgespec.spec.kaitai.expr.check import Checker
from bridgespec.spec.kaitai.expr.tree import Attribute, Bytes, Expression, Fold, Measure, Name, SpotExpression, Tree, children
from bridgespec.spec.kaitai.expr.types import ExpressionTypeError, ValueType
from bridgespec.spec.kaitai.names import SchemaNames
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import APPLY, EXPRESSION, Problems

_NUMBER = ir.IntType(8, True, "le")
"""The type of a text with the word `number` in expressions."""
_RESULTS = ("int", "byte", "str", "bytes", "any")
"""The types of an expression for a text: a number, a text, or bytes, which are written as hexadecimal digits."""
Owned = tuple[str, str]
"""A field: the absolute name of its record, and its own name."""


class GrammarNames(SchemaNames):
    """Resolves the names in expressions of a grammar, relative to one record. Made by `names_of`, with records from
    `_value_records`.
    """

    def __init__(self, record: str, records: Mapping[str, ir.Record], enums: Mapping[str, ir.Enum], root: str) -> None:
        super().__init__(record, records, {}, {})
        self.enums, self.start = enums, root

    def seen_from(self, record: str) -> GrammarNames:
        """Like `SchemaNames.seen_from`."""
        other = GrammarNames(record, self.records, self.enums, self.start)
        other.known, other.busy, other.parents = self.known, self.busy, self.parents
        return other

    def root(self, record: str) -> ValueType:
        return ValueType("struct", self.start)

    def named_type(self, name: str) -> ValueType | None:
        return t.primitive(name)

    def member(self, path: tuple[str, ...]) -> tuple[str, int]:
        short = {full.partition("::")[2]: enum for full, enum in self.enums.items()}
        enum = short.get(path[-2]) if len(path) == 2 else None
        if enum is None:
            raise ExpressionTypeError(f"there are no codes '{'::'.join(path[:-1])}'", nearest(path[-2], short))
        for member in enum.members.values():
            if member.name == path[-1]:
                return enum.name, member.value
        known = [member.name for member in enum.members.values()]
        raise ExpressionTypeError(f"'{path[-2]}' has no code '{path[-1]}'", nearest(path[-1], known))

    # A grammar fixes no sizes: without them the checker makes `_sizeof` a `Measure` of the text.
    def size(self, type_name: str) -> int | None:
        return None

    def attribute_size(self, record: str, name: str) -> int | None:
        return None

    def record_size(self, record: str) -> int | None:
        return None


def names_of(spec: str, grammar: Grammar, records: Mapping[str, ir.Record], enums: Mapping[str, ir.Enum]) -> GrammarNames:
    """Return the names that expressions of a grammar can refer to, given its records and codes."""
    root = f"{spec}::{grammar.start}"
    names = GrammarNames(root, dict(_value_records(grammar, records)), enums, root)
    names.find_parents()
    return names


def _value_records(grammar: Grammar, records: Mapping[str, ir.Record]) -> Iterator[tuple[str, ir.Record]]:
    """Yield name and record, in which fields with codes or with the word `number` have the type of a number."""
    for full, record in records.items():
        made = grammar.made_by(grammar.resolve(grammar.rules[full.partition("::")[2]]))
        fields = [replace(field, type=_type(grammar, grammar.rules[made[field.name][0].name], field)) for field in record.fields]
        yield full, replace(record, fields=tuple(fields))


def _type(grammar: Grammar, rule: GrammarRule, field: ir.Field) -> ir.FieldType:
    numeral = rule.words.number or grammar.resolve(rule).words.number
    return _NUMBER if field.enum is not None or numeral is not None else field.type


@dataclass(frozen=True, slots=True)
class _Derived:
    """A derived field: its rule, which has the word ``value``, the expression, and whether the field is an array."""

    rule: GrammarRule
    value: Expression
    many: bool

    @property
    def place(self) -> SchemaPlace:
        """The position of the expression in the schema."""
        return self.value.place or self.rule.place


def check_values(
    spec: str, grammar: Grammar, records: Mapping[str, ir.Record], enums: Mapping[str, ir.Enum], problems: Problems
) -> None:
    """Resolve the names in the expressions of ``value`` in a grammar. Report expressions without effect or with wrong types, and
    values that depend on themselves.
    """
    wanted = {rule.name for rule in grammar.rules.values() if rule.words.binding.value is not None}
    if not wanted:
        return
    names = names_of(spec, grammar, records, enums)
    derived = dict(_fields(grammar, records))
    for name in sorted(wanted - {one.rule.name for one in derived.values()}):
        problems.add(APPLY, f"{name}: 'value' has no effect: no record has it as a field", grammar.rules[name].place)
    # All expressions before cycles: the fields that an expression uses are known once its names are resolved.
    for (record, field), one in derived.items():
        problem = _misplaced(grammar, one)
        if problem:
            problems.add(APPLY, f"{field}: {problem}", one.place)
            continue
        try:
            kind, one.value.tree = Checker(names.seen_from(record), None, True).visit(one.value.tree)
        except ExpressionTypeError as error:
            problems.add(EXPRESSION, f"value: {error}", one.place, error.help)
            continue
        if kind.kind not in _RESULTS:
            problems.add(EXPRESSION, f"value: a number, a text or bytes are wanted, not {kind}", one.place)
    # An expression with an error has no resolved tree.
    if not problems.errors:
        _check_cycles(names, grammar, derived, problems)


def _fields(grammar: Grammar, records: Mapping[str, ir.Record]) -> Iterator[tuple[Owned, _Derived]]:
    """Yield record and name of each derived field in a grammar, with its `_Derived`."""
    for full in records:
        for field, (ref, many) in grammar.made_by(grammar.resolve(grammar.rules[full.partition("::")[2]])).items():
            rule = grammar.rules[ref.name]
            if rule.words.binding.value is not None:
                yield (full, field), _Derived(rule, rule.words.binding.value, many)


def _misplaced(grammar: Grammar, one: _Derived) -> str:
    """Return the reason why a field cannot be derived; empty where it can."""
    if one.many:
        return "'value' needs a field that occurs once, and this one may occur many times"
    if not grammar.is_leaf(one.rule) or grammar.resolve(one.rule).codes is not None:
        return "'value' needs a text or a number, and this field has parts or codes"
    return ""


def _check_cycles(names: GrammarNames, grammar: Grammar, derived: Mapping[Owned, _Derived], problems: Problems) -> None:
    """Report each value that depends on itself, with the cycle."""
    uses = _Dependencies(names)
    shown = {owned: ".".join(owned).partition("::")[2] for owned in derived}
    needs = {
        shown[owned]: [shown[to] for to in dict.fromkeys(uses.of(one.value.tree, owned[0], None)) if to in derived]
        for owned, one in derived.items()
    }
    reported: set[str] = set()
    for owned, one in derived.items():
        cycle = find_cycle(shown[owned], needs)
        if cycle and not reported & set(cycle):
            reported |= set(cycle)
            path = " -> ".join((*cycle, shown[owned]))
            problems.add(EXPRESSION, f"'{owned[1]}' follows from itself: {path}", one.place)


class _Dependencies:
    """Finds the fields on which an expression depends, by their values or their texts."""

    def __init__(self, names: GrammarNames) -> None:
        self.names = names

    def of(self, tree: Tree, record: str, it: ValueType | None) -> Iterator[Owned]:
        """Yield record and name of the fields that an expression in ``record`` needs; ``it`` is the type of ``_``."""
        match tree:
            case Name(id=name) if not name.startswith("_"):
                yield record, name
            case Measure():
                return  # a length may depend on the value: the writer corrects both until they agree
            case Bytes(first=first, last=last):
                yield from self._span(first, last, record, it)
            case Fold(of=items, each=each):
                yield from self.of(items, record, it)
                if each is not None:
                    yield from self.of(each, record, self._type(items, record, it).of)
            case Attribute(of=owner, name=name):
                kind = self._type(owner, record, it)
                if kind.kind == "struct" and kind.name is not None:
                    yield kind.name, name
                yield from self.of(owner, record, it)
            case _:
                for child in children(tree):
                    yield from self.of(child, record, it)

    def _type(self, tree: Tree, record: str, it: ValueType | None) -> ValueType:
        """Return the type of an expression in ``record``; `ANY` for one with an error."""
        try:
            return Checker(self.names.seen_from(record), it, True).visit(tree)[0]
        except ExpressionTypeError:
            # The error has been reported by `check_values`.
            return t.ANY

    def _span(self, first: SpotExpression, last: SpotExpression, record: str, it: ValueType | None) -> Iterator[Owned]:
        """Yield record and name of the fields from ``first`` to ``last``, with all fields nested in these."""
        one, two = (self._owner(spot, record, it) for spot in (first, last))
        # A span of the stream, or of an unknown record, contains every field of the file.
        if first.stream or one is None:
            yield from self._inside(self.names.start, set())
        elif first.name is None:
            yield from self._inside(one, set())
        else:
            fields = [field.name for field in self.names.records[one].fields]
            until = fields.index(last.name) + 1 if two == one and last.name in fields else len(fields)
            for name in fields[fields.index(first.name) : until]:
                yield from self._field(one, name, set())

    def _owner(self, spot: SpotExpression, record: str, it: ValueType | None) -> str | None:
        """Return the name of the record that contains a position; None where it is not known."""
        return record if spot.owner is None else self._type(spot.owner, record, it).name

    def _field(self, record: str, name: str, seen: set[str]) -> Iterator[Owned]:
        """Yield a field and all fields nested in it, except those of the records in ``seen``."""
        yield record, name
        kind = self.names.attribute(record, name)
        inner = kind.of if kind is not None and kind.kind == "array" else kind
        if inner is not None and inner.kind == "struct" and inner.name is not None:
            yield from self._inside(inner.name, seen)

    def _inside(self, record: str, seen: set[str]) -> Iterator[Owned]:
        """Yield all fields of a record and all fields nested in these, except those of the records in ``seen``."""
        if record not in seen:
            seen.add(record)
            for field in self.names.records[record].fields:
                yield from self._field(record, field.name, seen)
