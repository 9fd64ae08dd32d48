"""Railroad diagrams of grammar rules: `track`, for the rules for which `has_track` is true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from bridgespec.docs.prose import Markup, plain
from bridgespec.extras import Extra
from bridgespec.spec.grammar import Expr, Grammar, GrammarChoice, GrammarLiteral, GrammarRepeat, GrammarRule, Pattern, Ref
from bridgespec.spec.grammar import Sequence as Series

if TYPE_CHECKING:
    import railroad
else:
    railroad = Extra("railroad")

_WIDE = 640
"""The maximum width of a line of a diagram, in pixels."""
_LONG = 30
"""The maximum number of characters of a regular expression in a diagram."""
_MANY = 12
"""The maximum number of codes in a diagram; longer lists are in tables."""
_ESCAPES = {"\r": "\\r", "\n": "\\n", "\t": "\\t"}


def reachable(grammar: Grammar) -> list[GrammarRule]:
    """Return the rules that may read a part of a file, by breadth from the start rule on."""
    found: dict[str, GrammarRule] = {}
    pending = [grammar.start]
    while pending:
        name = pending.pop(0)
        if name in found or name not in grammar.rules:
            continue
        found[name] = rule = grammar.rules[name]
        pending += list(_names(rule.expr))
        # No expression refers to rules that words (//- lines) name to read the text of a field.
        for content in rule.words.contents:
            pending += [*content.cases.values(), *([content.otherwise] if content.otherwise else [])]
        if rule.words.pair is not None and rule.words.pair.columns is not None:
            pending += rule.words.pair.columns.cases.values()
    return list(found.values())


def _names(expr: Expr) -> Iterator[str]:
    """Yield the names of the rules that an expression refers to, in order."""
    match expr:
        case Ref(name=name):
            yield name
        case Series(items):
            for item in items:
                yield from _names(item)
        case GrammarChoice(options):
            for option in options:
                yield from _names(option)
        case GrammarRepeat(item):
            yield from _names(item)
        case _:
            pass


def has_track(grammar: Grammar, rule: GrammarRule) -> bool:
    """Whether a diagram of a rule is useful: it is more than one literal, pattern or reference, is not a long list of codes, and is
    not one of the rules for errors in texts.
    """
    expr = valid(grammar, rule.expr)
    inner = expr.item if isinstance(expr, GrammarRepeat) else expr
    if rule.words.report is not None or expr is None or isinstance(inner, GrammarLiteral | Pattern | Ref) or inner == Series(()):
        return False
    codes = rule.codes
    return codes is None or len(codes.options) <= _MANY


def valid(grammar: Grammar, expr: Expr) -> Expr | None:
    """Return an expression without references to rules for errors in texts; None where nothing is left."""
    match expr:
        case Ref(name):
            return None if name in grammar.rules and grammar.rules[name].words.report is not None else expr
        case Series(items):
            left = [item for one in items if (item := valid(grammar, one)) is not None]
            # A single item that is left replaces its sequence; a sequence of one item is unchanged.
            return left[0] if len(left) == 1 and len(items) > 1 else Series(tuple(left))
        case GrammarChoice(options, names):
            kept = [(one, name) for option, name in zip(options, names, strict=True) if (one := valid(grammar, option)) is not None]
            # An only alternative with a name remains a choice, so that the name is drawn.
            if len(kept) == 1 and kept[0][1] is None:
                return kept[0][0]
            return GrammarChoice(tuple(one for one, _ in kept), tuple(name for _, name in kept)) if kept else None
        case GrammarRepeat(item, least, most):
            inner = valid(grammar, item)
            return None if inner is None else GrammarRepeat(inner, least, most)
    return expr


def mistakes(grammar: Grammar, rule: GrammarRule) -> list[GrammarRule]:
    """Return the rules for errors in texts that a rule refers to, in order; a text that they match is read and reported."""
    named = dict.fromkeys(_names(rule.expr))
    return [grammar.rules[name] for name in named if name in grammar.rules and grammar.rules[name].words.report is not None]


def track(grammar: Grammar, rule: GrammarRule) -> Markup:
    """Return the railroad diagram of a rule as SVG, without references to rules for errors in texts; names link to their rules."""
    out = StringIO()
    expr = valid(grammar, rule.expr)
    diagram = railroad.Diagram(_item(grammar, rule.expr if expr is None else expr))
    diagram.format(12, 12, 12, 12)
    diagram.attrs["role"] = "group"
    diagram.attrs["aria-label"] = f"Railroad diagram of {rule.name}"
    diagram.writeSvg(out.write)
    # SVG 2 deprecates xlink:href, which railroad writes.
    return Markup(out.getvalue().replace(" xlink:href=", " href="))


def _item(grammar: Grammar, expr: Expr) -> railroad.DiagramItem:
    """Return an expression as an item of a diagram."""
    match expr:
        case GrammarLiteral(text):
            return railroad.Terminal(pictured(text))
        case Pattern(regex):
            shown = regex if len(regex) <= _LONG else regex[: _LONG - 1] + "…"
            return railroad.Terminal(shown, title=regex, cls="pattern")
        case Ref(name=name):
            return _reference(grammar, name)
        case Series(items):
            return _series([_item(grammar, item) for item in items])
        case GrammarChoice(options, names):
            return _choice(grammar, options, names)
        case GrammarRepeat(item, least, most):
            return _repeat(_item(grammar, item), least, most)
    raise TypeError(expr)


def _reference(grammar: Grammar, name: str) -> railroad.DiagramItem:
    rule = grammar.rules.get(name)
    title = plain(rule.words.says or rule.words.doc) if rule is not None else ""
    return railroad.NonTerminal(name, href=f"#rule-{name}", title=title or name)


def _series(items: Sequence[railroad.DiagramItem]) -> railroad.DiagramItem:
    """Return a sequence, in several lines where it is wider than `_WIDE`."""
    if not items:
        return railroad.Skip()
    lines: list[list[railroad.DiagramItem]] = [[]]
    width = 0.0
    for item in items:
        # Railroad draws a line of 10 pixels on each side of an item.
        room = item.width + 20
        if lines[-1] and width + room > _WIDE:
            lines.append([])
            width = 0
        lines[-1].append(item)
        width += room
    made = [railroad.Sequence(*line) if len(line) > 1 else line[0] for line in lines]
    return railroad.Stack(*made) if len(made) > 1 else made[0]


def _choice(grammar: Grammar, options: Sequence[Expr], names: Sequence[str | None]) -> railroad.DiagramItem:
    items = []
    for option, name in zip(options, names, strict=True):
        item = _item(grammar, option)
        items.append(railroad.Sequence(item, railroad.Comment(name)) if name else item)
    return railroad.Choice(0, *items) if len(items) > 1 else items[0]


def _repeat(item: railroad.DiagramItem, least: int, most: int | None) -> railroad.DiagramItem:
    if (least, most) == (0, 1):
        return railroad.Optional(item)
    if most is None:
        return railroad.ZeroOrMore(item) if least == 0 else railroad.OneOrMore(item, _note(least))
    times = f"{most} times" if least == most else f"{least} to {most} times"
    return railroad.OneOrMore(item, railroad.Comment(times))


def _note(least: int) -> railroad.DiagramItem | None:
    return railroad.Comment(f"at least {least} times") if least > 1 else None


def pictured(text: str) -> str:
    """Return a text for a diagram, with symbols or escapes for blanks and control characters.

    >>> print(pictured("a b\\r\\n"))
    a␣b\\r\\n
    """
    return "".join(_ESCAPES.get(c, f"\\x{ord(c):02x}") if ord(c) < 32 else "␣" if c == " " else c for c in text)
