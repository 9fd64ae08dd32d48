"""Shapes in braces: each names the lengths that the manual of its author lists."""

from __future__ import annotations

import pytest

from bridgespec.dealing.bounds import shapes
from bridgespec.dealing.notation import notation_lengths


def listed(text: str) -> frozenset[tuple[int, int, int, int]]:
    """The lengths of a list of shapes in dealer's own notation."""
    return frozenset().union(*(shapes(one.removeprefix("any "), one.startswith("any ")) for one in text.split(" + ")))


@pytest.mark.parametrize(
    ("notation", "plain"),
    [
        ("7xxx", "7xxx"),
        ("2-xxx", "0xxx + 1xxx + 2xxx"),
        ("x[3-5]x[13]", "x3x1 + x4x1 + x3x3 + x5x1 + x4x3 + x5x3"),
        ("(4432)", "any 4432"),
        ("5s(431)", "5134 + 5314 + 5143 + 5341 + 5413 + 5431"),
        ("4+c3+d(2+2+)", "3334 + 4234 + 2434 + 3244 + 2344 + 2254 + 3235 + 2335 + 2245 + 2236"),
        ("5M(xxx)", "x5xx + 5xxx"),
        ("4M(3+3+2+)", "2443 + 2434 + 3424 + 3442 + 3433 + 4243 + 4423 + 4234 + 4432 + 4324 + 4342 + 4333"),
        ("4+s4+h(xx):d>c,h+s==10", "4621 + 4630 + 5521 + 5530 + 6421 + 6430"),
        ("(5xxx):h>s,h>d,d>c,h<7,s<1", "0652"),
    ],
)
def test_shapes_in_braces_are_those_of_the_preprocessor(notation: str, plain: str) -> None:
    """Each notation names the shapes that its author's manual lists for it."""
    assert notation_lengths(notation) == listed(plain)


@pytest.mark.parametrize("text", ["5s(43)", "5s5s(xx)x", "5q(xxx)", "(44)(32)", "4432:h!s", "5s4s(xx)(xx)", "xxxx:"])
def test_a_shape_that_is_none_is_an_error(text: str) -> None:
    """The message quotes the shape or the condition."""
    with pytest.raises(ValueError, match="'"):
        notation_lengths(text)
