"""The sets of all texts that expressions of a grammar match, where these are small: the domains of proofs about text formats."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from itertools import islice, product

from lark import Token, Tree

from bridgespec.spec.grammar import Expr, Grammar, GrammarChoice, GrammarLiteral, GrammarRepeat, Pattern, Ref, Sequence
from bridgespec.spec.grammar.regex import count, parsed

TextSet = frozenset[str]
_FLAGS = re.compile(r"\(\?([a-z]+):")
"""The opening of a group with flags, such as ``(?i:``."""
_EMPTY: TextSet = frozenset({""})


@cache
def _all_characters() -> str:
    return "".join(map(chr, range(sys.maxunicode + 1)))


@cache
def _class(token: str, flags: str, most: int) -> TextSet | None:
    """Return every Unicode character that a character class matches (``\\d`` matches more than ten); None where there are more
    than ``most``.
    """
    found = re.finditer(f"(?{flags}:{token})" if flags else token, _all_characters())
    # Most classes of many characters are everything but a few: the search ends after ``most`` of a million.
    characters = frozenset(one[0] for one in islice(found, most + 1))
    return characters if len(characters) <= most else None


class Languages:
    """The sets of texts of the rules of one grammar, each computed once; a set has at most ``most`` texts."""

    def __init__(self, grammar: Grammar, most: int) -> None:
        self.grammar, self.most = grammar, most
        self.rules: dict[str, TextSet | None] = {}

    def rule(self, name: str) -> TextSet | None:
        """Return the texts of a rule; None where there are more than ``most``, or where the rule refers to itself."""
        if name not in self.rules:
            self.rules[name] = None  # the result for a rule that refers to itself
            self.rules[name] = self.of(self.grammar.rules[name].expr)
        return self.rules[name]

    def of(self, expr: Expr) -> TextSet | None:
        """Return the texts of an expression; None where there are more than ``most``."""
        match expr:
            case GrammarLiteral(text, fold):
                letters = [{one.lower(), one.upper(), one} if fold else {one} for one in text]
                return self._joined([frozenset(one) for one in letters])
            case Pattern(regex, flags):
                return self._choice(parsed(regex), flags)
            case Ref(name=name):
                return self.rule(name)
            case Sequence(items):
                return self._joined(self.of(item) for item in items)
            case GrammarChoice(options):
                return self._either(self.of(option) for option in options)
            case GrammarRepeat(item, least, most):
                return self._rounds(self.of(item), least, most)
        raise AssertionError(f"a grammar holds {type(expr).__name__}")

    # --- expressions of `re`

    def _choice(self, tree: Tree[Token], flags: str) -> TextSet | None:
        """Return the texts of the alternatives of a regular expression; None where there are more than ``most``."""
        options = [one for one in tree.children if isinstance(one, Tree)]
        return self._either(self._joined(self._piece(piece, flags) for piece in option.children) for option in options)

    def _piece(self, piece: Tree[Token] | Token, flags: str) -> TextSet | None:
        """Return the texts of a part of a regular expression; None where there are more than ``most``, or with the flag x."""
        if "x" in flags:
            return None  # spaces and comments are no texts
        if isinstance(piece, Token):
            return _EMPTY if piece.type in ("LOOK", "OPEN", "QUANTIFIER") else self._characters(str(piece), flags)
        if piece.data == "many":
            atom, quantifier = piece.children
            return self._rounds(self._piece(atom, flags), *count(str(quantifier)))
        if piece.data == "group":
            # A lookaround matches no text; whether it allows a listed text is tested with the rule itself.
            opening = str(piece.children[0])
            more = _FLAGS.fullmatch(opening)
            return _EMPTY if opening.endswith(("=", "!")) else self._choice(piece, flags + (more[1] if more is not None else ""))
        return self._joined(self._piece(child, flags) for child in piece.children)

    def _characters(self, token: str, flags: str) -> TextSet | None:
        """Return the characters that a character class matches; None where there are more than ``most``."""
        return _class(token, flags, self.most)

    # --- sets of texts

    def _either(self, parts: Iterable[TextSet | None]) -> TextSet | None:
        """Return the union of sets; None where one is None or the union has more than ``most`` texts."""
        found: set[str] = set()
        for part in parts:
            if part is None:
                return None
            found |= part
        return frozenset(found) if len(found) <= self.most else None

    def _joined(self, parts: Iterable[TextSet | None]) -> TextSet | None:
        """Return all concatenations of one text of each set; None where one is None or there are more than ``most``."""
        found: TextSet = _EMPTY
        for part in parts:
            if part is None or len(found) * len(part) > 4 * self.most:
                return None
            found = frozenset(a + b for a, b in product(found, part))
        return found if len(found) <= self.most else None

    def _rounds(self, item: TextSet | None, least: int, most: int | None) -> TextSet | None:
        """Return all repetitions of texts, ``least`` to ``most`` times; None where there are too many or ``most`` is None."""
        if item is None or (most is None and item != _EMPTY) or (most or 0) > 64:
            return None
        rounds, found = _EMPTY, set(_EMPTY if least == 0 else ())
        for at in range(1, (most or 1) + 1):
            joined = self._joined((rounds, item))
            if joined is None:
                return None
            rounds = joined
            if at >= least:
                found |= rounds
            if len(found) > self.most:
                return None
        return frozenset(found)
