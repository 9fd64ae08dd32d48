"""Random texts derived from a grammar. Each follows its rules; as choices are ordered, a reader may parse it differently."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from math import inf
from random import Random

from lark import Token, Tree

from bridgespec.codec.samples.random_values import ATTEMPTS, Undrawn
from bridgespec.spec.grammar import Expr, Grammar, GrammarChoice, GrammarLiteral, GrammarRepeat, Pattern, Ref, Sequence
from bridgespec.spec.grammar.possessive import compile_regex
from bridgespec.spec.grammar.regex import count, parsed

DEPTH = 12
"""The nesting depth of rules below which a repetition is as short as possible and a choice takes the alternative that ends soonest.
"""
MORE = 3
"""The maximum number of repetitions beyond the minimum."""
_ALPHABET = "".join(map(chr, (*range(0x20, 0x7F), 9, 10, 13, *range(0xA1, 0x100))))


class Sentences:
    """Draws texts of one grammar from one random generator."""

    def __init__(self, grammar: Grammar, random: Random) -> None:
        self.grammar = grammar
        self.random = random

    def text(self, rule: str = "") -> str:
        """Return a text of the start rule, or of another rule."""
        name = rule or self.grammar.start
        return self._of(Ref(name, self.grammar.rules[name].place), 0)

    def _of(self, expr: Expr, depth: int) -> str:
        """Return a text of an expression; ``depth`` is the number of rules around it."""
        match expr:
            case GrammarLiteral(text=text):
                return text
            case Pattern(regex=regex):
                return self.match(regex)
            case Ref(name=name):
                return self._of(self.grammar.rules[name].expr, depth + 1)
            case Sequence(items=items):
                return "".join([self._of(item, depth) for item in items])
            case GrammarChoice(options=options):
                return self._of(
                    min(options, key=lambda one: _height(one, self._heights)) if depth > DEPTH else self.random.choice(options),
                    depth,
                )
            case GrammarRepeat(item=item, least=least, most=most):
                rounds = self._rounds(least, most) if depth <= DEPTH else least
                return "".join([self._of(item, depth) for _ in range(rounds)])
        raise AssertionError(f"a grammar holds {type(expr).__name__}")

    @cached_property
    def _heights(self) -> Mapping[str, float]:
        """The least nesting depth of a text of each rule; beyond `DEPTH` the alternative with the least depth is taken."""
        heights = dict.fromkeys(self.grammar.rules, inf)
        while True:
            lower = {name: 1 + _height(rule.expr, heights) for name, rule in self.grammar.rules.items()}
            if lower == heights:
                return heights
            heights = lower

    def _rounds(self, least: int, most: int | None) -> int:
        """Return a random number of repetitions, at most `MORE` beyond the minimum."""
        return self.random.randint(least, least + MORE if most is None else min(most, least + MORE))

    def match(self, regex: str) -> str:
        """Return a text that a regular expression matches completely. Raises `Undrawn` where none is found."""
        piece, whole = _drawn(regex)
        for _ in range(ATTEMPTS):
            text = self._piece(piece)
            if whole.fullmatch(text):
                return text
        raise Undrawn(f"no text of /{regex}/ is found")

    def _piece(self, piece: DrawnExpression) -> str:
        """Return a text of a part of a regular expression; lookarounds may not allow it."""
        match piece:
            case DrawnAtom(token=token, characters=characters):
                if not characters:
                    raise Undrawn(f"no character of {token}")
                return self.random.choice(characters)
            case DrawnRepeat(item=item, least=least, most=most):
                return "".join([self._piece(item) for _ in range(self._rounds(least, most))])
            case DrawnChoice(options=options):
                return self._piece(self.random.choice(options)) if options else ""
            case DrawnSequence(items=items):
                return "".join([self._piece(item) for item in items])


@dataclass(frozen=True, slots=True)
class DrawnAtom:
    """A part of a regular expression that is one character, with the characters that it may be. Parts are made and cached by
    `_drawn`.
    """

    token: str
    characters: list[str]


@dataclass(frozen=True, slots=True)
class DrawnRepeat:
    """A repeated part of a regular expression; ``most`` is None without a limit."""

    item: DrawnExpression
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class DrawnChoice:
    """Alternative parts of a regular expression, of which one is drawn; without any, the text is empty."""

    options: list[DrawnExpression]


@dataclass(frozen=True, slots=True)
class DrawnSequence:
    """Parts of a regular expression in sequence. Lookarounds are omitted, since no text is drawn for them; the whole text is
    tested afterwards.
    """

    items: list[DrawnExpression]


DrawnExpression = DrawnAtom | DrawnRepeat | DrawnChoice | DrawnSequence


@cache
def _drawn(regex: str) -> tuple[DrawnExpression, re.Pattern[str]]:
    """Return the parts of a regular expression from which texts are drawn, and its compiled form, by which these are verified.

    Cached: hundreds of texts are drawn from one expression, and parsing it each time took a third of the time of a proof.
    """
    return _piece_of(parsed(regex)), compile_regex(regex)


def _piece_of(piece: Tree[Token] | Token) -> DrawnExpression:
    """Return a part of a regular expression, given by its syntax tree."""
    if isinstance(piece, Token):
        none = piece.type in ("LOOK", "OPEN", "QUANTIFIER")
        return DrawnSequence([]) if none else DrawnAtom(str(piece), _characters(str(piece)))
    match str(piece.data):
        case "many":
            atom, quantifier = piece.children
            return DrawnRepeat(_piece_of(atom), *count(str(quantifier)))
        case "group":
            # A lookaround matches no text; `match` verifies the whole text at the end.
            looks = str(piece.children[0]).endswith(("=", "!"))
            return DrawnSequence([]) if looks else _choice_of(piece.children[1:])
        case "start":
            return _choice_of(piece.children)
        case _:
            return DrawnSequence([_piece_of(child) for child in piece.children])


def _choice_of(options: list[Tree[Token] | Token]) -> DrawnChoice:
    """Return the alternatives of a regular expression, given by their syntax trees."""
    return DrawnChoice([_piece_of(option) for option in options if isinstance(option, Tree)])


@cache
def _characters(token: str) -> list[str]:
    """Return the characters that a character class matches; cached."""
    return [character for character in _ALPHABET if re.fullmatch(token, character)]


def _height(expr: Expr, heights: Mapping[str, float]) -> float:
    """Return the least nesting depth of an expression's texts, given that of the rules as far as known."""
    match expr:
        case Ref(name=name):
            return heights[name]
        case Sequence(items=items):
            return max((_height(item, heights) for item in items), default=0)
        case GrammarChoice(options=options):
            return min(_height(option, heights) for option in options)
        case GrammarRepeat(item=item, least=least):
            return _height(item, heights) if least else 0
    return 0
