"""Derived fields of text records: what a writer computes and a reader verifies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bridgespec.codec.spelling import Numeral
from bridgespec.codec.text_program import Compiler
from bridgespec.spec.grammar import Rule


def derive(compiler: Compiler, record: Rule, rule: Rule, values: Mapping[str, object]) -> int:
    """The number that a field of ``rule`` must hold in a record with these plain values; KeyError or ValueError where a
    field that it is derived from is missing or no number.
    """
    total = 0
    for name in rule.words.xor:
        if name.isdigit():
            total ^= int(name)
            continue
        field_rule = compiler.field_rule(record, name)
        if name not in values and field_rule.words.binding.default is not None:
            numbers = iter([_number(compiler, field_rule, field_rule.words.binding.default.constant)])
        else:
            numbers = _numbers(compiler, field_rule, values[name])
        for number in numbers:
            total ^= number
    return total


def _numbers(compiler: Compiler, rule: Rule, value: object) -> Iterator[int]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _numbers(compiler, compiler.field_rule(rule, name), inner)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _numbers(compiler, rule, item)
    else:
        yield _number(compiler, rule, value)


def _number(compiler: Compiler, rule: Rule, value: object) -> int:
    codes = compiler.codes(compiler.grammar.resolve(rule))
    if codes is None:
        number = Numeral.of(rule.words.extra.get("number")).read(str(value))
        if number is None:
            raise ValueError(f"{value!r} is not a number")
        return number
    name = codes.named(value)
    if name is None:
        raise ValueError(f"{value!r} is no code")
    return codes.number(name)


def spelled(rule: Rule, value: object) -> str:
    """A number as the rule spells it, padded to its width."""
    number = rule.words.extra.get("number")
    text = str(value)
    if isinstance(number, dict) and number.get("pad-left") is not None and isinstance(number.get("width"), int):
        return text.rjust(int(str(number["width"])), str(number["pad-left"]))
    return text
