"""Parse shapes in the notation of F. Dellacherie, which scripts have in braces: ``shape{north, 5+s(xxx):h>d}``.

`notation_lengths` takes the text after the seat and returns the suit lengths that it allows. A shape names four suits: by position
(spades first), by letter behind the length (``s h d c``; ``M`` a major, ``m`` a minor), or in parentheses, in any order. A length
is a digit, ``5+`` at least, ``5-`` at most, ``[24-6]`` one of several, ``x`` any. Conditions on lengths follow a colon; a comma
between them means *and*. Source: the README of his preprocessor for dealer.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import permutations, product

Lengths = tuple[int, int, int, int]
Allowed = frozenset[int]

# The suits, 0 to 3 from spades down, that each letter may be.
_LETTERS: Mapping[str, tuple[int, ...]] = {"s": (0,), "h": (1,), "d": (2,), "c": (3,), "M": (0, 1), "m": (2, 3)}
# A sign between shapes has blanks or a closing parenthesis before it; directly behind a digit it belongs to the length (5+).
_BETWEEN = re.compile(r"\s+([+-])\s+|(?<=\))\s*([+-])\s*")
_ITEM = re.compile(r"(?:\[([0-9-]+)\]|([0-9]|x)([+-]?))([shdcMm]?)")
_TEST = re.compile(r"([shdcMm+0-9]+)(==|!=|>=|<=|>|<)([shdcMm+0-9]+)")
_TESTS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


def notation_lengths(text: str) -> frozenset[Lengths]:
    """Return the lengths, spades first, that match a text: one shape, or several with plus and minus signs between them. Raises
    ValueError with the reason for any other text.

    >>> len(notation_lengths("4M(3+3+2+)")), len(notation_lengths("5+xx5+ - (5xx[67])"))
    (12, 10)
    >>> sorted(notation_lengths("4+s4+h(xx):d>c,h+s==10"))
    [(4, 6, 2, 1), (4, 6, 3, 0), (5, 5, 2, 1), (5, 5, 3, 0), (6, 4, 2, 1), (6, 4, 3, 0)]
    """
    parts = _BETWEEN.split(text.strip())
    signs = ["+", *(first or second for first, second in zip(parts[1::3], parts[2::3], strict=True))]
    found: frozenset[Lengths] = frozenset()
    for sign, shape in zip(signs, parts[::3], strict=True):
        found = found | _shape_lengths(shape) if sign == "+" else found - _shape_lengths(shape)
    return found


def _shape_lengths(text: str) -> frozenset[Lengths]:
    """Return the lengths that match one shape, whose conditions may be alternatives (``or``)."""
    named, colon, conditions = text.partition(":")
    places = list(_assignments("".join(named.split()), text))
    tests = [[_test(one, text) for one in part.split(",")] for part in re.split(r"\bor\b", conditions)] if colon else []
    return frozenset(
        lengths
        for lengths in _every_lengths()
        if any(all(length in suit for length, suit in zip(lengths, allowed, strict=True)) for allowed in places)
        and (not tests or any(all(test(lengths) for test in part) for part in tests))
    )


@cache
def _every_lengths() -> tuple[Lengths, ...]:
    """Return all lengths of thirteen cards."""
    return tuple((a, b, c, 13 - a - b - c) for a in range(14) for b in range(14 - a) for c in range(14 - a - b))


def _assignments(text: str, full_text: str) -> Iterator[tuple[Allowed, ...]]:
    """Yield the allowed lengths of the four suits, for each assignment of the lengths in a shape to suits.

    ``full_text`` is the shape with its conditions, for messages.
    """
    first, second = _lengths_of(text, full_text)
    lettered = [(allowed, _LETTERS[letter]) for allowed, letter in first if letter]
    plain = [allowed for allowed, letter in first if not letter]
    for suits in product(*(suits for _, suits in lettered)):
        # 5M4M: each letter is a different major.
        if len(set(suits)) < len(suits):
            continue
        # Lengths without a letter belong to the other suits in order, those in parentheses to the rest of these in any order.
        others = [suit for suit in range(4) if suit not in suits]
        for mixed in permutations(second):
            by_suit = {**dict(zip(suits, (allowed for allowed, _ in lettered), strict=True))}
            by_suit.update(zip(others, [*plain, *mixed], strict=True))
            yield tuple(by_suit[suit] for suit in range(4))


def _lengths_of(text: str, full_text: str) -> tuple[list[tuple[Allowed, str]], list[Allowed]]:
    """Return the four lengths of a shape: those in order, with their letters, and those in parentheses."""
    outside, bracket, rest = text.partition("(")
    inside = rest.removesuffix(")") if bracket else ""
    if bracket and (not rest.endswith(")") or "(" in inside):
        raise ValueError(f"{full_text!r} needs one pair of parentheses, at its end")
    first, second = list(_items(outside, full_text)), list(_items(inside, full_text))
    if len(first) + len(second) != 4 or any(letter for _, letter in second):
        raise ValueError(f"{full_text!r} does not name four suits")
    return first, [allowed for allowed, _ in second]


def _items(text: str, full_text: str) -> Iterator[tuple[Allowed, str]]:
    """Yield for each length in a text the set of numbers that it allows, and its letter (``""`` without one)."""
    at = 0
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            raise ValueError(f"{full_text!r} is not a shape: {text[at:]!r} is no length")
        several, length, sign, letter = item.groups()
        yield _listed_lengths(several) if several else _one_length(length, sign), letter
        at = item.end()


def _one_length(length: str, sign: str | None) -> Allowed:
    """Return the numbers that a length such as ``5``, ``5+`` or ``x`` allows."""
    if length == "x":
        return frozenset(range(14))
    number = int(length)
    return frozenset(range(number, 14) if sign == "+" else range(number + 1) if sign == "-" else (number,))


def _listed_lengths(text: str) -> Allowed:
    """Return the numbers that a list such as ``24-6`` allows."""
    found: set[int] = set()
    for low, _, high in re.findall(r"([0-9])(-([0-9]))?", text):
        found.update(range(int(low), int(high or low) + 1))
    return frozenset(found)


def _test(text: str, full_text: str) -> Callable[[Lengths], bool]:
    """Return the function for a comparison of sums of lengths; with ``M`` or ``m`` it is true if it is for any major or minor."""
    match = _TEST.fullmatch("".join(text.split()))
    if match is None:
        raise ValueError(f"{text.strip()!r} in {full_text!r} is no condition on lengths: h>s, h+s==10")
    left, compared, right = _terms(match[1]), _TESTS[match[2]], _terms(match[3])

    def holds(lengths: Lengths) -> bool:
        # Each M in a comparison is the same major, and each m the same minor.
        return any(
            compared(_sum(left, lengths, majors, minors), _sum(right, lengths, majors, minors))
            for majors in (0, 1)
            for minors in (2, 3)
        )

    return holds


def _terms(text: str) -> list[str]:
    """Return the letters and numbers of a sum."""
    return [term for term in text.split("+") if term]


def _sum(terms: list[str], lengths: Lengths, major: int, minor: int) -> int:
    """Return a sum of lengths, in which ``M`` and ``m`` are the suits ``major`` and ``minor``."""
    places = {"s": 0, "h": 1, "d": 2, "c": 3, "M": major, "m": minor}
    return sum(int(term) if term.isdigit() else lengths[places[term]] for term in terms)
