"""Findings on elements of a schema that have no effect, or contradict each other, and are probably errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from math import prod

from bridgespec.codec.declaration import Fields
from bridgespec.codec.terms._cells import is_ordinal
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.diagnostic import Code, Diagnostic, Severity, define
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import (
    BitsType,
    BytesType,
    Field,
    IntType,
    PosInstance,
    Record,
    RecordType,
    Repeat,
    Spec,
    SwitchType,
    Valid,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.kaitai.naming_style import expressions
from bridgespec.spec.kaitai.sizes import field_bits, record_bits
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import APPLY, IDLE, NAME, UNUSED

COUNT = define(
    "schema-count",
    Severity.ERROR,
    """The axes of an array do not multiply to its length.

    `-bridge-axes` says what each position means, the last axis running fastest: the labels of all axes, multiplied, must be
    as many as the array has elements.
    """,
)
_WORD = re.compile(r"[a-z_]\w*")


def finding_at(code: Code, message: str, place: SchemaPlace, help: str | None = None) -> Diagnostic:
    """Return a finding at a position of a schema."""
    return Diagnostic(code.name, code.severity, message, place.file, span=place.span, help=help)


def idle(spec: Spec) -> Iterator[Diagnostic]:
    """Yield the findings on elements of a schema that have no effect, such as unused types or a condition that is always true."""
    seen: dict[str, SchemaPlace] = {}
    for sample in spec.samples:
        if sample.place is not None and (first := seen.setdefault(sample.name, sample.place)) is not sample.place:
            yield finding_at(NAME, f"the sample '{sample.name}' stands twice; the first is in line {first.line}", sample.place)
    if isinstance(spec.text, Grammar):
        yield from _unread(spec, spec.text) if spec.text.start in spec.text.rules else ()
        return
    if spec.extensions:
        yield from _unused(spec)
    for record in spec.records.values():
        for field in _fields(record):
            yield from _idle(field)
        for check in record.checks:
            if check.that.constant is not None:
                yield finding_at(IDLE, f"the check '{check.code}' does not depend on the file", check.that.place or check.place)
        for field, after in pairwise(record.fields):
            if _takes_all(field) and after.condition is None and after.repeat is None and field_bits(after, spec.records):
                yield finding_at(IDLE, f"{after.name}: nothing is left for it, {field.name} takes all", after.place)


def _unread(spec: Spec, grammar: Grammar) -> Iterator[Diagnostic]:
    """Yield findings on spellings and keys in the words of a grammar rule that the rule itself does not match."""
    engine = TextEngine(spec)
    for rule in grammar.rules.values():
        words_of_rule = rule.words
        if words_of_rule.write and grammar.is_leaf(rule):
            for text in words_of_rule.write:
                if text and not engine.value(rule.name).fits(text):
                    yield finding_at(IDLE, f"{rule.name} does not read {text!r}, which is how it is written", rule.place)
        wanted = [(content.by, content.cases, "cases") for content in words_of_rule.contents if content.by]
        wanted += [(words_of_rule.pair.key, words_of_rule.pair.terms, "terms")] if words_of_rule.pair is not None else []
        found = grammar.made_by(grammar.resolve(rule)) if wanted else {}
        for name, words, what in wanted:
            # `*` stands for all other keys.
            for word in (one for one in words if one != "*") if name in found else ():
                key = engine.value(found[name][0].name)
                if not any(key.fits(one) for one in (word, word.lower(), word.upper(), word.title(), word.capitalize())):
                    yield finding_at(IDLE, f"{what}: {name} is never {word!r}", rule.place)


def _unused(spec: Spec) -> Iterator[Diagnostic]:
    """Yield types and enums declared in this schema that no field and no expression names."""
    # Words of the source count as uses, so that members of enums and casts in expressions need no resolving.
    words = {word for record in spec.records.values() for one in expressions(record) for word in _WORD.findall(one.source)}
    used = _named(spec)
    for what, named in (("type", spec.records), ("enum", spec.enums)):
        for name, one in named.items():
            short = name.rpartition("::")[2]
            if name != spec.root and name not in used and short not in words and one.place.file == spec.top.place.file:
                yield finding_at(UNUSED, f"nothing leads to the {what} '{short}'", one.place)


def _fields(record: Record) -> list[Field]:
    """Return the fields of a record, and those of its instances that are read from the file."""
    return [*record.fields, *(one.field for one in record.instances.values() if isinstance(one, PosInstance))]


def _named(spec: Spec) -> set[str]:
    """Return the names of types and enums that the fields and instances of a schema have as their own."""
    fields = [field for record in spec.records.values() for field in _fields(record)]
    types = [one.type for one in fields]
    types += [case for one in types if isinstance(one, SwitchType) for _, case in one.cases]
    names = {one.target for one in types if isinstance(one, RecordType)}
    names |= {str(name) for one in fields for name in (one.enum, one.binding.codes, one.binding.digits and one.binding.digits.enum)}
    instances = [one for record in spec.records.values() for one in record.instances.values()]
    return names | {str(one.enum) for one in instances if isinstance(one, ValueInstance)}


def _takes_all(field: Field) -> bool:
    """Whether a field always extends to the end of its stream."""
    extent = getattr(field.type, "extent", None)
    all_left = extent is not None and extent.size_eos and extent.terminator is None
    return field.condition is None and (field.repeat is Repeat.EOS or (field.repeat is None and all_left))


def _idle(field: Field) -> Iterator[Diagnostic]:
    """Yield findings on properties of a field without effect, such as a condition that is always true."""
    for condition, what in ((field.condition, "if"), (field.repeat_expr if field.repeat is Repeat.UNTIL else None, "repeat-until")):
        if condition is not None and condition.constant is not None:
            yield finding_at(IDLE, f"{field.name}: '{what}' does not depend on the file", condition.place or field.place)
    kind = field.type
    if isinstance(kind, BytesType) and kind.contents == b"":
        yield finding_at(IDLE, f"{field.name}: its contents are empty", field.place)
    if isinstance(kind, SwitchType):
        yield from _repeated_cases(field, kind)
    elif not isinstance(kind, RecordType) and kind.range is not None and field.repeat is None:
        low, high = kind.range
        for one, what in ((field.binding.value, "-bridge-value"), (field.binding.default, "-bridge-default")):
            if (number := _outside(one, low, high)) is not None:
                yield finding_at(APPLY, f"{field.name}: '{what}' is {number}, the field holds {low} to {high}", field.place)
        if field.valid is not None:
            yield from _idle_valid(field, field.valid, low, high)


def _repeated_cases(field: Field, kind: SwitchType) -> Iterator[Diagnostic]:
    """Yield a finding for each case of a switch that an earlier one repeats, so that it is never taken."""
    tests = [str(case.tree) for case, _ in kind.cases if case is not None]
    for case, _ in kind.cases:
        if case is not None and tests.count(str(case.tree)) > 1:
            # One finding for two equal cases: the second is then the only one.
            tests.remove(str(case.tree))
            yield finding_at(IDLE, f"{field.name}: the case {case.source} stands twice, and the first is taken", field.place)


def _idle_valid(field: Field, valid: Valid, low: int, high: int) -> Iterator[Diagnostic]:
    """Yield findings on a constraint that no value of a field, from ``low`` to ``high``, satisfies or violates."""
    if valid.place is not None and valid == Valid(place=valid.place):
        yield finding_at(IDLE, f"{field.name}: 'valid' allows nothing", valid.place)
    least, most = [one.constant if one is not None else None for one in (valid.min, valid.max)]
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield finding_at(IDLE, f"{field.name}: no value is at least {least} and at most {most}", valid.place or field.place)
    for one in (valid.eq, valid.min, valid.max, *valid.any_of):
        if one is not None and (number := _outside(one, low, high)) is not None:
            yield finding_at(IDLE, f"{field.name}: {number} is not a value of it: {low} to {high}", one.place or field.place)


def _outside(expression: Expression | None, low: int, high: int) -> int | None:
    """Return the constant of an expression if it is an integer outside a range; else None."""
    number = None if expression is None else expression.constant
    return number if isinstance(number, int) and not low <= number <= high else None


def contradictions(spec: Spec, field: Field) -> Iterator[Diagnostic]:
    """Yield the findings on keys of a binary field that contradict its type, its size or its number of elements."""
    binding = field.binding
    if binding.unknown is not None and isinstance(field.type, IntType | BitsType):
        low, high = field.type.range
        if not low <= binding.unknown <= high:
            message = f"{field.name}: {binding.unknown} does not fit into {field.type.width} bits"
            yield finding_at(APPLY, message, field.place, f"give a number from {low} to {high}, the values of its type")
    if binding.end is not None and isinstance(field.type, RecordType):
        size = record_bits(field.type.target, spec.records)
        if size is not None and binding.end.bits > size:
            needed = f"a record has {size} bits, the end needs {binding.end.bits} null ones"
            yield finding_at(APPLY, f"{field.name}: {needed}", field.place)
    if binding.case is not None and not Fields(spec).of(field).choices:
        needed = f"no type that a switch on a field of it chooses by a value is '{binding.case}'"
        yield finding_at(APPLY, f"{field.name}: {needed}", field.place)
    # The axes of a number are an order, which `lint` checks.
    if binding.axes and not is_ordinal(field):
        yield from _positions_of_axes(spec, field)


def _positions_of_axes(spec: Spec, field: Field) -> Iterator[Diagnostic]:
    """Yield findings on a field whose axes have another number of positions than its array or its digits."""
    binding = field.binding
    count = prod(len(axis.labels) for axis in binding.axes)
    if binding.digits is None and field.repeat is None:
        yield finding_at(APPLY, f"{field.name}: axes need an array, or digits", field.place)
    elif binding.digits is None and field.repeat is Repeat.EXPR and field.repeat_expr is not None:
        length = field.repeat_expr.constant
        if isinstance(length, int) and length != count:
            yield finding_at(COUNT, f"{field.name}: the axes have {count} positions, the array {length}", field.place)
    elif binding.digits is not None and isinstance(field.type, IntType | BitsType):
        bits = field_bits(field, spec.records)
        if bits is not None and binding.digits.base**count > 1 << bits:
            short = f"{count} digits of base {binding.digits.base} need more than {bits} bits"
            yield finding_at(COUNT, f"{field.name}: {short}", field.place)
