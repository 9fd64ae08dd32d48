"""Properties of a regular expression, computed from its parse tree: groups, lookbehind, backtracking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

MANY = 1 << 62
"""The upper bound of `ways`, so that its products stay small integers."""
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")


@cache
def _lark() -> Lark:
    return Lark(Path(__file__).with_name("regex.lark").read_text("utf-8"), parser="lalr", maybe_placeholders=False)


@cache
def parsed(pattern: str) -> Tree[Token]:
    """Return the parse tree of a regular expression. Raises re.error for a construct that grammars do not support."""
    try:
        return _lark().parse(pattern)
    except UnexpectedInput as error:
        at = error.pos_in_stream or 0
        raise re.error("a construct that grammars do not use", pattern, max(at, 0)) from None


def captures(pattern: str) -> bool:
    """Whether a regular expression has a capturing group. Raises re.error for a construct that grammars do not support.

    >>> captures("(a)"), captures("(?:a)")
    (True, False)
    """
    return any(group.children[0] == "(" or "P<" in str(group.children[0]) for group in parsed(pattern).find_data("group"))


class _Quantified(NamedTuple):
    """An atom of a regular expression with its quantifier (empty without one), and the least and the greatest number of
    repetitions (None without a limit).
    """

    atom: Token | Tree[Token]
    quantifier: str
    least: int
    most: int | None

    @property
    def possessive(self) -> bool:
        """Whether the repetition is possessive."""
        return len(self.quantifier) > 1 and self.quantifier[-1] == "+"


def _choices(tree: Tree[Token]) -> list[list[_Quantified]]:
    """Return the alternatives of an expression or a group, each as a list of atoms."""
    alternatives = (one.children for one in tree.children if isinstance(one, Tree))
    return [[_quantified(node) for node in nodes if isinstance(node, Tree)] for nodes in alternatives]


def _quantified(node: Tree[Token]) -> _Quantified:
    """Return the atom with its quantifier in a node of an alternative."""
    quantifier = node.children[1] if node.data == "many" else ""
    assert isinstance(quantifier, str)
    return _Quantified(node.children[0], quantifier, *(count(quantifier) if quantifier else (1, 1)))


def behind(pattern: str) -> int:
    """Return how many characters before its match a regular expression may look at: 0, 1, or 2 for more than one.

    >>> behind("a(?=b)"), behind("(?<![^x])a"), behind("(?<=ab)c"), behind("^a")
    (0, 1, 2, 2)
    """
    tree = parsed(pattern)
    looks = tree.scan_values(lambda value: isinstance(value, Token) and value.type == "LOOK")
    # `^`, `\A` and `\b` look at the character before; these two look ahead only.
    if any(str(look) not in ("$", r"\Z") for look in looks):
        return 2
    opened = [_choices(group) for group in tree.find_data("group") if str(group.children[0]) in ("(?<=", "(?<!")]
    return max([1 if len(found) == 1 and _is_one(found[0]) else 2 for found in opened], default=0)


def _is_one(pieces: list[_Quantified]) -> bool:
    """Whether an alternative matches exactly one character."""
    return len(pieces) == 1 and not pieces[0].quantifier and isinstance(pieces[0].atom, Token)


def backtracking(pattern: str) -> list[str]:
    """Return descriptions of the parts of a regular expression that could backtrack.

    >>> backtracking(r"a++b"), backtracking(r"a+"), backtracking(r"a+b")
    ([], [], ['a repetition'])
    """
    return [fault for fault, _ in _faults(parsed(pattern), True)]


def possessive(pattern: str) -> tuple[list[str], str]:
    """Return the repetitions in a regular expression that could backtrack, and the expression with these made possessive.

    >>> possessive(r"(?= *-?[0-9])[-0-9 ]{5}"), possessive("a+?b")
    (([' *'], '(?= *+-?[0-9])[-0-9 ]{5}'), (['a+?'], 'a++b'))
    """
    found = sorted({(_start(piece.atom), _end(piece)) for _, piece in _faults(parsed(pattern), True)})
    rewritten = pattern
    # From the last to the first, so that the offsets of the others remain valid.
    for end in sorted((end for _, end in found), reverse=True):
        rewritten = rewritten[:end].removesuffix("?") + "+" + rewritten[end:]
    return [pattern[start:end] for start, end in found], rewritten


def _start(atom: Token | Tree[Token]) -> int:
    tokens = [atom] if isinstance(atom, Token) else atom.scan_values(lambda value: isinstance(value, Token))
    return min(one.start_pos or 0 for one in tokens)


def _end(piece: _Quantified) -> int:
    assert isinstance(piece.quantifier, Token)
    return piece.quantifier.end_pos or 0


def _faults(tree: Tree[Token], last: bool) -> Iterator[tuple[str, _Quantified]]:
    """Yield each repetition in ``tree`` that could backtrack, with its description; ``last``: nothing in the pattern follows
    ``tree``.
    """
    for pieces in _choices(tree):
        for index, piece in enumerate(pieces):
            # With nothing behind it, a greedy repetition never has to give back.
            end = last and index == len(pieces) - 1
            if piece.most is None and not piece.possessive:
                if not end or piece.quantifier[-1] == "?":
                    yield "a repetition", piece
                # `(a*)*` can divide one text in exponentially many ways, even at the end.
                elif isinstance(piece.atom, Tree) and any(_quantified(one).most is None for one in piece.atom.find_data("many")):
                    yield "a repetition inside a repetition", piece
            if isinstance(piece.atom, Tree):
                opening = str(piece.atom.children[0])
                end = piece.possessive if piece.quantifier else end
                # An atomic group and an assertion are never entered again once they have matched.
                yield from _faults(piece.atom, end or opening == "(?>" or opening[-1] in "=!")


def ways(pattern: str) -> int:
    """Return the maximum number of ways in which a regular expression is tried on one text; 1 if it never backtracks.

    >>> ways("[ab]?[ab]?c"), ways("(?:[ab]?){3}c"), ways("[ab]?+[ab]?+c"), ways("ab|ac")
    (4, 8, 1, 2)
    """
    return _ways(parsed(pattern), False)


def _ways(tree: Tree[Token], followed: bool) -> int:
    """Return the number of ways for a part of a regular expression; ``followed``: a later part can fail, so that this one is tried
    in another way.
    """
    found = 0
    for pieces in _choices(tree):
        product, can_fail = 1, followed
        for piece in reversed(pieces):
            product = min(MANY, product * _piece_ways(piece, can_fail))
            # An atom that may be absent cannot fail, so that nothing before it is tried again for its sake.
            can_fail = can_fail or piece.least > 0
        found += product
    return 1 if tree.data == "group" and tree.children[0] == "(?>" else max(1, found)


def _piece_ways(piece: _Quantified, followed: bool) -> int:
    inner = 1 if isinstance(piece.atom, Token) else _ways(piece.atom, followed)
    if piece.most is None or not followed or piece.possessive:
        # Such a repetition never backtracks. One without a limit is possessive or the last, or `backtracking` reports it.
        return inner if piece.most == 1 else 1
    if inner == 1:
        return min(MANY, piece.most - piece.least + 1)
    # With two ways for each round, 64 rounds exceed `MANY`.
    return MANY if piece.most > 64 else min(MANY, sum(inner**rounds for rounds in range(piece.least, piece.most + 1)))


def settled(pattern: str) -> bool:
    """Whether a regular expression has at most one way to match, so that it never gives back characters to what follows it.

    >>> settled("[A-Z]++"), settled("a+"), settled("ab|c")
    (True, False, False)
    """
    return _settled(parsed(pattern))


def _settled(tree: Tree[Token]) -> bool:
    choices = _choices(tree)
    return len(choices) == 1 and all(one.possessive or (one.least == one.most and _settled_atom(one.atom)) for one in choices[0])


def _settled_atom(atom: Token | Tree[Token]) -> bool:
    # Assertions and atomic groups match in one way, whatever is in them.
    return isinstance(atom, Token) or atom.children[0] in ("(?>", "(?=", "(?!", "(?<=", "(?<!") or _settled(atom)


def count(quantifier: str) -> tuple[int, int | None]:
    """Return the minimum and the maximum number of repetitions of a quantifier's text."""
    if quantifier[0] != "{":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[quantifier[0]]
    found = _COUNT.match(quantifier)
    assert found is not None
    least = int(found[1] or 0)
    return least, (int(found[3]) if found[3] else None) if found[2] else least
