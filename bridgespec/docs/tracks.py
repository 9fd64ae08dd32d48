"""Grammar rules as railroad diagrams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO

import railroad

from bridgespec.docs.prose import Markup, plain
from bridgespec.spec.grammar import Choice, Expr, Grammar, Literal, Pattern, Ref, Repeat, Rule
from bridgespec.spec.grammar import Sequence as Series

_WIDE = 640
_LONG = 30
_MANY = 12
_ESCAPES = {"\r": "\\r", "\n": "\\n", "\t": "\\t"}


def reachable(grammar: Grammar) -> list[Rule]:
    """The rules that a text can be read by, from the start rule outwards."""
    found: dict[str, Rule] = {}
    pending = [grammar.start]
    while pending:
        name = pending.pop(0)
        if name in found or name not in grammar.rules:
            continue
        found[name] = rule = grammar.rules[name]
        pending += list(_names(rule.expr))
        for content in rule.words.contents:
            pending += [*content.cases.values(), *([content.otherwise] if content.otherwise else [])]
        columns = rule.words.extra.get("columns")
        if isinstance(columns, dict) and isinstance(columns.get("cases"), dict):
            pending += [str(target) for target in columns["cases"].values()]
    return list(found.values())


def _names(expr: Expr) -> Iterator[str]:
    match expr:
        case Ref(name=name):
            yield name
        case Series(items):
            for item in items:
                yield from _names(item)
        case Choice(options):
            for option in options:
                yield from _names(option)
        case Repeat(item):
            yield from _names(item)
        case _:
            pass


def has_track(rule: Rule) -> bool:
    """Whether the rule has a shape worth drawing: more than one text, and no longer list of codes."""
    inner = rule.expr.item if isinstance(rule.expr, Repeat) else rule.expr
    if isinstance(inner, Literal | Pattern | Ref) or inner == Series(()):
        return False
    codes = rule.codes
    return codes is None or len(codes.options) <= _MANY


def track(grammar: Grammar, rule: Rule) -> Markup:
    """A rule as SVG; names lead to their rules."""
    out = StringIO()
    diagram = railroad.Diagram(_item(grammar, rule.expr))
    diagram.format(12, 12, 12, 12)
    diagram.attrs["role"] = "group"
    diagram.attrs["aria-label"] = f"Railroad diagram of {rule.name}"
    diagram.writeSvg(out.write)
    return Markup(out.getvalue().replace(" xlink:href=", " href="))


def _item(grammar: Grammar, expr: Expr) -> railroad.DiagramItem:
    match expr:
        case Literal(text):
            return railroad.Terminal(pictured(text))
        case Pattern(regex):
            shown = regex if len(regex) <= _LONG else regex[: _LONG - 1] + "…"
            return railroad.Terminal(shown, title=regex, cls="pattern")
        case Ref(name=name):
            return _reference(grammar, name)
        case Series(items):
            return _series([_item(grammar, item) for item in items])
        case Choice(options, names):
            return _choice(grammar, options, names)
        case Repeat(item, least, most):
            return _repeat(_item(grammar, item), least, most)
    raise TypeError(expr)


def _reference(grammar: Grammar, name: str) -> railroad.DiagramItem:
    rule = grammar.rules.get(name)
    title = plain(rule.words.says or rule.words.doc) if rule is not None else ""
    return railroad.NonTerminal(name, href=f"#rule-{name}", title=title or name)


def _series(items: Sequence[railroad.DiagramItem]) -> railroad.DiagramItem:
    if not items:
        return railroad.Skip()
    lines: list[list[railroad.DiagramItem]] = [[]]
    width = 0.0
    for item in items:
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
    """Text of a diagram, with signs for what cannot be seen.

    >>> print(pictured("a b\\r\\n"))
    a␣b\\r\\n
    """
    return "".join(_ESCAPES.get(c, f"\\x{ord(c):02x}") if ord(c) < 32 else "␣" if c == " " else c for c in text)
