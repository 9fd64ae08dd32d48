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

_LETTERS: Mapping[str, tuple[int, ...]] = {"s": (0,), "h": (1,), "d": (2,), "c": (3,), "M": (0, 1), "m": (2, 3)}
# A sign directly behind a digit belongs to the length (5+), so one between shapes needs blanks or a closing parenthesis before it.
_BETWEEN = re.compile(r"\s+([+-])\s+|(?<=\))\s*([+-])\s*")
_ITEM = re.compile(r"(?:\[([0-9-]+)\]|([0-9]|x)([+-]?))([shdcMm]?)")
_TEST = re.compile(r"([shdcMm+0-9]+)(==|!=|>=|<=|>|<)([shdcMm+0-9]+)")
_TESTS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


def notation_lengths(text: str) -> frozenset[Lengths]:
    """Return the lengths, spades first, that a sum of shapes allows. Raises ValueError, with one sentence, for any other text.

    >>> len(notation_lengths("4M(3+3+2+)")), len(notation_lengths("5+xx5+ - (5xx[67])"))
    (12, 10)
    >>> sorted(notation_lengths("4+s4+h(xx):d>c,h+s==10"))
    [(4, 6, 2, 1), (4, 6, 3, 0), (5, 5, 2, 1), (5, 5, 3, 0), (6, 4, 2, 1), (6, 4, 3, 0)]
    """
    parts = _BETWEEN.split(text.strip())
    signs = ["+", *(first or second for first, second in zip(parts[1::3], parts[2::3], strict=True))]
    found: frozenset[Lengths] = frozenset()
    for sign, shape in zip(signs, parts[::3], strict=True):
        found = found | _of_shape(shape) if sign == "+" else found - _of_shape(shape)
    return found


def _of_shape(text: str) -> frozenset[Lengths]:
    """Return the lengths of a single shape, whose conditions may be alternatives (``or``)."""
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
    return tuple((a, b, c, 13 - a - b - c) for a in range(14) for b in range(14 - a) for c in range(14 - a - b))


def _assignments(text: str, whole: str) -> Iterator[tuple[Allowed, ...]]:
    """Yield the allowed lengths of the four suits, for each way to assign letters and parentheses to suits."""
    outside, bracket, rest = text.partition("(")
    inside = rest.removesuffix(")") if bracket else ""
    if bracket and (not rest.endswith(")") or "(" in inside):
        raise ValueError(f"{whole!r} needs one pair of parentheses, at its end")
    first, second = list(_items(outside, whole)), list(_items(inside, whole))
    if len(first) + len(second) != 4 or any(letter for _, letter in second):
        raise ValueError(f"{whole!r} does not name four suits")
    lettered = [(allowed, _LETTERS[letter]) for allowed, letter in first if letter]
    plain = [allowed for allowed, letter in first if not letter]
    for suits in product(*(suits for _, suits in lettered)):
        # 5M4M: both letters must not be assigned to the same major.
        if len(set(suits)) < len(suits):
            continue
        # Lengths without a letter are of the suits without one, in their order; those in parentheses in any order.
        left = [suit for suit in range(4) if suit not in suits]
        for mixed in permutations([allowed for allowed, _ in second]):
            by_suit = {**dict(zip(suits, (allowed for allowed, _ in lettered), strict=True))}
            by_suit.update(zip(left, [*plain, *mixed], strict=True))
            yield tuple(by_suit[suit] for suit in range(4))


def _items(text: str, whole: str) -> Iterator[tuple[Allowed, str]]:
    """Yield each length in a text, as the lengths that it allows, and its letter; ``whole`` is the shape for the error."""
    at = 0
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            raise ValueError(f"{whole!r} is not a shape: {text[at:]!r} is no length")
        several, length, sign, letter = item.groups()
        yield _range(several) if several else _span(length, sign), letter
        at = item.end()


def _span(length: str, sign: str | None) -> Allowed:
    if length == "x":
        return frozenset(range(14))
    number = int(length)
    return frozenset(range(number, 14) if sign == "+" else range(number + 1) if sign == "-" else (number,))


def _range(text: str) -> Allowed:
    found: set[int] = set()
    for low, _, high in re.findall(r"([0-9])(-([0-9]))?", text):
        found.update(range(int(low), int(high or low) + 1))
    return frozenset(found)


def _test(text: str, whole: str) -> Callable[[Lengths], bool]:
    """Return a comparison of sums of lengths; one on a major or minor is true if it is true of either suit."""
    match = _TEST.fullmatch("".join(text.split()))
    if match is None:
        raise ValueError(f"{text.strip()!r} in {whole!r} is no condition on lengths: h>s, h+s==10")
    left, compared, right = _terms(match[1]), _TESTS[match[2]], _terms(match[3])

    def holds(lengths: Lengths) -> bool:
        # M and m are bound for the whole comparison: M>m compares one major with one minor, in any of the four combinations.
        return any(
            compared(_sum(left, lengths, majors, minors), _sum(right, lengths, majors, minors))
            for majors in (0, 1)
            for minors in (2, 3)
        )

    return holds


def _terms(text: str) -> list[str]:
    return [term for term in text.split("+") if term]


def _sum(terms: list[str], lengths: Lengths, major: int, minor: int) -> int:
    places = {"s": 0, "h": 1, "d": 2, "c": 3, "M": major, "m": minor}
    return sum(int(term) if term.isdigit() else lengths[places[term]] for term in terms)
