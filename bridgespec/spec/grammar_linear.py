"""Whether a grammar can be read without going back: decided on the grammar, before any input is seen.

A text is matched by regular expressions in which nothing that has matched is taken back: repetitions of the grammar are possessive
and its choices atomic. What a grammar can still get wrong is a terminal's
own expression, and a repetition of something that may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants, _parser
from typing import Any

from bridgespec.diagnostic import Severity, define
from bridgespec.spec.grammar import Choice, Expr, Grammar, Literal, Pattern, Ref, Repeat, Rule, Sequence
from bridgespec.spec.problems import Problems

SLOW = define(
    "slow-grammar",
    Severity.ERROR,
    """A terminal or a repetition could make reading slower than the input is long.

    Inside a terminal a repetition without a limit is possessive (`*+`, `++`) unless nothing follows it, so that no match is taken
    back. A repetition in a rule repeats something that cannot be empty.
    """,
)


def check_linear(grammar: Grammar, problems: Problems) -> None:
    """Report what could be slower than linear."""
    for pattern in _form_patterns(grammar):
        for fault in backtracking(pattern):
            problems.add(SLOW, f"{fault} in /{pattern}/ can be taken back: make it possessive", grammar.rules[grammar.start].place)
    for rule in grammar.rules.values():
        for pattern in _patterns(rule.expr):
            for fault in backtracking(pattern):
                problems.add(SLOW, f"{rule.name}: {fault} in /{pattern}/ can be taken back: make it possessive", rule.place)
        for repeat in _repeats(rule.expr):
            if nullable(grammar, repeat.item, frozenset({rule.name})):
                problems.add(SLOW, f"{rule.name} repeats something that may be empty", rule.place)


def _form_patterns(grammar: Grammar) -> Iterator[str]:
    form = grammar.form
    for pattern in (form.strict, *(text for fault in form.faults for text in (fault.at, fault.skip))):
        if pattern is not None:
            yield pattern


def backtracking(pattern: str) -> list[str]:
    """The repetitions of a regular expression that could be taken back.

    >>> backtracking(r"a++b"), backtracking(r"a+"), backtracking(r"a+b")
    ([], [], ['a repetition'])
    """
    return list(_faults(_parser.parse(pattern), True))


def _faults(items: Any, last: bool) -> Iterator[str]:
    """``last``: whether nothing of the pattern follows the items."""
    items = list(items)
    for index, (code, value) in enumerate(items):
        end = last and index == len(items) - 1
        if code in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            _, most, inner = value
            if most == _constants.MAXREPEAT and (not end or code is _constants.MIN_REPEAT):
                yield "a repetition"
            elif most == _constants.MAXREPEAT and any(_unbounded(inner)):
                yield "a repetition inside a repetition"
            yield from _faults(inner, False)
        elif code is _constants.POSSESSIVE_REPEAT:
            yield from _faults(value[2], True)
        elif code is _constants.ATOMIC_GROUP:
            yield from _faults(value, True)
        elif code is _constants.SUBPATTERN:
            yield from _faults(value[3], end)
        elif code is _constants.BRANCH:
            for option in value[1]:
                yield from _faults(option, end)
        elif code in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from _faults(value[1], True)


def _unbounded(items: Any) -> Iterator[bool]:
    for code, value in items:
        if code in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            yield value[1] == _constants.MAXREPEAT or any(_unbounded(value[2]))
        elif code is _constants.SUBPATTERN:
            yield any(_unbounded(value[3]))
        elif code is _constants.BRANCH:
            yield any(any(_unbounded(option)) for option in value[1])


def _patterns(expr: Expr) -> Iterator[str]:
    match expr:
        case Pattern(regex):
            yield regex
        case Sequence(items) | Choice(items):
            for item in items:
                yield from _patterns(item)
        case Repeat(item):
            yield from _patterns(item)
        case _:
            pass


def _repeats(expr: Expr) -> Iterator[Repeat]:
    match expr:
        case Repeat(item, _, most):
            if most is None:
                yield expr
            yield from _repeats(item)
        case Sequence(items) | Choice(items):
            for item in items:
                yield from _repeats(item)
        case _:
            pass


def nullable(grammar: Grammar, expr: Expr, seen: frozenset[str]) -> bool:
    """Whether an expression matches the empty text."""
    match expr:
        case Literal(text):
            return not text
        case Pattern(regex, flags):
            return re.compile(f"(?{flags}:{regex})" if flags else regex).fullmatch("") is not None
        case Sequence(items):
            return all(nullable(grammar, item, seen) for item in items)
        case Choice(options):
            return any(nullable(grammar, option, seen) for option in options)
        case Repeat(item, least):
            return least == 0 or nullable(grammar, item, seen)
        case Ref(name):
            rule: Rule = grammar.rules[name]
            return name not in seen and nullable(grammar, rule.expr, seen | {name})
