"""Why a text does not fit a rule: the furthest place that any alternative reached, and what was wanted there."""

from __future__ import annotations

import re

from bridgespec.codec.text_program import Compiler
from bridgespec.spec.grammar import Choice, Expr, Literal, Pattern, Ref, Repeat, Sequence

LIMIT = 20_000
"""How many steps one explanation may take; past it the place is the furthest found so far."""


_LAYOUT = "\0"
"""Before the name of layout, and of a mistake that has a finding of its own, which are left out of messages where something else
could stand."""


class _Stop(Exception):
    pass


class Explainer:
    """Follows a rule along a text as the compiled expression does, slowly, and remembers where it got stuck."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.grammar = compiler.grammar
        self._patterns: dict[Expr, re.Pattern[str]] = {}

    def explain(self, rule: str, text: str, start: int, end: int) -> tuple[int, list[str]]:
        """The furthest offset reached and what was wanted there, for a text that must fit the rule to its end."""
        return self.explain_expr(self.grammar.rules[rule].expr, text, start, end, True)

    def explain_expr(self, expr: Expr, text: str, start: int, end: int, whole: bool) -> tuple[int, list[str]]:
        """The same for an expression; ``whole``: whether the text must be used up."""
        run = _Run(self, text, end)
        try:
            reached = run.follow(expr, start)
            if reached is not None and whole:
                run.want(reached, "the end")
        except (_Stop, RecursionError):
            pass
        return run.furthest, list(run.wanted)

    def pattern(self, expr: Literal | Pattern) -> re.Pattern[str]:
        """The compiled form of a piece of text."""
        if expr not in self._patterns:
            if isinstance(expr, Literal):
                compiled = re.compile(re.escape(expr.text), re.IGNORECASE if expr.ignore_case else 0)
            else:
                compiled = re.compile(f"(?{expr.flags}:{expr.regex})" if expr.flags else expr.regex)
            self._patterns[expr] = compiled
        return self._patterns[expr]


class _Run:
    def __init__(self, explainer: Explainer, text: str, end: int) -> None:
        self.explainer = explainer
        self.text = text
        self.end = end
        self.steps = 0
        self.furthest = -1
        self.wanted: dict[str, None] = {}

    def want(self, at: int, what: str) -> None:
        if at > self.furthest:
            self.furthest = at
            self.wanted = {}
        if at == self.furthest:
            self.wanted[what] = None

    def follow(self, expr: Expr, at: int, says: str | None = None) -> int | None:
        self.steps += 1
        if self.steps > LIMIT:
            raise _Stop
        match expr:
            case Literal() | Pattern():
                found = self.explainer.pattern(expr).match(self.text, at, self.end)
                if found is None:
                    self.want(at, says or (repr(expr.text) if isinstance(expr, Literal) else f"text like /{expr.regex}/"))
                    return None
                return found.end()
            case Ref(name):
                rule = self.explainer.grammar.rules[name]
                words = says or rule.words.says
                named = rule.is_terminal or isinstance(rule.expr, Pattern)
                mistake = rule.words.report is not None
                leaf = self.explainer.compiler.is_leaf(rule) and (named or mistake or words is not None)
                inner = words or (_humanise(name) if (named or mistake) and not isinstance(rule.expr, Literal) else None)
                if inner is not None and words is None and (rule.is_layout or mistake):
                    inner = f"{_LAYOUT}{inner}"
                before = self.furthest
                reached = self.follow(rule.expr, at, inner if leaf else None)
                if reached is None and words and not leaf and self.furthest in (at, before):
                    self.wanted = {words: None} if before < at else {**self.wanted, words: None}
                return reached
            case Sequence(items):
                for item in items:
                    reached = self.follow(item, at, says)
                    if reached is None:
                        return None
                    at = reached
                return at
            case Choice(options):
                for option in options:
                    reached = self.follow(option, at, says)
                    if reached is not None:
                        return reached
                return None
            case Repeat(item, least, most):
                count = 0
                while most is None or count < most:
                    reached = self.follow(item, at, says)
                    if reached is None or reached == at:
                        break
                    at, count = reached, count + 1
                return at if count >= least else None


def _humanise(name: str) -> str:
    return {"_NL": "the end of the line"}.get(name, name.strip("_").lower().replace("_", " "))


def one_of(wanted: list[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``; layout is named where nothing else is wanted."""
    shown = [name for name in wanted if not name.startswith(_LAYOUT)][:6] or [name.lstrip(_LAYOUT) for name in wanted[:6]]
    if not shown:
        return "something else"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
