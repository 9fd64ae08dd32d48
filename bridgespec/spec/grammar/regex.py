"""What a regular expression of a grammar does, read from its own parse and never guessed from its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

MANY = 1 << 62
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")


@cache
def _lark() -> Lark:
    return Lark(Path(__file__).with_name("regex.lark").read_text("utf-8"), parser="lalr", maybe_placeholders=False)


@cache
def parsed(pattern: str) -> Tree[Token]:
    """The parse of an expression; re.error where it has something that grammars do not use."""
    try:
        return _lark().parse(pattern)
    except UnexpectedInput as error:
        at = error.pos_in_stream or 0
        raise re.error("a construct that grammars do not use", pattern, max(at, 0)) from None


def captures(pattern: str) -> bool:
    """Whether a group of the expression captures; re.error where it has something that grammars do not use.

    >>> captures("(a)"), captures("(?:a)")
    (True, False)
    """
    return any(group.children[0] == "(" or "P<" in str(group.children[0]) for group in parsed(pattern).find_data("group"))


def behind(pattern: str) -> int:
    """How many characters before its match the expression may look at; 2 stands for more than one.

    >>> behind("a(?=b)"), behind("(?<![^x])a"), behind("(?<=ab)c"), behind("^a")
    (0, 1, 2, 2)
    """
    tree = parsed(pattern)
    looks = tree.scan_values(lambda value: isinstance(value, Token) and value.type == "LOOK")
    if any(str(look) not in ("$", r"\Z") for look in looks):
        return 2
    opened = [group for group in tree.find_data("group") if str(group.children[0]) in ("(?<=", "(?<!")]
    return max([1 if _is_one(group) else 2 for group in opened], default=0)


def _is_one(group: Tree[Token]) -> bool:
    """Whether a group is one character."""
    sequences = [child for child in group.children if isinstance(child, Tree)]
    pieces = sequences[0].children if len(sequences) == 1 else []
    piece = pieces[0] if len(pieces) == 1 else None
    return isinstance(piece, Tree) and piece.data == "plain" and isinstance(piece.children[0], Token)


def backtracking(pattern: str) -> list[str]:
    """The repetitions of a regular expression that could be taken back.

    >>> backtracking(r"a++b"), backtracking(r"a+"), backtracking(r"a+b")
    ([], [], ['a repetition'])
    """
    return list(_faults(parsed(pattern), True))


def ways(pattern: str) -> int:
    """In how many ways the expression may have to be tried on one text, at most; what is possessive or atomic is tried in one.

    >>> ways("[ab]?[ab]?c"), ways("(?:[ab]?){3}c"), ways("[ab]?+[ab]?+c"), ways("ab|ac")
    (4, 8, 1, 2)
    """
    return _ways(parsed(pattern), False)


def _ways(tree: Tree[Token], followed: bool) -> int:
    """``followed``: whether something stands behind that can fail, so that what has matched is taken back."""
    found = 0
    for sequence in tree.children:
        if not isinstance(sequence, Tree):
            continue
        product, behind = 1, followed
        for piece in reversed([piece for piece in sequence.children if isinstance(piece, Tree)]):
            product = min(MANY, product * _piece_ways(piece, behind))
            behind = behind or piece.data != "many" or count(str(piece.children[1]))[0] > 0
        found += product
    return 1 if tree.data == "group" and tree.children[0] == "(?>" else max(1, found)


def _piece_ways(piece: Tree[Token], followed: bool) -> int:
    atom = piece.children[0]
    inner = 1 if isinstance(atom, Token) else _ways(atom, followed)
    if piece.data != "many":
        return inner
    quantifier = str(piece.children[1])
    least, most = count(quantifier)
    if most is None or not followed or (len(quantifier) > 1 and quantifier[-1] == "+"):
        # Without a limit it is possessive or the last, which `backtracking` sees to; with nothing behind it nothing is taken back.
        return inner if most == 1 else 1
    return min(MANY, sum(inner**rounds if inner > 1 else 1 for rounds in range(least, min(most, 64) + 1)))


def settled(pattern: str) -> bool:
    """Whether the expression has one way to match at most, so that nothing that follows it can make it match less.

    >>> settled("[A-Z]++"), settled("a+"), settled("ab|c")
    (True, False, False)
    """
    return _settled(parsed(pattern))


def _settled(tree: Tree[Token]) -> bool:
    sequences = [child for child in tree.children if isinstance(child, Tree)]
    return len(sequences) == 1 and all(_settled_piece(piece) for piece in sequences[0].children if isinstance(piece, Tree))


def _settled_piece(piece: Tree[Token]) -> bool:
    atom = piece.children[0]
    if piece.data == "many":
        least, most = count(str(piece.children[1]))
        return (str(piece.children[1])[-1] == "+" and len(str(piece.children[1])) > 1) or (least == most and _settled_atom(atom))
    return _settled_atom(atom)


def _settled_atom(atom: Token | Tree[Token]) -> bool:
    return isinstance(atom, Token) or atom.children[0] in ("(?>", "(?=", "(?!", "(?<=", "(?<!") or _settled(atom)


def count(quantifier: str) -> tuple[int, int | None]:
    """The least and the most rounds of a quantifier."""
    if quantifier[0] != "{":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[quantifier[0]]
    found = _COUNT.match(quantifier)
    assert found is not None
    least = int(found[1] or 0)
    return least, (int(found[3]) if found[3] else None) if found[2] else least


def _faults(tree: Tree[Token], last: bool) -> Iterator[str]:
    """``last``: whether nothing of the pattern follows."""
    for sequence in tree.children:
        if not isinstance(sequence, Tree):
            continue
        for index, piece in enumerate(sequence.children):
            assert isinstance(piece, Tree)
            yield from _piece_faults(piece, last and index == len(sequence.children) - 1)


def _piece_faults(piece: Tree[Token], end: bool) -> Iterator[str]:
    atom = piece.children[0]
    if piece.data == "many":
        quantifier = str(piece.children[1])
        possessive = len(quantifier) > 1 and quantifier[-1] == "+"
        if not possessive and count(quantifier)[1] is None:
            if not end or quantifier[-1] == "?":
                yield "a repetition"
            elif isinstance(atom, Tree) and _unbounded(atom):
                yield "a repetition inside a repetition"
        end = possessive
    if isinstance(atom, Tree):
        opening = str(atom.children[0])
        yield from _faults(atom, end or opening == "(?>" or opening[-1] in "=!")


def _unbounded(tree: Tree[Token]) -> bool:
    """Whether there is a repetition without a limit in a group that takes text."""
    return any(count(str(many.children[1]))[1] is None for many in tree.find_data("many"))
